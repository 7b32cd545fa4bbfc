//! Lists the games with other rules than those of chess, by our name and by Fairy-Stockfish's.

use variant::Variant;
use xtask::root;

/// The variants of the repository that Fairy-Stockfish knows, and their names there.
pub(super) const VARIANTS: &[(&str, &str)] = &[
    ("antichess", "antichess"),
    ("atomic", "atomic"),
    ("king-of-the-hill", "kingofthehill"),
    ("kinglet", "kinglet"),
    ("losers", "losers"),
    ("makruk", "makruk"),
    ("racing-kings", "racingkings"),
    ("shatranj", "shatranj"),
    ("suicide", "suicide"),
];

/// Games with rules that none of them has: a name, the game of the repository to change, our lines and
/// theirs.
pub(super) const RULES: &[(&str, &str, &str, &str)] = &[
    ("must-capture", "fide", "must-capture = true", "mustCapture = true"),
    (
        // Without checks nobody is mated, so a rook in the corner wins.
        "no-checks",
        "fide",
        "checking = false\nflag-region-white = \"h8\"\nflag-piece = \"R\"",
        "checking = false\nflagRegionWhite = h8\nflagPiece = r",
    ),
    ("pass", "fide", "pass = true", "pass = true"),
    ("pass-on-stalemate", "fide", "pass-on-stalemate = true", "passOnStalemate = true"),
    (
        "medina",
        "fide",
        "bare-king = \"medina\"",
        "extinctionValue = loss\nextinctionPieceTypes = *\nextinctionPieceCount = 1\n\
         extinctionOpponentPieceCount = 2",
    ),
    (
        "extinct-rooks",
        "fide",
        "extinction-value = \"loss\"\nextinction-piece-types = \"QR\"\nextinction-opponent-piece-count = 1",
        "extinctionValue = loss\nextinctionPieceTypes = qr\nextinctionOpponentPieceCount = 1",
    ),
    (
        "goals",
        "fide",
        "flag-region-white = \"*7 a1\"\nflag-region-black = \"*2 h8\"\nflag-piece = \"R\"",
        "flagRegionWhite = *7 a1\nflagRegionBlack = *2 h8\nflagPiece = r",
    ),
    ("stalemate-wins", "fide", "stalemate-value = \"win\"", "stalemateValue = win"),
    ("checkmate-wins", "fide", "checkmate-value = \"win\"", "checkmateValue = win"),
    ("stalemate-counts", "fide", "stalemate-piece-count = true", "stalematePieceCount = true"),
    (
        "blast-goals",
        "atomic",
        "flag-region-white = \"*6\"\nflag-region-black = \"*3\"\nflag-piece = \"N\"",
        "flagRegionWhite = *6\nflagRegionBlack = *3\nflagPiece = n",
    ),
    ("atomic-960", "atomic", "chess960 = true", ""),
    ("atomic-pass", "atomic", "pass = true", "pass = true"),
    ("must-capture-960", "fide", "must-capture = true\nchess960 = true", "mustCapture = true"),
    ("pass-960", "fide", "pass = true\nchess960 = true", "pass = true"),
    ("hill-must-capture", "king-of-the-hill", "must-capture = true", "mustCapture = true"),
    ("hill-960", "king-of-the-hill", "chess960 = true", ""),
    (
        "near-castling",
        "fide",
        "castling-kingside-file = \"f\"\ncastling-queenside-file = \"d\"",
        "castlingKingsideFile = f\ncastlingQueensideFile = d",
    ),
    (
        "near-castling-must-capture",
        "losers",
        "castling-kingside-file = \"h\"\ncastling-queenside-file = \"d\"",
        "castlingKingsideFile = h\ncastlingQueensideFile = d",
    ),
    ("second-rank", "fide", "castling-rank = 2", "castlingRank = 2"),
    ("castling-knights", "fide", "castling-rook-pieces = \"RN\"", "castlingRookPieces = rn"),
];

/// A game of the repository with some lines of its rules changed.
///
/// # Errors
/// The file cannot be read, or the rules contradict each other.
pub(super) fn ruled(name: &str, base: &str, lines: &str) -> Result<Variant, String> {
    let path = root().join(format!("variants/{base}.toml"));
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let keys: Vec<&str> = lines.lines().filter_map(|line| line.split(' ').next()).collect();
    let is_kept = |line: &&str| line.split(' ').next().is_none_or(|key| !keys.contains(&key));
    let kept: String = text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    let kept = match lines.contains("stalemate-piece-count") {
        true => kept.replace("stalemate-value = \"draw\"\n", ""),
        false => kept,
    };
    let text = kept.replace("[rules]\n", &format!("[rules]\n{lines}\n"));
    Variant::parse(&text, name).map_err(|report| report.to_string())
}
