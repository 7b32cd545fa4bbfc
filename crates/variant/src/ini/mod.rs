//! Reads `variants.ini`, in which Fairy-Stockfish has its games, and writes each game as a variant file.
//!
//! ```text
//!   text ─ sections ─ settings, also of what a section begins with ─ TOML ─► Variant
//!                     games.ini has the built-in games    notes, or why not ◄┘
//! ```
//!
//! A setting that no variant file has refuses the game, unless no ending depends on it: then it is noted.
//! What is written is read again, so that no game is taken over that `solve` would not take.
//!
//! Source: the comments of the file that comes with Fairy-Stockfish, for the keys and what they are if they
//! are left out.

mod convert;
mod man;
mod refusal;
mod rule;
mod settings;
mod start;

pub use convert::Conversion;
pub use refusal::Refusal;
pub use settings::{Games, IniError, IniFault};

impl Games {
    /// Turns a game into a variant file.
    ///
    /// # Errors
    /// The file has no such game, or the game has rules that no variant file has: all of them.
    pub fn convert(&self, name: &str) -> Result<Conversion, Vec<Refusal>> {
        let settings = self.settings(name).map_err(|refusal| vec![refusal])?;
        convert::convert(name, &settings)
    }
}

#[cfg(test)]
mod tests;
