//! Numbers that cannot be wrong: what a setting may be is said by its type.
//!
//! Each is made by `try_into`, or read from text by serde; either refuses what lies outside.

use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// Sizes beyond this would exhaust memory before they helped.
pub const MOST: usize = 1_000_000;
/// Weights beyond this leave nothing of the gain they are weighed against.
const MOST_WEIGHT: f64 = 1e6;

/// A number of a kind, with what it must be.
macro_rules! bounded {
    ($(#[$doc:meta])* $name:ident, $holds:expr, $must:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[serde(try_from = "f64")]
        pub struct $name(f64);

        impl TryFrom<f64> for $name {
            type Error = String;

            fn try_from(value: f64) -> Result<Self, String> {
                let holds: fn(f64) -> bool = $holds;
                if holds(value) { Ok(Self(value)) } else { Err(format!("it must be {}", $must)) }
            }
        }

        impl Deref for $name {
            type Target = f64;

            fn deref(&self) -> &f64 {
                &self.0
            }
        }
    };
}

bounded!(
    /// Any finite number.
    Finite, f64::is_finite, "a finite number"
);
bounded!(
    /// More than zero, and finite.
    Positive, |x| x > 0.0 && x.is_finite(), "a positive number"
);
bounded!(
    /// A part of a whole: between 0 and 1.
    Share, |x| (0.0..=1.0).contains(&x), "a number between 0 and 1"
);
bounded!(
    /// A factor of a gain: zero or more.
    Weight, |x| (0.0..=MOST_WEIGHT).contains(&x), format!("a number between 0 and {MOST_WEIGHT}")
);

/// A whole number of at least `LEAST` and at most `UP_TO`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "usize")]
pub struct Count<const LEAST: usize, const UP_TO: usize = MOST>(usize);

impl<const LEAST: usize, const UP_TO: usize> TryFrom<usize> for Count<LEAST, UP_TO> {
    type Error = String;

    fn try_from(value: usize) -> Result<Self, String> {
        if (LEAST..=UP_TO).contains(&value) {
            Ok(Self(value))
        } else {
            Err(format!("it must be a whole number between {LEAST} and {UP_TO}"))
        }
    }
}

impl<const LEAST: usize, const UP_TO: usize> Deref for Count<LEAST, UP_TO> {
    type Target = usize;

    fn deref(&self) -> &usize {
        &self.0
    }
}

/// Numbers written in this program, which are known to hold; the nearest that does where they do not.
macro_rules! literal {
    ($($name:ident: $low:expr, $high:expr;)*) => {
        $(impl $name {
            pub(crate) const fn literal(value: f64) -> Self {
                Self(value.clamp($low, $high))
            }
        })*
    };
}

literal! {
    Finite: f64::MIN, f64::MAX;
    Positive: f64::MIN_POSITIVE, f64::MAX;
    Share: 0.0, 1.0;
    Weight: 0.0, MOST_WEIGHT;
}

impl<const LEAST: usize, const UP_TO: usize> Count<LEAST, UP_TO> {
    pub(crate) const fn literal(value: usize) -> Self {
        Self(if value < LEAST {
            LEAST
        } else if value > UP_TO {
            UP_TO
        } else {
            value
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_refused_with_what_it_must_be() {
        assert_eq!(*Share::try_from(0.25).unwrap(), 0.25);
        assert!(Share::try_from(1.1).unwrap_err().contains("between 0 and 1"));
        assert!(Positive::try_from(0.0).is_err() && Positive::try_from(f64::INFINITY).is_err());
        assert!(Weight::try_from(f64::NAN).is_err() && Finite::try_from(f64::NAN).is_err());
        assert!(Count::<1, 10>::try_from(0).unwrap_err().contains("between 1 and 10"));
        assert!(serde_json::from_str::<Count<0, 5>>("6").is_err());
        assert_eq!(serde_json::to_string(&Positive::literal(0.5)).unwrap(), "0.5");
    }
}
