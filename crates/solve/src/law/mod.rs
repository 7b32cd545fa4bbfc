//! Compiles the rules beside the pieces for one material: what does not depend on where pawns stand.
//!
//! Each rule becomes sets of placements, made once a slice (`rule`): placements that are *illegal*, positions
//! in which the game is over (*terminal*), in which a side *must capture*, and in which it may *pass*. The
//! passes see these sets and no rule.

mod blast;
mod goal;
mod kept;

pub(crate) use blast::Blast;
pub(crate) use goal::Goal;
pub(crate) use kept::Kept;

use index::Layout;
use kernel::Word;
use table::{LeftOut, Ply, Value, View};
use variant::{Pass, PawnStep, Side, Variant, Verdict};

/// The rules of a variant for one material.
#[derive(Debug)]
pub(crate) struct Law<W> {
    /// What being attacked without a move means for a side.
    pub(crate) mated: Verdict,
    /// By side: what having no move means for it otherwise; none is a draw.
    pub(crate) stuck: [Option<Verdict>; 2],
    /// By side to move: what the men that there are mean for it; none if they mean nothing.
    pub(crate) extinct: [Option<Verdict>; 2],
    /// Whether a move may give check.
    pub(crate) checking: bool,
    /// Whether who has a capture must capture.
    pub(crate) must_capture: bool,
    /// When a side may pass.
    pub(crate) pass: Pass,
    pub(crate) goal: Option<Goal<W>>,
    pub(crate) blast: Option<Blast<W>>,
    /// Men that are kept to squares, if it matters here.
    pub(crate) kept: Option<Kept<W>>,
    /// Pawn moves that are left out, and the side that has none of them; the other side wins by one.
    pub(crate) left_out: Option<(Side, Vec<PawnStep>)>,
}

impl<W: Word> Law<W> {
    /// The rules, and what a bound leaves out of them.
    pub(crate) fn new(variant: &Variant, layout: &Layout, left_out: &LeftOut) -> Self {
        let (rules, material) = (&variant.rules, layout.material());
        let n_men = |side: Side| material.side(side).len();
        let stuck = |side: Side| match left_out.loser {
            Some(loser) if loser == side && left_out.is_lost_stuck => Some(Verdict::Loss),
            _ => rules.stalemate_verdict(n_men(side), n_men(!side)),
        };
        Law {
            mated: rules.checkmate,
            stuck: Side::BOTH.map(stuck),
            extinct: Side::BOTH.map(|stm| variant.extinct(material, stm)),
            checking: rules.checking,
            must_capture: rules.must_capture,
            pass: rules.pass,
            goal: rules.goal.as_ref().map(|goal| Goal::new(layout, goal)),
            blast: rules.blast.as_ref().map(|blast| Blast::new(variant, layout, blast)),
            kept: left_out.loser.and_then(|side| Kept::new(layout, &rules.kept, side)),
            left_out: left_out.loser.map(|loser| (loser, left_out.pawn_moves.clone())),
        }
    }

    /// What is given where a pawn move is left out, by side to move.
    pub(crate) fn given(&self) -> View<'static> {
        let loser = self.left_out.as_ref().map(|(loser, _)| *loser);
        View::given(Side::BOTH.map(|stm| match loser {
            Some(loser) if loser != stm => Value::Win(Ply(1)),
            _ => Value::Loss(Ply(0)),
        }))
    }

    /// Whether a side can have won because it has no move.
    pub(crate) fn may_win_stuck(&self) -> bool {
        self.mated == Verdict::Win || self.stuck.contains(&Some(Verdict::Win))
    }

    /// Whether the game can be over though there are moves.
    pub(crate) fn ends_early(&self) -> bool {
        self.goal.is_some() || self.kept.is_some() || self.extinct.iter().any(Option::is_some)
    }
}
