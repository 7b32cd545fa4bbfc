//! Finds out whose files a material of a variant has: those of chess, of one of three other games that
//! readers know, or ours.
//!
//! Readers make captures themselves, so what a file leaves out depends on how men capture in its game. Which
//! placements have a number depends on whether kings may touch. A variant belongs to a game if it has the
//! same rules for the men that can occur; its name does not matter. All other games have files with a mark of
//! ours, which no other reader accepts.

use crate::material::code::MAX_MEN;
use crate::material::custom;
use format::rules_hash;
use std::ops::RangeInclusive;
use std::sync::LazyLock;
use variant::{Material, Metric, Variant, game};

/// Whose rules a file has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Family {
    /// Chess.
    Chess,
    /// Atomic chess: captures explode.
    Atomic,
    /// Antichess: captures are compulsory, and a side without a man or a move wins.
    Giveaway,
    /// The same, but a side without a move wins only if it has fewer men.
    Suicide,
    /// A game that no other reader knows: nothing is left to be found out by moves.
    Other,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FileKind {
    /// Who wins, the fifty-move rule counted.
    Wdl,
    /// Plies to the next capture or pawn move.
    Dtz,
}

/// The rules of each game.
static RULES: LazyLock<Vec<(Family, Variant)>> = LazyLock::new(|| {
    let texts = [
        (Family::Chess, game::CHESS),
        (Family::Atomic, game::ATOMIC),
        (Family::Giveaway, game::ANTICHESS),
        (Family::Suicide, game::SUICIDE),
    ];
    let rules =
        |text, family: Family| Variant::parse(text, family.name()).expect("rules of our own are right");
    texts.into_iter().map(|(family, text)| (family, rules(text, family))).collect()
});

impl Family {
    /// All games.
    pub const ALL: [Family; 5] =
        [Family::Chess, Family::Atomic, Family::Giveaway, Family::Suicide, Family::Other];

    /// The game with a variant's rules for these men, if there is one.
    #[must_use]
    pub fn of(variant: &Variant, material: &Material) -> Option<Self> {
        let hash = rules_hash(variant, material, Metric::Dtz50);
        let name = material.name(variant);
        let is_same = |rules: &Variant| {
            let same = Material::parse(rules, &name);
            same.is_ok_and(|same| rules_hash(rules, &same, Metric::Dtz50) == hash)
        };
        RULES.iter().find(|(_, rules)| is_same(rules)).map(|&(family, _)| family)
    }

    /// The same, and [`Family::Other`] for other games, as far as files can hold them.
    ///
    /// # Errors
    /// Why they cannot, in words that go on from the name of the material.
    pub fn of_any(variant: &Variant, material: &Material) -> Result<Self, String> {
        match Family::of(variant, material) {
            Some(family) => Ok(family),
            None => custom::obstacle(variant, material).map_or(Ok(Family::Other), Err),
        }
    }

    /// What people call the game.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Family::Chess => "chess",
            Family::Atomic => "atomic chess",
            Family::Giveaway => "antichess",
            Family::Suicide => "suicide",
            Family::Other => "a game of its own",
        }
    }

    /// The ending of the names of its files.
    #[must_use]
    pub const fn extension(self, kind: FileKind) -> &'static str {
        match (self, kind) {
            (Family::Chess, FileKind::Wdl) => "rtbw",
            (Family::Chess, FileKind::Dtz) => "rtbz",
            (Family::Atomic, FileKind::Wdl) => "atbw",
            (Family::Atomic, FileKind::Dtz) => "atbz",
            (Family::Giveaway, FileKind::Wdl) => "gtbw",
            (Family::Giveaway, FileKind::Dtz) => "gtbz",
            (Family::Suicide, FileKind::Wdl) => "stbw",
            (Family::Suicide, FileKind::Dtz) => "stbz",
            (Family::Other, FileKind::Wdl) => "tsbw",
            (Family::Other, FileKind::Dtz) => "tsbz",
        }
    }

    /// The game and kind of the files whose names end so.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<(Self, FileKind)> {
        let kinds = |family| [FileKind::Wdl, FileKind::Dtz].map(|kind| (family, kind));
        let mut all = Family::ALL.into_iter().flat_map(kinds);
        all.find(|(family, kind)| family.extension(*kind) == extension)
    }

    /// The name of a material's file.
    #[must_use]
    pub fn file_name(self, kind: FileKind, material: &str) -> String {
        format!("{material}.{}", self.extension(kind))
    }

    /// How its files begin.
    pub(crate) const fn magic(self, kind: FileKind) -> [u8; 4] {
        match (self, kind) {
            (Family::Chess, FileKind::Wdl) => [0x71, 0xe8, 0x23, 0x5d],
            (Family::Chess, FileKind::Dtz) => [0xd7, 0x66, 0x0c, 0xa5],
            (Family::Atomic, FileKind::Wdl) => [0x55, 0x8d, 0xa4, 0x49],
            (Family::Atomic, FileKind::Dtz) => [0x91, 0xa9, 0x5e, 0xeb],
            (Family::Giveaway, FileKind::Wdl) => [0xbc, 0x55, 0xbc, 0x21],
            (Family::Giveaway, FileKind::Dtz) => [0xd6, 0xf5, 0x1b, 0x50],
            (Family::Suicide, FileKind::Wdl) => [0x7b, 0xf6, 0x93, 0x15],
            (Family::Suicide, FileKind::Dtz) => [0xe4, 0xcf, 0xe7, 0x23],
            (Family::Other, FileKind::Wdl) => *b"TSbw",
            (Family::Other, FileKind::Dtz) => *b"TSbz",
        }
    }

    /// How many men its files have.
    #[must_use]
    pub const fn n_men(self) -> RangeInclusive<usize> {
        match self {
            // Bare kings need no file.
            Family::Chess | Family::Atomic => 3..=MAX_MEN,
            // Readers have no room for seven.
            Family::Giveaway | Family::Suicide => 2..=6,
            Family::Other => 2..=MAX_MEN,
        }
    }

    /// Whether each side has one king, whose loss loses.
    pub(crate) const fn has_royal_kings(self) -> bool {
        matches!(self, Family::Chess | Family::Atomic)
    }

    /// Whether two kings may stand side by side.
    pub(crate) const fn kings_may_touch(self) -> bool {
        !matches!(self, Family::Chess)
    }

    /// Whether a side that can capture has to.
    pub(crate) const fn must_capture(self) -> bool {
        matches!(self, Family::Giveaway | Family::Suicide)
    }

    /// Whether its files can be written from parts of tables that are only promoted into: in chess they are
    /// asked for where the new man stands on a promotion square.
    #[must_use]
    pub const fn takes_parts(self) -> bool {
        matches!(self, Family::Chess)
    }

    /// Whether files leave it to their readers to look at moves.
    pub(crate) const fn looks_at_moves(self) -> bool {
        !matches!(self, Family::Other)
    }
}
