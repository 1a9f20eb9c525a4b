//! `baton run`: the campaign of a file, to its end; started again, it goes on where it stopped.

use super::live::{Shown, View};
use super::target::Target;
use crate::Outcome;
use crate::failure::Failure;
use crate::file::{CampaignFile, Purpose};
use baton_runner::{Desk, Ending, Evaluator, Options, Stop, drive, process};
use clap::Args;
use std::fs::{File, TryLockError};
use std::sync::Arc;

/// What is run, and how it is shown.
#[derive(Args)]
pub struct Call {
    #[command(flatten)]
    target: Target,
    /// Evaluations at a time, in place of the file's; 0 to let others work and watch.
    #[arg(long)]
    workers: Option<usize>,
    /// Evaluate trials that somebody asked for and did not answer, too; not those of live workers.
    #[arg(long)]
    take_over: bool,
    #[command(flatten)]
    shown: Shown,
}

/// Runs the campaign.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let mut found = call.target.find_to(Purpose::Run(call.workers))?;
    let Some(mut file) = found.file.take() else {
        let hint = "`baton worker --store URL --campaign NAME -- COMMAND` works without a file";
        return Err(Failure::new("run the campaign", "a campaign file is needed").hint(hint));
    };
    file.objective.workers = call.workers.unwrap_or(file.objective.workers);
    let evaluator: Box<dyn Evaluator> = if file.objective.workers == 0 {
        Box::new(|_: &baton_runner::Request| Err("nobody evaluates here".to_owned()))
    } else {
        file.objective.evaluator(file.folder())?
    };
    let _only = only_run(&file)?;
    let options = file.objective.options(format!("run@{}", process::machine()), call.take_over);
    found.file = Some(file);
    let mut desk = in_use(found.desk()?)?;
    if options.workers == 0 && !call.shown.json && !call.shown.quiet {
        let (store, name) = (&found.store, desk.name());
        err!(
            "nothing is evaluated here, only watched: `baton worker --store {store} --campaign \
             {name}` evaluates; Ctrl-C ends this"
        );
    }
    desk.go_on().map_err(|error| Failure::on_campaign("go on", &error))?;
    work(desk, evaluator.as_ref(), &options, call.shown)
}

/// Keeps a second run of the same file away: they would take each other's trials for their own. The
/// lock goes away with the process, however that ends.
fn only_run(file: &CampaignFile) -> Result<File, Failure> {
    let path = &file.path;
    let opened = File::open(path).map_err(|e| Failure::on_file("read", path, e))?;
    match opened.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(Failure::on_file("run", path, "another `baton run` of it is going on")
                .hint("`baton status` looks on; `baton worker` adds workers"))
        }
        // Not all file systems have locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(opened),
    }
}

/// A campaign that was put aside is not worked on by mistake.
pub fn in_use(desk: Desk) -> Result<Desk, Failure> {
    if !desk.records().campaign.archived {
        return Ok(desk);
    }
    Err(Failure::new(format!("work on the campaign {:?}", desk.name()), "it is archived")
        .hint("`baton campaign restore` takes it up again"))
}

/// Drives a campaign, showing what happens, until it ends or the user wishes so.
pub fn work(
    desk: Desk,
    evaluator: &dyn Evaluator,
    options: &Options,
    shown: Shown,
) -> Result<Outcome, Failure> {
    let stop = Arc::new(Stop::default());
    let view = Arc::new(View::new(shown, desk.records()));
    let (wished, told) = (Arc::clone(&stop), Arc::clone(&view));
    let listening = ctrlc::set_handler(move || {
        wished.wish();
        told.warn(if wished.at_once() {
            "stopping at once"
        } else {
            "stopping after the evaluations under way; once more (Ctrl-C) to stop at once"
        });
    });
    listening.map_err(|error| Failure::new("listen for Ctrl-C", error))?;
    let place = desk.store().clone();
    let name = desk.name().to_owned();
    let ending = drive(desk, evaluator, options, &stop, &|event, records| {
        view.hear(event, records);
    });
    let ending = ending.map_err(|error| {
        Failure::on_campaign(format!("go on with {name:?}"), &error).during_work()
    })?;
    let records = baton_runner::Records::read(&place, &name)
        .map_err(|error| Failure::on_campaign("read the records", &error).during_work())?;
    view.end(&ending, &records);
    Ok(if ending == Ending::Done { Outcome::Done } else { Outcome::Failed })
}
