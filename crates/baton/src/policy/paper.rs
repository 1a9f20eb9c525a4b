//! The paper's methods and their rivals as lists, and the settings that only they have.

use super::Policy;
use super::openings::{DESIGN, RANDOM, WARM_START};
use super::plan::{Agenda, Batch};
use super::planned_batch;
use super::rules::DEFAULT;
use crate::model::{Preset, Stein};
use crate::problem::{Share, Weight};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Algorithms 1 and 2, and (59): nothing but information.
pub(crate) const INFORMATION: Policy = Policy { openings: &[&DESIGN], rules: &[] };
/// (42)-(43) and (60): trials for the future come from a planned batch.
pub(crate) const PLANNED: Policy = Policy { openings: &[&DESIGN], rules: &[&planned_batch::RULE] };
/// Recommended points of earlier tasks first.
pub(crate) const WARM: Policy = Policy { openings: &[&WARM_START, &DESIGN], rules: DEFAULT.rules };
/// Random points at random levels.
pub(crate) const RANDOM_SEARCH: Policy = Policy { openings: &[&DESIGN, &RANDOM], rules: &[] };

/// What only the paper's methods have; what a method cannot use is not there.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum PaperSettings {
    /// no particles: `theta` is drawn or fitted
    None,
    /// Algorithm 2 with `beta = 0`
    Continual(Stein),
    /// Algorithm 2
    MftMes(MftMes),
    /// (59)
    Separation(Separation),
    /// (60) and (42)-(43)
    Planned(Planned),
    /// (37) where `theta` is fitted and the function is handed on
    LaterTasks(LaterTasks),
}

/// The paper's term beside a fitted `theta`, by draws around it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LaterTasks {
    /// weight of what later tasks will use: less in the first task, 0 in the last
    pub beta: Weight,
}

/// Algorithm 2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MftMes {
    /// weight of what later tasks will use
    pub beta: Weight,
    /// the particles
    #[serde(flatten)]
    pub stein: Stein,
}

/// A share of the trials for this task, the others for the future.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Separation {
    /// of this task
    pub c: Share,
    /// the particles
    #[serde(flatten)]
    pub stein: Stein,
}

/// The same with the future's trials planned as a batch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Planned {
    /// whether the batch is planned by the particles handed over instead of draws of the prior
    pub batch_from_particles: bool,
    /// of this task
    pub c: Share,
    /// the particles
    #[serde(flatten)]
    pub stein: Stein,
}

/// Share of this task's trials.
const C: Share = Share::literal(0.6);

/// Of `beta` in a first task: little is known of `theta` there, and to learn about it alone would take
/// most of the budget.
const AT_FIRST: f64 = 0.1;

impl PaperSettings {
    fn stein(preset: Preset) -> Stein {
        match preset {
            Preset::Paper => Stein::paper(),
            Preset::Calibrated => Stein::calibrated(),
            Preset::Default => Stein::everyday(),
        }
    }

    pub(crate) fn continual(preset: Preset) -> Self {
        Self::Continual(Self::stein(preset))
    }

    /// The paper's `beta` is 1.2, and 0.3 where it works best; half of it, since erratum E3 halves the gain
    /// it is weighed against.
    pub(crate) fn mft_mes(preset: Preset) -> Self {
        let beta = Weight::literal(match preset {
            Preset::Paper => 0.6,
            Preset::Calibrated => 0.15,
            Preset::Default => 0.1,
        });
        Self::MftMes(MftMes { beta, stein: Self::stein(preset) })
    }

    pub(crate) fn later_tasks() -> Self {
        Self::LaterTasks(LaterTasks { beta: Weight::literal(0.0) })
    }

    pub(crate) fn separation(preset: Preset) -> Self {
        Self::Separation(Separation { c: C, stein: Self::stein(preset) })
    }

    pub(crate) fn planned(preset: Preset) -> Self {
        let stein = Self::stein(preset);
        Self::Planned(Planned { batch_from_particles: false, c: C, stein })
    }

    /// The particles, where there are any.
    pub(crate) fn particles(&self) -> Option<Stein> {
        match self {
            Self::None | Self::LaterTasks(_) => None,
            Self::Continual(stein)
            | Self::MftMes(MftMes { stein, .. })
            | Self::Separation(Separation { stein, .. })
            | Self::Planned(Planned { stein, .. }) => Some(*stein),
        }
    }

    /// Weight of what later tasks will use in a task: its number, from 0, and whether it is the last.
    pub(crate) fn beta(&self, number: u32, is_last: bool) -> f64 {
        match self {
            Self::LaterTasks(_) if is_last => 0.0,
            Self::LaterTasks(LaterTasks { beta }) if number == 0 => AT_FIRST * **beta,
            Self::LaterTasks(LaterTasks { beta }) | Self::MftMes(MftMes { beta, .. }) => **beta,
            Self::None | Self::Continual(_) | Self::Separation(_) | Self::Planned(_) => 0.0,
        }
    }

    /// Whether that is by draws around a fitted `theta`.
    pub(crate) fn draws(&self) -> bool {
        matches!(self, Self::LaterTasks(_))
    }

    /// What trials are for; `phases` if first all of this task's come.
    pub(crate) fn agenda(&self, phases: bool, beta: f64) -> Agenda {
        match self {
            Self::None | Self::Continual(_) | Self::MftMes(_) | Self::LaterTasks(_) => {
                Agenda::Both { beta }
            }
            Self::Separation(Separation { c, .. }) | Self::Planned(Planned { c, .. }) => {
                if phases {
                    Agenda::Phases { c: **c }
                } else {
                    Agenda::Coin { c: **c }
                }
            }
        }
    }

    pub(crate) fn batch(&self) -> Option<Batch> {
        match *self {
            Self::Planned(Planned { batch_from_particles, stein, .. }) => {
                Some(Batch { stein, from_particles: batch_from_particles })
            }
            _ => None,
        }
    }

    /// Its keys and values.
    pub(crate) fn written(&self) -> serde_json::Result<Value> {
        match self {
            Self::None => Ok(Value::Object(serde_json::Map::new())),
            Self::Continual(stein) => serde_json::to_value(stein),
            Self::MftMes(own) => serde_json::to_value(own),
            Self::Separation(own) => serde_json::to_value(own),
            Self::Planned(own) => serde_json::to_value(own),
            Self::LaterTasks(own) => serde_json::to_value(own),
        }
    }

    /// The same kind with other values.
    pub(crate) fn read(&self, value: Value) -> serde_json::Result<Self> {
        Ok(match self {
            Self::None => Self::None,
            Self::Continual(_) => Self::Continual(serde_json::from_value(value)?),
            Self::MftMes(_) => Self::MftMes(serde_json::from_value(value)?),
            Self::Separation(_) => Self::Separation(serde_json::from_value(value)?),
            Self::Planned(_) => Self::Planned(serde_json::from_value(value)?),
            Self::LaterTasks(_) => Self::LaterTasks(serde_json::from_value(value)?),
        })
    }
}
