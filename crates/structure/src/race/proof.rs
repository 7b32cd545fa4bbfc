//! Proves the wins of both sides, from the ways with the fewest pawns on.
//!
//! Ways of one level read none of each other, so all threads solve them at once: first the pawn slices,
//! then the queen slices beside their pawns, which later ways read. What no later way reads goes: at most
//! the ways of two numbers of pawns are in memory.

use super::bitboard::squares;
use super::ground::Wins;
use super::pawn_slice::{self, Belief};
use super::queen_slice::{QueenSlice, Queens, Solved};
use super::ways::{PawnMove, Pawns, Ways};
use crate::graph::Watch;
use std::iter::Peekable;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::vec::IntoIter;
use table::threads;
use variant::Side;

/// By way: the wins of both sides; none if no later way reads them, or if they are not found yet.
pub(super) type WinsOfWays = Vec<Option<Box<[Wins; 2]>>>;

/// By side, and then by way: the last way that reads the side's queen slice; none if no way does.
pub(super) type QueenReaders = [Vec<Option<usize>>; 2];

/// How many queen slices there are at most at a time.
pub(super) fn most_queens(readers: &QueenReaders) -> u64 {
    let n_ways = readers[0].len();
    // By way: how many slices more there are behind it than before it.
    let mut more = vec![0i64; n_ways + 1];
    for (way, last) in readers.iter().flat_map(|readers| readers.iter().enumerate()) {
        if let Some(last) = last {
            more[way] += 1;
            more[*last] -= 1;
        }
    }
    let so_far = more.iter().scan(0, |all, more| {
        *all += more;
        Some(*all)
    });
    so_far.max().unwrap_or(0) as u64
}

impl Ways {
    /// Which queen slices are read, and for how long; `goes_on` is asked as by [`Ways::new`].
    pub(super) fn readers_of_queens(&self, goes_on: impl Fn(usize) -> bool) -> Option<QueenReaders> {
        let of_side = |side: Side| {
            let mut last: Vec<Option<usize>> = vec![None; self.all.len()];
            for (way, pawns) in self.all.iter().enumerate().rev() {
                if way % 4096 == 0 && !goes_on(self.all.len()) {
                    return None;
                }
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
            Some(last)
        };
        Some([of_side(Side::White)?, of_side(Side::Black)?])
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
pub(super) struct Proof<'a> {
    ways: &'a Ways,
    watch: &'a dyn Watch,
    /// The wins that are proved.
    least: WinsOfWays,
    /// The wins that are not disproved, where these are others.
    most: WinsOfWays,
    queens: Queens,
    readers: &'a QueenReaders,
    /// The queen slices that are read, by the last way that does.
    ends: Peekable<IntoIter<(usize, usize, Side)>>,
    n_all: u64,
    n_done: AtomicU64,
}

impl<'a> Proof<'a> {
    pub(super) fn new(ways: &'a Ways, readers: &'a QueenReaders, watch: &'a dyn Watch) -> Self {
        let mut ends: Vec<(usize, usize, Side)> = Vec::new();
        for (side, readers) in Side::BOTH.into_iter().zip(readers) {
            let read = readers.iter().enumerate();
            ends.extend(read.filter_map(|(way, last)| last.map(|last| (last, way, side))));
        }
        ends.sort_unstable_by_key(|&(last, way, _)| (last, way));
        let n_all = ways.all.len() as u64 + QUEEN_WORK * ends.len() as u64;
        let (least, most, queens) = (Vec::new(), Vec::new(), Queens::new());
        let (ends, n_done) = (ends.into_iter().peekable(), AtomicU64::new(0));
        Proof { ways, watch, least, most, queens, readers, ends, n_all, n_done }
    }

    /// Proves what can be proved of the next level; none if the watcher stops it.
    pub(super) fn solve(&mut self, level: Range<usize>) -> Option<()> {
        let gone = self.ways.gone(&level);
        self.least[gone.clone()].fill_with(|| None);
        self.most[gone].fill_with(|| None);
        let of_pawns = |way: usize| {
            self.tell(1, "proving: pawns and kings")?;
            Ok::<_, ()>(self.wins_of_pawns(way))
        };
        for (least, most) in threads::try_map(level.clone(), of_pawns).ok()? {
            self.least.push(Some(least));
            self.most.push(most);
        }
        let of_queens = |way: usize| {
            let slices = self.queens_of(way);
            self.tell(QUEEN_WORK * slices.iter().flatten().count() as u64, "proving: new queens")?;
            Ok::<_, ()>(slices)
        };
        let new: Queens = threads::try_map(level.clone(), of_queens).ok()?;
        self.queens.extend(new);
        while let Some((_, way, side)) = self.ends.next_if(|&(last, ..)| last < level.end) {
            self.queens[way][side.index()] = None;
        }
        Some(())
    }

    /// The wins of a way that are proved, or those that are not disproved.
    pub(super) fn wins(&self, way: usize, belief: Belief) -> &[Wins; 2] {
        let most = self.most[way].as_deref().filter(|_| belief == Belief::Most);
        most.or(self.least[way].as_deref()).expect("it is kept as long as it is read")
    }

    fn tell(&self, work: u64, what: &str) -> Result<(), ()> {
        let n_before = self.n_done.fetch_add(work, Ordering::Relaxed);
        if n_before / TOLD_WORK != (n_before + work) / TOLD_WORK {
            self.watch.raced(n_before + work, self.n_all, what);
        }
        if self.watch.is_interrupted() { Err(()) } else { Ok(()) }
    }

    /// The wins that are proved, and those that are not disproved if they are others.
    fn wins_of_pawns(&self, way: usize) -> (Box<[Wins; 2]>, Option<Box<[Wins; 2]>>) {
        let of = |belief: Belief| self.ways.solve(way, belief, &|way| self.wins(way, belief), &self.queens);
        let (least, most) = (of(Belief::Least), of(Belief::Most));
        let most = (most != least).then(|| Box::new(most));
        (Box::new(least), most)
    }

    /// The queen slices beside the pawns of a way that are read.
    fn queens_of(&self, way: usize) -> [Option<QueenSlice>; 2] {
        Side::BOTH.map(|side| {
            self.readers[side.index()][way]?;
            let wins = |way: usize| self.wins(way, Belief::Least);
            let solved = Solved { ways: self.ways, side, wins: &wins, queens: &self.queens };
            Some(QueenSlice::solve(self.ways.all[way].seen_by(side), &solved))
        })
    }
}

/// A queen slice takes as long as this many pawn slices.
const QUEEN_WORK: u64 = 8;

/// The watcher is told after this much work.
const TOLD_WORK: u64 = 1 << 10;
