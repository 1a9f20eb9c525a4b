//! The settings of a campaign: one type, valid at all times.
//!
//! A method and a preset fill in everything; [`Settings::set`] overrides single values by the keys
//! used in files and on the command line, and refuses what it cannot use.

use super::method::{Method, Preset, ThetaSource};
use crate::acquisition::{OptimumGain, SearchEffort, TransferGain};
use crate::belief::{Bandwidth, Step, Svgd};
use crate::error::{Error, Result};
use crate::problem::{Goal, Link, Units};
use crate::surrogate::{FidelityKernel, InputKernel};

/// What is handed on of the function that tasks share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    /// nothing: a task's model knows its own observations only
    None,
    /// equivalent observations, so that the cost per ask does not grow with the number of tasks
    Compact,
    /// the data of all tasks
    Exact,
}

/// How a campaign is run.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // switches that have nothing to do with each other
pub struct Settings {
    pub(super) method: Method,
    pub(super) preset: Preset,
    pub(super) seed: u64,
    pub(super) campaign: u64,
    pub(super) beta: f64,
    pub(super) c: f64,
    pub(super) particles: usize,
    pub(super) max_values: usize,
    pub(super) optimum_gain: OptimumGain,
    pub(super) transfer_gain: TransferGain,
    pub(super) kernel: InputKernel,
    pub(super) fidelity_kernel: FidelityKernel,
    pub(super) prior_variance: f64,
    pub(super) fan_in_scaling: bool,
    pub(super) svgd: Svgd,
    pub(super) kde_variance: f64,
    pub(super) refit_every: usize,
    pub(super) initial: Option<usize>,
    pub(super) search: SearchEffort,
    pub(super) offset: Option<f64>,
    pub(super) scale: Option<f64>,
    pub(super) charge_failed: bool,
    pub(super) batch_from_particles: bool,
    /// how values are bent before they are modelled
    pub(super) link: Link,
    pub(super) transfer: Transfer,
    /// whether what was handed over has to prove itself against a cold start
    pub(super) guard: bool,
    /// whether places where earlier tasks had their best are tried when this one shows nothing
    pub(super) hills: bool,
    /// whether trials go where a large part of the space has been left unseen
    pub(super) cover: bool,
    /// whether the last trial at the truth goes to the point that would be recommended
    pub(super) confirm: bool,
    /// share of the trials of the second and third task that look for better basins; less later
    pub(super) explore: f64,
    /// how far what tasks share moves from task to task, as a share of the cube's side; 0: not at all
    pub(super) drift: f64,
    /// tasks in all; 0 if unknown
    pub(super) horizon: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self::new(Method::Default)
    }
}

impl Settings {
    /// The settings of a method with the preset it implies.
    pub fn new(method: Method) -> Self {
        Self::with_preset(method, method.implied_preset())
    }

    /// The settings of a method with a given preset.
    pub fn with_preset(method: Method, preset: Preset) -> Self {
        let base = match preset {
            Preset::Paper => Self::paper(method),
            Preset::Default => Self::everyday(method),
        };
        let beta = if method.values_the_future() { base.beta } else { 0.0 };
        // A fit that is never repeated would not be one to the task's data.
        let fitted = method.plan().source == ThetaSource::Map;
        let refit_every = if fitted { 5 } else { base.refit_every };
        // (42) is written with the expected maximum and the noise-free entropy difference.
        let optimum_gain =
            if method == Method::TwoPhase { OptimumGain::Mes } else { base.optimum_gain };
        let carries = method == Method::Default && preset == Preset::Default;
        let transfer = if carries { Transfer::Compact } else { Transfer::None };
        let (cover, confirm) = (carries, carries);
        let explore = if carries { 0.5 } else { 0.0 };
        let drift = if carries { 0.1 } else { 0.0 };
        // One posterior is quickly climbed on; docs/performance.md has what fewer starts miss.
        let starts = if carries { 120 } else { base.search.starts };
        let search = SearchEffort { starts, ..base.search };
        let bent = fitted && preset == Preset::Default;
        let link = if bent { Link::Sinh } else { Link::Identity };
        Self {
            beta,
            optimum_gain,
            refit_every,
            search,
            link,
            transfer,
            cover,
            confirm,
            explore,
            drift,
            ..base
        }
    }

    /// The paper as printed, made to run; `beta` is the paper's 1.2 halved, since erratum E3 halves
    /// the gain it is weighed against.
    fn paper(method: Method) -> Self {
        let bandwidth = Bandwidth::Fixed(1.0 / 1.326);
        Self {
            method,
            preset: Preset::Paper,
            seed: 0,
            campaign: 0,
            beta: 0.6,
            c: 0.6,
            particles: 10,
            max_values: 10,
            optimum_gain: OptimumGain::Noisy,
            transfer_gain: TransferGain::Noisy,
            kernel: InputKernel::deep(),
            fidelity_kernel: FidelityKernel::Rbf,
            prior_variance: 0.5,
            fan_in_scaling: false,
            svgd: Svgd { bandwidth, step: Step::Plain { rate: 1e-3 }, steps: 2000 },
            kde_variance: 0.5,
            refit_every: 0,
            initial: None,
            search: SearchEffort { candidates: 128, starts: 24, walks: 24, iterations: 40 },
            offset: None,
            scale: None,
            charge_failed: true,
            batch_from_particles: false,
            link: Link::Identity,
            transfer: Transfer::None,
            guard: true,
            hills: true,
            cover: false,
            confirm: false,
            explore: 0.0,
            drift: 0.0,
            horizon: 0,
        }
    }

    fn everyday(method: Method) -> Self {
        let svgd =
            Svgd { bandwidth: Bandwidth::Median, step: Step::Adam { rate: 0.05 }, steps: 80 };
        Self {
            preset: Preset::Default,
            beta: 0.1,
            particles: 6,
            optimum_gain: OptimumGain::Gibbon,
            transfer_gain: TransferGain::Exact,
            kernel: InputKernel::Mixed,
            fidelity_kernel: FidelityKernel::Chain,
            svgd,
            kde_variance: 0.1,
            refit_every: 5,
            // A prediction costs little here; docs/performance.md has what less of it misses.
            search: SearchEffort { candidates: 1000, starts: 40, walks: 40, iterations: 40 },
            ..Self::paper(method)
        }
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The preset.
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// The same settings with another seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same settings for another campaign: with one seed, campaigns draw different numbers.
    #[must_use]
    pub fn campaign(self, campaign: u64) -> Self {
        Self { campaign, ..self }
    }

    /// Whether units that were handed over are the ones asked for, where any were.
    pub(super) fn check_units(&self, goal: Goal, units: Option<&Units>) -> Result<()> {
        let (Some(known), true) = (units, self.offset.is_some() || self.scale.is_some()) else {
            return Ok(());
        };
        let asked = Units::new(goal, self.offset.unwrap_or(0.0), self.scale.unwrap_or(1.0))?;
        let asked = asked.with_link(self.link);
        if asked == *known {
            return Ok(());
        }
        let reason = format!("its units are {known:?}, the settings ask for {asked:?}");
        Err(Error::Knowledge { reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_that_were_given_are_the_ones_that_were_handed_on() {
        let mut settings = Settings::default();
        settings.set("offset", "3").unwrap();
        let given = Units::new(Goal::Maximize, 3.0, 1.0).unwrap().with_link(settings.link);
        assert!(settings.check_units(Goal::Maximize, Some(&given)).is_ok());
        settings.set("offset", "4").unwrap();
        assert!(settings.check_units(Goal::Maximize, Some(&given)).is_err());
    }

    #[test]
    fn methods_imply_their_presets() {
        assert_eq!(Settings::new(Method::MftMes).preset(), Preset::Paper);
        assert_eq!(Settings::default().preset(), Preset::Default);
        assert_eq!(Settings::new(Method::Continual).beta, 0.0);
        for method in Method::ALL {
            assert_eq!(method.name().parse::<Method>().unwrap(), method);
        }
        assert!(Settings::new(Method::Continual).set("beta", "1").is_err());
        assert!("mes".parse::<Method>().unwrap_err().to_string().contains("mft-mes"));
        assert!("x".parse::<Preset>().is_err());
    }
}
