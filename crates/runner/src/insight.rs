//! What a campaign taught: which parameters matter and what fidelities tell, by one of its tasks, and how far
//! intervals were to be trusted, by all.

use crate::error::{Result, RunnerError};
use crate::records::Records;
use crate::replay::Replay;
use baton::campaign::{
    Calibration, FidelityInsight, Importance, StillToGain, Trust, importance_in_words,
    still_to_gain_in_words, trust_in_words,
};
use baton_store::TaskRecord;
use serde::Serialize;

/// What a campaign taught.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CampaignInsight {
    /// its name
    pub campaign: String,
    /// the task that importance and fidelities are of: the one that was named, or the last in which anything
    /// was told
    pub task: Option<String>,
    /// which parameters matter
    pub importance: Option<Importance>,
    /// the same in sentences
    pub importance_in_words: Vec<String>,
    /// what each fidelity cost and tells, the highest last
    pub fidelities: Vec<FidelityInsight>,
    /// what is still to be gained in that task
    pub still_to_gain: Option<StillToGain>,
    /// the same in sentences
    pub still_to_gain_in_words: String,
    /// how far intervals were to be trusted, task by task
    pub trust: Vec<TaskTrust>,
    /// how many observations of all these tasks lay within intervals of some width
    pub calibration: Vec<Calibration>,
    /// the same in a sentence
    pub trust_in_words: String,
}

/// How far the intervals of a task were to be trusted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskTrust {
    /// its name
    pub task: String,
    /// not known before anything was told, or where the model cannot be used
    pub trust: Option<Trust>,
    /// why the model cannot be used
    pub trouble: Option<String>,
}

/// What a campaign taught so far, or one of its tasks.
///
/// # Errors
/// If no task of that name has begun, or the records contradict each other.
pub fn insight(records: &Records, name: Option<&str>) -> Result<CampaignInsight> {
    let meant = |task: &&TaskRecord| name.is_none_or(|name| name == task.name);
    let tasks: Vec<&TaskRecord> = records.tasks.iter().filter(meant).collect();
    if let Some(name) = name.filter(|_| tasks.is_empty()) {
        let known: Vec<String> =
            records.tasks.iter().map(|task| format!("{:?}", task.name)).collect();
        let known = if known.is_empty() { "none has".to_owned() } else { known.join(", ") };
        let reason = format!("no task {name:?} has begun; those that have: {known}");
        return Err(RunnerError::refused(reason));
    }
    let told = |task: &&&TaskRecord| {
        records.trials_of(task.number).iter().any(|record| record.trial.value().is_some())
    };
    let looked_at = tasks.iter().rev().find(told).or(tasks.last()).copied();
    let mut insight = CampaignInsight {
        campaign: records.campaign.name.clone(),
        task: looked_at.map(|task| task.name.clone()),
        importance: None,
        importance_in_words: Vec::new(),
        fidelities: Vec::new(),
        still_to_gain: None,
        still_to_gain_in_words: String::new(),
        trust: Vec::new(),
        calibration: Vec::new(),
        trust_in_words: String::new(),
    };
    for task in tasks {
        let mut replay = Replay::of(records, task.number)?;
        let is_looked_at = looked_at.is_some_and(|other| other.number == task.number);
        let trust = if is_looked_at {
            replay.task.insight().map(|found| {
                (insight.importance, insight.fidelities) = (found.importance, found.fidelities);
                insight.still_to_gain = found.still_to_gain;
                found.trust
            })
        } else {
            replay.task.trust()
        };
        let (trust, trouble) = match trust {
            Ok(trust) => (trust, None),
            Err(error) => (None, Some(format!("the model cannot be used: {error}"))),
        };
        insight.trust.push(TaskTrust { task: task.name.clone(), trust, trouble });
    }
    if let Some(importance) = &insight.importance {
        insight.importance_in_words = importance_in_words(importance);
    }
    let words = insight.still_to_gain.as_ref().map(still_to_gain_in_words);
    insight.still_to_gain_in_words = words.unwrap_or_default();
    let known = || insight.trust.iter().map(|of| (of.task.as_str(), of.trust.as_ref()));
    insight.trust_in_words = trust_in_words(known());
    insight.calibration = pooled(known().filter_map(|(_, trust)| trust));
    Ok(insight)
}

/// Of all observations of all tasks.
fn pooled<'a>(tasks: impl Iterator<Item = &'a Trust>) -> Vec<Calibration> {
    let mut pooled: Vec<Calibration> = Vec::new();
    let mut all = 0.0;
    for Trust { calibration, seen, .. } in tasks {
        let count = seen.len() as f64;
        all += count;
        pooled.resize_with(calibration.len(), || Calibration {
            nominal: 0.0,
            left_out: 0.0,
            one_ahead: 0.0,
        });
        for (sum, of) in pooled.iter_mut().zip(calibration) {
            sum.nominal = of.nominal;
            sum.left_out += count * of.left_out;
            sum.one_ahead += count * of.one_ahead;
        }
    }
    for of in &mut pooled {
        of.left_out /= all;
        of.one_ahead /= all;
    }
    pooled
}
