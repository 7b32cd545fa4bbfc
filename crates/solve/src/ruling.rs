//! What the rules say of a slice, as sets: see `law`.

use crate::aligned::Aligned;
use crate::capture::Captures;
use crate::exit::Exits;
use crate::forced::{find_origins, mobile_captures};
use crate::goal::{Part, Standing, add_goals};
use crate::ground::Ground;
use crate::illegal::{illegal, join};
use crate::lane::SolverWord;
use crate::mover::{Escape, Mover, Passing};
use crate::over::{Ended, Over};
use crate::planes::Planes;
use crate::stuck::stuck;
use crate::unmove::Scratch;
use variant::{Pass, Side, Verdict};

/// The sets of one slice. In plain chess most of them are others under another name, and none.
#[derive(Debug)]
pub(crate) struct Ruling<W> {
    /// By side to move: what is no position; none if that is where the other side is attacked.
    illegal: [Option<Vec<W>>; 2],
    /// By side to move: where the game is over though nobody is without a move, or is so and has won.
    pub(crate) over: [Option<Over<W>>; 2],
    /// By side: where it must capture.
    forced: Option<[Vec<W>; 2]>,
    /// By side: where it may pass, if not everywhere or nowhere.
    passing: [Option<Vec<W>>; 2],
    pass: Pass,
}

/// By side: where a mobile man has a capture, if that is compulsory.
pub(crate) fn forced<W: SolverWord>(
    ground: &Ground<'_, W>,
    captures: &[Captures<W>; 2],
) -> Option<[Vec<W>; 2]> {
    let must = ground.motion.law.must_capture;
    must.then(|| Side::BOTH.map(|side| mobile_captures(ground, side, &captures[side.index()])))
}

impl<W: SolverWord> Ruling<W> {
    /// The sets of a slice, from where royal men are attacked, and from captures and exits by side. `forced`
    /// has where mobile men have a capture; `planes` are room to work in.
    pub(crate) fn new(
        ground: &Ground<'_, W>,
        attacked: &[Vec<W>; 2],
        captures: &[Captures<W>; 2],
        exits: &[Option<Exits<W>>; 2],
        mut forced: Option<[Vec<W>; 2]>,
        planes: &mut Planes<W>,
    ) -> Self {
        let law = &ground.motion.law;
        for (forced, exits) in forced.iter_mut().flatten().zip(exits) {
            if let Some(exits) = exits {
                join(forced, &exits.captures);
            }
        }
        let standing = law.goal.is_some().then(|| Side::BOTH.map(|side| Standing::new(ground, side)));
        let own = |stm: Side| standing.as_ref().map(|standing| &standing[stm.index()]);
        let mut ruling = Ruling {
            illegal: Side::BOTH.map(|stm| illegal(ground, stm, attacked, own(stm))),
            over: [None, None],
            forced,
            passing: [None, None],
            pass: law.pass,
        };
        let asks_for_stuck = law.may_win_stuck() || law.pass == Pass::OnStalemate;
        if !law.ends_early() && !asks_for_stuck {
            return ruling;
        }
        for stm in Side::BOTH {
            let mut over = ruling.ended_early(ground, stm, attacked, standing.as_ref(), captures, planes);
            if asks_for_stuck {
                let pending = exits[stm.index()].as_ref().map(|exits| &*exits.any);
                over = ruling.add_stuck(ground, stm, attacked, &captures[stm.index()], pending, &over);
            }
            ruling.over[stm.index()] = Some(over);
        }
        ruling
    }

    /// Where the game is over for `stm` by the men that there are or by a goal.
    fn ended_early(
        &self,
        ground: &Ground<'_, W>,
        stm: Side,
        attacked: &[Vec<W>; 2],
        standing: Option<&[Standing<W>; 2]>,
        captures: &[Captures<W>; 2],
        planes: &mut Planes<W>,
    ) -> Over<W> {
        let law = &ground.motion.law;
        let n = ground.words_per_block();
        let mut over = Over::nowhere(ground.n_blocks(), n);
        let is_answered = law.goal.as_ref().is_some_and(|goal| goal.is_answered && stm == Side::Black);
        let answers = standing.filter(|_| is_answered).map(|[_, black]| {
            self.find_answers(ground, &captures[stm.index()], attacked, black, planes);
            &*planes.lost.words
        });
        let illegal = self.illegal(stm, attacked);
        let (mut own, mut ended, mut scratch) = (vec![W::ZERO; n], Ended::nowhere(n), Scratch::default());
        for block in 0..ground.n_blocks() {
            let there = standing.map(|standing| standing.each_ref().map(|standing| standing.of(block)));
            let is_reached = there.is_some_and(|there| !there.iter().all(Part::is_nowhere));
            if law.extinct[stm.index()].is_none() && !is_reached {
                continue;
            }
            let words = block * n..(block + 1) * n;
            fill_legal(ground, block, &illegal[words.clone()], &mut own, &mut scratch);
            ended.set(None);
            if let Some(verdict) = law.extinct[stm.index()] {
                ended.add(|place| own[place], verdict);
            }
            if let Some(there) = there {
                add_goals(ground, stm, there, answers.map(|answers| &answers[words]), &mut ended);
            }
            ended.keep(&own);
            over.put(block, &ended);
        }
        over
    }

    /// What is over already, and where `stm` has won because it is without a move; notes where it may pass
    /// for want of one.
    fn add_stuck(
        &mut self,
        ground: &Ground<'_, W>,
        stm: Side,
        attacked: &[Vec<W>; 2],
        captures: &Captures<W>,
        pending: Option<&[W]>,
        over: &Over<W>,
    ) -> Over<W> {
        let law = &ground.motion.law;
        let (n, n_blocks) = (ground.words_per_block(), ground.n_blocks());
        let mut placements = vec![W::ZERO; ground.n_words()];
        ground.fill_all_placements(&mut placements);
        let legal = |stm: Side| -> Vec<W> {
            let illegal = self.illegal(stm, attacked);
            placements.iter().zip(illegal).map(|(&places, &illegal)| places & !illegal).collect()
        };
        let mut open = legal(stm);
        for (block, open) in open.chunks_exact_mut(n).enumerate() {
            if let Some(over) = over.of(block) {
                open.iter_mut().zip(over.any).for_each(|(open, &over)| *open &= !over);
            }
        }
        if let Some(pending) = pending {
            open.iter_mut().zip(pending).for_each(|(open, &pending)| *open &= !pending);
        }
        let targets = escape(legal(!stm), captures, law.must_capture);
        let mut found = stuck(ground, &self.mover(ground, stm), &targets, open);
        if law.pass == Pass::OnStalemate {
            let passing = found.clone();
            found.iter_mut().zip(&*targets.places).for_each(|(found, &legal)| *found &= !legal);
            self.passing[stm.index()] = Some(passing);
        }
        let (attacked, is_won) = (&attacked[stm.index()], law.stuck[stm.index()] == Some(Verdict::Win));
        let won = |word: usize| {
            let (found, attacked) = (found[word], attacked[word]);
            let mated = if law.mated == Verdict::Win { found & attacked } else { W::ZERO };
            mated | if is_won { found & !attacked } else { W::ZERO }
        };
        let (mut all, mut ended) = (Over::nowhere(n_blocks, n), Ended::nowhere(n));
        for block in 0..n_blocks {
            ended.set(over.of(block));
            ended.add(|place| won(block * n + place), Verdict::Win);
            all.put(block, &ended);
        }
        all
    }

    /// A plane: what is no position with `stm` to move.
    pub(crate) fn illegal<'a>(&'a self, stm: Side, attacked: &'a [Vec<W>; 2]) -> &'a [W] {
        self.illegal[stm.index()].as_ref().unwrap_or(&attacked[(!stm).index()])
    }

    /// Where the game is over for `stm`, in a word of the plane.
    #[inline]
    pub(crate) fn over_at(&self, stm: Side, word: usize) -> W {
        self.over[stm.index()].as_ref().map_or(W::ZERO, |over| over.any_at(word))
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

    /// Where Black has a legal move to his goal, on which his men stand `there`: that is left in
    /// `planes.lost`.
    fn find_answers(
        &self,
        ground: &Ground<'_, W>,
        captures: &Captures<W>,
        attacked: &[Vec<W>; 2],
        there: &Standing<W>,
        planes: &mut Planes<W>,
    ) {
        let n = ground.words_per_block();
        planes.reset(ground, self.must_capture());
        let illegal = self.illegal(Side::White, attacked);
        let (mut legal, mut scratch) = (vec![W::ZERO; n], Scratch::default());
        for block in 0..ground.n_blocks() {
            let there = there.of(block);
            if there.is_nowhere() {
                continue;
            }
            fill_legal(ground, block, &illegal[block * n..(block + 1) * n], &mut legal, &mut scratch);
            for (place, &legal) in legal.iter().enumerate() {
                planes.won.add_any(block * n + place, legal & there.word(place));
            }
        }
        let ghosts = if self.must_capture() { &mut planes.won_ghosts } else { &mut planes.won };
        for &(word, bits) in &captures.legal {
            let (block, place) = (word as usize / n, word as usize % n);
            ghosts.add_any(word as usize, bits & there.of(block).word(place));
        }
        let Planes { won, won_ghosts, lost, open, touched, .. } = planes;
        let ghosts = self.must_capture().then_some(&*won_ghosts);
        find_origins(ground, &self.mover(ground, Side::Black), won, ghosts, (lost, open, touched));
    }

    /// Whether captures are compulsory, so that ghosts are kept apart.
    pub(crate) fn must_capture(&self) -> bool {
        self.forced.is_some()
    }
}

/// Placements to which a side may move, and the ghosts of its legal captures: among them, or apart.
pub(crate) fn escape<W: SolverWord>(mut places: Vec<W>, captures: &Captures<W>, is_apart: bool) -> Escape<W> {
    let mut ghosts = is_apart.then(|| vec![W::ZERO; places.len()]);
    let plane = ghosts.as_mut().unwrap_or(&mut places);
    captures.legal.iter().for_each(|&(word, bits)| plane[word as usize] |= bits);
    Escape { places: places.into(), ghosts: ghosts.map(Aligned::from) }
}

/// The positions of a block.
fn fill_legal<W: SolverWord>(
    ground: &Ground<'_, W>,
    block: usize,
    illegal: &[W],
    words: &mut [W],
    scratch: &mut Scratch<W>,
) {
    ground.prepare(block, scratch);
    ground.fill_placements(block, scratch, words);
    words.iter_mut().zip(illegal).for_each(|(word, &illegal)| *word &= !illegal);
}
