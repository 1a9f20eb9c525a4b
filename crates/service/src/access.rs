//! Who may do what, now: by tokens, whose file may have changed since, by how much they ask for, and by the
//! origins of pages; `guard` goes by it.

use crate::tokens::{Day, Digest, Scope, Token, Tokens, digest_of};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Instant;

/// Requests of a token that may come at once, in seconds of its rate.
const BURST: f64 = 2.0;

/// Who calls: what is kept of a token, or anybody, where nobody needs one.
#[derive(Debug, Clone)]
pub struct Visitor(Option<Digest>);

/// Why somebody may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// the token is not known, or no longer
    Unknown,
    /// its last day is over
    Over,
    /// it is good for other things
    Scope(Scope),
    /// it is good for other campaigns
    Campaign,
    /// it asked for too much at once
    Rate,
}

/// What the guard goes by.
#[derive(Debug, Default)]
pub struct Access {
    tokens: RwLock<Tokens>,
    /// origins whose pages may use the API besides our own
    origins: Vec<String>,
    /// requests that each token may make at once, and when that was so
    rates: Mutex<HashMap<Digest, (f64, Instant)>>,
}

impl Access {
    /// By tokens, and for pages of other origins.
    pub fn new(tokens: Tokens, origins: Vec<String>) -> Self {
        Self { tokens: tokens.into(), origins, rates: Mutex::default() }
    }

    /// Replaces the tokens. Those that are gone are good for nothing from now on.
    pub fn renew(&self, tokens: Tokens) {
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) = tokens;
    }

    /// Whether nobody needs a token.
    pub fn is_open(&self) -> bool {
        self.with_tokens(Tokens::is_empty)
    }

    /// Origins whose pages may use the API besides our own.
    pub fn origins(&self) -> &[String] {
        &self.origins
    }

    /// Who presents a token.
    pub fn visitor(&self, presented: &str) -> Visitor {
        Visitor((!self.is_open()).then(|| digest_of(presented)))
    }

    /// Whether somebody may do something in a campaign, or in general.
    ///
    /// # Errors
    /// Says why not.
    pub fn allows(
        &self,
        visitor: &Visitor,
        scope: Scope,
        campaign: Option<&str>,
    ) -> Result<(), Refusal> {
        self.with_token(visitor, |token| {
            let Some(token) = token else { return Ok(()) };
            let today = Day::today();
            match token.may(scope, campaign, today) {
                true => Ok(()),
                false if token.is_over(today) => Err(Refusal::Over),
                false if !token.may.contains(&scope) => Err(Refusal::Scope(scope)),
                false => Err(Refusal::Campaign),
            }
        })
    }

    /// Counts a request.
    ///
    /// # Errors
    /// If it is one too many at once.
    pub fn count(&self, visitor: &Visitor) -> Result<(), Refusal> {
        let rate = self.with_token(visitor, |token| Ok(token.and_then(|token| token.rate)))?;
        let (Some(rate), Some(digest)) = (rate.map(f64::from), visitor.0) else { return Ok(()) };
        let mut rates = self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        let (left, since) = rates.entry(digest).or_insert((BURST * rate, Instant::now()));
        *left = (*left + rate * since.elapsed().as_secs_f64()).min(BURST * rate);
        *since = Instant::now();
        if *left < 1.0 {
            return Err(Refusal::Rate);
        }
        *left -= 1.0;
        Ok(())
    }

    fn with_tokens<T>(&self, look: impl FnOnce(&Tokens) -> T) -> T {
        look(&self.tokens.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at somebody's token; none: nobody needs one.
    fn with_token<T>(
        &self,
        visitor: &Visitor,
        look: impl FnOnce(Option<&Token>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.with_tokens(|tokens| match visitor.0 {
            _ if tokens.is_empty() => look(None),
            Some(digest) => look(Some(tokens.find(&digest).ok_or(Refusal::Unknown)?)),
            None => Err(Refusal::Unknown),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_revoked_or_too_much_is_refused() {
        let (secret, mut token) = Token::make("ada").unwrap();
        token.rate = Some(3);
        let tokens = |line: &str| Tokens::parse(line).unwrap();
        let access = Access::new(tokens(&token.line()), Vec::new());
        let (ada, other) = (access.visitor(&secret), access.visitor("0123456789abcdef"));
        assert_eq!(access.allows(&ada, Scope::Tell, Some("bowl")), Ok(()));
        assert_eq!(access.allows(&ada, Scope::Manage, None), Err(Refusal::Scope(Scope::Manage)));
        assert_eq!(access.allows(&other, Scope::Read, None), Err(Refusal::Unknown));
        let counted = (0..20).filter(|_| access.count(&ada).is_ok()).count();
        assert!((6..9).contains(&counted), "{counted}");
        token.until = Some("2020-01-01".parse().unwrap());
        access.renew(tokens(&token.line()));
        assert_eq!(access.allows(&ada, Scope::Read, None), Err(Refusal::Over));
        access.renew(tokens("read 0123456789abcdef"));
        assert_eq!(access.allows(&ada, Scope::Read, None), Err(Refusal::Unknown));
        assert_eq!(access.allows(&other, Scope::Read, None), Ok(()));
    }
}
