//! Writes the flat files of a table: fills the array, and compresses the file if it is to travel.

use crate::flat::header::{HEADER_BYTES, Header, PawnPlacements, Sum, Width, sum};
use crate::flat::{FlatError, FlatName, Form, PACKED_EXTENSION, header};
use flate2::{Compression, GzBuilder};
use format::{FormatError, rules_hash, temporary_of};
use geometry::Square;
use index::{Layout, MAX_PLACED};
use md5::{Digest, Md5};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};
use table::{CodeRow, Coding, Ply, Scale, Table, Value, View, threads};
use variant::{Man, Metric, Side, Variant};

/// How files are to be made.
#[derive(Clone, Debug)]
pub struct FlatOptions<'a> {
    /// What they hold.
    pub form: Form,
    /// Four bytes a value also where two are enough.
    pub wide: bool,
    /// Compressed for transport.
    pub packed: bool,
    /// One file for all squares of the pawns.
    pub one_file: bool,
    /// Files of those slices alone that the table has; its men may have either colours.
    pub slices: bool,
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
/// variant's default metric. Files of two bits say who wins, of a table of `dtz50` under the n-move rule; a
/// program that wants to know of such a table who wins without it names the metric `wdl`.
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
    options.form.check(variant, metric)?;
    let material = table.layout().material().canonical(variant);
    let wide = options.wide || longest(table) > Width::Two.most_plies();
    let width = match options.form {
        Form::Wdl => Width::Bits,
        Form::Distances if wide => Width::Four,
        Form::Distances => Width::Two,
    };
    let men: Vec<Man> = material.men().collect();
    let array = Array::new(variant, metric, table, &men, width);
    let text = header::encode(options.dependencies);
    let header = |name: &str| Header {
        form: options.form,
        width,
        n_men: men.len() as u8,
        n_mobile: array.n_mobile() as u8,
        size: [variant.board.files() as u8, variant.board.ranks() as u8],
        pawns: Vec::new(),
        array_bytes: 0,
        dependency_bytes: text.len() as u64,
        metric: metric.name().into(),
        name: name.into(),
        built: options.built.into(),
        rules: rules_hash(variant, &material, metric).0,
        rest: Sum::default(),
    };
    let one = |name: FlatName| -> Result<(Sum, u64), FlatError> {
        let stem = name.text(variant);
        let placements = match name.has_all_squares() {
            true => PawnPlacements::all(variant, &material),
            false => PawnPlacements::One(name.pawns().to_vec()),
        };
        let mut header = Header { pawns: placements.dimensions().to_vec(), ..header(&stem) };
        header.array_bytes = width.n_bytes(header.n_entries().unwrap_or(0));
        let path = folder.join(options.form.file_name(&stem, metric, variant.default_metric));
        save(&path, options.packed, |file| array.write(file, &placements, header.clone(), &text))
    };
    let names = match options {
        FlatOptions { one_file: true, .. } => vec![FlatName::of_all_squares(variant, &material)],
        FlatOptions { slices: true, .. } => names_of_slices(variant, table.layout()),
        _ => FlatName::folded(variant, &material),
    };
    let is_summed = names.first().is_some_and(|name| !name.pawns().is_empty());
    let written: Vec<(Sum, u64)> = threads::try_map(names, one)?;
    let sums: Vec<u8> = written.iter().flat_map(|(sum, _)| *sum).collect();
    Ok(FlatWritten {
        n_files: written.len() as u64,
        n_bytes: written.iter().map(|(_, n_bytes)| n_bytes).sum(),
        sum: if is_summed { sum(&sums) } else { written.first().map_or_else(Sum::default, |one| one.0) },
    })
}

/// The names of the files of a layout's slices, in ascending order.
fn names_of_slices(variant: &Variant, layout: &Layout) -> Vec<FlatName> {
    let name = |slice| {
        let pawns = layout.pawns().iter().zip(layout.pawn_squares(slice));
        let mut squares = vec![Square::from_index(0); layout.men().len()];
        pawns.for_each(|(&place, &square)| squares[place] = square);
        let name = FlatName::of(variant, layout.men().iter().copied().zip(squares));
        name.expect("the pawns of a slice stand somewhere").written(variant)
    };
    layout.slices().map(name).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The longest distance, or a bound on it.
fn longest(table: &Table) -> u32 {
    let wide = table.codes_by_side().filter(|(_, codes)| codes.is_wide());
    wide.flat_map(|(_, codes)| codes.longest()).map(|Ply(plies)| plies.into()).max().unwrap_or(0)
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
        let mut file = file.map_err(FormatError::io(&temporary, "create"))?;
        let written = write(&mut file).map_err(FormatError::io(&temporary, "write"))?;
        let mut named = (temporary.clone(), path.to_path_buf());
        if packed {
            file.seek(SeekFrom::Start(0)).map_err(FormatError::io(&temporary, "read"))?;
            let mut name = path.as_os_str().to_os_string();
            name.push(format!(".{PACKED_EXTENSION}"));
            named = (temporary_of(Path::new(&name)), PathBuf::from(name));
            leftovers.push(named.0.clone());
            pack(&mut file, &named.0).map_err(FormatError::io(&named.0, "write"))?;
        }
        let n_bytes = fs::metadata(&named.0).map_err(FormatError::io(&named.0, "read the size of"))?.len();
        fs::rename(&named.0, &named.1).map_err(FormatError::io(&named.1, "rename the finished file to"))?;
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

/// How many bytes a stretch has, if two lines have no more.
const STRETCH_BYTES: usize = 1 << 18;

/// The values of a table, to be written in the order of the array.
///
/// They are read in another order, that of the table's own numbering: frame men outside, free men inside, so
/// that what is next to each other there is read one after the other. What is written lies far apart then,
/// but inside a stretch.
///
/// The array is made of *lines*, the placements with the pawns and the first mobile man on given squares. It
/// is written a *stretch* at a time: an even number of lines, so that the entries of a stretch fill whole
/// bytes whatever the board, and as few as are worth a thread's while, so that a table of five men needs
/// some hundred megabytes of memory and not gigabytes. All threads make stretches while those before are
/// summed and written in order.
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

/// The entries of the first codes, all those of a byte; others are turned one by one.
struct Entries<'a> {
    array: &'a Array<'a>,
    first: [u32; 256],
}

impl<'a> Entries<'a> {
    fn new(array: &'a Array<'a>, coding: Coding) -> Self {
        Entries { array, first: std::array::from_fn(|code| array.entry(coding.value_of(code as u16))) }
    }

    #[inline]
    fn of<const N: usize>(&self, row: &CodeRow<N>, square: usize) -> u32 {
        let first = self.first.get(usize::from(row.at(square)));
        first.copied().unwrap_or_else(|| self.array.entry(row.value(square)))
    }
}

impl<'a> Array<'a> {
    /// The values of a table under a metric, in entries of this width; the men are the table's, in either
    /// colours.
    pub(super) fn new(
        variant: &Variant,
        metric: Metric,
        table: &'a Table,
        men: &'a [Man],
        width: Width,
    ) -> Self {
        let layout = table.layout();
        let (pawns, mobile): (Vec<usize>, Vec<usize>) =
            (0..men.len()).partition(|&place| variant.is_pawn(men[place]));
        let rule = width == Width::Bits && metric == Metric::Dtz50;
        Array {
            view: View::of_table(table, men, None)
                .expect("a table is seen by its own men, in either colours"),
            men,
            loops: loops(layout, men, &mobile),
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
    ///
    /// Each thread makes a stretch while those before are summed and written, so twice as many stretches as
    /// threads are in memory.
    pub(super) fn write(
        &self,
        file: &mut File,
        placements: &PawnPlacements,
        mut header: Header,
        dependencies: &str,
    ) -> io::Result<Sum> {
        // A file that is cut off has no header, and is none.
        file.write_all(&[0; HEADER_BYTES])?;
        let mut md5 = Md5::new();
        let n_lines = placements.len() * self.lines_of_placement();
        let per_stretch =
            2 * (STRETCH_BYTES / self.width.n_bytes(2 * self.line_entries() as u64) as usize).max(1);
        let stretches: Vec<Range<usize>> = threads::stretches(0..n_lines, per_stretch).collect();
        let make = |stretches: &[Range<usize>]| -> Vec<Vec<u8>> {
            threads::map(stretches, |lines| self.stretch(placements, lines.clone()))
        };
        let mut put = |stretches: Vec<Vec<u8>>| {
            stretches.iter().try_for_each(|stretch| {
                md5.update(stretch);
                file.write_all(stretch)
            })
        };
        let mut made = Vec::new();
        for next in stretches.chunks(rayon::current_num_threads()) {
            let before = std::mem::take(&mut made);
            let (written, next) = rayon::join(|| put(before), || make(next));
            written?;
            made = next;
        }
        put(made)?;
        md5.update(dependencies.as_bytes());
        file.write_all(dependencies.as_bytes())?;
        header.rest = md5.finalize().into();
        file.seek(SeekFrom::Start(0))?;
        let bytes = header.encode().map_err(io::Error::other)?;
        file.write_all(&bytes)?;
        Ok(header.rest)
    }

    /// How many lines have the pawns on given squares: one for each square of the first mobile man.
    fn lines_of_placement(&self) -> usize {
        if self.loops.is_empty() { 1 } else { self.n_squares }
    }

    /// How many entries a line has: both sides to move if no other man is mobile.
    fn line_entries(&self) -> usize {
        self.loops.first().map_or(2, |man| man.step)
    }

    /// The entries of some lines.
    fn stretch(&self, placements: &PawnPlacements, lines: Range<usize>) -> Vec<u8> {
        let (of_placement, of_line) = (self.lines_of_placement(), self.line_entries());
        let mut bytes = vec![0; self.width.n_bytes((lines.len() * of_line) as u64) as usize];
        let mut squares = [Square::from_index(0); MAX_PLACED];
        let squares = &mut squares[..self.men.len()];
        let (mut known, mut pawns) = (None, None);
        for (at, line) in lines.enumerate().map(|(number, line)| (number * of_line, line)) {
            let placement = line / of_placement;
            if known != Some(placement) {
                (known, pawns) = (Some(placement), placements.squares(placement));
            }
            // Where the pawns cannot stand so, there is no position.
            let Some(pawns) = &pawns else { continue };
            self.pawns.iter().zip(pawns).for_each(|(&place, &square)| squares[place] = square);
            let taken = pawns.iter().fold(0u128, |taken, square| taken | 1 << square.index());
            let first = line % of_placement;
            match self.loops.first() {
                None => self.fill(&mut bytes, squares, taken, 0, at),
                Some(_) if taken >> first & 1 != 0 => {}
                Some(man) => {
                    squares[man.place] = Square::from_index(first);
                    self.fill(&mut bytes, squares, taken | 1 << first, 1, at);
                }
            }
        }
        bytes
    }

    /// Writes the entries from `at` on: this many men stand, the others go everywhere.
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
        let entries = codes(0).each_ref().map(|row| Entries::new(self, row.coding()));
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

/// The mobile men in the order in which they go over the board: that of the layout, if they have its places.
fn loops(layout: &Layout, men: &[Man], mobile: &[usize]) -> Vec<Walker> {
    let n = layout.n_squares();
    let walker = |&place: &usize| {
        let behind = mobile.iter().position(|&own| own == place).map_or(0, |at| mobile.len() - 1 - at);
        Walker { place, step: 2 * n.pow(behind as u32) }
    };
    let Some(first) = mobile.first() else { return Vec::new() };
    let of_layout: Vec<usize> = layout.frame().iter().chain(layout.free()).copied().collect();
    let all = if layout.men() == men { &of_layout[..] } else { mobile };
    let inner = all.iter().filter(|&place| place != first);
    std::iter::once(first).chain(inner).map(walker).collect()
}
