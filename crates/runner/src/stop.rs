//! The wish to stop: after what is under way, or at once.

use std::sync::atomic::{AtomicU8, Ordering};

/// Shared between who wishes and who works. Only ever becomes more urgent.
#[derive(Debug, Default)]
pub struct Stop {
    urgency: AtomicU8,
}

impl Stop {
    /// One more wish: the first lets evaluations under way end, the second does not.
    pub fn wish(&self) {
        let _ = self
            .urgency
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |urgency| Some((urgency + 1).min(2)));
    }

    /// Nothing new should begin.
    pub fn wished(&self) -> bool {
        self.urgency.load(Ordering::SeqCst) > 0
    }

    /// What is under way should end now.
    pub fn at_once(&self) -> bool {
        self.urgency.load(Ordering::SeqCst) > 1
    }
}
