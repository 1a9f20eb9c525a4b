//! What new users ran into on the command line: nothing is wrong without a word.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

mod support;

use support::Scratch;

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
