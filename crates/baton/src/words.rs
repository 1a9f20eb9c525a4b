//! What serde says of a value that does not fit, in words: no names of Rust's types.

/// What was found and what was expected instead, where serde's text says so.
///
/// ```
/// let told = "invalid type: floating point `-1.0`, expected u64";
/// let apart = baton::words::found_and_expected(told);
/// assert_eq!(apart, Some(("-1.0".to_owned(), "a whole number, zero or more")));
/// ```
pub fn found_and_expected(told: &str) -> Option<(String, &str)> {
    let rest =
        ["invalid type: ", "invalid value: "].iter().find_map(|kind| told.strip_prefix(kind));
    let (found, expected) = rest?.split_once(", expected ")?;
    let found = match found {
        "null" => "nothing",
        "map" => "an object",
        "sequence" => "a list",
        other => ["string ", "boolean ", "integer ", "floating point "]
            .iter()
            .find_map(|kind| other.strip_prefix(kind))
            .unwrap_or(other),
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
    Some((found.replace('`', ""), expected))
}
