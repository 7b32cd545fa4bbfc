//! Lists the keys of a structure file by their tables.

use variant::text::{Key, Section, TextKind};

/// Structure files.
pub(super) static KIND: TextKind = TextKind { name: "structure file", example: "structures/wKQe6-bKQ.toml" };

/// The file itself.
pub(super) static FILE: Section = Section {
    place: "at the top of the file",
    keys: &[
        Key::new("name", "a string", "name = \"wKQe6-bKQ\""),
        Key::new("description", "a string", "description = \"Queen and pawn against queen\""),
        Key::new("source", "a string", "source = \"M. Bourzutschky, 2006\""),
        Key::new("game", "a string", "game = \"fide\""),
        Key::new("metric", "a string", "metric = \"dtm\""),
        Key::new("using", "a list of folders", "using = [\"tables/fide\"]"),
        Key::new("men", "a string", "men = \"wKQe6-bKQ\""),
        Key::new("man", "a list of tables", "[[man]]"),
        Key::new("limits", "a table", "[limits]"),
    ],
};

/// `[[man]]`
pub(super) static MAN: Section = Section {
    place: "in [[man]]",
    keys: &[
        Key::new("piece", "a string", "piece = \"wQ\""),
        Key::new("squares", "a string or a list of strings", "squares = \"e6\""),
        Key::new("fixed", "true or false", "fixed = true"),
    ],
};

/// `[limits]`
pub(super) static LIMITS: Section = Section {
    place: "in [limits]",
    keys: &[
        Key::new("promoted", "a whole number, or one for White and one for Black", "promoted = 1"),
        Key::new("first-only", "true or false", "first-only = true"),
        Key::new("few-men", "a whole number", "few-men = 4"),
        Key::new("discard", "a list of moves", "discard = [\"w=N\", \"bxR\"]"),
        Key::new("concede-to-white", "a list of moves and positions", "concede-to-white = [\"b=Q\"]"),
        Key::new("concede-to-black", "a list of moves and positions", "concede-to-black = [\"w=Q\"]"),
    ],
};
