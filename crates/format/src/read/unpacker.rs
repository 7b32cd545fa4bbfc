//! Unpacks blocks: Zstandard frames, and codes that a model has packed.

use crate::model::{Block, LiteralTree, Model};
use std::cell::RefCell;
use std::io;
use zstd::bulk::Decompressor;

/// Fills `bytes` with the block of a Zstandard frame; `false` if the frame does not hold so many bytes.
///
/// # Errors
/// There is no decompressor to be had.
pub(super) fn unpack_frame(packed: &[u8], bytes: &mut [u8]) -> io::Result<bool> {
    thread_local! {
        /// Making a decompressor costs more than a block.
        static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    DECOMPRESSOR.with_borrow_mut(|slot| {
        let decompressor = match slot {
            Some(decompressor) => decompressor,
            None => slot.insert(Decompressor::new()?),
        };
        let unpacked = decompressor.decompress_to_buffer(packed, bytes);
        Ok(unpacked.is_ok_and(|n_bytes| n_bytes == bytes.len()))
    })
}

/// Fills `bytes` with the codes of a block that a model has packed, of so many bytes each; `false` if it is
/// damaged.
pub(super) fn unpack_modelled(
    block: Block<'_>,
    tree: &LiteralTree,
    packed: &[u8],
    width: u8,
    bytes: &mut [u8],
) -> bool {
    thread_local! {
        static MODEL: RefCell<(Option<Model>, Vec<u16>)> = const { RefCell::new((None, Vec::new())) };
    }
    MODEL.with_borrow_mut(|(model, codes)| {
        codes.resize(bytes.len() / usize::from(width), 0);
        let model = model.get_or_insert_with(Model::new);
        let is_whole = model.decode(block, tree, u32::from(width) * u8::BITS, packed, codes);
        narrow(codes, width, bytes);
        is_whole
    })
}

/// Puts codes into bytes, so many each.
fn narrow(codes: &[u16], width: u8, bytes: &mut [u8]) {
    match width {
        1 => bytes.iter_mut().zip(codes).for_each(|(byte, code)| *byte = *code as u8),
        _ => bytes
            .chunks_exact_mut(2)
            .zip(codes)
            .for_each(|(pair, code)| pair.copy_from_slice(&code.to_le_bytes())),
    }
}
