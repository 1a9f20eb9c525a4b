//! What `run` and `worker` show: a live view on a terminal, plain lines elsewhere, or JSON lines.

use super::lines::{event_json, last_log, task_line, trial_line, waiting};
use super::show::{nats_per_cost, outcome, point, short, span};
use baton::Outcome;
use baton_runner::look::verdict;
use baton_runner::{Ending, Event, Records};
use baton_store::{Settled, TrialRecord};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Steps of the bar: shares of the budget in tenths of a percent.
const STEPS: u64 = 1_000;
/// Room for the names of lines.
const INDENT: usize = 6;

/// How progress is shown.
#[derive(Args, Clone, Copy)]
pub struct Shown {
    /// Print a JSON line per event.
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Print the end only.
    #[arg(long)]
    pub quiet: bool,
}

/// Shows what happens.
pub struct View {
    shown: Shown,
    /// on a terminal only
    bar: Option<ProgressBar>,
    begun: Instant,
    /// what had been spent when this began
    spent_before: f64,
}

impl View {
    /// A view of a campaign as it is now.
    pub fn new(shown: Shown, records: &Records) -> Self {
        let live = std::io::stderr().is_terminal() && !shown.json && !shown.quiet;
        let bar = live.then(bar);
        let view = Self { shown, bar, begun: Instant::now(), spent_before: spent(records) };
        let begun = records.trials.iter().flatten().count();
        if begun > 0 && !shown.json && !shown.quiet {
            let name = &records.campaign.name;
            view.say(&format!("going on with {name:?}: {begun} trials so far"));
        }
        view
    }

    /// Shows one event.
    pub fn hear(&self, event: &Event<'_>, records: &Records) {
        if self.shown.json {
            return print(&event_json(event, records).to_string());
        }
        if self.shown.quiet {
            return;
        }
        match (event, &self.bar) {
            (Event::Began(record), Some(bar)) => bar.set_message(self.picture(record, records)),
            (Event::Began(_), None) => {}
            (Event::TryingAgain(record, reason), _) => {
                self.say(&format!("trial {} is tried again: {reason}", record.trial.id));
            }
            (Event::Settled(record, settled), _) => self.settled(record, *settled, records),
            (Event::Waiting(trials), _) => self.say(&waiting(trials, records)),
            (Event::Finished(number), _) => {
                if let Some(task) = records.tasks.get(*number as usize) {
                    self.say(&task_line(task, records));
                    if let Some(verdict) = verdict(task) {
                        self.say(&format!("  what earlier tasks taught: {verdict}"));
                    }
                }
            }
        }
    }

    fn settled(&self, record: &TrialRecord, settled: Settled, records: &Records) {
        if let Some(bar) = &self.bar {
            bar.set_position(share(records));
            bar.set_message(self.picture(record, records));
            let failed = matches!(record.trial.outcome, Outcome::Failed { .. });
            if !failed && settled == Settled::Counted {
                return;
            }
        }
        self.say(&trial_line(record, settled, records));
    }

    /// The lines under the bar.
    fn picture(&self, record: &TrialRecord, records: &Records) -> String {
        let Some(task) = records.tasks.get(record.task as usize) else { return String::new() };
        let left = task.budget - records.spent(task.number);
        let best = records.best(task.number).map_or_else(
            || "none at the top fidelity yet".to_owned(),
            |best| {
                let at = point(records.space_of(best.task), &best.trial.point);
                format!("{} at {at}", outcome(&best.trial))
            },
        );
        let trial = &record.trial;
        let rate = nats_per_cost(trial).map_or("-".into(), short);
        let count = records.trials_of(task.number).len();
        let lines = [
            (
                "task",
                format!(
                    "{}: {} of {} left, {count} trials",
                    task.name,
                    short(left.max(0.0)),
                    short(task.budget)
                ),
            ),
            ("best", best),
            (
                "now",
                format!(
                    "trial {} at {} for {}, {rate} nats per cost",
                    trial.id,
                    trial.fidelity,
                    short(trial.cost)
                ),
            ),
            ("at", point(records.space_of(record.task), &trial.point)),
            ("why", trial.why()),
            ("time", self.time_left(records)),
        ];
        let width = usize::from(console::Term::stderr().size().1);
        lines.map(|(name, text)| fitted(name, &text, width)).join("\n")
    }

    /// From what was spent per second so far.
    fn time_left(&self, records: &Records) -> String {
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = (spent(records) - self.spent_before) / seconds;
        let left = planned(records) - spent(records);
        let so_far = span(seconds);
        if rate > 0.0 && seconds > 1.0 {
            format!("{so_far} so far, about {} left for all tasks", span(left / rate))
        } else {
            format!("{so_far} so far")
        }
    }

    /// Shows the end.
    pub fn end(&self, ending: &Ending, records: &Records) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.shown.json {
            let line = match ending {
                Ending::Done => json!({ "event": "done" }),
                Ending::Stopped => json!({ "event": "stopped" }),
                Ending::Paused { task, reason } => {
                    json!({ "event": "paused", "task": task, "reason": reason })
                }
            };
            return print(&line.to_string());
        }
        match ending {
            Ending::Done => {
                if self.bar.is_some() || self.shown.quiet {
                    records.tasks.iter().for_each(|task| print(&task_line(task, records)));
                }
                print("done; `baton best` shows the points to use, `baton report` draws pictures");
            }
            Ending::Stopped => print("stopped; the same command goes on from here"),
            Ending::Paused { task, reason } => {
                print(&format!("the task {task:?} is paused: {reason}"));
                if let Some(log) = last_log(records) {
                    print(&format!("the last lines of its error output:\n{log}"));
                }
                let charged = short(charged_in_vain(records));
                print(&format!(
                    "{charged} of the budget was charged for these failures, and values are kept; \
                     once that is put right, the same command goes on from here"
                ));
            }
        }
    }

    /// Tells something that is no result.
    pub fn warn(&self, line: &str) {
        if let Some(bar) = &self.bar {
            bar.suspend(|| err!("{line}"));
        } else {
            err!("{line}");
        }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| print(line)),
            None => print(line),
        }
    }
}

fn print(line: &str) {
    out!("{line}");
}

/// A named text in lines that fit the terminal: the view could not take longer ones back.
fn fitted(name: &str, text: &str, width: usize) -> String {
    let room = width.saturating_sub(INDENT + 1).max(20);
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > room
        {
            lines.push(String::new());
        }
        let line = lines.len() - 1;
        if !lines[line].is_empty() {
            lines[line].push(' ');
        }
        lines[line].push_str(word);
    }
    let cut = |line: &String| line.chars().take(room).collect::<String>();
    let first = format!("{name:<INDENT$}{}", cut(&lines[0]));
    let rest = lines[1..].iter().map(|line| format!("\n{:INDENT$}{}", "", cut(line)));
    first + &rest.collect::<String>()
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("[{bar:40}] {percent} % of all budgets\n{msg}")
    {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

fn spent(records: &Records) -> f64 {
    records.tasks.iter().map(|task| records.spent(task.number)).sum()
}

/// All budgets: of tasks that have begun and of those to come.
fn planned(records: &Records) -> f64 {
    let begun: f64 = records.tasks.iter().map(|task| task.budget).sum();
    let to_come = records.spec.tasks.iter();
    let to_come = to_come.filter(|plan| !records.tasks.iter().any(|task| task.name == plan.name));
    begun + to_come.map(|plan| plan.budget).sum::<f64>()
}

/// What the failures that paused the task under way cost.
fn charged_in_vain(records: &Records) -> f64 {
    let failures = records.present().map(|task| records.failures_in_a_row(task));
    failures.into_iter().flatten().map(|record| record.trial.charge()).sum::<f64>() + 0.0
}

fn share(records: &Records) -> u64 {
    let share = spent(records) / planned(records);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    // between 0 and STEPS
    let steps = (share.clamp(0.0, 1.0) * STEPS as f64) as u64;
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_the_terminal_and_lose_no_word() {
        let text = "one two three four five six seven eight nine ten eleven twelve";
        let shown = fitted("why", text, 30);
        assert!(shown.lines().all(|line| line.chars().count() < 30), "{shown}");
        assert!(shown.starts_with("why   one two"));
        let words: Vec<&str> = shown.split_whitespace().skip(1).collect();
        assert_eq!(words.join(" "), text);
    }
}
