//! Writes files that appear under their own name only when they are complete and on the disk.

use crate::FormatError;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What stands between the name of a table file and the number that makes a temporary name unique.
const MARK: &str = "tmp-";

/// How the names of files end that are written here: tables and the rules beside them, one-bit files, flat
/// files, and flat files packed for transport.
const ENDINGS: [&str; 7] = [".tsm", ".tsq", ".toml", ".tbl", ".tbc", ".tbl.gz", ".tbc.gz"];

/// Whether a file of this name (without folder) is the rest of a file whose writing was cut off: of a table,
/// a flat file or a Syzygy file. Nobody else's file has such a name.
#[must_use]
pub fn is_temporary(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once('.').is_some_and(|(file, last)| {
        let numbers = last.strip_prefix(MARK).and_then(|numbers| numbers.split_once('-'));
        numbers.is_some_and(|(process, writer)| is_number(process) && is_number(writer))
            && (ENDINGS.iter().any(|ending| file.ends_with(ending)) || is_of_syzygy(file))
    })
}

/// Whether the name of a file ends as those of Syzygy files do, whatever the game: `.rtbw`, `.atbz`, `.tsbw`.
fn is_of_syzygy(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).as_bytes();
    matches!(ending, [a, b, b'b', b'w' | b'z'] if a.is_ascii_lowercase() && b.is_ascii_lowercase())
}

/// Writes a file whole or not at all; what was there under its name before stays until then.
///
/// # Errors
/// The operating system refuses.
pub fn write_atomically(path: &Path, parts: &[&[u8]]) -> Result<(), FormatError> {
    write_atomically_with(path, |file| parts.iter().try_for_each(|part| file.write_all(part)))
}

/// The same of what `write` writes. Its error may have a [`FormatError`] inside, which is then the one that
/// is reported.
pub(crate) fn write_atomically_with(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FormatError> {
    let temporary = temporary_of(path);
    let result = write_and_rename(path, &temporary, write);
    if result.is_err() {
        // The first error is the one to report; a temporary file that stays is recognised later.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Puts a finished file in the place of another one of the same disk; at every moment one of the two is
/// there.
///
/// # Errors
/// The operating system refuses.
pub fn put_in_place(file: &Path, place: &Path) -> Result<(), FormatError> {
    fs::rename(file, place).map_err(FormatError::io(place, "rename the finished file to"))?;
    sync_folder(place)
}

/// A name beside the file's own that no other writer uses: process, and writer within the process.
pub(crate) fn temporary_of(path: &Path) -> PathBuf {
    static N_WRITERS: AtomicU32 = AtomicU32::new(0);
    let writer = N_WRITERS.fetch_add(1, Ordering::Relaxed);
    let mut name: OsString = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{MARK}{}-{writer}", std::process::id()));
    path.with_file_name(name)
}

fn write_and_rename(
    path: &Path,
    temporary: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FormatError> {
    let file = File::create(temporary).map_err(FormatError::io(temporary, "create"))?;
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    let own = |error: io::Error| error.downcast().unwrap_or_else(FormatError::io(temporary, "write"));
    write(&mut writer).map_err(own)?;
    let file = writer.into_inner().map_err(|e| FormatError::io(temporary, "write")(e.into_error()))?;
    file.sync_all().map_err(FormatError::io(temporary, "sync"))?;
    drop(file);
    put_in_place(temporary, path)
}

/// Makes the new name itself last; where folders cannot be opened as files the system has no such call.
#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<(), FormatError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder).and_then(|f| f.sync_all()).map_err(FormatError::io(folder, "sync the folder"))
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> Result<(), FormatError> {
    Ok(())
}
