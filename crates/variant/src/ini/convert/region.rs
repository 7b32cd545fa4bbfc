//! Writes the regions to which a section keeps men, by side and kind, as lines of their tables.

use super::{Converter, ManKind};
use std::fmt::Write;

impl<'a> Converter<'a> {
    /// The regions to which a kind is kept.
    pub(super) fn regions(&mut self, kind: &ManKind<'a>, is_pawn: bool) -> String {
        let mut text = String::new();
        for (side, own) in [("White", "mobility-region-white"), ("Black", "mobility-region-black")] {
            let of_side = |key: &'a str| key.strip_prefix("mobilityRegion")?.strip_prefix(side);
            let is_own = |key: &&'a str| of_side(key).is_some_and(|name| name.eq_ignore_ascii_case(kind.key));
            let Some(key) = self.settings.keys().into_iter().find(is_own) else { continue };
            let region = self.region(key, "");
            // There a region without squares says nothing.
            if region.is_empty() {
                continue;
            }
            if is_pawn {
                self.refuse(key, "pawns are kept to a part of the board".into());
            } else if !self.is("checking", true) {
                self.refuse(key, "no move may give check, and there men check beyond their regions".into());
            }
            let squares: Vec<String> = region.iter().map(|square| self.board.name(square)).collect();
            let _ = writeln!(text, "{own} = {:?}{}", squares.join(" "), self.from(key));
        }
        text
    }
}
