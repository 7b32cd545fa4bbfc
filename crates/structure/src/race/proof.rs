//! Proves the wins of both sides, from the ways with the fewest pawns on.
//!
//! Ways of one level read none of each other, so all threads solve them at once: first the pawn slices,
//! then the queen slices beside their pawns, which later ways read. A queen slice goes when the last way
//! that reads it is done; when there are too many they are packed.

use super::bitboard::squares;
use super::ground::{KingSets, mirrored_if};
use super::pawn_slice::{self, Belief, Wins};
use super::queen_slice::{FoundQueen, PackedSlice, QueenSlice, Solved};
use super::ways::{PawnMoveKind, Pawns, WayPlace, Ways};
use crate::graph::Watch;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
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

/// A queen slice in memory.
#[derive(Debug)]
pub(super) enum Stored {
    Ready(Box<QueenSlice>),
    Packed(PackedSlice),
}

impl Stored {
    fn n_bytes(&self) -> u64 {
        match self {
            Stored::Ready(slice) => slice.n_bytes() as u64,
            Stored::Packed(slice) => slice.n_bytes() as u64,
        }
    }

    fn slice(&self) -> Cow<'_, QueenSlice> {
        match self {
            Stored::Ready(slice) => Cow::Borrowed(slice),
            Stored::Packed(slice) => Cow::Owned(slice.unpacked()),
        }
    }
}

/// By way: the slices of a new queen of White's and of Black's.
type Queens = Vec<[Option<Stored>; 2]>;

impl Ways {
    /// By side, and then by way: the last way that reads the side's queen slice; none if no way does.
    pub(super) fn readers_of_queens(&self) -> [Vec<Option<usize>>; 2] {
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
                own.filter(|mv| matches!(mv.kind, PawnMoveKind::Promotion(_))).for_each(|mv| read(mv.next));
                if is_read {
                    pawns.moves_of_other().for_each(|mv| read(mv.next));
                    squares(pawns.all()).for_each(|square| read(pawns.without(square)));
                }
            }
            last
        })
    }
}

/// A run, as far as it has come.
struct Proof<'a> {
    ways: &'a Ways,
    known: Known,
    queens: Queens,
    readers: [Vec<Option<usize>>; 2],
    /// Whether new queen slices are packed.
    packs: bool,
}

impl Known {
    /// Proves what can be proved; none if the watcher stops it. Queen slices take about as much memory as is
    /// given here, and more only when all of them are packed.
    pub(super) fn new(ways: &Ways, memory_bytes: u64, watch: &dyn Watch) -> Option<Known> {
        let readers = ways.readers_of_queens();
        let mut ends: Vec<(usize, usize, Side)> = Vec::new();
        for (side, readers) in Side::BOTH.into_iter().zip(&readers) {
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
        let mut n_bytes = 0;
        for level in &ways.levels {
            let of_pawns = |way: usize| {
                (!watch.is_interrupted()).then(|| {
                    tell(1, "proving: pawns and kings");
                    proof.wins(way)
                })
            };
            let new: Option<Vec<_>> = level.clone().into_par_iter().map(of_pawns).collect();
            for (least, most) in new? {
                proof.known.least.push(least);
                proof.known.most.push(most);
            }
            let of_queens = |way: usize| {
                (!watch.is_interrupted()).then(|| {
                    let slices = proof.queens_of(way);
                    tell(QUEEN_WORK * slices.iter().flatten().count() as u64, "proving: new queens");
                    slices
                })
            };
            let new: Option<Queens> = level.clone().into_par_iter().map(of_queens).collect();
            let new = new?;
            n_bytes += new.iter().flatten().flatten().map(Stored::n_bytes).sum::<u64>();
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
        let of = |belief: Belief| {
            Side::BOTH.map(|side| {
                let of = |way: usize| &self.known.wins(way, belief)[side.index()];
                let view = View { ways: self.ways, side, wins: &of, queens: Some(&self.queens) };
                pawn_slice::solve(self.ways.all[way].seen_by(side), belief, &view)
            })
        };
        let (least, most) = (of(Belief::Least), of(Belief::Most));
        let most = (most != least).then(|| Box::new(most));
        (least, most)
    }

    /// The queen slices beside the pawns of a way that are read.
    fn queens_of(&self, way: usize) -> [Option<Stored>; 2] {
        Side::BOTH.map(|side| {
            self.readers[side.index()][way]?;
            let of = |way: usize| &self.known.wins(way, Belief::Least)[side.index()];
            let view = View { ways: self.ways, side, wins: &of, queens: Some(&self.queens) };
            let slice = QueenSlice::solve(self.ways.all[way].seen_by(side), &view);
            Some(if self.packs { Stored::Packed(slice.packed()) } else { Stored::Ready(Box::new(slice)) })
        })
    }
}

/// What is solved already, as one side sees it.
pub(super) struct View<'a> {
    pub(super) ways: &'a Ways,
    pub(super) side: Side,
    /// By way: the side's wins.
    pub(super) wins: &'a dyn Fn(usize) -> &'a Wins,
    pub(super) queens: Option<&'a [[Option<Stored>; 2]]>,
}

impl View<'_> {
    fn place(&self, pawns: Pawns) -> WayPlace {
        self.ways.find(self.side, pawns).expect("a move leads to a way")
    }

    fn queen_of(&self, side: Side, pawns: Pawns) -> Option<FoundQueen<'_>> {
        let WayPlace { number, is_mirrored } = self.place(pawns);
        let slice = self.queens?.get(number)?[side.index()].as_ref()?.slice();
        Some(FoundQueen { slice, is_mirrored })
    }
}

impl Solved for View<'_> {
    fn to_move(&self, pawns: Pawns) -> KingSets {
        let WayPlace { number, is_mirrored } = self.place(pawns);
        mirrored_if(is_mirrored, &(self.wins)(number).to_move)
    }

    fn waits(&self, pawns: Pawns) -> KingSets {
        let WayPlace { number, is_mirrored } = self.place(pawns);
        mirrored_if(is_mirrored, &(self.wins)(number).waits)
    }

    fn queen(&self, pawns: Pawns) -> Option<FoundQueen<'_>> {
        self.queen_of(self.side, pawns)
    }

    fn queen_of_defender(&self, pawns: Pawns) -> Option<FoundQueen<'_>> {
        self.queen_of(!self.side, pawns)
    }
}
