//! The best affordable (point, level): the one place where worth is divided by cost.
//!
//! Candidates are scored at every level; the best, kept apart from each other, are refined:
//! continuous coordinates by bounded ascent with the discrete ones held, in which climbers that trail
//! are given up, discrete ones by moving to the best neighbour, in turn until neither helps. Small
//! discrete spaces are listed in full. The result is always a legal point and never one that is
//! occupied by a pending trial.

use super::allowed::Allowed;
use super::candidates::{LISTED, SearchEffort};
use super::criterion::Objective;
use crate::error::{Error, Result};
use crate::problem::{Space, Value};
use baton_numerics::ascent::{Bounds, Effort, Height, Thinning, ascend};
use baton_numerics::{Mat, Table};

/// Starts closer than this, by the largest coordinate, would climb the same hill.
const APART: f64 = 0.05;
/// Rounds of ascent and neighbourhood moves.
const ROUNDS: usize = 12;
/// Climbers that are not given up unless they come close to a higher one.
const KEPT: usize = 3;
/// Which climbers are given up. On rough surfaces more patience finds more, at a cost:
/// docs/performance.md.
const THINNING: Thinning = Thinning { every: 2, share: 0.8, least: KEPT, apart: 0.02 };
/// A step that gains less than this share of the worth is a climber's last.
const TOLERANCE: f64 = 1e-5;

/// Largest coordinate of a climber's first step: with the paper's networks the best choice mostly lies
/// some 0.05 from an observation, and longer steps leave its hill.
const FIRST_STEP: f64 = 0.03;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// legal coordinates
    pub coordinates: Vec<f64>,
    /// the level
    pub level: usize,
    /// worth per unit of cost there
    pub rate: f64,
}

/// A search over one space.
pub struct Search<'a> {
    /// where
    pub space: &'a Space,
    /// the cost of each level, `None` where it may not be used now
    pub costs: &'a [Option<f64>],
    /// points that may not be returned
    pub occupied: &'a [Vec<Value>],
    /// how thoroughly
    pub effort: SearchEffort,
}

impl Search<'_> {
    /// The best point and level reached from these candidates (legal, one column each) of known worth
    /// (levels x candidates); `None` if every candidate is occupied or no level may be used.
    ///
    /// # Errors
    /// If the objective cannot be evaluated.
    pub fn run(
        &self,
        objective: &dyn Objective,
        candidates: &Mat<f64>,
        worth: &Table,
    ) -> Result<Option<Found>> {
        let mut scored = self.rate(candidates, worth);
        if scored.is_empty() && candidates.ncols() > 0 && self.costs.iter().any(Option::is_some) {
            let what = "the worth of every candidate";
            return Err(Error::Overflow { what, value: f64::INFINITY });
        }
        scored.retain(|found| !self.is_occupied(&found.coordinates));
        scored.sort_by(|a, b| b.rate.total_cmp(&a.rate));
        if self.space.enumerate(LISTED).is_some() {
            return Ok(scored.into_iter().next());
        }
        let starts = self.spread_out(scored);
        let refined = self.refine(objective, starts)?;
        let best = refined.into_iter().reduce(|a, b| if b.rate > a.rate { b } else { a });
        Ok(best)
    }

    /// The best free candidate at its best level, not refined.
    pub fn best_candidate(&self, candidates: &Mat<f64>, worth: &Table) -> Option<Found> {
        let mut scored = self.rate(candidates, worth);
        scored.retain(|found| !self.is_occupied(&found.coordinates));
        scored.into_iter().reduce(|a, b| if b.rate > a.rate { b } else { a })
    }

    /// Every point at its best level.
    fn rate(&self, points: &Mat<f64>, worth: &Table) -> Vec<Found> {
        (0..points.ncols()).filter_map(|j| self.rate_one(points, worth, j)).collect()
    }

    /// A point at its best level; `None` if it is worth nothing finite at any.
    fn rate_one(&self, points: &Mat<f64>, worth: &Table, j: usize) -> Option<Found> {
        let mut best: Option<(usize, f64)> = None;
        for (level, cost) in self.costs.iter().enumerate() {
            let rate = cost.map(|cost| worth[(level, j)] / cost);
            let better = |r: &f64| r.is_finite() && best.is_none_or(|(_, most)| *r > most);
            if let Some(rate) = rate.filter(better) {
                best = Some((level, rate));
            }
        }
        let coordinates = || points.col_as_slice(j).to_vec();
        best.map(|(level, rate)| Found { coordinates: coordinates(), level, rate })
    }

    fn spread_out(&self, sorted: Vec<Found>) -> Vec<Found> {
        let all_continuous = self.space.continuous().iter().all(|continuous| *continuous);
        let most = if all_continuous { self.effort.starts } else { self.effort.walks };
        let mut starts: Vec<Found> = Vec::new();
        for candidate in sorted {
            if starts.iter().all(|other| gap(other, &candidate) >= APART) {
                starts.push(candidate);
            }
            if starts.len() == most.max(1) {
                break;
            }
        }
        starts
    }

    /// Climbs from all starts, most of which are given up on the way; those that are not climb on
    /// for as long as another level or discrete value is a reason to. A point that has not moved in
    /// a round has nothing new around it in the next.
    fn refine(&self, objective: &dyn Objective, mut found: Vec<Found>) -> Result<Vec<Found>> {
        let continuous = self.space.continuous();
        let any_continuous = continuous.contains(&true);
        let any_discrete = continuous.contains(&false);
        let mut resting: Vec<Found> = Vec::new();
        for round in 0..ROUNDS {
            let mut moved = vec![false; found.len()];
            if any_continuous {
                self.ascend(objective, &continuous, &mut found)?;
                if round == 0 && !any_discrete {
                    found.sort_by(|a, b| b.rate.total_cmp(&a.rate));
                    found.truncate(KEPT);
                }
                moved = self.change_levels(objective, &mut found)?;
            }
            if any_discrete {
                self.step_to_neighbours(objective, &mut found, &mut moved)?;
            }
            let mut moved = moved.into_iter();
            let (moving, rested) = found.into_iter().partition(|_| moved.next() == Some(true));
            found = moving;
            resting.extend::<Vec<Found>>(rested);
            if any_discrete && (round + 1) % THINNING.every as usize == 0 {
                thin(&mut found, &resting);
            }
            if found.is_empty() {
                break;
            }
        }
        resting.extend(found);
        Ok(resting)
    }

    /// Moves every point to its best level; says which of them changed theirs.
    fn change_levels(&self, objective: &dyn Objective, found: &mut [Found]) -> Result<Vec<bool>> {
        let dimension = self.space.dimension();
        let points = Mat::from_fn(dimension, found.len(), |i, j| found[j].coordinates[i]);
        let worth = objective.worth(points.as_ref())?;
        let mut changed = vec![false; found.len()];
        for (j, here) in found.iter_mut().enumerate() {
            let best = self.rate_one(&points, &worth, j);
            if let Some(best) = best.filter(|b| b.level != here.level && b.rate > here.rate) {
                *here = best;
                changed[j] = true;
            }
        }
        Ok(changed)
    }

    /// Climbs along continuous coordinates at each point's own level.
    /// Heights are worth per cost, so that climbers at different levels can be compared.
    fn ascend(
        &self,
        objective: &dyn Objective,
        continuous: &[bool],
        found: &mut [Found],
    ) -> Result<()> {
        let mut failure = None;
        let costs: Vec<f64> = self.costs.iter().map(|cost| cost.unwrap_or(f64::INFINITY)).collect();
        // Points that differ in their discrete coordinates need boxes of their own.
        for group in same_discrete(continuous, found) {
            let starts =
                Mat::from_fn(continuous.len(), group.len(), |i, j| found[group[j]].coordinates[i]);
            let bounds =
                box_around(&self.space.free(starts.col_as_slice(0)), starts.col_as_slice(0));
            let iterations = self.effort.iterations;
            let effort = Effort {
                iterations,
                first_step: FIRST_STEP,
                tolerance: TOLERANCE,
                memory: 8,
                thinning: THINNING,
            };
            let summits = ascend(starts.as_ref(), &bounds, effort, |trials, climbers| {
                let levels: Vec<usize> =
                    climbers.iter().map(|climber| found[group[*climber]].level).collect();
                let allowed = Allowed::of(self.space, trials);
                match objective.worth_and_gradient(allowed.places.as_ref(), &levels) {
                    Ok((values, slopes)) => values
                        .iter()
                        .enumerate()
                        .map(|(j, value)| {
                            let cost = costs[levels[j]];
                            let slope = slopes.col_as_slice(j).iter().map(|s| s / cost).collect();
                            allowed.height(j, Height { value: value / cost, slope })
                        })
                        .collect(),
                    Err(error) => {
                        failure = Some(error);
                        let slope = vec![0.0; continuous.len()];
                        vec![Height { value: f64::NAN, slope }; trials.ncols()]
                    }
                }
            });
            for (index, summit) in group.iter().zip(summits) {
                let here = &mut found[*index];
                let Some(place) = Allowed::place(self.space, summit.point) else { continue };
                if summit.value > here.rate && !self.is_occupied(&place) {
                    here.coordinates = place;
                    here.rate = summit.value;
                }
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Moves every point to its best discrete neighbour, if that is better, and marks it as moved.
    fn step_to_neighbours(
        &self,
        objective: &dyn Objective,
        found: &mut [Found],
        moved: &mut [bool],
    ) -> Result<()> {
        let around: Vec<(usize, Vec<f64>)> = found
            .iter()
            .enumerate()
            .flat_map(|(owner, here)| {
                let free = |coordinates: &Vec<f64>| !self.is_occupied(coordinates);
                let around = self.space.neighbours(&here.coordinates).into_iter().filter(free);
                around.map(move |coordinates| (owner, coordinates))
            })
            .collect();
        if around.is_empty() {
            return Ok(());
        }
        // All at once: whole matrix products instead of one for each point.
        let points = Mat::from_fn(self.space.dimension(), around.len(), |i, j| around[j].1[i]);
        let worth = objective.worth(points.as_ref())?;
        for (j, (owner, _)) in around.iter().enumerate() {
            if let Some(neighbour) = self.rate_one(&points, &worth, j)
                && neighbour.rate > found[*owner].rate
            {
                found[*owner] = neighbour;
                moved[*owner] = true;
            }
        }
        Ok(())
    }

    fn is_occupied(&self, coordinates: &[f64]) -> bool {
        if self.occupied.is_empty() {
            return false;
        }
        self.space.point(coordinates).is_ok_and(|point| self.occupied.contains(&point))
    }
}

/// Gives climbers up by the rule of the ascent: those close to a higher one, climbing or at rest, and
/// of the others the lowest.
fn thin(climbing: &mut Vec<Found>, resting: &[Found]) {
    climbing.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    let mut kept: Vec<Found> = Vec::new();
    for climber in climbing.drain(..) {
        let higher = kept.iter().chain(resting.iter().filter(|other| other.rate >= climber.rate));
        if higher.into_iter().all(|other| gap(other, &climber) >= THINNING.apart) {
            kept.push(climber);
        }
    }
    kept.truncate(THINNING.kept(kept.len()));
    *climbing = kept;
}

/// How far apart two points are, by the largest coordinate.
fn gap(a: &Found, b: &Found) -> f64 {
    let gaps = a.coordinates.iter().zip(&b.coordinates);
    gaps.fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// Indices of points that agree in all discrete coordinates, group by group.
fn same_discrete(continuous: &[bool], found: &[Found]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for index in 0..found.len() {
        let agrees = |group: &&mut Vec<usize>| {
            let (a, b) = (&found[group[0]].coordinates, &found[index].coordinates);
            (0..continuous.len()).all(|i| continuous[i] || a[i] == b[i])
        };
        match groups.iter_mut().find(agrees) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// The unit cube with discrete coordinates held where they are.
fn box_around(continuous: &[bool], point: &[f64]) -> Bounds {
    let mut bounds = Bounds::unit_cube(point.len());
    for (i, free) in continuous.iter().enumerate() {
        if !free {
            (bounds.low[i], bounds.high[i]) = (point[i], point[i]);
        }
    }
    bounds
}

#[cfg(test)]
mod tests;
