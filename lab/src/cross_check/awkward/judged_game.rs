//! Lists the games whose awkward positions are compared, each with the program that judges it.

use super::super::dialect;
use super::super::ruled_game::{RULES, VARIANTS, ruled};
use std::path::Path;
use variant::{PieceId, Variant};
use xtask::root;

/// A program that knows rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judge {
    FairyStockfish,
    PythonChess,
}

impl Judge {
    /// The name of its Python package, as reports and the script have it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Judge::FairyStockfish => "pyffish",
            Judge::PythonChess => "python-chess",
        }
    }
}

/// A game with the program that judges its positions.
#[derive(Clone, Debug)]
pub(super) struct JudgedGame {
    pub(super) label: String,
    pub(super) judge: Judge,
    pub(super) variant: Variant,
    /// The kinds of men that the program has.
    pub(super) pieces: Vec<PieceId>,
    /// The name that the program has for it.
    pub(super) name: String,
    /// Its section in a `variants.ini`; a game that the program knows needs none.
    pub(super) section: String,
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

impl JudgedGame {
    /// A game that the program knows by name.
    fn known(variant: Variant, judge: Judge, label: &str, name: &str) -> Self {
        let pieces = variant.piece_ids().collect();
        let (label, name) = (label.to_owned(), name.to_owned());
        JudgedGame { label, judge, variant, pieces, name, section: String::new() }
    }
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
