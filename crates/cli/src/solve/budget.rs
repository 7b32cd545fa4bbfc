//! The memory that a run may take, and what its tables take of it.

use super::ledger::Agenda;
use crate::Failure;
use crate::figure::{bytes, plural};
use ::plan::{Job, Memory, Need, Plan};
use exit::Part;
use std::collections::BTreeMap;
use sysinfo::{MemoryRefreshKind, System};
use variant::{Man, Material};

/// Of what is available so much in a hundred is left to others.
const MARGIN_PERCENT: u64 = 10;

/// The memory that a run may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Budget {
    pub(crate) limit_bytes: u64,
    /// Whether somebody has asked for this limit; otherwise it is what the machine has left.
    pub(crate) is_asked: bool,
}

impl Budget {
    /// What is asked for, else what is available less a margin.
    pub(crate) fn new(asked_bytes: Option<u64>) -> Self {
        match asked_bytes {
            Some(limit_bytes) => Budget { limit_bytes, is_asked: true },
            None => {
                let available_bytes = available_bytes();
                let limit_bytes = available_bytes - available_bytes / 100 * MARGIN_PERCENT;
                Budget { limit_bytes, is_asked: false }
            }
        }
    }

    /// Fails if one of these jobs takes more by itself.
    pub(crate) fn check<'j>(
        &self,
        jobs: impl Iterator<Item = &'j Job>,
        n_threads: usize,
    ) -> Result<(), Failure> {
        let needed = |job: &Job| job.memory(n_threads).total();
        let largest = jobs.filter(|job| needed(job) > self.limit_bytes).max_by_key(|job| needed(job));
        largest.map_or(Ok(()), |job| Err(self.refusal(job, n_threads)))
    }

    /// What is told of a job that takes more.
    pub(crate) fn refusal(&self, job: &Job, n_threads: usize) -> Failure {
        let needed_bytes = job.memory(n_threads).total();
        let limit = match self.is_asked {
            true => format!("the limit of --memory is {}", bytes(self.limit_bytes)),
            false => format!("the machine has {} to spare", bytes(self.limit_bytes)),
        };
        let fewer = (1..n_threads).rev().find(|&n| job.memory(n).total() <= self.limit_bytes);
        let fewer = fewer.map_or(String::new(), |n| format!(", or --threads {n}"));
        // Rounded up, so that what is typed is enough.
        let enough = needed_bytes.div_ceil(1_000_000);
        Failure::new(format!(
            "{} needs about {} of memory with {}, and {limit}; give it --memory {enough}M{fewer}, or choose smaller \
             tables with --men or --table",
            job.name,
            bytes(needed_bytes),
            plural(n_threads as u64, "thread"),
        ))
    }
}

/// The memory that is available to this process: what the machine has left, or the group of processes that
/// this one was put into.
pub(crate) fn available_bytes() -> u64 {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    if system.total_memory() == 0 {
        // A system that does not tell is trusted to have enough.
        return u64::MAX;
    }
    // Files that are in memory only because they were read or written count as used there, and would leave at
    // once.
    let of_group = system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    of_group.map_or(system.available_memory(), |bytes| bytes.min(system.available_memory()))
}

/// A size such as `4G`, `800M` or `1.5GiB`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let units = [
        ("KiB", 1u64 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("k", 1_000),
        ("K", 1_000),
        ("M", 1_000_000),
        ("G", 1_000_000_000),
        ("T", 1_000_000_000_000),
        ("B", 1),
    ];
    let (number, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit))).unwrap_or((text, 1));
    let (whole, part) = number.trim().split_once('.').unwrap_or((number.trim(), ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    let wrong = || format!("`{text}` is no size such as 4G, 800M or 1.5GiB");
    if whole.is_empty() || !is_number(whole) || !is_number(part) || part.len() > 6 {
        return Err(wrong());
    }
    let digits: u128 = format!("{whole}{part}").parse().map_err(|_| wrong())?;
    let size = digits.checked_mul(unit.into()).ok_or_else(wrong)? / 10u128.pow(part.len() as u32);
    u64::try_from(size).map_err(|_| wrong())
}

/// The schedule of a plan, and the needs that its holdings meet.
pub(crate) fn agenda(plan: &Plan, n_threads: usize, limit_bytes: u64) -> (Agenda, Vec<Need>) {
    let mut numbers = BTreeMap::new();
    let mut needs: Vec<Need> = Vec::new();
    let mut uses = Vec::new();
    for job in plan.jobs() {
        let number = |need: &Need| {
            *numbers.entry(key(&need.material, need.part.as_ref())).or_insert_with(|| {
                needs.push(need.clone());
                needs.len() - 1
            })
        };
        uses.push(job.needs.iter().map(number).collect());
    }
    let agenda = Agenda {
        needed_by: (0..plan.len()).map(|place| plan.needed_by(place)).collect(),
        urgency: plan.remaining_work(),
        working_bytes: plan.jobs().map(|job| job.memory(n_threads).working()).collect(),
        uses,
        gives: plan.jobs().map(|job| numbers.get(&key(&job.material, None)).copied()).collect(),
        holding_bytes: needs.iter().map(Need::bytes).collect(),
        // Jobs and holdings share what the program itself leaves.
        limit_bytes: limit_bytes.saturating_sub(Memory::PROCESS_BYTES),
    };
    (agenda, needs)
}

/// What tells holdings apart: the table, and which part of it.
fn key(material: &Material, part: Option<&Part>) -> (Material, Option<(Man, u128)>) {
    (material.clone(), part.map(|part| (part.man, part.squares.bits())))
}

#[cfg(test)]
mod tests {
    use super::{Budget, available_bytes, parse_size};
    use crate::Failure;
    use ::plan::{Plan, Request};
    use variant::{Material, Variant};

    #[track_caller]
    fn check_size(text: &str, expected: Option<u64>) {
        assert_eq!(parse_size(text).ok(), expected, "{text}");
    }

    #[test]
    fn sizes_are_read() {
        check_size("4G", Some(4_000_000_000));
        check_size("800M", Some(800_000_000));
        check_size("1.5GiB", Some(3 << 29));
        check_size("12", Some(12));
        check_size("12 kB", Some(12_000));
        for wrong in ["", "G", "-1G", "1,5G", "1.2345678G", "many", "99999999999T", "1e9"] {
            check_size(wrong, None);
        }
    }

    #[track_caller]
    fn check_refused(budget: Budget, n_threads: usize, expected: Option<&str>) {
        let variant = Variant::chess();
        let material = Material::parse(&variant, "KPPvK").expect("a material");
        let plan = Plan::new(&variant, &Request::Table(material)).expect("a plan");
        match (budget.check(plan.jobs(), n_threads), expected) {
            (Ok(()), None) => {}
            (Err(Failure::Message(message)), Some(expected)) => {
                assert!(message.contains(expected), "{message}");
            }
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_a_remedy() {
        let asked = |limit_bytes| Budget { limit_bytes, is_asked: true };
        check_refused(asked(1 << 30), 2, None);
        check_refused(asked(1 << 20), 2, Some("the limit of --memory is 1.0 MB; give it --memory "));
        check_refused(asked(1 << 20), 2, Some("KPPvK needs about "));
        check_refused(Budget { limit_bytes: 1, is_asked: false }, 2, Some("the machine has 1 B to spare"));
        check_refused(asked(200_000_000), 100_000, Some("M, or --threads "));
    }

    #[test]
    fn a_machine_has_memory() {
        assert!(available_bytes() > 1 << 20);
        assert!(Budget::new(None).limit_bytes < available_bytes().saturating_mul(2));
        assert_eq!(Budget::new(Some(7)), Budget { limit_bytes: 7, is_asked: true });
    }
}
