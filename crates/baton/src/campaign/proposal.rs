//! How the next trial is chosen: a pure function of settings, knowledge, trials and seed.

use super::agenda::{self, Progress};
use super::epoch::Epoch;
use super::method::Method;
use super::task::Task;
use super::trial::{Aim, Bought, Note, Trial};
use crate::acquisition::{Found, Nats, Objective, Search, SearchEffort};
use crate::error::Result;
use crate::problem::Value;
use baton_numerics::random::{Key, Purpose};
use baton_numerics::{Mat, MatRef, Table, sobol};

/// Points of the design that are looked at before a repeated one is accepted.
const LOOK_AHEAD: usize = 64;
/// `warm-start` spends at most this share of the budget on earlier points.
const WARM_SHARE: f64 = 0.2;

/// Discrete spaces up to this size are searched for untried points.
pub(super) const LISTED: u64 = 4_096;

/// What is known of a point in this task.
#[derive(PartialEq)]
pub(super) enum Freshness {
    /// it was never asked for
    New,
    /// it was, and its outcome is known
    Told,
    /// it was, and its outcome is not known yet
    Pending,
}

/// A trial to be.
pub(super) struct Proposal {
    pub point: Vec<Value>,
    pub level: usize,
    pub aim: Aim,
    pub nats: Option<Bought>,
    pub runner_up: Option<(String, f64)>,
    pub notes: Vec<Note>,
}

impl Proposal {
    pub(super) fn without_model(point: Vec<Value>, level: usize, aim: Aim) -> Self {
        Self { point, level, aim, nats: None, runner_up: None, notes: Vec::new() }
    }
}

impl Task {
    pub(super) fn propose(&mut self) -> Result<Option<Proposal>> {
        let costs = self.affordable();
        if costs.iter().all(Option::is_none) {
            return Ok(None);
        }
        if let Some(proposal) = self.warm_start(&costs)? {
            return Ok(Some(proposal));
        }
        // Failed and pending trials of the design count: the design is not begun again.
        if self.trials().len() < self.initial() {
            return self.look_around(&costs, Aim::Design);
        }
        if self.shared.settings.method == Method::Random {
            return self.look_around(&costs, Aim::Random);
        }
        let costs = self.eligible(costs);
        if costs.iter().all(Option::is_none) {
            return Ok(None);
        }
        match self.with_epoch(|task, epoch| task.by_model(epoch, &costs)) {
            Ok(proposal) => Ok(proposal),
            Err(error) => {
                let proposal = self.look_around(&costs, Aim::Fallback)?;
                let note = Note::FellBack(error.to_string());
                Ok(proposal.map(|p| Proposal { notes: vec![note], ..p }))
            }
        }
    }

    /// Levels the method may ask for once the design is over.
    pub(super) fn eligible(&self, mut costs: Vec<Option<f64>>) -> Vec<Option<f64>> {
        if self.shared.settings.method.plan().top_only {
            let top = costs.len() - 1;
            costs[..top].fill(None);
        }
        costs
    }

    /// The newest point of an earlier task that was not tried yet, at the top level.
    fn warm_start(&self, costs: &[Option<f64>]) -> Result<Option<Proposal>> {
        let top = costs.len() - 1;
        let Some(cost) = costs[top].filter(|_| self.shared.settings.method == Method::WarmStart)
        else {
            return Ok(None);
        };
        let so_far = self.trials().iter().filter(|t| t.aim == Aim::WarmStart).count();
        if (so_far as f64 + 1.0) * cost > WARM_SHARE * self.budget() {
            return Ok(None);
        }
        for coordinates in self.knowledge.incumbents().iter().rev() {
            let point = self.shared.schema.space.point(coordinates)?;
            if !self.was_at(&point, top) {
                return Ok(Some(Proposal::without_model(point, top, Aim::WarmStart)));
            }
        }
        Ok(None)
    }

    /// A quasi-random (design) or random point at a random affordable level, not tried before if
    /// possible and never a pending one.
    pub(super) fn look_around(&self, costs: &[Option<f64>], aim: Aim) -> Result<Option<Proposal>> {
        let space = &self.shared.schema.space;
        let affordable: Vec<usize> = (0..costs.len()).filter(|m| costs[*m].is_some()).collect();
        let purpose =
            if aim == Aim::Random { Purpose::RandomSearch } else { Purpose::InitialDesign };
        let mut stream = self.key().stream(purpose, 0);
        let level = affordable[stream.below(affordable.len())];
        let points = if aim == Aim::Random {
            Mat::from_fn(space.dimension(), LOOK_AHEAD, |_, _| stream.uniform())
        } else {
            self.design_points()
        };
        let mut fallback = None;
        for column in points.col_iter() {
            let point = space.point(&column.iter().copied().collect::<Vec<f64>>())?;
            match self.freshness(&point) {
                Freshness::New => return Ok(Some(Proposal::without_model(point, level, aim))),
                Freshness::Told => fallback = fallback.or(Some(point)),
                Freshness::Pending => {}
            }
        }
        let other = self.listed_point()?.or(fallback);
        Ok(other.map(|point| Proposal::without_model(point, level, aim)))
    }

    /// In a small discrete space whose points were mostly tried: one that was not, else one that is
    /// not pending.
    fn listed_point(&self) -> Result<Option<Vec<Value>>> {
        let space = &self.shared.schema.space;
        let Some(all) = space.enumerate(LISTED) else { return Ok(None) };
        let mut fallback = None;
        for column in all.col_iter() {
            let point = space.point(&column.iter().copied().collect::<Vec<f64>>())?;
            match self.freshness(&point) {
                Freshness::New => return Ok(Some(point)),
                Freshness::Told => fallback = fallback.or(Some(point)),
                Freshness::Pending => {}
            }
        }
        Ok(fallback)
    }

    /// Whether a point was asked for at a level, or at any whose outcome is not known yet.
    pub(super) fn was_at(&self, point: &[Value], level: usize) -> bool {
        let there = |t: &Trial| t.point == point && (t.level == level || t.is_pending());
        self.trials().iter().any(there)
    }

    pub(super) fn freshness(&self, point: &[Value]) -> Freshness {
        let mut same = self.trials().iter().filter(|trial| trial.point == point).peekable();
        if same.peek().is_none() {
            Freshness::New
        } else if same.any(Trial::is_pending) {
            Freshness::Pending
        } else {
            Freshness::Told
        }
    }

    /// One Sobol sequence per task; each trial of the design takes the next points of it.
    fn design_points(&self) -> Mat<f64> {
        let mut stream = Key { step: 0, ..self.key() }.stream(Purpose::InitialDesign, 1);
        let quasi_random = |t: &&Trial| matches!(t.aim, Aim::Design | Aim::Survey | Aim::Fallback);
        let used = self.trials().iter().filter(quasi_random).count();
        let dimension = self.shared.schema.space.dimension();
        let all = sobol::shifted_points(dimension, used + LOOK_AHEAD, &mut stream);
        all.subcols(used, LOOK_AHEAD).to_owned()
    }

    pub(super) fn progress(&self) -> Progress {
        let by_model = |t: &&Trial| t.aim.is_by_model();
        let rounds = self.trials().iter().filter(by_model).count();
        let top_cost = self.shared.fidelities[self.shared.fidelities.len() - 1].cost;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
        let left = (self.cost_left() / top_cost * (1.0 + 1e-12)) as usize;
        Progress { rounds, all_rounds: rounds.saturating_add(left) }
    }

    /// Lends the epoch of the present observations to `use_it`, and keeps it for the next call.
    pub(super) fn with_epoch<R>(
        &mut self,
        use_it: impl FnOnce(&Self, &Epoch) -> Result<R>,
    ) -> Result<R> {
        let observations = self.observations()?;
        let before = self.cache.take();
        let epoch = Epoch::current(before, &self.frame(), &observations)?;
        let result = use_it(self, &epoch);
        self.cache = Some(epoch);
        result
    }

    fn by_model(&self, epoch: &Epoch, costs: &[Option<f64>]) -> Result<Option<Proposal>> {
        let (frame, key) = (self.frame(), self.key());
        let visit = self.visit_to_summit(epoch, costs)?;
        if visit.is_none() {
            if let Some(proposal) = self.look_for_a_hill(epoch, costs)? {
                return Ok(Some(proposal));
            }
            if let Some(proposal) = self.fill_a_gap(epoch, costs)? {
                return Ok(Some(proposal));
            }
        }
        // At the summit nothing is left out.
        let basin =
            if visit.is_some() { None } else { self.left_out(epoch, self.progress().rounds)? };
        let aim = agenda::next_aim(&frame, key, self.progress());
        let (outlook, explores) = self.outlook(epoch, aim, basin.as_ref())?;
        let (acquisition, criterion) = (outlook.acquisition()?, outlook.criterion);
        let planned = self.planned(epoch, aim)?;
        let aim = if explores { Aim::Explore } else { aim };
        let decided = visit.or(planned.map(|coordinates| (coordinates, Aim::Planned)));
        let (found, aim) = if let Some((coordinates, aim)) = decided {
            (Some((coordinates, costs.len() - 1)), aim)
        } else {
            let worth = acquisition.worth_of(&outlook.predictions);
            let scored = (&outlook.points, &worth);
            let open = self.levels_to_search(costs);
            let found = self.searched(&acquisition, frame.settings.search, scored, &open)?;
            // An ascent that ends in the basin that was left out is not taken.
            let strayed = match (&found, &basin) {
                (Some(found), Some(basin)) if explores => basin.holds(&found.coordinates)?,
                _ => false,
            };
            let found = if strayed { self.unrefined(scored, &open) } else { found };
            (found.map(|found| (found.coordinates, found.level)), aim)
        };
        let Some((coordinates, level)) = found else { return Ok(None) };
        let column = MatRef::from_column_major_slice(&coordinates, coordinates.len(), 1);
        let nats = acquisition.nats(column)?;
        let worth = |m: usize| {
            criterion.optimum_weight * nats.optimum[(m, 0)] + criterion.beta * nats.transfer[(m, 0)]
        };
        Ok(Some(Proposal {
            point: frame.space.point(&coordinates)?,
            level,
            aim,
            nats: Some(bought(&nats, level)),
            runner_up: self.runner_up(costs, level, worth),
            notes: epoch.notes(),
        }))
    }

    /// The next point of the planned batch, where the method has one: each is used once, and not
    /// while a trial is pending there.
    fn planned(&self, epoch: &Epoch, aim: Aim) -> Result<Option<Vec<f64>>> {
        if aim != Aim::Future {
            return Ok(None);
        }
        let taken = |trial: &&Trial| trial.aim == Aim::Planned || trial.is_pending();
        let taken: Vec<&Trial> = self.trials().iter().filter(taken).collect();
        for coordinates in agenda::planned_points(&self.frame(), epoch, taken.len() + 1)? {
            let point = self.shared.schema.space.point(&coordinates)?;
            if taken.iter().all(|trial| trial.point != point) {
                return Ok(Some(coordinates));
            }
        }
        Ok(None)
    }

    /// The best point and level reached from candidates of known worth.
    pub(super) fn searched(
        &self,
        objective: &dyn Objective,
        effort: SearchEffort,
        (points, worth): (&Mat<f64>, &Table),
        costs: &[Option<f64>],
    ) -> Result<Option<Found>> {
        let occupied: Vec<Vec<Value>> = self.pending().map(|trial| trial.point.clone()).collect();
        let space = &self.shared.schema.space;
        Search { space, costs, occupied: &occupied, effort }.run(objective, points, worth)
    }

    /// The best candidate as it is.
    fn unrefined(
        &self,
        (points, worth): (&Mat<f64>, &Table),
        costs: &[Option<f64>],
    ) -> Option<Found> {
        let occupied: Vec<Vec<Value>> = self.pending().map(|trial| trial.point.clone()).collect();
        let (space, effort) = (&self.shared.schema.space, self.shared.settings.search);
        Search { space, costs, occupied: &occupied, effort }.best_candidate(points, worth)
    }

    /// The best other level at the chosen point, by worth per unit of cost.
    fn runner_up(
        &self,
        costs: &[Option<f64>],
        level: usize,
        worth: impl Fn(usize) -> f64,
    ) -> Option<(String, f64)> {
        let rate = |m: usize| costs[m].map(|cost| (m, worth(m) / cost));
        let others = (0..costs.len()).filter(|m| *m != level).filter_map(rate);
        let best = others.reduce(|a, b| if b.1 > a.1 { b } else { a });
        best.map(|(m, rate)| (self.shared.fidelities[m].name.clone(), rate))
    }
}

fn bought(nats: &Nats, level: usize) -> Bought {
    Bought { optimum: nats.optimum[(level, 0)], transfer: nats.transfer[(level, 0)] }
}
