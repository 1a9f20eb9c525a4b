//! Why a call to the store was not served.

/// Result of the crate's fallible calls.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Why a call was not served. Nothing was changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StoreError {
    /// The address names no store.
    #[error("the store {place:?} cannot be used: {reason}")]
    Address {
        /// the address, without its password
        place: String,
        /// what is wrong
        reason: String,
    },
    /// The database cannot be opened or reached.
    #[error("the store {place} cannot be reached: {reason}")]
    Unreachable {
        /// the address, without its password
        place: String,
        /// what the database said
        reason: String,
    },
    /// There is no such store.
    #[error("there is no store {place}")]
    NoStore {
        /// its address
        place: String,
    },
    /// The store was written by a later version of this program.
    #[error("the store has schema version {found}; this program knows versions up to {known}")]
    Newer {
        /// version of the store
        found: i64,
        /// latest version known here
        known: i64,
    },
    /// There is no such campaign.
    #[error("the store has no campaign {name:?}")]
    NoCampaign {
        /// its name
        name: String,
    },
    /// The records changed since the caller read them.
    #[error("the records changed in the meantime")]
    Stale,
    /// The records do not allow the call.
    #[error("{reason}")]
    Refused {
        /// why
        reason: String,
    },
    /// A record cannot be understood, or the file of all.
    #[error("{what} is damaged: {reason}")]
    Damaged {
        /// which record or file
        what: String,
        /// what is wrong with it
        reason: String,
    },
    /// The connection broke; the store connects again by itself.
    #[error("the connection to the database was lost: {reason}")]
    Lost {
        /// what the database said
        reason: String,
    },
    /// The database refused a statement.
    #[error("the database failed: {reason}")]
    Database {
        /// what it said
        reason: String,
    },
}

impl StoreError {
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into() }
    }

    pub(crate) fn damaged(what: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Damaged { what: format!("the record of {}", what.into()), reason: reason.into() }
    }
}
