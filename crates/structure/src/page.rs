//! Names the pages of a file, and joins codes of several.

use crate::graph::TableId;
use format::PageKey;
use std::io;
use std::ops::Range;
use table::{Code, Codes, CodesRef};
use variant::Side;

/// The name of a page.
pub(crate) const fn page_key(table: TableId, unit: u32, page: u32, stm: Side) -> PageKey {
    PageKey { table: table.0, stm, unit, page }
}

/// The pages that have the codes with these numbers, and which of its codes these are of each; of a table
/// with so long units and pages.
pub(crate) fn pages_of(
    table: TableId,
    stm: Side,
    [unit_len, page_len]: [usize; 2],
    numbers: Range<usize>,
) -> Vec<(PageKey, Range<usize>)> {
    let mut pages = Vec::new();
    let mut at = numbers.start;
    while at < numbers.end {
        let (unit, within) = (at / unit_len, at % unit_len);
        let page = within / page_len;
        let first = unit * unit_len + page * page_len;
        let end = (first + page_len).min((unit + 1) * unit_len).min(numbers.end);
        pages.push((page_key(table, unit as u32, page as u32, stm), at - first..end - first));
        at = end;
    }
    pages
}

/// Those codes of a page that have these numbers in it.
///
/// # Errors
/// The page has no such codes.
pub(crate) fn part_of_page(page: CodesRef<'_>, range: Range<usize>) -> io::Result<Codes> {
    match page.len() < range.end {
        true => Err(io::Error::new(io::ErrorKind::InvalidData, "a page is too short")),
        false => Ok(page.range(range).into()),
    }
}

/// Codes one after the other; where they are not alike, in two bytes.
pub(crate) fn joined(mut parts: Vec<Codes>) -> Codes {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let coding = parts.first().map_or(u8::CODING, Codes::coding);
    let are_alike = parts.iter().all(|part| part.coding() == coding);
    let coding = if are_alike { coding } else { u16::CODING };
    let mut all = Codes::new(coding, parts.iter().map(Codes::len).sum());
    let mut room = all.as_mut();
    for part in &parts {
        let (own, rest) = room.split_at(part.len());
        assert!(part.as_ref().copy_to(own), "two bytes hold every value");
        room = rest;
    }
    all
}
