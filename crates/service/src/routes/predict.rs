//! Predictions: the point to use for a task that has had no trial, from its description.

use super::{Answer, Json, Path, Query, Shared, described, enter};
use crate::office::blocking;
use crate::prediction::Prediction;
use crate::problem::{Problem, Problems};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

const ATTEMPTED: &str = "predict";
/// Values along a curve, unless the client says otherwise.
const POINTS: u32 = 11;
/// More take too long for somebody who looks.
const MOST_POINTS: u32 = 101;

/// Which task is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct PredictQuery {
    /// what is said of the task as a JSON object, such as `{"reynolds": 3e6}`; what is missing is as in
    /// earlier tasks
    describe: Option<String>,
    /// also the best point and value over the values of this descriptor
    over: Option<String>,
    /// how many values of it; by default 11
    #[param(minimum = 2, maximum = 101)]
    points: Option<u32>,
}

/// The point to use for a task that has had no trial, from its description, and which descriptors
/// matter. Nothing is evaluated.
#[utoipa::path(get, operation_id = "predict", path = "/api/campaigns/{campaign}/predict", tag = "model",
    params(("campaign" = String, Path, description = "its name"), PredictQuery),
    responses((status = 200, description = "as asked for", body = Prediction), Problems))]
pub async fn predict(
    office: Shared,
    Path(campaign): Path<String>,
    Query(query): Query<PredictQuery>,
) -> Answer<Prediction> {
    let describe = described(query.describe.as_deref(), "describe", ATTEMPTED)?;
    let points = query.points.unwrap_or(POINTS);
    if !(2..=MOST_POINTS).contains(&points) {
        let reason = format!("`points` is {points}, not 2 to {MOST_POINTS}");
        return Err(Problem::unusable(ATTEMPTED, reason));
    }
    let room = enter(&office, campaign, ATTEMPTED).await?;
    let bench = Arc::clone(&office.benches).acquire_owned().await;
    blocking(move || {
        let _bench = bench;
        let records = room.records(&office, ATTEMPTED)?.clone();
        if records.spec.descriptors.is_empty() {
            return Err(Problem::conflict(ATTEMPTED, "tasks of this campaign are not described")
                .hint("`descriptors` of a campaign says what is known of tasks, `describe` of a task says it"));
        }
        let over = query.over.as_deref().map(|descriptor| (descriptor, points));
        let predicted = Prediction::new(&records, &describe, over);
        predicted.map(Json).map_err(|error| Problem::of(ATTEMPTED, &error))
    })
    .await
}
