//! Who may do what: tokens and the origins of pages; `guard` goes by them.
//!
//! Tokens are compared in constant time and appear in no log.

use std::path::Path;
use std::sync::{PoisonError, RwLock};
use subtle::ConstantTimeEq;

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// to look
    Read,
    /// to look and to change
    Write,
}

/// The tokens that are accepted; none: nobody needs one.
#[derive(Clone, Default)]
pub struct Tokens {
    known: Vec<(Right, String)>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} tokens", self.known.len()) // and not which
    }
}

impl Tokens {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Reads the tokens of a file.
    ///
    /// # Errors
    /// Says which file, and why it cannot be used.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
        text.and_then(|text| Self::parse(&text))
            .map_err(|reason| format!("the tokens in {}: {reason}", file.display()))
    }

    /// Reads lines such as `write 4f0c…` and `read 91ab…`; `#` begins a comment.
    ///
    /// # Errors
    /// Says which line cannot be used, and never what is in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut known = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (right, token) = match line.split_once(char::is_whitespace) {
                Some(("read", token)) => (Right::Read, token.trim()),
                Some(("write", token)) => (Right::Write, token.trim()),
                _ => return Err(format!("line {} is not `read TOKEN` or `write TOKEN`", i + 1)),
            };
            let usable = token.bytes().all(|byte| byte.is_ascii_graphic());
            if token.len() < SHORTEST || !usable {
                let what = "visible characters without spaces";
                return Err(format!(
                    "the token of line {} is not {SHORTEST} or more {what}",
                    i + 1
                ));
            }
            known.push((right, token.to_owned()));
        }
        if known.is_empty() {
            return Err("it holds no token".into());
        }
        Ok(Self { known })
    }

    /// Whether nobody needs one.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// What a presented token is good for. Looks at all of them, whichever fits.
    pub fn right(&self, presented: &str) -> Option<Right> {
        self.known.iter().fold(None, |found, (right, token)| {
            let same: bool = token.as_bytes().ct_eq(presented.as_bytes()).into();
            if same { found.max(Some(*right)) } else { found }
        })
    }
}

/// What the guard goes by.
#[derive(Debug, Default)]
pub struct Access {
    /// who may do what
    pub tokens: RwLock<Tokens>,
    /// origins whose pages may use the API besides our own
    pub origins: Vec<String>,
}

impl Access {
    /// Replaces the tokens. Those that are gone are good for nothing from now on.
    pub fn renew(&self, tokens: Tokens) {
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) = tokens;
    }

    /// Whether pages of an origin may use the API.
    pub fn allows(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed == origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_line_by_line_and_never_shown() {
        let text = "# ours\nwrite 0123456789abcdef # ada\n\nread fedcba9876543210\n";
        let tokens = Tokens::parse(text).unwrap();
        assert_eq!(tokens.right("0123456789abcdef"), Some(Right::Write));
        assert_eq!(tokens.right("fedcba9876543210"), Some(Right::Read));
        assert_eq!(tokens.right("0123456789abcdeF"), None);
        assert_eq!(tokens.right(""), None);
        assert_eq!(format!("{tokens:?}"), "2 tokens");
        for bad in
            ["", "# none", "write short", "admin 0123456789abcdef", "write 0123456789 bcdef0"]
        {
            let reason = Tokens::parse(bad).unwrap_err();
            assert!(!reason.contains("0123"), "{reason}");
        }
    }
}
