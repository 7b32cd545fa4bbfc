//! `cluster audit`: compares every checksum of a set and what its tables say that they were made from, and
//! derives a sample of their values again; here, or by jobs of which each takes a part.

use super::args::{AuditArgs, AuditPart};
use super::checks::{changed_dependencies, derive_again};
use super::record::host;
use super::request::{Call, Request};
use crate::console::Console;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome};
use build::Verifier;
use cluster::{Audit, Dependency, Living, Slurm, StateFolder, Submitted, plain_script};
use format::{Summary, companion};
use library::TableFiles;
use library::figure::plural;
use proof::Sample;
use rayon::ThreadPool;
use serde::Serialize;
use std::collections::BTreeSet;
use variant::{Metric, visible};

pub(super) fn run(console: &mut Console<'_>, args: &AuditArgs) -> Outcome {
    let request = Request::of_set(console, &args.set)?;
    if let Some(n_jobs) = args.jobs {
        return submit(console, &request, args, n_jobs.into());
    }
    let audit = look(console, &request, args)?;
    for fault in &audit.faults {
        writeln!(console.out, "{}", visible(fault))?;
    }
    writeln!(
        console.out,
        "{} compared, {} derived again, {}",
        plural(audit.n_files, "file"),
        plural(audit.n_derived, "placement"),
        plural(audit.faults.len() as u64, "fault")
    )?;
    if args.part.is_some() {
        request.state.write_audit(&audit).map_err(Failure::new)?;
        // A part that has found faults has done its work; the engine need not run it again.
        return Ok(Answer::Yes);
    }
    Ok(if audit.faults.is_empty() { Answer::Yes } else { Answer::No })
}

/// Audits a part of the tables, or all.
fn look(console: &mut Console<'_>, request: &Request, args: &AuditArgs) -> Result<Audit, Failure> {
    let files = TableFiles::new(request.edition.clone(), &request.args.tables);
    let (pool, verifier) = (pool(args.threads)?, Verifier::new(files.clone(), 0));
    let AuditPart { part, n_parts } = args.part.unwrap_or(AuditPart { part: 1, n_parts: 1 });
    let mut audit = Audit { part, n_parts, host: host(), n_files: 0, n_derived: 0, faults: Vec::new() };
    let jobs: Vec<&::plan::Job> = request.plan.jobs().collect();
    // Tables that come one after another are about as large, so the parts are about as large too.
    let own: Vec<_> = jobs.into_iter().skip(part as usize - 1).step_by(n_parts as usize).collect();
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(own.len(), own.iter().map(|job| job.n_values()).sum());
    for job in own {
        let watching = watch.begin(&job.name, job.n_values());
        let n_faults = audit.faults.len();
        for &metric in request.edition.metrics() {
            audit.faults.extend(faults(request, &files, &pool, &job.name, metric)?);
            audit.n_files += 1;
        }
        // What cannot be read has no values.
        if args.sample > 0 && audit.faults.len() == n_faults {
            match derive_again(&verifier, &pool, job, Sample::Placements(args.sample), &|done, total| {
                watching.show(done as u64, total as u64);
            }) {
                Ok((report, fault)) => {
                    audit.n_derived += report.n_values;
                    audit.faults.extend(fault.map(|fault| format!("{}: {fault}", job.name)));
                }
                Err(error) => audit.faults.push(error.to_string()),
            }
        }
        watching.finish_silently();
    }
    watch.close();
    audit.faults = once(audit.faults);
    Ok(audit)
}

/// Faults without those that were found twice: a damaged table is in the way of all that are derived from
/// it.
fn once(faults: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    faults.into_iter().filter(|fault| seen.insert(fault.clone())).collect()
}

/// What is wrong with a file, of which nothing need be known but its name.
fn faults(
    request: &Request,
    files: &TableFiles,
    pool: &ThreadPool,
    table: &str,
    metric: Metric,
) -> Result<Vec<String>, Failure> {
    let path = files.path(table, metric);
    let summary = match Summary::read(&path) {
        Ok(summary) => summary,
        Err(error) => return Ok(vec![error.to_string()]),
    };
    let file = files.open(table, metric);
    let checked = file.and_then(|file| pool.install(|| file.verify_checksums()));
    let mut faults: Vec<String> = checked.err().map(|error| error.to_string()).into_iter().collect();
    faults.extend(changed_dependencies(files, metric, &summary).iter().map(|changed| {
        let path = path.display();
        format!("{path} was made from another {changed} than the one that is there; solve it again")
    }));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let record = request.state.record(table).map_err(Failure::new)?;
    let recorded = record.and_then(|record| record.contents.get(&name).cloned());
    if recorded.is_some_and(|recorded| recorded != summary.table_content().to_string()) {
        faults.push(format!("{} is not what its job has recorded; solve it again", path.display()));
    }
    Ok(faults)
}

/// What has become of an audit by jobs.
#[derive(Serialize)]
pub(super) struct AuditStatus {
    n_parts: u64,
    n_done: usize,
    n_files: u64,
    n_derived: u64,
    faults: Vec<String>,
    /// The parts whose jobs have ended without a report, with the last lines of their logs.
    lost: Vec<String>,
}

impl AuditStatus {
    /// That of the last audit by jobs, if there was one.
    pub(super) fn of(state: &StateFolder, living: Option<&Living>) -> Result<Option<Self>, Failure> {
        let submitted = state.submitted().map_err(Failure::new)?;
        let audits = state.audits().map_err(Failure::new)?;
        let parts: Vec<(AuditPart, &Submitted)> =
            submitted.iter().filter_map(|(name, job)| Some((AuditPart::of_job(name)?, job))).collect();
        let Some((AuditPart { n_parts, .. }, _)) = parts.first() else { return Ok(None) };
        let is_lost = |part: &AuditPart, job: &Submitted| {
            let has_report = audits.iter().any(|audit| audit.part == part.part);
            !has_report && living.is_some_and(|living| !living.contains_key(&job.job))
        };
        let lost = parts.iter().filter(|(part, job)| is_lost(part, job)).map(|(part, job)| {
            let log = state.last_lines(&job.bundle, 3).join("; ");
            format!("part {part}, job {}, has ended without a report: {log}", job.job)
        });
        Ok(Some(AuditStatus {
            n_parts: *n_parts,
            n_done: audits.len(),
            n_files: audits.iter().map(|audit| audit.n_files).sum(),
            n_derived: audits.iter().map(|audit| audit.n_derived).sum(),
            lost: lost.collect(),
            faults: once(audits.into_iter().flat_map(|audit| audit.faults)),
        }))
    }

    /// Whether nothing is known to be wrong.
    pub(super) fn is_well(&self) -> bool {
        self.faults.is_empty() && self.lost.is_empty()
    }

    /// What is said of it.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "audit: {} of {} done, {} compared, {} derived again, {}",
            self.n_done,
            plural(self.n_parts, "part"),
            plural(self.n_files, "file"),
            plural(self.n_derived, "placement"),
            plural(self.faults.len() as u64, "fault")
        )];
        lines.extend(self.faults.iter().chain(&self.lost).map(|line| format!("  {}", visible(line))));
        lines
    }
}

/// The memory that comparing files takes; where another file says who wins, blocks of as many tables are
/// kept beside.
const AUDIT_BYTES: u64 = 1 << 30;
const KEPT_BYTES: u64 = 256 << 20;

/// How many placements a minute are derived again, with both sides to move, where files are far away.
const DERIVED_PER_MINUTE: u64 = 10_000;

/// Lets the engine audit, each job a part.
fn submit(console: &mut Console<'_>, request: &Request, args: &AuditArgs, n_jobs: u64) -> Outcome {
    let state = &request.state;
    let mut submitted = state.submitted().map_err(Failure::new)?;
    let living = Slurm.living(submitted.values().map(|job| &job.job)).map_err(Failure::new)?;
    let is_audit = |name: &str| AuditPart::of_job(name).is_some();
    if submitted.iter().any(|(name, job)| is_audit(name) && living.contains_key(&job.job)) {
        return Err(Failure::new(
            "an audit is at work; `cluster status` tells of it, and `cluster cancel` ends it",
        ));
    }
    submitted.retain(|name, _| !is_audit(name));
    state.forget_audits().map_err(Failure::new)?;
    let n_parts = n_jobs.min(request.plan.len() as u64).max(1);
    let options = request.options(Call::new(false));
    let n_threads = args.threads.unwrap_or(request.args.threads);
    let n_tables = request.plan.len() as u64;
    let minutes = (request.set.finish_minutes() + n_tables * args.sample / DERIVED_PER_MINUTE) / n_parts;
    let most_needed = request.set.tables.iter().map(|table| table.needs.len() as u64).max().unwrap_or(0);
    let n_kept = if companion(request.edition.metric()).is_some() { most_needed } else { 0 };
    let audit_bytes = AUDIT_BYTES + n_kept * KEPT_BYTES;
    let mut numbers = Vec::new();
    for part in 1..=n_parts {
        let part = AuditPart { part, n_parts };
        let name = format!("audit-{}-of-{}", part.part, part.n_parts);
        let words = [
            request.program(),
            "cluster".into(),
            "audit".into(),
            "--tables".into(),
            request.args.tables.display().to_string(),
            "--sample".into(),
            args.sample.to_string(),
            "--threads".into(),
            n_threads.to_string(),
            "--part".into(),
            part.to_string(),
        ];
        let command = words
            .into_iter()
            .chain(args.set.words())
            .map(|word| cluster::quoted(&word))
            .collect::<Vec<_>>()
            .join(" ");
        let asked = (audit_bytes, minutes, n_threads.into());
        let text = plain_script(&name, &[command], asked, &options, &state.log(&name));
        state.write_script(&name, &text).map_err(Failure::new)?;
        let number = Slurm.submit(&state.script(&name), &Dependency::AllWell(&[])).map_err(Failure::new)?;
        let job = Submitted { job: number.clone(), bundle: name, memory_bytes: audit_bytes, n_failed: 0 };
        submitted.insert(part.job_name(), job);
        state.write_submitted(&submitted).map_err(Failure::new)?;
        numbers.push(number);
    }
    writeln!(
        console.out,
        "submitted {} ({}) that audit {}; `{} cluster status` says what they find",
        plural(n_parts, "job"),
        numbers.join(", "),
        plural(request.plan.len() as u64, "table"),
        console.program.name
    )?;
    Ok(Answer::Yes)
}
