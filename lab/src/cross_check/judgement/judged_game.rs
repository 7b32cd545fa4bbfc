//! Names the games that are compared, each with the program that judges it.

use variant::{PieceId, Variant};

/// A program that knows rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::cross_check) enum Judge {
    FairyStockfish,
    PythonChess,
}

impl Judge {
    /// The name of its Python package, as reports and the script have it.
    pub(in crate::cross_check) const fn name(self) -> &'static str {
        match self {
            Judge::FairyStockfish => "pyffish",
            Judge::PythonChess => "python-chess",
        }
    }
}

/// A game with the program that judges its positions.
#[derive(Clone, Debug)]
pub(in crate::cross_check) struct JudgedGame {
    pub(in crate::cross_check) label: String,
    pub(in crate::cross_check) judge: Judge,
    pub(in crate::cross_check) variant: Variant,
    /// The kinds of men that the program has.
    pub(in crate::cross_check) pieces: Vec<PieceId>,
    /// The name that the program has for it.
    pub(in crate::cross_check) name: String,
    /// Its section in a `variants.ini`; a game that the program knows needs none.
    pub(in crate::cross_check) section: String,
}

impl JudgedGame {
    /// A game that the program knows by name.
    pub(in crate::cross_check) fn known(variant: Variant, judge: Judge, label: &str, name: &str) -> Self {
        let pieces = variant.piece_ids().collect();
        let (label, name) = (label.to_owned(), name.to_owned());
        JudgedGame { label, judge, variant, pieces, name, section: String::new() }
    }
}
