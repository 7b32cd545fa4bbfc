//! Reads the values behind captures that explode.
//!
//! A ghost still stands for the placement after the capture, but which placement, and of which material,
//! depends on who stands near: the set of men that are gone chooses the table. So ghosts are read one by one,
//! each with the set that its squares make.
//!
//! ```text
//!   the captor's own royal man among them      no legal capture
//!   the other side's royal man among them      that side has lost, now
//! ```

use crate::ground::Ground;
use crate::law::Blast;
use crate::motion::CompiledMan;
use geometry::Square;
use index::MAX_PLACED;
use kernel::Word;
use std::collections::BTreeMap;
use table::{Ply, Value, View};
use variant::Side;
use variant::exit::Change;

/// The tables behind explosions.
pub(crate) struct Explosions<'v, W> {
    blast: &'v Blast<W>,
    men: &'v [CompiledMan<W>],
    /// By the men that are gone, as bits.
    views: Vec<Option<&'v View<'v>>>,
}

impl<'v, W: Word> Explosions<'v, W> {
    /// None where captures do not explode.
    pub(crate) fn new(ground: &Ground<'v, W>, views: &'v BTreeMap<Change, View<'v>>) -> Option<Self> {
        let blast = ground.law.blast.as_ref()?;
        let men = &ground.motion.men;
        let view = |gone: usize| views.get(&Change { gone: gone as u16, promoted: None });
        Some(Explosions { blast, men, views: (0..1 << men.len()).map(view).collect() })
    }

    /// The value for the other side after a capture by a man on a square, all men's squares being known.
    pub(crate) fn value(&self, squares: &[Square], captor: usize, victim: usize, on: Square) -> Value {
        let gone = self.blast.gone(squares, captor, victim, on);
        let side = self.men[captor].man.side;
        let loses = |side: Side| {
            (0..self.men.len())
                .any(|i| gone >> i & 1 == 1 && self.men[i].royal && self.men[i].man.side == side)
        };
        if loses(side) {
            return Value::Illegal;
        }
        if loses(!side) {
            return Value::Loss(Ply(0));
        }
        let mut left = [Square::from_index(0); MAX_PLACED];
        let mut n = 0;
        for (man, &square) in squares.iter().enumerate().filter(|(man, _)| gone >> man & 1 == 0) {
            debug_assert!(man < self.men.len(), "man {man} of {}", self.men.len());
            left[n] = square;
            n += 1;
        }
        self.views[gone].map_or(Value::Illegal, |view| view.value(!side, &left[..n]))
    }
}
