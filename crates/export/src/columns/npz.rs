//! Writes `.npz` files: a zip archive of arrays as numpy reads them.

use crate::columns::error::ColumnsError;
use crate::columns::rows::{Batch, Rows};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

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
