//! Why a body of JSON cannot be used, in words: which field, and what is expected of it.

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

/// What serde says, without names of Rust's types.
fn in_words(told: &str) -> String {
    let Some((found, expected)) = told
        .strip_prefix("invalid type: ")
        .or_else(|| told.strip_prefix("invalid value: "))
        .and_then(|rest| rest.split_once(", expected "))
    else {
        return told.replace('`', "\"");
    };
    let found = match found {
        "null" => "nothing",
        "map" => "an object",
        "sequence" => "a list",
        other => other.split_once(' ').map_or(other, |(kind, shown)| match kind {
            "string" | "boolean" | "integer" => shown,
            "floating" => shown.strip_prefix("point ").unwrap_or(shown),
            _ => other,
        }),
    };
    let expected = match expected {
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, zero or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "a string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    format!("it is {}; expected {expected}", found.replace('`', ""))
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
