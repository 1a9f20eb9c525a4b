//! Files are written whole or not at all: a full disk leaves the file that was there.

use std::fs::{self, OpenOptions};
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside the one that is wanted and then takes its place. Devices and pipes are
/// written to as they are.
pub fn write_whole(path: &Path, text: &str) -> Result<()> {
    write(path, text, OpenOptions::new().write(true).create_new(true))
}

/// The same for what nobody else shall read.
pub fn write_secret(path: &Path, text: &str) -> Result<()> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    write(path, text, options.write(true).create_new(true))
}

fn write(path: &Path, text: &str, options: &OpenOptions) -> Result<()> {
    // A link is followed: what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        return fs::write(&path, text);
    }
    let part = beside(&path);
    let written = options
        .open(&part)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&part, &path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_unless_the_new_is_complete() {
        let folder = std::env::temp_dir().join(format!("baton-written-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.json");
        write_whole(&path, "old").unwrap();
        write_whole(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        fs::create_dir_all(beside(&path)).unwrap(); // in the way
        assert!(write_whole(&path, "newer").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(write_whole(Path::new("/dev/full"), "text").is_err());
        assert!(write_whole(&folder.join("no/such/folder"), "text").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn secrets_are_for_their_owner() {
        use std::os::unix::fs::PermissionsExt as _;
        let path = std::env::temp_dir().join(format!("baton-secret-{}", std::process::id()));
        write_secret(&path, "one").unwrap();
        write_secret(&path, "other").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_file(path).unwrap();
    }
}
