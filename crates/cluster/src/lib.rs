//! Turns the graph of a set's tables into a graph of jobs for the engine of a cluster.
//!
//! A [`TableSet`] is a set of tables with what each needs and costs, which it puts into levels of jobs. A
//! [`Workflow`] writes them for Slurm, `make` and Snakemake, and [`Slurm`] hands scripts to Slurm. What is known
//! of a run stands in files beside the tables ([`StateFolder`]).
//!
//! Nothing is known here of games and of how a table is made: a job is a command line.

mod set;
mod slurm;
mod state;
mod workflow;

pub use set::{FINISH_BYTES, Level, SetTable, TableSet};
pub use slurm::{Living, Slurm, SlurmError};
pub use state::{Failure, Record, StateFolder, Submitted, SubmittedJobs};
pub use workflow::{JobCommand, JobOptions, Workflow, asked_bytes, planned_bytes, quoted};
