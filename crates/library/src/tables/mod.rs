//! Brings tables into memory: kept, solved, or loaded from the files of a folder.

mod checked;
mod contradiction;
mod exchange;
mod lender;
mod lent;
mod loaded;
mod memory;
mod planned;
mod solved;

pub use checked::CheckedTables;
pub use exchange::ExchangeTables;
pub use lender::{Lender, Lent, Loan};
pub use lent::LentTables;
pub use loaded::{LoadRequest, LoadedTables, for_each_loaded};
pub use memory::MemoryTables;
pub use planned::PlannedTables;
pub use solved::SolvedTables;
