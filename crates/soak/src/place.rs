//! Places to work in: folders and stores that go away afterwards.

use baton_store::Store;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

static FRESH: AtomicUsize = AtomicUsize::new(0);

fn fresh_name() -> String {
    format!("baton_soak_{}_{}", std::process::id(), FRESH.fetch_add(1, Ordering::Relaxed))
}

/// Where a PostgreSQL for tests is, if there is one.
pub fn postgres_url() -> Option<String> {
    std::env::var("BATON_TEST_POSTGRES").ok()
}

/// Which database a store is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    /// Those that can be used here.
    pub fn all() -> Vec<Self> {
        let postgres = postgres_url().map(|_| Self::Postgres);
        std::iter::once(Self::Sqlite).chain(postgres).collect()
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// A folder of its own.
#[derive(Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Result<Self, String> {
        let path = std::env::temp_dir().join(fresh_name());
        std::fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<PathBuf, String> {
        let path = self.path(name);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An empty store that can be opened several times.
pub struct Place {
    pub url: String,
    folder: Option<Folder>,
    schema: Option<(String, String)>,
}

impl Place {
    pub fn new(kind: Kind) -> Result<Self, String> {
        match kind {
            Kind::Sqlite => {
                let folder = Folder::new()?;
                let url = file_url(&folder.path("store.db"));
                Ok(Self { url, folder: Some(folder), schema: None })
            }
            Kind::Postgres => {
                let server = postgres_url().ok_or("BATON_TEST_POSTGRES is not set")?;
                Self::in_postgres(&server, &server)
            }
        }
    }

    /// A schema of its own on a server, reached by another address.
    pub fn in_postgres(server: &str, reached_by: &str) -> Result<Self, String> {
        let schema = fresh_name();
        in_database(server, &format!("CREATE SCHEMA {schema}"))?;
        let url = format!("{reached_by}?options=-csearch_path%3D{schema}");
        Ok(Self { url, folder: None, schema: Some((server.to_owned(), schema)) })
    }

    pub fn open(&self) -> Result<Arc<Store>, String> {
        Store::open(&self.url).map(Arc::new).map_err(|error| error.to_string())
    }

    /// The folder of a store that is a file.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(|folder| folder.0.as_path())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((server, schema)) = &self.schema {
            let _ = in_database(server, &format!("DROP SCHEMA {schema} CASCADE"));
        }
    }
}

fn in_database(server: &str, statement: &str) -> Result<(), String> {
    let mut client = postgres::Client::connect(server, postgres::NoTls)
        .map_err(|error| format!("PostgreSQL: {error}"))?;
    client.batch_execute(statement).map_err(|error| format!("{statement}: {error}"))
}

/// The address of a store that is a file.
pub fn file_url(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}
