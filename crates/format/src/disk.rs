//! Opens files, reads them from many threads, and puts them in place: regular files only, at given offsets,
//! whole or not at all.

use crate::{FormatError, folder_of};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, io};

/// Opens a file for reading.
///
/// # Errors
/// There is none, the system refuses, or it is a folder, a pipe or a device.
pub fn open_regular(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file")),
    }
}

/// Reads a whole file.
///
/// # Errors
/// As [`open_regular`].
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file open for reading.
#[derive(Debug)]
pub struct SharedFile {
    #[cfg(unix)]
    file: File,
    /// Where there is no read at a position, threads take turns.
    #[cfg(not(unix))]
    file: parking_lot::Mutex<File>,
}

impl SharedFile {
    #[cfg(unix)]
    /// Shares a file that is open for reading.
    #[must_use]
    pub fn new(file: File) -> Self {
        SharedFile { file }
    }

    #[cfg(not(unix))]
    /// Shares a file that is open for reading.
    #[must_use]
    pub fn new(file: File) -> Self {
        SharedFile { file: parking_lot::Mutex::new(file) }
    }

    /// Fills `bytes` with what stands at this offset.
    ///
    /// # Errors
    /// The file ends before, or cannot be read.
    #[cfg(unix)]
    pub fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, bytes, offset)
    }

    /// Fills `bytes` with what stands at this offset.
    ///
    /// # Errors
    /// The file ends before, or cannot be read.
    #[cfg(not(unix))]
    pub fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.lock();
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(bytes)
    }

    /// Writes `bytes` at this offset.
    ///
    /// # Errors
    /// There is no room, or the file is open for reading only.
    #[cfg(unix)]
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset)
    }

    /// Writes `bytes` at this offset.
    ///
    /// # Errors
    /// There is no room, or the file is open for reading only.
    #[cfg(not(unix))]
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};
        let mut file = self.file.lock();
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }
}

/// The bytes at an offset.
pub(crate) fn field<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[offset + i])
}

/// What stands between the name of a table file and the number that makes a temporary name unique.
const MARK: &str = "tmp-";

/// How the names of files end that are written so: structures, tables, one-bit files, the rules beside
/// them, flat files, also packed for transport, lists, charts, and Parquet and npz.
const ENDINGS: [&str; 13] = [
    ".tss", ".tsm", ".tsq", ".toml", ".tbl", ".tbc", ".tbl.gz", ".tbc.gz", ".csv", ".svg", ".png",
    ".parquet", ".npz",
];

/// Whether a file of this name (without folder) is the rest of a file whose writing was cut off: of a table,
/// a flat file or a Syzygy file. Other programs give no file such a name.
#[must_use]
pub fn is_temporary(name: &str) -> bool {
    parts(name).is_some()
}

/// Whether such a file was written on this machine, in this name space of processes.
#[must_use]
pub fn is_own_temporary(name: &str) -> bool {
    parts(name).is_some_and(|machine| machine == Some(machine_tag()))
}

/// The machine in the name of a temporary file, if it is one; older versions have named none.
fn parts(name: &str) -> Option<Option<&str>> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (file, last) = name.rsplit_once('.')?;
    let numbers: Vec<&str> = last.strip_prefix(MARK)?.split('-').collect();
    let (machine, numbers) = match numbers[..] {
        [machine, process, writer] => (Some(machine), [process, writer]),
        [process, writer] => (None, [process, writer]),
        _ => return None,
    };
    let is_tag = |tag: &str| tag.len() == TAG_LEN && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_ours = machine.is_none_or(is_tag) && numbers.into_iter().all(is_number);
    let is_ending = ENDINGS.iter().any(|ending| file.ends_with(ending)) || is_of_syzygy(file);
    (is_ours && is_ending).then_some(machine)
}

const TAG_LEN: usize = 8;

/// A short name for this machine and the name space of its processes: in a folder that several share, two
/// of them may have the same number.
fn machine_tag() -> &'static str {
    static TAG: OnceLock<String> = OnceLock::new();
    TAG.get_or_init(|| {
        let variable = |name: &str| std::env::var(name).ok();
        let host = fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let host = host.or_else(|| variable("COMPUTERNAME")).or_else(|| variable("HOSTNAME"));
        let space = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        let words = format!("{} {}", host.unwrap_or_default().trim(), space.display());
        blake3::hash(words.as_bytes()).to_hex()[..TAG_LEN].to_owned()
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

/// Like [`write_atomically`], of what `write` writes. Its error may have a [`FormatError`] inside, which is
/// then the one that is reported.
pub fn write_atomically_with(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FormatError> {
    write_through(&temporary_of(path), path, write)
}

/// Like [`write_atomically_with`], by way of this file beside the one that is to be written.
pub(crate) fn write_through(
    temporary: &Path,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FormatError> {
    let result = write_whole(temporary, write).and_then(|()| put_in_place(temporary, path));
    if result.is_err() {
        // The first error is the one to report; a temporary file that stays is recognised later.
        let _ = fs::remove_file(temporary);
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

/// A name beside the file's own that no other writer uses: machine, process, and writer within the process.
#[must_use]
pub fn temporary_of(path: &Path) -> PathBuf {
    static N_WRITERS: AtomicU32 = AtomicU32::new(0);
    let writer = N_WRITERS.fetch_add(1, Ordering::Relaxed);
    let mut name: OsString = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{MARK}{}-{}-{writer}", machine_tag(), std::process::id()));
    path.with_file_name(name)
}

/// Writes a new file of this name to its end and to the disk.
pub(crate) fn write_whole(
    temporary: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FormatError> {
    let file = File::create(temporary).map_err(FormatError::io(temporary, "create"))?;
    let mut writer = BufWriter::with_capacity(1 << 18, file);
    let own = |error: io::Error| error.downcast().unwrap_or_else(FormatError::io(temporary, "write"));
    write(&mut writer).map_err(own)?;
    let file = writer.into_inner().map_err(|e| FormatError::io(temporary, "write")(e.into_error()))?;
    file.sync_all().map_err(FormatError::io(temporary, "sync"))
}

/// Makes the new name itself last; where folders cannot be opened as files the system has no such call.
#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<(), FormatError> {
    let folder = folder_of(path);
    File::open(folder).and_then(|f| f.sync_all()).map_err(FormatError::io(folder, "sync the folder"))
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> Result<(), FormatError> {
    Ok(())
}
