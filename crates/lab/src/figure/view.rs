//! How a box in space is seen on the sheet: turned about the upright axis, from above, without
//! perspective. Knows nothing of what stands in the box.

use super::canvas::Place;

/// A place in the box: along x (0 to 1), along y (0 to 1), upwards (0 to 1).
pub(super) type Spot = (f64, f64, f64);

/// How high the box is, as a share of its width.
const HEIGHT: f64 = 0.66;

/// From how far above one looks, in degrees.
const ELEVATION: f64 = 32.0;

/// A view of the box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct View {
    sine: f64,
    cosine: f64,
    scale: f64,
    origin: Place,
}

impl View {
    /// The box turned by an angle in degrees.
    pub fn new(angle: f64) -> Self {
        let (sine, cosine) = angle.to_radians().sin_cos();
        Self { sine, cosine, scale: 1.0, origin: (0.0, 0.0) }
    }

    /// The same view, as large as fits the rectangle.
    pub fn fitted(mut self, corner: Place, size: (f64, f64)) -> Self {
        let (mut least, mut greatest) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
        for x in [0.0, 1.0] {
            for y in [0.0, 1.0] {
                for up in [0.0, 1.0] {
                    let place = self.place((x, y, up));
                    least = (least.0.min(place.0), least.1.min(place.1));
                    greatest = (greatest.0.max(place.0), greatest.1.max(place.1));
                }
            }
        }
        let extent = (greatest.0 - least.0, greatest.1 - least.1);
        self.scale = (size.0 / extent.0).min(size.1 / extent.1);
        let spare = (size.0 - self.scale * extent.0, size.1 - self.scale * extent.1);
        self.origin = (
            corner.0 + spare.0 / 2.0 - self.scale * least.0,
            corner.1 + spare.1 / 2.0 - self.scale * least.1,
        );
        self
    }

    /// Where a place in the box lies on the sheet.
    pub fn place(&self, spot: Spot) -> Place {
        let (x, y) = (spot.0 - 0.5, spot.1 - 0.5);
        let (sine, cosine) = ELEVATION.to_radians().sin_cos();
        let right = x * self.cosine - y * self.sine;
        let up = HEIGHT * spot.2 * cosine + self.depth(spot.0, spot.1) * sine;
        (self.origin.0 + self.scale * right, self.origin.1 - self.scale * up)
    }

    /// How far behind the middle of the floor a place on it lies.
    pub fn depth(&self, x: f64, y: f64) -> f64 {
        (x - 0.5) * self.sine + (y - 0.5) * self.cosine
    }

    /// The near and the far end along x.
    pub fn ends_x(&self) -> (f64, f64) {
        if self.sine > 0.0 { (0.0, 1.0) } else { (1.0, 0.0) }
    }

    /// The near and the far end along y.
    pub fn ends_y(&self) -> (f64, f64) {
        if self.cosine > 0.0 { (0.0, 1.0) } else { (1.0, 0.0) }
    }

    /// The upright edge at the left, as (x, y).
    pub fn left_edge(&self) -> (f64, f64) {
        let ((near_x, far_x), (near_y, far_y)) = (self.ends_x(), self.ends_y());
        let (one, other) = ((near_x, far_y), (far_x, near_y));
        let right = |(x, y): (f64, f64)| self.place((x, y, 0.0)).0;
        if right(one) < right(other) { one } else { other }
    }

    /// The direction on the sheet, of length one, of a direction on the floor.
    pub fn direction(&self, (x, y): (f64, f64)) -> Place {
        let (from, to) = (self.place((0.0, 0.0, 0.0)), self.place((x, y, 0.0)));
        let (right, down) = (to.0 - from.0, to.1 - from.1);
        let length = right.hypot(down);
        if length > 0.0 { (right / length, down / length) } else { (0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitted_box_stays_within_its_rectangle() {
        for angle in [-35.0, 55.0, 145.0, 235.0] {
            let view = View::new(angle).fitted((10.0, 20.0), (300.0, 200.0));
            for spot in [(0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0), (1.0, 1.0, 0.0)] {
                let (right, down) = view.place(spot);
                assert!((9.9..=310.1).contains(&right), "{angle} {right}");
                assert!((19.9..=220.1).contains(&down), "{angle} {down}");
            }
        }
    }

    #[test]
    fn far_ends_lie_behind_near_ends() {
        for angle in [-35.0, 55.0, 145.0, 235.0] {
            let view = View::new(angle);
            let ((near_x, far_x), (near_y, far_y)) = (view.ends_x(), view.ends_y());
            assert!(view.depth(far_x, 0.5) > view.depth(near_x, 0.5), "{angle}");
            assert!(view.depth(0.5, far_y) > view.depth(0.5, near_y), "{angle}");
        }
    }
}
