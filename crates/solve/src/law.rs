//! What the rules beside the pieces make of a layout: the constants that do not depend on where pawns stand.
//!
//! Every rule becomes sets of placements, made once a slice: which are *illegal*, in which the game is *over*
//! and for whom, in which a side *must capture*, and in which it may *pass*. The passes know these sets and
//! no rule.

use crate::blast::Blast;
use index::Layout;
use kernel::Word;
use variant::{Man, Pass, Side, Variant, Verdict};

/// The rules of a variant for one material.
#[derive(Debug)]
pub(crate) struct Law<W> {
    /// What being attacked without a move means for a side.
    pub(crate) mated: Verdict,
    /// By side: what having no move means for it otherwise; none is a draw.
    pub(crate) stuck: [Option<Verdict>; 2],
    /// By side to move: what the men that there are mean for it; none if they mean nothing.
    pub(crate) extinct: [Option<Verdict>; 2],
    pub(crate) checking: bool,
    pub(crate) must_capture: bool,
    pub(crate) pass: Pass,
    pub(crate) goal: Option<Goal<W>>,
    pub(crate) blast: Option<Blast<W>>,
}

/// A place on the board that wins.
#[derive(Debug)]
pub(crate) struct Goal<W> {
    /// By side: the places in the layout of the men that win there.
    pub(crate) men: [Vec<usize>; 2],
    /// By side.
    pub(crate) squares: [W; 2],
    pub(crate) is_answered: bool,
}

impl<W: Word> Law<W> {
    pub(crate) fn new(variant: &Variant, layout: &Layout) -> Self {
        let (rules, material) = (&variant.rules, layout.material());
        let n_men = |side: Side| material.side(side).len();
        let goal = rules.goal.as_ref().map(|goal| {
            let wins = |side| move |(_, man): &(usize, &Man)| man.side == side && goal.is_for(man.piece);
            let of = |side| layout.men().iter().enumerate().filter(wins(side)).map(|(i, _)| i).collect();
            let squares = goal.squares.map(|set| W::from_bits(set.intersection(layout.board().all()).bits()));
            Goal { men: Side::BOTH.map(of), squares, is_answered: goal.is_answered }
        });
        Law {
            mated: rules.checkmate,
            stuck: Side::BOTH.map(|side| rules.stalemate_verdict(n_men(side), n_men(!side))),
            extinct: Side::BOTH.map(|stm| variant.extinct(material, stm)),
            checking: rules.checking,
            must_capture: rules.must_capture,
            pass: rules.pass,
            goal,
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
