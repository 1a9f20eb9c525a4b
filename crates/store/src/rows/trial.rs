//! Rows of trials: appended, answered, read, checked and sealed.

use crate::database::{Cell, Row, Transaction};
use crate::error::{Result, StoreError};
use crate::record::{Answer, Lease, Report, TrialRecord};
use crate::seal;
use baton::{Measured, Outcome, Trial};

/// Which task of which campaign is changed, and the number of the change.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub campaign: &'a str,
    pub task: u32,
    pub change: i64,
}

/// Keeps the answer to a trial.
pub(crate) fn write_outcome(
    transaction: &mut Transaction<'_>,
    place: Place<'_>,
    report: &Report<'_>,
) -> Result<()> {
    let (_, told) = counts(transaction, place)?;
    let (state, measured, order, reason, uncharge) = match &report.answer {
        Answer::Value(measured) => ("told", Some(measured), Some(told), None, false),
        Answer::Failure { reason, charged } => {
            ("failed", None, None, Some(reason.as_str()), !charged)
        }
    };
    transaction.run(
        "UPDATE baton_trial
         SET state = $4, value = $5, place = $6, reason = $7, attempts = $8, log = $9, change = $10,
             charged = charged * $11, holder = coalesce($12, holder), expires = NULL,
             answered = {now}, noise = $13, paid = $14, constraints = $15
         WHERE campaign = $1 AND task = $2 AND number = $3",
        &[
            place.campaign.into(),
            place.task.into(),
            Cell::Integer(report.trial.try_into().unwrap_or(i64::MAX)),
            state.into(),
            measured.map(|measured| unsigned_zero(measured.value)).into(),
            order.into(),
            reason.into(),
            report.attempts.into(),
            report.log.into(),
            place.change.into(),
            i64::from(!uncharge).into(),
            report.holder.into(),
            measured.and_then(|measured| measured.noise).map(unsigned_zero).into(),
            measured.and_then(|measured| measured.cost).map(unsigned_zero).into(),
            written(measured.map(|measured| &measured.constraints))?.as_deref().into(),
        ],
    )?;
    seal(transaction, place, Cell::Integer(report.trial.try_into().unwrap_or(i64::MAX)))
}

/// What was measured of constrained quantities, as text; nothing if nothing was.
fn written(measured: Option<&Measured>) -> Result<Option<String>> {
    let Some(measured) = measured.filter(|measured| !measured.is_empty()) else { return Ok(None) };
    let text = serde_json::to_string(measured);
    text.map(Some).map_err(|error| StoreError::refused(format!("constraints: {error}")))
}

/// SQLite drops the sign of a zero; then nobody has it.
fn unsigned_zero(value: f64) -> f64 {
    value + 0.0
}

/// Seals a trial's record as it is now.
fn seal(transaction: &mut Transaction<'_>, place: Place<'_>, number: Cell) -> Result<()> {
    seal::TRIAL.seal(transaction, &[place.campaign.into(), place.task.into(), number])
}

/// How many trials the task has, and how many of them were told.
fn counts(transaction: &mut Transaction<'_>, place: Place<'_>) -> Result<(i64, i64)> {
    let row = transaction.row(
        "SELECT count(*), count(place) FROM baton_trial WHERE campaign = $1 AND task = $2",
        &[place.campaign.into(), place.task.into()],
    )?;
    row.map_or(Ok((0, 0)), |mut row| Ok((row.integer()?, row.integer()?)))
}

/// Adds trials whose numbers continue those that are there.
pub(crate) fn insert(
    transaction: &mut Transaction<'_>,
    place: Place<'_>,
    trials: &[Trial],
    lease: Option<Lease<'_>>,
    request: Option<&str>,
) -> Result<Vec<TrialRecord>> {
    let (mut next, mut next_told) = counts(transaction, place)?;
    let mut records = Vec::new();
    for trial in trials {
        let (value, order) = match trial.outcome {
            Outcome::Pending => (None, None),
            Outcome::Told { value, order } => {
                (Some(unsigned_zero(value)), i64::try_from(order).ok())
            }
            Outcome::Failed { .. } => return Err(StoreError::refused("a new trial has failed")),
        };
        if i64::try_from(trial.id) != Ok(next) || order.is_some_and(|order| order != next_told) {
            return Err(StoreError::Stale);
        }
        next += 1;
        next_told += i64::from(order.is_some());
        // What was asked for never changes; the outcome has columns of its own.
        let constraints = Measured::new();
        let asked_for = Trial { outcome: Outcome::Pending, constraints, ..trial.clone() };
        let text = serde_json::to_string(&asked_for)
            .map_err(|error| StoreError::refused(format!("trial {}: {error}", trial.id)))?;
        transaction.run(
            "INSERT INTO baton_trial (campaign, task, number, asked_for, state, value, place,
                 charged, holder, expires, lost, attempts, log, asked, answered, request, change,
                 noise, paid, constraints)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {now} + $10, 0, 0, '', {now},
                     CASE WHEN $5 = 'told' THEN {now} END, $11, $12, $13, $14, $15)",
            &[
                place.campaign.into(),
                place.task.into(),
                number(trial),
                text.as_str().into(),
                if value.is_some() { "told" } else { "pending" }.into(),
                value.into(),
                order.into(),
                i64::from(trial.charged).into(),
                lease.map(|lease| lease.holder).into(),
                lease.and_then(|lease| lease.seconds).into(),
                request.into(),
                place.change.into(),
                trial.noise.map(unsigned_zero).into(),
                trial.paid.map(unsigned_zero).into(),
                written(Some(&trial.constraints))?.as_deref().into(),
            ],
        )?;
        seal(transaction, place, number(trial))?;
        records.extend(find(transaction, place, trial.id)?);
    }
    Ok(records)
}

/// Makes a pending trial a failed one, with the reason and the charge it has in `trial`.
pub(crate) fn give_up(
    transaction: &mut Transaction<'_>,
    place: Place<'_>,
    trial: &Trial,
    reason: &str,
) -> Result<()> {
    let Some(found) = find(transaction, place, trial.id)? else { return Ok(()) };
    if !found.trial.is_pending() {
        return Ok(());
    }
    let answer = Answer::Failure { reason: reason.to_owned(), charged: trial.charged };
    let Place { task, .. } = place;
    let report = Report { task, trial: trial.id, holder: None, answer, attempts: 0, log: "" };
    write_outcome(transaction, place, &report)
}

/// The last change of a task's trials.
pub(crate) fn last_change(
    transaction: &mut Transaction<'_>,
    campaign: &str,
    task: u32,
) -> Result<i64> {
    let row = transaction.row(
        "SELECT coalesce(max(change), 0) FROM baton_trial WHERE campaign = $1 AND task = $2",
        &[campaign.into(), task.into()],
    )?;
    row.map_or(Ok(0), |mut row| row.integer())
}

/// What is read besides what is sealed.
pub(crate) const UNSEALED: &str =
    "holder, expires, lost, attempts, log, asked, answered, attributes, change";

/// The trials that changed since a change.
pub(crate) fn changed(
    transaction: &mut Transaction<'_>,
    campaign: &str,
    since: i64,
) -> Result<Vec<TrialRecord>> {
    let selected = seal::TRIAL.selected();
    let statement = format!(
        "SELECT {selected}, {UNSEALED} FROM baton_trial WHERE campaign = $1 AND change > $2
         ORDER BY task, number"
    );
    let rows = transaction.rows(&statement, &[campaign.into(), since.into()])?;
    rows.into_iter().map(record).collect()
}

/// What a request was given before, if it was.
pub(crate) fn served_before(
    transaction: &mut Transaction<'_>,
    campaign: &str,
    request: &str,
) -> Result<Option<Vec<TrialRecord>>> {
    let selected = seal::TRIAL.selected();
    let statement = format!(
        "SELECT {selected}, {UNSEALED} FROM baton_trial WHERE campaign = $1 AND request = $2
         ORDER BY task, number"
    );
    let rows = transaction.rows(&statement, &[campaign.into(), request.into()])?;
    let trials: Vec<TrialRecord> = rows.into_iter().map(record).collect::<Result<_>>()?;
    Ok(Some(trials).filter(|trials| !trials.is_empty()))
}

pub(crate) fn find(
    transaction: &mut Transaction<'_>,
    place: Place<'_>,
    id: usize,
) -> Result<Option<TrialRecord>> {
    let selected = seal::TRIAL.selected();
    let statement = format!(
        "SELECT {selected}, {UNSEALED} FROM baton_trial
         WHERE campaign = $1 AND task = $2 AND number = $3"
    );
    let id = Cell::Integer(id.try_into().unwrap_or(i64::MAX));
    let row = transaction.row(&statement, &[place.campaign.into(), place.task.into(), id])?;
    row.map(record).transpose()
}

pub(crate) fn number(trial: &Trial) -> Cell {
    Cell::Integer(trial.id.try_into().unwrap_or(i64::MAX))
}

pub(crate) fn record(row: Row) -> Result<TrialRecord> {
    let mut row = seal::TRIAL.open(row)?;
    row.text()?; // the campaign
    let task = row.count()?;
    row.integer()?; // the number, which the trial knows itself
    let text = row.text()?;
    let mut trial: Trial = serde_json::from_str(&text).map_err(|error| {
        StoreError::damaged(format!("a trial of task {}", task + 1), error.to_string())
    })?;
    let (state, value, order, reason) =
        (row.text()?, row.optional_real()?, row.optional_integer()?, row.optional_text()?);
    trial.outcome = match (state.as_str(), value, order, reason) {
        ("pending", ..) => Outcome::Pending,
        ("told", Some(value), Some(order), _) => {
            Outcome::Told { value, order: usize::try_from(order).unwrap_or(usize::MAX) }
        }
        ("failed", _, _, Some(reason)) => Outcome::Failed { reason },
        (other, ..) => {
            let what = format!("trial {} of task {}", trial.id, task + 1);
            return Err(StoreError::damaged(what, format!("its state is {other:?}")));
        }
    };
    trial.charged = row.integer()? != 0;
    (trial.noise, trial.paid) = (row.optional_real()?, row.optional_real()?);
    if let Some(text) = row.optional_text()? {
        trial.constraints = serde_json::from_str(&text).map_err(|error| {
            let what = format!("the constraints of trial {} of task {}", trial.id, task + 1);
            StoreError::damaged(what, error.to_string())
        })?;
    }
    Ok(TrialRecord {
        task,
        trial,
        holder: row.optional_text()?,
        expires: row.optional_real()?,
        lost: row.count()?,
        attempts: row.count()?,
        log: row.text()?,
        asked: row.real()?,
        answered: row.optional_real()?,
        attributes: row.optional_text()?,
        change: row.integer()?,
    })
}
