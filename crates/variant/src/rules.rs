//! Holds the rules beside the pieces: how a game ends, what that is worth, who castles, and what the players
//! must do.
//!
//! Names and meaning are those of Fairy-Stockfish's `variants.ini` where it has the rule. Every rule speaks
//! of *sides* and *kinds of men*; only the goal and castling name squares. Applying the rules to positions is
//! left to others.

use crate::{Man, PieceId, Side};
use geometry::{Board, Square, SquareSet, Step};
use std::collections::BTreeSet;

/// The result for the side to which something happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It loses.
    Loss,
    /// It wins.
    Win,
}

/// The result for a side that has no legal move and no attacked royal man.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stalemate {
    /// Neither side wins.
    Draw,
    /// The side without a move loses.
    Loss,
    /// The side without a move wins.
    Win,
    /// The side with fewer men wins, and neither if there are as many of each.
    FewerMen,
}

/// When a side may leave everything as it is, if its royal man is then not attacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// Never.
    Never,
    /// Always.
    Always,
    /// Where it has no other legal move.
    OnStalemate,
}

/// A capture takes the capturing man away too, and the men on the eight squares around the square of the
/// capture.
///
/// Of those around, immune men stay. A side whose royal man is gone has lost, and may not bring that about
/// itself. A royal man captures nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blast {
    /// Men who stay unless they capture or are captured, in declared order: pawns in most games.
    pub immune: Vec<PieceId>,
}

/// The end of a side's men, or of those of some kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extinction {
    /// What it means for the side.
    pub verdict: Verdict,
    /// The kinds of men of which a side needs some each; none for all its men together.
    pub kinds: Option<Vec<PieceId>>,
    /// A side is extinct with at most this many men of one of the kinds …
    pub most_men: u8,
    /// … if the other side has at least this many of that kind.
    pub opponent_men: u8,
    /// Whether the other side claims it, so that the extinct side has a move to change it: if it is to move,
    /// then the other side needs one man more for the game to be over.
    pub is_claimed: bool,
}

/// Men that are royal beside the royal pieces while their side has few of their kind.
///
/// Invariant: the kinds are neither royal nor pawns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PseudoRoyal {
    /// The kinds, in declared order.
    pub kinds: Vec<PieceId>,
    /// Of more men of one kind than this none is royal.
    pub most_men: u8,
}

/// Places on the board that win: one to reach, or all the rows that men can stand in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    /// The kinds of men that win there, in declared order; none for every kind.
    pub kinds: Option<Vec<PieceId>>,
    /// By side: the squares of each of its places. Not turned round for Black: they are where they are.
    pub places: [Vec<SquareSet>; 2],
    /// How many of these men must stand together in one place, at least one; one if attacks matter.
    pub n_men: u8,
    /// When they have won there.
    pub arrival: Arrival,
}

/// When men on a goal have won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// With the move that brings them there.
    AtOnce,
    /// At once, but Black, who moves second, may answer White by reaching his goal too, which makes a draw.
    Answered,
    /// As soon as there are two, or no man of the other side attacks the only one. A draw, if that is so for
    /// both sides.
    Safe,
    /// As soon as they are safe, or when their own side is to move again.
    SafeOrKept,
    /// After a move of their own side: when they are enough, or one is there and no square of the place is
    /// empty.
    Filled,
}

impl Arrival {
    /// Whether an attack by the other side matters.
    #[must_use]
    pub fn heeds_attacks(self) -> bool {
        matches!(self, Arrival::Safe | Arrival::SafeOrKept)
    }
}

/// Men of one kind that are kept to squares.
///
/// Invariant: the men are no pawns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The kind and its side.
    pub man: Man,
    /// The squares of each of them, in any order; a man beyond these may stand anywhere.
    pub squares: Vec<SquareSet>,
}

/// A move of a pawn: the man, from where and to where.
pub type PawnStep = (Man, Square, Square);

/// The rules beside the pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Whether Black's men move as White's turned by half round, and not as in a mirror.
    pub black_turned: bool,
    /// By side: how many royal men it has, if there are royal pieces. Each of them is royal; one side may
    /// have none.
    pub royal_men: [u8; 2],
    /// The value of stalemate.
    pub stalemate: Stalemate,
    /// The value of having no legal move while the royal man is attacked.
    pub checkmate: Verdict,
    /// After how many moves of each side without capture or pawn move a game is drawn; none for never.
    /// Only the metric `dtz50` looks at it.
    pub n_move_rule: Option<u16>,
    /// Whether a side that can capture must.
    pub must_capture: bool,
    /// Whether a move may attack the other side's royal man.
    pub checking: bool,
    /// Whether and when a side may pass.
    pub pass: Pass,
    /// The explosions that captures set off, if they do.
    pub blast: Option<Blast>,
    /// The end of a side's men, if it decides the game.
    pub extinction: Option<Extinction>,
    /// Men that are royal beside the royal pieces, if there are any.
    pub pseudo_royal: Option<PseudoRoyal>,
    /// A place on the board that wins, if there is one.
    pub goal: Option<Goal>,
    /// Men that are kept to squares. No rule of a game, and no part of its hash: who solves a structure
    /// inside a limit gives positions with a man elsewhere to the other side. Moves do not depend on it,
    /// numberings do: a symmetry has to keep these squares.
    pub kept: Vec<Kept>,
    /// Moves of pawns that are given away, in sets of those that one side gives. As `kept` no rule of a game
    /// and no part of its hash: a symmetry has to keep each of these sets where there are such pawns.
    pub given_steps: Vec<Vec<PawnStep>>,
    /// How many checks win the game for the side that gives them, if checks are counted.
    pub check_counting: Option<u8>,
    /// Castling, if a king and a rook that have not moved may castle. Positions without a right to castle,
    /// and tables of them, do not depend on it.
    pub castling: Option<Castling>,
    /// Whether both sides want White to win: see [`Variant::for_metric`](crate::Variant::for_metric). No
    /// rule of a game and no part of its hash.
    pub helped: bool,
}

impl Rules {
    /// After how many plies without capture or pawn move a game is drawn, unless the last of them mates; none
    /// for never.
    #[must_use]
    pub fn rule_plies(&self) -> Option<u16> {
        self.n_move_rule.filter(|&n| n > 0).map(|n| n.saturating_mul(2))
    }

    /// Every list of kinds of men that a rule names.
    pub(crate) fn kinds_mut(&mut self) -> impl Iterator<Item = &mut Vec<PieceId>> {
        let immune = self.blast.as_mut().map(|blast| &mut blast.immune);
        let extinct = self.extinction.as_mut().and_then(|extinction| extinction.kinds.as_mut());
        let pseudo = self.pseudo_royal.as_mut().map(|pseudo| &mut pseudo.kinds);
        let goal = self.goal.as_mut().and_then(|goal| goal.kinds.as_mut());
        let rooks = self.castling.as_mut().map(|castling| &mut castling.rooks);
        immune.into_iter().chain(extinct).chain(pseudo).chain(goal).chain(rooks)
    }

    /// Whether a game is won by mate and nothing else.
    #[must_use]
    pub fn is_won_by_mate_only(&self) -> bool {
        let ends = self.blast.is_some() || self.extinction.is_some() || self.goal.is_some();
        let ends = ends || self.check_counting.is_some();
        self.checkmate == Verdict::Loss && self.stalemate == Stalemate::Draw && !ends
    }

    /// Whether a side without a man is extinct whatever the other side has, which has at least one, and
    /// whichever side is to move.
    pub(crate) fn end_a_side_without_men(&self) -> bool {
        self.extinction.as_ref().is_some_and(|extinction| {
            let most_needed = u32::from(extinction.opponent_men) + u32::from(extinction.is_claimed);
            most_needed <= u32::from(extinction.kinds.is_none())
        })
    }

    /// Whether a side can have won because it has no legal move.
    #[must_use]
    pub fn can_win_without_move(&self) -> bool {
        self.checkmate == Verdict::Win || matches!(self.stalemate, Stalemate::Win | Stalemate::FewerMen)
    }

    /// What having no legal move means for a side, not attacked, by the numbers of men of both sides; none is
    /// a draw.
    #[must_use]
    pub fn stalemate_verdict(&self, own_men: usize, opponent_men: usize) -> Option<Verdict> {
        match self.stalemate {
            Stalemate::Draw => None,
            Stalemate::Loss => Some(Verdict::Loss),
            Stalemate::Win => Some(Verdict::Win),
            Stalemate::FewerMen if own_men < opponent_men => Some(Verdict::Win),
            Stalemate::FewerMen if own_men > opponent_men => Some(Verdict::Loss),
            Stalemate::FewerMen => None,
        }
    }
}

impl Default for Rules {
    /// The rules of chess.
    fn default() -> Self {
        Rules {
            stalemate: Stalemate::Draw,
            checkmate: Verdict::Loss,
            n_move_rule: Some(50),
            must_capture: false,
            checking: true,
            pass: Pass::Never,
            blast: None,
            extinction: None,
            pseudo_royal: None,
            black_turned: false,
            royal_men: [1; 2],
            goal: None,
            kept: Vec::new(),
            given_steps: Vec::new(),
            check_counting: None,
            castling: None,
            helped: false,
        }
    }
}

impl Extinction {
    /// The result for the side to move with these numbers of men of each kind; none if no side is extinct.
    ///
    /// `n_men` counts the men of a side of one kind, or all of them. The side that has just moved is looked
    /// at first. Source: Fairy-Stockfish, `extinctionValue` and the keys beside it.
    #[must_use]
    pub fn verdict(&self, n_men: impl Fn(Side, Option<PieceId>) -> usize, stm: Side) -> Option<Verdict> {
        let ends = |side: Side, kind: Option<PieceId>| {
            let needed = usize::from(self.opponent_men) + usize::from(self.is_claimed && side == stm);
            n_men(side, kind) <= usize::from(self.most_men) && n_men(!side, kind) >= needed
        };
        let is_extinct = |side: &Side| match &self.kinds {
            Some(kinds) => kinds.iter().any(|&kind| ends(*side, Some(kind))),
            None => ends(*side, None),
        };
        let side = [!stm, stm].into_iter().find(is_extinct)?;
        Some(if side == stm { self.verdict } else { !self.verdict })
    }
}

impl Goal {
    /// Whether a man of this kind wins on the goal.
    #[must_use]
    pub fn is_for(&self, piece: PieceId) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&piece))
    }

    /// The rows of a board in which so many men stand side by side along one of these steps, each once.
    #[must_use]
    pub fn rows(board: &Board, n_men: u8, steps: &[Step]) -> Vec<SquareSet> {
        let row = |from: Square, step: Step| {
            let squares = std::iter::successors(Some(from), |&last| board.offset(last, step));
            squares.take(usize::from(n_men)).collect::<SquareSet>()
        };
        let all = steps.iter().flat_map(|&step| board.all().iter().map(move |from| row(from, step)));
        let whole = all.filter(|row| row.n_squares() == usize::from(n_men));
        whole.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The squares of all places of a side.
    #[must_use]
    pub fn squares(&self, side: Side) -> SquareSet {
        self.places[side.index()].iter().copied().fold(SquareSet::EMPTY, SquareSet::union)
    }

    /// Whether either side sees the same game from its side of the board.
    #[must_use]
    pub fn is_colour_symmetric(&self, board: &Board) -> bool {
        let [white, black] = &self.places;
        let mirrored = |place: &SquareSet| place.mirror_ranks(board);
        self.arrival != Arrival::Answered
            && white.len() == black.len()
            && white.iter().all(|p| black.contains(&mirrored(p)))
    }
}

impl std::ops::Not for Verdict {
    type Output = Verdict;
    fn not(self) -> Verdict {
        match self {
            Verdict::Loss => Verdict::Win,
            Verdict::Win => Verdict::Loss,
        }
    }
}

/// The side of the king on which the rook stands that he castles with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wing {
    /// Towards the last file: `O-O`.
    Kingside,
    /// Towards the first file: `O-O-O`.
    Queenside,
}

impl Wing {
    /// Both, in the order of a FEN.
    pub const BOTH: [Wing; 2] = [Wing::Kingside, Wing::Queenside];

    /// 0 for the king's side, 1 for the queen's.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Wing::Kingside => 0,
            Wing::Queenside => 1,
        }
    }
}

/// Who castles, from where and to where. Files are numbered from 0.
///
/// A king and a rook that have not moved yet go in one move to squares of their rank, the rook to the inner
/// side of the king. All files and the rank are as White sees them; Black castles on the mirrored rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Castling {
    /// The kind of man that castles as the king does.
    pub king: PieceId,
    /// The kinds of men that it castles with, in declared order.
    pub rooks: Vec<PieceId>,
    /// The rank on which both stand, from 0.
    pub rank: usize,
    /// The file on which the king begins; without meaning with `any_files`.
    pub king_file: usize,
    /// By wing: the file on which the rook begins; without meaning with `any_files`.
    pub rook_files: [usize; 2],
    /// By wing: the file that the king comes to.
    pub king_targets: [usize; 2],
    /// Whether king and rooks may begin on any files of the rank, as in Chess960.
    pub any_files: bool,
}

impl Castling {
    /// The rank on which a side castles, from 0.
    #[must_use]
    pub fn rank_of(&self, board: &Board, side: Side) -> usize {
        match side {
            Side::White => self.rank,
            Side::Black => board.ranks() - 1 - self.rank,
        }
    }

    /// Where a side's king begins; none if that may be anywhere on the rank.
    #[must_use]
    pub fn king_square(&self, board: &Board, side: Side) -> Option<Square> {
        (!self.any_files).then(|| board.square(self.king_file, self.rank_of(board, side)))
    }

    /// Where a side's rook of this wing begins; none if that may be anywhere on the rank.
    #[must_use]
    pub fn rook_square(&self, board: &Board, side: Side, wing: Wing) -> Option<Square> {
        (!self.any_files).then(|| board.square(self.rook_files[wing.index()], self.rank_of(board, side)))
    }

    /// Where a side's king comes to.
    #[must_use]
    pub fn king_target(&self, board: &Board, side: Side, wing: Wing) -> Square {
        board.square(self.king_targets[wing.index()], self.rank_of(board, side))
    }

    /// Where a side's rook comes to: beside the king, on his inner side.
    #[must_use]
    pub fn rook_target(&self, board: &Board, side: Side, wing: Wing) -> Square {
        board.square(self.rook_target_file(wing), self.rank_of(board, side))
    }

    /// The file that the rook comes to.
    fn rook_target_file(&self, wing: Wing) -> usize {
        let king = self.king_targets[wing.index()];
        match wing {
            Wing::Kingside => king.saturating_sub(1),
            Wing::Queenside => king + 1,
        }
    }
}
