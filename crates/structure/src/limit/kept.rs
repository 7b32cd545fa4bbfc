//! Keeps men of one kind to squares: wherever such a man stands elsewhere, the position lies outside.
//!
//! Only the side that has the men is restricted, so what is found is a bound for that side: of White's men
//! the lower one, of Black's the upper one. In a run for the other bound the men go where they like.

use crate::Bound;
use geometry::SquareSet;
use serde::{Deserialize, Serialize};
use variant::{Man, Material, Side, Variant};

/// The squares that men of one kind are kept to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// The kind, as people write it: `wR`.
    pub man: String,
    /// The squares of each of them, by name; a man without squares may stand anywhere. Men beyond these,
    /// promoted ones, may too.
    pub squares: Vec<Vec<String>>,
}

impl Kept {
    /// Keeps men of a kind to these squares each; none if all of them may stand anywhere.
    #[must_use]
    pub fn new(variant: &Variant, man: Man, squares: &[SquareSet]) -> Option<Self> {
        let board = &variant.board;
        let names = |set: &SquareSet| match *set == board.all() {
            true => Vec::new(),
            false => set.iter().map(|square| board.name(square)).collect(),
        };
        let squares: Vec<Vec<String>> = squares.iter().map(names).collect();
        let is_kept = squares.iter().any(|names| !names.is_empty());
        is_kept.then(|| Kept { man: man_name(variant, man), squares })
    }

    /// The bound that keeping them makes.
    pub(crate) fn bound(&self) -> Bound {
        if self.man.starts_with('w') { Bound::Lower } else { Bound::Upper }
    }

    /// The men and their squares; none if the game has no such piece.
    fn read(&self, variant: &Variant) -> Option<variant::Kept> {
        let man = man_named(variant, &self.man)?;
        let set = |names: &Vec<String>| match names.is_empty() {
            true => variant.board.all(),
            false => names.iter().filter_map(|name| variant.board.square_named(name)).collect(),
        };
        Some(variant::Kept { man, squares: self.squares.iter().map(set).collect() })
    }

    /// Whether a material has such men.
    pub(crate) fn is_for(&self, variant: &Variant, material: &Material) -> bool {
        man_named(variant, &self.man).is_some_and(|own| material.men().any(|man| man == own))
    }

    /// `wRh1 fixed`, `wK kept to a1 b1`.
    pub(crate) fn words(&self) -> String {
        let words = |names: &Vec<String>| match &names[..] {
            [only] => format!("{}{only} fixed", self.man),
            several => format!("{} kept to {}", self.man, several.join(" ")),
        };
        let all: Vec<String> = self.squares.iter().filter(|names| !names.is_empty()).map(words).collect();
        all.join(", ")
    }

    /// What a file name says of it.
    pub(crate) fn file_words(&self) -> String {
        let words = |names: &Vec<String>| match names.len() {
            0 => String::new(),
            1..=4 => format!(".{}{}", self.man, names.concat()),
            _ => {
                let hash = blake3::hash(names.concat().as_bytes());
                format!(".{}-{}", self.man, &hash.to_hex()[..6])
            }
        };
        self.squares.iter().map(words).collect()
    }
}

/// The game with men kept to squares.
pub(crate) fn with_kept(variant: &Variant, kept: &[Kept]) -> Variant {
    let mut variant = variant.clone();
    variant.rules.kept = kept.iter().filter_map(|kept| kept.read(&variant)).collect();
    variant
}

/// A man as people write it: `wR`.
#[must_use]
pub fn man_name(variant: &Variant, man: Man) -> String {
    let side = if man.side == Side::White { 'w' } else { 'b' };
    format!("{side}{}", variant.piece(man.piece).letter)
}

/// The man of this name; none if there is no such side or piece.
#[must_use]
pub fn man_named(variant: &Variant, name: &str) -> Option<Man> {
    let mut letters = name.chars();
    let side = match letters.next()? {
        'w' => Side::White,
        'b' => Side::Black,
        _ => return None,
    };
    let piece = variant.piece_lettered(letters.next()?)?;
    letters.next().is_none().then_some(Man { side, piece })
}
