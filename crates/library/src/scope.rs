//! Finds the scope that a part of a table has in its layout.

use index::{Layout, Scope};
use variant::exit::TablePart;

/// The scope of a part; of like men any will do, because a table has all of their orders.
pub(crate) fn scope_of(layout: &Layout, part: &TablePart) -> Option<Scope> {
    let places = (0..layout.men().len()).filter(|&place| layout.men()[place] == part.man);
    places.filter_map(|place| Scope::new(layout, place, part.squares)).next()
}
