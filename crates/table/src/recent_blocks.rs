//! Keeps the few blocks of a table that were read last.
//!
//! What a block of one table leads to lies in one block of each table below, if the frame men are those that
//! are still there. So each thread needs one block at a time, and those before it may go.

use crate::Codes;
use index::{BlockId, Extent, Layout};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use variant::Side;

/// A side to move and a block.
type BlockKey = (Side, BlockId);

/// Blocks, the one that was asked for last at the end.
type Blocks = Vec<(BlockKey, Arc<Codes>)>;

/// Some blocks in memory; when there is no room for another, that goes which was not asked for longest.
#[derive(Debug)]
pub(crate) struct RecentBlocks {
    /// How the codes of a block are numbered.
    pub(crate) extent: Extent,
    most: usize,
    blocks: Mutex<Blocks>,
}

impl RecentBlocks {
    /// Room for so many blocks of a layout, at least one.
    pub(crate) fn new(layout: &Layout, most: usize) -> Self {
        RecentBlocks { extent: Extent::of_block(layout), most: most.max(1), blocks: Mutex::default() }
    }

    /// A block, which `read` reads if it is not here. Two threads may read the same one, and one of both is
    /// kept.
    pub(crate) fn block(&self, key: BlockKey, read: impl FnOnce() -> Codes) -> Arc<Codes> {
        if let Some(codes) = found(&mut self.locked(), key) {
            return codes;
        }
        let codes = Arc::new(read());
        let mut blocks = self.locked();
        // Another thread may have read it meanwhile.
        if let Some(codes) = found(&mut blocks, key) {
            return codes;
        }
        if blocks.len() >= self.most {
            blocks.remove(0);
        }
        blocks.push((key, codes.clone()));
        codes
    }

    /// Forgets all.
    pub(crate) fn clear(&self) {
        self.locked().clear();
    }

    /// How many bytes of codes are in memory.
    pub(crate) fn size_bytes(&self) -> usize {
        self.locked().iter().map(|(_, codes)| codes.size_bytes()).sum()
    }

    fn locked(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A block, which is the last one asked for from then on.
fn found(blocks: &mut Blocks, key: BlockKey) -> Option<Arc<Codes>> {
    let place = blocks.iter().rposition(|(own, _)| *own == key)?;
    let block = blocks.remove(place);
    let codes = block.1.clone();
    blocks.push(block);
    Some(codes)
}

#[cfg(test)]
mod tests {
    use super::RecentBlocks;
    use crate::Codes;
    use index::{BlockId, Layout};
    use std::cell::RefCell;
    use variant::{Material, Side, Variant};

    #[test]
    fn what_was_not_asked_for_longest_goes() {
        let variant = Variant::chess();
        let material = Material::parse(&variant, "KQvK").expect("a material of chess");
        let recent = RecentBlocks::new(&Layout::new(&variant, &material), 2);
        let read = RefCell::new(Vec::new());
        let ask = |block: usize| {
            let codes = recent.block((Side::White, BlockId::from_index(block)), || {
                read.borrow_mut().push(block);
                Codes::Narrow(vec![block as u8; 3])
            });
            assert_eq!(codes.as_ref().as_ref(), Codes::Narrow(vec![block as u8; 3]).as_ref());
        };
        for block in [1, 2, 1, 3, 1, 2, 2, 1] {
            ask(block);
        }
        assert_eq!(read.into_inner(), [1, 2, 3, 2]);
        assert_eq!(recent.size_bytes(), 6);
        recent.clear();
        assert_eq!(recent.size_bytes(), 0);
    }
}
