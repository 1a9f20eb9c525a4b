//! A campaign with constraints: run, looked at, answered by hand, exported and imported.

use crate::support::Scratch;

const FILE: &str = r#"
name = "heat"
seed = 3
[space]
x = { low = 0, high = 1 }
[[fidelity]]
name = "coarse"
cost = 1
[[fidelity]]
name = "fine"
cost = 2
[[constraint]]
name = "temperature"
max = 45
[objective]
goal = "minimize"
command = ["sh", "simulate.sh"]
[method]
candidates = 40
starts = 4
[[task]]
name = "spring"
budget = 24
[[task]]
name = "summer"
budget = 16
[[task.constraint]]
name = "temperature"
max = 42
"#;

/// The faster the hotter: the best allowed point is where the bound is.
const SIMULATOR: &str = r#"read -r line
x=$(printf '%s' "$line" | sed -n 's/.*"x":\([0-9.eE+-]*\).*/\1/p')
awk -v x="$x" 'BEGIN { printf "{\"value\": %.9g, \"constraints\": {\"temperature\": %.9g}}\n", (1.2 - x)^2, 40 + 10 * x * x }'
"#;

fn written(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("heat.toml", FILE);
    scratch.write("simulate.sh", SIMULATOR);
    scratch
}

#[test]
fn the_recommended_point_keeps_the_bound_of_its_task() {
    let scratch = written("bounds");
    scratch.done(&["run", "--quiet"]);
    let best = scratch.json(&["best", "--json"]);
    for (task, most) in best["tasks"].as_array().unwrap().iter().zip([0.7072, 0.4473]) {
        let x = task["recommended"]["point"]["x"].as_f64().unwrap();
        assert!(x <= most + 0.01 && x > most - 0.1, "{task}");
        assert!(task["recommended"]["feasible"].as_f64().unwrap() > 0.9);
        let seen = &task["best_seen"];
        assert!(seen["constraints"]["temperature"].as_f64().unwrap() <= 40.0 + 10.0 * most * most);
    }
    let status = scratch.done(&["status"]);
    let changed = "from summer on:\n  temperature <= 42, it was temperature <= 45\n";
    assert!(status.contains(changed), "{status}");
    assert!(scratch.done(&["ledger"]).contains("by limits"));
    assert!(scratch.done(&["best"]).contains("%: temperature <= 45"));
    scratch.done(&["report"]);
    // What is exported is imported elsewhere, constraints and all.
    let csv = scratch.done(&["export"]);
    assert!(csv.lines().next().unwrap().contains(",value,temperature,cost,"), "{csv}");
    scratch.write("all.csv", &csv);
    scratch.write("again/heat.toml", &FILE.replace("spring", "autumn").replace("summer", "winter"));
    scratch.done(&["import", "all.csv", "again/heat.toml", "--finished"]);
    let trials = scratch.json(&["trials", "again/heat.toml", "--json"]);
    let known = &trials["trials"][0]["constraints"]["temperature"];
    assert!(known.as_f64().unwrap() >= 40.0, "{trials}");
}

#[test]
fn answers_by_hand_and_their_mistakes() {
    let scratch = written("hand");
    scratch.done(&["ask"]);
    for (constraint, what) in
        [("heat=3", "temperature"), ("temperature=NaN", "NaN"), ("hot", "NAME=VALUE")]
    {
        let refused = scratch.refused(2, &["tell", "0", "1.5", "--constraint", constraint]);
        assert!(refused.contains(what), "{constraint}: {refused}");
    }
    let told = scratch.done(&["tell", "0", "1.5", "--constraint", "temperature=44.5"]);
    assert!(told.contains("1.5 (temperature=44.5)"), "{told}");
    scratch.done(&["tell", "0", "1.5", "--constraint", "temperature=44.5"]);
    scratch.refused(2, &["tell", "0", "1.5", "--constraint", "temperature=44.6"]);
    assert!(scratch.done(&["best"]).contains("best seen"));
}

#[test]
fn all_mistakes_are_told_with_their_lines() {
    let scratch = written("mistakes");
    for (from, to, what) in [
        ("max = 45", "min = 50\nmax = 45", "min must be below max"),
        ("max = 45", "maximum = 45", "unknown key \"maximum\""),
        ("max = 45", "", "has no min or max"),
        (
            "name = \"temperature\"\nmax = 45",
            "name = \"x\"\nmax = 45",
            "a parameter or descriptor has that name",
        ),
        ("[method]", "[method]\nname = \"mft-mes\"", "knows no constraints"),
        ("[method]", "[method]\nsafe = 2", "safe"),
    ] {
        scratch.write("bad.toml", &FILE.replacen(from, to, 1));
        let refused = scratch.refused(2, &["run", "bad.toml"]);
        assert!(refused.contains(what) && refused.contains("line "), "{to}: {refused}");
    }
}
