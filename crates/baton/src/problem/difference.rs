//! What differs between a problem as it was and as it is wanted now, in words.

use super::{Fidelity, Parameter, Space};

/// What differs between two spaces; `None` if nothing does.
pub fn difference_of_spaces(began: &Space, wanted: &Space) -> Option<String> {
    let parameters = difference_of_parameters(began.parameters(), wanted.parameters());
    let (was, is) = (began.forbidden(), wanted.forbidden());
    let gone = was.iter().filter(|line| !is.contains(line));
    let new = is.iter().filter(|line| !was.contains(line));
    let changes = (parameters.into_iter())
        .chain(gone.map(|line| format!("{line} is not forbidden any more")))
        .chain(new.map(|line| format!("{line} is forbidden now")));
    let changes: Vec<String> = changes.collect();
    if changes.is_empty() && was == is {
        return None;
    }
    Some(listed(&changes, "what is forbidden stands in another order"))
}

/// What differs between two lists of parameters or descriptors; `None` if nothing does.
pub fn difference_of_parameters(began: &[Parameter], wanted: &[Parameter]) -> Option<String> {
    if began == wanted {
        return None;
    }
    let find = |all: &[Parameter], name: &str| -> Option<Parameter> {
        all.iter().find(|parameter| parameter.name == name).cloned()
    };
    let mut changes: Vec<String> = Vec::new();
    for before in began {
        let Parameter { name, domain, when, fixed } = before;
        match find(wanted, name) {
            None => changes.push(format!("{name} is missing")),
            Some(now) => {
                if now.domain != *domain {
                    changes.push(format!("{name} is now {}, it was {domain}", now.domain));
                }
                if now.fixed != *fixed {
                    let (now, before) = (fixed_at(&now), fixed_at(before));
                    changes.push(format!("{name} is now {now}, it was {before}"));
                }
                if now.when != *when {
                    let (now, before) = (there(&now), there(before));
                    changes.push(format!("{name} is now there {now}, it was {before}"));
                }
            }
        }
    }
    let added = wanted.iter().filter(|now| find(began, &now.name).is_none());
    changes.extend(added.map(|now| format!("{} was added", now.name)));
    Some(listed(&changes, "they stand in another order"))
}

/// What differs between fidelities; `None` if nothing does. A single one may have any name.
pub fn difference_of_fidelities(began: &[Fidelity], wanted: &[Fidelity]) -> Option<String> {
    let unnamed = |fidelities: &[Fidelity]| match fidelities {
        [only] => vec![Fidelity { name: String::new(), ..only.clone() }],
        _ => fidelities.to_vec(),
    };
    if unnamed(began) == unnamed(wanted) {
        return None;
    }
    let mut changes: Vec<String> = Vec::new();
    for before in began {
        match wanted.iter().find(|now| now.name == before.name) {
            None => changes.push(format!("{} is missing", before.name)),
            Some(now) if now.cost != before.cost => {
                changes.push(format!("{} costs {}, it was {}", now.name, now.cost, before.cost));
            }
            Some(now) if now.noise_variance != before.noise_variance => {
                changes.push(format!("the noise of {} is not what it was", now.name));
            }
            Some(_) => {}
        }
    }
    let known = |now: &&Fidelity| began.iter().any(|before| before.name == now.name);
    changes.extend(
        wanted.iter().filter(|now| !known(now)).map(|now| format!("{} was added", now.name)),
    );
    Some(listed(&changes, "they stand in another order"))
}

/// Whether a parameter is fixed, in words.
fn fixed_at(parameter: &Parameter) -> String {
    parameter.fixed.as_ref().map_or("searched".to_owned(), |value| format!("fixed at {value}"))
}

/// When a parameter is there, in words.
fn there(parameter: &Parameter) -> String {
    parameter.when.as_ref().map_or("always".to_owned(), |when| format!("when {when}"))
}

fn listed(changes: &[String], otherwise: &str) -> String {
    if changes.is_empty() { otherwise.to_owned() } else { changes.join("; ") }
}
