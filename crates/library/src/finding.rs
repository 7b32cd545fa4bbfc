//! Collects what tables say of a position, for people: its value, its moves, its main line, or why it has no
//! value here.

use crate::figure::{distance, plies};
use index::MAX_MEN;
use position::{Ending, FenError, Move, Outcome, Position, RuleBook};
use probe::{Line, MissingTable, ProbeError, RatedMove, Tablebase};
use std::cmp::Ordering;
use std::fmt;
use std::path::PathBuf;
use table::{MoveKind, Ply, Value};
use variant::{Material, Metric, Side, Variant, Verdict};

/// All that is known of a position.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The position.
    pub position: Position,
    /// What it is worth to the side to move.
    pub value: Value,
    /// Whether the n-move rule makes a draw of it, with the clock as it is.
    pub is_cursed: bool,
    /// How the game has ended here, if it has.
    pub outcome: Option<Outcome>,
    /// Every legal move, best first; empty if nobody asked, or if not all of them are known, but that those
    /// are here by which the rules decide the position.
    pub moves: Vec<RatedMove>,
    /// How it goes on; none if nobody asked.
    pub main_line: Option<Vec<RatedMove>>,
    /// The table without which the moves, or else the main line, are not known.
    pub missing: Option<MissingTable>,
    /// The file of its men, if it takes one.
    pub file: Option<PathBuf>,
    /// Whether a side may castle and no file has such positions of these men: then they were solved from the
    /// tables.
    pub is_rights_solved: bool,
    /// Whether no table of its men is there, and the rules alone say what it is worth.
    pub is_decided: bool,
}

/// What is not known of a position because a table is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gap {
    /// The value of any move, and how it goes on.
    AllMoves,
    /// The values of some moves.
    SomeMoves,
    /// The whole main line.
    WholeLine,
    /// The rest of the main line.
    RestOfLine,
}

impl Finding {
    /// The value of a position.
    ///
    /// # Errors
    /// It has no value here, or a file cannot be read.
    pub fn of_value(tables: &Tablebase, position: Position) -> Result<Self, Refusal> {
        let answer = tables.probe(&position)?;
        if !answer.is_legal() {
            return Err(Refusal::illegal(tables, &position));
        }
        let is_decided = answer.missing.is_some();
        let probe::Answer { value, is_cursed, outcome, file, is_rights_solved, .. } = answer;
        let (moves, main_line, missing) = (Vec::new(), None, None);
        Ok(Finding {
            position,
            value,
            is_cursed,
            outcome,
            moves,
            main_line,
            missing,
            file,
            is_rights_solved,
            is_decided,
        })
    }

    /// The value of a position and of its moves: of all, or of those that keep the value, for which fewer
    /// tables are needed. Where not all moves are known there are none, but for those that the rules decide
    /// the position by.
    ///
    /// # Errors
    /// It has no value here, or a file cannot be read.
    pub fn of_best(tables: &Tablebase, position: Position, all: bool) -> Result<Self, Refusal> {
        let finding = Finding::of_value(tables, position)?;
        let position = &finding.position;
        let (moves, missing) = match if all { tables.moves(position) } else { tables.best_moves(position) } {
            Ok(moves) => (moves, None),
            Err(ProbeError::Missing(missing)) if all => match finding.is_decided {
                true => (tables.best_moves(position).unwrap_or_default(), Some(missing)),
                false => (Vec::new(), Some(missing)),
            },
            Err(error) => return Err(error.into()),
        };
        Ok(Finding { moves, missing, ..finding })
    }

    /// The value of a position, of its moves, and how it goes on, as far as the tables that are there know
    /// it. The game is played on to its end if a caller asks.
    ///
    /// # Errors
    /// It has no value here, or a file cannot be read.
    pub fn of_moves(tables: &Tablebase, position: Position, to_the_end: bool) -> Result<Self, Refusal> {
        let mut finding = Finding::of_value(tables, position)?;
        match tables.moves(&finding.position) {
            Ok(moves) => finding.moves = moves,
            // As long as the best ones are known there is a line to tell.
            Err(ProbeError::Missing(missing)) => {
                if finding.is_decided {
                    finding.moves = tables.best_moves(&finding.position).unwrap_or_default();
                }
                finding.missing = Some(missing);
            }
            Err(error) => return Err(error.into()),
        }
        let Line { moves, missing } = match to_the_end {
            true => tables.whole_line(&finding.position)?,
            false => tables.main_line(&finding.position)?,
        };
        finding.missing = finding.missing.or(missing);
        finding.main_line = (finding.missing.is_none() || !moves.is_empty()).then_some(moves);
        Ok(finding)
    }

    /// What is not known, and the table without which it is not.
    #[must_use]
    pub fn gap(&self) -> Option<(Gap, &MissingTable)> {
        let missing = self.missing.as_ref()?;
        let gap = match (self.moves.is_empty(), &self.main_line) {
            _ if self.is_decided => Gap::SomeMoves,
            (true, Some(_)) => Gap::SomeMoves,
            (true, None) => Gap::AllMoves,
            (false, Some(_)) => Gap::RestOfLine,
            (false, None) => Gap::WholeLine,
        };
        Some((gap, missing))
    }

    /// The moves that keep the value: as quick a win or as slow a loss as any.
    pub fn best_moves(&self) -> impl Iterator<Item = &RatedMove> {
        let best = self.moves.first().map(|best| best.value);
        self.moves
            .iter()
            .take_while(move |other| best.is_some_and(|best| other.value.preference(&best).is_eq()))
    }

    /// The name of the file that was asked.
    #[must_use]
    pub fn file_name(&self) -> Option<String> {
        self.file.as_ref()?.file_name().map(|name| name.display().to_string())
    }

    /// 1, 0 or −1 for the side to move, with the clock as it is.
    #[must_use]
    pub fn wdl_now(&self) -> Option<i8> {
        if self.is_cursed { Some(0) } else { self.value.wdl() }
    }

    /// The main line in short notation, with the position before each move; a star where the metric stops.
    #[must_use]
    pub fn main_line_san(&self, tables: &Tablebase) -> Vec<(Position, String)> {
        let mut position = self.position.clone();
        let mut line = Vec::new();
        for rated in self.main_line.iter().flatten() {
            let mut san = position.san(tables.book(), rated.mv);
            if rated.is_stop {
                san.push('*');
            }
            let next = position.play(rated.mv);
            line.push((std::mem::replace(&mut position, next), san));
        }
        line
    }
}

/// The value in a sentence.
#[must_use]
pub fn headline(tables: &Tablebase, finding: &Finding) -> String {
    let (variant, stm) = (tables.variant(), finding.position.stm());
    if let (Some(winner), Value::Draw | Value::Stalemate) =
        (tables.winner_of(&finding.position), finding.value)
    {
        return format!("not a win for {winner}");
    }
    match (finding.outcome, finding.value) {
        (Some(outcome), value) => {
            let winner = match value {
                Value::Loss(_) => Some(!stm),
                Value::Win(_) => Some(stm),
                Value::Draw | Value::Stalemate | Value::Illegal => None,
            };
            end_sentence(Ending { outcome, winner }, stm)
        }
        (None, Value::Draw | Value::Stalemate) if is_bare(variant, &finding.position) => {
            let royal = variant.royal().map_or("men", |royal| &variant.piece(royal).name);
            format!("draw: bare {royal}s")
        }
        (None, value) if tables.scale().metric() == Metric::Dtm => sentence(variant, stm, value),
        (None, value) => counted(tables, finding, stm, value),
    }
}

/// How a game has ended in which this side would be to move, in a sentence.
#[must_use]
pub fn end_sentence(ending: Ending, stm: Side) -> String {
    let how = end_name(ending.outcome);
    match (ending.outcome, ending.winner) {
        (Outcome::Stalemate, None) => format!("{how}: {stm} has no move, a draw"),
        (Outcome::Stalemate, Some(winner)) if winner == stm => format!("{how}: {stm} has no move and wins"),
        (Outcome::Stalemate, Some(_)) => format!("{how}: {stm} has no move and loses"),
        (_, None) => format!("{how}: a draw"),
        (_, Some(winner)) => format!("{how}: {winner} has won"),
    }
}

/// The name of what has ended a game.
#[must_use]
pub fn end_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Checkmate => "checkmate",
        Outcome::Stalemate => "stalemate",
        Outcome::Explosion => "explosion",
        Outcome::Extinction => "extinction",
        Outcome::Goal => "goal",
    }
}

/// Whether nobody but royal men is left, which is what draws: in a race it is not.
fn is_bare(variant: &Variant, position: &Position) -> bool {
    variant.is_always_drawn(&Material::from_men(position.men().map(|(man, _)| man)))
}

fn sentence(variant: &Variant, stm: Side, value: Value) -> String {
    // A game that can be won otherwise need not end with mate.
    let (wins, loses) =
        if variant.rules.is_won_by_mate_only() { ("mates", "is mated") } else { ("wins", "loses") };
    let claim = claim(variant);
    match value {
        Value::Win(ply) => format!("{stm} {wins} in {}{claim}", distance(ply.0)),
        Value::Loss(ply) => format!("{stm} {loses} in {}{claim}", distance(ply.0)),
        Value::Draw | Value::Stalemate | Value::Illegal => "draw".into(),
    }
}

/// What distances to the end hold beside moves, where the side to move may have won without one: the claim.
/// Composers do not count it.
fn claim(variant: &Variant) -> &'static str {
    let rules = &variant.rules;
    let wins_extinct = rules.extinction.as_ref().is_some_and(|extinction| extinction.verdict == Verdict::Win);
    match wins_extinct || rules.can_win_without_move() {
        true => " (claiming a win without a move counts as a move)",
        false => "",
    }
}

/// The value in a sentence, for metrics that do not count to mate.
fn counted(tables: &Tablebase, finding: &Finding, stm: Side, value: Value) -> String {
    let (verb, Ply(ply)) = match value {
        Value::Win(ply) => ("wins", ply),
        Value::Loss(ply) => ("loses", ply),
        Value::Draw | Value::Stalemate | Value::Illegal => return "draw".into(),
    };
    let scale = tables.scale();
    let clock = finding.position.halfmove_clock();
    match scale.rule_plies() {
        _ if scale.metric() == Metric::Wdl => format!("{stm} {verb}"),
        Some(rule) if ply > rule => {
            format!("draw: {stm} {verb}, but not under the {}-move rule (distance {})", rule / 2, plies(ply))
        }
        Some(_) if finding.is_cursed => format!(
            "{stm} {verb}, but drawn with the clock at {clock}: needs {} to {}",
            plies(ply),
            goal(scale.metric())
        ),
        Some(rule) if clock > 0 => format!(
            "{stm} {verb}: {} to {}, the clock at {clock} of {rule}",
            distance(ply),
            goal(scale.metric())
        ),
        _ => format!("{stm} {verb}: {} to {}", distance(ply), goal(scale.metric())),
    }
}

/// What a metric counts to.
fn goal(metric: Metric) -> &'static str {
    match metric {
        Metric::Wdl | Metric::Dtm => "mate",
        Metric::Dtc => "mate, capture or promotion",
        Metric::Dtz | Metric::Dtz50 => "mate, capture or pawn move",
    }
}

/// A legal move and the position that it leads to.
///
/// Where [`probe::Tablebase::moves`] fails for want of one table, this rates the other moves, and keeps the
/// positions that they lead to: a server shows what it has.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The move.
    pub mv: Move,
    /// The move in coordinates.
    pub uci: String,
    /// The position after the move.
    pub next: Position,
    /// What that is worth to the side then to move; none if its table is not there.
    pub next_value: Option<Value>,
    /// What the move is worth to the side that makes it, counted from before the move.
    pub value: Option<Value>,
    /// Whether that is a cursed win or a blessed loss with the clock as it is before the move.
    pub is_cursed: bool,
}

/// The legal moves of a position.
#[derive(Clone, Default, Debug)]
pub struct Successors {
    /// Best first; equals by their coordinates; moves of unknown value last.
    pub moves: Vec<Successor>,
    /// The first table that was looked for and is not there.
    pub missing: Option<MissingTable>,
}

impl Successors {
    /// The legal moves of a position; an illegal one has none.
    ///
    /// # Errors
    /// A file that a move leads to is there and cannot be read.
    pub fn of(tables: &Tablebase, position: &Position) -> Result<Self, ProbeError> {
        let mut found = Successors::default();
        if !position.is_legal(tables.book()) {
            return Ok(found);
        }
        let mut failed = None;
        position.for_each_successor(tables.book(), |mv, next| {
            if failed.is_some() {
                return;
            }
            // A legal move leads to a legal position.
            let next_value = match tables.value_of_legal(next) {
                Ok(value) => Some(value),
                Err(ProbeError::Missing(missing)) => {
                    found.missing.get_or_insert(missing);
                    None
                }
                Err(error) => {
                    failed = Some(error);
                    return;
                }
            };
            let kind = MoveKind::new(mv.is_conversion(), mv.zeroing);
            let value = next_value.map(|value| value.before_move_of(kind, tables.scale()));
            // What the rules allow and no table has a place for does not exist.
            let value = match value {
                Some(None) => return,
                Some(known) => known,
                None => None,
            };
            let clock = position.halfmove_clock();
            found.moves.push(Successor {
                mv,
                uci: mv.uci(tables.book()),
                next: next.clone(),
                next_value,
                value,
                is_cursed: value.is_some_and(|value| tables.scale().is_cursed_at(value, clock)),
            });
        });
        if let Some(error) = failed {
            return Err(error);
        }
        found.moves.sort_by(Successor::order);
        Ok(found)
    }

    /// The legal moves without their values.
    #[must_use]
    pub fn unrated(book: &position::RuleBook, position: &Position) -> Self {
        let mut found = Successors::default();
        if position.is_legal(book) {
            position.for_each_successor(book, |mv, next| {
                let (uci, next) = (mv.uci(book), next.clone());
                let (next_value, value, is_cursed) = (None, None, false);
                found.moves.push(Successor { mv, uci, next, next_value, value, is_cursed });
            });
            found.moves.sort_by(Successor::order);
        }
        found
    }
}

impl Successor {
    fn order(&self, other: &Self) -> Ordering {
        let by_value = match (self.value, other.value) {
            (Some(own), Some(other)) => other.preference(&own),
            (own, other) => own.is_none().cmp(&other.is_none()),
        };
        by_value.then_with(|| self.uci.cmp(&other.uci)).then_with(|| {
            // A step and an en-passant capture may share their coordinates.
            other.mv.is_en_passant().cmp(&self.mv.is_en_passant())
        })
    }
}

/// Why a position has no value here.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is no FEN of this variant, or has what no table holds.
    Text(FenError),
    /// The rules forbid the position.
    Illegal(String),
    /// The table is not there.
    NotBuilt(MissingTable),
    /// Somebody may castle, and there are too many men for that: the file that would have the position.
    Castling(MissingTable),
    /// A table is there and cannot be read.
    Damaged(ProbeError),
}

impl Refusal {
    /// The refusal of a position that the rules forbid.
    pub(crate) fn illegal(tables: &Tablebase, position: &Position) -> Self {
        Refusal::illegal_under(tables.book(), position)
    }

    /// Like `illegal`, for a caller who has the rules only.
    #[must_use]
    pub fn illegal_under(book: &RuleBook, position: &Position) -> Self {
        Refusal::Illegal(illegality(book, position))
    }

    /// The kind of refusal, for machines.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Refusal::Castling(_) => "castling",
            Refusal::Text(error) if error.is_castling() => "castling",
            Refusal::Text(_) => "fen",
            Refusal::Illegal(_) => "illegal",
            Refusal::NotBuilt(_) => "not built",
            Refusal::Damaged(_) => "damaged",
        }
    }

    /// Whether this is the answer to a good question; otherwise something is wrong.
    #[must_use]
    pub fn is_truth(&self) -> bool {
        matches!(self, Refusal::Illegal(_) | Refusal::NotBuilt(_) | Refusal::Castling(_))
    }

    /// The table that would have to be built for an answer; none if no table can help.
    #[must_use]
    pub fn missing(&self) -> Option<&MissingTable> {
        match self {
            Refusal::NotBuilt(missing) if n_men(missing) <= MAX_MEN => Some(missing),
            _ => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Text(error) if error.is_castling() => write!(f, "refused: {error}"),
            Refusal::Text(error) => write!(f, "not a position: {error}"),
            Refusal::Illegal(reason) => write!(f, "illegal: {reason}"),
            Refusal::NotBuilt(missing) if n_men(missing) > MAX_MEN => {
                let (material, n_men) = (&missing.material, n_men(missing));
                write!(f, "no table: {material} has {n_men} men, and tables have at most {MAX_MEN}")
            }
            Refusal::NotBuilt(missing) if missing.is_of_rights() => {
                write!(f, "{missing}; positions of {} with castling rights are not solved", missing.material)
            }
            Refusal::NotBuilt(missing) => write!(f, "{missing}; {} is not built", missing.material),
            Refusal::Castling(missing) => write!(f, "{missing}"),
            Refusal::Damaged(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Refusal {}

impl From<ProbeError> for Refusal {
    fn from(error: ProbeError) -> Self {
        match error {
            ProbeError::Missing(missing) if missing.too_large.is_some() => Refusal::Castling(missing),
            ProbeError::Missing(missing) => Refusal::NotBuilt(missing),
            error => Refusal::Damaged(error),
        }
    }
}

impl From<FenError> for Refusal {
    fn from(error: FenError) -> Self {
        Refusal::Text(error)
    }
}

/// How many men a missing table has: a letter each, and a `v` between the sides.
fn n_men(missing: &MissingTable) -> usize {
    missing.material.len() - 1
}

/// What the rules have against a position.
fn illegality(book: &RuleBook, position: &Position) -> String {
    let (stm, variant) = (position.stm(), book.variant());
    if position.is_legal(book) {
        return "the men cannot stand so".into();
    }
    let Some(royal) = variant.royal().map(|royal| &variant.piece(royal).name) else {
        return format!("{stm} is to move, who has won before");
    };
    if position.is_attacked(book, !stm) {
        return format!("{stm} is to move and could capture {}'s {royal}", !stm);
    }
    if !variant.rules.checking && position.is_attacked(book, stm) {
        return format!("{stm}'s {royal} is attacked, and no move may give check");
    }
    "the game has ended before".into()
}
