//! Reads structure files: the men, the squares that each may stand on, limits, and tables to use.
//!
//! ```text
//!   men, [[man]]: squares ──► all ways for the pawns to stand ─► roots, a legal position of each
//!                         └─► squares of the other men ────────► limit
//! ```
//!
//! Faults are those of variant files: each with its line, its column and what to write instead.

mod man;

use crate::limit::man_name;
use crate::structure::MAX_MOBILE;
use crate::{Concession, Kept, Limit};
use geometry::{Square, SquareSet};
use index::MAX_PLACED;
pub use man::OutlineMan;
use man::{ManDraft, men_span};
use position::{Position, RuleBook};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use variant::text::{Document, Faults, Key, Section, Table, TextKind, load_text};
use variant::{LoadError, Man, Material, Metric, Report, Side, UnknownMetric, Variant};

/// A structure as a person describes it.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The name of the results, if the file gives one.
    pub name: Option<String>,
    /// What it is, for people; may be empty.
    pub description: String,
    /// Where it comes from; may be empty.
    pub source: String,
    /// The men, in the order of the file.
    pub men: Vec<OutlineMan>,
    /// A legal position of each way for the pawns to stand: never none.
    pub roots: Vec<Position>,
    /// What the values are to be, if the file says it.
    pub metric: Option<Metric>,
    /// The limit, if there is one.
    pub limit: Option<Limit>,
    /// Folders of tables that are to be read instead of being solved.
    pub using: Vec<PathBuf>,
}

impl Outline {
    /// Reads the text of a structure file of a game; `source_name` is the file's name in the report.
    ///
    /// # Errors
    /// Every fault of the file at once.
    pub fn parse(text: &str, source_name: &str, variant: &Variant) -> Result<Self, Report> {
        let (document, mut faults) = Document::parse(text, &KIND);
        let outline = read(&document, variant, &mut faults);
        match (faults.into_report(source_name), outline) {
            (None, Some(outline)) => Ok(outline),
            (Some(report), _) => Err(report),
            (None, None) => unreachable!("a file without an outline has a fault"),
        }
    }

    /// Reads a structure file of a game.
    ///
    /// # Errors
    /// A file that cannot be read, or all its faults.
    pub fn load(path: impl AsRef<Path>, variant: &Variant) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let text = load_text(path, &KIND)?;
        Ok(Outline::parse(&text, &path.display().to_string(), variant)?)
    }

    /// The name of the game that a text of a structure file says it is of.
    #[must_use]
    pub fn game_in(text: &str) -> Option<String> {
        let (document, mut faults) = Document::parse(text, &KIND);
        let file = document.root(&FILE, &mut faults);
        file.string("game", &mut faults).map(|game| game.value)
    }

    /// Whether a text is a structure file and no variant file: it lists men, or limits them.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        let (document, mut faults) = Document::parse(text, &KIND);
        let file = document.root(&FILE, &mut faults);
        ["men", "man", "limits"].into_iter().any(|key| file.has(key))
    }

    /// The material of the men.
    #[must_use]
    pub fn material(&self) -> Material {
        Material::from_men(self.men.iter().map(|own| own.man))
    }
}

fn read(document: &Document<'_>, variant: &Variant, faults: &mut Faults<'_>) -> Option<Outline> {
    let file = document.root(&FILE, faults);
    let name = name(&file, faults);
    let text = |key, faults: &mut Faults<'_>| file.string(key, faults).map_or_else(String::new, |v| v.value);
    let (description, source) = (text("description", faults), text("source", faults));
    let metric = metric(&file, faults);
    check_game(&file, variant, faults);
    let using = file.strings("using", faults).unwrap_or_default();
    let using = using.into_iter().flatten().map(|folder| PathBuf::from(folder.value)).collect();
    let limit = file.table("limits", &LIMITS, faults).map(|table| read_limits(&table, variant, faults));
    let drafts = men(&file, variant, faults)?;
    check_men(&file, variant, &drafts, faults);
    if !faults.is_empty() {
        return None;
    }
    let roots = roots(&file, variant, &drafts, faults)?;
    let kept = kept(variant, &drafts);
    let limit = match kept.is_empty() {
        true => limit.filter(|limit| !limit.is_none()),
        false => Some(limit.unwrap_or_else(Limit::none).with_kept(kept)),
    };
    let men = drafts.into_iter().map(|draft| draft.own).collect();
    faults.is_empty().then_some(Outline { name, description, source, men, roots, metric, limit, using })
}

/// The men of `men` and of the tables `[[man]]`; none if one of them has a fault.
fn men(file: &Table<'_>, variant: &Variant, faults: &mut Faults<'_>) -> Option<Vec<ManDraft>> {
    if !file.has("man") && !file.has("men") {
        let help = "write `men = \"wKQe6-bKQ\"`, or a [[man]] table for each man";
        file.missing("men", help, faults);
    }
    let mut drafts = Vec::new();
    let mut is_whole = !faults.is_partial();
    if file.has("men") {
        let text = file.string("men", faults);
        match text.and_then(|text| man::read_notation(&text, variant, faults)) {
            Some(men) => drafts = men,
            None => is_whole = false,
        }
    }
    if file.has("man") {
        match file.tables("man", &MAN, faults) {
            Some(tables) => {
                let n_before = drafts.len();
                drafts.extend(tables.iter().filter_map(|table| man::read_man(table, variant, faults)));
                is_whole &= drafts.len() == n_before + tables.len();
            }
            None => is_whole = false,
        }
    }
    (is_whole && faults.is_empty()).then_some(drafts)
}

/// The name of the results; it becomes the name of a file.
fn name(file: &Table<'_>, faults: &mut Faults<'_>) -> Option<String> {
    let name = file.string("name", faults)?;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '+' | '_');
    if name.value.is_empty() || !name.value.chars().all(is_plain) {
        let help = "write letters, digits, `-`, `+` and `_`: the results are a file of this name";
        faults.add(name.span, "name", "`name` cannot be the name of a file".to_owned(), help);
        return None;
    }
    Some(name.value)
}

/// Checks that the rules are those of the game that the file names.
fn check_game(file: &Table<'_>, variant: &Variant, faults: &mut Faults<'_>) {
    let Some(game) = file.string("game", faults) else { return };
    if game.value != variant.name {
        let (own, given) = (game.value.escape_debug(), &variant.name);
        let message = format!("the men are those of `{own}`, and the rules are those of `{given}`");
        let help = format!("give the rules of `{own}`, or write `game = \"{given}\"`");
        faults.add(game.span, "game", message, help);
    }
}

fn metric(file: &Table<'_>, faults: &mut Faults<'_>) -> Option<Metric> {
    let metric = file.string("metric", faults)?;
    let parsed = metric.value.parse();
    let refused = |error: UnknownMetric| {
        let help = "write \"wdl\", \"dtc\", \"dtz\", \"dtz50\" or \"dtm\"";
        faults.add(metric.span, "metric", error.to_string(), help);
    };
    parsed.map_err(refused).ok()
}

/// Checks what the men are together.
fn check_men(file: &Table<'_>, variant: &Variant, drafts: &[ManDraft], faults: &mut Faults<'_>) {
    let mut fault = |message: String, help: &str| faults.add(men_span(file), "men", message, help);
    let n_men = drafts.len();
    if n_men > MAX_PLACED {
        let help = "leave out men, such as pawns that block each other and decide nothing";
        return fault(format!("there are {n_men} men, and structures have at most {MAX_PLACED}"), help);
    }
    let n_mobile = drafts.iter().filter(|draft| !variant.is_pawn(draft.own.man)).count();
    if n_mobile > MAX_MOBILE {
        let message = format!("{n_mobile} men are no pawns, and a slice is solved with at most {MAX_MOBILE}");
        return fault(message, "leave out men");
    }
    for side in Side::BOTH {
        let own = || drafts.iter().map(|draft| draft.own.man).filter(|man| man.side == side);
        let n = own().filter(|man| variant.is_royal(*man)).count();
        let needed = variant.n_royals(side);
        if n != needed {
            let name = |piece| format!("`piece = \"{}\"`", man_name(variant, Man { side, piece }));
            let men = variant.royals().map(name).collect::<Vec<_>>().join(" or ");
            let (needed, what) = match needed {
                0 => ("none".to_owned(), "leave out the".to_owned()),
                1 => ("one".to_owned(), "write one".to_owned()),
                _ => (needed.to_string(), format!("write {needed}")),
            };
            fault(
                format!("{side} has {n} royal men, and needs {needed}"),
                &format!("{what} [[man]] with {men}, which is royal"),
            );
        } else if own().next().is_none() {
            fault(format!("{side} has no men"), "write a [[man]] of either side");
        }
    }
    if faults.is_empty() {
        let material = Material::from_men(drafts.iter().map(|draft| draft.own.man));
        if variant.constant(&material).is_some() {
            let message = "with these men the game is over".to_owned();
            faults.add(men_span(file), "men", message, "add men: there is nothing to solve");
        }
    }
}

/// The men that are kept to squares, kind by kind.
fn kept(variant: &Variant, drafts: &[ManDraft]) -> Vec<Kept> {
    let mut kinds: Vec<Man> = drafts.iter().map(|draft| draft.own.man).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let squares = |kind: Man| {
        let own = drafts.iter().filter(move |draft| draft.own.man == kind);
        own.map(|draft| draft.own.squares).collect::<Vec<_>>()
    };
    let mobile = kinds.into_iter().filter(|&kind| !variant.is_pawn(kind));
    mobile.filter_map(|kind| Kept::new(variant, kind, &squares(kind))).collect()
}

/// The most ways for the pawns to stand: all of two pawns against one are fewer.
const MOST_ROOTS: usize = 60_000;

/// Some pawns may stand in this many ways before the last of them is there.
const MOST_PARTIAL: usize = 4 * MOST_ROOTS;

/// This many placements of the other men are tried, over all ways for the pawns to stand.
const MOST_TRIES: usize = 4_000_000;

/// Men on squares.
type Placed = Vec<(Man, Square)>;

/// A legal position of each way for the pawns to stand; none if there is a fault.
fn roots(
    file: &Table<'_>,
    variant: &Variant,
    drafts: &[ManDraft],
    faults: &mut Faults<'_>,
) -> Option<Vec<Position>> {
    let (pawns, mobile): (Vec<&ManDraft>, Vec<&ManDraft>) =
        drafts.iter().partition(|draft| variant.is_pawn(draft.own.man));
    let choices = match choose(&pawns) {
        Ok(choices) => choices,
        Err(NoChoice::TooMany) => {
            let message = format!("the pawns can stand in more than {MOST_ROOTS} ways");
            faults.add(men_span(file), "men", message, "name fewer squares of pawns");
            return None;
        }
        // The first pawn for which the ones before it leave no square is at fault.
        Err(NoChoice::NoSquare(draft)) => {
            let name = man_name(variant, draft.own.man);
            let message = format!("the pawns named before leave no square for {name}");
            faults.add(draft.span.clone(), &draft.key, message, "name a square that is free");
            return None;
        }
    };
    let book = RuleBook::new(variant);
    let mut mobile: Vec<(Man, SquareSet)> =
        mobile.iter().map(|draft| (draft.own.man, draft.own.squares)).collect();
    // Who has the fewest squares is put down first.
    mobile.sort_by_key(|(_, squares)| squares.iter().count());
    // Ways without a legal position are none; one for which there was no time to tell is a fault.
    let (mut roots, mut n_tries) = (Vec::new(), 0);
    for mut pawns in choices {
        roots.extend(legal(&book, &mobile, &mut pawns, &mut n_tries));
        if n_tries >= MOST_TRIES {
            let message =
                format!("no legal position was found in {MOST_TRIES} tries, for some way of the pawns");
            faults.add(men_span(file), "men", message, "name fewer squares of men, or other ones");
            return None;
        }
    }
    if roots.is_empty() {
        let message = "no legal position has these men on these squares".to_owned();
        faults.add(men_span(file), "men", message, "let some of the men stand elsewhere");
        return None;
    }
    Some(roots)
}

/// Why there is no list of ways.
enum NoChoice<'d> {
    TooMany,
    /// The pawns before this one leave it no square.
    NoSquare(&'d ManDraft),
}

/// All ways for pawns to stand, like pawns in any order: pawn by pawn, so that ways that are the same in
/// another order are gone at once.
fn choose<'d>(pawns: &[&'d ManDraft]) -> Result<BTreeSet<Placed>, NoChoice<'d>> {
    let mut ways = BTreeSet::from([Placed::new()]);
    for &pawn in pawns {
        let mut longer = BTreeSet::new();
        for way in &ways {
            for square in
                pawn.own.squares.iter().filter(|square| way.iter().all(|(_, taken)| taken != square))
            {
                let mut way = way.clone();
                way.push((pawn.own.man, square));
                way.sort_unstable();
                longer.insert(way);
                if longer.len() > MOST_PARTIAL {
                    return Err(NoChoice::TooMany);
                }
            }
        }
        if longer.is_empty() {
            return Err(NoChoice::NoSquare(pawn));
        }
        ways = longer;
    }
    if ways.len() > MOST_ROOTS { Err(NoChoice::TooMany) } else { Ok(ways) }
}

/// The first legal position with these men placed and the others on some of their squares.
fn legal(
    book: &RuleBook,
    mobile: &[(Man, SquareSet)],
    placed: &mut Placed,
    n_tries: &mut usize,
) -> Option<Position> {
    let Some((&(man, squares), rest)) = mobile.split_first() else {
        *n_tries += 1;
        return Side::BOTH.into_iter().find_map(|stm| {
            Position::from_men(placed.iter().copied(), stm).filter(|position| position.is_legal(book))
        });
    };
    for square in squares.iter() {
        if *n_tries >= MOST_TRIES || placed.iter().any(|&(_, taken)| taken == square) {
            continue;
        }
        placed.push((man, square));
        let found = legal(book, rest, placed, n_tries);
        placed.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The most promoted men that a limit names: more than any position has.
const MOST_PROMOTED: usize = 16;

/// The limits of the table `[limits]`; what has a fault is left out.
fn read_limits(table: &Table<'_>, variant: &Variant, faults: &mut Faults<'_>) -> Limit {
    let mut limit = Limit::none();
    let refuse_captures = |key: &str, what: &str, faults: &mut Faults<'_>| {
        let message = format!(
            "{what} where captures are compulsory or explode, a side may pass, or who is mated has won"
        );
        table.fault(key, message, "limit promotions or squares of men instead", faults);
    };
    if table.is_list("promoted") {
        let numbers = table.numbers("promoted", 0..=MOST_PROMOTED, faults).unwrap_or_default();
        match numbers[..] {
            [Some(ref white), Some(ref black)] => {
                limit = Limit::each(white.value as u8, black.value as u8);
            }
            [None, _] | [_, None] => {}
            _ => {
                let message = format!("`promoted` has {} numbers, expected two", numbers.len());
                let help = "write one for White and one for Black, as in `promoted = [1, 0]`";
                table.fault("promoted", message, help, faults);
            }
        }
    } else if let Some(n) = table.number("promoted", 0..=MOST_PROMOTED, faults) {
        limit = Limit::in_all(n.value as u8);
    }
    if table.boolean("first-only", faults).is_some_and(|first_only| first_only.value) {
        limit = limit.with_first_only();
    }
    if table.boolean("own-pawns-stand", faults).is_some_and(|stand| stand.value) {
        match Limit::may_count_captures(variant) {
            true => limit = limit.with_own_pawns_standing(0),
            false => refuse_captures("own-pawns-stand", "pawns do not stand", faults),
        }
    }
    if let Some(few_men) = table.number("few-men", 0..=MOST_PROMOTED, faults) {
        limit = limit.with_few_men(few_men.value as u8);
        if !table.has("promoted") && !limit.first_only && limit.own_pawns_stand.is_none() {
            let message = "`few-men` says where `promoted`, `first-only` and `own-pawns-stand` end, and there \
                           is none";
            let help = "add one of them, as in `promoted = 1`, or leave `few-men` out";
            table.fault("few-men", message, help, faults);
        }
    }
    if let Some(captured) = table.number("captured", 0..=MOST_PROMOTED, faults) {
        match Limit::may_count_captures(variant) {
            true => limit = limit.with_captured(captured.value as u8),
            false => refuse_captures("captured", "captures are not counted", faults),
        }
    }
    let mut conceded = Vec::new();
    for (key, winner) in KEYS {
        for what in table.strings(key, faults).unwrap_or_default().into_iter().flatten() {
            let read_limits = match winner {
                None => Concession::discarded(variant, &what.value),
                Some(winner) => Concession::to(variant, winner, &what.value),
            };
            match read_limits {
                Ok(one) => conceded.push(one),
                Err(error) => faults.add(what.span, &table.path_of(key), error.message, error.help),
            }
        }
    }
    limit.with_conceded(conceded)
}

/// The keys of what is given away, and to whom; to the other side where moves are discarded.
const KEYS: [(&str, Option<Side>); 3] =
    [("discard", None), ("concede-to-white", Some(Side::White)), ("concede-to-black", Some(Side::Black))];

/// Structure files.
static KIND: TextKind = TextKind {
    name: "structure file",
    example: "structures/wKQe6-bKQ.toml",
    notation: "docs/structures.md says how structures are written, as `men = \"wKQe6-bKQ\"` is",
};

/// The file itself.
static FILE: Section = Section {
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
static MAN: Section = Section {
    place: "in [[man]]",
    keys: &[
        Key::new("piece", "a string", "piece = \"wQ\""),
        Key::new("squares", "a string or a list of strings", "squares = \"e6\""),
        Key::new("fixed", "true or false", "fixed = true"),
    ],
};

/// `[limits]`
static LIMITS: Section = Section {
    place: "in [limits]",
    keys: &[
        Key::new("promoted", "a whole number, or one for White and one for Black", "promoted = 1"),
        Key::new("first-only", "true or false", "first-only = true"),
        Key::new("own-pawns-stand", "true or false", "own-pawns-stand = true"),
        Key::new("few-men", "a whole number", "few-men = 4"),
        Key::new("captured", "a whole number", "captured = 1"),
        Key::new("discard", "a list of moves", "discard = [\"w=N\", \"bxR\"]"),
        Key::new("concede-to-white", "a list of moves and positions", "concede-to-white = [\"b=Q\"]"),
        Key::new("concede-to-black", "a list of moves and positions", "concede-to-black = [\"w=Q\"]"),
    ],
};

#[cfg(test)]
mod tests;
