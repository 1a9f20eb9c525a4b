//! What each figure shows and which studies it needs.
//!
//! `beta` is the paper's. Where the gain about the optimum is the corrected one, half of it is used:
//! as printed, (22) lacks a square root, which doubles the gain that `beta` is weighed against (E3).

use crate::records::complete_version;
use crate::summary::TaskSummary;
use crate::{LabError, Spec};
use baton::{Method, Preset, Settings};
use std::path::Path;

/// The names of all figures.
pub const FIGURES: [&str; 10] = [
    "fig3",
    "fig4",
    "fig5",
    "fig6",
    "fig7",
    "fig8",
    "fig9",
    "fig10",
    "moving-hartmann6",
    "moving-gas",
];

/// How results become a picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// score against the number of tasks, a curve per study
    OverTasks,
    /// a surface over a setting and the number of tasks; studies without a value are reference lines
    Surface {
        /// the setting's name
        axis: &'static str,
    },
    /// score against a setting, a curve per number of tasks; studies without a value are flat lines
    OverValue {
        /// the setting's name
        axis: &'static str,
        /// numbers of tasks
        at: Vec<u32>,
    },
}

/// One curve, or one line of a surface.
#[derive(Debug, Clone)]
pub struct Study {
    /// its name in the legend
    pub label: String,
    /// the setting on the axis
    pub value: Option<f64>,
    /// whether it is there to be compared with only
    pub is_grey: bool,
    /// what is run
    pub spec: Spec,
}

/// A figure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// its name, also of its files
    pub name: &'static str,
    /// its title
    pub title: &'static str,
    /// what kind of picture it is
    pub shape: Shape,
    /// what it needs
    pub studies: Vec<Study>,
}

/// A study with its results.
pub struct Measured<'a> {
    /// what was run
    pub study: &'a Study,
    /// its results by task
    pub tasks: Vec<TaskSummary>,
}

impl Plan {
    /// The figure of that name, with its number of experiments or another.
    ///
    /// # Errors
    /// If there is no such figure.
    pub fn new(name: &str, experiments: Option<u32>) -> Result<Self, LabError> {
        let mut plan = match name {
            "fig3" => particles_figure()?,
            "fig4" => beta_surface()?,
            "fig5" => against_tasks("fig5", "Radio resource management", "radio", 10)?,
            "fig6" => against_beta("fig6", "Radio: weight of the future", "radio", &RADIO)?,
            "fig7" => variants_figure()?,
            "fig8" => phases_surface()?,
            "fig9" => against_tasks("fig9", "Gas source estimation", "gas", 17)?,
            "fig10" => against_beta("fig10", "Gas source: weight of the future", "gas", &GAS)?,
            "moving-hartmann6" => {
                moving("moving-hartmann6", "Hartmann-6 with a moving optimum", "hartmann6-shifted")?
            }
            "moving-gas" => moving("moving-gas", "Gas source that moves", "gas-moving")?,
            _ => {
                let (name, known) = (name.to_owned(), FIGURES.join(", "));
                return Err(LabError::Figure { name, known });
            }
        };
        for study in &mut plan.studies {
            study.spec.experiments = experiments.unwrap_or(study.spec.experiments);
        }
        Ok(plan)
    }

    /// Takes studies that another version has completed as they are, where this one has not.
    pub fn accept_other_versions(&mut self, results: &Path) {
        for Study { spec, .. } in &mut self.studies {
            if let Some(found) = complete_version(results, spec) {
                *spec = found;
            }
        }
    }

    /// The commands that run every experiment of the figure by itself.
    ///
    /// # Errors
    /// If a study has no such problem.
    pub fn commands(&self, out: &str) -> Result<Vec<String>, LabError> {
        let of_study = |Study { spec, .. }: &Study| {
            let seeds = spec.seed..spec.seed + u64::from(spec.experiments);
            seeds.map(|seed| spec.command(seed, out)).collect::<Result<Vec<_>, _>>()
        };
        let all = self.studies.iter().map(of_study).collect::<Result<Vec<_>, _>>()?;
        Ok(all.concat())
    }
}

/// A grid of weights and the numbers of tasks at which they are compared.
struct Grid {
    betas: &'static [f64],
    at: [u32; 2],
    experiments: u32,
}

const RADIO: Grid = Grid { betas: &[0.0, 0.3, 1.2, 2.4], at: [5, 10], experiments: 30 };
const GAS: Grid = Grid { betas: &[0.0, 0.1, 0.3, 0.6, 1.2, 2.4], at: [7, 17], experiments: 30 };
const BETAS: [f64; 7] = [0.0, 0.1, 0.3, 0.6, 1.2, 1.8, 2.4];
const FUTURE_SHARES: [f64; 4] = [0.0, 0.2, 0.4, 0.6];
/// Where the paper's claims hold; it has 1.2 to 1.6.
const BETA: f64 = 0.3;
/// Of the paper's reading, which is there to be seen, not to be measured to the last digit.
const FEW: u32 = 30;

fn study(
    problem: &str,
    (method, preset): (Method, Preset),
    sets: &[(&str, f64)],
    (tasks, experiments): (u32, u32),
) -> Result<Study, LabError> {
    let mut settings = Settings::with_preset(method, preset);
    for (key, value) in sets {
        settings.set(key, &value.to_string())?;
    }
    let spec = Spec { tasks, experiments, ..Spec::new(problem, settings)? };
    let is_grey = preset == Preset::Paper;
    let label = if is_grey { format!("paper: {method}") } else { method.to_string() };
    Ok(Study { label, value: None, is_grey, spec })
}

fn calibrated(problem: &str, method: Method, counts: (u32, u32)) -> Result<Study, LabError> {
    study(problem, (method, Preset::Calibrated), &[], counts)
}

/// MFT-MES with the paper's weight; without one it is Continual MF-MES.
fn weighted(problem: &str, beta: f64, counts: (u32, u32)) -> Result<Study, LabError> {
    let study = if beta == 0.0 {
        calibrated(problem, Method::Continual, counts)?
    } else {
        let method = (Method::MftMes, Preset::Calibrated);
        study(problem, method, &[("beta", 0.5 * beta)], counts)?
    };
    Ok(study.labelled(format!("mft-mes, beta {beta}"), Some(beta)))
}

impl Study {
    fn labelled(self, label: impl Into<String>, value: Option<f64>) -> Self {
        Self { label: label.into(), value, ..self }
    }
}

/// The paper's own reading, and what a user gets who sets nothing.
fn beside(problem: &str, tasks: u32) -> Result<Vec<Study>, LabError> {
    let counts = (tasks, FEW);
    Ok(vec![
        study(problem, (Method::Continual, Preset::Paper), &[], counts)?,
        study(problem, (Method::MftMes, Preset::Paper), &[], counts)?,
        study(problem, (Method::Default, Preset::Default), &[], counts)?,
    ])
}

fn particles_figure() -> Result<Plan, LabError> {
    let (problem, counts) = ("hartmann6", (10, 100));
    let mut studies = vec![calibrated(problem, Method::MfMes, counts)?];
    for (name, sets) in [("continual", &[][..]), ("mft-mes, beta 0.3", &[("beta", 0.5 * BETA)])] {
        let method = if sets.is_empty() { Method::Continual } else { Method::MftMes };
        for particles in [5.0, 10.0] {
            let sets = [&[("particles", particles)], sets].concat();
            let study = study(problem, (method, Preset::Calibrated), &sets, counts)?;
            studies.push(study.labelled(format!("{name}, V = {particles}"), None));
        }
    }
    studies.extend(beside(problem, 10)?);
    let title = "Hartmann-6: regret over tasks";
    Ok(Plan { name: "fig3", title, shape: Shape::OverTasks, studies })
}

fn beta_surface() -> Result<Plan, LabError> {
    let (problem, counts) = ("hartmann6", (10, 30));
    let mut studies = vec![calibrated(problem, Method::MfMes, counts)?];
    for beta in BETAS {
        studies.push(weighted(problem, beta, counts)?);
    }
    let shape = Shape::Surface { axis: "beta" };
    Ok(Plan { name: "fig4", title: "Hartmann-6: weight of the future", shape, studies })
}

fn against_tasks(
    name: &'static str,
    title: &'static str,
    problem: &str,
    tasks: u32,
) -> Result<Plan, LabError> {
    let counts = (tasks, 30);
    let mut studies = vec![
        calibrated(problem, Method::MfMes, counts)?,
        calibrated(problem, Method::Continual, counts)?,
        weighted(problem, BETA, counts)?.labelled(format!("mft-mes, beta {BETA}"), None),
    ];
    studies.extend(beside(problem, tasks)?);
    Ok(Plan { name, title, shape: Shape::OverTasks, studies })
}

fn against_beta(
    name: &'static str,
    title: &'static str,
    problem: &str,
    grid: &Grid,
) -> Result<Plan, LabError> {
    let counts = (grid.at[1], grid.experiments);
    let mut studies = vec![calibrated(problem, Method::MfMes, counts)?];
    studies.push(calibrated(problem, Method::Continual, counts)?);
    for beta in grid.betas {
        studies.push(weighted(problem, *beta, counts)?);
    }
    let shape = Shape::OverValue { axis: "beta", at: grid.at.to_vec() };
    Ok(Plan { name, title, shape, studies })
}

fn variants_figure() -> Result<Plan, LabError> {
    let (problem, counts) = ("hartmann6", (10, 100));
    let mut studies = vec![calibrated(problem, Method::MfMes, counts)?];
    studies.push(calibrated(problem, Method::Continual, counts)?);
    studies.push(weighted(problem, BETA, counts)?.labelled("mft-mes, beta 0.3", None));
    for method in [Method::Separation, Method::SeparationMyopic, Method::TwoPhase] {
        studies.push(calibrated(problem, method, counts)?);
    }
    studies.extend(beside(problem, 10)?);
    let title = "Hartmann-6: simplified variants";
    Ok(Plan { name: "fig7", title, shape: Shape::OverTasks, studies })
}

fn phases_surface() -> Result<Plan, LabError> {
    let (problem, counts) = ("hartmann6", (10, 30));
    let mut studies = vec![
        calibrated(problem, Method::MfMes, counts)?,
        calibrated(problem, Method::Continual, counts)?,
    ];
    for share in FUTURE_SHARES {
        // 1 - 0.6 in floating point is 0.4 and a little; the setting is what would be typed.
        let c = ((1.0 - share) * 10.0).round() / 10.0;
        let two_phase = (Method::TwoPhase, Preset::Calibrated);
        let phases = study(problem, two_phase, &[("c", c)], counts)?;
        studies.push(phases.labelled(format!("two-phase, 1 - c = {share}"), Some(share)));
    }
    let shape = Shape::Surface { axis: "1 - c" };
    Ok(Plan { name: "fig8", title: "Hartmann-6: two phases", shape, studies })
}

fn moving(name: &'static str, title: &'static str, problem: &str) -> Result<Plan, LabError> {
    let counts = (10, 30);
    let one = |method: Method| study(problem, (method, method.implied_preset()), &[], counts);
    let studies = Method::ALL.into_iter().map(one).collect::<Result<Vec<_>, _>>()?;
    Ok(Plan { name, title, shape: Shape::OverTasks, studies })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_plan_with_the_promised_counts() {
        for name in FIGURES {
            let plan = Plan::new(name, None).unwrap();
            assert_eq!(plan.name, name);
            let least = |study: &Study| match study.spec.settings.preset() {
                Preset::Calibrated if ["fig3", "fig7"].contains(&name) => 100,
                _ => 30,
            };
            let enough = |study: &Study| study.spec.experiments >= least(study);
            assert!(plan.studies.iter().all(enough), "{name}");
        }
        assert!(Plan::new("fig2", None).is_err());
        let quick = Plan::new("fig4", Some(2)).unwrap();
        assert!(quick.studies.iter().all(|study| study.spec.experiments == 2));
    }

    #[test]
    fn figures_share_the_studies_they_have_in_common() {
        let folders = |name: &str| -> Vec<String> {
            Plan::new(name, None).unwrap().studies.iter().map(|s| s.spec.folder()).collect()
        };
        let (three, seven) = (folders("fig3"), folders("fig7"));
        assert!(seven.iter().filter(|folder| three.contains(folder)).count() >= 5);
    }
}
