//! Opens folders of tables, builds what is missing in them, and answers for positions: what programs call.
//!
//! The commands of the workbench are one such program; a server or a chess engine is another. Nothing is
//! printed here, no argument is read and no process ends: whatever goes wrong is a [`LibraryError`] or a
//! [`Refusal`], with its [`Remedy`] as data, and a long run reports to a [`BuildProgress`].
//!
//! ```
//! use library::{Build, BuildOptions, Edition, Finding, Folder, FolderLock, Unwatched};
//! use plan::{Plan, Request};
//! use position::Position;
//! use variant::{Material, Variant};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let temporary = tempfile::tempdir()?;
//! # let path = temporary.path();
//! let chess = Variant::chess();
//! let folder = Folder::new(path, chess.clone());
//!
//! // Builds KQvK with what it needs.
//! let plan = Plan::new(&chess, &Request::Table(Material::parse(&chess, "KQvK")?))?;
//! let (lock, threads) = (FolderLock::new(folder.path())?, rayon::ThreadPoolBuilder::new().build()?);
//! let edition = Edition::new(&chess, chess.default_metric);
//! let built = Build::new(&plan, &lock, &threads, BuildOptions::default()).run(&edition, &Unwatched)?;
//! assert!(built.error.is_none() && built.tables[0].name == "KQvK");
//! assert_eq!(folder.materials(&edition)?.len(), 1);
//!
//! // White to move mates in five moves.
//! let tables = folder.tablebases(1 << 20)?;
//! let position = Position::from_fen(tables.book(), "8/8/8/8/8/4k3/8/4K2Q w - - 0 1")?;
//! let finding = Finding::of_moves(tables.for_position(&position)?, position, false)?;
//! assert_eq!((finding.wdl_now(), finding.value.ply().map(|ply| ply.0)), (Some(1), Some(9)));
//! # Ok(())
//! # }
//! ```
//!
//! ```text
//!   Variant ─ Edition ─┬─ TableFiles ─► MemoryTables, PlannedTables, CheckedTables
//!                      │       ▲
//!   Folder, FolderLock ┤       └────────── Build ◄─ Plan, BuildOptions
//!                      └─ Tablebases ─► AskedTables ─► Finding, Successors ─► FindingJson
//! ```
//!
//! An [`Edition`] is the tables of a game under one metric, with the names of their files; [`TableFiles`] are
//! those in one folder. Tables come into memory in three ways: as a job needs them ([`MemoryTables`], filled
//! by a build), one after the other in the order of a plan ([`PlannedTables`]; of several metrics
//! [`for_each_loaded`]), or block by block for the verifier ([`CheckedTables`]). [`SolvedTables`] need no
//! files at all.
//!
//! Positions with rights to castle have files of their own, which a [`RightsBuild`] makes from tables that
//! are there, and [`verify_rights`] checks.
//!
//! [`Repacking`] packs finished files in another way. A [`Build`] keeps a ledger of memory, which decides
//! which jobs run together and which tables stay, so that what runs and what is kept never exceeds the
//! limit. A file of five men keeps both sides to move as long as a table that needs them is to be solved.

mod answer;
mod asked_tables;
mod build;
mod capacity;
mod castling;
mod collection;
mod copies;
mod edition;
mod error;
mod exchange;
pub mod figure;
mod file_log;
mod files;
mod first_position;
mod folder;
mod lease;
mod lenient_fen;
mod lock;
mod memory;
mod piece_survey;
mod plane_file;
mod record_file;
mod repack;
mod scope;
mod scratch;
mod shelf;
mod slice_file;
mod table_figures;
mod tables;
mod verifier;

pub use answer::{
    Counted, Finding, FindingJson, Gap, Refusal, RefusalJson, Successor, Successors, end_name, end_sentence,
    headline,
};
pub use asked_tables::{AskedTables, SolveBound, SourcedAnswer};
pub use build::{
    Build, BuildFootprint, BuildOptions, BuildProgress, Built, BuiltTable, FileOptions, JobCost, Lenders,
    Outdated, Prospect, SetReaders, Solver, Strategy, TableProgress, Unwatched, peak_bytes, prospects,
    values_per_second,
};
pub use capacity::{check_disk, check_largest, check_memory};
pub use castling::{
    BuiltRights, RightsBuild, RightsFigures, RightsLongest, SoleCastling, rights_files, verify_rights,
};
pub use collection::{
    Holding, HoldingError, built_in_games, holding, holdings, is_named, names_in, playing_name, rules_file,
    rules_of,
};
pub use edition::Edition;
pub use error::{Fitting, LibraryError, Remedy};
pub use exchange::{
    BitsExport, BitsExported, BitsVerified, Comparison, ExchangeDifference, FlatComparison, FlatExport,
    NotInSyzygy, SyzygyComparison, SyzygyExport, SyzygyExported, TableStep, families, flat_materials,
    has_syzygy, verify_bits,
};
pub use file_log::{FileLog, Opened};
pub use files::{FileSlices, TableFiles, is_current};
pub use first_position::first_fen;
pub use folder::{Folder, exchange_files, misnamed_for, table_files, variant_names_in, winner_files};
pub use lease::{LEASE_TIMEOUT, LeaseHolder, TableLease, lease_holder, lease_path};
pub use lenient_fen::{lenient_position, position_line, read_position};
pub use lock::FolderLock;
pub use memory::{MemoryLimit, available_bytes};
pub use piece_survey::{Ending, Mating, SurveyError};
pub use repack::{Repacked, Repacking};
pub use scratch::{ScratchFile, ScratchUse, scratch_files};
pub use shelf::SolveLedger;
pub use slice_file::SlicesOpened;
pub use solve::LogStep;
pub use table_figures::TableFigures;
pub use tables::{
    CheckedTables, ExchangeTables, LentTables, LoadRequest, LoadedTables, Loan, MemoryTables, PlannedTables,
    SolvedTables, for_each_loaded,
};
pub use verifier::{DamagedFiles, ExchangeSet, NotDerived, StrayFile, Verifier, metrics_of};

/// What is written into files as their maker.
pub const PROGRAM: &str = concat!("tablesmith ", env!("CARGO_PKG_VERSION"));
