//! Writes the answers of a table, each thread a block at a time.

use super::{BitsError, BitsFile, Question};
use crate::bits::{BLOCK_BITS, Header, KIND};
use format::{Checksum, FormatError, Head, PackedPage, Selection, rules_hash, write_container};
use std::io;
use std::path::Path;
use table::{Code, Table, threads};
use variant::{Metric, Side, Variant};

/// The level of compression: files are written once.
const LEVEL: i32 = 19;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitsWritten {
    /// How many bytes the file has.
    pub size_bytes: u64,
    /// How many positions, modulo symmetry, are answered with yes, by side to move.
    pub n_yes: [u64; 2],
    /// How many positions there are.
    pub n_positions: [u64; 2],
}

/// What was found of a block.
struct Block {
    hash: [u8; 32],
    n_yes: u64,
    n_positions: u64,
}

/// Writes the answers of a table of a metric to a question; `table_name` says which values the table has. The
/// file has its name when it is complete and on the disk; its bytes do not depend on the number of threads.
///
/// # Errors
/// The metric does not know the answer, or the disk refuses.
pub fn write(
    path: &Path,
    variant: &Variant,
    (metric, table): (Metric, &Table),
    question: Question,
    table_name: Checksum,
) -> Result<BitsWritten, BitsError> {
    let unwritable = |what: String| FormatError::Unwritable { path: path.into(), what };
    question.check_metric(metric).map_err(unwritable)?;
    let layout = table.layout();
    let mut header = Header {
        material: layout.name().to_owned(),
        metric: metric.to_string(),
        question: question.to_string(),
        rule_plies: variant.rules.rule_plies(),
        placements: layout.len() as u64,
        table: table_name,
        bits: Checksum([0; 32]),
    };
    let answers = Answers { header: &header, metric, question, table, selection: Selection::new(layout) };
    let block = |number: u64| {
        let (bits, n_yes, n_positions) = answers.of_block(number);
        let page = PackedPage::new(header.page(number), u8::borrowed(&bits), LEVEL)?;
        Ok::<_, io::Error>((page, Block { hash: *blake3::hash(&bits).as_bytes(), n_yes, n_positions }))
    };
    let found = threads::try_map(0..header.n_blocks(), block).map_err(FormatError::io(path, "pack"))?;
    let (pages, blocks): (Vec<PackedPage>, Vec<Block>) = found.into_iter().unzip();
    let hashes: Vec<u8> = blocks.iter().flat_map(|block| block.hash).collect();
    header.bits = Checksum(*blake3::hash(&hashes).as_bytes());
    let head = Head { kind: KIND, identity: rules_hash(variant, layout.material(), metric).0 };
    let size_bytes = write_container(path, head, &header, &pages)?;
    let half = blocks.len() / 2;
    let sum = |of: &[Block], count: fn(&Block) -> u64| of.iter().map(count).sum();
    let both = |count| [sum(&blocks[..half], count), sum(&blocks[half..], count)];
    Ok(BitsWritten {
        size_bytes,
        n_yes: both(|block| block.n_yes),
        n_positions: both(|block| block.n_positions),
    })
}

impl BitsFile {
    /// Compares the answers with a table of the file's metric: how many positions there are, and how many
    /// answers are wrong. Every checksum is compared.
    ///
    /// # Errors
    /// The file is damaged, cannot be read, or is of other men than the table.
    pub fn compare(&self, table: &Table) -> Result<(u64, u64), BitsError> {
        self.verify_checksums()?;
        if table.layout().material() != self.layout().material() {
            return Err(BitsError::damaged(self.path(), "it holds other men than its table"));
        }
        let BitsFile { header, metric, question, .. } = self;
        let selection = Selection::new(table.layout());
        let answers = Answers { header, metric: *metric, question: *question, table, selection };
        let block = |number: u64| {
            let (bits, _, n_positions) = answers.of_block(number);
            let own = self.read_block(number)?;
            let n_wrong = bits.iter().zip(&own).map(|(a, b)| u64::from((a ^ b).count_ones())).sum::<u64>();
            Ok::<_, BitsError>((n_positions, n_wrong))
        };
        let both = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
        let found = threads::try_map(0..header.n_blocks(), block)?;
        Ok(found.into_iter().fold((0, 0), both))
    }
}

/// The answers of a table.
struct Answers<'a> {
    header: &'a Header,
    metric: Metric,
    question: Question,
    table: &'a Table,
    selection: Selection<'a>,
}

impl Answers<'_> {
    /// The bits of a block, how many positions are answered with yes, and how many there are.
    fn of_block(&self, number: u64) -> (Vec<u8>, u64, u64) {
        let header = self.header;
        let stm = Side::BOTH[(number / header.blocks_per_side()) as usize];
        // A symmetric table has Black to move in the numbers of White to move.
        let (codes, question, stm) = match self.table.codes(stm) {
            Some(codes) => (codes, self.question, stm),
            None => (self.table.codes(!stm).expect("one side to move"), self.question.swapped(), !stm),
        };
        let begin = (number % header.blocks_per_side()) as usize * BLOCK_BITS as usize;
        let codes = codes.as_ref().range(begin..begin + header.bits_of(number) as usize);
        let coding = codes.coding();
        let answer = |code| question.answer(coding.value_of(code), stm, self.metric, header.rule_plies);
        codes.either(
            |codes| fill(codes, begin, &self.selection, answer),
            |codes| fill(codes, begin, &self.selection, answer),
        )
    }
}

/// The bits of the codes from a number on, how many are answered with yes, and how many positions there are.
/// Other places repeat the bit before them.
fn fill<C: Code>(
    codes: &[C],
    begin: usize,
    selection: &Selection<'_>,
    answer: impl Fn(u16) -> bool,
) -> (Vec<u8>, u64, u64) {
    let mut kept = Vec::new();
    selection.select(codes, begin, &mut kept);
    let (mut bits, mut last) = (vec![0; codes.len().div_ceil(8)], false);
    let (mut n_yes, mut n_positions) = (0, 0);
    for (place, &code) in kept.iter().enumerate() {
        if code != C::ILLEGAL {
            last = answer(code.into());
            n_yes += u64::from(last);
            n_positions += 1;
        }
        bits[place / 8] |= u8::from(last) << (place % 8);
    }
    (bits, n_yes, n_positions)
}
