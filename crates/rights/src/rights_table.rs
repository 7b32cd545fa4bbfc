//! Solves all positions of one choice of men and rights.
//!
//! Free pawns only go forward, so positions are taken layer by layer, those with the farthest pawns first:
//! within a layer no pawn moves, and a pawn's move leads to a layer that is solved.
//!
//! Every position of a layer keeps how many of its moves stay in the layer, and the best that the others
//! are worth, counted from before the move. A position is won in n plies if another move wins in n or one
//! that stays leads to a position lost in n − 1; it is lost in n if all moves lose, the last of them in n.
//! Whatever the metric counts, moves that stay count one ply each, so the plies come in order, and from
//! what a ply decides the moves that stay are taken back. The rest is drawn. Under `wdl` the plies are
//! forgotten in the end.
//!
//! Moves are taken back and not listed: a list of them would take ten times the memory of all else. Ranges
//! of numbers are shared among threads of its own.

use crate::RightsKey;
use parking_lot::Mutex;
use position::{Move, Position, RuleBook};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Code, MoveKind, Ply, Scale, Value};
use variant::{Metric, Side, Variant, Verdict};

/// A value is not to be had; its source has the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoValue;

/// The values of all positions with the same men and the same rights.
#[derive(Clone, Debug)]
pub struct RightsTable {
    key: RightsKey,
    /// Codes of two bytes, by number.
    codes: Vec<u16>,
}

/// The value of a legal position with other men or fewer rights, a right to capture en passant heeded; or a
/// lower bound of it that is enough for the side to move.
pub(crate) type Exit<'a> = dyn Fn(&Position, &dyn Fn(Value) -> bool) -> Result<Value, NoValue> + Sync + 'a;

/// The rules, how values are counted, and how many threads compute.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) book: &'a RuleBook,
    pub(crate) scale: &'a Scale,
    pub(crate) n_threads: usize,
}

/// The moves of a position.
#[derive(Clone, Copy, Default)]
struct Moves {
    /// How many of those that stay in the layer lead to positions that are not won.
    n_inside: u16,
    /// What the best of the others is worth to the mover, as a code; of a position without any move its
    /// value, and illegal if all moves stay.
    exit: u16,
}

/// Of each number its code and its moves, its place among the positions of its layer, twice while they are
/// sorted into layers, and among those that are due.
const BYTES_A_NUMBER: u64 = 32;

/// How many positions a thread takes at a time.
const CHUNK: usize = 1 << 11;

/// From how many positions at a time moves are taken back.
const BATCH: usize = 1 << 16;

impl RightsTable {
    /// A table of these codes, by number.
    ///
    /// # Panics
    /// If there are more or fewer codes than the key has numbers.
    pub(crate) fn from_codes(variant: &Variant, key: RightsKey, codes: Vec<u16>) -> Self {
        assert_eq!(codes.len() as u64, key.n_numbers(variant), "codes of {}", key.name(variant));
        RightsTable { key, codes }
    }

    /// The men and rights.
    #[must_use]
    pub fn key(&self) -> &RightsKey {
        &self.key
    }

    /// The codes, by number.
    #[must_use]
    pub fn codes(&self) -> &[u16] {
        &self.codes
    }

    /// How much memory the table of a key takes.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn kept_bytes(variant: &Variant, key: &RightsKey) -> u64 {
        key.n_numbers(variant) * size_of::<u16>() as u64
    }

    /// How much memory solving a key takes at most, roughly.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn footprint_bytes(variant: &Variant, key: &RightsKey) -> u64 {
        key.n_numbers(variant) * BYTES_A_NUMBER
    }

    /// Solves a key.
    ///
    /// Complexity: one look at each move, and one back at each move that stays.
    ///
    /// # Errors
    /// A value behind a move is not to be had.
    pub(crate) fn solve(setting: Setting<'_>, key: RightsKey, exit: &Exit<'_>) -> Result<Self, NoValue> {
        let Setting { book, n_threads, .. } = setting;
        let variant = book.variant();
        let n_numbers = key.n_numbers(variant) as usize;
        let mut table = RightsTable { key, codes: vec![u16::ILLEGAL; n_numbers] };
        let legal = in_chunks(n_numbers, CHUNK, n_threads, &|range| {
            let advance = |number| {
                let position = table.key.position(variant, number)?;
                position.is_legal(book).then(|| (advance(variant, &position) as u32, number as u32))
            };
            range.filter_map(advance).collect::<Vec<(u32, u32)>>()
        });
        let mut layers: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (advance, number) in legal.into_iter().flatten() {
            layers.entry(advance).or_default().push(number);
        }
        let mut moves = vec![Moves::default(); n_numbers];
        for numbers in layers.into_values().rev() {
            let listed = in_chunks(numbers.len(), CHUNK, n_threads, &|range| {
                let list = |&number: &u32| table.list(setting, number as usize, exit);
                numbers[range].iter().map(list).collect::<Result<Vec<Moves>, NoValue>>()
            });
            let mut places = numbers.iter();
            for part in listed {
                for (own, &number) in part?.into_iter().zip(places.by_ref()) {
                    moves[number as usize] = own;
                }
            }
            table.decide(setting, &numbers, &mut moves);
        }
        Ok(table)
    }

    /// Finds the values of the positions of a layer from their moves.
    fn decide(&mut self, setting: Setting<'_>, numbers: &[u32], moves: &mut [Moves]) {
        // By ply: positions that another move wins then, if nothing wins earlier, and those that are lost.
        let mut due: Vec<Vec<u32>> = Vec::new();
        for &number in numbers {
            let Moves { n_inside, exit } = moves[number as usize];
            let is_known = n_inside == 0 && matches!(exit.value(), Value::Loss(_) | Value::Stalemate);
            self.codes[number as usize] = if is_known { exit } else { u16::DRAW };
            match exit.value() {
                Value::Win(ply) => add_due(&mut due, ply, number),
                Value::Loss(ply) if is_known => add_due(&mut due, ply, number),
                _ => {}
            }
        }
        let (mut ply, mut found) = (Ply(0), Vec::new());
        while usize::from(ply.0) < due.len() || !found.is_empty() {
            for number in due.get_mut(usize::from(ply.0)).map(std::mem::take).unwrap_or_default() {
                let code = &mut self.codes[number as usize];
                match code.value() {
                    Value::Draw => {
                        *code = code_of(Value::Win(ply));
                        found.push(number);
                    }
                    Value::Loss(_) => found.push(number),
                    // A move that stays wins as soon.
                    _ => {}
                }
            }
            let (next_ply, mut next) = (ply.next(), Vec::new());
            for batch in found.chunks(BATCH) {
                for (number, is_won) in self.earlier(setting, batch, moves) {
                    let (code, own) = (&mut self.codes[number as usize], &mut moves[number as usize]);
                    if *code != u16::DRAW {
                        continue;
                    }
                    if !is_won {
                        *code = code_of(Value::Win(next_ply));
                        next.push(number);
                        continue;
                    }
                    own.n_inside -= 1;
                    let lost_in = match own.exit.value() {
                        Value::Illegal => next_ply,
                        Value::Loss(exit) => next_ply.max(exit),
                        _ => continue,
                    };
                    if own.n_inside > 0 {
                        continue;
                    }
                    *code = code_of(Value::Loss(lost_in));
                    match lost_in == next_ply {
                        true => next.push(number),
                        false => add_due(&mut due, lost_in, number),
                    }
                }
            }
            (ply, found) = (next_ply, next);
        }
        if setting.scale.metric() == Metric::Wdl {
            for &number in numbers {
                let code = &mut self.codes[number as usize];
                *code = code_of(code.value().without_distance());
            }
        }
    }

    /// The undecided positions from which moves that stay lead to these, once for each such move, with
    /// whether the position that it leads to is won.
    fn earlier(&self, setting: Setting<'_>, batch: &[u32], moves: &[Moves]) -> Vec<(u32, bool)> {
        let Setting { book, n_threads, .. } = setting;
        let variant = book.variant();
        let parts = in_chunks(batch.len(), CHUNK, n_threads, &|range| {
            let mut earlier = Vec::new();
            for &number in &batch[range] {
                let is_won = matches!(self.codes[number as usize].value(), Value::Win(_));
                let position = self.key.position(variant, number as usize).expect("it was there before");
                // A check that counts leads here from another key.
                if variant.rules.check_counting.is_some() && position.is_in_check(book) {
                    continue;
                }
                position.for_each_quiet_unmove(book, &mut |before| {
                    let number = self.key.number(variant, before, false);
                    // Where the game is over, or a capture is compulsory, no move stays.
                    if self.codes[number] == u16::DRAW && moves[number].n_inside > 0 {
                        earlier.push((number as u32, is_won));
                    }
                });
            }
            earlier
        });
        parts.concat()
    }

    /// The value of a legal position of this key, or of its image with the colours exchanged, as if no pawn
    /// could capture en passant.
    #[must_use]
    pub(crate) fn value(&self, variant: &Variant, position: &Position, is_swapped: bool) -> Value {
        self.codes[self.key.number(variant, position, is_swapped)].value()
    }

    /// How many numbers there are.
    #[must_use]
    pub fn n_numbers(&self) -> usize {
        self.codes.len()
    }

    /// The value with this number; illegal where it stands for no legal position.
    ///
    /// # Panics
    /// If there is no such number.
    #[must_use]
    pub fn value_of(&self, number: usize) -> Value {
        self.codes[number].value()
    }

    /// The position with this number, legal or not; none where men share a square, stand where they cannot,
    /// or where another number stands for it.
    #[must_use]
    pub fn position(&self, variant: &Variant, number: usize) -> Option<Position> {
        self.key.position(variant, number)
    }

    /// The moves of the position with a number.
    fn list(&self, setting: Setting<'_>, number: usize, exit: &Exit<'_>) -> Result<Moves, NoValue> {
        let Setting { book, scale, .. } = setting;
        let position = self.key.position(book.variant(), number).expect("it was there before");
        let mut n_inside = 0;
        let best = best_move(book, scale, &position, |mv, next, best| {
            let stays = self.stays(mv, next);
            if stays && !mv.zeroing {
                n_inside += 1;
                return Ok(None);
            }
            // What is no better than another move need not be known.
            let enough = |value: Value| {
                let worth = best.zip(before(mv, value, scale));
                worth.is_some_and(|(best, worth)| worth.preference(&best).is_le())
            };
            self.value_behind(book, scale, next, stays, (exit, &enough)).map(Some)
        })?;
        let exit = match best {
            None if n_inside == 0 => value_at_end(book, &position),
            None => Value::Illegal,
            Some(best) => best,
        };
        Ok(Moves { n_inside, exit: code_of(exit) })
    }

    /// Whether a move leads to a position of the same men, rights and checks.
    fn stays(&self, mv: &Move, next: &Position) -> bool {
        next.castling() == self.key.rights() && !mv.is_conversion() && !mv.is_counted_check
    }

    /// The value of a position in a layer that is solved, or of another key.
    fn value_behind(
        &self,
        book: &RuleBook,
        scale: &Scale,
        next: &Position,
        is_own: bool,
        (exit, enough): (&Exit<'_>, &dyn Fn(Value) -> bool),
    ) -> Result<Value, NoValue> {
        if !en_passant_matters(book.variant(), next) {
            return if is_own { Ok(self.value(book.variant(), next, false)) } else { exit(next, enough) };
        }
        let best = best_move(book, scale, next, |mv, after, _| {
            let is_own = is_own && self.stays(mv, after);
            self.value_behind(book, scale, after, is_own, (exit, &|_| false)).map(Some)
        })?;
        Ok(best.unwrap_or_else(|| value_at_end(book, next)))
    }
}

fn code_of(value: Value) -> u16 {
    u16::from_value(value).expect("fewer than 32,766 plies")
}

/// Adds a position to those of a ply.
fn add_due(due: &mut Vec<Vec<u32>>, ply: Ply, number: u32) {
    let ply = usize::from(ply.0);
    if due.len() <= ply {
        due.resize_with(ply + 1, Vec::new);
    }
    due[ply].push(number);
}

/// The best that the moves of a position are worth, by the values behind them: `value` gets each move, the
/// position that it leads to, and the best so far. Moves of which it gives no value do not count.
fn best_move(
    book: &RuleBook,
    scale: &Scale,
    position: &Position,
    mut value: impl FnMut(&Move, &Position, Option<Value>) -> Result<Option<Value>, NoValue>,
) -> Result<Option<Value>, NoValue> {
    let mut best = Ok(None);
    position.for_each_successor_while(book, |mv, next| {
        best = best.and_then(|so_far| {
            let found = value(&mv, next, so_far)?;
            Ok(preferred(so_far, found.and_then(|value| before(&mv, value, scale))))
        });
        best.is_ok()
    });
    best
}

/// Whether there is a right to capture en passant and a pawn that might use it.
fn en_passant_matters(variant: &Variant, position: &Position) -> bool {
    position.en_passant().is_some() && position.men_of(position.stm()).any(|(man, _)| variant.is_pawn(man))
}

/// How far the pawns have come together.
fn advance(variant: &Variant, position: &Position) -> usize {
    let ranks = variant.board.ranks();
    let pawns = position.men().filter(|&(man, _)| variant.is_pawn(man));
    let advance = pawns.map(|(man, square)| match man.side {
        Side::White => variant.board.rank_of(square),
        Side::Black => ranks - 1 - variant.board.rank_of(square),
    });
    advance.sum()
}

/// What a move to a position of this value is worth to the side that makes it.
fn before(mv: &Move, value: Value, scale: &Scale) -> Option<Value> {
    value.before_move_of(MoveKind::new(mv.is_conversion(), mv.zeroing), scale)
}

/// The value of a position without a legal move.
pub(crate) fn value_at_end(book: &RuleBook, position: &Position) -> Value {
    let verdict = position.winner(book).map(|winner| match winner == position.stm() {
        true => Verdict::Win,
        false => Verdict::Loss,
    });
    Value::at_end(verdict)
}

/// The one of two values that the mover prefers.
fn preferred(best: Option<Value>, other: Option<Value>) -> Option<Value> {
    match (best, other) {
        (Some(best), Some(other)) if other.preference(&best).is_gt() => Some(other),
        (best, other) => best.or(other),
    }
}

/// Calls `work` for each range of `chunk` numbers and returns the results in order.
///
/// Threads of a pool would take up other work while they wait, such as another question that waits for what
/// is being solved here, and both would wait for ever.
fn in_chunks<T: Send>(
    n_numbers: usize,
    chunk: usize,
    n_threads: usize,
    work: &(dyn Fn(Range<usize>) -> T + Sync),
) -> Vec<T> {
    let n_chunks = n_numbers.div_ceil(chunk);
    let range = |number: usize| number * chunk..n_numbers.min((number + 1) * chunk);
    if n_threads < 2 || n_chunks < 2 {
        return (0..n_chunks).map(|number| work(range(number))).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(n_chunks)));
    let run = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= n_chunks {
                return;
            }
            let made = work(range(number));
            done.lock().push((number, made));
        }
    };
    std::thread::scope(|scope| {
        // The system may refuse threads where memory is short; this one works in any case.
        let spawn = || std::thread::Builder::new().spawn_scoped(scope, run);
        (1..n_threads.min(n_chunks)).map_while(|_| spawn().ok()).for_each(drop);
        run();
    });
    let mut done = done.into_inner();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, made)| made).collect()
}
