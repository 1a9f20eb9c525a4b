//! A surface in perspective: floor, back walls, coloured cells from back to front, stars on the
//! best points, and reference levels on a wall.
//!
//! Grid lines are equally far apart whatever their values; the labels tell the values.

use super::canvas::{Canvas, INK, Place, Stroke, Text, text_width};
use super::grid::{Between, Grid};
use super::number::{number, tick_label};
use super::panel::{LABEL_SIZE, TICK_SIZE};
use super::shade::{shade, text_on};
use super::style::{Style, star};
use super::view::{Spot, View};

/// Each cell of the grid is drawn as this many smaller ones along each side.
const PARTS: u32 = 4;

/// A surface seen from one side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relief<'a> {
    grid: &'a Grid<'a>,
    view: View,
}

impl<'a> Relief<'a> {
    /// The surface within a rectangle of the sheet; nothing if it has no extent.
    pub fn new(grid: &'a Grid<'a>, corner: Place, size: (f64, f64)) -> Option<Self> {
        if grid.columns() < 2 || grid.rows() < 2 {
            return None;
        }
        let views = [-35.0, 55.0, 145.0, 235.0].into_iter().map(View::new);
        let best = views
            .max_by(|one, other| hidden_least(grid, one).total_cmp(&hidden_least(grid, other)))?;
        Some(Self { grid, view: best.fitted(corner, size) })
    }

    /// Draws everything.
    pub fn draw(&self, canvas: &mut Canvas) {
        self.draw_box(canvas);
        self.draw_levels(canvas);
        self.draw_surface(canvas);
        self.draw_stars(canvas);
        self.draw_ticks(canvas);
    }

    fn along_x(&self, column: usize) -> f64 {
        column as f64 / (self.grid.columns() - 1) as f64
    }

    fn along_y(&self, row: usize) -> f64 {
        row as f64 / (self.grid.rows() - 1) as f64
    }

    fn draw_box(&self, canvas: &mut Canvas) {
        let view = &self.view;
        let ((near_x, far_x), (near_y, far_y)) = (view.ends_x(), view.ends_y());
        let faces = [
            [
                (near_x, near_y, 0.0),
                (far_x, near_y, 0.0),
                (far_x, far_y, 0.0),
                (near_x, far_y, 0.0),
            ],
            [(far_x, near_y, 0.0), (far_x, far_y, 0.0), (far_x, far_y, 1.0), (far_x, near_y, 1.0)],
            [(near_x, far_y, 0.0), (far_x, far_y, 0.0), (far_x, far_y, 1.0), (near_x, far_y, 1.0)],
        ];
        let edge = Stroke::solid("#b5b5b5", 0.8);
        for (face, fill) in faces.iter().zip(["#f2f2f2", "#f9f9f9", "#fcfcfc"]) {
            canvas.area(&face.map(|spot| view.place(spot)), fill, 1.0, Some(&edge));
        }
        let thin = Stroke::solid("#d6d6d6", 0.7);
        for &tick in &self.grid.axis.ticks {
            let up = self.grid.axis.fraction(tick);
            let round = [(near_x, far_y, up), (far_x, far_y, up), (far_x, near_y, up)];
            canvas.line(&round.map(|spot| view.place(spot)), &thin);
        }
        for column in shown(self.grid.columns()) {
            let x = self.along_x(column);
            canvas.line(&[(x, near_y, 0.0), (x, far_y, 0.0)].map(|spot| view.place(spot)), &thin);
        }
        for row in shown(self.grid.rows()) {
            let y = self.along_y(row);
            canvas.line(&[(near_x, y, 0.0), (far_x, y, 0.0)].map(|spot| view.place(spot)), &thin);
        }
    }

    fn draw_surface(&self, canvas: &mut Canvas) {
        let mut cells: Vec<(usize, usize)> = (0..self.grid.rows() - 1)
            .flat_map(|row| (0..self.grid.columns() - 1).map(move |column| (row, column)))
            .collect();
        let depth = |&(row, column): &(usize, usize)| {
            self.view.depth(self.along_x(column), self.along_y(row))
        };
        cells.sort_by(|one, other| depth(other).total_cmp(&depth(one)));
        for (row, column) in cells {
            self.draw_cell(canvas, row, column);
        }
    }

    /// One cell between four grid points; nothing if one of them is absent.
    fn draw_cell(&self, canvas: &mut Canvas, row: usize, column: usize) {
        let corner = |down: f64, right: f64| self.on_surface((row, down), (column, right));
        let Some(outline) = around(corner, (0.0, 1.0), (0.0, 1.0)) else { return };
        let part = |index: u32| f64::from(index) / f64::from(PARTS);
        let order = |back: bool, index: u32| if back { PARTS - 1 - index } else { index };
        let (back_y, back_x) = (self.view.ends_y().1 > 0.5, self.view.ends_x().1 > 0.5);
        for down in (0..PARTS).map(|index| order(back_y, index)) {
            for right in (0..PARTS).map(|index| order(back_x, index)) {
                let (rows, columns) =
                    ((part(down), part(down + 1)), (part(right), part(right + 1)));
                let Some(places) = around(corner, rows, columns) else { continue };
                let middle = (f64::midpoint(rows.0, rows.1), f64::midpoint(columns.0, columns.1));
                let height = self.grid.height_between((row, middle.0), (column, middle.1));
                let colour = shade(height.unwrap_or(0.0));
                let seam = Stroke::solid(&colour, 0.6);
                canvas.area(&places.map(|spot| self.view.place(spot)), &colour, 1.0, Some(&seam));
            }
        }
        let height = self.grid.height_between((row, 0.5), (column, 0.5));
        let border = Stroke::solid(text_on(height.unwrap_or(0.0)), 0.6);
        canvas.area(&outline.map(|spot| self.view.place(spot)), "none", 1.0, Some(&border));
    }

    fn on_surface(&self, row: Between, column: Between) -> Option<Spot> {
        let height = self.grid.height_between(row, column)?;
        let x = (column.0 as f64 + column.1) / (self.grid.columns() - 1) as f64;
        let y = (row.0 as f64 + row.1) / (self.grid.rows() - 1) as f64;
        Some((x, y, height))
    }

    /// Reference levels on the wall at the far end of x.
    fn draw_levels(&self, canvas: &mut Canvas) {
        for line in 0..self.grid.figure.lines.len() {
            let style = Style::numbered(line);
            let places: Vec<Place> = (0..self.grid.rows())
                .filter_map(|row| {
                    let up = self.grid.axis.fraction(self.grid.level(line, row)?);
                    Some(self.view.place((self.view.ends_x().1, self.along_y(row), up)))
                })
                .collect();
            canvas.line(&places, &style.stroke());
            for &place in &places {
                style.mark(canvas, place, 3.0);
            }
        }
    }

    fn draw_stars(&self, canvas: &mut Canvas) {
        let rim = Stroke::solid(INK, 1.0);
        for (row, column) in self.grid.stars() {
            if let Some(spot) = self.on_surface(row, column) {
                canvas.area(&star(self.view.place(spot), 5.5), "#ffffff", 1.0, Some(&rim));
            }
        }
    }

    fn draw_ticks(&self, canvas: &mut Canvas) {
        let (figure, view) = (self.grid.figure, &self.view);
        let ((near_x, _), (near_y, _)) = (view.ends_x(), view.ends_y());
        let columns = shown(self.grid.columns()).into_iter().filter_map(|column| {
            Some(((self.along_x(column), near_y, 0.0), number(*figure.xs.get(column)?, 4)))
        });
        draw_edge(canvas, view, columns.collect(), &figure.x_label, (0.0, near_y - 0.5));
        let rows = shown(self.grid.rows()).into_iter().filter_map(|row| {
            Some(((near_x, self.along_y(row), 0.0), number(*figure.ys.get(row)?, 4)))
        });
        draw_edge(canvas, view, rows.collect(), &figure.y_label, (near_x - 0.5, 0.0));
        let (x, y) = view.left_edge();
        let mut reach: f64 = 0.0;
        let foot = view.place((x, y, 0.0));
        canvas.line(&[foot, view.place((x, y, 1.0))], &Stroke::solid(INK, 1.0));
        for &tick in &self.grid.axis.ticks {
            let place = view.place((x, y, self.grid.axis.fraction(tick)));
            canvas.line(&[place, (place.0 - 5.0, place.1)], &Stroke::solid(INK, 1.0));
            let words = tick_label(tick);
            reach = reach.max(text_width(&words, TICK_SIZE));
            let text = Text::plain(TICK_SIZE, "end");
            canvas.text((place.0 - 8.0, place.1 + TICK_SIZE * 0.36), &words, &text);
        }
        let middle = view.place((x, y, 0.5));
        let turned = Text { turn: -90.0, ..Text::plain(LABEL_SIZE, "middle") };
        canvas.text((middle.0 - reach - 20.0, middle.1), &figure.z_label, &turned);
    }
}

/// Ticks, labels and name along an edge of the floor; `outward` leads away from the floor.
fn draw_edge(
    canvas: &mut Canvas,
    view: &View,
    ticks: Vec<(Spot, String)>,
    name: &str,
    outward: (f64, f64),
) {
    let (right, down) = view.direction(outward);
    let (Some(first), Some(last)) = (ticks.first(), ticks.last()) else { return };
    let (first, last) = (view.place(first.0), view.place(last.0));
    for (spot, words) in ticks {
        let (x, y) = view.place(spot);
        canvas.line(&[(x, y), (x + 5.0 * right, y + 5.0 * down)], &Stroke::solid(INK, 1.0));
        let place = (x + 20.0 * right, y + 20.0 * down + TICK_SIZE * 0.36);
        canvas.text(place, &words, &Text::plain(TICK_SIZE, "middle"));
    }
    let middle = (f64::midpoint(first.0, last.0), f64::midpoint(first.1, last.1));
    let short = name.chars().count() < 4;
    let slope = ((last.1 - first.1) / (last.0 - first.0)).atan().to_degrees();
    let turn = if short { 0.0 } else { slope };
    let place = (middle.0 + 50.0 * right, middle.1 + 50.0 * down + LABEL_SIZE * 0.36);
    canvas.text(place, name, &Text { turn, ..Text::plain(LABEL_SIZE, "middle") });
}

/// The grid lines that get a label: all of a few, at equal distances of many.
fn shown(count: usize) -> Vec<usize> {
    (0..count).step_by(count.div_ceil(8).max(1)).collect()
}

/// The greater, the less of the surface stands behind a higher part of it.
fn hidden_least(grid: &Grid<'_>, view: &View) -> f64 {
    let mut sum = 0.0;
    for row in 0..grid.rows() {
        for column in 0..grid.columns() {
            let x = column as f64 / (grid.columns() - 1) as f64;
            let y = row as f64 / (grid.rows() - 1) as f64;
            sum += view.depth(x, y) * grid.height(row, column).unwrap_or(0.0);
        }
    }
    sum
}

fn around(
    corner: impl Fn(f64, f64) -> Option<Spot>,
    rows: (f64, f64),
    columns: (f64, f64),
) -> Option<[Spot; 4]> {
    Some([
        corner(rows.0, columns.0)?,
        corner(rows.0, columns.1)?,
        corner(rows.1, columns.1)?,
        corner(rows.1, columns.0)?,
    ])
}
