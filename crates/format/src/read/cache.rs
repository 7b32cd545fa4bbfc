//! Caches decompressed blocks for the next probe: bounded in bytes, shared by files and threads.
//!
//! Each shard is a clock: a block that has been used since the hand last passed is spared once. A look-up
//! takes the lock of one shard for as long as it takes to read one code.
//!
//! Blocks that are larger than a shard, as those of small tables of distances are, have a shard of their own.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// A power of two.
const N_SHARDS: usize = 64;

/// A bounded cache of decompressed blocks, for any number of files.
#[derive(Debug)]
pub struct BlockCache {
    shards: Vec<Mutex<Shard>>,
    /// For blocks that do not fit into one of the others.
    large: Mutex<Shard>,
    /// What one of the shards for small blocks holds.
    shard_bytes: usize,
    n_files: AtomicU64,
}

#[derive(Debug)]
struct Shard {
    places: BTreeMap<u64, usize>,
    slots: Vec<Slot>,
    hand: usize,
    size_bytes: usize,
    capacity_bytes: usize,
}

#[derive(Debug)]
struct Slot {
    key: u64,
    bytes: Box<[u8]>,
    is_used: bool,
}

impl BlockCache {
    /// A cache of at most about this many bytes of small blocks and as many of blocks larger than a 64th of
    /// that; a single block is kept even if it is larger than all.
    #[must_use]
    pub fn new(capacity_bytes: usize) -> Self {
        let shard = |capacity_bytes| Mutex::new(Shard::new(capacity_bytes));
        BlockCache {
            shards: (0..N_SHARDS).map(|_| shard(capacity_bytes / N_SHARDS)).collect(),
            large: shard(capacity_bytes),
            shard_bytes: capacity_bytes / N_SHARDS,
            n_files: AtomicU64::new(0),
        }
    }

    /// How many bytes of blocks are held.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.shards.iter().chain([&self.large]).map(|s| s.lock().size_bytes).sum()
    }

    /// A number for a file that is to use this cache.
    pub(crate) fn register(&self) -> u64 {
        self.n_files.fetch_add(1, Ordering::Relaxed)
    }

    /// Reads something from a block of this many bytes, which is loaded first if it is not here.
    pub(crate) fn read<T, E>(
        &self,
        file: u64,
        block: usize,
        n_bytes: usize,
        load: impl FnOnce() -> Result<Box<[u8]>, E>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, E> {
        let key = file << 40 | block as u64;
        // Neighbouring blocks fall into different shards, and so do the first blocks of all files: only the
        // highest bits of the product depend on every bit of the key.
        let shard = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - N_SHARDS.ilog2());
        let shard = &self.shards[shard as usize];
        let shard = if n_bytes > self.shard_bytes { &self.large } else { shard };
        {
            let mut shard = shard.lock();
            if let Some(bytes) = shard.get(key) {
                return Ok(read(bytes));
            }
        }
        // The lock is free while the disk works; two threads may load the same block, and one of them is
        // dropped.
        let bytes = load()?;
        let answer = read(&bytes);
        shard.lock().insert(key, bytes);
        Ok(answer)
    }
}

impl Shard {
    fn new(capacity_bytes: usize) -> Shard {
        Shard { places: BTreeMap::new(), slots: Vec::new(), hand: 0, size_bytes: 0, capacity_bytes }
    }

    fn get(&mut self, key: u64) -> Option<&[u8]> {
        let slot = &mut self.slots[*self.places.get(&key)?];
        slot.is_used = true;
        Some(&slot.bytes)
    }

    fn insert(&mut self, key: u64, bytes: Box<[u8]>) {
        if self.places.contains_key(&key) {
            return;
        }
        while !self.slots.is_empty() && self.size_bytes + bytes.len() > self.capacity_bytes {
            self.evict();
        }
        self.size_bytes += bytes.len();
        self.places.insert(key, self.slots.len());
        self.slots.push(Slot { key, bytes, is_used: false });
    }

    /// Drops the first block that no reader has used since the hand last passed it.
    fn evict(&mut self) {
        loop {
            self.hand = if self.hand < self.slots.len() { self.hand } else { 0 };
            let slot = &mut self.slots[self.hand];
            if !slot.is_used {
                break;
            }
            slot.is_used = false;
            self.hand += 1;
        }
        let gone = self.slots.swap_remove(self.hand);
        self.places.remove(&gone.key);
        self.size_bytes -= gone.bytes.len();
        if let Some(moved) = self.slots.get(self.hand) {
            self.places.insert(moved.key, self.hand);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BlockCache;
    use std::cell::Cell;
    use std::convert::Infallible;

    #[test]
    fn first_blocks_of_many_files_stay() {
        // Room for 512 blocks; each of 128 files has one or two.
        let cache = BlockCache::new(512 * 100);
        let n_loaded = Cell::new(0);
        for _ in 0..3 {
            for (file, block) in (0..128).flat_map(|file| [(file, 0), (file, 1)]) {
                let load = || {
                    n_loaded.set(n_loaded.get() + 1);
                    Ok::<_, Infallible>(vec![file as u8; 100].into_boxed_slice())
                };
                assert_eq!(cache.read(file, block, 100, load, |bytes| bytes[7]), Ok(file as u8));
            }
        }
        // A few shards may have more than their share.
        assert!(n_loaded.get() < 300, "{} blocks were loaded for 256", n_loaded.get());
    }
}
