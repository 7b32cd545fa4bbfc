//! `cluster`: builds a set by the jobs of an engine, and says what has become of them.
//!
//! A set is submitted once and again after anything; what is known of it stands beside its tables. `plan
//! --format` prints the graph of jobs that `cluster submit` hands to Slurm.

mod accept;
mod request;
mod status;
mod submit;

use crate::Outcome;
use crate::console::Console;
use clap::{Args, Subcommand};
use request::FolderArgs;
pub(crate) use request::{FALLBACK_RATE, JobSet};

/// Build a set on a cluster: one job a table, run by the engine that is there
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Subcommand, Debug)]
enum ClusterCommand {
    /// Plan a set and submit a job for each table that is not there; again after anything: what is missing
    Submit(Box<request::SubmitArgs>),
    /// List which tables are done, running, waiting and failed, with the last lines of the failed ones'
    /// logs
    Status(status::StatusArgs),
    /// Submit again what has failed or was killed, with the options of the last submission
    Resubmit(submit::ResubmitArgs),
    /// Cancel the jobs that wait or run; finished tables and checkpoints stay
    Cancel(FolderArgs),
    /// Take tables that others have delivered into the set, when their checksums, what they were made from
    /// and a sample of their values have been proved; others are put aside
    Accept(accept::AcceptArgs),
}

pub(crate) fn run(console: &mut Console<'_>, args: &ClusterArgs) -> Outcome {
    match &args.command {
        ClusterCommand::Submit(args) => submit::run(console, args),
        ClusterCommand::Status(args) => status::run(console, args),
        ClusterCommand::Resubmit(args) => submit::again(console, args),
        ClusterCommand::Cancel(args) => submit::cancel(console, args),
        ClusterCommand::Accept(args) => accept::run(console, args),
    }
}
