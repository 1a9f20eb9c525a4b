//! The stored reference file, and files that are wrong.

use super::*;
use serde_json::json;
use std::time::Instant;

const FILE: &str = include_str!("../../../../reference/problems_ref.json");

fn failed(comparisons: &[Comparison]) -> Vec<&Comparison> {
    comparisons.iter().filter(|comparison| !comparison.passed()).collect()
}

/// The file with the radio optima of the first two tasks only.
fn shortened() -> Value {
    let mut file: Value = serde_json::from_str(FILE).unwrap();
    for path in ["/fstar/rrm", "/diagnostics/rrm", "/diagnostics/rrm_full_power_ratio"] {
        let tasks = file.pointer_mut(path).unwrap().as_object_mut().unwrap();
        tasks.retain(|key, _| key == "1" || key == "2");
    }
    file
}

#[test]
fn values_computed_elsewhere_are_met() {
    let comparisons = verify(&shortened().to_string()).unwrap();
    assert!(failed(&comparisons).is_empty(), "{:#?}", failed(&comparisons));
    assert!(comparisons.len() > 180, "{}", comparisons.len());
}

#[test]
#[ignore = "the optima of 40 radio tasks take a while"]
fn the_whole_file_is_met() {
    let start = Instant::now();
    let comparisons = verify(FILE).unwrap();
    println!("{} comparisons in {:.1?}", comparisons.len(), start.elapsed());
    let worst = comparisons.iter().map(|c| c.relative_error / c.tolerance.max(1e-300));
    println!("worst share of its tolerance: {:.1e}", worst.fold(0.0, f64::max));
    assert!(failed(&comparisons).is_empty(), "{:#?}", failed(&comparisons));
}

#[test]
fn a_changed_number_is_noticed() {
    let changes = [
        ("/hartmann/task1/delta/2/3", json!(1.0)),
        ("/hartmann/task2/f_paper_order/4/0", json!(0.1)),
        ("/hartmann_shifted/task1/xstar/0", json!(0.3)),
        ("/gas/task0/S0", json!(28.113_396)),
        ("/gas_moving/task2/x/0", json!([800.0, 40.0, 30.0, 7.0])),
        ("/rrm/task1/users_xy/0/0", json!("near")),
        ("/rrm/task2/serving/3", json!(1)),
        ("/rng/first3_u64/1", json!("8831115985153146550")),
        ("/fstar/hartmann/paper/3/0", json!(3.504_034_3)),
        ("/fstar/gas/all tasks/1/2", json!(11.0)),
        ("/diagnostics/hartmann/paper_task0/basin/0", json!(4)),
    ];
    let mut file = shortened();
    for path in ["/fstar/rrm", "/diagnostics/rrm", "/diagnostics/rrm_full_power_ratio"] {
        file.pointer_mut(path).unwrap().as_object_mut().unwrap().clear();
    }
    for (path, number) in changes {
        let mut changed = file.clone();
        *changed.pointer_mut(path).unwrap() = number;
        let comparisons = verify(&changed.to_string()).unwrap();
        assert!(!failed(&comparisons).is_empty(), "{path}");
    }
}

#[test]
fn what_is_unknown_is_refused_by_name() {
    let files = [
        ("[]", "not an object"),
        ("{", "JSON"),
        (r#"{"weather": {}}"#, "weather"),
        (r#"{"gas": {"task1": {"wind": 2}}}"#, "wind"),
        (r#"{"gas": {"task1": {"f": [[0]]}}}"#, "points"),
        (r#"{"hartmann": {"first": {}}}"#, "first"),
        (r#"{"rrm": {"taskone": {}}}"#, "taskone"),
        (r#"{"fstar": {"rrm": {"one": []}}}"#, "one"),
        (r#"{"fstar": {"levy": {}}}"#, "levy"),
        (r#"{"rng": {"last": 1}}"#, "last"),
        (r#"{"diagnostics": {"hartmann": {"paper_task0": {"mode": 1}}}}"#, "mode"),
        (r#"{"diagnostics": {"gas": {"0": {"mode": 1}}}}"#, "mode"),
    ];
    for (file, word) in files {
        let refused = verify(file).unwrap_err();
        assert!(refused.contains(word), "{refused}");
    }
}
