//! `baton token`: who may use a service, for what, and until when.

use crate::Outcome;
use crate::failure::Failure;
use crate::written::write_secret;
use baton_service::{Day, Scope, Token, Tokens};
use clap::{Args, Subcommand};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What to do with tokens.
#[derive(Subcommand)]
pub enum What {
    /// Make one. It is shown once; the file keeps its digest.
    Add(AddCall),
    /// Who has one, and what for.
    List(File),
    /// Take one back: a service that runs refuses it within seconds.
    Revoke(RevokeCall),
}

#[derive(Args)]
pub struct File {
    /// The file that `baton serve --token-file` reads.
    #[arg(long, value_name = "FILE", default_value = "tokens")]
    file: PathBuf,
}

#[derive(Args)]
pub struct AddCall {
    /// Whose it is: a word.
    name: String,
    /// What it may do, of read, ask, tell, manage.
    #[arg(long, value_delimiter = ',', default_value = "read,ask,tell", value_name = "SCOPES")]
    may: Vec<Scope>,
    /// A campaign that it is for, instead of all; may be repeated.
    #[arg(long = "campaign", value_name = "NAME")]
    campaigns: Vec<String>,
    /// For how many days it is good, today not counted.
    #[arg(long, value_name = "DAYS")]
    days: Option<u32>,
    /// Requests per second that it may make; twice as many at once.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    #[command(flatten)]
    file: File,
}

#[derive(Args)]
pub struct RevokeCall {
    /// Whose it is.
    name: String,
    #[command(flatten)]
    file: File,
}

pub fn run(what: &What) -> Result<Outcome, Failure> {
    match what {
        What::Add(call) => add(call),
        What::List(call) => list(call),
        What::Revoke(call) => revoke(call),
    }
}

fn add(call: &AddCall) -> Result<Outcome, Failure> {
    let file = &call.file.file;
    let attempted = format!("make a token for {:?}", call.name);
    let refuse = |reason: String| Failure::new(&attempted, reason);
    let (secret, mut token) = Token::make(&call.name).map_err(refuse)?;
    token.may = call.may.iter().copied().collect();
    if !call.campaigns.is_empty() {
        token.campaigns = Some(call.campaigns.iter().cloned().collect::<BTreeSet<String>>());
    }
    token.until = call.days.map(|days| Day::today().plus(days));
    token.rate = call.rate;
    token.check().map_err(refuse)?;
    let mut text = if file.exists() { read(file, &attempted)? } else { String::new() };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text += &(token.line() + "\n");
    Tokens::parse(&text).map_err(|reason| {
        refuse(format!("{}: {reason}", file.display()))
            .hint("another name, or `baton token revoke` first")
    })?;
    write(file, &text, &attempted)?;
    out!("{secret}");
    err!("{} keeps its digest: this is the only time it is shown", file.display());
    Ok(Outcome::Done)
}

fn list(call: &File) -> Result<Outcome, Failure> {
    let file = &call.file;
    let tokens = Tokens::read(file).map_err(|reason| Failure::new("list the tokens", reason))?;
    for token in tokens.all() {
        let may: Vec<&str> = token.may.iter().map(|scope| scope.name()).collect();
        let campaigns = token.campaigns.iter().flatten().cloned().collect::<Vec<_>>().join(", ");
        let r#where =
            if token.campaigns.is_some() { campaigns } else { "all campaigns".to_owned() };
        let until = match token.until {
            Some(day) if token.is_over(Day::today()) => format!(", over since {day}"),
            Some(day) => format!(", until {day}"),
            None => String::new(),
        };
        let rate = token.rate.map_or(String::new(), |rate| format!(", {rate} requests per second"));
        out!("{}: {} in {}{until}{rate}", token.name, may.join(", "), r#where);
    }
    Ok(Outcome::Done)
}

fn revoke(call: &RevokeCall) -> Result<Outcome, Failure> {
    let file = &call.file.file;
    let attempted = format!("revoke the token of {:?}", call.name);
    let text = read(file, &attempted)?;
    let tokens = Tokens::parse(&text).map_err(|reason| Failure::new(&attempted, reason))?;
    let mut kept: Vec<&str> = text.lines().collect();
    let is_theirs = |line: &str| {
        let line = Tokens::parse(line);
        line.is_ok_and(|tokens| tokens.all()[0].name == call.name)
    };
    let before = kept.len();
    // A line without a name is called by its number.
    let number = call.name.strip_prefix("line-").and_then(|number| number.parse::<usize>().ok());
    match number.filter(|_| tokens.all().iter().any(|token| token.name == call.name)) {
        Some(number) => drop(kept.remove(number - 1)),
        None => kept.retain(|line| !is_theirs(line)),
    }
    if kept.len() == before {
        let names: Vec<&str> = tokens.all().iter().map(|token| token.name.as_str()).collect();
        let failure = Failure::new(&attempted, format!("{} has no such token", file.display()));
        return Err(failure.hint(format!("it has those of {}", names.join(", "))));
    }
    if tokens.all().len() == 1 {
        let failure =
            Failure::new(&attempted, "a service without tokens would be open to everybody");
        return Err(failure.hint("make another one first, or end the service and remove the file"));
    }
    write(file, &format!("{}\n", kept.join("\n")), &attempted)?;
    out!("revoked; a service that runs refuses it within seconds");
    Ok(Outcome::Done)
}

fn read(file: &Path, attempted: &str) -> Result<String, Failure> {
    let text = std::fs::read_to_string(file);
    text.map_err(|error| Failure::new(attempted, format!("{}: {error}", file.display())))
}

fn write(file: &Path, text: &str, attempted: &str) -> Result<(), Failure> {
    let written = write_secret(file, text);
    written.map_err(|error| Failure::new(attempted, format!("{}: {error}", file.display())))
}
