//! A campaign whose problem changes on the way: run, looked at, exported, and imported elsewhere.

use crate::support::Scratch;

const FILE: &str = r#"
name = "sinks"
seed = 3
[space]
height = { low = 0, high = 1 }
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
name = "router"
budget = 12
[[task]]
name = "server"
budget = 14
space.fan = { low = 0, high = 10, was = 2 }
[[task]]
name = "rack"
budget = 14
space.fan = { fixed = 5 }
space.height = { low = 0, high = 2 }
[[task.fidelity]]
name = "coarse"
cost = 1
[[task.fidelity]]
name = "finest"
cost = 3
"#;

/// What is best depends on the fan, which stood at 2 before it could be set.
const SIMULATOR: &str = r#"read -r line
of() { printf '%s' "$line" | sed -n "s/.*\"$1\":\([0-9.eE+-]*\).*/\1/p"; }
awk -v h="$(of height)" -v f="$(of fan)" \
    'BEGIN { if (f == "") f = 2; printf "{\"value\": %.17g}\n", (h - f / 10)^2 + (f - 4)^2 / 50 }'
"#;

fn finished(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("sinks.toml", FILE);
    scratch.write("simulate.sh", SIMULATOR);
    scratch.done(&["run", "sinks.toml", "--quiet"]);
    scratch
}

#[test]
fn what_changed_is_said_and_every_task_has_its_own_columns() {
    let scratch = finished("changing");
    let status = scratch.done(&["status", "sinks.toml"]);
    for part in [
        "from server on:\n  fan is new; it was 2\n",
        "from rack on:\n  height is now 0 to 2, it was 0 to 1\n  fan is fixed at 5\n",
        "  the fidelity finest is new\n  the fidelity fine is gone\n",
    ] {
        assert!(status.contains(part), "{part}\nis missing in\n{status}");
    }
    let json = scratch.json(&["status", "sinks.toml", "--json"]);
    assert_eq!(json["tasks"][1]["changes"][0], "fan is new; it was 2");
    let exported = scratch.done(&["export", "sinks.toml"]);
    let mut lines = exported.lines();
    assert!(lines.next().unwrap().starts_with("task,trial,fidelity,height,fan,value"));
    let cell = |line: &str| line.split(',').nth(4).unwrap().to_owned();
    for line in lines {
        let (task, fan) = (line.split(',').next().unwrap(), cell(line));
        assert_eq!(fan.is_empty(), task == "router", "{line}");
        assert!(task != "rack" || fan == "5", "{line}");
    }
    let best = scratch.json(&["best", "sinks.toml", "--json"]);
    assert_eq!(best["tasks"][2]["recommended"]["point"]["fan"], 5.0);
    assert!(scratch.done(&["trials", "sinks.toml"]).contains("fan"));
    assert!(scratch.done(&["why", "sinks.toml"]).contains("fan=5"));
    scratch.done(&["report", "sinks.html", "sinks.toml"]);
}

#[test]
fn a_task_that_has_begun_keeps_its_problem_and_the_next_one_may_change() {
    let scratch = finished("changing-again");
    scratch.write("sinks.toml", &FILE.replace("was = 2", "was = 3"));
    let refused = scratch.refused(2, &["run", "sinks.toml", "--quiet"]);
    assert!(refused.contains("\"server\" has begun with another problem"), "{refused}");
    let more = "[[task]]\nname = \"later\"\nbudget = 6\nspace.fan = { low = 0, high = 20 }\n";
    scratch.write("sinks.toml", &format!("{FILE}{more}"));
    scratch.done(&["run", "sinks.toml", "--quiet"]);
    let status = scratch.done(&["status", "sinks.toml"]);
    assert!(status.contains("from later on:\n  fan is now 0 to 20, it was 0 to 10"), "{status}");
    assert!(status.contains("fan is searched again"), "{status}");
}

#[test]
fn mistakes_in_what_changes_are_told_at_their_lines() {
    let scratch = Scratch::new("changing-wrong");
    for (wrong, instead, told) in [
        ("was = 2", "was = \"slow\"", "line 24: parameter fan: slow is not one of its values"),
        ("fan = { fixed = 5 }", "fan = { fixed = 50 }", "50 is not one of its values"),
        ("fan = { fixed = 5 }", "fun = { fixed = 5 }", "low and high, or choices"),
        ("low = 0, high = 2 }", "choices = [\"a\"] }", "give it another name"),
        ("low = 0, high = 2 }", "low = 0, hihg = 2 }", "hihg"),
        ("name = \"coarse\"\ncost = 1\n[[task", "name = \"rough\"\ncost = 1\n[[task", "none of"),
    ] {
        scratch.write("sinks.toml", &FILE.replacen(wrong, instead, 1));
        let refused = scratch.refused(2, &["run", "sinks.toml"]);
        assert!(refused.contains(told), "{told}\nis missing in\n{refused}");
    }
}

#[test]
fn knowledge_goes_to_a_campaign_with_another_space() {
    let scratch = finished("changing-given");
    scratch.done(&["knowledge", "export", "sinks.toml", "--out", "sinks.json"]);
    let other = FILE.split("[[task]]").next().unwrap().replace("name = \"sinks\"", "name = \"b\"");
    let space = "height = { low = 0, high = 1 }\nfan = { low = 0, high = 10 }\ndust = { low = 0, high = 1, was = 0.1 }";
    let other = other.replace("height = { low = 0, high = 1 }", space);
    scratch.write("b.toml", &format!("{other}[[task]]\nname = \"first\"\nbudget = 8\n"));
    let told = scratch.done(&["knowledge", "import", "sinks.json", "b.toml"]);
    for part in ["what 3 tasks taught", "dust is new; it was 0.1", "height is now 0 to 1"] {
        assert!(told.contains(part), "{part}\nis missing in\n{told}");
    }
    scratch.write("simulate.sh", SIMULATOR);
    scratch.done(&["run", "b.toml", "--quiet"]);
}
