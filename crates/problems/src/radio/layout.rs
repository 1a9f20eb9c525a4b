//! Where the users are and what is lost on the way to the base stations.
//!
//! Task 1 drops ten users around each of two base stations 200 m apart, uniformly in radius so that
//! near and far users meet; in every later task each user walks up to 10 m. A user stays between
//! 10 and 200 m from its own base station and no farther from it than from the other. Path loss is
//! that of 3GPP TR 38.901, urban micro street canyon, without shadowing: redrawn shadowing would
//! destroy the likeness of successive tasks.

use super::cells::{CELLS, USERS, cell_of};
use crate::stream::{Problem, Stream};
use std::f64::consts::PI;

const STATIONS: [[f64; 2]; CELLS] = [[-100.0, 0.0], [100.0, 0.0]];
const NEAREST: f64 = 10.0;
const FARTHEST: f64 = 200.0;
const LONGEST_WALK: f64 = 10.0;
const MOST_PROPOSALS: usize = 100;

const CARRIER_GIGAHERTZ: f64 = 3.5;
const STATION_HEIGHT: f64 = 10.0;
const USER_HEIGHT: f64 = 1.5;

/// The users of one task.
pub(super) struct Layout {
    /// positions in m
    pub users: [[f64; 2]; USERS],
    /// path loss in dB to both base stations
    pub path_loss: [[f64; CELLS]; USERS],
}

impl Layout {
    /// The users after all walks up to task `number`.
    pub fn of_task(master: u64, number: u64) -> Self {
        let mut users = drop_users(&mut Stream::new(master, Problem::Radio, 1, 0));
        for later in 2..=number {
            walk(&mut users, &mut Stream::new(master, Problem::Radio, later, 0));
        }
        let path_loss = users.map(|user| STATIONS.map(|station| path_loss(user, station)));
        Self { users, path_loss }
    }
}

fn drop_users(stream: &mut Stream) -> [[f64; 2]; USERS] {
    std::array::from_fn(|k| {
        loop {
            let radius = NEAREST + (FARTHEST - NEAREST) * stream.uniform();
            let place = step(STATIONS[cell_of(k)], radius, 2.0 * PI * stream.uniform());
            if legal(place, cell_of(k)) {
                return place;
            }
        }
    })
}

fn walk(users: &mut [[f64; 2]; USERS], stream: &mut Stream) {
    for (k, user) in users.iter_mut().enumerate() {
        for _ in 0..MOST_PROPOSALS {
            let radius = LONGEST_WALK * stream.uniform().sqrt();
            let place = step(*user, radius, 2.0 * PI * stream.uniform());
            if legal(place, cell_of(k)) {
                *user = place;
                break;
            }
        }
    }
}

fn step(from: [f64; 2], radius: f64, angle: f64) -> [f64; 2] {
    [from[0] + radius * angle.cos(), from[1] + radius * angle.sin()]
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn legal(place: [f64; 2], cell: usize) -> bool {
    let own = distance(place, STATIONS[cell]);
    let other = distance(place, STATIONS[1 - cell]);
    (NEAREST..=FARTHEST).contains(&own) && own <= other
}

/// The larger of the losses with and without line of sight, in dB.
fn path_loss(user: [f64; 2], station: [f64; 2]) -> f64 {
    let flat = distance(user, station);
    let rise = STATION_HEIGHT - USER_HEIGHT;
    let direct = flat.hypot(rise).log10();
    let carrier = CARRIER_GIGAHERTZ.log10();
    let hidden = 22.4 + 35.3 * direct + 21.3 * carrier - 0.3 * (USER_HEIGHT - 1.5);
    let breakpoint = 4.0 * (STATION_HEIGHT - 1.0) * (USER_HEIGHT - 1.0) * CARRIER_GIGAHERTZ / 0.3;
    let visible = if flat <= breakpoint {
        32.4 + 21.0 * direct + 20.0 * carrier
    } else {
        let bend = (breakpoint * breakpoint + rise * rise).log10();
        32.4 + 40.0 * direct + 20.0 * carrier - 9.5 * bend
    };
    hidden.max(visible)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn users_walk_at_most_ten_metres_and_stay_in_their_cell() {
        let mut before = Layout::of_task(MASTER, 1);
        for number in 2..=12 {
            let after = Layout::of_task(MASTER, number);
            for (k, (from, to)) in before.users.iter().zip(&after.users).enumerate() {
                assert!(distance(*from, *to) <= LONGEST_WALK + 1e-9);
                assert!(legal(*to, cell_of(k)));
            }
            assert_ne!(before.users, after.users);
            before = after;
        }
    }

    #[test]
    fn what_is_hidden_loses_more() {
        // At 100 m, computed by hand from the two formulas.
        let loss = path_loss([0.0, 0.0], STATIONS[0]);
        assert!((loss - 104.643).abs() < 1e-2, "{loss}");
        assert!(loss > 32.4 + 21.0 * 2.0016 + 20.0 * CARRIER_GIGAHERTZ.log10());
    }
}
