//! `cluster`: builds a set by the jobs of an engine, says what has become of them, and takes tables into the
//! set that others have delivered.
//!
//! A set is submitted once and again after anything; what is known of it stands beside its tables. `plan
//! --format` prints the graph of jobs that `cluster submit` hands to Slurm.

mod status;
mod submit;

use crate::args::Wanted;
use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::{Answer, Failure, Outcome};
use build::cluster::{Delivery, Verdict};
use clap::{Args, Subcommand};
use library::TableFiles;
use library::figure::plural;
use std::fs;
use std::path::PathBuf;
pub(crate) use submit::{FALLBACK_RATE, JobSet};
use submit::{FolderArgs, SubmitArgs};
use variant::visible;

/// Build a set on a cluster: one job a table, run by the engine that is there
#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    command: ClusterCommand,
}

#[derive(Subcommand, Debug)]
enum ClusterCommand {
    /// Plan a set and submit a job for each table that is not there; again after anything: what is missing
    Submit(Box<SubmitArgs>),
    /// List which tables are done, running, waiting and failed, with the last lines of the failed ones'
    /// logs
    Status(status::StatusArgs),
    /// Submit again what has failed or was killed, with the options of the last submission
    Resubmit(submit::ResubmitArgs),
    /// Cancel the jobs that wait or run; finished tables and checkpoints stay
    Cancel(FolderArgs),
    /// Take tables that others have delivered into the set, when their checksums, what they were made from
    /// and a sample of their values have been proved; others are put aside
    Accept(AcceptArgs),
}

pub(crate) fn run(console: &mut Console<'_>, args: &ClusterArgs) -> Outcome {
    match &args.command {
        ClusterCommand::Submit(args) => submit::run(console, args),
        ClusterCommand::Status(args) => status::run(console, args),
        ClusterCommand::Resubmit(args) => submit::again(console, args),
        ClusterCommand::Cancel(args) => submit::cancel(console, args),
        ClusterCommand::Accept(args) => accept(console, args),
    }
}

#[derive(Args, Debug)]
struct AcceptArgs {
    /// The folder with what was delivered
    from: PathBuf,
    #[command(flatten)]
    folder: FolderArgs,
    /// The rules of the game, of a set that was not submitted here [default: those of the submission]
    #[arg(long, value_name = "FILE")]
    variant: Option<PathBuf>,
    /// All tables of up to so many men of these rules [default: the limit of the variant]
    #[arg(long, value_name = "N", requires = "variant", conflicts_with = "table")]
    men: Option<usize>,
    /// One table of these rules with what it needs; may be given several times
    #[arg(long, value_name = "MATERIAL", requires = "variant")]
    table: Vec<String>,
    /// What the tables of these rules hold
    #[arg(long, value_name = "METRIC", value_delimiter = ',', requires = "variant")]
    metric: Vec<String>,
    /// How many placements of a table are derived again from those that their moves lead to, with each side
    /// to move
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    sample: u64,
}

/// Takes delivered tables into a set when they have been proved, and puts others aside.
fn accept(console: &mut Console<'_>, args: &AcceptArgs) -> Outcome {
    let given = args.variant.as_ref().map(|variant| SubmitArgs {
        variant: variant.clone(),
        wanted: Wanted { men: args.men, table: args.table.clone() },
        metric: args.metric.clone(),
        ..SubmitArgs::default()
    });
    let set = given.map_or_else(|| SubmitArgs::kept(&args.folder.tables), Ok)?;
    let jobs =
        JobSet::new(console, Game::load(&set.variant)?, &set.wanted, &set.metrics()?, &args.folder.tables)?;
    if !args.from.is_dir() {
        return Err(Failure::new(format!("there is no folder {}", args.from.display())));
    }
    fs::create_dir_all(&jobs.tables).map_err(Failure::new)?;
    let delivered = TableFiles::new(jobs.edition.clone(), &args.from);
    let (plan, pool) = (&jobs.plan, &pool(None)?);
    let delivery = Delivery { plan, files: jobs.files(), delivered, n_sample: args.sample, pool };
    let [mut n_accepted, mut n_quarantined, mut n_early] = [0u64; 3];
    // What a table needs comes before it, so that a whole chain can be accepted in one go.
    for (id, job) in plan.ids().zip(plan.jobs()) {
        if !delivery.delivered.are_there(&job.name) {
            continue;
        }
        let what = match delivery.judge(id)? {
            Verdict::Accepted => {
                n_accepted += 1;
                "accepted".to_owned()
            }
            Verdict::Known => "is here already".to_owned(),
            Verdict::Quarantined(why) => {
                n_quarantined += 1;
                format!("put into quarantine: {}", visible(&why))
            }
            Verdict::Early(why) => {
                n_early += 1;
                format!("left where it is: {}", visible(&why))
            }
        };
        writeln!(console.out, "{}: {what}", job.name)?;
    }
    let tables = plural(n_accepted, "table");
    writeln!(console.out, "{tables} accepted, {n_quarantined} in quarantine, {n_early} too early")?;
    Ok(if n_quarantined + n_early == 0 { Answer::Yes } else { Answer::No })
}
