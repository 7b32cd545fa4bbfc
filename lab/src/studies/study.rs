//! Lists positions with many men, and what is known of them.

/// What is known of a position.
pub(super) struct Study {
    pub(super) name: &'static str,
    /// Who composed it or where it stands.
    pub(super) source: &'static str,
    /// The rules, as the text of a variant file; none for chess.
    pub(super) rules: Option<&'static str>,
    /// The file of the folder `structures` that is solved instead of the position, which comes from it.
    pub(super) file: Option<&'static str>,
    pub(super) fen: &'static str,
    /// The least and the most that the side to move gets, as far as is asked: 1, 0 or −1.
    pub(super) result: (i8, i8),
    /// The moves that keep the result, in coordinates; empty if that is not known.
    pub(super) moves: &'static [&'static str],
}

const WON: (i8, i8) = (1, 1);
const DRAWN: (i8, i8) = (0, 0);
const LOST: (i8, i8) = (-1, -1);

const fn study(
    name: &'static str,
    source: &'static str,
    fen: &'static str,
    result: (i8, i8),
    moves: &'static [&'static str],
) -> Study {
    Study { name, source, rules: None, file: None, fen, result, moves }
}

/// Three pawns a side on nine squares: who reaches the other end wins, and who cannot move loses.
const HEXAPAWN: &str = r#"
name = "hexapawn"
metric = "wdl"

[board]
files = 3
ranks = 3

[rules]
stalemate-value = "loss"
n-move-rule = 0
extinction-value = "loss"
extinction-piece-types = "*"
flag-region-white = "*3"
flag-region-black = "*1"

[[piece]]
letter = "Q"
name = "winner"
betza = "Q"

[[piece]]
letter = "P"
name = "pawn"
betza = "fmWfcF"

[piece.pawn]
start-rank = 1
double-step = false
promotion-rank = 3
promotes-to = ["Q"]
"#;

pub(super) const STUDIES: &[Study] = &[
    study(
        "reti",
        "R. Réti, Deutschösterreichische Tages-Zeitung 1921",
        "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
        DRAWN,
        &["h8g7"],
    ),
    study(
        "saavedra",
        "F. Saavedra and G. E. Barbier, Glasgow Weekly Citizen 1895",
        "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
        WON,
        &["c6c7"],
    ),
    study(
        "saavedra-promotion",
        "the same after 1. c7 Rd6+ 2. Kb5 Rd5+ 3. Kb4 Rd4+ 4. Kb3 Rd3+ 5. Kc2 Rd4",
        "8/2P5/8/8/3r4/8/2K5/k7 w - - 0 1",
        WON,
        // The king's moves lead back; of the promotions only this one wins.
        &["c2b3", "c2c3", "c7c8r"],
    ),
    study(
        "lasker-reichhelm",
        "Em. Lasker and G. Reichhelm, Chicago Tribune 1901",
        "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
        WON,
        &["a1b1"],
    ),
    study(
        "breakthrough",
        "known since G. Cozio 1766: three pawns against three",
        "8/ppp5/8/PPP5/6k1/8/8/6K1 w - - 0 1",
        WON,
        &["b5b6"],
    ),
    Study {
        rules: Some(HEXAPAWN),
        ..study(
            "hexapawn",
            "M. Gardner, Scientific American, March 1962: the second player wins",
            "ppp/3/PPP w - - 0 1",
            LOST,
            &["a1a2", "b1b2", "c1c2"],
        )
    },
    Study {
        file: Some("fortress.toml"),
        ..study(
            "fortress",
            "B. von Guretzky-Cornitz, Deutsche Schachzeitung 1864: White holds",
            "8/6k1/8/8/q7/4R3/5PK1/8 w - - 0 1",
            (0, 1),
            &[],
        )
    },
    Study {
        file: Some("wKQd6-bKQ.toml"),
        ..study(
            "queens",
            "B. Baccala's example wKQd6-bKQ; the five-man table KQPvKQ has these three moves and no other",
            "8/8/3P4/8/3K4/7Q/1k6/3q4 w - - 0 1",
            WON,
            &["d4c5", "d4e5", "h3d3"],
        )
    },
    Study {
        file: Some("fortress-g6.toml"),
        ..study(
            "fortress-g6",
            "the pages of E. Bleicher's Freezer, and B. Baccala's Hoffman tutorial of 2015: White holds",
            "8/6k1/6p1/8/q7/4R3/5PK1/8 w - - 0 1",
            DRAWN,
            &["e3e1", "e3e7", "e3g3", "e3h3", "g2f1", "g2g1", "g2g3", "g2h1", "g2h2", "g2h3"],
        )
    },
    Study {
        file: Some("wKRe4-bKRe5.toml"),
        ..study(
            "rooks",
            "a rook a side and a blocked pair, found here: the king goes for the pawn, any other move draws or loses",
            "8/3K4/8/4p3/1k2P2R/8/8/2r5 w - - 0 1",
            WON,
            &["d7d6"],
        )
    },
    Study {
        file: Some("wKQd4-bKQd5.toml"),
        ..study(
            "queens-and-pawns",
            "queen and pawn a side, the pawns blocked, nobody promoted, found here: both bounds say a draw",
            "3q4/8/4k3/3p4/3P4/8/3Q4/4K3 w - - 0 1",
            DRAWN,
            &[],
        )
    },
    study(
        "fine-67",
        "R. Fine, Basic Chess Endings 1941, no. 67; B. Baccala's Hoffman tutorial of 2015 has the same moves",
        "8/2p5/3k4/1p1p1K2/8/1P1P4/2P5/8 w - - 0 1",
        WON,
        &["b3b4"],
    ),
    study(
        "four-rams",
        "ten men, four blocked pairs: either king guards its pawns",
        "4k3/8/p1p1p1p1/P1P1P1P1/8/8/8/4K3 w - - 0 1",
        DRAWN,
        &["e1d1", "e1d2", "e1e2", "e1f1", "e1f2"],
    ),
    Study {
        file: Some("five-rams.toml"),
        ..study(
            "five-rams",
            "twelve men, five blocked pairs: neither king comes through, and no pawn moves",
            "4k3/8/p1p1p1p1/P1P1P1Pp/7P/8/8/4K3 w - - 0 1",
            DRAWN,
            &["e1d1", "e1d2", "e1e2", "e1f1", "e1f2"],
        )
    },
];
