//! Keeps what is known of a set's jobs in files beside the tables: who sees the folder sees the state.
//!
//! ```text
//! .cluster/scripts/KQvK+17.sh    what was submitted for a level
//! .cluster/logs/23_0.log         what the first job of array 23 printed
//! .cluster/request.json          the options of the last submission
//! .cluster/submitted.json        the engine's number of each table's last job
//! .cluster/finished              that the last job has run over the whole set
//! .cluster/records/KQvK.json     how a table was made: where, when, with how much memory, and its content
//! .cluster/failures/KQvK.json    why a table was not made, in the last attempt that could still say it
//! .cluster/quarantine/           delivered files that are wrong
//! .cluster/stamps/KQvK           that a table was made, for engines that look at times of files
//! ```

use super::slurm::{Living, Slurm, SlurmError};
use crate::LeaseHolder;
use library::{LibraryError, TableFiles};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How a table was made.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The table.
    pub table: String,
    /// The machine.
    pub host: String,
    /// The engine's number of the job, if one ran it.
    pub job: Option<String>,
    /// How often the engine had begun it before.
    pub n_restarts: u32,
    /// When it began. Units: seconds since 1970.
    pub started: u64,
    /// How long it took. Units: seconds.
    pub seconds: f64,
    /// The most memory that the process had, if the system says.
    pub peak_bytes: Option<u64>,
    /// The checksum of all values in each column, by its name, such as `KQvKR.dtz50`.
    pub contents: BTreeMap<String, String>,
}

impl Record {
    /// Of a table that is there, made here by a job that began then, or delivered from elsewhere; with what
    /// its files hold and what was recorded of its columns for other metrics.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn new(files: &TableFiles, table: &str, started: Option<SystemTime>) -> Result<Self, LibraryError> {
        let mut contents = StateFolder::new(files.folder()).contents(table);
        for &metric in files.edition().metrics() {
            let content = files.summary(table, metric)?.table_content();
            contents.insert(files.edition().column_name(table, metric), content.to_string());
        }
        let n_restarts = || std::env::var("SLURM_RESTART_COUNT").ok()?.parse().ok();
        let moment = started.unwrap_or_else(SystemTime::now);
        Ok(Record {
            table: table.into(),
            host: LeaseHolder::own().host,
            job: started.and_then(|_| Slurm.own_job()),
            n_restarts: started.and_then(|_| n_restarts()).unwrap_or(0),
            started: moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs(),
            seconds: started.map_or(0.0, |started| started.elapsed().unwrap_or_default().as_secs_f64()),
            peak_bytes: started.and_then(|_| peak_bytes()),
            contents,
        })
    }
}

/// The most memory that this process had.
fn peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Why a table was not made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The table.
    pub table: String,
    /// The machine.
    pub host: String,
    /// The engine's number of the job, if one ran it.
    pub job: Option<String>,
    /// What was said.
    pub message: String,
}

/// The last job of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Submitted {
    /// The engine's number, which its log has too.
    pub job: String,
    /// The memory that it asked for.
    pub memory_bytes: u64,
}

/// The last job of each table by its name, and of the end of the set under [`StateFolder::END`].
pub type SubmittedJobs = BTreeMap<String, Submitted>;

/// The folder of a set's jobs.
#[derive(Clone, Debug)]
pub struct StateFolder {
    path: PathBuf,
}

impl StateFolder {
    /// The name under which the job that ends a set is submitted; no table is called so.
    pub const END: &str = "(finish)";

    /// That of these tables; it need not be there.
    #[must_use]
    pub fn new(tables: &Path) -> Self {
        StateFolder { path: tables.join(".cluster") }
    }

    /// Where the script of a level is.
    #[must_use]
    pub fn script(&self, level: &str) -> PathBuf {
        self.path.join("scripts").join(format!("{level}.sh"))
    }

    /// The folder of what jobs print.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    /// Where what a job prints goes.
    fn log(&self, job: &str) -> PathBuf {
        self.logs().join(format!("{job}.log"))
    }

    /// Writes the script of a level, and makes the folder of its logs.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_script(&self, level: &str, text: &str) -> io::Result<PathBuf> {
        let script = self.script(level);
        script.parent().into_iter().chain([&*self.logs()]).try_for_each(fs::create_dir_all)?;
        replace(&script, text)?;
        Ok(script)
    }

    /// The options of the last submission, in whatever form they were kept; none if there was none.
    ///
    /// # Errors
    /// The file cannot be read, or has something else.
    pub fn request<T: DeserializeOwned>(&self) -> io::Result<Option<T>> {
        self.read("request.json")
    }

    /// Keeps the options of a submission.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_request(&self, options: &impl Serialize) -> io::Result<()> {
        self.write("request.json", options)
    }

    /// The file that is there when the last job has run over the whole set.
    #[must_use]
    pub fn finished(&self) -> PathBuf {
        self.path.join("finished")
    }

    /// Forgets that the last job has run over the set: tables are made again.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget_finished(&self) -> io::Result<()> {
        remove(&self.finished())
    }

    /// Where delivered files go that are wrong.
    #[must_use]
    pub fn quarantine(&self) -> PathBuf {
        self.path.join("quarantine")
    }

    /// Where a delivered table is checked.
    #[must_use]
    pub fn bench(&self, table: &str) -> PathBuf {
        self.path.join(format!("check-{table}"))
    }

    /// The folder of the empty files that say which tables were made.
    #[must_use]
    pub fn stamps(&self) -> PathBuf {
        self.path.join("stamps")
    }

    /// The last jobs of the tables, and those of all these that live.
    ///
    /// # Errors
    /// They cannot be read, or the engine cannot be asked.
    pub fn jobs(&self) -> Result<(SubmittedJobs, Living), SlurmError> {
        let submitted = self.submitted()?;
        let living = Slurm.living(submitted.values().map(|job| &job.job))?;
        Ok((submitted, living))
    }

    /// Submits a script as an array of jobs that begin behind others, each with the tables that it makes; the
    /// array's number. It is kept at once, so that whatever comes next no job is submitted twice.
    ///
    /// # Errors
    /// The engine refuses, or a file cannot be written.
    pub fn submit<'s>(
        &self,
        submitted: &mut SubmittedJobs,
        name: &str,
        script: &str,
        after: impl IntoIterator<Item = &'s String>,
        jobs: Vec<Vec<String>>,
        memory_bytes: u64,
    ) -> Result<String, SlurmError> {
        let script = self.write_script(name, script)?;
        let after: Vec<String> = after.into_iter().cloned().collect();
        let number = Slurm.submit(&script, &after)?;
        for (place, tables) in jobs.into_iter().enumerate() {
            for table in tables {
                self.forget_failure(&table)?;
                submitted.insert(table, Submitted { job: format!("{number}_{place}"), memory_bytes });
            }
        }
        self.write_submitted(submitted)?;
        Ok(number)
    }

    /// Cancels the jobs that live; how many these were, none if no jobs are known. What has ended by itself
    /// stays known; what was never to begin, because of that, has nothing to say.
    ///
    /// # Errors
    /// The engine refuses, or a file cannot be read or written.
    pub fn cancel(&self) -> Result<Option<usize>, SlurmError> {
        let (mut submitted, living) = self.jobs()?;
        if submitted.is_empty() {
            return Ok(None);
        }
        Slurm.cancel(living.keys())?;
        submitted.retain(|_, job| !living.contains_key(&job.job) && self.has_begun(&job.job));
        self.write_submitted(&submitted)?;
        Ok(Some(living.len()))
    }

    /// The last jobs of the tables; nothing if none was submitted.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn submitted(&self) -> io::Result<SubmittedJobs> {
        Ok(self.read("submitted.json")?.unwrap_or_default())
    }

    /// Keeps the last jobs of the tables.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_submitted(&self, submitted: &SubmittedJobs) -> io::Result<()> {
        self.write("submitted.json", submitted)
    }

    /// How a table was made, if that is known.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn record(&self, table: &str) -> io::Result<Option<Record>> {
        self.read(&format!("records/{table}.json"))
    }

    /// Keeps how a table was made; that it once failed is forgotten.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_record(&self, record: &Record) -> io::Result<()> {
        self.write(&format!("records/{}.json", record.table), record)?;
        self.forget_failure(&record.table)
    }

    /// Why a table was not made, if its last attempt could say so.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn failure(&self, table: &str) -> io::Result<Option<Failure>> {
        self.read(&format!("failures/{table}.json"))
    }

    /// Which values the files of a table hold by its record, by their names; nothing if there is none that
    /// can be read.
    #[must_use]
    pub fn contents(&self, table: &str) -> BTreeMap<String, String> {
        self.record(table).ok().flatten().map(|record| record.contents).unwrap_or_default()
    }

    /// Keeps why a table was not made.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_failure(&self, failure: &Failure) -> io::Result<()> {
        self.write(&format!("failures/{}.json", failure.table), failure)
    }

    /// Forgets why a table was not made.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget_failure(&self, table: &str) -> io::Result<()> {
        remove(&self.path.join(format!("failures/{table}.json")))
    }

    /// Whether a job has begun, which has a log then: one whose tables lack others never does.
    #[must_use]
    pub fn has_begun(&self, job: &str) -> bool {
        self.log(job).exists()
    }

    /// The last lines of what a job printed; nothing if there is no log.
    #[must_use]
    pub fn last_lines(&self, job: &str, n_lines: usize) -> Vec<String> {
        let text = tail(&self.log(job)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(n_lines)..].iter().map(|&line| line.to_owned()).collect()
    }

    /// How long ago a file was written, by the clock of the file system, so that clocks of machines may
    /// differ; where nothing can be written, by the clock of this machine.
    ///
    /// # Errors
    /// The file is not there.
    pub fn age(&self, file: &Path) -> io::Result<Duration> {
        let probe = self.path.join(format!("clock-{}", std::process::id()));
        let now = fs::write(&probe, "now").and_then(|()| fs::metadata(&probe)?.modified());
        let _ = fs::remove_file(&probe);
        let written = fs::metadata(file)?.modified()?;
        Ok(now.unwrap_or_else(|_| SystemTime::now()).duration_since(written).unwrap_or_default())
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        let path = self.path.join(name);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let damaged =
            |error| io::Error::other(format!("{} cannot be read ({error}); delete it", path.display()));
        serde_json::from_str(&text).map(Some).map_err(damaged)
    }

    fn write(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        let path = self.path.join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
        replace(&path, &(text + "\n"))
    }
}

/// Removes a file that need not be there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes a file whole or not at all.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let draft = path.with_extension(format!("draft-{}-{}", std::process::id(), moment.as_nanos()));
    fs::write(&draft, text)?;
    fs::rename(&draft, path)
}

/// The last part of a file, however long it is.
fn tail(path: &Path) -> io::Result<String> {
    const BYTES: u64 = 1 << 14;
    let mut file = fs::File::open(path)?;
    let n_bytes = file.metadata()?.len();
    file.seek(SeekFrom::Start(n_bytes.saturating_sub(BYTES)))?;
    let mut bytes = Vec::new();
    file.take(BYTES).read_to_end(&mut bytes)?;
    // Bars write over themselves; only what stayed last was seen.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(text.lines().map(|line| line.rsplit('\r').next().unwrap_or(line)).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{Failure, Record, StateFolder, Submitted};
    use std::collections::BTreeMap;
    use std::fs;

    #[test]
    fn what_is_known_is_read_back() {
        let tables = tempfile::tempdir().expect("a folder");
        let state = StateFolder::new(tables.path());
        assert!(state.submitted().expect("nothing yet").is_empty());
        let job = Submitted { job: "17_0".into(), memory_bytes: 1 << 30 };
        let submitted = BTreeMap::from([("KQvK".to_owned(), job)]);
        state.write_submitted(&submitted).expect("a file");
        assert_eq!(state.submitted().expect("a file"), submitted);
        let failure = Failure {
            table: "KQvK".into(),
            host: "n1".into(),
            job: Some("17".into()),
            message: "the disk is full".into(),
        };
        state.write_failure(&failure).expect("a file");
        assert_eq!(state.failure("KQvK").expect("a file"), Some(failure));
        let record = Record {
            table: "KQvK".into(),
            host: "n1".into(),
            job: None,
            n_restarts: 1,
            started: 1,
            seconds: 0.5,
            peak_bytes: None,
            contents: BTreeMap::from([("KQvK.tsm".into(), "00ff".into())]),
        };
        state.write_record(&record).expect("a file");
        assert_eq!(state.contents("KQvK"), record.contents);
        assert_eq!(state.record("KQvK").expect("a file"), Some(record));
        assert!(state.contents("KRvK").is_empty());
        assert_eq!(state.failure("KQvK").expect("a folder"), None);
        fs::write(tables.path().join(".cluster/submitted.json"), "{").expect("a file");
        let error = state.submitted().expect_err("damaged").to_string();
        assert!(error.contains("submitted.json") && error.contains("delete it"), "{error}");
    }

    #[test]
    fn logs_of_jobs_are_found_by_their_numbers() {
        let tables = tempfile::tempdir().expect("a folder");
        let state = StateFolder::new(tables.path());
        assert!(state.last_lines("17_0", 2).is_empty() && !state.has_begun("17_0"));
        state.write_script("KQvK", "#!/bin/bash\n").expect("a file");
        assert!(!state.has_begun("17_0"));
        // Bars write over themselves, and what is shown is what stayed.
        fs::write(state.log("17_0"), b"one \xff\n10 %\r20 %\r30 %\n\nerror: full\n").expect("a file");
        assert_eq!(state.last_lines("17_0", 2), ["30 %", "error: full"]);
        assert!(state.has_begun("17_0") && !state.has_begun("17_1"));
        assert!(state.age(&state.log("17_0")).expect("a clock").as_secs() < 60);
        let elsewhere = StateFolder::new(&tables.path().join("no folder can be written here"));
        assert!(elsewhere.age(&state.log("17_0")).expect("a clock").as_secs() < 60);
    }
}
