//! The real binary: output and exit codes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn baton(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_baton")).args(arguments).output().unwrap()
}

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference/numerics.json")
}

fn scratch(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("baton-test-{}-{name}", std::process::id()));
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn every_reference_value_is_met() {
    let output = baton(&["verify", "numerics", reference().to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.ends_with("115 passed, 0 failed\n"), "{text}");
}

#[test]
fn a_wrong_value_fails_with_exit_code_one() {
    let text = fs::read_to_string(reference()).unwrap();
    let mut cases: serde_json::Value = serde_json::from_str(&text).unwrap();
    let value = &mut cases[0]["expect"]["gain_gibbon"][1][2];
    *value = serde_json::json!(value.as_f64().unwrap() * (1.0 + 1e-6));
    let file = scratch("wrong.json", &serde_json::to_string(&cases).unwrap());
    let output = baton(&["verify", "numerics", &file, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["passed"], false);
    let failed: Vec<&serde_json::Value> = report["comparisons"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["passed"] == false)
        .collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["quantity"], "gain_gibbon");
    fs::remove_file(file).unwrap();
}

#[test]
fn nothing_that_is_expected_is_skipped() {
    let text = fs::read_to_string(reference()).unwrap();
    let renamed = text.replacen("\"gain_noisy\"", "\"gain_unheard_of\"", 1);
    let file = scratch("unknown.json", &renamed);
    let output = baton(&["verify", "numerics", &file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("gain_unheard_of"));
    fs::remove_file(file).unwrap();
}

#[test]
fn wrong_calls_and_files_exit_with_two_and_a_reason() {
    for text in ["", "{", "[]", "[{}]", "[{\"name\": 3}]", "null"] {
        let file = scratch("bad.json", text);
        let output = baton(&["verify", "numerics", &file]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(error.starts_with("error: could not"), "{error}");
        fs::remove_file(file).unwrap();
    }
    let output = baton(&["verify", "numerics", "/no/such/file"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("/no/such/file"));
    assert_eq!(baton(&["unheard-of"]).status.code(), Some(2));
}
