//! Lists the positions of a table, a row for each, column by column.

use position::{Position, RuleBook};
use std::ops::Range;
use table::{Scale, Table, View, threads};
use variant::{Metric, Side, Variant};

/// How many placements make a batch, and how many a piece of work.
const BATCH: usize = 1 << 20;
const STRETCH: usize = 1 << 14;

/// The positions of a table: canonical ones, White to move first, in the order of their numbers.
#[derive(Debug)]
pub struct Rows<'a> {
    table: &'a Table,
    view: View<'a>,
    scale: Scale,
    book: RuleBook,
    has_fens: bool,
}

/// Some rows, column by column.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Batch {
    /// Who is to move: 0 White, 1 Black.
    pub to_move: Vec<u8>,
    /// For each man of the table the number of his square.
    pub squares: Vec<Vec<u8>>,
    /// The result for the side to move: 2 win, 1 cursed win, 0 draw, −1 blessed loss, −2 loss.
    pub wdl: Vec<i8>,
    /// The distance in plies; −1 in a draw and without distances.
    pub plies: Vec<i32>,
    /// The positions as FEN, if they are asked for.
    pub fens: Vec<String>,
}

impl<'a> Rows<'a> {
    /// The rows of a table that holds a metric, with both sides to move; with FENs if they are wanted.
    #[must_use]
    pub fn new(variant: &Variant, metric: Metric, table: &'a Table, has_fens: bool) -> Self {
        let view = View::of_table(table, table.layout().men(), None).expect("a layout's men are its own");
        let (scale, book) = (Scale::new(metric, &variant.rules), RuleBook::new(variant));
        Rows { table, view, scale, book, has_fens }
    }

    /// The names of the men's columns: their letters in a FEN, numbered where there are several.
    #[must_use]
    pub fn names_of_men(&self) -> Vec<String> {
        let men = self.table.layout().men();
        let letter = |place: usize| self.book.variant().fen_letter(men[place]);
        let name = |place: usize| {
            let like = |range: Range<usize>| range.filter(|&other| men[other] == men[place]).count();
            match like(0..men.len()) {
                1 => letter(place).to_string(),
                _ => format!("{}{}", letter(place), 1 + like(0..place)),
            }
        };
        (0..men.len()).map(name).collect()
    }

    /// Whether the positions are written as FEN too.
    #[must_use]
    pub fn has_fens(&self) -> bool {
        self.has_fens
    }

    /// Calls `visit` with each batch of rows until it fails.
    ///
    /// # Errors
    /// That of `visit`.
    pub fn for_each_batch<E>(&self, mut visit: impl FnMut(Batch) -> Result<(), E>) -> Result<(), E> {
        for stm in Side::BOTH {
            for places in threads::stretches(0..self.table.layout().len(), BATCH) {
                let parts =
                    threads::map(threads::stretches(places, STRETCH), |places| self.part(stm, places));
                let mut batch = self.empty();
                parts.into_iter().for_each(|part| batch.append(part));
                if !batch.to_move.is_empty() {
                    visit(batch)?;
                }
            }
        }
        Ok(())
    }

    /// No rows.
    #[must_use]
    pub fn empty(&self) -> Batch {
        Batch { squares: vec![Vec::new(); self.table.layout().men().len()], ..Batch::default() }
    }

    fn part(&self, stm: Side, places: Range<usize>) -> Batch {
        let layout = self.table.layout();
        let mut batch = self.empty();
        for index in places {
            let squares = layout.decode(index);
            if !layout.is_canonical(index, &squares) {
                continue;
            }
            let value = self.view.value(stm, &squares);
            let Some(wdl) = value.wdl() else { continue };
            batch.to_move.push(stm.index() as u8);
            let own = squares.iter().zip(&mut batch.squares);
            own.for_each(|(square, column)| column.push(square.index() as u8));
            batch.wdl.push(if self.scale.is_cursed(value) { wdl } else { 2 * wdl });
            let has_plies = self.scale.metric() != Metric::Wdl;
            batch.plies.push(value.ply().filter(|_| has_plies).map_or(-1, |ply| ply.0.into()));
            if self.has_fens {
                let men = layout.men().iter().copied().zip(squares.iter().copied());
                let position = Position::of_material(layout.material(), men, stm);
                let fen = position.map(|position| position.to_fen(&self.book));
                batch.fens.push(fen.unwrap_or_default());
            }
        }
        batch
    }
}

impl Batch {
    /// Adds rows behind these.
    pub fn append(&mut self, mut other: Batch) {
        self.to_move.append(&mut other.to_move);
        self.squares.iter_mut().zip(&mut other.squares).for_each(|(own, other)| own.append(other));
        self.wdl.append(&mut other.wdl);
        self.plies.append(&mut other.plies);
        self.fens.append(&mut other.fens);
    }
}
