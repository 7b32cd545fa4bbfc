//! Names the sides as arguments.

use variant::Side;

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum SideArg {
    White,
    Black,
}

impl SideArg {
    pub(crate) fn side(self) -> Side {
        match self {
            SideArg::White => Side::White,
            SideArg::Black => Side::Black,
        }
    }
}
