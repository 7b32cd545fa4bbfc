//! Measures the memory that is available: what the machine has left, or the bounds that the system sets.

use std::fs;
use std::path::{Path, PathBuf};
use sysinfo::{MemoryRefreshKind, System};

/// Of what is available so much in a hundred is left to others.
const MARGIN_PERCENT: u64 = 10;

/// The memory that a build may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryLimit {
    /// So much.
    pub bytes: u64,
    /// Whether the caller has asked for this limit; otherwise it is what the machine has left.
    pub is_asked: bool,
    /// What the machine has left now, less a margin.
    pub spare_bytes: u64,
    /// The most that this process could have if nothing else ran: more is never advised.
    pub machine_bytes: u64,
    /// Whether it is a bound of the system (`ulimit`, a control group) that leaves so little, and not what
    /// other programs take.
    pub is_bound: bool,
}

impl MemoryLimit {
    /// What is asked for, else what is available less a margin.
    #[must_use]
    pub fn new(asked_bytes: Option<u64>) -> Self {
        let Measured { left_bytes, most_bytes, is_bound } = Measured::now(Path::new("/"));
        let (spare_bytes, machine_bytes) = (less_margin(left_bytes), less_margin(most_bytes));
        let bytes = asked_bytes.unwrap_or(spare_bytes);
        MemoryLimit { bytes, is_asked: asked_bytes.is_some(), spare_bytes, machine_bytes, is_bound }
    }

    /// Whether a run that is allowed so much could have it: what a caller asks for is allowed, but never
    /// advised where the machine has not that much.
    #[must_use]
    pub fn can_be_had(&self, bytes: u64) -> bool {
        bytes <= self.spare_bytes
    }
}

fn less_margin(bytes: u64) -> u64 {
    bytes - bytes / 100 * MARGIN_PERCENT
}

/// The memory that is available to this process: what the machine has left, or less if a group of processes
/// that this one was put into, or a limit of its own, allows less.
#[must_use]
pub fn available_bytes() -> u64 {
    Measured::now(Path::new("/")).left_bytes
}

/// The memory of this process.
///
/// Units: bytes.
struct Measured {
    /// What is left for it now.
    left_bytes: u64,
    /// What it could have at most.
    most_bytes: u64,
    /// Whether a bound leaves less than the machine does.
    is_bound: bool,
}

impl Measured {
    /// Asks the system; `root` holds the folders `proc` and `sys`.
    fn now(root: &Path) -> Self {
        let mut system = System::new();
        system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
        let machine = match system.total_memory() {
            // A system that does not say is trusted to have enough.
            0 => Measured { left_bytes: u64::MAX, most_bytes: u64::MAX, is_bound: false },
            total => Measured { left_bytes: system.available_memory(), most_bytes: total, is_bound: false },
        };
        bounds(root).into_iter().fold(machine, |all, bound| Measured {
            left_bytes: all.left_bytes.min(bound.left_bytes),
            most_bytes: all.most_bytes.min(bound.most_bytes),
            is_bound: all.is_bound || bound.left_bytes < all.left_bytes,
        })
    }
}

/// A limit and what it leaves.
///
/// Units: bytes.
///
/// A process belongs to a control group, and that group to others: each may have a limit, and the tightest
/// one kills. `/proc/self/cgroup` names the group, `/proc/self/mountinfo` says where its folder is, in a
/// container too, and every folder from there up to the mount is read:
///
/// ```text
///   version 2:  0::/jobs/night      /sys/fs/cgroup/jobs/night/memory.max, …/jobs/memory.max
///   version 1:  4:memory:/jobs      /sys/fs/cgroup/memory/jobs/memory.limit_in_bytes, …
/// ```
///
/// Everything is read from files, whose root is given, so that tests make trees up. On other systems there
/// are no such files and so no bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bound {
    /// The limit.
    most_bytes: u64,
    /// What is left below it.
    left_bytes: u64,
}

/// Each thread of a program reserves so much of the address space for what it allocates.
const ARENA_BYTES: u64 = 64 << 20;

/// All bounds of this process; `root` holds the folders `proc` and `sys`.
fn bounds(root: &Path) -> Vec<Bound> {
    let mut bounds = group_bounds(root);
    bounds.extend(resource_bounds(root));
    bounds
}

/// The versions of control groups, with the names of their files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    /// The type of its file system.
    fn file_system(self) -> &'static str {
        match self {
            Version::One => "cgroup",
            Version::Two => "cgroup2",
        }
    }

    /// The files with limits. Above `memory.high` a process is not killed but hardly moves any more.
    fn limits(self) -> &'static [&'static str] {
        match self {
            Version::One => &["memory.limit_in_bytes"],
            Version::Two => &["memory.max", "memory.high"],
        }
    }

    fn usage(self) -> &'static str {
        match self {
            Version::One => "memory.usage_in_bytes",
            Version::Two => "memory.current",
        }
    }

    /// The lines of `memory.stat` that count files which are in memory only because they were read or
    /// written: these count as used, and would leave at once.
    fn files(self) -> [&'static str; 2] {
        match self {
            Version::One => ["total_inactive_file", "total_active_file"],
            Version::Two => ["inactive_file", "active_file"],
        }
    }
}

fn group_bounds(root: &Path) -> Vec<Bound> {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let (groups, mounts) = (read("proc/self/cgroup"), read("proc/self/mountinfo"));
    let mut bounds = Vec::new();
    for line in groups.lines() {
        // The number of the hierarchy, its controllers, and the path of the group.
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(group)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let version = match controllers {
            "" => Version::Two,
            some if some.split(',').any(|name| name == "memory") => Version::One,
            _ => continue,
        };
        for mount in mounts.lines().filter_map(|line| Mount::parse(line, version)) {
            let top = root.join(mount.point.trim_start_matches('/'));
            // A container may see its own group as the top.
            let below = Path::new(group).strip_prefix(&mount.root).unwrap_or(Path::new(""));
            let is_plain = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
            let own = if is_plain { top.join(below) } else { top.clone() };
            let folders = own.ancestors().take_while(|folder| folder.starts_with(&top));
            bounds.extend(folders.flat_map(|folder| folder_bounds(folder, version)));
        }
    }
    bounds
}

/// Where the folders of control groups are.
struct Mount {
    /// The group that is the top of what is seen.
    root: PathBuf,
    /// Its folder.
    point: String,
}

impl Mount {
    /// The mount in a line of `mountinfo`, if it has the groups of this version that limit memory.
    fn parse(line: &str, version: Version) -> Option<Self> {
        let (fields, more) = line.split_once(" - ")?;
        let mut more = more.split(' ');
        let (file_system, options) = (more.next()?, more.nth(1).unwrap_or_default());
        let has_memory = version == Version::Two || options.split(',').any(|option| option == "memory");
        let mut fields = fields.split(' ').skip(3).map(|field| field.replace("\\040", " "));
        let mount = Mount { root: fields.next()?.into(), point: fields.next()? };
        (file_system == version.file_system() && has_memory).then_some(mount)
    }
}

/// The bounds that one group sets.
fn folder_bounds(folder: &Path, version: Version) -> Vec<Bound> {
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let in_stat = |wanted: &str| {
        let lines = stat.lines().filter_map(|line| line.split_once(' '));
        lines.filter(|(name, _)| *name == wanted).find_map(|(_, n)| n.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    let files: u64 = version.files().into_iter().map(in_stat).sum();
    let used_bytes = number(version.usage()).unwrap_or(0).saturating_sub(files);
    let limits = version.limits().iter().filter_map(|name| number(name));
    limits.map(|most| Bound { most_bytes: most, left_bytes: most.saturating_sub(used_bytes) }).collect()
}

/// The limits that `ulimit -v` and `ulimit -d` set.
fn resource_bounds(root: &Path) -> Vec<Bound> {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let (limits, status) = (read("proc/self/limits"), read("proc/self/status"));
    let limit = |name: &str| {
        let rest = limits.lines().find_map(|line| line.strip_prefix(name))?;
        rest.split_whitespace().next()?.parse::<u64>().ok()
    };
    let used = |name: &str| {
        let rest = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        rest.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 1024
    };
    // The threads that compute and those that wait for files; they do with less where there is no more.
    let n_threads = 2 * std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let bound = |(limit_name, used_name): (&str, &str)| {
        let most_bytes = limit(limit_name)?;
        let free_bytes = most_bytes.saturating_sub(used(used_name));
        let arenas = (n_threads * ARENA_BYTES).min(free_bytes / 2);
        Some(Bound { most_bytes: most_bytes - arenas, left_bytes: free_bytes - arenas })
    };
    [("Max address space", "VmSize:"), ("Max data size", "VmData:")].into_iter().filter_map(bound).collect()
}

#[cfg(test)]
mod tests;
