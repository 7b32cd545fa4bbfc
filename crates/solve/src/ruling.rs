//! What the rules say of a slice, as sets: see `law`.

use crate::aligned::Aligned;
use crate::capture::Captures;
use crate::exit::Exits;
use crate::forced::{frontier, mobile_captures, origins};
use crate::goal::{add_goals, standing};
use crate::ground::Ground;
use crate::illegal::{illegal, join};
use crate::lane::SolverWord;
use crate::mover::{Escape, Mover, Passing};
use crate::over::Over;
use crate::stuck::stuck;
use variant::{Pass, Side, Verdict};

/// The sets of one slice. In plain chess most of them are others under another name, and none.
#[derive(Debug)]
pub(crate) struct Ruling<W> {
    /// By side to move: what is no position; none if that is where the other side is attacked.
    illegal: [Option<Vec<W>>; 2],
    /// By side to move: where the game is over though nobody is without a move, or is so and has won.
    pub(crate) over: [Option<Over<W>>; 2],
    /// By side to move: what is illegal or over; none if nothing is over.
    closed: [Option<Vec<W>>; 2],
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
    /// The sets of a slice, from where royal men are attacked, and from captures and exits by side. `forced` has where
    /// mobile men have a capture.
    pub(crate) fn new(
        ground: &Ground<'_, W>,
        attacked: &[Vec<W>; 2],
        captures: &[Captures<W>; 2],
        exits: &[Option<Exits<W>>; 2],
        mut forced: Option<[Vec<W>; 2]>,
    ) -> Self {
        let law = &ground.motion.law;
        for (forced, exits) in forced.iter_mut().flatten().zip(exits) {
            if let Some(exits) = exits {
                join(forced, &exits.captures);
            }
        }
        let mut ruling = Ruling {
            illegal: Side::BOTH.map(|stm| illegal(ground, stm, attacked)),
            over: [None, None],
            closed: [None, None],
            forced,
            passing: [None, None],
            pass: law.pass,
        };
        let asks_for_stuck = law.may_win_stuck() || law.pass == Pass::OnStalemate;
        if !law.ends_early() && !asks_for_stuck {
            return ruling;
        }
        let mut placements = vec![W::ZERO; ground.n_words()];
        ground.fill_all_placements(&mut placements);
        for stm in Side::BOTH {
            let legal = |stm: Side| -> Vec<W> {
                let illegal = ruling.illegal(stm, attacked);
                placements.iter().zip(illegal).map(|(&places, &illegal)| places & !illegal).collect()
            };
            let own = legal(stm);
            let mut over = Over::nowhere(ground.n_words());
            if let Some(verdict) = law.extinct[stm.index()] {
                over.add(&own, verdict);
            }
            add_goals(ground, stm, &mut over, || {
                answers(ground, &ruling.mover(ground, stm), &captures[stm.index()], &legal(!stm))
            });
            over.keep(&own);
            if asks_for_stuck {
                let pending = exits[stm.index()].as_ref().map(|exits| &exits.any);
                let mut open: Vec<W> = own.iter().zip(&over.any).map(|(&own, &over)| own & !over).collect();
                if let Some(pending) = pending {
                    open.iter_mut().zip(pending).for_each(|(open, &pending)| *open &= !pending);
                }
                let targets = escape(legal(!stm), &captures[stm.index()], law.must_capture);
                let mut found = stuck(ground, &ruling.mover(ground, stm), &targets, &open);
                if law.pass == Pass::OnStalemate {
                    let passing = found.clone();
                    found.iter_mut().zip(&*targets.places).for_each(|(found, &legal)| *found &= !legal);
                    ruling.passing[stm.index()] = Some(passing);
                }
                let attacked = &attacked[stm.index()];
                let won = found.iter().zip(attacked).map(|(&found, &attacked)| {
                    let mated = if law.mated == Verdict::Win { found & attacked } else { W::ZERO };
                    let is_won = law.stuck[stm.index()] == Some(Verdict::Win);
                    mated | if is_won { found & !attacked } else { W::ZERO }
                });
                over.add_won(&won.collect::<Vec<W>>());
            }
            let illegal = ruling.illegal(stm, attacked);
            let closed = over.any.iter().zip(illegal).map(|(&over, &illegal)| over | illegal).collect();
            ruling.closed[stm.index()] = Some(closed);
            ruling.over[stm.index()] = Some(over);
        }
        ruling
    }

    /// A plane: what is no position with `stm` to move.
    pub(crate) fn illegal<'a>(&'a self, stm: Side, attacked: &'a [Vec<W>; 2]) -> &'a [W] {
        self.illegal[stm.index()].as_ref().unwrap_or(&attacked[(!stm).index()])
    }

    /// A plane: where `stm` is not to move, because that is illegal or the game is over.
    pub(crate) fn closed<'a>(&'a self, stm: Side, attacked: &'a [Vec<W>; 2]) -> &'a [W] {
        self.closed[stm.index()].as_deref().unwrap_or_else(|| self.illegal(stm, attacked))
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

/// A plane: where Black has a legal move to his goal. `legal` has the positions with White to move.
fn answers<W: SolverWord>(
    ground: &Ground<'_, W>,
    mover: &Mover<'_, W>,
    captures: &Captures<W>,
    legal: &[W],
) -> Vec<W> {
    let there = standing(ground, Side::Black);
    let places = legal.iter().zip(&there).map(|(&legal, &there)| legal & there).enumerate();
    let ghosts = captures.legal.iter().map(|&(word, bits)| (word as usize, bits & there[word as usize]));
    if ground.motion.law.must_capture {
        return origins(ground, mover, &frontier(ground, places), Some(&frontier(ground, ghosts)));
    }
    origins(ground, mover, &frontier(ground, places.chain(ghosts)), None)
}
