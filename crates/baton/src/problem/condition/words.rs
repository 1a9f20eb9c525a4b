//! Which names and values need no quotes.

use crate::problem::value::Value;

/// Whole numbers up to this are written without a fraction.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;
const JOINTS: [&str; 2] = ["and", "or"];

/// Whether a name needs no quotes.
pub(super) fn is_word(name: &str) -> bool {
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|letter| letter.is_alphabetic() || letter == '_');
    first && letters.all(is_of_word) && !JOINTS.contains(&name)
}

pub(super) fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}

/// A value without quotes: a number, true, false, none, or a word; `None` if it needs quotes.
pub(super) fn read_bare(text: &str) -> Option<Value> {
    let strange = |letter: char| letter.is_whitespace() || "\"'=!<>,".contains(letter);
    if text.is_empty() || text.contains(strange) || JOINTS.contains(&text) {
        return None;
    }
    Some(match text {
        "true" => Value::Flag(true),
        "false" => Value::Flag(false),
        "none" => Value::Nothing,
        _ => number(text).unwrap_or_else(|| Value::Text(text.to_owned())),
    })
}

fn number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::Integer(whole));
    }
    let real = text.parse::<f64>().ok().filter(|real| real.is_finite())?;
    let is_whole = real.fract() == 0.0 && real.abs() < LARGEST_WHOLE;
    #[allow(clippy::cast_possible_truncation)] // checked
    Some(if is_whole { Value::Integer(real as i64) } else { Value::Real(real) })
}
