//! Holds the texts of the games that programs know without a file beside them.
//!
//! People read and change the files of `variants/`; a package holds nothing outside its own folder, so
//! `games/` has copies of them, which a test holds equal.

use crate::Variant;

/// Chess: `variants/fide.toml`.
pub const CHESS: &str = include_str!("../games/fide.toml");

/// Atomic chess: `variants/atomic.toml`.
pub const ATOMIC: &str = include_str!("../games/atomic.toml");

/// Antichess: `variants/antichess.toml`.
pub const ANTICHESS: &str = include_str!("../games/antichess.toml");

/// Suicide: `variants/suicide.toml`.
pub const SUICIDE: &str = include_str!("../games/suicide.toml");

impl Variant {
    /// Returns chess under the rules of FIDE.
    ///
    /// # Panics
    /// Never: a test parses the text.
    #[must_use]
    pub fn chess() -> Self {
        Variant::parse(CHESS, "chess as built in").expect("the rules of chess have no fault")
    }
}
