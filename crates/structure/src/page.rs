//! Names the pages of a file, and reads codes of several.

use crate::graph::TableId;
use format::PageKey;
use std::borrow::Borrow;
use std::io;
use std::ops::Range;
use table::{Code, Codes, CodesMut, threads};
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

/// The codes of pages one after the other: of each page those with these numbers. They have the coding of
/// the first page; where others have values beyond it, two bytes each.
///
/// # Errors
/// A page cannot be read, or has no such codes.
pub(crate) fn read_codes<P: Borrow<Codes> + Sync>(
    pages: &[(PageKey, Range<usize>)],
    shares: bool,
    read: impl Fn(PageKey) -> io::Result<P> + Sync,
) -> io::Result<Codes> {
    let Some(&(first_key, _)) = pages.first() else { return Ok(Codes::default()) };
    let first = read(first_key)?;
    let n_codes = pages.iter().map(|(_, range)| range.len()).sum();
    for coding in [first.borrow().coding(), u16::CODING] {
        let mut codes = Codes::new(coding, n_codes);
        let mut rest = codes.as_mut();
        let mut parts = Vec::with_capacity(pages.len());
        for (key, range) in pages {
            let (part, others) = rest.split_at(range.len());
            parts.push((*key, range.clone(), part));
            rest = others;
        }
        let fill = |(key, range, part): (PageKey, Range<usize>, CodesMut<'_>)| {
            let other = (key != first_key).then(|| read(key)).transpose()?;
            let page = other.as_ref().unwrap_or(&first).borrow().as_ref();
            match page.len() < range.end {
                true => Err(io::Error::new(io::ErrorKind::InvalidData, "a page is too short")),
                false => Ok(page.range(range).copy_to(part)),
            }
        };
        let are_filled: Vec<bool> = match shares {
            true => threads::try_map(parts, fill)?,
            false => parts.into_iter().map(fill).collect::<io::Result<_>>()?,
        };
        if are_filled.into_iter().all(|is_filled| is_filled) {
            return Ok(codes);
        }
    }
    unreachable!("two bytes hold every value")
}
