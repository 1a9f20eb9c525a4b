//! A table of the file, read key by key: wrong types and keys that nobody asked for are mistakes.

use super::mistakes::Mistakes;
use std::cell::RefCell;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table under way.
pub struct Section<'a> {
    table: &'a DeTable<'a>,
    title: String,
    /// where the table begins
    pub at: usize,
    mistakes: &'a Mistakes<'a>,
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Section<'a> {
    /// A table with the name it has for people.
    pub fn new(
        table: &'a DeTable<'a>,
        title: impl Into<String>,
        at: usize,
        mistakes: &'a Mistakes<'a>,
    ) -> Self {
        Self { table, title: title.into(), at, mistakes, known: RefCell::default() }
    }

    /// A table inside that was found otherwise.
    pub fn inside(&self, table: &'a DeTable<'a>, title: String, at: usize) -> Section<'a> {
        Section::new(table, title, at, self.mistakes)
    }

    /// Tells of a mistake.
    pub fn mistake(&self, at: usize, reason: impl Into<String>) {
        self.mistakes.add(at, reason);
    }

    /// Tells of a mistake in the value of a key.
    pub fn mistake_in(&self, key: &'static str, reason: impl Into<String>) {
        self.mistake(self.place(key), reason);
    }

    /// Where the value of a key stands, or the table if it has none.
    pub fn place(&self, key: &str) -> usize {
        self.table.get(key).map_or(self.at, |value| value.span().start)
    }

    /// Tells of a mistake and what may be tried.
    pub fn mistake_with_hint(&self, at: usize, reason: impl Into<String>, hint: &str) {
        self.mistakes.add_with_hint(at, reason, Some(hint.to_owned()));
    }

    /// The raw value of a key.
    pub fn raw(&self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
        self.table.get(key)
    }

    fn read<T>(
        &self,
        key: &'static str,
        wanted: &str,
        convert: impl Fn(&'a DeValue<'a>) -> Option<T>,
    ) -> Option<T> {
        let found = self.raw(key)?.get_ref();
        let value = convert(found);
        if value.is_none() {
            let got = name_of(found);
            self.mistake_in(key, format!("{key} in {} must be {wanted}, not {got}", self.title));
        }
        value
    }

    /// A text that is not empty.
    pub fn text(&self, key: &'static str) -> Option<String> {
        let convert = |value: &DeValue<'_>| Some(value.as_str()?.trim().to_owned());
        let found = self.read(key, "a text", convert)?;
        if found.is_empty() {
            self.mistake_in(key, format!("{key} in {} is empty", self.title));
        }
        Some(found).filter(|found| !found.is_empty())
    }

    /// A number that is finite.
    pub fn number(&self, key: &'static str) -> Option<f64> {
        self.read(key, "a finite number", |value| number(value).filter(|x| x.is_finite()))
    }

    /// A whole number, zero or more.
    pub fn count(&self, key: &'static str) -> Option<u64> {
        self.read(key, "a whole number, zero or more", |value| integer(value)?.try_into().ok())
    }

    /// A number, or a list of numbers.
    pub fn numbers(&self, key: &'static str) -> Vec<f64> {
        let finite = |value: &DeValue<'_>| number(value).filter(|x| x.is_finite());
        let convert = |value: &DeValue<'_>| match value.as_array() {
            Some(list) => list.iter().map(|entry| finite(entry.get_ref())).collect(),
            None => finite(value).map(|one| vec![one]),
        };
        self.read(key, "a number or a list of numbers", convert).unwrap_or_default()
    }

    /// Yes or no.
    pub fn truth(&self, key: &'static str) -> Option<bool> {
        self.read(key, "true or false", DeValue::as_bool)
    }

    /// A list.
    pub fn list(&self, key: &'static str) -> Option<Vec<&'a Spanned<DeValue<'a>>>> {
        let convert = |value: &'a DeValue<'a>| Some(value.as_array()?.iter().collect());
        self.read(key, "a list", convert)
    }

    /// A table inside.
    pub fn section(&self, key: &'static str) -> Option<Section<'a>> {
        let table = self.read(key, "a table", DeValue::as_table)?;
        Some(Section::new(table, format!("[{key}]"), self.place(key), self.mistakes))
    }

    /// Tables inside, written `[[key]]`.
    pub fn sections(&self, key: &'static str) -> Vec<Section<'a>> {
        let Some(list) = self.list(key) else { return Vec::new() };
        let inside = list.into_iter().filter_map(|entry| {
            let at = entry.span().start;
            let Some(table) = entry.get_ref().as_table() else {
                self.mistake(at, format!("{key} must be written as tables, [[{key}]]"));
                return None;
            };
            Some(Section::new(table, format!("[[{key}]]"), at, self.mistakes))
        });
        inside.collect()
    }

    /// Says that a key is missing.
    pub fn missing(&self, key: &str, hint: &str) {
        self.mistake_with_hint(self.at, format!("{} has no {key}", self.title), hint);
    }

    /// All keys with their values, in the order of the text.
    pub fn entries(&self) -> Vec<(&'a str, &'a Spanned<DeValue<'a>>)> {
        let mut entries: Vec<_> =
            self.table.iter().map(|(key, value)| (key.span().start, key, value)).collect();
        entries.sort_by_key(|(at, ..)| *at);
        entries.into_iter().map(|(_, key, value)| (key.get_ref().as_ref(), value)).collect()
    }

    /// Refuses all keys that were not asked for.
    pub fn refuse_others(&self) {
        let known = self.known.borrow();
        for (key, _) in self.table {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let nearest = known.iter().min_by_key(|known| distance(known, name));
            let hint = match nearest.filter(|known| distance(known, name) <= 2) {
                Some(nearest) => format!("did you mean {nearest:?}?"),
                None => format!("the keys here are {}", known.join(", ")),
            };
            let reason = format!("unknown key {name:?} in {}", self.title);
            self.mistakes.add_with_hint(key.span().start, reason, Some(hint));
        }
    }
}

/// A number, whole or not.
pub fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(_) => integer(value).map(|whole| whole as f64),
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

/// A whole number.
pub fn integer(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// A kind of value, for people.
fn name_of(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {text:?}"),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// How many letters must be changed, added or left out to get from one word to another.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changed_letters() {
        for (a, b, expected) in [("high", "hihg", 2), ("low", "low", 0), ("", "ab", 2)] {
            assert_eq!(distance(a, b), expected);
        }
    }
}
