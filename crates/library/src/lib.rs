//! Opens folders of tables and answers for positions: what programs call.
//!
//! The commands of the workbench are one such program; a server or a chess engine is another. Nothing is
//! printed here, no argument is read and no process ends: whatever goes wrong is a [`LibraryError`] or a
//! [`Refusal`], with its [`Remedy`] as data.
//!
//! ```
//! use library::AskedTables;
//! use position::Position;
//! use probe::Ask;
//! use variant::Variant;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A folder with KQvK.tsm. White to move mates in five moves.
//! let folder = "../../tests/cases/files/quick".into();
//! let tables = AskedTables::new(&Variant::chess(), &[folder], 1 << 20, None)?;
//! let position = Position::from_fen(tables.book(), "8/8/8/8/8/4k3/8/4K2Q w - - 0 1")?;
//! let answer = tables.answer(&position, None, &Ask::ALL)?;
//! let plies = answer.value.value().and_then(|value| value.ply());
//! assert_eq!((answer.wdl_now(), plies.map(|ply| ply.0)), (Some(1), Some(9)));
//! # Ok(())
//! # }
//! ```
//!
//! ```text
//!   Variant ─ Edition ─┬─ TableFiles ─► MemoryTables, PlannedTables, CheckedTables
//!                      │
//!   Holding ───────────┴─ Tablebases ─► AskedTables ─► Answer ─► AnswerJson, sentences
//! ```
//!
//! An [`Edition`] is the tables of a game under one metric, with the names of their files; [`TableFiles`] are
//! those in folders. Tables come into memory in three ways: as a job needs them ([`MemoryTables`], filled
//! by a build), one after the other in the order of a plan ([`PlannedTables`]; of several metrics
//! [`for_each_loaded`]), or block by block for the verifier ([`CheckedTables`]). [`SolvedTables`] need no
//! files at all.
//!
//! The crate `build` makes and checks what is read here.

mod asked_tables;
mod batch;
mod checked_tables;
mod collection;
mod diagram;
mod error;
pub mod figure;
mod files;
mod folder;
mod helping;
mod helpmate_search;
mod helpmates;
mod json;
mod lender;
mod lenient_fen;
mod loaded_tables;
mod meaning;
mod memory;
mod other_files;
mod partial_answers;
mod piece_survey;
mod planned_tables;
mod refusal;
mod refutation;
mod sentence;
mod shelf;
mod solved_tables;
mod table_solver;

pub use asked_tables::AskedTables;
pub use batch::answer_many;
pub use checked_tables::{CheckedTables, ExchangeTables};
pub use collection::{
    HoldingError, file_in_variants, first_fen, having, holding, holdings, names_in, rules_beside, rules_file,
    rules_of, shown, split_folders, with_built_in,
};
pub use diagram::diagram;
pub use error::{Fitting, LibraryError, Remedy};
pub use files::{AGAIN, Edition, FileSlices, TableFiles, cut};
pub use folder::{
    Holding, TableColumn, TableFigures, columns_in, columns_of_table, exchange_files, files_in, files_of,
    misnamed, misnamed_for, table_files, variant_names_in,
};
pub use helpmate_search::{HelpmateSearch, WonLine, search_helpmates};
pub use helpmates::{Helpmates, Told};
pub use json::{AnswerJson, HelpmatesJson, RefusalJson, ToldJson};
pub use lender::{Lender, Lent, LentTables, Loan};
pub use lenient_fen::{lenient_position, position_line, read_position};
pub use loaded_tables::{LoadRequest, LoadedTables, for_each_loaded};
pub use meaning::{moves_in_words, rules_in_words, structure_in_words};
pub use memory::{MemoryLimit, available_bytes};
pub use other_files::{open_structure, structure_files};
pub use piece_survey::{Ending, mating_in_a_word};
pub use planned_tables::PlannedTables;
pub use refusal::Refusal;
pub use sentence::{
    bounds_in_words, end_name, end_sentence, headline, helpmates_in_words, line_in_san, numbered, so_far,
};
pub use shelf::SolveLedger;
pub use solved_tables::{MemoryTables, SolvedTables};
pub use table_solver::SolveBound;

/// What is written into files as their maker.
pub const PROGRAM: &str = concat!("tablesmith ", env!("CARGO_PKG_VERSION"));
