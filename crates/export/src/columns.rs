//! Writes tables as columns, a row a position: Parquet for data frames, npz for numpy.
//!
//! ```text
//!   Table ─ Rows (canonical positions, a batch at a time) ─┬─ ParquetFile  to_move, K, Q, k, wdl, plies
//!                                                          └─ write_npz    an array for each
//! ```
//!
//! A row is a legal position that stands for its symmetric images and for the exchanges of like men. Squares
//! are numbers from 0, along the ranks from White's side: a1 is 0, b1 is 1.

use crate::{Batch, Rows};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

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
