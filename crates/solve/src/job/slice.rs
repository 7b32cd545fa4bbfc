//! Solves one slice of a material: marks its positions, gathers what lies outside it, and runs a pass for
//! either attacker.
//!
//! [`Rooms`] keeps the memory that threads use again from slice to slice and from block to block of one
//! material. The codes take one byte, and are widened to two where one does not suffice.

use crate::clock::ByClock;
use crate::code::{mark_where, store_word};
use crate::duel::{Duel, DuelRoom, DuelSlice};
use crate::ground::{AttackRoom, Attacked, Ground, fill_attacked};
use crate::law::Law;
use crate::motion::Motion;
use crate::packed::Spill;
use crate::pass::{Facts, Halt, Longest, Pass};
use crate::plane::PassPlanes;
use crate::pool::{Pool, Room, Scratch};
use crate::reach::Reach;
use crate::rule::{self, BlockTerminals, Premises, Ruling, Terminals, forced};
use crate::successor::{Captures, Checks, Decisions, Exits, Kept, Views};
use crate::sweep::Sink;
use crate::word::SolverWord;
use crate::{FoundPly, Options, Progress, SolveError, Step};
use index::{BlockId, Layout, SliceId};
use kernel::{Word, repeated};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use table::{Code, Codes, Coding, Lookup, Ply, Scale, Value, View, threads};
use variant::exit::Change;
use variant::{Metric, Pass as Passing, Side, Variant};

/// What solving the slices of one material needs, the same for all of them.
pub(super) struct SliceSolver<'a, W: SolverWord> {
    pub(super) variant: &'a Variant,
    pub(super) scale: Scale,
    pub(super) layout: &'a Layout,
    pub(super) motion: Motion<W>,
    pub(super) law: Law<W>,
    /// For slices that are solved as duels, if these are.
    pub(super) duel: Option<Duel<W>>,
    /// For slices that are solved clock by clock, if these are.
    pub(super) by_clock: Option<ByClock<W>>,
    /// The tables that captures and promotions lead to, and how they are read.
    pub(super) reach: &'a Reach,
    pub(super) others: BTreeMap<Change, View<'a>>,
    pub(super) lookup: &'a dyn Lookup,
    rooms: Rooms<W>,
    pub(super) progress: &'a dyn Progress,
    /// The sides whose wins are looked for.
    pub(super) attackers: Vec<Side>,
}

/// How much memory there is to solve a slice.
#[derive(Clone, Copy, Debug)]
pub(super) enum Memory<'a> {
    Ample,
    /// What can be packed or computed again is not kept as it is, and nothing that only the pass of another
    /// attacker asks for; if there is no attacker, that is nothing but what rules ask for. What is packed
    /// goes into a spill, if there is one.
    Tight(Option<Side>, Option<&'a Arc<Spill>>),
}

impl<'a, W: SolverWord> SliceSolver<'a, W> {
    /// What the slices of a material are solved with, but clock by clock.
    pub(super) fn new(
        variant: &'a Variant,
        options: Options,
        layout: &'a Layout,
        lookup: &'a dyn Lookup,
        reach: &'a Reach,
        progress: &'a dyn Progress,
    ) -> Self {
        let (motion, law) = (Motion::new(variant, layout), Law::new(variant, layout, &lookup.left_out()));
        SliceSolver {
            variant,
            scale: Scale::new(options.metric, &variant.rules),
            layout,
            duel: Duel::new(layout, &motion, &law, options.metric),
            motion,
            law,
            by_clock: None,
            reach,
            others: reach.views(),
            lookup,
            rooms: Rooms::default(),
            progress,
            attackers: options.attackers(layout),
        }
    }

    pub(super) fn ground(&self, slice: SliceId) -> Ground<'_, W> {
        Ground::new(self.layout, &self.motion, &self.law, slice)
    }

    /// Takes a slice that is known, or solves it: see [`Self::solve`].
    pub(super) fn take_or_solve<C: Code>(
        &self,
        slice: SliceId,
        own: &View<'_>,
        codes: [Option<&mut [C]>; 2],
        longest: [Longest; 2],
    ) -> Result<[Longest; 2], Halt> {
        let known = self.lookup.known(slice).filter(|_| self.by_clock.is_none());
        let Some(known) = known else { return self.solve(slice, own, codes, longest) };
        let mut found = longest;
        for ((codes, known), longest) in codes.into_iter().zip(known).zip(&mut found) {
            let Some((codes, known)) = codes.zip(known) else { continue };
            *longest = longest.max(Longest::of(known.as_ref()));
            let room = C::borrowed_mut(codes).under(self.scale.metric(), Ply(0));
            if !known.as_ref().copy_to(room) {
                return Err(Halt);
            }
        }
        Ok(found)
    }

    /// Solves a slice whose pawn moves lead to slices that `own` has. Returns the longest values of it and of
    /// `longest`.
    pub(super) fn solve<C: Code>(
        &self,
        slice: SliceId,
        own: &View<'_>,
        mut codes: [Option<&mut [C]>; 2],
        mut longest: [Longest; 2],
    ) -> Result<[Longest; 2], Halt> {
        if let Some(duel) = self.duel.as_ref().filter(|_| !self.progress.asks_for_plies())
            && let Some(codes) = bytes_of(&mut codes)
        {
            self.solve_duel(duel, slice, own, codes, &mut longest);
            return Ok(longest);
        }
        if let Some(by_clock) = &self.by_clock {
            return self.solve_by_clock(by_clock, slice, own, codes, longest);
        }
        let (solved, _) = self.with_facts(slice, own, Memory::Ample, |facts, planes| {
            mark_sides(facts, codes.each_mut().map(Option::as_deref_mut));
            for &attacker in &self.attackers {
                let sinks = sinks(facts, codes.each_mut().map(Option::as_deref_mut), attacker);
                Pass::new(facts, attacker, planes, &self.watch(slice, attacker)).run(sinks, &mut longest)?;
            }
            Ok(longest)
        });
        solved
    }

    /// Solves a slice clock by clock.
    fn solve_by_clock<C: Code>(
        &self,
        by_clock: &ByClock<W>,
        slice: SliceId,
        own: &View<'_>,
        mut codes: [Option<&mut [C]>; 2],
        before: [Longest; 2],
    ) -> Result<[Longest; 2], Halt> {
        let (n_all, metric) = (self.layout.len() as u64, self.scale.metric());
        let watch = |clock: u16| {
            if self.layout.n_slices() == 1 {
                let n_done = n_all * u64::from(by_clock.rule_plies - clock) / u64::from(by_clock.rule_plies);
                self.progress.step(&Step::Placements(n_done, n_all));
            }
            !self.progress.is_interrupted()
        };
        let (mut longest, mut has_codes) = (before, true);
        let mut write = |stm: Side, number: usize, value: Value| {
            let longest = &mut longest[stm.index()];
            *longest = longest.with(value);
            if let Some(codes) = &mut codes[stm.index()] {
                let code = C::from_value_under(metric, value);
                has_codes &= code.is_some();
                codes[number] = code.unwrap_or(C::DRAW);
            }
        };
        let solve = |facts: &Facts<'_, W>, _: &mut PassPlanes<W>| {
            (by_clock.solve)(facts, by_clock.rule_plies, &watch, &mut write)
        };
        let clocked = self.with_facts(slice, own, Memory::Ample, solve).0?;
        by_clock.keep(self.layout, slice, clocked);
        let fits = has_codes && longest.iter().all(|longest| longest.fit::<C>(metric));
        if fits { Ok(longest) } else { Err(Halt) }
    }

    /// Solves a slice as a duel.
    fn solve_duel(
        &self,
        duel: &Duel<W>,
        slice: SliceId,
        own: &View<'_>,
        codes: [Option<&mut [u8]>; 2],
        longest: &mut [Longest; 2],
    ) {
        let ground = self.ground(slice);
        let views = Views { own, others: &self.others, given: &self.law.given() };
        let slice = DuelSlice { variant: self.variant, ground: &ground, views: &views, scale: &self.scale };
        duel.solve(&slice, &self.attackers, &self.rooms.duels, codes, longest);
    }

    /// Why solving has come to a halt.
    pub(super) fn halted(&self) -> SolveError {
        let material = self.layout.name().to_owned();
        match self.progress.is_interrupted() {
            true => SolveError::Interrupted { material },
            false => SolveError::TooDeep { material, limit: u32::from(u16::MAX / 2 - 1) },
        }
    }

    /// Something that is read while the material is solved could not be read.
    pub(super) fn unreadable(&self, error: &io::Error) -> SolveError {
        SolveError::Unreadable { material: self.layout.name().to_owned(), what: error.to_string() }
    }

    /// A log or a slice could not be written.
    pub(super) fn unwritten(&self, error: &io::Error) -> SolveError {
        SolveError::Log { material: self.layout.name().to_owned(), what: error.to_string() }
    }

    /// Watches a pass over a slice: reports each ply, and says whether to go on.
    pub(super) fn watch(&self, slice: SliceId, attacker: Side) -> impl Fn(usize, &PassPlanes<W>) -> bool {
        move |ply, planes| {
            self.report_ply(slice, attacker, ply, planes);
            !self.progress.is_interrupted()
        }
    }

    /// Reports what a ply of a pass has found, if anybody asks.
    pub(super) fn report_ply(&self, slice: SliceId, attacker: Side, ply: usize, planes: &PassPlanes<W>) {
        if !self.progress.asks_for_plies() {
            return;
        }
        let (men, pawns) = (self.layout.men(), self.layout.pawns());
        let squares = self.layout.pawn_squares(slice);
        let pawns = pawns.iter().map(|&man| men[man]).zip(squares.iter().copied()).collect();
        let (n_won, n_lost) = (planes.won_next.n_placements(), planes.lost_next.n_placements());
        let ply = Ply(u16::try_from(ply).unwrap_or(u16::MAX));
        self.progress.step(&Step::Found(FoundPly { pawns, attacker, ply, n_won, n_lost }));
    }

    /// What is kept of the captures of one side.
    fn kept(&self, memory: Memory<'_>, side: Side) -> Kept {
        let asks = rule::asks_for_captures(&self.law);
        match memory {
            Memory::Ample => Kept::Listed,
            Memory::Tight(attacker, _) => Kept::Packed {
                for_attacker: asks || attacker == Some(side),
                for_defender: asks || attacker == Some(!side),
            },
        }
    }

    /// Finds what passes over a slice read, and calls `solve` with it. Returns the sets that rules have
    /// made, too.
    pub(super) fn with_facts<R>(
        &self,
        slice: SliceId,
        own: &View<'_>,
        memory: Memory<'_>,
        solve: impl FnOnce(&Facts<'_, W>, &mut PassPlanes<W>) -> R,
    ) -> (R, Ruling<W>) {
        let ground = self.ground(slice);
        let mut room = self.rooms.slices.lend();
        let SliceRoom { attacked, planes } = &mut *room;
        let (saves, spill) = match memory {
            Memory::Ample => (false, None),
            Memory::Tight(_, spill) => (true, spill),
        };
        // Passes and compulsory captures ask for words of the frontier in place.
        let is_plain = !self.law.must_capture && self.law.pass == Passing::Never;
        let packs = saves && is_plain && !ground.is_word() && !ground.frame().is_empty();
        let asks_for_planes = rule::asks_for_planes(&self.law) || !(packs || self.layout.pawns().is_empty());
        let has_planes = !saves || asks_for_planes;
        for side in Side::BOTH.into_iter().filter(|_| has_planes) {
            let attacked = &mut attacked[side.index()];
            if attacked.len() != ground.n_words() {
                *attacked = repeated(W::ZERO, ground.n_words());
            }
            fill_attacked(&ground, side, attacked);
        }
        let attacked = &Attacked::new(&ground, has_planes.then_some(attacked), &self.rooms.attacks);
        let (scratches, decisions) = (&self.rooms.blocks, &self.rooms.decisions);
        let given = self.law.given();
        let views = Views { own, others: &self.others, given: &given };
        let captures = Side::BOTH.map(|side| {
            let kept = (self.kept(memory, side), spill);
            let checks = self.others.get(&Change::new(None, None).with_check(side));
            let checks = checks.map(|view| Checks { view, attacked: attacked.planes() });
            Captures::gather(&ground, side, &self.others, checks, &self.scale, decisions, kept)
        });
        let forced = forced(&ground, &captures, scratches);
        let exits = Side::BOTH.map(|side| {
            let forced = forced.as_ref().map(|forced| forced[side.index()].as_slice());
            let kept = if packs { self.kept(memory, side) } else { Kept::Listed };
            let how = (forced, kept, spill);
            Exits::gather(self.variant, &ground, side, &views, &self.scale, how, decisions)
        });
        let premises = Premises { ground: &ground, attacked, captures: &captures, exits: &exits, scratches };
        let ruling = Ruling::new(&premises, forced, planes);
        let facts = Facts { premises, ruling: &ruling, metric: self.scale.metric(), packs };
        let answer = solve(&facts, planes);
        (answer, ruling)
    }
}

/// The codes of both sides to move, if they are bytes.
fn bytes_of<'c, C: Code>(codes: &'c mut [Option<&mut [C]>; 2]) -> Option<[Option<&'c mut [u8]>; 2]> {
    let mut bytes = [None, None];
    for (bytes, codes) in bytes.iter_mut().zip(codes) {
        if let Some(codes) = codes.as_deref_mut() {
            *bytes = Some(C::borrowed_mut(codes).alternating()?);
        }
    }
    Some(bytes)
}

/// Marks every position of a slice as a draw for now, by side to move; codes that are not written stay
/// illegal.
pub(super) fn mark_sides<C: Code, W: SolverWord>(facts: &Facts<'_, W>, codes: [Option<&mut [C]>; 2]) {
    let ground = facts.premises.ground;
    for (stm, codes) in Side::BOTH.into_iter().zip(codes) {
        if let Some(codes) = codes {
            mark_positions(facts, stm, codes);
            if let Some(terminals) = &facts.ruling.terminals[stm.index()] {
                mark_drawn(ground, terminals, codes);
            }
        }
    }
}

/// Marks every position as a draw, in fresh memory that is not to be gone through twice.
fn mark_positions<C: Code, W: SolverWord>(facts: &Facts<'_, W>, stm: Side, codes: &mut [C]) {
    let Premises { ground, attacked, .. } = facts.premises;
    if !ground.is_large() {
        let illegal = facts.ruling.illegal(stm, attacked.planes());
        return mark_where(ground, illegal, ground.blocks(), codes, (C::DRAW, true));
    }
    let blocks = ground.blocks().zip(codes.chunks_mut(ground.words_per_block() * ground.lane_len()));
    threads::for_each(blocks, |(block, codes)| {
        facts.ruling.with_illegal(stm, attacked, block, |illegal| {
            mark_where(ground, illegal, block.alone(), codes, (C::DRAW, true));
        });
    });
}

/// Marks where the game is over and drawn.
fn mark_drawn<C: Code, W: Word>(ground: &Ground<'_, W>, terminals: &Terminals<W>, codes: &mut [C]) {
    let block_len = ground.words_per_block() * ground.lane_len();
    for (block, codes) in ground.blocks().zip(codes.chunks_exact_mut(block_len)) {
        mark_drawn_in(ground, terminals, block, codes);
    }
}

/// Like `mark_drawn`, in the codes of one block.
pub(super) fn mark_drawn_in<C: Code, W: Word>(
    ground: &Ground<'_, W>,
    terminals: &Terminals<W>,
    block: BlockId,
    codes: &mut [C],
) {
    let Some(BlockTerminals { any, lost, won }) = terminals.of(block) else { return };
    for (place, ((&any, &lost), &won)) in any.iter().zip(lost).zip(won).enumerate() {
        let code = if ground.law.helped { C::DRAW } else { C::STALEMATE };
        store_word(codes, place, any & !lost & !won, ground.lane_len(), code);
    }
}

/// What solving one slice needs room for.
#[derive(Default, Debug)]
pub(super) struct SliceRoom<W> {
    /// By side: where its royal man is attacked.
    pub(super) attacked: [Vec<W>; 2],
    pub(super) planes: PassPlanes<W>,
}

/// Every slice fills in its own planes.
impl<W: Word> Room for SliceRoom<W> {}

/// The rooms of one material, by what they are for.
#[derive(Default, Debug)]
pub(super) struct Rooms<W: Word> {
    pub(super) slices: Pool<SliceRoom<W>>,
    pub(super) blocks: Pool<Scratch<W>>,
    pub(super) attacks: Pool<AttackRoom<W>>,
    /// What the captures or the pawn moves of one side decide.
    pub(super) decisions: Pool<Decisions<W>>,
    duels: Pool<DuelRoom<W>>,
}

/// The codes of either side to move; none for Black if White's serve both.
pub(super) type Sides<C> = [Option<Vec<C>>; 2];

/// Codes that are widened before their memory is given back.
const WIDENED_CODES: usize = 1 << 22;

/// This many codes of a layout for either side to move, all illegal.
pub(super) fn illegal_codes<C: Code>(layout: &Layout, n_codes: usize) -> Sides<C> {
    let both = !layout.is_one_sided();
    [true, both].map(|kept| kept.then(|| vec![C::ILLEGAL; n_codes]))
}

/// The codes of both sides to move, borrowed.
pub(super) fn borrowed<C>(codes: &mut Sides<C>) -> [Option<&mut [C]>; 2] {
    codes.each_mut().map(Option::as_deref_mut)
}

/// Where the wins of the attacker go, and the losses of the defender.
pub(super) fn sinks<'c, C: Code, W: SolverWord>(
    facts: &Facts<'_, W>,
    mut codes: [Option<&'c mut [C]>; 2],
    attacker: Side,
) -> [Option<Sink<'c, C, W>>; 2] {
    codes.rotate_left(attacker.index());
    codes.map(|codes| Some(Sink::of_codes(facts.premises.ground, codes?)))
}

/// The longest values of both sides to move, of two sets of slices.
pub(super) fn joined(a: [Longest; 2], b: [Longest; 2]) -> [Longest; 2] {
    [a[0].max(b[0]), a[1].max(b[1])]
}

/// The codes of both sides to move as a table has them.
pub(super) fn owned<C: Code>(codes: Sides<C>, metric: Metric, longest: [Longest; 2]) -> [Option<Codes>; 2] {
    let [white, black] = codes;
    let own = |codes, longest: Longest| C::owned(codes).under(metric, Ply(longest.win));
    [white.map(|codes| own(codes, longest[0])), black.map(|codes| own(codes, longest[1]))]
}

/// The first `n_done` codes of both sides to move with two bytes each, and room for the rest.
pub(super) fn widened(codes: Sides<u8>, n_done: usize, metric: Metric, longest: [Longest; 2]) -> Sides<u16> {
    let [white, black] = codes;
    let wide = |codes, longest: Longest| widened_side(codes, n_done, metric, longest.win);
    [white.map(|codes| wide(codes, longest[0])), black.map(|codes| wide(codes, longest[1]))]
}

/// Like `widened`, for one side to move.
///
/// From the end, giving back what is widened as it goes on, so that no more is needed than the wide codes
/// take.
fn widened_side(mut codes: Vec<u8>, n_done: usize, metric: Metric, longest_win: u16) -> Vec<u16> {
    let wide_code = |value| u16::from_value(value).expect("two bytes hold what one does");
    let book: Vec<u16> = u8::CODING.under(metric, Ply(longest_win)).values().map(wide_code).collect();
    let mut wide = vec![u16::ILLEGAL; codes.len()];
    let mut end = n_done;
    while end > 0 {
        codes.truncate(end);
        codes.shrink_to_fit();
        let start = (end - 1) / WIDENED_CODES * WIDENED_CODES;
        let codes = &codes[start..];
        threads::for_each_element(&mut wide[start..end], |place, wide| *wide = book[codes[place] as usize]);
        end = start;
    }
    wide
}

/// Which codes hold the longest values of both sides to move: of one byte where one suffices for both.
pub(super) fn codings(options: Options, longest: [Longest; 2]) -> [Coding; 2] {
    let codings = longest.map(|longest| Coding::of(options.metric, Ply(longest.win), Ply(longest.loss)));
    match options.wide || codings.iter().any(Coding::is_wide) {
        true => [u16::CODING; 2],
        false => codings,
    }
}

/// The view with which a table without pawns is solved; it is never asked.
pub(super) fn no_slices(layout: &Layout) -> View<'_> {
    View::new(layout, [Some(u8::borrowed(&[])), None], layout.men()).expect("a layout's own men match")
}
