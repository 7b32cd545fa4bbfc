//! Collects what tables say of a position: its value, its moves, its main line.

use super::refusal::Refusal;
use position::{Outcome, Position};
use probe::{Line, MissingTable, ProbeError, RatedMove, Tablebase};
use std::path::PathBuf;
use table::Value;

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
    /// Whether somebody may castle and no file has such positions of these men: then they were solved from
    /// the tables.
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
    /// it. The game is played on to its end if somebody asks.
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
