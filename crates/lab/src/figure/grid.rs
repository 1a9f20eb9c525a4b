//! The heights of a surface on its grid, checked: sizes fit, and every height is either between 0
//! and 1 or absent. Knows the values; knows nothing of how they are drawn.

use super::axis::{Axis, usable};
use super::{FigureError, SurfaceFigure};

/// A checked surface.
#[derive(Debug)]
pub(super) struct Grid<'a> {
    /// what is drawn
    pub figure: &'a SurfaceFigure,
    /// the axis of heights
    pub axis: Axis,
}

/// A place between grid lines: a line's number and how far on towards the next, 0 to 1.
pub(super) type Between = (usize, f64);

impl<'a> Grid<'a> {
    /// Checks the sizes and finds the range of heights.
    pub fn new(figure: &'a SurfaceFigure) -> Result<Self, FigureError> {
        rising("xs", &figure.xs)?;
        rising("ys", &figure.ys)?;
        same_size("rows of z", figure.z.len(), figure.ys.len())?;
        for row in &figure.z {
            same_size("columns of z", row.len(), figure.xs.len())?;
        }
        for (_, levels) in &figure.lines {
            same_size("levels of a line", levels.len(), figure.ys.len())?;
        }
        let levels = figure.lines.iter().flat_map(|(_, levels)| levels);
        let values = figure.z.iter().flatten().chain(levels).copied();
        Ok(Self { figure, axis: Axis::measured(values, figure.log_z)? })
    }

    /// How many grid lines there are along x.
    pub fn columns(&self) -> usize {
        self.figure.xs.len()
    }

    /// How many grid lines there are along y.
    pub fn rows(&self) -> usize {
        self.figure.ys.len()
    }

    /// The value at a grid point.
    pub fn value(&self, row: usize, column: usize) -> Option<f64> {
        let value = self.figure.z.get(row)?.get(column).copied()?;
        usable(value, self.axis.log).then_some(value)
    }

    /// The level of a reference line at a row.
    pub fn level(&self, line: usize, row: usize) -> Option<f64> {
        let value = self.figure.lines.get(line)?.1.get(row).copied()?;
        usable(value, self.axis.log).then_some(value)
    }

    /// How high the surface is at a grid point, 0 to 1.
    pub fn height(&self, row: usize, column: usize) -> Option<f64> {
        self.value(row, column).map(|value| self.axis.fraction(value))
    }

    /// The best points that lie on the grid, as (row, column).
    pub fn stars(&self) -> Vec<(Between, Between)> {
        let found =
            self.figure.best.iter().filter_map(|&(x, y)| {
                Some((locate(&self.figure.ys, y)?, locate(&self.figure.xs, x)?))
            });
        found.collect()
    }

    /// How high the surface is between grid points.
    pub fn height_between(&self, row: Between, column: Between) -> Option<f64> {
        let along = |row: usize| {
            mixed(column.1, || self.height(row, column.0), || self.height(row, column.0 + 1))
        };
        mixed(row.1, || along(row.0), || along(row.0 + 1))
    }
}

fn mixed(part: f64, here: impl Fn() -> Option<f64>, next: impl Fn() -> Option<f64>) -> Option<f64> {
    if part == 0.0 { here() } else { Some((1.0 - part) * here()? + part * next()?) }
}

fn locate(values: &[f64], value: f64) -> Option<Between> {
    let before = values.partition_point(|&other| other <= value).checked_sub(1)?;
    let here = *values.get(before)?;
    if here == value {
        return Some((before, 0.0));
    }
    let next = *values.get(before + 1)?;
    Some((before, (value - here) / (next - here)))
}

fn rising(what: &'static str, values: &[f64]) -> Result<(), FigureError> {
    if values.is_empty() {
        return Err(FigureError::NothingToDraw);
    }
    let finite = values.iter().all(|&value| usable(value, false));
    if finite && values.is_sorted_by(|one, next| one < next) {
        return Ok(());
    }
    Err(FigureError::NotRising { what })
}

fn same_size(what: &'static str, got: usize, expected: usize) -> Result<(), FigureError> {
    if got == expected { Ok(()) } else { Err(FigureError::Shape { what, expected, got }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_lies_on_its_grid_line_or_between_two() {
        let values = [0.0, 1.0, 3.0];
        assert_eq!(locate(&values, 1.0), Some((1, 0.0)));
        assert_eq!(locate(&values, 2.0), Some((1, 0.5)));
        assert_eq!(locate(&values, 3.0), Some((2, 0.0)));
        assert_eq!(locate(&values, 3.5), None);
        assert_eq!(locate(&values, f64::NAN), None);
    }

    #[test]
    fn heights_between_grid_points_are_mixed() {
        let figure = SurfaceFigure {
            xs: vec![0.0, 1.0],
            ys: vec![0.0, 1.0],
            z: vec![vec![0.0, 1.0], vec![1.0, f64::NAN]],
            ..SurfaceFigure::default()
        };
        let grid = Grid::new(&figure).unwrap();
        assert_eq!(grid.height_between((0, 0.0), (0, 0.5)), Some(0.5));
        assert_eq!(grid.height_between((0, 0.5), (0, 0.5)), None);
    }
}
