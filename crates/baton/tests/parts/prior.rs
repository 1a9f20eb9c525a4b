//! Priors over `theta`: a Gaussian with independent entries, or a kernel density.

use super::testing::stream;
use baton::model::{GaussianPrior, MixturePrior, Particles, Prior};

fn priors() -> Vec<Prior> {
    let gaussian = GaussianPrior::new(vec![0.3, -1.0], vec![0.5, 2.0]).unwrap();
    let thetas = vec![vec![0.1, 0.2], vec![1.4, -0.3], vec![0.0, 1.0]];
    let centres = Particles::weighted(thetas, &[1.0, 2.0, 0.5]).unwrap();
    let mixture = MixturePrior::new(centres, 0.4).unwrap();
    vec![Prior::Gaussian(gaussian), Prior::Mixture(mixture)]
}

#[test]
fn gradients_agree_with_finite_differences() {
    for prior in priors() {
        let theta = [0.7, 0.1];
        let mut gradient = [0.0; 2];
        prior.add_log_density(&theta, &mut gradient).unwrap();
        for i in 0..2 {
            let at = |step: f64| {
                let mut moved = theta;
                moved[i] += step;
                prior.add_log_density(&moved, &mut [0.0; 2]).unwrap()
            };
            let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((gradient[i] - numeric).abs() < 1e-8, "{prior:?}");
        }
    }
}

#[test]
fn densities_integrate_to_one() {
    for prior in priors() {
        let mut total = 0.0;
        for i in 0..200 {
            for j in 0..200 {
                let theta = [f64::from(i) * 0.1 - 10.0, f64::from(j) * 0.1 - 10.0];
                total += prior.add_log_density(&theta, &mut [0.0; 2]).unwrap().exp() * 0.01;
            }
        }
        assert!((total - 1.0).abs() < 1e-6, "{total}");
    }
}

#[test]
fn draws_have_the_mean_of_the_density() {
    let expected = [[0.3, -1.0], [(0.1 + 2.0 * 1.4) / 3.5, (0.2 - 0.6 + 0.5) / 3.5]];
    for (prior, mean) in priors().iter().zip(expected) {
        let mut stream = stream(4);
        let draws: Vec<Vec<f64>> = (0..20_000).map(|_| prior.draw(&mut stream)).collect();
        for (i, expected) in mean.iter().enumerate() {
            let average = draws.iter().map(|d| d[i]).sum::<f64>() / 20_000.0;
            assert!((average - expected).abs() < 0.05, "{average} {expected}");
        }
    }
}

#[test]
fn far_away_the_mixture_still_has_a_gradient() {
    let mut gradient = [0.0; 2];
    let value = priors()[1].add_log_density(&[1e3, -1e3], &mut gradient).unwrap();
    assert!(value.is_finite() && gradient.iter().all(|g| g.is_finite() && *g != 0.0));
    assert!(GaussianPrior::isotropic(2, 0.0).is_err());
}
