//! `baton store`: a whole store to a file and back. `baton campaign archive --to` and `restore --from`:
//! the same for one campaign.
//!
//! A file is written whole or not at all, read back and compared before anything rests on it.

use super::show::counted;
use super::target::{Target, existing};
use crate::Outcome;
use crate::failure::Failure;
use crate::written::write_whole;
use baton_runner::RunnerError;
use baton_store::{Backup, Store, StoreError, without_password};
use clap::{Args, Subcommand};
use serde_json::json;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// What is to be done with a store.
#[derive(Subcommand)]
pub enum What {
    /// Write all of it to a file, also while others work with it.
    Backup(Call),
    /// Fill an empty store, of either kind, from such a file.
    Restore(Call),
}

/// Which store and which file.
#[derive(Args)]
pub struct Call {
    /// The file; `-` is standard output, or input.
    file: PathBuf,
    /// Address of the store; by default that of the only campaign file here.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn run(what: &What) -> Result<Outcome, Failure> {
    let (call, done) = match what {
        What::Backup(call) => (call, "written to"),
        What::Restore(call) => (call, "restored from"),
    };
    let url = Target::store_of(call.store.as_ref())?;
    let backup = match what {
        What::Backup(_) => {
            let attempted = format!("back up {}", without_password(&url));
            let backup = existing(&url)?.back_up(None);
            let backup = backup.map_err(|error| refused(&attempted, error))?;
            write(&call.file, &backup)?;
            backup
        }
        What::Restore(_) => {
            let backup = read(&call.file)?;
            let hint = "nothing was changed; --store with the name of a new file makes a new store";
            put_back(&url, &backup, true, hint)?;
            backup
        }
    };
    let [_, tasks, trials] = backup.counts();
    let file = call.file.display().to_string();
    let told = if call.json {
        let (store, names) = (without_password(&url), backup.names());
        json!({ "file": file, "store": store, "written": backup.written(), "campaigns": names,
                "tasks": tasks, "trials": trials })
        .to_string()
    } else {
        format!("{} {done} {file}", contents(&backup))
    };
    tell(&call.file, &told);
    Ok(Outcome::Done)
}

/// Writes one campaign to a file, and takes it out of the store if that is wanted.
pub fn archive(target: &Target, file: &Path, remove: bool) -> Result<(), Failure> {
    let found = target.find()?;
    let store = existing(&found.store)?;
    let attempted = format!("archive the campaign {:?}", found.name);
    if remove && (is_stream(file) || (file.exists() && !file.is_file())) {
        return Err(Failure::new(attempted, format!("{} cannot be read back", file.display()))
            .hint("--remove needs a file"));
    }
    let backup = store.back_up(Some(&found.name));
    let backup = backup.map_err(|error| refused(&attempted, error))?;
    write(file, &backup)?;
    let (name, contents, path) = (&found.name, contents(&backup), file.display());
    tell(file, &format!("{name:?} ({contents}) is written to {path}"));
    if remove {
        store.remove(&backup).map_err(|error| match error {
            StoreError::Stale => Failure::new(
                format!("take {name:?} out of the store"),
                "it changed in the meantime",
            )
            .hint(
                "it is still there, and the file has it as it was; let no one work on it, \
                           and archive it to another file",
            ),
            error => refused(&format!("take {name:?} out of the store"), error),
        })?;
        out!("{name:?} is out of the store");
    }
    Ok(())
}

/// Brings back one campaign of a file: the one that is named, or the only one.
pub fn bring_back(target: &Target, file: &Path) -> Result<(), Failure> {
    let backup = read(file)?;
    let (url, name) = if target.campaign.is_some() {
        let found = target.find()?;
        (found.store, found.name)
    } else {
        let [name] = backup.names()[..] else {
            let count = backup.names().len();
            return Err(Failure::on_file("restore", file, format!("it has {count} campaigns"))
                .hint(format!("name one of {}", backup.names().join(", "))));
        };
        (Target::store_of(target.store.as_ref())?, name.to_owned())
    };
    let backup = backup.only(&name).map_err(|error| Failure::on_file("restore", file, error))?;
    let hint = "`baton campaign rename` gives the one that is there another name";
    let store = put_back(&url, &backup, false, hint)?;
    store.archive(&name, false).map_err(|error| refused(&format!("take up {name:?}"), error))?;
    out!("{name:?} ({}) is back", contents(&backup));
    Ok(())
}

/// What a backup has, in words.
fn contents(backup: &Backup) -> String {
    let [campaigns, tasks, trials] = backup.counts();
    let (tasks, trials) = (counted(tasks, "task"), counted(trials, "trial"));
    format!("{}, {tasks}, {trials}", counted(campaigns, "campaign"))
}

/// Whether a file is standard output, or input.
fn is_stream(file: &Path) -> bool {
    file == Path::new("-")
}

/// Says what was done, where it does not get into what was written.
fn tell(file: &Path, told: &str) {
    if is_stream(file) {
        err!("{told}");
    } else {
        out!("{told}");
    }
}

/// Writes a file that is not there yet, and reads it back.
fn write(file: &Path, backup: &Backup) -> Result<(), Failure> {
    let refuse = |reason: String| Failure::on_file("write", file, reason);
    if file.is_file() {
        return Err(refuse("it is there already".to_owned()).hint("give it another name"));
    }
    let text = backup.to_text().map_err(|error| refuse(error.to_string()))?;
    if is_stream(file) {
        let written = std::io::stdout().write_all(text.as_bytes());
        return written.map_err(|error| refuse(error.to_string()));
    }
    write_whole(file, &text).map_err(|error| refuse(error.to_string()))?;
    // A pipe or a terminal cannot be read back.
    if file.is_file() && read(file)? != *backup {
        return Err(refuse("what is read back is not what was written".to_owned())
            .hint("is the disk sound?"));
    }
    Ok(())
}

fn read(file: &Path) -> Result<Backup, Failure> {
    let refuse = |reason: String| Failure::on_file("read", file, reason);
    let read = if is_stream(file) {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(file)
    };
    let text = String::from_utf8(read.map_err(|error| refuse(error.to_string()))?);
    let text = text.map_err(|_| refuse("it is no text: no backup of Baton, or damaged".into()))?;
    Backup::parse(&text).map_err(|error| {
        let failure = refuse(error.to_string());
        match error {
            StoreError::Damaged { .. } => failure.hint("nothing was changed; take another backup"),
            _ => failure
                .hint("`baton store backup` and `baton campaign archive --to` write such files"),
        }
    })
}

fn put_back(url: &str, backup: &Backup, empty: bool, hint: &str) -> Result<Store, Failure> {
    let attempted = format!("restore into {}", without_password(url));
    let store = Store::open(url).map_err(|error| refused(&attempted, error))?;
    match store.put_back(backup, empty) {
        Ok(()) => Ok(store),
        Err(error @ StoreError::Refused { .. }) => Err(refused(&attempted, error).hint(hint)),
        Err(error) => Err(refused(&attempted, error)),
    }
}

fn refused(attempted: &str, error: StoreError) -> Failure {
    Failure::on_campaign(attempted, &RunnerError::from(error))
}
