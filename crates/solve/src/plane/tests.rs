//! Checks frontiers (live rows and blocks, nothing left behind) and planes on the disk.

use super::open_plane::DiskPlane;
use super::{Frontier, OpenBlocks, OpenPlane};
use crate::packed::{FirstError, PlaneFile, Window};
use index::{BlockId, BlockRange};
use kernel::Word;
use std::io;
use std::sync::{Arc, Mutex};

const N_BLOCKS: usize = 3;
const N_ROWS: usize = 2;
const ROW_LEN: usize = 4;

fn live(flags: &[bool]) -> Vec<usize> {
    (0..flags.len()).filter(|&i| flags[i]).collect()
}

/// The live rows and blocks once these words have got a bit.
#[track_caller]
fn check_live(words: &[usize], rows: &[usize], blocks: &[usize]) {
    let mut frontier = Frontier::<u64>::default();
    frontier.reset(N_BLOCKS, N_ROWS, ROW_LEN);
    words.iter().for_each(|&word| frontier.add(word, 1 << word));
    assert_eq!(frontier.any, !words.is_empty(), "{words:?}");
    assert_eq!((live(&frontier.live), live(&frontier.live_blocks)), (rows.to_vec(), blocks.to_vec()));
    for (word, &bits) in frontier.words.iter().enumerate() {
        assert_eq!(bits, if words.contains(&word) { 1 << word } else { 0 }, "word {word} of {words:?}");
    }
    frontier.clear();
    let left = (frontier.any, live(&frontier.live), live(&frontier.live_blocks));
    assert_eq!(left, (false, vec![], vec![]), "after {words:?}");
    assert!(frontier.words.iter().all(|&bits| bits == 0), "after {words:?}");
}

#[test]
fn words_make_their_rows_and_blocks_live() {
    check_live(&[], &[], &[]);
    check_live(&[0], &[0], &[0]);
    check_live(&[3, 4], &[0, 1], &[0]);
    check_live(&[7, 23], &[1, 5], &[0, 2]);
    check_live(&[8, 9, 12], &[2, 3], &[1]);
}

#[test]
fn no_bits_make_nothing_live() {
    let mut frontier = Frontier::<u64>::default();
    frontier.reset(N_BLOCKS, N_ROWS, ROW_LEN);
    frontier.add_any(5, 0);
    assert!(!frontier.any && live(&frontier.live).is_empty());
    frontier.add_any(5, 6);
    frontier.add_any(5, 9);
    assert_eq!((frontier.words[5], live(&frontier.live)), (15, vec![1]));
}

/// A frontier is used again for slices of another shape.
#[test]
fn resetting_forgets_what_another_slice_had() {
    let mut frontier = Frontier::<u64>::default();
    frontier.reset(N_BLOCKS, N_ROWS, ROW_LEN);
    (0..N_BLOCKS * N_ROWS * ROW_LEN).for_each(|word| frontier.add(word, !0));
    frontier.reset(2, 1, 5);
    assert_eq!((frontier.words.len(), frontier.live.len(), frontier.live_blocks.len()), (10, 2, 2));
    assert!(!frontier.any && frontier.words.iter().all(|&bits| bits == 0));
    frontier.add(9, 1);
    assert_eq!((live(&frontier.live), live(&frontier.live_blocks)), (vec![1], vec![1]));
}

/// A file in memory; nothing can be read or written from some byte on.
#[derive(Debug)]
struct Room(Mutex<Vec<u8>>, usize);

impl PlaneFile for Room {
    fn read(&self, place: u64, bytes: &mut [u8]) -> io::Result<()> {
        let end = place as usize + bytes.len();
        let room = self.0.lock().expect("no panic");
        bytes.copy_from_slice(room.get(place as usize..end).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write(&self, place: u64, bytes: &[u8]) -> io::Result<()> {
        let end = place as usize + bytes.len();
        if end > self.1 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let mut room = self.0.lock().expect("no panic");
        let n_bytes = room.len().max(end);
        room.resize(n_bytes, 0);
        room[place as usize..end].copy_from_slice(bytes);
        Ok(())
    }
}

fn blocks() -> BlockRange {
    BlockRange::new(0..N_BLOCKS)
}

/// A plane on the disk, of blocks that are longer than what is read at once.
fn disk_plane<W: Word>(most_bytes: usize) -> (OpenPlane<W>, usize, Arc<FirstError>) {
    let words_per_block = 5000;
    let room = Box::new(Room(Mutex::default(), most_bytes));
    let failure = Arc::<FirstError>::default();
    let plane = DiskPlane::new(room, (N_BLOCKS, words_per_block, 50), 24, failure.clone());
    (OpenPlane::Disk(plane), words_per_block, failure)
}

#[track_caller]
fn check_disk_plane<W: Word>() {
    let (mut plane, n, failure) = disk_plane::<W>(usize::MAX);
    let bits = |number: usize| W::bit(number % W::BITS) | W::bit(7);
    let numbers = || (0..3 * n).step_by(7).filter(|number| number / n != 1);
    {
        let mut change = plane.change();
        numbers().for_each(|number| *change.word(number) |= bits(number));
    }
    assert_eq!(blocks().map(|block| plane.is_empty(block, n)).collect::<Vec<_>>(), [false, true, false]);
    let OpenBlocks::Disk(disk) = plane.blocks() else { panic!("it is on the disk") };
    let mut words = vec![W::ONES; n];
    for block in blocks() {
        disk.load(block, &mut words);
        for (at, &word) in words.iter().enumerate() {
            let number = block.span(n).start + at;
            let expected = if number % 7 == 0 && block.index() != 1 { bits(number) } else { W::ZERO };
            assert_eq!(word, expected, "word {number}");
        }
    }
    {
        let mut change = plane.change();
        numbers().for_each(|number| *change.word(number) = W::ZERO);
    }
    assert!(blocks().all(|block| plane.is_empty(block, n)), "nothing is left");
    assert!(!failure.is_some());
}

#[test]
fn planes_on_the_disk_keep_their_words() {
    check_disk_plane::<u64>();
    check_disk_plane::<u128>();
}

#[test]
fn a_plane_without_room_says_so() {
    let (mut plane, n, failure) = disk_plane::<u64>(50_000);
    *plane.change().word(3) = 1;
    assert!(!failure.is_some());
    *plane.change().word(n + 3) = 1;
    assert_eq!(failure.take().expect("no room").kind(), io::ErrorKind::StorageFull);
    assert!(failure.take().is_none());
}

#[test]
fn a_window_sees_what_has_changed() {
    let (mut plane, n, _) = disk_plane::<u64>(usize::MAX);
    let mut window = Window::default();
    for round in 1..5u64 {
        (0..3).for_each(|block| *plane.change().word(block * n) = round * (block as u64 % 2));
        let OpenPlane::Disk(disk) = &plane else { panic!("it is on the disk") };
        let view = window.load(disk, blocks());
        let first = |block: BlockId| view.words[view.slots[block.index()] as usize * n];
        assert_eq!(blocks().map(first).collect::<Vec<_>>(), [0, round, 0]);
    }
}
