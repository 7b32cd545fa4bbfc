//! Brings tables into memory: kept, solved, or loaded from the files of a folder.

mod checked;
mod exchange;
mod lender;
mod memory;
mod planned;
mod solved;

pub use checked::CheckedTables;
pub use exchange::ExchangeTables;
pub use lender::Loan;
pub(crate) use lender::{Lender, Lent};
pub use memory::MemoryTables;
pub use planned::PlannedTables;
pub use solved::SolvedTables;
