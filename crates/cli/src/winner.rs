//! Makes editions of which one table has one side's wins alone, and finds the files that have them.

use crate::Failure;
use crate::args::SideArg;
use crate::console::Console;
use crate::game::Game;
use build::StrayFile;
use format::{WINNER_EXTENSION, parse_winner_file_name};
use library::Edition;
use std::path::Path;
use variant::Material;

/// These editions with one side's wins alone of the table that was typed. Where its colours are exchanged
/// in the table, so is the side, which is said.
pub(crate) fn editions(
    side: SideArg,
    console: &mut Console<'_>,
    game: &Game,
    typed: &[String],
    editions: Vec<Edition>,
) -> Result<Vec<Edition>, Failure> {
    let [typed] = typed else {
        return Err(Failure::new("--wins is for one table: name one with --table"));
    };
    let (variant, material) = (&game.variant, game.material(typed)?);
    let is_swapped = Material::parse(variant, typed).is_ok_and(|own| own != material);
    let winner = if is_swapped { !side.side() } else { side.side() };
    if is_swapped {
        let name = material.name(variant);
        console.tell(&format!("{}'s wins in {typed} are {winner}'s in {name}", side.side()))?;
    }
    let with = |edition: Edition| edition.with_winner(&material, winner);
    let editions = editions.into_iter().map(with).collect::<Result<_, _>>();
    editions.map_err(|error| Failure::new(format!("{error}; leave out --wins")))
}

/// The table that a file of one side's wins has, by its name; what is wrong with the name otherwise.
pub(crate) fn edition_of(game: &Game, file: &Path) -> Result<(Edition, Material), StrayFile> {
    let stray = |reason: String| StrayFile { path: file.into(), reason };
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let (name, winner, metric) =
        parse_winner_file_name(name, game.variant.default_metric).ok_or_else(|| {
            stray(format!(
                "a file of one side's wins has a name such as KRBvKNN.white.{WINNER_EXTENSION} or \
                 KRBvKNN.white.dtc.{WINNER_EXTENSION}"
            ))
        })?;
    let material = Material::parse(&game.variant, name).map_err(|error| stray(error.to_string()))?;
    let edition = Edition::new(&game.variant, metric).with_winner(&material, winner);
    Ok((edition.map_err(|error| stray(error.to_string()))?, material))
}
