//! What has been found out about a position, or why nothing has.

use super::Remedy;
use ::probe::{ProbeError, RatedMove, Tablebase};
use index::MAX_MEN;
use position::{Outcome, Position};
use table::Value;

/// All that is known of a position.
pub(super) struct Finding {
    pub(super) position: Position,
    pub(super) value: Value,
    /// Whether the n-move rule makes a draw of it, with the clock as it is.
    pub(super) is_spoilt: bool,
    pub(super) outcome: Option<Outcome>,
    /// Every legal move, best first; empty if nobody asked.
    pub(super) moves: Vec<RatedMove>,
    /// How it goes on; none if nobody asked.
    pub(super) main_line: Option<Vec<RatedMove>>,
    /// The table without which the moves, or else the main line, are not known.
    pub(super) missing: Option<String>,
}

/// Why a position has no value here.
pub(super) enum Refusal {
    /// The text is no FEN of this variant, or has what no table holds.
    Text(position::FenError),
    /// The rules forbid the position.
    Illegal(String),
    /// The table is not there.
    NotBuilt(String),
    /// A table is there and cannot be read.
    Damaged(String),
}

impl Refusal {
    /// The refusal for people.
    pub(super) fn message(&self, remedy: &Remedy<'_>) -> String {
        match self {
            Refusal::Text(error) if error.is_castling() => format!("refused: {error}"),
            Refusal::Text(error) => format!("not a position: {error}"),
            Refusal::Illegal(reason) => format!("illegal: {reason}"),
            Refusal::NotBuilt(name) if name.len() - 1 > MAX_MEN => {
                format!("no table: {name} has {} men, and tables have at most {MAX_MEN}", name.len() - 1)
            }
            Refusal::NotBuilt(name) => format!("{name} is not built: run {}", remedy.command(Some(name))),
            Refusal::Damaged(message) => message.clone(),
        }
    }

    /// The kind of refusal, for machines.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Refusal::Text(error) if error.is_castling() => "castling",
            Refusal::Text(_) => "fen",
            Refusal::Illegal(_) => "illegal",
            Refusal::NotBuilt(_) => "not built",
            Refusal::Damaged(_) => "damaged",
        }
    }

    /// Whether this is the answer to a good question; otherwise something is wrong.
    pub(super) fn is_truth(&self) -> bool {
        matches!(self, Refusal::Illegal(_) | Refusal::NotBuilt(_))
    }
}

impl From<ProbeError> for Refusal {
    fn from(error: ProbeError) -> Self {
        match error {
            ProbeError::NotBuilt { material, .. } => Refusal::NotBuilt(material),
            error => Refusal::Damaged(error.to_string()),
        }
    }
}

/// Reads a FEN.
pub(super) fn read(tables: &Tablebase, fen: &str) -> Result<Position, Refusal> {
    Position::from_fen(tables.book(), fen).map_err(Refusal::Text)
}

impl Finding {
    /// The value of a position.
    pub(super) fn of_value(tables: &Tablebase, position: Position) -> Result<Self, Refusal> {
        let answer = tables.probe(&position)?;
        if !answer.is_legal() {
            return Err(Refusal::Illegal(illegality(tables, &position)));
        }
        let ::probe::Answer { value, is_spoilt, outcome, .. } = answer;
        Ok(Finding { position, value, is_spoilt, outcome, moves: Vec::new(), main_line: None, missing: None })
    }

    /// The value of a position and of its moves.
    pub(super) fn of_best(tables: &Tablebase, position: Position) -> Result<Self, Refusal> {
        let finding = Finding::of_value(tables, position)?;
        let moves = tables.moves(&finding.position)?;
        Ok(Finding { moves, ..finding })
    }

    /// The value of a position, of its moves, and how it goes on, as far as the tables that are there know it.
    /// The game is played on to its end if somebody asks.
    pub(super) fn of_moves(
        tables: &Tablebase,
        position: Position,
        to_the_end: bool,
    ) -> Result<Self, Refusal> {
        let mut finding = Finding::of_value(tables, position)?;
        match tables.moves(&finding.position) {
            Ok(moves) => finding.moves = moves,
            Err(error) => return finding.without(error),
        }
        let line = match to_the_end {
            true => tables.whole_line(&finding.position),
            false => tables.main_line(&finding.position),
        };
        match line {
            Ok(main_line) => finding.main_line = Some(main_line),
            Err(error) => return finding.without(error),
        }
        Ok(finding)
    }

    /// What has been found, if only a table is not there to find more.
    fn without(mut self, error: ProbeError) -> Result<Self, Refusal> {
        match error {
            ProbeError::NotBuilt { material, .. } => {
                self.missing = Some(material);
                Ok(self)
            }
            error => Err(error.into()),
        }
    }

    /// What cannot be told, and how to mend it.
    pub(super) fn lack(&self, remedy: &Remedy<'_>) -> Option<String> {
        let name = self.missing.as_ref()?;
        let lacking =
            if self.moves.is_empty() { "the moves cannot be rated" } else { "the main line cannot be told" };
        Some(format!("{lacking} because {name} is not built: run {}", remedy.command(Some(name))))
    }

    /// The moves that keep the value: as quick a win or as slow a loss as any.
    pub(super) fn best_moves(&self) -> impl Iterator<Item = &RatedMove> {
        let best = self.moves.first().map(|best| best.value);
        self.moves
            .iter()
            .take_while(move |other| best.is_some_and(|best| other.value.preference(&best).is_eq()))
    }

    /// 1, 0 or −1 for the side to move, with the clock as it is.
    pub(super) fn wdl_now(&self) -> Option<i8> {
        if self.is_spoilt { Some(0) } else { self.value.wdl() }
    }

    /// The main line in short notation, with the position before each move; a star where the metric stops.
    pub(super) fn main_line_san(&self, tables: &Tablebase) -> Vec<(Position, String)> {
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

/// What the rules have against a position.
fn illegality(tables: &Tablebase, position: &Position) -> String {
    let (stm, variant) = (position.stm(), tables.variant());
    if position.is_legal(tables.book()) {
        return "the men cannot stand so".into();
    }
    let Some(royal) = variant.royal().map(|royal| &variant.piece(royal).name) else {
        return format!("{stm} is to move, who has won before");
    };
    if position.is_attacked(tables.book(), !stm) {
        return format!("{stm} is to move and could capture {}'s {royal}", !stm);
    }
    if !variant.rules.checking && position.is_attacked(tables.book(), stm) {
        return format!("{stm}'s {royal} is attacked, and no move may give check");
    }
    "the game has ended before".into()
}
