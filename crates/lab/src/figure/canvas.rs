//! A sheet of SVG: strokes, areas and text at given places. Knows how SVG is written and how wide
//! text is in the font of the figures; knows nothing of axes or data.

use std::fmt::{Arguments, Write};

/// A place on the sheet: to the right, and down.
pub(super) type Place = (f64, f64);

/// The colour of text, frames and ticks.
pub(super) const INK: &str = "#222222";

/// The font of the figures, then what stands in for it.
const FONTS: &str = "'DejaVu Sans', Verdana, 'Liberation Sans', Arial, sans-serif";

/// Widths of the printable ASCII characters, in thousandths of the font size.
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke<'a> {
    /// colour of the line
    pub colour: &'a str,
    /// thickness
    pub width: f64,
    /// lengths of dashes and gaps; empty: one solid line
    pub dash: &'a str,
}

impl<'a> Stroke<'a> {
    /// A solid line.
    pub fn solid(colour: &'a str, width: f64) -> Self {
        Self { colour, width, dash: "" }
    }

    fn attributes(&self) -> String {
        let dash = if self.dash.is_empty() {
            String::new()
        } else {
            format!(" stroke-dasharray=\"{}\"", self.dash)
        };
        format!("stroke=\"{}\" stroke-width=\"{:.2}\"{dash}", self.colour, self.width)
    }
}

/// How text is set at its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Text<'a> {
    /// font size
    pub size: f64,
    /// which part of the text lies at the place: `start`, `middle` or `end`
    pub anchor: &'a str,
    /// degrees clockwise
    pub turn: f64,
    /// whether in bold
    pub bold: bool,
    /// colour of the letters
    pub colour: &'a str,
}

impl Text<'_> {
    /// Upright text in ink.
    pub fn plain(size: f64, anchor: &'static str) -> Text<'static> {
        Text { size, anchor, turn: 0.0, bold: false, colour: INK }
    }
}

/// The sheet, written from back to front.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    body: String,
}

impl Canvas {
    /// A line through the places.
    pub fn line(&mut self, places: &[Place], stroke: &Stroke<'_>) {
        if places.len() > 1 {
            self.put(format_args!(
                "<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\" {}/>\n",
                list(places),
                stroke.attributes()
            ));
        }
    }

    /// A closed area; `opacity` is that of the filling.
    pub fn area(
        &mut self,
        places: &[Place],
        fill: &str,
        opacity: f64,
        stroke: Option<&Stroke<'_>>,
    ) {
        let border = stroke.map_or_else(|| String::from("stroke=\"none\""), Stroke::attributes);
        self.put(format_args!(
            "<polygon points=\"{}\" fill=\"{fill}\" fill-opacity=\"{opacity:.2}\" \
             stroke-linejoin=\"round\" {border}/>\n",
            list(places)
        ));
    }

    /// A disc with its rim.
    pub fn disc(&mut self, centre: Place, radius: f64, fill: &str, stroke: &Stroke<'_>) {
        self.put(format_args!(
            "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"{radius:.2}\" fill=\"{fill}\" {}/>\n",
            centre.0,
            centre.1,
            stroke.attributes()
        ));
    }

    /// One line of text; its foot stands at the place.
    pub fn text(&mut self, place: Place, words: &str, text: &Text<'_>) {
        let (x, y) = place;
        let turn = if text.turn == 0.0 {
            String::new()
        } else {
            format!(" transform=\"rotate({:.2} {x:.2} {y:.2})\"", text.turn)
        };
        let weight = if text.bold { " font-weight=\"bold\"" } else { "" };
        self.put(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{}\" text-anchor=\"{}\" \
             fill=\"{}\"{weight}{turn}>{}</text>\n",
            text.size,
            text.anchor,
            text.colour,
            escaped(words)
        ));
    }

    /// Several lines of text, one under another; gives back where the next one would stand.
    pub fn paragraph(&mut self, place: Place, lines: &[String], text: &Text<'_>) -> f64 {
        let mut foot = place.1;
        for line in lines {
            self.text((place.0, foot), line, text);
            foot += text.size * 1.4;
        }
        foot
    }

    /// The finished sheet with a white ground.
    pub fn finish(self, width: f64, height: f64) -> String {
        let (width, height) = (width.ceil(), height.ceil());
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{}</svg>\n",
            self.body
        )
    }

    fn put(&mut self, element: Arguments<'_>) {
        // Writing to a string cannot fail.
        self.body.write_fmt(element).ok();
    }
}

/// How wide one line of text is.
pub(super) fn text_width(words: &str, size: f64) -> f64 {
    let thousandths: u32 = words.chars().map(|letter| u32::from(letter_width(letter))).sum();
    f64::from(thousandths) * size / 1000.0
}

/// Breaks text into lines no wider than `width`, at spaces and where it has line breaks itself.
pub(super) fn wrapped(words: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in words.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if line.is_empty() || text_width(&longer, size) <= width {
                line = longer;
            } else {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            }
        }
        lines.push(line);
    }
    lines
}

fn letter_width(letter: char) -> u16 {
    let place = u32::from(letter).checked_sub(32).and_then(|place| usize::try_from(place).ok());
    place.and_then(|place| WIDTHS.get(place)).copied().unwrap_or(640)
}

fn list(places: &[Place]) -> String {
    let pairs: Vec<String> = places.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
    pairs.join(" ")
}

/// Text as XML allows it: markup escaped, control characters left out.
fn escaped(words: &str) -> String {
    let mut safe = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => {}
            letter if letter.is_control() => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_text_is_escaped() {
        assert_eq!(escaped("a < b & c\u{1}"), "a &lt; b &amp; c ");
    }

    #[test]
    fn text_is_broken_at_spaces_and_line_breaks() {
        let lines = wrapped("one two three\nfour", 10.0, text_width("one two", 10.0));
        assert_eq!(lines, ["one two", "three", "four"]);
    }

    #[test]
    fn a_word_wider_than_the_line_stays_whole() {
        assert_eq!(wrapped("incomprehensible", 10.0, 5.0), ["incomprehensible"]);
    }
}
