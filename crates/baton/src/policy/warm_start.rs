//! The rival that only tries the recommended points of earlier tasks first.

use super::rule::{Opening, Opens};
use super::view::View;
use crate::error::Result;

pub(crate) const WARM_START: Opening =
    Opening { aim: "warm_start", reason: "Where earlier tasks had their best", says };

/// At most this share of the budget.
const SHARE: f64 = 0.2;

/// The newest point of an earlier task that was not tried yet, at the highest fidelity.
fn says(view: &View<'_>) -> Result<Opens> {
    let Some(cost) = view.top_cost() else { return Ok(Opens::Nothing) };
    let so_far = view.of_aims(&[WARM_START.aim]).count();
    if (so_far as f64 + 1.0) * cost > SHARE * view.purse.budget {
        return Ok(Opens::Nothing);
    }
    for coordinates in view.frame.knowledge.incumbents().iter().rev() {
        let point = view.space().point(coordinates)?;
        if !view.was_at(&point, view.top()) {
            return Ok(Opens::Trial(Some((point, view.top()))));
        }
    }
    Ok(Opens::Nothing)
}
