//! Reads the bounds that Linux sets to this process's memory: control groups and resource limits.
//!
//! A process belongs to a control group, and that group to others: each may have a limit, and the tightest
//! one kills. `/proc/self/cgroup` names the group, `/proc/self/mountinfo` says where its folder is, in a
//! container too, and every folder from there up to the mount is read:
//!
//! ```text
//!   version 2:  0::/jobs/night      /sys/fs/cgroup/jobs/night/memory.max, …/jobs/memory.max
//!   version 1:  4:memory:/jobs      /sys/fs/cgroup/memory/jobs/memory.limit_in_bytes, …
//! ```
//!
//! Everything is read from files, whose root is given, so that tests make trees up. On other systems there
//! are no such files and so no bounds.

use std::fs;
use std::path::{Path, PathBuf};

/// A limit and what it leaves.
///
/// Units: bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    /// The limit.
    pub(super) most_bytes: u64,
    /// What is left below it.
    pub(super) left_bytes: u64,
}

/// Each thread of a program reserves so much of the address space for what it allocates.
const ARENA_BYTES: u64 = 64 << 20;

/// All bounds of this process; `root` holds the folders `proc` and `sys`.
pub(super) fn bounds(root: &Path) -> Vec<Bound> {
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
mod tests {
    use super::{ARENA_BYTES, Bound, bounds};
    use std::fs;
    use std::path::Path;

    /// A tree of files as the system has them, gone when the test is over.
    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new(files: &[(&str, &str)]) -> Self {
            let tree = Tree(tempfile::tempdir().expect("a folder for temporary files"));
            files.iter().for_each(|(path, text)| tree.write(path, text));
            tree
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
            fs::write(path, text).expect("a file is written");
        }

        #[track_caller]
        fn check(&self, expected: &[(u64, u64)]) {
            let expected: Vec<Bound> =
                expected.iter().map(|&(most_bytes, left_bytes)| Bound { most_bytes, left_bytes }).collect();
            assert_eq!(bounds(self.0.path()), expected);
        }
    }

    const MOUNT_2: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
    const MOUNT_1: &str = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                           35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

    #[test]
    fn every_group_on_the_way_up_counts() {
        let tree = Tree::new(&[
            ("proc/self/cgroup", "0::/jobs/night\n"),
            ("proc/self/mountinfo", MOUNT_2),
            ("sys/fs/cgroup/jobs/memory.max", "900\n"),
            ("sys/fs/cgroup/jobs/memory.current", "800\n"),
            ("sys/fs/cgroup/jobs/memory.stat", "anon 100\ninactive_file 400\nactive_file 300\n"),
            ("sys/fs/cgroup/jobs/night/memory.max", "max\n"),
            ("sys/fs/cgroup/jobs/night/memory.high", "500\n"),
            ("sys/fs/cgroup/jobs/night/memory.current", "20\n"),
            // Somebody else's.
            ("sys/fs/cgroup/jobs/day/memory.max", "5\n"),
        ]);
        tree.check(&[(500, 480), (900, 800)]);
    }

    #[test]
    fn groups_of_version_1_have_a_hierarchy_of_their_own() {
        let tree = Tree::new(&[
            ("proc/self/cgroup", "9:name=systemd:/\n4:memory:/one/two\n1:cpu:/else\n0::/\n"),
            ("proc/self/mountinfo", MOUNT_1),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/one/memory.limit_in_bytes", "1000\n"),
            ("sys/fs/cgroup/memory/one/memory.usage_in_bytes", "400\n"),
            ("sys/fs/cgroup/memory/one/memory.stat", "total_inactive_file 40\ntotal_active_file 60\n"),
            ("sys/fs/cgroup/memory/one/two/memory.limit_in_bytes", "45\n"),
            ("sys/fs/cgroup/memory/one/two/memory.usage_in_bytes", "50\n"),
        ]);
        tree.check(&[(45, 0), (1000, 700), (9_223_372_036_854_771_712, 9_223_372_036_854_771_712)]);
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_top() {
        let limit = ("sys/fs/cgroup/memory/memory.limit_in_bytes", "70\n");
        let own = ("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "60\n");
        for (group, mounted, expected) in [
            ("/docker/a1/job", "/docker/a1", &[(60, 60), (70, 70)][..]),
            ("/docker/a1", "/docker/a1", &[(70, 70)]),
            ("/../elsewhere", "/docker/a1", &[(70, 70)]),
            ("/../..", "/", &[(70, 70)]),
        ] {
            let mounts = format!("35 31 0:32 {mounted} /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
            let groups = format!("4:memory:{group}\n");
            let files = [("proc/self/cgroup", groups.as_str()), ("proc/self/mountinfo", &mounts), limit, own];
            Tree::new(&files).check(expected);
        }
    }

    #[test]
    fn resource_limits_count_what_is_used_already() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max data size             unlimited            unlimited            bytes     \n\
                      Max address space         1000000000000        unlimited            bytes     \n";
        let status = "Name:\ttablesmith\nVmSize:\t    1000 kB\nVmData:\t     292 kB\n";
        let tree = Tree::new(&[("proc/self/limits", limits), ("proc/self/status", status)]);
        let n_threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let most = 1_000_000_000_000 - 2 * n_threads * ARENA_BYTES;
        tree.check(&[(most, most - 1_024_000)]);
        tree.write("proc/self/limits", "Max data size  300000  unlimited  bytes\n");
        // Threads do with less where there is no more.
        tree.check(&[(300_000 - 496, 496)]);
    }

    #[test]
    fn a_system_without_such_files_sets_no_bounds() {
        Tree::new(&[]).check(&[]);
        let odd = [("proc/self/cgroup", "\n:\n0::\nx:memory\n"), ("proc/self/mountinfo", "1 2 - cgroup2\n")];
        Tree::new(&odd).check(&[]);
        assert_eq!(bounds(Path::new("no/such/root")), []);
    }
}
