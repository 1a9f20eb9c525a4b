//! Mutated input for everything that reads: campaign files, CSV, the evaluator's answer, knowledge,
//! and a campaign's record. Each is understood or refused with a reason; nothing panics, and what is
//! refused changes nothing.
//!
//! The seeds are the files of `crates/soak/seeds` and what a small campaign wrote.

mod mutate;

use crate::evaluators::request;
use crate::place::{Folder, Kind, Place, file_url};
use crate::small;
use crate::tally::{Share, Tally};
use baton::{Campaign, Knowledge};
use baton_numerics::checksum;
use baton_numerics::random::{Key, Purpose, Stream};
use baton_runner::evaluator::CommandEvaluator;
use baton_runner::{Evaluator, Spec, Stop, Trouble};
use baton_store::Store;
use mutate::mutated;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Inputs of each kind between two looks at the clock.
const ROUND: usize = 10;
/// Cheap kinds get so many times more.
const CHEAP: usize = 30;
/// A campaign for imports, beside the binary's own reading of campaign files.
const IMPORTS: &str = "name = \"imports\"\n[space]\nx = { low = 0, high = 1 }\n\
    mode = { choices = [\"a\", \"b\"] }\n[[fidelity]]\nname = \"coarse\"\ncost = 1\n[[fidelity]]\n\
    name = \"fine\"\ncost = 2\n[objective]\ngoal = \"minimize\"\ncommand = [\"false\"]\n[[task]]\n\
    name = \"one\"\nbudget = 10\n";

pub fn run(share: Share) -> Tally {
    let mut tally = Tally::default();
    let result = fuzz(share, &mut tally);
    tally.check(result);
    tally
}

fn fuzz(share: Share, tally: &mut Tally) -> Result<(), String> {
    let mut stream = Key { seed: share.seed, ..Key::default() }.stream(Purpose::Trial, 7);
    let baton = binary()?;
    let [campaigns, tables, answers] = ["campaign", "csv", "answer"].map(seeds);
    let (campaigns, tables, answers) = (campaigns?, tables?, answers?);
    let (spec, knowledge) = written()?;
    let mut imports = Imports::new()?;
    let mut rounds = 0;
    while rounds < 2 || !share.is_over() {
        for _ in 0..ROUND {
            let bytes = mutated(&mut stream, &campaigns);
            judge("campaign file", &bytes, campaign_file(&baton, &bytes), tally);
            let bytes = mutated(&mut stream, &tables);
            judge("CSV to import", &bytes, imports.table(&baton, &bytes), tally);
            let bytes = mutated(&mut stream, &answers);
            judge("evaluator's answer", &bytes, answer(&bytes), tally);
        }
        for _ in 0..CHEAP * ROUND {
            let bytes = mutated(&mut stream, std::slice::from_ref(&knowledge));
            let result = guarded(|| knowledge_file(&bytes, &knowledge));
            judge("knowledge", &bytes, result, tally);
            let bytes = mutated(&mut stream, std::slice::from_ref(&spec));
            judge("campaign's record", &bytes, guarded(|| record(&bytes)), tally);
        }
        // The checksum keeps damage away from what is behind it; malice would compute it anew.
        for _ in 0..ROUND {
            let bytes = with_checksum(&mut stream, &knowledge)?;
            let result = guarded(|| knowledge_in_use(&bytes));
            judge("knowledge with a right checksum", &bytes, result, tally);
        }
        rounds += 1;
    }
    Ok(())
}

/// Whether an input was understood or refused; an error if neither.
type Verdict = Result<bool, String>;

fn judge(what: &str, bytes: &[u8], verdict: Verdict, tally: &mut Tally) {
    tally.tried(what);
    match verdict {
        Ok(true) => tally.noted(format!("{what} understood")),
        Ok(false) => {}
        Err(why) => {
            let shown: String = String::from_utf8_lossy(bytes).chars().take(2_000).collect();
            tally.failed(format!("{what}: {why}\n{shown:?}"));
        }
    }
}

fn guarded(read: impl FnOnce() -> Verdict) -> Verdict {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err("it panicked".into()))
}

/// The binary `baton`, built beside this one.
fn binary() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let folder = own.parent().ok_or("no folder")?;
    [folder.join("baton"), folder.join("../baton")]
        .into_iter()
        .find(|path| path.is_file())
        .ok_or_else(|| "there is no baton beside baton-soak\nhint: cargo build --workspace".into())
}

fn seeds(kind: &str) -> Result<Vec<Vec<u8>>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(kind);
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| error.to_string());
    paths.iter().map(read).collect()
}

/// The record and the knowledge of a small campaign.
fn written() -> Result<(Vec<u8>, Vec<u8>), String> {
    let place = Place::new(Kind::Sqlite)?;
    let store = place.open()?;
    small::finish(&store)?;
    let campaign = store.changes(small::NAME, 0).map_err(|error| error.to_string())?.campaign;
    let knowledge = campaign.knowledge.ok_or("the campaign knows nothing")?;
    Ok((campaign.spec.into_bytes(), knowledge.into_bytes()))
}

/// Runs the binary; understood if its exit code is 0, refused if it is 2 with a reason.
fn call(baton: &Path, folder: &Folder, arguments: &[&str]) -> Verdict {
    let output = Command::new(baton)
        .args(arguments)
        .current_dir(&folder.0)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => Ok(true),
        Some(2) if errors.starts_with("error: could not") => Ok(false),
        code => Err(format!("it ended with {code:?}: {errors}")),
    }
}

fn campaign_file(baton: &Path, bytes: &[u8]) -> Verdict {
    let folder = Folder::new()?;
    folder.write("campaign.toml", bytes)?;
    // Looks at the file, then finds no store: nothing is ever run.
    call(baton, &folder, &["status", "campaign.toml"])
}

/// A campaign that takes in tables, made anew before it gets large.
struct Imports {
    folder: Folder,
    tables: usize,
}

impl Imports {
    fn new() -> Result<Self, String> {
        let folder = Folder::new()?;
        folder.write("imports.toml", IMPORTS)?;
        Ok(Self { folder, tables: 0 })
    }

    fn rows(&self) -> usize {
        let store = Store::open(&file_url(&self.folder.path("imports.db")));
        let changes = store.and_then(|store| store.changes("imports", 0));
        changes.map_or(0, |changes| changes.trials.len())
    }

    fn table(&mut self, baton: &Path, bytes: &[u8]) -> Verdict {
        self.tables += 1;
        if self.tables.is_multiple_of(100) {
            *self = Self::new()?;
        }
        self.folder.write("table.csv", bytes)?;
        let before = self.rows();
        let understood = call(baton, &self.folder, &["import", "table.csv", "imports.toml"])?;
        let after = self.rows();
        if understood == (after > before) {
            Ok(understood)
        } else {
            Err(format!("understood: {understood}, but {before} rows became {after}"))
        }
    }
}

fn answer(bytes: &[u8]) -> Verdict {
    let folder = Folder::new()?;
    folder.write("answer", bytes)?;
    let command = ["cat", "answer"].map(str::to_owned).to_vec();
    let limit = Some(Duration::from_mins(1));
    let evaluator = CommandEvaluator { command, folder: folder.0.clone(), limit };
    match evaluator.evaluate(&request(), &Stop::default()).result {
        Ok(measured) if measured.check(0, &[]).is_ok() => Ok(true),
        Ok(measured) => Err(format!("{measured:?} was taken for a value")),
        Err(Trouble::Broken(reason) | Trouble::Reported(reason)) if !reason.trim().is_empty() => {
            Ok(false)
        }
        Err(trouble) => Err(format!("it was refused without a reason: {trouble:?}")),
    }
}

/// Blanks around the content do no harm; whatever else changed must be noticed.
fn knowledge_file(bytes: &[u8], sound: &[u8]) -> Verdict {
    let read = |bytes: &[u8]| Knowledge::from_json(&String::from_utf8_lossy(bytes));
    match read(bytes) {
        Ok(found) if Ok(&found) == read(sound).as_ref() => Ok(true),
        Ok(_) => Err("it was understood as something else".into()),
        Err(_) => Ok(false),
    }
}

/// A campaign's record that is understood makes a campaign that asks, or is refused by it.
fn record(bytes: &[u8]) -> Verdict {
    let Ok(spec) = Spec::from_json(&String::from_utf8_lossy(bytes)) else { return Ok(false) };
    let Ok(campaign) = spec.campaign(None) else { return Ok(false) };
    asks(&campaign, spec.tasks.first().map_or(1.0, |plan| plan.budget))
}

/// The first ask of a campaign's next task.
fn asks(campaign: &Campaign, budget: f64) -> Verdict {
    let Ok(mut task) = campaign.start(budget) else { return Ok(false) };
    match task.ask() {
        Ok(Some(trial)) => {
            let finite = trial.nats.is_none_or(|n| n.optimum.is_finite() && n.transfer.is_finite());
            if finite { Ok(true) } else { Err(format!("{:?} nats", trial.nats)) }
        }
        Ok(None) | Err(_) => Ok(false),
    }
}

/// Knowledge whose content was changed and whose checksum was made to fit.
fn with_checksum(stream: &mut Stream, knowledge: &[u8]) -> Result<Vec<u8>, String> {
    let text = String::from_utf8_lossy(knowledge).into_owned();
    let start = text.find("\"content\":").ok_or("no content")? + "\"content\":".len();
    let content = text.as_bytes()[start..text.len() - 1].to_vec();
    let content = mutated(stream, &[content]);
    let content = String::from_utf8_lossy(&content).trim().to_owned();
    let hash = checksum::fnv1a(checksum::START, content.as_bytes());
    let head =
        format!("{{\"format\":\"baton-knowledge\",\"version\":1,\"checksum\":\"{hash:016x}\"");
    Ok(format!("{head},\"content\":{content}}}").into_bytes())
}

fn knowledge_in_use(bytes: &[u8]) -> Verdict {
    let Ok(knowledge) = Knowledge::from_json(&String::from_utf8_lossy(bytes)) else {
        return Ok(false);
    };
    let campaign = small::spec()?.campaign(None).map_err(|error| error.to_string())?;
    let Ok(campaign) = campaign.with_knowledge(knowledge) else { return Ok(false) };
    let mut task = campaign.start(20.0).map_err(|error| error.to_string())?;
    for turn in 0..5 {
        let Some(trial) = task.ask().map_err(|error| format!("ask {turn}: {error}"))? else {
            break;
        };
        let sound = trial.nats.is_none_or(|n| n.optimum.is_finite() && n.transfer.is_finite());
        if !sound {
            return Err(format!("ask {turn}: {:?} nats", trial.nats));
        }
        let value = f64::from(turn);
        task.tell(trial.id, value).map_err(|error| format!("tell {turn}: {error}"))?;
    }
    Ok(true)
}
