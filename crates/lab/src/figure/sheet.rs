//! Small panels in rows with one legend above. Knows where a panel stands on the sheet; what is in
//! it, `line` draws.

use super::canvas::{Canvas, text_width};
use super::line::{draw_entry, has_bands};
use super::panel::{self, LABEL_SIZE, Panel};
use super::{Curve, FigureError, SheetFigure};

/// Width and height of a panel.
const PANEL: (f64, f64) = (200.0, 190.0);

/// Where the legend stands, and how far its entries are apart.
const LEGEND: (f64, f64) = (20.0, 30.0);

/// Between the legend and the first row.
const HEAD: f64 = 40.0;

/// Under a panel, for its ticks and its name.
const FOOT: f64 = 64.0;

impl SheetFigure {
    /// The sheet as SVG.
    ///
    /// # Errors
    /// If there is no panel, or one without any point that can be drawn.
    pub fn svg(&self) -> Result<String, FigureError> {
        let axes: Vec<_> =
            self.panels.iter().map(super::LineFigure::axes).collect::<Result<_, _>>()?;
        if axes.is_empty() {
            return Err(FigureError::NothingToDraw);
        }
        let margin = 24.0 + axes.iter().map(|(_, y)| panel::tick_room(y)).fold(0.0, f64::max);
        let names = self.panels.iter().map(|panel| text_width(&panel.x_label, LABEL_SIZE));
        let widest = names.fold(PANEL.0, f64::max);
        let step = (margin + PANEL.0).max(widest + 14.0);
        let columns = self.columns.clamp(1, axes.len());
        let mut canvas = Canvas::default();
        let mut right = margin;
        for curve in self.legend() {
            let banded = self.panels.iter().any(has_bands);
            right += draw_entry(&mut canvas, (right, LEGEND.0), curve, banded) + LEGEND.1;
        }
        for (number, (figure, (x, y))) in self.panels.iter().zip(axes).enumerate() {
            let (row, column) = (number / columns, number % columns);
            let left = margin + step * column as f64;
            let top = HEAD + (PANEL.1 + FOOT) * row as f64;
            let panel = Panel { left, top, width: PANEL.0, height: PANEL.1, x, y };
            figure.draw(&mut canvas, &panel);
        }
        let rows = self.panels.len().div_ceil(columns);
        let last = margin + step * (columns - 1) as f64 + f64::midpoint(PANEL.0, widest);
        let width = (last + 14.0).max(right);
        Ok(canvas.finish(width, HEAD + (PANEL.1 + FOOT) * rows as f64))
    }

    /// The first curve of each label.
    fn legend(&self) -> Vec<&Curve> {
        let mut found: Vec<&Curve> = Vec::new();
        for curve in self.panels.iter().flat_map(|panel| &panel.curves) {
            if !found.iter().any(|known| known.label == curve.label) {
                found.push(curve);
            }
        }
        found
    }
}
