//! Compiles what all slices of two royal men have in common, and computes where either is attacked.

use super::reading::Images;
use crate::ground::{Ground, is_one_row};
use crate::law::Law;
use crate::motion::{Attack, Motion};
use crate::successor::Views;
use crate::word::SolverWord;
use index::Layout;
use table::Scale;
use variant::{Metric, Pass, Side, Variant, Verdict};

/// What the slices of a material with two royal men and pawns have in common.
#[derive(Debug)]
pub(crate) struct Duel<W> {
    /// By side: its royal man, who is its only mobile man.
    pub(super) royal: [usize; 2],
    /// By side: where the other side's royal man attacks its own, if nobody can stand between what any man
    /// attacks and him.
    pub(super) touch: Option<[Vec<W>; 2]>,
    pub(super) images: Images<W>,
}

/// What a slice of them is solved from.
pub(crate) struct DuelSlice<'a, W> {
    pub(crate) variant: &'a Variant,
    pub(crate) ground: &'a Ground<'a, W>,
    pub(crate) views: &'a Views<'a>,
    pub(crate) scale: &'a Scale,
}

impl<W: SolverWord> Duel<W> {
    /// The duel of a layout under a metric; none if its slices ask for the general way.
    pub(crate) fn new(layout: &Layout, motion: &Motion<W>, law: &Law<W>, metric: Metric) -> Option<Self> {
        let is_plain = !law.must_capture && law.pass == Pass::Never && law.checking && law.blast.is_none();
        let is_plain = is_plain && law.mated == Verdict::Loss && !law.may_win_stuck() && !law.ends_early();
        if metric != Metric::Wdl || !is_plain || !is_one_row(layout) {
            return None;
        }
        let royal_of = |side: Side| {
            let mobile = |man: &usize| !motion.men[*man].pawn && motion.men[*man].man.side == side;
            let man = (0..motion.men.len()).find(mobile).map(|man| (man, &motion.men[man]))?;
            let moves_as_it_captures = man.1.walks.quiet.is_empty() && man.1.walks.capture.is_empty();
            (man.1.royal && moves_as_it_captures).then_some(man.0)
        };
        let royal = [royal_of(Side::White)?, royal_of(Side::Black)?];
        let mut duel = Duel { royal, touch: None, images: Images::new(layout) };
        let mut attacks = motion.men.iter().flat_map(|man| man.attacks_on.iter().flatten());
        if attacks.all(|attack| attack.between.is_nothing()) {
            duel.touch = Some(Side::BOTH.map(|side| {
                let mut plane = vec![W::ZERO; layout.n_squares()];
                duel.add_touch(layout, motion, side, W::ZERO, &mut plane);
                plane
            }));
        }
        Some(duel)
    }

    /// Sets a plane to the placements in which a side's royal man is attacked, without one of the pawns if
    /// that is gone; where men share a square it has no meaning.
    pub(super) fn fill_attacked(
        &self,
        ground: &Ground<'_, W>,
        side: Side,
        gone: Option<usize>,
        plane: &mut [W],
    ) {
        let (layout, motion) = (ground.layout, ground.motion);
        match &self.touch {
            Some(touch) => plane.copy_from_slice(&touch[side.index()]),
            None => {
                plane.fill(W::ZERO);
                self.add_touch(layout, motion, side, ground.fixed, plane);
            }
        }
        let is_row = ground.row_man() == Some(self.royal[side.index()]);
        let mut everywhere = W::ZERO;
        for (&pawn, &from) in layout.pawns().iter().zip(layout.pawn_squares(ground.slice)) {
            if motion.men[pawn].man.side == side || Some(pawn) == gone {
                continue;
            }
            for attack in &motion.men[pawn].attacks_from[from.index()] {
                let bit = W::bit(attack.square.into());
                match attack.between {
                    between if is_row => plane[usize::from(attack.square)] |= between.mask(ground.fixed),
                    between if between.is_nothing() => everywhere |= bit,
                    between => {
                        for (x, word) in plane.iter_mut().enumerate() {
                            *word |= bit & W::when(between.allows(ground.fixed | W::bit(x)));
                        }
                    }
                }
            }
        }
        plane.iter_mut().for_each(|word| *word |= everywhere);
    }

    /// Adds where the other side's royal man attacks that of `side`, the pawns being on `taken`.
    fn add_touch(&self, layout: &Layout, motion: &Motion<W>, side: Side, taken: W, plane: &mut [W]) {
        let (own, other) = (self.royal[side.index()], &motion.men[self.royal[(!side).index()]]);
        // The row man is the one in the frame.
        let attacks = if layout.frame() == [own] { &other.attacks_on } else { &other.attacks_from };
        let is_open = |attack: &&Attack<W>| attack.between.allows(taken);
        for (word, attacks) in plane.iter_mut().zip(attacks) {
            let open = attacks.iter().filter(is_open);
            *word = open.fold(*word, |word, attack| word | W::bit(attack.square.into()));
        }
    }
}
