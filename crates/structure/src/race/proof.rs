//! Proves the wins of both sides, from the ways with the fewest pawns on.
//!
//! Ways of one level read none of each other, so all threads solve them at once: first the pawn slices,
//! then the queen slices beside their pawns, which later ways read. A queen slice goes when the last way
//! that reads it is done; when there are too many they are packed.

use super::bitboard::squares;
use super::ground::Wins;
use super::pawn_slice::{self, Belief};
use super::queen_slice::{QueenSlice, Queens, Solved, StoredSlice};
use super::ways::{PawnMove, Pawns, Ways};
use crate::graph::Watch;
use std::sync::atomic::{AtomicU64, Ordering};
use table::threads;
use variant::Side;

/// What is known of the wins of both sides, by way.
#[derive(Debug)]
pub(super) struct Known {
    /// The wins that are proved.
    least: Vec<[Wins; 2]>,
    /// The wins that are not disproved, where these are others.
    most: Vec<Option<Box<[Wins; 2]>>>,
}

impl Known {
    /// The wins of a way that are proved, or those that are not disproved.
    pub(super) fn wins(&self, way: usize, belief: Belief) -> &[Wins; 2] {
        match &self.most[way] {
            Some(most) if belief == Belief::Most => most,
            _ => &self.least[way],
        }
    }
}

/// By side, and then by way: the last way that reads the side's queen slice; none if no way does.
pub(super) type QueenReaders = [Vec<Option<usize>>; 2];

impl Ways {
    /// Which queen slices are read, and for how long.
    pub(super) fn readers_of_queens(&self) -> QueenReaders {
        Side::BOTH.map(|side| {
            let mut last: Vec<Option<usize>> = vec![None; self.all.len()];
            for (way, pawns) in self.all.iter().enumerate().rev() {
                let pawns = pawns.seen_by(side);
                let is_read = last[way].is_some();
                let mut read = |next: Pawns| {
                    let place = self.find(side, next).expect("a move leads to a way");
                    last[place.number] = last[place.number].max(Some(way));
                };
                let own = pawns.moves().into_iter();
                own.filter(PawnMove::is_promotion).for_each(|mv| read(mv.next));
                if is_read {
                    pawns.moves_of_other().for_each(|mv| read(mv.next));
                    squares(pawns.all()).for_each(|square| read(pawns.without(square)));
                }
            }
            last
        })
    }

    /// Solves a way for both sides, from the wins and the queen slices of ways before it.
    pub(super) fn solve<'a>(
        &'a self,
        way: usize,
        belief: Belief,
        wins: &'a dyn Fn(usize) -> &'a [Wins; 2],
        queens: &'a Queens,
    ) -> [Wins; 2] {
        Side::BOTH.map(|side| {
            let solved = Solved { ways: self, side, wins, queens };
            pawn_slice::solve(self.all[way].seen_by(side), belief, &solved)
        })
    }
}

/// A run, as far as it has come.
struct Proof<'a> {
    ways: &'a Ways,
    known: Known,
    queens: Queens,
    readers: &'a QueenReaders,
    /// Whether new queen slices are packed.
    packs: bool,
}

impl Known {
    /// Proves what can be proved; none if the watcher stops it. Queen slices take about as much memory as is
    /// given here, and more only when all of them are packed.
    pub(super) fn new(
        ways: &Ways,
        readers: &QueenReaders,
        memory_bytes: u64,
        watch: &dyn Watch,
    ) -> Option<Known> {
        let mut ends: Vec<(usize, usize, Side)> = Vec::new();
        for (side, readers) in Side::BOTH.into_iter().zip(readers) {
            let read = readers.iter().enumerate();
            ends.extend(read.filter_map(|(way, last)| last.map(|last| (last, way, side))));
        }
        ends.sort_unstable_by_key(|&(last, way, _)| (last, way));
        let (n_all, n_done) = (ways.all.len() as u64 + QUEEN_WORK * ends.len() as u64, AtomicU64::new(0));
        let tell = |work: u64, what: &str| {
            let n_before = n_done.fetch_add(work, Ordering::Relaxed);
            if n_before / TOLD_WORK != (n_before + work) / TOLD_WORK {
                watch.raced(n_before + work, n_all, what);
            }
        };
        let mut ends = ends.into_iter().peekable();
        let (least, most) = (Vec::with_capacity(ways.all.len()), Vec::with_capacity(ways.all.len()));
        let (known, queens) = (Known { least, most }, Vec::with_capacity(ways.all.len()));
        let mut proof = Proof { ways, known, queens, readers, packs: false };
        let goes_on = || if watch.is_interrupted() { Err(()) } else { Ok(()) };
        let mut n_bytes = 0;
        for level in &ways.levels {
            let of_pawns = |way: usize| {
                goes_on()?;
                tell(1, "proving: pawns and kings");
                Ok::<_, ()>(proof.wins(way))
            };
            for (least, most) in threads::try_map(level.clone(), of_pawns).ok()? {
                proof.known.least.push(least);
                proof.known.most.push(most);
            }
            let of_queens = |way: usize| {
                goes_on()?;
                let slices = proof.queens_of(way);
                tell(QUEEN_WORK * slices.iter().flatten().count() as u64, "proving: new queens");
                Ok::<_, ()>(slices)
            };
            let new: Queens = threads::try_map(level.clone(), of_queens).ok()?;
            n_bytes += new.iter().flatten().flatten().map(StoredSlice::n_bytes).sum::<u64>();
            proof.queens.extend(new);
            while let Some((_, way, side)) = ends.next_if(|&(last, ..)| last < level.end) {
                let gone = proof.queens[way][side.index()].take();
                n_bytes -= gone.map_or(0, |slice| slice.n_bytes());
            }
            proof.packs = n_bytes > memory_bytes;
        }
        Some(proof.known)
    }
}

/// A queen slice takes as long as this many pawn slices.
const QUEEN_WORK: u64 = 8;

/// The watcher is told after this much work.
const TOLD_WORK: u64 = 1 << 10;

impl Proof<'_> {
    /// The wins that are proved, and those that are not disproved if they are others.
    fn wins(&self, way: usize) -> ([Wins; 2], Option<Box<[Wins; 2]>>) {
        let of =
            |belief: Belief| self.ways.solve(way, belief, &|way| self.known.wins(way, belief), &self.queens);
        let (least, most) = (of(Belief::Least), of(Belief::Most));
        let most = (most != least).then(|| Box::new(most));
        (least, most)
    }

    /// The queen slices beside the pawns of a way that are read.
    fn queens_of(&self, way: usize) -> [Option<StoredSlice>; 2] {
        Side::BOTH.map(|side| {
            self.readers[side.index()][way]?;
            let wins = |way: usize| self.known.wins(way, Belief::Least);
            let solved = Solved { ways: self.ways, side, wins: &wins, queens: &self.queens };
            let slice = QueenSlice::solve(self.ways.all[way].seen_by(side), &solved);
            Some(StoredSlice::new(slice, self.packs))
        })
    }
}
