//! Reads a variant file into a checked variant, or lists all its faults.
//!
//! ```text
//!   text ─ table (TOML, keys of schema) ─ board, piece, rules ─ invariants ─► Variant
//!                       └───────── faults, all of them ─────────┘
//! ```
//!
//! A part that cannot be read is a fault. Something harmless replaces it, so that the rest is still checked;
//! faults that would only repeat the first one are left out. A [`Document`] is the text of any TOML file
//! that people write, parsed as far as it is TOML.

mod board;
mod fault;
mod piece;
mod rules;
pub(crate) mod schema;
mod table;

pub use board::squares_named;
pub use fault::{Fault, LoadError, Report, TextKind, visible, visible_in_place};
pub(crate) use piece::from_rank;
pub use schema::{Key, Section};
pub use table::{Faults, Span, Table, Value};

use crate::contradiction::Subject;
use crate::invariant::{self, DEFAULT_MEN_LIMIT, MAX_MEN_LIMIT};
use crate::{Metric, Piece, UnknownMetric, Variant};
use board::BoardDraft;
use fault::{MAX_FILE_BYTES, VARIANT_FILE};
use piece::PieceDraft;
use rules::RulesDraft;
use std::path::Path;
use toml::Spanned;
use toml::de::DeTable;

impl Variant {
    /// Reads the text of a variant file; `source_name` is the file's name in the report.
    ///
    /// # Errors
    /// Every fault of the file at once: unknown keys, wrong types, movements that cannot be read,
    /// contradictions.
    pub fn parse(text: &str, source_name: &str) -> Result<Self, Report> {
        let (document, mut faults) = Document::parse(text, &VARIANT_FILE);
        let variant = read(&document, &mut faults);
        match (faults.into_report(source_name), variant) {
            (None, Some(variant)) => Ok(variant),
            (Some(report), _) => Err(report),
            (None, None) => unreachable!("a file without a variant has a fault"),
        }
    }

    /// Reads a variant file.
    ///
    /// # Errors
    /// A file that cannot be read or is larger than any variant file, or all its faults.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let text = load_text(path, &VARIANT_FILE)?;
        Ok(Variant::parse(&text, &path.display().to_string())?)
    }
}

fn read(document: &Document<'_>, faults: &mut Faults<'_>) -> Option<Variant> {
    let file = document.root(&schema::FILE, faults);
    let name = file.string("name", faults);
    if !file.has("name") {
        file.missing("name", "name the variant at the top, as in `name = \"fide\"`", faults);
    }
    let text = |key, faults: &mut Faults<'_>| file.string(key, faults).map_or_else(String::new, |v| v.value);
    let (description, source) = (text("description", faults), text("source", faults));
    let men_limit =
        file.number("men-limit", 2..=MAX_MEN_LIMIT, faults).map_or(DEFAULT_MEN_LIMIT, |v| v.value);
    let default_metric = default_metric(&file, faults);
    let board = board::read(&file, faults);
    let drafts = piece::read_all(&file, board.board.as_ref(), faults);
    let rules = rules::read(&file, board.board.as_ref(), &drafts, faults);
    if !faults.is_partial() {
        violations(&file, name.as_ref(), &board, &drafts, &rules, faults);
    }
    if !faults.is_empty() {
        return None;
    }
    let (pieces, rules) =
        invariant::ordered(drafts.into_iter().map(|draft| draft.piece).collect(), rules.rules);
    Some(Variant {
        name: name?.value,
        description,
        source,
        board: board.board?,
        pieces,
        rules,
        men_limit,
        default_metric,
    })
}

fn default_metric(file: &Table<'_>, faults: &mut Faults<'_>) -> Metric {
    let Some(metric) = file.string("metric", faults) else { return Metric::Dtm };
    // Helpmates are asked for beside the game's own metric.
    let own = Metric::OF_CONTEST.into_iter().find(|own| own.name() == metric.value);
    let named = own.ok_or_else(|| UnknownMetric::new(&metric.value));
    named.unwrap_or_else(|error: UnknownMetric| {
        let help =
            "write \"wdl\", \"dtc\", \"dtz\", \"dtz50\" or \"dtm\"; left out, it is \"dtm\", plies to mate";
        faults.add(metric.span, metric.key.name, error.to_string(), help);
        Metric::Dtm
    })
}

/// Checks the invariants and finds the place of each that is broken.
fn violations(
    file: &Table<'_>,
    name: Option<&Value<'_, String>>,
    board: &BoardDraft<'_>,
    drafts: &[PieceDraft<'_>],
    rules: &RulesDraft<'_>,
    faults: &mut Faults<'_>,
) {
    // What could not be read is a fault already; what stands in for it must not become a second one.
    let relevant = |subject: Subject| match subject {
        Subject::Name => name.is_some(),
        Subject::Hole(_) => board.has_holes,
        Subject::Pieces => rules.is_whole && !drafts.is_empty() && drafts.iter().all(|draft| draft.has_royal),
        Subject::Letter(i) => drafts[i].has_letter,
        Subject::Zone(i) | Subject::DoubleStep(i) | Subject::EnPassant(i) | Subject::Promotion(i) => {
            drafts[i].has_squares
        }
        Subject::Rule(_) => rules.is_whole && drafts.iter().all(|draft| draft.has_royal && draft.has_letter),
        Subject::PromotesTo(..) | Subject::Movement(_) | Subject::Pawn(_) | Subject::Region(..) => true,
    };
    let pieces: Vec<Piece> = drafts.iter().map(|draft| draft.piece.clone()).collect();
    let name = name.map_or("", |name| &name.value);
    for violation in invariant::check(name, board.board.as_ref(), &pieces, &rules.rules) {
        if relevant(violation.subject) {
            let (span, key) = place(violation.subject, file, board, drafts, rules);
            faults.add(span, &key, violation.message, violation.help);
        }
    }
}

/// Where a part of the variant stands in the file, and its key.
fn place(
    subject: Subject,
    file: &Table<'_>,
    board: &BoardDraft<'_>,
    drafts: &[PieceDraft<'_>],
    rules: &RulesDraft<'_>,
) -> (Span, String) {
    let in_table = |table: &Table<'_>, key: &str| (table.span_of(key), table.path_of(key));
    let in_pawn = |i: usize, key: &str| match &drafts[i].pawn {
        Some(pawn) => in_table(pawn, key),
        None => in_table(&drafts[i].table, "pawn"),
    };
    // The first of two keys if the file gives it, else the second.
    let in_pawn_first = |i: usize, [first, second]: [&str; 2]| {
        let has_first = drafts[i].pawn.as_ref().is_some_and(|pawn| pawn.has(first));
        in_pawn(i, if has_first { first } else { second })
    };
    match subject {
        Subject::Name => in_table(file, "name"),
        Subject::Hole(square) => board.place_of(square),
        Subject::Pieces => (drafts.first().map_or(0..0, |first| first.table.span.clone()), "piece".into()),
        Subject::Rule(key) => rules.place_of(key),
        Subject::Letter(i) => in_table(&drafts[i].table, "letter"),
        Subject::Movement(i) => in_table(&drafts[i].table, "betza"),
        Subject::Pawn(i) => in_table(&drafts[i].table, "pawn"),
        Subject::Region(i, side) => in_table(&drafts[i].table, piece::REGIONS[side.index()]),
        Subject::Zone(i) => in_pawn(i, "start-rank"),
        Subject::DoubleStep(i) => in_pawn_first(i, ["double-step-ranks", "double-step"]),
        Subject::EnPassant(i) => in_pawn(i, "en-passant"),
        Subject::Promotion(i) => in_pawn_first(i, ["promotion-zone", "promotion-rank"]),
        Subject::PromotesTo(i, n) => {
            let n_white = drafts[i].piece.pawn.as_ref().map_or(0, |pawn| pawn.promotes_to.len());
            let key = if n < n_white { "promotes-to" } else { "promotes-to-black" };
            let (span, key) = in_pawn(i, key);
            (drafts[i].promotion_spans.get(n).cloned().unwrap_or(span), key)
        }
    }
}

/// So much of a text that is too long is shown.
///
/// Units: bytes.
const MAX_SHOWN: usize = 60;

/// A parsed text. What is not TOML is left out of it, and is a fault.
#[derive(Debug)]
pub struct Document<'t> {
    table: Spanned<DeTable<'t>>,
}

impl<'t> Document<'t> {
    /// Parses a text that should be a file of this kind; the faults are those of the notation. A text
    /// that is longer than any file may be is not read, and only its beginning is shown.
    #[must_use]
    pub fn parse(text: &'t str, kind: &TextKind) -> (Self, Faults<'t>) {
        if text.len() as u64 > MAX_FILE_BYTES {
            let end = (0..=MAX_SHOWN).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
            let mut faults = Faults::new(&text[..end]);
            let message = format!("the text has {} bytes, and {MAX_FILE_BYTES} are the most", text.len());
            faults.add_syntax(0..end, &message, "leave out what is there twice");
            return (Document { table: DeTable::parse_recoverable("").0 }, faults);
        }
        let mut faults = Faults::new(text);
        let (table, syntax) = DeTable::parse_recoverable(text);
        if let Some((span, message)) = other_notation(text).filter(|_| !syntax.is_empty()) {
            faults.add_syntax(span, message, kind.notation);
            return (Document { table: DeTable::parse_recoverable("").0 }, faults);
        }
        for error in &syntax {
            let end = text.trim_end().len();
            let span =
                error.span().map_or(end..end, |span| span.start.min(text.len())..span.end.min(text.len()));
            faults.add_syntax(span, error.message(), syntax_help(error.message()));
        }
        (Document { table }, faults)
    }

    /// The table of the whole text, read by these keys.
    #[must_use]
    pub fn root(&self, section: &'static Section, faults: &mut Faults<'_>) -> Table<'_> {
        Table::new(section, String::new(), self.table.get_ref(), 0..0, faults)
    }
}

/// Where a text shows that it is written in the notation of another program, and which that is.
fn other_notation(text: &str) -> Option<(Span, &'static str)> {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let (n_mark, json) = (text.len() - body.len(), body.trim_start());
    let in_list = json.strip_prefix('[').map_or("", str::trim_start);
    if json.starts_with('{') || in_list.starts_with(['{', '"', ']']) {
        let start = text.len() - json.len();
        return Some((start..start + 1, "it is JSON"));
    }
    let is_word =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_ ".contains(c));
    // Sections of variants.ini are games, with the one that they inherit from behind a colon.
    let is_game = |line: &str| {
        let name = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        name.is_some_and(|name| name.split_once(':').is_some_and(|(own, from)| is_word(own) && is_word(from)))
    };
    let mut lines = body.split_inclusive('\n').scan(n_mark, |end, line| {
        *end += line.len();
        Some((*end - line.len(), line.trim_end()))
    });
    let game = lines.clone().find(|(_, line)| is_game(line));
    let game =
        game.map(|at| (at, "it is a variants.ini of Fairy-Stockfish, whose games `import` takes over"));
    // An INI file begins with a section, or a remark behind a semicolon; rules begin with their name.
    let first = lines.find(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let ini = first.filter(|(_, line)| line.starts_with([';', '[']) && !text.contains("[["));
    let ((start, line), what) = game.or_else(|| Some((ini?, "it is an INI file")))?;
    Some((start..start + line.len(), what))
}

/// The text of a file of some kind.
///
/// # Errors
/// It cannot be read, is no file, is no text, or is larger than any that people write.
pub fn load_text(path: &Path, kind: &'static TextKind) -> Result<String, LoadError> {
    let unreadable = |source| LoadError::Read { kind, path: path.into(), source };
    // To open a pipe waits for a writer, and a device may never end.
    let there = std::fs::metadata(path).map_err(unreadable)?;
    if !there.is_file() && !there.is_dir() {
        return Err(LoadError::NotAFile { kind, path: path.into() });
    }
    if there.len() > MAX_FILE_BYTES && there.is_file() {
        return Err(LoadError::TooLarge { kind, path: path.into(), got: there.len() });
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes)
        .map_err(|error| LoadError::NotUtf8 { path: path.into(), byte: error.utf8_error().valid_up_to() + 1 })
}

/// What to do about a text that is not TOML.
fn syntax_help(message: &str) -> &'static str {
    if message.contains("duplicate") {
        "keep one of the two"
    } else if message.contains("string") || message.contains("quot") {
        "put text between double quotes, as in `name = \"fide\"`"
    } else {
        "write `key = value` lines under `[table]` or `[[piece]]` headers; text stands in double quotes"
    }
}
