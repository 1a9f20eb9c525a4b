//! `baton reproduce`: the paper's figures, with the data they were drawn from.

use crate::Outcome;
use crate::failure::Failure;
use crate::progress::Bar;
use baton_lab::LabError;
use baton_lab::reproduce::{FIGURES, Plan, measure, write};
use baton_numerics::parallel;
use clap::Args;
use std::collections::HashSet;
use std::path::PathBuf;

/// Which figures and where.
#[derive(Args)]
pub struct Call {
    /// fig3 to fig10, moving-hartmann6, moving-gas, or all.
    #[arg(required = true)]
    figures: Vec<String>,
    /// Results of experiments are kept here; stopped and started again, it goes on where it was.
    #[arg(long, default_value = "results")]
    results: PathBuf,
    /// Figures and their data go here.
    #[arg(long, default_value = "docs/figures")]
    out: PathBuf,
    /// Another number of experiments, for a quick look.
    #[arg(long)]
    experiments: Option<u32>,
    /// Threads; by default all.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Take curves that another version of the program has completed as they are; the data and the
    /// caption name it. A curve is of one version in any case.
    #[arg(long)]
    any_version: bool,
    /// Only print the commands that run the experiments one by one, to be spread over machines.
    #[arg(long)]
    commands: bool,
}

/// Runs what is missing and draws.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let all = call.figures.iter().any(|name| name == "all");
    let names: Vec<&str> =
        if all { FIGURES.to_vec() } else { call.figures.iter().map(String::as_str).collect() };
    if call.commands {
        return print_commands(call, &names);
    }
    for name in names {
        one(call, name).map_err(|error| Failure::new(format!("reproduce {name}"), error))?;
        out!("{}", call.out.join(format!("{name}.svg")).display());
    }
    Ok(Outcome::Done)
}

/// Figures share studies; each command is printed once.
fn print_commands(call: &Call, names: &[&str]) -> Result<Outcome, Failure> {
    let mut seen = HashSet::new();
    for name in names {
        let commands = Plan::new(name, call.experiments)
            .and_then(|plan| plan.commands(&call.results.display().to_string()))
            .map_err(|error| Failure::new(format!("list the experiments of {name}"), error))?;
        for command in commands.into_iter().filter(|command| seen.insert(command.clone())) {
            out!("{command}");
        }
    }
    Ok(Outcome::Done)
}

fn one(call: &Call, name: &str) -> Result<(), LabError> {
    let mut plan = Plan::new(name, call.experiments)?;
    if call.any_version {
        plan.accept_other_versions(&call.results);
    }
    let count = |spec: &baton_lab::Spec| u64::from(spec.tasks) * u64::from(spec.experiments);
    let bar = Bar::new(plan.studies.iter().map(|study| count(&study.spec)).sum(), name);
    let measured =
        parallel::with_threads(call.threads, || measure(&plan, &call.results, &|| bar.advance()));
    bar.finish();
    write(&plan, &measured?, &call.out)
}
