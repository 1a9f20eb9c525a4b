//! A command and all that it starts, as one: where the system has process groups, they end together.

use std::io::Result;
use std::process::{Child, Command, ExitStatus};

/// Starts the command in a group of its own.
#[cfg(unix)]
pub fn spawn(command: &mut Command) -> Result<Child> {
    std::os::unix::process::CommandExt::process_group(command, 0).spawn()
}

/// Ends what is left of the group. If nothing is left, there is nobody to hear this.
#[cfg(unix)]
pub fn end(child: &mut Child) {
    use nix::sys::signal::{Signal, killpg};
    if let Ok(group) = i32::try_from(child.id()) {
        let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
    }
}

/// The signal that ended it, if one did.
#[cfg(unix)]
pub fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// Starts the command.
#[cfg(not(unix))]
pub fn spawn(command: &mut Command) -> Result<Child> {
    command.spawn()
}

/// Ends the command, but not what it started: this system has no process groups.
#[cfg(not(unix))]
pub fn end(child: &mut Child) {
    let _ = child.kill();
}

/// This system has no signals.
#[cfg(not(unix))]
pub fn signal(_: ExitStatus) -> Option<i32> {
    None
}
