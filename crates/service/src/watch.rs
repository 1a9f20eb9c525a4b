//! That something changed, whoever changed it: this service, a worker, another program.
//!
//! One question to the store tells the numbers of all campaigns' last changes. It is asked a few times
//! a second while anybody listens, and at once after a change made here.

use baton_store::Store;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// How long a change made elsewhere may stay unnoticed.
const PERIOD: Duration = Duration::from_millis(250);
/// Changes made here are gathered for so long, lest every one be told on its own.
const GATHER: Duration = Duration::from_millis(30);

/// Numbers of last changes by campaign.
pub type Numbers = Arc<BTreeMap<String, i64>>;

/// Where changes are heard of.
#[derive(Debug)]
pub struct Watch {
    numbers: watch::Sender<Numbers>,
    changed: Notify,
}

impl Default for Watch {
    fn default() -> Self {
        Self { numbers: watch::Sender::new(Numbers::default()), changed: Notify::new() }
    }
}

impl Watch {
    /// Hears of changes from now on.
    pub fn listen(&self) -> watch::Receiver<Numbers> {
        self.changed.notify_one();
        self.numbers.subscribe()
    }

    /// How many listen.
    pub fn listeners(&self) -> usize {
        self.numbers.receiver_count()
    }

    /// Something was changed here.
    pub fn notice(&self) {
        self.changed.notify_one();
    }

    /// Looks for changes, for as long as the service lives.
    pub async fn run(self: Arc<Self>, store: Arc<Store>) {
        loop {
            // Nobody listens: nothing to look for until somebody comes.
            if self.listeners() == 0 {
                self.changed.notified().await;
            } else {
                let _ = tokio::time::timeout(PERIOD, self.changed.notified()).await;
                tokio::time::sleep(GATHER).await;
            }
            let store = Arc::clone(&store);
            let numbers = tokio::task::spawn_blocking(move || store.numbers()).await;
            // A store that cannot be reached is told to those who call, and looked at again.
            let Ok(Ok(numbers)) = numbers else { continue };
            let numbers: Numbers = Arc::new(numbers.into_iter().collect());
            self.numbers.send_if_modified(|known| {
                let differs = *known != numbers;
                *known = numbers;
                differs
            });
        }
    }
}
