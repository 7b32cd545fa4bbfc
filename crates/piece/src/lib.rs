//! Describes how men move: converts Betza notation to movements and back, shows movements as pictures and in
//! words, and lists named pieces.
//!
//! A movement is a set of rays, always from White's view (forward is towards the last rank). A ray has a
//! step, how often it may be repeated, whether it captures, and its path: lame, over a man, round. This
//! crate does not apply a movement to a board with men on it.

mod atom;
mod betza;
mod catalogue;
mod diagram;
mod gait;
mod movement;
mod refusal;
mod spelling;
mod words;

pub use betza::is_words;
pub use catalogue::{CATALOGUE, NamedPiece, named, names_of};
pub use movement::{Leg, Movement, RIDE, Ray, RayPath, lame_way};
pub use refusal::{BetzaError, BetzaFault};

#[cfg(test)]
mod tests;
