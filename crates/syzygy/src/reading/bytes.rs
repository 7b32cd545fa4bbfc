//! Reads bytes from front to back, little-endian, and never beyond their end.

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

    /// Passes over so many bytes, which must be there; where they begin. None are too many.
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
