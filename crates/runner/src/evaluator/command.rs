//! The user's command: one JSON line to its standard input, one from its standard output.
//!
//! The command runs in a process group of its own: Ctrl-C in the terminal is not its business, and
//! when it takes too long, everything that it started ends with it.

use super::{Evaluation, Evaluator, Request, Trouble, finite};
use crate::stop::Stop;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::Value as Json;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Lines of error that are kept.
pub const LOG_LINES: usize = 20;
/// Longer lines are cut.
const LINE: usize = 400;
/// How often an evaluation under way is looked after.
const PULSE: Duration = Duration::from_millis(50);

/// A command with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandEvaluator {
    /// the program and its arguments
    pub command: Vec<String>,
    /// where it runs
    pub folder: PathBuf,
    /// how long one evaluation may take
    pub limit: Option<Duration>,
}

impl Evaluator for CommandEvaluator {
    fn evaluate(&self, request: &Request, stop: &Stop) -> Evaluation {
        match self.start() {
            Ok(child) => self.converse(child, request, stop),
            Err(reason) => Err(Trouble::Broken(reason)).into(),
        }
    }
}

impl CommandEvaluator {
    fn start(&self) -> Result<Child, String> {
        let program = self.command.first().map_or("", String::as_str);
        Command::new(program)
            .args(self.command.iter().skip(1))
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| format!("the command {program:?} could not be started: {error}"))
    }

    fn converse(&self, mut child: Child, request: &Request, stop: &Stop) -> Evaluation {
        let group = i32::try_from(child.id()).ok().map(Pid::from_raw);
        let output = child.stdout.take().map(|pipe| in_background(pipe, read_last_line));
        let errors = child.stderr.take().map(|pipe| in_background(pipe, read_last_lines));
        if let Some(mut input) = child.stdin.take() {
            // A command that does not read its input still may answer; if not, that is seen below.
            let _ = writeln!(input, "{}", request.to_json());
        }
        let ended = self.wait(&mut child, stop);
        if ended.is_err()
            && let Some(group) = group
        {
            let _ = killpg(group, Signal::SIGKILL);
            let _ = child.wait();
        }
        // Something left behind may keep the pipes open; its words are not waited for.
        let answer = output.and_then(|receiver| receiver.recv_timeout(10 * PULSE).ok());
        let log = errors.and_then(|receiver| receiver.recv_timeout(10 * PULSE).ok());
        let result = ended.and_then(|status| judge(status, answer.as_deref().unwrap_or("")));
        Evaluation { result, log: log.unwrap_or_default() }
    }

    fn wait(&self, child: &mut Child, stop: &Stop) -> Result<ExitStatus, Trouble> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => {}
                Err(error) => return Err(Trouble::Broken(format!("it was lost: {error}"))),
            }
            if stop.at_once() {
                return Err(Trouble::Stopped);
            }
            if let Some(limit) = self.limit.filter(|limit| begun.elapsed() > *limit) {
                let seconds = limit.as_secs_f64();
                return Err(Trouble::Broken(format!("it took longer than {seconds} seconds")));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(PULSE);
        }
    }
}

/// What the end of the command and its last line mean.
fn judge(status: ExitStatus, line: &str) -> Result<f64, Trouble> {
    if !status.success() {
        let how = match (status.code(), status.signal()) {
            (Some(code), _) => format!("the command ended with exit code {code}"),
            (_, Some(signal)) => format!("the command was ended by signal {signal}"),
            _ => "the command failed".to_owned(),
        };
        // A reason given in words is worth more than a number.
        return match serde_json::from_str::<Json>(line) {
            Ok(answer) if answer["error"].is_string() => parse(line),
            _ => Err(Trouble::Broken(how)),
        };
    }
    parse(line)
}

fn parse(line: &str) -> Result<f64, Trouble> {
    let nonsense = |why: &str| {
        let shown: String = line.chars().take(80).collect();
        Err(Trouble::Broken(format!("its answer {why}: {shown:?}")))
    };
    if line.is_empty() {
        return Err(Trouble::Broken("it printed no answer".into()));
    }
    let answer: Json = match serde_json::from_str(line) {
        Ok(answer) => answer,
        Err(error) => {
            // NaN and Infinity are no JSON, but programs print them.
            let strange = ["NaN", "Infinity", "nan", "inf"].iter().any(|word| line.contains(word));
            if strange || error.to_string().contains("out of range") {
                return Err(Trouble::Reported(format!("the value is not a finite number: {line}")));
            }
            return nonsense("is not a line of JSON");
        }
    };
    match (&answer["value"], &answer["error"]) {
        (_, Json::String(reason)) => Err(Trouble::Reported(reason.clone())),
        (Json::Number(number), _) => finite(Ok(number.as_f64().unwrap_or(f64::NAN))),
        (Json::Null, _) if answer.get("value").is_some() => {
            Err(Trouble::Reported("the value is null, not a finite number".into()))
        }
        _ => nonsense("has neither a number \"value\" nor a text \"error\""),
    }
}

/// Reads a pipe on a thread of its own, since a full pipe would stop the command.
fn in_background<P: Read + Send + 'static>(pipe: P, read: fn(P) -> String) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || sender.send(read(pipe)));
    receiver
}

/// The last line that is not empty: what a simulator prints before is its own business.
fn read_last_line<P: Read>(pipe: P) -> String {
    lines(pipe).filter(|line| !line.trim().is_empty()).last().unwrap_or_default()
}

fn read_last_lines<P: Read>(pipe: P) -> String {
    let mut last: VecDeque<String> = VecDeque::new();
    for line in lines(pipe) {
        if last.len() == LOG_LINES {
            last.pop_front();
        }
        last.push_back(line.chars().take(LINE).collect());
    }
    Vec::from(last).join("\n")
}

fn lines<P: Read>(pipe: P) -> impl Iterator<Item = String> {
    let bytes = BufReader::new(pipe).split(b'\n').map_while(std::io::Result::ok);
    bytes.map(|line| String::from_utf8_lossy(&line).trim_end().to_owned())
}
