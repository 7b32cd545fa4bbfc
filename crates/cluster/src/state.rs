//! Keeps what is known of a set's jobs in files beside the tables, so that whoever sees the folder sees it.
//!
//! ```text
//! .cluster/scripts/KQvK+17.sh    what was submitted
//! .cluster/logs/KQvK+17.log      what its jobs printed
//! .cluster/request.json          the options of the last submission
//! .cluster/submitted.json        the engine's number of each table's last job
//! .cluster/finished              that the last job has run over the whole set
//! .cluster/records/KQvK.json     how a table was made: where, when, with how much memory, and its content
//! .cluster/failures/KQvK.json    why a table was not made, in the last attempt that could still say it
//! .cluster/audits/2-of-4.json    what a part of an audit has found
//! .cluster/quarantine/           delivered files that are wrong
//! .cluster/stamps/KQvK           that a table was made, for engines that look at times of files
//! ```

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
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
    /// The checksum of all values in each file, by its name.
    pub contents: BTreeMap<String, String>,
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
    /// The engine's number.
    pub job: String,
    /// The name of its bundle, which its script and its log have too.
    pub bundle: String,
    /// The memory that it asked for.
    pub memory_bytes: u64,
    /// How many jobs before it have failed since somebody submitted the table himself.
    #[serde(default)]
    pub n_failed: u32,
}

/// What a part of an audit has found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Audit {
    /// Which part it is, from 1.
    pub part: u64,
    /// Of how many.
    pub n_parts: u64,
    /// The machine.
    pub host: String,
    /// How many files were compared.
    pub n_files: u64,
    /// How many placements were derived again, both sides to move together.
    pub n_derived: u64,
    /// What is wrong.
    pub faults: Vec<String>,
}

/// The folder of what parts of an audit have found.
const AUDITS: &str = "audits";

/// The folder of a set's jobs.
#[derive(Clone, Debug)]
pub struct StateFolder {
    path: PathBuf,
}

impl StateFolder {
    /// That of these tables; it need not be there.
    #[must_use]
    pub fn new(tables: &Path) -> Self {
        StateFolder { path: tables.join(".cluster") }
    }

    /// Where the script of a bundle is.
    #[must_use]
    pub fn script(&self, bundle: &str) -> PathBuf {
        self.path.join("scripts").join(format!("{bundle}.sh"))
    }

    /// Where what a bundle's jobs print goes.
    #[must_use]
    pub fn log(&self, bundle: &str) -> PathBuf {
        self.path.join("logs").join(format!("{bundle}.log"))
    }

    /// Writes the script of a bundle, and makes the folder of its log.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_script(&self, bundle: &str, text: &str) -> io::Result<()> {
        let (script, log) = (self.script(bundle), self.log(bundle));
        script.parent().into_iter().chain(log.parent()).try_for_each(fs::create_dir_all)?;
        replace(&script, text)
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

    /// What the parts of the last audit have found, in no order.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn audits(&self) -> io::Result<Vec<Audit>> {
        let entries = match fs::read_dir(self.path.join(AUDITS)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut audits = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            // What is being written has another name.
            if name.ends_with(".json") {
                audits.extend(self.read(&format!("{AUDITS}/{name}"))?);
            }
        }
        Ok(audits)
    }

    /// Keeps what a part of an audit has found.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_audit(&self, audit: &Audit) -> io::Result<()> {
        self.write(&format!("{AUDITS}/{}-of-{}.json", audit.part, audit.n_parts), audit)
    }

    /// Forgets an audit, before a new one.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget_audits(&self) -> io::Result<()> {
        match fs::remove_dir_all(self.path.join(AUDITS)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The last jobs of the tables; nothing if none was submitted.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn submitted(&self) -> io::Result<BTreeMap<String, Submitted>> {
        Ok(self.read("submitted.json")?.unwrap_or_default())
    }

    /// Keeps the last jobs of the tables.
    ///
    /// # Errors
    /// What the system says.
    pub fn write_submitted(&self, submitted: &BTreeMap<String, Submitted>) -> io::Result<()> {
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

    /// Whether a job has begun, as its log says: one whose tables lack others never does.
    #[must_use]
    pub fn has_begun(&self, job: &Submitted) -> bool {
        let Ok(log) = fs::File::open(self.log(&job.bundle)) else { return false };
        let mark = begun(&job.job);
        let mut lines = BufReader::new(log).split(b'\n').map_while(Result::ok);
        lines.any(|line| line.windows(mark.len()).any(|words| words == mark.as_bytes()))
    }

    /// The last lines of what a bundle's jobs printed; nothing if there is no log.
    #[must_use]
    pub fn last_lines(&self, bundle: &str, n_lines: usize) -> Vec<String> {
        let text = tail(&self.log(bundle)).unwrap_or_default();
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

/// What a job's script prints first into its log.
pub(crate) fn begun(job: &str) -> String {
    format!(": job {job}, start ")
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
    use super::{Audit, Failure, Record, StateFolder, Submitted};
    use std::collections::BTreeMap;
    use std::fs;

    #[test]
    fn what_is_known_is_read_back() {
        let tables = tempfile::tempdir().expect("a folder");
        let state = StateFolder::new(tables.path());
        assert!(state.submitted().expect("nothing yet").is_empty());
        let job = Submitted { job: "17".into(), bundle: "KQvK".into(), memory_bytes: 1 << 30, n_failed: 1 };
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
    fn audits_are_read_back_and_forgotten() {
        let tables = tempfile::tempdir().expect("a folder");
        let state = StateFolder::new(tables.path());
        assert_eq!(state.audits().expect("nothing yet"), []);
        let faults = vec!["KQvK.tsm is damaged in block 3".to_owned()];
        let audit = Audit { part: 2, n_parts: 3, host: "n1".into(), n_files: 12, n_derived: 4000, faults };
        state.write_audit(&audit).expect("a file");
        // A job that is run again says it anew.
        state.write_audit(&audit).expect("a file");
        fs::write(tables.path().join(".cluster/audits/3-of-3.draft-1-2"), "{").expect("a draft");
        assert_eq!(state.audits().expect("a file"), [audit]);
        state.forget_audits().expect("a folder");
        assert_eq!(state.audits().expect("nothing again"), []);
        state.forget_audits().expect("nothing to forget");
    }

    #[test]
    fn last_lines_of_a_log_are_those_that_were_seen() {
        let tables = tempfile::tempdir().expect("a folder");
        let state = StateFolder::new(tables.path());
        assert!(state.last_lines("KQvK", 2).is_empty());
        state.write_script("KQvK", "#!/bin/bash\n").expect("a file");
        fs::write(state.log("KQvK"), "one\n10 %\r20 %\r30 %\n\nerror: full\n").expect("a file");
        assert_eq!(state.last_lines("KQvK", 2), ["30 %", "error: full"]);
        assert!(state.age(&state.log("KQvK")).expect("a clock").as_secs() < 60);
        let elsewhere = StateFolder::new(&tables.path().join("nobody can write here"));
        assert!(elsewhere.age(&state.log("KQvK")).expect("a clock").as_secs() < 60);
    }

    #[test]
    fn job_has_begun_when_its_log_says_so() {
        let tables = tempfile::tempdir().expect("a folder");
        let state = StateFolder::new(tables.path());
        let job = |number: &str| Submitted {
            job: number.into(),
            bundle: "KQvK".into(),
            memory_bytes: 0,
            n_failed: 0,
        };
        assert!(!state.has_begun(&job("17")));
        state.write_script("KQvK", "#!/bin/bash\n").expect("a file");
        fs::write(state.log("KQvK"), b"\xff\n2026-11-23 05:00:00 n1: job 17, start 0\n").expect("a file");
        assert!(state.has_begun(&job("17")) && !state.has_begun(&job("7")) && !state.has_begun(&job("1")));
    }
}
