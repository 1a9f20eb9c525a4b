//! A run that is killed again and again ends as if nothing had happened.

use crate::support::{Moments, Scratch};
use baton_runner::Records;
use baton_store::{Store, TaskState};
use std::time::Duration;

const KILLS: usize = 20;

/// Deterministic, and slow enough to be killed while it runs.
const SIMULATOR: &str = r#"read -r line
number() { printf '%s' "$line" | sed -n "s/.*\"$1\":\(-\{0,1\}[0-9.eE+-]*\).*/\1/p"; }
sleep 0.1
awk -v x="$(number x)" -v y="$(number y)" -v task="$(number task_number)" -v seed="$(number seed)" \
    'BEGIN { printf "{\"value\": %.17g}\n", (x - 0.5 - 0.05 * task)^2 + (y - 0.3)^2 + seed / 1e13 }'
"#;

const FILE: &str = r#"
name = "killed"
seed = 11
[space]
x = { low = 0, high = 1 }
y = { low = 0, high = 1 }
[[fidelity]]
name = "coarse"
cost = 1
[[fidelity]]
name = "fine"
cost = 3
[objective]
goal = "minimize"
command = ["sh", "simulate.sh"]
[method]
particles = 4
svgd_steps = 20
candidates = 60
[[task]]
name = "one"
budget = 60
[[task]]
name = "two"
budget = 60
[[task]]
name = "three"
budget = 60
"#;

fn prepared(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("simulate.sh", SIMULATOR);
    scratch.write("campaign.toml", FILE);
    scratch
}

fn records(scratch: &Scratch) -> Records {
    let url = format!("sqlite:{}", scratch.0.join("campaign.db").display());
    Records::read(&Store::open(&url).unwrap(), "killed").unwrap()
}

#[test]
fn killed_twenty_times_it_ends_with_the_same_trials_bits_and_budget() {
    let undisturbed = prepared("undisturbed");
    let beside = undisturbed.spawn(&["run", "campaign.toml", "--quiet"]);
    let disturbed = prepared("disturbed");
    let mut moments = Moments::new();
    let mut kills = 0;
    while kills < KILLS {
        let mut run = disturbed.spawn(&["run", "campaign.toml", "--quiet"]);
        // All pauses together are shorter than the sleep of the fewest trials the budgets allow.
        moments.pause(20, 200);
        assert!(!run.is_over(), "it was over after {kills} kills: make the campaign longer");
        run.kill();
        kills += 1;
    }
    disturbed.done(&["run", "campaign.toml", "--quiet"]);
    assert_eq!(beside.exit_code(Duration::from_mins(5)), Some(0));
    let (expected, got) = (records(&undisturbed), records(&disturbed));
    assert_eq!(got.tasks.len(), 3);
    for (number, (a, b)) in (0..).zip(expected.tasks.iter().zip(&got.tasks)) {
        assert_eq!(b.state, TaskState::Finished);
        assert_eq!((a.budget, a.began_with), (b.budget, b.began_with));
        assert!(expected.trials(number).eq(got.trials(number)), "task {number}");
        assert_eq!(expected.spent(number), got.spent(number));
        assert_eq!(a.result, b.result);
        assert_eq!(a.knowledge, b.knowledge);
    }
    assert_eq!(expected.campaign.knowledge, got.campaign.knowledge);
}
