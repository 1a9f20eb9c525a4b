//! Why a body of JSON cannot be used, in words: which field, and what is expected of it.

use baton::words::found_and_expected;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a value, or says which part of it is at fault and why.
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let reason = in_words(&error.into_inner().to_string());
        if path == "." || path == "?" { reason } else { format!("{path}: {reason}") }
    })
}

/// What serde says, in words.
fn in_words(told: &str) -> String {
    match found_and_expected(told) {
        Some((found, expected)) => format!("it is {found}; expected {expected}"),
        None => told.replace('`', "\""),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    #[serde(deny_unknown_fields)]
    struct Body {
        seed: u64,
        #[serde(default)]
        tasks: Vec<Task>,
        name: Option<String>,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Task {
        budget: f64,
    }

    #[test]
    fn the_field_is_named_and_what_is_expected_is_said_in_words() {
        let told = |body: Value| read::<Body>(body).unwrap_err();
        assert_eq!(
            told(json!({"seed": -1})),
            "seed: it is -1; expected a whole number, zero or more"
        );
        let told_of_tasks = told(json!({"seed": 1, "tasks": [{"budget": 1}, {"budget": "a lot"}]}));
        assert_eq!(told_of_tasks, "tasks[1].budget: it is \"a lot\"; expected a number");
        assert_eq!(
            told(json!({"seed": 1, "tasks": {}})),
            "tasks: it is an object; expected a list"
        );
        assert_eq!(told(json!({"seed": 1, "name": 3})), "name: it is 3; expected a text");
        assert!(told(json!({})).contains("missing field \"seed\""));
        assert!(told(json!({"seed": 1, "sead": 1})).contains("unknown field \"sead\", expected"));
    }
}
