//! Submits the job that follows all others of a set: it submits more of them, or finishes the set.

use super::request::{Call, Request};
use crate::Failure;
use cluster::{Dependency, FINISH_BYTES, Living, Slurm, StateFolder, Submitted, plain_script, quoted};
use serde::Serialize;
use std::collections::BTreeMap;

/// The place of that job among those that were submitted; no table is called so.
pub(super) const FOLLOWER: &str = "(follower)";

/// What it does, and how its script is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task {
    /// Submits what is missing then.
    More,
    /// Runs over the finished set.
    Finish,
}

impl Task {
    pub(super) fn name(self) -> &'static str {
        match self {
            Task::More => "submit-more",
            Task::Finish => "finish",
        }
    }
}

/// The memory and the time that planning a set takes.
const MORE_BYTES: u64 = 1 << 30;
const MORE_MINUTES: u64 = 20;

/// Submits the job; its number.
pub(super) fn submit(
    request: &Request,
    task: Task,
    after: &Dependency<'_>,
    call: Call,
    submitted: &mut BTreeMap<String, Submitted>,
) -> Result<String, Failure> {
    let (state, n_threads) = (&request.state, usize::from(request.args.threads));
    let (commands, asked) = match task {
        Task::More => (vec![again(request, call)], (MORE_BYTES, MORE_MINUTES, 1)),
        Task::Finish => {
            let mark = format!("touch {}", quoted(&state.finished().display().to_string()));
            let commands = vec![request.command().of_set(), mark];
            (commands, (FINISH_BYTES, request.set.finish_minutes(), n_threads))
        }
    };
    let options = request.options(call);
    let name = task.name();
    let text = plain_script(name, &commands, asked, &options, &state.log(name));
    state.write_script(name, &text).map_err(Failure::new)?;
    let number = Slurm.submit(&state.script(name), after).map_err(Failure::new)?;
    let job = Submitted { job: number.clone(), bundle: name.into(), memory_bytes: asked.0, n_failed: 0 };
    submitted.insert(FOLLOWER.into(), job);
    state.write_submitted(submitted).map_err(Failure::new)?;
    Ok(number)
}

/// Cancels the one of an earlier submission: a new one follows all.
pub(super) fn cancel(
    state: &StateFolder,
    living: &Living,
    submitted: &mut BTreeMap<String, Submitted>,
) -> Result<(), Failure> {
    if let Some(follower) = submitted.remove(FOLLOWER) {
        // The job that submits more is that follower itself.
        if living.contains_key(&follower.job) && Some(&follower.job) != Slurm.own_job().as_ref() {
            Slurm.cancel(&[follower.job]).map_err(Failure::new)?;
        }
        state.write_submitted(submitted).map_err(Failure::new)?;
    }
    Ok(())
}

/// The command that submits what is missing then.
fn again(request: &Request, call: Call) -> String {
    let mut words = vec![request.program(), "cluster".into(), "resubmit".into(), "--wave".into()];
    words.extend(["--tables".into(), request.args.tables.display().to_string()]);
    for (option, percent) in [("--more-memory", call.memory_percent), ("--more-time", call.time_percent)] {
        if percent > 100 {
            words.extend([option.into(), format!("{}.{:02}", percent / 100, percent % 100)]);
        }
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// What has become of the job.
#[derive(Serialize)]
pub(super) struct FollowerStatus {
    /// What it does: `finish` or `submit-more`.
    task: String,
    job: String,
    /// What the engine says while it lives.
    living: Option<String>,
    /// The last lines of its log, if it has ended before its work was done.
    lost: Option<Vec<String>>,
}

impl FollowerStatus {
    /// That of the last submission; none if there was none or its work is done.
    pub(super) fn of(state: &StateFolder, living: Option<&Living>) -> Result<Option<Self>, Failure> {
        let submitted = state.submitted().map_err(Failure::new)?;
        let Some(job) = submitted.get(FOLLOWER) else { return Ok(None) };
        let alive = living.and_then(|living| living.get(&job.job)).cloned();
        if alive.is_none() && state.finished().exists() {
            return Ok(None);
        }
        // One that has submitted more has left its place to the next.
        let is_lost = alive.is_none() && living.is_some();
        let lost = is_lost.then(|| state.last_lines(&job.bundle, 3));
        Ok(Some(FollowerStatus { task: job.bundle.clone(), job: job.job.clone(), living: alive, lost }))
    }

    /// Whether nothing is known to be wrong.
    pub(super) fn is_well(&self) -> bool {
        self.lost.is_none()
    }

    /// What is said of it.
    pub(super) fn lines(&self) -> Vec<String> {
        let FollowerStatus { task, job, living, lost } = self;
        match (living, lost) {
            (Some(state), _) => vec![format!("{task}: job {job}, {state}")],
            (None, Some(log)) => {
                let mut lines =
                    vec![format!("{task}: job {job} has ended before its work was done; submit again")];
                lines.extend(log.iter().map(|line| format!("  {}", variant::visible(line))));
                lines
            }
            (None, None) => vec![format!("{task}: job {job}, of which nothing is known here")],
        }
    }
}
