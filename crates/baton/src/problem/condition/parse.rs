//! From text to a condition.
//!
//! ```text
//! condition = clause { "and" clause }
//! clause    = name ("=" | "!=") value { "or" value }
//!           | sum ("<" | "<=" | ">" | ">=") sum
//! sum       = ["-"] term { ("+" | "-") term }
//! term      = number ["*" name] | name ["*" number]
//! ```
//!
//! Names and values that hold other signs than letters, digits and `_ .` stand in quotes; in a value
//! everything up to the next space counts.

use super::form::{At, Clause, Comparison, Condition};
use super::words::{is_of_word, is_word, read_bare};
use crate::Error;
use crate::error::Result;
use crate::problem::Value;

impl Condition {
    /// Reads a condition. Names and values are looked at by the space that it is given to.
    ///
    /// # Errors
    /// Says where it cannot be understood, and what was expected there.
    pub fn parse(text: &str) -> Result<Self> {
        condition(text)
    }
}

impl TryFrom<String> for Condition {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

fn condition(text: &str) -> Result<Condition> {
    let mut reader = Reader { text, letters: text.chars().collect(), at: 0 };
    let mut clauses = vec![reader.clause()?];
    while !reader.is_at_end() {
        if !reader.take_word("and") {
            let hint = match clauses.last() {
                Some(Clause::Among { .. }) => "\"and\", \"or\" with another value, or the end",
                _ => "\"and\" or the end",
            };
            return Err(reader.expected(hint));
        }
        clauses.push(reader.clause()?);
    }
    Ok(Condition { clauses, written: text.to_owned() })
}

/// Factors with what they multiply.
type Terms = Vec<(f64, At<String>)>;

/// A text under way.
struct Reader<'a> {
    text: &'a str,
    letters: Vec<char>,
    at: usize,
}

impl Reader<'_> {
    fn clause(&mut self) -> Result<Clause> {
        let start = self.at;
        if let Some(parameter) = self.name()?
            && let Some(is) = self.equality()
        {
            let mut values = vec![self.value()?];
            while self.take_word("or") {
                values.push(self.value()?);
            }
            return Ok(Clause::Among { parameter, is, values });
        }
        self.at = start;
        self.comparison()
    }

    /// `=` and `==`, or `!=`.
    fn equality(&mut self) -> Option<bool> {
        if self.take("!=") {
            return Some(false);
        }
        (self.take("==") || self.take("=")).then_some(true)
    }

    fn comparison(&mut self) -> Result<Clause> {
        let start = self.next_place();
        let (mut terms, left) = self.sum()?;
        let Some(comparison) = Comparison::ALL.into_iter().find(|one| self.take(one.sign())) else {
            return Err(self.expected(match terms.len() {
                1 => "one of = != < <= > >=",
                _ => "one of < <= > >=, as = is for one parameter and its values",
            }));
        };
        let (others, right) = self.sum()?;
        terms.extend(others.into_iter().map(|(factor, name)| (-factor, name)));
        let mut merged: Terms = Vec::new();
        for (factor, name) in terms {
            match merged.iter_mut().find(|(_, known)| *known == name) {
                Some((sum, _)) => *sum += factor,
                None => merged.push((factor, name)),
            }
        }
        merged.retain(|(factor, _)| *factor != 0.0);
        let limit = right - left + 0.0; // no negative zero
        if merged.is_empty() {
            return Err(self.wrong(start, "this compares no parameter".to_owned()));
        }
        if !limit.is_finite() || merged.iter().any(|(factor, _)| !factor.is_finite()) {
            return Err(self.wrong(start, "its numbers are too large".to_owned()));
        }
        Ok(Clause::Linear { terms: merged, comparison, limit })
    }

    /// Terms, and the sum of what has no name.
    fn sum(&mut self) -> Result<(Terms, f64)> {
        let (mut terms, mut rest) = (Vec::new(), 0.0);
        let mut sign = if self.take("-") { -1.0 } else { 1.0 };
        loop {
            let (factor, name) = self.term()?;
            match name {
                Some(name) => terms.push((sign * factor, name)),
                None => rest += sign * factor,
            }
            sign = match (self.take("+"), self.take("-")) {
                (true, false) => 1.0,
                (false, true) => -1.0,
                (true, true) => return Err(self.expected("a parameter or a number")),
                (false, false) => return Ok((terms, rest)),
            };
        }
    }

    fn term(&mut self) -> Result<(f64, Option<At<String>>)> {
        if let Some(factor) = self.number()? {
            if !self.take("*") {
                return Ok((factor, None));
            }
            let name = self.name()?.ok_or_else(|| self.expected("a parameter"))?;
            return Ok((factor, Some(name)));
        }
        let name = self.name()?.ok_or_else(|| self.expected("a parameter or a number"))?;
        if !self.take("*") {
            return Ok((1.0, Some(name)));
        }
        let factor = self.number()?.ok_or_else(|| self.expected("a number"))?;
        Ok((factor, Some(name)))
    }

    /// A number without a sign, if one stands here.
    fn number(&mut self) -> Result<Option<f64>> {
        let place = self.next_place();
        let rest = &self.letters[self.at..];
        if !rest.first().is_some_and(|letter| letter.is_ascii_digit() || *letter == '.') {
            return Ok(None);
        }
        let mut length = 0;
        while let Some(letter) = rest.get(length) {
            let after_power = length > 0 && matches!(rest[length - 1], 'e' | 'E');
            let is_sign_of_power = after_power && matches!(letter, '+' | '-');
            if !(is_of_word(*letter) || is_sign_of_power) {
                break;
            }
            length += 1;
        }
        let written: String = rest[..length].iter().collect();
        self.at += length;
        match written.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(self.wrong(place, format!("{written:?} is no number"))),
        }
    }

    /// A name, if one stands here.
    fn name(&mut self) -> Result<Option<At<String>>> {
        let place = self.next_place();
        if let Some(quoted) = self.quoted()? {
            return Ok(Some(At { what: quoted, place }));
        }
        let rest = &self.letters[self.at..];
        let word: String = rest.iter().take_while(|letter| is_of_word(**letter)).collect();
        if !is_word(&word) {
            return Ok(None);
        }
        self.at += word.chars().count();
        Ok(Some(At { what: word, place }))
    }

    fn value(&mut self) -> Result<At<Value>> {
        let place = self.next_place();
        if let Some(quoted) = self.quoted()? {
            return Ok(At { what: Value::Text(quoted), place });
        }
        let rest = &self.letters[self.at..];
        let run: String = rest.iter().take_while(|letter| !letter.is_whitespace()).collect();
        let what = read_bare(&run).ok_or_else(|| self.expected("a value"))?;
        self.at += run.chars().count();
        Ok(At { what, place })
    }

    /// A text in quotes, if one stands here; a backslash takes the next sign as it is.
    fn quoted(&mut self) -> Result<Option<String>> {
        let place = self.next_place();
        let Some(quote) = self.letters.get(self.at).copied().filter(|q| matches!(q, '"' | '\''))
        else {
            return Ok(None);
        };
        let mut text = String::new();
        let mut letters = self.letters[self.at + 1..].iter();
        let mut taken = 1;
        while let Some(letter) = letters.next() {
            taken += 1;
            match letter {
                '\\' => {
                    taken += 1;
                    text.extend(letters.next());
                }
                letter if *letter == quote => {
                    self.at += taken;
                    return Ok(Some(text));
                }
                letter => text.push(*letter),
            }
        }
        Err(self.wrong(place, "the quotes do not end".to_owned()))
    }

    /// Goes past these signs, if they stand here.
    fn take(&mut self, signs: &str) -> bool {
        self.next_place();
        let found = self.letters[self.at..].starts_with(&signs.chars().collect::<Vec<char>>());
        self.at += if found { signs.chars().count() } else { 0 };
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let before = self.at;
        let found = self.take(word)
            && self.letters.get(self.at).is_none_or(|letter| letter.is_whitespace());
        if !found {
            self.at = before;
        }
        found
    }

    fn is_at_end(&mut self) -> bool {
        self.next_place();
        self.at == self.letters.len()
    }

    /// Where the next sign stands that is no space, counted from 1.
    fn next_place(&mut self) -> usize {
        while self.letters.get(self.at).is_some_and(|letter| letter.is_whitespace()) {
            self.at += 1;
        }
        self.at + 1
    }

    fn expected(&mut self, what: &str) -> Error {
        let place = self.next_place();
        let rest: String = self.letters[self.at..].iter().collect();
        let found =
            rest.split_whitespace().next().map_or("the end".to_owned(), |w| format!("{w:?}"));
        self.wrong(place, format!("expected {what}, found {found}"))
    }

    fn wrong(&self, place: usize, reason: String) -> Error {
        Error::Condition { text: self.text.to_owned(), place, reason }
    }
}
