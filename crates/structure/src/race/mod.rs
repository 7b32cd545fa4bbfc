//! Decides endings of kings and pawns: proves who wins with sets of squares of the two kings.
//!
//! Most of the work that a pawn ending takes goes into positions with new queens, and these are asked one
//! thing: does the queen win here? So each way for the pawns to stand is solved as sets of two kings, which
//! takes microseconds, and a new queen gets a slice of her own, in which wins of hers are proved and nothing
//! else is found:
//!
//! ```text
//!   ways ─► wins by a rule of thumb ─► a guess within seconds
//!     └─► by level: pawn slices (at least these wins, at most those) ─► queen slices beside
//!              └─► a file of both bounds
//! ```
//!
//! The wins that are proved and those that are not disproved are bounds of each value, as those of runs
//! inside a limit are: a position is known where they meet.

mod bitboard;
mod ground;
mod pawn_slice;
mod proof;
mod queen_sets;
mod queen_slice;
mod ways;

use crate::file::{FileIndex, TableIndex, open_part, part_path};
use crate::graph::{TableId, Watch};
use crate::page::page_key;
use crate::run::Place;
use crate::{Bound, Estimate, Limit, StructureError};
use bitboard::{bit, squares};
use format::PageStore;
use geometry::Square;
use ground::{Ground, KingSets, Wins, mirrored_if, turned};
use index::{Layout, MAX_PLACED, SliceId};
use pawn_slice::Belief;
use position::{Position, RuleBook};
use proof::{Proof, QueenReaders, WinsOfWays, most_queens};
use queen_slice::Queens;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};
use table::{Code, Ply, Value, threads};
use variant::{Man, Material, Side, Variant};
use ways::{Pawns, Ways};

/// The most memory that a way takes while later ones read it: wins of both sides, those that are proved and
/// those that are not disproved. And what each way takes as long as the run lasts: its number, its readers,
/// its squares in the index of the file.
const WAY_BYTES: u64 = 2 * size_of::<[Wins; 2]>() as u64 + 64;
const WAY_INDEX_BYTES: u64 = 300;

/// The time that a way takes with its guess and its place in the file, and a queen slice; the memory of a
/// queen slice; what a way takes in the file. Source: docs/benchmarks/2026-11-30-race-memory.md.
const WAY_SECONDS: f64 = 70e-6;
const QUEEN_SECONDS: f64 = 350e-6;
const QUEEN_BYTES: u64 = 6_000;
const FILE_BYTES: u64 = 1_000;

/// The most ways of which something is said at all.
const MAX_WAYS: u64 = 1 << 22;

/// An ending of kings and pawns.
pub(crate) struct Race<'a> {
    variant: &'a Variant,
    roots: &'a [Position],
    ways: Ways,
    readers: QueenReaders,
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RaceSize {
    /// In how many ways pawns may come to stand, mirror images being one.
    pub n_ways: usize,
    /// How many queen slices there are: ways beside which a new queen of one side stands.
    pub n_queens: usize,
}

/// Two kings and the side to move, beside pawns.
#[derive(Clone, Copy, Debug)]
struct Kings {
    pawns: Pawns,
    kings: [usize; 2],
    stm: Side,
}

impl Kings {
    fn new(variant: &Variant, position: &Position) -> Self {
        let squares_of = |side: Side, are_pawns: bool| {
            let own = position.men_of(side).filter(|(man, _)| variant.is_pawn(*man) == are_pawns);
            own.fold(0, |all, (_, square)| all | bit(square.index()))
        };
        let king = |side: Side| squares_of(side, false).trailing_zeros() as usize;
        let pawns = Pawns { own: squares_of(Side::White, true), other: squares_of(Side::Black, true) };
        Kings { pawns, kings: Side::BOTH.map(king), stm: position.stm() }
    }

    /// Whether a side's wins with these pawns have this position.
    fn is_won(&self, wins: &Wins, side: Side) -> bool {
        let square = |king: usize| if side == Side::White { king } else { king ^ 56 };
        let sets = if side == self.stm { &wins.to_move } else { &wins.waits };
        let own = square(self.kings[side.index()]);
        sets[own] & bit(square(self.kings[(!side).index()])) != 0
    }

    fn mirrored_if(self, is_mirrored: bool) -> Self {
        let mirror = if is_mirrored { 7 } else { 0 };
        Kings { kings: self.kings.map(|king| king ^ mirror), ..self }
    }
}

/// Whether positions have kings and pawns alone, under the rules of chess.
pub(crate) fn suits(variant: &Variant, roots: &[Position]) -> bool {
    let rules = |variant: &Variant| {
        let (king, pawn) = (variant.piece_lettered('K')?, variant.piece_lettered('P')?);
        let men = Side::BOTH.map(|side| [king, pawn].map(|piece| Man { side, piece }));
        Some((king, variant.rules_hash(&Material::from_men(men.into_iter().flatten()))))
    };
    let Some((king, own)) = rules(variant) else { return false };
    let has_kings_and_pawns = |root: &Position| {
        let kings = |side: Side| root.men_of(side).filter(|(man, _)| man.piece == king).count();
        let are_plain = root.men().all(|(man, _)| man.piece == king || variant.is_pawn(man));
        are_plain && Side::BOTH.into_iter().all(|side| kings(side) == 1)
    };
    let are_few = roots.iter().all(|root| root.n_men() <= MAX_PLACED);
    are_few
        && roots.iter().all(has_kings_and_pawns)
        && rules(&Variant::chess()).is_some_and(|(_, chess)| chess == own)
}

impl<'a> Race<'a> {
    /// Follows the pawns of positions; none if these do not suit, if pawns can stand in more ways than
    /// memory holds, or if the watcher stops it.
    pub(crate) fn new(
        variant: &'a Variant,
        roots: &'a [Position],
        memory_bytes: u64,
        watch: &dyn Watch,
    ) -> Option<Self> {
        if !suits(variant, roots) {
            return None;
        }
        let mut pawns: Vec<Pawns> = roots.iter().map(|root| Kings::new(variant, root).pawns).collect();
        let book = RuleBook::new(variant);
        // A right to capture en passant lasts one ply, and no way has it.
        for root in roots {
            root.for_each_successor(&book, |mv, next| {
                if mv.is_en_passant() {
                    pawns.push(Kings::new(variant, next).pawns);
                }
            });
        }
        let most = (memory_bytes / 2 / WAY_INDEX_BYTES).min(MAX_WAYS) as usize;
        let limit = Limit::race();
        let goes_on = |n_ways: usize| {
            watch.followed(&limit, n_ways);
            !watch.is_interrupted()
        };
        let ways = Ways::new(&pawns, most, goes_on)?;
        let readers = ways.readers_of_queens(goes_on)?;
        Some(Race { variant, roots, ways, readers })
    }

    /// How much is to be proved.
    pub(crate) fn size(&self) -> RaceSize {
        let n_queens = self.readers.iter().flatten().flatten().count();
        RaceSize { n_ways: self.ways.all.len(), n_queens }
    }

    /// What proving takes with this many threads.
    pub(crate) fn estimate(&self, n_threads: usize) -> Estimate {
        let RaceSize { n_ways, n_queens } = self.size();
        let (n_ways, n_queens) = (n_ways as u64, n_queens as u64);
        Estimate {
            n_slices: n_ways,
            // Two sides to move, for two bounds.
            n_values: n_ways * 4 * 64 * 64,
            seconds: (n_ways as f64 * WAY_SECONDS + n_queens as f64 * QUEEN_SECONDS)
                / n_threads.max(1) as f64,
            memory_bytes: n_ways * WAY_INDEX_BYTES
                + self.ways.most_kept() as u64 * WAY_BYTES
                + most_queens(&self.readers) * QUEEN_BYTES,
            disk_bytes: n_ways * FILE_BYTES,
            by_men: Vec::new(),
        }
    }

    /// Guesses who wins each position by the rule of thumb; none for a draw. No guess at all if the watcher
    /// stops it, or if a pawn of a position may be captured en passant.
    pub(crate) fn guess(&self, watch: &dyn Watch) -> Option<Vec<Option<Side>>> {
        if self.roots.iter().any(|root| root.en_passant().is_some()) {
            return None;
        }
        let mut wins = WinsOfWays::with_capacity(self.ways.all.len());
        let queens = Queens::new();
        let place_of = |root: &Position| {
            let kings = Kings::new(self.variant, root);
            let place = self.ways.find(Side::White, kings.pawns).expect("a root is a way");
            (place.number, kings.mirrored_if(place.is_mirrored))
        };
        let places: Vec<_> = self.roots.iter().map(place_of).collect();
        let mut winners = vec![None; places.len()];
        for level in &self.ways.levels {
            wins[self.ways.gone(level)].fill_with(|| None);
            let of_way = |way: usize| wins[way].as_deref().expect("it is kept as long as it is read");
            let solved = |way: usize| match watch.is_interrupted() {
                true => Err(()),
                false => Ok(Box::new(self.ways.solve(way, Belief::Thumb, &of_way, &queens))),
            };
            wins.extend(threads::try_map(level.clone(), solved).ok()?.into_iter().map(Some));
            watch.raced(wins.len() as u64, self.ways.all.len() as u64, "a first guess");
            // A later level may not have these wins any more.
            let of_level = places.iter().zip(&mut winners).filter(|((way, _), _)| level.contains(way));
            for ((way, kings), winner) in of_level {
                let wins = wins[*way].as_deref().expect("they were found just now");
                *winner = Side::BOTH.into_iter().find(|&side| kings.is_won(&wins[side.index()], side));
            }
        }
        Some(winners)
    }

    /// Proves what can be proved, and writes a file of both bounds.
    ///
    /// # Errors
    /// The caller has stopped the run, or the file cannot be written.
    pub(crate) fn solve(
        &self,
        head: FileIndex,
        path: &Path,
        watch: &dyn Watch,
    ) -> Result<(), StructureError> {
        // A race begins anew, whatever is left of another.
        drop(fs::remove_file(part_path(path)));
        let writer = open_part(path, head.identity())?;
        let tables = self.prove(&writer, &head.bounds, watch);
        if tables.is_err() {
            drop(fs::remove_file(writer.part()));
        }
        let tables = tables?.into_values().collect();
        writer.seal(path, &FileIndex { tables, ..head }).map_err(StructureError::io("write", path))
    }

    /// Proves what can be proved, and writes the ways with as many pawns as soon as all of them are done:
    /// by table what the index says of it.
    fn prove(
        &self,
        writer: &PageStore,
        bounds: &[Bound],
        watch: &dyn Watch,
    ) -> Result<BTreeMap<TableId, TableIndex>, StructureError> {
        let interrupted = || StructureError::Interrupted { path: None };
        let mut proof = Proof::new(&self.ways, &self.readers, watch);
        let men: BTreeSet<Vec<Man>> = self.ways.all.iter().map(|way| self.men(way)).collect();
        let numbers: BTreeMap<Vec<Man>, u32> = men.into_iter().zip((0..).step_by(bounds.len())).collect();
        let mut tables = BTreeMap::new();
        let n_pawns = |level: &Range<usize>| self.ways.all[level.start].all().count_ones();
        for levels in self.ways.levels.chunk_by(|a, b| n_pawns(a) == n_pawns(b)) {
            for level in levels {
                proof.solve(level.clone()).ok_or_else(interrupted)?;
            }
            let ways = levels[0].start..levels[levels.len() - 1].end;
            for (men, choices) in self.choices(ways) {
                let number = numbers[&men];
                let material = Material::from_men(men);
                let layout = Arc::new(match choices.iter().all(Vec::is_empty) {
                    true => Layout::new(self.variant, &material),
                    false => Layout::of_slices(self.variant, &material, &choices),
                });
                for (&bound, table) in bounds.iter().zip((number..).map(TableId)) {
                    if watch.is_interrupted() {
                        return Err(interrupted());
                    }
                    let place = Place::of_slices(table, &layout);
                    let written = self.write(&proof, writer, &place, bound);
                    written.map_err(StructureError::io("write", writer.part()))?;
                    tables.insert(table, place.index(self.variant, bound));
                }
            }
        }
        Ok(tables)
    }

    /// The men of a way; a layout lists White's first.
    fn men(&self, way: &Pawns) -> Vec<Man> {
        let piece = |letter| self.variant.piece_lettered(letter).expect("these are the men of chess");
        let (king, pawn) = (piece('K'), piece('P'));
        let own = [(Side::White, way.own), (Side::Black, way.other)];
        let men = own.into_iter().flat_map(|(side, pawns)| {
            let pawns = std::iter::repeat_n(Man { side, piece: pawn }, pawns.count_ones() as usize);
            std::iter::once(Man { side, piece: king }).chain(pawns)
        });
        men.collect()
    }

    /// By the men: the squares of the pawns of each of some ways, as layouts want them.
    fn choices(&self, ways: Range<usize>) -> BTreeMap<Vec<Man>, Vec<Vec<Square>>> {
        let mut all: BTreeMap<Vec<Man>, Vec<Vec<Square>>> = BTreeMap::new();
        for way in &self.ways.all[ways] {
            let squares = squares(way.own).chain(squares(way.other)).map(Square::from_index);
            all.entry(self.men(way)).or_default().push(squares.collect());
        }
        all
    }

    /// Writes the bounds of a material.
    fn write(&self, proof: &Proof<'_>, writer: &PageStore, place: &Place, bound: Bound) -> io::Result<()> {
        let layout = &place.layout;
        let codes_of = BoundCodes { race: self, proof, layout, kings: self.kings_of(layout), bound };
        for &stm in layout.sides() {
            let n_pages = layout.len().div_ceil(place.page_len);
            threads::try_for_each(0..n_pages, |page| {
                let numbers = page * place.page_len..layout.len().min((page + 1) * place.page_len);
                let mut codes = Vec::with_capacity(numbers.len());
                for slice in numbers.step_by(layout.slice_len()) {
                    codes.extend(codes_of.slice(SliceId::from_index(slice / layout.slice_len()), stm));
                }
                writer.put(page_key(place.table, 0, page as u32, stm), u8::borrowed(&codes))
            })?;
        }
        writer.finish_whole(place.table.0)
    }

    /// Where a layout of two kings and pawns has the kings, by the number within a slice.
    fn kings_of(&self, layout: &Layout) -> Vec<[usize; 2]> {
        let king = |side: Side| {
            let is_king = |man: &Man| man.side == side && !self.variant.is_pawn(*man);
            layout.men().iter().position(is_king).expect("either side has a king")
        };
        let kings = Side::BOTH.map(king);
        let squares = |number: usize| {
            let placement = layout.decode(number);
            kings.map(|king| placement[king].index())
        };
        (0..layout.slice_len()).map(squares).collect()
    }
}

/// A bound of a material, to be written as codes.
struct BoundCodes<'a> {
    race: &'a Race<'a>,
    proof: &'a Proof<'a>,
    layout: &'a Layout,
    /// By the number within a slice: the squares of both kings.
    kings: Vec<[usize; 2]>,
    bound: Bound,
}

impl BoundCodes<'_> {
    /// The codes of a slice.
    fn slice(&self, slice: SliceId, stm: Side) -> impl Iterator<Item = u8> {
        let mut pawns = Pawns { own: 0, other: 0 };
        for (&man, square) in self.layout.pawns().iter().zip(self.layout.pawn_squares(slice)) {
            let is_white = self.layout.men()[man].side == Side::White;
            *(if is_white { &mut pawns.own } else { &mut pawns.other }) |= bit(square.index());
        }
        let place = self.race.ways.find(Side::White, pawns).expect("the slice is one of a way");
        // A lower bound has the wins of White's that are proved, and those of Black's that may be.
        let proved = self.bound.winner_outside().map_or(Side::White, |winner| !winner);
        // By White's king: where a side wins, by the squares of Black's king.
        let sets = |side: Side| -> KingSets {
            let belief = if side == proved { Belief::Least } else { Belief::Most };
            let wins = &self.proof.wins(place.number, belief)[side.index()];
            let sets = if side == stm { &wins.to_move } else { &wins.waits };
            let sets = mirrored_if(place.is_mirrored, sets);
            if side == Side::White { sets } else { turned(&sets) }
        };
        let won = Side::BOTH.map(sets);
        let ground = Ground::new(pawns.seen_by(stm));
        let legal: KingSets = std::array::from_fn(|king| ground.attacker_to_move(king));
        let legal = if stm == Side::White { legal } else { turned(&legal) };
        let code = |value: Value| u8::from_value(value).expect("a code has room for small plies");
        let [illegal, draw] = [Value::Illegal, Value::Draw].map(code);
        let [win, loss] = [Value::Win(Ply(1)), Value::Loss(Ply(0))].map(code);
        // By what is so: the first two sides win, the position is legal. What is proved comes first.
        let winners = [None, Some(proved), Some(!proved), Some(proved)];
        let values = winners.map(|winner| match winner {
            None => draw,
            Some(winner) if winner == stm => win,
            Some(_) => loss,
        });
        let codes: [u8; 8] = std::array::from_fn(|so| if so < 4 { illegal } else { values[so % 4] });
        let [first, second] = [proved, !proved].map(|side| won[side.index()]);
        self.kings.iter().map(move |&[white, black]| {
            let has = |sets: &KingSets| usize::from(sets[white] & bit(black) != 0);
            codes[has(&first) | has(&second) << 1 | has(&legal) << 2]
        })
    }
}

#[cfg(test)]
mod tests;
