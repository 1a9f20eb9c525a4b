//! Results on disk: a folder per study, a file of JSON lines per experiment.
//!
//! A line is written when its task is done, then the knowledge after it; a line without that
//! knowledge is done again. So a study that was killed at any moment continues with the numbers of
//! one that was not. The folder's name is made of everything the results depend on.

use crate::LabError;
use crate::experiment::TaskResult;
use crate::spec::Spec;
use baton::Knowledge;
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder of one study.
#[derive(Debug, Clone)]
pub struct Records {
    folder: PathBuf,
}

/// How far an experiment is.
#[derive(Debug, Default)]
pub struct Progress {
    /// results of the first tasks, without gaps
    pub results: Vec<TaskResult>,
    /// what is known after them; `None` if there are none, or if all are done
    pub knowledge: Option<Knowledge>,
}

impl Records {
    /// Opens or makes the folder of a study under `parent`.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn open(parent: &Path, spec: &Spec) -> Result<Self, LabError> {
        let folder = parent.join(spec.folder());
        fs::create_dir_all(&folder).map_err(|error| LabError::file(&folder, &error))?;
        let records = Self { folder };
        let path = records.folder.join("study.json");
        if !path.exists() {
            let text = serde_json::to_string_pretty(&spec.identity()).unwrap_or_default();
            write_whole(&path, &text)?;
        }
        Ok(records)
    }

    fn lines(&self, seed: u64) -> PathBuf {
        self.folder.join(format!("{seed:06}.jsonl"))
    }

    fn knowledge(&self, seed: u64) -> PathBuf {
        self.folder.join(format!("{seed:06}.knowledge.json"))
    }

    /// What is on disk of an experiment of `tasks` tasks. Whatever is damaged or unfinished is left
    /// out.
    pub fn load(&self, seed: u64, tasks: u32) -> Progress {
        let text = fs::read_to_string(self.lines(seed)).unwrap_or_default();
        let mut results: Vec<TaskResult> = Vec::new();
        for line in text.lines() {
            // A task done twice has two lines; the later one counts.
            match serde_json::from_str::<TaskResult>(line) {
                Ok(result) if result.task as usize <= results.len() => {
                    results.truncate(result.task as usize - 1);
                    results.push(result);
                }
                Ok(result) if result.task as usize == results.len() + 1 => results.push(result),
                _ => break,
            }
        }
        if results.len() >= tasks as usize {
            results.truncate(tasks as usize);
            return Progress { results, knowledge: None };
        }
        let knowledge = fs::read_to_string(self.knowledge(seed))
            .ok()
            .and_then(|text| Knowledge::from_json(&text).ok())
            .filter(|knowledge| knowledge.tasks as usize <= results.len());
        results.truncate(knowledge.as_ref().map_or(0, |knowledge| knowledge.tasks as usize));
        Progress { results, knowledge }
    }

    /// Adds the result of a task and the knowledge after it.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn add(
        &self,
        seed: u64,
        result: &TaskResult,
        knowledge: &Knowledge,
    ) -> Result<(), LabError> {
        let path = self.lines(seed);
        let failed = |error: std::io::Error| LabError::file(&path, &error);
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        // The line feed comes first: a line that was cut off stays alone and is ignored.
        let broken = fs::read(&path).map_err(failed)?.last().is_some_and(|byte| *byte != b'\n');
        let line = serde_json::to_string(result).map_err(|e| LabError::Record(e.to_string()))?;
        let lead = if broken { "\n" } else { "" };
        file.write_all(format!("{lead}{line}\n").as_bytes()).map_err(failed)?;
        write_whole(&self.knowledge(seed), &knowledge.to_json()?)
    }
}

/// The study as the version knew it under which all its experiments are done: that of `spec` if it is,
/// else the one begun last.
pub fn complete_version(parent: &Path, spec: &Spec) -> Option<Spec> {
    let done = |folder: PathBuf| {
        let text = fs::read_to_string(folder.join("study.json")).ok()?;
        let identity: Value = serde_json::from_str(&text).ok()?;
        let version = identity["version"].as_str()?.to_owned();
        let kept_in = Some(folder.file_name()?.to_str()?.to_owned());
        let found = Spec { version, kept_in, ..spec.clone() };
        let seeds = spec.seed..spec.seed + u64::from(spec.experiments);
        let begun = fs::metadata(folder.join("study.json")).ok()?.modified().ok()?;
        let records = Records { folder };
        let whole = |seed| records.load(seed, spec.tasks).results.len() == spec.tasks as usize;
        let complete = spec.is_recorded_as(&identity) && seeds.into_iter().all(whole);
        complete.then_some((begun, found))
    };
    let folders = fs::read_dir(parent).ok()?.flatten().map(|entry| entry.path());
    let best =
        folders.filter_map(done).max_by_key(|(begun, s)| (s.version == spec.version, *begun));
    best.map(|(_, found)| found)
}

/// Writes beside and renames, so that a reader sees the old file or the new one. Whoever begins the same
/// study at the same time has a file of their own to rename.
fn write_whole(path: &Path, text: &str) -> Result<(), LabError> {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let own = (std::process::id(), WRITES.fetch_add(1, Ordering::Relaxed));
    let beside = path.with_extension(format!("partial-{}-{}", own.0, own.1));
    fs::write(&beside, text).map_err(|error| LabError::file(&beside, &error))?;
    fs::rename(&beside, path).map_err(|error| LabError::file(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use baton::{Method, Settings};

    fn result(task: u32) -> TaskResult {
        let (score, honest_score, cost) = (0.5, 0.5, 1.0);
        let (trials_per_fidelity, ms_per_ask, ms_per_finish) = (vec![1], 0.0, 0.0);
        TaskResult {
            task,
            score,
            honest_score,
            trials_per_fidelity,
            cost,
            ms_per_ask,
            ms_per_finish,
        }
    }

    #[test]
    fn a_study_of_another_version_is_found_once_it_is_complete() {
        let parent = std::env::temp_dir().join(format!("baton-records-{}", std::process::id()));
        let settings = Settings::new(Method::Random);
        let mut spec = Spec::new("branin", settings).unwrap();
        (spec.tasks, spec.experiments) = (1, 2);
        let older = Spec { version: "older".into(), ..spec.clone() };
        assert_ne!(older.folder(), spec.folder());
        let knowledge = Experiment::new(&spec, 0, None).unwrap().knowledge().clone();
        let records = Records::open(&parent, &older).unwrap();
        records.add(1, &result(1), &knowledge).unwrap();
        assert_eq!(complete_version(&parent, &spec), None, "one of two is done");
        records.add(2, &result(1), &knowledge).unwrap();
        assert_eq!(complete_version(&parent, &spec).unwrap().folder(), older.folder());
        let other = Spec { fresh_tasks: true, ..spec.clone() };
        assert_eq!(complete_version(&parent, &other), None, "not the same study");
        let mut chosen = spec.clone();
        chosen.settings.set("horizon", "3").unwrap();
        assert_eq!(complete_version(&parent, &chosen), None, "with other settings");
        let own = Records::open(&parent, &spec).unwrap();
        for seed in [1, 2] {
            own.add(seed, &result(1), &knowledge).unwrap();
        }
        assert_eq!(complete_version(&parent, &spec).unwrap().version, spec.version);
        fs::remove_dir_all(&parent).unwrap();
    }

    #[test]
    fn many_may_begin_a_study_at_once() {
        let parent = std::env::temp_dir().join(format!("baton-at-once-{}", std::process::id()));
        let spec = Spec::new("branin", Settings::new(Method::Random)).unwrap();
        for round in 0..40 {
            let parent = parent.join(round.to_string());
            std::thread::scope(|scope| {
                let begin = || Records::open(&parent, &spec).map(|_| ());
                let begun: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
                assert!(begun.into_iter().all(|handle| handle.join().unwrap().is_ok()));
            });
        }
        fs::remove_dir_all(&parent).unwrap();
    }
}
