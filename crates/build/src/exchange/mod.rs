//! Writes files of other programs from the tables of a folder, and compares tables with such files.
//!
//! Each of these goes through the tables in the order of a plan
//! ([`PlannedTables`](library::PlannedTables)) and reports a [`TableStep`] before and after each table. The
//! caller decides what to show of it.

mod bits;
mod comparison;
mod flat;
mod flat_comparison;
mod step;
mod syzygy;
mod syzygy_comparison;

pub use bits::{BitsExport, BitsExported, BitsVerified, verify_bits};
pub use comparison::{Comparison, ExchangeDifference};
pub use flat::FlatExport;
pub use flat_comparison::{FlatComparison, flat_materials};
pub use step::TableStep;
pub use syzygy::{NotInSyzygy, SyzygyExport, SyzygyExported, families, has_syzygy};
pub use syzygy_comparison::SyzygyComparison;
