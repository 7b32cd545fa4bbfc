//! Reads structure files: the men, the squares that each may stand on, limits, and tables to use.
//!
//! ```text
//!   men, [[man]]: squares ──► all ways for the pawns to stand ─► roots, a legal position of each
//!                         └─► squares of the other men ────────► limit
//! ```
//!
//! Faults are those of variant files: each with its line, its column and what to write instead.

mod limits;
mod man;
mod notation;
mod root;
mod schema;
mod words;

pub use man::OutlineMan;

use crate::limit::man_name;
use crate::structure::MAX_MOBILE;
use crate::{Kept, Limit};
use index::MAX_PLACED;
use man::{ManDraft, men_span};
use position::Position;
use std::path::{Path, PathBuf};
use variant::text::{Document, Faults, Table, load_text};
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
        let (document, mut faults) = Document::parse(text);
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
        let text = load_text(path, &schema::KIND)?;
        Ok(Outline::parse(&text, &path.display().to_string(), variant)?)
    }

    /// The name of the game that a text of a structure file says it is of.
    #[must_use]
    pub fn game_in(text: &str) -> Option<String> {
        let (document, mut faults) = Document::parse(text);
        let file = document.root(&schema::FILE, &mut faults);
        file.string("game", &mut faults).map(|game| game.value)
    }

    /// Whether a text is a structure file and no variant file: it lists men, or limits them.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        let (document, mut faults) = Document::parse(text);
        let file = document.root(&schema::FILE, &mut faults);
        ["men", "man", "limits"].into_iter().any(|key| file.has(key))
    }

    /// The material of the men.
    #[must_use]
    pub fn material(&self) -> Material {
        Material::from_men(self.men.iter().map(|own| own.man))
    }
}

fn read(document: &Document<'_>, variant: &Variant, faults: &mut Faults<'_>) -> Option<Outline> {
    let file = document.root(&schema::FILE, faults);
    let name = name(&file, faults);
    let text = |key, faults: &mut Faults<'_>| file.string(key, faults).map_or_else(String::new, |v| v.value);
    let (description, source) = (text("description", faults), text("source", faults));
    let metric = metric(&file, faults);
    check_game(&file, variant, faults);
    let using = file.strings("using", faults).unwrap_or_default();
    let using = using.into_iter().flatten().map(|folder| PathBuf::from(folder.value)).collect();
    let limit =
        file.table("limits", &schema::LIMITS, faults).map(|table| limits::read(&table, variant, faults));
    let drafts = men(&file, variant, faults)?;
    check_men(&file, variant, &drafts, faults);
    if !faults.is_empty() {
        return None;
    }
    let roots = root::roots(&file, variant, &drafts, faults)?;
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
        match text.and_then(|text| notation::read(&text, variant, faults)) {
            Some(men) => drafts = men,
            None => is_whole = false,
        }
    }
    if file.has("man") {
        match file.tables("man", &schema::MAN, faults) {
            Some(tables) => {
                let n_before = drafts.len();
                drafts.extend(tables.iter().filter_map(|table| man::read(table, variant, faults)));
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
        if let Some(royal) = variant.royal() {
            let (n, letter) = (own().filter(|man| man.piece == royal).count(), variant.piece(royal).letter);
            if n != 1 {
                let man = man_name(variant, Man { side, piece: royal });
                fault(
                    format!("{side} has {n} royal men, and needs one"),
                    &format!("write one [[man]] with `piece = \"{man}\"` ({letter} is royal)"),
                );
            }
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

#[cfg(test)]
mod tests;
