//! Gives moves and positions to a side without looking at them, and says what that makes of values: bounds.
//!
//! `discard` leaves out moves of a side, `concede` ends the game by a move or in a position. Both are one
//! thing, what is left out being won for a side: moves that a side does not have are won for the other one,
//! because it need not make them. But a side that has no other move is not stalemated by that; it has lost.
//!
//! ```text
//!   discard  "w=N"                      at least, for White
//!   concede-to-white "b=Q", "stalemate" at most, for White
//! ```

use geometry::Square;
use serde::{Deserialize, Serialize};
use table::{Ply, Value};
use variant::exit::Change;
use variant::{Man, Material, Pass, PieceId, Side, Variant, Verdict};

/// Something that is given to a side.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Concession {
    /// Whether it is given to White.
    to_white: bool,
    /// Whether it is a move that a side does not make.
    is_discarded: bool,
    /// What it is, as people write it.
    what: String,
}

/// Why something cannot be given to a side: what is wrong with it, and what to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcessionError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// What a concession means in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Conceded {
    /// Promotions of a side to a piece, or to any.
    Promotion(Side, Option<PieceId>),
    /// Captures by a side of a piece, or of any.
    Capture(Side, Option<PieceId>),
    /// A move of a pawn.
    Step(Man, Square, Square),
    /// Stalemates of the side to whose loss it is.
    Stalemate(Side),
    /// Positions of a material, once they are reached by a capture or a promotion.
    Material(Material),
    /// Positions without a table at hand, reached in the same way.
    NoTable,
}

/// How people write what is given away.
const HELP: &str = "write a promotion (\"w=N\", \"b=*\"), a capture (\"wxR\", \"bx*\"), a move of a pawn \
                    (\"we3e4\"), \"stalemate\", a material (\"KQvKR\") or \"no-table\"";

impl Concession {
    /// Moves that a side does not make.
    ///
    /// # Errors
    /// The text names no moves of a side.
    pub fn discarded(variant: &Variant, what: &str) -> Result<Self, ConcessionError> {
        let conceded = read(variant, what, Side::White)?;
        let Some(mover) = conceded.mover() else {
            let message = format!("`{}` are no moves of a side", what.escape_debug());
            let help = "discard moves of `w` or `b`, as in \"w=N\"; positions are conceded to a side";
            return Err(ConcessionError { message, help: help.into() });
        };
        check(variant, &conceded, what)?;
        Ok(Concession { to_white: mover == Side::Black, is_discarded: true, what: what.into() })
    }

    /// Moves and positions that are won for a side.
    ///
    /// # Errors
    /// The text names neither.
    pub fn to(variant: &Variant, winner: Side, what: &str) -> Result<Self, ConcessionError> {
        let conceded = read(variant, what, !winner)?;
        check(variant, &conceded, what)?;
        Ok(Concession { to_white: winner == Side::White, is_discarded: false, what: what.into() })
    }

    /// The bound that it makes.
    pub(crate) fn bound(&self) -> Bound {
        if self.to_white { Bound::Upper } else { Bound::Lower }
    }

    /// What it means; none if the game has nothing of that kind.
    pub(super) fn read(&self, variant: &Variant) -> Option<Conceded> {
        read(variant, &self.what, if self.to_white { Side::Black } else { Side::White }).ok()
    }

    /// `w=N discarded`, `stalemate conceded to White`.
    pub(crate) fn words(&self) -> String {
        let to = if self.to_white { "White" } else { "Black" };
        match self.is_discarded {
            true => format!("{} discarded", self.what),
            false => format!("{} conceded to {to}", self.what),
        }
    }

    /// What a file name says of it.
    pub(crate) fn file_words(&self) -> String {
        let letter = if self.to_white { 'w' } else { 'b' };
        format!(".{letter}-{}", self.what.replace('*', "any"))
    }
}

impl Conceded {
    /// The side whose moves they are; none of positions.
    fn mover(&self) -> Option<Side> {
        match self {
            Conceded::Promotion(side, _) | Conceded::Capture(side, _) => Some(*side),
            Conceded::Step(man, ..) => Some(man.side),
            Conceded::Stalemate(_) | Conceded::Material(_) | Conceded::NoTable => None,
        }
    }

    /// Whether an exit of these men is one of them.
    pub(super) fn is_exit(&self, men: &[Man], change: Change, has_table: bool) -> bool {
        let gone = || men.iter().enumerate().filter(|(place, _)| change.gone >> place & 1 == 1);
        let fits = |own: &Option<PieceId>, piece: PieceId| own.is_none_or(|own| own == piece);
        match self {
            Conceded::Promotion(side, piece) => {
                change.promoted.is_some_and(|(place, to)| men[place].side == *side && fits(piece, to))
            }
            Conceded::Capture(side, piece) => {
                gone().any(|(_, victim)| victim.side != *side && fits(piece, victim.piece))
            }
            Conceded::Material(material) => Material::from_men(change.apply(men)) == *material,
            Conceded::NoTable => !has_table,
            Conceded::Step(..) | Conceded::Stalemate(_) => false,
        }
    }

    /// Whether the loser may be left without a move, or has lost if it is: of captures and steps it does not
    /// have the solver cannot tell whether they were the only moves.
    pub(super) fn may_leave_without_move(&self, men: &[Man], loser: Side) -> bool {
        match self {
            Conceded::Promotion(..) => false,
            Conceded::Capture(side, piece) => {
                let is_victim = |man: &&Man| man.side != loser && piece.is_none_or(|own| own == man.piece);
                *side == loser && men.iter().any(|man| is_victim(&man))
            }
            Conceded::Step(man, ..) => man.side == loser && men.contains(man),
            Conceded::Stalemate(side) => *side == loser,
            // A capture leaves fewer men.
            Conceded::Material(material) => material.n_men() < men.len(),
            Conceded::NoTable => true,
        }
    }

    /// The move of a pawn, if it is one.
    pub(super) fn pawn_move(&self) -> Option<(Man, Square, Square)> {
        match self {
            Conceded::Step(man, from, to) => Some((*man, *from, *to)),
            _ => None,
        }
    }
}

/// What a text means, to the loss of a side.
fn read(variant: &Variant, what: &str, loser: Side) -> Result<Conceded, ConcessionError> {
    match what {
        "stalemate" => return Ok(Conceded::Stalemate(loser)),
        "no-table" => return Ok(Conceded::NoTable),
        _ => {}
    }
    let side = match what.chars().next() {
        Some('w') => Side::White,
        Some('b') => Side::Black,
        _ => {
            let material = Material::parse(variant, what).map_err(|_| unknown(what))?;
            return match variant.constant(&material) {
                None => Ok(Conceded::Material(material)),
                Some(_) => Err(meaningless(what, "with these men the game is over", "name other men")),
            };
        }
    };
    let rest = &what[1..];
    let piece = |letter: &str| {
        let mut letters = letter.chars();
        let first = letters.next().filter(|_| letters.next().is_none()).ok_or_else(|| unknown(what))?;
        match first {
            '*' => Ok(None),
            letter => variant.piece_lettered(letter).map(Some).ok_or_else(|| unknown(what)),
        }
    };
    if let Some(letter) = rest.strip_prefix('=') {
        return promotion(variant, what, side, piece(letter)?);
    }
    if let Some(letter) = rest.strip_prefix('x') {
        return capture(variant, what, side, piece(letter)?);
    }
    let second = rest.char_indices().skip(1).find(|(_, c)| c.is_ascii_lowercase());
    let (from, to) = rest.split_at(second.ok_or_else(|| unknown(what))?.0);
    let squares = variant.board.square_named(from).zip(variant.board.square_named(to));
    let (from, to) = squares.ok_or_else(|| unknown(what))?;
    // Of several kinds of pawns the first that has the move is meant.
    let mut pawns = variant.piece_ids().map(|piece| Man { side, piece }).filter(|&man| variant.is_pawn(man));
    let pawn = pawns.find(|&man| has_step(variant, man, from, to));
    pawn.map(|man| Conceded::Step(man, from, to)).ok_or_else(|| {
        let names = [from, to].map(|square| variant.board.name(square));
        let message = format!("no pawn of {side}'s goes from {} to {}", names[0], names[1]);
        meaningless(what, &message, "write a move that a pawn has, as in \"we3e4\" or \"be7e5\"")
    })
}

/// Promotions to a piece, if pawns of the side are promoted to it.
fn promotion(
    variant: &Variant,
    what: &str,
    side: Side,
    to: Option<PieceId>,
) -> Result<Conceded, ConcessionError> {
    let pawns = variant.piece_ids().filter_map(|piece| variant.pawn_rules(Man { side, piece }));
    let mut becomes: Vec<PieceId> = pawns.flat_map(|pawn| pawn.promotes_to).collect();
    becomes.sort_unstable();
    becomes.dedup();
    if to.map_or(!becomes.is_empty(), |to| becomes.contains(&to)) {
        return Ok(Conceded::Promotion(side, to));
    }
    let letters: Vec<String> = becomes.iter().map(|&to| variant.piece(to).letter.to_string()).collect();
    let help = match letters.is_empty() {
        true => "leave it out".to_owned(),
        false => format!("name one of the pieces {}", letters.join(", ")),
    };
    Err(meaningless(what, "no pawn is promoted to this", &help))
}

/// Captures of a piece, if it can be captured.
fn capture(
    variant: &Variant,
    what: &str,
    side: Side,
    piece: Option<PieceId>,
) -> Result<Conceded, ConcessionError> {
    match piece {
        Some(piece) if variant.is_royal(Man { side: !side, piece }) => {
            let help = "name another piece, or `*` for all";
            Err(meaningless(what, "a royal man is never captured", help))
        }
        piece => Ok(Conceded::Capture(side, piece)),
    }
}

/// Whether a pawn can go from a square to another, with a capture or without.
fn has_step(variant: &Variant, pawn: Man, from: Square, to: Square) -> bool {
    let Some(rules) = variant.pawn_rules(pawn) else { return false };
    let board = &variant.board;
    let arrives = rules.zone.contains(to) || rules.promotion.contains(to);
    let reaches = |ray: &piece::Ray| {
        let target = board.offset(from, ray.step);
        let twice = target.filter(|_| ray.quiet && rules.double_step_from.contains(from));
        target == Some(to) || twice.is_some_and(|target| board.offset(target, ray.step) == Some(to))
    };
    rules.zone.contains(from) && arrives && variant.movement(pawn).rays().iter().any(reaches)
}

fn unknown(what: &str) -> ConcessionError {
    let message = format!("`{}` is nothing that can be given away", what.escape_debug());
    ConcessionError { message, help: HELP.into() }
}

fn meaningless(what: &str, why: &str, help: &str) -> ConcessionError {
    ConcessionError { message: format!("`{}` means nothing: {why}", what.escape_debug()), help: help.into() }
}

/// Whether the rules let a capture be given away soundly: then who has captures left out is no better off.
pub(super) fn may_give_captures(variant: &Variant) -> bool {
    let rules = &variant.rules;
    rules.checkmate == Verdict::Loss
        && !rules.must_capture
        && rules.pass == Pass::Never
        && rules.blast.is_none()
}

/// Checks that the rules let something be given away soundly.
fn check(variant: &Variant, conceded: &Conceded, what: &str) -> Result<(), ConcessionError> {
    if may_give_captures(variant) || matches!(conceded, Conceded::Promotion(..)) {
        return Ok(());
    }
    let what = what.escape_debug();
    let message = format!(
        "`{what}` cannot be given away where captures are compulsory or explode, a side may \
                           pass, or who is mated has won"
    );
    Err(ConcessionError { message, help: "limit promotions or squares of men instead".into() })
}

/// What the values of a table are.
///
/// What lies outside a limit is given to one side. Given to Black, every value is at most as good for White
/// as the true one: the result is a *lower* bound. Given to White it is an *upper* one. By induction over
/// the plies: a side that has its moves with values no better than the true ones has no better value itself,
/// and a move that is not allowed, given to the other side, changes nothing, because no side need make it.
/// Where both bounds agree the value is exact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The values themselves.
    Exact,
    /// At most as good for White as the values: what lies outside is won for Black.
    Lower,
    /// At least as good for White as the values: what lies outside is won for White.
    Upper,
}

impl Bound {
    /// The side to which a run gives what lies outside.
    #[must_use]
    pub fn winner_outside(self) -> Option<Side> {
        match self {
            Bound::Exact => None,
            Bound::Lower => Some(Side::Black),
            Bound::Upper => Some(Side::White),
        }
    }

    /// What lies outside, by side to move.
    pub(crate) fn outside(self) -> [Value; 2] {
        let value = |stm| match self.winner_outside() {
            None => Value::Illegal,
            Some(winner) if winner == stm => Value::Win(Ply(1)),
            Some(_) => Value::Loss(Ply(0)),
        };
        Side::BOTH.map(value)
    }
}
