//! Holds what is asked about a position, and the answer: its value, its moves, its main line.

use crate::{Between, LegalMoves, MissingTable};
use position::{Move, Outcome, Position, RuleBook};
use std::path::PathBuf;
use table::{Scale, Value};
use variant::Side;

/// What is asked about a position.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// Whether each legal move is rated.
    pub moves: bool,
    /// How far the game is played on.
    pub line: Line,
    /// Whether it is shown of each move that gives the result away how it is answered; takes the moves.
    pub why: bool,
    /// Asked before each move of the line: whether to go on.
    pub goes_on: &'a dyn Fn() -> bool,
    /// The moves of the position, for a caller who asks for it more than once; otherwise they are generated.
    pub legal: Option<&'a LegalMoves>,
}

/// How far a game is played on, each side playing its best move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// Not at all.
    None,
    /// Until mate, or until the first move that the metric stops at.
    ToStop,
    /// Until the game is over: after a move that the metric stops at it begins to count again.
    ToEnd,
}

impl Ask<'_> {
    /// The value alone.
    pub const VALUE: Ask<'static> =
        Ask { moves: false, line: Line::None, why: false, goes_on: &|| true, legal: None };
    /// The value and the moves.
    pub const MOVES: Ask<'static> = Ask { moves: true, ..Ask::VALUE };
    /// The value, the moves, and how it goes on.
    pub const ALL: Ask<'static> = Ask { line: Line::ToStop, ..Ask::MOVES };
}

/// What is known of a legal position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The position.
    pub position: Position,
    /// How the metric counts that was asked.
    pub scale: Scale,
    /// What it is worth to the side to move, as if the clock of the n-move rule stood at zero.
    pub value: Between,
    /// How the game has ended here, if it has.
    pub outcome: Option<Outcome>,
    /// The side of which alone it is known where it wins; none if more is known.
    pub winner: Option<Side>,
    /// Every legal move, best first, those of which nothing is known last; empty if they were not asked for.
    pub moves: Vec<RatedMove>,
    /// The best moves of both sides, as far as they are known; none if they were not asked for.
    pub line: Option<Vec<RatedMove>>,
    /// How moves are answered that give the result away, in the order of the moves; empty if that was not
    /// asked for.
    pub refutations: Vec<Refutation>,
    /// The table without which the value, the moves, or else the line, are not known.
    pub missing: Option<MissingTable>,
    /// The files that say it; none if the tables are in memory, or if the rules alone say what the position
    /// is worth.
    pub files: Vec<AnswerFile>,
    /// Whether a side may castle and no file has such positions of these men: then they were solved from the
    /// tables.
    pub is_rights_solved: bool,
    /// What says how much it is worth.
    pub by: By,
    /// Whether tables were solved in memory for the answer.
    pub is_solved: bool,
}

/// What says how much a position is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// A table of its men, or a structure.
    Table,
    /// No table of its men is there, and those that its moves lead to are.
    Moves,
    /// No table is there, and the rules alone say it.
    Rules,
}

/// A file that an answer is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnswerFile {
    /// Where it is.
    pub path: PathBuf,
    /// Inside which limit it was solved, in words; none if there was no limit.
    pub limit: Option<String>,
}

/// A legal move and what it is worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RatedMove {
    /// The move.
    pub mv: Move,
    /// The move in coordinates.
    pub uci: String,
    /// What it is worth to the side that moves, counted from before the move.
    pub value: Between,
    /// What the position after it is worth to the side then to move, if that is known.
    pub next_value: Option<Value>,
    /// Whether the value is a cursed win or a blessed loss with the clock as it is before the move.
    pub is_cursed: bool,
    /// Whether the metric stops at the move, so that behind it another distance begins.
    pub is_stop: bool,
    /// Whether there are other moves, and each of them is known to give the result away.
    pub is_only: bool,
}

/// A move that gives a result away, and how it is answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The move, and what follows.
    pub line: Vec<RatedMove>,
    /// What is left at most for the side that makes the move: 0 for a draw, −1 for a loss.
    pub result: i8,
}

/// What is not known of a position because a table is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// More than what the value is at least and at most.
    Value,
    /// The value of any move, and how it goes on.
    AllMoves,
    /// The values of some moves.
    SomeMoves,
    /// The whole main line.
    WholeLine,
    /// The rest of the main line.
    RestOfLine,
}

impl By {
    /// Its name, for machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            By::Table => "table",
            By::Moves => "moves",
            By::Rules => "rules",
        }
    }
}

impl Refutation {
    /// What the move does that gives the result away.
    #[must_use]
    pub fn in_words(&self) -> &'static str {
        match (self.result, self.line.first().is_some_and(|first| first.value.is_exact())) {
            (0, true) => "draws",
            (0, false) => "does not win",
            _ => "loses",
        }
    }
}

impl AnswerFile {
    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().display().to_string()
    }
}

impl RatedMove {
    /// A move that is worth this, and of which no more is known.
    #[must_use]
    pub fn new(book: &RuleBook, mv: Move, value: Between) -> Self {
        RatedMove {
            mv,
            uci: mv.uci(book),
            value,
            next_value: None,
            is_cursed: false,
            is_stop: false,
            is_only: false,
        }
    }

    /// The legal moves of a legal position, without what they are worth.
    #[must_use]
    pub fn unrated(book: &RuleBook, position: &Position) -> Vec<Self> {
        let unrated = |mv: Move| RatedMove::new(book, mv, Between::ANYTHING);
        let mut moves: Vec<RatedMove> = position.legal_moves(book).into_iter().map(unrated).collect();
        moves.sort_by(RatedMove::order);
        moves
    }

    /// Whether nothing is known of it.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.value.is_open()
    }

    /// Sorts moves by what they are worth, and marks the first if all others give the result away.
    pub(crate) fn sort(moves: &mut [Self], scale: &Scale, clock: u32) {
        moves.sort_by(RatedMove::order);
        moves.iter_mut().for_each(|rated| rated.is_only = false);
        let [first, others @ ..] = moves else { return };
        let least = first.value.least_now(scale, clock);
        let is_worse = |other: &RatedMove| other.value.most_now(scale, clock) < least;
        first.is_only = !scale.is_helped() && !others.is_empty() && others.iter().all(is_worse);
    }

    /// The better one comes first; equals by their coordinates.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.value.order(other.value).then_with(|| self.uci.cmp(&other.uci)).then_with(|| {
            // A step and an en-passant capture may share their coordinates.
            other.mv.is_en_passant().cmp(&self.mv.is_en_passant())
        })
    }
}

impl Answer {
    /// Nothing is known of this position and of these moves.
    #[must_use]
    pub fn unknown(position: Position, scale: Scale, moves: Vec<RatedMove>) -> Self {
        Answer {
            position,
            scale,
            value: Between::ANYTHING,
            outcome: None,
            winner: None,
            moves,
            line: None,
            refutations: Vec::new(),
            missing: None,
            files: Vec::new(),
            is_rights_solved: false,
            by: By::Table,
            is_solved: false,
        }
    }

    /// What two answers say together that are of one position under one metric; what else there is to say is
    /// that of the other.
    #[must_use]
    pub fn and(self, mut other: Answer) -> Answer {
        let value = self.value.and(other.value);
        let (own, others) = (self.moves, std::mem::take(&mut other.moves));
        let (first, second) = if own.is_empty() { (others, own) } else { (own, others) };
        let (scale, clock) = (self.scale, self.position.halfmove_clock());
        let joined = |rated: RatedMove| {
            let same = second.iter().find(|own| own.mv == rated.mv);
            let value = same.map_or(rated.value, |own| own.value.and(rated.value));
            let next_value = rated.next_value.or(same.and_then(|own| own.next_value));
            RatedMove { value, next_value, is_cursed: value.is_cursed_at(&scale, clock), ..rated }
        };
        let mut moves: Vec<RatedMove> = first.into_iter().map(joined).collect();
        RatedMove::sort(&mut moves, &scale, clock);
        let value = best_of(&moves).map_or(value, |best| value.and(best));
        let files = [self.files, std::mem::take(&mut other.files)].concat();
        // Where all is known together no table is missing.
        let is_known = value.is_exact() && !moves.iter().any(RatedMove::is_unknown);
        let missing = self.missing.or(other.missing.take()).filter(|_| !is_known);
        Answer { value, moves, files, missing, ..other }
    }

    /// Whether the value is known and no table is missing for what else was asked.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.value.is_exact() && self.missing.is_none()
    }

    /// Whether the value is known, and which moves keep it.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.value.is_exact() && self.n_moves_open() == 0
    }

    /// Of how many moves it is not known whether they keep the value.
    #[must_use]
    pub fn n_moves_open(&self) -> usize {
        let best = self.value.least;
        let is_open =
            |value: &Between| value.least.preference(&best).is_lt() && value.most.preference(&best).is_ge();
        self.moves.iter().filter(|rated| is_open(&rated.value)).count()
    }

    /// How much of who wins is open: of the position, and then of its moves.
    #[must_use]
    pub fn n_open(&self) -> (usize, usize) {
        (self.value.n_open(), self.moves.iter().map(|rated| rated.value.n_open()).sum())
    }

    /// The moves that surely keep the value: as quick a win or as slow a loss as any. None are if another
    /// one may be better.
    pub fn best_moves(&self) -> impl Iterator<Item = &RatedMove> {
        let n_best = n_best(&self.moves, self.value);
        self.moves.iter().take(n_best)
    }

    /// What is not known, and the table without which it is not.
    #[must_use]
    pub fn gap(&self) -> Option<(Gap, &MissingTable)> {
        let missing = self.missing.as_ref()?;
        let has_line = self.line.as_ref().is_some_and(|line| !line.is_empty());
        let gap = match self.moves.iter().filter(|rated| rated.is_unknown()).count() {
            _ if !self.value.is_exact() && !self.bounds_from().is_empty() => Gap::Value,
            0 if has_line => Gap::RestOfLine,
            0 => Gap::WholeLine,
            n if n == self.moves.len() => Gap::AllMoves,
            _ => Gap::SomeMoves,
        };
        Some((gap, missing))
    }

    /// Whether the rules allow the position.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        self.value != Value::Illegal
    }

    /// The name of the first file that says it.
    #[must_use]
    pub fn file_name(&self) -> Option<String> {
        Some(self.files.first()?.name())
    }

    /// The names of the files that know what it is at least and at most, with their limits in words.
    #[must_use]
    pub fn bounds_from(&self) -> Vec<String> {
        let bounds = self.files.iter().filter_map(|file| {
            let limit = file.limit.as_ref()?;
            Some(format!("{}, solved {limit}", file.name()))
        });
        bounds.collect()
    }

    /// Whether the value is a cursed win or a blessed loss with the clock as it is; only under the metric
    /// `dtz50`.
    #[must_use]
    pub fn is_cursed(&self) -> bool {
        self.value.is_cursed_at(&self.scale, self.position.halfmove_clock())
    }

    /// 1, 0 or −1 for the side to move, with the clock as it is; none if it is not known.
    #[must_use]
    pub fn wdl_now(&self) -> Option<i8> {
        self.value.wdl_now(&self.scale, self.position.halfmove_clock())
    }
}

/// What a position is worth by its moves, which are all: the best of them. None without moves.
pub(crate) fn best_of(moves: &[RatedMove]) -> Option<Between> {
    let best_of =
        |of: fn(&Between) -> Value| moves.iter().map(|rated| of(&rated.value)).max_by(Value::preference);
    best_of(|value| value.least).zip(best_of(|value| value.most)).map(|(least, most)| Between { least, most })
}

/// How many of these moves surely keep the value of a position: those that are as good as the first, if that
/// is as good as the position, or as all others are known.
pub(crate) fn n_best(moves: &[RatedMove], value: Between) -> usize {
    let Some(first) = moves.first().filter(|first| !first.is_unknown()) else { return 0 };
    let best = first.value.least;
    let is_best = best.preference(&value.most).is_ge()
        || moves.iter().all(|other| other.value.most.preference(&best).is_le());
    let n_equal = moves.iter().take_while(|other| other.value.least.preference(&best).is_eq()).count();
    if is_best { n_equal } else { 0 }
}
