//! Names the games that are compared, each with the program that judges it: the variant files, games with
//! rules that none of them has, and chess with one more piece for each movement of the catalogue.

use super::dialect;
use anyhow::{Context, Result, ensure};
use geometry::Symmetry;
use piece::CATALOGUE;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use variant::ini::{Conversion, Games};
use variant::{Man, Piece, PieceId, Side, Variant};
use xtask::root;

/// The games, in the form that the file explains.
const LIST: &str = include_str!("../../data/games.toml");

/// Chess with one more piece, whose movement and whose board are left open.
const WITH_PIECE: &str = include_str!("../../rules/piece.toml");

/// How often that piece is put on the board for once that another is.
const WEIGHT: usize = 4;

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
    /// The kinds of men that the program has, one that is there twice twice as often on the board.
    pub(super) pieces: Vec<PieceId>,
    /// The men of whose kind their side alone may have any.
    pub(super) one_sided: Vec<Man>,
    /// The name that the program has for it.
    pub(super) name: String,
    /// Its section in a `variants.ini`; a game that the program knows needs none.
    pub(super) section: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct List {
    left_out: Vec<String>,
    movements: Vec<String>,
    shapes: Vec<[usize; 2]>,
    on_shapes: Vec<String>,
    python_chess: BTreeMap<String, String>,
    fairy_stockfish: BTreeMap<String, String>,
    rules: Vec<ChangedGame>,
}

/// A game of the repository with other rules.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct ChangedGame {
    name: String,
    base: String,
    ours: String,
    theirs: String,
    python_chess: Option<String>,
}

/// The games of these labels, or all if none is named, and a line for each that no program can play.
///
/// # Errors
/// A game cannot be read, or there is none of a name.
pub(super) fn games(names: &[String]) -> Result<(Vec<JudgedGame>, Vec<String>)> {
    let list: List = toml::from_str(LIST)?;
    let (mut games, mut left_out) = (Vec::new(), list.left_out.clone());
    for (label, name) in &list.python_chess {
        let variant = Variant::load(root().join("variants").join(label).with_extension("toml"))?;
        games.push(JudgedGame::known(variant, Judge::PythonChess, label, name));
    }
    for path in variant_files()? {
        let label = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let variant = Variant::load(&path)?;
        let written = |piece: &Piece| piece.movement.to_betza();
        match list.fairy_stockfish.get(&label) {
            Some(name) => games.push(JudgedGame::known(variant, Judge::FairyStockfish, &label, name)),
            None => match JudgedGame::with_section(&label, variant, &written) {
                Ok(game) => games.push(game),
                Err(reason) => left_out.push(format!("{label}: {reason}")),
            },
        }
    }
    for ChangedGame { name, base, ours, theirs, python_chess } in &list.rules {
        let (variant, base) = (changed(name, base, ours)?, &list.fairy_stockfish[base]);
        let own = format!("try-{name}");
        if let Some(there) = python_chess {
            games.push(JudgedGame::known(variant.clone(), Judge::PythonChess, name, there));
        }
        let game = JudgedGame::known(variant, Judge::FairyStockfish, name, &own);
        games.push(JudgedGame { section: format!("[{own}:{base}]\n{theirs}\n"), ..game });
    }
    let mut seen = BTreeSet::new();
    let named = CATALOGUE.iter().map(|piece| (format!("{} ({})", piece.name, piece.betza), piece.betza));
    let unnamed = list.movements.iter().map(|betza| (betza.clone(), betza.as_str()));
    let mut tried: Vec<(String, &str, [usize; 2])> =
        named.chain(unnamed).map(|(label, betza)| (label, betza, [8, 8])).collect();
    tried.retain(|(_, betza, _)| seen.insert(*betza));
    for &shape @ [files, ranks] in &list.shapes {
        let label = |betza| format!("{betza} on {files} × {ranks}");
        tried.extend(list.on_shapes.iter().map(|betza| (label(betza), betza.as_str(), shape)));
    }
    for (label, betza, shape) in tried {
        match JudgedGame::with_piece(&label, betza, "K", shape)? {
            Ok(game) => games.push(game),
            Err(reason) => left_out.push(format!("{label}: {reason}")),
        }
    }
    games.extend(JudgedGame::with_piece("royal knight", "K", "N", [8, 8])?);
    for game in &mut games {
        if game.variant.rules.castling.as_ref().is_some_and(|rule| rule.any_files) {
            game.name += "/960";
        }
    }
    let is_named = |label: &str, name: &String| label.split([' ', ',']).next() == Some(name);
    for name in names {
        let has_game = games.iter().any(|game| is_named(&game.label, name));
        ensure!(
            has_game,
            "`{name}` is no game or piece that a program can play; without a name all are compared"
        );
    }
    games.retain(|game| names.is_empty() || names.iter().any(|name| is_named(&game.label, name)));
    Ok((games, left_out))
}

/// The games of a `variants.ini` that can be taken over, and a line for each other one.
///
/// # Errors
/// The file cannot be read, or a name is that of no game that is taken over.
pub(super) fn games_of_ini(path: &Path, names: &[String]) -> Result<(Vec<JudgedGame>, Vec<String>)> {
    let text = fs_err::read_to_string(path)?;
    let (ini, mut games, mut left_out) = (Games::parse(&text)?, Vec::new(), Vec::new());
    for name in ini.names() {
        match ini.convert(name) {
            Ok(Conversion { variant, one_sided, .. }) => {
                let man = |(letter, side): &(char, Side)| {
                    variant.piece_lettered(*letter).map(|piece| Man { side: *side, piece })
                };
                let one_sided = one_sided.iter().filter_map(man).collect();
                let game = JudgedGame::known(variant, Judge::FairyStockfish, name, name);
                games.push(JudgedGame { section: text.clone(), one_sided, ..game });
            }
            Err(refusals) => left_out.extend(refusals.first().map(|first| format!("{name}: {first}"))),
        }
    }
    for name in names {
        ensure!(games.iter().any(|game| game.label == *name), "no game `{name}` is taken over of that file");
    }
    games.retain(|game| names.is_empty() || names.contains(&game.label));
    Ok((games, left_out))
}

impl JudgedGame {
    /// A game that the program knows by name.
    fn known(variant: Variant, judge: Judge, label: &str, name: &str) -> Self {
        let pieces = variant.piece_ids().collect();
        let (label, name) = (label.to_owned(), name.to_owned());
        JudgedGame { label, judge, variant, pieces, one_sided: Vec::new(), name, section: String::new() }
    }

    /// A game as Fairy-Stockfish is told it; or why it cannot play it.
    fn with_section(
        label: &str,
        variant: Variant,
        betza: &dyn Fn(&Piece) -> Option<String>,
    ) -> Result<Self, &'static str> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let part = |c: char| if is_plain(c) { c.to_string() } else { format!("-{}", u32::from(c)) };
        let name = format!("try-{}", label.chars().map(part).collect::<String>());
        let (section, pieces) = dialect::section(&name, &variant, betza)?;
        Ok(JudgedGame { section, pieces, ..JudgedGame::known(variant, Judge::FairyStockfish, label, &name) })
    }

    /// Chess with one more piece; or why Fairy-Stockfish cannot play that.
    fn with_piece(
        label: &str,
        betza: &str,
        royal: &str,
        [files, ranks]: [usize; 2],
    ) -> Result<Result<Self, &'static str>> {
        let text = WITH_PIECE.replace("FILES", &files.to_string()).replace("RANKS", &ranks.to_string());
        let text = text.replace("ROYAL", royal).replace("BETZA", betza);
        let variant = Variant::parse(&text, label)?;
        let tried = variant.piece_lettered('X').context("the rules have the piece")?;
        let movement = &variant.piece(tried).movement;
        if let Some(reason) = dialect::obstacle(movement) {
            return Ok(Err(reason));
        }
        // Fairy-Stockfish turns Black's men round by half a circle; here they are mirrored, so that left
        // stays left on the board. Only White gets a piece whose left and right differ.
        let is_one_sided = !movement.is_preserved_by(Symmetry::MIRROR_FILES);
        let label = if is_one_sided { format!("{label}, White's only") } else { label.to_owned() };
        // The notation itself is tried, so it is not written anew.
        let written = |piece: &Piece| match piece.letter {
            'X' => Some(betza.to_owned()),
            _ => piece.movement.to_betza(),
        };
        Ok(JudgedGame::with_section(&label, variant, &written).map(|mut game| {
            game.pieces.extend(std::iter::repeat_n(tried, WEIGHT - 1));
            let whites = is_one_sided.then_some(Man { side: Side::White, piece: tried });
            JudgedGame { one_sided: whites.into_iter().collect(), ..game }
        }))
    }
}

/// The variant files of the repository, those of tests too.
fn variant_files() -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for folder in ["variants", "tests/cases"] {
        for entry in fs_err::read_dir(root().join(folder))? {
            paths.push(entry?.path());
        }
    }
    paths.retain(|path| path.extension() == Some("toml".as_ref()));
    paths.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    Ok(paths)
}

/// A game of the repository with some lines of its rules changed.
///
/// # Errors
/// The file cannot be read, or the rules contradict each other.
fn changed(name: &str, base: &str, lines: &str) -> Result<Variant> {
    let text = fs_err::read_to_string(root().join(Path::new("variants")).join(format!("{base}.toml")))?;
    let keys: Vec<&str> = lines.lines().filter_map(|line| line.split(' ').next()).collect();
    let counts = |key: &str| key == "stalemate-value" && keys.contains(&"stalemate-piece-count");
    let is_kept = |line: &&str| line.split(' ').next().is_none_or(|key| !keys.contains(&key) && !counts(key));
    let kept: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    Ok(Variant::parse(&kept.replace("[rules]\n", &format!("[rules]\n{lines}\n")), name)?)
}

#[cfg(test)]
mod tests {
    use super::{LIST, List, changed, games};
    use std::collections::BTreeSet;

    #[test]
    fn every_game_has_a_judge_or_a_reason() {
        let (all, left_out) = games(&[]).expect("the games are readable");
        assert!(all.len() > 140, "{}", all.len());
        let labels: BTreeSet<_> = all.iter().map(|game| (&game.label, game.judge.name())).collect();
        assert_eq!(labels.len(), all.len());
        assert!(left_out.iter().any(|line| line.starts_with("camelrider (CC): of riders")), "{left_out:?}");
        let of_files: Vec<&String> =
            left_out.iter().filter(|line| line.contains("it has no boards")).collect();
        assert_eq!(of_files.len(), 1, "{left_out:?}");
    }

    #[test]
    fn games_are_chosen_by_name() {
        let names = |name: &str| games(&[name.to_owned()]).map(|(games, _)| games.len());
        assert_eq!(names("nightrider").expect("a piece and a game of this name"), 2);
        assert_eq!(names("atomic-960").expect("two judges"), 2);
        assert!(names("night rider").expect_err("no game").to_string().contains("`night rider` is no game"));
    }

    #[test]
    fn changed_rules_are_others() {
        let list: List = toml::from_str(LIST).expect("the list is readable");
        let rules = |name: &str, base: &str, lines: &str| {
            changed(name, base, lines).unwrap_or_else(|error| panic!("{name}: {error}")).rules
        };
        for game in &list.rules {
            assert_ne!(rules(&game.name, &game.base, &game.ours), rules("", &game.base, ""), "{}", game.name);
        }
    }
}
