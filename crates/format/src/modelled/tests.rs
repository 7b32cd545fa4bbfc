//! Blocks there and back on grids of all kinds, and bytes that are none.

use super::*;
use crate::tests::numbers;

const CHESS: Grid = Grid { sizes: [64; 3], are_squares: [true; 3], files: 8 };

#[track_caller]
fn check(grid: Grid, start: usize, codes: &[u16], most_bits: u32) -> usize {
    let mut model = Model::new();
    let (mut filled, mut bytes) = (codes.to_vec(), vec![0xaa]);
    model.encode(&grid, start, &mut filled, &mut bytes);
    assert_eq!(bytes[0], 0xaa, "what stood before stays");
    assert!(codes.iter().zip(&filled).all(|(&code, &filled)| code == 0 && filled > 0 || code == filled));
    let mut read = vec![7; codes.len()];
    // What was learned of one block is no part of the next.
    for _ in 0..2 {
        assert!(model.decode(&grid, start, &bytes[1..], most_bits, &mut read));
        assert!(read == filled, "{grid:?} from {start}");
    }
    let n_bytes = bytes.len() - 1;
    bytes.resize(n_bytes + 40_000, 3);
    assert!(!model.decode(&grid, start, &bytes[1..], most_bits, &mut read), "bytes that nobody reads");
    n_bytes
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
    assert!(!model.decode(&CHESS, 0, &[], 8, &mut codes), "no bytes");
    assert!(!model.decode(&CHESS, 0, &[0], 8, &mut codes), "codes of no bits");
    assert!(!model.decode(&CHESS, 0, &[9], 8, &mut codes), "codes of more bits than there is room for");
    for length in [1, 2, 3, 10, 100, 1000, 10_000] {
        for _ in 0..20 {
            let mut bytes: Vec<u8> = (0..length).map(|_| next() as u8).collect();
            bytes[0] = 1 + bytes[0] % 16;
            let _ = model.decode(&CHESS, next() as usize % 65_536, &bytes, 16, &mut codes);
            let most = (1u32 << bytes[0]) - 1;
            assert!(codes.iter().all(|&code| u32::from(code) <= most));
        }
    }
}

/// Bytes that another program must be able to read.
#[test]
fn bytes_are_what_they_were() {
    let (mut codes, mut bytes) = (smooth(32_768, 250), Vec::new());
    Model::new().encode(&CHESS, 32_768, &mut codes, &mut bytes);
    assert_eq!(
        (bytes.len(), blake3::hash(&bytes).to_hex()[..16].to_owned()),
        (4638, "4b5d37d8fa2176fd".into())
    );
}
