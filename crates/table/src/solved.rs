//! A solved table in memory.

use crate::{Code, Value};
use index::Layout;
use std::sync::Arc;
use variant::Side;

/// The codes of every placement for one side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Codes {
    /// One byte each.
    Narrow(Vec<u8>),
    /// Two bytes each.
    Wide(Vec<u16>),
}

impl Codes {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_ref().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes borrowed.
    #[must_use]
    pub fn as_ref(&self) -> CodesRef<'_> {
        match self {
            Codes::Narrow(codes) => CodesRef::Narrow(codes),
            Codes::Wide(codes) => CodesRef::Wide(codes),
        }
    }
}

/// Borrowed codes; those of a table in the making may end early.
#[derive(Clone, Copy, Debug)]
pub enum CodesRef<'a> {
    /// One byte each.
    Narrow(&'a [u8]),
    /// Two bytes each.
    Wide(&'a [u16]),
}

impl CodesRef<'_> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            CodesRef::Narrow(codes) => codes.len(),
            CodesRef::Wide(codes) => codes.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value with this number.
    ///
    /// # Panics
    /// If there is no such number.
    #[must_use]
    #[inline]
    pub fn value(&self, index: usize) -> Value {
        match self {
            CodesRef::Narrow(codes) => codes[index].value(),
            CodesRef::Wide(codes) => codes[index].value(),
        }
    }
}

/// The values of every position of a material.
///
/// Invariant: of a material whose colours can be exchanged only the positions with White to move are kept: those
/// with Black to move are the same with the colours exchanged. Of any other material both are.
/// Every code is exact, those of placements that are not canonical (see [`Layout::is_canonical`]) too; a file may
/// leave out what can be derived, and whoever reads it puts it back.
#[derive(Clone, Debug)]
pub struct Table {
    layout: Arc<Layout>,
    codes: [Option<Codes>; 2],
}

impl Table {
    /// A table of these codes, White to move and (unless the material is symmetric) Black to move.
    ///
    /// # Panics
    /// If the codes are not as many as the placements, or the sides are not those that the material needs.
    #[must_use]
    pub fn new(layout: Arc<Layout>, white_to_move: Codes, black_to_move: Option<Codes>) -> Self {
        for codes in std::iter::once(&white_to_move).chain(&black_to_move) {
            assert_eq!(codes.len(), layout.len(), "codes and placements");
        }
        assert_eq!(
            black_to_move.is_none(),
            layout.material().is_symmetric(),
            "one side to move if symmetric"
        );
        Table { layout, codes: [Some(white_to_move), black_to_move] }
    }

    /// The numbering of the placements.
    #[must_use]
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The sides to move that the table keeps: White, or both.
    pub fn sides(&self) -> impl Iterator<Item = Side> + '_ {
        Side::BOTH.into_iter().filter(|side| self.codes[side.index()].is_some())
    }

    /// The codes with this side to move, if the table keeps them.
    #[must_use]
    pub fn codes(&self, stm: Side) -> Option<&Codes> {
        self.codes[stm.index()].as_ref()
    }

    /// The codes with this side to move, to be changed.
    #[must_use]
    pub fn codes_mut(&mut self, stm: Side) -> Option<&mut Codes> {
        self.codes[stm.index()].as_mut()
    }

    /// The value of the placement with this number; the table must keep this side to move.
    ///
    /// # Panics
    /// If it does not, or there is no such number.
    #[must_use]
    #[inline]
    pub fn value(&self, stm: Side, index: usize) -> Value {
        let codes = self.codes[stm.index()].as_ref();
        codes.expect("a symmetric table is read with White to move").as_ref().value(index)
    }
}
