//! The store: its address, its connection, and the transactions that all calls are made in.

use crate::database::{Database, Transaction};
use crate::error::{Result, StoreError};
use crate::postgres::Postgres;
use crate::schema::migrate;
use crate::sqlite::Sqlite;
use crate::watched::{Watched, Watcher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Pauses between attempts to reach a database that was lost: together half a minute, enough for
/// its restart.
const PAUSES: [u64; 9] = [50, 100, 250, 600, 1_000, 3_000, 5_000, 8_000, 12_000];

/// Where the records are.
#[derive(Debug, Clone)]
enum Address {
    File(PathBuf),
    Memory,
    Server(String),
}

/// An open store. Calls from several threads take turns.
pub struct Store {
    address: Address,
    place: String,
    watcher: Option<Arc<Watcher>>,
    connection: Mutex<Option<Box<dyn Database>>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Store").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens `sqlite:FILE`, which is made if it is missing, or `postgres://USER@HOST/DATABASE`, and
    /// brings its tables to the present version. As for SQLAlchemy, `sqlite:///FILE` is a relative
    /// path and `sqlite:////FILE` an absolute one. `@FILE` is the address that the file holds: one with
    /// a password need not stand among the arguments of a program, where others see it.
    ///
    /// # Errors
    /// If the address is not one of these, or what is there cannot be used.
    pub fn open(url: &str) -> Result<Self> {
        Self::open_by(&held(url)?, None)
    }

    /// Opens a store that must be there already.
    ///
    /// # Errors
    /// As [`Store::open`], and [`StoreError::NoStore`] if there is no such file; none is made.
    pub fn open_existing(url: &str) -> Result<Self> {
        let url = held(url)?;
        let place = without_password(&url);
        match address(&url, &place)? {
            Address::File(path) if !path.exists() => Err(StoreError::NoStore { place }),
            _ => Self::open_by(&url, None),
        }
    }

    /// The same with somebody who sees every statement and may let it fail.
    ///
    /// # Errors
    /// As [`Store::open`], and what the watcher says.
    pub fn open_watched(url: &str, watcher: Arc<Watcher>) -> Result<Self> {
        Self::open_by(url, Some(watcher))
    }

    fn open_by(url: &str, watcher: Option<Arc<Watcher>>) -> Result<Self> {
        let place = without_password(url);
        let address = address(url, &place)?;
        let store = Self { address, place, watcher, connection: Mutex::new(None) };
        *store.connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(store.connect()?);
        Ok(store)
    }

    /// A store in memory, gone with this value: empty, or as it was when [`Store::image`] was taken.
    ///
    /// # Errors
    /// If the image cannot be used.
    pub fn in_memory(image: Option<&[u8]>) -> Result<Self> {
        let mut database: Box<dyn Database> = Box::new(Sqlite::in_memory(image)?);
        migrate(database.as_mut())?;
        let (address, place) = (Address::Memory, "memory".to_owned());
        Ok(Self { address, place, watcher: None, connection: Mutex::new(Some(database)) })
    }

    /// All records of a store in memory, as bytes.
    ///
    /// # Errors
    /// If it is kept elsewhere.
    pub fn image(&self) -> Result<Vec<u8>> {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        match (&self.address, slot.as_mut()) {
            (Address::Memory, Some(database)) => database.image(),
            _ => Err(StoreError::refused(format!("{} is not kept in memory", self.place))),
        }
    }

    /// Whether other processes may work with it, too.
    pub fn is_shared(&self) -> bool {
        !matches!(self.address, Address::Memory)
    }

    /// Its address, without a password.
    pub fn place(&self) -> &str {
        &self.place
    }

    fn connect(&self) -> Result<Box<dyn Database>> {
        let mut database: Box<dyn Database> = match &self.address {
            Address::File(path) => Box::new(Sqlite::open(path)?),
            Address::Memory => Box::new(Sqlite::in_memory(None)?),
            Address::Server(url) => Box::new(Postgres::open(url, &self.place)?),
        };
        if let Some(watcher) = &self.watcher {
            database = Box::new(Watched { database, watcher: Arc::clone(watcher) });
        }
        migrate(database.as_mut())?;
        Ok(database)
    }

    /// One consistent view of the records.
    pub(crate) fn read<T>(&self, work: impl Fn(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        self.transact(false, &work)
    }

    /// One change of the records: all of it, or nothing.
    pub(crate) fn write<T>(&self, work: impl Fn(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        self.transact(true, &work)
    }

    /// Does the work in a transaction. A lost connection is made anew and the work done again: all
    /// calls of this crate may be repeated.
    fn transact<T>(
        &self,
        writes: bool,
        work: &dyn Fn(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut slot = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pauses = PAUSES.iter();
        loop {
            // Taken out: if the work fails in an unforeseen way, the connection is not used again.
            let attempt = slot.take().map_or_else(|| self.connect(), Ok).and_then(|database| {
                let (database, result) = attempt(database, writes, work);
                *slot = database;
                result
            });
            match attempt {
                Err(StoreError::Lost { .. } | StoreError::Unreachable { .. }) => {}
                settled => return settled,
            }
            match pauses.next() {
                Some(pause) => std::thread::sleep(Duration::from_millis(*pause)),
                None => return attempt,
            }
        }
    }
}

/// Begins, works, commits. A connection that broke, or that could not be rolled back, is dropped.
fn attempt<T>(
    mut database: Box<dyn Database>,
    writes: bool,
    work: &dyn Fn(&mut Transaction<'_>) -> Result<T>,
) -> (Option<Box<dyn Database>>, Result<T>) {
    let dialect = database.dialect();
    let begun = database.run(if writes { dialect.begin_write } else { dialect.begin_read });
    let result = begun
        .and_then(|()| work(&mut Transaction::new(database.as_mut())))
        .and_then(|value| database.run("COMMIT").map(|()| value));
    match result {
        Err(StoreError::Lost { .. }) => (None, result),
        Err(_) => (database.run("ROLLBACK").is_ok().then_some(database), result),
        Ok(_) => (Some(database), result),
    }
}

/// The address that is meant: what the file holds, if it names one.
fn held(url: &str) -> Result<String> {
    let Some(file) = url.strip_prefix('@') else { return Ok(url.to_owned()) };
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| StoreError::Address {
        place: url.to_owned(),
        reason: format!("the file that holds its address cannot be read: {error}"),
    })?;
    Ok(text.trim().to_owned())
}

fn address(url: &str, place: &str) -> Result<Address> {
    let refuse = |reason: &str| {
        Err(StoreError::Address { place: place.to_owned(), reason: reason.to_owned() })
    };
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(Address::Server(url.to_owned()));
    }
    match url.strip_prefix("sqlite:") {
        Some("" | "///") => refuse("it names no file"),
        Some(path) => {
            let short = path.strip_prefix("///").or(path.strip_prefix("//")).unwrap_or(path);
            let file = PathBuf::from(short);
            // What three slashes meant once: a store there must not seem to be lost.
            let elsewhere = Path::new("/").join(&file);
            if path.starts_with("///") && file.is_relative() && !file.exists() && elsewhere.exists()
            {
                let reason = format!(
                    "three slashes lead to {short}, relative to this folder, where nothing is; \
                     for {} write four",
                    elsewhere.display()
                );
                return refuse(&reason);
            }
            Ok(Address::File(file))
        }
        None => refuse("an address begins with sqlite: or postgres://"),
    }
}

/// `postgres://user:secret@host/db?password=secret` without the secrets, for people to read. What is
/// written wrongly loses rather too much than too little.
pub fn without_password(url: &str) -> String {
    let split = || {
        let (scheme, rest) = url.split_once("://")?;
        // A secret may hold an `@` of its own: the last one ends it.
        let (user, host) = rest.rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        Some(format!("{scheme}://{name}@{host}"))
    };
    let mut shown = split().unwrap_or_else(|| url.to_owned());
    let mut from = 0;
    while let Some(found) = shown[from..].to_ascii_lowercase().find(PASSWORD) {
        from += found + PASSWORD.len();
        let end = shown[from..].find(['&', ' ']).map_or(shown.len(), |end| from + end);
        shown.replace_range(from..end, "…");
    }
    shown
}

/// What a secret comes after, where it is given by name.
const PASSWORD: &str = "password=";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_by_its_scheme_and_shown_without_its_password() {
        let url = "postgres://ada:secret@db.example/x";
        assert_eq!(without_password(url), "postgres://ada@db.example/x");
        assert_eq!(without_password("sqlite:a:b@c.db"), "sqlite:a:b@c.db");
        for url in [
            "postgres://ada:sec@ret:x/y?z@db.example/x?Password=secret&options=1",
            "postgresql://db.example/x?user=ada&password=sec@ret&sslpassword=secret",
            "host=db.example PASSWORD=secret user=ada",
            "postgre://ada:secret@db.example",
        ] {
            let shown = without_password(url);
            assert!(!shown.contains("sec") && !shown.contains("ret"), "{shown}");
            assert!(shown.contains("db.example"), "{shown}");
        }
        for url in ["", "sqlite:", "mysql://x", "file.db"] {
            assert!(matches!(Store::open(url), Err(StoreError::Address { .. })), "{url}");
        }
        let path = |url: &str| match address(url, url).unwrap() {
            Address::File(path) => path.display().to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(path("sqlite:a.db"), "a.db");
        assert_eq!(path("sqlite:/a.db"), "/a.db");
        assert_eq!(path("sqlite:///a.db"), "a.db");
        assert_eq!(path("sqlite:////no/a.db"), "/no/a.db");
        let there = std::env::temp_dir().join(format!("baton-slashes-{}", std::process::id()));
        std::fs::write(&there, "").unwrap();
        let refused = address(&format!("sqlite://{}", there.display()), "").unwrap_err();
        assert!(refused.to_string().contains("write four"), "{refused}");
        std::fs::remove_file(there).unwrap();
        let file = std::env::temp_dir().join(format!("baton-address-{}", std::process::id()));
        std::fs::write(&file, "postgre://ada:secret@db\n").unwrap();
        let refused =
            Store::open_existing(&format!("@{}", file.display())).unwrap_err().to_string();
        assert!(refused.contains("ada@db") && !refused.contains("secret"), "{refused}");
        std::fs::remove_file(file).unwrap();
        assert!(Store::open("@no/such/file").unwrap_err().to_string().contains("cannot be read"));
        let missing = Store::open("sqlite:/no/such/folder/file.db");
        assert!(missing.unwrap_err().to_string().contains("/no/such/folder/file.db"));
    }

    #[test]
    fn a_store_in_memory_is_copied_by_its_image_and_a_file_has_none() {
        let store = Store::in_memory(None).unwrap();
        store.create("radio", "spec").unwrap();
        let copy = Store::in_memory(Some(&store.image().unwrap())).unwrap();
        copy.create("gas", "spec").unwrap();
        assert_eq!(copy.campaigns().unwrap(), ["gas", "radio"]);
        assert_eq!(store.campaigns().unwrap(), ["radio"]);
        assert!(Store::in_memory(Some(b"no image")).is_err());
        let folder = std::env::temp_dir().join(format!("baton-image-{}.db", std::process::id()));
        let file = Store::open(&format!("sqlite:{}", folder.display())).unwrap();
        assert!(file.image().unwrap_err().to_string().contains("not kept in memory"));
        drop(file);
        std::fs::remove_file(folder).unwrap();
    }
}
