//! Describes a material as Syzygy files have it: the game that its files are about, their names, and each
//! man's code.

use format::rules_hash;
use geometry::Square;
use index::symmetry_group;
use position::Position;
use std::ops::RangeInclusive;
use std::sync::LazyLock;
use variant::{Man, Material, Metric, PieceId, Side, Variant, game};

/// Whose rules a file has.
///
/// Readers make captures themselves, so what a file leaves out depends on how men capture in its game. Which
/// placements have a number depends on whether kings may touch. A variant belongs to a game if it has the
/// same rules for the men that can occur; its name does not matter. All other games have files with a mark
/// of ours, which no other reader accepts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Family {
    /// Chess.
    Chess,
    /// Atomic chess: captures explode.
    Atomic,
    /// Antichess: captures are compulsory, and a side without a man or a move wins.
    Giveaway,
    /// Like giveaway, but a side without a move wins only if it has fewer men.
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

/// How a file begins.
type Magic = [u8; 4];

/// By family: what people call the game, and by kind of file the ending of its name and its first bytes.
const GAMES: [(&str, [&str; 2], [Magic; 2]); 5] = [
    ("chess", ["rtbw", "rtbz"], [[0x71, 0xe8, 0x23, 0x5d], [0xd7, 0x66, 0x0c, 0xa5]]),
    ("atomic chess", ["atbw", "atbz"], [[0x55, 0x8d, 0xa4, 0x49], [0x91, 0xa9, 0x5e, 0xeb]]),
    ("antichess", ["gtbw", "gtbz"], [[0xbc, 0x55, 0xbc, 0x21], [0xd6, 0xf5, 0x1b, 0x50]]),
    ("suicide", ["stbw", "stbz"], [[0x7b, 0xf6, 0x93, 0x15], [0xe4, 0xcf, 0xe7, 0x23]]),
    ("a game of its own", ["tsbw", "tsbz"], [*b"TSbw", *b"TSbz"]),
];

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

    /// Like [`Family::of`], and [`Family::Other`] for other games, as far as files can hold them.
    ///
    /// # Errors
    /// Why they cannot, in words that go on from the name of the material.
    pub fn of_any(variant: &Variant, material: &Material) -> Result<Self, String> {
        match Family::of(variant, material) {
            Some(family) => Ok(family),
            None => obstacle(variant, material).map_or(Ok(Family::Other), Err),
        }
    }

    /// What people call the game.
    #[must_use]
    pub const fn name(self) -> &'static str {
        GAMES[self as usize].0
    }

    /// The ending of the names of its files.
    #[must_use]
    pub const fn extension(self, kind: FileKind) -> &'static str {
        GAMES[self as usize].1[kind as usize]
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
    pub(crate) const fn magic(self, kind: FileKind) -> Magic {
        GAMES[self as usize].2[kind as usize]
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

    /// Whether files leave it to their readers to look at moves.
    pub(crate) const fn looks_at_moves(self) -> bool {
        !matches!(self, Family::Other)
    }
}

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
            _ => name_of_codes(&codes),
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
        Family::Other => custom_codes(variant, men),
        _ => {
            let kind = |man: &Man| kind_lettered(variant.piece(man.piece).letter);
            men.iter().map(|man| Some(coloured(kind(man)?, man.side))).collect()
        }
    }
}

/// The order of the pieces in names, from the first.
const NAMED: [u8; 6] = [KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN];

/// The men of a name such as `KQvKR`, White's first; none if it is no name of a file of the game: two kings
/// where they are royal, the side with more men first, and of equally many the one whose list of men comes
/// first.
pub(crate) fn codes_of_name(name: &str, family: Family) -> Option<Vec<PieceCode>> {
    let (white, black) = name.split_once('v')?;
    let places = |side: &str| -> Option<Vec<usize>> {
        side.chars().map(|c| NAMED.into_iter().position(|kind| letter_of(kind) == c)).collect()
    };
    let (white, black) = (places(white)?, places(black)?);
    let n_kings = |side: &[usize]| side.iter().filter(|&&place| place == 0).count();
    let is_side = |side: &[usize]| {
        side.is_sorted() && !side.is_empty() && (!family.has_royal_kings() || n_kings(side) == 1)
    };
    let is_canonical = white.len() > black.len() || (white.len() == black.len() && white <= black);
    let n_men = white.len() + black.len();
    if !is_side(&white) || !is_side(&black) || !is_canonical || !family.n_men().contains(&n_men) {
        return None;
    }
    let black = black.into_iter().map(|place| NAMED[place] | BLACK);
    Some(white.into_iter().map(|place| NAMED[place]).chain(black).collect())
}

/// The name of a file for these men, and whether their colours are exchanged in it.
pub(crate) fn name_of_codes(codes: &[PieceCode]) -> (String, bool) {
    let places = |black: bool| {
        let own = codes.iter().copied().filter(|&code| is_black(code) == black);
        let place = |code| NAMED.into_iter().position(|named| named == kind(code));
        let mut places: Vec<usize> = own.filter_map(place).collect();
        places.sort_unstable();
        places
    };
    let (white, black) = (places(false), places(true));
    let is_swapped = white.len() < black.len() || (white.len() == black.len() && white > black);
    let text = |places: &[usize]| places.iter().map(|&place| letter_of(NAMED[place])).collect::<String>();
    let (first, second) = if is_swapped { (&black, &white) } else { (&white, &black) };
    (format!("{}v{}", text(first), text(second)), is_swapped)
}

/// A number for a choice of men, whatever their order: equal if and only if the men are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct MaterialKey(u64);

impl MaterialKey {
    /// The key of these men; none if they are more than a file can have.
    pub(crate) fn new(men: impl Iterator<Item = Man>) -> Option<Self> {
        let mut bytes = [0; 8];
        for (place, man) in men.enumerate() {
            if place == MAX_MEN {
                return None;
            }
            // A piece is one of at most 26 letters, and no man is 0.
            bytes[place] = 1 + 2 * man.piece.0 + man.side.index() as u8;
        }
        bytes.sort_unstable();
        Some(MaterialKey(u64::from_le_bytes(bytes)))
    }

    /// The key of a position's men.
    pub(crate) fn of(position: &Position) -> Option<Self> {
        MaterialKey::new(position.men().map(|(man, _)| man))
    }
}

/// The most men of a file that readers know of.
pub const MAX_MEN: usize = 7;

/// A man's code.
///
/// The codes are chess's. A game that other readers do not know borrows them (see `custom`).
pub(crate) type PieceCode = u8;

pub(crate) const PAWN: PieceCode = 1;
pub(crate) const KNIGHT: PieceCode = 2;
pub(crate) const BISHOP: PieceCode = 3;
pub(crate) const ROOK: PieceCode = 4;
pub(crate) const QUEEN: PieceCode = 5;
pub(crate) const KING: PieceCode = 6;

/// The bit that makes a man Black's.
pub(crate) const BLACK: PieceCode = 8;

/// The code without its colour.
pub(crate) const fn kind(code: PieceCode) -> u8 {
    code & 7
}

/// Whether a man is Black's.
pub(crate) const fn is_black(code: PieceCode) -> bool {
    code & BLACK != 0
}

/// The code in the colour of a side.
pub(crate) const fn coloured(kind: u8, side: Side) -> PieceCode {
    match side {
        Side::White => kind,
        Side::Black => kind | BLACK,
    }
}

/// The letter of a kind in names.
pub(crate) const fn letter_of(kind: u8) -> char {
    match kind {
        PAWN => 'P',
        KNIGHT => 'N',
        BISHOP => 'B',
        ROOK => 'R',
        QUEEN => 'Q',
        _ => 'K',
    }
}

/// The kind with a letter of chess.
pub(crate) fn kind_lettered(letter: char) -> Option<u8> {
    (PAWN..=KING).find(|&kind| letter_of(kind) == letter)
}

/// The pawn whose side leads: the one with fewer pawns, White if both have as many; none without pawns.
pub(crate) fn leading_pawn(codes: &[PieceCode]) -> Option<PieceCode> {
    let n = |pawn: PieceCode| codes.iter().filter(|&&code| code == pawn).count();
    match (n(PAWN), n(PAWN | BLACK)) {
        (0, 0) => None,
        (0, _) => Some(PAWN | BLACK),
        (_, 0) => Some(PAWN),
        (white, black) => Some(if black < white { PAWN | BLACK } else { PAWN }),
    }
}

/// Whether both sides have pawns.
pub(crate) fn has_pawns_on_both_sides(codes: &[PieceCode]) -> bool {
    codes.contains(&PAWN) && codes.contains(&(PAWN | BLACK))
}

/// The codes of a material's kinds of men; none if there are more than the format has codes for.
fn kinds(variant: &Variant, material: &Material) -> Option<Vec<(PieceId, u8)>> {
    let of_chess = |man: Man| {
        let number = kind_lettered(variant.piece(man.piece).letter)?;
        ((number == PAWN) == variant.is_pawn(man)).then_some((man.piece, number))
    };
    let as_in_chess: Option<Vec<(PieceId, u8)>> = material.men().map(of_chess).collect();
    as_in_chess.or_else(|| {
        let canonical = material.canonical(variant);
        numbered(canonical.men().map(|man| (man.piece, variant.is_pawn(man))))
    })
}

/// Codes for kinds of men, of which each may come up several times, and whether it is of pawns with it: 1 for
/// that of pawns, 6, 5, 4, 3, 2 for the others as they first come up. None if there are more.
fn numbered<K: Copy + PartialEq>(kinds: impl Iterator<Item = (K, bool)>) -> Option<Vec<(K, u8)>> {
    let (mut numbers, mut next): (Vec<(K, u8)>, u8) = (Vec::new(), KING);
    for (kind, is_pawn) in kinds {
        if numbers.iter().any(|(own, _)| *own == kind) {
            continue;
        }
        let number = if is_pawn { PAWN } else { next };
        let is_used = numbers.iter().any(|&(_, own)| own == PAWN);
        if number == PAWN && (is_used || !is_pawn) {
            return None;
        }
        numbers.push((kind, number));
        next -= u8::from(!is_pawn);
    }
    Some(numbers)
}

/// The codes of some men, in their order; none if there are too many kinds.
///
/// No reader knows how men move in such a game, so its files leave nothing to be found out by moves: every
/// value stands there, the distances with both sides to move. What is left of the format are its numbers and
/// its packing. These put mirrored placements together, so a game must be the same in each mirror, and from
/// both sides.
///
/// Where all letters are those of chessmen, and P alone is a pawn, men have the codes of chess: then a
/// reader of chess needs no more than another mark. Else a kind of pawn has code 1, and the other kinds have
/// 6, 5, 4, 3, 2 in the order in which their letters first come up in the name.
pub(crate) fn custom_codes(variant: &Variant, men: &[Man]) -> Option<Vec<PieceCode>> {
    let kinds = kinds(variant, &Material::from_men(men.iter().copied()))?;
    let code = |man: &Man| {
        let &(_, kind) = kinds.iter().find(|(piece, _)| *piece == man.piece)?;
        Some(coloured(kind, man.side))
    };
    men.iter().map(code).collect()
}

/// The men of a file by its name and its list of men, White's first; none if the two contradict each other.
///
/// The name does not tell which kind are pawns, but they stand at the end of a side.
pub(crate) fn codes_of_file(name: &str, content: &[u8]) -> Option<Vec<PieceCode>> {
    let (white, black) = name.split_once('v')?;
    let is_side = |side: &str| !side.is_empty() && side.bytes().all(|letter| letter.is_ascii_uppercase());
    let n_men = name.len() - 1;
    if !is_side(white) || !is_side(black) || !(2..=MAX_MEN).contains(&n_men) {
        return None;
    }
    let men_by = |number: &dyn Fn(char) -> Option<u8>| -> Option<Vec<PieceCode>> {
        let side = |side: &str, colour: u8| side.chars().map(|own| Some(number(own)? | colour)).collect();
        let (white, black): (Option<Vec<PieceCode>>, Option<Vec<PieceCode>>) =
            (side(white, 0), side(black, BLACK));
        Some([white?, black?].concat())
    };
    let men_with = |pawn: Option<char>| -> Option<Vec<PieceCode>> {
        let letters = white.chars().chain(black.chars());
        let kinds = numbered(letters.map(|letter| (letter, Some(letter) == pawn)))?;
        men_by(&|letter| kinds.iter().find(|(own, _)| *own == letter).map(|&(_, number)| number))
    };
    let has_pawns = content.get(4)? & 2 != 0;
    let candidates = match has_pawns {
        true => vec![white.chars().last(), black.chars().last()],
        false => vec![None],
    };
    let is_written = |men: &Vec<PieceCode>| {
        let n_orders = 1 + usize::from(has_pawns_on_both_sides(men));
        let Some(written) = content.get(5 + n_orders..5 + n_orders + n_men) else { return false };
        let sorted = |mut men: Vec<PieceCode>| {
            men.sort_unstable();
            men
        };
        sorted(written.iter().map(|byte| byte & 15).collect()) == sorted(men.clone())
    };
    let as_in_chess = men_by(&kind_lettered).filter(is_written);
    as_in_chess.or_else(|| candidates.into_iter().filter_map(men_with).find(is_written))
}

/// Why a material of a game has no place in such files, if it has none.
pub(crate) fn obstacle(variant: &Variant, material: &Material) -> Option<String> {
    let board = &variant.board;
    if (board.files(), board.ranks()) != (8, 8) {
        return Some(format!("its board has {} × {} squares, not 8 × 8", board.files(), board.ranks()));
    }
    if !variant.is_colour_symmetric() {
        return Some("it is not the same game for both sides".into());
    }
    if variant.rules.check_counting.is_some() {
        return Some("checks are counted in it, and such files ask for the men alone".into());
    }
    if !(2..=MAX_MEN).contains(&material.n_men()) {
        let n_men = material.n_men();
        return Some(format!("it has {n_men} men, and there are numbers for 2 to {MAX_MEN}"));
    }
    if Side::BOTH.into_iter().any(|side| material.side(side).is_empty()) {
        return Some("a side has no man, and each has one in such files".into());
    }
    let Some(kinds) = kinds(variant, material) else {
        return Some("it has more than five kinds of men that are not pawns, or several of pawns".into());
    };
    let has_pawns = kinds.iter().any(|&(_, kind)| kind == PAWN);
    let may_stand = |man: Man| variant.zone(man).iter().all(|square| (8..56).contains(&square.index()));
    let is_pawn = |man: &Man| kinds.contains(&(man.piece, PAWN));
    if !material.men().filter(is_pawn).all(may_stand) {
        return Some("its pawns may stand on the first or the last rank".into());
    }
    let group = symmetry_group(variant, material);
    let has = |to: fn(usize) -> usize| {
        let is_same = |index: usize, square: Square| square.index() == to(index);
        group.iter().any(|symmetry| {
            (0..64).all(|index| is_same(index, symmetry.square(board, Square::from_index(index))))
        })
    };
    let is_mirrored = has(|square| square ^ 7);
    let is_turned = has_pawns || (has(|square| square ^ 56) && has(|square| square >> 3 | (square & 7) << 3));
    match is_mirrored && is_turned {
        true => None,
        false if has_pawns => Some("left and right are not the same to its men".into()),
        false => Some("its men do not move alike in all directions".into()),
    }
}

/// Flag of a side of a sub-table: Black is to move (of distances).
pub(crate) const BLACK_TO_MOVE: u8 = 1;
/// Flag: distances stand behind a map.
pub(crate) const MAPPED: u8 = 2;
/// Flag: wins are counted in plies.
pub(crate) const WIN_PLIES: u8 = 4;
/// Flag: losses are counted in plies.
pub(crate) const LOSS_PLIES: u8 = 8;
/// Flag: the map has two bytes an entry.
pub(crate) const WIDE: u8 = 16;
/// Flag: one value throughout.
pub(crate) const SINGLE: u8 = 0x80;

/// What stands before the checksum of a file of a game of its own: the hash of its rules, and zeros.
pub(crate) const RULES_BYTES: usize = 64;

/// Blocks of data begin at multiples of this.
pub(crate) const ALIGNMENT: usize = 64;
