//! Builds, counts and verifies the files of positions with rights to castle.

mod build;
mod figures;
mod sole;
mod verify;

pub use build::{BuiltRights, RightsBuild};
pub use figures::{RightsFigures, RightsLongest};
pub use sole::SoleCastling;
pub use verify::verify_rights;

#[cfg(test)]
mod tests;
