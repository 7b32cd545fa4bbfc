//! Trims files: leaves out the side to move that was kept only until the tables that read it were there.

use crate::container::Sealer;
use crate::head::{About, open};
use crate::read::TableFile;
use crate::write::{Written, write};
use crate::{BlockCache, FormatError};
use std::io;
use std::path::Path;
use std::sync::Arc;
use variant::Variant;

/// Leaves out the larger side to move of a file that was written to be trimmed; none of any other file.
///
/// The file is replaced when the new one is complete and on the disk.
///
/// # Errors
/// The file cannot be read, is damaged in what is to stay, or the disk refuses.
///
/// While a set of tables is made, some of them are read with both sides to move; afterwards one is enough,
/// because a value of the other is the best of what its moves lead to. The pages of the side that stays are
/// read, compared with their checksums, and copied to a file of their own, which is the very file that
/// [`Keep::Smaller`](crate::Keep::Smaller) makes of the table. Nothing is decompressed: the file says which
/// values that one holds. No more is in memory than a page and the index.
pub fn trim(path: &Path, variant: &Variant) -> Result<Option<Written>, FormatError> {
    let (About { table, made }, _) = open(path)?;
    let Some(left) = made.trims_to else { return Ok(None) };
    let metric = table.metric.parse().unwrap_or(variant.default_metric);
    let file = TableFile::open_of(path, variant, metric, Arc::new(BlockCache::new(0)))?;
    if file.sides().len() < 2 {
        return Err(FormatError::SectionDamaged { path: path.to_path_buf(), section: "index" });
    }
    let made = made.of_table(made.table.unwrap_or(table.content));
    let rules = file.rules();
    // The file is closed before it is replaced.
    let copy = move |sealer: &mut Sealer<'_>| {
        let mut table = table;
        let at = left.side.index();
        table.set_sides([(left.side, table.widths[at], table.orders[at])].into_iter());
        table.content = left.content;
        let mut bytes = Vec::new();
        for (at, page) in file.pages().enumerate().filter(|(_, page)| page.key.stm == left.side) {
            file.read_packed(at, &mut bytes).map_err(io::Error::other)?;
            sealer.put(*page, &bytes)?;
        }
        Ok(About { table, made })
    };
    write(path, rules, copy).map(Some)
}
