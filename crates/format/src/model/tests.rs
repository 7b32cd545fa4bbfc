//! Tests blocks there and back on grids of all kinds, and bytes that are none.

use super::prior::Features;
use super::*;
use crate::tests::{fide, numbers};
use crate::tile::{Order, TileId, Tiling, tile_codes};
use index::Layout;
use variant::Material;

/// A block of a side without a prior.
fn block(grid: &Grid, start: usize) -> Block<'_> {
    Block { grid, start, predictor: None }
}

const CHESS: Grid = Grid { sizes: [64; 3], are_squares: [true; 3], files: 8 };

#[track_caller]
fn check(grid: Grid, start: usize, codes: &[u16], n_bits: u32) -> usize {
    let (mut model, mut reader) = (Model::new(), Model::new());
    let (mut filled, mut bytes) = (codes.to_vec(), vec![0xaa]);
    let tree = tree(codes);
    model.encode(block(&grid, start), &tree, n_bits, &mut filled, &mut bytes);
    assert_eq!(bytes[0], 0xaa, "what stood before stays");
    assert!(codes.iter().zip(&filled).all(|(&code, &filled)| code == 0 && filled > 0 || code == filled));
    let mut read = vec![7; codes.len()];
    // What was learned of one block is no part of the next.
    for _ in 0..2 {
        assert!(reader.decode(block(&grid, start), &tree, n_bits, &bytes[1..], &mut read));
        assert!(read == filled, "{grid:?} from {start}");
    }
    let n_bytes = bytes.len() - 1;
    // The quick check finds whatever is wrong with bytes, codes or recorded bits.
    assert!(model.has_written(&bytes[1..]));
    for at in (1..bytes.len()).step_by(bytes.len() / 3 + 1) {
        let mut damaged = bytes[1..].to_vec();
        damaged[at - 1] ^= 0x40;
        let mut others = vec![0; codes.len()];
        let is_decoded =
            reader.decode(block(&grid, start), &tree, n_bits, &damaged, &mut others) && others == read;
        assert_eq!(model.has_written(&damaged), is_decoded, "byte {at}");
    }
    for number in [0, 1, n_bytes / 2] {
        if model.recorder.flip(number) {
            assert!(!model.has_written(&bytes[1..]), "bit {number}");
            assert!(model.recorder.flip(number));
        }
    }
    assert!(model.has_written(&bytes[1..]));
    bytes.resize(n_bytes + 40_000, 3);
    assert!(
        !reader.decode(block(&grid, start), &tree, n_bits, &bytes[1..], &mut read),
        "bytes that are not read"
    );
    n_bytes
}

/// The tree of literals of half of these codes, so that some others are not in it.
fn tree(codes: &[u16]) -> LiteralTree {
    let mut counts = vec![0; 1 << 16];
    codes.iter().step_by(2).for_each(|&code| counts[usize::from(code)] += 1);
    let most = codes.iter().step_by(2).copied().max().unwrap_or(0);
    LiteralTree::of_counts(&counts[..=most.into()])
}

/// Codes that change little from one place to the next, with gaps.
fn smooth(n: usize, most: u16) -> Vec<u16> {
    let mut next = numbers(99);
    let mut code = 5;
    let step = |number: u64| (number % 7) as u16 * 2;
    (0..n)
        .map(|_| {
            let number = next();
            code = if number.is_multiple_of(17) { (code + step(number >> 8)) % most + 1 } else { code };
            if (number >> 20).is_multiple_of(3) { 0 } else { code }
        })
        .collect()
}

#[test]
fn blocks_come_back() {
    for grid in [
        CHESS,
        Grid { sizes: [16, 64, 64], are_squares: [false, true, true], files: 8 },
        Grid { sizes: [64, 1024, 1], are_squares: [true, false, false], files: 8 },
        Grid { sizes: [25, 25, 25], are_squares: [true; 3], files: 5 },
        Grid { sizes: [30, 3, 30], are_squares: [true, false, true], files: 5 },
        Grid { sizes: [1, 1, 64], are_squares: [false, true, true], files: 8 },
        Grid { sizes: [65_536, 1, 1], are_squares: [false; 3], files: 8 },
    ] {
        for (start, n) in [(0, 1), (0, 4096), (32_768, 4096), (1234, 777), (0, 0)] {
            check(grid, start, &smooth(n, 250), 8);
            check(grid, start, &smooth(n, 60_000), 16);
            let mut next = numbers(3);
            check(grid, start, &(0..n).map(|_| next() as u16 | 1).collect::<Vec<_>>(), 16);
        }
    }
}

#[test]
fn what_repeats_takes_next_to_nothing() {
    assert!(check(CHESS, 0, &[1; 32_768], 8) < 40);
    assert!(check(CHESS, 0, &[0; 32_768], 8) < 40);
    let rows: Vec<u16> = (0..32_768).map(|place| 3 + place % 64).collect();
    assert!(check(CHESS, 0, &rows, 8) < 250);
    let n_smooth = check(CHESS, 0, &smooth(32_768, 250), 8);
    assert!(n_smooth < 8_000, "{n_smooth}");
}

#[test]
fn any_bytes_are_read_or_refused() {
    let (mut model, mut next, mut codes) = (Model::new(), numbers(5), vec![0; 4096]);
    let tree = tree(&smooth(999, 30));
    assert!(model.decode(block(&CHESS, 0), &tree, 8, &[], &mut codes), "zeros to the end");
    for length in [1, 2, 3, 10, 100, 1000, 10_000] {
        for n_bits in [8, 16] {
            for _ in 0..10 {
                let bytes: Vec<u8> = (0..length).map(|_| next() as u8).collect();
                let start = next() as usize % 65_536;
                let _ = model.decode(block(&CHESS, start), &tree, n_bits, &bytes, &mut codes);
                assert!(codes.iter().all(|&code| u32::from(code) < 1 << n_bits));
            }
        }
    }
}

/// Bytes that another program must be able to read.
#[test]
fn bytes_are_what_they_were() {
    let (mut codes, mut bytes) = (smooth(32_768, 250), Vec::new());
    let tree = tree(&codes);
    Model::new().encode(block(&CHESS, 32_768), &tree, 8, &mut codes, &mut bytes);
    assert_eq!(
        (bytes.len(), blake3::hash(&bytes).to_hex()[..16].to_owned()),
        (4571, "906a2823f631122f".into())
    );
}

/// Weights that are all different, for the men of this material.
fn weights(layout: &Layout) -> Prior {
    let (features, mut next) = (Features::new(layout), numbers(11));
    Prior::new(features, (0..features.len()).map(|_| next() as i8).collect()).unwrap()
}

fn layout(material: &str) -> Layout {
    let variant = fide();
    Layout::new(&variant, &Material::parse(&variant, material).unwrap())
}

#[test]
fn priors_are_written_and_read() {
    for material in ["KvK", "KQvK", "KBBvKN", "KPPvKP"] {
        let layout = layout(material);
        let prior = weights(&layout);
        let frame = prior.frame().to_vec();
        assert_eq!(Prior::decode(&layout, &frame), Some(prior));
        assert_eq!(Prior::decode(&layout, &frame[..frame.len() - 1]), None);
        let other = if material == "KvK" { "KQvK" } else { "KvK" };
        assert_eq!(Prior::decode(&self::layout(other), &frame), None, "the weights of other men");
    }
}

#[test]
fn scores_are_the_sums_of_all_pairs() {
    for (material, order) in [("KBBvKN", [0, 2, 3, 1]), ("KBBvKN", [3, 1, 2, 0])] {
        let layout = layout(material);
        let prior = weights(&layout);
        let tiling = Tiling::new(&layout, Order::new(&order, 0b0110), tile_codes(&layout)).unwrap();
        let tile = TileId::from_index(9);
        let predictor = GuessPredictor { men: TileMen::new(&layout, &tiling, tile), prior: &prior };
        let (mut scores, mut sums) = (predictor.squares(), [0; 8]);
        for start in [0, 8, 4096, 130_000, 4160] {
            let n = tiling.row_codes(None).min(8);
            scores.of_run(start, &mut sums[..n]);
            for (place, &sum) in (start..).zip(&sums[..n]) {
                let squares = layout.decode(tiling.number(tile, place));
                let mut expected = 0;
                let mut pair = 0;
                for one in 0..squares.len() {
                    for other in one + 1..squares.len() {
                        let at = (pair * 64 + squares[one].index()) * 64 + squares[other].index();
                        expected += prior.weight(at);
                        pair += 1;
                    }
                }
                assert_eq!(sum, expected, "{material} {order:?} {place}");
            }
        }
    }
}

#[test]
fn a_model_that_differs_is_found_by_decoding() {
    let layout = layout("KBBvKN");
    let prior = weights(&layout);
    let tiling = Tiling::new(&layout, Order::new(&[0, 2, 3, 1], 0), tile_codes(&layout)).unwrap();
    let tile = TileId::from_index(9);
    let grid = tiling.grid(tile);
    let predictor = Some(GuessPredictor { men: TileMen::new(&layout, &tiling, tile), prior: &prior });
    let (mut model, mut bytes, mut codes) = (Model::new(), Vec::new(), smooth(8192, 250));
    let (trained, tree) = (Block { grid: &grid, start: 0, predictor }, tree(&codes));
    model.encode(trained, &tree, 8, &mut codes, &mut bytes);
    assert!(model.has_written(&bytes), "the bytes are those of the bits");
    let mut read = vec![0; codes.len()];
    assert!(model.decode(trained, &tree, 8, &bytes, &mut read) && read == codes);
    // A reader without the prior has other probabilities.
    assert!(!model.decode(block(&grid, 0), &tree, 8, &bytes, &mut read) || read != codes);
}

#[test]
fn training_finds_what_squares_say() {
    let layout = layout("KQvKR");
    let tiling = Tiling::new(&layout, Order::new(&[0, 1, 2], 0), tile_codes(&layout)).unwrap();
    let grid = tiling.grid(TileId::from_index(3));
    // Beside each other queen and rook are worth something else, which depends on where the kings are.
    let mut samples = Vec::new();
    for tile in (0..tiling.len()).map(TileId::from_index) {
        let codes: Vec<u16> = (0..32_768)
            .map(|place| {
                let squares = layout.decode(tiling.number(tile, place));
                let (queen, rook) = (squares[1].index(), squares[3].index());
                let beside = queen.abs_diff(rook) == 1 && queen / 8 == rook / 8;
                5 + if beside { 1 + (place / 4096 * 7 + tile.index() * 3) as u16 % 50 } else { 0 }
            })
            .collect();
        samples.push(Sample::new(&TileMen::new(&layout, &tiling, tile), &grid, 0, &codes));
    }
    let prior = Sample::train(&samples).unwrap().unwrap();
    let of = |queen: usize, rook: usize| prior.weight((4 * 64 + queen) * 64 + rook);
    // Pairs of KQvKR: KQ Kk Kr, then Qk Qr.
    let mean = |beside: bool| {
        let all = (0..64).flat_map(|queen| (0..64).map(move |rook| (queen, rook)));
        let some: Vec<i32> = all
            .filter(|&(q, r): &(usize, usize)| (q.abs_diff(r) == 1 && q / 8 == r / 8) == beside && q != r)
            .map(|(q, r)| of(q, r))
            .collect();
        some.iter().sum::<i32>() / some.len() as i32
    };
    let (beside, apart) = (mean(true), mean(false));
    assert!(beside < apart, "guesses are wrong more often beside each other: {beside} and {apart}");
    assert!(Sample::train(&[]).unwrap().is_none());
}
