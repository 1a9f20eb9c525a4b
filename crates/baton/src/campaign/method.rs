//! Methods: which policy, where `theta` comes from, and what they set unless told otherwise.

use crate::Error;
use crate::model::{Preset, Source};
use crate::policy::{
    DEFAULT, INFORMATION, PLANNED, PaperSettings, Plan, Policy, RANDOM_SEARCH, WARM,
};
use serde::de::value::{Error as Unknown, StrDeserializer};
use serde::de::{Deserialize, IntoDeserializer};
use std::fmt;
use std::str::FromStr;

/// The policies of the paper and their rivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
        if self.is_fitted() { Preset::Default } else { Preset::Calibrated }
    }

    /// Whether `theta` is the most probable one.
    pub(super) fn is_fitted(self) -> bool {
        matches!(self, Self::MfMesFitted | Self::WarmStart | Self::Random | Self::Default)
    }

    /// The list of rules that choose its trials.
    pub(super) fn policy(self) -> &'static Policy {
        match self {
            Self::MfMes | Self::Continual | Self::MftMes | Self::Separation => &INFORMATION,
            Self::SeparationMyopic | Self::TwoPhase => &PLANNED,
            Self::Random => &RANDOM_SEARCH,
            Self::WarmStart => &WARM,
            Self::MfMesFitted | Self::Default => &DEFAULT,
        }
    }

    /// What only it has.
    pub(super) fn paper_settings(self, preset: Preset) -> PaperSettings {
        match self {
            Self::MfMes | Self::MfMesFitted | Self::WarmStart | Self::Random => PaperSettings::None,
            Self::Default => PaperSettings::later_tasks(),
            Self::Continual => PaperSettings::continual(preset),
            Self::MftMes => PaperSettings::mft_mes(preset),
            Self::Separation => PaperSettings::separation(preset),
            Self::SeparationMyopic | Self::TwoPhase => PaperSettings::planned(preset),
        }
    }

    /// Where `theta` comes from.
    pub(super) fn source(self, own: &PaperSettings) -> Source {
        match own.particles() {
            Some(stein) => Source::Particles(stein),
            None if self.is_fitted() => Source::Map,
            None => Source::PriorDraw,
        }
    }

    /// How its trials are meant, with this weight of what later tasks will use.
    pub(super) fn plan(self, own: &PaperSettings, beta: f64) -> Plan {
        let top_only = matches!(self, Self::Separation | Self::SeparationMyopic | Self::TwoPhase);
        Plan { agenda: own.agenda(self == Self::TwoPhase, beta), batch: own.batch(), top_only }
    }
}

impl fmt::Display for Method {
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

impl Preset {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Calibrated => "calibrated",
            Self::Default => "default",
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let name: StrDeserializer<'_, Unknown> = text.into_deserializer();
        Self::deserialize(name).map_err(|_| Error::Setting {
            key: "preset".into(),
            value: text.into(),
            reason: "it must be paper, calibrated or default".into(),
        })
    }
}
