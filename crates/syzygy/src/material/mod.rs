//! Describes a material as Syzygy files have it: the game and name of its files, and each man's code.

pub(crate) mod code;
pub(crate) mod custom;
pub(crate) mod key;
pub(crate) mod name;

use crate::family::Family;
use code::{PieceCode, chess_code};
use variant::{Man, Material, Variant};

/// A material in the words of its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileMaterial {
    family: Family,
    name: String,
    is_swapped: bool,
    codes: Vec<(Man, PieceCode)>,
}

impl FileMaterial {
    /// The material as the files of its game have it.
    ///
    /// # Errors
    /// Why no file can hold it, in words that go on from the name of the material.
    pub fn new(variant: &Variant, material: &Material) -> Result<Self, String> {
        let canonical = material.canonical(variant);
        let family = Family::of_any(variant, &canonical)?;
        let men: Vec<Man> = material.men().collect();
        let codes = codes(family, variant, &men).ok_or("it has men that Syzygy files have no codes for")?;
        let (name, is_swapped) = match family {
            Family::Other => (canonical.name(variant), !material.is_canonical(variant)),
            _ => name::name_of_codes(&codes),
        };
        let mut codes: Vec<(Man, PieceCode)> = men.into_iter().zip(codes).collect();
        codes.dedup();
        Ok(FileMaterial { family, name, is_swapped, codes })
    }

    /// The game that its files are about.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    /// The material's name, as files have it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the files have the colours exchanged.
    pub(crate) fn is_swapped(&self) -> bool {
        self.is_swapped
    }

    /// The code of a man.
    pub(crate) fn code(&self, man: Man) -> Option<PieceCode> {
        self.codes.iter().find(|(own, _)| *own == man).map(|&(_, code)| code)
    }
}

/// The codes of some men in their order; none if one has no code in files of the game.
pub(crate) fn codes(family: Family, variant: &Variant, men: &[Man]) -> Option<Vec<PieceCode>> {
    match family {
        Family::Other => custom::codes(variant, men),
        _ => men.iter().map(|&man| chess_code(variant, man)).collect(),
    }
}
