//! Disks that are full and folders that must not be written to: a clear error, nothing half-written,
//! and once there is room the campaign goes on to the undisturbed results.

use crate::crash::start_victim;
use crate::place::{Folder, Kind, Place, file_url};
use crate::small::{self, Ended};
use crate::tally::{Share, Tally};
use baton_numerics::random::{Key, Purpose};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a small disk holds, in KiB: from too little for an empty store to almost enough.
const SMALLEST: usize = 8;
const LARGEST: usize = 400;

pub fn run(share: Share) -> Tally {
    let mut tally = Tally::default();
    let result = disks(share, &mut tally);
    tally.check(result);
    tally
}

fn disks(share: Share, tally: &mut Tally) -> Result<(), String> {
    let mut stream = Key { seed: share.seed, ..Key::default() }.stream(Purpose::Trial, 3);
    let place = Place::new(Kind::Sqlite)?;
    let expected = small::finish(&place.open()?)?;
    tally.tried("folder that must not be written to");
    tally.check(read_only(&place, &expected));
    let mut round = 0;
    while round < 6 || !share.is_over() {
        let kib = SMALLEST + stream.below(LARGEST - SMALLEST);
        let result =
            if round % 2 == 0 { file_limit(kib, &expected) } else { full_disk(kib, &expected) };
        match result {
            Ok(Some(what)) => tally.tried(what),
            Ok(None) => tally.noted("no right to mount a small disk here"),
            Err(why) => tally.failed(format!("{kib} KiB: {why}")),
        }
        round += 1;
    }
    Ok(())
}

/// What a victim without room must say, and what must be left of its work.
fn check(output: &Output, store: &Path, expected: &Ended) -> Result<(), String> {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let clear =
            ["disk", "full", "unable to open", "could not"].iter().any(|w| error.contains(w));
        if output.status.code() != Some(1) || !clear {
            return Err(format!("it ended with {:?}: {error}", output.status));
        }
    }
    let store = baton_store::Store::open(&file_url(store)).map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if let Some(line) = said.lines().find(|line| *line != "done") {
        let now = Ended::of(&store)?;
        if !now.has(line) {
            return Err(format!("{line:?} was acknowledged and is gone"));
        }
    }
    small::finish(&std::sync::Arc::new(store))?.same_as(expected)
}

/// Files may not grow beyond a size.
fn file_limit(kib: usize, expected: &Ended) -> Result<Option<&'static str>, String> {
    let folder = Folder::new()?;
    let store = folder.path("store.db");
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    // The signal that comes with the limit is ignored, so that the write fails instead.
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" victim --store \"$1\"", 2 * kib);
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(program)
        .arg(file_url(&store))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    check(&output, &store, expected).map(|()| Some("file that may not grow"))
}

/// A disk of its own, as small as that. Needs the right to mount.
fn full_disk(kib: usize, expected: &Ended) -> Result<Option<&'static str>, String> {
    let folder = Folder::new()?;
    let Some(disk) = Disk::mount(&folder.0, kib) else { return Ok(None) };
    let store = disk.0.join("store.db");
    let victim = start_victim(&file_url(&store), &[])?;
    let output = victim.wait_with_output().map_err(|error| error.to_string())?;
    disk.grow()?;
    check(&output, &store, expected).map(|()| Some("disk that is full"))
}

/// A small disk in memory.
struct Disk(std::path::PathBuf);

impl Disk {
    fn mount(folder: &Path, kib: usize) -> Option<Self> {
        let options = format!("size={kib}k");
        let done =
            quiet(Command::new("mount").args(["-t", "tmpfs", "-o", &options, "soak"]).arg(folder));
        done.then(|| Self(folder.to_owned()))
    }

    fn grow(&self) -> Result<(), String> {
        let done = quiet(Command::new("mount").args(["-o", "remount,size=64m"]).arg(&self.0));
        if done { Ok(()) } else { Err("the disk could not be made larger".into()) }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        quiet(Command::new("umount").arg(&self.0));
    }
}

fn quiet(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A new store in a folder that must not be written to, and a store that is there already. Root may
/// write anywhere, so that the victim is somebody else then.
fn read_only(place: &Place, expected: &Ended) -> Result<(), String> {
    let folder = Folder::new()?;
    let program = folder.path("victim");
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    std::fs::copy(own, &program).map_err(|error| error.to_string())?;
    let sealed = folder.path("sealed");
    std::fs::create_dir(&sealed).map_err(|error| error.to_string())?;
    let old = place.folder().ok_or("no folder")?.join("store.db");
    std::fs::copy(old, sealed.join("old.db")).map_err(|error| error.to_string())?;
    let before = std::fs::read(sealed.join("old.db")).map_err(|error| error.to_string())?;
    if !quiet(Command::new("chmod").arg("-R").arg("a+rX,a-w").arg(&sealed)) {
        return Err("chmod failed".into());
    }
    let root = std::fs::write(sealed.join("probe"), "").is_ok();
    let _ = std::fs::remove_file(sealed.join("probe"));
    for name in ["new.db", "old.db"] {
        let url = file_url(&sealed.join(name));
        let mut command = if root {
            let mut other = Command::new("setpriv");
            other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
            other
        } else {
            Command::new(&program)
        };
        let output = command
            .args(["victim", "--store", &url])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let clear = error.contains("unable to open") || error.contains("readonly");
        if output.status.code() != Some(1) || !clear {
            return Err(format!("{name}: it ended with {:?}: {error}", output.status));
        }
    }
    let after = std::fs::read(sealed.join("old.db")).map_err(|error| error.to_string())?;
    let files = std::fs::read_dir(&sealed).map_err(|error| error.to_string())?.count();
    let _ = quiet(Command::new("chmod").arg("-R").arg("u+w").arg(&sealed));
    if after != before || files != 1 {
        return Err(format!("something was written: {files} files"));
    }
    let store = baton_store::Store::open(&file_url(&sealed.join("old.db")));
    Ended::of(&store.map_err(|error| error.to_string())?)?.same_as(expected)
}
