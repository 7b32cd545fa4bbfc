//! Solves one slice of a material: gathers what lies outside it, and runs a pass for either attacker.

use super::marking::mark_sides;
use super::room::{Rooms, SliceRoom};
use super::width::by_role;
use crate::duel::{Duel, DuelSlice};
use crate::ground::{Attacked, Ground, fill_attacked};
use crate::law::Law;
use crate::motion::Motion;
use crate::packed::Spill;
use crate::pass::{Facts, Halt, Longest, Pass};
use crate::plane::PassPlanes;
use crate::rule::{self, Premises, Ruling, forced};
use crate::successor::{Captures, Exits, Kept, Views};
use crate::sweep::Sink;
use crate::word::SolverWord;
use crate::{FoundPly, Progress, SolveError};
use index::{Layout, SliceId};
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Code, CodesMut, Ply, Scale, View};
use variant::exit::Change;
use variant::{Pass as Passing, Side, Variant};

/// What solving the slices of one material needs, the same for all of them.
pub(super) struct SliceSolver<'a, W: SolverWord> {
    pub(super) variant: &'a Variant,
    pub(super) scale: Scale,
    pub(super) layout: &'a Layout,
    pub(super) motion: &'a Motion<W>,
    pub(super) law: &'a Law<W>,
    /// For slices that are solved as duels, if these are.
    pub(super) duel: Option<Duel<W>>,
    /// The tables that captures and promotions lead to.
    pub(super) others: BTreeMap<Change, View<'a>>,
    pub(super) rooms: &'a Rooms<W>,
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

impl<W: SolverWord> SliceSolver<'_, W> {
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
        let (solved, _) = self.with_facts(slice, own, Memory::Ample, |facts, planes| {
            mark_sides(facts, codes.each_mut().map(Option::as_deref_mut));
            for &attacker in &self.attackers {
                let codes = by_role(codes.each_mut().map(Option::as_deref_mut), attacker);
                let sinks = codes.map(|codes| Some(Sink::of_codes(facts.premises.ground, codes?)));
                let watch = |ply: usize, planes: &PassPlanes<W>| {
                    self.report_ply(slice, attacker, ply, planes);
                    !self.progress.is_interrupted()
                };
                Pass::new(facts, attacker, planes).watched(&watch).run(sinks, &mut longest)?;
            }
            Ok(longest)
        });
        solved
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
        let ground = Ground::new(self.layout, self.motion, self.law, slice);
        let views = Views { own, others: &self.others, given: &self.law.given() };
        let slice = DuelSlice { variant: self.variant, ground: &ground, views: &views, scale: &self.scale };
        duel.solve(&slice, &self.attackers, &self.rooms.duels, codes, longest);
    }

    /// Why solving has come to a halt.
    pub(super) fn halted(&self) -> SolveError {
        let material = self.layout.material().name(self.variant);
        match self.progress.is_interrupted() {
            true => SolveError::Interrupted { material },
            false => SolveError::too_deep(material),
        }
    }

    /// Reports what a ply of a pass has found, if anybody asks.
    pub(super) fn report_ply(&self, slice: SliceId, attacker: Side, ply: usize, planes: &PassPlanes<W>) {
        if !self.progress.asks_for_plies() {
            return;
        }
        let (men, pawns) = (self.layout.men(), self.layout.pawns());
        let squares = self.layout.pawn_squares(slice);
        let pawns: Vec<_> = pawns.iter().map(|&man| men[man]).zip(squares.iter().copied()).collect();
        let (n_won, n_lost) = (planes.won_next.n_placements(), planes.lost_next.n_placements());
        let ply = Ply(u16::try_from(ply).unwrap_or(u16::MAX));
        self.progress.ply_found(&FoundPly { pawns: &pawns, attacker, ply, n_won, n_lost });
    }

    /// What is kept of the captures of one side.
    fn kept(&self, memory: Memory<'_>, side: Side) -> Kept {
        let asks = rule::asks_for_captures(self.law);
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
        let ground = Ground::new(self.layout, self.motion, self.law, slice);
        let mut room = self.rooms.slices.lend();
        let SliceRoom { attacked, planes } = &mut *room;
        let (saves, spill) = match memory {
            Memory::Ample => (false, None),
            Memory::Tight(_, spill) => (true, spill),
        };
        // Passes and compulsory captures ask for words of the frontier in place.
        let is_plain = !self.law.must_capture && self.law.pass == Passing::Never;
        let packs = saves && is_plain && !ground.is_word() && !ground.frame().is_empty();
        let asks_for_planes = rule::asks_for_planes(self.law) || !(packs || self.layout.pawns().is_empty());
        let has_planes = !saves || asks_for_planes;
        for side in Side::BOTH.into_iter().filter(|_| has_planes) {
            attacked[side.index()].resize(ground.n_words(), W::ZERO);
            fill_attacked(&ground, side, &mut attacked[side.index()]);
        }
        let attacked = &Attacked::new(&ground, has_planes.then_some(attacked), &self.rooms.attacks);
        let (scratches, decisions) = (&self.rooms.blocks, &self.rooms.decisions);
        let given = self.law.given();
        let views = Views { own, others: &self.others, given: &given };
        let captures = Side::BOTH.map(|side| {
            let kept = (self.kept(memory, side), spill);
            Captures::gather(&ground, side, &self.others, &self.scale, decisions, kept)
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
        *bytes = match codes.as_deref_mut().map(C::borrowed_mut) {
            None => None,
            Some(CodesMut::Narrow(codes)) => Some(codes),
            Some(CodesMut::Split(..) | CodesMut::Wide(_)) => return None,
        };
    }
    Some(bytes)
}
