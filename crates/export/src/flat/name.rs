//! Writes and reads the names of flat files: the men, and the squares of the pawns.
//!
//! `wKQe6-bKQ`: White's men in declared order, then Black's. A pawn is written as its square; where a game
//! has several kinds of pawns, those but the first have their letter before it. Like pawns stand in ascending
//! order. In the name of a file that has the pawns on all of their squares each pawn is its letter:
//! `wKQP-bKQ`.
//!
//! Where the rules are the same to the left and to the right, pawns and their mirror image have one file: the
//! one whose pawns come first in that order, from the first pawn on. Of KPvK these are the files a to d.

use geometry::{Square, Symmetry};
use index::symmetry_group;
use variant::{Man, Material, PieceId, Side, Variant};

/// A canonical material with its pawns on certain squares, or on all of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FlatName {
    material: Material,
    /// Of the pawns, in the order of the men; none if it has all squares of them.
    pawns: Option<Vec<Square>>,
}

impl FlatName {
    /// The name of these men, of which the pawns stand here; none if the material is not canonical or the
    /// pawns cannot stand so.
    #[must_use]
    pub fn new(variant: &Variant, material: &Material, pawns: &[Square]) -> Option<Self> {
        let men: Vec<Man> = material.men().filter(|&man| variant.is_pawn(man)).collect();
        if men.len() != pawns.len() || !material.is_canonical(variant) {
            return None;
        }
        let mut pawns = pawns.to_vec();
        let mut start = 0;
        for like in men.chunk_by(|a, b| a == b) {
            pawns[start..start + like.len()].sort_unstable();
            start += like.len();
        }
        let stands = |(i, (man, square)): (usize, (&Man, &Square))| {
            variant.zone(*man).contains(*square) && !pawns[..i].contains(square)
        };
        let can_stand = men.iter().zip(&pawns).enumerate().all(stands);
        can_stand.then(|| FlatName { material: material.clone(), pawns: Some(pawns) })
    }

    /// The name of the one file that has a canonical material with its pawns on all squares. Without pawns it
    /// is that of the only file that there is.
    #[must_use]
    pub fn of_all_squares(variant: &Variant, material: &Material) -> Self {
        let has_pawns = material.men().any(|man| variant.is_pawn(man));
        FlatName { material: material.clone(), pawns: (!has_pawns).then(Vec::new) }
    }

    /// Whether the pawns, of which there are some, stand on all of their squares.
    #[must_use]
    pub fn has_all_squares(&self) -> bool {
        self.pawns.is_none()
    }

    /// The name of the file that has these men, in either colours; none if they cannot stand so.
    #[must_use]
    pub fn of(variant: &Variant, men: impl IntoIterator<Item = (Man, Square)>) -> Option<Self> {
        FlatName::seen(variant, &men.into_iter().collect::<Vec<_>>()).map(|(name, _, _)| name)
    }

    /// The same, with the squares of the mobile men in the order of the name, and whether the colours are
    /// exchanged.
    pub(super) fn seen(variant: &Variant, men: &[(Man, Square)]) -> Option<(Self, Vec<Square>, bool)> {
        let material = Material::from_men(men.iter().map(|&(man, _)| man));
        let is_swapped = !material.is_canonical(variant);
        let seen = |&(man, square): &(Man, Square)| match is_swapped {
            true => (Man { side: !man.side, ..man }, variant.swap_colours(square)),
            false => (man, square),
        };
        let mut men: Vec<(Man, Square)> = men.iter().map(seen).collect();
        men.sort_by_key(|&(man, square)| (man.side.index(), man.piece, square));
        let squares = |pawns: bool| -> Vec<Square> {
            let wanted = men.iter().filter(|(man, _)| variant.is_pawn(*man) == pawns);
            wanted.map(|&(_, square)| square).collect()
        };
        let name = FlatName::new(variant, &material.canonical(variant), &squares(true))?;
        Some((name, squares(false), is_swapped))
    }

    /// Every way in which the pawns of a canonical material can stand, in ascending order; one without pawns.
    #[must_use]
    pub fn all(variant: &Variant, material: &Material) -> Vec<Self> {
        let men: Vec<Man> = material.men().filter(|&man| variant.is_pawn(man)).collect();
        let mut choices: Vec<Vec<Square>> = vec![Vec::new()];
        for (i, &man) in men.iter().enumerate() {
            let zone = variant.zone(man);
            let is_like = i > 0 && men[i - 1] == man;
            let longer = |choice: Vec<Square>| {
                let fits: Vec<Square> = zone
                    .iter()
                    .filter(|s| {
                        !choice.contains(s) && (!is_like || choice.last().is_none_or(|last| last < s))
                    })
                    .collect();
                fits.into_iter().map(move |s| [&choice[..], &[s]].concat())
            };
            choices = choices.into_iter().flat_map(longer).collect();
        }
        let name = |pawns| FlatName { material: material.clone(), pawns: Some(pawns) };
        choices.into_iter().map(name).collect()
    }

    /// The names of the files that a table is written to: as [`FlatName::all`], but of two that are mirror
    /// images the first, where the rules make no difference between them.
    #[must_use]
    pub fn folded(variant: &Variant, material: &Material) -> Vec<Self> {
        let mut names = FlatName::all(variant, material);
        if has_mirror(variant, material) {
            names.retain(|name| *name <= name.mirrored(variant));
        }
        names
    }

    /// The name of the file that a table is written to: this one, or that of its mirror image.
    #[must_use]
    pub fn written(self, variant: &Variant) -> Self {
        let has_image = !self.has_all_squares() && has_mirror(variant, &self.material);
        let image = has_image.then(|| self.mirrored(variant));
        image.filter(|image| *image < self).unwrap_or(self)
    }

    /// The name with the pawns where a mirror between the middle files shows them.
    pub(super) fn mirrored(&self, variant: &Variant) -> Self {
        let image = |&square: &Square| Symmetry::MIRROR_FILES.square(&variant.board, square);
        let pawns: Vec<Square> = self.pawns().iter().map(image).collect();
        FlatName::new(variant, &self.material, &pawns).expect("the image of a name is one")
    }

    /// Reads a name; none if it is that of nothing, or written in another way than it should be.
    #[must_use]
    pub fn parse(variant: &Variant, text: &str) -> Option<Self> {
        let (white, black) = text.strip_prefix('w')?.split_once("-b")?;
        let (mut men, mut pawns, mut has_all_squares) = (Vec::new(), Vec::new(), false);
        for (side, mut rest) in [(Side::White, white), (Side::Black, black)] {
            while let Some(first) = rest.chars().next() {
                let lettered = first.is_ascii_uppercase().then(|| variant.piece_lettered(first));
                let piece = match lettered {
                    Some(piece) => piece?,
                    None => first_pawn(variant)?,
                };
                rest = if lettered.is_some() { &rest[1..] } else { rest };
                men.push(Man { side, piece });
                if !variant.is_pawn(Man { side, piece }) {
                    continue;
                }
                if lettered.is_some() && !rest.starts_with(|c: char| c.is_ascii_lowercase()) {
                    has_all_squares = true;
                } else {
                    let after = rest.char_indices().skip(1).find(|(_, c)| !c.is_ascii_digit());
                    let (square, others) = rest.split_at(after.map_or(rest.len(), |(at, _)| at));
                    pawns.push(variant.board.square_named(square)?);
                    rest = others;
                }
            }
        }
        // The game says which men may be there, its royal ones above all.
        let material = Material::parse(variant, &Material::from_men(men).name(variant)).ok()?;
        let name = match has_all_squares {
            true if material.is_canonical(variant) => FlatName::of_all_squares(variant, &material),
            true => return None,
            false => FlatName::new(variant, &material, &pawns)?,
        };
        (name.text(variant) == text).then_some(name)
    }

    /// The name.
    #[must_use]
    pub fn text(&self, variant: &Variant) -> String {
        let Some(pawns) = &self.pawns else {
            let letter = |&piece: &PieceId| variant.piece(piece).letter;
            let side = |side: Side| self.material.side(side).iter().map(letter).collect::<String>();
            return format!("w{}-b{}", side(Side::White), side(Side::Black));
        };
        name_of_slice(variant, &self.material, pawns)
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// The squares of the pawns, in the order of the men; none if it has all of them.
    #[must_use]
    pub fn pawns(&self) -> &[Square] {
        self.pawns.as_deref().unwrap_or_default()
    }
}

/// The name of men in their own colours, of which the pawns stand on these squares, in the order of the men
/// and like pawns in ascending order.
#[must_use]
pub fn name_of_slice(variant: &Variant, material: &Material, pawns: &[Square]) -> String {
    let mut pawns = pawns.iter();
    let mut side = |side: Side| -> String {
        let man = |&piece: &PieceId| {
            let letter = variant.piece(piece).letter.to_string();
            if !variant.is_pawn(Man { side, piece }) {
                return letter;
            }
            let square = pawns.next().map_or_else(String::new, |&square| variant.board.name(square));
            if first_pawn(variant) == Some(piece) { square } else { letter + &square }
        };
        material.side(side).iter().map(man).collect()
    };
    format!("w{}-b{}", side(Side::White), side(Side::Black))
}

/// Whether the mirror between the middle files leaves pawns where pawns can be, and changes no rule.
pub(super) fn has_mirror(variant: &Variant, material: &Material) -> bool {
    material.men().any(|man| variant.is_pawn(man))
        && symmetry_group(variant, material).contains(&Symmetry::MIRROR_FILES)
}

/// The kind of pawn that has no letter in names.
fn first_pawn(variant: &Variant) -> Option<PieceId> {
    variant.piece_ids().find(|&piece| variant.is_pawn(Man { side: Side::White, piece }))
}
