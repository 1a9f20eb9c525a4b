//! What tests with real processes share: a folder of their own, the binary, random moments.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A folder that goes away with the test.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(format!("baton-cli-{process}-{number}-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }

    /// The binary in this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_baton"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    pub fn baton(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs to the end and returns what was printed; fails unless the exit code is 0.
    pub fn done(&self, arguments: &[&str]) -> String {
        let output = self.baton(arguments);
        let (text, errors) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{text}\n{errors}");
        text
    }

    /// The error of a call that must be refused with an exit code.
    pub fn refused(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.baton(arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{errors}");
        errors
    }

    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.done(arguments)).unwrap()
    }

    /// Starts the binary and leaves it running, silent.
    pub fn spawn(&self, arguments: &[&str]) -> Running {
        let mut command = self.command(arguments);
        Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

/// A process that does not outlive its test, even one that fails.
pub struct Running(Child);

impl Running {
    pub fn is_over(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// SIGKILL: it has no chance to tidy up.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Its exit code, if it ends within a time limit.
    pub fn exit_code(mut self, limit: Duration) -> Option<i32> {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        unreachable!("a process did not end within {limit:?}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Moments nobody has chosen: different at every run, so that over time all are tried.
pub struct Moments(u64);

impl Moments {
    pub fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Self(u64::from(now.subsec_nanos()) | 1)
    }

    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    pub fn pause(&mut self, least: u64, most: u64) {
        std::thread::sleep(Duration::from_millis(least + self.below(most - least)));
    }
}
