//! Events: what changes, as it changes, whoever changes it (server-sent events).

use super::{Path, Query, Shared, enter};
use crate::access::Visitor;
use crate::office::{Office, Room, blocking};
use crate::problem::{Problem, Problems};
use crate::tokens::Scope;
use crate::view::{Summary, Task, Trial};
use axum::Extension;
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::{IntoParams, ToSchema};

/// Events that wait for a client which reads slowly; it catches up with one event later.
const AHEAD: usize = 4;

/// A stream of events.
type Stream = Sse<axum::response::sse::KeepAliveStream<ReceiverStream<Result<Event, Infallible>>>>;

fn stream(receiver: mpsc::Receiver<Result<Event, Infallible>>) -> Stream {
    Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default())
}

/// From where on.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct EventsQuery {
    /// the number of the last change that is known; by default only what is new is told
    #[param(minimum = 0)]
    since: Option<i64>,
}

/// What changed in a campaign since the event before. The event's id is the number of the change.
#[derive(Debug, Serialize, ToSchema)]
pub struct Changed {
    /// how far the campaign is
    pub campaign: Summary,
    /// all its tasks
    pub tasks: Vec<Task>,
    /// trials that are new or were answered
    pub trials: Vec<Trial>,
}

/// What changes in a campaign, as it changes: events `changed`. A client that was cut off goes on where
/// it was by the header `Last-Event-ID`.
#[utoipa::path(get, operation_id = "campaign_events", path = "/api/campaigns/{campaign}/events", tag = "events",
    params(("campaign" = String, Path, description = "its name"), EventsQuery),
    responses((status = 200, description = "as asked for", content_type = "text/event-stream", body = Changed), Problems))]
pub async fn of_campaign(
    office: Shared,
    Extension(visitor): Extension<Visitor>,
    Path(campaign): Path<String>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Stream, Problem> {
    let room = enter(&office, campaign, "listen").await?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let known: Option<i64> = last.or(query.since);
    let (sender, receiver) = mpsc::channel(AHEAD);
    tokio::spawn(follow(office.0, room, known, (visitor, sender)));
    Ok(stream(receiver))
}

async fn follow(
    office: Arc<Office>,
    room: Arc<Room>,
    mut known: Option<i64>,
    (visitor, sender): (Visitor, mpsc::Sender<Result<Event, Infallible>>),
) {
    let mut numbers = office.watch.listen();
    let mut closing = office.closing.subscribe();
    loop {
        if office.access.allows(&visitor, Scope::Read, Some(&room.name)).is_err() {
            return; // not any more
        }
        let (office, room) = (Arc::clone(&office), Arc::clone(&room));
        let changed = blocking(move || changed(&office, &room, known)).await;
        // A store that cannot be reached now may be later.
        if let Ok((number, event)) = changed {
            known = Some(number);
            if let Some(event) = event
                && sender.send(Ok(event)).await.is_err()
            {
                return;
            }
        }
        tokio::select! {
            changed = numbers.changed() => if changed.is_err() { return },
            _ = closing.wait_for(|closing| *closing) => return,
            () = sender.closed() => return,
        }
    }
}

/// What changed since a change, and the number of the last one.
fn changed(
    office: &Office,
    room: &Room,
    known: Option<i64>,
) -> Result<(i64, Option<Event>), Problem> {
    let records = room.records(office, "listen")?;
    let number = records.campaign.change;
    if known.is_some_and(|known| known >= number) {
        return Ok((number, None));
    }
    let new = records.trials.iter().flatten();
    let new = new.filter(|record| known.is_some_and(|known| record.change > known));
    let changed = Changed {
        campaign: Summary::new(&records),
        tasks: Task::all(&records),
        trials: new.map(|record| Trial::new(record, &records)).collect(),
    };
    let event = Event::default().event("changed").id(number.to_string()).json_data(changed);
    Ok((number, event.ok()))
}

/// The number of each campaign's last change.
#[derive(Debug, Serialize, ToSchema)]
pub struct Numbers {
    /// by name
    pub campaigns: std::collections::BTreeMap<String, i64>,
}

/// That campaigns change: events `numbers` with the number of each campaign's last change.
#[utoipa::path(get, operation_id = "events", path = "/api/events", tag = "events",
    responses((status = 200, description = "as asked for", content_type = "text/event-stream", body = Numbers), Problems))]
pub async fn of_all(office: Shared, Extension(visitor): Extension<Visitor>) -> Stream {
    let (sender, receiver) = mpsc::channel(AHEAD);
    let mut numbers = office.watch.listen();
    let mut closing = office.closing.subscribe();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                changed = numbers.changed() => if changed.is_err() { return },
                _ = closing.wait_for(|closing| *closing) => return,
                () = sender.closed() => return,
            }
            let sees =
                |name: Option<&str>| office.access.allows(&visitor, Scope::Read, name).is_ok();
            if !sees(None) {
                return; // not any more
            }
            let mut campaigns = (**numbers.borrow_and_update()).clone();
            campaigns.retain(|name, _| sees(Some(name)));
            let event = Event::default().event("numbers").json_data(Numbers { campaigns });
            let Ok(event) = event else { continue };
            if sender.send(Ok(event)).await.is_err() {
                return;
            }
        }
    });
    stream(receiver)
}
