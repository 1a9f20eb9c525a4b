//! Methods and presets: names for bundles of settings, nothing more.
//!
//! A method says where `theta` comes from and what a trial is for; a preset says which surrogate,
//! priors, inference and forms of the gains are used.

use crate::Error;
use std::fmt;
use std::str::FromStr;

/// The policies of the paper and their rivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Algorithm 1: `theta` drawn from the prior for every task
    MfMes,
    /// the same with `theta` fitted by (27) as data arrives
    MfMesFitted,
    /// Algorithm 2 with `beta = 0`
    Continual,
    /// Algorithm 2
    MftMes,
    /// (59): a coin decides whether a trial is for this task or for the future
    Separation,
    /// (60): the same, the future's trials planned as a batch without looking at data
    SeparationMyopic,
    /// (42)-(43): first this task, then the planned batch
    TwoPhase,
    /// `mf-mes-fitted` that first tries the best points of earlier tasks
    WarmStart,
    /// random points at random levels
    Random,
    /// what a user gets who sets nothing
    Default,
}

/// Where `theta` comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThetaSource {
    /// one draw from the prior per task
    PriorDraw,
    /// the most probable value, refitted as data arrives
    Map,
    /// particles, carried from task to task
    Particles,
}

/// What trials are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agenda {
    /// both at once, weighted by `beta`
    Both,
    /// this task with probability `c`, else the future
    Coin,
    /// the first share `c` of the rounds for this task, the rest for the future
    Phases,
}

/// How a trial for the future is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Future {
    /// by the gain about `theta`, given all data
    Gain,
    /// from a batch planned before the task
    Batch,
}

/// A method taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    pub source: ThetaSource,
    pub agenda: Agenda,
    pub future: Future,
    /// whether only the top level may be asked for (but for the first design)
    pub top_only: bool,
}

impl Method {
    /// All methods, in the order of the documentation.
    pub const ALL: [Self; 10] = [
        Self::MfMes,
        Self::MfMesFitted,
        Self::Continual,
        Self::MftMes,
        Self::Separation,
        Self::SeparationMyopic,
        Self::TwoPhase,
        Self::WarmStart,
        Self::Random,
        Self::Default,
    ];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::MfMes => "mf-mes",
            Self::MfMesFitted => "mf-mes-fitted",
            Self::Continual => "continual",
            Self::MftMes => "mft-mes",
            Self::Separation => "separation",
            Self::SeparationMyopic => "separation-myopic",
            Self::TwoPhase => "two-phase",
            Self::WarmStart => "warm-start",
            Self::Random => "random",
            Self::Default => "default",
        }
    }

    /// The preset it is used with unless another is asked for.
    pub fn implied_preset(self) -> Preset {
        match self {
            Self::MfMesFitted | Self::WarmStart | Self::Random | Self::Default => Preset::Default,
            _ => Preset::Paper,
        }
    }

    pub(super) fn plan(self) -> Plan {
        let plan = |source, agenda, future, top_only| Plan { source, agenda, future, top_only };
        match self {
            Self::MfMes => plan(ThetaSource::PriorDraw, Agenda::Both, Future::Gain, false),
            Self::MfMesFitted | Self::WarmStart | Self::Random | Self::Default => {
                plan(ThetaSource::Map, Agenda::Both, Future::Gain, false)
            }
            Self::Continual | Self::MftMes => {
                plan(ThetaSource::Particles, Agenda::Both, Future::Gain, false)
            }
            Self::Separation => plan(ThetaSource::Particles, Agenda::Coin, Future::Gain, true),
            Self::SeparationMyopic => {
                plan(ThetaSource::Particles, Agenda::Coin, Future::Batch, true)
            }
            Self::TwoPhase => plan(ThetaSource::Particles, Agenda::Phases, Future::Batch, true),
        }
    }

    /// Whether `beta` may be other than zero.
    pub(super) fn values_the_future(self) -> bool {
        matches!(self, Self::MftMes)
    }
}

/// Which model and inference are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// the paper as printed, made to run
    Paper,
    /// what a user gets who sets nothing
    Default,
}

impl Preset {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Default => "default",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let names = Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|method| method.name() == text).ok_or_else(|| Error::Setting {
            key: "method".into(),
            value: text.into(),
            reason: format!("it must be one of {names}"),
        })
    }
}

impl FromStr for Preset {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "paper" => Ok(Self::Paper),
            "default" => Ok(Self::Default),
            _ => Err(Error::Setting {
                key: "preset".into(),
                value: text.into(),
                reason: "it must be paper or default".into(),
            }),
        }
    }
}
