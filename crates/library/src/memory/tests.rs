//! Reads bounds of memory as Linux writes them, and limits as people do.

use crate::memory::{ARENA_BYTES, Bound, MemoryLimit, available_bytes, bounds};
use std::fs;
use std::path::Path;

#[test]
fn a_machine_has_memory() {
    assert!(available_bytes() > 1 << 20);
    let own = MemoryLimit::new(None);
    assert!(own.bytes < available_bytes().saturating_mul(2) && own.bytes <= own.machine_bytes);
    let asked = MemoryLimit::new(Some(7));
    assert_eq!((asked.bytes, asked.is_asked), (7, true));
    assert!(asked.machine_bytes > 1 << 20);
}

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
        // The group of other processes.
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
