//! Solves positions in which a side may castle, from tables of positions in which none may, and reads them
//! from files.
//!
//! Who may castle has not moved: a king and one or two rooks stand still as long as the right lasts. So a
//! material has few positions with given rights (64 a side to move where a king and a rook are frozen and one
//! man is free), and every move that ends a right leads to positions that are known already:
//!
//! ```text
//!              castling, a king's or that rook's move, its capture          other captures, promotions
//!   material, KQ ───────────────► K or Q ───────────────► the table           material′, KQ ──► …
//!        │ ▲
//!        └─┘ moves of free men
//! ```
//!
//! So a choice of rights is solved after all smaller ones and after the materials that its captures and
//! promotions leave, by one pass from the known values backwards ([`RightsTable`]). [`RightsTables`] solves
//! what a question needs when it is asked, and keeps it; a [`RightsFile`] has all choices of one material.
//!
//! Every metric counts as it does elsewhere: castling and the loss of a right are moves like others, which
//! stop no count. A right to capture en passant is no part of a number; positions with one are derived from
//! what their moves lead to.
//!
//! Moves are those of `position`, one by one: there are few positions, and the solver of whole tables does
//! not know castling. The judge of these values is the oracle of `proof`. The crate opens no table: values of
//! positions without rights come from a [`RightsSource`].

mod file;
mod key;
mod rights_table;
mod rights_tables;

pub use file::RightsFile;
pub use key::RightsKey;
pub use rights_table::{NoValue, RightsTable};
pub use rights_tables::{RightsSource, RightsTables, TooLarge};

/// The version of what is computed here; files of another are made again.
pub const VERSION: u32 = 2;

#[cfg(test)]
mod tests;
