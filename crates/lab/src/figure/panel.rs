//! A rectangle with two axes: frame, grid, ticks, labels, and where a pair of values lies on the
//! sheet.

use super::axis::Axis;
use super::canvas::{Canvas, INK, Place, Stroke, Text, text_width, wrapped};
use super::number::tick_label;

/// Font size of ticks.
pub(super) const TICK_SIZE: f64 = 12.0;

/// Font size of the names of axes.
pub(super) const LABEL_SIZE: f64 = 13.5;

/// Font size of the title.
const TITLE_SIZE: f64 = 15.0;

/// Font size of the caption.
const CAPTION_SIZE: f64 = 11.0;

/// The rectangle and its axes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Panel {
    /// left edge
    pub left: f64,
    /// upper edge
    pub top: f64,
    /// width of the rectangle
    pub width: f64,
    /// height of the rectangle
    pub height: f64,
    /// axis to the right
    pub x: Axis,
    /// axis upwards
    pub y: Axis,
}

impl Panel {
    /// Where a pair of values lies; values beyond the axis upwards lie on its ends.
    pub fn place(&self, x: f64, y: f64) -> Place {
        let up = self.y.fraction(y).clamp(0.0, 1.0);
        (self.left + self.width * self.x.fraction(x), self.top + self.height * (1.0 - up))
    }

    /// Draws the grid, what lies behind the data.
    pub fn draw_grid(&self, canvas: &mut Canvas) {
        let (minor, major) = (Stroke::solid("#f1f1f1", 0.7), Stroke::solid("#dddddd", 0.8));
        for &tick in &self.y.minor {
            canvas.line(&self.across(tick), &minor);
        }
        for &tick in &self.y.ticks {
            canvas.line(&self.across(tick), &major);
        }
        for &tick in &self.x.ticks {
            let right = self.place(tick, 0.0).0;
            canvas.line(&[(right, self.top), (right, self.top + self.height)], &major);
        }
    }

    /// Draws frame, ticks and labels.
    pub fn draw_frame(&self, canvas: &mut Canvas, x_label: &str, y_label: &str) {
        let frame = Stroke::solid(INK, 1.1);
        let (right, foot) = (self.left + self.width, self.top + self.height);
        let corners = [(self.left, self.top), (right, self.top), (right, foot), (self.left, foot)];
        canvas.area(&corners, "none", 1.0, Some(&frame));
        for &tick in &self.y.minor {
            let (left, down) = self.across(tick)[0];
            canvas.line(&[(left - 3.0, down), (left, down)], &Stroke::solid(INK, 0.7));
        }
        for &tick in &self.y.ticks {
            let (left, down) = self.across(tick)[0];
            canvas.line(&[(left - 5.0, down), (left, down)], &frame);
            let text = Text::plain(TICK_SIZE, "end");
            canvas.text((left - 9.0, down + TICK_SIZE * 0.36), &tick_label(tick), &text);
        }
        let mut taken = f64::NEG_INFINITY;
        for &tick in &self.x.ticks {
            let along = self.place(tick, 0.0).0;
            canvas.line(&[(along, foot), (along, foot + 5.0)], &frame);
            let label = tick_label(tick);
            let half = text_width(&label, TICK_SIZE) / 2.0;
            if along - half > taken {
                taken = along + half + 4.0;
                let text = Text::plain(TICK_SIZE, "middle");
                canvas.text((along, foot + 8.0 + TICK_SIZE), &label, &text);
            }
        }
        let middle = self.left + self.width / 2.0;
        canvas.text((middle, foot + 42.0), x_label, &Text::plain(LABEL_SIZE, "middle"));
        if y_label.is_empty() {
            return;
        }
        let turned = Text { turn: -90.0, ..Text::plain(LABEL_SIZE, "middle") };
        canvas.text((LABEL_SIZE + 8.0, self.top + self.height / 2.0), y_label, &turned);
    }

    fn across(&self, tick: f64) -> [Place; 2] {
        let down = self.place(self.x.lower, tick).1;
        [(self.left, down), (self.left + self.width, down)]
    }
}

/// How much room the axis upwards needs at the left for its name and its labels.
pub(super) fn left_margin(axis: &Axis) -> f64 {
    2.0 * LABEL_SIZE + 22.0 + tick_room(axis)
}

/// How wide the widest label of an axis is.
pub(super) fn tick_room(axis: &Axis) -> f64 {
    let widths = axis.ticks.iter().map(|&tick| text_width(&tick_label(tick), TICK_SIZE));
    widths.fold(0.0, f64::max)
}

/// Draws the title around `middle` on a sheet of that width; gives back where the rest may start.
pub(super) fn draw_title(canvas: &mut Canvas, title: &str, middle: f64, width: f64) -> f64 {
    let room = 2.0 * middle.min(width - middle) - 32.0;
    // Bold letters are wider than those the widths are known of.
    let lines = wrapped(title, TITLE_SIZE, room / 1.15);
    if lines.is_empty() {
        return 18.0;
    }
    let text = Text { bold: true, ..Text::plain(TITLE_SIZE, "middle") };
    canvas.paragraph((middle, 26.0), &lines, &text) - 4.0
}

/// Draws the caption from `top` on; gives back where the sheet may end.
pub(super) fn draw_caption(canvas: &mut Canvas, caption: &str, top: f64, width: f64) -> f64 {
    let lines = wrapped(caption, CAPTION_SIZE, width - 32.0);
    let text = Text { colour: "#444444", ..Text::plain(CAPTION_SIZE, "start") };
    canvas.paragraph((16.0, top + CAPTION_SIZE), &lines, &text)
}
