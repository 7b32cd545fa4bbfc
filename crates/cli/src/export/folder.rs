//! Finds the game and the tables of a folder.

use crate::Failure;
use crate::args::ExportArgs;
use crate::console::Console;
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

/// The editions that have the values of a metric, the first of them first: who wins stands in the game's own
/// tables too.
pub(crate) fn editions_of(game: &Game, metric: Metric) -> Vec<Edition> {
    let mut editions = vec![Edition::new(&game.variant, metric)];
    if metric == Metric::Wdl && game.variant.default_metric != metric {
        editions.push(Edition::new(&game.variant, game.variant.default_metric));
    }
    editions
}

/// The first of them that a folder has tables of.
pub(crate) fn edition_of(game: &Game, folder: &Path, metric: Metric) -> Result<Edition, Failure> {
    let mut editions = editions_of(game, metric);
    let last = editions.pop().unwrap_or_else(|| Edition::new(&game.variant, metric));
    for edition in editions {
        if !materials_of(game, &edition, folder, usize::MAX)?.is_empty() {
            return Ok(edition);
        }
    }
    Ok(last)
}

/// Names the tables of a folder that are not among those written, if all of up to so many men are asked for.
pub(super) fn tell_passed_over(
    console: &mut Console<'_>,
    game: &Game,
    args: &ExportArgs,
    written: &BTreeSet<Material>,
    why: &str,
) -> Result<(), Failure> {
    let mut others = BTreeSet::new();
    for metric in Metric::ALL.into_iter().filter(|_| args.table.is_empty()) {
        let edition = Edition::new(&game.variant, metric);
        others.extend(materials_of(game, &edition, &args.tables, args.men.unwrap_or(usize::MAX))?);
    }
    let names: Vec<String> =
        others.difference(written).map(|material| material.name(&game.variant)).collect();
    if names.is_empty() { Ok(()) } else { console.tell(&format!("passed over, {why}: {}", names.join(", "))) }
}
