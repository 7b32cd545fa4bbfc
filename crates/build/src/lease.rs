//! Leases a table to one writer among several processes, on one machine or on a shared file system.
//!
//! A lease is a small file beside the table: `.KQvK.tsm.lease`. It is made by a hard link, which succeeds
//! for one process only, also on NFS. Its holder renews it every few seconds. A process that waits for it
//! watches it by its own clock: a lease that has not changed for [`LEASE_TIMEOUT`] belongs to a process that
//! is gone, and so does one of a process of this very machine that no longer runs. Only time in which the
//! folder answers counts, so that a file server that stands still for minutes makes no process seem gone.
//!
//! No value depends on a lease: files are written under another name and renamed, and two writers of one
//! table write the same bytes. It only saves the work of the second. A log has one writer at a time all the
//! same: a process that takes a lease over goes on with a copy of the log, and one that has lost it stops.

use library::LibraryError;
use parking_lot::{Condvar, Mutex};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{fs, io};

/// How often a holder renews its lease.
const RENEWAL: Duration = Duration::from_secs(10);

/// What renews a lease needs little.
const RENEWER_STACK_BYTES: usize = 256 << 10;

/// A lease that has not been renewed for so long is no process's any more. The caches of a network file
/// system may lag by a minute.
pub const LEASE_TIMEOUT: Duration = Duration::from_secs(90);

/// How often a process that waits looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// So much counts of the time between two looks, however long the folder has not answered.
const MOST_COUNTED: Duration = Duration::from_secs(2);

/// How the files of leases end: whole, before they have their name, and taken away from it.
const LEASE: &str = "lease";
const DRAFT: &str = "draft-";
const ASIDE: &str = "gone-";

/// Who holds a lease, as its file says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeaseHolder {
    /// The name of the machine.
    pub host: String,
    /// The process there.
    pub process: u32,
    /// What tells the lives of a process number apart: the machine's start and the process's name space.
    scope: String,
}

impl LeaseHolder {
    /// This process.
    #[must_use]
    pub fn own() -> Self {
        let host = sysinfo::System::host_name().unwrap_or_else(|| "unknown".into());
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let space = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        let scope = format!("{}{}", boot.trim(), space.display());
        LeaseHolder { host: one_word(&host), process: std::process::id(), scope: one_word(&scope) }
    }

    /// The first words of a lease's file.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let (host, process, scope) = (words.next()?, words.next()?, words.next()?);
        Some(LeaseHolder { host: host.into(), process: process.parse().ok()?, scope: scope.into() })
    }

    /// Who writes the draft of a lease whose file ends so, taken for a process of this machine's present
    /// life: what the draft itself says may not have been written yet.
    fn of_draft(extension: &str) -> Option<Self> {
        let mut parts = extension.strip_prefix(DRAFT)?.rsplitn(3, '-').skip(1);
        let (process, host) = (parts.next()?.parse().ok()?, parts.next()?.into());
        Some(LeaseHolder { host, process, scope: LeaseHolder::own().scope })
    }

    /// Whether the process is one of this machine and does not run.
    fn is_gone(&self) -> bool {
        let own = LeaseHolder::own();
        let is_near = self.host == own.host && self.scope == own.scope && Path::new("/proc/self").exists();
        is_near && !Path::new("/proc").join(self.process.to_string()).exists()
    }
}

/// A word without spaces, so that a line can be read back.
fn one_word(text: &str) -> String {
    let word: String =
        text.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    if word.is_empty() { "-".into() } else { word }
}

/// A table that no other process writes. Dropping it gives it back.
#[derive(Debug)]
pub struct TableLease {
    path: PathBuf,
    /// What the file said last; its first words do not change.
    mark: String,
    /// Whether another process had it that has not renewed it, but may live.
    is_taken_over: bool,
    renewal: Arc<Renewal>,
    renewer: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
pub(crate) struct Renewal {
    is_over: Mutex<bool>,
    changed: Condvar,
    is_lost: AtomicBool,
}

impl Renewal {
    /// Whether another process has taken the lease over.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }
}

/// How long a lease that a process waits for has not changed.
#[derive(Default)]
struct Watch {
    seen: Option<String>,
    unchanged: Duration,
}

impl Watch {
    /// The lease says this now, so long after the last look: what it says if it is no process's any more.
    fn look(&mut self, now: Option<String>, since_last: Duration) -> Option<&str> {
        if now == self.seen {
            self.unchanged += since_last.min(MOST_COUNTED);
        } else {
            (self.seen, self.unchanged) = (now, Duration::ZERO);
        }
        self.seen.as_deref().filter(|_| self.unchanged > LEASE_TIMEOUT)
    }
}

impl TableLease {
    /// Leases the table whose file this is if no other process has it; otherwise who has.
    ///
    /// # Errors
    /// No file can be made in the folder.
    pub fn try_new(table: &Path) -> Result<Result<Self, Option<LeaseHolder>>, LibraryError> {
        let path = lease_path(table);
        if let Some(lease) = TableLease::create(&path)? {
            return Ok(Ok(lease));
        }
        let Some(seen) = read(&path) else {
            // It was given back in between.
            return Ok(TableLease::create(&path)?.ok_or(None));
        };
        let holder = LeaseHolder::parse(&seen);
        if holder.as_ref().is_some_and(LeaseHolder::is_gone) && remove_if(&path, &seen) {
            return Ok(TableLease::create(&path)?.ok_or(holder));
        }
        Ok(Err(holder))
    }

    /// Leases the table whose file this is, and waits while another process has it. `wait` is called with
    /// the other's name, first when the waiting begins and then from time to time, and ends it by returning
    /// false.
    ///
    /// None if the waiting was ended.
    ///
    /// # Errors
    /// As [`TableLease::try_new`].
    pub fn wait(
        table: &Path,
        wait: &mut dyn FnMut(Option<&LeaseHolder>) -> bool,
    ) -> Result<Option<Self>, LibraryError> {
        let path = lease_path(table);
        let (mut watch, mut looked, mut is_taken_over) = (Watch::default(), Instant::now(), false);
        loop {
            let holder = match TableLease::try_new(table)? {
                Ok(mut lease) => {
                    lease.is_taken_over = is_taken_over;
                    return Ok(Some(lease));
                }
                Err(holder) => holder,
            };
            let now = read(&path);
            if let Some(text) = watch.look(now, looked.elapsed()) {
                is_taken_over |= remove_if(&path, text);
                (watch, looked) = (Watch::default(), Instant::now());
                continue;
            }
            looked = Instant::now();
            if !wait(holder.as_ref()) {
                return Ok(None);
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// A lease that no process had; none if another process has it.
    fn create(path: &Path) -> Result<Option<Self>, LibraryError> {
        static N_LEASES: AtomicU64 = AtomicU64::new(0);
        let number = N_LEASES.fetch_add(1, Ordering::Relaxed);
        let LeaseHolder { host, process, scope } = LeaseHolder::own();
        let mark = format!("{host} {process} {scope} {number}");
        let error = LibraryError::io("make the lease", path);
        // Whole before it has its name, so that no reader reads half of it.
        let draft = path.with_extension(format!("{DRAFT}{host}-{process}-{number}"));
        let is_new = write_new(&draft, &line(&mark, 0)).and_then(|()| {
            let linked = fs::hard_link(&draft, path);
            // A draft that stays is recognised later.
            let _ = fs::remove_file(&draft);
            match linked {
                Ok(()) => Ok(true),
                // A server that was asked twice, because its first answer got lost, has linked it before.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    Ok(read(path).is_some_and(|text| is_of(&text, &mark)))
                }
                // A file system without hard links.
                Err(_) => match write_new(path, &line(&mark, 0)) {
                    Ok(()) => Ok(true),
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                    Err(error) => Err(error),
                },
            }
        });
        if !is_new.map_err(error)? {
            return Ok(None);
        }
        let renewal = Arc::<Renewal>::default();
        let thread = {
            let (renewal, path, mark) = (renewal.clone(), path.to_path_buf(), mark.clone());
            let thread = std::thread::Builder::new().stack_size(RENEWER_STACK_BYTES);
            thread.spawn(move || renew(&renewal, &path, &mark, RENEWAL))
        };
        // The system may refuse a thread where memory is short; a lease that no process renews is none.
        let thread = thread.map_err(|refused| {
            let _ = fs::remove_file(path);
            LibraryError::io("renew the lease", path)(refused)
        })?;
        let (path, renewer) = (path.into(), Some(thread));
        Ok(Some(TableLease { path, mark, is_taken_over: false, renewal, renewer }))
    }

    /// Whether another process had it that has not renewed it for too long, but may live all the same.
    pub(crate) fn is_taken_over(&self) -> bool {
        self.is_taken_over
    }

    /// Says from now on whether another process has taken the lease over.
    pub(crate) fn renewal(&self) -> Arc<Renewal> {
        self.renewal.clone()
    }
}

impl Drop for TableLease {
    fn drop(&mut self) {
        if let Some(thread) = self.renewer.take() {
            *self.renewal.is_over.lock() = true;
            self.renewal.changed.notify_all();
            // A renewer that has panicked has nothing more to do.
            let _ = thread.join();
        }
        // A process may have taken it over that thought this process gone.
        if read(&self.path).is_some_and(|text| is_of(&text, &self.mark)) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes the lease again and again until it is over or another process's.
fn renew(renewal: &Renewal, path: &Path, mark: &str, interval: Duration) {
    let mut is_over = renewal.is_over.lock();
    for n_renewals in 1.. {
        renewal.changed.wait_while_for(&mut is_over, |is_over| !*is_over, interval);
        if *is_over {
            return;
        }
        match fs::read_to_string(path) {
            Ok(text) if is_of(&text, mark) => {}
            // What cannot be read now may be next time.
            Err(error) if error.kind() != io::ErrorKind::NotFound => continue,
            _ => return renewal.is_lost.store(true, Ordering::Relaxed),
        }
        // What cannot be written now may be next time; in the end others may take it over.
        let _ = fs::write(path, line(mark, n_renewals));
    }
}

/// Names the file of the lease of the table whose file this is.
#[must_use]
pub fn lease_path(table: &Path) -> PathBuf {
    let name = table.file_name().unwrap_or_default().to_string_lossy();
    table.with_file_name(format!(".{name}.{LEASE}"))
}

/// Whether the table whose file this is is leased to a process that may be alive, and to whom.
#[must_use]
pub fn lease_holder(table: &Path) -> Option<LeaseHolder> {
    let holder = LeaseHolder::parse(&read(&lease_path(table))?)?;
    (!holder.is_gone()).then_some(holder)
}

/// Whether a process has leased the table that a file in its folder belongs to.
pub(crate) fn is_leased(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let start = format!(".{}.", name.split('.').next().unwrap_or_default());
    let entries = file.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).any(|name| {
        name.starts_with(&start) && name.strip_suffix(LEASE).is_some_and(|name| name.ends_with('.'))
    })
}

/// Removes what processes of this machine that are gone have left of leases in a folder.
pub(crate) fn remove_abandoned(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The name of a machine may have dots.
        let draft = name.find(&format!(".{DRAFT}")).map(|at| &name[at + 1..]);
        let end = path.extension().unwrap_or_default().to_string_lossy();
        let is_of_lease =
            name.starts_with('.') && (end == LEASE || draft.is_some() || end.starts_with(ASIDE));
        let Some(text) = is_of_lease.then(|| read(&path)).flatten() else { continue };
        let holder = LeaseHolder::parse(&text).or_else(|| LeaseHolder::of_draft(draft?));
        if holder.is_some_and(|holder| holder.is_gone()) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn line(mark: &str, n_renewals: u64) -> String {
    format!("{mark} {n_renewals}\n")
}

/// Whether a lease's text is of the lease with this mark.
fn is_of(text: &str, mark: &str) -> bool {
    text.strip_prefix(mark).is_some_and(|rest| rest.starts_with(' '))
}

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    File::create_new(path)?.write_all(text.as_bytes())
}

/// Takes a lease away if it still says this; whether it is gone. One that another process has made meanwhile
/// is put back.
fn remove_if(path: &Path, seen: &str) -> bool {
    let aside = path.with_extension(format!("{ASIDE}{}", std::process::id()));
    if fs::rename(path, &aside).is_err() {
        return false;
    }
    let is_it = read(&aside).as_deref() == Some(seen);
    if !is_it {
        let _ = fs::hard_link(&aside, path);
    }
    let _ = fs::remove_file(&aside);
    is_it
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_leased_to_one_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let table = folder.path().join("KQvK.tsm");
        let first = TableLease::try_new(&table).expect("a lease").expect("no other holder");
        let holder = TableLease::try_new(&table).expect("a folder").expect_err("it is leased");
        assert_eq!(holder, Some(LeaseHolder::own()));
        assert_eq!(lease_holder(&table), holder);
        let other = folder.path().join("KRvK.tsm");
        assert!(TableLease::try_new(&other).expect("a lease").is_ok(), "of another table");
        let mut n_waits = 0;
        let ended = TableLease::wait(&table, &mut |holder| {
            n_waits += 1;
            holder.is_some_and(|holder| holder.process != std::process::id())
        });
        assert!(ended.expect("a folder").is_none() && n_waits == 1);
        drop(first);
        assert_eq!(lease_holder(&table), None);
        assert!(TableLease::wait(&table, &mut |_| false).expect("a lease").is_some());
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing stays");
    }

    #[test]
    fn lease_of_a_process_that_is_gone_is_taken_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let table = folder.path().join("KQvK.tsm");
        let own = LeaseHolder::own();
        // No process has this number: they end at 2²².
        let gone = format!("{} 4999999 {} 0 7\n", own.host, own.scope);
        fs::write(lease_path(&table), &gone).expect("a file");
        assert_eq!(lease_holder(&table), None);
        remove_abandoned(folder.path()).expect("a folder");
        assert_eq!(read(&lease_path(&table)), None);
        // One was killed before it had written a word.
        let draft = |process| lease_path(&table).with_extension(format!("{DRAFT}{}-{process}-20", own.host));
        let of_draft = LeaseHolder::of_draft(&format!("{DRAFT}node-1.local-7-20"));
        assert_eq!(of_draft.map(|holder| (holder.host, holder.process)), Some(("node-1.local".into(), 7)));
        fs::write(draft(4_999_999), "").expect("a file");
        fs::write(draft(own.process), "").expect("a file");
        remove_abandoned(folder.path()).expect("a folder");
        assert!(!draft(4_999_999).exists() && draft(own.process).exists());
        fs::write(lease_path(&table), &gone).expect("a file");
        assert!(TableLease::try_new(&table).expect("a lease").is_ok());
        // Whether a process of another machine lives is not known yet.
        fs::write(lease_path(&table), gone.replacen(&own.host, "elsewhere", 1)).expect("a file");
        remove_abandoned(folder.path()).expect("a folder");
        let holder = TableLease::try_new(&table).expect("a folder").expect_err("it may be alive");
        assert_eq!(holder.map(|holder| holder.host).as_deref(), Some("elsewhere"));
    }

    #[test]
    fn holder_sees_that_its_lease_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".KQvK.tsm.lease");
        fs::write(&path, "here 1 scope 0 0\n").expect("a file");
        let renewal = Renewal::default();
        std::thread::scope(|scope| {
            scope.spawn(|| renew(&renewal, &path, "here 1 scope 0", Duration::from_millis(1)));
            while read(&path).is_none_or(|text| text.is_empty() || text.ends_with(" 0\n")) {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(!renewal.is_lost());
            // A renewal that was on its way may come after it.
            while !renewal.is_lost() {
                fs::write(&path, "elsewhere 1 scope 0 0\n").expect("a file");
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        assert_eq!(read(&path).as_deref(), Some("elsewhere 1 scope 0 0\n"));
    }

    #[test]
    fn only_time_in_which_the_folder_answers_counts() {
        let lease = |n: u64| Some(format!("elsewhere 1 scope 0 {n}\n"));
        let (mut watch, second) = (Watch::default(), Duration::from_secs(1));
        assert_eq!(watch.look(lease(0), second), None);
        // The server stands still for an hour, and goes on with what it said before.
        assert_eq!(watch.look(lease(0), 3600 * second), None);
        for _ in 0..85 {
            assert_eq!(watch.look(lease(0), second), None);
        }
        assert_eq!(watch.look(lease(1), second), None, "it was renewed");
        for _ in 0..90 {
            assert_eq!(watch.look(lease(1), second), None);
        }
        assert_eq!(watch.look(lease(1), second), lease(1).as_deref());
        assert_eq!(watch.look(None, second), None, "it was given back");
        (0..200).for_each(|_| assert_eq!(watch.look(None, second), None));
    }

    #[test]
    fn lease_that_was_taken_over_is_left_to_its_new_holder() {
        let folder = tempfile::tempdir().expect("a folder");
        let table = folder.path().join("KQvK.tsm");
        let first = TableLease::try_new(&table).expect("a lease").expect("no other holder");
        let text = "elsewhere 1 scope 0 0\n";
        fs::write(lease_path(&table), text).expect("a file");
        drop(first);
        assert_eq!(read(&lease_path(&table)).as_deref(), Some(text));
        assert!(!remove_if(&lease_path(&table), "something else"));
        assert_eq!(read(&lease_path(&table)).as_deref(), Some(text), "put back");
    }
}
