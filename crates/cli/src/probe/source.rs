//! Finds what answers a position in a folder: tables of the metric that is asked for, or else tables of other
//! metrics, structures, and files of one side's wins.

use crate::args::ProbeArgs;
use crate::game::Game;
use crate::structure::{answering, opened};
use crate::winner;
use ::probe::{ProbeError, Tablebase, Tablebases};
use ::structure::{Bound, SolvedStructure};
use library::{Edition, Finding, Refusal, TableFiles};
use position::Position;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use variant::{Material, Metric};

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
}

/// What answers a position.
pub(super) enum Source<'s> {
    /// Tables of another metric.
    Tables(&'s Tablebase),
    /// A structure, or a file of one side's wins.
    File(Arc<Tablebase>),
    /// Structures that know bounds.
    Bounds(Vec<Arc<SolvedStructure>>),
}

impl<'a> Sources<'a> {
    pub(super) fn new(args: &'a ProbeArgs, game: &'a Game, folder: &'a Path, tables: Tablebases) -> Self {
        let (structures, winners, tablebases) = (OnceLock::new(), OnceLock::new(), Mutex::default());
        Sources { args, game, folder, tables, structures, winners, tablebases }
    }

    /// The tables of the metric that is asked for, else of the game's own.
    pub(super) fn own(&self) -> &Tablebase {
        self.tables.of(self.args.metric.unwrap_or(self.game.variant.default_metric))
    }

    /// What answers a legal position of whose men there is no own table, or says more of it than the rules do
    /// that decide it.
    pub(super) fn other(&self, position: &Position, is_decided: bool) -> Result<Option<Source<'_>>, Refusal> {
        if self.args.metric.is_none() {
            match self.tables.for_position(position) {
                // The rules know plies where they decide, and tables of `wdl` do not.
                Ok(tables) if is_decided && tables.scale().metric() == Metric::Wdl => {}
                Ok(tables) if !std::ptr::eq(tables, self.own()) => return Ok(Some(Source::Tables(tables))),
                Ok(_) | Err(ProbeError::Missing(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        match self.structure(position)? {
            Some(source) => Ok(Some(source)),
            None => Ok(self.one_winner(position, is_decided)?.map(Source::File)),
        }
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
        let mut tablebases = self.tablebases.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tables) = tablebases.get(&name) {
            return Ok(tables.clone());
        }
        let tables = Arc::new(open()?);
        tablebases.insert(name, tables.clone());
        Ok(tables)
    }
}

/// Whether no table has a position: it has no answer, or only that of the rules.
pub(super) fn lacks_table(found: &Result<Finding, Refusal>) -> bool {
    match found {
        Ok(finding) => finding.is_decided,
        Err(refusal) => matches!(refusal, Refusal::NotBuilt(_) | Refusal::Castling(_)),
    }
}

/// Whether a table is missing that may be solved.
pub(super) fn is_short(found: &Result<Finding, Refusal>) -> bool {
    match found {
        Ok(finding) => finding.missing.is_some(),
        Err(refusal) => refusal.missing().is_some(),
    }
}
