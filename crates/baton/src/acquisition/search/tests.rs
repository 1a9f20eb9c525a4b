//! The search finds what is there to be found, and only what is legal.

use super::super::candidates::candidates;
use super::*;
use crate::model::testing::stream;
use crate::problem::History;
use crate::problem::Parameter;
use baton_numerics::MatRef;

/// A bowl around a target, worth twice as much at level 1.
struct Bowl(Vec<f64>);

impl Objective for Bowl {
    fn worth(&self, points: MatRef<'_, f64>) -> Result<Table> {
        let all = self.worth_and_gradient(points, &vec![0; points.ncols()])?.0;
        Ok(Table::from_fn(2, points.ncols(), |m, j| all[j] * (1.0 + m as f64)))
    }

    fn worth_and_gradient(
        &self,
        points: MatRef<'_, f64>,
        levels: &[usize],
    ) -> Result<(Vec<f64>, Mat<f64>)> {
        let height = |j: usize| {
            let squares = points.col(j).iter().zip(&self.0).map(|(x, t)| (x - t).powi(2));
            (1.0 + levels[j] as f64) * (-squares.sum::<f64>()).exp()
        };
        let values: Vec<f64> = (0..points.ncols()).map(height).collect();
        let slopes = Mat::from_fn(points.nrows(), points.ncols(), |i, j| {
            -2.0 * (points[(i, j)] - self.0[i]) * values[j]
        });
        Ok((values, slopes))
    }
}

const EFFORT: SearchEffort = SearchEffort { candidates: 32, starts: 3, walks: 3, iterations: 50 };

fn search(space: &Space, costs: &[Option<f64>], occupied: &[Vec<Value>]) -> Option<Found> {
    let target = vec![0.33; space.dimension()];
    let history = History::new(space.dimension());
    let candidates = candidates(space, &history, EFFORT, &mut stream(1)).points;
    let search = Search { space, costs, occupied, effort: EFFORT };
    let bowl = Bowl(target);
    let worth = bowl.worth(candidates.as_ref()).unwrap();
    search.run(&bowl, &candidates, &worth).unwrap()
}

#[test]
fn climbers_on_the_same_hill_and_the_lowest_are_given_up() {
    let at = |x: f64, rate: f64| Found { coordinates: vec![x, 0.5], level: 0, rate };
    let resting = [at(0.1, 3.0), at(0.9, 0.1)];
    let mut climbing = vec![at(0.9, 1.0), at(0.11, 2.0), at(0.5, 2.5), at(0.51, 1.5)];
    thin(&mut climbing, &resting);
    assert_eq!(climbing, [at(0.5, 2.5), at(0.9, 1.0)]);
    let mut many: Vec<Found> = (0..10_u8).map(|i| at(0.1 * f64::from(i), 1.0)).collect();
    thin(&mut many, &[]);
    assert_eq!(many.len(), 8);
}

#[test]
fn the_summit_of_a_continuous_space_is_reached() {
    let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::log("y", 1.0, 9.0)]);
    let found = search(&space.unwrap(), &[Some(1.0), Some(3.0)], &[]).unwrap();
    assert!((found.rate - 1.0).abs() < 1e-9, "{found:?}");
    assert!(found.coordinates.iter().all(|u| (u - 0.33).abs() < 1e-3));
    assert_eq!(found.level, 0);
}

#[test]
fn cost_and_affordability_decide_between_levels() {
    let space = Space::new([Parameter::real("x", 0.0, 1.0)]).unwrap();
    assert_eq!(search(&space, &[Some(1.0), Some(1.5)], &[]).unwrap().level, 1);
    assert_eq!(search(&space, &[Some(1.0), None], &[]).unwrap().level, 0);
    assert!(search(&space, &[None, None], &[]).is_none());
}

#[test]
fn neighbourhood_moves_find_the_best_cell_of_a_large_grid() {
    let space = Space::new([
        Parameter::integer("a", 0, 1000),
        Parameter::integer("b", 0, 1000),
        Parameter::real("x", 0.0, 1.0),
        Parameter::stepped("c", 0.0, 10.0, 0.05),
    ])
    .unwrap();
    let found = search(&space, &[Some(1.0), None], &[]).unwrap();
    let point = space.point(&found.coordinates).unwrap();
    assert_eq!((&point[0], &point[1]), (&Value::Integer(330), &Value::Integer(330)));
    assert_eq!(point[3], Value::Real(3.3));
    assert!((found.coordinates[2] - 0.33).abs() < 1e-3);
}

#[test]
fn an_optimum_on_the_border_of_what_is_forbidden_is_reached() {
    let reals = || ["x", "y", "z"].map(|name| Parameter::real(name, 0.0, 1.0));
    let space = Space::new(reals()).unwrap().forbid(["x + 2*y > 0.5"]).unwrap();
    let found = search(&space, &[Some(1.0), None], &[]).unwrap();
    // The bowl's target (0.33, 0.33, 0.33) lies beyond: the nearest place is beside it.
    let beyond = (0.33 + 2.0 * 0.33 - 0.5) / 5.0;
    let nearest = [0.33 - beyond, 0.33 - 2.0 * beyond, 0.33];
    for (u, expected) in found.coordinates.iter().zip(nearest) {
        assert!((u - expected).abs() < 2e-3, "{found:?}");
    }
    assert!(space.forbids(&space.point(&found.coordinates).unwrap()).is_none());
}

#[test]
fn what_is_absent_is_held_and_the_best_branch_is_found() {
    let space = Space::new([
        Parameter::integer("branch", 0, 100),
        Parameter::real("far", 0.0, 1.0).when("branch > 60").unwrap(),
        Parameter::real("near", 0.0, 1.0).when("branch < 50").unwrap(),
    ])
    .unwrap();
    let found = search(&space, &[Some(1.0), None], &[]).unwrap();
    let point = space.point(&found.coordinates).unwrap();
    assert_eq!(point[..2], [Value::Integer(33), Value::Absent]);
    assert!(found.coordinates[1] == 0.5 && (found.coordinates[2] - 0.33).abs() < 1e-3);
}

#[test]
fn occupied_points_are_never_returned() {
    let space = Space::new([Parameter::integer("a", 0, 3)]).unwrap();
    let costs = [Some(1.0), None];
    let mut occupied = Vec::new();
    for expected in [1, 0, 2, 3] {
        let found = search(&space, &costs, &occupied).unwrap();
        let point = space.point(&found.coordinates).unwrap();
        assert_eq!(point, [Value::Integer(expected)]);
        occupied.push(point);
    }
    assert!(search(&space, &costs, &occupied).is_none());
}
