//! Measures processor time beside wall time, because other work may run on the machine.

use std::time::{Duration, Instant};
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

/// Measures what this process takes.
pub struct Stopwatch {
    begun: Instant,
    begun_cpu: Duration,
}

impl Stopwatch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Stopwatch { begun: Instant::now(), begun_cpu: cpu() }
    }

    /// The processor time of all threads since the start.
    ///
    /// Units: most systems count in hundredths of a second.
    #[must_use]
    pub fn cpu(&self) -> Duration {
        cpu().saturating_sub(self.begun_cpu)
    }

    /// The time since the start.
    #[must_use]
    pub fn wall(&self) -> Duration {
        self.begun.elapsed()
    }
}

/// The processor time that this process has taken; none where the system does not tell.
fn cpu() -> Duration {
    let Ok(own) = sysinfo::get_current_pid() else { return Duration::ZERO };
    let mut system = System::new();
    let what = ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, what);
    system
        .process(own)
        .map_or(Duration::ZERO, |process| Duration::from_millis(process.accumulated_cpu_time()))
}
