//! Stein variational gradient descent, (38)-(39) with errata E1 and E8.

use super::testing::stream;
use baton::Error;
use baton::error::Result;
use baton::model::{Bandwidth, LogDensity, Step, Svgd};
use baton_numerics::parallel;

/// A normal with mean 1 and standard deviations 0.5 and 2.
struct Normal;

impl LogDensity for Normal {
    fn dimension(&self) -> usize {
        2
    }

    type Scratch = ();

    fn log_density(&self, theta: &[f64], gradient: &mut [f64], (): &mut ()) -> Result<f64> {
        let (a, b) = (theta[0] - 1.0, theta[1] - 1.0);
        (gradient[0], gradient[1]) = (-a / 0.25, -b / 4.0);
        Ok(-0.5 * (a * a / 0.25 + b * b / 4.0))
    }
}

struct Broken;

impl LogDensity for Broken {
    fn dimension(&self) -> usize {
        2
    }

    type Scratch = ();

    fn log_density(&self, _: &[f64], _: &mut [f64], (): &mut ()) -> Result<f64> {
        Err(Error::Overflow { what: "test", value: f64::NAN })
    }
}

fn start(count: usize) -> Vec<Vec<f64>> {
    let mut stream = stream(5);
    (0..count).map(|_| vec![stream.normal(), stream.normal()]).collect()
}

#[test]
fn particles_take_on_mean_and_spread_of_the_density() {
    for step in [Step::Plain { rate: 0.2 }, Step::Adam { rate: 0.02 }] {
        let svgd = Svgd { bandwidth: Bandwidth::Median, step, steps: 3_000 };
        let mut thetas = start(40);
        assert_eq!(svgd.run(&Normal, &mut thetas).unwrap().failed_scores, 0);
        for (i, deviation) in [0.5, 2.0].into_iter().enumerate() {
            let mean = thetas.iter().map(|t| t[i]).sum::<f64>() / 40.0;
            let spread = thetas.iter().map(|t| (t[i] - mean).powi(2)).sum::<f64>() / 40.0;
            assert!((mean - 1.0).abs() < 0.1, "{step:?} mean {mean}");
            let ratio = spread.sqrt() / deviation;
            assert!((0.7..1.2).contains(&ratio), "{step:?} spread {ratio}");
        }
    }
}

#[test]
fn the_same_bits_at_any_number_of_threads() {
    let svgd = Svgd {
        bandwidth: Bandwidth::Fixed(1.0 / 1.326),
        step: Step::Plain { rate: 0.1 },
        steps: 20,
    };
    let run = |threads| {
        let mut thetas = start(7);
        parallel::with_threads(threads, || svgd.run(&Normal, &mut thetas)).unwrap();
        thetas
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(5));
}

#[test]
fn failures_are_counted_and_bad_settings_refused() {
    let svgd = Svgd { bandwidth: Bandwidth::Median, step: Step::Plain { rate: 0.1 }, steps: 3 };
    let mut thetas = start(4);
    assert_eq!(svgd.run(&Broken, &mut thetas).unwrap().failed_scores, 12);
    assert!(thetas.iter().flatten().all(|x| x.is_finite()));
    let mut coinciding = vec![vec![0.5, 0.5]; 3];
    svgd.run(&Normal, &mut coinciding).unwrap();
    assert!(coinciding.iter().flatten().all(|x| x.is_finite()));
    let bad = Svgd { step: Step::Adam { rate: f64::NAN }, ..svgd };
    assert!(bad.run(&Normal, &mut thetas).is_err());
    assert!(svgd.run(&Normal, &mut [vec![0.0]]).is_err());
}

/// Steep up to an edge, and nothing beyond.
struct Edge;

impl LogDensity for Edge {
    fn dimension(&self) -> usize {
        2
    }

    type Scratch = ();

    fn log_density(&self, theta: &[f64], gradient: &mut [f64], (): &mut ()) -> Result<f64> {
        if theta[0] > 5.0 {
            return Err(Error::Overflow { what: "test", value: theta[0] });
        }
        (gradient[0], gradient[1]) = (100.0, 0.0);
        Ok(100.0 * theta[0])
    }
}

#[test]
fn a_particle_that_ran_away_is_put_back() {
    let svgd =
        Svgd { bandwidth: Bandwidth::Fixed(50.0), step: Step::Plain { rate: 1.0 }, steps: 3 };
    let mut thetas = start(3);
    let report = svgd.run(&Edge, &mut thetas).unwrap();
    assert_eq!(report.put_back, 3);
    assert_eq!(thetas, start(3));
}
