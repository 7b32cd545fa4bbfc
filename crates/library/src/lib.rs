//! Opens folders of tables, builds what is missing in them, and answers for positions: what programs call.
//!
//! The commands of the workbench are one such program; a server or a chess engine is another. Nothing is
//! printed here, no argument is read and no process ends: whatever goes wrong is a [`LibraryError`] or a
//! [`Refusal`], with its [`Remedy`] as data, and a long run reports to a [`BuildProgress`].
//!
//! ```text
//!   Variant ─ Edition ─┬─ TableFiles ─► MemoryTables, PlannedTables, CheckedTables
//!                      │       ▲
//!   Folder ────────────┤       └────────── Build ◄─ Plan, BuildOptions
//!                      └─ Tablebases ─► Finding ─► FindingJson
//! ```
//!
//! An [`Edition`] is the tables of a game under one metric, with the names of their files; [`TableFiles`] are
//! those in one folder. Tables come into memory in three ways: as a job needs them ([`MemoryTables`], filled
//! by a build), one after the other in the order of a plan ([`PlannedTables`]), or block by block for the
//! verifier ([`CheckedTables`]). [`SolvedTables`] need no files at all.

mod answer;
mod build;
mod capacity;
mod edition;
mod error;
pub mod figure;
mod files;
mod folder;
mod lock;
mod memory;
mod tables;
mod verifier;

pub use answer::{Finding, FindingJson, Gap, Refusal, RefusalJson, end_name, headline};
pub use build::{
    Build, BuildOptions, BuildProgress, Built, BuiltTable, FileOptions, Outdated, Solver, TableProgress,
    Unwatched, peak_bytes,
};
pub use capacity::check_memory;
pub use edition::Edition;
pub use error::{LibraryError, Remedy};
pub use files::TableFiles;
pub use folder::{materials_in, tables_in, variant_name_in};
pub use lock::FolderLock;
pub use memory::{MemoryLimit, available_bytes};
pub use tables::{CheckedTables, MemoryTables, PlannedTables, SolvedTables};
pub use verifier::Verifier;

/// What is written into files as their maker.
pub const PROGRAM: &str = concat!("tablesmith ", env!("CARGO_PKG_VERSION"));
