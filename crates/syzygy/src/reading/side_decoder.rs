//! Decodes single values of one side of a sub-table from the blocks of a file.
//!
//! Nothing in a file is trusted. Every number that could lead out of the file, or round in circles, is
//! checked when the file is opened. The bits of a block are checked as they are read, and a code or an offset
//! that leads nowhere gives no value.

use crate::material::{ALIGNMENT, SINGLE};
use crate::packing::{LEAF, MAX_LENGTH};

/// The most bits of a block's size.
const MAX_BLOCK_BITS: u8 = 16;

/// The most bits of a code.
const MAX_CODE_BITS: u8 = 32;

/// The most bits of a span of values.
const MAX_SPAN_BITS: u8 = 31;

/// One side of one sub-table.
#[derive(Clone, Debug)]
pub(crate) struct Unpacked {
    pub(crate) flags: u8,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// One value throughout.
    Single(u8),
    Blocks(Box<Blocks>),
}

#[derive(Clone, Debug)]
struct Blocks {
    block_bits: u8,
    span_bits: u8,
    n_blocks: usize,
    n_lengths: usize,
    min_bits: u8,
    /// For each length of a code from the shortest: its first symbol, and its first code as the highest of 64
    /// bits.
    lengths: Vec<(u16, u64)>,
    symbols: Vec<Node>,
    /// Where the places of spans, the lengths of blocks and the blocks begin in the file.
    spans_at: usize,
    lengths_at: usize,
    data_at: usize,
}

/// A symbol and how many values it stands for.
#[derive(Clone, Copy, Debug)]
struct Node {
    left: u16,
    right: u16,
    n_values: u16,
}

impl Unpacked {
    /// Reads a header; `leaf_limit` is above every leaf.
    pub(crate) fn read(bytes: &mut Bytes<'_>, leaf_limit: u16) -> Result<Self, &'static str> {
        let flags = bytes.u8()?;
        if flags & SINGLE != 0 {
            let value = bytes.u8()?;
            return match u16::from(value) < leaf_limit {
                true => Ok(Unpacked { flags, content: Content::Single(value) }),
                false => Err("its only value is none"),
            };
        }
        let (block_bits, span_bits, padding) = (bytes.u8()?, bytes.u8()?, bytes.u8()?);
        let n_blocks = bytes.u32()? as usize;
        let (max_bits, min_bits) = (bytes.u8()?, bytes.u8()?);
        if block_bits > MAX_BLOCK_BITS || !(1..=MAX_SPAN_BITS).contains(&span_bits) || n_blocks == 0 {
            return Err("the sizes of its blocks cannot be");
        }
        if min_bits == 0 || max_bits < min_bits || max_bits > MAX_CODE_BITS {
            return Err("the lengths of its codes cannot be");
        }
        let firsts = (min_bits..=max_bits).map(|_| bytes.u16()).collect::<Result<Vec<u16>, _>>()?;
        let n_symbols = usize::from(bytes.u16()?);
        let mut symbols = Vec::with_capacity(n_symbols);
        for _ in 0..n_symbols {
            let [a, b, c] = [bytes.u8()?, bytes.u8()?, bytes.u8()?].map(u16::from);
            symbols.push(Node { left: a | (b & 15) << 8, right: b >> 4 | c << 4, n_values: 0 });
        }
        if n_symbols % 2 == 1 {
            bytes.u8()?;
        }
        let lengths = codes(&firsts, n_symbols, min_bits).ok_or("its codes contradict each other")?;
        count_values(&mut symbols, leaf_limit).ok_or("its symbols contradict each other")?;
        let n_lengths = n_blocks + usize::from(padding);
        let blocks = Blocks {
            block_bits,
            span_bits,
            n_blocks,
            n_lengths,
            min_bits,
            lengths,
            symbols,
            spans_at: 0,
            lengths_at: 0,
            data_at: 0,
        };
        Ok(Unpacked { flags, content: Content::Blocks(Box::new(blocks)) })
    }

    /// Whether no reader sees anything but one value.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.content, Content::Single(_))
    }

    /// Finds what follows the headers of these sides, each of which has this many values: of all of them the
    /// places of spans, then the lengths of blocks, then the blocks.
    pub(crate) fn find_blocks<'s>(
        sides: impl Iterator<Item = (&'s mut Self, u64)>,
        bytes: &mut Bytes<'_>,
    ) -> Result<(), &'static str> {
        let blocks = |(side, n_values): (&'s mut Self, u64)| match &mut side.content {
            Content::Single(_) => None,
            Content::Blocks(blocks) => Some((blocks, n_values)),
        };
        let mut all: Vec<_> = sides.filter_map(blocks).collect();
        for (blocks, n_values) in &mut all {
            let n_spans = n_values.div_ceil(1 << blocks.span_bits);
            blocks.spans_at = bytes.skip(usize::try_from(n_spans).ok().and_then(|n| n.checked_mul(6)))?;
        }
        for (blocks, _) in &mut all {
            blocks.lengths_at = bytes.skip(blocks.n_lengths.checked_mul(2))?;
        }
        for (blocks, _) in &mut all {
            bytes.align(ALIGNMENT);
            blocks.data_at = bytes.skip(blocks.n_blocks.checked_mul(1 << blocks.block_bits))?;
        }
        Ok(())
    }

    /// The value with a number; none if what the file has there leads nowhere.
    pub(crate) fn value(&self, file: &[u8], number: u64) -> Option<u16> {
        match &self.content {
            Content::Single(value) => Some((*value).into()),
            Content::Blocks(blocks) => blocks.value(file, number),
        }
    }

    /// All values, of which there are this many; none if what the file has leads nowhere.
    pub(crate) fn all(&self, file: &[u8], n_values: u64) -> Option<Vec<u16>> {
        let len = usize::try_from(n_values).ok()?;
        if let Content::Single(value) = self.content {
            return Some(vec![value.into(); len]);
        }
        let mut all = Vec::with_capacity(len);
        self.for_each_block(file, n_values, |block| all.extend_from_slice(block))?;
        Some(all)
    }

    /// Calls a function with the values of each block; none if what the file has leads nowhere, or if it has
    /// not this many values.
    pub(crate) fn for_each_block(
        &self,
        file: &[u8],
        n_values: u64,
        mut take: impl FnMut(&[u16]),
    ) -> Option<()> {
        let Content::Blocks(blocks) = &self.content else { return Some(()) };
        let (mut values, mut n_left) = (Vec::new(), n_values);
        for block in 0..blocks.n_blocks {
            let len = usize::from(blocks.length(file, block)?) + 1;
            let mut bits = blocks.bits(file, block)?;
            values.clear();
            while values.len() < len {
                blocks.expand(blocks.next_symbol(&mut bits)?, &mut values);
            }
            // The last symbol may run past the end of its block: other writers choose it by its bits alone.
            values.truncate(len);
            n_left = n_left.checked_sub(len as u64)?;
            take(&values);
        }
        (n_left == 0).then_some(())
    }
}

impl Blocks {
    fn value(&self, file: &[u8], number: u64) -> Option<u16> {
        let span = 1u64 << self.span_bits;
        let place = usize::try_from(number >> self.span_bits).ok()?.checked_mul(6)?;
        let entry = file.get(self.spans_at + place..)?.first_chunk::<6>()?;
        let mut block = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]) as usize;
        // The place is that of the middle of the span.
        let middle = i64::from(u16::from_le_bytes([entry[4], entry[5]]));
        let mut offset = middle + (number & (span - 1)) as i64 - (span / 2) as i64;
        while offset < 0 {
            block = block.checked_sub(1)?;
            offset += i64::from(self.length(file, block)?) + 1;
        }
        loop {
            let n_values = i64::from(self.length(file, block)?) + 1;
            if offset < n_values {
                break;
            }
            offset -= n_values;
            block += 1;
        }
        let (mut bits, mut offset) = (self.bits(file, block)?, offset as u32);
        loop {
            let symbol = self.next_symbol(&mut bits)?;
            let n_values = u32::from(self.symbols[usize::from(symbol)].n_values);
            if offset < n_values {
                return self.leaf(symbol, offset);
            }
            offset -= n_values;
        }
    }

    /// The number of values of a block less one.
    fn length(&self, file: &[u8], block: usize) -> Option<u16> {
        if block >= self.n_lengths {
            return None;
        }
        file.get(self.lengths_at + 2 * block..)?.first_chunk::<2>().map(|&bytes| u16::from_le_bytes(bytes))
    }

    /// The bits of a block.
    fn bits<'f>(&self, file: &'f [u8], block: usize) -> Option<Bits<'f>> {
        if block >= self.n_blocks {
            return None;
        }
        let begin = self.data_at + (block << self.block_bits);
        let data = file.get(begin..begin + (1 << self.block_bits))?;
        Some(Bits { data, word: 0, n_bits: 0, n_read: 0 })
    }

    fn next_symbol(&self, bits: &mut Bits<'_>) -> Option<u16> {
        bits.fill();
        let code = bits.word;
        // A longer code is a smaller number, from the left.
        let at = self.lengths.iter().position(|&(_, first)| code >= first)?;
        let (lowest, first) = self.lengths[at];
        let n_bits = u32::from(self.min_bits) + at as u32;
        let above = (code - first) >> (64 - n_bits);
        bits.take(n_bits)?;
        let symbol = u64::from(lowest) + above;
        u16::try_from(symbol).ok().filter(|&symbol| usize::from(symbol) < self.symbols.len())
    }

    /// The value of a symbol at an offset.
    fn leaf(&self, symbol: u16, offset: u32) -> Option<u16> {
        let (mut symbol, mut offset) = (symbol, offset);
        loop {
            let node = self.symbols[usize::from(symbol)];
            if node.right == LEAF {
                return Some(node.left);
            }
            let n_left = u32::from(self.symbols[usize::from(node.left)].n_values);
            if offset < n_left {
                symbol = node.left;
            } else {
                (symbol, offset) = (node.right, offset - n_left);
            }
        }
    }

    /// Appends the values of a symbol.
    fn expand(&self, symbol: u16, values: &mut Vec<u16>) {
        let mut open = vec![symbol];
        while let Some(symbol) = open.pop() {
            let node = self.symbols[usize::from(symbol)];
            if node.right == LEAF {
                values.push(node.left);
            } else {
                open.extend([node.right, node.left]);
            }
        }
    }
}

/// The bits of a block, the highest first.
struct Bits<'f> {
    data: &'f [u8],
    word: u64,
    n_bits: u32,
    n_read: usize,
}

impl Bits<'_> {
    /// Sees to at least 32 bits in the word; behind the end of the block there are zeros.
    fn fill(&mut self) {
        while self.n_bits <= 56 {
            let byte = self.data.get(self.n_read).copied().unwrap_or(0);
            self.word |= u64::from(byte) << (56 - self.n_bits);
            self.n_read += 1;
            self.n_bits += 8;
        }
    }

    /// Takes bits off the word; none if the block has no more.
    fn take(&mut self, n_bits: u32) -> Option<()> {
        self.word <<= n_bits;
        self.n_bits -= n_bits;
        // What is left in the word may be zeros that the block does not have.
        (8 * self.n_read <= 8 * self.data.len() + self.n_bits as usize).then_some(())
    }
}

/// The first symbol and the first code of each length; none if the codes are not those of a tree.
fn codes(firsts: &[u16], n_symbols: usize, min_bits: u8) -> Option<Vec<(u16, u64)>> {
    let mut lengths = vec![(0, 0); firsts.len()];
    let mut longer: Option<(u16, u64)> = None;
    for (at, &first) in firsts.iter().enumerate().rev() {
        let code = match longer {
            None => 0,
            Some((longer_first, longer_code)) => {
                let n_longer = first.checked_sub(longer_first)?;
                (longer_code + u64::from(n_longer)) / 2
            }
        };
        let n_bits = u32::from(min_bits) + at as u32;
        if usize::from(first) >= n_symbols || code >> n_bits != 0 {
            return None;
        }
        lengths[at] = (first, code << (64 - n_bits));
        longer = Some((first, code));
    }
    lengths.is_sorted_by(|a, b| a.1 >= b.1).then_some(lengths)
}

/// Counts the values of all symbols; none if one has itself in it, stands for too many, or is no symbol.
fn count_values(symbols: &mut [Node], leaf_limit: u16) -> Option<()> {
    let n = symbols.len();
    // A symbol that is being counted stands on the stack; one that leads back to such a symbol goes in
    // circles.
    let (mut is_open, mut stack) = (vec![false; n], Vec::new());
    for start in 0..n {
        stack.push(start);
        while let Some(&at) = stack.last() {
            let node = symbols[at];
            if node.n_values != 0 {
                stack.pop();
                continue;
            }
            if node.right == LEAF {
                if node.left >= leaf_limit {
                    return None;
                }
                symbols[at].n_values = 1;
                stack.pop();
                continue;
            }
            let (left, right) = (usize::from(node.left), usize::from(node.right));
            let [a, b] = [symbols.get(left)?.n_values, symbols.get(right)?.n_values];
            if a != 0 && b != 0 {
                if a + b > MAX_LENGTH {
                    return None;
                }
                symbols[at].n_values = a + b;
                is_open[at] = false;
                stack.pop();
                continue;
            }
            if std::mem::replace(&mut is_open[at], true) {
                return None;
            }
            stack.extend([left, right].into_iter().filter(|&child| symbols[child].n_values == 0));
        }
    }
    Some(())
}

/// What is said of a file that ends too early.
const CUT_SHORT: &str = "it is cut short";

/// Bytes and a place in them.
pub(crate) struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Bytes { bytes, at: 0 }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let bytes = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()).ok_or(CUT_SHORT)?;
        self.at += N;
        Ok(*bytes)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, &'static str> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, &'static str> {
        self.take().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, &'static str> {
        self.take().map(u32::from_le_bytes)
    }

    /// Goes on to a multiple of this.
    pub(crate) fn align(&mut self, alignment: usize) {
        self.at = self.at.next_multiple_of(alignment);
    }

    /// Passes over this many bytes, which must be there; where they begin. None are too many.
    pub(crate) fn skip(&mut self, n: Option<usize>) -> Result<usize, &'static str> {
        let begin = self.at;
        let end = n.and_then(|n| begin.checked_add(n)).filter(|&end| end <= self.bytes.len());
        self.at = end.ok_or(CUT_SHORT)?;
        Ok(begin)
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }
}
