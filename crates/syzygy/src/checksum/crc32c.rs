//! Computes CRC-32C, the cyclic redundancy check that processors have an instruction for, eight bytes at a
//! time and on any processor.
//!
//! The check is linear: that of eight bytes is the sum of those of each byte followed by zeros. So one table
//! for each place of a byte, and eight look-ups instead of 64 steps.

/// The reflected polynomial. Source: Castagnoli, Bräuer, Herrmann, "Optimization of cyclic redundancy-check
/// codes with 24 and 32 parity bits" (1993).
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// For each number of bytes that follow, the check of each byte.
static TABLES: [[u32; 256]; 8] = tables();

/// The check of eight bytes that come after those whose check is `sum`.
pub(super) fn crc32c(sum: u32, word: u64) -> u32 {
    let bytes = (word ^ u64::from(sum)).to_le_bytes();
    let own = TABLES.iter().zip(bytes.iter().rev()).map(|(table, &byte)| table[usize::from(byte)]);
    own.fold(0, |sum, own| sum ^ own)
}

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ POLYNOMIAL } else { sum >> 1 };
            bit += 1;
        }
        tables[0][byte] = sum;
        byte += 1;
    }
    let mut follow = 1;
    while follow < 8 {
        let mut byte = 0;
        while byte < 256 {
            let sum = tables[follow - 1][byte];
            tables[follow][byte] = sum >> 8 ^ tables[0][(sum & 255) as usize];
            byte += 1;
        }
        follow += 1;
    }
    tables
}
