//! Evaluators that misbehave: bounded memory, children ended, each trial recorded for what it was.

use crate::place::Folder;
use crate::tally::{Share, Tally};
use baton::{Aim, Outcome};
use baton::{Trial, Value};
use baton_runner::evaluator::CommandEvaluator;
use baton_runner::{Evaluator, Request, Stop, Trouble};
use std::time::{Duration, Instant};

/// Memory that one evaluation may add, whatever it prints, in MiB.
const MOST_MEMORY: f64 = 32.0;
/// The time limit of those that would never end.
const LIMIT: Duration = Duration::from_secs(1);
/// How long to wait for a process to be gone.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a misbehaving command must be recorded as.
enum Recorded {
    Value(f64),
    /// the command's own word, which contains this
    Reported(&'static str),
    /// it broke, for a reason that contains this
    Broken(&'static str),
}

/// A way to misbehave: its name, a shell script, and what it must be recorded as. `$1` is the number
/// of megabytes to print.
const WAYS: [(&str, &str, Recorded); 16] = [
    ("hangs", "while :; do sleep 1000; done", Recorded::Broken("took longer than 1 second")),
    (
        "hangs and ignores signals",
        "trap '' TERM INT HUP; sleep 1000; sleep 1000",
        Recorded::Broken("took longer than"),
    ),
    (
        "answers after the time limit",
        "sleep 1000; echo '{\"value\": 1}'",
        Recorded::Broken("took longer than"),
    ),
    ("prints garbage", "head -c 100000 /dev/urandom", Recorded::Broken("")),
    ("prints megabytes without a line break", "head -c ${1}000000 /dev/zero", Recorded::Broken("")),
    (
        "prints megabytes of lines, then answers",
        "yes | head -c ${1}000000; echo '{\"value\": 2}'",
        Recorded::Value(2.0),
    ),
    (
        "prints megabytes of errors without a line break",
        "head -c ${1}000000 /dev/zero >&2; echo '{\"value\": 3}'",
        Recorded::Value(3.0),
    ),
    ("is ended by a signal", "kill -SEGV $$", Recorded::Broken("signal 11")),
    ("ends itself by SIGKILL", "kill -KILL $$", Recorded::Broken("signal 9")),
    ("answers and then fails", "echo '{\"value\": 4}'; exit 3", Recorded::Broken("exit code 3")),
    ("answers twice", "echo '{\"value\": 5}'; echo '{\"value\": 6}'", Recorded::Value(6.0)),
    ("answers NaN", "echo '{\"value\": NaN}'", Recorded::Reported("not a finite number")),
    (
        "answers a number beyond all",
        "echo '{\"value\": 1e999}'",
        Recorded::Reported("not a finite number"),
    ),
    ("answers nothing", "exit 0", Recorded::Broken("no answer")),
    (
        "leaves a child behind that keeps the pipes open",
        "sleep 1000 & echo $! > child; echo '{\"value\": 7}'",
        Recorded::Value(7.0),
    ),
    (
        "leaves grandchildren behind and hangs",
        "(sleep 1000 & echo $! > child; sleep 1000) & wait",
        Recorded::Broken("took longer than"),
    ),
];

/// Goes through all ways, again and again while there is time. The first round prints less.
pub fn run(share: Share) -> Tally {
    let mut tally = Tally::default();
    let mut megabytes = 100;
    loop {
        for way in &WAYS {
            let result = misbehave(way, megabytes, &mut tally);
            tally.tried(way.0);
            tally.check(result.map_err(|why| format!("one that {}: {why}", way.0)));
        }
        let result = closes_its_input();
        tally.tried("reads nothing of a long request");
        tally.check(result);
        if share.is_over() {
            return tally;
        }
        megabytes = 2_000;
    }
}

/// A request for a trial.
pub fn request() -> Request {
    let trial = Trial {
        id: 0,
        point: vec![Value::Real(0.5)],
        level: 0,
        fidelity: "fine".into(),
        cost: 1.0,
        charged: true,
        aim: Aim::GIVEN,
        reason: String::new(),
        nats: None,
        runner_up: None,
        notes: Vec::new(),
        outcome: Outcome::Pending,
        noise: None,
        paid: None,
        constraints: baton::Measured::new(),
        context: baton::Description::new(),
    };
    let parameters = vec!["x".to_owned()];
    Request {
        trial,
        parameters,
        task: 0,
        task_name: "t".into(),
        describe: baton::Description::new(),
        seed: 1,
        attempt: 1,
    }
}

fn evaluator(folder: &Folder, script: &str, megabytes: u32, limit: Duration) -> CommandEvaluator {
    let command = ["sh", "-c", script, "sh"].map(str::to_owned).into_iter();
    let command = command.chain([megabytes.to_string()]).collect();
    CommandEvaluator { command, folder: folder.0.clone(), limit: Some(limit) }
}

fn misbehave(
    (_, script, recorded): &(&str, &str, Recorded),
    megabytes: u32,
    tally: &mut Tally,
) -> Result<(), String> {
    let folder = Folder::new()?;
    let before = resident()?;
    let watch = MemoryWatch::begin();
    // Those that print a lot are given the time for it; those that hang need none.
    let hangs = matches!(recorded, Recorded::Broken(why) if why.contains("took longer"));
    let evaluator =
        evaluator(&folder, script, megabytes, if hangs { LIMIT } else { 10 * PATIENCE });
    let evaluation = evaluator.evaluate(&request(), &Stop::default());
    let grown = (watch.largest() - before).max(0.0);
    tally.largest("MiB of memory that an evaluation added", grown);
    if grown > MOST_MEMORY {
        return Err(format!("it made this process grow by {grown:.0} MiB"));
    }
    if let Ok(child) = std::fs::read_to_string(folder.path("child")) {
        gone(child.trim())?;
    }
    let fits = match (recorded, &evaluation.result) {
        (Recorded::Value(expected), Ok(measured)) => measured.value == *expected,
        (Recorded::Reported(part), Err(Trouble::Reported(reason)))
        | (Recorded::Broken(part), Err(Trouble::Broken(reason))) => {
            reason.len() < 500 && reason.contains(part)
        }
        _ => false,
    };
    if fits { Ok(()) } else { Err(format!("it was recorded as {:?}", evaluation.result)) }
}

/// A request that does not fit into a pipe, to a command that does not read: the time limit holds.
fn closes_its_input() -> Result<(), String> {
    let folder = Folder::new()?;
    let mut request = request();
    request.task_name = "long ".repeat(100_000);
    let begun = Instant::now();
    let evaluator = evaluator(&folder, "sleep 1000; :", 0, LIMIT);
    let evaluation = evaluator.evaluate(&request, &Stop::default());
    match evaluation.result {
        Err(Trouble::Broken(reason)) if reason.contains("took longer") => {}
        other => return Err(format!("one that reads nothing was recorded as {other:?}")),
    }
    if begun.elapsed() > PATIENCE {
        Err("one that reads nothing was waited for".into())
    } else {
        Ok(())
    }
}

/// An error unless the process is gone, or is a shadow that nobody has fetched.
fn gone(pid: &str) -> Result<(), String> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(')').next().unwrap_or("").trim_start();
        if state.is_empty() || state.starts_with('Z') {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(format!("its child {pid} still runs"))
}

/// Memory of this process, in MiB.
fn resident() -> Result<f64, String> {
    let text = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().split(' ').next()?.parse::<f64>().ok());
    kib.map(|kib| kib / 1024.0).ok_or_else(|| "no VmRSS".into())
}

/// Looks at the memory every few milliseconds.
struct MemoryWatch {
    over: std::sync::Arc<std::sync::atomic::AtomicBool>,
    thread: std::thread::JoinHandle<f64>,
}

impl MemoryWatch {
    fn begin() -> Self {
        use std::sync::atomic::{AtomicBool, Ordering};
        let over = std::sync::Arc::new(AtomicBool::new(false));
        let seen = std::sync::Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            let mut largest: f64 = 0.0;
            while !seen.load(Ordering::SeqCst) {
                largest = largest.max(resident().unwrap_or(0.0));
                std::thread::sleep(Duration::from_millis(5));
            }
            largest.max(resident().unwrap_or(0.0))
        });
        Self { over, thread }
    }

    fn largest(self) -> f64 {
        self.over.store(true, std::sync::atomic::Ordering::SeqCst);
        self.thread.join().unwrap_or(f64::INFINITY)
    }
}
