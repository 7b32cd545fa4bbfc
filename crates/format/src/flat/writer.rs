//! Writes a table as flat files: one for each way in which the pawns can stand, or its mirror image.
//!
//! The array is written a *stretch* at a time, the placements in which the first man stands on one of two
//! squares: so many that the entries of a stretch fill whole bytes whatever the board, and so few that a
//! table of five men needs some hundred megabytes of memory and not gigabytes. Stretches are made by all
//! threads and summed in order.

use super::dependency;
use super::entry::Width;
use super::header::{HEADER_BYTES, Header, Sum, sum};
use super::{FlatError, FlatName, Form, PACKED_EXTENSION};
use crate::checksum::rules_hash;
use crate::temporary::temporary_of;
use flate2::{Compression, GzBuilder};
use geometry::Square;
use index::{Layout, MAX_MEN};
use md5::{Digest, Md5};
use rayon::prelude::*;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use table::{Code, CodeRow, CodesRef, Scale, Table, Value, View};
use variant::{Man, Metric, Side, Variant};

/// How many first squares a stretch has.
const STRETCH: usize = 2;

/// How many stretches a thread has ahead of what is written.
const AHEAD: usize = 2;

/// How files are to be made.
#[derive(Clone, Debug)]
pub struct FlatOptions<'a> {
    /// What they hold.
    pub form: Form,
    /// Four bytes a value also where two are enough.
    pub wide: bool,
    /// Compressed for transport.
    pub packed: bool,
    /// Which program makes them, and from what: at most 32 bytes.
    pub built: &'a str,
    /// The tables that captures and promotions lead to, each with its sum; none of one without files.
    pub dependencies: &'a [(String, Option<[u8; 16]>)],
}

/// What was written of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlatWritten {
    /// How many files.
    pub n_files: u64,
    /// How many bytes they have together.
    pub n_bytes: u64,
    /// The sum by which tables that depend on this one name it.
    pub sum: [u8; 16],
}

/// Writes the files of a table, whose values are those of a metric, into a folder. Names leave out the
/// variant's default metric. Files of two bits say who wins, of a table of `dtz50` under the n-move rule;
/// whoever wants to know of such a table who wins without it names the metric `wdl`.
///
/// Each has its name only when it is complete. The bytes do not depend on the number of threads.
///
/// # Errors
/// The form cannot hold the metric, a text does not fit into the header, or the disk refuses.
pub fn write(
    folder: &Path,
    variant: &Variant,
    metric: Metric,
    table: &Table,
    options: &FlatOptions<'_>,
) -> Result<FlatWritten, FlatError> {
    let metric = match (options.form, metric) {
        (Form::Distances, metric) | (Form::Wdl, metric @ Metric::Dtz50) => metric,
        (Form::Wdl, _) => Metric::Wdl,
    };
    options.form.check_metric(metric)?;
    let layout = table.layout();
    let wide = options.wide || longest(table) > Width::Two.most_plies();
    let width = match options.form {
        Form::Wdl => Width::Bits,
        Form::Distances if wide => Width::Four,
        Form::Distances => Width::Two,
    };
    let places = (0..layout.men().len()).filter(|&place| !variant.is_pawn(layout.men()[place]));
    let mobile: Vec<usize> = places.collect();
    let array = Array {
        view: View::of_table(table, layout.men()).expect("a table is seen by its own men"),
        men: layout.men(),
        loops: loops(layout, &mobile),
        pawns: (0..layout.men().len()).filter(|&place| variant.is_pawn(layout.men()[place])).collect(),
        n_squares: layout.n_squares(),
        width,
        to_next_table: metric != Metric::Dtm,
        rule: (width == Width::Bits && metric == Metric::Dtz50).then(|| Scale::new(metric, &variant.rules)),
    };
    let text = dependency::encode(options.dependencies);
    let header = |name: &str| Header {
        form: options.form,
        width,
        n_men: layout.men().len() as u8,
        n_mobile: mobile.len() as u8,
        size: [variant.board.files() as u8, variant.board.ranks() as u8],
        array_bytes: 0,
        dependency_bytes: text.len() as u64,
        metric: metric.name().into(),
        name: name.into(),
        built: options.built.into(),
        rules: rules_hash(variant, layout.material(), metric).0,
        rest: Sum::default(),
    };
    let one = |name: FlatName| -> Result<(Sum, u64), FlatError> {
        let stem = name.text(variant);
        let mut header = header(&stem);
        header.array_bytes = width.n_bytes(header.n_entries().unwrap_or(0));
        let path = folder.join(options.form.file_name(&stem, metric, variant.default_metric));
        let own = save(&path, options.packed, |file| array.write(file, &name, header.clone(), &text))?;
        Ok(own)
    };
    let names = FlatName::folded(variant, layout.material());
    let has_pawns = !array.pawns.is_empty();
    let written: Vec<(Sum, u64)> = names.into_par_iter().map(one).collect::<Result<_, _>>()?;
    let sums: Vec<u8> = written.iter().flat_map(|(sum, _)| *sum).collect();
    Ok(FlatWritten {
        n_files: written.len() as u64,
        n_bytes: written.iter().map(|(_, n_bytes)| n_bytes).sum(),
        sum: if has_pawns { sum(&sums) } else { written.first().map_or_else(Sum::default, |one| one.0) },
    })
}

/// The longest distance, or a bound on it.
fn longest(table: &Table) -> u32 {
    let of_side = |(_, codes): (Side, CodesRef<'_>)| match codes {
        CodesRef::Narrow(_) | CodesRef::Split(..) => 0,
        CodesRef::Wide(codes) => {
            let plies = codes.iter().map(|&code| code.value().ply().map_or(0, |ply| ply.0));
            u32::from(plies.max().unwrap_or(0))
        }
    };
    table.codes_by_side().map(of_side).max().unwrap_or(0)
}

/// Writes a file under another name, gives it its own, and packs it before that if it is wanted so; what
/// `write` gives, and how many bytes the file has.
fn save<T>(
    path: &Path,
    packed: bool,
    write: impl FnOnce(&mut File) -> Result<T, io::Error>,
) -> Result<(T, u64), FlatError> {
    let temporary = temporary_of(path);
    let mut leftovers = vec![temporary.clone()];
    let result = (|| {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&temporary);
        let mut file = file.map_err(FlatError::io(&temporary, "create"))?;
        let written = write(&mut file).map_err(FlatError::io(&temporary, "write"))?;
        let mut named = (temporary.clone(), path.to_path_buf());
        if packed {
            file.seek(SeekFrom::Start(0)).map_err(FlatError::io(&temporary, "read"))?;
            let mut name = path.as_os_str().to_os_string();
            name.push(format!(".{PACKED_EXTENSION}"));
            named = (temporary_of(Path::new(&name)), PathBuf::from(name));
            leftovers.push(named.0.clone());
            pack(&mut file, &named.0).map_err(FlatError::io(&named.0, "write"))?;
        }
        let n_bytes = fs::metadata(&named.0).map_err(FlatError::io(&named.0, "read the size of"))?.len();
        fs::rename(&named.0, &named.1).map_err(FlatError::io(&named.1, "rename the finished file to"))?;
        Ok((written, n_bytes))
    })();
    // A file that was renamed is not there any more; of the rest the first error is the one to report.
    leftovers.iter().for_each(|path| drop(fs::remove_file(path)));
    result
}

/// Packs a file. Neither time nor name is in what comes out, so that the same file gives the same bytes.
fn pack(file: &mut File, path: &Path) -> io::Result<()> {
    let mut encoder = GzBuilder::new().mtime(0).write(File::create(path)?, Compression::default());
    io::copy(file, &mut encoder)?;
    encoder.finish().map(drop)
}

/// The values of a table, to be written in the order of the array.
///
/// They are read in another order, that of the table's own numbering: frame men outside, free men inside, so
/// that what is next to each other there is read one after the other. What is written lies far apart then,
/// but inside a stretch.
struct Array<'a> {
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

impl Array<'_> {
    /// The entry of a value.
    fn entry(&self, value: Value) -> u32 {
        let is_cursed = self.rule.as_ref().is_some_and(|rule| rule.is_cursed(value));
        self.width.entry(if is_cursed { Value::Draw } else { value }, self.to_next_table)
    }

    /// Writes a file with its header; the sum of what is behind the header.
    fn write(
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
