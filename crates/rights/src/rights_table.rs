//! Solves all positions of one choice of men and rights.
//!
//! Free pawns only go forward, so positions are taken layer by layer, those with the farthest pawns first:
//! within a layer no pawn moves, and a pawn's move leads to a layer that is solved. Ranges of numbers are
//! shared among threads of its own.

use crate::RightsKey;
use crate::error::NoValue;
use crate::moves::Moves;
use parking_lot::Mutex;
use position::{Move, Position, RuleBook};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{Code, MoveKind, Scale, Value};
use variant::{Side, Variant, Verdict};

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

/// A place that is not in the layer.
const ELSEWHERE: u32 = u32::MAX;

/// A code, a place, a number in a layer, where moves end and begin, the best exit, and what is due.
const BYTES_A_NUMBER: u64 = 32;

/// A place in `moves`.
const BYTES_A_MOVE: u64 = 4;

/// How many positions a thread takes at a time.
const CHUNK: usize = 1 << 11;

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
    pub(crate) fn codes(&self) -> &[u16] {
        &self.codes
    }

    /// How much memory it takes.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        2 * self.codes.len() as u64
    }

    /// How much memory solving a key takes at most, roughly: of each number its code, its place, and twice
    /// the moves that stay. A free man has as many as a queen in the middle of an empty board.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn footprint_bytes(variant: &Variant, key: &RightsKey) -> u64 {
        let n_moves = (variant.board.files() + variant.board.ranks()) as u64;
        // Of every placement there are two numbers, and only one side moves in each.
        key.n_numbers(variant) * (BYTES_A_NUMBER + 2 * BYTES_A_MOVE * n_moves * key.n_free() as u64)
    }

    /// Solves a key.
    ///
    /// Complexity: one look at each move.
    ///
    /// # Errors
    /// A value behind a move is not to be had.
    pub(crate) fn solve(setting: Setting<'_>, key: RightsKey, exit: &Exit<'_>) -> Result<Self, NoValue> {
        let Setting { book, scale, n_threads } = setting;
        let variant = book.variant();
        let n_numbers = key.n_numbers(variant) as usize;
        let mut table = RightsTable { key, codes: vec![u16::ILLEGAL; n_numbers] };
        let legal = in_chunks(n_numbers, CHUNK, n_threads, &|range| {
            let advance = |number| {
                let position = table.key.position(variant, number)?;
                position.is_legal(book).then(|| (advance(variant, &position), number as u32))
            };
            range.filter_map(advance).collect::<Vec<(usize, u32)>>()
        });
        let mut layers: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (advance, number) in legal.into_iter().flatten() {
            layers.entry(advance).or_default().push(number);
        }
        let mut places = vec![ELSEWHERE; n_numbers];
        for numbers in layers.into_values().rev() {
            for (place, &number) in numbers.iter().enumerate() {
                places[number as usize] = place as u32;
            }
            let listed = in_chunks(numbers.len(), CHUNK, n_threads, &|range| {
                let mut moves = Moves::default();
                for &number in &numbers[range] {
                    let position = table.key.position(variant, number as usize).expect("it was there before");
                    table.list(book, scale, &position, (&places, &mut moves), exit)?;
                }
                Ok(moves)
            });
            let mut moves = Moves::default();
            for part in listed {
                moves.append(part?);
            }
            for (&number, value) in numbers.iter().zip(moves.solve(scale.metric())) {
                table.codes[number as usize] = u16::from_value(value).expect("fewer than 32,766 plies");
                places[number as usize] = ELSEWHERE;
            }
        }
        Ok(table)
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

    /// Adds the moves of the next position of the layer whose places these are.
    fn list(
        &self,
        book: &RuleBook,
        scale: &Scale,
        position: &Position,
        (places, moves): (&[u32], &mut Moves),
        exit: &Exit<'_>,
    ) -> Result<(), NoValue> {
        let best = best_move(book, scale, position, |mv, next, best| {
            let stays = self.stays(mv, next);
            if stays && !mv.zeroing {
                moves.add(places[self.key.number(book.variant(), next, false)]);
                return Ok(None);
            }
            // What is no better than another move need not be known.
            let enough = |value: Value| {
                let worth = best.zip(before(mv, value, scale));
                worth.is_some_and(|(best, worth)| worth.preference(&best).is_le())
            };
            self.value_behind(book, scale, next, stays, (exit, &enough)).map(Some)
        })?;
        let has_move = best.is_some() || moves.has_inside();
        moves.end(if has_move { best } else { Some(value_at_end(book, position)) });
        Ok(())
    }

    /// Whether a move leads to a position of the same men and rights.
    fn stays(&self, mv: &Move, next: &Position) -> bool {
        next.castling() == self.key.rights() && !mv.is_conversion()
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
        if !is_own {
            return exit(next, enough);
        }
        if !en_passant_matters(book.variant(), next) {
            return Ok(self.value(book.variant(), next, false));
        }
        let best = best_move(book, scale, next, |mv, after, _| {
            self.value_behind(book, scale, after, self.stays(mv, after), (exit, &|_| false)).map(Some)
        })?;
        Ok(best.unwrap_or_else(|| value_at_end(book, next)))
    }
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
fn value_at_end(book: &RuleBook, position: &Position) -> Value {
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
