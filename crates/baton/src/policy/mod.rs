//! What the next trial is, and why.
//!
//! A `Policy` is an ordered list of rules. A rule is one file: when it speaks, what it proposes, what it
//! says of itself. Rules are functions of a read-only `View` of the task; none knows how a task is kept.
//! `rules/` has the default's with their list, `paper.rs` those of the paper's methods.

mod context;
mod feasible;
mod guessed;
mod incumbent;
mod information;
mod limit;
mod openings;
mod paper;
mod plan;
mod planned_batch;
mod point_to_use;
mod rule;
mod rules;
mod settings;
mod trial;
mod view;

use crate::error::{Error, Result};
use crate::model::Note;
use crate::shared::Fitted;

pub(crate) use context::Context;
pub(crate) use incumbent::posterior_maximum;
pub(crate) use limit::Limit;
pub(crate) use paper::{INFORMATION, PLANNED, RANDOM_SEARCH, WARM};
pub use paper::{LaterTasks, MftMes, PaperSettings, Planned, Separation};
pub(crate) use plan::Plan;
pub(crate) use point_to_use::point_to_use;
pub(crate) use rule::{Opening, Opens, Proposal, Rule, Says, Switch};
pub(crate) use rules::DEFAULT;
pub use settings::{Failures, PolicySettings};
pub use trial::{Aim, Bought, Outcome, Trial};
pub(crate) use view::{Purse, View};

use guessed::{AROUND, GUESS};
use information::Scope;

/// An ordered list of rules.
pub(crate) struct Policy {
    /// before the model is used
    pub openings: &'static [&'static Opening],
    /// with the model; after the last of them comes information
    pub rules: &'static [&'static Rule],
}

/// What the openings came to.
pub(crate) enum Opened {
    /// it is the model's turn
    ByModel,
    /// this trial, or none if everything is taken
    Decided(Option<Proposal>),
}

impl Policy {
    /// What is to be done without a model. What somebody guessed comes first, whatever the method.
    pub(crate) fn open(&self, view: &View<'_>) -> Result<Opened> {
        for opening in [&GUESS].iter().chain(self.openings).chain([&&AROUND]) {
            if let Opens::Trial(found) = (opening.says)(view)? {
                let named = (opening.aim, opening.reason);
                return Ok(Opened::Decided(found.map(|place| Proposal::bare(place, named))));
            }
        }
        Ok(Opened::ByModel)
    }

    /// What the first rule that speaks proposes, or else information; `None` if everything is taken.
    pub(crate) fn choose(&self, view: &View<'_>, fitted: &Fitted) -> Result<Option<Proposal>> {
        let mut scope = Scope::default();
        for &rule in self.rules.iter().filter(|rule| view.settings.has(rule.name)) {
            match (rule.says)(view, fitted)? {
                Says::Nothing => {}
                Says::Trial(point, level)
                    if !view.may_ask(fitted, &view.space().coordinates(&point)?, level)? => {}
                Says::Visit(place) if !view.may_ask(fitted, &place, view.top())? => {}
                Says::Trial(point, level) => {
                    let proposal = Proposal::bare((point, level), (rule.aim, rule.reason));
                    return Ok(Some(Proposal { notes: fitted.notes(), ..proposal }));
                }
                Says::Visit(place) => {
                    return information::visit(view, fitted, &place, rule).map(Some);
                }
                Says::LeaveOut(basin) => scope.left_out = Some((basin, rule)),
                Says::Levels(levels) => scope.levels = Some((levels, rule)),
            }
        }
        information::most_informative(view, fitted, &scope)
    }

    /// A look around, since the model could not be used.
    pub(crate) fn without_model(view: &View<'_>, error: &Error) -> Result<Option<Proposal>> {
        let named = ("fallback", "A look around, since the model failed");
        let found = openings::quasi_random(view, &openings::blind(view, view.costs()))?;
        let notes = vec![Note::FellBack(error.to_string())];
        Ok(found.map(|place| Proposal { notes, ..Proposal::bare(place, named) }))
    }
}
