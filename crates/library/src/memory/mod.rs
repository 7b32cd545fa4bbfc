//! Measures the memory that is available.

use sysinfo::{MemoryRefreshKind, System};

/// Of what is available so much in a hundred is left to others.
const MARGIN_PERCENT: u64 = 10;

/// The memory that a build may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryLimit {
    /// So much.
    pub bytes: u64,
    /// Whether somebody has asked for this limit; otherwise it is what the machine has left.
    pub is_asked: bool,
}

impl MemoryLimit {
    /// What is asked for, else what is available less a margin.
    #[must_use]
    pub fn new(asked_bytes: Option<u64>) -> Self {
        match asked_bytes {
            Some(bytes) => MemoryLimit { bytes, is_asked: true },
            None => {
                let available_bytes = available_bytes();
                let bytes = available_bytes - available_bytes / 100 * MARGIN_PERCENT;
                MemoryLimit { bytes, is_asked: false }
            }
        }
    }
}

/// The memory that is available to this process: what the machine has left, or the group of processes that
/// this one was put into.
#[must_use]
pub fn available_bytes() -> u64 {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    if system.total_memory() == 0 {
        // A system that does not say is trusted to have enough.
        return u64::MAX;
    }
    // Files that are in memory only because they were read or written count as used there, and would leave at
    // once.
    let of_group = system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    of_group.map_or(system.available_memory(), |bytes| bytes.min(system.available_memory()))
}

#[cfg(test)]
mod tests {
    use super::{MemoryLimit, available_bytes};

    #[test]
    fn a_machine_has_memory() {
        assert!(available_bytes() > 1 << 20);
        assert!(MemoryLimit::new(None).bytes < available_bytes().saturating_mul(2));
        assert_eq!(MemoryLimit::new(Some(7)), MemoryLimit { bytes: 7, is_asked: true });
    }
}
