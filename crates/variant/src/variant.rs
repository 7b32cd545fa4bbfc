//! Holds a checked variant: its board, its pieces, its rules, what each man may do, and where a pawn can be
//! promoted, by a quiet move or by a capture.

use crate::{Man, Metric, PieceId, PseudoRoyal, Rules, Side};
use geometry::{Board, Square, SquareSet, Symmetry};
use piece::Movement;
use std::borrow::Cow;

/// One kind of piece.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The upper-case letter in FEN and material names.
    pub letter: char,
    /// The piece's name for people.
    pub name: String,
    /// How it moves, from White's view.
    pub movement: Movement,
    /// Whether losing it loses the game.
    pub royal: bool,
    /// What makes it a pawn, if it is one.
    pub pawn: Option<PawnRules>,
    /// By side: the only squares on which its moves end and that it attacks, if it is kept to some; squares
    /// between it passes over. Not turned round for Black: they are where they are. None for pawns.
    pub regions: [Option<SquareSet>; 2],
}

/// What a pawn may do beside its movement. All sets are from White's view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PawnRules {
    /// The squares on which the pawn may stand.
    pub zone: SquareSet,
    /// The squares from which each quiet step may be taken twice.
    pub double_step_from: SquareSet,
    /// Whether another pawn may capture it on the square that its double step passed over.
    pub en_passant: bool,
    /// The squares on which it becomes another piece. It may stay what it is on those of its zone.
    pub promotion: SquareSet,
    /// What it may become, in declared order; if nothing, it never steps on the promotion squares.
    pub promotes_to: Vec<PieceId>,
    /// The rules of Black's, as seen from Black's end of the board, if they differ; these have none of
    /// their own.
    pub black: Option<Box<PawnRules>>,
}

impl PawnRules {
    /// What pawns of either side may become, each once: White's first.
    pub fn all_promotions(&self) -> impl Iterator<Item = PieceId> + '_ {
        let black = self.black.iter().flat_map(|black| &black.promotes_to);
        let others = black.filter(|id| !self.promotes_to.contains(id));
        self.promotes_to.iter().chain(others).copied()
    }

    /// The rules of a side's pawns, as seen from its end of the board.
    #[must_use]
    pub fn of(&self, side: Side) -> &PawnRules {
        self.black.as_deref().filter(|_| side == Side::Black).unwrap_or(self)
    }

    /// Black's rules, if their squares are others than these in a mirror.
    #[must_use]
    pub fn black_squares(&self) -> Option<&PawnRules> {
        let squares = |rules: &PawnRules| (rules.zone, rules.double_step_from, rules.promotion);
        self.black.as_deref().filter(|black| squares(black) != squares(self))
    }

    /// Whether a move may end on a square, whatever the pawn is there.
    #[must_use]
    pub fn may_end_on(&self, square: Square) -> bool {
        self.choices(square).next().is_some()
    }

    /// What the pawn may be after a move to a square: another piece, or at last, as none, what it was.
    pub fn choices(&self, square: Square) -> impl Iterator<Item = Option<PieceId>> + '_ {
        let promoted = self.promotes_to.iter().filter(move |_| self.promotion.contains(square));
        promoted.map(|&piece| Some(piece)).chain(self.zone.contains(square).then_some(None))
    }
}

/// The rules of one game.
///
/// Made by [`Variant::parse`], [`Variant::load`] or [`Variant::from_parts`], which all check it.
///
/// Invariant: letters are unique and upper case; royal pieces come first, and where there are none, the
/// rules say how a game is won; no two rules contradict each other; a royal piece is no pawn; the board
/// looks the same from both sides, holes included; pawns come last; every pawn's steps lead forward, one
/// at a time, and none that captures or is made twice is lame; promotions lead to pieces that are neither
/// pawns nor royal; from every square of a pawn's zone each step leads into the zone, into the promotion
/// squares, or off the board, and so does a double step, which starts in the zone; pawns have no regions,
/// and those of other men are squares of the board, at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    /// The name, as in `tables/<name>`.
    pub name: String,
    /// What the game is, for people; may be empty.
    pub description: String,
    /// Where the rules are written down; may be empty.
    pub source: String,
    /// The board.
    pub board: Board,
    /// The pieces, in the order in which a material's name lists them.
    pub pieces: Vec<Piece>,
    /// The rules.
    pub rules: Rules,
    /// The most men a table is built for when nothing else is said.
    pub men_limit: usize,
    /// The metric of the game's tables when nothing else is said. Code that works under a metric is given it
    /// and does not look here.
    pub default_metric: Metric,
}

impl Variant {
    /// The piece behind an id.
    #[must_use]
    pub fn piece(&self, id: PieceId) -> &Piece {
        &self.pieces[id.0 as usize]
    }

    /// The piece with this letter, in upper case.
    #[must_use]
    pub fn piece_lettered(&self, letter: char) -> Option<PieceId> {
        self.pieces.iter().position(|p| p.letter == letter).map(|i| PieceId(i as u8))
    }

    /// The ids of all pieces, in order.
    pub fn piece_ids(&self) -> impl DoubleEndedIterator<Item = PieceId> + use<> {
        (0..self.pieces.len() as u8).map(PieceId)
    }

    /// The royal pieces. If there are some, the sides have men of them, as many as the rules say.
    pub fn royals(&self) -> impl Iterator<Item = PieceId> + '_ {
        self.piece_ids().filter(|&id| self.piece(id).royal)
    }

    /// Whether there are royal men: each side has some, or one of them.
    #[must_use]
    pub fn has_royals(&self) -> bool {
        self.royals().next().is_some()
    }

    /// The names of the royal pieces and of pseudo-royal ones, such as `king` or `king or queen`; nothing if
    /// there are none.
    #[must_use]
    pub fn royal_name(&self) -> String {
        let pseudo = self.rules.pseudo_royal.iter().flat_map(|pseudo| pseudo.kinds.iter().copied());
        let names: Vec<&str> =
            self.royals().chain(pseudo).map(|royal| self.piece(royal).name.as_str()).collect();
        names.join(" or ")
    }

    /// The royal piece where there is only one.
    #[must_use]
    pub fn only_royal(&self) -> Option<PieceId> {
        let mut royals = self.royals();
        royals.next().filter(|_| royals.next().is_none())
    }

    /// Whether there are men that capture.
    #[must_use]
    pub fn has_captures(&self) -> bool {
        self.pieces.iter().any(|piece| piece.movement.rays().iter().any(|ray| ray.capture))
    }

    /// The kinds of pawns, in order.
    pub fn pawns(&self) -> impl Iterator<Item = PieceId> + '_ {
        self.piece_ids().filter(|&id| self.piece(id).pawn.is_some())
    }

    /// Whether a side may go on without a man, where there are this many men of both: nothing says that it
    /// has lost or won then, and it has no move. An explosion may take the last men of both sides at once.
    #[must_use]
    pub fn may_lack_men(&self, n_men: usize) -> bool {
        let goes_on = match n_men {
            0 => self.rules.blast.is_some(),
            _ => !self.rules.end_a_side_without_men(),
        };
        self.has_side_without_royals() && self.has_captures() && goes_on
    }

    /// Whether a man is a pawn.
    #[must_use]
    pub fn is_pawn(&self, man: Man) -> bool {
        self.piece(man.piece).pawn.is_some()
    }

    /// Whether a man is royal.
    #[must_use]
    pub fn is_royal(&self, man: Man) -> bool {
        self.piece(man.piece).royal
    }

    /// Whether a man is royal where these are the men on the board: of a royal piece, or pseudo-royal.
    #[must_use]
    pub fn is_royal_among(&self, man: Man, mut men: impl Iterator<Item = Man>) -> bool {
        let is_few = |pseudo: &PseudoRoyal| {
            let more = usize::from(pseudo.most_men);
            pseudo.kinds.contains(&man.piece)
                && men.by_ref().filter(|other| *other == man).nth(more).is_none()
        };
        self.is_royal(man) || self.rules.pseudo_royal.as_ref().is_some_and(is_few)
    }

    /// How many royal men a side has.
    #[must_use]
    pub fn n_royals(&self, side: Side) -> usize {
        if self.has_royals() { usize::from(self.rules.royal_men[side.index()]) } else { 0 }
    }

    /// Whether each side has one royal man.
    #[must_use]
    pub fn has_one_royal_each(&self) -> bool {
        self.has_royals() && self.rules.royal_men == [1, 1]
    }

    /// Whether a side has no royal man, so that it can lose all its men.
    #[must_use]
    pub fn has_side_without_royals(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.n_royals(side) == 0)
    }

    /// Whether each side has as many royal men as it must have.
    #[must_use]
    pub fn has_its_royals(&self, men: impl Iterator<Item = Man>) -> bool {
        let mut n = [0; 2];
        men.filter(|man| self.is_royal(*man)).for_each(|man| n[man.side.index()] += 1);
        n == Side::BOTH.map(|side| self.n_royals(side))
    }

    /// How a man moves: its piece's movement, for Black in a mirror or turned round, as the rules say.
    #[must_use]
    pub fn movement(&self, man: Man) -> Movement {
        let movement = &self.piece(man.piece).movement;
        match man.side {
            Side::White => movement.clone(),
            Side::Black => movement.transformed(self.view_of(Side::Black)),
        }
    }

    /// What White's moves become as those of a side.
    pub(crate) fn view_of(&self, side: Side) -> Symmetry {
        match side {
            Side::White => Symmetry::IDENTITY,
            Side::Black if self.rules.black_turned => {
                Symmetry::MIRROR_RANKS.then(Symmetry::MIRROR_FILES, &self.board)
            }
            Side::Black => Symmetry::MIRROR_RANKS,
        }
    }

    /// A man's pawn rules, with sets turned round for Black; none for other men.
    #[must_use]
    pub fn pawn_rules(&self, man: Man) -> Option<PawnRules> {
        let rules = self.piece(man.piece).pawn.as_ref()?.of(man.side);
        let squares = |set| self.squares_of(man.side, set);
        Some(PawnRules {
            zone: squares(rules.zone),
            double_step_from: squares(rules.double_step_from),
            promotion: squares(rules.promotion),
            ..rules.clone()
        })
    }

    /// The squares on which a man may stand.
    #[must_use]
    pub fn zone(&self, man: Man) -> SquareSet {
        let pawn = self.piece(man.piece).pawn.as_ref();
        pawn.map_or(self.board.all(), |rules| self.squares_of(man.side, rules.of(man.side).zone))
    }

    /// Squares that a side sees from its end, where they are on the board.
    fn squares_of(&self, side: Side, squares: SquareSet) -> SquareSet {
        if side == Side::White { squares } else { squares.mirror_ranks(&self.board) }
    }

    /// The squares on which a man's moves may end. It may stand on others, but never comes there by a move of
    /// its own, unless it castles.
    #[must_use]
    pub fn region(&self, man: Man) -> SquareSet {
        self.piece(man.piece).regions[man.side.index()].unwrap_or(self.board.all())
    }

    /// Whether Black's men are not those of White in a mirror.
    pub(crate) fn is_turned(&self) -> bool {
        let is_alike = |piece: &Piece| piece.movement.is_preserved_by(Symmetry::MIRROR_FILES);
        self.rules.black_turned && !self.pieces.iter().all(is_alike)
    }

    /// Whether each side's men are kept to the squares to which the other side's are, seen from its end.
    pub(crate) fn has_like_regions(&self) -> bool {
        let is_alike = |piece| match self.piece(piece).regions {
            // So it is in nearly all games.
            [None, None] => true,
            _ => {
                let [white, black] = Side::BOTH.map(|side| self.region(Man { side, piece }));
                white.mirror_ranks(&self.board) == black
            }
        };
        self.piece_ids().all(is_alike)
    }

    /// Whether pawns of both sides have the same rules, seen from their ends.
    pub(crate) fn has_like_pawns(&self) -> bool {
        let is_alike = |pawn: &PawnRules| pawn.black.is_none();
        self.pieces.iter().filter_map(|piece| piece.pawn.as_ref()).all(is_alike)
    }

    /// The FEN letter of a man: upper case for White, lower case for Black.
    #[must_use]
    pub fn fen_letter(&self, man: Man) -> char {
        let letter = self.piece(man.piece).letter;
        match man.side {
            Side::White => letter,
            Side::Black => letter.to_ascii_lowercase(),
        }
    }

    /// Whether the rules are the same for both sides, each seeing the board from its end: then a table serves
    /// its material with the colours exchanged as well.
    #[must_use]
    pub fn is_colour_symmetric(&self) -> bool {
        !self.rules.helped
            && self.rules.kept.is_empty()
            && self.rules.royal_men[0] == self.rules.royal_men[1]
            && self.has_like_regions()
            && self.has_like_pawns()
            && !self.is_turned()
            && self.rules.goal.as_ref().is_none_or(|goal| goal.is_colour_symmetric(&self.board))
    }

    /// Whether the game has tables of a metric: where checks are counted, none that go by the clock, and none
    /// of helpmates.
    #[must_use]
    pub fn has_metric(&self, metric: Metric) -> bool {
        self.rules.check_counting.is_none() || !matches!(metric, Metric::Dtm50 | Metric::Help)
    }

    /// The game as tables of a metric see it. Under `help` both sides want White to win, so the colours are
    /// not alike: `KRvKQ` is a table beside `KQvKR`, and has how White mates with the rook. Where Black is
    /// to win is read with the colours exchanged.
    #[must_use]
    pub fn for_metric(&self, metric: Metric) -> Cow<'_, Variant> {
        let helped = metric == Metric::Help;
        if self.rules.helped == helped {
            return Cow::Borrowed(self);
        }
        let mut own = self.clone();
        own.rules.helped = helped;
        if helped {
            own.default_metric = metric;
        }
        Cow::Owned(own)
    }

    /// A square as the other player sees it.
    #[must_use]
    pub fn swap_colours(&self, square: Square) -> Square {
        self.board.mirror_ranks(square)
    }
}

impl Variant {
    /// The squares on which a step of this pawn can promote it: a quiet one, or the capture of such a man,
    /// en passant too.
    ///
    /// Only the board is looked at, not who stands on it; empty for men that are no pawns.
    #[must_use]
    pub fn promotion_squares(&self, pawn: Man, victim: Option<Man>) -> SquareSet {
        let Some(rules) = self.pawn_rules(pawn) else { return SquareSet::EMPTY };
        let targets = match victim {
            None => rules.promotion,
            // Where the pawn is promoted many a man cannot stand: a pawn of the other side, for one.
            Some(victim) => {
                rules.promotion.intersection(self.zone(victim).union(self.squares_passed_over(victim)))
            }
        };
        let movement = self.movement(pawn);
        let rays =
            movement.rays().iter().filter(|ray| if victim.is_some() { ray.capture } else { ray.quiet });
        let single =
            rays.flat_map(|ray| rules.zone.iter().filter_map(|from| self.board.offset(from, ray.step)));
        let double = self.steps_taken_twice(pawn).into_iter().filter(|_| victim.is_none()).map(|(_, to)| to);
        single.chain(double).filter(|&to| targets.contains(to)).collect()
    }

    /// The squares on which a man can be captured en passant: those that its double steps pass over.
    pub(crate) fn squares_passed_over(&self, man: Man) -> SquareSet {
        self.double_steps(man).into_iter().map(|(over, _)| over).collect()
    }

    /// The double steps after which a man can be captured en passant: each with the square that it passes
    /// over and the one where it ends.
    pub(crate) fn double_steps(&self, man: Man) -> Vec<(Square, Square)> {
        let Some(rules) = self.pawn_rules(man).filter(|rules| rules.en_passant) else { return Vec::new() };
        let stays = |&(_, to): &(Square, Square)| rules.zone.contains(to);
        self.steps_taken_twice(man).into_iter().filter(stays).collect()
    }

    /// The double steps of a pawn: each with the square that it passes over and the one where it ends.
    pub(crate) fn steps_taken_twice(&self, man: Man) -> Vec<(Square, Square)> {
        let Some(rules) = self.pawn_rules(man) else { return Vec::new() };
        let board = &self.board;
        let movement = self.movement(man);
        let quiet = movement.rays().iter().filter(|ray| ray.quiet);
        let twice = |from, step| {
            let over = board.offset(from, step)?;
            Some((over, board.offset(over, step)?))
        };
        quiet.flat_map(|ray| rules.double_step_from.iter().filter_map(|from| twice(from, ray.step))).collect()
    }
}
