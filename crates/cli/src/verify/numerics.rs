//! Recomputes every quantity of a case and compares it.

use super::case::{Case, Table};
use super::report::Report;
use baton::acquisition::{
    Acquisition, Criterion, Gumbel, Objective, OptimumGain, TransferGain, batch_information,
};
use baton::model::{Bandwidth, MixturePrior, Particles, Prior};
use baton::model::{
    Earlier, EvidenceScratch, FidelityKernel, InputKernel, Mean, Noise, Posterior, Prediction,
    Surrogate, SurrogateSettings,
};
use baton::problem::{History, Link};
use baton_numerics::{Mat, Table as Numbers};
use std::sync::Arc;

const VALUES: f64 = 1e-9;
const GRADIENTS: f64 = 1e-7;
const QUADRATURE: f64 = 1e-6;
/// Matern kernels with noise this low are ill-conditioned; the reference itself has 6 digits.
const LOW_NOISE: f64 = 0.01;

type Reason = String;

/// Adds one line to the report for every quantity under `expect`.
pub fn verify(case: &Case, report: &mut Report) -> Result<(), Reason> {
    let bench = Bench::new(case)?;
    let mut check = Check { case, report, compared: 0 };
    bench.evidence(&mut check)?;
    bench.predictions(&mut check)?;
    let max_values = bench.max_values(&mut check)?;
    bench.gains(&mut check, &max_values)?;
    bench.acquisition(&mut check, &max_values)?;
    bench.batch(&mut check)?;
    bench.particles(&mut check)?;
    if check.compared == 0 {
        return Err("nothing is expected of it".into());
    }
    Ok(())
}

/// Where comparisons of one case go.
struct Check<'a> {
    case: &'a Case,
    report: &'a mut Report,
    compared: usize,
}

impl Check<'_> {
    fn pairs(&mut self, quantity: &str, tolerance: f64, pairs: &[(Vec<f64>, Vec<f64>)]) {
        let lowest = self.case.noise_variance.iter().copied().fold(f64::INFINITY, f64::min);
        let delicate = self.case.kernel.starts_with("matern52") && lowest <= LOW_NOISE;
        let tolerance = if delicate { 1e-6 } else { tolerance };
        self.report.compare(&self.case.name, quantity, tolerance, pairs);
        self.compared += 1;
    }

    fn array(&mut self, quantity: &str, tolerance: f64, got: Vec<f64>, want: Vec<f64>) {
        self.pairs(quantity, tolerance, &[(got, want)]);
    }

    /// Arrays with a scale of their own for each particle.
    fn by_particle(&mut self, quantity: &str, got: Vec<Vec<f64>>, want: &[Vec<f64>]) {
        if got.len() != want.len() {
            return self.array(quantity, GRADIENTS, got.concat(), want.concat());
        }
        let pairs: Vec<_> = got.into_iter().zip(want.iter().cloned()).collect();
        self.pairs(quantity, GRADIENTS, &pairs);
    }
}

/// Everything the comparisons share.
struct Bench<'a> {
    case: &'a Case,
    surrogate: Arc<Surrogate>,
    history: History,
    posteriors: Vec<Posterior>,
    predictions: Vec<Prediction>,
    weights: Vec<f64>,
}

impl<'a> Bench<'a> {
    fn new(case: &'a Case) -> Result<Self, Reason> {
        let surrogate = Arc::new(surrogate(case)?);
        let history = history(case)?;
        let posterior = |theta: &Vec<f64>| {
            Posterior::new(Arc::clone(&surrogate), theta.clone(), history.clone())
        };
        let posteriors = case
            .particles
            .iter()
            .map(posterior)
            .collect::<baton::Result<Vec<_>>>()
            .map_err(text)?;
        if posteriors.is_empty() {
            return Err("it has no particles".into());
        }
        let query = columns(case.dimension, &case.query_x)?;
        let predict = |posterior: &Posterior| posterior.predict(query.as_ref());
        let predictions =
            posteriors.iter().map(predict).collect::<baton::Result<Vec<_>>>().map_err(text)?;
        let weights = vec![1.0 / posteriors.len() as f64; posteriors.len()];
        Ok(Self { case, surrogate, history, posteriors, predictions, weights })
    }

    fn gradients(&self) -> Result<(Vec<f64>, Vec<Vec<f64>>), Reason> {
        let evaluate = |theta: &Vec<f64>| {
            let mut gradient = vec![0.0; theta.len()];
            let mut scratch = EvidenceScratch::default();
            let evidence = self.surrogate.evidence_gradient(
                theta,
                &self.history,
                &mut gradient,
                &mut scratch,
            )?;
            Ok((evidence.negative_log, gradient))
        };
        let all = self.case.particles.iter().map(evaluate).collect::<baton::Result<Vec<_>>>();
        Ok(all.map_err(text)?.into_iter().unzip())
    }

    fn evidence(&self, check: &mut Check<'_>) -> Result<(), Reason> {
        let (values, gradients) = self.gradients()?;
        if let Some(want) = &self.case.expect.negative_log_evidence {
            check.array("negative_log_evidence", VALUES, values, want.clone());
        }
        if let Some(want) = &self.case.expect.gradient {
            check.by_particle("gradient", gradients, want);
        }
        Ok(())
    }

    fn predictions(&self, check: &mut Check<'_>) -> Result<(), Reason> {
        type Part = fn(&Prediction) -> &Numbers;
        let expect = &self.case.expect;
        let parts: [(&str, &Option<Vec<Table>>, Part); 3] = [
            ("mean", &expect.mean, |p| &p.mean),
            ("variance", &expect.variance, |p| &p.variance),
            ("covariance_with_top", &expect.covariance_with_top, |p| &p.covariance),
        ];
        for (name, want, part) in parts {
            if let Some(want) = want {
                same_count(name, self.predictions.len(), want.len())?;
                want.iter().try_for_each(|table| self.check_table(name, table))?;
                let got = self.predictions.iter().flat_map(|p| rows(part(p))).collect();
                check.array(
                    name,
                    VALUES,
                    got,
                    want.iter().flat_map(Clone::clone).flatten().collect(),
                );
            }
        }
        Ok(())
    }

    /// A table must have a row per fidelity and a column per query point.
    fn check_table(&self, name: &str, table: &Table) -> Result<(), Reason> {
        same_count(name, self.case.fidelities, table.len())?;
        table.iter().try_for_each(|row| same_count(name, self.case.query_x.len(), row.len()))
    }

    /// The max values of every particle; none if the case has no uniforms to draw them with.
    fn max_values(&self, check: &mut Check<'_>) -> Result<Vec<Vec<f64>>, Reason> {
        let Some(expect) = &self.case.expect.gumbel else { return Ok(Vec::new()) };
        let candidates = columns(self.case.dimension, &expect.candidates)?;
        if expect.uniforms.len() != self.posteriors.len() {
            return Err("gumbel.uniforms must have one row per particle".into());
        }
        let mut laws = Vec::new();
        for posterior in &self.posteriors {
            let prediction = posterior.predict(candidates.as_ref()).map_err(text)?;
            let top = prediction.levels() - 1;
            let row = |numbers: &Numbers| numbers.row(top).collect::<Vec<f64>>();
            let (means, variances) = (row(&prediction.mean), row(&prediction.variance));
            laws.push(Gumbel::of_largest(&means, &variances).map_err(text)?);
        }
        let quartiles = laws.iter().flat_map(|law| law.quartiles).collect();
        check.array("gumbel.quantiles", VALUES, quartiles, expect.quantiles.concat());
        let locations = laws.iter().map(|law| law.location).collect();
        check.array("gumbel.location", VALUES, locations, expect.location.clone());
        let scales = laws.iter().map(|law| law.scale).collect();
        check.array("gumbel.scale", VALUES, scales, expect.scale.clone());
        let draw = |(law, uniforms): (&Gumbel, &Vec<f64>)| -> Vec<f64> {
            uniforms.iter().map(|u| law.at(*u)).collect()
        };
        let max_values: Vec<Vec<f64>> = laws.iter().zip(&expect.uniforms).map(draw).collect();
        check.array("gumbel.max_values", VALUES, max_values.concat(), expect.max_values.concat());
        Ok(max_values)
    }

    fn gains(&self, check: &mut Check<'_>, max_values: &[Vec<f64>]) -> Result<(), Reason> {
        let expect = &self.case.expect;
        let about_optimum = [
            ("gain_printed", &expect.gain_printed, OptimumGain::Printed),
            ("gain_corrected", &expect.gain_corrected, OptimumGain::Corrected),
            ("gain_noisy", &expect.gain_noisy, OptimumGain::Noisy),
            ("gain_gibbon", &expect.gain_gibbon, OptimumGain::Gibbon),
        ];
        for (name, want, form) in about_optimum {
            let Some(want) = want else { continue };
            self.check_table(name, want)?;
            let query = columns(self.case.dimension, &self.case.query_x)?;
            let nats = self.acquisition_with(form, 0.0, max_values)?;
            let got = rows(&nats.nats(query.as_ref()).map_err(text)?.optimum);
            check.array(name, VALUES, got, want.concat());
        }
        let about_theta = [
            ("transfer_printed", &expect.transfer_printed, TransferGain::Printed, VALUES),
            ("transfer_noisy", &expect.transfer_noisy, TransferGain::Noisy, VALUES),
            ("transfer_exact", &expect.transfer_exact, TransferGain::Exact, QUADRATURE),
        ];
        let predictions: Vec<&Prediction> = self.predictions.iter().collect();
        for (name, want, form, tolerance) in about_theta {
            let Some(want) = want else { continue };
            self.check_table(name, want)?;
            let got = rows(&form.evaluate(&predictions, &self.weights));
            check.array(name, tolerance, got, want.concat());
        }
        Ok(())
    }

    fn acquisition_with<'b>(
        &'b self,
        optimum: OptimumGain,
        beta: f64,
        max_values: &'b [Vec<f64>],
    ) -> Result<Acquisition<'b>, Reason> {
        let transfer = TransferGain::Noisy;
        let criterion = Criterion { optimum, transfer, optimum_weight: 1.0, beta };
        Acquisition::new(criterion, &self.posteriors, &self.weights, max_values)
            .map_err(|error| format!("{error} (gains need the block gumbel)"))
    }

    fn acquisition(&self, check: &mut Check<'_>, max_values: &[Vec<f64>]) -> Result<(), Reason> {
        let Some(expect) = &self.case.expect.acquisition else { return Ok(()) };
        let count = expect.value.first().map_or(0, Vec::len);
        if count == 0 {
            return Err("acquisition.value is empty".into());
        }
        let Some(points) = self.case.query_x.get(..count) else {
            return Err("acquisition.value has more columns than there are query points".into());
        };
        let points = columns(self.case.dimension, points)?;
        let acquisition = self.acquisition_with(OptimumGain::Gibbon, expect.beta, max_values)?;
        let (mut values, mut gradients) = (Vec::new(), Vec::new());
        for level in 0..self.case.fidelities {
            let (value, gradient) = acquisition
                .worth_and_gradient(points.as_ref(), &vec![level; count])
                .map_err(text)?;
            values.extend(value);
            gradients.extend((0..count).flat_map(|j| gradient.col_as_slice(j).to_vec()));
        }
        check.array("acquisition.value", VALUES, values, expect.value.concat());
        let want = expect.gradient_x.iter().flatten().flatten().copied().collect();
        check.array("acquisition.gradient_x", GRADIENTS, gradients, want);
        Ok(())
    }

    fn batch(&self, check: &mut Check<'_>) -> Result<(), Reason> {
        let Some(expect) = &self.case.expect.batch_information else { return Ok(()) };
        let points = columns(self.case.dimension, &expect.x)?;
        let particles = &self.case.particles;
        let nats = batch_information(&self.surrogate, particles, &self.weights, points.as_ref());
        check.array("batch_information", VALUES, vec![nats.map_err(text)?], vec![expect.value]);
        Ok(())
    }

    fn particles(&self, check: &mut Check<'_>) -> Result<(), Reason> {
        let particles = &self.case.particles;
        let mut scores = self.gradients()?.1;
        scores.iter_mut().flatten().for_each(|g| *g = -*g);
        if let Some(expect) = &self.case.expect.kde {
            let centres = Particles::equal(expect.centres.clone()).map_err(text)?;
            let mixture = MixturePrior::new(centres, expect.bandwidth_variance).map_err(text)?;
            let prior = Prior::Mixture(mixture);
            let mut own = vec![vec![0.0; self.surrogate.parameter_count()]; particles.len()];
            for v in 0..particles.len() {
                prior.add_log_density(&particles[v], &mut own[v]).map_err(text)?;
                scores[v].iter_mut().zip(&own[v]).for_each(|(score, part)| *score += part);
            }
            check.by_particle("kde.score", own, &expect.score);
        }
        if let Some(expect) = &self.case.expect.svgd {
            let median = Bandwidth::Median.of(particles);
            let want = vec![expect.median_bandwidth];
            check.array("svgd.median_bandwidth", VALUES, vec![median], want);
            let directions = |h: Bandwidth| -> Result<Vec<Vec<f64>>, Reason> {
                h.directions(particles, &scores).map_err(text)
            };
            let fixed = directions(Bandwidth::Fixed(1.0 / 1.326))?;
            let want = &expect.direction_at_h_1_over_1_326;
            check.by_particle("svgd.direction_at_h_1_over_1_326", fixed, want);
            let at_median = directions(Bandwidth::Median)?;
            check.by_particle("svgd.direction_at_median", at_median, &expect.direction_at_median);
        }
        Ok(())
    }
}

fn surrogate(case: &Case) -> Result<Surrogate, Reason> {
    let widths = || -> Vec<usize> {
        let biases = case.layout.iter().filter(|block| block.name.starts_with('b'));
        biases.map(|block| block.shape.first().copied().unwrap_or(0)).collect()
    };
    let (input, fidelity, mean) = match case.kernel.as_str() {
        "deep" => (InputKernel::Deep { widths: widths() }, FidelityKernel::Rbf, Mean::Zero),
        "rbf" => (InputKernel::Rbf, FidelityKernel::Rbf, Mean::Learned),
        "matern52" => (InputKernel::Matern52, FidelityKernel::Rbf, Mean::Learned),
        "matern52-free" => (InputKernel::Matern52, FidelityKernel::Free, Mean::Learned),
        other => {
            return Err(format!("kernel {other:?} is none of deep, rbf, matern52, matern52-free"));
        }
    };
    let noise = Noise::Known(case.noise_variance.clone());
    let (dimension, levels) = (case.dimension, case.fidelities);
    let settings = SurrogateSettings {
        dimension,
        descriptors: 0,
        levels,
        input,
        fidelity,
        mean,
        noise,
        earlier: Earlier::None,
        drifting: Vec::new(),
        link: Link::Identity,
    };
    let surrogate = settings.check().map_err(text)?;
    let ours = surrogate.layout().blocks().iter().map(|b| (b.name.as_str(), b.shape.as_slice()));
    let theirs = case.layout.iter().map(|b| (b.name.as_str(), b.shape.as_slice()));
    if !ours.clone().eq(theirs) {
        let expected: Vec<_> = ours.collect();
        return Err(format!("its layout differs from the one of this kernel: {expected:?}"));
    }
    Ok(surrogate)
}

fn same_count(name: &str, expected: usize, got: usize) -> Result<(), Reason> {
    if expected == got {
        Ok(())
    } else {
        Err(format!("{name}: expected {expected} entries, got {got}"))
    }
}

fn history(case: &Case) -> Result<History, Reason> {
    if case.x.len() != case.y.len() || case.x.len() != case.fidelity.len() {
        return Err("x, fidelity and y differ in length".into());
    }
    let mut history = History::new(case.dimension);
    for ((point, fidelity), value) in case.x.iter().zip(&case.fidelity).zip(&case.y) {
        let level = fidelity.checked_sub(1).ok_or("fidelities count from 1")?;
        history.push(point, level, *value).map_err(text)?;
    }
    Ok(history)
}

/// Points as columns of a matrix.
fn columns(dimension: usize, points: &[Vec<f64>]) -> Result<Mat<f64>, Reason> {
    if points.iter().any(|point| point.len() != dimension) {
        return Err(format!("a point does not have {dimension} coordinates"));
    }
    Ok(Mat::from_fn(dimension, points.len(), |i, j| points[j][i]))
}

/// Entries row by row.
fn rows(numbers: &Numbers) -> Vec<f64> {
    (0..numbers.nrows()).flat_map(|i| numbers.row(i)).collect()
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn text(error: baton::Error) -> Reason {
    error.to_string()
}
