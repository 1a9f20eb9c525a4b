//! Numbers as a reader wants them: few digits, no rounding noise, powers of ten where decimals
//! would be long.

/// The value with at most so many significant digits.
pub(super) fn number(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let rounded: f64 = scientific.parse().unwrap_or(value);
    if rounded == 0.0 {
        return String::from("0");
    }
    if (1e-3..1e5).contains(&rounded.abs()) {
        return rounded.to_string().replace('-', "−");
    }
    power_of_ten(&format!("{rounded:e}"))
}

/// The label of a tick.
pub(super) fn tick_label(tick: f64) -> String {
    number(tick, 10)
}

/// The value with exactly so many significant digits where decimals can show them.
pub(super) fn padded(value: f64, digits: usize) -> String {
    let mut shown = number(value, digits);
    let decimal = shown.chars().all(|letter| letter.is_ascii_digit() || "−.".contains(letter));
    let significant = shown.trim_start_matches(['−', '0', '.']).chars();
    let missing = digits.saturating_sub(significant.filter(char::is_ascii_digit).count());
    if shown == "0" || !decimal || missing == 0 {
        return shown;
    }
    if !shown.contains('.') {
        shown.push('.');
    }
    shown.push_str(&"0".repeat(missing));
    shown
}

/// `2e-7` as `2×10⁻⁷`.
fn power_of_ten(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let raised: String = exponent.chars().map(raised).collect();
    match mantissa {
        "1" => format!("10{raised}"),
        "-1" => format!("−10{raised}"),
        _ => format!("{}×10{raised}", mantissa.replace('-', "−")),
    }
}

fn raised(digit: char) -> char {
    match digit {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_noise_is_not_shown() {
        assert_eq!(number(0.700_000_000_000_000_1, 10), "0.7");
        assert_eq!(number(0.1 + 0.2, 10), "0.3");
        assert_eq!(number(-0.0, 10), "0");
    }

    #[test]
    fn significant_digits_are_kept_at_every_size() {
        assert_eq!(number(12.345, 3), "12.3");
        assert_eq!(number(0.012_345, 3), "0.0123");
        assert_eq!(number(-3.0, 3), "−3");
    }

    #[test]
    fn padding_shows_all_significant_digits() {
        assert_eq!(padded(0.4, 3), "0.400");
        assert_eq!(padded(-2.0, 3), "−2.00");
        assert_eq!(padded(1050.0, 3), "1050");
        assert_eq!(padded(1e-9, 3), "10⁻⁹");
    }

    #[test]
    fn very_large_and_very_small_numbers_are_powers_of_ten() {
        assert_eq!(number(1e-7, 10), "10⁻⁷");
        assert_eq!(number(2e6, 10), "2×10⁶");
        assert_eq!(number(-1e12, 10), "−10¹²");
    }
}
