//! Turns the graph of a set's tables into a graph of jobs for the engine of a cluster.
//!
//! A [`TableSet`] is a set of tables with what each needs and costs. [`bundles`] puts small tables together
//! so that a job is worth its start; [`simulate`] says how long a number of nodes takes; [`Slurm`] hands
//! the jobs to Slurm; [`to_make`] and [`to_snakemake`] write the same graph for others. What is known of a
//! run stands in files beside the tables ([`StateFolder`]): whoever sees the folder sees the state.
//!
//! Nothing is known here of games and of how a table is made: a job is a command line.

mod bundle;
mod command;
mod set;
mod simulation;
mod slurm;
mod state;
mod workflow;

pub use bundle::{Bundle, bundles};
pub use command::{JobCommand, quoted};
pub use set::{FINISH_BYTES, SetTable, TableSet};
pub use simulation::{Simulation, simulate};
pub use slurm::{
    Dependency, JobOptions, Living, Slurm, SlurmError, asked_bytes, cut_minutes, memory_bytes, plain_script,
    planned_bytes, script,
};
pub use state::{Audit, Failure, Record, StateFolder, Submitted};
pub use workflow::{to_make, to_snakemake};
