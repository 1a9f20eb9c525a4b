//! From shares between 0 and 1, one per parameter, to points: how each parameter varies by itself where a
//! function is averaged over a space.
//!
//! A real parameter is spread evenly over its range, evenly in its logarithm on a log scale; every value of
//! a discrete one is as likely as any other, but for whole numbers on a log scale, which are spread as real
//! ones. Where a combination is forbidden, the nearest allowed one counts; a parameter that is not there
//! changes nothing.

use super::domain::Domain;
use super::parameter::Parameter;
use super::space::Space;

impl Space {
    /// The parameters that can take more than one value, by their numbers.
    pub fn varying(&self) -> Vec<usize> {
        let varies = |i: &usize| self.parameters[*i].count() != Some(1);
        (0..self.parameters.len()).filter(varies).collect()
    }

    /// The coordinates of the point at these shares of the varying parameters.
    pub fn at_shares(&self, varying: &[usize], shares: &[f64]) -> Vec<f64> {
        let mut coordinates = vec![0.5; self.dimension()];
        for (parameter, range) in self.places().filter(|(parameter, _)| parameter.fixed.is_some()) {
            parameter.place(0, &mut coordinates[range]);
        }
        for (i, share) in varying.iter().zip(shares) {
            let (parameter, part) =
                (&self.parameters[*i], &mut coordinates[self.ranges[*i].clone()]);
            match index_at(parameter, *share) {
                Some(index) => parameter.place(index, part),
                None => part.fill(*share),
            }
        }
        self.snap(&mut coordinates);
        coordinates
    }
}

/// The value at a share, where all are equally likely.
fn index_at(parameter: &Parameter, share: f64) -> Option<u64> {
    if matches!(parameter.domain, Domain::Integer { log: true, .. }) {
        return None;
    }
    let count = parameter.count()?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 .. count
    let index = (share * count as f64) as u64;
    Some(index.min(count.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Value;

    fn values(space: &Space, count: usize) -> Vec<Vec<Value>> {
        let varying = space.varying();
        let share = |j: usize| (j as f64 + 0.5) / count as f64;
        let point = |j: usize| {
            let coordinates = space.at_shares(&varying, &vec![share(j); varying.len()]);
            space.point(&coordinates).unwrap()
        };
        (0..count).map(point).collect()
    }

    #[test]
    fn every_value_has_its_share() {
        let space = Space::new([
            Parameter::integer("layers", 1, 4),
            Parameter::choice("mode", ["a", "b", "c", "d"]),
            Parameter::ordered("alpha", [0.0, 0.9, 0.95, 1.0]),
            Parameter::real("x", -1.0, 1.0),
            Parameter::real("held", 0.0, 1.0).fixed_at(0.25),
        ])
        .unwrap();
        assert_eq!(space.varying(), [0, 1, 2, 3]);
        let points = values(&space, 16);
        for i in 0..3 {
            for chunk in points.chunks(4) {
                assert!(chunk.iter().all(|point| point[i] == chunk[0][i]), "{i} {chunk:?}");
            }
        }
        assert_eq!(points[15][..3], [4_i64.into(), "d".into(), 1.0.into()]);
        assert!(points.iter().all(|point| point[4] == Value::Real(0.25)));
        assert!((points[3][3].number().unwrap() + 0.5625).abs() < 1e-12);
    }

    #[test]
    fn logarithms_are_spread_evenly_and_what_is_forbidden_or_absent_is_settled() {
        let space = Space::new([Parameter::integer("cells", 1, 1000)]).unwrap();
        let log = Space::new([Parameter {
            domain: Domain::Integer { low: 1, high: 1000, log: true },
            ..Parameter::integer("cells", 1, 1000)
        }]);
        let middle = |space: &Space| values(space, 101)[50][0].number().unwrap();
        assert!((middle(&space) - 501.0).abs() < 2.0 && (middle(&log.unwrap()) - 32.0).abs() < 1.0);
        let space = Space::new([
            Parameter::choice("mode", ["a", "b"]),
            Parameter::real("x", 0.0, 1.0).when("mode = b").unwrap(),
            Parameter::real("y", 0.0, 1.0),
        ]);
        let space = space.unwrap().forbid(["y > 0.75"]).unwrap();
        for point in values(&space, 32) {
            assert_eq!(point[1].is_absent(), point[0] == "a".into());
            assert!(space.forbids(&point).is_none(), "{point:?}");
        }
    }
}
