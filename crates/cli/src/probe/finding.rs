//! What has been found out about a position, or why nothing has.

use super::Remedy;
use ::probe::{Line, MissingTable, ProbeError, RatedMove, Tablebase};
use index::MAX_MEN;
use position::{Outcome, Position};
use std::path::PathBuf;
use table::Value;

/// All that is known of a position.
pub(super) struct Finding {
    pub(super) position: Position,
    pub(super) value: Value,
    /// Whether the n-move rule makes a draw of it, with the clock as it is.
    pub(super) is_cursed: bool,
    pub(super) outcome: Option<Outcome>,
    /// Every legal move, best first; empty if nobody asked.
    pub(super) moves: Vec<RatedMove>,
    /// How it goes on; none if nobody asked.
    pub(super) main_line: Option<Vec<RatedMove>>,
    /// The table without which the moves, or else the main line, are not known.
    pub(super) missing: Option<MissingTable>,
    /// The file of its men, if it takes one.
    pub(super) file: Option<PathBuf>,
}

/// Why a position has no value here.
pub(super) enum Refusal {
    /// The text is no FEN of this variant, or has what no table holds.
    Text(position::FenError),
    /// The rules forbid the position.
    Illegal(String),
    /// The table is not there.
    NotBuilt(MissingTable),
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
            Refusal::NotBuilt(MissingTable { material, .. }) if material.len() - 1 > MAX_MEN => {
                let n_men = material.len() - 1;
                format!("no table: {material} has {n_men} men, and tables have at most {MAX_MEN}")
            }
            Refusal::NotBuilt(missing) => {
                format!(
                    "{missing}; {} is not built: run {}",
                    missing.material,
                    remedy.command(Some(&missing.material))
                )
            }
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
            ProbeError::Missing(missing) => Refusal::NotBuilt(missing),
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
        let ::probe::Answer { value, is_cursed, outcome, file, .. } = answer;
        let (moves, main_line, missing) = (Vec::new(), None, None);
        Ok(Finding { position, value, is_cursed, outcome, moves, main_line, missing, file })
    }

    /// The value of a position and of its moves: of all, or of those that keep the value, for which fewer
    /// tables are needed.
    pub(super) fn of_best(tables: &Tablebase, position: Position, all: bool) -> Result<Self, Refusal> {
        let finding = Finding::of_value(tables, position)?;
        let position = &finding.position;
        let moves = if all { tables.moves(position)? } else { tables.best_moves(position)? };
        Ok(Finding { moves, ..finding })
    }

    /// The value of a position, of its moves, and how it goes on, as far as the tables that are there know
    /// it. The game is played on to its end if somebody asks.
    pub(super) fn of_moves(
        tables: &Tablebase,
        position: Position,
        to_the_end: bool,
    ) -> Result<Self, Refusal> {
        let mut finding = Finding::of_value(tables, position)?;
        match tables.moves(&finding.position) {
            Ok(moves) => finding.moves = moves,
            // As long as the best ones are known there is a line to tell.
            Err(ProbeError::Missing(missing)) => finding.missing = Some(missing),
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

    /// What cannot be told, and how to mend it.
    pub(super) fn lack(&self, remedy: &Remedy<'_>) -> Option<String> {
        let missing = self.missing.as_ref()?;
        let lacking = match (self.moves.is_empty(), &self.main_line) {
            (true, Some(_)) => "not all moves can be rated",
            (true, None) => "the moves cannot be rated",
            (false, Some(_)) => "the main line cannot be told farther",
            (false, None) => "the main line cannot be told",
        };
        let name = &missing.material;
        Some(format!("{lacking} because {name} is not built: run {}", remedy.command(Some(name))))
    }

    /// The moves that keep the value: as quick a win or as slow a loss as any.
    pub(super) fn best_moves(&self) -> impl Iterator<Item = &RatedMove> {
        let best = self.moves.first().map(|best| best.value);
        self.moves
            .iter()
            .take_while(move |other| best.is_some_and(|best| other.value.preference(&best).is_eq()))
    }

    /// The name of the file that was asked.
    pub(super) fn file_name(&self) -> Option<String> {
        self.file.as_ref()?.file_name().map(|name| name.display().to_string())
    }

    /// 1, 0 or −1 for the side to move, with the clock as it is.
    pub(super) fn wdl_now(&self) -> Option<i8> {
        if self.is_cursed { Some(0) } else { self.value.wdl() }
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
