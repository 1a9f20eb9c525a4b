//! What is read is what is written, and what cannot be understood is told with its place.

use super::Condition;
use proptest::prelude::*;

fn read(text: &str) -> Condition {
    Condition::parse(text).unwrap()
}

fn refused(text: &str) -> String {
    Condition::parse(text).unwrap_err().to_string()
}

#[test]
fn conditions_are_written_in_one_way() {
    for (given, written) in [
        ("optimizer=sgd", "optimizer = sgd"),
        ("optimizer == sgd or  adam-w", "optimizer = sgd or adam-w"),
        ("solver != 'a b' and layers>=2", "solver != \"a b\" and layers >= 2"),
        ("2*x - 0.5*y+z<=3", "2*x - 0.5*y + z <= 3"),
        ("x > y", "x - y > 0"),
        ("1 + x < 3 - x*2", "3*x < 2"),
        ("-x >= -1.5e-3", "-x >= -0.0015"),
        ("\"learning rate\" > 0.1", "\"learning rate\" > 0.1"),
        (
            "a.b = 'x\"y' or true or none or 2.0 or \"2\"",
            "a.b = \"x\\\"y\" or true or none or 2 or \"2\"",
        ),
        ("größe < 1 and \"and\" = 'or'", "größe < 1 and \"and\" = \"or\""),
    ] {
        assert_eq!(read(given).to_string(), written);
        assert_eq!(read(written), read(given), "{given}");
    }
}

#[test]
fn what_cannot_be_understood_is_told_with_its_place() {
    for (text, place, words) in [
        ("", 1, "expected a parameter or a number, found the end"),
        ("x", 2, "expected one of = != < <= > >=, found the end"),
        ("x + y = 3", 7, "= is for one parameter"),
        ("x > ", 5, "expected a parameter or a number"),
        ("x > 1 or y > 2", 7, "expected \"and\" or the end, found \"or\""),
        ("a = b or a = c", 12, "\"or\" with another value"),
        ("a = ", 5, "expected a value"),
        ("a = b, c", 5, "expected a value, found \"b,\""),
        ("a = 'b", 5, "the quotes do not end"),
        ("2 > 1", 1, "compares no parameter"),
        ("x - x > 1", 1, "compares no parameter"),
        ("1e999*x > 1", 1, "is no number"),
        ("3x > 1", 1, "\"3x\" is no number"),
        ("0 < x < 1", 7, "expected \"and\" or the end"),
    ] {
        let reason = refused(text);
        assert!(reason.contains(&format!("at sign {place}:")), "{text:?}: {reason}");
        assert!(reason.contains(words), "{text:?}: {reason}");
    }
}

/// Texts that are nearly conditions.
fn nearly() -> impl Strategy<Value = String> {
    let words = [
        "x", "y", "solver", "\"a b\"", "'", "\"", "and", "or", "=", "==", "!=", "<", "<=", ">",
        ">=", "+", "-", "*", "2", "0.5", "1e-3", "1e999", ".", "true", "none", "adam-w", "ü", "\\",
        " ", ",",
    ];
    let word = prop::sample::select(words.to_vec());
    let pieces = prop::collection::vec((word, prop::bool::ANY), 0..12);
    pieces.prop_map(|pieces| {
        let spaced =
            |(word, space): (&str, bool)| format!("{word}{}", if space { " " } else { "" });
        pieces.into_iter().map(spaced).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]
    #[test]
    fn any_text_is_understood_or_refused_with_a_place_in_it(text in nearly()) {
        match Condition::parse(&text) {
            Ok(condition) => prop_assert_eq!(read(&condition.to_string()), condition),
            Err(crate::Error::Condition { place, reason, .. }) => {
                prop_assert!(place >= 1 && place <= text.chars().count() + 1, "{place} {reason}");
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}
