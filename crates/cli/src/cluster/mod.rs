//! `cluster`: builds a set by the jobs of an engine, and says what has become of them.

mod accept;
mod args;
mod audit;
mod checks;
mod follower;
mod record;
mod request;
mod standing;
mod status;
mod submit;
mod transfer;

use crate::Outcome;
use crate::console::Console;
use args::ClusterCommand;
pub(crate) use args::{ClusterArgs, whole_path};
pub(crate) use record::JobRun;
pub(crate) use request::{FALLBACK_RATE, Words, table_set};
pub(crate) use transfer::{check_template, fetch, store};

pub(crate) fn run(console: &mut Console<'_>, args: &ClusterArgs) -> Outcome {
    match &args.command {
        ClusterCommand::Submit(args) => submit::run(console, args),
        ClusterCommand::Status(args) => status::status(console, args),
        ClusterCommand::Resubmit(args) => status::resubmit(console, args),
        ClusterCommand::Cancel(args) => status::cancel(console, args),
        ClusterCommand::Accept(args) => accept::run(console, args),
        ClusterCommand::Audit(args) => audit::run(console, args),
    }
}
