//! The model of all fidelities of a task: which kernels, mean and noise, and where in the flat
//! parameter vector `theta` each of them lives.
//!
//! Order of the blocks: input kernel (features, output scale, roughness), fidelity kernel, mean,
//! noise, relatedness of tasks.

use super::earlier::Earlier;
use super::features::FeatureMap;
use super::fidelity::{FidelityKernel, sigmoid};
use super::layout::{Block, Layout};
use super::radial::Radial;
use crate::Error;
use crate::error::{Result, all_finite, same_size};
use crate::problem::{History, Link};
use baton_numerics::{Mat, MatRef};
use std::ops::Range;

/// Covariance between points at one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputKernel {
    /// (12): `exp(-|psi(x) - psi(x')|^2)` with a tanh network `psi` of these layer widths
    Deep {
        /// outputs of each layer
        widths: Vec<usize>,
    },
    /// `s exp(-q/2)`, `q = sum ((x - x') / l)^2`
    Rbf,
    /// `s (1 + r + r^2/3) exp(-r)`, `r = sqrt(5 q)`
    Matern52,
    /// the sum of both, the share of the second learned
    Mixed,
}

impl InputKernel {
    /// The paper's network: three layers of 64.
    pub fn deep() -> Self {
        Self::Deep { widths: vec![64, 64, 64] }
    }

    fn feature_map(&self) -> FeatureMap {
        match self {
            Self::Deep { widths } => FeatureMap::Network { widths: widths.clone() },
            Self::Rbf | Self::Matern52 | Self::Mixed => FeatureMap::Scaled,
        }
    }

    /// The profile, with so much of it rough where that is learned.
    fn radial(&self, rough: f64) -> Radial {
        match self {
            Self::Deep { .. } => Radial::Gaussian { rate: 1.0 },
            Self::Rbf => Radial::Gaussian { rate: 0.5 },
            Self::Matern52 => Radial::Matern52,
            Self::Mixed => Radial::Mixed { rough },
        }
    }

    fn has_output_scale(&self) -> bool {
        !matches!(self, Self::Deep { .. })
    }
}

/// Prior mean of the function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mean {
    /// 0
    Zero,
    /// a given number
    Constant(f64),
    /// a parameter of the model
    Learned,
}

/// Variance of the observation noise.
#[derive(Debug, Clone, PartialEq)]
pub enum Noise {
    /// given, one variance per level
    Known(Vec<f64>),
    /// one parameter `log variance` per level
    Learned,
}

/// What a surrogate is made of, as asked for. [`SurrogateSettings::check`] makes it usable.
#[derive(Debug, Clone, PartialEq)]
pub struct SurrogateSettings {
    /// coordinates of a point, those that describe its task included
    pub dimension: usize,
    /// how many of them, the last ones, describe the task
    pub descriptors: usize,
    /// number of fidelity levels
    pub levels: usize,
    /// covariance between points
    pub input: InputKernel,
    /// covariance between levels
    pub fidelity: FidelityKernel,
    /// prior mean
    pub mean: Mean,
    /// observation noise
    pub noise: Noise,
    /// which observations of earlier tasks there may be
    pub earlier: Earlier,
    /// the coordinates along which what tasks share may lie elsewhere in this one, each with the standard
    /// deviation of how far
    pub drifting: Vec<(usize, f64)>,
    /// how the process becomes what is observed
    pub link: Link,
}

impl SurrogateSettings {
    /// Checks the settings and lays out the parameter vector.
    ///
    /// # Errors
    /// If a size is zero, a number is not finite, or a noise variance is negative.
    pub fn check(self) -> Result<Surrogate> {
        within("dimension", self.dimension, 100_000)?;
        if self.descriptors >= self.dimension {
            let (value, must) = (self.descriptors as f64, "below the dimension");
            return Err(Error::OutOfRange {
                what: "coordinates that describe a task",
                value,
                must,
            });
        }
        within("number of levels", self.levels, 1_000)?;
        within("number of tasks", self.earlier.sources(), 10_000)?;
        if let InputKernel::Deep { widths } = &self.input {
            within("number of layers", widths.len(), 32)?;
            widths.iter().try_for_each(|width| within("width of a layer", *width, 4_096))?;
        }
        if let Some(beyond) = self.drifting.iter().find(|(i, _)| *i >= self.searched()) {
            let must = "below the dimension without descriptors, counted from 0";
            let value = beyond.0 as f64;
            return Err(Error::OutOfRange { what: "drifting coordinate", value, must });
        }
        if let Mean::Constant(mean) = &self.mean {
            all_finite("prior mean", &[*mean])?;
        }
        if let Noise::Known(variances) = &self.noise {
            same_size("noise variances, one per level", self.levels, variances.len())?;
            all_finite("noise variance", variances)?;
            if let Some(value) = variances.iter().find(|v| **v < 0.0) {
                let must = "zero or more";
                return Err(Error::OutOfRange { what: "noise variance", value: *value, must });
            }
        }
        Ok(Surrogate::lay_out(self))
    }

    /// Coordinates that do not describe the task.
    fn searched(&self) -> usize {
        self.dimension - self.descriptors
    }
}

/// Sizes are limited so that no count of parameters can overflow.
fn within(what: &'static str, value: usize, most: usize) -> Result<()> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    let must = "at least 1 and of a size that fits into memory";
    Err(Error::OutOfRange { what, value: value as f64, must })
}

/// A checked model: a Gaussian process over points and levels for every `theta`.
#[derive(Debug, Clone, PartialEq)]
pub struct Surrogate {
    settings: SurrogateSettings,
    features: FeatureMap,
    layout: Layout,
    feature_range: Range<usize>,
    scale_range: Range<usize>,
    roughness_range: Range<usize>,
    fidelity_range: Range<usize>,
    mean_range: Range<usize>,
    noise_range: Range<usize>,
    relatedness_range: Range<usize>,
    drift_range: Range<usize>,
}

/// What a parameter vector means: everything but the features, unpacked.
#[derive(Debug, Clone)]
pub(super) struct Parameters {
    /// variance of the input kernel
    pub scale: f64,
    /// its shape
    pub radial: Radial,
    /// covariance between levels of this task, followed by those of earlier ones
    pub kappa: Mat<f64>,
    pub mean: f64,
    /// noise variance per level, earlier tasks included
    pub noise: Vec<f64>,
}

impl Surrogate {
    fn lay_out(settings: SurrogateSettings) -> Self {
        let features = settings.input.feature_map();
        let mut layout = Layout::default();
        let feature_range =
            layout.extend(features.blocks(settings.searched(), settings.descriptors));
        let if_true = |wanted: bool, name: &str, size: usize| -> Vec<Block> {
            if wanted { vec![Block::new(name, [size])] } else { Vec::new() }
        };
        let scaled = settings.input.has_output_scale();
        let scale_range = layout.extend(if_true(scaled, "log_outputscale", 1));
        let mixed = settings.input == InputKernel::Mixed;
        let roughness_range = layout.extend(if_true(mixed, "roughness", 1));
        let fidelity_range = layout.extend(settings.fidelity.blocks(settings.levels));
        let learned_mean = settings.mean == Mean::Learned;
        let mean_range = layout.extend(if_true(learned_mean, "mean", 1));
        let learned_noise = settings.noise == Noise::Learned;
        let noise_range = layout.extend(if_true(learned_noise, "log_noise", settings.levels));
        let related = settings.earlier != Earlier::None;
        let relatedness_range = layout.extend(if_true(related, "relatedness", 1));
        let drifts = related && !settings.drifting.is_empty();
        let drift_range = layout.extend(if_true(drifts, "drift", settings.drifting.len()));
        Self {
            settings,
            features,
            layout,
            feature_range,
            scale_range,
            roughness_range,
            fidelity_range,
            mean_range,
            noise_range,
            relatedness_range,
            drift_range,
        }
    }

    /// The same without a place of its own for what tasks share: the drift is the last block.
    #[must_use]
    pub fn without_drift(&self) -> Self {
        Self::lay_out(SurrogateSettings { drifting: Vec::new(), ..self.settings.clone() })
    }

    /// What the surrogate is made of.
    pub fn settings(&self) -> &SurrogateSettings {
        &self.settings
    }

    /// Which model this is, sizes apart: what a parameter vector means depends on it.
    pub fn name(&self) -> String {
        let input = match self.settings.input {
            InputKernel::Deep { .. } => "deep",
            InputKernel::Rbf => "rbf",
            InputKernel::Matern52 => "matern52",
            InputKernel::Mixed => "mixed",
        };
        let fidelity = match self.settings.fidelity {
            FidelityKernel::Rbf => "rbf",
            FidelityKernel::Linear => "linear",
            FidelityKernel::Chain => "chain",
            FidelityKernel::Free => "free",
        };
        let link = match self.settings.link {
            Link::Identity => "",
            Link::Sinh => ", sinh link",
        };
        format!("{input} kernel, {fidelity} over fidelities{link}")
    }

    /// How `theta` is divided.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Length of `theta`.
    pub fn parameter_count(&self) -> usize {
        self.layout.size()
    }

    /// Coordinates of a point, those that describe its task included.
    pub fn dimension(&self) -> usize {
        self.settings.dimension
    }

    /// Where in `theta` the log length scales of the descriptors lie, for kernels that have them.
    pub fn descriptor_range(&self) -> Range<usize> {
        let scaled = self.features == FeatureMap::Scaled;
        let count = if scaled { self.settings.descriptors } else { 0 };
        self.feature_range.end - count..self.feature_range.end
    }

    /// Number of levels of a task.
    pub fn levels(&self) -> usize {
        self.settings.levels
    }

    /// Number of levels of this task and all earlier ones: level `m` of source `s` is `s M + m`.
    pub fn all_levels(&self) -> usize {
        self.settings.levels * self.settings.earlier.sources()
    }

    pub(super) fn features(&self) -> &FeatureMap {
        &self.features
    }

    pub(super) fn feature_range(&self) -> Range<usize> {
        self.feature_range.clone()
    }

    pub(super) fn scale_range(&self) -> Range<usize> {
        self.scale_range.clone()
    }

    /// Where the share of the rough part lies, as `z` in `1 / (1 + exp(-z))`.
    pub(super) fn roughness_range(&self) -> Range<usize> {
        self.roughness_range.clone()
    }

    pub(super) fn fidelity_range(&self) -> Range<usize> {
        self.fidelity_range.clone()
    }

    pub(super) fn mean_range(&self) -> Range<usize> {
        self.mean_range.clone()
    }

    pub(super) fn noise_range(&self) -> Range<usize> {
        self.noise_range.clone()
    }

    pub(crate) fn relatedness_range(&self) -> Range<usize> {
        self.relatedness_range.clone()
    }

    /// Where in `theta` the place of the shared function lies.
    pub fn drift_range(&self) -> Range<usize> {
        self.drift_range.clone()
    }

    pub(super) fn unpack(&self, theta: &[f64]) -> Result<Parameters> {
        same_size("parameters", self.parameter_count(), theta.len())?;
        all_finite("parameter", theta)?;
        let mean = match self.settings.mean {
            Mean::Zero => 0.0,
            Mean::Constant(value) => value,
            Mean::Learned => theta[self.mean_range.start],
        };
        let noise = match &self.settings.noise {
            Noise::Known(variances) => variances.clone(),
            Noise::Learned => theta[self.noise_range()].iter().map(|z| z.exp()).collect(),
        };
        let earlier = self.settings.earlier;
        let within = self.settings.fidelity.matrix(&theta[self.fidelity_range()], self.levels());
        let rough = theta[self.roughness_range()].first().map_or(0.0, |z| sigmoid(*z));
        Ok(Parameters {
            radial: self.settings.input.radial(rough),
            scale: theta[self.scale_range()].iter().map(|z| z.exp()).product(),
            kappa: earlier.extend(&within, theta[self.relatedness_range()].first()),
            mean,
            noise: earlier.extend_noise(noise),
        })
    }

    pub(super) fn check_history(&self, history: &History) -> Result<()> {
        same_size("dimension of the observations", self.dimension(), history.dimension())?;
        let beyond = history.levels().iter().find(|level| **level >= self.all_levels());
        beyond.map_or(Ok(()), |level| self.check_level(*level))
    }

    pub(super) fn check_level(&self, level: usize) -> Result<()> {
        if level < self.levels() {
            return Ok(());
        }
        let must = "below the number of levels, counted from 0";
        Err(Error::OutOfRange { what: "level of an observation", value: level as f64, must })
    }

    pub(super) fn check_points(&self, points: MatRef<'_, f64>) -> Result<()> {
        same_size("dimension of the points", self.dimension(), points.nrows())?;
        let column = |j: usize| points.col(j).iter().copied().collect::<Vec<f64>>();
        (0..points.ncols()).try_for_each(|j| match points.col(j).try_as_col_major() {
            Some(column) => all_finite("coordinate", column.as_slice()),
            None => all_finite("coordinate", &column(j)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> SurrogateSettings {
        SurrogateSettings {
            dimension: 3,
            descriptors: 0,
            levels: 2,
            input: InputKernel::Rbf,
            fidelity: FidelityKernel::Free,
            mean: Mean::Learned,
            noise: Noise::Learned,
            earlier: Earlier::None,
            drifting: Vec::new(),
            link: Link::Identity,
        }
    }

    #[test]
    fn blocks_follow_the_documented_order() {
        let surrogate = settings().check().unwrap();
        let names: Vec<&str> =
            surrogate.layout().blocks().iter().map(|block| block.name.as_str()).collect();
        let expected =
            ["log_lengthscales", "log_outputscale", "fidelity_factor", "mean", "log_noise"];
        assert_eq!(names, expected);
        assert_eq!(surrogate.parameter_count(), 3 + 1 + 4 + 1 + 2);
        let mixed = SurrogateSettings { input: InputKernel::Mixed, ..settings() }.check().unwrap();
        assert_eq!(
            (mixed.layout().blocks()[2].name.as_str(), mixed.roughness_range()),
            ("roughness", 4..5)
        );
        let paper = SurrogateSettings {
            dimension: 6,
            descriptors: 0,
            levels: 4,
            input: InputKernel::deep(),
            fidelity: FidelityKernel::Rbf,
            mean: Mean::Zero,
            noise: Noise::Known(vec![0.1; 4]),
            earlier: Earlier::None,
            drifting: Vec::new(),
            link: Link::Identity,
        };
        assert_eq!(paper.check().unwrap().parameter_count(), 8769);
    }

    #[test]
    fn impossible_settings_are_refused_with_the_value() {
        let refuse = |settings: SurrogateSettings| settings.check().unwrap_err().to_string();
        assert!(
            refuse(SurrogateSettings { dimension: 0, ..settings() }).contains("dimension is 0")
        );
        let noise = Noise::Known(vec![0.1]);
        assert!(refuse(SurrogateSettings { noise, ..settings() }).contains("expected 2, got 1"));
        let noise = Noise::Known(vec![0.1, -2.0]);
        assert!(refuse(SurrogateSettings { noise, ..settings() }).contains("-2"));
        let mean = Mean::Constant(f64::NAN);
        assert!(refuse(SurrogateSettings { mean, ..settings() }).contains("NaN"));
        let input = InputKernel::Deep { widths: vec![4, 0] };
        assert!(refuse(SurrogateSettings { input, ..settings() }).contains("width"));
    }
}
