//! Gathers, before the iteration of a slice, what lies outside it: captures of mobile men and pawn moves.

mod capture;
mod event;
mod exit;
mod explosion;
mod ghost;
mod given_move;
mod pawn_move;
mod placement;
mod reading;
mod reply;
mod sheet_move;
mod view_reader;

pub(crate) use capture::{Captures, Kept};
pub(crate) use event::Decisions;
pub(crate) use exit::Exits;
pub(crate) use pawn_move::{PawnMove, Views, pawn_moves};
pub(crate) use placement::PlacementReader;
pub(crate) use reading::for_each_reading;
pub(crate) use sheet_move::SheetMove;
pub(crate) use view_reader::after;

#[cfg(test)]
mod tests;
