//! Backups as people make them: a store to a file and back, a campaign out of its store and back, stores
//! of earlier versions. Each time the next trial is the one that would have come anyway.

use crate::support::Scratch;
use serde_json::Value as Json;
use std::fs;

/// Small, with settings that make asking quick; the second task learns from the first.
const FILE: &str = r#"
name = "small"
store = "sqlite:small.db"
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
[method]
particles = 3
svgd_steps = 5
candidates = 30
initial = 2
[[task]]
name = "one"
budget = 8
[[task]]
name = "two"
budget = 12
"#;

fn answer(scratch: &Scratch, asked: &Json) {
    let number = |name: &str| asked["point"][name].as_f64().unwrap();
    let value = (number("x") - 0.4).powi(2) + (number("y") - 0.7).abs();
    let (task, trial) = (asked["task"].as_str().unwrap(), asked["trial"].to_string());
    scratch.done(&["tell", "--task", task, &trial, &value.to_string(), "small.toml"]);
}

/// A campaign in its second task, with an answer that is still awaited and a note.
fn under_way(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("small.toml", FILE);
    loop {
        let asked = scratch.json(&["ask", "small.toml", "--json"]);
        if asked["trial"].is_null() {
            break;
        }
        answer(&scratch, &asked);
    }
    scratch.done(&["finish", "small.toml"]);
    for _ in 0..3 {
        answer(&scratch, &scratch.json(&["ask", "small.toml", "--json"]));
    }
    scratch.json(&["ask", "small.toml", "--worker", "person", "--json"]);
    scratch.done(&["note", "door open", "small.toml"]);
    scratch
}

/// What comes next, whoever asks.
fn next(scratch: &Scratch, arguments: &[&str]) -> Json {
    let call = ["ask", "--worker", "somebody", "--json"];
    let mut asked = scratch.json(&[&call[..], arguments].concat());
    assert!(asked["trial"].is_u64() && asked["task"] == "two", "{asked}");
    asked["store"] = Json::Null;
    asked
}

/// The store's file, copied while nobody works with it.
fn copied(scratch: &Scratch, to: &str) {
    fs::copy(scratch.0.join("small.db"), scratch.0.join(to)).unwrap();
}

#[test]
fn a_store_that_was_restored_goes_on_as_the_one_that_was_lost() {
    let scratch = under_way("restored");
    scratch.done(&["campaign", "archive", "small.toml"]);
    let told = scratch.done(&["store", "backup", "all.jsonl"]);
    assert!(told.contains("1 campaign, 2 tasks, ") && told.contains("all.jsonl"), "{told}");
    let there = scratch.refused(2, &["store", "backup", "all.jsonl"]);
    assert!(there.contains("it is there already"), "{there}");
    let full = scratch.refused(2, &["store", "restore", "all.jsonl"]);
    assert!(full.contains("not empty: it has small") && full.contains("hint:"), "{full}");
    let status = scratch.json(&["status", "small.toml", "--json"]);
    let expected = next(&scratch, &["small.toml"]);
    let elsewhere = ["--store", "sqlite:new.db"];
    let call = [&["store", "restore", "all.jsonl", "--json"][..], &elsewhere].concat();
    let told = scratch.json(&call);
    assert_eq!((&told["campaigns"][0], &told["tasks"]), (&Json::from("small"), &Json::from(2)));
    let restored = [&["status", "small.toml", "--json"][..], &elsewhere].concat();
    assert_eq!(scratch.json(&restored)["tasks"], status["tasks"]);
    let all = [&["campaign", "list", "--all"][..], &elsewhere].concat();
    assert!(scratch.done(&all).contains("archived"), "it is as it was");
    assert_eq!(next(&scratch, &["small", "--store", "sqlite:new.db"]), expected);
}

#[test]
fn a_store_moves_to_postgresql_and_back_with_the_same_bits() {
    let Ok(url) = std::env::var("BATON_TEST_POSTGRES") else {
        panic!("BATON_TEST_POSTGRES is not set\nhint: scripts/with-postgres cargo test");
    };
    let schema = format!("baton_backups_{}", std::process::id());
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client.batch_execute(&format!("CREATE SCHEMA {schema}")).unwrap();
    let server = format!("{url}?options=-csearch_path%3D{schema}");
    let scratch = under_way("moved");
    scratch.done(&["store", "backup", "there.jsonl"]);
    let expected = next(&scratch, &["small.toml"]);
    scratch.done(&["store", "restore", "there.jsonl", "--store", &server]);
    scratch.done(&["store", "backup", "back.jsonl", "--store", &server]);
    scratch.done(&["store", "restore", "back.jsonl", "--store", "sqlite:back.db"]);
    let lines = |name: &str| {
        let text = scratch.read(name);
        let records =
            text.lines().filter(|line| !line.contains("\"written\"") && !line.contains("\"end\""));
        records.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines("back.jsonl"), lines("there.jsonl"));
    for store in [server.as_str(), "sqlite:back.db"] {
        assert_eq!(next(&scratch, &["small", "--store", store]), expected, "{store}");
    }
}

#[test]
fn a_campaign_leaves_its_store_as_a_file_and_comes_back_with_the_same_bits() {
    let scratch = under_way("archived");
    copied(&scratch, "undisturbed.db");
    let told = scratch.done(&["campaign", "archive", "small.toml", "--to", "small.jsonl"]);
    assert!(told.contains("\"small\" (1 campaign, 2 tasks, "), "{told}");
    assert!(scratch.done(&["campaign", "list"]).contains("small"), "it is still there");
    let taken = scratch.refused(2, &["campaign", "restore", "--from", "small.jsonl"]);
    assert!(taken.contains("\"small\" already") && taken.contains("rename"), "{taken}");
    let again = ["campaign", "archive", "small.toml", "--to", "small.jsonl", "--remove"];
    assert!(scratch.refused(2, &again).contains("it is there already"));
    assert!(scratch.done(&["campaign", "list"]).contains("small"), "nothing was removed");
    scratch.done(&["campaign", "archive", "small.toml", "--to", "kept.jsonl", "--remove"]);
    assert!(scratch.done(&["campaign", "list", "--all"]).contains("no campaign"));
    scratch.refused(2, &["campaign", "archive", "small.toml", "--remove"]);
    scratch.done(&["campaign", "restore", "--from", "kept.jsonl"]);
    let elsewhere = ["small", "--store", "sqlite:undisturbed.db"];
    for what in ["trials", "ledger", "best"] {
        let expected = scratch.done(&[&[what][..], &elsewhere].concat());
        assert_eq!(scratch.done(&[what, "small.toml"]), expected);
    }
    assert_eq!(next(&scratch, &["small.toml"]), next(&scratch, &elsewhere));
    let unread =
        scratch.refused(2, &["campaign", "archive", "small.toml", "--to", "-", "--remove"]);
    assert!(unread.contains("cannot be read back"), "{unread}");
}

#[test]
fn a_backup_goes_through_a_pipe_to_a_store_whose_address_a_file_holds() {
    let scratch = under_way("piped");
    let written = scratch.done(&["store", "backup", "-", "--store", "sqlite:small.db"]);
    assert!(written.starts_with("{\"baton_backup\":1,") && written.ends_with("}}\n"), "{written}");
    scratch.write("backup", &written);
    scratch.write("address", "sqlite:new.db\n");
    let mut command = scratch.command(&["store", "restore", "-", "--store", "@address"]);
    let output = command.stdin(fs::File::open(scratch.0.join("backup")).unwrap()).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(output.stdout.is_empty() && told.contains("restored from -"), "{told}");
    let expected = next(&scratch, &["small.toml"]);
    assert_eq!(next(&scratch, &["small", "--store", "@address"]), expected);
}

#[test]
fn one_campaign_of_a_backup_is_brought_back_by_its_name() {
    let scratch = under_way("one-of-many");
    scratch.write("other.toml", &FILE.replace("\"small\"", "\"other\""));
    scratch.done(&["ask", "other.toml"]);
    scratch.done(&["store", "backup", "all.jsonl", "--store", "sqlite:small.db"]);
    scratch.done(&["campaign", "delete", "other.toml", "--yes"]);
    let call = ["campaign", "restore", "--from", "all.jsonl", "--store", "sqlite:small.db"];
    assert!(scratch.refused(2, &call).contains("name one of other, small"));
    let unknown = scratch.refused(2, &[&call[..], &["third"]].concat());
    assert!(unknown.contains("no campaign \"third\", but other, small"), "{unknown}");
    scratch.done(&[&call[..], &["other"]].concat());
    assert!(scratch.done(&["status", "other.toml"]).contains("one"));
}

#[test]
fn what_is_no_backup_or_damaged_makes_no_store() {
    let scratch = under_way("damaged");
    scratch.done(&["store", "backup", "all.jsonl"]);
    let text = scratch.read("all.jsonl");
    let half = &text[..text.len() / 2];
    for (name, content, reason) in [
        ("half.jsonl", half, "damaged"),
        ("changed.jsonl", &text.replacen("door", "dook", 1), "its checksum does not fit"),
        ("small.toml", FILE, "no backup of Baton"),
        (
            "newer.jsonl",
            &text.replacen("\"baton_backup\":1", "\"baton_backup\":2", 1),
            "later version",
        ),
    ] {
        scratch.write(name, content);
        let refused = scratch.refused(2, &["store", "restore", name, "--store", "sqlite:new.db"]);
        assert!(refused.contains(reason) && refused.contains("hint:"), "{refused}");
    }
    let missing = scratch.refused(2, &["store", "restore", "no.jsonl", "--store", "sqlite:new.db"]);
    assert!(missing.contains("no.jsonl"), "{missing}");
    assert!(!scratch.0.join("new.db").exists());
}

/// What takes a store back to the version before: its columns that came later are empty here.
const BACK: [(i64, &str); 4] = [
    (5, "ALTER TABLE baton_trial DROP COLUMN constraints"),
    (4, "ALTER TABLE baton_task DROP COLUMN described"),
    (
        3,
        "ALTER TABLE baton_trial DROP COLUMN noise; ALTER TABLE baton_trial DROP COLUMN paid;
         ALTER TABLE baton_trial DROP COLUMN attributes; ALTER TABLE baton_task DROP COLUMN attributes;
         ALTER TABLE baton_campaign DROP COLUMN archived",
    ),
    (
        1,
        "ALTER TABLE baton_schema DROP COLUMN sealed; ALTER TABLE baton_campaign DROP COLUMN seal;
         ALTER TABLE baton_task DROP COLUMN seal; ALTER TABLE baton_trial DROP COLUMN seal",
    ),
];

#[test]
fn a_store_of_every_earlier_version_is_brought_up_and_goes_on() {
    let scratch = under_way("upgraded");
    let mut steps = String::new();
    let mut stores = Vec::new();
    for (version, step) in BACK {
        steps += &(step.to_owned() + ";\n");
        let name = format!("version-{version}.db");
        copied(&scratch, &name);
        let connection = rusqlite::Connection::open(scratch.0.join(&name)).unwrap();
        connection.execute_batch(&steps).unwrap();
        connection.execute("UPDATE baton_schema SET version = ?1", [version]).unwrap();
        stores.push(format!("sqlite:{name}"));
    }
    let expected = next(&scratch, &["small.toml"]);
    for store in stores {
        // A backup is of the store as it is brought up to now, whatever it was.
        let backup = format!("{}.jsonl", store.replace(':', "-"));
        scratch.done(&["store", "backup", &backup, "--store", &store]);
        assert_eq!(next(&scratch, &["small", "--store", &store]), expected, "{store}");
        let trials = scratch.done(&["trials", "small", "--store", &store]);
        assert_eq!(trials, scratch.done(&["trials", "small.toml"]), "{store}");
        let moved = format!("{store}.restored");
        scratch.done(&["store", "restore", &backup, "--store", &moved]);
        assert_eq!(next(&scratch, &["small", "--store", &moved]), expected, "{store}");
    }
}
