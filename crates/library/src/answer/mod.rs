//! Answers for positions, for people and for machines.

mod finding;
mod headline;
mod json;
mod refusal;
mod successor;

pub use finding::{Finding, Gap};
pub use headline::{end_name, end_sentence, headline};
pub use json::{Counted, FindingJson, RefusalJson};
pub use refusal::Refusal;
pub use successor::{Successor, Successors};
