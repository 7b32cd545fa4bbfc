//! Lists the keys of a variant file by their tables, those that are refused or come later among them.
//!
//! Names are those of Fairy-Stockfish's `variants.ini` where it has the rule, in kebab-case; its own spelling
//! (`stalemateValue`) is read as well.

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    pub(crate) name: &'static str,
    /// What its value is, for people.
    pub(crate) expects: &'static str,
    /// A line that would do.
    pub(crate) example: &'static str,
    /// For a key that comes later: its default, the only value it may have today.
    pub(crate) only: Option<&'static str>,
    /// Why a key will never have another value.
    pub(crate) never: Option<&'static str>,
}

/// A table of the file.
#[derive(Debug)]
pub struct Section {
    /// Where its keys stand, for people: `in [limits]`.
    pub place: &'static str,
    /// The keys.
    pub keys: &'static [Key],
}

impl Key {
    /// A key, what its value is for people (`a string`), and a line that would do.
    #[must_use]
    pub const fn new(name: &'static str, expects: &'static str, example: &'static str) -> Self {
        Key { name, expects, example, only: None, never: None }
    }
}

const fn key(name: &'static str, expects: &'static str, example: &'static str) -> Key {
    Key::new(name, expects, example)
}

const fn later(name: &'static str, default: &'static str) -> Key {
    Key { name, expects: "", example: "", only: Some(default), never: None }
}

const fn never(name: &'static str, default: &'static str, reason: &'static str) -> Key {
    Key { name, expects: "", example: "", only: Some(default), never: Some(reason) }
}

const DROPS: &str = "in a game with drops material never shrinks, so no table can be built before the others";
const PATH: &str = "a table's value must not depend on how the position arose";

/// The file itself.
pub(crate) static FILE: Section = Section {
    place: "at the top of the file",
    keys: &[
        key("name", "a string", "name = \"fide\""),
        key("description", "a string", "description = \"Chess\""),
        key("source", "a string", "source = \"FIDE Laws of Chess, 2023\""),
        key("men-limit", "a whole number", "men-limit = 4"),
        key("metric", "a string", "metric = \"dtm\""),
        key("board", "a table", "[board]"),
        key("rules", "a table", "[rules]"),
        key("piece", "a list of tables", "[[piece]]"),
        later("extends", "\"\""),
        later("start-fen", "\"\""),
    ],
};

/// `[board]`
pub(crate) static BOARD: Section = Section {
    place: "in [board]",
    keys: &[
        key("files", "a whole number", "files = 8"),
        key("ranks", "a whole number", "ranks = 8"),
        key("holes", "a list of squares", "holes = [\"d4\", \"d5\"]"),
        key("cylinder", "true or false", "cylinder = true"),
    ],
};

/// `[rules]`
pub(crate) static RULES: Section = Section {
    place: "in [rules]",
    keys: &[
        key("stalemate-value", "a string", "stalemate-value = \"draw\""),
        key("n-move-rule", "a whole number", "n-move-rule = 50"),
        key("castling", "true or false", "castling = true"),
        key("castling-king-piece", "a letter", "castling-king-piece = \"K\""),
        key("castling-rook-pieces", "a string of letters", "castling-rook-pieces = \"R\""),
        key("castling-rank", "a whole number", "castling-rank = 1"),
        key("castling-king-file", "a file", "castling-king-file = \"e\""),
        key("castling-kingside-file", "a file", "castling-kingside-file = \"g\""),
        key("castling-queenside-file", "a file", "castling-queenside-file = \"c\""),
        key("castling-rook-kingside-file", "a file", "castling-rook-kingside-file = \"h\""),
        key("castling-rook-queenside-file", "a file", "castling-rook-queenside-file = \"a\""),
        key("chess960", "true or false", "chess960 = true"),
        later("castling-wizards", "false"),
        later("opposite-castling", "false"),
        key("checkmate-value", "a string", "checkmate-value = \"loss\""),
        key("stalemate-piece-count", "true or false", "stalemate-piece-count = true"),
        key("checking", "true or false", "checking = false"),
        key("must-capture", "true or false", "must-capture = true"),
        key("blast-on-capture", "true or false", "blast-on-capture = true"),
        key("blast-immune-types", "a string of letters", "blast-immune-types = \"N\""),
        key("blast-pawns", "true or false", "blast-pawns = true"),
        key("pass", "true or false", "pass = true"),
        key("pass-on-stalemate", "true or false", "pass-on-stalemate = true"),
        key("black-turned", "true or false", "black-turned = true"),
        key("royal-men", "a whole number", "royal-men = 2"),
        key("royal-men-white", "a whole number", "royal-men-white = 0"),
        key("royal-men-black", "a whole number", "royal-men-black = 1"),
        key("flag-piece", "a string of letters", "flag-piece = \"K\""),
        key("flag-region", "squares", "flag-region = [\"d4\", \"e4\"]"),
        key("flag-region-white", "squares", "flag-region-white = \"*8\""),
        key("flag-region-black", "squares", "flag-region-black = \"*1\""),
        key("flag-piece-count", "a whole number", "flag-piece-count = 3"),
        key("flag-piece-blocked-win", "true or false", "flag-piece-blocked-win = true"),
        key("flag-move", "true or false", "flag-move = true"),
        key("flag-piece-safe", "true or false", "flag-piece-safe = true"),
        key("connect-n", "a whole number", "connect-n = 3"),
        key("connect-piece-types", "a string of letters", "connect-piece-types = \"*\""),
        key("connect-horizontal", "true or false", "connect-horizontal = true"),
        key("connect-vertical", "true or false", "connect-vertical = true"),
        key("connect-diagonal", "true or false", "connect-diagonal = false"),
        key("extinction-value", "a string", "extinction-value = \"loss\""),
        key("extinction-piece-types", "a string of letters", "extinction-piece-types = \"*\""),
        key("extinction-piece-count", "a whole number", "extinction-piece-count = 1"),
        key("extinction-opponent-piece-count", "a whole number", "extinction-opponent-piece-count = 2"),
        key("extinction-claim", "true or false", "extinction-claim = true"),
        key("bare-king", "a string", "bare-king = \"shatranj\""),
        key("extinction-pseudo-royal", "true or false", "extinction-pseudo-royal = true"),
        later("petrify-on-capture-types", "\"\""),
        later("flying-general", "false"),
        key("check-counting", "a whole number", "check-counting = 3"),
        later("n-move-rule-types", "\"p\""),
        never("n-fold-value", "\"draw\"", PATH),
        never("perpetual-check-illegal", "false", PATH),
        never("move-repetition-illegal", "false", PATH),
        never("piece-drops", "false", DROPS),
        never("must-drop", "false", DROPS),
        never("captures-to-hand", "false", DROPS),
        never("gating", "false", DROPS),
    ],
};

/// `[[piece]]`
pub(crate) static PIECE: Section = Section {
    place: "in [[piece]]",
    keys: &[
        key("letter", "a string", "letter = \"N\""),
        key("name", "a string", "name = \"knight\""),
        key("betza", "a string", "betza = \"N\""),
        key("royal", "true or false", "royal = true"),
        key("pawn", "a table", "[piece.pawn]"),
        key("mobility-region-white", "squares", "mobility-region-white = \"*1 *2 *3\""),
        key("mobility-region-black", "squares", "mobility-region-black = \"*8 *7 *6\""),
        later("promoted-piece-type", "\"\""),
        later("mandatory-piece-promotion", "false"),
        later("immobility-illegal", "false"),
    ],
};

/// `[piece.pawn]`
pub(crate) static PAWN: Section = Section {
    place: "in [piece.pawn]",
    keys: &[
        key("start-rank", "a whole number", "start-rank = 2"),
        key("double-step", "true or false", "double-step = true"),
        key("double-step-ranks", "a list of ranks", "double-step-ranks = [2]"),
        key("en-passant", "true or false", "en-passant = true"),
        key("promotion-rank", "a whole number", "promotion-rank = 8"),
        key("promotion-zone", "a list of squares", "promotion-zone = [\"d8\", \"e8\"]"),
        key("promotion-zone-black", "a list of squares", "promotion-zone-black = [\"d1\", \"e2\"]"),
        key("double-step-ranks-black", "a list of ranks", "double-step-ranks-black = [7]"),
        key("promotes-to", "a list of letters", "promotes-to = [\"Q\", \"R\", \"B\", \"N\"]"),
        key("promotes-to-black", "a list of letters", "promotes-to-black = [\"Q\"]"),
        later("triple-step", "false"),
        key("mandatory-pawn-promotion", "true or false", "mandatory-pawn-promotion = false"),
        later("promotion-limit", "\"\""),
    ],
};

static SECTIONS: [&Section; 5] = [&FILE, &BOARD, &RULES, &PIECE, &PAWN];

/// Keys of `variants.ini` that say here something else, and how.
const ELSEWHERE: &[(&str, &str)] = &[
    ("max-file", "write `files` in [board]"),
    ("max-rank", "write `ranks` in [board]"),
    ("pieces", "write one [[piece]] table for each piece"),
    ("pawn", "write a [[piece]] with a [piece.pawn] table"),
    ("king", "write a [[piece]] with `royal = true`"),
    ("promotion-piece-types", "write `promotes-to` in [piece.pawn]"),
    ("promotion-region", "write `promotion-rank` or `promotion-zone` in [piece.pawn]"),
    ("promotion-region-white", "write `promotion-rank` or `promotion-zone` in [piece.pawn]"),
    ("double-step-region", "write `double-step-ranks` in [piece.pawn]"),
    ("promotion-region-black", "write `promotion-zone-black` in [piece.pawn]"),
    ("double-step-region-black", "write `double-step-ranks-black` in [piece.pawn]"),
    ("double-step-region-white", "write `double-step-ranks` in [piece.pawn]"),
    ("en-passant-region", "write `en-passant` in [piece.pawn]"),
    ("movement", "write `betza`"),
    ("moves", "write `betza`"),
    ("symbol", "write `letter`"),
    ("mobility-region", "write `mobility-region-white`, `mobility-region-black` or both"),
    ("flag-piece-white", "write `flag-piece`, which is for both sides"),
    ("flag-piece-black", "write `flag-piece`, which is for both sides"),
    ("pass-on-stalemate-white", "write `pass-on-stalemate`, which is for both sides"),
    ("pass-on-stalemate-black", "write `pass-on-stalemate`, which is for both sides"),
];

impl Section {
    /// The key of this name, in either spelling.
    pub(crate) fn key(&self, written: &str) -> Option<&Key> {
        let name = kebab(written);
        self.keys.iter().find(|key| key.name == name)
    }
}

/// `stalemateValue` as `stalemate-value`; other spellings stay as they are.
pub(crate) fn kebab(written: &str) -> String {
    if written.contains(['-', '_']) || !written.starts_with(|c: char| c.is_ascii_lowercase()) {
        return written.into();
    }
    let mut name = String::new();
    for c in written.chars() {
        if c.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// What to say of a key that the section does not have.
pub(crate) fn refusal(section: &Section, written: &str) -> (String, String) {
    let shown = written.escape_debug();
    let message = format!("unknown key `{shown}` {}", section.place);
    let plain = kebab(&written.to_lowercase().replace('_', "-"));
    let plain = [kebab(written), plain];
    // Files of other kinds have other keys.
    let is_own = SECTIONS.iter().any(|own| std::ptr::eq(*own, section));
    let moved = ELSEWHERE.iter().filter(|_| is_own).find(|(name, _)| plain.iter().any(|p| p == name));
    if let Some((_, help)) = moved {
        return (message, (*help).into());
    }
    let sections = if is_own { &SECTIONS[..] } else { &[] };
    let elsewhere = sections.iter().find(|other| plain.iter().any(|p| other.key(p).is_some()));
    if let Some(other) = elsewhere {
        let name = plain.iter().find_map(|p| other.key(p)).map_or("", |key| key.name);
        let place = if std::ptr::eq(*other, section) { String::new() } else { format!(" {}", other.place) };
        return (message, format!("write `{name}`{place}"));
    }
    let near = |key: &&Key| plain.iter().map(|p| distance(p, key.name)).min().unwrap_or(usize::MAX);
    let begun = |key: &&Key| plain.iter().any(|p| p.len() >= 3 && key.name.starts_with(p.as_str()));
    let nearest = section.keys.iter().min_by_key(near).filter(|key| near(key) <= 1 + key.name.len() / 4);
    let nearest = nearest.or_else(|| section.keys.iter().find(begun));
    let help = match nearest {
        Some(key) => format!("did you mean `{}`?", key.name),
        None => {
            let names: Vec<_> =
                section.keys.iter().filter(|key| key.only.is_none()).map(|key| key.name).collect();
            format!("remove it; {} there are {}", section.place, names.join(", "))
        }
    };
    (message, help)
}

/// How many letters must be inserted, removed, replaced or exchanged with a neighbour to get from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
