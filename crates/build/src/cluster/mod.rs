//! Turns the graph of a set's tables into a graph of jobs for the engine of a cluster.
//!
//! A [`TableSet`] is a set of tables with what each needs and costs, which it puts into levels of jobs. A
//! [`Workflow`] writes them for Slurm, `make` and Snakemake, and [`Slurm`] hands scripts to Slurm. What is
//! known of a run stands in files beside the tables ([`StateFolder`]), from which [`states`] finds out what
//! has become of each table. A [`Delivery`] takes tables that were made elsewhere into the set.
//!
//! A job is a command line, of which nothing is known here.

mod delivery;
mod set;
mod slurm;
mod state;
mod status;
mod workflow;

pub use delivery::{Delivery, Verdict};
pub use set::{FINISH_BYTES, Level, SetTable, TableSet};
pub use slurm::{Living, Slurm, SlurmError};
pub use state::{Failure, Record, StateFolder, Submitted, SubmittedJobs};
pub use status::{State, states};
pub use workflow::{JobCommand, JobOptions, Workflow, asked_bytes, planned_bytes, quoted};
