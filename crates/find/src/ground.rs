//! Holds the tables that a search reads, and finds what they and the rules say of one placement.

use crate::judge::Facts;
use crate::moves::{MoveFacts, Rated, only_moves_in_a_row, solutions};
use crate::word::LineNumber;
use geometry::{Board, Square};
use index::{Layout, MAX_PLACED};
use position::{Move, Position, RuleBook};
use probe::{ProbeError, Tablebase};
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use table::{Codes, Mapping, MoveKind, Scale, Table, Value};
use variant::{Man, Metric, PieceId, Side, Variant};

/// The tables of one material, one for each metric of a query, and where its moves are looked up.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    pub(crate) tables: Vec<Arc<Table>>,
    pub(crate) book: RuleBook,
    scales: Vec<Scale>,
    mapping: Mapping,
    /// The men as they are, and with the colours exchanged.
    men: [Vec<Man>; 2],
    first_promotion: [Option<PieceId>; 2],
    /// Where moves lead that leave the table.
    successors: Option<&'a Tablebase>,
    /// Where moves are looked up that follow each other, and values of a side to move that the table lacks.
    folder: Option<&'a Tablebase>,
    counts_checks: bool,
}

impl<'a> Ground<'a> {
    pub(crate) fn new(
        variant: &Variant,
        metrics: &[Metric],
        tables: Vec<Arc<Table>>,
        successors: Option<&'a Tablebase>,
        folder: Option<&'a Tablebase>,
        counts_checks: bool,
    ) -> Self {
        assert_eq!(metrics.len(), tables.len(), "a table for each metric");
        let layout = tables[0].layout();
        for table in &tables {
            assert_eq!(table.layout().material(), layout.material(), "tables of one material");
        }
        let keeps = Side::BOTH.map(|side| tables[0].codes(side).is_some());
        let mapping = Mapping::new(layout, keeps, layout.men()).expect("a layout's men are its own");
        let men = layout.men().to_vec();
        let swapped = men.iter().map(|man| Man { side: !man.side, ..*man }).collect();
        let first_promotion = Side::BOTH.map(|side| {
            let own = men.iter().filter(|man| man.side == side);
            own.filter_map(|&man| variant.pawn_rules(man)).find_map(|pawn| pawn.promotes_to.first().copied())
        });
        Ground {
            book: RuleBook::new(variant),
            scales: metrics.iter().map(|&metric| Scale::new(metric, &variant.rules)).collect(),
            mapping,
            men: [men, swapped],
            first_promotion,
            tables,
            successors: successors.or(folder),
            folder,
            counts_checks,
        }
    }

    /// Whether the tables have the values with this side to move; if not, they are found by moves.
    fn keeps(&self, own_stm: Side) -> bool {
        self.mapping.has(own_stm)
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        self.tables[0].layout()
    }

    pub(crate) fn scale(&self, metric: usize) -> &Scale {
        &self.scales[metric]
    }

    /// The value of a placement of the table's men, as the table has it.
    fn value(&self, metric: usize, stm: Side, index: usize, squares: impl FnOnce() -> Squares) -> Value {
        if let Some(codes) = self.tables[metric].codes(stm) {
            return codes.as_ref().value(index);
        }
        self.value_at(metric, stm, &squares()[..self.men[0].len()])
    }

    /// Like `value`, by the squares of the men.
    fn value_at(&self, metric: usize, stm: Side, squares: &[Square]) -> Value {
        match self.mapping.locate(self.layout(), stm, squares) {
            Some((side, index)) => {
                self.tables[metric].codes(side).map_or(Value::Illegal, |codes: &Codes| codes.value(index))
            }
            None => Value::Illegal,
        }
    }
}

/// Room for the men of structures, which are more than those of tables.
type Squares = [Square; MAX_PLACED];

/// One placement of a table, as the asker sees it: of a symmetric table Black to move is White to move with
/// the colours exchanged.
pub(crate) struct Place<'g, 'a> {
    ground: &'g Ground<'a>,
    pub(crate) index: usize,
    is_swapped: bool,
    depth: Depth,
    /// The squares of the table's men, as the table has them.
    squares: OnceCell<Squares>,
    moves: [OnceCell<Option<MoveFacts>>; 2],
    error: RefCell<Option<FindError>>,
}

/// How far a placement is looked into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Depth {
    Squares,
    Moves,
    Lines,
}

impl<'g, 'a> Place<'g, 'a> {
    pub(crate) fn new(ground: &'g Ground<'a>, index: usize, is_swapped: bool) -> Self {
        Place {
            ground,
            index,
            is_swapped,
            depth: Depth::Squares,
            squares: OnceCell::new(),
            moves: [const { OnceCell::new() }; 2],
            error: RefCell::new(None),
        }
    }

    pub(crate) fn look(&mut self, depth: Depth) {
        self.depth = depth;
    }

    /// Why something could not be found out.
    pub(crate) fn take_error(&mut self) -> Option<FindError> {
        self.error.take()
    }

    fn own_squares(&self) -> &Squares {
        self.squares.get_or_init(|| {
            let mut squares = [Square::from_index(0); MAX_PLACED];
            let placement = self.ground.layout().decode(self.index);
            squares[..placement.len()].copy_from_slice(&placement);
            squares
        })
    }

    /// The side to move as the table has it.
    fn own_stm(&self, stm: Side) -> Side {
        if self.is_swapped { !stm } else { stm }
    }

    /// The position with this side to move; none if men share a square.
    pub(crate) fn position(&self, stm: Side) -> Option<Position> {
        let men = (0..self.men().len()).map(|man| (self.men()[man], self.shown(self.own_squares()[man])));
        let mut given = self.ground.layout().material().given_checks();
        if self.is_swapped {
            given.reverse();
        }
        Some(Position::from_men(men, stm)?.with_given_checks(given))
    }

    /// A square as the asker sees it, or, which is the same step, a square of the asker's as the table has
    /// it.
    fn shown(&self, square: Square) -> Square {
        if self.is_swapped { self.ground.layout().board().mirror_ranks(square) } else { square }
    }

    fn fail(&self, error: FindError) {
        self.error.borrow_mut().get_or_insert(error);
    }

    /// The moves of a legal position; none if it is not legal, or a table is missing.
    fn found_moves(&self, stm: Side) -> Option<MoveFacts> {
        let ground = self.ground;
        let own = Facts::value(self, 0, stm)?;
        if own == Value::Illegal {
            return None;
        }
        let position = self.position(stm)?;
        let scale = &ground.scales[0];
        let mut facts = MoveFacts::default();
        position.for_each_successor(&ground.book, |mv, next| {
            let Some(value) = self.value_behind(&mv, next) else { return };
            let kind = MoveKind::new(mv.is_conversion(), mv.zeroing);
            // What the rules allow and no table has a place for does not exist.
            let Some(value) = value.before_move_of(kind, scale) else { return };
            let is_check = ground.counts_checks && next.is_in_check(&ground.book);
            facts.add(&Rated { scale, position: &position, mv, is_check }, own, value);
        });
        Some(facts)
    }

    /// The value of what a move leads to.
    fn value_behind(&self, mv: &Move, next: &Position) -> Option<Value> {
        let ground = self.ground;
        let own_stm = self.own_stm(next.stm());
        if stays(mv) && ground.keeps(own_stm) {
            let [from, to] = [mv.from, mv.to].map(|square| self.shown(square));
            let n_men = ground.men[0].len();
            let mut squares = *self.own_squares();
            let man = squares[..n_men].iter_mut().find(|square| **square == from)?;
            *man = to;
            return Some(ground.value_at(0, own_stm, &squares[..n_men]));
        }
        self.asked(ground.successors, next)
    }

    /// The value of a legal position by other tables; none if they do not have it.
    fn asked(&self, tables: Option<&Tablebase>, position: &Position) -> Option<Value> {
        match tables?.value_of_legal(position) {
            Ok(value) => Some(tables?.in_table(position.stm(), value)),
            Err(error) => {
                self.fail(error.into());
                None
            }
        }
    }

    /// The position with a side to move that the tables lack; none if it is not legal.
    fn legal(&self, stm: Side) -> Option<Position> {
        self.position(stm).filter(|position| position.is_legal(&self.ground.book))
    }

    /// The best result of moves, or one that is enough. Moves inside the table, which are looked up in
    /// memory, come first.
    fn result_by_moves(&self, position: &Position, enough: i8) -> Option<i8> {
        let ground = self.ground;
        let mut best = None;
        for is_inside in [true, false] {
            position.for_each_successor_while(&ground.book, |mv, next| {
                if stays(&mv) == is_inside
                    && let Some(value) = self.value_behind(&mv, next)
                {
                    let kind = MoveKind::new(mv.is_conversion(), mv.zeroing);
                    best = best.max(value.before_move_of(kind, &ground.scales[0]).and_then(Value::wdl));
                }
                best < Some(enough)
            });
            if best >= Some(enough) {
                break;
            }
        }
        best
    }
}

/// Whether the men and the kind of the position stay as they are, so that it is one of the table.
fn stays(mv: &Move) -> bool {
    !mv.is_conversion() && mv.passed.is_none() && mv.blown.is_empty()
}

impl Facts for Place<'_, '_> {
    fn board(&self) -> &Board {
        self.ground.layout().board()
    }

    fn men(&self) -> &[Man] {
        &self.ground.men[usize::from(self.is_swapped)]
    }

    fn square(&self, man: usize) -> Option<Square> {
        Some(self.shown(self.own_squares()[man]))
    }

    fn value(&self, metric: usize, stm: Side) -> Option<Value> {
        if !self.is_kept(stm) {
            let Some(position) = self.legal(stm) else { return Some(Value::Illegal) };
            return self.asked(self.ground.folder, &position);
        }
        Some(self.ground.value(metric, self.own_stm(stm), self.index, || *self.own_squares()))
    }

    fn is_kept(&self, stm: Side) -> bool {
        self.ground.keeps(self.own_stm(stm))
    }

    fn result(&self, stm: Side, enough: i8) -> Option<Option<i8>> {
        if !self.is_kept(stm) {
            let Some(position) = self.legal(stm) else { return Some(None) };
            if !self.ground.scales[0].is_helped()
                && let Some(best) = self.result_by_moves(&position, enough)
            {
                return Some(Some(best));
            }
        }
        self.value(0, stm).map(Value::wdl)
    }

    fn is_cursed(&self, metric: usize, value: Value) -> bool {
        self.ground.scales[metric].is_cursed(value)
    }

    fn is_check(&self, stm: Side) -> Option<bool> {
        Some(self.position(stm).is_some_and(|position| position.is_in_check(&self.ground.book)))
    }

    fn moves(&self, stm: Side) -> Option<&MoveFacts> {
        if self.depth < Depth::Moves {
            return None;
        }
        self.moves[stm.index()].get_or_init(|| self.found_moves(stm)).as_ref()
    }

    fn line_number(&self, stm: Side, which: LineNumber) -> Option<i64> {
        if self.depth < Depth::Lines {
            return None;
        }
        // One choice is enough to know, and costs no line.
        let moves = self.moves(stm)?;
        let number = match which {
            LineNumber::OnlyMoves if moves.keeping.n_moves != 1 => return Some(0),
            LineNumber::OnlyMoves => only_moves_in_a_row(self.ground.folder?, self.position(stm)?),
            LineNumber::Solutions { most } => solutions(self.ground.folder?, &self.position(stm)?, most),
        };
        match number {
            Ok(number) => Some(number.into()),
            Err(error) => {
                self.fail(error.into());
                None
            }
        }
    }

    fn first_promotion(&self) -> Option<PieceId> {
        // A colour-swapped asker has the same pieces; the pawns of both sides promote to the same first one.
        self.ground.first_promotion.iter().copied().flatten().next()
    }
}

/// What the code of a placement alone says.
pub(crate) struct CodeFacts<'g, 'a> {
    pub(crate) ground: &'g Ground<'a>,
    pub(crate) is_swapped: bool,
    /// The value by the first metric, and the side to move whose it is; none if nothing is known but who is
    /// to move.
    pub(crate) value: Option<(Side, Value)>,
}

impl Facts for CodeFacts<'_, '_> {
    fn board(&self) -> &Board {
        self.ground.layout().board()
    }

    fn men(&self) -> &[Man] {
        &self.ground.men[usize::from(self.is_swapped)]
    }

    fn square(&self, _: usize) -> Option<Square> {
        None
    }

    fn value(&self, metric: usize, stm: Side) -> Option<Value> {
        self.value.filter(|(of, _)| metric == 0 && stm == *of).map(|(_, value)| value)
    }

    fn is_kept(&self, stm: Side) -> bool {
        self.ground.keeps(if self.is_swapped { !stm } else { stm })
    }

    fn result(&self, stm: Side, _: i8) -> Option<Option<i8>> {
        self.value(0, stm).map(Value::wdl)
    }

    fn is_cursed(&self, metric: usize, value: Value) -> bool {
        self.ground.scales[metric].is_cursed(value)
    }

    fn is_check(&self, _: Side) -> Option<bool> {
        None
    }

    fn moves(&self, _: Side) -> Option<&MoveFacts> {
        None
    }

    fn line_number(&self, _: Side, _: LineNumber) -> Option<i64> {
        None
    }

    fn first_promotion(&self) -> Option<PieceId> {
        None
    }
}

/// Why a search cannot go on.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// A table that a move leads to is not there or cannot be read.
    #[error("a condition on moves needs the tables that they lead to: {0}")]
    Probe(#[from] ProbeError),
}
