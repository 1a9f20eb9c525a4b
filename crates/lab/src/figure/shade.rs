//! Colours for heights: dark for low, bright for high, so that the order also shows in grey.

use super::canvas::INK;

/// Red, green and blue at equal steps from the lowest height to the highest.
const STOPS: [[f64; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 44.0, 122.0],
    [59.0, 81.0, 139.0],
    [44.0, 113.0, 142.0],
    [33.0, 144.0, 141.0],
    [39.0, 173.0, 129.0],
    [92.0, 200.0, 99.0],
    [170.0, 220.0, 50.0],
    [253.0, 231.0, 37.0],
];

/// The colour of a height between 0 and 1.
pub(super) fn shade(height: f64) -> String {
    let [red, green, blue] = blend(height);
    format!("rgb({red:.0},{green:.0},{blue:.0})")
}

/// The colour of text that can be read on the shade of that height.
pub(super) fn text_on(height: f64) -> &'static str {
    let [red, green, blue] = blend(height);
    if 0.299 * red + 0.587 * green + 0.114 * blue > 125.0 { INK } else { "#ffffff" }
}

fn blend(height: f64) -> [f64; 3] {
    let position = height.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let pairs = STOPS.windows(2).enumerate();
    for (index, pair) in pairs {
        let rest = position - index as f64;
        if let ([low, high], true) = (pair, rest <= 1.0) {
            return [0, 1, 2].map(|part| low[part] + rest * (high[part] - low[part]));
        }
    }
    STOPS[STOPS.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_is_brighter() {
        let light = |height| {
            let [red, green, blue] = blend(height);
            0.299 * red + 0.587 * green + 0.114 * blue
        };
        for step in 1..=40 {
            let height = f64::from(step) / 40.0;
            assert!(light(height) > light(height - 0.025), "{height}");
        }
    }

    #[test]
    fn the_ends_have_their_own_colours_whatever_lies_beyond() {
        assert_eq!(shade(-3.0), "rgb(68,1,84)");
        assert_eq!(shade(7.0), "rgb(253,231,37)");
    }
}
