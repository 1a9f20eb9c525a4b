//! Processes among all that work on a campaign: their names, and which of this machine are gone.

/// This machine, in names of workers.
pub fn machine() -> String {
    known_machine().unwrap_or_else(|| "localhost".to_owned())
}

/// A name that no other process has, now: `kind@machine:number`. Its workers add `/` and their place.
pub fn name(kind: &str) -> String {
    let machine = known_numbers().unwrap_or_else(machine);
    format!("{kind}@{machine}:{}", std::process::id())
}

/// Whether a holder has the name of a process of this machine that is there no longer. One whose
/// number another process has by now passes for alive, and so does one of another container.
pub fn is_gone(holder: &str) -> bool {
    let process = holder.rsplit_once('/').map_or(holder, |(process, _)| process);
    let Some((of, number)) = process.rsplit_once(':') else { return false };
    let Some((_, machine)) = of.split_once('@') else { return false };
    let here = known_numbers().is_some_and(|here| here == machine);
    here && number.parse().is_ok_and(is_dead)
}

fn known_machine() -> Option<String> {
    #[cfg(unix)]
    let name = nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok());
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The machine, where it is known, and within it those who count processes alike: containers may
/// have the name of their host, and numbers of their own.
fn known_numbers() -> Option<String> {
    /// As Linux names the numbers that the machine itself has.
    const MACHINE: &str = "pid:[4026531836]";
    let machine = known_machine()?;
    let numbers = std::fs::read_link("/proc/self/ns/pid").ok();
    let numbers = numbers.map(|link| link.to_string_lossy().into_owned());
    Some(match numbers.filter(|numbers| numbers != MACHINE) {
        Some(own) => {
            let digits: String = own.chars().filter(char::is_ascii_digit).collect();
            format!("{machine}+{digits}")
        }
        None => machine,
    })
}

#[cfg(unix)]
fn is_dead(number: u32) -> bool {
    use nix::{errno::Errno, sys::signal::kill, unistd::Pid};
    let process = i32::try_from(number).ok().filter(|number| *number > 0).map(Pid::from_raw);
    process.is_some_and(|process| kill(process, None) == Err(Errno::ESRCH))
}

#[cfg(not(unix))]
fn is_dead(_: u32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    #[allow(clippy::unwrap_used)]
    fn only_a_dead_process_of_this_machine_is_gone() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let own = name("python");
        let place = own.strip_suffix(&std::process::id().to_string()).unwrap();
        assert!(is_gone(&format!("{place}{}/2", child.id())));
        assert!(is_gone(&format!("{place}{}", child.id())));
        assert!(!is_gone(&format!("{own}/1")), "it lives");
        assert!(!is_gone(&format!("python@elsewhere:{}/1", child.id())));
        for other in ["run@vm/1", "node 7", "a@b:c/1", "", "python@:0/1", &format!("{place}0/1")] {
            assert!(!is_gone(other), "{other}");
        }
    }
}
