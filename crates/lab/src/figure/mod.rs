//! Figures for papers: curves with their bands and surfaces with their best points, as SVG and
//! PNG. Knows plain numbers and labels; knows nothing of experiments or of files.
//!
//! Whatever is not finite, or not positive on a logarithmic axis, is left out; a figure with
//! nothing left is an error.

mod axis;
mod canvas;
mod grid;
mod heat;
mod line;
mod number;
mod panel;
mod raster;
mod relief;
mod shade;
mod sheet;
mod style;
mod surface;
mod view;

pub use raster::png;

/// A curve with its 90 % band.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// its name in the legend
    pub label: String,
    /// its points in the order they are joined
    pub points: Vec<CurvePoint>,
    /// which of the nine fixed styles: colour, dashes and marker, distinguishable in grey
    pub style: usize,
    /// whether it steps back behind the others
    pub is_grey: bool,
}

/// One point of a curve.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CurvePoint {
    /// where it lies, a task's number for instance
    pub x: f64,
    /// the value
    pub mean: f64,
    /// how far the 90 % band reaches to either side; not finite: unknown
    pub half_width: f64,
}

/// Curves over one axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineFigure {
    /// what the figure shows, above it
    pub title: String,
    /// name of the axis to the right
    pub x_label: String,
    /// name of the axis upwards
    pub y_label: String,
    /// whether the axis to the right is logarithmic, with ticks where the points are
    pub log_x: bool,
    /// whether the axis upwards is logarithmic
    pub log_y: bool,
    /// the curves; up to five have bands, more have error bars
    pub curves: Vec<Curve>,
    /// small text under the axes: count of experiments, settings
    pub caption: String,
}

/// Small panels in rows, read with one legend. Of each panel its curves, axes and the name under it
/// are drawn; a style stands for the same label in all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetFigure {
    /// the panels, row by row
    pub panels: Vec<LineFigure>,
    /// how many stand in a row
    pub columns: usize,
}

/// A value over two settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SurfaceFigure {
    /// what the figure shows, above it
    pub title: String,
    /// name of the first setting
    pub x_label: String,
    /// name of the second setting
    pub y_label: String,
    /// name of the value
    pub z_label: String,
    /// values of the first setting, rising
    pub xs: Vec<f64>,
    /// values of the second setting, rising
    pub ys: Vec<f64>,
    /// the value at `z[y][x]`
    pub z: Vec<Vec<f64>>,
    /// whether heights and colours are logarithmic
    pub log_z: bool,
    /// stars: the best `x` for each `y`, as `(x, y)`
    pub best: Vec<(f64, f64)>,
    /// named reference levels, one value for each `y`: methods that have no `x`
    pub lines: Vec<(String, Vec<f64>)>,
    /// small text under the axes: count of experiments, settings
    pub caption: String,
}

/// Why a figure cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FigureError {
    /// No point has a place on the axes.
    #[error("the figure has no point that could be drawn")]
    NothingToDraw,
    /// Two things that belong together differ in size.
    #[error("{what}: expected {expected}, got {got}")]
    Shape {
        /// which size
        what: &'static str,
        /// the size that would fit
        expected: usize,
        /// the size found
        got: usize,
    },
    /// The values of a grid are not finite and rising.
    #[error("the grid values {what} are not finite and rising")]
    NotRising {
        /// which values
        what: &'static str,
    },
    /// The text is not SVG.
    #[error("the SVG cannot be read: {reason}")]
    Unreadable {
        /// what the reader says
        reason: String,
    },
    /// The picture would be empty or too large.
    #[error("a picture of {width} x {height:.0} dots cannot be drawn")]
    Size {
        /// dots across
        width: u32,
        /// dots down
        height: f64,
    },
    /// The picture could not be turned into PNG.
    #[error("the PNG cannot be written: {reason}")]
    Unwritable {
        /// what the writer says
        reason: String,
    },
}

#[cfg(test)]
mod tests;
