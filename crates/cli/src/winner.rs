//! Makes editions of which one table has one side's wins alone, and finds the files that have them.

use crate::Failure;
use crate::console::Console;
use crate::game::Game;
use crate::side::SideArg;
use format::{WINNER_EXTENSION, parse_winner_file_name};
use library::Edition;
use position::Position;
use std::path::{Path, PathBuf};
use variant::{Material, Metric};

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

/// Whether a file has one side's wins alone, by its name.
pub(crate) fn has_one_winner(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == WINNER_EXTENSION)
}

/// The table that a file of one side's wins has, by its name.
pub(crate) fn edition_of(game: &Game, file: &Path) -> Result<(Edition, Material), Failure> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let (name, winner, metric) =
        parse_winner_file_name(name, game.variant.default_metric).ok_or_else(|| {
            let path = file.display();
            Failure::new(format!(
                "{path} has not the name of a file of one side's wins, such as KRBvKNN.white.{WINNER_EXTENSION}"
            ))
        })?;
    let material = Material::parse(&game.variant, name).map_err(Failure::new)?;
    let edition = Edition::new(&game.variant, metric).with_winner(&material, winner)?;
    Ok((edition, material))
}

/// The files of one side's wins in a folder, sorted by name.
pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| has_one_winner(path)).collect();
    files.sort();
    files
}

/// The editions of a folder that have one side's wins of a position's men, those of a metric if one is asked
/// for: of the game's own metric first.
pub(crate) fn editions_for(
    game: &Game,
    folder: &Path,
    position: &Position,
    metric: Option<Metric>,
) -> Vec<Edition> {
    let own = Material::from_men(position.men().map(|(man, _)| man)).canonical(&game.variant);
    let found = files_in(folder).into_iter().filter_map(|file| edition_of(game, &file).ok());
    let is_meant = |(edition, material): &(Edition, Material)| {
        *material == own && metric.is_none_or(|metric| edition.metric() == metric)
    };
    let mut editions: Vec<Edition> = found.filter(is_meant).map(|(edition, _)| edition).collect();
    editions.sort_by_key(|edition| !edition.is_default());
    editions
}
