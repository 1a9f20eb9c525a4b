//! SVG to PNG. The letters come from fonts carried in the program, so that a figure looks the same
//! on a machine without fonts.

use super::FigureError;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// The widest and highest picture, in dots.
const LARGEST: f64 = 20_000.0;

/// The SVG as PNG of that many dots across; the height follows from the shape of the figure.
///
/// # Errors
/// If the SVG cannot be read, or the picture would be empty or larger than 20 000 dots either way.
pub fn png(svg: &str, width: u32) -> Result<Vec<u8>, FigureError> {
    let tree = Tree::from_str(svg, &options())
        .map_err(|error| FigureError::Unreadable { reason: error.to_string() })?;
    let zoom = f64::from(width) / f64::from(tree.size().width());
    let wanted = f64::from(tree.size().height()) * zoom;
    let too_large = FigureError::Size { width, height: wanted };
    if f64::from(width) > LARGEST || wanted > LARGEST {
        return Err(too_large);
    }
    let height = whole(wanted);
    let Some(mut dots) = Pixmap::new(width, height) else { return Err(too_large) };
    let scale = |length: u32, full: f32| to_single(f64::from(length) / f64::from(full));
    let across = scale(width, tree.size().width());
    let down = scale(height, tree.size().height());
    resvg::render(&tree, Transform::from_scale(across, down), &mut dots.as_mut());
    dots.encode_png().map_err(|error| FigureError::Unwritable { reason: error.to_string() })
}

fn options() -> Options<'static> {
    let mut options = Options { font_family: String::from("DejaVu Sans"), ..Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    options
}

/// The nearest whole number from 1 on, of a number below [`LARGEST`].
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(value: f64) -> u32 {
    value.round().max(1.0) as u32
}

#[expect(clippy::cast_possible_truncation)]
fn to_single(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\">\
        <text x=\"2\" y=\"15\" font-size=\"14\" font-family=\"sans-serif\">β★W</text></svg>";

    #[test]
    fn letters_are_drawn_without_fonts_of_the_machine() {
        let picture = Pixmap::decode_png(&png(SHEET, 80).unwrap()).unwrap();
        assert_eq!((picture.width(), picture.height()), (80, 40));
        assert!(picture.pixels().iter().any(|dot| dot.alpha() > 200));
    }

    #[test]
    fn what_cannot_be_drawn_is_an_error() {
        assert!(png("no picture", 100).is_err());
        assert!(png(SHEET, 0).is_err());
        assert!(png(SHEET, u32::MAX).is_err());
    }
}
