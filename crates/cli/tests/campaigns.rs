//! Campaigns on the command line: the newcomer's path, driving from outside, coming and going.

use crate::support::Scratch;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::io::BufRead as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A small campaign; the settings make asking quick.
const FILE: &str = r#"
name = "small"
seed = 3
[space]
x = { low = 0, high = 1 }
mode = { choices = ["a", "b"] }
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
particles = 3
svgd_steps = 5
candidates = 30
initial = 2
[[task]]
name = "one"
budget = 12
[[task]]
name = "two"
budget = 12
"#;

const SIMULATOR: &str = r#"read -r line
x=$(printf '%s' "$line" | sed -n 's/.*"x":\([0-9.eE+-]*\).*/\1/p')
awk -v x="$x" 'BEGIN { printf "{\"value\": %.17g}\n", (x - 0.4)^2 }'
"#;

fn small(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("small.toml", FILE);
    scratch.write("simulate.sh", SIMULATOR);
    scratch
}

#[test]
fn the_newcomers_path_works_as_the_readme_shows_it() {
    let scratch = Scratch::new("newcomer");
    assert!(scratch.done(&["init", "first"]).contains("next: baton run first/campaign.toml"));
    assert!(scratch.refused(2, &["init", "first"]).contains("it is there already"));
    // Quicker than what a newcomer runs, and with the simulator that needs no Python.
    let file = scratch.read("first/campaign.toml");
    let quick = file
        .replace("command = [\"python3\", \"simulate.py\"]", "command = [\"sh\", \"simulate.sh\"]")
        .replace("budget = 40", "budget = 12");
    scratch.write("first/campaign.toml", &quick);
    let told = scratch.done(&["run", "first/campaign.toml"]);
    assert!(told.contains("wednesday: finished") && told.contains("done;"), "{told}");
    let again = scratch.done(&["run", "first/campaign.toml"]);
    assert!(again.contains("going on with"), "{again}");
    let best = scratch.done(&["best", "first/campaign.toml"]);
    assert!(best.contains("recommended  x=") && best.contains("90 % between"), "{best}");
    scratch.done(&["report", "page.html", "first/campaign.toml"]);
    let page = scratch.read("page.html");
    for part in ["<title>first campaign</title>", "\"slices\":[{", "Parallel coordinates"] {
        assert!(page.contains(part), "{part}");
    }
    // It opens with the answer: the point to use, what to expect of it, and what transfer did.
    let opening = page.split("<section").nth(1).unwrap();
    for part in
        ["<h3>monday</h3>\n<p>Use x=", "(90 % between ", "est seen ", "It started from nothing."]
    {
        assert!(opening.contains(part), "{part}: {opening}");
    }
    assert_eq!(opening.matches("What earlier tasks taught").count(), 2, "{opening}");
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        let own = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!own.contains(outside), "the page needs {outside}");
    }
}

#[test]
fn python_and_shell_simulators_of_init_agree() {
    let scratch = Scratch::new("agree");
    scratch.done(&["init"]);
    if Command::new("python3").arg("--version").output().is_err() {
        return; // then only the shell one can be used here
    }
    let line = json!({ "point": { "x": 0.25, "y": 1e-3 }, "fidelity": "coarse", "level": 1,
        "task_number": 2, "task": "tuesday", "trial": 0, "seed": 1, "attempt": 1 });
    let value = |program: &str, script: &str| {
        let command = format!("printf '%s\\n' '{line}' | {program} {script}");
        let output =
            Command::new("sh").args(["-c", &command]).current_dir(&scratch.0).output().unwrap();
        let answer: Json = serde_json::from_slice(&output.stdout).unwrap();
        answer["value"].as_f64().unwrap()
    };
    let (python, shell) = (value("python3", "simulate.py"), value("sh", "simulate.sh"));
    assert!((python - shell).abs() < 1e-12, "{python} {shell}");
}

#[test]
fn another_program_can_drive_the_campaign() {
    let scratch = small("driven");
    let missing = scratch.refused(2, &["status"]);
    assert!(missing.contains("baton run") && missing.contains("hint:"), "{missing}");
    let first = scratch.json(&["ask", "--worker", "me", "--json"]);
    assert_eq!(scratch.json(&["ask", "--worker", "me", "--json"]), first, "its own trial again");
    let other = scratch.json(&["ask", "--request", "r1", "--json"]);
    assert_eq!(other["trial"], 1);
    assert_eq!(scratch.json(&["ask", "--request", "r1", "--json"]), other, "asked once");
    assert_eq!(scratch.json(&["status", "--json"])["tasks"][0]["pending"], 2);
    assert!(scratch.done(&["tell", "0", "0.5"]).contains("trial 0: 0.5"));
    assert_eq!(scratch.json(&["tell", "0", "0.5", "--json"])["repeated"], true);
    assert!(scratch.refused(2, &["tell", "0", "0.6"]).contains("it has its outcome already: 0.5"));
    assert!(scratch.refused(2, &["tell", "7", "0.6"]).contains("\"one\" has no such trial"));
    assert!(scratch.refused(2, &["tell", "1", "nan"]).contains("not a finite number"));
    scratch.done(&["fail", "1", "the mesh was bad"]);
    let trials = scratch.json(&["trials", "--json"]);
    assert_eq!(trials["trials"][1]["reason"], "the mesh was bad");
    while let Some(trial) = scratch.json(&["ask", "--json"])["trial"].as_u64() {
        scratch.done(&["tell", &trial.to_string(), "-0.25"]);
    }
    assert!(scratch.done(&["ask"]).contains("budget is spent"));
    assert!(scratch.done(&["finish"]).contains("one: finished"));
    assert!(scratch.refused(2, &["finish"]).contains("no task is under way"));
    assert_eq!(scratch.json(&["ask", "--json"])["task"], "two");
    assert!(scratch.done(&["ledger"]).contains("nats here"));
    assert!(scratch.done(&["trials", "--csv"]).starts_with("task,trial,fidelity,x,mode,value"));
    // What drives is free to change its mind: `run` takes over where it left.
    scratch.done(&["finish"]);
    assert!(scratch.done(&["run"]).contains("done;"));
}

#[test]
fn answers_name_their_task_and_take_any_number() {
    let scratch = small("answers");
    assert!(scratch.refused(2, &["tell", "0", "1"]).contains("hint:"));
    let asked = scratch.done(&["ask", "--worker", "a"]);
    assert!(asked.contains("baton tell --task \"one\" 0 VALUE"), "{asked}");
    scratch.done(&["ask", "--worker", "b"]);
    assert!(scratch.done(&["tell", "0", "-1e-3"]).contains("one: trial 0: -0.001"));
    assert_eq!(scratch.json(&["tell", "0", "--json", "-1e-3"])["repeated"], true);
    let unknown = scratch.refused(2, &["tell", "0", "1", "--task", "tow"]);
    assert!(unknown.contains("\"tow\"") && unknown.contains("begun so far: \"one\""), "{unknown}");
    let finished = scratch.done(&["finish"]);
    assert!(finished.contains("1 trial had no answer yet"), "{finished}");
}

#[test]
fn values_beyond_arithmetic_do_not_hide_what_other_tasks_say() {
    let scratch = small("extreme");
    for (task, values) in [("one", ["0.5", "0.3"]), ("two", ["-0.37", "1e300"])] {
        for (trial, value) in values.iter().enumerate() {
            scratch.done(&["ask"]);
            scratch.done(&["tell", "--task", task, &trial.to_string(), value]);
        }
        scratch.done(&["finish"]);
    }
    let best = scratch.done(&["best"]);
    assert!(best.contains("  recommended  x="), "{best}");
    assert!(best.contains("nothing is recommended: the model cannot be used"), "{best}");
    assert!(best.contains("best seen    -0.37"), "{best}");
    scratch.done(&["report"]);
    assert!(scratch.read("report.html").contains("the model cannot be used"));
}

#[test]
fn a_report_opens_with_what_is_known_of_the_point_to_use() {
    let scratch = Scratch::new("opening");
    let choice = "name = \"a {data} <b>\"\n[space]\nx = { choices = [1] }\n\
        [objective]\ngoal = \"minimize\"\n[[task]]\nname = \"{script}\"\nbudget = 4\n";
    scratch.write("choice.toml", choice);
    let opening = || {
        scratch.done(&["report"]);
        let page = scratch.read("report.html");
        assert!(page.contains("<h1>a &#123;data} &lt;b&gt;</h1>"), "{page}");
        page.split("<section").nth(1).unwrap().to_owned()
    };
    scratch.done(&["ask"]);
    let nothing = opening();
    assert!(nothing.contains("<h3>&#123;script}</h3>\n<p>Nothing was told yet."), "{nothing}");
    assert!(nothing.contains("The task is under way."), "{nothing}");
    scratch.done(&["tell", "0", "0.5"]);
    let evaluated = opening();
    assert!(evaluated.contains("<p>Use x=1: expected 0.5"), "{evaluated}");
    assert!(evaluated.contains("). Best seen 0.5 at x=1."), "{evaluated}");
}

#[test]
fn a_command_that_cannot_be_started_costs_nothing() {
    let scratch = small("not-started");
    let right = scratch.read("small.toml");
    scratch.write("small.toml", &right.replace("[\"sh\",", "[\"no-such-program\","));
    let refused = scratch.refused(1, &["run"]);
    assert!(refused.contains("no-such-program") && refused.contains("hint:"), "{refused}");
    let status = scratch.json(&["status", "--json"]);
    assert_eq!(
        (&status["tasks"][0]["failed"], &status["tasks"][0]["pending"]),
        (&json!(0), &json!(1))
    );
    scratch.write("small.toml", &right);
    scratch.done(&["run"]);
    assert_eq!(scratch.json(&["status", "--json"])["tasks"][0]["failed"], 0);
}

#[test]
fn results_go_out_and_come_in_again() {
    let scratch = small("exchange");
    scratch.done(&["run", "--quiet"]);
    let exported = scratch.done(&["export"]);
    scratch.write("results.csv", &exported);
    let document = scratch.json(&["export", "--json"]);
    let count = document["trials"].as_array().unwrap().len();
    assert_eq!(exported.lines().count(), count + 1);
    // As finished tasks of another campaign, which then has knowledge before its first trial.
    let other = FILE.replace("\"small\"", "\"other\"").replace("\"one\"", "\"three\"");
    scratch.write("other.toml", &other.replace("\"two\"", "\"four\""));
    let call = ["import", "results.csv", "other.toml", "--finished", "--json"];
    let imported = scratch.json(&call);
    assert_eq!(imported["tasks"], json!(["one", "two"]));
    assert_eq!(imported["imported"], count);
    assert_eq!(scratch.json(&["knowledge", "show", "other.toml", "--json"])["tasks"], 2);
    // With other headings, as data of the task to come.
    let renamed = exported.replacen("x,mode,value", "abscissa,mode,height", 1);
    scratch.write("renamed.csv", &renamed);
    let refused = scratch.refused(2, &["import", "renamed.csv", "other.toml"]);
    assert!(refused.contains("no column holds \"x\"") && refused.contains("--map"), "{refused}");
    let map = ["--map", "abscissa=x", "--map", "height=value"];
    let call = [&["import", "renamed.csv", "other.toml"][..], &map[..]].concat();
    let refused = scratch.refused(2, &call);
    assert!(refused.contains("has \"one\", \"two\"; data can be added to \"three\" only"));
    assert!(refused.contains("hint: --finished"), "{refused}");
    scratch.write("renamed.csv", &renamed.replacen("task,", "day,", 1));
    let call = [&call[..], &["--ignore", "day"]].concat();
    scratch.done(&call);
    let status = scratch.json(&["status", "other.toml", "--json"]);
    assert_eq!(status["tasks"][2]["task"], "three");
    assert_eq!(status["tasks"][2]["spent"], 0.0);
    // All bad lines are told, and nothing is taken.
    let bad = "x,mode,fidelity,value\n0.5,c,fine,1\n2,a,fine,1\n0.5,a,rough,1\n0.5,a,fine,much\n";
    scratch.write("bad.csv", bad);
    let refused = scratch.refused(2, &["import", "bad.csv", "other.toml"]);
    for line in ["line 2:", "line 3:", "line 4:", "line 5:"] {
        assert!(refused.contains(line), "{refused}");
    }
    assert_eq!(scratch.json(&["status", "other.toml", "--json"]), status);
}

#[test]
fn knowledge_travels_as_a_checked_file_without_raw_data() {
    let scratch = small("travel");
    scratch.done(&["ask", "--worker", "run@nobody/1"]);
    assert!(scratch.refused(2, &["knowledge", "export"]).contains("nothing was learned yet"));
    scratch.done(&["finish"]);
    scratch.done(&["run", "--quiet"]);
    scratch.done(&["knowledge", "export", "--out", "learned.json"]);
    assert!(scratch.done(&["knowledge", "show", "learned.json"]).contains("learned from 2 tasks"));
    let text = scratch.read("learned.json");
    let trials = scratch.json(&["trials", "--json"]);
    let values = trials["trials"].as_array().unwrap().iter().filter_map(|t| t["value"].as_f64());
    let is_told = |number: &str| values.clone().any(|value| value.to_string() == number);
    let numbers = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
    let found: BTreeSet<&str> = numbers.filter(|number| is_told(number)).collect();
    // The centre of the scale is the median of the first values.
    assert!(found.len() <= 1, "{found:?}");
    scratch.write("colleague/small.toml", FILE);
    let import =
        |file: &str| ["knowledge", "import", file, "colleague/small.toml"].map(String::from);
    let call = import("learned.json");
    let call: Vec<&str> = call.iter().map(String::as_str).collect();
    assert!(scratch.done(&call).contains("what 2 tasks taught"));
    let known = scratch.json(&["knowledge", "show", "colleague/small.toml", "--json"]);
    assert_eq!(known, scratch.json(&["knowledge", "show", "--json", "small.toml"]));
    scratch.write("damaged.json", &text.replacen("0.", "1.", 1));
    let call = import("damaged.json");
    let call: Vec<&str> = call.iter().map(String::as_str).collect();
    assert!(scratch.refused(2, &call).contains("damaged"));
    scratch.write("elsewhere.toml", &FILE.replace("minimize", "maximize"));
    let refused = scratch.refused(2, &["knowledge", "import", "learned.json", "elsewhere.toml"]);
    assert!(refused.contains("earlier tasks were to minimize"), "{refused}");
    scratch.done(&["ask", "colleague/small.toml"]);
    let late = scratch.refused(2, &call);
    assert!(late.contains("error: could not"), "{late}");
}

#[test]
fn a_failing_simulator_pauses_the_task_with_its_last_words() {
    let scratch = small("failing");
    scratch.write("simulate.sh", "echo 'no licence for solver' >&2; exit 9\n");
    let uncharged = FILE.replace("particles = 3", "particles = 3\ncharge_failed = false");
    scratch.write("small.toml", &uncharged.replace("goal", "pause_after = 3\ngoal"));
    let output = scratch.baton(&["run"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("\"one\" is paused: 3 trials failed in a row"), "{told}");
    assert!(told.contains("exit code 9") && told.contains("no licence for solver"), "{told}");
    assert!(scratch.done(&["status"]).contains("one is paused"));
    assert_eq!(scratch.json(&["status", "--json"])["tasks"][0]["spent"], 0.0);
    scratch.write("simulate.sh", SIMULATOR);
    assert!(scratch.done(&["run"]).contains("done;"));
}

#[test]
fn a_campaign_keeps_its_problem_and_may_grow() {
    let scratch = small("grow");
    scratch.done(&["run", "--quiet"]);
    scratch.write("small.toml", &FILE.replace("cost = 3", "cost = 2"));
    let refused = scratch.refused(2, &["run"]);
    assert!(refused.contains("fidelities") && refused.contains("hint:"), "{refused}");
    scratch.write("small.toml", &format!("{FILE}[[task]]\nname = \"three\"\nbudget = 6\n"));
    assert!(scratch.done(&["run"]).contains("three: finished"));
    scratch.write("small.toml", &FILE.replace("[space]", "[spaec]\n[space]"));
    let refused = scratch.refused(2, &["run"]);
    assert!(refused.contains("line 4: unknown key \"spaec\""), "{refused}");
    assert!(refused.contains("did you mean \"space\"?"), "{refused}");
}

/// A run whose evaluations take some seconds, begun.
fn slow(scratch: &Scratch, seconds: u32) -> Child {
    scratch.write("simulate.sh", &format!("touch begun; sleep {seconds}\n{SIMULATOR}"));
    let run = scratch.command(&["run", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !scratch.0.join("begun").exists() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    run
}

fn interrupt(run: &Child) {
    let id = run.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
}

#[test]
fn one_interrupt_lets_evaluations_end_and_two_do_not() {
    let scratch = small("interrupt");
    let run = slow(&scratch, 4);
    assert!(scratch.refused(2, &["run"]).contains("another `baton run`"));
    assert_eq!(scratch.json(&["status", "--json"])["tasks"][0]["pending"], 1, "anybody may look");
    interrupt(&run);
    let output = run.wait_with_output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("\"counted\":true") && told.ends_with("{\"event\":\"stopped\"}\n"),
        "{told}"
    );
    std::fs::remove_file(scratch.0.join("begun")).unwrap();
    let run = slow(&scratch, 60);
    let begun = Instant::now();
    interrupt(&run);
    std::thread::sleep(Duration::from_millis(100));
    interrupt(&run);
    let output = run.wait_with_output().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(50), "it waited for the evaluation");
    assert!(!String::from_utf8(output.stdout).unwrap().contains("\"counted\""));
    let trials = scratch.json(&["trials", "--json"]);
    let kept = trials["trials"].as_array().unwrap().last().unwrap();
    assert_eq!((&kept["state"], &kept["holder"]), (&json!("pending"), &json!(null)), "given back");
    assert_eq!(scratch.json(&["status", "--json"])["tasks"][0]["pending"], 1, "it is kept");
}

#[test]
fn addresses_and_names_that_lead_nowhere_are_explained() {
    let scratch = Scratch::new("nowhere");
    assert!(scratch.refused(2, &["status"]).contains("baton init"));
    let refused = scratch.refused(2, &["status", "x", "--store", "mysql://x"]);
    assert!(refused.contains("sqlite:") && refused.contains("hint:"), "{refused}");
    let call = ["worker", "--store", "sqlite:here.db", "--campaign", "x", "--", "true"];
    assert!(scratch.refused(2, &call).contains("there is no store sqlite:here.db"));
    assert!(!scratch.0.join("here.db").exists());
    let refused = scratch.refused(2, &["run", "missing.toml"]);
    assert!(refused.contains("missing.toml"), "{refused}");
    scratch.write("small.toml", FILE);
    scratch.write("smaller.toml", FILE);
    assert!(scratch.refused(2, &["run"]).contains("several"));
    let page = scratch.refused(2, &["report", "small.toml"]);
    assert!(page.contains("PAGE.html"), "{page}");
}

#[test]
fn a_forgotten_trial_is_told_of_and_taken_over() {
    let scratch = small("forgotten");
    let asked = scratch.json(&["ask", "--json"]);
    assert_eq!(asked["trial"], 0);
    let mut waiting = scratch.command(&["run"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(waiting.stdout.take().unwrap()).lines();
    let told =
        lines.find(|line| line.as_ref().unwrap().starts_with("waiting for trial 0")).unwrap();
    waiting.kill().unwrap();
    waiting.wait().unwrap();
    let told = told.unwrap();
    for part in ["(with asked@", " of \"one\"", "baton tell --task \"one\" 0 VALUE", "--take-over"]
    {
        assert!(told.contains(part), "{told}");
    }
    let told = scratch.done(&["run", "--take-over"]);
    assert!(told.contains("two: finished"), "{told}");
}

#[test]
fn a_value_comes_with_its_noise_and_cost_and_a_point_that_was_not_tried_is_said_to_be_so() {
    let scratch = small("measured");
    scratch.json(&["ask", "--json"]);
    let told = scratch.json(&["tell", "0", "0.4", "--noise", "0.1", "--cost", "2.5", "--json"]);
    assert_eq!(told["left"], 9.5);
    assert!(scratch.refused(2, &["tell", "0", "0.4", "--cost=-1"]).contains("cost of the trial"));
    scratch.done(&["note", "door open", "--trial", "0", "--set", "batch=3"]);
    let trials = scratch.json(&["trials", "--json"]);
    let trial = &trials["trials"][0];
    assert_eq!((&trial["noise"], &trial["paid"]), (&json!(0.1), &json!(2.5)));
    assert_eq!(trial["attributes"], json!({ "batch": 3, "note": "door open" }));
    let best = scratch.json(&["best", "--json"]);
    let evaluated = best["tasks"][0]["recommended"]["evaluated"].as_bool().unwrap();
    let shown = scratch.done(&["best"]);
    assert_eq!(shown.contains("not evaluated at the highest fidelity"), !evaluated, "{shown}");
}

#[test]
fn a_command_answers_with_noise_and_cost() {
    let scratch = small("answers");
    scratch.write(
        "simulate.sh",
        "cat > /dev/null; echo '{\"value\": 1, \"noise\": 0.5, \"cost\": 5}'\n",
    );
    scratch.done(&["run"]);
    let trials = scratch.json(&["trials", "--json"]);
    let trial = &trials["trials"][0];
    assert_eq!((&trial["noise"], &trial["paid"]), (&json!(0.5), &json!(5.0)));
    let status = scratch.json(&["status", "--json"]);
    assert_eq!(status["tasks"][0]["spent"], 15.0, "three times five");
}

#[test]
fn campaigns_are_listed_renamed_put_aside_and_deleted() {
    let scratch = small("care");
    scratch.json(&["ask", "--json"]);
    let (store, here) = ("sqlite:///small.db", ["--store", "sqlite:small.db"]);
    let list = |more: &[&str]| {
        let all = scratch.json(&[&["campaign", "list", "--json"], &here[..], more].concat());
        all["campaigns"].as_array().unwrap().clone()
    };
    assert_eq!(list(&[])[0]["under_way"], "one");
    assert_eq!(scratch.json(&["campaign", "list", "--json"])["campaigns"][0]["campaign"], "small");
    assert!(
        scratch.done(&["campaign", "rename", "small.toml", "--to", "large"]).contains("begin anew")
    );
    scratch.done(&["campaign", "archive", "large", "--store", store]);
    assert_eq!((list(&[]).len(), list(&["--all"]).len()), (0, 1));
    let aside = scratch.refused(2, &["status", "--store", store]);
    assert!(aside.contains("are archived") && aside.contains("name one of large"), "{aside}");
    scratch.json(&["ask", "--json"]);
    assert_eq!(scratch.json(&["status", "--store", store, "--json"])["campaign"], "small");
    scratch.done(&["campaign", "delete", "small", "--store", store, "--yes"]);
    scratch.done(&["campaign", "restore", "large", "--store", store]);
    let kept = scratch.refused(2, &["campaign", "delete", "large", "--store", store]);
    assert!(kept.contains("--yes"), "{kept}");
    scratch.done(&["campaign", "delete", "large", "--store", store, "--yes"]);
    assert_eq!(list(&["--all"]).len(), 0);
    let missing = scratch.refused(2, &["status", "large", "--store", "sqlite:none.db"]);
    assert!(missing.contains("there is no store sqlite:none.db"), "{missing}");
    assert!(!scratch.0.join("none.db").exists());
    let empty = Scratch::new("care-empty").refused(2, &["campaign", "list"]);
    assert!(empty.contains("hint: --store URL names a store"), "{empty}");
}

#[test]
fn the_same_results_are_imported_once_unless_wished() {
    let scratch = small("twice");
    scratch.write("old.csv", "x,mode,fidelity,value\n0.1,a,fine,0.5\n0.2,b,coarse,0.4\n");
    scratch.done(&["import", "old.csv"]);
    let refused = scratch.refused(2, &["import", "old.csv"]);
    assert!(refused.contains("there already, in the task \"one\"") && refused.contains("--again"));
    assert!(scratch.done(&["import", "old.csv", "--again"]).contains("2 results imported"));
}

#[test]
fn what_nobody_can_want_is_refused_and_a_raised_budget_goes_on() {
    let scratch = small("sense");
    let falling = FILE.replace("cost = 3", "cost = 0.5");
    scratch.write("small.toml", &falling);
    assert!(scratch.refused(2, &["run"]).contains("from the cheapest to the highest"));
    scratch.write("small.toml", &falling.replace("command = [\"sh\", \"simulate.sh\"]\n", ""));
    let both = scratch.refused(2, &["run"]);
    assert!(both.contains("2 mistakes") && both.contains("no command in [objective]"), "{both}");
    assert!(both.contains("less than \"coarse\" before it"), "{both}");
    scratch.write("small.toml", &FILE.replace("budget = 12", "budget = 2"));
    assert!(
        scratch.refused(2, &["run"]).contains("does not pay for one trial at the highest fidelity")
    );
    let one = FILE.split("[[task]]\nname = \"two\"").next().unwrap();
    // A store lies beside its file, however many slashes its address has.
    scratch.write("sub/small.toml", &format!("store = \"sqlite:///here.db\"\n{one}"));
    scratch.json(&["ask", "sub/small.toml", "--json"]);
    assert!(scratch.0.join("sub/here.db").exists());
    scratch.write("small.toml", one);
    scratch.done(&["run"]);
    scratch.write("small.toml", &one.replace("budget = 12", "budget = 18"));
    assert!(scratch.done(&["run"]).contains("one: finished"));
    let status = scratch.json(&["status", "--json"]);
    assert_eq!(status["tasks"][0]["budget"], 18.0);
    assert!(status["tasks"][0]["spent"].as_f64().unwrap() > 12.0);
}
