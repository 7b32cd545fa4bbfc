//! Finds the game and the tables of a folder, and makes the folder that files go to.

use crate::Failure;
use crate::game::Game;
use library::{Edition, materials_in, variant_name_in};
use std::collections::BTreeSet;
use std::path::Path;
use variant::Material;

/// The game whose tables a folder has.
pub(crate) fn game_of(folder: &Path, variant: Option<&Path>) -> Result<Game, Failure> {
    let name = variant_name_in(folder)?;
    Game::find(variant, name.as_deref().unwrap_or("fide"))
}

/// The materials of up to so many men of which a folder has all files of an edition.
pub(crate) fn materials_of(
    game: &Game,
    edition: &Edition,
    folder: &Path,
    n_men: usize,
) -> Result<BTreeSet<Material>, Failure> {
    let mut found = materials_in(folder, &game.variant, edition.metrics())?;
    found.retain(|material| material.n_men() <= n_men);
    Ok(found)
}

/// Makes the folder that files go to, if it is not there.
pub(super) fn make(out: &Path) -> Result<(), Failure> {
    let fail = |error| Failure::new(format!("cannot make the folder {}: {error}", out.display()));
    std::fs::create_dir_all(out).map_err(fail)
}
