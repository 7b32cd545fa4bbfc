//! Compiles the rules beside the pieces for one material: what does not depend on where pawns stand.
//!
//! Each rule becomes sets of placements, made once a slice (`rule`): placements that are *illegal*, positions
//! in which the game is over (*terminal*), in which a side *must capture*, and in which it may *pass*. The
//! passes see these sets and no rule.

mod blast;
mod goal;

pub(crate) use blast::Blast;
pub(crate) use goal::Goal;

use index::Layout;
use kernel::Word;
use variant::{Pass, Side, Variant, Verdict};

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
}

impl<W: Word> Law<W> {
    pub(crate) fn new(variant: &Variant, layout: &Layout) -> Self {
        let (rules, material) = (&variant.rules, layout.material());
        let n_men = |side: Side| material.side(side).len();
        Law {
            mated: rules.checkmate,
            stuck: Side::BOTH.map(|side| rules.stalemate_verdict(n_men(side), n_men(!side))),
            extinct: Side::BOTH.map(|stm| variant.extinct(material, stm)),
            checking: rules.checking,
            must_capture: rules.must_capture,
            pass: rules.pass,
            goal: rules.goal.as_ref().map(|goal| Goal::new(layout, goal)),
            blast: rules.blast.as_ref().map(|blast| Blast::new(variant, layout, blast)),
        }
    }

    /// Whether a side can have won because it has no move.
    pub(crate) fn may_win_stuck(&self) -> bool {
        self.mated == Verdict::Win || self.stuck.contains(&Some(Verdict::Win))
    }

    /// Whether the game can be over though there are moves.
    pub(crate) fn ends_early(&self) -> bool {
        self.goal.is_some() || self.extinct.iter().any(Option::is_some)
    }
}
