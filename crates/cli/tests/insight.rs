//! What a campaign taught, as the command line tells it.

use crate::support::Scratch;

const FILE: &str = r#"
name = "wing"
seed = 3
[space]
x = { low = 0, high = 1 }
idle = { low = 0, high = 1 }
[[fidelity]]
name = "coarse"
cost = 1
[[fidelity]]
name = "fine"
cost = 2
[objective]
goal = "minimize"
command = ["sh", "simulate.sh"]
[method]
candidates = 40
starts = 4
[[task]]
name = "slow"
budget = 30
[[task]]
name = "fast"
budget = 20
[[task]]
name = "to come"
budget = 20
"#;

/// One parameter matters.
const SIMULATOR: &str = r#"read -r line
of() { printf '%s' "$line" | sed -n "s/.*\"$1\":\([0-9.eE+-]*\).*/\1/p"; }
awk -v x="$(of x)" 'BEGIN { printf "{\"value\": %.17g}\n", (x - 0.4)^2 }'
"#;

#[test]
fn what_matters_is_told_of_the_last_task_and_trust_of_all() {
    let scratch = Scratch::new("insight");
    scratch.write("wing.toml", FILE);
    scratch.write("simulate.sh", SIMULATOR);
    let early = scratch.refused(2, &["insight", "wing.toml"]);
    assert!(early.contains("error: could not"), "{early}");
    scratch.done(&["run", "wing.toml"]);
    let told = scratch.done(&["insight", "wing.toml", "--task", "fast"]);
    for part in [
        "what matters in fast",
        "x matters most",
        "idle does not matter",
        "only in this",
        "fidelities in fast",
        "observations within their 90 % intervals",
        "Intervals ",
    ] {
        assert!(told.contains(part), "{part}\nis missing in\n{told}");
    }
    let all = scratch.json(&["insight", "wing.toml", "--json"]);
    assert_eq!((&all["campaign"], &all["task"]), (&"wing".into(), &"to come".into()));
    let tasks = all["trust"].as_array().unwrap();
    assert_eq!(tasks.len(), 3);
    for task in tasks {
        let coverage = task["trust"]["coverage"].as_array().unwrap().last().unwrap();
        let count = coverage["observations"].as_u64().unwrap();
        assert!(count > 0 && coverage["left_out"].as_u64().unwrap() <= count);
        assert_eq!(task["trust"]["seen"].as_array().unwrap().len() as u64, count);
    }
    // Over all tasks every observation counts once.
    for (i, pooled) in all["calibration"].as_array().unwrap().iter().enumerate() {
        let (mut held, mut count) = (0.0, 0.0);
        for task in tasks {
            let seen = task["trust"]["seen"].as_array().unwrap().len() as f64;
            held += seen * task["trust"]["calibration"][i]["one_ahead"].as_f64().unwrap();
            count += seen;
        }
        let share = pooled["one_ahead"].as_f64().unwrap();
        assert!((share - held / count).abs() < 1e-12, "{pooled}");
    }
    // The worst that x can do is 0.36, where less is better.
    let loses = |i: usize| all["importance"]["fixing"][i]["loss"]["value"].as_f64().unwrap();
    assert!((0.25..0.45).contains(&loses(0)) && loses(1) < 0.05, "{}", all["importance"]["fixing"]);
    let x = &all["importance"]["fidelities"][1]["parameters"][0];
    assert_eq!((&x["parameter"], &x["matters"]), (&"x".into(), &"yes".into()));
    let (low, high) = (x["total"]["interval"][0].as_f64(), x["total"]["interval"][1].as_f64());
    assert!(low <= x["total"]["value"].as_f64() && x["total"]["value"].as_f64() <= high);
    let one = scratch.json(&["insight", "wing.toml", "--task", "slow", "--json"]);
    assert_eq!((one["trust"].as_array().unwrap().len(), &one["task"]), (1, &"slow".into()));
    assert!(one["importance"]["split"].is_null(), "there was no task before");
    let unknown = scratch.refused(2, &["insight", "wing.toml", "--task", "Fast"]);
    assert!(unknown.contains("\"Fast\"") && unknown.contains("fast"), "{unknown}");
}
