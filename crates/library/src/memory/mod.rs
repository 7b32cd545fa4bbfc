//! Measures the memory that is available: what the machine has left, or the bounds that the system sets.

mod bound;

use std::path::Path;
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

    /// Whether a run that is allowed so much could have it: what somebody asks for is allowed, but never
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
        bound::bounds(root).into_iter().fold(machine, |all, bound| Measured {
            left_bytes: all.left_bytes.min(bound.left_bytes),
            most_bytes: all.most_bytes.min(bound.most_bytes),
            is_bound: all.is_bound || bound.left_bytes < all.left_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{MemoryLimit, available_bytes};

    #[test]
    fn a_machine_has_memory() {
        assert!(available_bytes() > 1 << 20);
        let own = MemoryLimit::new(None);
        assert!(own.bytes < available_bytes().saturating_mul(2) && own.bytes <= own.machine_bytes);
        let asked = MemoryLimit::new(Some(7));
        assert_eq!((asked.bytes, asked.is_asked), (7, true));
        assert!(asked.machine_bytes > 1 << 20);
    }
}
