//! `baton campaign`: which campaigns a store has; renaming, archiving, deleting. `baton note`: what
//! people note about tasks and trials.

use super::backup;
use super::show::table;
use super::target::{Target, existing};
use crate::Outcome;
use crate::failure::Failure;
use baton_runner::{Records, RunnerError};
use clap::{Args, Subcommand};
use serde_json::{Map, json};
use std::path::PathBuf;

/// What is to be done with a campaign.
#[derive(Subcommand)]
pub enum What {
    /// The campaigns of a store.
    List {
        /// Address of the store; by default that of the only campaign file here.
        #[arg(long, value_name = "URL")]
        store: Option<String>,
        /// Archived ones, too.
        #[arg(long)]
        all: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Give a campaign another name.
    Rename {
        #[command(flatten)]
        target: Target,
        /// The new name.
        #[arg(long, value_name = "NAME")]
        to: String,
    },
    /// Put a campaign aside: it is no longer listed. Or write all of it to a file.
    Archive {
        #[command(flatten)]
        target: Target,
        /// Write it to a new file instead: all records, what was learned, notes and times.
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        /// Then take it out of the store, once the file has been read back.
        #[arg(long, requires = "to")]
        remove: bool,
    },
    /// Take up a campaign that was archived.
    Restore {
        #[command(flatten)]
        target: Target,
        /// Bring it back from a file of `archive --to`, or from a backup of the whole store.
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Delete a campaign with all its records, for good.
    Delete {
        #[command(flatten)]
        target: Target,
        /// Really.
        #[arg(long)]
        yes: bool,
    },
}

/// Does it.
pub fn run(what: &What) -> Result<Outcome, Failure> {
    match what {
        What::List { store, all, json } => {
            return list(&Target::store_of(store.as_ref())?, *all, *json);
        }
        What::Rename { target, to } => {
            let found = target.find()?;
            let renamed = existing(&found.store)?.rename(&found.name, to);
            renamed.map_err(|error| refused("rename", &found.name, &error.into()))?;
            out!("{:?} is now {to:?}", found.name);
            if let Some(file) = &found.file {
                out!("hint: change `name` in {}, or it will begin anew", file.path.display());
            }
        }
        What::Archive { target, to: Some(file), remove } => {
            backup::archive(target, file, *remove)?;
        }
        What::Archive { target, .. } => archive(target, true)?,
        What::Restore { target, from: Some(file) } => backup::bring_back(target, file)?,
        What::Restore { target, .. } => archive(target, false)?,
        What::Delete { target, yes } => {
            let found = target.find()?;
            if !yes {
                let attempted = format!("delete the campaign {:?}", found.name);
                return Err(Failure::new(attempted, "its records would be gone for good").hint(
                    "--yes deletes it; `baton campaign archive` puts it aside, or into a file",
                ));
            }
            let deleted = existing(&found.store)?.delete(&found.name);
            deleted.map_err(|error| refused("delete", &found.name, &error.into()))?;
            out!("{:?} is deleted", found.name);
        }
    }
    Ok(Outcome::Done)
}

fn refused(verb: &str, name: &str, error: &RunnerError) -> Failure {
    Failure::on_campaign(format!("{verb} the campaign {name:?}"), error)
}

fn archive(target: &Target, aside: bool) -> Result<(), Failure> {
    let found = target.find()?;
    let (verb, done) = if aside { ("archive", "archived") } else { ("restore", "taken up again") };
    let archived = existing(&found.store)?.archive(&found.name, aside);
    archived.map_err(|error| refused(verb, &found.name, &error.into()))?;
    out!("{:?} is {done}", found.name);
    Ok(())
}

fn list(url: &str, all: bool, as_json: bool) -> Result<Outcome, Failure> {
    let refuse = |error: RunnerError| Failure::on_campaign("list the campaigns", &error);
    let store = existing(url)?;
    let (mut rows, mut documents) = (Vec::new(), Vec::new());
    for name in store.campaigns().map_err(|error| refuse(error.into()))? {
        let records = Records::read(&store, &name).map_err(refuse)?;
        let archived = records.campaign.archived;
        if archived && !all {
            continue;
        }
        let present = records.present().map(|task| task.name.clone());
        let trials = records.trials.iter().flatten().count();
        documents.push(json!({
            "campaign": name, "tasks": records.tasks.len(), "trials": trials,
            "under_way": present, "archived": archived,
        }));
        let state = if archived { "archived".to_owned() } else { present.unwrap_or("-".into()) };
        rows.push(vec![name, records.tasks.len().to_string(), trials.to_string(), state]);
    }
    if as_json {
        out!("{}", json!({ "campaigns": documents }));
    } else if rows.is_empty() {
        out!("no campaign");
    } else {
        out!("{}", table(&["campaign", "tasks", "trials", "under way"], &rows).trim_end());
    }
    Ok(Outcome::Done)
}

/// What is noted, and about what.
#[derive(Args)]
pub struct NoteCall {
    /// The note, after the number of a trial if it is about one, and before the campaign's file, or
    /// with --store its name.
    #[arg(value_name = "[TRIAL] TEXT [CAMPAIGN]", num_args = 0..=3)]
    words: Vec<String>,
    /// Address of the store, such as `sqlite:FILE.db` or `postgres://USER@HOST/DATABASE`.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// The task, by its name; by default the one under way, or the last.
    #[arg(long)]
    task: Option<String>,
    /// A trial of the task, by its number; by default the task itself.
    #[arg(long)]
    trial: Option<usize>,
    /// An attribute; a value that is not JSON is text, and null takes the attribute away.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

impl NoteCall {
    /// The trial, the note and the campaign. One word alone is the note, whatever it is.
    fn meant(&self) -> Result<(Option<usize>, Option<String>, Target), Failure> {
        let first = self.words.first().filter(|_| self.trial.is_none() && self.words.len() > 1);
        let number: Option<usize> = first.and_then(|word| word.parse().ok());
        let mut words = self.words.iter().skip(usize::from(number.is_some())).cloned();
        let (text, campaign) = (words.next(), words.next());
        if words.next().is_some() {
            let reason = format!("{:?} is no trial's number", self.words[0]);
            return Err(Failure::new("note it", reason)
                .hint("the order is TRIAL TEXT CAMPAIGN; a text of several words is quoted"));
        }
        Ok((self.trial.or(number), text, Target { campaign, store: self.store.clone() }))
    }
}

/// `baton note`
pub fn note(call: &NoteCall) -> Result<Outcome, Failure> {
    let attempted = "note it";
    let (trial, text, target) = call.meant()?;
    let mut changes = Map::new();
    for entry in &call.set {
        let Some((key, value)) = entry.split_once('=') else {
            return Err(Failure::new(attempted, format!("{entry:?} is not KEY=VALUE")));
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
        changes.insert(key.to_owned(), value);
    }
    if let Some(text) = text {
        changes.insert("note".to_owned(), json!(text));
    }
    let mut desk = target.find()?.existing()?;
    let records = desk.records();
    let task = match &call.task {
        Some(name) => records.tasks.iter().find(|task| task.name == *name),
        None => records.latest(),
    };
    let Some((number, name)) = task.map(|task| (task.number, task.name.clone())) else {
        return Err(Failure::new(attempted, "no such task has begun").hint("see `baton status`"));
    };
    let now = desk.annotate((number, trial), changes);
    let now = now.map_err(|error| Failure::on_campaign(attempted, &error))?;
    if call.json {
        out!("{}", json!({ "task": name, "trial": trial, "attributes": now }));
    } else {
        let about = trial.map_or_else(|| name.clone(), |trial| format!("{name}, trial {trial}"));
        out!("{about}:");
        for (key, value) in &now {
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            out!("  {key}  {shown}");
        }
    }
    Ok(Outcome::Done)
}
