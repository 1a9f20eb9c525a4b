//! What new users ran into on the command line: nothing is wrong without a word.

use crate::support::Scratch;

const FILE: &str = r#"
name = "small"
seed = 3
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
command = ["sh", "-c", "read -r line; echo 0.5"]
[method]
particles = 3
svgd_steps = 5
candidates = 30
initial = 2
[[task]]
name = "monday"
budget = 8
"#;

fn small(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("small.toml", FILE);
    scratch
}

#[test]
fn a_column_that_means_nothing_is_refused_unless_it_is_ignored_on_purpose() {
    let scratch = small("columns");
    scratch.write("u.csv", "x,y,value,fid\n0.1,0.2,0.5,coarse\n0.3,0.2,0.4,fine\n");
    let refused = scratch.refused(2, &["import", "u.csv"]);
    assert!(refused.contains("\"fid\" is none of x, y, value, fidelity, task"), "{refused}");
    assert!(refused.contains("--map fid=FIELD") && refused.contains("--ignore fid"), "{refused}");
    let refused = scratch.refused(2, &["import", "u.csv", "--ignore", "fit"]);
    assert!(refused.contains("there is no column \"fit\""), "{refused}");
    scratch.write("twice.csv", "x,y,value,x\n0.1,0.2,0.5,0.7\n");
    let refused = scratch.refused(2, &["import", "twice.csv"]);
    assert!(refused.contains("two columns hold \"x\""), "{refused}");
    let both = ["import", "u.csv", "--map", "fid=value"];
    assert!(scratch.refused(2, &both).contains("two columns hold \"value\""));
    scratch.done(&["import", "u.csv", "--map", "fid=fidelity"]);
    let trials = scratch.json(&["trials", "--json"]);
    assert_eq!(trials["trials"][0]["fidelity"], "coarse");
    scratch.done(&["import", "u.csv", "--ignore", "fid"]);
    assert_eq!(scratch.json(&["trials", "--json"])["trials"][2]["fidelity"], "fine");
    // What Baton writes, it reads; a nameless count of lines as pandas writes it does no harm.
    let exported = scratch.done(&["trials", "--csv"]);
    scratch.write("own.csv", &exported);
    assert!(scratch.refused(2, &["import", "own.csv"]).contains("there already"));
    scratch.write("pandas.csv", ",x,y,value\n0,0.9,0.2,0.5\n");
    scratch.done(&["import", "pandas.csv"]);
}

#[test]
fn of_a_grown_file_only_the_new_lines_are_imported() {
    let scratch = small("grown");
    let two = "x,y,value\n0.1,0.2,0.5\n0.3,0.2,0.4\n";
    scratch.write("results.csv", two);
    scratch.done(&["import", "results.csv"]);
    scratch.write("results.csv", &format!("{two}0.6,0.2,0.3\n"));
    let said = scratch.done(&["import", "results.csv"]);
    assert!(said.contains("1 new result imported as data of task monday; 2 were there already"));
    assert_eq!(scratch.json(&["trials", "--json"])["trials"].as_array().unwrap().len(), 3);
    assert!(scratch.refused(2, &["import", "results.csv"]).contains("all of its results"));
    let again = scratch.json(&["import", "results.csv", "--again", "--json"]);
    assert_eq!((&again["imported"], &again["known"]), (&3.into(), &0.into()));
}

#[test]
fn a_cost_of_nothing_is_refused() {
    let scratch = small("free");
    scratch.json(&["ask", "--json"]);
    let refused = scratch.refused(2, &["tell", "0", "0.5", "--cost", "0"]);
    assert!(refused.contains("cost of the trial is 0; it must be more than zero"), "{refused}");
}

#[test]
fn why_says_why() {
    let scratch = small("why");
    scratch.done(&["run", "--quiet"]);
    let trials = scratch.json(&["trials", "--json"])["trials"].as_array().unwrap().len();
    let one = scratch.done(&["why", "0", "--task", "monday"]);
    assert!(one.starts_with("monday: trial 0, x="), "{one}");
    assert!(one.contains("A first look around before the model is used"), "{one}");
    assert_eq!(scratch.done(&["why"]).lines().count(), 2 * trials);
    assert_eq!(scratch.done(&["why", "small.toml"]), scratch.done(&["why"]));
    let same = scratch.json(&["why", "0", "small.toml", "--json"]);
    assert!(one.contains(same["trials"][0]["why"].as_str().unwrap()));
    assert!(scratch.refused(2, &["why", "99"]).contains("\"monday\" has no trial 99"));
    assert!(scratch.refused(2, &["why", "--task", "friday"]).contains("no task \"friday\""));
}

#[test]
fn a_note_takes_the_number_of_its_trial_first() {
    let scratch = small("note");
    scratch.json(&["ask", "--json"]);
    scratch.done(&["note", "--task", "monday", "0", "door open"]);
    scratch.done(&["note", "0", "door shut", "small.toml"]);
    scratch.done(&["note", "a task"]);
    scratch.done(&["note", "7", "--task", "monday"]); // a word alone is the note
    let trials = scratch.json(&["trials", "--json"]);
    assert_eq!(trials["trials"][0]["attributes"]["note"], "door shut");
    assert!(scratch.refused(2, &["note", "a", "b", "c"]).contains("\"a\" is no trial's number"));
}

#[test]
fn what_is_ignored_or_put_aside_or_not_there_is_said() {
    let scratch = small("said");
    scratch.json(&["ask", "--json"]);
    scratch.write("small.toml", &FILE.replace("budget = 8", "budget = 4"));
    let output = scratch.baton(&["ask", "--json", "--worker", "w"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("warning: the budget 4 of the task \"monday\" is ignored"), "{said}");
    scratch.write("small.toml", FILE);
    let missing = scratch.refused(2, &["status", "smal", "--store", "sqlite:small.db"]);
    assert!(missing.contains("hint: the store has small"), "{missing}");
    scratch.done(&["campaign", "archive"]);
    for call in [&["run"][..], &["worker", "--campaign", "small.toml"]] {
        let aside = scratch.refused(2, call);
        assert!(aside.contains("\"small\": it is archived"), "{aside}");
        assert!(aside.contains("baton campaign restore"), "{aside}");
    }
    scratch.done(&["campaign", "restore"]);
    let mut watching = scratch.command(&["run", "--workers", "0"]);
    let mut watching = watching.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let errors = watching.stderr.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(errors), &mut line).unwrap();
    watching.kill().unwrap();
    watching.wait().unwrap();
    assert!(line.contains("nothing is evaluated here") && line.contains("`baton worker"), "{line}");
}

#[test]
fn failures_that_were_charged_are_said_to_have_been() {
    let scratch = small("charged");
    let failing = FILE.replace("echo 0.5", "exit 9").replace("goal", "pause_after = 2\ngoal");
    scratch.write("small.toml", &failing);
    let output = scratch.baton(&["run"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let spent = scratch.json(&["status", "--json"])["tasks"][0]["spent"].as_f64().unwrap();
    assert!(spent > 0.0 && said.contains(&format!("{spent} of the budget was charged")), "{said}");
}

#[test]
fn a_service_may_be_bound_to_a_name() {
    let scratch = small("named");
    let refused = scratch.refused(2, &["serve", "--bind", "no such host:1"]);
    assert!(refused.contains("hint: an address or a name of this machine"), "{refused}");
    let mut service = scratch.command(&["serve", "--bind", "localhost:0", "--log", "none"]);
    let mut service = service.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let (mut line, said) = (String::new(), service.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut std::io::BufReader::new(said), &mut line).unwrap();
    service.kill().unwrap();
    service.wait().unwrap();
    assert!(line.contains("at http://127.0.0.1:"), "{line}");
}
