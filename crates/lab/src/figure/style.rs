//! The fixed list of styles: colour, dashes and marker, so that no two curves look alike even in
//! grey. Knows nothing of which curve means what.

use super::Curve;
use super::canvas::{Canvas, Place, Stroke};
use std::f64::consts::{PI, TAU};

/// Thickness of curves.
const THICKNESS: f64 = 1.8;

/// The shape of a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
    TriangleDown,
    Cross,
    Pentagon,
    Star,
    Plus,
}

/// The look of one curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    /// colour of line, marker and band
    pub colour: &'static str,
    dash: &'static str,
    shape: Shape,
    hollow: bool,
}

const fn style(colour: &'static str, dash: &'static str, shape: Shape, hollow: bool) -> Style {
    Style { colour, dash, shape, hollow }
}

/// Colours that people with the common kinds of colour blindness can tell apart.
const STYLES: [Style; 10] = [
    style("#0072b2", "", Shape::Circle, false),
    style("#d55e00", "7 3", Shape::Square, false),
    style("#009e73", "2.5 2.5", Shape::Triangle, false),
    style("#a8437f", "9 3 2 3", Shape::Diamond, true),
    style("#000000", "", Shape::TriangleDown, true),
    style("#e69f00", "12 3", Shape::Cross, false),
    style("#56b4e9", "4 2", Shape::Pentagon, true),
    style("#7a4a1e", "9 2 2 2 2 2", Shape::Star, false),
    style("#777777", "1.5 2", Shape::Plus, false),
    style("#b2182b", "", Shape::Diamond, false),
];

/// Of what is there to be compared with only.
const GREY: &str = "#a9a9a9";

impl Style {
    /// The style of that number; the list starts again after its end.
    pub fn numbered(index: usize) -> Self {
        STYLES[index % STYLES.len()]
    }

    /// The style of a curve.
    pub fn of(curve: &Curve) -> Self {
        let style = Self::numbered(curve.style);
        if curve.is_grey { Self { colour: GREY, ..style } } else { style }
    }

    /// The line of this style.
    pub fn stroke(&self) -> Stroke<'static> {
        Stroke { colour: self.colour, width: THICKNESS, dash: self.dash }
    }

    /// Draws the marker of this style.
    pub fn mark(&self, canvas: &mut Canvas, centre: Place, radius: f64) {
        let rim = Stroke::solid(self.colour, 1.5);
        let halo = Stroke::solid("#ffffff", 3.2);
        let fill = if self.hollow { "#ffffff" } else { self.colour };
        if self.shape == Shape::Circle {
            return canvas.disc(centre, radius * 0.92, fill, &rim);
        }
        if matches!(self.shape, Shape::Cross | Shape::Plus) {
            for arm in arms(self.shape, centre, radius) {
                canvas.line(&arm, &halo);
            }
            for arm in arms(self.shape, centre, radius) {
                canvas.line(&arm, &Stroke { width: 2.0, ..rim });
            }
            return;
        }
        canvas.area(&corners(self.shape, centre, radius), fill, 1.0, Some(&rim));
    }
}

/// A five-pointed star around a place.
pub(super) fn star(centre: Place, radius: f64) -> Vec<Place> {
    corners(Shape::Star, centre, radius)
}

fn arms(shape: Shape, centre: Place, radius: f64) -> [[Place; 2]; 2] {
    let reach = if shape == Shape::Cross { radius * 0.85 } else { radius * 1.15 };
    let (first, second) = if shape == Shape::Cross {
        ((reach, reach), (reach, -reach))
    } else {
        ((reach, 0.0), (0.0, reach))
    };
    [first, second].map(|(right, down)| {
        [(centre.0 - right, centre.1 - down), (centre.0 + right, centre.1 + down)]
    })
}

fn corners(shape: Shape, centre: Place, radius: f64) -> Vec<Place> {
    let (count, start, size) = match shape {
        Shape::Square => (4, PI / 4.0, 1.2),
        Shape::TriangleDown => (3, PI, 1.25),
        Shape::Diamond => (4, 0.0, 1.25),
        Shape::Pentagon => (5, 0.0, 1.15),
        Shape::Star => (10, 0.0, 1.4),
        Shape::Triangle | Shape::Circle | Shape::Cross | Shape::Plus => (3, 0.0, 1.25),
    };
    let corner = |index: u32| {
        let inner = if shape == Shape::Star && index % 2 == 1 { 0.42 } else { 1.0 };
        let angle = start + TAU * f64::from(index) / f64::from(count);
        let reach = radius * size * inner;
        (centre.0 + reach * angle.sin(), centre.1 - reach * angle.cos())
    };
    (0..count).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_styles_share_marker_and_dash_so_they_differ_in_grey() {
        for (index, one) in STYLES.iter().enumerate() {
            for other in &STYLES[..index] {
                assert_ne!((one.dash, one.shape), (other.dash, other.shape));
                assert_ne!(one.colour, other.colour);
            }
        }
    }

    #[test]
    fn styles_start_again_after_the_last() {
        assert_eq!(Style::numbered(STYLES.len()), Style::numbered(0));
        assert_eq!(Style::numbered(usize::MAX), Style::numbered(usize::MAX % STYLES.len()));
    }
}
