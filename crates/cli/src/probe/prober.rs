//! Answers positions from a folder: by tables of the metric that is asked for, by what else the folder has
//! (tables of other metrics, structures, files of one side's wins), or by tables that are solved for it.

use super::args::ProbeArgs;
use super::text;
use crate::game::Game;
use crate::remedy::Remedy;
use crate::structure::{Bounded, answering, opened};
use crate::winner;
use ::probe::{ProbeError, Tablebase, Tablebases};
use ::structure::{Bound, SolvedStructure};
use library::{AskedTables, Edition, Finding, FindingJson, Refusal, RefusalJson, TableFiles};
use parking_lot::Mutex;
use position::Position;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use variant::{Material, Metric};

/// Answers positions: one for people, or one a line.
#[derive(Clone, Copy)]
pub(super) struct Prober<'a> {
    pub(super) args: &'a ProbeArgs,
    /// Tables that are solved for a position.
    pub(super) asked: &'a AskedTables,
    pub(super) remedy: &'a Remedy<'a>,
}

/// What is printed of a position, and whether tables were solved for it.
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) is_solved: bool,
}

impl Prober<'_> {
    /// The reply to a position.
    pub(super) fn reply(&self, sources: &Sources<'_>, position: &Position) -> Result<Reply, Refusal> {
        let own = sources.own();
        let found = self.found(own, position);
        let other = match lacks_table(&found) {
            true => sources.other(position, found.is_ok())?,
            false => None,
        };
        match other {
            None => self.reply_by(own, position, found),
            Some(Source::Tables(tables)) => self.reply_by(tables, position, self.found(tables, position)),
            Some(Source::File(tables)) => self.reply_by(&tables, position, self.found(&tables, position)),
            Some(Source::Bounds(structures)) => {
                let bounded = Bounded::new(&structures, position)?;
                let text =
                    bounded.map_or_else(String::new, |bounded| match (self.args.json, self.is_line()) {
                        (true, is_line) => json(&bounded, is_line),
                        (false, true) => bounded.fields(self.args.value_only) + "\n",
                        (false, false) => bounded.text(),
                    });
                Ok(Reply { text, is_solved: false })
            }
        }
    }

    /// Whether each position is a line of many.
    fn is_line(&self) -> bool {
        self.args.fen.is_none()
    }

    fn found(&self, tables: &Tablebase, position: &Position) -> Result<Finding, Refusal> {
        match (self.args.value_only, self.is_line()) {
            (true, _) => Finding::of_value(tables, position.clone()),
            (false, false) => Finding::of_moves(tables, position.clone(), self.args.line),
            (false, true) => Finding::of_best(tables, position.clone(), self.args.json),
        }
    }

    /// A finding as it is printed; of a line what follows its position.
    fn text(&self, tables: &Tablebase, finding: &Finding) -> String {
        match (self.args.json, self.is_line()) {
            (true, is_line) => json(&FindingJson::new(tables, finding), is_line),
            (false, true) => text::fields(tables, finding, self.args.value_only),
            (false, false) => text::finding(tables, finding, self.remedy.gap(finding)),
        }
    }

    /// The reply by what these tables have found, or by what is solved now if one of them is missing.
    fn reply_by(
        &self,
        tables: &Tablebase,
        position: &Position,
        found: Result<Finding, Refusal>,
    ) -> Result<Reply, Refusal> {
        let is_short = match &found {
            Ok(finding) => finding.missing.is_some(),
            Err(refusal) => refusal.missing().is_some(),
        };
        if is_short
            && self.asked.solves()
            && let Some(reply) = self.solved(position, tables.scale().metric())
        {
            return reply;
        }
        match found {
            Ok(finding) => Ok(Reply { text: self.text(tables, &finding), is_solved: false }),
            Err(Refusal::NotBuilt(missing)) => Err(Refusal::NotBuilt(self.asked.explained(missing))),
            Err(refusal) => Err(refusal),
        }
    }

    /// The reply by tables that are solved now, or by the rules if they decide the position; none if the
    /// tables would be too large.
    pub(super) fn solved(&self, position: &Position, metric: Metric) -> Option<Result<Reply, Refusal>> {
        let asked = self.asked.ask(position, Some(metric), |tables| match self.found(tables, position) {
            Err(Refusal::NotBuilt(missing)) => Err(ProbeError::Missing(missing)),
            found => Ok((found.map(|finding| self.text(tables, &finding)), None)),
        });
        let answered = asked.ok()?;
        Some(answered.answer.map(|text| Reply { text, is_solved: answered.is_solved }))
    }

    /// Why a position has no answer, with what mends it.
    pub(super) fn refused(&self, fen: &str, refusal: &Refusal) -> String {
        let message = self.remedy.message(refusal);
        match (self.args.json, self.is_line()) {
            (true, is_line) => json(&RefusalJson::new(fen, refusal, &message), is_line),
            (false, true) => format!("error\t{}\n", one_field(&message)),
            (false, false) => message + "\n",
        }
    }
}

/// A value as JSON, in one line or many. Plain data with text as keys always has such a form.
fn json(value: &impl Serialize, is_line: bool) -> String {
    let text = if is_line { serde_json::to_string(value) } else { serde_json::to_string_pretty(value) };
    text.unwrap_or_default() + "\n"
}

/// A text that does not break a line into more fields or lines.
pub(super) fn one_field(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

/// The files of a folder that may answer; what is not asked for is not opened.
pub(super) struct Sources<'a> {
    args: &'a ProbeArgs,
    game: &'a Game,
    folder: &'a Path,
    tables: Tablebases,
    structures: OnceLock<Vec<Arc<SolvedStructure>>>,
    /// The editions of one side's wins.
    winners: OnceLock<Result<Vec<(Edition, Material)>, String>>,
    /// Tables of exact structures, and of files of one side's wins, by a path that names them.
    tablebases: Mutex<BTreeMap<PathBuf, Arc<Tablebase>>>,
    /// The metrics whose tables have answered, beside the one that is asked for.
    others: Mutex<BTreeSet<Metric>>,
}

/// What answers a position.
enum Source<'s> {
    /// Tables of another metric.
    Tables(&'s Tablebase),
    /// A structure, or a file of one side's wins.
    File(Arc<Tablebase>),
    /// Structures that know bounds.
    Bounds(Vec<Arc<SolvedStructure>>),
}

impl<'a> Sources<'a> {
    pub(super) fn new(args: &'a ProbeArgs, game: &'a Game, folder: &'a Path, tables: Tablebases) -> Self {
        let (structures, winners) = (OnceLock::new(), OnceLock::new());
        let (tablebases, others) = (Mutex::default(), Mutex::default());
        Sources { args, game, folder, tables, structures, winners, tablebases, others }
    }

    /// The tables of the metric that is asked for, else of the game's own.
    pub(super) fn own(&self) -> &Tablebase {
        self.tables.of(self.args.metric.unwrap_or(self.game.variant.default_metric))
    }

    /// What answers a legal position of whose men there is no own table, or says more of it than the rules
    /// do that decide it.
    fn other(&self, position: &Position, is_decided: bool) -> Result<Option<Source<'_>>, Refusal> {
        if self.args.metric.is_none() {
            match self.tables.for_position(position) {
                // The rules know plies where they decide, and tables of `wdl` do not.
                Ok(tables) if is_decided && tables.scale().metric() == Metric::Wdl => {}
                Ok(tables) if !std::ptr::eq(tables, self.own()) => {
                    let mut others = self.others.lock();
                    others.insert(tables.scale().metric());
                    return Ok(Some(Source::Tables(tables)));
                }
                Ok(_) | Err(ProbeError::Missing(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        match self.structure(position)? {
            Some(source) => Ok(Some(source)),
            None => Ok(self.one_winner(position, is_decided)?.map(Source::File)),
        }
    }

    /// The names of the metrics whose tables have answered, beside the one that is asked for.
    pub(super) fn others(&self) -> Vec<&'static str> {
        let others = self.others.lock();
        others.iter().map(|metric| metric.name()).collect()
    }

    fn structure(&self, position: &Position) -> Result<Option<Source<'_>>, Refusal> {
        let variant = &self.game.variant;
        let structures = self.structures.get_or_init(|| opened(self.folder, variant, &self.args.using));
        if !position.castling().is_empty() {
            return Ok(None);
        }
        let known = answering(structures, variant, position, self.args.metric)?;
        if let Some(exact) = known.iter().find(|structure| structure.is_exact()) {
            let tables = || Ok(exact.tablebase(Bound::Exact));
            return Ok(Some(Source::File(self.tablebase(exact.path().into(), tables)?)));
        }
        Ok((!known.is_empty()).then_some(Source::Bounds(known)))
    }

    /// A file that has one side's wins alone. Either side may have one, and only that of the winner knows
    /// more than that the other does not win; what is decided without it needs no other.
    fn one_winner(&self, position: &Position, is_decided: bool) -> Result<Option<Arc<Tablebase>>, Refusal> {
        let found = || winner::editions_in(self.game, self.folder).map_err(|error| error.to_string());
        let editions = self.winners.get_or_init(found).as_ref();
        let editions = editions.map_err(|error| {
            let (path, source) = (self.folder.into(), Arc::new(std::io::Error::other(error.clone())));
            Refusal::Damaged(ProbeError::Values { path, source })
        })?;
        let own = Material::from_men(position.men().map(|(man, _)| man)).canonical(&self.game.variant);
        let mut answering = None;
        for (edition, _) in editions.iter().filter(|(edition, material)| {
            *material == own && self.args.metric.is_none_or(|metric| edition.metric() == metric)
        }) {
            let (files, metric) = (TableFiles::new(edition.clone(), self.folder), edition.metric());
            let name = files.main_path(&own.name(&self.game.variant));
            let tables = || files.tablebase(metric, self.args.asking.cache_bytes());
            let tables = self.tablebase(name, tables)?;
            let is_won = tables.table_value(position).is_ok_and(|value| value.ply().is_some());
            if is_won {
                return Ok(Some(tables));
            }
            answering = Some(tables);
        }
        Ok(answering.filter(|_| !is_decided))
    }

    fn tablebase(
        &self,
        name: PathBuf,
        open: impl FnOnce() -> Result<Tablebase, ProbeError>,
    ) -> Result<Arc<Tablebase>, ProbeError> {
        let mut tablebases = self.tablebases.lock();
        if let Some(tables) = tablebases.get(&name) {
            return Ok(tables.clone());
        }
        let tables = Arc::new(open()?);
        tablebases.insert(name, tables.clone());
        Ok(tables)
    }
}

/// Whether no table has a position: it has no answer, or only that of the rules.
fn lacks_table(found: &Result<Finding, Refusal>) -> bool {
    match found {
        Ok(finding) => finding.is_decided,
        Err(refusal) => matches!(refusal, Refusal::NotBuilt(_) | Refusal::Castling(_)),
    }
}
