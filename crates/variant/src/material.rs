//! Lists the men that are on the board, names them (`KRPvKR`), and decides the materials in which the rules
//! alone say that the game is over, or that every position is a draw.
//!
//! Each side's men stand in the variant's declared order (royal men first, pawns last). The canonical colours
//! of a material put the side with more men first; among equals the side whose men are declared earlier.
//! Where the rules are not the same for both sides, every material stands for itself.

use crate::{Man, PieceId, Side, Variant, Verdict};
use geometry::Step;
use piece::{Ray, RayPath};
use std::collections::BTreeSet;

/// The men of both sides, without their squares.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Material {
    sides: [Vec<PieceId>; 2],
    /// By side: the checks that it has given, where the game counts them; 0 elsewhere.
    given_checks: [u8; 2],
}

/// A material's name that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// No lower-case `v` between the sides, or more than one.
    #[error("material `{name}` needs exactly one lower-case `v` between its sides, as in `{example}`")]
    Sides {
        /// The name as given.
        name: String,
        /// A name that would do.
        example: String,
    },
    /// A letter that no piece of the variant has.
    #[error("material `{name}` has the letter `{letter}`; {variant} has {known}")]
    Letter {
        /// The name as given.
        name: String,
        /// The letter.
        letter: char,
        /// The variant's name.
        variant: String,
        /// The letters that there are.
        known: String,
    },
    /// A side without a man.
    #[error("material `{name}`: {side} has no man; name some of either side, as in `{example}`")]
    Bare {
        /// The name as given.
        name: String,
        /// The side.
        side: Side,
        /// A name that would do.
        example: String,
    },
    /// Checks that are none, or in a game that does not count them.
    #[error("material `{name}`: `{got}` is no pair of checks left to give; expected {expected}")]
    Checks {
        /// The name as given.
        name: String,
        /// What stands there.
        got: String,
        /// What may stand there.
        expected: String,
    },
    /// A side that has not as many royal men as it must have.
    #[error("material `{name}`: {side} has {got} royal men, expected {expected}")]
    Royal {
        /// The name as given.
        name: String,
        /// The side.
        side: Side,
        /// How many it has.
        got: usize,
        /// How many it must have.
        expected: usize,
    },
}

impl Material {
    /// The material of these men, in any order.
    #[must_use]
    pub fn from_men(men: impl IntoIterator<Item = Man>) -> Self {
        let mut sides = [Vec::new(), Vec::new()];
        for man in men {
            sides[man.side.index()].push(man.piece);
        }
        sides.iter_mut().for_each(|side| side.sort_unstable());
        Material { sides, given_checks: [0; 2] }
    }

    /// The most checks that a game may count: a digit of a name.
    pub const MOST_CHECKS: u8 = 9;

    /// These men, either side having given this number of checks, if the game counts them.
    #[must_use]
    pub fn with_given_checks(self, given_checks: [u8; 2]) -> Self {
        Material { given_checks, ..self }
    }

    /// By side: the checks that it has given, where the game counts them; 0 elsewhere.
    #[must_use]
    pub fn given_checks(&self) -> [u8; 2] {
        self.given_checks
    }

    /// Reads a name such as `KRPvKR`; the letters may stand in any order, the colours as given.
    ///
    /// # Errors
    /// A name that is not two sides of the variant's letters, with the royal men that each must have.
    pub fn parse(variant: &Variant, name: &str) -> Result<Self, MaterialError> {
        let example = || {
            let letter = variant.royals().next().map(|royal| variant.piece(royal).letter.to_string());
            let letter = letter.unwrap_or_default();
            let [white, black] = Side::BOTH.map(|side| letter.repeat(variant.n_royals(side)));
            let first = variant.pieces.iter().find(|p| !p.royal).map(|p| p.letter);
            let side: String = white.chars().chain(first).collect();
            let other: String = if black.is_empty() { first.into_iter().collect() } else { black };
            format!("{side}v{other}")
        };
        let (letters, checks) = name.split_at(name.find('+').unwrap_or(name.len()));
        let given_checks = variant.read_checks_left(checks);
        let is_over = |given: &[u8; 2]| variant.winner_by_checks(*given).is_some();
        let given_checks =
            given_checks.filter(|given| !is_over(given)).ok_or_else(|| MaterialError::Checks {
                name: name.into(),
                got: checks.into(),
                expected: variant.rules.check_counting.map_or_else(
                    || format!("nothing: {} does not count checks", variant.name),
                    |n| format!("1 to {n} for each side, as in `{}+{n}+{n}`", example()),
                ),
            })?;
        let sides: Vec<&str> = letters.split('v').collect();
        let [white, black] = sides[..] else {
            return Err(MaterialError::Sides { name: name.into(), example: example() });
        };
        let mut men = Vec::new();
        for (side, letters) in [(Side::White, white), (Side::Black, black)] {
            for letter in letters.chars() {
                let piece = variant.piece_lettered(letter).ok_or_else(|| MaterialError::Letter {
                    name: name.into(),
                    letter,
                    variant: variant.name.clone(),
                    known: variant.pieces.iter().map(|p| p.letter).collect(),
                })?;
                men.push(Man { side, piece });
            }
            let got = men.iter().filter(|m| m.side == side && variant.is_royal(**m)).count();
            let expected = variant.n_royals(side);
            if got != expected {
                return Err(MaterialError::Royal { name: name.into(), side, got, expected });
            }
            if letters.is_empty() && !variant.may_lack_men(white.len() + black.len()) {
                return Err(MaterialError::Bare { name: name.into(), side, example: example() });
            }
        }
        Ok(Material::from_men(men).with_given_checks(given_checks))
    }

    /// Reads a name as people type it: `krkn`, `KRKN` and `KNvKR` are all KRvKN; with its colours as tables
    /// have them.
    ///
    /// # Errors
    /// As [`Material::parse`], if it can be read in no way or in several.
    pub fn from_typed(variant: &Variant, name: &str) -> Result<Self, MaterialError> {
        let exact = match Material::parse(variant, name) {
            Ok(material) => return Ok(material.canonical(variant)),
            Err(error) => error,
        };
        let mut readings: Vec<Material> = readings(variant, name)
            .iter()
            .filter_map(|reading| Material::parse(variant, reading).ok())
            .map(|material| material.canonical(variant))
            .collect();
        readings.sort();
        readings.dedup();
        match &readings[..] {
            [only] => Ok(only.clone()),
            _ => Err(exact),
        }
    }

    /// The material's name with its colours as they are.
    #[must_use]
    pub fn name(&self, variant: &Variant) -> String {
        let letters =
            |side: Side| self.side(side).iter().map(|&p| variant.piece(p).letter).collect::<String>();
        let checks = variant.checks_left_text(self.given_checks);
        format!("{}v{}{checks}", letters(Side::White), letters(Side::Black))
    }

    /// One side's pieces, in declared order.
    #[must_use]
    pub fn side(&self, side: Side) -> &[PieceId] {
        &self.sides[side.index()]
    }

    /// All men: White's in declared order, then Black's.
    pub fn men(&self) -> impl Iterator<Item = Man> + '_ {
        Side::BOTH.into_iter().flat_map(|side| self.side(side).iter().map(move |&piece| Man { side, piece }))
    }

    /// How many men there are.
    #[must_use]
    pub fn n_men(&self) -> usize {
        self.sides[0].len() + self.sides[1].len()
    }

    /// The material with the colours exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let ([white, black], [of_white, of_black]) = (self.sides.clone(), self.given_checks);
        Material { sides: [black, white], given_checks: [of_black, of_white] }
    }

    /// Whether exchanging the colours changes nothing.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.sides[0] == self.sides[1] && self.given_checks[0] == self.given_checks[1]
    }

    /// Whether a table of the material keeps White to move only: exchanging the colours changes neither the
    /// men nor the rules, so a position with Black to move has the value of one with White to move.
    #[must_use]
    pub fn is_one_sided(&self, variant: &Variant) -> bool {
        self.is_symmetric() && variant.is_colour_symmetric()
    }

    /// The sides to move that a table of the material has.
    #[must_use]
    pub fn sides_to_move(&self, variant: &Variant) -> &'static [Side] {
        if self.is_one_sided(variant) { &[Side::White] } else { &Side::BOTH }
    }

    /// Whether the colours stand as tables have them: more men first, then the earlier declared; as they are
    /// where the rules are not the same for both sides. Of like sides White has given no more checks.
    #[must_use]
    pub fn is_canonical(&self, variant: &Variant) -> bool {
        let [white, black] = &self.sides;
        let [of_white, of_black] = self.given_checks;
        let by_men = || white.len().cmp(&black.len()).then_with(|| black.cmp(white));
        let is_first = || by_men().then_with(|| of_black.cmp(&of_white)).is_ge();
        !variant.is_colour_symmetric() || is_first()
    }

    /// The material with the colours as tables have them.
    #[must_use]
    pub fn canonical(&self, variant: &Variant) -> Self {
        if self.is_canonical(variant) { self.clone() } else { self.swapped() }
    }

    /// Every canonical material of this many men, with the royal men that a side must have, in a fixed order.
    #[must_use]
    pub fn all(variant: &Variant, n_men: usize) -> Vec<Self> {
        let others: Vec<PieceId> = variant.piece_ids().filter(|&id| !variant.piece(id).royal).collect();
        let royals: Vec<PieceId> = variant.royals().collect();
        // The men of a side that has this many: the royal ones, and others.
        let sides = |side: Side, n: usize| -> Vec<Vec<PieceId>> {
            let n_royals = variant.n_royals(side);
            let Some(n_others) = n.checked_sub(n_royals) else { return Vec::new() };
            let others = multisets(&others, n_others);
            let with = |first: Vec<PieceId>| {
                others.iter().map(move |men| [&first[..], &men[..]].concat()).collect::<Vec<_>>()
            };
            multisets(&royals, n_royals).into_iter().flat_map(with).collect()
        };
        let of = |side: Side, pieces: &[PieceId]| -> Vec<Man> {
            pieces.iter().map(|&piece| Man { side, piece }).collect()
        };
        let mut materials = Vec::new();
        for n_black in 1..n_men {
            for white in sides(Side::White, n_men - n_black) {
                for black in sides(Side::Black, n_black) {
                    let material =
                        Material::from_men([of(Side::White, &white), of(Side::Black, &black)].concat());
                    let counted = variant.all_given_checks();
                    let counted = counted.map(|given| material.clone().with_given_checks(given));
                    materials.extend(counted.filter(|material| material.is_canonical(variant)));
                }
            }
        }
        materials
    }
}

/// What a name may stand for that was typed in any case, with or without the `v` between the sides.
fn readings(variant: &Variant, name: &str) -> Vec<String> {
    let (name, checks) = name.split_at(name.find('+').unwrap_or(name.len()));
    if !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Vec::new();
    }
    let letters = name.to_ascii_uppercase();
    let places = letters.match_indices('V').map(|(at, _)| at);
    let mut readings: Vec<String> =
        places.map(|at| format!("{}v{}", &letters[..at], &letters[at + 1..])).collect();
    // Without it the other side begins with its first royal man.
    let is_royal = |letter: char| variant.royals().any(|royal| variant.piece(royal).letter == letter);
    let second = letters.match_indices(is_royal).nth(variant.n_royals(Side::White));
    if let Some((at, _)) = second.filter(|_| !name.contains('v')) {
        readings.push(format!("{}v{}", &letters[..at], &letters[at..]));
    }
    readings.iter_mut().for_each(|reading| reading.push_str(checks));
    readings
}

/// Every sorted choice of `n` pieces, repetitions allowed.
fn multisets(pieces: &[PieceId], n: usize) -> Vec<Vec<PieceId>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in pieces.iter().enumerate() {
        for rest in multisets(&pieces[i..], n - 1) {
            all.push([&[first], &rest[..]].concat());
        }
    }
    all
}

impl Variant {
    /// What either side may have given in checks while the game goes on: all zeros if they are not counted.
    pub fn all_given_checks(&self) -> impl Iterator<Item = [u8; 2]> + use<> {
        let n = self.rules.check_counting.unwrap_or(1);
        (0..n).flat_map(move |white| (0..n).map(move |black| [white, black]))
    }

    /// The checks that either side has left to give, as names and FENs have them, `+3+3`; nothing if they are
    /// not counted.
    #[must_use]
    pub fn checks_left_text(&self, given: [u8; 2]) -> String {
        let left = |n: u8| given.map(|given| n.saturating_sub(given));
        self.rules.check_counting.map(left).map_or_else(String::new, |[w, b]| format!("+{w}+{b}"))
    }

    /// The checks that either side has given, as `+2+3` says what it has left; all are left where it says
    /// nothing. None if it says no such thing.
    #[must_use]
    pub fn read_checks_left(&self, text: &str) -> Option<[u8; 2]> {
        if text.is_empty() {
            return Some([0; 2]);
        }
        let n = self.rules.check_counting?;
        let mut all = (0..=n).flat_map(|white| (0..=n).map(move |black| [white, black]));
        all.find(|&given| self.checks_left_text(given) == text)
    }

    /// The side that has given as many checks as win.
    #[must_use]
    pub fn winner_by_checks(&self, given: [u8; 2]) -> Option<Side> {
        let n = self.rules.check_counting?;
        Side::BOTH.into_iter().find(|side| given[side.index()] >= n)
    }

    /// The result for either side to move if these men alone decide the game, wherever they stand; none if
    /// the material has a table.
    ///
    /// A side that has lost its royal man by an explosion is at the end of the game; and so is one that is
    /// extinct, with either side to move, if no royal man can be left attacked by that.
    #[must_use]
    pub fn constant(&self, material: &Material) -> Option<[Option<Verdict>; 2]> {
        let has_royal = |side| material.side(side).iter().any(|&piece| self.piece(piece).royal);
        let has_lost = |side: &Side| self.n_royals(*side) > 0 && !has_royal(*side);
        let by_checks = self.winner_by_checks(material.given_checks).map(|winner| !winner);
        if let Some(lost) = by_checks.or_else(|| Side::BOTH.into_iter().find(has_lost)) {
            return Some(Side::BOTH.map(|stm| Some(if stm == lost { Verdict::Loss } else { Verdict::Win })));
        }
        // Who has no man left attacks no royal one.
        let is_bare = Side::BOTH.into_iter().any(|side| material.side(side).is_empty());
        if self.has_royals() && !is_bare {
            return None;
        }
        let extinct = Side::BOTH.map(|stm| self.extinct(material, stm));
        extinct.iter().all(Option::is_some).then_some(extinct)
    }

    /// The result for the side to move by the rule of extinction, wherever the men stand; none if no side is
    /// extinct.
    #[must_use]
    pub fn extinct(&self, material: &Material, stm: Side) -> Option<Verdict> {
        let n_men = |side, kind: Option<PieceId>| {
            material.side(side).iter().filter(|&&piece| kind.is_none_or(|kind| kind == piece)).count()
        };
        self.rules.extinction.as_ref()?.verdict(n_men, stm)
    }

    /// Whether the men alone decide every position of a material, so that it has no table.
    #[must_use]
    pub fn is_over(&self, material: &Material) -> bool {
        self.constant(material).is_some()
    }

    /// Whether the rules alone prove every legal position of a material drawn.
    ///
    /// Two bare royal men that go everywhere, stalemate a draw, no goal on the board, and captures by leaps
    /// that lead back as well: then each attacks the other or neither does. Who is to move and attacked could
    /// capture first, so the other's last move was illegal: no side is ever mated. Nor is one where captures
    /// explode, for royal men make none.
    #[must_use]
    pub fn is_always_drawn(&self, material: &Material) -> bool {
        let is_bare = material.n_men() == 2 && material.men().all(|man| self.is_royal(man));
        let has_both = Side::BOTH.into_iter().all(|side| material.side(side).len() == 1);
        let nobody_wins = self.rules.stalemate_verdict(1, 1).is_none() && self.rules.goal.is_none();
        let is_over = || Side::BOTH.into_iter().any(|stm| self.extinct(material, stm).is_some());
        let is_mutual = || self.rules.blast.is_some() || self.attack_mutually(material);
        is_bare && has_both && nobody_wins && !is_over() && is_mutual()
    }

    /// Whether of two men of different sides each attacks the other or neither does, wherever they stand.
    fn attack_mutually(&self, material: &Material) -> bool {
        let attacks = |side: Side| {
            let movement = self.movement(Man { side, piece: material.side(side)[0] });
            let captures = movement.rays().iter().filter(|ray| ray.capture);
            // A lame leap and its reverse go different ways, and a hole may stop only one of them.
            let leads_back = |ray: &Ray| ray.path == RayPath::Plain || self.board.holes().is_empty();
            let step = |ray: &Ray| (ray.limit == 1 && leads_back(ray)).then_some(ray.step);
            captures.map(step).collect::<Option<BTreeSet<Step>>>()
        };
        let [white, black] = Side::BOTH.map(attacks);
        let reversed = white.map(|steps| steps.into_iter().map(Step::reversed).collect::<BTreeSet<Step>>());
        let go_everywhere = material.men().all(|man| self.region(man) == self.board.all());
        go_everywhere && reversed.is_some() && reversed == black
    }
}
