//! Gauss-Legendre quadrature.

use std::f64::consts::PI;

/// Nodes in `(-1, 1)` and weights of the `N`-point rule, exact for polynomials of degree `2N - 1`.
///
/// The nodes are the roots of the Legendre polynomial, by Newton's method from Chebyshev's guess.
pub fn gauss_legendre<const N: usize>() -> [(f64, f64); N] {
    std::array::from_fn(|i| {
        let mut x = (PI * (i as f64 + 0.75) / (N as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..100 {
            let (value, derivative) = legendre(N, x);
            slope = derivative;
            let step = value / derivative;
            x -= step;
            if step.abs() < 1e-16 {
                break;
            }
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
}

/// The Legendre polynomial of degree `n` and its derivative, for `|x| < 1`.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    (value, n as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_up_to_the_promised_degree_are_exact() {
        let rule = gauss_legendre::<10>();
        for degree in 0..20 {
            let sum: f64 = rule.iter().map(|(x, w)| w * x.powi(degree)).sum();
            let exact = if degree % 2 == 0 { 2.0 / (f64::from(degree) + 1.0) } else { 0.0 };
            assert!((sum - exact).abs() < 1e-14, "degree {degree}: {sum}");
        }
    }
}
