//! Which campaign a command is about.

use crate::failure::Failure;
use crate::file::{CampaignFile, Purpose};
use baton_runner::{Desk, Records, RunnerError, Spec};
use baton_store::{Store, StoreError};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A campaign as the user names it.
#[derive(Args, Debug, Clone, Default)]
pub struct Target {
    /// A campaign file, or with --store a campaign's name; by default the only campaign file here.
    pub campaign: Option<String>,
    /// Address of the store, such as `sqlite:FILE.db` or `postgres://USER@HOST/DATABASE`.
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
}

/// A campaign that can be opened.
#[derive(Debug)]
pub struct Found {
    /// its name
    pub name: String,
    /// where its records are
    pub store: String,
    /// its file, where there is one
    pub file: Option<CampaignFile>,
}

impl Target {
    /// Finds out which campaign is meant.
    pub fn find(&self) -> Result<Found, Failure> {
        self.find_to(Purpose::Look)
    }

    /// The same, where the campaign's file must have all that is needed.
    pub fn find_to(&self, purpose: Purpose) -> Result<Found, Failure> {
        let is_file = |name: &String| {
            let path = Path::new(name);
            path.is_file() || path.extension().is_some_and(|extension| extension == "toml")
        };
        match (&self.campaign, &self.store) {
            (Some(name), Some(store)) if !is_file(name) => {
                Ok(Found { name: name.clone(), store: store.clone(), file: None })
            }
            (Some(path), store) => Self::of_file(Path::new(path), store.as_ref(), purpose),
            (None, Some(store)) => Self::only_one_of(store),
            (None, None) => Self::of_file(&only_file()?, None, purpose),
        }
    }

    /// The store that is meant: by its address, or that of the only campaign file here.
    pub fn store_of(url: Option<&String>) -> Result<String, Failure> {
        if let Some(url) = url {
            return Ok(url.clone());
        }
        let hint = "--store URL names a store; without it, it is that of the campaign file here";
        let file = only_file().map_err(|failure| failure.hint(hint))?;
        Ok(CampaignFile::read(&file)?.store)
    }

    fn of_file(path: &Path, store: Option<&String>, purpose: Purpose) -> Result<Found, Failure> {
        let file = CampaignFile::read_to(purpose, path)?;
        let store = store.cloned().unwrap_or_else(|| file.store.clone());
        Ok(Found { name: file.name.clone(), store, file: Some(file) })
    }

    fn only_one_of(url: &str) -> Result<Found, Failure> {
        let refuse = |error: StoreError| refused(&error.into());
        let store = existing(url)?;
        let (all, active) = (store.campaigns().map_err(refuse)?, store.active().map_err(refuse)?);
        match active.as_slice() {
            [name] => Ok(Found { name: name.clone(), store: url.to_owned(), file: None }),
            [] if all.is_empty() => Err(Failure::new("find the campaign", "the store has none")),
            [] => Err(Failure::new("find the campaign", "all of the store are archived")
                .hint(format!("name one of {}", all.join(", ")))),
            _ => Err(Failure::new("find the campaign", format!("the store has {}", active.len()))
                .hint(format!("name one of {}", active.join(", ")))),
        }
    }
}

impl Found {
    /// Opens the campaign to work on it; that of a file is made if it is missing.
    pub fn desk(&self) -> Result<Desk, Failure> {
        let Some(file) = &self.file else { return self.existing() };
        let desk = Desk::create(open(&self.store)?, &self.name, &file.spec);
        let desk = desk.map_err(|error| refused_on(&self.name, &error))?;
        warn_of_lower_budgets(&file.spec, desk.records());
        Ok(desk)
    }

    /// Opens the campaign to look at it; nothing is made.
    pub fn existing(&self) -> Result<Desk, Failure> {
        let store = existing(&self.store)?;
        Desk::open(Arc::clone(&store), &self.name).map_err(|error| {
            let failure = refused_on(&self.name, &error);
            match (&error, store.campaigns()) {
                (RunnerError::Store(StoreError::NoCampaign { .. }), Ok(known))
                    if !known.is_empty() =>
                {
                    failure.hint(format!("the store has {}", known.join(", ")))
                }
                _ => failure,
            }
        })
    }
}

/// The budget of a task that has begun is only raised.
fn warn_of_lower_budgets(wanted: &Spec, records: &Records) {
    for task in &records.tasks {
        let plan = wanted.tasks.iter().find(|plan| plan.name == task.name);
        if let Some(plan) = plan.filter(|plan| plan.budget < task.budget) {
            err!(
                "warning: the budget {} of the task {:?} is ignored: it is {} with a budget of {}, \
                 and the budget of a task that has begun is only raised",
                plan.budget,
                task.name,
                task.state.name(),
                task.budget
            );
        }
    }
}

/// Opens a store that is there; none is made.
pub fn existing(url: &str) -> Result<Arc<Store>, Failure> {
    Store::open_existing(url).map(Arc::new).map_err(|error| refused(&RunnerError::from(error)))
}

fn open(url: &str) -> Result<Arc<Store>, Failure> {
    Store::open(url).map(Arc::new).map_err(|error| refused(&RunnerError::from(error)))
}

fn refused(error: &RunnerError) -> Failure {
    Failure::on_campaign("open the store", error)
}

fn refused_on(name: &str, error: &RunnerError) -> Failure {
    Failure::on_campaign(format!("open the campaign {name:?}"), error)
}

/// The only file of this folder that looks like a campaign.
fn only_file() -> Result<PathBuf, Failure> {
    let looks_like_one = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().any(|line| line.trim() == "[[task]]" || line.trim() == "[objective]")
    };
    let entries = std::fs::read_dir(".").into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .filter(looks_like_one)
        .map(|path| path.strip_prefix(".").map_or(path.clone(), Path::to_owned))
        .collect();
    files.sort();
    let failure = |reason: &str| Failure::new("find the campaign file", reason);
    match files.len() {
        1 => Ok(files.remove(0)),
        0 => Err(failure("there is none in this folder").hint("`baton init` writes one")),
        _ => {
            let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
            Err(failure("there are several in this folder")
                .hint(format!("name one of {}", names.join(", "))))
        }
    }
}
