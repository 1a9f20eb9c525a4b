//! The user's command: one JSON line to its standard input, one from its standard output.
//!
//! The command runs in a process group of its own: Ctrl-C in the terminal is not its business, and
//! when it ends or takes too long, everything that it started ends with it. Whatever it prints, no
//! more is kept than its last lines, and no more of a line than can be of use.

use super::{Evaluation, Evaluator, Request, Trouble, finite, group};
use crate::stop::Stop;
use baton::{Measured, Measurement};
use serde_json::Value as Json;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines of error that are kept.
pub const LOG_LINES: usize = 20;
/// Longer lines of error are cut.
const LINE: usize = 400;
/// No more of a line is read, in bytes: a program may print gigabytes without a line break.
const LONGEST: usize = 64 * 1024;
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
            Err(reason) => Err(Trouble::NotStarted(reason)).into(),
        }
    }
}

impl CommandEvaluator {
    fn start(&self) -> Result<Child, String> {
        let program = self.command.first().map_or("", String::as_str);
        let mut command = Command::new(program);
        command
            .args(self.command.iter().skip(1))
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        group::spawn(&mut command)
            .map_err(|error| format!("the command {program:?} could not be started: {error}"))
    }

    fn converse(&self, mut child: Child, request: &Request, stop: &Stop) -> Evaluation {
        let output = child.stdout.take().map(Listener::new);
        let errors = child.stderr.take().map(Listener::new);
        if let Some(mut input) = child.stdin.take() {
            // A command that does not read its input still may answer; if not, that is seen below.
            // On a thread of its own: the pipe may be too small for the line.
            let line = request.to_json();
            std::thread::spawn(move || writeln!(input, "{line}"));
        }
        let ended = self.wait(&mut child, stop);
        // What it left behind ends with it.
        group::end(&mut child);
        if ended.is_err() {
            let _ = child.wait();
        }
        let answer = output.map(Listener::heard).unwrap_or_default();
        let answer = answer.iter().rfind(|line| !line.trim().is_empty());
        let result = ended.and_then(|status| judge(status, answer.map_or("", String::as_str)));
        let cut = |line: &String| line.chars().take(LINE).collect();
        let log: Vec<String> =
            errors.map(Listener::heard).unwrap_or_default().iter().map(cut).collect();
        Evaluation { result, log: log.join("\n") }
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
                let unit = if limit == Duration::from_secs(1) { "second" } else { "seconds" };
                return Err(Trouble::Broken(format!("it took longer than {seconds} {unit}")));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(PULSE);
        }
    }
}

/// What the end of the command and its last line mean.
fn judge(status: ExitStatus, line: &str) -> Result<Measurement, Trouble> {
    if !status.success() {
        let how = match (status.code(), group::signal(status)) {
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

fn parse(line: &str) -> Result<Measurement, Trouble> {
    fn broken<T>(line: &str, why: &str) -> Result<T, Trouble> {
        let shown: String = line.chars().take(80).collect();
        Err(Trouble::Broken(format!("its answer {why}: {shown:?}")))
    }
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
            return broken(line, "is not a line of JSON");
        }
    };
    match (&answer["value"], &answer["error"]) {
        (_, Json::String(reason)) => Err(Trouble::Reported(reason.clone())),
        (Json::Number(number), _) => {
            let measured = finite(Ok(number.as_f64().unwrap_or(f64::NAN)))?;
            let part = |key: &str| match &answer[key] {
                Json::Null => Ok(None),
                Json::Number(part) if part.as_f64().is_some_and(|part| part >= 0.0) => {
                    Ok(part.as_f64())
                }
                _ => broken(line, &format!("has a {key:?} that is no number of zero or more")),
            };
            let constraints = match &answer["constraints"] {
                Json::Null => Measured::new(),
                told => match serde_json::from_value(told.clone()) {
                    Ok(told) => told,
                    Err(_) => {
                        return broken(
                            line,
                            "has \"constraints\" that are no numbers by their names",
                        );
                    }
                },
            };
            Ok(Measurement { noise: part("noise")?, cost: part("cost")?, constraints, ..measured })
        }
        (Json::Null, _) if answer.get("value").is_some() => {
            Err(Trouble::Reported("the value is null, not a finite number".into()))
        }
        _ => broken(line, "has neither a number \"value\" nor a text \"error\""),
    }
}

/// Reads a pipe on a thread of its own, since a full pipe would stop the command, and remembers the
/// last lines. Blank ones do not push others out.
struct Listener {
    lines: Arc<Mutex<VecDeque<String>>>,
    over: Receiver<()>,
}

impl Listener {
    fn new<P: Read + Send + 'static>(pipe: P) -> Self {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, over) = channel();
        let kept = Arc::clone(&lines);
        std::thread::spawn(move || {
            for line in read_lines(pipe) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == LOG_LINES {
                    kept.pop_front();
                }
                kept.push_back(line);
            }
            let _ = sender.send(());
        });
        Self { lines, over }
    }

    /// What was said last. One that left the group may keep the pipe open; it is not waited for.
    fn heard(self) -> VecDeque<String> {
        let _ = self.over.recv_timeout(10 * PULSE);
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The lines of a pipe that are not blank, each cut where it gets too long.
fn read_lines<P: Read>(pipe: P) -> impl Iterator<Item = String> {
    let mut reader = BufReader::new(pipe);
    let all = std::iter::from_fn(move || read_line(&mut reader));
    all.filter(|line| !line.is_empty())
}

fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let (mut line, mut begun) = (Vec::new(), false);
    loop {
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let over = buffer.is_empty();
        let piece = &buffer[..end.unwrap_or(buffer.len())];
        line.extend_from_slice(&piece[..piece.len().min(LONGEST - line.len())]);
        begun |= !over;
        let used = end.map_or(buffer.len(), |end| end + 1);
        reader.consume(used);
        if end.is_some() || over {
            return begun.then(|| String::from_utf8_lossy(&line).trim_end().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_blank_ones_left_out() {
        let long = "x".repeat(3 * LONGEST);
        let text = format!("a\n\n  \n{long}\r\nlast");
        let lines: Vec<String> = read_lines(text.as_bytes()).collect();
        assert_eq!(lines, ["a", &long[..LONGEST], "last"]);
        assert_eq!(read_lines(&b""[..]).count(), 0);
    }
}
