//! What was found, in sentences.

use super::importance::{Effect, Importance, Matters};
use super::trust::{Trust, Width};

/// Parameters named in a sentence, at most.
const MOST_NAMED: usize = 30;

/// Which parameters matter at the highest fidelity, and which do not.
pub fn importance_in_words(importance: &Importance) -> Vec<String> {
    let Some(top) = importance.fidelities.last() else { return Vec::new() };
    let of = |matters: Matters| -> Vec<&Effect> {
        let mut found: Vec<&Effect> =
            top.parameters.iter().filter(|effect| effect.matters == matters).collect();
        found.sort_by(|a, b| b.total.value.total_cmp(&a.total.value));
        found
    };
    let names = |of: &[&Effect]| list(of.iter().map(|effect| effect.parameter.as_str()));
    let (yes, open, mut no) = (of(Matters::Yes), of(Matters::Open), of(Matters::No));
    no.sort_by_key(|effect| top.parameters.iter().position(|known| known == *effect));
    let mut words = Vec::new();
    words.push(match yes[..] {
        [] => "It is not known yet which parameters matter.".to_owned(),
        [first, ref others @ ..] => {
            let share = format!("{:.0} % of the variance", 100.0 * first.total.value);
            let then = if others.is_empty() {
                String::new()
            } else {
                format!("; {} {} too", names(others), verb(others.len(), "matters", "matter"))
            };
            format!("{} matters most, taking part in {share}{then}.", first.parameter)
        }
    });
    if !no.is_empty() {
        let does = verb(no.len(), "does", "do");
        words.push(format!("{} {does} not matter (less than 5 %).", names(&no)));
    }
    if !open.is_empty() && !yes.is_empty() {
        let it = verb(open.len(), "matters", "matter");
        words.push(format!("Not known yet: whether {} {it}.", names(&open)));
    }
    words
}

/// In which tasks 90 % intervals were too narrow or too wide.
pub fn trust_in_words<'a>(tasks: impl IntoIterator<Item = (&'a str, Option<&'a Trust>)>) -> String {
    let known: Vec<(&str, Width)> = tasks
        .into_iter()
        .filter_map(|(name, trust)| Some((name, trust?.width)))
        .filter(|(_, width)| *width != Width::Unknown)
        .collect();
    let with = |wanted: Width| -> Vec<&str> {
        known.iter().filter(|(_, width)| *width == wanted).map(|(name, _)| *name).collect()
    };
    let (narrow, wide) = (with(Width::TooNarrow), with(Width::TooWide));
    let of = |found: &[&str]| match (found.len(), known.len()) {
        (1, 1) => String::new(),
        (found_in, all) if found_in == all => format!(" in all {} tasks", number(all)),
        (count, all) => {
            format!(
                " in {} of {} tasks ({})",
                number(count),
                number(all),
                list(found.iter().copied())
            )
        }
    };
    match (known.len(), narrow.len(), wide.len()) {
        (0, ..) => "There are too few observations to judge intervals by.".to_owned(),
        (1, 0, 0) => "Intervals held what they promise.".to_owned(),
        (all, 0, 0) => format!("Intervals held what they promise in all {} tasks.", number(all)),
        (_, _, 0) => format!("Intervals were too narrow{}.", of(&narrow)),
        (_, 0, _) => format!("Intervals were too wide{}.", of(&wide)),
        _ => format!("Intervals were too narrow{}, too wide{}.", of(&narrow), of(&wide)),
    }
}

fn verb<'a>(count: usize, one: &'a str, several: &'a str) -> &'a str {
    if count == 1 { one } else { several }
}

fn number(count: usize) -> String {
    let small =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    small.get(count).map_or_else(|| count.to_string(), |word| (*word).to_owned())
}

/// `a, b and c`
fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    if names.len() > MOST_NAMED {
        let left = names.len() - MOST_NAMED;
        names.truncate(MOST_NAMED);
        names.push(format!("{left} others"));
    }
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trust(width: Width) -> Trust {
        Trust { width, coverage: Vec::new(), calibration: Vec::new(), told: 0, seen: Vec::new() }
    }

    #[test]
    fn tasks_are_counted_and_named() {
        use Width::{Right, TooNarrow, TooWide, Unknown};
        let say = |widths: &[Width]| {
            let tasks: Vec<Trust> = widths.iter().map(|width| trust(*width)).collect();
            let names = ["mon", "tue", "wed", "thu", "fri"];
            trust_in_words(names.into_iter().zip(tasks.iter().map(Some)))
        };
        assert_eq!(
            say(&[TooNarrow, Right, Right, TooNarrow, Right]),
            "Intervals were too narrow in two of five tasks (mon and thu)."
        );
        assert_eq!(
            say(&[TooNarrow, TooWide, Right, Unknown]),
            "Intervals were too narrow in one of three tasks (mon), too wide in one of three tasks (tue)."
        );
        assert_eq!(say(&[Right, Right]), "Intervals held what they promise in all two tasks.");
        assert_eq!(say(&[TooWide]), "Intervals were too wide.");
        assert!(say(&[Unknown]).contains("too few") && say(&[]).contains("too few"));
    }
}
