//! Tokens: who has them, what they may do, for which campaigns, until when. A file keeps their digests, a line
//! each; a token itself is shown once, when it is made.
//!
//! ```text
//! ada sha256=9f86d0… may=read,ask,tell campaigns=bowl,kettle until=2027-01-31 rate=20
//! ```

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};
use subtle::ConstantTimeEq;

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// to look
    Read,
    /// to ask for trials, to suggest them, and to give them back
    Ask,
    /// to answer, and to note something
    Tell,
    /// all else: make campaigns, raise budgets, pause, finish, rename, delete
    Manage,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Read, Self::Ask, Self::Tell, Self::Manage];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Ask => "ask",
            Self::Tell => "tell",
            Self::Manage => "manage",
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|scope| scope.name() == name);
        found.ok_or_else(|| "a token may read, ask, tell or manage".to_owned())
    }
}

/// What is kept of a token.
pub type Digest = [u8; 32];

/// Of what somebody presents.
pub fn digest_of(token: &str) -> Digest {
    let mut kept = Digest::default();
    kept.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
    kept
}

/// A token, without itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// whose it is
    pub name: String,
    /// what is kept of it
    pub digest: Digest,
    /// what it may do
    pub may: BTreeSet<Scope>,
    /// in which campaigns; `None`: in all
    pub campaigns: Option<BTreeSet<String>>,
    /// the last day on which it is good, in UTC
    pub until: Option<Day>,
    /// requests per second that it may make
    pub rate: Option<u32>,
}

impl Token {
    /// A new one, by the system's randomness; the token to give away, and what is kept of it.
    ///
    /// # Errors
    /// If there is no randomness.
    pub fn make(name: &str) -> Result<(String, Self), String> {
        let mut bytes = [0; 32];
        SystemRandom::new().fill(&mut bytes).map_err(|_| "this system gives no random numbers")?;
        let token = in_hex(&bytes);
        let may = [Scope::Read, Scope::Ask, Scope::Tell].into();
        let kept = Self {
            name: name.to_owned(),
            digest: digest_of(&token),
            may,
            campaigns: None,
            until: None,
            rate: None,
        };
        kept.check()?;
        Ok((token, kept))
    }

    /// Whether it may do something in a campaign, or in general, on a day.
    pub fn may(&self, scope: Scope, campaign: Option<&str>, today: Day) -> bool {
        let here = match (&self.campaigns, campaign) {
            (None, _) => true,
            (Some(own), Some(campaign)) => own.contains(campaign),
            (Some(_), None) => scope == Scope::Read,
        };
        here && self.may.contains(&scope) && !self.is_over(today)
    }

    /// Whether its last day is over.
    pub fn is_over(&self, today: Day) -> bool {
        self.until.is_some_and(|last| today > last)
    }

    /// Says what of it could not be read back from its line.
    ///
    /// # Errors
    /// Says what is wrong with the name, or with a campaign's.
    pub fn check(&self) -> Result<(), String> {
        let word = |text: &str| {
            !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || "=#,".contains(c))
        };
        if !word(&self.name) || ["read", "write"].contains(&self.name.as_str()) {
            return Err(format!(
                "{:?} cannot name a token: one word, not read or write",
                self.name
            ));
        }
        if self.may.is_empty() {
            return Err("it may do nothing".into());
        }
        let campaigns = self.campaigns.iter().flatten();
        match campaigns.into_iter().find(|name| !word(&escaped(name))) {
            Some(bad) => Err(format!("{bad:?} names no campaign")),
            None => Ok(()),
        }
    }

    /// Its line.
    pub fn line(&self) -> String {
        let may: Vec<&str> = self.may.iter().map(|scope| scope.name()).collect();
        let mut line =
            format!("{} sha256={} may={}", self.name, in_hex(&self.digest), may.join(","));
        if let Some(campaigns) = &self.campaigns {
            let names: Vec<String> = campaigns.iter().map(|name| escaped(name)).collect();
            let _ = write!(line, " campaigns={}", names.join(","));
        }
        if let Some(day) = self.until {
            let _ = write!(line, " until={day}");
        }
        if let Some(rate) = self.rate {
            let _ = write!(line, " rate={rate}");
        }
        line
    }

    /// Reads a line, whose number names a token that has no name: `write TOKEN` and `read TOKEN`, as they were
    /// written once.
    fn parse(line: &str, number: usize) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let may: Option<BTreeSet<Scope>> = match name {
            "read" => Some([Scope::Read].into()),
            "write" => Some(Scope::ALL.into()),
            _ => None,
        };
        if let Some(may) = may {
            let (token, rest) = (words.next().unwrap_or_default(), words.next());
            let is_digest = token.starts_with("sha256=");
            let usable = token.bytes().all(|byte| byte.is_ascii_graphic());
            let usable = usable && rest.is_none() && !is_digest;
            if token.len() < SHORTEST || !usable {
                let what = "visible characters without spaces";
                return Err(format!("its token is not {SHORTEST} or more {what}"));
            }
            let (name, digest) = (format!("line-{number}"), digest_of(token));
            return Ok(Self { name, digest, may, campaigns: None, until: None, rate: None });
        }
        let mut kept = None;
        let mut token = Self {
            name: name.to_owned(),
            digest: Digest::default(),
            may: BTreeSet::new(),
            campaigns: None,
            until: None,
            rate: None,
        };
        for word in words {
            match word.split_once('=') {
                Some(("sha256", hex)) => kept = from_hex(hex),
                Some(("may", names)) => {
                    token.may = names.split(',').map(str::parse).collect::<Result<_, _>>()?;
                }
                Some(("campaigns", names)) => {
                    token.campaigns = Some(names.split(',').map(unescaped).collect());
                }
                Some(("until", day)) => token.until = Some(day.parse()?),
                Some(("rate", rate)) => {
                    let rate = rate.parse().ok().filter(|rate| *rate > 0);
                    token.rate = Some(rate.ok_or("rate is requests per second, 1 or more")?);
                }
                _ => {
                    return Err(
                        "it is not NAME sha256=… may=… and perhaps campaigns=…, until=…, rate=…"
                            .into(),
                    );
                }
            }
        }
        token.digest = kept.ok_or("it has no sha256=… of 64 hexadecimal digits")?;
        token.check()?;
        Ok(token)
    }
}

/// The tokens that are accepted; none: nobody needs one.
#[derive(Debug, Clone, Default)]
pub struct Tokens(Vec<Token>);

impl Tokens {
    /// Reads the tokens of a file.
    ///
    /// # Errors
    /// Says which file, and why it cannot be used.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
        text.and_then(|text| Self::parse(&text))
            .map_err(|reason| format!("the tokens in {}: {reason}", file.display()))
    }

    /// Reads a line for each; `#` begins a comment.
    ///
    /// # Errors
    /// Says which line cannot be used, and never what is in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut known: Vec<Token> = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let token =
                Token::parse(line, i + 1).map_err(|why| format!("line {}: {why}", i + 1))?;
            if known.iter().any(|other| other.name == token.name) {
                return Err(format!("line {}: the name was given before", i + 1));
            }
            known.push(token);
        }
        if known.is_empty() { Err("it holds no token".into()) } else { Ok(Self(known)) }
    }

    /// All of them, in the order of the file.
    pub fn all(&self) -> &[Token] {
        &self.0
    }

    /// Whether nobody needs one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The token with a digest. Looks at all of them, whichever fits.
    pub fn find(&self, presented: &Digest) -> Option<&Token> {
        self.0.iter().fold(None, |found, token| {
            let same: bool = token.digest.ct_eq(presented).into();
            if same { Some(token) } else { found }
        })
    }
}

/// A day of the calendar, counted from 1 January 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    /// In UTC.
    pub fn today() -> Self {
        let seconds =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self(i64::try_from(seconds / 86_400).unwrap_or(i64::MAX))
    }

    /// So many days later.
    #[must_use]
    pub fn plus(self, days: u32) -> Self {
        Self(self.0.saturating_add(days.into()))
    }

    /// Of the Gregorian calendar, by eras of 400 years that begin on 1 March (H. Hinnant,
    /// `chrono`-Compatible Low-Level Date Algorithms).
    fn of(year: i64, month: i64, day: i64) -> Self {
        let year = if month <= 2 { year - 1 } else { year };
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
    }

    fn calendar(self) -> (i64, i64, i64) {
        let days = self.0 + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * years + years / 4 - years / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        (era * 400 + years + i64::from(month <= 2), month, day)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = self.calendar();
        write!(out, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<i64> = text.split('-').map_while(|part| part.parse().ok()).collect();
        let day = match parts[..] {
            [year, month, day] if (1970..10_000).contains(&year) => {
                Self::of(year, month.clamp(1, 12), day)
            }
            _ => Self(-1),
        };
        // A day that is not there comes back as another one.
        if day.to_string() == text { Ok(day) } else { Err("a day is written 2027-01-31".into()) }
    }
}

fn in_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn from_hex(text: &str) -> Option<Digest> {
    let mut digest = Digest::default();
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (i, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(digest)
}

/// A campaign's name as a word of a line, and back.
fn escaped(name: &str) -> String {
    const SEPARATORS: &AsciiSet = &CONTROLS.add(b' ').add(b'=').add(b'#').add(b',').add(b'%');
    utf8_percent_encode(name, SEPARATORS).to_string()
}

fn unescaped(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_line_by_line_and_never_shown() {
        let text = "# ours\nwrite 0123456789abcdef # ada\n\nread fedcba9876543210\n";
        let tokens = Tokens::parse(text).unwrap();
        let may = |token: &str, scope| {
            tokens.find(&digest_of(token)).map(|token| token.may(scope, None, Day::today()))
        };
        assert_eq!(may("0123456789abcdef", Scope::Manage), Some(true));
        assert_eq!(may("fedcba9876543210", Scope::Read), Some(true));
        assert_eq!(may("fedcba9876543210", Scope::Tell), Some(false));
        assert_eq!((may("0123456789abcdeF", Scope::Read), may("", Scope::Read)), (None, None));
        assert!(!format!("{tokens:?}").contains("0123456789abcdef"));
        let digest = "0".repeat(64);
        for bad in [
            "",
            "# none",
            "write short",
            "admin 0123456789abcdef",
            "write 0123456789 bcdef0",
            "ada may=read",
            "ada sha256=0123 may=read",
            &format!("ada sha256={digest}"),
            &format!("ada sha256={digest} may=all"),
            &format!("ada sha256={digest} may=read until=2027-02-30"),
            &format!("ada sha256={digest} may=read rate=0"),
            &format!("read sha256={digest}"),
            &format!("a sha256={digest} may=read\na sha256={digest} may=tell"),
        ] {
            let reason = Tokens::parse(bad).unwrap_err();
            assert!(!reason.contains("0123"), "{reason}");
        }
    }

    #[test]
    fn a_line_is_read_back_as_it_was_written() {
        let (token, mut kept) = Token::make("ada").unwrap();
        assert_eq!((token.len(), kept.digest), (64, digest_of(&token)));
        assert_ne!(Token::make("ada").unwrap().0, token);
        let back = |kept: &Token| Tokens::parse(&kept.line()).unwrap().all()[0].clone();
        assert_eq!(back(&kept), kept);
        kept.campaigns = Some(["a, b = 100 %#é".to_owned(), "kettle".to_owned()].into());
        (kept.until, kept.rate) = (Some("2027-01-31".parse().unwrap()), Some(20));
        assert_eq!(back(&kept), kept);
        assert!(kept.line().ends_with("until=2027-01-31 rate=20") && !kept.line().contains(&token));
        for bad in ["", "read", "two words", "a=b"] {
            Token::make(bad).unwrap_err();
        }
    }

    #[test]
    fn a_token_is_good_for_what_it_says_until_its_last_day() {
        let (_, mut token) = Token::make("ada").unwrap();
        let day: Day = "2027-01-31".parse().unwrap();
        token.campaigns = Some(["bowl".to_owned()].into());
        token.until = Some(day);
        assert!(token.may(Scope::Tell, Some("bowl"), day) && token.may(Scope::Read, None, day));
        assert!(!token.may(Scope::Tell, Some("kettle"), day) && !token.may(Scope::Tell, None, day));
        assert!(!token.may(Scope::Manage, Some("bowl"), day));
        assert!(!token.may(Scope::Read, Some("bowl"), day.plus(1)));
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("2000-02-29", 11_016),
            ("2026-11-19", 20_776),
            ("2100-03-01", 47_541),
        ] {
            assert_eq!(text.parse(), Ok(Day(days)));
            assert_eq!(Day(days).to_string(), text);
        }
        let mut day = Day(0);
        for _ in 0..60_000 {
            assert_eq!(day.to_string().parse(), Ok(day));
            day = day.plus(1);
        }
        for bad in
            ["2027-13-01", "2027-02-29", "2027-1-1", "tomorrow", "2027-01-01-01", "99999-01-01"]
        {
            assert!(bad.parse::<Day>().is_err(), "{bad}");
        }
    }
}
