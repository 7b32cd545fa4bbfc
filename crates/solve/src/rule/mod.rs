//! Makes the sets of one slice that the rules beside the pieces ask for: from where a side can capture,
//! where it has no move, from where it reaches a set.

mod terminal;

pub(crate) use terminal::{BlockTerminals, Terminals, illegal_plane};

use crate::ground::{Attacked, Ground};
use crate::law::Law;
use crate::plane::{Escape, Frontier, OpenBlocks, PassPlanes};
use crate::pool::{Pool, Scratch};
use crate::successor::{Captures, Exits};
use crate::sweep::Sweep;
use crate::unmove::{Mover, Passing};
use crate::word::SolverWord;
use index::BlockId;
use kernel::Word;
use terminal::{Arrivals, TerminalWords, add_goals, illegal, join};
use variant::{Arrival, Pass, Rules, Side, Verdict};

/// The sets of one slice. In plain chess most of them are others under another name, and none.
#[derive(Debug)]
pub(crate) struct Ruling<W> {
    /// By side to move: what is no position; none if that is where the other side is attacked.
    illegal: [Option<Vec<W>>; 2],
    /// By side to move: where the game is over though the side has a move, or has none and has won.
    pub(crate) terminals: [Option<Terminals<W>>; 2],
    /// By side: where it must capture.
    forced: Option<[Vec<W>; 2]>,
    /// By side: where it may pass, if not everywhere or nowhere.
    passing: [Option<Vec<W>>; 2],
    pass: Pass,
}

/// How many planes the sets of a slice take for both sides together, the room to make them included.
pub(crate) fn n_planes(rules: &Rules) -> u64 {
    // Terminal positions are counted as if every block had some: any, lost and won of either side, in vectors
    // that grow. Finding those without a move takes four planes more.
    let ends = rules.goal.is_some()
        || rules.extinction.is_some()
        || rules.can_win_without_move()
        || !rules.kept.is_empty();
    let terminals = if ends || rules.pass == Pass::OnStalemate { 8 + 4 } else { 0 };
    let illegal = if rules.goal.is_some() || !rules.checking { 2 } else { 0 };
    // Captures of men, and of pawns.
    let forced = if rules.must_capture { 4 } else { 0 };
    let passing = if rules.pass == Pass::OnStalemate { 2 } else { 0 };
    let safe = if rules.goal.as_ref().is_some_and(|goal| goal.arrival.heeds_attacks()) { 2 } else { 0 };
    terminals + illegal + forced + passing + safe
}

/// Whether the sets of a material are made of planes in which royal men are attacked. Those of plain chess
/// are not.
pub(crate) fn asks_for_planes<W: Word>(law: &Law<W>) -> bool {
    law.ends_early() || !law.checking || law.may_win_stuck() || law.pass == Pass::OnStalemate
}

/// Whether they are made of captures, too.
pub(crate) fn asks_for_captures<W: Word>(law: &Law<W>) -> bool {
    asks_for_planes(law) || law.must_capture
}

/// What is gathered of a slice before its rules are asked.
#[derive(Clone, Copy)]
pub(crate) struct Premises<'a, W> {
    pub(crate) ground: &'a Ground<'a, W>,
    pub(crate) attacked: &'a Attacked<'a, W>,
    /// By the side that captures.
    pub(crate) captures: &'a [Captures<W>; 2],
    /// By the side that has the pawns.
    pub(crate) exits: &'a [Option<Exits<W>>; 2],
    pub(crate) scratches: &'a Pool<Scratch<W>>,
}

/// By side: where a mobile man has a capture, if that is compulsory.
pub(crate) fn forced<W: SolverWord>(
    ground: &Ground<'_, W>,
    captures: &[Captures<W>; 2],
    scratches: &Pool<Scratch<W>>,
) -> Option<[Vec<W>; 2]> {
    let must = ground.law.must_capture;
    must.then(|| Side::BOTH.map(|side| mobile_captures(ground, side, &captures[side.index()], scratches)))
}

impl<W: SolverWord> Ruling<W> {
    /// The sets of a slice. `forced` has where mobile men have a capture; `planes` are room to work in.
    pub(crate) fn new(
        premises: &Premises<'_, W>,
        mut forced: Option<[Vec<W>; 2]>,
        planes: &mut PassPlanes<W>,
    ) -> Self {
        let &Premises { ground, exits, .. } = premises;
        let law = ground.law;
        for (forced, exits) in forced.iter_mut().flatten().zip(exits) {
            if let Some(exits) = exits {
                join(forced, &exits.captures);
            }
        }
        let arrivals = law.goal.is_some().then(|| Side::BOTH.map(|side| Arrivals::new(ground, side)));
        let own = |stm: Side| arrivals.as_ref().map(|arrivals| &arrivals[stm.index()]);
        let mut ruling = Ruling {
            illegal: Side::BOTH.map(|stm| illegal(ground, stm, premises.attacked, own(stm))),
            terminals: [None, None],
            forced,
            passing: [None, None],
            pass: law.pass,
        };
        let asks_for_moves = law.may_win_stuck() || law.pass == Pass::OnStalemate;
        if !law.ends_early() && !asks_for_moves {
            return ruling;
        }
        for stm in Side::BOTH {
            let mut terminals = ruling.early_ends(premises, stm, arrivals.as_ref(), planes);
            if asks_for_moves {
                terminals = ruling.with_standstills(premises, stm, &terminals);
            }
            ruling.terminals[stm.index()] = Some(terminals);
        }
        ruling
    }

    /// Where the game is over for `stm` by the men that there are, by a goal, or because a man stands off the
    /// squares that it is kept to.
    fn early_ends(
        &self,
        premises: &Premises<'_, W>,
        stm: Side,
        arrivals: Option<&[Arrivals<W>; 2]>,
        planes: &mut PassPlanes<W>,
    ) -> Terminals<W> {
        let ground = premises.ground;
        let law = ground.law;
        let n = ground.words_per_block();
        let mut terminals = Terminals::nowhere(ground.n_blocks(), n);
        let is_answered =
            law.goal.as_ref().is_some_and(|goal| goal.arrival == Arrival::Answered && stm == Side::Black);
        let answers = arrivals.filter(|_| is_answered).map(|[_, black]| {
            self.find_answers(premises, black, planes);
            &*planes.lost.words
        });
        let illegal = self.illegal(stm, premises.attacked.planes());
        let (mut legal, mut words) = (vec![W::ZERO; n], TerminalWords::nowhere(n));
        let mut scratch = premises.scratches.lend();
        for block in ground.blocks() {
            let is_reached = arrivals.is_some_and(|both| both.iter().any(|own| !own.of(block).is_nowhere()));
            if law.extinct[stm.index()].is_none() && !is_reached && law.kept.is_none() {
                continue;
            }
            let range = block.span(n);
            fill_legal(ground, block, &illegal[range.clone()], &mut legal, &mut scratch);
            words.set(None);
            if let Some(verdict) = law.extinct[stm.index()] {
                words.add(|place| legal[place], verdict);
            }
            if let Some(arrivals) = arrivals {
                add_goals(ground, stm, block, arrivals, answers.map(|answers| &answers[range]), &mut words);
            }
            if let Some(kept) = &law.kept {
                let elsewhere = |place: usize| {
                    let known = ground.word(block, place);
                    kept.elsewhere(ground.lane(), |man| known.squares[man].index())
                };
                words.add(elsewhere, if stm == kept.loser { Verdict::Loss } else { Verdict::Win });
            }
            words.keep(&legal);
            terminals.put(block, &words);
        }
        terminals
    }

    /// The terminal positions that there are, and those in which `stm` has won because it is without a move.
    /// Notes where it may pass for want of one.
    fn with_standstills(
        &mut self,
        premises: &Premises<'_, W>,
        stm: Side,
        early: &Terminals<W>,
    ) -> Terminals<W> {
        let &Premises { ground, captures, exits, scratches, .. } = premises;
        let attacked = premises.attacked.planes();
        let law = ground.law;
        let n = ground.words_per_block();
        let mut placements = vec![W::ZERO; ground.n_words()];
        ground.fill_all_placements(&mut placements);
        let legal = |stm: Side| -> Vec<W> {
            let illegal = self.illegal(stm, attacked);
            placements.iter().zip(illegal).map(|(&places, &illegal)| places & !illegal).collect()
        };
        let mut open = legal(stm);
        for (block, open) in ground.blocks().zip(open.chunks_exact_mut(n)) {
            if let Some(early) = early.of(block) {
                open.iter_mut().zip(early.any).for_each(|(open, &over)| *open &= !over);
            }
        }
        if let Some(exits) = &exits[stm.index()] {
            open.iter_mut().zip(&exits.any).for_each(|(open, &pending)| *open &= !pending);
        }
        let targets = Escape::new(legal(!stm), &captures[stm.index()].legal, law.must_capture);
        let mut found = standstills(ground, &self.mover(ground, stm), &targets, open, scratches);
        if law.pass == Pass::OnStalemate {
            let passing = found.clone();
            found.iter_mut().zip(targets.places.words()).for_each(|(found, &legal)| *found &= !legal);
            self.passing[stm.index()] = Some(passing);
        }
        let (attacked, is_won) = (&attacked[stm.index()], law.stuck[stm.index()] == Some(Verdict::Win));
        let won = |word: usize| {
            let (found, attacked) = (found[word], attacked[word]);
            let mated = if law.mated == Verdict::Win { found & attacked } else { W::ZERO };
            mated | if is_won { found & !attacked } else { W::ZERO }
        };
        let (mut all, mut words) = (Terminals::nowhere(ground.n_blocks(), n), TerminalWords::nowhere(n));
        for block in ground.blocks() {
            words.set(early.of(block));
            words.add(|place| won(block.span(n).start + place), Verdict::Win);
            all.put(block, &words);
        }
        all
    }

    /// A plane: what is no position with `stm` to move.
    pub(crate) fn illegal<'a>(&'a self, stm: Side, attacked: &'a [Vec<W>; 2]) -> &'a [W] {
        self.illegal[stm.index()].as_ref().unwrap_or(&attacked[(!stm).index()])
    }

    /// Calls `read` with the words of a block: what is no position with `stm` to move.
    pub(crate) fn with_illegal<R>(
        &self,
        stm: Side,
        attacked: &Attacked<'_, W>,
        block: BlockId,
        read: impl FnOnce(&[W]) -> R,
    ) -> R {
        match &self.illegal[stm.index()] {
            Some(plane) => {
                let n = attacked.words_per_block();
                read(&plane[block.span(n)])
            }
            None => attacked.with_block(!stm, block, read),
        }
    }

    /// Where the game is over for `stm`, in a word of the plane.
    #[inline]
    pub(crate) fn terminal_at(&self, stm: Side, word: usize) -> W {
        self.terminals[stm.index()].as_ref().map_or(W::ZERO, |terminals| terminals.any_at(word))
    }

    /// Where a side must capture, in a word of the plane.
    #[inline]
    pub(crate) fn forced_at(&self, side: Side, word: usize) -> W {
        self.forced.as_ref().map_or(W::ZERO, |forced| forced[side.index()][word])
    }

    /// Where a side may pass, in a word of the plane.
    #[inline]
    pub(crate) fn passing_at(&self, side: Side, word: usize) -> W {
        match (self.pass, &self.passing[side.index()]) {
            (Pass::Always, _) => W::ONES,
            (Pass::OnStalemate, Some(plane)) => plane[word],
            (Pass::OnStalemate, None) | (Pass::Never, _) => W::ZERO,
        }
    }

    /// What a side may do.
    pub(crate) fn mover<'a>(&'a self, ground: &'a Ground<'a, W>, side: Side) -> Mover<'a, W> {
        let forced = self.forced.as_ref().map(|forced| forced[side.index()].as_slice());
        let passing = match (self.pass, &self.passing[side.index()]) {
            (Pass::Always, _) => Passing::Everywhere,
            (Pass::OnStalemate, Some(plane)) => Passing::At(plane),
            (Pass::OnStalemate, None) | (Pass::Never, _) => Passing::Never,
        };
        Mover::new(ground, side, forced, passing)
    }

    /// Finds where Black has a legal move to his goal, on which his men stand `there`: that is left in
    /// `planes.lost`.
    fn find_answers(&self, premises: &Premises<'_, W>, there: &Arrivals<W>, planes: &mut PassPlanes<W>) {
        let &Premises { ground, captures, scratches, .. } = premises;
        let n = ground.words_per_block();
        planes.reset(ground, self.must_capture(), false);
        let illegal = self.illegal(Side::White, premises.attacked.planes());
        let mut legal = vec![W::ZERO; n];
        let mut scratch = scratches.lend();
        for block in ground.blocks() {
            let there = there.of(block);
            if there.is_nowhere() {
                continue;
            }
            fill_legal(ground, block, &illegal[block.span(n)], &mut legal, &mut scratch);
            for (place, &legal) in legal.iter().enumerate() {
                planes.won.add_any(block.span(n).start + place, legal & there.word(place));
            }
        }
        let ghosts = if self.must_capture() { &mut planes.won_ghosts } else { &mut planes.won };
        drop(scratch);
        captures[Side::Black.index()].legal.for_each(|word, bits| {
            let (block, place) = (BlockId::from_index(word / n), word % n);
            ghosts.add_any(word, bits & there.of(block).word(place));
        });
        let PassPlanes { won, won_ghosts, lost, open, touched, .. } = planes;
        let ghosts = self.must_capture().then_some(&*won_ghosts);
        let black = self.mover(ground, Side::Black);
        find_origins(ground, &black, won, ghosts, (lost, open.blocks().words(), touched), scratches);
    }

    /// Whether captures are compulsory, so that ghosts are kept apart.
    pub(crate) fn must_capture(&self) -> bool {
        self.forced.is_some()
    }
}

/// The positions of a block.
fn fill_legal<W: SolverWord>(
    ground: &Ground<'_, W>,
    block: BlockId,
    illegal: &[W],
    words: &mut [W],
    scratch: &mut Scratch<W>,
) {
    ground.prepare(block, scratch);
    ground.fill_placements(block, scratch, words);
    words.iter_mut().zip(illegal).for_each(|(word, &illegal)| *word &= !illegal);
}

/// A plane: the placements in which a mobile man of `side` has a legal capture.
fn mobile_captures<W: SolverWord>(
    ground: &Ground<'_, W>,
    side: Side,
    captures: &Captures<W>,
    scratches: &Pool<Scratch<W>>,
) -> Vec<W> {
    let (mut ghosts, mut found) = (Frontier::default(), Frontier::default());
    for set in [&mut ghosts, &mut found] {
        set.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    }
    captures.legal.for_each(|word, bits| ghosts.add_any(word, bits));
    let (mut unused, mut touched) = (vec![W::ZERO; ground.n_words()], vec![false; ground.n_blocks()]);
    let mover = Mover::new(ground, side, None, Passing::Never);
    find_origins(ground, &mover, &ghosts, None, (&mut found, &mut unused, &mut touched), scratches);
    found.words.to_vec()
}

/// A plane: those positions of `open` from which no move leads to a target.
fn standstills<W: SolverWord>(
    ground: &Ground<'_, W>,
    mover: &Mover<'_, W>,
    targets: &Escape<W>,
    mut open: Vec<W>,
    scratches: &Pool<Scratch<W>>,
) -> Vec<W> {
    let mut found = Frontier::default();
    found.reset(ground.n_blocks(), ground.n_rows(), ground.row_len());
    let sweep = Sweep::<u8, W> {
        ground,
        scratches,
        touched: &vec![true; ground.n_blocks()],
        order: mover.order(),
        frontier: &mut found,
        open: OpenBlocks::Memory(&mut open),
        sink: None,
        code: None,
    };
    let _ = sweep.run(&|block, _, scratch| {
        block.live.fill(true);
        block.found.copy_from_slice(block.open);
        mover.refute(targets, block, scratch);
    });
    found.words.to_vec()
}

/// Fills an empty set with the placements from which a move leads into `targets`, and a capture into
/// `ghosts` where these are kept apart. The planes and flags beside the set are room to work in.
fn find_origins<W: SolverWord>(
    ground: &Ground<'_, W>,
    mover: &Mover<'_, W>,
    targets: &Frontier<W>,
    ghosts: Option<&Frontier<W>>,
    (found, unused, touched): (&mut Frontier<W>, &mut [W], &mut [bool]),
    scratches: &Pool<Scratch<W>>,
) {
    touched.fill(false);
    for targets in [Some(targets), ghosts].into_iter().flatten() {
        mover.mark_origins(&targets.live_blocks, touched);
    }
    let sweep = Sweep::<u8, W> {
        ground,
        scratches,
        touched,
        order: mover.order(),
        frontier: found,
        open: OpenBlocks::Memory(unused),
        sink: None,
        code: None,
    };
    let any = sweep.run(&|block, _, scratch| {
        mover.unmove(targets, ghosts, block, scratch);
        if ground.is_word() {
            block.live[0] = block.found[0] != W::ZERO;
        }
    });
    found.any = any;
}
