//! A surface twice on one sheet: in space, to see its shape, and as a map of cells, to read off
//! its values and where it is best.

use super::canvas::{Canvas, INK, Place, Stroke, Text, text_width};
use super::grid::Grid;
use super::heat::Heat;
use super::panel::{self, TICK_SIZE};
use super::relief::Relief;
use super::style::{Style, star};
use super::{FigureError, SurfaceFigure};

/// Room for the surface in space, with its labels around it.
const RELIEF: (f64, f64) = (400.0, 340.0);

/// Room at the left of the surface for its upright axis.
const LEFT: f64 = 76.0;

impl SurfaceFigure {
    /// The figure as SVG. Grid points without a place on the axis are left grey, stars outside the
    /// grid are left out.
    ///
    /// # Errors
    /// If sizes do not fit, grid values do not rise or no point at all can be drawn.
    pub fn svg(&self) -> Result<String, FigureError> {
        let grid = Grid::new(self)?;
        let mut canvas = Canvas::default();
        let in_space = Relief::new(&grid, (0.0, 0.0), RELIEF).is_some();
        let map_left = if in_space { LEFT + RELIEF.0 + 110.0 } else { LEFT };
        let (width, _) = Heat::new(&grid, (map_left, 0.0)).end();
        let top = panel::draw_title(&mut canvas, &self.title, width / 2.0, width);
        let map = Heat::new(&grid, (map_left, top + Heat::headroom(&grid)));
        map.draw(&mut canvas);
        let mut foot = map.end().1;
        if let Some(relief) = Relief::new(&grid, (LEFT, top), RELIEF) {
            relief.draw(&mut canvas);
            foot = foot.max(top + RELIEF.1 + 40.0);
        }
        let foot = self.draw_legend(&mut canvas, width, foot + 8.0);
        let height = panel::draw_caption(&mut canvas, &self.caption, foot, width).max(foot);
        Ok(canvas.finish(width, height))
    }

    /// Says what stars and lines mean; gives back where the rest may start.
    fn draw_legend(&self, canvas: &mut Canvas, width: f64, top: f64) -> f64 {
        let star = format!("best {} for each {}", self.x_label, self.y_label);
        let stars = (!self.best.is_empty()).then_some((None, star.as_str()));
        let lines = self.lines.iter().enumerate();
        let lines = lines.map(|(line, (name, _))| (Some(Style::numbered(line)), name.as_str()));
        let mut down = top;
        for row in rows(stars.into_iter().chain(lines), width - 40.0) {
            let mut left =
                (width - row.iter().map(|(_, name)| entry_width(name)).sum::<f64>()) / 2.0;
            for (style, name) in row {
                draw_entry(canvas, (left, down + 8.0), style, name);
                left += entry_width(name);
            }
            down += 22.0;
        }
        down + 8.0
    }
}

/// One entry of the legend; without a style, the star.
type Entry<'a> = (Option<Style>, &'a str);

fn entry_width(name: &str) -> f64 {
    68.0 + text_width(name, TICK_SIZE)
}

/// Entries in rows no wider than `width`.
fn rows<'a>(entries: impl Iterator<Item = Entry<'a>>, width: f64) -> Vec<Vec<Entry<'a>>> {
    let (mut rows, mut used): (Vec<Vec<Entry<'a>>>, f64) = (Vec::new(), 0.0);
    for entry in entries {
        used += entry_width(entry.1);
        match rows.last_mut() {
            Some(row) if used <= width => row.push(entry),
            _ => {
                used = entry_width(entry.1);
                rows.push(vec![entry]);
            }
        }
    }
    rows
}

fn draw_entry(canvas: &mut Canvas, place: Place, style: Option<Style>, name: &str) {
    let (left, down) = place;
    if let Some(style) = style {
        canvas.line(&[place, (left + 34.0, down)], &style.stroke());
        style.mark(canvas, (left + 17.0, down), 3.4);
    } else {
        let rim = Stroke::solid(INK, 1.0);
        canvas.area(&star((left + 26.0, down), 5.5), "#ffffff", 1.0, Some(&rim));
    }
    canvas.text((left + 40.0, down + TICK_SIZE * 0.36), name, &Text::plain(TICK_SIZE, "start"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_legend_goes_on_in_the_next_row() {
        let entry = (None, "a method");
        let two = 2.0 * entry_width(entry.1);
        let lengths: Vec<usize> = rows([entry; 5].into_iter(), two).iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 2, 1]);
    }
}
