//! Finds rules that contradict each other or the men: they would have no meaning, or never decide anything.
//!
//! What is merely odd is allowed. The checks stand in the order in which a reader would stumble over the
//! faults. A broken invariant is a [`Violation`]: what it is about, what is wrong, and what to do.

use crate::{
    Arrival, Castling, Extinction, Goal, Material, Pass, PawnRules, Piece, PieceId, Rules, Side, Stalemate,
    Verdict, Wing,
};
use geometry::{Board, Square, SquareSet};

/// The most royal men of a side that tables have room for.
pub(crate) const MOST_ROYAL_MEN: usize = 4;

const MAY_PASS: &str = "a side may lose all its men, and nothing says whether it passes then";
const END_WITHOUT_MEN: &str =
    "add `extinction-value = \"loss\"` or `\"win\"` with `extinction-piece-types = \"*\"`";

/// Collects what is wrong with the parts of a variant; without a board, of what needs none.
pub(crate) struct Checker<'a> {
    pub(crate) board: Option<&'a Board>,
    pub(crate) pieces: &'a [Piece],
    pub(crate) rules: &'a Rules,
    pub(crate) violations: Vec<Violation>,
}

impl Checker<'_> {
    /// Finds the contradictions in the rules of a game of these pieces.
    pub(crate) fn contradictions(&mut self) {
        if self.pieces.is_empty() {
            return self.fault(Subject::Pieces, "there is no piece", "add a [[piece]] table for each piece");
        }
        self.royalty();
        self.blast();
        self.extinction();
        self.pseudo_royal();
        self.goal();
        self.castling();
        self.check_counting();
    }

    pub(crate) fn fault(&mut self, subject: Subject, message: impl Into<String>, help: impl Into<String>) {
        self.violations.push(Violation { subject, message: message.into(), help: help.into() });
    }

    /// A fault of the rule with this key.
    fn rule(&mut self, key: &'static str, message: impl Into<String>, help: impl Into<String>) {
        self.fault(Subject::Rule(key), message, help);
    }

    fn has_royal(&self) -> bool {
        self.pieces.iter().any(|piece| piece.royal)
    }

    /// Whether the rules leave open what a side without men may do.
    fn may_pass_without_men(&self) -> bool {
        self.rules.pass != Pass::Never && !self.rules.end_a_side_without_men()
    }

    /// What needs a royal man, and what is needed without one.
    fn royalty(&mut self) {
        let explodes = self.rules.blast.is_some();
        let n_by_side @ [white, black] = self.rules.royal_men.map(usize::from);
        let is_of_all = |extinction: &Extinction| extinction.kinds.is_none();
        if n_by_side == [0, 0]
            || white.max(black) > MOST_ROYAL_MEN
            || self.board.is_some_and(|board| white + black > board.n_squares())
        {
            let message = format!("White has {white} royal men, and Black {black}");
            let help = format!(
                "name 1 to {MOST_ROYAL_MEN}, as many as the board has room for; one side may have none"
            );
            self.rule("royal-men", message, help);
        }
        let message = match n_by_side {
            [1, 1] => None,
            [0, _] | [_, 0] if self.may_pass_without_men() => {
                self.rule("royal-men", MAY_PASS, END_WITHOUT_MEN);
                None
            }
            _ if white.min(black) > 0 && self.rules.extinction.as_ref().is_some_and(is_of_all) => {
                Some("a side always has several royal men, and so never loses by having too few men")
            }
            _ if !self.has_royal() => Some("no piece is royal"),
            _ if explodes => Some("explosions are solved with one royal man a side"),
            _ if self.rules.castling.is_some() => Some("castling is solved with one royal man a side"),
            _ => None,
        };
        if let Some(message) = message {
            self.rule("royal-men", message, "leave one of the two out");
        }
        let has_pawns = self.pieces.iter().any(|piece| piece.pawn.is_some());
        if self.rules.black_turned && (has_pawns || self.rules.castling.is_some()) {
            let message = "pawns and castling are seen in a mirror";
            self.rule("black-turned", message, "leave it out, or do without them");
        }
        let rules = self.rules;
        if self.has_royal() {
            return self.mates();
        }
        let help = "make a piece `royal = true`, or leave the rule out";
        if !rules.checking {
            self.rule("checking", "without a royal piece nobody gives check", help);
        }
        if rules.checkmate == Verdict::Win {
            self.rule("checkmate-value", "without a royal piece nobody is mated", help);
        }
        let may_be_stuck = rules.pass == Pass::Never && rules.stalemate != Stalemate::Draw;
        if rules.extinction.is_none() && rules.goal.is_none() && !may_be_stuck {
            let help = "add `royal = true` to the piece whose loss loses the game, or a rule by which one wins: \
                        `extinction-value`, `flag-region` or `stalemate-value`";
            self.fault(Subject::Pieces, "no piece is royal and no rule says how to win without", help);
        } else if self.may_pass_without_men() {
            let key = if rules.pass == Pass::Always { "pass" } else { "pass-on-stalemate" };
            self.rule(key, MAY_PASS, END_WITHOUT_MEN);
        }
    }

    /// Where no move may give check no side is mated, so another rule has to say how to win.
    fn mates(&mut self) {
        let rules = self.rules;
        if rules.checking {
            return;
        }
        if rules.checkmate == Verdict::Win {
            let help = "leave out `checkmate-value`, or `checking = false`";
            self.rule("checkmate-value", "no move may give check, so nobody is mated", help);
        }
        let ends = rules.blast.is_some() || rules.extinction.is_some() || rules.goal.is_some();
        if !ends && rules.stalemate == Stalemate::Draw {
            let message = "no move may give check, so nobody is mated, and no other rule says how to win";
            let help = "add such a rule, as `flag-region`, or leave out `checking = false`";
            self.rule("checking", message, help);
        }
    }

    fn blast(&mut self) {
        let Some(blast) = &self.rules.blast else { return };
        self.kinds_exist("blast-immune-types", &blast.immune);
        let is_royal = |id: &&PieceId| self.pieces.get(usize::from(id.0)).is_some_and(|piece| piece.royal);
        if let Some(royal) = blast.immune.iter().find(is_royal) {
            let message = format!(
                "{} is royal, and explosions win by blowing up royal men",
                self.pieces[usize::from(royal.0)].name
            );
            self.rule("blast-immune-types", message, "leave the royal piece out");
        }
    }

    fn extinction(&mut self) {
        let Some(kinds) = self.rules.extinction.as_ref().and_then(|extinction| extinction.kinds.as_ref())
        else {
            return;
        };
        let key = "extinction-piece-types";
        self.kinds_exist(key, kinds);
        if kinds.is_empty() {
            self.rule(key, "no kind of men can be extinct", "name letters, or \"*\" for all men");
        }
        let royal =
            kinds.iter().filter_map(|kind| self.pieces.get(usize::from(kind.0))).find(|piece| piece.royal);
        if let Some(royal) = royal {
            let message = format!("{} is royal, so no side ever loses it", royal.name);
            let help = "name kinds that can be captured; whoever cannot save a royal man has lost already";
            self.rule(key, message, help);
        }
    }

    fn pseudo_royal(&mut self) {
        let Some(pseudo) = &self.rules.pseudo_royal else { return };
        let key = "extinction-pseudo-royal";
        self.kinds_exist("extinction-piece-types", &pseudo.kinds);
        let kinds = || pseudo.kinds.iter().filter_map(|kind| self.pieces.get(usize::from(kind.0)));
        let (message, help) = if !self.has_royal() {
            let help = "add `royal = true` to the piece of which each side has one and loses with it";
            ("no piece is royal beside these men".into(), help)
        } else if self.rules.blast.is_some() {
            ("explosions are solved with one royal man a side".into(), "leave one of the two out")
        } else if let Some(piece) = kinds().find(|piece| piece.royal) {
            (format!("{} is royal already", piece.name), "name other kinds in `extinction-piece-types`")
        } else if let Some(piece) = kinds().find(|piece| piece.pawn.is_some()) {
            let help = "name kinds that are no pawns in `extinction-piece-types`";
            (format!("{} is a pawn, and pawns are never royal", piece.name), help)
        } else {
            return;
        };
        self.rule(key, message, help);
    }

    fn goal(&mut self) {
        let Some(goal) = &self.rules.goal else { return };
        if let Some(kinds) = &goal.kinds {
            self.kinds_exist("flag-piece", kinds);
            if kinds.is_empty() {
                self.rule("flag-piece", "no kind of men wins on the goal", "name letters, or \"*\"");
            }
        }
        let Some(board) = self.board else { return };
        let squares = Side::BOTH.map(|side| goal.squares(side));
        if squares.iter().all(|squares| squares.is_empty()) {
            let help = "name the squares in `flag-region`, as in [\"d4\", \"e4\"]";
            self.rule("flag-region", "the goal has no square", help);
            return;
        }
        let is_answered = goal.arrival == Arrival::Answered;
        if is_answered && squares.iter().any(|squares| squares.is_empty()) {
            let message = "with `flag-move` each side has a goal, and one has none";
            self.rule("flag-move", message, "give both sides squares, or leave `flag-move` out");
        }
        if (is_answered || goal.arrival.heeds_attacks()) && goal.n_men > 1 {
            let message = match is_answered {
                true => "with `flag-move` one royal man races, and the goal asks for several men",
                false => "with `flag-piece-safe` one man wins alone, and the goal asks for several men",
            };
            self.rule("flag-piece-count", message, "leave one of the two out");
        }
        if goal.arrival.heeds_attacks() && self.rules.blast.is_some() {
            let message = "where captures explode, an attack says little of what is safe";
            self.rule("flag-piece-safe", message, "leave one of the two out");
        }
        if goal.arrival == Arrival::Filled && goal.n_men == 1 {
            let message = "one man wins on the goal, whether its other squares are empty or not";
            let help = "ask for several men in `flag-piece-count`, or leave this out";
            self.rule("flag-piece-blocked-win", message, help);
        }
        let sizes = goal.places.iter().flatten().map(|place| place.n_squares());
        if let Some(least) = sizes.filter(|&n| n > 0).min().filter(|&n| n < usize::from(goal.n_men)) {
            let message = format!("the goal asks for {} men, and has {least} squares", goal.n_men);
            self.rule("flag-piece-count", message, "name more squares, or fewer men");
        }
        let royal: Vec<PieceId> = (0..self.pieces.len() as u8)
            .map(PieceId)
            .filter(|id| self.pieces[usize::from(id.0)].royal)
            .collect();
        if is_answered && (royal.is_empty() || goal.kinds.as_ref() != Some(&royal)) {
            let message = "with `flag-move` it is the royal men who race";
            let help = "name the royal piece, and nothing else, in `flag-piece`, or leave `flag-move` out";
            self.rule("flag-move", message, help);
        }
        for (side, key) in Side::BOTH.into_iter().zip(["flag-region-white", "flag-region-black"]) {
            let squares = squares[side.index()];
            let message = if !squares.without(board.all()).is_empty() {
                format!("{side}'s goal has squares that the board does not have")
            } else if squares.is_empty() || !squares.intersection(self.standing(board, goal, side)).is_empty()
            {
                continue;
            } else {
                format!("no man of {side} that wins on the goal can stand there")
            };
            self.rule(key, message, "name squares of the board on which such a man may end a move");
        }
    }

    /// Where a side's men that win on the goal may stand.
    fn standing(&self, board: &Board, goal: &Goal, side: Side) -> SquareSet {
        let places = self.pieces.iter().enumerate().filter(|(i, _)| goal.is_for(PieceId(*i as u8)));
        let zone = |pawn: &PawnRules| pawn.of(side).zone;
        let zones = places.map(|(_, piece)| piece.pawn.as_ref().map_or(board.all(), zone));
        let zone = zones.fold(SquareSet::EMPTY, SquareSet::union);
        if side == Side::White { zone } else { zone.mirror_ranks(board) }
    }

    /// Who castles with whom, and whether the board has the squares for it.
    fn castling(&mut self) {
        let Some(castling) = &self.rules.castling else { return };
        let (king_key, rook_key) = ("castling-king-piece", "castling-rook-pieces");
        self.kinds_exist(king_key, &[castling.king]);
        self.kinds_exist(rook_key, &castling.rooks);
        let pieces = self.pieces;
        let piece = |id: PieceId| pieces.get(usize::from(id.0));
        let is_pawn = |id: PieceId| piece(id).is_some_and(|piece| piece.pawn.is_some());
        let is_royal = |id: PieceId| piece(id).is_some_and(|piece| piece.royal);
        if is_pawn(castling.king) {
            self.rule(king_key, "a pawn does not castle", "name another kind of man");
        }
        if castling.rooks.iter().any(|&rook| is_pawn(rook)) {
            self.rule(rook_key, "nobody castles with a pawn", "name other kinds of men");
        }
        if castling.rooks.is_empty() {
            self.rule(rook_key, "there is nobody to castle with", "name letters, as in \"R\"");
        }
        let pseudo = self.rules.pseudo_royal.as_ref();
        let is_pseudo = |rook: PieceId| pseudo.is_some_and(|pseudo| pseudo.kinds.contains(&rook));
        let is_king = |rook| rook == castling.king || is_royal(rook) || is_pseudo(rook);
        if castling.rooks.iter().any(|&rook| is_king(rook)) {
            let help = "name kinds of men that are not royal";
            self.rule(rook_key, "a king does not castle with a royal man", help);
        }
        if castling.any_files && !is_royal(castling.king) {
            let message =
                "with `chess960` the man that castles may begin anywhere, and a side may have several";
            self.rule("chess960", message, "let the royal piece castle, or leave `chess960` out");
        }
        if let Some((key, message, help)) = self.board.and_then(|board| squares_of_castling(board, castling))
        {
            self.rule(key, message, help);
        }
    }

    /// Counted checks lead from table to table, which is solved beside mate and stalemate as in chess.
    fn check_counting(&mut self) {
        let rules = self.rules;
        let Some(n) = rules.check_counting else { return };
        let key = "check-counting";
        if !(1..=Material::MOST_CHECKS).contains(&n) {
            let help = format!("count 1 to {} checks", Material::MOST_CHECKS);
            self.rule(key, format!("{n} checks cannot be counted"), help);
        }
        let others = [
            ("`royal-men`", rules.royal_men != [1, 1]),
            ("`extinction-pseudo-royal`", rules.pseudo_royal.is_some()),
            ("`blast-on-capture`", rules.blast.is_some()),
            ("a goal", rules.goal.is_some()),
            ("`must-capture`", rules.must_capture),
            ("`checking`", !rules.checking),
            ("`pass`", rules.pass != Pass::Never),
            ("`checkmate-value`", rules.checkmate == Verdict::Win),
            ("`stalemate-value`", rules.can_win_without_move()),
        ];
        if !self.has_royal() {
            let help = "make a piece `royal = true`, or leave the rule out";
            self.rule(key, "without a royal piece there is no check", help);
        } else if let Some((other, _)) = others.into_iter().find(|(_, is)| *is) {
            let message = format!("checks are not counted beside {other}");
            self.rule(key, message, "leave one of the two out");
        }
    }

    fn kinds_exist(&mut self, key: &'static str, kinds: &[PieceId]) {
        if kinds.iter().any(|kind| usize::from(kind.0) >= self.pieces.len()) {
            self.rule(key, "a rule names a piece that does not exist", "name pieces of the game");
        }
        if kinds.iter().enumerate().any(|(i, kind)| kinds[..i].contains(kind)) {
            self.rule(key, "a rule names a piece twice", "name each kind once");
        }
    }
}

/// What the squares of castling have against each other and the board: the key, the fault, what to write.
fn squares_of_castling(board: &Board, castling: &Castling) -> Option<(&'static str, String, &'static str)> {
    if 2 * castling.rank + 1 >= board.ranks() {
        let message = format!("rank {} is not on the own half of the board", castling.rank + 1);
        return Some(("castling-rank", message, "name a rank nearer to the own side, as 1"));
    }
    if castling.any_files && board.files() > 10 {
        let message = format!(
            "on a board of {} files the letter K of a FEN would be a file and a side of the king",
            board.files()
        );
        return Some(("chess960", message, "name the files where king and rooks begin"));
    }
    let name = |file: usize| board.name(board.square(file, castling.rank));
    let files = [castling.king_file].into_iter().chain(castling.rook_files).chain(castling.king_targets);
    if files.into_iter().any(|file| file >= board.files()) {
        let message = format!("a board of {} files does not have the files of castling", board.files());
        let help = "name the files where the king begins (`castling-king-file`) and comes to \
                    (`castling-kingside-file`, `castling-queenside-file`), or write `castling = false`";
        return Some(("castling", message, help));
    }
    let all = castling.rook_files[1]..=castling.rook_files[0];
    let all = if castling.any_files { 0..=board.files() - 1 } else { all };
    if let Some(hole) = all.clone().find(|&file| !board.has(board.square(file, castling.rank))) {
        let message = format!("the board does not have {}, over which castling leads", name(hole));
        return Some(("castling", message, "castle where the rank is whole, or write `castling = false`"));
    }
    for (wing, key) in Wing::BOTH.into_iter().zip(["castling-kingside-file", "castling-queenside-file"]) {
        let (rook, target) = (castling.rook_files[wing.index()], castling.king_targets[wing.index()]);
        let is_outward = |from: usize, to: usize| match wing {
            Wing::Kingside => from < to,
            Wing::Queenside => to < from,
        };
        if castling.any_files {
            let has_place = match wing {
                Wing::Kingside => target > 0,
                Wing::Queenside => target + 1 < board.files(),
            };
            if !has_place {
                let message = format!("beside a king on {} there is no place for the rook", name(target));
                return Some((key, message, "name another file"));
            }
            continue;
        }
        if !is_outward(castling.king_file, rook) {
            let key = ["castling-rook-kingside-file", "castling-rook-queenside-file"][wing.index()];
            let message = format!(
                "the rook on {} does not stand on that side of the king on {}",
                name(rook),
                name(castling.king_file)
            );
            return Some((key, message, "name other files for king or rook"));
        }
        let goes = is_outward(castling.king_file, target) && !is_outward(rook, target);
        if !goes {
            let message = format!(
                "the king goes from {} towards the rook on {}, and not to {}",
                name(castling.king_file),
                name(rook),
                name(target)
            );
            return Some((key, message, "name a file between the king and the rook, or the rook's"));
        }
    }
    None
}

/// The part of a variant that breaks an invariant; a reader of files finds the place where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Name,
    /// A missing square.
    Hole(Square),
    Pieces,
    Letter(usize),
    Movement(usize),
    Pawn(usize),
    Zone(usize),
    DoubleStep(usize),
    EnPassant(usize),
    Promotion(usize),
    PromotesTo(usize, usize),
    Region(usize, Side),
    /// A rule, by its key.
    Rule(&'static str),
}

/// A broken invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Violation {
    pub(crate) subject: Subject,
    pub(crate) message: String,
    pub(crate) help: String,
}
