//! Damaged files: flipped bits, cut ends, later versions. Refused with a reason or read as they were,
//! and never touched.

use crate::place::{Folder, Kind, Place, file_url};
use crate::small::{self, Ended};
use crate::tally::{Share, Tally};
use baton::Knowledge;
use baton_numerics::random::{Key, Purpose, Stream};
use baton_store::{Store, StoreError};
use std::path::Path;

/// Damages a database and a knowledge file for as long as there is time, and at least so often.
const LEAST: usize = 300;

pub fn run(share: Share) -> Tally {
    let mut tally = Tally::default();
    let result = damage(share, &mut tally);
    tally.check(result);
    tally
}

fn damage(share: Share, tally: &mut Tally) -> Result<(), String> {
    let mut stream = Key { seed: share.seed, ..Key::default() }.stream(Purpose::Trial, 2);
    let place = Place::new(Kind::Sqlite)?;
    let ended = small::finish(&place.open()?)?;
    let file = place.folder().ok_or("no folder")?.join("store.db");
    let sound = std::fs::read(&file).map_err(|error| error.to_string())?;
    let knowledge = knowledge(&place)?;
    tally.tried("database of a later version");
    tally.check(later_version(&sound));
    let mut count = 0;
    while count < LEAST || !share.is_over() {
        count += 1;
        let (what, bytes) = damaged(&mut stream, &sound);
        tally.tried(format!("database with {what}"));
        let result = database(&bytes, &ended, tally);
        tally.check(result.map_err(|why| format!("database with {what}: {why}")));
        let (what, bytes) = damaged(&mut stream, knowledge.as_bytes());
        tally.tried(format!("knowledge with {what}"));
        let refused = String::from_utf8(bytes).map_or(true, |text| {
            Knowledge::from_json(&text).is_err_and(|error| !error.to_string().is_empty())
        });
        tally.expect(refused, || format!("knowledge with {what} was taken"));
    }
    Ok(())
}

fn knowledge(place: &Place) -> Result<String, String> {
    let changes = place.open()?.changes(small::NAME, 0).map_err(|error| error.to_string())?;
    changes.campaign.knowledge.ok_or_else(|| "the campaign knows nothing".into())
}

fn damaged(stream: &mut Stream, sound: &[u8]) -> (&'static str, Vec<u8>) {
    let mut bytes = sound.to_vec();
    match stream.below(4) {
        0 => {
            // Not to nothing: an empty file is a new one.
            bytes.truncate(1 + stream.below(sound.len() - 1));
            ("its end cut off", bytes)
        }
        1 => {
            for _ in 0..=stream.below(64) {
                let place = stream.below(bytes.len());
                bytes[place] ^= 1 << stream.below(8);
            }
            ("many bits flipped", bytes)
        }
        _ => {
            let place = stream.below(bytes.len());
            bytes[place] ^= 1 << stream.below(8);
            ("one bit flipped", bytes)
        }
    }
}

/// Opens a database that may be damaged: it is refused, or all results are what they were; its bytes
/// are what they were in any case.
fn database(bytes: &[u8], expected: &Ended, tally: &mut Tally) -> Result<(), String> {
    let folder = Folder::new()?;
    let file = folder.write("store.db", bytes)?;
    match read(&file) {
        Err(reason) if reason.is_empty() => return Err("it was refused without a reason".into()),
        Err(_) => tally.noted("a damaged database was refused"),
        Ok(found) if found == *expected => tally.noted("damage outside all results"),
        Ok(found) => {
            let difference = found.same_as(expected).err().unwrap_or_default();
            return Err(format!("it was taken, and its results are others: {difference}"));
        }
    }
    untouched(&file, bytes)
}

fn read(file: &Path) -> Result<Ended, String> {
    let store = Store::open(&file_url(file)).map_err(|error| error.to_string())?;
    Ended::of(&store)
}

fn untouched(file: &Path, bytes: &[u8]) -> Result<(), String> {
    let now = std::fs::read(file).map_err(|error| error.to_string())?;
    if now == bytes { Ok(()) } else { Err("the file was changed".into()) }
}

/// The version in the file is raised by hand, as a later program would.
fn later_version(sound: &[u8]) -> Result<(), String> {
    let folder = Folder::new()?;
    let file = folder.write("store.db", sound)?;
    let script = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1])\n\
                  c.execute('UPDATE baton_schema SET version = 99')\nc.commit()\n\
                  c.execute('PRAGMA wal_checkpoint(TRUNCATE)')\nc.close()\n";
    let done = std::process::Command::new("python3").arg("-c").arg(script).arg(&file).status();
    if !done.is_ok_and(|status| status.success()) {
        return Err("python3 could not raise the version".into());
    }
    let bytes = std::fs::read(&file).map_err(|error| error.to_string())?;
    match Store::open(&file_url(&file)) {
        Err(StoreError::Newer { found: 99, .. }) => untouched(&file, &bytes),
        other => Err(format!("it was opened: {other:?}")),
    }
}
