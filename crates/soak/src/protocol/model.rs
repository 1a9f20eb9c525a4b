//! The store's protocol in a few lines, without any database: what every call must answer.

use std::collections::BTreeMap;

/// A call to the store. Holders are small numbers; a lease is live for an hour or has ended already.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    Start { holder: Option<u32>, live: bool },
    Append { task: u32, number: usize, holder: Option<u32>, live: bool, request: Option<u32> },
    Claim { holder: u32, live: bool },
    Renew { holder: u32, live: bool },
    Release { holder: u32 },
    Settle { task: u32, trial: usize, holder: Option<u32>, value: Option<f64> },
    Pause { task: u32 },
    GoOn { task: u32 },
    Raise { task: u32, total: f64 },
    Finish { task: u32, stale: bool },
    TakeTurn { holder: u32, live: bool },
    EndTurn { holder: u32 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Paused,
    Finished,
}

#[derive(Debug, Clone, PartialEq)]
enum End {
    Pending,
    Told(f64, usize),
    Failed,
}

#[derive(Debug)]
struct Trial {
    end: End,
    holder: Option<u32>,
    live: bool,
    lost: u32,
}

#[derive(Debug)]
struct Task {
    state: State,
    budget: f64,
    trials: Vec<Trial>,
}

/// What a store would hold.
#[derive(Debug, Default)]
pub struct Model {
    tasks: Vec<Task>,
    turn: Option<(u32, bool)>,
    served: BTreeMap<u32, (u32, usize)>,
}

/// The budget that tasks of the test begin with.
pub const BUDGET: f64 = 10.0;

impl Model {
    /// Makes a call and gives its answer, as text.
    pub fn call(&mut self, call: &Call) -> String {
        match call {
            Call::Start { holder, live } => self.start(*holder, *live),
            Call::Append { task, number, holder, live, request } => {
                self.append(*task, *number, (*holder, *live), *request)
            }
            Call::Claim { holder, live } => self.claim(*holder, *live),
            Call::Renew { holder, live } => {
                for trial in self.tasks.iter_mut().flat_map(|task| &mut task.trials) {
                    if trial.end == End::Pending && trial.holder == Some(*holder) {
                        trial.live = *live;
                    }
                }
                if let Some((_, mine)) = self.turn.as_mut().filter(|turn| turn.0 == *holder) {
                    *mine = *live;
                }
                "ok".into()
            }
            Call::Release { holder } => {
                for trial in self.tasks.iter_mut().flat_map(|task| &mut task.trials) {
                    if trial.end == End::Pending && trial.holder == Some(*holder) {
                        trial.holder = None;
                    }
                }
                self.turn = self.turn.filter(|turn| turn.0 != *holder);
                "ok".into()
            }
            Call::Settle { task, trial, holder, value } => {
                self.settle(*task, *trial, *holder, *value)
            }
            Call::Pause { task } => self.unfinished(*task, |task| task.state = State::Paused),
            Call::GoOn { task } => self.unfinished(*task, |task| task.state = State::Open),
            Call::Raise { task, total } => match self.tasks.get(*task as usize) {
                Some(found) if found.state != State::Finished && *total < found.budget => {
                    "refused".into()
                }
                _ => self.unfinished(*task, |task| task.budget = *total),
            },
            Call::Finish { task, stale } => self.finish(*task, *stale),
            Call::TakeTurn { holder, live } => match self.turn {
                Some((other, true)) if other != *holder => "false".into(),
                _ => {
                    self.turn = Some((*holder, *live));
                    "true".into()
                }
            },
            Call::EndTurn { holder } => {
                self.turn = self.turn.filter(|turn| turn.0 != *holder);
                "ok".into()
            }
        }
    }

    fn unfinished(&mut self, task: u32, change: impl FnOnce(&mut Task)) -> String {
        match self.tasks.get_mut(task as usize) {
            Some(task) if task.state != State::Finished => {
                change(task);
                "ok".into()
            }
            _ => "refused".into(),
        }
    }

    fn start(&mut self, holder: Option<u32>, live: bool) -> String {
        if self.tasks.iter().any(|task| task.state != State::Finished) {
            return "stale".into();
        }
        let number = self.tasks.len();
        let trials = vec![Trial { end: End::Pending, holder, live, lost: 0 }];
        self.tasks.push(Task { state: State::Open, budget: BUDGET, trials });
        format!("{number}.0")
    }

    fn append(
        &mut self,
        task: u32,
        number: usize,
        (holder, live): (Option<u32>, bool),
        request: Option<u32>,
    ) -> String {
        if let Some((task, number)) = request.and_then(|request| self.served.get(&request)) {
            return format!("{task}.{number}");
        }
        let Some(found) = self.tasks.get_mut(task as usize) else { return "refused".into() };
        if found.state == State::Finished {
            return "refused".into();
        }
        if number != found.trials.len() {
            return "stale".into();
        }
        found.trials.push(Trial { end: End::Pending, holder, live, lost: 0 });
        if let Some(request) = request {
            self.served.insert(request, (task, number));
        }
        format!("{task}.{number}")
    }

    fn claim(&mut self, holder: u32, live: bool) -> String {
        let mut free: Vec<(bool, usize, usize)> = Vec::new();
        for (t, task) in self.tasks.iter().enumerate() {
            for (n, trial) in task.trials.iter().enumerate() {
                let own = trial.holder == Some(holder);
                if trial.end == End::Pending && (own || trial.holder.is_none() || !trial.live) {
                    free.push((!own, t, n));
                }
            }
        }
        let Some((_, t, n)) = free.into_iter().min() else { return "none".into() };
        let trial = &mut self.tasks[t].trials[n];
        if trial.holder.is_some_and(|other| other != holder) {
            trial.lost += 1;
        }
        (trial.holder, trial.live) = (Some(holder), live);
        format!("{t}.{n} lost {}", trial.lost)
    }

    fn settle(&mut self, t: u32, n: usize, holder: Option<u32>, value: Option<f64>) -> String {
        let Some(task) = self.tasks.get_mut(t as usize) else { return "refused".into() };
        let told = task.trials.iter().filter(|trial| matches!(trial.end, End::Told(..))).count();
        let Some(trial) = task.trials.get_mut(n) else { return "refused".into() };
        let taken = holder.is_some() && trial.holder != holder;
        match (&trial.end, value) {
            (End::Pending, Some(value)) => trial.end = End::Told(value, told),
            (End::Pending, None) if taken => return "superseded".into(),
            (End::Pending, None) => trial.end = End::Failed,
            (End::Told(known, _), Some(again)) if *known == again => return "repeated".into(),
            (End::Failed, None) => return "repeated".into(),
            _ => return "superseded".into(),
        }
        trial.holder = holder.or(trial.holder);
        "counted".into()
    }

    fn finish(&mut self, task: u32, stale: bool) -> String {
        match self.tasks.get_mut(task as usize) {
            None => "refused".into(),
            Some(task) if task.state == State::Finished => "ok".into(),
            Some(_) if stale => "stale".into(),
            Some(task) => {
                task.state = State::Finished;
                for trial in &mut task.trials {
                    if trial.end == End::Pending {
                        trial.end = End::Failed;
                    }
                }
                "ok".into()
            }
        }
    }

    /// Tasks that have begun.
    pub fn tasks(&self) -> u32 {
        u32::try_from(self.tasks.len()).unwrap_or(u32::MAX)
    }

    /// Trials of a task.
    pub fn trials(&self, task: u32) -> usize {
        self.tasks.get(task as usize).map_or(0, |task| task.trials.len())
    }

    /// All records, a line each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (t, task) in self.tasks.iter().enumerate() {
            let state = match task.state {
                State::Open => "open",
                State::Paused => "paused",
                State::Finished => "finished",
            };
            lines.push(format!("task {t} {state} {}", task.budget));
            for (n, trial) in task.trials.iter().enumerate() {
                let end = match trial.end {
                    End::Pending => "pending".to_owned(),
                    End::Told(value, order) => format!("told {value} as {order}"),
                    End::Failed => "failed".to_owned(),
                };
                let holder = trial.holder.map_or("nobody".to_owned(), |h| format!("w{h}"));
                lines.push(format!("trial {t}.{n} {end} by {holder} lost {}", trial.lost));
            }
        }
        lines
    }
}
