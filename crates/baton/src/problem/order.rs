//! The order in which it can be decided what is there.

use super::condition::Bound;
use super::parameter::Parameter;
use crate::Error;
use crate::error::Result;

/// Parameters, those that others depend on before these; otherwise in their order.
pub(super) fn in_order(parameters: &[Parameter], needs: &[Option<Bound>]) -> Result<Vec<usize>> {
    let mut order: Vec<usize> = Vec::new();
    let ready = |order: &[usize], index: usize| {
        needs[index].iter().flat_map(Bound::speaks_of).all(|parent| order.contains(&parent))
    };
    while order.len() < parameters.len() {
        let mut left = (0..parameters.len()).filter(|index| !order.contains(index));
        match left.find(|index| ready(&order, *index)) {
            Some(next) => order.push(next),
            None => return Err(circle(parameters, needs, &order)),
        }
    }
    Ok(order)
}

/// A parameter that depends on itself, by way of which others.
fn circle(parameters: &[Parameter], needs: &[Option<Bound>], order: &[usize]) -> Error {
    let waits = |index: &usize| {
        let mut parents = needs[*index].iter().flat_map(Bound::speaks_of);
        parents.find(|parent| !order.contains(parent))
    };
    let first = (0..parameters.len()).find(|index| !order.contains(index));
    let mut way: Vec<usize> = first.into_iter().collect();
    while let Some(next) = way.last().and_then(waits) {
        if let Some(begin) = way.iter().position(|known| *known == next) {
            way.drain(..begin);
            break;
        }
        way.push(next);
    }
    let names: Vec<&str> = way.iter().map(|index| parameters[*index].name.as_str()).collect();
    let reason = match names[..] {
        [_] => "whether it is there depends on itself".to_owned(),
        _ => format!("whether it is there depends on itself, by way of {}", names[1..].join(", ")),
    };
    Error::Parameter { name: names.first().copied().unwrap_or_default().to_owned(), reason }
}
