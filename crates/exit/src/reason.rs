//! Names the kinds of exits, and writes them in the letters of FEN.

use variant::{Man, PieceId, Side, Variant};

/// The kind of move behind an exit, with the kinds of men that take part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// A man is captured.
    Capture {
        /// The captured man.
        victim: Man,
    },
    /// A pawn is promoted.
    Promotion {
        /// The pawn.
        pawn: Man,
        /// The piece that it becomes.
        to: PieceId,
    },
    /// A pawn captures on a promotion square.
    CapturePromotion {
        /// The pawn.
        pawn: Man,
        /// The captured man.
        victim: Man,
        /// The piece that the pawn becomes.
        to: PieceId,
    },
    /// A capture takes the captor away too, and maybe men around.
    Explosion {
        /// The man that captures.
        captor: Man,
        /// The captured man.
        victim: Man,
    },
}

impl Reason {
    /// The side that moves.
    #[must_use]
    pub fn mover(&self) -> Side {
        match *self {
            Reason::Capture { victim } => !victim.side,
            Reason::Promotion { pawn, .. } | Reason::CapturePromotion { pawn, .. } => pawn.side,
            Reason::Explosion { captor, .. } => captor.side,
        }
    }

    /// The reason in short, with the letters of FEN: `xr`, `P=Q`, `Pxr=Q`.
    #[must_use]
    pub fn text(&self, variant: &Variant) -> String {
        let man = |man: Man| variant.fen_letter(man);
        let becomes = |pawn: Man, piece: PieceId| man(Man { piece, ..pawn });
        match *self {
            Reason::Capture { victim } => format!("x{}", man(victim)),
            Reason::Promotion { pawn, to } => format!("{}={}", man(pawn), becomes(pawn, to)),
            Reason::CapturePromotion { pawn, victim, to } => {
                format!("{}x{}={}", man(pawn), man(victim), becomes(pawn, to))
            }
            Reason::Explosion { captor, victim } => format!("{}x{}", man(captor), man(victim)),
        }
    }
}
