//! Settings by the keys of files and the command line, there and back.

use super::method::ThetaSource;
use super::settings::{Settings, Transfer};
use crate::acquisition::{OptimumGain, TransferGain};
use crate::belief::{Bandwidth, Step};
use crate::error::{Error, Result};
use crate::problem::Link;
use crate::surrogate::{FidelityKernel, InputKernel};

impl Settings {
    /// Changes one setting by its key.
    ///
    /// # Errors
    /// If the key is unknown or the value cannot be used; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let entry = Entry { key, value };
        match key {
            "seed" => self.seed = entry.whole(0, u64::MAX)?,
            "campaign" => self.campaign = entry.whole(0, u64::MAX)?,
            "beta" => {
                let beta = entry.number(0.0, MOST_BETA)?;
                if beta != 0.0 && !self.method.values_the_future() {
                    return Err(entry.refuse(format!("the method {} has no beta", self.method)));
                }
                self.beta = beta;
            }
            "c" => self.c = entry.number(0.0, 1.0)?,
            "particles" => self.particles = entry.whole(1, 10_000)?,
            "max_values" => self.max_values = entry.whole(1, MOST)?,
            "optimum_gain" => self.optimum_gain = entry.one_of(&OPTIMUM_GAINS)?,
            "transfer_gain" => self.transfer_gain = entry.one_of(&TRANSFER_GAINS)?,
            "kernel" => {
                let deep = match &self.kernel {
                    InputKernel::Deep { .. } => self.kernel.clone(), // widths set before are kept
                    _ => InputKernel::deep(),
                };
                let kernels = [
                    ("deep", deep),
                    ("rbf", InputKernel::Rbf),
                    ("matern52", InputKernel::Matern52),
                    ("mixed", InputKernel::Mixed),
                ];
                self.kernel = entry.one_of(&kernels)?;
            }
            "widths" => self.kernel = InputKernel::Deep { widths: entry.widths()? },
            "fidelity_kernel" => self.fidelity_kernel = entry.one_of(&FIDELITY_KERNELS)?,
            "prior_variance" => self.prior_variance = entry.positive()?,
            "fan_in_scaling" => self.fan_in_scaling = entry.one_of(&TRUTHS)?,
            "svgd_steps" => self.svgd.steps = entry.whole(0, MOST)?,
            "svgd_rate" => {
                let rate = entry.positive()?;
                let (Step::Plain { rate: slot } | Step::Adam { rate: slot }) = &mut self.svgd.step;
                *slot = rate;
            }
            "svgd_step" => {
                let (Step::Plain { rate } | Step::Adam { rate }) = self.svgd.step;
                let steps = [("plain", Step::Plain { rate }), ("adam", Step::Adam { rate })];
                self.svgd.step = entry.one_of(&steps)?;
            }
            "svgd_bandwidth" => {
                self.svgd.bandwidth = match value {
                    "median" => Bandwidth::Median,
                    _ => Bandwidth::Fixed(entry.positive()?),
                };
            }
            "kde_variance" => self.kde_variance = entry.positive()?,
            "refit_every" => self.refit_every = entry.whole(0, MOST)?,
            "initial" => self.initial = Some(entry.whole(0, MOST)?),
            "candidates" => self.search.candidates = entry.whole(1, MOST)?,
            "starts" => self.search.starts = entry.whole(1, 10_000)?,
            "walks" => self.search.walks = entry.whole(1, 10_000)?,
            "iterations" => self.search.iterations = entry.whole(0, MOST)?,
            "offset" => self.offset = Some(entry.number(f64::MIN, f64::MAX)?),
            "scale" => self.scale = Some(entry.positive()?),
            "charge_failed" => self.charge_failed = entry.one_of(&TRUTHS)?,
            "batch_from_particles" => self.batch_from_particles = entry.one_of(&TRUTHS)?,
            "link" => {
                let link = entry.one_of(&LINKS)?;
                if link != Link::Identity && self.method.plan().source != ThetaSource::Map {
                    let reason = format!("the method {} works without a link", self.method);
                    return Err(entry.refuse(reason));
                }
                self.link = link;
            }
            "transfer" => self.transfer = entry.one_of(&TRANSFERS)?,
            "guard" => self.guard = entry.one_of(&TRUTHS)?,
            "hills" => self.hills = entry.one_of(&TRUTHS)?,
            "cover" => self.cover = entry.one_of(&TRUTHS)?,
            "confirm" => self.confirm = entry.one_of(&TRUTHS)?,
            "drift" => self.drift = entry.number(0.0, 1.0)?,
            "explore" => self.explore = entry.number(0.0, 1.0)?,
            "horizon" => self.horizon = entry.whole(0, MOST)?,
            _ => return Err(entry.refuse(format!("there is no such key; the keys are {KEYS}"))),
        }
        Ok(())
    }

    /// Every key with its value: setting these again gives the same settings.
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        let (step, rate) = match self.svgd.step {
            Step::Plain { rate } => ("plain", rate),
            Step::Adam { rate } => ("adam", rate),
        };
        let bandwidth = match self.svgd.bandwidth {
            Bandwidth::Median => "median".to_owned(),
            Bandwidth::Fixed(h) => h.to_string(),
        };
        let mut entries = vec![
            ("method", self.method.to_string()),
            ("preset", self.preset.to_string()),
            ("seed", self.seed.to_string()),
            ("campaign", self.campaign.to_string()),
            ("beta", self.beta.to_string()),
            ("c", self.c.to_string()),
            ("particles", self.particles.to_string()),
            ("max_values", self.max_values.to_string()),
            ("optimum_gain", name_of(&OPTIMUM_GAINS, self.optimum_gain)),
            ("transfer_gain", name_of(&TRANSFER_GAINS, self.transfer_gain)),
            ("fidelity_kernel", name_of(&FIDELITY_KERNELS, self.fidelity_kernel)),
            ("prior_variance", self.prior_variance.to_string()),
            ("fan_in_scaling", self.fan_in_scaling.to_string()),
            ("svgd_steps", self.svgd.steps.to_string()),
            ("svgd_step", step.to_owned()),
            ("svgd_rate", rate.to_string()),
            ("svgd_bandwidth", bandwidth),
            ("kde_variance", self.kde_variance.to_string()),
            ("refit_every", self.refit_every.to_string()),
            ("candidates", self.search.candidates.to_string()),
            ("starts", self.search.starts.to_string()),
            ("walks", self.search.walks.to_string()),
            ("iterations", self.search.iterations.to_string()),
            ("charge_failed", self.charge_failed.to_string()),
            ("batch_from_particles", self.batch_from_particles.to_string()),
            ("link", name_of(&LINKS, self.link)),
            ("transfer", name_of(&TRANSFERS, self.transfer)),
            ("guard", self.guard.to_string()),
            ("hills", self.hills.to_string()),
            ("cover", self.cover.to_string()),
            ("confirm", self.confirm.to_string()),
            ("drift", self.drift.to_string()),
            ("explore", self.explore.to_string()),
            ("horizon", self.horizon.to_string()),
        ];
        match &self.kernel {
            InputKernel::Rbf => entries.push(("kernel", "rbf".into())),
            InputKernel::Matern52 => entries.push(("kernel", "matern52".into())),
            InputKernel::Mixed => entries.push(("kernel", "mixed".into())),
            InputKernel::Deep { widths } => {
                let widths: Vec<String> = widths.iter().map(ToString::to_string).collect();
                entries.push(("widths", widths.join(",")));
            }
        }
        entries.extend(self.initial.map(|count| ("initial", count.to_string())));
        entries.extend(self.offset.map(|offset| ("offset", offset.to_string())));
        entries.extend(self.scale.map(|scale| ("scale", scale.to_string())));
        entries
    }
}

fn name_of<T: PartialEq + Copy>(choices: &[(&str, T)], value: T) -> String {
    let found = choices.iter().find(|(_, choice)| *choice == value);
    found.map_or_else(String::new, |(name, _)| (*name).to_owned())
}

/// Every key that [`Settings::set`] knows.
pub const KEYS: &str = "seed, campaign, beta, c, particles, max_values, optimum_gain, transfer_gain, kernel, \
    widths, fidelity_kernel, prior_variance, fan_in_scaling, svgd_steps, svgd_rate, svgd_step, \
    svgd_bandwidth, kde_variance, refit_every, initial, candidates, starts, walks, iterations, \
    offset, scale, charge_failed, batch_from_particles, link, transfer, guard, hills, cover, \
    confirm, drift, explore, horizon";

const OPTIMUM_GAINS: [(&str, OptimumGain); 5] = [
    ("printed", OptimumGain::Printed),
    ("corrected", OptimumGain::Corrected),
    ("noisy", OptimumGain::Noisy),
    ("gibbon", OptimumGain::Gibbon),
    ("mes", OptimumGain::Mes),
];
const TRANSFER_GAINS: [(&str, TransferGain); 3] = [
    ("printed", TransferGain::Printed),
    ("noisy", TransferGain::Noisy),
    ("exact", TransferGain::Exact),
];
const FIDELITY_KERNELS: [(&str, FidelityKernel); 4] = [
    ("rbf", FidelityKernel::Rbf),
    ("linear", FidelityKernel::Linear),
    ("chain", FidelityKernel::Chain),
    ("free", FidelityKernel::Free),
];
const LINKS: [(&str, Link); 2] = [("identity", Link::Identity), ("sinh", Link::Sinh)];
const TRANSFERS: [(&str, Transfer); 3] =
    [("none", Transfer::None), ("compact", Transfer::Compact), ("exact", Transfer::Exact)];
const TRUTHS: [(&str, bool); 2] = [("true", true), ("false", false)];

/// Sizes beyond this would exhaust memory before they helped.
const MOST: u64 = 1_000_000;
/// Weights beyond this leave nothing of the gain they are weighed against.
const MOST_BETA: f64 = 1e6;

/// A key with the value asked for.
struct Entry<'a> {
    key: &'a str,
    value: &'a str,
}

impl Entry<'_> {
    fn refuse(&self, reason: String) -> Error {
        Error::Setting { key: self.key.to_owned(), value: self.value.to_owned(), reason }
    }

    fn number(&self, low: f64, high: f64) -> Result<f64> {
        match self.value.parse::<f64>() {
            Ok(number) if number >= low && number <= high => Ok(number),
            _ => Err(self.refuse(match (low, high) {
                (_, f64::MAX) if low == 0.0 => "it must be a number, zero or more".into(),
                (_, f64::MAX) => "it must be a finite number".into(),
                _ => format!("it must be a number between {low} and {high}"),
            })),
        }
    }

    fn positive(&self) -> Result<f64> {
        match self.value.parse::<f64>() {
            Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
            _ => Err(self.refuse("it must be a positive number".into())),
        }
    }

    fn whole<T: FromNumber>(&self, least: u64, most: u64) -> Result<T> {
        let number = self.value.parse::<u64>().ok().filter(|n| (least..=most).contains(n));
        let refused =
            || self.refuse(format!("it must be a whole number between {least} and {most}"));
        number.and_then(T::from_number).ok_or_else(refused)
    }

    fn one_of<T: Clone>(&self, choices: &[(&str, T)]) -> Result<T> {
        let found = choices.iter().find(|(name, _)| *name == self.value);
        found.map(|(_, choice)| choice.clone()).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.refuse(format!("it must be one of {}", names.join(", ")))
        })
    }

    fn widths(&self) -> Result<Vec<usize>> {
        let widths: Option<Vec<usize>> = self
            .value
            .split(',')
            .map(|part| part.trim().parse().ok().filter(|width| (1..=4_096).contains(width)))
            .collect();
        let widths = widths.filter(|widths| widths.len() <= 32);
        widths.ok_or_else(|| self.refuse("it must be layer widths such as 64,64,64".into()))
    }
}

/// Whole numbers of the sizes settings have.
trait FromNumber: Sized {
    fn from_number(number: u64) -> Option<Self>;
}

impl FromNumber for u64 {
    fn from_number(number: u64) -> Option<Self> {
        Some(number)
    }
}

impl FromNumber for u32 {
    fn from_number(number: u64) -> Option<Self> {
        number.try_into().ok()
    }
}

impl FromNumber for usize {
    fn from_number(number: u64) -> Option<Self> {
        number.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::Method;

    #[test]
    fn every_key_can_be_set_and_nonsense_is_refused() {
        let mut settings = Settings::new(Method::MftMes);
        for key in KEYS.split(", ") {
            let value = match key.trim() {
                "optimum_gain" | "transfer_gain" => "noisy",
                "kernel" => "deep",
                "widths" => "8, 4",
                "fidelity_kernel" => "free",
                "svgd_step" => "plain",
                "svgd_bandwidth" => "median",
                "fan_in_scaling"
                | "charge_failed"
                | "batch_from_particles"
                | "guard"
                | "hills"
                | "cover"
                | "confirm" => "true",
                "link" => "identity",
                "transfer" => "none",
                _ => "1",
            };
            settings.set(key.trim(), value).unwrap();
            let before = settings.clone();
            let refused = settings.set(key.trim(), "nonsense").unwrap_err().to_string();
            assert!(refused.contains(key.trim()) && refused.contains("nonsense"), "{refused}");
            assert_eq!(settings, before);
        }
        assert_eq!(settings.kernel, InputKernel::Deep { widths: vec![8, 4] });
        assert!(settings.set("betta", "1").unwrap_err().to_string().contains("beta"));
        for (key, value) in [("beta", "-1"), ("beta", "NaN"), ("c", "1.1"), ("particles", "0")] {
            assert!(settings.set(key, value).is_err(), "{key} {value}");
        }
    }

    #[test]
    fn settings_that_a_method_cannot_use_are_refused() {
        assert!(Settings::default().set("beta", "1").is_err());
        assert!(Settings::new(Method::MftMes).set("link", "sinh").is_err());
        assert!(Settings::new(Method::MfMesFitted).set("link", "sinh").is_ok());
    }

    #[test]
    fn entries_lead_back_to_the_settings() {
        for method in Method::ALL {
            let mut settings = Settings::new(method);
            settings.set("particles", "4").unwrap();
            settings.set("offset", "-0.25").unwrap();
            let settings = settings.campaign(7);
            let mut again = Settings::new(method);
            for (key, value) in &settings.entries()[2..] {
                again.set(key, value).unwrap();
            }
            assert_eq!(again, settings);
        }
    }
}
