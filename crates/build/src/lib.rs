//! Builds what is missing in a folder of tables; checks, repacks and exports what is there.
//!
//! ```
//! use build::{Build, BuildOptions, FolderLock, Unwatched};
//! use library::{Edition, Holding};
//! use plan::{Plan, Request};
//! use position::Position;
//! use variant::{Material, Variant};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let temporary = tempfile::tempdir()?;
//! # let path = temporary.path();
//! let chess = Variant::chess();
//! let holding = Holding { variant: chess.clone(), folders: vec![path.into()] };
//!
//! // Builds KQvK with what it needs.
//! let plan = Plan::new(&chess, &Request::Table(Material::parse(&chess, "KQvK")?))?;
//! let (lock, threads) = (FolderLock::new(path)?, rayon::ThreadPoolBuilder::new().build()?);
//! let edition = Edition::new(&chess, chess.default_metric);
//! let built = Build::new(&plan, &lock, &threads, BuildOptions::default()).run(&edition, &Unwatched)?;
//! assert!(built.error.is_none() && built.tables[0].name == "KQvK");
//! assert_eq!(holding.materials(&edition)?.len(), 1);
//!
//! // White to move mates in five moves.
//! let tables = holding.tablebases(1 << 20)?;
//! let position = Position::from_fen(tables.book(), "8/8/8/8/8/4k3/8/4K2Q w - - 0 1")?;
//! let answer = tables.for_position(&position)?.probe(&position)?;
//! assert_eq!((answer.wdl_now(), answer.value.ply().map(|ply| ply.0)), (Some(1), Some(9)));
//! # Ok(())
//! # }
//! ```
//!
//! ```text
//!   Edition, FolderLock, Plan, BuildOptions
//!        │
//!        ▼
//!      Build: survey ─► schedule ─► queue ─► builder ─► cache (tables that jobs read)
//!                                     │         └────► files
//!                                   ledger (memory)
//! ```
//!
//! Like `library`, on which it stands, the crate prints nothing: a long run reports to a [`BuildProgress`],
//! and a refusal is a [`library::LibraryError`] with its remedy as data.
//!
//! A [`Build`] keeps a ledger of memory, which decides which jobs run together and which tables stay, so
//! that what runs and what is kept never exceeds the limit. A file of five men keeps both sides to move as
//! long as a table that reads it is to be solved.
//!
//! Positions with rights to castle have columns of their own, which a [`RightsBuild`] makes from tables
//! that are there, and [`verify_rights`] checks. [`Repacking`] packs finished columns in another way.
//! [`cluster`] lets the engine of a cluster build a set, a job for each table.

mod build;
mod builder;
mod cache;
mod castling;
mod clock_identities;
pub mod cluster;
mod comparison;
mod exchange;
mod file_log;
mod finish;
mod footprint;
mod lease;
mod ledger;
mod lock;
mod options;
mod progress;
mod queue;
mod repack;
mod slice_file;
mod survey;
mod verifier;

pub use build::{Build, Built, values_per_second};
pub use cache::Solver;
pub use castling::{BuiltRights, RightsBuild, RightsFigures, RightsLongest, SoleCastling, verify_rights};
pub use comparison::{Amount, Comparison, FlatComparison, SyzygyComparison, flat_materials};
pub use exchange::{
    BitsExport, BitsExported, BitsVerified, FlatExport, NotInSyzygy, SyzygyExport, SyzygyExported, TableStep,
    families, has_syzygy, verify_bits,
};
pub use file_log::{FileLog, Opened};
pub use finish::trim_set;
pub use footprint::{BuildFootprint, JobCost, check_disk, check_largest, check_memory};
pub use lease::{LEASE_TIMEOUT, LeaseHolder, TableLease, lease_holder, lease_path};
pub use ledger::peak_bytes;
pub use lock::{FolderLock, ScratchFile, ScratchUse, scratch_files};
pub use options::{BuildOptions, FileOptions, Strategy};
pub use progress::{BuildProgress, BuildStep, BuiltTable};
pub use repack::{Repacked, Repacking};
pub use slice_file::SlicesOpened;
pub use solve::LogStep;
pub use solve::Unwatched;
pub use survey::{Lenders, Prospect, prospects};
pub use verifier::{DamagedFiles, ExchangeSet, NotDerived, StrayFile, Verifier, tables_of};
