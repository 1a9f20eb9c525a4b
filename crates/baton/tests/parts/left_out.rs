//! What the model would have said of its observations without them.

use super::testing::{
    every_model, example_history, example_theta, related_history, related_models, stream,
};
use baton::model::{Noise, Posterior, Surrogate, SurrogateSettings};
use baton::problem::{History, Link};
use baton_numerics::MatRef;
use std::sync::Arc;

/// The same observations without one.
fn without(history: &History, left_out: usize) -> History {
    let mut rest = History::new(history.dimension());
    let kept: Vec<usize> = (0..history.len()).filter(|i| *i != left_out).collect();
    for i in &kept {
        let noise = history.own_noise()[*i];
        rest.push_measured(history.point(*i), history.levels()[*i], history.values()[*i], noise)
            .unwrap();
    }
    let factors = kept.iter().map(|i| history.noise_factors()[*i]).collect();
    let rest = rest.revalued(rest.values().to_vec(), factors).unwrap();
    let Some(noise) = history.shared_noise() else { return rest };
    // Only observations behind those with noise of their own are left out here.
    assert!(left_out >= noise.nrows());
    let mut whole = History::new(history.dimension());
    for i in 0..noise.nrows() {
        let (point, level) = (rest.point(i), rest.levels()[i]);
        whole.push_measured(point, level, rest.values()[i], rest.own_noise()[i]).unwrap();
    }
    let whole = whole.with_shared_noise(Arc::new(noise.clone())).unwrap();
    whole.followed_by(&rest.since(noise.nrows()).unwrap()).unwrap()
}

fn identity(surrogate: &Surrogate) -> Surrogate {
    SurrogateSettings { link: Link::Identity, ..surrogate.settings().clone() }.check().unwrap()
}

/// What a posterior of other observations expects of one observation, noise included.
fn expected(
    surrogate: &Surrogate,
    theta: &[f64],
    others: History,
    of: (&History, usize),
) -> (f64, f64) {
    let (history, i) = of;
    let posterior = Posterior::new(Arc::new(surrogate.clone()), theta.to_vec(), others).unwrap();
    let point = MatRef::from_column_major_slice(history.point(i), history.dimension(), 1);
    let prediction = posterior.predict(point).unwrap();
    let level = history.levels()[i];
    let of_level = surrogate.noise_variance(theta, level).unwrap();
    let noise = history.noise_variance(i, of_level);
    (prediction.mean[(level, 0)], prediction.variance[(level, 0)] + noise)
}

#[test]
fn leaving_out_is_fitting_again_without() {
    let plain = every_model().into_iter().map(|model| (example_history(14, 2, 3), model));
    let related = related_models().into_iter().map(|model| identity(&model));
    let related = related.map(|model| (related_history(&model, 8), model));
    for (history, surrogate) in plain.chain(related) {
        let theta = example_theta(&surrogate);
        let posterior =
            Posterior::new(Arc::new(surrogate.clone()), theta.clone(), history.clone()).unwrap();
        let first = history.levels().iter().filter(|level| **level >= surrogate.levels()).count();
        let left_out = posterior.left_out(first).unwrap();
        let ahead = posterior.one_ahead(first).unwrap();
        assert_eq!((left_out.len(), ahead.len()), (history.len() - first, history.len() - first));
        for i in first..history.len() {
            let (mean, variance) =
                expected(&surrogate, &theta, without(&history, i), (&history, i));
            let found = left_out[i - first];
            assert_eq!(found.value, history.values()[i]);
            assert!((found.mean - mean).abs() < 1e-8, "{i}: {found:?}, {mean}");
            assert!((found.variance - variance).abs() < 1e-8, "{i}: {found:?}, {variance}");
            let (mean, variance) = expected(&surrogate, &theta, history.until(i), (&history, i));
            let found = ahead[i - first];
            assert!((found.mean - mean).abs() < 1e-8, "{i}: {found:?}, {mean}");
            assert!((found.variance - variance).abs() < 1e-8, "{i}: {found:?}, {variance}");
        }
    }
}

#[test]
fn a_posterior_that_grew_row_by_row_leaves_out_the_same() {
    let surrogate = Arc::new(every_model().remove(1));
    let theta = example_theta(&surrogate);
    let history = example_history(12, 2, 3);
    let whole = Posterior::new(Arc::clone(&surrogate), theta.clone(), history.clone()).unwrap();
    let mut grown = Posterior::new(surrogate, theta, history.until(5)).unwrap();
    for i in 5..12 {
        let (point, level) = (history.point(i), history.levels()[i]);
        let (value, noise) = (history.values()[i], history.own_noise()[i]);
        grown.observe_measured(point, level, value, noise).unwrap();
    }
    let pairs = |a: Vec<baton::model::Foretold>, b: Vec<baton::model::Foretold>| {
        for (a, b) in a.iter().zip(&b) {
            assert!((a.mean - b.mean).abs() < 1e-8 && (a.variance - b.variance).abs() < 1e-8);
        }
    };
    pairs(whole.left_out(0).unwrap(), grown.left_out(0).unwrap());
    pairs(whole.one_ahead(3).unwrap(), grown.one_ahead(3).unwrap());
    let pending = whole.with_pending(&[(vec![0.2, 0.3], 0)]).unwrap();
    assert!(pending.left_out(0).is_err(), "what is pending was not observed");
}

#[test]
fn of_data_drawn_from_the_model_nine_in_ten_lie_in_their_intervals() {
    let (mut inside, mut ahead_inside, mut count) = (0, 0, 0);
    let (mut alarms, mut by_chance) = ([0, 0], 0);
    for seed in 0..40 {
        let settings = SurrogateSettings {
            noise: Noise::Known(vec![0.01]),
            levels: 1,
            fidelity: baton::model::FidelityKernel::Linear,
            ..every_model().remove(5).settings().clone()
        };
        let surrogate = settings.check().unwrap();
        let mut theta = vec![0.0; surrogate.parameter_count()];
        (theta[0], theta[1]) = (-1.2, -0.9);
        let mut stream = stream(100 + seed);
        let points = baton_numerics::Mat::from_fn(2, 25, |_, _| stream.uniform());
        let covariance = surrogate.top_covariance(&theta, points.as_ref()).unwrap();
        let factor = baton_numerics::cholesky::Factor::new(covariance.as_ref()).unwrap();
        let normals: Vec<f64> = (0..25).map(|_| stream.normal()).collect();
        let lower = factor.lower();
        let mut history = History::new(2);
        for i in 0..25 {
            let value = (0..=i).map(|j| lower[(i, j)] * normals[j]).sum::<f64>();
            history.push(points.col_as_slice(i), 0, value).unwrap();
        }
        let posterior = Posterior::new(Arc::new(surrogate), theta, history).unwrap();
        let covered = |all: Vec<baton::model::Foretold>| {
            all.iter().filter(|one| one.deviations().abs() < 1.644_85).count()
        };
        let counts = [posterior.left_out(0).unwrap(), posterior.one_ahead(0).unwrap()].map(covered);
        inside += counts[0];
        ahead_inside += counts[1];
        for (alarms, inside) in alarms.iter_mut().zip(counts) {
            *alarms += usize::from(inside <= 18); // fewer than in 1 % of cases, if independent
        }
        for _ in 0..100 {
            let drawn = posterior.deviations_by_chance(0, &mut stream).unwrap();
            let inside = drawn.iter().filter(|deviations| deviations.abs() < 1.644_85).count();
            by_chance += usize::from(inside <= 18);
        }
        count += 25;
    }
    // What is left out is not independent: how often so few are inside is what draws say.
    assert!(alarms[1] <= 2, "{alarms:?} of 40");
    let expected = by_chance as f64 / 100.0;
    assert!((alarms[0] as f64 - expected).abs() < 4.0, "{alarms:?} of 40, {expected} by chance");
    // 1,000 observations; one ahead they are independent, left out nearly so: a standard error of 0.01.
    for inside in [inside, ahead_inside] {
        let share = f64::from(u32::try_from(inside).unwrap()) / f64::from(count);
        assert!((share - 0.9).abs() < 0.03, "{share}");
    }
}
