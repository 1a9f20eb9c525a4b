//! The office: all campaigns at work, and which lock and connection a call goes through.
//!
//! A campaign has a room with a *desk*, where asks are computed one at a time, *records*, which are
//! read without waiting for an ask, and a *view*, a replayed task for people who look at its model. All
//! writes share one connection and all reads another, so that neither waits for the other's disk.

use crate::access::Access;
use crate::belief::Stage;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::teller::Teller;
use crate::watch::Watch;
use baton_runner::replay::Replay;
use baton_runner::{Desk, Records};
use baton_store::Store;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, watch};

/// Everything a request may need.
pub struct Office {
    /// for asks, changes of tasks, and the teller
    pub writer: Arc<Store>,
    /// for looking
    pub reader: Arc<Store>,
    /// takes in answers
    pub teller: Teller,
    /// hears of changes
    pub watch: Arc<Watch>,
    /// counts what happens
    pub metrics: Metrics,
    /// says who may do what
    pub access: Access,
    /// computations at a time
    pub benches: Arc<Semaphore>,
    /// where what takes seconds is computed for people, one at a time: no ask waits for it
    pub study: Arc<tokio::sync::Mutex<()>>,
    /// other steps at a time: they wait here rather than in the way of answers
    pub counters: Arc<Semaphore>,
    /// becomes true when the service is about to end
    pub closing: watch::Sender<bool>,
    /// whose turn it is to ask the store whether it is there
    pub probe: Arc<tokio::sync::Mutex<()>>,
    rooms: Mutex<HashMap<String, Arc<Room>>>,
}

impl std::fmt::Debug for Office {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Office").field("store", &self.reader.place()).finish_non_exhaustive()
    }
}

/// A task for people who look at its model, and the change of the campaign that it is up to.
pub struct View {
    /// the task's number
    pub number: u32,
    /// the task
    pub replay: Replay,
}

/// A campaign at work.
pub struct Room {
    /// its name
    pub name: String,
    /// asks wait in line, so that a campaign has one at a bench, however many clients ask for it
    pub line: Arc<tokio::sync::Mutex<()>>,
    /// where asks are computed, once one was
    pub desk: Arc<tokio::sync::Mutex<Option<Desk>>>,
    /// the task looked at last
    pub view: Arc<tokio::sync::Mutex<Option<View>>>,
    records: Mutex<Records>,
    stages: Mutex<Stages>,
    insights: Mutex<Insights>,
}

/// What passed from task to task, by its content's hash and the task that began with it.
pub type Stages = HashMap<(u64, Option<String>), Stage>;

/// Insights as they are answered, by the task that was named, and the change of the campaign that each is up to.
#[derive(Debug, Default)]
pub struct Insights(HashMap<Option<String>, (i64, String)>);

impl Insights {
    /// What was computed of these records.
    pub fn of(&self, records: &Records, task: Option<&str>) -> Option<String> {
        let (change, text) = self.0.get(&task.map(str::to_owned))?;
        (*change == records.campaign.change).then(|| text.clone())
    }

    /// Remembers what was computed of them.
    pub fn keep(&mut self, records: &Records, task: Option<&str>, text: String) {
        self.0.insert(task.map(str::to_owned), (records.campaign.change, text));
    }
}

impl Office {
    /// Opens a store for the service.
    ///
    /// # Errors
    /// If the store cannot be used, or there can be no further thread.
    pub fn open(url: &str, access: Access) -> Result<Self, String> {
        let open = || Store::open(url).map(Arc::new).map_err(|error| error.to_string());
        let (writer, reader) = (open()?, open()?);
        let teller = Teller::new(Arc::clone(&writer)).map_err(|error| error.to_string())?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Self {
            writer,
            reader,
            teller,
            watch: Arc::default(),
            metrics: Metrics::default(),
            access,
            benches: Arc::new(Semaphore::new(cores)),
            study: Arc::default(),
            counters: Arc::new(Semaphore::new(2)),
            closing: watch::Sender::new(false),
            probe: Arc::default(),
            rooms: Mutex::default(),
        })
    }

    /// The room of a campaign. Call it on a blocking thread.
    ///
    /// # Errors
    /// If there is no such campaign or its records cannot be understood.
    pub fn room(&self, name: &str, attempted: &str) -> Result<Arc<Room>, Problem> {
        if let Some(room) = locked(&self.rooms).get(name) {
            return Ok(Arc::clone(room));
        }
        let read = Records::read(&self.reader, name);
        let records = Mutex::new(read.map_err(|error| Problem::of(attempted, &error))?);
        let (name, stages, insights) = (name.to_owned(), Mutex::default(), Mutex::default());
        let (line, desk, view) = (Arc::default(), Arc::default(), Arc::default());
        let room =
            Arc::new(Room { name: name.clone(), line, desk, view, records, stages, insights });
        Ok(Arc::clone(locked(&self.rooms).entry(name).or_insert(room)))
    }

    /// Forgets the room of a campaign that is no longer there by that name.
    pub fn leave(&self, name: &str) {
        locked(&self.rooms).remove(name);
    }

    /// Tells those who listen, once something was changed here.
    pub fn noticed<T>(&self, result: T) -> T {
        self.watch.notice();
        result
    }
}

impl Room {
    /// Its records as they were last seen: enough for what never changes again.
    pub fn seen(&self) -> MutexGuard<'_, Records> {
        locked(&self.records)
    }

    /// Stages of knowledge that were computed before.
    pub fn stages(&self) -> MutexGuard<'_, Stages> {
        locked(&self.stages)
    }

    /// Insights that were computed before.
    pub fn insights(&self) -> MutexGuard<'_, Insights> {
        locked(&self.insights)
    }

    /// Its records as they are now. Call it on a blocking thread, and do not keep them for long.
    ///
    /// # Errors
    /// If the store fails.
    pub fn records(
        &self,
        office: &Office,
        attempted: &str,
    ) -> Result<MutexGuard<'_, Records>, Problem> {
        let mut records = locked(&self.records);
        records.refresh(&office.reader).map_err(|error| Problem::of(attempted, &error))?;
        Ok(records)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Records are taken in one by one; a thread that was lost on the way leaves them usable.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does work that waits for the disk or takes long, away from the threads that serve requests.
///
/// # Errors
/// That of the work.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Problem::internal("serve the request", error)),
    }
}
