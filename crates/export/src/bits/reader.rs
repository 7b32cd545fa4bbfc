//! Opens a one-bit file and answers for single positions.

use super::header::{BLOCK_BITS, ENTRY_BYTES, HEADER_BYTES, Header};
use super::{BitsError, Question};
use format::FormatError;
use format::SharedFile;
use format::open_regular;
use format::{Checksum, rules_hash, short_checksum};
use geometry::Square;
use index::Layout;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use variant::{Man, Material, Metric, Side, Variant};

/// A `.tsq` file, for any number of threads.
///
/// Nothing is used before its checksum has been compared.
#[derive(Debug)]
pub struct BitsFile {
    path: PathBuf,
    file: SharedFile,
    header: Header,
    layout: Layout,
    /// Where each block begins, and behind the last where the file ends; and their checksums.
    blocks: Vec<(u64, [u8; 16])>,
    /// The block that was asked for last.
    last: Mutex<Option<(u64, Arc<Vec<u8>>)>>,
}

impl BitsFile {
    /// Opens a file of a game's tables.
    ///
    /// # Errors
    /// It is not there, is damaged, or is of other rules.
    pub fn open(path: &Path, variant: &Variant) -> Result<Self, BitsError> {
        let file = open_regular(path).map_err(FormatError::io(path, "open"))?;
        let file_bytes = file.metadata().map_err(FormatError::io(path, "read the size of"))?.len();
        let file = SharedFile::new(file);
        let read = |at: u64, len: usize| {
            let mut bytes = vec![0; len];
            file.read_exact_at(&mut bytes, at).map_err(FormatError::io(path, "read"))?;
            Ok::<_, FormatError>(bytes)
        };
        let header = Header::decode(path, &read(0, HEADER_BYTES.min(file_bytes as usize))?, file_bytes)?;
        let other_rules = || BitsError::OtherRules {
            path: path.into(),
            material: header.material.clone(),
            variant: variant.name.clone(),
        };
        let material = Material::parse(variant, &header.material).map_err(|_| other_rules())?;
        if rules_hash(variant, &material, header.metric) != header.rules
            || header.rule_plies != variant.rules.rule_plies()
        {
            return Err(other_rules());
        }
        let layout = Layout::new(variant, &material);
        if layout.len() as u64 != header.placements {
            return Err(BitsError::damaged(path, "it has another number of positions than its men"));
        }
        let index = read(HEADER_BYTES as u64, header.index_bytes() as usize)?;
        if short_checksum(&index)[..8] != header.index {
            return Err(BitsError::damaged(path, "its index has another checksum"));
        }
        let mut at = HEADER_BYTES as u64 + header.index_bytes();
        let mut blocks = Vec::with_capacity(index.len() / ENTRY_BYTES + 1);
        for entry in index.chunks_exact(ENTRY_BYTES) {
            let (length, sum) = entry.split_at(4);
            blocks.push((at, sum.try_into().expect("the rest of an entry")));
            at += u64::from(u32::from_le_bytes(length.try_into().expect("four bytes")));
        }
        if at != file_bytes {
            return Err(BitsError::damaged(path, "its blocks are not as long as its index says"));
        }
        blocks.push((at, [0; 16]));
        Ok(BitsFile { path: path.into(), file, header, layout, blocks, last: Mutex::default() })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it answers.
    #[must_use]
    pub fn question(&self) -> Question {
        self.header.question
    }

    /// The metric of the table that it was made of.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.header.metric
    }

    /// Which values that table has.
    #[must_use]
    pub fn table(&self) -> Checksum {
        self.header.table
    }

    /// The numbering of the positions.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    #[cfg(feature = "parallel")]
    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// The answer for some men in either colours, and the question that it answers: where the colours are
    /// exchanged, the one with the colours exchanged. None if the men are others or cannot stand so. Whether
    /// the position is legal is for the caller to find out.
    ///
    /// # Errors
    /// As [`BitsFile::answer`].
    pub fn answer_for(
        &self,
        variant: &Variant,
        men: &[(Man, Square)],
        stm: Side,
    ) -> Result<Option<(Question, bool)>, BitsError> {
        let is_swapped = !Material::from_men(men.iter().map(|&(man, _)| man)).is_canonical(variant);
        let seen = |&(man, square): &(Man, Square)| match is_swapped {
            true => (Man { side: !man.side, ..man }, variant.swap_colours(square)),
            false => (man, square),
        };
        let mut left: Vec<(Man, Square)> = men.iter().map(seen).collect();
        let mut squares = Vec::new();
        for &man in self.layout.men() {
            let Some(at) = left.iter().position(|&(own, _)| own == man) else { return Ok(None) };
            squares.push(left.swap_remove(at).1);
        }
        if !left.is_empty() {
            return Ok(None);
        }
        let (question, stm) =
            if is_swapped { (self.question().swapped(), !stm) } else { (self.question(), stm) };
        Ok(self.answer(stm, &squares)?.map(|answer| (question, answer)))
    }

    /// The answer for the men of the layout on these squares; none if they cannot stand so. Whether the
    /// position is legal is for the caller to find out.
    ///
    /// Complexity: one block is decompressed, unless it was asked for last.
    ///
    /// # Errors
    /// The block is damaged or cannot be read.
    ///
    /// # Panics
    /// If there is not one square for each man.
    pub fn answer(&self, stm: Side, squares: &[Square]) -> Result<Option<bool>, BitsError> {
        let Some(number) = self.layout.encode(squares) else { return Ok(None) };
        let plane = stm.index() as u64 * self.header.blocks_per_side();
        let (block, place) = (number / BLOCK_BITS as usize, number % BLOCK_BITS as usize);
        let bits = self.block(plane + block as u64)?;
        Ok(Some(bits[place / 8] >> (place % 8) & 1 != 0))
    }

    /// Decompresses everything and compares every checksum.
    ///
    /// # Errors
    /// The first that is another one.
    pub fn verify_checksums(&self) -> Result<(), BitsError> {
        let mut hashes = blake3::Hasher::new();
        for block in 0..self.header.n_blocks() {
            hashes.update(blake3::hash(&self.read_block(block)?).as_bytes());
        }
        match Checksum(*hashes.finalize().as_bytes()) == self.header.bits {
            true => Ok(()),
            false => Err(BitsError::damaged(&self.path, "it does not hold what its header says")),
        }
    }

    fn block(&self, number: u64) -> Result<Arc<Vec<u8>>, BitsError> {
        let lock = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((last, bits)) = &*lock()
            && *last == number
        {
            return Ok(bits.clone());
        }
        let bits = Arc::new(self.read_block(number)?);
        *lock() = Some((number, bits.clone()));
        Ok(bits)
    }

    pub(super) fn read_block(&self, number: u64) -> Result<Vec<u8>, BitsError> {
        let damaged = || BitsError::damaged(&self.path, format!("its block {number} has another checksum"));
        let [(begin, sum), (end, _)] = [number, number + 1].map(|block| self.blocks[block as usize]);
        let mut packed = vec![0; (end - begin) as usize];
        self.file.read_exact_at(&mut packed, begin).map_err(FormatError::io(&self.path, "read"))?;
        if short_checksum(&packed) != sum {
            return Err(damaged());
        }
        let n_bytes = self.header.bits_of(number).div_ceil(8) as usize;
        zstd::bulk::decompress(&packed, n_bytes).ok().filter(|bits| bits.len() == n_bytes).ok_or_else(damaged)
    }
}
