//! Axes: which range of values an axis covers, where its ticks stand and where a value lies on it.
//! Knows nothing of paper or of what the values mean.

use super::FigureError;

/// Beyond this, values are not drawn: their differences could overflow.
const LARGEST: f64 = 1e100;

/// Values smaller than this have no place on a logarithmic axis.
const SMALLEST: f64 = 1e-100;

/// The leading digits of ticks on a logarithmic axis.
const DIGITS: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];

/// Whether a value can be drawn.
pub(super) fn usable(value: f64, log: bool) -> bool {
    value.abs() < LARGEST && (!log || value > SMALLEST)
}

/// The range of an axis and its ticks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    /// least value
    pub lower: f64,
    /// greatest value
    pub upper: f64,
    /// whether equal ratios are equally far apart
    pub log: bool,
    /// ticks with a label
    pub ticks: Vec<f64>,
    /// ticks without
    pub minor: Vec<f64>,
}

impl Axis {
    /// The axis of something measured, linear or logarithmic, that covers all usable values.
    pub fn measured(values: impl Iterator<Item = f64>, log: bool) -> Result<Self, FigureError> {
        let (lower, upper) = range(values.filter(|&value| usable(value, log)))?;
        Ok(if log { Self::logarithmic(lower, upper) } else { Self::linear(lower, upper) })
    }

    /// The axis of something chosen (a task's number, a setting): just beyond the values at both
    /// ends. Linear, it has whole-number ticks if all values are whole; logarithmic, one at each value.
    pub fn chosen(values: &[f64], log: bool) -> Result<Self, FigureError> {
        if log {
            let mut ticks: Vec<f64> =
                values.iter().copied().filter(|&value| usable(value, true)).collect();
            ticks.sort_by(f64::total_cmp);
            ticks.dedup();
            let (lower, upper) = range(ticks.iter().copied())?;
            let margin = (upper / lower).powf(0.04).max(1.01);
            let (lower, upper) = (lower / margin, upper * margin);
            return Ok(Self { lower, upper, log, ticks, minor: Vec::new() });
        }
        let (lower, upper) = range(values.iter().copied().filter(|&value| usable(value, false)))?;
        let whole = values.iter().all(|value| !value.is_finite() || value.fract() == 0.0);
        let span = if alike(lower, upper) { 0.0 } else { upper - lower };
        let step = if whole { round_step(span, 11.0).max(1.0) } else { round_step(span, 8.0) };
        let margin = if span > 0.0 { 0.03 * span } else { step.max(0.1 * upper.abs()) };
        let (lower, upper) = (lower - margin, upper + margin);
        let ticks = multiples(step, lower, upper);
        Ok(Self { lower, upper, log: false, ticks, minor: Vec::new() })
    }

    /// How far along the axis a value lies: 0 at the lower end, 1 at the upper.
    pub fn fraction(&self, value: f64) -> f64 {
        if self.log {
            let value = value.max(SMALLEST);
            (value / self.lower).log10() / (self.upper / self.lower).log10()
        } else {
            (value - self.lower) / (self.upper - self.lower)
        }
    }

    fn linear(lower: f64, upper: f64) -> Self {
        let from_zero = lower >= 0.0 && lower < 0.25 * upper;
        let lower = if from_zero { 0.0 } else { lower };
        let (lower, upper) = if alike(lower, upper) {
            let margin = if lower == 0.0 { 1.0 } else { 0.1 * lower.abs() };
            (lower - margin, upper + margin)
        } else {
            (lower, upper)
        };
        let step = round_step(upper - lower, 6.0);
        let (lower, upper) = ((lower / step).floor() * step, (upper / step).ceil() * step);
        let ticks = multiples(step, lower, upper);
        Self { lower, upper, log: false, ticks, minor: Vec::new() }
    }

    fn logarithmic(lower: f64, upper: f64) -> Self {
        let factors: &[f64] = match upper / lower {
            ..4.0 => &DIGITS,
            ..300.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let margin = (upper / lower).powf(0.04);
        let (mut lower, mut upper) = (lower / margin, upper * margin);
        if decades(factors, lower, upper).len() < 3 {
            let around = decades(factors, lower / 10.0, upper * 10.0);
            lower = around.iter().rfind(|&&tick| tick < lower).copied().unwrap_or(lower / 2.0);
            upper = around.iter().find(|&&tick| tick > upper).copied().unwrap_or(upper * 2.0);
        }
        let all = decades(factors, lower, upper);
        let every = all.len().div_ceil(9).max(1);
        let between = decades(&DIGITS, lower, upper);
        let minor = if every == 1 { between } else { Vec::new() };
        let ticks = all.into_iter().step_by(every).collect();
        Self { lower, upper, log: true, ticks, minor }
    }
}

fn range(values: impl Iterator<Item = f64>) -> Result<(f64, f64), FigureError> {
    let (lower, upper) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(lower, upper), value| {
            (lower.min(value), upper.max(value))
        });
    if lower <= upper { Ok((lower, upper)) } else { Err(FigureError::NothingToDraw) }
}

/// Whether two values differ too little to be told apart on an axis.
fn alike(lower: f64, upper: f64) -> bool {
    upper - lower <= 1e-9 * lower.abs().max(upper.abs())
}

/// The step 1, 2 or 5 times a power of ten that cuts the span into at most so many parts.
fn round_step(span: f64, parts: f64) -> f64 {
    if span <= 0.0 {
        return 1.0;
    }
    let rough = span / parts;
    let power = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough * 0.999_999);
    factor.unwrap_or(10.0) * power
}

/// The multiples of `step` in the range, at most a hundred.
fn multiples(step: f64, lower: f64, upper: f64) -> Vec<f64> {
    let first = (lower / step - 1e-6).ceil();
    let counts = (0..100).map(|count| first + f64::from(count));
    counts.map(|count| count * step).take_while(|tick| *tick <= upper + 1e-6 * step).collect()
}

/// The factors times powers of ten in the range, in order.
fn decades(factors: &[f64], lower: f64, upper: f64) -> Vec<f64> {
    let mut found = Vec::new();
    let mut exponent = lower.log10().floor();
    while exponent <= upper.log10() {
        let power = 10f64.powf(exponent);
        found.extend(factors.iter().map(|factor| factor * power));
        exponent += 1.0;
    }
    found.retain(|value| (lower * 0.999_999..=upper * 1.000_001).contains(value));
    found
}

#[cfg(test)]
mod tests {
    use super::super::number::tick_label;
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|&tick| tick_label(tick)).collect()
    }

    #[test]
    fn a_logarithmic_axis_has_ticks_at_one_two_and_five() {
        let axis = Axis::measured([0.13, 1.7].into_iter(), true).unwrap();
        assert_eq!(labels(&axis), ["0.2", "0.5", "1"]);
    }

    #[test]
    fn a_short_logarithmic_axis_has_a_tick_at_every_digit() {
        let axis = Axis::measured([0.68, 1.06].into_iter(), true).unwrap();
        assert_eq!(labels(&axis), ["0.7", "0.8", "0.9", "1"]);
    }

    #[test]
    fn a_logarithmic_axis_over_many_decades_keeps_few_ticks() {
        let axis = Axis::measured([1e-30, 1.0].into_iter(), true).unwrap();
        assert!(axis.ticks.len() <= 9, "{:?}", axis.ticks);
    }

    #[test]
    fn a_linear_axis_starts_at_zero_when_the_values_reach_near_it() {
        let axis = Axis::measured([0.1, 0.63].into_iter(), false).unwrap();
        assert_eq!(labels(&axis), ["0", "0.2", "0.4", "0.6", "0.8"]);
        let shares = Axis::measured([0.47, 1.0].into_iter(), false).unwrap();
        assert!(shares.lower > 0.3 && shares.lower <= 0.47, "{shares:?}");
    }

    #[test]
    fn tasks_have_whole_number_ticks() {
        let tasks: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(labels(&Axis::chosen(&tasks, false).unwrap()).len(), 10);
        assert_eq!(labels(&Axis::chosen(&[1.0, 2.0], false).unwrap()), ["1", "2"]);
    }

    #[test]
    fn a_logarithmic_axis_of_something_chosen_has_its_values_as_ticks() {
        let axis = Axis::chosen(&[50.0, 2.0, 6.0, 2.0], true).unwrap();
        assert_eq!(labels(&axis), ["2", "6", "50"]);
        assert!(axis.lower < 2.0 && axis.upper > 50.0, "{axis:?}");
    }

    #[test]
    fn equal_values_still_give_an_axis() {
        for log in [false, true] {
            for value in [0.3, 1.0, 1e-40, 7e50, 1e99] {
                let axis = Axis::measured([value].into_iter(), log).unwrap();
                assert!(axis.lower < axis.upper, "{value} {axis:?}");
                assert!((0.0..=1.0).contains(&axis.fraction(value)), "{value} {axis:?}");
            }
        }
    }

    #[test]
    fn no_usable_value_is_an_error() {
        assert!(Axis::measured([f64::NAN, f64::INFINITY].into_iter(), false).is_err());
        assert!(Axis::measured([0.0, -1.0].into_iter(), true).is_err());
        assert!(Axis::chosen(&[], false).is_err() && Axis::chosen(&[0.0], true).is_err());
    }
}
