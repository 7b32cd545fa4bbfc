//! Fills the array of a flat file from a table.
//!
//! The array is written a *stretch* at a time, the placements in which the first man stands on one of two
//! squares: so many that the entries of a stretch fill whole bytes whatever the board, and so few that a
//! table of five men needs some hundred megabytes of memory and not gigabytes. Stretches are made by all
//! threads and summed in order.

use super::FlatName;
use super::entry::Width;
use super::header::{HEADER_BYTES, Header, Sum};
use geometry::Square;
use index::{Layout, MAX_MEN};
use md5::{Digest, Md5};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use table::{Code, CodeRow, Scale, Table, Value, View};
use variant::{Man, Metric, Side, Variant};

/// How many first squares a stretch has.
const STRETCH: usize = 2;

/// How many stretches a thread has ahead of what is written.
const AHEAD: usize = 2;

/// The values of a table, to be written in the order of the array.
///
/// They are read in another order, that of the table's own numbering: frame men outside, free men inside, so
/// that what is next to each other there is read one after the other. What is written lies far apart then,
/// but inside a stretch.
pub(super) struct Array<'a> {
    view: View<'a>,
    men: &'a [Man],
    /// The mobile men in the order in which they go over the board, the one that the array begins with first.
    loops: Vec<Walker>,
    /// The places of the pawns.
    pawns: Vec<usize>,
    n_squares: usize,
    width: Width,
    to_next_table: bool,
    /// By what a win or a loss becomes a draw: of results under the n-move rule.
    rule: Option<Scale>,
}

/// A mobile man.
#[derive(Clone, Copy)]
struct Walker {
    /// His place among the men.
    place: usize,
    /// How many entries lie between two of his squares.
    step: usize,
}

/// The entries of all codes of a byte; codes of two bytes are turned one by one.
struct Entries<'a> {
    array: &'a Array<'a>,
    of_byte: [u32; 256],
}

impl<'a> Entries<'a> {
    fn new<const N: usize>(array: &'a Array<'a>, row: &CodeRow<N>) -> Self {
        let value = |byte: usize| match row {
            CodeRow::Narrow(_) => (byte as u8).value(),
            CodeRow::Split(_, split) => split.value(byte as u8),
            CodeRow::Wide(_) => Value::Illegal,
        };
        let of_byte = std::array::from_fn(|byte| array.entry(value(byte)));
        Entries { array, of_byte }
    }

    #[inline]
    fn of<const N: usize>(&self, row: &CodeRow<N>, square: usize) -> u32 {
        match row {
            CodeRow::Narrow(codes) | CodeRow::Split(codes, _) => self.of_byte[usize::from(codes[square])],
            CodeRow::Wide(codes) => self.array.entry(codes[square].value()),
        }
    }
}

impl<'a> Array<'a> {
    /// The values of a table under a metric, in entries of this width.
    pub(super) fn new(variant: &Variant, metric: Metric, table: &'a Table, width: Width) -> Self {
        let layout = table.layout();
        let men = layout.men();
        let (pawns, mobile): (Vec<usize>, Vec<usize>) =
            (0..men.len()).partition(|&place| variant.is_pawn(men[place]));
        let rule = width == Width::Bits && metric == Metric::Dtz50;
        Array {
            view: View::of_table(table, men).expect("a table is seen by its own men"),
            men,
            loops: loops(layout, &mobile),
            pawns,
            n_squares: layout.n_squares(),
            width,
            to_next_table: metric != Metric::Dtm,
            rule: rule.then(|| Scale::new(metric, &variant.rules)),
        }
    }

    /// How many mobile men there are.
    pub(super) fn n_mobile(&self) -> usize {
        self.loops.len()
    }

    /// The entry of a value.
    fn entry(&self, value: Value) -> u32 {
        let is_cursed = self.rule.as_ref().is_some_and(|rule| rule.is_cursed(value));
        self.width.entry(if is_cursed { Value::Draw } else { value }, self.to_next_table)
    }

    /// Writes a file with its header; the sum of what is behind the header.
    pub(super) fn write(
        &self,
        file: &mut File,
        name: &FlatName,
        mut header: Header,
        dependencies: &str,
    ) -> io::Result<Sum> {
        // A file that is cut off has no header, and is none.
        file.write_all(&[0; HEADER_BYTES])?;
        let mut md5 = Md5::new();
        // Without a mobile man there is one placement, and so one stretch.
        let n_firsts = if self.loops.is_empty() { 1 } else { self.n_squares };
        let firsts: Vec<usize> = (0..n_firsts).step_by(STRETCH).collect();
        for firsts in firsts.chunks(AHEAD * rayon::current_num_threads()) {
            let stretches: Vec<Vec<u8>> = firsts.par_iter().map(|&first| self.stretch(name, first)).collect();
            for stretch in stretches {
                md5.update(&stretch);
                file.write_all(&stretch)?;
            }
        }
        md5.update(dependencies.as_bytes());
        file.write_all(dependencies.as_bytes())?;
        header.rest = md5.finalize().into();
        file.seek(SeekFrom::Start(0))?;
        let bytes = header.encode().map_err(io::Error::other)?;
        file.write_all(&bytes)?;
        Ok(header.rest)
    }

    /// The entries of the placements in which the first man stands on one of a few squares, from this one on.
    fn stretch(&self, name: &FlatName, first: usize) -> Vec<u8> {
        let mut squares = [Square::from_index(0); MAX_MEN];
        self.pawns.iter().zip(name.pawns()).for_each(|(&place, &square)| squares[place] = square);
        let squares = &mut squares[..self.men.len()];
        let pawns = name.pawns().iter().fold(0u128, |taken, square| taken | 1 << square.index());
        let zeros = |n_entries: usize| vec![0; self.width.n_bytes(n_entries as u64) as usize];
        let Some(man) = self.loops.first() else {
            let mut bytes = zeros(2);
            self.fill(&mut bytes, squares, pawns, 0, 0);
            return bytes;
        };
        let firsts = first..(first + STRETCH).min(self.n_squares);
        let mut bytes = zeros(firsts.len() * man.step);
        for (number, first) in firsts.enumerate().filter(|(_, first)| pawns >> first & 1 == 0) {
            squares[man.place] = Square::from_index(first);
            self.fill(&mut bytes, squares, pawns | 1 << first, 1, number * man.step);
        }
        bytes
    }

    /// Writes the entries from `at` on: so many men stand, the others go everywhere.
    fn fill(&self, bytes: &mut [u8], squares: &mut [Square], taken: u128, n_placed: usize, at: usize) {
        match &self.loops[n_placed..] {
            [man, _, _, ..] => {
                for square in (0..self.n_squares).filter(|square| taken >> square & 1 == 0) {
                    squares[man.place] = Square::from_index(square);
                    let at = at + square * man.step;
                    self.fill(bytes, squares, taken | 1 << square, n_placed + 1, at);
                }
            }
            &[axis, last] => self.rows_of(bytes, squares, taken, Some(axis), last, at),
            &[last] => self.rows_of(bytes, squares, taken, None, last, at),
            [] => {
                for stm in Side::BOTH {
                    let entry = self.entry(self.view.value(stm, squares));
                    self.width.write(bytes, at + stm.index(), entry);
                }
            }
        }
    }

    fn rows_of(
        &self,
        bytes: &mut [u8],
        squares: &[Square],
        taken: u128,
        axis: Option<Walker>,
        last: Walker,
        at: usize,
    ) {
        match self.n_squares {
            0..=64 => self.rows::<64>(bytes, squares, taken, axis, last, at),
            _ => self.rows::<128>(bytes, squares, taken, axis, last, at),
        }
    }

    /// The entries where one or two men go everywhere: rows of the last one's squares.
    fn rows<const N: usize>(
        &self,
        bytes: &mut [u8],
        squares: &[Square],
        taken: u128,
        axis: Option<Walker>,
        last: Walker,
        at: usize,
    ) {
        let rows =
            Side::BOTH.map(|stm| self.view.rows(stm, squares, axis.map(|axis| axis.place), last.place));
        let codes = |square: usize| rows.each_ref().map(|rows| rows.codes::<N>(Square::from_index(square)));
        let entries = codes(0).each_ref().map(|row| Entries::new(self, row));
        let step = axis.map_or(0, |axis| axis.step);
        let of_axis = if axis.is_some() { self.n_squares } else { 1 };
        for square in (0..of_axis).filter(|square| axis.is_none() || taken >> square & 1 == 0) {
            let taken = if axis.is_some() { taken | 1 << square } else { taken };
            let start = at + square * step;
            for (stm, row) in codes(square).iter().enumerate() {
                for last_square in (0..self.n_squares).filter(|last| taken >> last & 1 == 0) {
                    let entry = entries[stm].of(row, last_square);
                    self.width.write(bytes, start + last_square * last.step + stm, entry);
                }
            }
        }
    }
}

/// The mobile men in the order in which they go over the board.
fn loops(layout: &Layout, mobile: &[usize]) -> Vec<Walker> {
    let n = layout.n_squares();
    let walker = |&place: &usize| {
        let behind = mobile.iter().position(|&own| own == place).map_or(0, |at| mobile.len() - 1 - at);
        Walker { place, step: 2 * n.pow(behind as u32) }
    };
    let Some(first) = mobile.first() else { return Vec::new() };
    let inner = layout.frame().iter().chain(layout.free()).filter(|&place| place != first);
    std::iter::once(first).chain(inner).map(walker).collect()
}
