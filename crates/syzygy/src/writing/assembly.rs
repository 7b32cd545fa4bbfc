//! Lays out the bytes of a file.

use super::distance_map::DistanceMap;
use crate::checksum::own_sum;
use crate::container::{ALIGNMENT, RULES_BYTES, WIDE};
use crate::family::{Family, FileKind};
use crate::material::code::{has_pawns_on_both_sides, leading_pawn};
use crate::numbering::arrangement::Arrangement;
use crate::packing::packed_side::{Blocks, Packed};
use format::Checksum;

/// One side of one sub-table, ready to be written.
pub(crate) struct PackedSide {
    pub(crate) arrangement: Arrangement,
    pub(crate) packed: Packed,
    pub(crate) flags: u8,
    pub(crate) map: Option<DistanceMap>,
}

/// The bytes of a file: its sides file by file of the leading pawn, of each White to move first.
pub(crate) fn bytes(
    (family, kind): (Family, FileKind),
    (n_men, is_split): (u8, bool),
    mut packed: Vec<PackedSide>,
    n_sides: usize,
    rules: Option<Checksum>,
) -> Vec<u8> {
    let mut bytes = family.magic(kind).to_vec();
    let men = packed[0].arrangement.men();
    let (has_pawns, both) = (leading_pawn(men).is_some(), has_pawns_on_both_sides(men));
    bytes.push(u8::from(is_split) | u8::from(has_pawns) << 1 | n_men << 4);
    for sides in packed.chunks(n_sides) {
        let first = &sides[0].arrangement;
        // A symmetric WDL file has its one side twice; a file of distances has one, if readers look at moves.
        let second = match kind {
            FileKind::Dtz if family.looks_at_moves() => None,
            _ => Some(&sides.last().unwrap_or(&sides[0]).arrangement),
        };
        let orders =
            (0..1 + usize::from(both)).map(|i| (first.orders()[i], second.map_or(0, |s| s.orders()[i])));
        let men = (0..first.men().len()).map(|i| (first.men()[i], second.map_or(0, |s| s.men()[i])));
        bytes.extend(orders.chain(men).map(|(low, high)| low | high << 4));
    }
    pad(&mut bytes, 2);
    let is_wide = packed.iter().filter_map(|side| side.map.as_ref()).any(DistanceMap::is_wide);
    for side in &mut packed {
        // All maps of a file are as wide as its widest: one reader does not find a wide one behind a narrow
        // one.
        if is_wide && side.map.is_some() {
            side.flags |= WIDE;
        }
        bytes.extend(side.packed.header(side.flags));
    }
    packed.iter().filter_map(|side| side.map.as_ref()).for_each(|map| map.write(is_wide, &mut bytes));
    pad(&mut bytes, 2);
    let blocks: Vec<&Blocks> = packed.iter().filter_map(|side| side.packed.blocks()).collect();
    for (block, offset) in blocks.iter().flat_map(|blocks| &blocks.places) {
        bytes.extend(block.to_le_bytes());
        bytes.extend(offset.to_le_bytes());
    }
    blocks.iter().flat_map(|blocks| &blocks.n_values).for_each(|n| bytes.extend(n.to_le_bytes()));
    for blocks in &blocks {
        pad(&mut bytes, ALIGNMENT);
        bytes.extend(&blocks.data);
    }
    pad(&mut bytes, ALIGNMENT);
    if let Some(rules) = rules {
        bytes.extend(rules.0);
        pad(&mut bytes, RULES_BYTES);
    }
    let sum = own_sum(&bytes);
    bytes.extend(sum);
    bytes
}

fn pad(bytes: &mut Vec<u8>, alignment: usize) {
    bytes.resize(bytes.len().next_multiple_of(alignment), 0);
}
