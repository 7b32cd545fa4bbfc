//! Holds the rule of castling: who castles with whom, from where, and where they come to.
//!
//! A king and a rook that have not moved yet go in one move to squares of their rank, the rook to the inner
//! side of the king. All files and the rank are as White sees them; Black castles on the mirrored rank.

use crate::{PieceId, Side};
use geometry::{Board, Square};

/// The side of the king on which the rook stands that he castles with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wing {
    /// Towards the last file: `O-O`.
    Kingside,
    /// Towards the first file: `O-O-O`.
    Queenside,
}

impl Wing {
    /// Both, in the order of a FEN.
    pub const BOTH: [Wing; 2] = [Wing::Kingside, Wing::Queenside];

    /// 0 for the king's side, 1 for the queen's.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Wing::Kingside => 0,
            Wing::Queenside => 1,
        }
    }
}

/// Who castles, from where and to where. Files are numbered from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Castling {
    /// The kind of man that castles as the king does.
    pub king: PieceId,
    /// The kinds of men that it castles with, in declared order.
    pub rooks: Vec<PieceId>,
    /// The rank on which both stand, from 0.
    pub rank: usize,
    /// The file on which the king begins; without meaning with `any_files`.
    pub king_file: usize,
    /// By wing: the file on which the rook begins; without meaning with `any_files`.
    pub rook_files: [usize; 2],
    /// By wing: the file that the king comes to.
    pub king_targets: [usize; 2],
    /// Whether king and rooks may begin on any files of the rank, as in Chess960.
    pub any_files: bool,
}

impl Castling {
    /// The rank on which a side castles, from 0.
    #[must_use]
    pub fn rank_of(&self, board: &Board, side: Side) -> usize {
        match side {
            Side::White => self.rank,
            Side::Black => board.ranks() - 1 - self.rank,
        }
    }

    /// Where a side's king begins; none if that may be anywhere on the rank.
    #[must_use]
    pub fn king_square(&self, board: &Board, side: Side) -> Option<Square> {
        (!self.any_files).then(|| board.square(self.king_file, self.rank_of(board, side)))
    }

    /// Where a side's rook of this wing begins; none if that may be anywhere on the rank.
    #[must_use]
    pub fn rook_square(&self, board: &Board, side: Side, wing: Wing) -> Option<Square> {
        (!self.any_files).then(|| board.square(self.rook_files[wing.index()], self.rank_of(board, side)))
    }

    /// Where a side's king comes to.
    #[must_use]
    pub fn king_target(&self, board: &Board, side: Side, wing: Wing) -> Square {
        board.square(self.king_targets[wing.index()], self.rank_of(board, side))
    }

    /// Where a side's rook comes to: beside the king, on his inner side.
    #[must_use]
    pub fn rook_target(&self, board: &Board, side: Side, wing: Wing) -> Square {
        board.square(self.rook_target_file(wing), self.rank_of(board, side))
    }

    /// The file that the rook comes to.
    pub(crate) fn rook_target_file(&self, wing: Wing) -> usize {
        let king = self.king_targets[wing.index()];
        match wing {
            Wing::Kingside => king.saturating_sub(1),
            Wing::Queenside => king + 1,
        }
    }
}
