//! The group `rng`: seeds and first numbers of a stream.
//!
//! 64-bit numbers are written as text, for not every reader of JSON keeps them exact. The first
//! numbers are those of the one stream whose seed the group gives.

use super::case::{Checked, Entries, TOLERANCE, unknown};
use super::findings::Findings;
use crate::MASTER;
use crate::stream::{Stream, mix64};
use serde_json::Value;

const GROUP: &str = "rng";

pub(super) fn check(group: &Entries, findings: &mut Findings) -> Checked {
    let name = group.keys().find_map(|key| stream_name(key)).unwrap_or([1, 1, 0]);
    let stream = Stream::named(MASTER, name);
    for (key, theirs) in group {
        let mut stream = stream.clone();
        let count = theirs.as_array().map_or(0, Vec::len);
        if key == "master_seed" {
            findings.compare_exactly((GROUP, key), theirs.as_u64() == Some(MASTER));
        } else if let Some(name) = stream_name(key) {
            let seed = Stream::named(MASTER, name).seed();
            findings.compare_exactly((GROUP, key), same_words(&[seed], theirs));
        } else if let Some(number) = arguments(key, "mix64(", ")").and_then(|n| n.parse().ok()) {
            findings.compare_exactly((GROUP, key), same_words(&[mix64(number)], theirs));
        } else if arguments(key, "first", "_u64").is_some() {
            let words: Vec<u64> = (0..count).map(|_| stream.bits()).collect();
            findings.compare_exactly((GROUP, key), same_words(&words, theirs));
        } else if arguments(key, "first", "_uniform").is_some() {
            let numbers: Vec<f64> = (0..count).map(|_| stream.uniform()).collect();
            findings.compare((GROUP, key), TOLERANCE, &numbers[..], theirs);
        } else if key == "first_normal_pair" {
            let pair = <[f64; 2]>::from(stream.normals());
            findings.compare((GROUP, key), TOLERANCE, &pair[..], theirs);
        } else {
            return unknown(GROUP, key);
        }
    }
    Ok(())
}

fn arguments<'a>(key: &'a str, before: &str, after: &str) -> Option<&'a str> {
    key.strip_prefix(before)?.strip_suffix(after)
}

/// Problem, task and tag of `stream(problem,task,tag).seed`.
fn stream_name(key: &str) -> Option<[u64; 3]> {
    let parts = arguments(key, "stream(", ").seed")?.split(',');
    let numbers: Option<Vec<u64>> = parts.map(|part| part.trim().parse().ok()).collect();
    numbers?.try_into().ok()
}

/// Whether one word or a list of them says the same.
fn same_words(ours: &[u64], theirs: &Value) -> bool {
    let word = |value: &Value| value.as_str().and_then(|text| text.parse::<u64>().ok());
    match theirs {
        Value::Array(list) => {
            list.len() == ours.len() && list.iter().zip(ours).all(|(b, a)| word(b) == Some(*a))
        }
        single => ours.len() == 1 && word(single) == ours.first().copied(),
    }
}
