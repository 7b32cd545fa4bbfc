//! Lists the games that are compared, each with its rules, its name in python-chess and its tables.

use syzygy::Family;

/// A game whose files other programs read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Game {
    pub(super) family: Family,
    /// The variant file, without its ending, and the game's name here.
    pub(super) name: &'static str,
    /// The men of the tables all of whose positions are compared.
    pub(super) in_full: &'static [usize],
    /// Up to so many men all tables are made, and random positions of the largest compared.
    pub(super) n_men: usize,
    /// Tables that are made and compared beside those of so many men, unless others are named.
    pub(super) more: &'static [&'static str],
    /// Which share of the random positions each of these has.
    pub(super) share: usize,
    /// Whether Stockfish knows the game.
    pub(super) has_engine: bool,
}

/// Tables of the losing games with each way to number the leading men, some with captures en passant.
const OF_LOSING: &[&str] = &["KKvKK", "NNNvN", "KKvQR", "QRvBN", "KKPvN", "NPvNP"];

/// All games.
pub(super) const GAMES: [Game; 4] = [
    Game {
        family: Family::Chess,
        name: "fide",
        in_full: &[3],
        n_men: 4,
        // Some of their wins are cursed.
        more: &["KBBvKN", "KQRvKQ"],
        share: 10,
        has_engine: true,
    },
    Game {
        family: Family::Atomic,
        name: "atomic",
        in_full: &[3],
        n_men: 4,
        more: &[],
        share: 1,
        has_engine: false,
    },
    Game {
        family: Family::Giveaway,
        name: "antichess",
        in_full: &[2, 3],
        n_men: 3,
        more: OF_LOSING,
        share: 5,
        has_engine: false,
    },
    Game {
        family: Family::Suicide,
        name: "suicide",
        in_full: &[2, 3],
        n_men: 3,
        more: OF_LOSING,
        share: 5,
        has_engine: false,
    },
];

impl Game {
    /// The game of this name.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        let names = GAMES.map(|game| game.name).join(", ");
        let found = GAMES.into_iter().find(|game| game.name == name);
        found.ok_or_else(|| format!("there is no game {name} to compare; there are {names}"))
    }
}
