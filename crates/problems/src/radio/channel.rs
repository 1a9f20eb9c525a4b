//! The bank of channels and what arrives after combining.
//!
//! The channel of a user to a base station is `10^(-PL/20) g`, `g` complex normal and independent
//! for every sample, base station, user and antenna. The receiver of user k combines for maximum
//! ratio, so that user j arrives there with `|h_k^H h_j|^2 / |h_k|^2` per unit of power, both
//! channels taken at the base station that serves k.

use super::cells::{CELLS, MOST_SAMPLES, USERS, cell_of};
use super::layout::Layout;
use crate::stream::{Problem, Stream};
use std::f64::consts::FRAC_1_SQRT_2;

const ANTENNAS: usize = 64;

/// The channel of one user to one base station: real and imaginary part per antenna.
type Channel = [(f64, f64); ANTENNAS];

/// What arrives in every sample of one task.
pub(super) struct Gains {
    /// per sample and receiving user k, what arrives from every user j
    pub samples: Vec<[[f64; USERS]; USERS]>,
}

impl Gains {
    /// Draws the bank of a task, in the order sample, base station, user, antenna.
    pub fn draw(master: u64, number: u64, layout: &Layout) -> Self {
        let mut stream = Stream::new(master, Problem::Radio, number, 1);
        let mut sample = |_| {
            let mut gains = [[0.0; USERS]; USERS];
            for cell in 0..CELLS {
                let channels: Vec<Channel> = layout
                    .path_loss
                    .iter()
                    .map(|loss| draw_channel(&mut stream, loss[cell]))
                    .collect();
                for k in (0..USERS).filter(|k| cell_of(*k) == cell) {
                    gains[k] = combined(&channels, k);
                }
            }
            gains
        };
        Self { samples: (0..MOST_SAMPLES).map(&mut sample).collect() }
    }
}

fn draw_channel(stream: &mut Stream, path_loss: f64) -> Channel {
    let amplitude = 10_f64.powf(-path_loss / 20.0) * FRAC_1_SQRT_2;
    std::array::from_fn(|_| {
        let (real, imaginary) = stream.normals();
        (amplitude * real, amplitude * imaginary)
    })
}

/// What arrives from every user when the receiver listens to user `k`.
fn combined(channels: &[Channel], k: usize) -> [f64; USERS] {
    let own = &channels[k];
    let strength: f64 = own.iter().map(|(re, im)| re * re + im * im).sum();
    std::array::from_fn(|j| {
        let (mut real, mut imaginary) = (0.0, 0.0);
        for ((a, b), (c, d)) in own.iter().zip(&channels[j]) {
            real += a * c + b * d;
            imaginary += a * d - b * c;
        }
        (real * real + imaginary * imaginary) / strength
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn combining_favours_the_own_user_by_the_number_of_antennas() {
        let layout = Layout::of_task(MASTER, 1);
        let gains = Gains::draw(MASTER, 1, &layout);
        let mean = |k: usize, j: usize| {
            let total: f64 = gains.samples.iter().map(|rows| rows[k][j]).sum();
            let lost = 10_f64.powf(-layout.path_loss[j][cell_of(k)] / 10.0);
            total / (MOST_SAMPLES as f64 * lost)
        };
        let own = (0..USERS).map(|k| mean(k, k)).sum::<f64>() / USERS as f64;
        let other = (0..USERS).map(|k| mean(k, (k + 7) % USERS)).sum::<f64>() / USERS as f64;
        assert!((own - 64.0).abs() < 2.0 && (other - 1.0).abs() < 0.2, "{own} {other}");
    }
}
