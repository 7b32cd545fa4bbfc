//! Compares positions that are made to be awkward, of all games that another program knows.

mod position_maker;

use super::dialect;
use super::judgement::{self, Asked, Judge, JudgedGame, Round};
use super::ruled_game::{RULES, VARIANTS, ruled};
use position::{FenError, Position, RuleBook};
use position_maker::PositionMaker;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use variant::Variant;
use xtask::interpreter::Python;
use xtask::root;

/// How many positions are made at most for each that is wanted.
const ATTEMPTS: usize = 60;

/// Compares so many legal positions of each game, and the illegal ones that were made with them; whether all
/// are equal, or differ by definition.
///
/// # Errors
/// A game that cannot be read, no Python, or a program that gives up.
pub(super) fn run(
    python: &Python,
    folder: &Path,
    n_positions: usize,
    report: &mut dyn FnMut(&str),
) -> Result<bool, String> {
    let (games, left_out) = games()?;
    let positions = |game: &JudgedGame, book: &RuleBook| positions(game, book, n_positions);
    let round = Round { games, left_out, n_positions, positions: &positions, is_followed: true };
    judgement::run(python, folder, &round, report)
}

/// The games of the repository that python-chess knows, and their names there.
const PYTHON_CHESS: &[(&str, &str)] = &[
    ("antichess", "antichess"),
    ("atomic", "atomic"),
    ("chess960", "chess"),
    ("fide", "chess"),
    ("king-of-the-hill", "kingofthehill"),
    ("racing-kings", "racingkings"),
    ("suicide", "suicide"),
];

/// Further games of the repository that Fairy-Stockfish knows by name, with the same letters.
const FAIRY_STOCKFISH: &[(&str, &str)] = &[
    ("berolina", "berolina"),
    ("capablanca", "capablanca"),
    ("chess960", "chess"),
    ("fide", "chess"),
    ("gardner", "gardner"),
    ("los-alamos", "losalamos"),
];

/// Rules that a `variants.ini` has by our name and with another meaning.
const LEFT_OUT: [&str; 1] =
    ["left out: blast-immune-types: an immune man that captures stays in Fairy-Stockfish, and goes here"];

/// All games, and a line for each that no program can play.
pub(super) fn games() -> Result<(Vec<JudgedGame>, Vec<String>), String> {
    let (mut games, mut left_out) = (Vec::new(), LEFT_OUT.map(str::to_owned).to_vec());
    for &(label, name) in PYTHON_CHESS {
        games.push(JudgedGame::known(load(label)?, Judge::PythonChess, label, name));
    }
    // Chess960 under the rules of atomic chess.
    let (_, base, ours, _) = RULES.iter().find(|(name, ..)| *name == "atomic-960").ok_or("no atomic-960")?;
    games.push(JudgedGame::known(ruled("atomic-960", base, ours)?, Judge::PythonChess, "atomic-960", base));
    let known: Vec<&(&str, &str)> = VARIANTS.iter().chain(FAIRY_STOCKFISH).collect();
    for name in files(&root().join("variants"))?.iter().chain(&files(&root().join("tests/cases"))?) {
        let folder = if name.contains('_') { "tests/cases" } else { "variants" };
        let path = root().join(folder).join(format!("{name}.toml"));
        let variant = Variant::load(path).map_err(|error| error.to_string())?;
        let there = known.iter().find(|(label, _)| label == name);
        if let Some((_, there)) = there {
            games.push(JudgedGame::known(variant, Judge::FairyStockfish, name, there));
            continue;
        }
        let there = format!("try-{}", name.replace('_', "-"));
        match dialect::variant_section(&there, &variant) {
            Ok((section, pieces)) => {
                let judge = Judge::FairyStockfish;
                games.push(JudgedGame { label: name.clone(), judge, variant, pieces, name: there, section });
            }
            Err(reason) => left_out.push(format!("left out: {name}: {reason}")),
        }
    }
    for (name, base, ours, theirs) in RULES {
        let there = known.iter().find(|(label, _)| label == base).map_or(*base, |(_, there)| there);
        let game = JudgedGame::known(ruled(name, base, ours)?, Judge::FairyStockfish, name, "");
        let own = format!("try-{name}");
        games.push(JudgedGame { section: format!("[{own}:{there}]\n{theirs}\n"), name: own, ..game });
    }
    for game in &mut games {
        if game.variant.rules.castling.as_ref().is_some_and(|rule| rule.any_files) {
            game.name += "/960";
        }
    }
    Ok((games, left_out))
}

fn load(name: &str) -> Result<Variant, String> {
    Variant::load(root().join(format!("variants/{name}.toml"))).map_err(|error| error.to_string())
}

/// The names of the variant files of a folder, in order.
fn files(folder: &Path) -> Result<Vec<String>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
    names.sort_unstable();
    Ok(names)
}

/// The positions to ask about: so many legal ones, and at most as many others.
fn positions(game: &JudgedGame, book: &RuleBook, n_positions: usize) -> Vec<Asked> {
    let mut maker = PositionMaker::new(book, &game.pieces, n_positions as u64);
    let mut asked: BTreeMap<bool, Vec<Asked>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for _ in 0..n_positions * ATTEMPTS {
        let fen = maker.fen();
        let read = Position::from_fen_with_castling(book, &fen);
        let is_legal = read.as_ref().is_ok_and(|position| position.is_legal(book));
        let of_kind = asked.entry(is_legal).or_default();
        if of_kind.len() < n_positions && (is_legal || can_refuse(game, &read)) && seen.insert(fen.clone()) {
            of_kind.push((fen, read));
        }
        if asked.get(&true).is_some_and(|legal| legal.len() == n_positions) {
            break;
        }
    }
    asked.into_values().flatten().collect()
}

/// Whether the judge can say that such a position is illegal. Fairy-Stockfish passes over what is wrong with
/// a FEN, and says of other positions whether the side that has moved is in check.
fn can_refuse(game: &JudgedGame, read: &Result<Position, FenError>) -> bool {
    let rules = &game.variant.rules;
    game.judge == Judge::PythonChess || (read.is_ok() && rules.checking && rules.goal.is_none())
}

#[cfg(test)]
mod tests {
    use super::{games, positions};
    use position::{Position, RuleBook};
    use std::collections::BTreeSet;

    #[test]
    fn every_game_has_positions() {
        let (games, left_out) = games().expect("the games are readable");
        assert!(games.len() > 50 && left_out.len() == 2, "{} {left_out:?}", games.len());
        let names: BTreeSet<_> = games.iter().map(|game| (&game.label, game.judge.name())).collect();
        assert_eq!(names.len(), games.len());
        for game in &games {
            let book = RuleBook::new(&game.variant);
            let made = positions(game, &book, 16);
            let is_legal = |read: &Position| read.is_legal(&book);
            let n_legal = made.iter().filter(|(_, read)| read.as_ref().is_ok_and(is_legal)).count();
            assert_eq!(n_legal, 16, "{}", game.label);
            assert_eq!(positions(game, &book, 16), made, "{}", game.label);
        }
    }
}
