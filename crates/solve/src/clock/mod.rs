//! Finds the distance to mate under the n-move rule, for every state of the rule's clock.
//!
//! The clock counts plies since the last capture or pawn move. A move of a mobile man leads from a clock to
//! the next one, a capture or a pawn move to a position with the clock at 0 that is known already. So there
//! are no circles: the values at a clock follow from those at the next one, and no ply is gone through.
//!
//! ```text
//!   v(p, the rule's plies) = lost in 0 if p has lost without a move, otherwise a draw
//!   z(p)                   = the best of the captures and pawn moves
//!   v(p, c)                = the best of z(p) and v(q, c + 1) turned round, over the moves p → q
//! ```
//!
//! As the clock goes down a value changes seldom: once where the win comes into reach, and where a quicker
//! one does. A row of placements is looked at again where a row that its moves lead to has changed.
//!
//! What is kept is the value at clock 0, the clock from which the position is drawn, and the steps between:
//! [`Clocked`].

mod row;
mod step_log;

use crate::ground::Ground;
use crate::pass::{Facts, Halt};
use crate::rule::Premises;
use crate::successor::{Captures, Events, Exits};
use crate::word::SolverWord;
use index::{Layout, SliceId};
use kernel::{Word, Worth};
use parking_lot::Mutex;
use row::{Kind, RowPlace, RowRoom, SideMoves};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use step_log::StepLog;
use table::{
    Clocked, NEVER_DRAWN, Ply, Step, StepPage, Value, stands_for_itself, step_page_len, step_pages_per_slice,
    threads,
};
use variant::{Metric, Rules, Side, Verdict};

/// The most moves of an n-move rule whose clock a table can hold: a byte of plies, of which one value says
/// that a position is never drawn.
pub const MOST_RULE_MOVES: u16 = (NEVER_DRAWN as u16 - 2) / 2;

/// A distance does not fit into the worths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooLong;

/// Solves slices of words of one kind.
pub(crate) struct ByClock<W> {
    /// Solves one under a rule of these plies, and writes its values at clock 0, by side to move and number.
    /// What changes with the clock is the answer. The watcher is told of each clock that is done, and says
    /// whether to go on.
    pub(crate) solve: SolveSlice<W>,
    pub(crate) rule_plies: u16,
    /// What is known of the table, by side to move.
    pub(crate) clocked: Mutex<[Clocked; 2]>,
}

/// See [`ByClock::solve`].
pub(crate) type SolveSlice<W> = fn(
    &Facts<'_, W>,
    u16,
    &dyn Fn(u16) -> bool,
    &mut dyn FnMut(Side, usize, Value),
) -> Result<StepPages, Halt>;

/// The bytes of the pages of steps of a slice, by side to move.
pub(crate) type StepPages = [Vec<Box<[u8]>>; 2];

impl<W> ByClock<W> {
    /// The way through a layout's slices; none if no clock matters.
    pub(crate) fn new(solve: SolveSlice<W>, layout: &Layout, metric: Metric, rules: &Rules) -> Option<Self> {
        let rule_plies = rules.rule_plies().filter(|_| metric == Metric::Dtm50)?;
        let n_pages = step_pages_per_slice(layout) * layout.n_slices();
        let clocked = Clocked { rule_plies, pages: vec![Box::default(); n_pages] };
        Some(ByClock { solve, rule_plies, clocked: Mutex::new([clocked.clone(), clocked]) })
    }

    /// Keeps what changes with the clock in a slice.
    pub(crate) fn keep(&self, layout: &Layout, slice: SliceId, own: StepPages) {
        let pages = slice.span(step_pages_per_slice(layout));
        for (all, own) in self.clocked.lock().iter_mut().zip(own) {
            all.pages[pages.clone()].iter_mut().zip(own).for_each(|(page, own)| *page = own);
        }
    }
}

impl<W> std::fmt::Debug for ByClock<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ByClock").field("rule_plies", &self.rule_plies).finish_non_exhaustive()
    }
}

/// Solves a slice: see [`ByClock::solve`].
pub(crate) fn solve_slice<W: SolverWord, const N: usize>(
    facts: &Facts<'_, W>,
    rule_plies: u16,
    watch: &dyn Fn(u16) -> bool,
    write: &mut dyn FnMut(Side, usize, Value),
) -> Result<StepPages, Halt> {
    // Few slices have a mate of more plies than one byte can count.
    let wide = match ClockSlice::<W, u8, N>::new(facts, rule_plies) {
        Ok(mut slice) => match slice.run(watch)? {
            Run::Done => return Ok(slice.finish(write)),
            Run::TooLong => Ok(slice.widened()),
        },
        Err(TooLong) => ClockSlice::<W, u16, N>::new(facts, rule_plies),
    };
    let mut wide = wide.map_err(|TooLong| Halt)?;
    match wide.run(watch)? {
        Run::Done => Ok(wide.finish(write)),
        Run::TooLong => Err(Halt),
    }
}

/// What solving a slice takes for each word of this number of bytes: worths, and pawn moves or captures, of
/// either side, two bytes each where one does not suffice; what is open and what is over.
///
/// Units: bytes.
pub(crate) fn word_bytes(word_bytes: u64) -> u64 {
    let worths = 2 * size_of::<u16>() as u64 * u64::from(u8::BITS) * word_bytes;
    2 * (worths + 2 * word_bytes + 1)
}

/// What the table takes for each value beside its codes: a clock, a number of steps, and two bytes for each
/// of these: three and a half without pawns (KBBNvK), else one.
///
/// Units: bytes.
pub(crate) fn value_bytes(has_pawns: bool) -> u64 {
    if has_pawns { 4 } else { 9 }
}

/// How far a run has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Run {
    Done,
    /// The next clock has a distance that does not fit into the worths; those before it are done.
    TooLong,
}

/// The values of one slice at every clock.
struct ClockSlice<'a, W, T, const N: usize> {
    facts: &'a Facts<'a, W>,
    rule_plies: u16,
    /// The clock that is done.
    clock: u16,
    /// By side to move.
    sides: [ClockSide<W, T, N>; 2],
}

/// The positions of one side to move.
struct ClockSide<W, T, const N: usize> {
    /// By row: what positions are worth to the other side, which moves there, at the clock that was done
    /// last.
    worths: Vec<[T; N]>,
    /// By row: the best capture or pawn move.
    zeroing: Vec<[T; N]>,
    /// By row: the positions in which the game goes on.
    open: Vec<W>,
    /// By row: the positions in which it is over, and not lost.
    over: Vec<W>,
    /// By row: whether a row that its moves may lead to has changed since it was looked at.
    is_due: Vec<AtomicBool>,
    /// By placement: the clock from which the position is drawn; 0 if it always is.
    drawn_from: Vec<u8>,
    /// By page of placements.
    steps: Vec<StepLog>,
}

/// Where a side's rows have become other ones.
type NewRows<T, const N: usize> = Vec<(u32, [T; N])>;

impl<'a, W: SolverWord, T: Worth, const N: usize> ClockSlice<'a, W, T, N> {
    /// A slice at the end of a clock of these plies.
    fn new(facts: &'a Facts<'a, W>, rule_plies: u16) -> Result<Self, TooLong> {
        let sides = [ClockSide::new(facts, Side::White)?, ClockSide::new(facts, Side::Black)?];
        let mut slice = ClockSlice { facts, rule_plies, clock: rule_plies, sides };
        // First, every position is one to go to: where nothing leads, there is no move.
        let moves = slice.moves();
        let stuck = Side::BOTH.map(|stm| slice.without_move(stm, &moves[stm.index()]));
        Side::BOTH.iter().zip(stuck).for_each(|(&stm, stuck)| slice.close(stm, &stuck));
        Ok(slice)
    }

    /// The moves that do not set the clock back, by side.
    fn moves(&self) -> [SideMoves<'a, W, T, N>; 2] {
        Side::BOTH.map(|side| SideMoves::new(self.facts.premises.ground, side, Kind::Quiet))
    }

    /// Finds the values at each clock down to 0. `watch` is told of each that is done; the answer is whether
    /// to go on.
    fn run(&mut self, watch: &dyn Fn(u16) -> bool) -> Result<Run, Halt> {
        let moves = self.moves();
        while self.clock > 0 {
            if !watch(self.clock) {
                return Err(Halt);
            }
            let [Ok(white), Ok(black)] = Side::BOTH.map(|stm| self.new_rows(stm, &moves[stm.index()])) else {
                return Ok(Run::TooLong);
            };
            self.clock -= 1;
            self.sides.iter().flat_map(|side| &side.is_due).for_each(|is_due| is_due.store(false, Relaxed));
            let mut any = false;
            for (stm, new) in Side::BOTH.into_iter().zip([white, black]) {
                let (ground, clock) = (self.facts.premises.ground, self.clock);
                let [side, other] = self.sides_from(stm);
                any |= side.take(&new, ground, clock, &moves[(!stm).index()], &other.is_due);
            }
            if self.clock + 1 == self.rule_plies {
                Side::BOTH.iter().for_each(|&stm| any |= self.claim(stm, &moves[(!stm).index()]));
            }
            if !any {
                break;
            }
        }
        Ok(Run::Done)
    }

    /// A side and the other one.
    fn sides_from(&mut self, side: Side) -> [&mut ClockSide<W, T, N>; 2] {
        let mut sides = self.sides.each_mut();
        sides.rotate_left(side.index());
        sides
    }

    /// The slice with wider worths.
    fn widened<U: Worth>(self) -> ClockSlice<'a, W, U, N> {
        let ClockSlice { facts, rule_plies, clock, sides } = self;
        ClockSlice { facts, rule_plies, clock, sides: sides.map(ClockSide::widened) }
    }

    /// The parts of the plane that are done by a thread each: rows of whole pages.
    fn parts(ground: &Ground<'_, W>) -> impl Iterator<Item = std::ops::Range<usize>> + use<W, T, N> {
        threads::stretches(0..ground.n_words(), rows_per_page(ground))
    }

    /// By row: the positions with `stm` to move in which no move is left, all positions being worth a draw.
    fn without_move(&self, stm: Side, moves: &SideMoves<'_, W, T, N>) -> Vec<W> {
        let ground = self.facts.premises.ground;
        let (own, other) = (&self.sides[stm.index()], &self.sides[(!stm).index()]);
        let of_part = |room: &mut RowRoom<T, N>, rows: std::ops::Range<usize>| {
            let stuck = rows.map(|row| {
                if own.open[row] == W::ZERO {
                    return W::ZERO;
                }
                let best = self.best(stm, moves, &other.worths, row, room);
                own.open[row]
                    .bits()
                    .filter(|&at| best[at] == T::default())
                    .fold(W::ZERO, |w, at| w | W::bit(at))
            });
            stuck.collect::<Vec<W>>()
        };
        threads::map_in(Self::parts(ground), RowRoom::default, of_part).concat()
    }

    /// What the best moves of a row's placements are worth.
    fn best(
        &self,
        stm: Side,
        moves: &SideMoves<'_, W, T, N>,
        source: &[[T; N]],
        row: usize,
        room: &mut RowRoom<T, N>,
    ) -> [T; N] {
        let ruling = self.facts.ruling;
        let ground = self.facts.premises.ground;
        let place = RowPlace::new(ground, row);
        moves.list(&place, room);
        let mut best = self.sides[stm.index()].zeroing[row];
        let (forced, passing) = (ruling.forced_at(stm, row), ruling.passing_at(stm, row));
        if forced == W::ZERO && passing == W::ZERO {
            moves.join(source, &place, room, &mut best);
            return best;
        }
        let mut quiet = [T::default(); N];
        moves.join(source, &place, room, &mut quiet);
        for at in passing.bits() {
            quiet[at] = quiet[at].max(source[row][at]);
        }
        for at in (ground.lane_mask & !forced).bits() {
            best[at] = best[at].max(quiet[at]);
        }
        best
    }

    /// The rows of a side to move that the next clock down changes.
    fn new_rows(&self, stm: Side, moves: &SideMoves<'_, W, T, N>) -> Result<Vec<NewRows<T, N>>, TooLong> {
        let ground = self.facts.premises.ground;
        let (own, other) = (&self.sides[stm.index()], &self.sides[(!stm).index()]);
        let of_part = |room: &mut RowRoom<T, N>, rows: std::ops::Range<usize>| {
            let mut new = Vec::new();
            for row in rows.filter(|&row| own.open[row] != W::ZERO && own.is_due[row].load(Relaxed)) {
                let best = self.best(stm, moves, &other.worths, row, room);
                let open = moves.spread(own.open[row]);
                let mut now = own.worths[row];
                let (mut differs, mut fits) = (false, true);
                for i in 0..N {
                    let worth = best[i].of_position();
                    fits &= worth != T::DRAW || best[i] == T::DRAW || open[i] == T::default();
                    let kept = if open[i] == T::default() { now[i] } else { worth };
                    differs |= kept != now[i];
                    now[i] = kept;
                }
                if !fits {
                    return Err(TooLong);
                }
                if differs {
                    new.push((row as u32, now));
                }
            }
            Ok(new)
        };
        threads::try_map_in(Self::parts(ground), RowRoom::default, of_part)
    }

    /// Notes which positions are without a move, and what that means.
    fn close(&mut self, stm: Side, stuck: &[W]) {
        let Premises { ground, attacked, .. } = self.facts.premises;
        let law = ground.law;
        let loses = [law.stuck[stm.index()] == Some(Verdict::Loss), law.mated == Verdict::Loss];
        let n = ground.words_per_block();
        let side = &mut self.sides[stm.index()];
        for block in ground.blocks() {
            let span = block.span(n);
            attacked.with_block(stm, block, |attacked| {
                for (row, &attacked) in span.clone().zip(attacked) {
                    let lost = |loses: bool, bits: W| if loses { bits } else { W::ZERO };
                    let lost = lost(loses[0], stuck[row] & !attacked) | lost(loses[1], stuck[row] & attacked);
                    side.open[row] &= !stuck[row];
                    side.end(row, lost, stuck[row] & !lost);
                }
            });
            let terminals = self.facts.ruling.terminals[stm.index()].as_ref();
            if let Some(over) = terminals.and_then(|terminals| terminals.of(block)) {
                for (place, row) in span.enumerate() {
                    side.end(row, over.lost[place], over.any[place] & !over.lost[place]);
                }
            }
        }
    }

    /// Who has won without a move claims it, which counts a ply: too late at the end of the clock, and in
    /// time before.
    fn claim(&mut self, stm: Side, moves: &SideMoves<'_, W, T, N>) -> bool {
        let ground = self.facts.premises.ground;
        let facts = self.facts;
        let Some(terminals) = &facts.ruling.terminals[stm.index()] else { return false };
        let end = self.rule_plies as u8;
        let [side, other] = self.sides_from(stm);
        let mut any = false;
        for block in ground.blocks() {
            let Some(over) = terminals.of(block) else { continue };
            for (row, &won) in block.span(ground.words_per_block()).zip(over.won) {
                for at in won.bits() {
                    side.worths[row][at] = T::of_win(1);
                    side.drawn_from[row * ground.lane_len() + at] = end;
                }
                if won != W::ZERO {
                    any = true;
                    make_due(moves, ground, row, &other.is_due);
                }
                side.over[row] &= !won;
            }
        }
        any
    }

    /// Calls `write` with the number of each position of a side to move and its value at clock 0.
    fn for_each_value(&self, stm: Side, mut write: impl FnMut(usize, Value)) {
        let ground = self.facts.premises.ground;
        let side = &self.sides[stm.index()];
        let lane_len = ground.lane_len();
        for (row, worths) in side.worths.iter().enumerate() {
            for (at, &worth) in worths[..lane_len].iter().enumerate().filter(|(_, w)| **w != T::default()) {
                let value = match worth.plies() {
                    None if side.over[row].has(at) => Value::Stalemate,
                    None => Value::Draw,
                    Some((true, ply)) => Value::Loss(Ply(ply)),
                    Some((false, ply)) => Value::Win(Ply(ply)),
                };
                write(row * lane_len + at, value);
            }
        }
    }

    /// Writes the values at clock 0; what changes with the clock, by side to move.
    fn finish(self, write: &mut dyn FnMut(Side, usize, Value)) -> StepPages {
        Side::BOTH
            .iter()
            .for_each(|&stm| self.for_each_value(stm, |number, value| write(stm, number, value)));
        let ground = self.facts.premises.ground;
        let (lane_len, rule_plies) = (ground.lane_len(), self.rule_plies);
        let (per_page, start) =
            (rows_per_page(ground) * lane_len, ground.slice.span(ground.layout.slice_len()).start);
        let [white, black] = self.sides;
        [(Side::White, white), (Side::Black, black)].map(|(stm, side)| {
            let ClockSide { worths, drawn_from, steps, .. } = side;
            if !ground.layout.sides().contains(&stm) {
                return Vec::new();
            }
            let pages = drawn_from.chunks(per_page).zip(steps).zip((0..).step_by(per_page));
            threads::map(pages, |((drawn_from, steps), first)| {
                let plies = |place: usize| {
                    let number = first + place;
                    let worth = worths[number / lane_len][number % lane_len];
                    let (_, plies) = worth.plies().filter(|_| worth != T::default())?;
                    stands_for_itself(ground.layout, start + number).then_some(Ply(plies))
                };
                StepPage::bytes_of(rule_plies, drawn_from, &steps.into_steps(), plies)
            })
        })
    }
}

impl<W: SolverWord, T: Worth, const N: usize> ClockSide<W, T, N> {
    /// The positions of a side to move, all of them drawn, and their captures and pawn moves.
    fn new(facts: &Facts<'_, W>, stm: Side) -> Result<Self, TooLong> {
        let Premises { ground, attacked, captures, exits, .. } = facts.premises;
        let n = ground.words_per_block();
        let (n_words, n_places) = (ground.n_words(), ground.n_words() * ground.lane_len());
        let mut side = ClockSide {
            worths: vec![[T::default(); N]; n_words],
            zeroing: vec![[T::default(); N]; n_words],
            open: vec![W::ZERO; n_words],
            over: vec![W::ZERO; n_words],
            is_due: (0..n_words).map(|_| AtomicBool::new(true)).collect(),
            drawn_from: vec![0; n_places],
            steps: vec![StepLog::default(); n_words.div_ceil(rows_per_page(ground))],
        };
        for block in ground.blocks() {
            let span = block.span(n);
            facts.ruling.with_illegal(stm, attacked, block, |illegal| {
                for (word, row) in span.enumerate() {
                    let legal = ground.placements(&ground.word(block, word)) & !illegal[word];
                    legal.bits().for_each(|at| side.worths[row][at] = T::DRAW);
                    side.open[row] = legal & !facts.ruling.terminal_at(stm, row);
                }
            });
        }
        if let Some(exits) = &exits[stm.index()] {
            side.add_exits(exits)?;
        }
        side.add_captures(ground, stm, &captures[stm.index()])?;
        Ok(side)
    }

    /// The side with wider worths.
    fn widened<U: Worth>(self) -> ClockSide<W, U, N> {
        let wide = |worth: T| match worth.plies() {
            _ if worth == T::default() => U::default(),
            None => U::DRAW,
            Some((true, ply)) => U::of_loss(ply),
            Some((false, ply)) => U::of_win(ply),
        };
        let rows = |rows: Vec<[T; N]>| rows.into_iter().map(|row| row.map(wide)).collect();
        let ClockSide { worths, zeroing, open, over, is_due, drawn_from, steps } = self;
        ClockSide { worths: rows(worths), zeroing: rows(zeroing), open, over, is_due, drawn_from, steps }
    }

    /// The pawn moves of the side.
    fn add_exits(&mut self, exits: &Exits<W>) -> Result<(), TooLong> {
        for (row, &any) in exits.any.iter().enumerate() {
            any.bits().for_each(|at| self.zeroing[row][at] = T::DRAW);
        }
        // What the side wins the other one has lost, and the plies count the move itself.
        put_decided(&mut self.zeroing, &exits.won, &exits.lost, 1)
    }

    /// The captures of the side's mobile men.
    fn add_captures(
        &mut self,
        ground: &Ground<'_, W>,
        stm: Side,
        captures: &Captures<W>,
    ) -> Result<(), TooLong> {
        let mut ghosts: Vec<[T; N]> = Vec::new();
        captures.legal.for_each(|row, bits| {
            ghosts.resize(ground.n_words(), [T::default(); N]);
            bits.bits().for_each(|at| ghosts[row][at] = T::DRAW);
        });
        if ghosts.is_empty() {
            return Ok(());
        }
        put_decided(&mut ghosts, &captures.lost, &captures.won, 0)?;
        let moves = SideMoves::<W, T, N>::new(ground, stm, Kind::Capture);
        let rows_per_page = rows_per_page(ground);
        let parts = self.zeroing.chunks_mut(rows_per_page).zip((0..).step_by(rows_per_page));
        let open = &self.open;
        threads::fold(parts, RowRoom::default, |room: &mut RowRoom<T, N>, (zeroing, first)| {
            for (best, row) in zeroing.iter_mut().zip(first..) {
                if open[row] != W::ZERO {
                    let place = RowPlace::new(ground, row);
                    moves.list(&place, room);
                    moves.join(&ghosts, &place, room, best);
                }
            }
        });
        Ok(())
    }

    /// Notes where the game is over in a row: lost, and otherwise drawn or not lost yet.
    fn end(&mut self, row: usize, lost: W, over: W) {
        let lane_len = self.drawn_from.len() / self.worths.len();
        for at in lost.bits() {
            self.worths[row][at] = T::MATE;
            self.drawn_from[row * lane_len + at] = NEVER_DRAWN;
        }
        self.over[row] |= over;
    }

    /// Takes the rows that a clock has changed; whether there are any. Rows from which the other side may
    /// move there are due.
    fn take(
        &mut self,
        new: &[NewRows<T, N>],
        ground: &Ground<'_, W>,
        clock: u16,
        moves: &SideMoves<'_, W, T, N>,
        is_due: &[AtomicBool],
    ) -> bool {
        let (lane_len, per_page) = (ground.lane_len(), rows_per_page(ground));
        let later = clock as u8 + 1;
        let parts = self.worths.chunks_mut(per_page);
        let parts = parts.zip(self.drawn_from.chunks_mut(per_page * lane_len)).zip(&mut self.steps);
        let parts = parts.zip(new).zip((0..).step_by(per_page)).filter(|((_, new), _)| !new.is_empty());
        threads::for_each(parts, |((((worths, drawn_from), steps), new), first)| {
            for (row, now) in new {
                make_due(moves, ground, *row as usize, is_due);
                let row = *row as usize - first;
                for at in 0..lane_len {
                    let (before, place) = (worths[row][at], row * lane_len + at);
                    if before == now[at] {
                        continue;
                    }
                    match (before.plies(), now[at].plies()) {
                        // What is decided stays so, in as many plies or fewer.
                        (Some((_, before)), Some((_, now))) => {
                            let growth = Step::of_growth(place as u16, later, before - now);
                            growth.for_each(|step| steps.push(step));
                        }
                        _ => drawn_from[place] = later,
                    }
                }
                worths[row] = *now;
            }
        });
        new.iter().any(|new| !new.is_empty())
    }
}

/// The rows whose placements make a page of steps.
fn rows_per_page<W: Word>(ground: &Ground<'_, W>) -> usize {
    step_page_len(ground.layout) / ground.lane_len()
}

/// Puts what positions are worth that the side to move there has lost or won, where moves lead to them that
/// count these plies themselves.
fn put_decided<W: Word, T: Worth, const N: usize>(
    rows: &mut [[T; N]],
    lost: &Events<W>,
    won: &Events<W>,
    own_plies: usize,
) -> Result<(), TooLong> {
    let mut fits = true;
    for ply in own_plies..lost.end().max(won.end()) {
        let left = (ply - own_plies) as u16;
        for (events, worth) in [(lost, T::of_loss(left)), (won, T::of_win(left))] {
            events.for_each_due(ply, |row, bits| {
                bits.bits().for_each(|at| rows[row][at] = worth);
                fits &= left < T::MOST_PLIES;
            });
        }
    }
    if fits { Ok(()) } else { Err(TooLong) }
}

/// Makes the rows due from which a side may move to a row.
fn make_due<W: Word, T: Worth, const N: usize>(
    moves: &SideMoves<'_, W, T, N>,
    ground: &Ground<'_, W>,
    row: usize,
    is_due: &[AtomicBool],
) {
    moves.for_each_origin(&RowPlace::new(ground, row), |origin| is_due[origin].store(true, Relaxed));
}
