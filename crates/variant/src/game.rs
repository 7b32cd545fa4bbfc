//! Holds the texts of the games that programs know without a file beside them.
//!
//! People read and change the files of `variants/`; a package holds nothing outside its own folder, so
//! `games/` has copies of them, which a test holds equal.

use crate::Variant;

/// Chess: `variants/fide.toml`.
pub const CHESS: &str = include_str!("../games/fide.toml");

/// Atomic chess: `variants/atomic.toml`.
pub const ATOMIC: &str = include_str!("../games/atomic.toml");

/// Antichess: `variants/antichess.toml`.
pub const ANTICHESS: &str = include_str!("../games/antichess.toml");

/// Suicide: `variants/suicide.toml`.
pub const SUICIDE: &str = include_str!("../games/suicide.toml");

/// The names and texts of all games, by name.
pub const GAMES: [(&str, &str); 33] = [
    ("ai-wok", include_str!("../games/ai-wok.toml")),
    ("amazon-empress-princess", include_str!("../games/amazon-empress-princess.toml")),
    ("antichess", ANTICHESS),
    ("atomic", ATOMIC),
    ("berolina", include_str!("../games/berolina.toml")),
    ("cannon", include_str!("../games/cannon.toml")),
    ("capablanca", include_str!("../games/capablanca.toml")),
    ("chess960", include_str!("../games/chess960.toml")),
    ("chigorin", include_str!("../games/chigorin.toml")),
    ("commoner", include_str!("../games/commoner.toml")),
    ("coregal", include_str!("../games/coregal.toml")),
    ("cylinder", include_str!("../games/cylinder.toml")),
    ("fairy-zoo", include_str!("../games/fairy-zoo.toml")),
    ("fairy-zoo-hoppers", include_str!("../games/fairy-zoo-hoppers.toml")),
    ("fairy-zoo-leapers", include_str!("../games/fairy-zoo-leapers.toml")),
    ("fairy-zoo-shogi", include_str!("../games/fairy-zoo-shogi.toml")),
    ("fide", CHESS),
    ("gardner", include_str!("../games/gardner.toml")),
    ("grasshopper", include_str!("../games/grasshopper.toml")),
    ("horde", include_str!("../games/horde.toml")),
    ("king-of-the-hill", include_str!("../games/king-of-the-hill.toml")),
    ("kinglet", include_str!("../games/kinglet.toml")),
    ("knightmate", include_str!("../games/knightmate.toml")),
    ("los-alamos", include_str!("../games/los-alamos.toml")),
    ("losers", include_str!("../games/losers.toml")),
    ("makruk", include_str!("../games/makruk.toml")),
    ("nightrider", include_str!("../games/nightrider.toml")),
    ("orda", include_str!("../games/orda.toml")),
    ("racing-kings", include_str!("../games/racing-kings.toml")),
    ("shatranj", include_str!("../games/shatranj.toml")),
    ("stalemate-loses", include_str!("../games/stalemate-loses.toml")),
    ("suicide", SUICIDE),
    ("three-check", include_str!("../games/three-check.toml")),
];

/// The names that programs have for games, beside those of our own.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("chess", "fide"),
    ("standard", "fide"),
    ("normal", "fide"),
    ("giveaway", "antichess"),
    ("3check", "three-check"),
];

/// Whether a name means a game: its own, in small letters or large ones, with hyphens or without
/// (`kingOfTheHill` is `king-of-the-hill`), or one that other programs have for it (`chess` is `fide`).
#[must_use]
pub fn is_named(game: &str, name: &str) -> bool {
    let letters = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' ');
    if game == name || !name.chars().all(is_plain) {
        return game == name;
    }
    let name = letters(name);
    let meant = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(&*name, |&(_, own)| own);
    letters(game) == letters(meant)
}

/// Which of some games a name means: the one that has it, or else the first that it means as [`is_named`]
/// says.
#[must_use]
pub fn meant<'n>(games: impl Iterator<Item = &'n str> + Clone, name: &str) -> Option<usize> {
    games
        .clone()
        .position(|game| game == name)
        .or_else(|| games.clone().position(|game| is_named(game, name)))
}

/// Whether a text is a name and no path, so that it leads to no other folder.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// The name that programs for playing have for a game: `chess`, `kingofthehill`.
#[must_use]
pub fn playing_name(game: &str) -> &str {
    match game {
        "fide" => "chess",
        "king-of-the-hill" => "kingofthehill",
        "los-alamos" => "losalamos",
        "racing-kings" => "racingkings",
        "three-check" => "3check",
        _ => game,
    }
}

/// Returns the name and the text of the game that a name means, as [`is_named`] says.
#[must_use]
pub fn named(name: &str) -> Option<(&'static str, &'static str)> {
    GAMES.into_iter().find(|(game, _)| is_named(game, name))
}

impl Variant {
    /// Returns chess under the rules of FIDE.
    ///
    /// # Panics
    /// Never: a test parses the text.
    #[must_use]
    pub fn chess() -> Self {
        Variant::parse(CHESS, "chess as built in").expect("the rules of chess have no fault")
    }

    /// Returns the rules of the game that is built in under this name, such as `atomic` or `chess`.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let (name, text) = named(name)?;
        Variant::parse(text, name).ok()
    }
}
