//! Curves with their 90 % bands in one panel, legend at the right. Knows how curves stay apart on
//! paper; knows nothing of where they come from.

use super::FigureError;
use super::axis::{Axis, usable};
use super::canvas::{Canvas, Place, Stroke, Text, text_width};
use super::panel::{self, Panel};
use super::style::Style;
use super::{Curve, CurvePoint, LineFigure};

/// Above this number of curves, bands give way to error bars.
const MOST_BANDS: usize = 5;

/// At most so many markers on one curve.
const MOST_MARKERS: usize = 24;

/// Width and height of the panel.
const PANEL: (f64, f64) = (520.0, 340.0);

/// Font size of the legend, and the height of one entry.
const LEGEND: (f64, f64) = (12.0, 23.0);

impl LineFigure {
    /// The figure as SVG. Points without a place on the axes are left out, and the curve has a gap
    /// there.
    ///
    /// # Errors
    /// If no point at all can be drawn.
    pub fn svg(&self) -> Result<String, FigureError> {
        let mut canvas = Canvas::default();
        let (x, y) = self.axes()?;
        let left = panel::left_margin(&y);
        let legend_width = self.legend_width();
        let width = left + PANEL.0 + legend_width + 20.0;
        let top = panel::draw_title(&mut canvas, &self.title, left + PANEL.0 / 2.0, width);
        let panel = Panel { left, top, width: PANEL.0, height: PANEL.1, x, y };
        self.draw(&mut canvas, &panel);
        self.draw_legend(&mut canvas, (left + PANEL.0 + 18.0, top));
        let foot = top + PANEL.1 + 54.0;
        let height = panel::draw_caption(&mut canvas, &self.caption, foot, width).max(foot);
        Ok(canvas.finish(width, height))
    }

    /// The axes that cover all points.
    pub(super) fn axes(&self) -> Result<(Axis, Axis), FigureError> {
        Ok((self.x_axis()?, self.y_axis()?))
    }

    /// Draws the curves with their axes.
    pub(super) fn draw(&self, canvas: &mut Canvas, panel: &Panel) {
        panel.draw_grid(canvas);
        self.draw_curves(canvas, panel);
        panel.draw_frame(canvas, &self.x_label, &self.y_label);
    }

    fn points(&self) -> impl Iterator<Item = &CurvePoint> {
        let points = self.curves.iter().flat_map(|curve| &curve.points);
        points.filter(|point| self.drawable(point))
    }

    fn drawable(&self, point: &CurvePoint) -> bool {
        usable(point.x, self.log_x) && usable(point.mean, self.log_y)
    }

    fn x_axis(&self) -> Result<Axis, FigureError> {
        Axis::chosen(&self.points().map(|point| point.x).collect::<Vec<_>>(), self.log_x)
    }

    /// Covers means and bands; on a logarithmic axis, a band that reaches zero is cut off.
    fn y_axis(&self) -> Result<Axis, FigureError> {
        let least = self.points().map(|point| point.mean).fold(f64::INFINITY, f64::min);
        let floor = if self.log_y { least / 3.0 } else { f64::NEG_INFINITY };
        let ends = self.points().flat_map(|point| {
            let (lower, upper) = interval(point).unwrap_or((point.mean, point.mean));
            [point.mean, lower.max(floor), upper]
        });
        Axis::measured(ends, self.log_y)
    }

    fn banded(&self) -> bool {
        self.curves.len() <= MOST_BANDS
    }

    fn draw_curves(&self, canvas: &mut Canvas, panel: &Panel) {
        if self.banded() {
            for curve in &self.curves {
                self.draw_band(canvas, panel, curve);
            }
        }
        for (index, curve) in self.curves.iter().enumerate() {
            self.draw_line(canvas, panel, curve, self.shift(index));
        }
        for (index, curve) in self.curves.iter().enumerate() {
            self.draw_markers(canvas, panel, curve, self.shift(index));
        }
    }

    /// How far a curve is moved aside so that error bars do not hide one another.
    fn shift(&self, index: usize) -> f64 {
        if self.banded() {
            return 0.0;
        }
        let step = 14.0 / self.curves.len() as f64;
        (index as f64 - (self.curves.len() - 1) as f64 / 2.0) * step
    }

    fn draw_band(&self, canvas: &mut Canvas, panel: &Panel, curve: &Curve) {
        let style = Style::of(curve);
        for run in self.runs(curve, |point| interval(point).is_some()) {
            let ends: Vec<(f64, (f64, f64))> =
                run.iter().filter_map(|point| Some((point.x, interval(point)?))).collect();
            let upper = ends.iter().map(|&(x, (_, upper))| panel.place(x, upper));
            let lower = ends.iter().rev().map(|&(x, (lower, _))| panel.place(x, lower));
            let outline: Vec<Place> = upper.chain(lower).collect();
            if ends.len() == 1 {
                canvas.line(&outline, &Stroke::solid(style.colour, 0.9));
            }
            canvas.area(&outline, style.colour, 0.15, None);
        }
    }

    fn draw_line(&self, canvas: &mut Canvas, panel: &Panel, curve: &Curve, shift: f64) {
        let stroke = Style::of(curve).stroke();
        for run in self.runs(curve, |_| true) {
            let places: Vec<Place> = run.iter().map(|point| spot(panel, point, shift)).collect();
            canvas.line(&places, &stroke);
        }
    }

    fn draw_markers(&self, canvas: &mut Canvas, panel: &Panel, curve: &Curve, shift: f64) {
        let style = Style::of(curve);
        let every = curve.points.len().div_ceil(MOST_MARKERS).max(1);
        for point in curve.points.iter().step_by(every).filter(|point| self.drawable(point)) {
            let centre = spot(panel, point, shift);
            if let (false, Some((lower, upper))) = (self.banded(), interval(point)) {
                let ends = [lower, upper].map(|end| (centre.0, panel.place(point.x, end).1));
                canvas.line(&ends, &Stroke::solid(style.colour, 0.9));
            }
            style.mark(canvas, centre, 3.9);
        }
    }

    /// The stretches of a curve without a gap.
    fn runs<'a>(
        &self,
        curve: &'a Curve,
        fits: impl Fn(&CurvePoint) -> bool,
    ) -> Vec<&'a [CurvePoint]> {
        let gap = |point: &CurvePoint| !(self.drawable(point) && fits(point));
        curve.points.split(gap).filter(|run| !run.is_empty()).collect()
    }

    fn legend_width(&self) -> f64 {
        let widths = self.curves.iter().map(|curve| text_width(&curve.label, LEGEND.0));
        58.0 + widths.fold(text_width(self.spread(), LEGEND.0 - 1.0) - 42.0, f64::max)
    }

    fn spread(&self) -> &'static str {
        if self.banded() { "shaded: 90 % band" } else { "bars: 90 % interval" }
    }

    fn draw_legend(&self, canvas: &mut Canvas, corner: Place) {
        let (left, mut down) = (corner.0, corner.1 + 12.0);
        for curve in &self.curves {
            draw_entry(canvas, (left, down), curve, self.banded());
            down += LEGEND.1;
        }
        if has_bands(self) {
            let text = Text { colour: "#555555", ..Text::plain(LEGEND.0 - 1.0, "start") };
            canvas.text((left, down + 4.0), self.spread(), &text);
        }
    }
}

/// Whether the band of any point is known.
pub(super) fn has_bands(figure: &LineFigure) -> bool {
    figure.points().any(|point| interval(point).is_some())
}

/// Draws a piece of a curve and its name; gives back how wide that is.
pub(super) fn draw_entry(canvas: &mut Canvas, place: Place, curve: &Curve, banded: bool) -> f64 {
    let (left, down) = place;
    let style = Style::of(curve);
    let ends = [(left, down), (left + 36.0, down)];
    if banded {
        let (upper, lower) = (down - 6.0, down + 6.0);
        let swatch = [(left, upper), (ends[1].0, upper), (ends[1].0, lower), (left, lower)];
        canvas.area(&swatch, style.colour, 0.15, None);
    }
    canvas.line(&ends, &style.stroke());
    style.mark(canvas, (left + 18.0, down), 3.9);
    let text = Text::plain(LEGEND.0, "start");
    canvas.text((left + 43.0, down + LEGEND.0 * 0.36), &curve.label, &text);
    43.0 + text_width(&curve.label, LEGEND.0)
}

fn spot(panel: &Panel, point: &CurvePoint, shift: f64) -> Place {
    let (right, down) = panel.place(point.x, point.mean);
    (right + shift, down)
}

/// The ends of the band at a point, if its width is known.
fn interval(point: &CurvePoint) -> Option<(f64, f64)> {
    let known = usable(point.half_width, false) && point.half_width >= 0.0;
    known.then_some((point.mean - point.half_width, point.mean + point.half_width))
}
