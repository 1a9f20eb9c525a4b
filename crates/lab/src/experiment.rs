//! One experiment: a sequence of tasks of a built-in problem, driven by a campaign.
//!
//! The optimiser sees noisy values only; scores use the noise-free truth. Noise and opening points
//! come from streams of their own, so they are the same for every method of one seed.

use crate::LabError;
use crate::spec::{Initial, Spec};
use baton::problem::{Goal, Value};
use baton::{Campaign, Knowledge, Task, Trial};
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Benchmark, Description, MASTER, Score, fresh_master};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What came of one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskResult {
    /// from 1
    pub task: u32,
    /// of the best point queried at any fidelity, as in the paper
    pub score: f64,
    /// of the point the method recommends
    pub honest_score: f64,
    /// how often each fidelity was asked for
    pub trials_per_fidelity: Vec<u32>,
    /// what was charged
    pub cost: f64,
    /// milliseconds per ask, on average
    pub ms_per_ask: f64,
    /// milliseconds for handing over
    pub ms_per_finish: f64,
}

/// An experiment under way.
pub struct Experiment<'a> {
    spec: &'a Spec,
    description: Description,
    seed: u64,
    campaign: Campaign,
    /// of the last task
    trials: Vec<Trial>,
}

impl<'a> Experiment<'a> {
    /// Number `index` of a study, from nothing or from where it had come.
    ///
    /// # Errors
    /// If the study does not fit the problem or the knowledge.
    pub fn new(spec: &'a Spec, index: u32, knowledge: Option<Knowledge>) -> Result<Self, LabError> {
        let description = spec.family()?.description();
        let seed = spec.seed + u64::from(index);
        let (space, fidelities) = (description.space.clone(), description.fidelities.clone());
        let settings = spec.settings.clone().seed(seed);
        let mut campaign = Campaign::new(space, fidelities, Goal::Maximize, settings)?;
        if let Some(knowledge) = knowledge {
            campaign = campaign.with_knowledge(knowledge)?;
        }
        Ok(Self { spec, description, seed, campaign, trials: Vec::new() })
    }

    /// What is known after the tasks so far.
    pub fn knowledge(&self) -> &Knowledge {
        self.campaign.knowledge()
    }

    /// The trials of the last task, those that opened it included.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Task `number` of the sequence, from 1.
    ///
    /// # Errors
    /// If there is no such problem.
    pub fn benchmark(&self, number: u32) -> Result<Box<dyn Benchmark>, LabError> {
        let master = if self.spec.fresh_tasks { fresh_master(self.seed) } else { MASTER };
        Ok(self.spec.family()?.task(master, u64::from(number)))
    }

    /// Runs the next task.
    ///
    /// # Errors
    /// If the campaign refuses a call, which would be a fault of this program.
    pub fn next_task(&mut self) -> Result<TaskResult, LabError> {
        let benchmark = self.benchmark(self.knowledge().tasks + 1)?;
        let budget = self.spec.budget.unwrap_or(self.description.budget);
        let mut task = self.campaign.start(budget)?;
        self.open(&mut task, benchmark.as_ref())?;
        let opened = task.trials().len();
        let mut asking = 0.0;
        loop {
            let asked = Instant::now();
            let Some(trial) = task.ask()? else { break };
            asking += asked.elapsed().as_secs_f64();
            let value = self.observed(benchmark.as_ref(), &task, &trial);
            task.tell(trial.id, value)?;
        }
        let asks = (task.trials().len() - opened).max(1) as f64;
        let mut result = self.result(&mut task, opened, benchmark.as_ref())?;
        let finishing = Instant::now();
        self.trials = self.campaign.finish(task)?.trials;
        result.ms_per_ask = 1e3 * asking / asks;
        result.ms_per_finish = 1e3 * finishing.elapsed().as_secs_f64();
        Ok(result)
    }

    /// Random points at random levels, the same for every method.
    fn open(&self, task: &mut Task, benchmark: &dyn Benchmark) -> Result<(), LabError> {
        let space = &self.description.space;
        for index in 0..self.description.initial {
            let step = u32::try_from(index).unwrap_or(u32::MAX);
            let key = Key { seed: self.seed, campaign: 0, task: task.number(), step };
            let mut stream = key.stream(Purpose::InitialDesign, 2);
            let coordinates: Vec<f64> = (0..space.dimension()).map(|_| stream.uniform()).collect();
            let level = stream.below(self.description.fidelities.len());
            let point = space.point(&coordinates)?;
            if self.spec.initial == Initial::Charged {
                let Ok(trial) = task.suggest(&point, level) else { break };
                let value = self.observed(benchmark, task, &trial);
                task.tell(trial.id, value)?;
            } else {
                let value =
                    benchmark.value(&numbers(&point), level) + self.noise(task, index, level);
                task.add_free(&point, level, value)?;
            }
        }
        Ok(())
    }

    fn observed(&self, benchmark: &dyn Benchmark, task: &Task, trial: &Trial) -> f64 {
        benchmark.value(&numbers(&trial.point), trial.level)
            + self.noise(task, trial.id, trial.level)
    }

    fn noise(&self, task: &Task, trial: usize, level: usize) -> f64 {
        let variance = self.description.fidelities[level].noise_variance.unwrap_or(0.0);
        let step = u32::try_from(trial).unwrap_or(u32::MAX);
        let key = Key { seed: self.seed, campaign: 0, task: task.number(), step };
        variance.sqrt() * key.stream(Purpose::Noise, 0).normal()
    }

    fn result(
        &self,
        task: &mut Task,
        opened: usize,
        benchmark: &dyn Benchmark,
    ) -> Result<TaskResult, LabError> {
        let top = self.description.fidelities.len() - 1;
        let best = benchmark.optimum().value;
        let score = |value: f64| match self.description.score {
            Score::Regret => best - value,
            Score::Ratio => value / best,
        };
        let truth = |point: &[Value]| benchmark.value(&numbers(point), top);
        let skipped = if self.spec.initial == Initial::Uncounted { opened } else { 0 };
        let counted = task.trials().iter().skip(skipped);
        let reached = counted.map(|trial| truth(&trial.point)).fold(f64::NEG_INFINITY, f64::max);
        let recommended = task.recommendation()?.map_or(f64::NEG_INFINITY, |r| truth(&r.point));
        let mut trials_per_fidelity = vec![0; top + 1];
        for trial in task.trials().iter().skip(opened) {
            trials_per_fidelity[trial.level] += 1;
        }
        Ok(TaskResult {
            task: task.number() + 1,
            score: score(reached),
            honest_score: score(recommended),
            trials_per_fidelity,
            cost: task.budget() - task.cost_left(),
            ms_per_ask: 0.0,
            ms_per_finish: 0.0,
        })
    }
}

fn numbers(point: &[Value]) -> Vec<f64> {
    point.iter().map(|value| value.number().unwrap_or(f64::NAN)).collect()
}
