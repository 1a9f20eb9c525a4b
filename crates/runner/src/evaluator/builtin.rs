//! A built-in problem as an evaluator, with the noise it is known to have.

use super::{Evaluation, Evaluator, Request, finite};
use crate::stop::Stop;
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Benchmark, Description, Family, MASTER};
use std::sync::Mutex;

/// A family of tasks.
pub struct Builtin {
    family: Box<dyn Family>,
    description: Description,
    /// the last task made: making one may take longer than evaluating it
    made: Mutex<Option<(u32, std::sync::Arc<dyn Benchmark>)>>,
}

impl Builtin {
    /// The built-in problem of that name, if there is one.
    pub fn new(name: &str) -> Option<Self> {
        let family = baton_problems::family(name)?;
        let description = family.description();
        Some(Self { family, description, made: Mutex::new(None) })
    }

    /// What its tasks have in common.
    pub fn description(&self) -> &Description {
        &self.description
    }

    fn task(&self, number: u32) -> std::sync::Arc<dyn Benchmark> {
        let mut made = self.made.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*made {
            Some((known, benchmark)) if *known == number => benchmark.clone(),
            _ => {
                let fresh: std::sync::Arc<dyn Benchmark> =
                    self.family.task(MASTER, u64::from(number) + 1).into();
                *made = Some((number, fresh.clone()));
                fresh
            }
        }
    }
}

impl Evaluator for Builtin {
    fn evaluate(&self, request: &Request, _: &Stop) -> Evaluation {
        let trial = &request.trial;
        let point =
            (0..trial.point.len()).map(|i| trial.number(i)).collect::<baton::Result<Vec<f64>>>();
        let Ok(point) = point else { return finite(Ok(f64::NAN)).into() };
        let level = self.description.fidelities.get(trial.level);
        let variance = level.and_then(|level| level.noise_variance).unwrap_or(0.0);
        let key = Key { seed: request.seed.into(), ..Key::default() };
        let noise = variance.sqrt() * key.stream(Purpose::Noise, 0).normal();
        finite(Ok(self.task(request.task).value(&point, trial.level) + noise)).into()
    }
}
