//! Finds the game and the tables of a folder.

use crate::Failure;
use crate::game::Game;
use library::{Edition, Folder};
use std::collections::BTreeSet;
use std::path::Path;
use variant::{Material, Metric};

/// The materials of up to so many men of which a folder has all files of an edition.
pub(crate) fn materials_of(
    game: &Game,
    edition: &Edition,
    folder: &Path,
    n_men: usize,
) -> Result<BTreeSet<Material>, Failure> {
    let mut found = Folder::new(folder, game.variant.clone()).materials(edition)?;
    found.retain(|material| material.n_men() <= n_men);
    Ok(found)
}

/// The edition that has the values of a metric: who wins stands in the game's own tables too.
pub(crate) fn edition_of(game: &Game, folder: &Path, metric: Metric) -> Result<Edition, Failure> {
    let edition = Edition::new(&game.variant, metric);
    Ok(match metric {
        Metric::Wdl if materials_of(game, &edition, folder, usize::MAX)?.is_empty() => {
            Edition::new(&game.variant, game.variant.default_metric)
        }
        _ => edition,
    })
}
