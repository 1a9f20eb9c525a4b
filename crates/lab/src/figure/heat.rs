//! The heights of a surface as coloured cells with their values, stars on the best, reference
//! levels in columns of their own, and the key of the colours.

use super::canvas::{Canvas, INK, Place, Stroke, Text, text_width};
use super::grid::{Between, Grid};
use super::number::{number, padded, tick_label};
use super::panel::{LABEL_SIZE, TICK_SIZE};
use super::shade::{shade, text_on};
use super::style::star;

/// Font size of the values in the cells.
const VALUE_SIZE: f64 = 10.5;

/// Space between the cells of the surface and those of the reference levels.
const GAP: f64 = 12.0;

/// How the names above the reference levels are turned.
const NAME_TURN: f64 = -35.0;

/// Where the cells are drawn and how large they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heat<'a> {
    grid: &'a Grid<'a>,
    corner: Place,
    cell: (f64, f64),
}

impl<'a> Heat<'a> {
    /// Cells for this grid, from that upper left corner.
    pub fn new(grid: &'a Grid<'a>, corner: Place) -> Self {
        let columns = grid.columns() + grid.figure.lines.len();
        let width = (430.0 / columns as f64).clamp(16.0, 58.0);
        let height = (330.0 / grid.rows() as f64).clamp(14.0, 46.0);
        Self { grid, corner, cell: (width, height) }
    }

    /// How much room is needed above the cells for the names of the reference levels.
    pub fn headroom(grid: &Grid<'_>) -> f64 {
        let widths = grid.figure.lines.iter().map(|(name, _)| text_width(name, TICK_SIZE));
        let widest = widths.fold(0.0, f64::max);
        if widest > 0.0 { 14.0 + widest * NAME_TURN.to_radians().sin().abs() } else { 0.0 }
    }

    /// The lower right corner of all that is drawn.
    pub fn end(&self) -> Place {
        let ticks = self.grid.axis.ticks.iter();
        let widths = ticks.map(|&tick| text_width(&tick_label(tick), TICK_SIZE));
        let bar_end = self.right() + 70.0 + widths.fold(0.0, f64::max) + LABEL_SIZE;
        let names = self.grid.figure.lines.iter().enumerate().map(|(line, (name, _))| {
            let reach = text_width(name, TICK_SIZE) * NAME_TURN.to_radians().cos();
            self.line_left(line) + self.cell.0 / 2.0 + reach + 8.0
        });
        (names.fold(bar_end, f64::max), self.foot() + 48.0)
    }

    /// Draws everything.
    pub fn draw(&self, canvas: &mut Canvas) {
        self.draw_cells(canvas);
        self.draw_lines(canvas);
        self.draw_stars(canvas);
        self.draw_labels(canvas);
        self.draw_key(canvas);
    }

    fn left(&self, column: usize) -> f64 {
        self.corner.0 + self.cell.0 * column as f64
    }

    /// The upper edge of a row; the first row is the lowest.
    fn top(&self, row: usize) -> f64 {
        self.corner.1 + self.cell.1 * (self.grid.rows() - 1 - row) as f64
    }

    fn line_left(&self, line: usize) -> f64 {
        self.left(self.grid.columns() + line) + GAP
    }

    fn right(&self) -> f64 {
        let lines = self.grid.figure.lines.len();
        if lines == 0 { self.left(self.grid.columns()) } else { self.line_left(lines) }
    }

    fn foot(&self) -> f64 {
        self.corner.1 + self.cell.1 * self.grid.rows() as f64
    }

    fn draw_cells(&self, canvas: &mut Canvas) {
        let stars = self.grid.stars();
        for row in 0..self.grid.rows() {
            for column in 0..self.grid.columns() {
                let best = stars.contains(&((row, 0.0), (column, 0.0)));
                let corner = (self.left(column), self.top(row));
                self.draw_cell(canvas, corner, self.grid.value(row, column), best);
            }
        }
    }

    fn draw_lines(&self, canvas: &mut Canvas) {
        for (line, (name, _)) in self.grid.figure.lines.iter().enumerate() {
            let left = self.line_left(line);
            for row in 0..self.grid.rows() {
                self.draw_cell(canvas, (left, self.top(row)), self.grid.level(line, row), false);
            }
            let text = Text { turn: NAME_TURN, ..Text::plain(TICK_SIZE, "start") };
            canvas.text((left + self.cell.0 / 2.0, self.corner.1 - 7.0), name, &text);
        }
    }

    fn draw_cell(&self, canvas: &mut Canvas, corner: Place, value: Option<f64>, starred: bool) {
        let outline = rectangle(corner, self.cell);
        let border = Stroke::solid("#ffffff", 1.0);
        let Some(value) = value else {
            canvas.area(&outline, "#e4e4e4", 1.0, Some(&border));
            return;
        };
        let height = self.grid.axis.fraction(value);
        canvas.area(&outline, &shade(height), 1.0, Some(&border));
        let words = padded(value, 3);
        let room = if starred { 27.0 } else { VALUE_SIZE + 2.0 };
        if text_width(&words, VALUE_SIZE) < self.cell.0 - 2.0 && self.cell.1 >= room {
            let down = if starred { 0.74 } else { 0.5 };
            let place = (corner.0 + self.cell.0 / 2.0, corner.1 + self.cell.1 * down);
            let text = Text { colour: text_on(height), ..Text::plain(VALUE_SIZE, "middle") };
            canvas.text((place.0, place.1 + VALUE_SIZE * 0.36), &words, &text);
        }
    }

    fn draw_stars(&self, canvas: &mut Canvas) {
        let rim = Stroke::solid(INK, 1.0);
        for (row, column) in self.grid.stars() {
            let centre = self.centre(row, column);
            let exact = row.1 == 0.0 && column.1 == 0.0;
            let raised = if exact && self.cell.1 >= 27.0 { 0.2 * self.cell.1 } else { 0.0 };
            let radius = (0.16 * self.cell.0.min(self.cell.1)).max(4.0);
            canvas.area(&star((centre.0, centre.1 - raised), radius), "#ffffff", 1.0, Some(&rim));
        }
    }

    fn centre(&self, row: Between, column: Between) -> Place {
        let right = self.left(column.0) + self.cell.0 * (0.5 + column.1);
        (right, self.top(row.0) + self.cell.1 * (0.5 - row.1))
    }

    fn draw_labels(&self, canvas: &mut Canvas) {
        let (figure, foot) = (self.grid.figure, self.foot());
        let names = |values: &[f64]| -> Vec<String> {
            values.iter().map(|&value| number(value, 4)).collect()
        };
        let columns = names(&figure.xs);
        let widest = columns.iter().map(|name| text_width(name, TICK_SIZE)).fold(0.0, f64::max);
        let fits = |count: &usize| *count as f64 * self.cell.0 > widest + 4.0;
        let every = (1..columns.len()).find(fits).unwrap_or(columns.len());
        for (column, name) in columns.iter().enumerate().step_by(every) {
            let place = (self.left(column) + self.cell.0 / 2.0, foot + 4.0 + TICK_SIZE);
            canvas.text(place, name, &Text::plain(TICK_SIZE, "middle"));
        }
        let mut reach: f64 = 0.0;
        for (row, name) in names(&figure.ys).iter().enumerate() {
            let down = self.top(row) + self.cell.1 / 2.0 + TICK_SIZE * 0.36;
            canvas.text((self.corner.0 - 7.0, down), name, &Text::plain(TICK_SIZE, "end"));
            reach = reach.max(text_width(name, TICK_SIZE));
        }
        let middle = f64::midpoint(self.corner.0, self.left(self.grid.columns()));
        let plain = Text::plain(LABEL_SIZE, "middle");
        canvas.text((middle, foot + 38.0), &figure.x_label, &plain);
        let beside = (self.corner.0 - reach - 18.0, f64::midpoint(self.corner.1, foot));
        canvas.text(beside, &figure.y_label, &Text { turn: -90.0, ..plain });
    }

    /// The key: which colour means which value.
    fn draw_key(&self, canvas: &mut Canvas) {
        let (left, width, steps) = (self.right() + 20.0, 14.0, 120_u32);
        let height = self.foot() - self.corner.1;
        let part = height / f64::from(steps);
        for step in 0..steps {
            let down = self.foot() - f64::from(step + 1) * part;
            let colour = shade((f64::from(step) + 0.5) / f64::from(steps));
            canvas.area(&rectangle((left, down), (width, part + 0.4)), &colour, 1.0, None);
        }
        let frame = Stroke::solid(INK, 0.9);
        canvas.area(&rectangle((left, self.corner.1), (width, height)), "none", 1.0, Some(&frame));
        let mut reach: f64 = 0.0;
        for &tick in &self.grid.axis.ticks {
            let (words, side) = (tick_label(tick), left + width);
            let down = self.foot() - height * self.grid.axis.fraction(tick);
            canvas.line(&[(side, down), (side + 4.0, down)], &frame);
            let text = Text::plain(TICK_SIZE, "start");
            canvas.text((side + 7.0, down + TICK_SIZE * 0.36), &words, &text);
            reach = reach.max(text_width(&words, TICK_SIZE));
        }
        let place =
            (left + width + reach + 18.0 + LABEL_SIZE, f64::midpoint(self.corner.1, self.foot()));
        let turned = Text { turn: -90.0, ..Text::plain(LABEL_SIZE, "middle") };
        canvas.text(place, &self.grid.figure.z_label, &turned);
    }
}

fn rectangle(corner: Place, size: (f64, f64)) -> [Place; 4] {
    let (right, foot) = (corner.0 + size.0, corner.1 + size.1);
    [corner, (right, corner.1), (right, foot), (corner.0, foot)]
}
