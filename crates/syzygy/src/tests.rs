//! Tests numbers, names and packing, each by itself; whole files in `file`, those of other
//! generators in `genuine`.

use crate::material::{codes_of_file, codes_of_name, name_of_codes};
use crate::numbering::leading_group::LeadingGroup;
use crate::numbering::{Arrangement, NO_ORDER, leading_group};
use crate::packing::LEAF;
use crate::packing::grammar::{Grammar, Symbol, Worth, code_lengths};
use crate::packing::packed_side::{Effort, Packed};
use crate::packing::run::ANY_DISTANCE;
use crate::reading::side_decoder::{Bytes, Unpacked};
use crate::writing::trial::arrangements;
use crate::{Agreement, Family, Score};

mod file;
mod genuine;

fn men(name: &str, family: Family) -> Vec<u8> {
    codes_of_name(name, family).expect("a name of a file")
}

#[track_caller]
fn check_lead(n: usize, sizes: [u32; 4]) {
    let size = |file: usize| LeadingGroup::Pawns { n, file }.size();
    assert_eq!([0, 1, 2, 3].map(size), sizes, "{n} pawns");
}

#[test]
fn leading_pawns_have_as_many_places_as_readers_think() {
    check_lead(1, [6, 6, 6, 6]);
    check_lead(2, [252, 180, 108, 36]);
    check_lead(3, [5201, 2645, 953, 125]);
    check_lead(4, [70_315, 25_375, 5_491, 295]);
    check_lead(5, [700_336, 178_696, 23_176, 496]);
}

#[test]
fn like_men_have_as_many_places_as_readers_think() {
    assert_eq!([2, 3, 4, 5].map(leading_group::size), [278, 6_162, 98_222, 1_239_386]);
    assert_eq!(LeadingGroup::Two.size(), 518);
}

#[track_caller]
fn check_arrangement(family: Family, line: &[u8], orders: [u8; 2], size: u64) {
    let arrangement = Arrangement::new(family, line, orders, 0).expect("an arrangement");
    assert_eq!(arrangement.size(), size, "{line:?} {orders:?}");
}

#[test]
fn arrangements_have_as_many_numbers_as_readers_think() {
    check_arrangement(Family::Chess, &[6, 5, 14], [0, NO_ORDER], 31_332);
    check_arrangement(Family::Chess, &[1, 6, 14], [0, NO_ORDER], 23_436);
    check_arrangement(Family::Chess, &[6, 14, 2, 2], [1, NO_ORDER], 873_642);
    check_arrangement(Family::Chess, &[6, 14, 4, 12], [1, NO_ORDER], 31_332 * 61);
    check_arrangement(Family::Chess, &[1, 9, 14, 6], [1, 0], 6 * 47 * 62 * 61);
    check_arrangement(Family::Atomic, &[6, 14, 2, 2], [1, NO_ORDER], 518 * 31 * 61);
    check_arrangement(Family::Giveaway, &[5, 14], [0, NO_ORDER], 518);
    check_arrangement(Family::Giveaway, &[6, 6, 14], [0, NO_ORDER], 278 * 62);
    check_arrangement(Family::Giveaway, &[5, 13, 6, 6], [1, NO_ORDER], 518 * 31 * 61);
    check_arrangement(Family::Suicide, &[2, 2, 2, 14], [0, NO_ORDER], 6_162 * 61);
    check_arrangement(Family::Suicide, &[1, 9], [1, 0], 6 * 47);
}

#[track_caller]
fn check_contradiction(family: Family, line: &[u8], orders: [u8; 2]) {
    assert!(Arrangement::new(family, line, orders, 0).is_none(), "{line:?} {orders:?}");
}

#[test]
fn arrangements_that_cannot_be_are_refused() {
    check_contradiction(Family::Chess, &[6, 5, 14], [1, NO_ORDER]);
    check_contradiction(Family::Chess, &[2, 2, 6, 14], [0, NO_ORDER]);
    check_contradiction(Family::Chess, &[6, 14, 2, 5, 2], [0, NO_ORDER]);
    check_contradiction(Family::Chess, &[6, 14, 1], [0, NO_ORDER]);
    check_contradiction(Family::Chess, &[1, 6, 9, 14], [0, 1]);
    check_contradiction(Family::Chess, &[1, 9, 6, 14], [1, 1]);
    check_contradiction(Family::Chess, &[6, 14], [0, NO_ORDER]);
    check_contradiction(Family::Giveaway, &[6, 14, 6], [0, NO_ORDER]);
    check_contradiction(Family::Giveaway, &[14, 6, 6], [0, NO_ORDER]);
    check_contradiction(Family::Giveaway, &[2, 2, 2, 10, 10], [0, NO_ORDER]);
    check_contradiction(Family::Giveaway, &[1, 1, 1, 1, 1, 1], [0, NO_ORDER]);
}

/// Every number of every arrangement is that of its placement, as far as kings do not touch where they may
/// not.
#[track_caller]
fn check_numbers(family: Family, name: &str, step: u64) {
    let men = men(name, family);
    let mut n_checked = 0;
    for file in 0..4 {
        for arrangement in arrangements(family, &men, file) {
            for begin in (0..arrangement.size()).step_by(step as usize) {
                let mut number = begin;
                arrangement.placements().visit(begin, |squares| {
                    let mut own = *squares;
                    if let Some(found) = arrangement.encode(&mut own[..men.len()]) {
                        assert_eq!(found, number, "{name} {:?} {squares:?}", arrangement.men());
                        n_checked += 1;
                    }
                    number += 1;
                    number < arrangement.size().min(begin + 200)
                });
            }
        }
    }
    assert!(n_checked > 900, "{n_checked} numbers of {name}");
}

#[test]
fn numbers_lead_to_placements_and_back() {
    check_numbers(Family::Chess, "KQvK", 1_000);
    check_numbers(Family::Chess, "KNNvK", 100_000);
    check_numbers(Family::Chess, "KQvKR", 500_000);
    check_numbers(Family::Chess, "KPvKP", 500_000);
    check_numbers(Family::Chess, "KPPvK", 300_000);
    check_numbers(Family::Atomic, "KNNvK", 100_000);
    check_numbers(Family::Giveaway, "KvQ", 100);
    check_numbers(Family::Giveaway, "PvP", 50);
    check_numbers(Family::Giveaway, "KKvK", 1_000);
    check_numbers(Family::Giveaway, "KKvQQ", 100_000);
    check_numbers(Family::Giveaway, "KNNvB", 100_000);
    check_numbers(Family::Suicide, "NNNvN", 50_000);
    check_numbers(Family::Suicide, "RRRRvB", 1_000_000);
    check_numbers(Family::Suicide, "QPvP", 5_000);
}

#[test]
fn names_are_those_of_files() {
    check_names(Family::Chess, &["KQvK", "KRvKN", "KQQvKPP", "KPPPPPvK"]);
    check_names(Family::Atomic, &["KQvK", "KPvKP"]);
    check_names(Family::Giveaway, &["KvQ", "PvP", "KKvK", "QPPvRN", "PPPPPvP"]);
    let not_of_chess = ["KvKQ", "KNvKQ", "QKvK", "KQK", "KvK", "KKvK", "QvR", "KXvK", "KPPPPPPvK", ""];
    check_no_names(Family::Chess, &not_of_chess);
    check_no_names(Family::Atomic, &["KvK", "QvR", "KKvK"]);
    check_no_names(Family::Suicide, &["QvK", "vK", "Kv", "PKvP", "KKvKKK", "QQQQvRRR"]);
}

#[track_caller]
fn check_names(family: Family, names: &[&str]) {
    for &name in names {
        let men = men(name, family);
        assert_eq!(name_of_codes(&men), (name.to_owned(), false));
        let is_symmetric = name.split_once('v').is_some_and(|(white, black)| white == black);
        assert_eq!(
            name_of_codes(&men.iter().map(|man| man ^ 8).collect::<Vec<_>>()),
            (name.to_owned(), !is_symmetric)
        );
    }
}

#[track_caller]
fn check_no_names(family: Family, names: &[&str]) {
    for &name in names {
        assert_eq!(codes_of_name(name, family), None, "{name}");
    }
}

/// The men of a file of a game of its own, White's first, by the flags and the men that are written in it.
#[track_caller]
fn check_men(name: &str, flags: u8, written: &[u8], expected: Option<&[u8]>) {
    let content = [b"TSbw", &[flags, 0][..], written].concat();
    assert_eq!(codes_of_file(name, &content).as_deref(), expected, "{name}");
}

#[test]
fn men_of_games_of_their_own_are_told_from_their_files() {
    check_men("KQvK", 1, &[14, 5, 6], Some(&[6, 5, 14]));
    check_men("KPvK", 3, &[1, 6, 14], Some(&[6, 1, 14]));
    // A man of another game has the next code, or is the pawn.
    check_men("KMvK", 1, &[6, 5, 14], Some(&[6, 5, 14]));
    check_men("KMvK", 3, &[6, 1, 14], Some(&[6, 1, 14]));
    check_men("KvKM", 3, &[6, 9, 14], Some(&[6, 14, 9]));
    check_men("KMvK", 1, &[6, 1, 14], None);
    check_men("KMvk", 1, &[6, 5, 14], None);
    check_men("KMK", 1, &[6, 5, 14], None);
}

#[track_caller]
fn check_agreement(is: [i32; 2], read: [i32; 2], counts_plies: bool, expected: Agreement) {
    let [is, read] = [is, read].map(|[wdl, dtz]| Score { wdl, dtz });
    assert_eq!(is.agreement(read, counts_plies), expected, "{is:?} {read:?} {counts_plies}");
    assert_eq!(is.allows(read, counts_plies), expected != Agreement::Different);
}

#[test]
fn rounded_distances_may_be_a_ply_short() {
    use Agreement::{Different, Rounded, Same};
    for sign in [1, -1] {
        let check = |is: [i32; 2], read: [i32; 2], counts_plies, expected| {
            check_agreement(is.map(|n| n * sign), read.map(|n| n * sign), counts_plies, expected);
        };
        check([2, 7], [2, 7], true, Same);
        check([2, 7], [2, 6], false, Rounded);
        check([2, 7], [2, 6], true, Different);
        check([2, 7], [2, 8], false, Different);
        check([2, 7], [1, 7], false, Different);
        // Beyond the fifty-move rule distances are rounded in any case.
        check([1, 107], [1, 106], true, Rounded);
        check([1, 107], [1, 105], true, Different);
    }
    check_agreement([0, 0], [0, 0], true, Same);
}

#[track_caller]
fn check_code(counts: &[u32], expected: &[u8]) {
    let lengths = code_lengths(counts);
    assert_eq!(lengths, expected, "{counts:?}");
    let sum: u64 = lengths.iter().filter(|&&bits| bits > 0).map(|&bits| 1 << (32 - bits)).sum();
    assert!(sum <= 1 << 32, "{lengths:?}");
}

#[test]
fn frequent_symbols_have_short_codes() {
    check_code(&[0, 7, 0], &[0, 1, 0]);
    check_code(&[1, 1], &[1, 1]);
    check_code(&[8, 4, 2, 1, 0], &[1, 2, 3, 3, 0]);
    // Fibonacci's numbers make the longest codes, of a bit less than there are symbols. No reader takes more
    // than 32 bits, and up to there no code is changed.
    let fibonacci = |n: usize| {
        let mut counts = vec![1u32, 1];
        while counts.len() < n {
            counts.push(counts[counts.len() - 2] + counts[counts.len() - 1]);
        }
        counts
    };
    let longest: Vec<u8> = [32].into_iter().chain((1..=32).rev()).collect();
    check_code(&fibonacci(33), &longest);
    for n in 34..47 {
        let lengths = code_lengths(&fibonacci(n));
        assert!(lengths.iter().all(|&bits| (1..=32).contains(&bits)), "{lengths:?}");
    }
}

#[test]
fn pairs_stand_for_what_they_replace() {
    let values: Vec<u16> = (0..40_000u32).map(|i| (i % 61 * (i % 17) % 5) as u16).collect();
    let mut grammar = Grammar::of_leaves(values.clone(), &[0, 1, 2, 3, 4]);
    grammar.pair(8, Worth::Saving);
    assert!(grammar.symbols.len() > 20 && grammar.symbols.iter().filter(|s| s.right == LEAF).count() == 5);
    let expanded = |grammar: &Grammar| {
        let mut all = Vec::new();
        grammar.text.iter().for_each(|&symbol| grammar.expand(symbol, &mut all));
        all
    };
    assert_eq!(expanded(&grammar), values);
    let prices = vec![9; grammar.symbols.len()];
    grammar.prune(&prices, true);
    assert_eq!(expanded(&grammar), values);
}

#[test]
fn symbols_that_stand_together_by_chance_are_no_pair() {
    // 0 and 1 are common, in no order; 2 is rare, and 3 follows it always.
    let (mut values, mut number) = (Vec::new(), 1u64);
    for _ in 0..40_000 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        match (number >> 33) % 80 {
            0 => values.extend([2, 3]),
            other => values.push((other % 2) as u16),
        }
    }
    let mut grammar = Grammar::of_leaves(values, &[0, 1, 2, 3]);
    grammar.pair(5, Worth::Saving);
    let pair = grammar.symbols[4];
    assert_eq!((pair.left, pair.right), (2, 3));
    let of_common = |symbol: &&Symbol| symbol.right != LEAF && symbol.left < 2 && symbol.right < 2;
    assert_eq!(grammar.symbols.iter().filter(of_common).count(), 0);
}

/// Packs leaves of which some may be any.
fn packed(leaves: &[u16], block_bits: u8) -> Packed {
    let n_leaves = leaves.iter().filter(|&&leaf| leaf != ANY_DISTANCE).max().map_or(1, |max| max + 1);
    Packed::of_leaves(&leaves.to_vec(), n_leaves.into(), block_bits..=block_bits, Effort::Whole)
}

/// A file of what is packed, of this many values, and its reader; its last block says that it has this many
/// more values than it has.
fn read_back(packed: &Packed, n_values: usize, n_more: u16) -> (Vec<u8>, Unpacked) {
    let mut file = packed.header(0);
    if let Some(blocks) = packed.blocks() {
        for (block, offset) in &blocks.places {
            file.extend(block.to_le_bytes());
            file.extend(offset.to_le_bytes());
        }
        let mut n_values = blocks.n_values.clone();
        // Behind the last block come lengths of none.
        let last = n_values.len() - 1 - usize::from(file[3]);
        n_values[last] += n_more;
        n_values.iter().for_each(|n| file.extend(n.to_le_bytes()));
        assert_eq!(blocks.size_bytes(), file.len() + blocks.data.len());
        file.resize(file.len().next_multiple_of(64), 0);
        file.extend(&blocks.data);
    }
    let mut bytes = Bytes::new(&file);
    let mut read = Unpacked::read(&mut bytes, 4096).expect("a header");
    let sides = std::iter::once((&mut read, n_values as u64));
    Unpacked::find_blocks(sides, &mut bytes).expect("spans, lengths and blocks");
    (file, read)
}

/// Packs leaves and reads them again, one by one and all at once.
#[track_caller]
fn check_packing(leaves: &[u16], block_bits: u8) {
    let (file, read) = read_back(&packed(leaves, block_bits), leaves.len(), 0);
    let all = read.all(&file, leaves.len() as u64).expect("all values");
    for (number, (&leaf, &value)) in leaves.iter().zip(&all).enumerate() {
        assert!(leaf == value || leaf == ANY_DISTANCE, "value {number} is {value}, not {leaf}");
        assert_eq!(read.value(&file, number as u64), Some(value), "value {number}");
    }
}

#[test]
fn what_is_packed_is_read_again() {
    let scattered = |n: u32, kinds: u32| -> Vec<u16> {
        (0..n).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 16) % kinds).map(|value| value as u16).collect()
    };
    check_packing(&[3], 5);
    check_packing(&[1, 1, 1, 2], 5);
    check_packing(&scattered(3_000, 2), 5);
    check_packing(&scattered(30_000, 700), 6);
    check_packing(&scattered(200_000, 4095), 10);
    check_packing(&vec![7; 300_000], 6);
    let any: Vec<u16> =
        scattered(50_000, 9).into_iter().map(|v| if v < 5 { ANY_DISTANCE } else { v }).collect();
    check_packing(&any, 8);
}

#[test]
fn a_block_has_no_more_values_than_bits() {
    // Nothing repeats, so that each value takes bits of its own.
    let leaves: Vec<u16> =
        (0..3_000u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 16) % 700).map(|v| v as u16).collect();
    let packed = packed(&leaves, 6);
    for n_more in [100, 200, 400] {
        let n_values = leaves.len() + usize::from(n_more);
        let (file, read) = read_back(&packed, leaves.len(), n_more);
        assert_eq!(read.all(&file, n_values as u64), None, "{n_more} values more");
    }
}
