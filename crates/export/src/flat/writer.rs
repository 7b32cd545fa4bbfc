//! Writes a table as flat files: one for each way in which the pawns can stand, or its mirror image; or one
//! for all of them.

use super::array::Array;
use super::dependency;
use super::dimension::PawnPlacements;
use super::entry::Width;
use super::header::{Header, Sum, sum};
use super::{FlatError, FlatName, Form, PACKED_EXTENSION};
use flate2::{Compression, GzBuilder};
use format::rules_hash;
use format::temporary_of;
use rayon::prelude::*;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use table::{Code, CodesRef, Table};
use variant::{Metric, Side, Variant};

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
    let array = Array::new(variant, metric, table, width);
    let text = dependency::encode(options.dependencies);
    let header = |name: &str| Header {
        form: options.form,
        width,
        n_men: layout.men().len() as u8,
        n_mobile: array.n_mobile() as u8,
        size: [variant.board.files() as u8, variant.board.ranks() as u8],
        pawns: Vec::new(),
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
        let placements = match name.has_all_squares() {
            true => PawnPlacements::all(variant, layout.material()),
            false => PawnPlacements::One(name.pawns().to_vec()),
        };
        let mut header = Header { pawns: placements.dimensions().to_vec(), ..header(&stem) };
        header.array_bytes = width.n_bytes(header.n_entries().unwrap_or(0));
        let path = folder.join(options.form.file_name(&stem, metric, variant.default_metric));
        save(&path, options.packed, |file| array.write(file, &placements, header.clone(), &text))
    };
    let names = match options.one_file {
        true => vec![FlatName::of_all_squares(variant, layout.material())],
        false => FlatName::folded(variant, layout.material()),
    };
    let is_summed = names.first().is_some_and(|name| !name.pawns().is_empty());
    let written: Vec<(Sum, u64)> = names.into_par_iter().map(one).collect::<Result<_, _>>()?;
    let sums: Vec<u8> = written.iter().flat_map(|(sum, _)| *sum).collect();
    Ok(FlatWritten {
        n_files: written.len() as u64,
        n_bytes: written.iter().map(|(_, n_bytes)| n_bytes).sum(),
        sum: if is_summed { sum(&sums) } else { written.first().map_or_else(Sum::default, |one| one.0) },
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
