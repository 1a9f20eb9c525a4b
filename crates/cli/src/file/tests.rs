//! Files that can be used, and files with every kind of mistake.

use super::*;

const GOOD: &str = r#"
name = "uplink power control"
store = "sqlite:uplink.db"
seed = 7

[space]
p0_dbm = { low = -202, high = 24, step = 2 }
alpha = { choices = [0, 0.4, 0.5, 1], ordered = true }
rate = { low = 1e-5, high = 1e-1, log = true }
mode = { choices = ["a", "b"] }
layers = { low = 1, high = 8, integer = true }

[[fidelity]]
name = "10 samples"
cost = 10
[[fidelity]]
name = "100 samples"
cost = 100

[objective]
goal = "maximize"
command = ["python3", "simulate.py"]
timeout = "10m"
retries = 1
workers = 2

[method]
name = "default"
preset = "default"
particles = 4 # of an earlier version: this method has none
charge_failed = false

[method.policy]
explore = 0.3

[[task]]
name = "monday"
budget = 2000
[[task]]
name = "tuesday"
budget = 2000
"#;

fn told(text: &str) -> String {
    let mistakes = Mistakes::new(text);
    let content = parse(text, Purpose::Run(None), &mistakes);
    assert!(content.is_none() || !mistakes.is_empty(), "no mistake was found in {text}");
    mistakes.told()
}

#[test]
fn a_whole_file_is_understood() {
    let mistakes = Mistakes::new(GOOD);
    let file =
        parse(GOOD, Purpose::Run(None), &mistakes).unwrap().at(Path::new("folder/uplink.toml"));
    assert_eq!(mistakes.told(), "0 mistakes");
    assert_eq!(file.name, "uplink power control");
    assert_eq!(file.store, "sqlite:folder/uplink.db");
    let names: Vec<&str> = file.spec.space.parameters().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["p0_dbm", "alpha", "rate", "mode", "layers"], "in the order of the file");
    assert_eq!(file.spec.setting("explore"), Some("0.3"));
    assert_eq!(file.spec.setting("seed"), Some("7"));
    assert!(!file.spec.charges_failed());
    assert_eq!(file.spec.tasks.len(), 2);
    assert_eq!(file.objective.timeout, Some(std::time::Duration::from_mins(10)));
    assert_eq!((file.objective.retries, file.objective.workers), (1, 2));
}

#[test]
fn a_built_in_problem_brings_its_space_and_fidelities() {
    let text = "name = 'b'\n[objective]\nproblem = 'branin'\n[[task]]\nbudget = 60\n";
    let mistakes = Mistakes::new(text);
    let file = parse(text, Purpose::Run(None), &mistakes).unwrap().at(Path::new("b.toml"));
    assert_eq!((file.store.as_str(), file.spec.goal), ("sqlite:b.db", baton::Goal::Maximize));
    assert_eq!(file.spec.space.parameters().len(), 2);
    assert_eq!(file.spec.tasks[0].name, "task 1");
}

#[test]
fn all_mistakes_are_told_at_once_with_their_lines() {
    let text = r#"name = ""
store = "mysql://x"
sed = 7

[space]
x = { low = 1, hihg = 0 }
y = { low = 2, high = 1 }
z = { low = 0, high = 1, log = true }
w = { choices = ["a", "a"] }
v = 3

[[fidelity]]
name = "coarse"
cost = 0
[[fidelity]]
name = "coarse"
cost = "cheap"

[objective]
goal = "maximise"
command = "python3 simulate.py"
timeout = "soon"

[method]
name = "mes"
starts = 0
betta = 1

[[task]]
name = "monday"
budget = 2000
[[task]]
name = "monday"
"#;
    let expected = r#"20 mistakes
  line 1: name in the file is empty
  line 2: the store "mysql://x" is no address of one
    hint: store = "sqlite:FILE.db" or "postgres://USER@HOST/DATABASE"
  line 3: unknown key "sed" in the file
    hint: did you mean "seed"?"#;
    let told = told(text);
    assert!(told.starts_with(expected), "{told}");
    for part in [
        "line 6: unknown key \"hihg\" in parameter x\n    hint: did you mean \"high\"?",
        "line 6: parameter x: low and high, or choices, are needed",
        "line 7: parameter y: the bounds 2 and 1 hold no interval",
        "line 8: parameter z: a log scale needs a positive lower bound, not 0",
        "line 9: parameter w: the choice a occurs twice",
        "line 10: the parameter v is not a table",
        "line 14: fidelity coarse: its cost is 0; it must be positive and finite",
        "line 16: fidelity coarse: the name occurs twice",
        "line 17: cost in [[fidelity]] must be a finite number, not the text \"cheap\"",
        "line 20: goal must be \"maximize\" or \"minimize\", not \"maximise\"",
        "line 21: command in [objective] must be a list, not the text \"python3 simulate.py\"",
        "line 22: timeout must be a duration",
        "line 25: setting method = mes",
        "line 26: setting starts = 0",
        "line 27: unknown key \"betta\" in [method]",
        "line 33: the task \"monday\" occurs twice",
        "line 32: [[task]] has no budget",
    ] {
        assert!(told.contains(part), "{part}\nis missing in\n{told}");
    }
}

#[test]
fn descriptors_are_understood_and_all_their_mistakes_told() {
    let text = GOOD
        .replacen(
            "[[fidelity]]\nname = \"10",
            "[descriptors]\nload = { low = 1, high = 1e3, log = true }\n\
             sky = { choices = [\"clear\", \"cloudy\"] }\n\n[[fidelity]]\nname = \"10",
            1,
        )
        .replacen("budget = 2000", "budget = 2000\ndescribe = { load = 20, sky = \"clear\" }", 1);
    let mistakes = Mistakes::new(&text);
    let file = parse(&text, Purpose::Look, &mistakes).unwrap();
    assert_eq!(mistakes.told(), "0 mistakes");
    assert_eq!(file.spec.descriptors.parameters()[1].name, "sky");
    let said = &file.spec.tasks[0].describe;
    assert_eq!((&said["load"], &said["sky"]), (&Value::Real(20.0), &Value::from("clear")));
    assert!(file.spec.tasks[1].describe.is_empty());
    let wrong = text
        .replace("load = 20,", "load = 2e4, lode = 3, moon = [1],")
        .replace("log = true }\nsky", "log = 3 }\nsky")
        .replace("[\"clear\", \"cloudy\"]", "[\"clear\", \"clear\"]");
    let told_all = told(&wrong);
    for part in [
        "log in descriptor load must be true or false",
        "descriptor sky: the choice clear occurs twice",
        "moon in describe must be a number, a text, true or false",
    ] {
        assert!(told_all.contains(part), "{part}\nis missing in\n{told_all}");
    }
    let told_all = told(&text.replace("load = 20,", "load = 2e4, lode = 3,"));
    for part in [
        "descriptor load: 20000 is not one of its values, which are 1 to 1000, on a log scale",
        "descriptor lode: it is not declared; the descriptors are load, sky",
        "hint: describe = { reynolds = 1e6 } gives values of what [descriptors] declares",
    ] {
        assert!(told_all.contains(part), "{part}\nis missing in\n{told_all}");
    }
    assert!(told(&text.replace("load = 20", "load = nan")).contains("descriptor load: NaN"));
    assert!(
        told(&text.replace("sky = {", "mode = {").replace(", sky = \"clear\"", ""))
            .contains("descriptor mode: a parameter of the space has that name")
    );
    let other = text.replace("name = \"default\"\npreset = \"default\"", "name = \"warm-start\"");
    assert!(told(&other).contains("hands on nothing of the function that tasks share"));
}

#[test]
fn conditions_and_what_is_forbidden_are_understood_and_mistakes_in_them_told_at_their_lines() {
    let text = GOOD.replace(
        "layers = {",
        "forbid = [\"rate > 0.01 and mode = b\", \"layers + alpha > 8\"]\n\
         slope = { low = 0, high = 1, when = \"mode = a and layers >= 2\" }\nlayers = {",
    );
    let mistakes = Mistakes::new(&text);
    let file = parse(&text, Purpose::Look, &mistakes).unwrap();
    assert_eq!(mistakes.told(), "0 mistakes");
    assert_eq!(file.spec.space.forbidden().len(), 2);
    let when = file.spec.space.parameters()[4].when.as_ref().unwrap().to_string();
    assert_eq!(when, "mode = a and layers >= 2");
    assert!(file.spec.to_json().unwrap().starts_with("{\"version\":3"));
    let told_all =
        told(&text.replace("mode = a and", "mude = a and").replace("mode = b", "mode ="));
    // Mistakes in conditions are told before what is forbidden is looked at.
    assert!(
        told_all.contains("line 12: ") && told_all.contains("no parameter \"mude\""),
        "{told_all}"
    );
    for (wrong, part) in [
        (
            "mode = c",
            "line 11: the condition \"rate > 0.01 and mode = c\", at sign 24: c is no value of",
        ),
        ("mode =", "expected a value, found the end"),
    ] {
        let told_all = told(&text.replace("mode = b", wrong));
        assert!(told_all.contains(part), "{part}\nis missing in\n{told_all}");
    }
    let all = "rate > 0";
    assert!(told(&text.replace("rate > 0.01 and mode = b", all)).contains("(nearly) all of it"));
    assert!(
        told(&text.replace("forbid = [", "forbid = [3, ")).contains("a text or a list of texts")
    );
    let described =
        "[descriptors]\nload = { low = 0, high = 1, when = \"mode = a\" }\n[[fidelity]]\n";
    assert!(
        told(&GOOD.replacen("[[fidelity]]\n", described, 1))
            .contains("a descriptor is always there")
    );
}

#[test]
fn what_is_missing_is_named() {
    let told_empty = told("");
    for part in ["no name", "no [space]", "no goal", "no [[task]]"] {
        assert!(told_empty.contains(part), "{told_empty}");
    }
    assert!(told("[space]\n").contains("the space is empty"));
    assert!(told(&GOOD.replace("budget = 2000", "budget = 5")).contains("cheapest fidelity"));
    assert!(told(&GOOD.replace("goal", "gaol")).contains("did you mean \"goal\"?"));
    assert!(told(&GOOD.replace("workers = 2", "workers = -1")).contains("zero or more"));
    assert!(
        told(&GOOD.replace("cost = 10\n", "cost = 10\nnoise_variance = 1\n")).contains("for all")
    );
    assert!(told(&GOOD.replace("retries", "problem = \"branin\"\nretries")).contains("not both"));
}

#[test]
fn falling_costs_poor_budgets_and_a_missing_command_are_told_with_the_rest() {
    let text = GOOD
        .replace("cost = 10\n", "cost = 1000\n")
        .replace("budget = 2000\n[[task]]", "budget = 200\n[[task]]")
        .replace("command = [\"python3\", \"simulate.py\"]\n", "");
    let cheap = text.replace("cost = 1000", "cost = 10").replace("cost = 100\n", "cost = 1000\n");
    let told_all = told(&text);
    for part in [
        "2 mistakes",
        "has no command in [objective]",
        "line 18: the fidelity \"100 samples\" costs 100, less than \"10 samples\" before it (1000)",
    ] {
        assert!(told_all.contains(part), "{part}\nis missing in\n{told_all}");
    }
    assert!(
        told(&cheap).contains("the budget 200 of the task \"monday\" does not pay for one trial")
    );
    // Who only looks needs no command, and the store decides about what may have begun.
    for (purpose, count) in [(Purpose::Look, "0"), (Purpose::Run(Some(0)), "0")] {
        let mistakes = Mistakes::new(&text);
        assert!(parse(&text, purpose, &mistakes).is_some());
        assert!(mistakes.told().starts_with(count), "{}", mistakes.told());
    }
}

#[test]
fn text_that_is_no_toml_is_refused_with_its_line() {
    let text = GOOD.replace("seed = 7", "seed = = 7");
    assert!(told(&text).contains("line 4:"), "{}", told(&text));
    let twice = GOOD.replace("seed = 7", "seed = 7\nseed = 8");
    assert!(told(&twice).contains("line 5:"), "{}", told(&twice));
}

#[test]
fn the_files_of_the_examples_and_of_init_can_be_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("src/campaign/init/campaign.toml")];
    let examples = std::fs::read_dir(root.join("../../examples")).unwrap();
    let folders = examples.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    files.extend(folders.map(|folder| folder.join("campaign.toml")));
    assert!(files.len() > 6, "every example has a campaign file");
    for path in files {
        let file = CampaignFile::read(&path).unwrap_or_else(|failure| panic!("{failure}"));
        let script = file.objective.command.unwrap().pop().unwrap();
        assert!(path.parent().unwrap().join(&script).exists(), "{script}");
    }
}

#[test]
fn stop_and_guess_are_read_and_their_mistakes_told() {
    let with = |stop: &str, guess: &str| {
        let text = GOOD.replace("seed = 7", &format!("seed = 7\n{stop}"));
        text.replacen("budget = 2000", &format!("budget = 2000\n{guess}"), 1)
    };
    let good = with(
        "stop = { gain = 0.02 }",
        "guess = { point = { p0_dbm = -98, mode = \"a\" }, within = { p0_dbm = 10 } }",
    );
    let mistakes = Mistakes::new(&good);
    let spec = parse(&good, Purpose::Run(None), &mistakes).map(|content| content.spec);
    assert_eq!(mistakes.told(), "0 mistakes");
    let spec = spec.unwrap();
    let stop = spec.stop.unwrap();
    assert_eq!((*stop.gain, *stop.confidence), (0.02, 0.9));
    assert_eq!(spec.tasks[0].guess[0].within["p0_dbm"], 10.0);
    assert!(spec.tasks[1].guess.is_empty() && spec.tasks[1].stop.is_none());
    for (stop, guess, told_of) in [
        ("stop = { gain = 2 }", "", "gain in [stop]: it must be a number between 0 and 1"),
        ("stop = { gian = 0.1 }", "", "did you mean \"gain\"?"),
        ("stop = true", "", "stop in the file must be a table"),
        ("", "guess = { within = { rate = 1 } }", "has no point"),
        ("", "guess = [{ point = { rate = 7 } }]", "7 is not one of its values"),
        ("", "guess = [{ point = { bandwidth = 7 } }]", "the space has none of that name"),
        ("", "guess = [{ point = { rate = 0.01 }, within = { rate = -1 } }]", "a positive number"),
        (
            "",
            "guess = [{ point = { mode = \"a\" }, within = { mode = 1 } }]",
            "within is for numbers",
        ),
    ] {
        let text = with(stop, guess);
        let told = told(&text);
        assert!(told.contains(told_of), "{told}");
        let said = if stop.is_empty() { guess } else { stop };
        let line = 1 + text.lines().position(|line| line == said).unwrap();
        assert!(told.contains(&format!("line {line}:")), "{told}");
    }
}
