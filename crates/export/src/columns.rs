//! Writes tables as columns, a row a position: Parquet for data frames, npz for numpy.
//!
//! ```text
//!   Table ─ Rows (canonical positions, a batch at a time) ─┬─ ParquetFile  to_move, K, Q, k, wdl, plies
//!                                                          └─ write_npz    an array for each
//! ```
//!
//! A row is a legal position that stands for its symmetric images and for the exchanges of like men. Squares
//! are numbers from 0, along the ranks from White's side: a1 is 0, b1 is 1.

use geometry::Square;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use position::{Position, RuleBook};
use std::fs;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Codes, Mapping, Scale, Table, Value, threads};
use variant::{Metric, Side, Variant};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// How many placements make a batch, and how many a piece of work.
const BATCH: usize = 1 << 20;
const STRETCH: usize = 1 << 14;

/// The positions of a table: canonical ones, White to move first, in the order of their numbers.
#[derive(Debug)]
pub struct Rows<'a> {
    table: &'a Table,
    mapping: Mapping,
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
        let layout = table.layout();
        let keeps = Side::BOTH.map(|side| table.codes(side).is_some());
        let mapping = Mapping::new(layout, keeps, layout.men()).expect("a layout's men are its own");
        let (scale, book) = (Scale::new(metric, &variant.rules), RuleBook::new(variant));
        Rows { table, mapping, scale, book, has_fens }
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
        let layout = self.table.layout();
        for stm in Side::BOTH {
            for start in (0..layout.len()).step_by(BATCH) {
                let end = layout.len().min(start + BATCH);
                let starts = (start..end).step_by(STRETCH);
                let parts = threads::map(starts, |start| self.part(stm, start..end.min(start + STRETCH)));
                let mut batch = self.empty();
                parts.into_iter().for_each(|part| batch.append(part));
                if !batch.to_move.is_empty() {
                    visit(batch)?;
                }
            }
        }
        Ok(())
    }

    fn empty(&self) -> Batch {
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
            let value = self.value(stm, &squares);
            let Some(wdl) = value.wdl() else { continue };
            batch.to_move.push(stm.index() as u8);
            let own = squares.iter().zip(&mut batch.squares);
            own.for_each(|(square, column)| column.push(square.index() as u8));
            batch.wdl.push(if self.scale.is_cursed(value) { wdl } else { 2 * wdl });
            let has_plies = self.scale.metric() != Metric::Wdl;
            batch.plies.push(value.ply().filter(|_| has_plies).map_or(-1, |ply| ply.0.into()));
            if self.has_fens {
                let men = layout.men().iter().copied().zip(squares.iter().copied());
                let fen = Position::from_men(men, stm).map(|position| position.to_fen(&self.book));
                batch.fens.push(fen.unwrap_or_default());
            }
        }
        batch
    }

    fn value(&self, stm: Side, squares: &[Square]) -> Value {
        match self.mapping.locate(self.table.layout(), stm, squares) {
            Some((side, index)) => {
                self.table.codes(side).map_or(Value::Illegal, |codes: &Codes| codes.value(index))
            }
            None => Value::Illegal,
        }
    }
}

impl Batch {
    fn append(&mut self, mut other: Batch) {
        self.to_move.append(&mut other.to_move);
        self.squares.iter_mut().zip(&mut other.squares).for_each(|(own, other)| own.append(other));
        self.wdl.append(&mut other.wdl);
        self.plies.append(&mut other.plies);
        self.fens.append(&mut other.fens);
    }
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldType {
    /// Text in UTF-8.
    Text,
    /// Whole numbers, some of which may be missing.
    Number,
}

/// A column: its name and what it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name: letters, digits and `_`.
    pub name: String,
    /// What it holds.
    pub kind: FieldType,
}

/// What stands in a column of a group of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// Of a column of text.
    Text(Vec<String>),
    /// Of a column of numbers.
    Numbers(Vec<Option<i32>>),
}

/// A file in the making; it gets its name when it is finished.
pub struct ParquetFile {
    path: PathBuf,
    part: PathBuf,
    writer: SerializedFileWriter<File>,
}

impl std::fmt::Debug for ParquetFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ParquetFile").field(&self.path).finish()
    }
}

impl ParquetFile {
    /// Begins a file with these columns.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(path: &Path, fields: &[Field]) -> Result<Self, ColumnsError> {
        let error = ColumnsError::of::<parquet::errors::ParquetError>(path);
        let field = |field: &Field| match field.kind {
            FieldType::Text => format!("required binary {} (UTF8);", field.name),
            FieldType::Number => format!("optional int32 {};", field.name),
        };
        let schema = format!("message positions {{ {} }}", fields.iter().map(field).collect::<String>());
        let schema = Arc::new(parse_message_type(&schema).map_err(&error)?);
        let compression = Compression::ZSTD(ZstdLevel::default());
        let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
        let part = format::temporary_of(path);
        let file = File::create(&part).map_err(ColumnsError::of(&part))?;
        let writer = SerializedFileWriter::new(file, schema, properties).map_err(&error)?;
        Ok(ParquetFile { path: path.to_path_buf(), part, writer })
    }

    /// Writes a group of rows, a column after the other, each as long as the others.
    ///
    /// # Errors
    /// It cannot be written, or the columns are not those of the file.
    pub fn write(&mut self, columns: &[Values]) -> Result<(), ColumnsError> {
        let error = ColumnsError::of::<parquet::errors::ParquetError>(&self.path);
        let mut group = self.writer.next_row_group().map_err(&error)?;
        for values in columns {
            let Some(mut column) = group.next_column().map_err(&error)? else { break };
            match values {
                Values::Text(texts) => {
                    let texts: Vec<ByteArray> =
                        texts.iter().map(|text| ByteArray::from(text.as_str())).collect();
                    column.typed::<ByteArrayType>().write_batch(&texts, None, None).map_err(&error)?;
                }
                Values::Numbers(numbers) => {
                    let known: Vec<i32> = numbers.iter().copied().flatten().collect();
                    let is_there: Vec<i16> =
                        numbers.iter().map(|number| i16::from(number.is_some())).collect();
                    column.typed::<Int32Type>().write_batch(&known, Some(&is_there), None).map_err(&error)?;
                }
            }
            column.close().map_err(&error)?;
        }
        group.close().map_err(&error)?;
        Ok(())
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> Result<(), ColumnsError> {
        self.writer.close().map_err(ColumnsError::of(&self.path))?;
        fs::rename(&self.part, &self.path).map_err(ColumnsError::of(&self.path))
    }

    /// Writes a table: `to_move` (0 White, 1 Black), a column of squares for each man, `wdl` (2 to −2),
    /// `plies`, and perhaps `fen`. The number of rows.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn of_rows(path: &Path, rows: &Rows<'_>) -> Result<u64, ColumnsError> {
        let number = |name: String| Field { name, kind: FieldType::Number };
        let mut fields = vec![number("to_move".into())];
        fields.extend(rows.names_of_men().into_iter().map(number));
        fields.extend(["wdl", "plies"].map(|name| number(name.into())));
        fields.extend(rows.has_fens().then(|| Field { name: "fen".into(), kind: FieldType::Text }));
        let mut file = ParquetFile::create(path, &fields)?;
        let mut n_rows = 0;
        rows.for_each_batch(|batch| {
            n_rows += batch.to_move.len() as u64;
            file.write(&columns(batch, rows.has_fens()))
        })?;
        file.finish()?;
        Ok(n_rows)
    }
}

fn columns(batch: Batch, has_fens: bool) -> Vec<Values> {
    let small = |values: &[u8]| Values::Numbers(values.iter().map(|&value| Some(value.into())).collect());
    let mut columns = vec![small(&batch.to_move)];
    columns.extend(batch.squares.iter().map(|squares| small(squares)));
    columns.push(Values::Numbers(batch.wdl.iter().map(|&wdl| Some(wdl.into())).collect()));
    columns.push(Values::Numbers(batch.plies.iter().map(|&ply| Some(ply).filter(|ply| *ply >= 0)).collect()));
    columns.extend(has_fens.then_some(Values::Text(batch.fens)));
    columns
}

/// The bytes of an array's values that a batch has.
type ArrayBytes = fn(&Batch) -> Vec<u8>;

/// Writes the rows of a table: `to_move.npy` (n) of `u1`, `squares.npy` (n × men) of `u1`, `wdl.npy` (n) of
/// `i1`, `plies.npy` (n) of `<i4` with −1 where there is none, `men.npy` of the men's letters. The number of
/// rows.
///
/// # Errors
/// The file cannot be written.
pub fn write_npz(path: &Path, rows: &Rows<'_>) -> Result<u64, ColumnsError> {
    let error = ColumnsError::of::<std::io::Error>(path);
    let part = format::temporary_of(path);
    let mut n_rows = 0;
    // The length of an array stands before it, so rows are gone through once to be counted.
    rows.for_each_batch::<ColumnsError>(|batch| {
        n_rows += batch.to_move.len() as u64;
        Ok(())
    })?;
    let file = File::create(&part).map_err(&error)?;
    let mut zip = ZipWriter::new(BufWriter::new(file));
    let men = rows.names_of_men();
    let n_men = men.len();
    let arrays: [(&str, &str, String, ArrayBytes); 4] = [
        ("to_move", "|u1", format!("({n_rows},)"), |batch| batch.to_move.clone()),
        ("squares", "|u1", format!("({n_rows}, {n_men})"), |batch| {
            let row = |row: usize| batch.squares.iter().map(move |column| column[row]);
            (0..batch.to_move.len()).flat_map(row).collect()
        }),
        ("wdl", "|i1", format!("({n_rows},)"), |batch| batch.wdl.iter().map(|&wdl| wdl as u8).collect()),
        ("plies", "<i4", format!("({n_rows},)"), |batch| {
            batch.plies.iter().flat_map(|ply| ply.to_le_bytes()).collect()
        }),
    ];
    // Large archives have numbers of eight bytes.
    let options =
        SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true);
    for (name, kind, shape, values) in arrays {
        zip.start_file(format!("{name}.npy"), options).map_err(ColumnsError::of(path))?;
        zip.write_all(&head(kind, &shape)).map_err(&error)?;
        rows.for_each_batch(|batch| zip.write_all(&values(&batch)).map_err(&error))?;
    }
    let width = men.iter().map(String::len).max().unwrap_or(1);
    zip.start_file("men.npy", options).map_err(ColumnsError::of(path))?;
    zip.write_all(&head(&format!("|S{width}"), &format!("({n_men},)"))).map_err(&error)?;
    for name in &men {
        let mut bytes = name.clone().into_bytes();
        bytes.resize(width, 0);
        zip.write_all(&bytes).map_err(&error)?;
    }
    let mut file = zip.finish().map_err(ColumnsError::of(path))?;
    file.flush().map_err(&error)?;
    fs::rename(&part, path).map_err(&error)?;
    Ok(n_rows)
}

/// The head of an array: magic, version, and a description whose end is aligned to 64 bytes.
///
/// Source: NEP 1, "A simple file format for NumPy arrays".
fn head(kind: &str, shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let n_before = 10;
    let length = (n_before + text.len() + 1).next_multiple_of(64) - n_before;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes.resize(n_before + length - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// Why columns cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {message}", path = .path.display())]
pub struct ColumnsError {
    /// The file.
    pub path: PathBuf,
    /// What the system or the format says.
    pub message: String,
}

impl ColumnsError {
    /// Turns an error about a file into one of ours.
    pub(crate) fn of<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> ColumnsError + '_ {
        move |error| ColumnsError { path: path.to_path_buf(), message: error.to_string() }
    }
}

#[cfg(test)]
mod tests;
