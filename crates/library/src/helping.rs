//! Answers how soon either side can be mated if both help, or that it never can.
//!
//! Tables of `help` say it of White's wins ([`variant::Variant::for_metric`]). Black's are White's in the
//! position with the colours exchanged. Where no table is, a look forward may say it (`helpmate_search`).

use crate::{AskedTables, Helpmates, Refusal, search_helpmates};
use position::{Position, RuleBook};
use probe::{Answer, Ask, Line, RatedMove};
use std::ops::ControlFlow;
use variant::{Metric, Side};

/// The most positions that a question without a table looks at: about a second.
const MOST_SEARCHED: usize = 100_000;

impl AskedTables {
    /// How soon either side can be mated if both help: from the folders' tables of `help`, from such as are
    /// solved for it, or by a look at all positions that can arise, if they are few.
    ///
    /// # Errors
    /// The rules forbid the position, a side may castle in it, no table of `help` is there, or one cannot be
    /// read.
    pub fn helpmates(&self, position: &Position, ask: &Ask<'_>) -> Result<Helpmates, Refusal> {
        if !position.is_legal(self.book()) {
            return Err(Refusal::illegal(self.book(), position));
        }
        if !position.castling().is_empty() {
            // That says why.
            Position::from_fen(self.book(), &position.to_fen(self.book()))?;
        }
        self.by_tables(position, ask).or_else(|refusal| self.by_search(position, ask, refusal))
    }

    /// What tables of `help` say.
    fn by_tables(&self, position: &Position, ask: &Ask<'_>) -> Result<Helpmates, Refusal> {
        let tables = self.helping()?;
        // Moves that the caller has generated are those of one of the two positions.
        let ask = &Ask { legal: None, ..*ask };
        let of = |position: &Position| {
            Refusal::of_unknown(tables.answer_legal(position, Some(Metric::Help), ask)?)
        };
        let board = &self.variant().board;
        let is_alike = self.variant().is_colour_symmetric();
        let white = of(position)?;
        let black = is_alike.then(|| of(&position.with_colours_exchanged(board))).transpose()?;
        Ok(Helpmates { white, black: black.map(|answer| exchanged(self.book(), answer)) })
    }

    /// What a look forward says where a table is missing, if questions may compute.
    ///
    /// # Errors
    /// It says nothing of a side, or nothing may be computed: the refusal.
    fn by_search(&self, position: &Position, ask: &Ask<'_>, refusal: Refusal) -> Result<Helpmates, Refusal> {
        if !self.solves() || !matches!(refusal, Refusal::NotBuilt(_)) {
            return Err(refusal);
        }
        let mut watch = |_, _| match self.is_stopped() || !(ask.goes_on)() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let found = search_helpmates(self.book(), position, MOST_SEARCHED, &mut watch);
        let is_told = |side: Side| found.lines[side.index()].is_some() || found.is_never(side);
        match Side::BOTH.into_iter().all(is_told) {
            true => {
                let Helpmates { white, black } = found.helpmates(self.book(), position);
                let asked = |answer: Answer| Answer {
                    moves: if ask.moves { RatedMove::unrated(self.book(), position) } else { Vec::new() },
                    line: answer.line.filter(|_| ask.line != Line::None),
                    ..answer
                };
                Ok(Helpmates { white: asked(white), black: black.map(asked) })
            }
            false => Err(refusal),
        }
    }
}

/// An answer in the terms of the position with the colours exchanged.
fn exchanged(book: &RuleBook, answer: Answer) -> Answer {
    let board = &book.variant().board;
    let rated = |rated: RatedMove| {
        let mv = rated.mv.with_colours_exchanged(board);
        RatedMove { mv, uci: mv.uci(book), ..rated }
    };
    Answer {
        position: answer.position.with_colours_exchanged(board),
        winner: answer.winner.map(|winner| !winner),
        moves: answer.moves.into_iter().map(rated).collect(),
        line: answer.line.map(|line| line.into_iter().map(rated).collect()),
        ..answer
    }
}
