//! Defines the small games of these tests.

use variant::{Man, Material, Side, Variant};

/// Four files and ranks: king, rook, knight, a lance that goes ahead, a crab that goes to the right, a pawn.
pub(super) const FOUR_BY_FOUR: &str = r#"
name = "four"
board = { files = 4, ranks = 4 }
piece = [
  { letter = "K", betza = "K", royal = true },
  { letter = "R", betza = "R" },
  { letter = "N", betza = "N" },
  { letter = "L", betza = "fR" },
  { letter = "C", betza = "rW" },
  { letter = "P", betza = "fmWfcF", pawn = { start-rank = 2, promotes-to = ["R"], double-step = false } },
]
"#;

/// Three files and five ranks, with a double step.
pub(super) const THREE_BY_FIVE: &str = r#"
name = "narrow"
board = { files = 3, ranks = 5 }
piece = [
  { letter = "K", betza = "K", royal = true },
  { letter = "R", betza = "R" },
  { letter = "N", betza = "N" },
  { letter = "P", betza = "fmWfcF", pawn = { start-rank = 2, promotes-to = ["R"] } },
]
"#;

/// Four files and five ranks; the pawn starts on the first rank.
pub(super) const FOUR_BY_FIVE: &str = r#"
name = "oblong"
board = { files = 4, ranks = 5 }
piece = [
  { letter = "K", betza = "K", royal = true },
  { letter = "N", betza = "N" },
  { letter = "P", betza = "fmWfcF", pawn = { start-rank = 1, promotes-to = ["N"] } },
]
"#;

/// A pawn that captures to the left only.
pub(super) const LEFT_HANDED: &str = r#"
name = "left"
board = { files = 4, ranks = 4 }
piece = [
  { letter = "K", betza = "K", royal = true },
  { letter = "R", betza = "R" },
  { letter = "P", betza = "fmWflcF", pawn = { start-rank = 1, promotes-to = ["R"], double-step = false } },
]
"#;

/// Royal men that ride along ranks and files and leap as a knight: they may stand in line, but not next to
/// each other.
pub(super) const LEAPING_ROYAL: &str = r#"
name = "leaping"
board = { files = 4, ranks = 4 }
piece = [
  { letter = "K", betza = "RN", royal = true },
  { letter = "R", betza = "R" },
  { letter = "P", betza = "fmWfcF", pawn = { start-rank = 2, promotes-to = ["R"], double-step = false } },
]
"#;

#[track_caller]
pub(super) fn game(toml: &str) -> Variant {
    Variant::parse(toml, "test.toml").unwrap_or_else(|report| panic!("{report}"))
}

/// The material of these letters, royal men or not.
#[track_caller]
pub(super) fn material(variant: &Variant, name: &str) -> Material {
    let (white, black) = name.split_once('v').expect(name);
    let side = |side: Side, letters: &str| -> Vec<Man> {
        letters.chars().map(|c| Man { side, piece: variant.piece_lettered(c).expect(name) }).collect()
    };
    Material::from_men([side(Side::White, white), side(Side::Black, black)].concat())
}
