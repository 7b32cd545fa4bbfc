//! Finds the game of Syzygy files that has the rules of a table.

use crate::game::Game;
use std::collections::{BTreeMap, BTreeSet};
use syzygy::Family;
use variant::Material;

/// The game of Syzygy files that has the rules of each table, and why the format has no numbers for some.
///
/// Rules may be those of chess for some men and others for the rest: in a game that has one piece more, say.
pub(crate) fn families(
    game: &Game,
    materials: &BTreeSet<Material>,
) -> (BTreeMap<Material, Family>, Vec<String>) {
    let (mut families, mut refusals) = (BTreeMap::new(), Vec::new());
    for material in materials {
        match Family::of_any(&game.variant, material) {
            // Bare kings need no file.
            Ok(family) if material.n_men() < *family.n_men().start() => {}
            Ok(family) if material.n_men() > *family.n_men().end() => refusals.push(format!(
                "{} has more men than Syzygy files of {} may have, {}; --format tbl takes any number",
                material.name(&game.variant),
                family.name(),
                family.n_men().end()
            )),
            Ok(family) => drop(families.insert(material.clone(), family)),
            Err(reason) => refusals.push(format!(
                "{} of {} has other rules than the games of Syzygy files, and the format cannot hold it: {reason}; \
                 --format tbl takes any game on 64 squares",
                material.name(&game.variant),
                game.variant.name
            )),
        }
    }
    (families, refusals)
}
