//! Answers positions of one game from folders, and solves small tables in memory when a question needs
//! them.
//!
//! [`AskedTables::answer`] asks one source after the other until one knows all that is asked:
//!
//! 1. the tables of each metric that the folders have, those with rights to castle too: the game's own
//!    metric first, then those that tell most;
//! 2. an exact structure, or a column of one side's wins;
//! 3. tables that are solved for the question in memory, the position's whole material, as long as a
//!    [`SolveBound`] allows it. Tables of four men take tenths of a second, once.
//!
//! If none does, the answer is the first of: a value from tables whose moves are not all known, what
//! structures with a limit know, moves from tables that do not have the position itself, what the rules
//! alone decide.
//!
//! Any number of threads may ask, those of a pool of rayon's too. One at a time solves, for itself and for
//! those that wait for it.

use crate::figure::count;
use crate::folder::listed_columns;
use crate::other_files::OtherFiles;
use crate::partial_answers::PartialAnswers;
use crate::shelf::{MetricTables, SolveLedger};
use crate::table_solver::{SolveBound, TableSolver};
use crate::{Holding, LibraryError, Refusal, exchange_files, files_of, table_files};
use format::parse_file_name;
use parking_lot::Mutex;
use position::{Position, RuleBook};
use probe::{
    Answer, Ask, Between, BlockAddress, By, ExchangeFile, LegalMoves, MissingTable, ProbeError, Tablebase,
    Tablebases, in_haste, may_solve, metrics_in_order,
};
use stats::Statistics;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use structure::SolvedStructure;
use table::Table;
use variant::{Material, Metric, Variant};

/// From this many men on a table with pawns takes hundreds of gigabytes while it is solved.
const LARGE_MEN: usize = 7;

/// The tables of a game: those of folders, and those that were solved because a caller asked.
#[derive(Debug)]
pub struct AskedTables {
    book: RuleBook,
    holding: Holding,
    /// The tables of the folders, if there are any of these.
    folder: Option<Arc<Tablebases>>,
    /// The metrics that the folders have, those that tell most first.
    metrics: MetricsInFolders,
    cache_bytes: usize,
    /// What solves tables in memory, if tables are solved.
    solver: Option<TableSolver>,
    /// The tables of the folders, and those that are solved where a move leads to one that is not there.
    completed: OnceLock<Tablebases>,
    /// Whether no question waits for a table any more that is not there yet.
    stop: Arc<AtomicBool>,
    /// By metric: no tables, for what the rules alone decide.
    without: BTreeMap<Metric, OnceLock<Tablebase>>,
    /// Structures, and columns of one side's wins.
    others: OtherFiles,
    /// The tables of the folders as `help` sees the game, once a caller asks for helpmates.
    helped: OnceLock<Box<AskedTables>>,
    /// Whether the folders have flat or Syzygy files.
    has_foreign: bool,
    /// Whether the distances of a file are rounded to moves, as far as a caller has asked.
    rounded: Mutex<BTreeMap<PathBuf, bool>>,
}

impl AskedTables {
    /// The tables of a game in some folders, from each what those before have not, with a cache of this many
    /// bytes of decompressed blocks; without a bound nothing is solved.
    ///
    /// # Errors
    /// A folder is not there or cannot be read.
    pub fn new(
        variant: &Variant,
        folders: &[PathBuf],
        cache_bytes: usize,
        bound: Option<SolveBound>,
    ) -> Result<Self, LibraryError> {
        let holding = Holding { variant: variant.clone(), folders: folders.to_vec() };
        let tables = (!folders.is_empty()).then(|| holding.tablebases(cache_bytes)).transpose()?;
        let men_with_rights = bound.map_or(0, |bound| bound.men_with_rights);
        Ok(AskedTables {
            book: RuleBook::new(variant),
            folder: tables.map(|tables| Arc::new(tables.solving_rights(men_with_rights))),
            metrics: MetricsInFolders::new(folders, variant)?,
            solver: bound.map(|bound| TableSolver::new(variant, bound)),
            completed: OnceLock::new(),
            stop: Arc::default(),
            without: Metric::ALL.map(|metric| (metric, OnceLock::new())).into(),
            others: OtherFiles::new(variant, folders.to_vec(), cache_bytes),
            helped: OnceLock::new(),
            cache_bytes,
            has_foreign: !files_of(folders, exchange_files)?.is_empty(),
            rounded: Mutex::default(),
            holding,
        })
    }

    /// Like [`Self::new`], with a ledger that other games share; the limit of its bytes takes the place of
    /// the bound's own.
    #[must_use]
    pub fn sharing(self, ledger: &SolveLedger) -> Self {
        AskedTables { solver: self.solver.map(|solver| solver.sharing(ledger)), ..self }
    }

    /// These tables; those that structures were solved with are looked for in these folders, and not in that
    /// of the structure.
    #[must_use]
    pub fn using(mut self, folders: &[PathBuf]) -> Self {
        self.others.using(folders);
        self
    }

    /// These tables with a flag: while it is set a question does not wait for tables or for rights to castle
    /// to be solved, and is answered as if they could not be. What has begun goes on beside that, for the
    /// next question.
    #[must_use]
    pub fn stopped_by(self, stop: &Arc<AtomicBool>) -> Self {
        let solver = self.solver.map(|solver| solver.stopped_by(stop));
        AskedTables { solver, stop: stop.clone(), ..self }
    }

    /// The tables of these folders as they are asked for White's helpmates; what they solve is kept in the
    /// ledger of these.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub(crate) fn helping(&self) -> Result<&AskedTables, ProbeError> {
        if let Some(tables) = self.helped.get() {
            return Ok(tables);
        }
        let (helped, folders) = (self.variant().for_metric(Metric::Help), &self.holding.folders);
        let bound = self.solver.as_ref().map(|solver| solver.bound);
        let tables = AskedTables::new(&helped, folders, self.cache_bytes, bound).map_err(|error| {
            let path = folders.first().cloned().unwrap_or_default();
            ProbeError::Values { path, source: Arc::new(io::Error::other(error.to_string())) }
        })?;
        let tables = match &self.solver {
            Some(solver) => tables.sharing(&solver.ledger),
            None => tables,
        };
        Ok(self.helped.get_or_init(|| Box::new(tables.stopped_by(&self.stop))))
    }

    /// The rules.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        self.book.variant()
    }

    /// The game and its folders.
    #[must_use]
    pub fn holding(&self) -> &Holding {
        &self.holding
    }

    /// The structures in the folders that can be read, in the order of folders and names.
    #[must_use]
    pub fn structures(&self) -> Vec<Arc<SolvedStructure>> {
        self.others.structures()
    }

    /// The rules, by which positions are read.
    #[must_use]
    pub fn book(&self) -> &RuleBook {
        &self.book
    }

    /// The metrics that the folders have, the variant's own first and then those that tell most.
    #[must_use]
    pub fn metrics(&self) -> Vec<Metric> {
        let metrics = metrics_in_order(self.variant()).chain([Metric::Help]);
        metrics.filter(|&metric| self.metrics.has(metric)).collect()
    }

    /// Whether tables are solved when a caller asks.
    #[must_use]
    pub fn solves(&self) -> bool {
        self.solver.is_some()
    }

    /// Whether no question waits any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The tables of the folders under a metric, if they have any.
    #[must_use]
    pub fn in_folder(&self, metric: Metric) -> Option<&Tablebase> {
        if self.is_helped_apart(metric) {
            return self.helping().ok()?.in_folder(metric);
        }
        let folder = self.folder.as_ref()?;
        self.metrics.has(metric).then(|| folder.of(metric))
    }

    /// The bytes of decompressed blocks that are held now.
    #[must_use]
    pub fn cached_bytes(&self) -> usize {
        self.folder.as_ref().map_or(0, |folder| folder.of(self.variant().default_metric).cached_bytes())
    }

    /// The names of the tables that are in memory because a caller asked, by metric. Does not wait for those
    /// that are being solved.
    #[must_use]
    pub fn solved_names(&self) -> Vec<(Metric, String)> {
        self.solver.as_ref().map(TableSolver::names).unwrap_or_default()
    }

    /// The bytes of the tables that are in memory because a caller asked.
    #[must_use]
    pub fn solved_bytes(&self) -> u64 {
        self.solver.as_ref().map_or(0, TableSolver::bytes)
    }

    /// What is known of a position under one metric, or under the first one that answers in full; see the
    /// [module](crate#).
    ///
    /// # Errors
    /// The rules forbid the position, nothing is known of it, or a file that is needed cannot be read.
    pub fn answer(
        &self,
        position: &Position,
        metric: Option<Metric>,
        ask: &Ask<'_>,
    ) -> Result<Answer, Refusal> {
        match position.is_legal(&self.book) {
            true => Ok(self.answer_legal(position, metric, ask)?),
            false => Err(Refusal::illegal(&self.book, position)),
        }
    }

    /// Like [`Self::answer`], of a position that is known to be legal. Under `help` it says how White wins:
    /// [`Self::helpmates`] says it of both sides.
    ///
    /// # Errors
    /// Nothing is known of the position ([`ProbeError::Missing`]), or a file that is needed cannot be read.
    pub fn answer_legal(
        &self,
        position: &Position,
        metric: Option<Metric>,
        ask: &Ask<'_>,
    ) -> Result<Answer, ProbeError> {
        let mut answer = self.answer_of_sources(position, metric, ask)?;
        if ask.why {
            answer.refutations = self.refutations(&answer, ask)?;
        }
        Ok(answer)
    }

    /// Says who wins positions, as far as it is known: for a caller who asks for many that come from each
    /// other.
    pub fn who_wins(&self) -> impl Fn(&Position) -> Result<Between, ProbeError> {
        let of_structures = self.others.who_wins();
        move |position| {
            let known = of_structures(position)?;
            if let Some(known) = known.filter(|known| known.wdl().is_some()) {
                return Ok(known);
            }
            // What a structure leaves open a table may know; nothing is solved for it.
            if let Some(open) = known {
                let tables = self.in_folder(Metric::Wdl);
                return match tables.map(|tables| tables.answer(position, &Ask::VALUE)) {
                    None | Some(Err(ProbeError::Missing(_))) => Ok(open),
                    Some(answer) => Ok(open.and(answer?.value)),
                };
            }
            match self.answer_legal(position, Some(Metric::Wdl), &Ask::VALUE) {
                Ok(answer) => Ok(answer.value),
                Err(ProbeError::Missing(_)) => Ok(Between::ANYTHING),
                Err(error) => Err(error),
            }
        }
    }

    /// What the sources say, one after the other until one of them knows all that is asked.
    fn answer_of_sources(
        &self,
        position: &Position,
        metric: Option<Metric>,
        ask: &Ask<'_>,
    ) -> Result<Answer, ProbeError> {
        if metric.is_some_and(|metric| self.is_helped_apart(metric)) {
            return self.helping()?.answer_legal(position, metric, &Ask { legal: None, ..*ask });
        }
        let mut found = PartialAnswers::default();
        // All sources rate the moves that one of them has generated.
        let moves = LegalMoves::default();
        let ask = &Ask { legal: Some(ask.legal.unwrap_or(&moves)), ..*ask };
        for tables in self.in_folder_of(metric) {
            let own = tables.scale().metric();
            let answer = match position.castling().is_empty() {
                true => tables.answer(position, ask),
                false => {
                    let (hasty, is_to_solve) = in_haste(|| tables.answer(position, ask));
                    match is_to_solve && may_solve() && self.solve_rights(position, own) {
                        true => tables.answer(position, ask),
                        false => hasty,
                    }
                }
            };
            if let Some(answer) = found.add(answer)? {
                // The rules know plies where they decide, and tables of `wdl` do not.
                let knows_plies = found.partial.as_ref().is_some_and(Answer::is_complete);
                return Ok(match found.partial {
                    Some(partial) if knows_plies && own == Metric::Wdl => partial,
                    _ => answer,
                });
            }
        }
        let of_folder = found.partial.as_ref().filter(|partial| partial.by == By::Table);
        let of_folder = of_folder.map(|partial| partial.scale.metric());
        if let Some(answer) = self.others.by_structures(position, metric, ask)?
            && let Some(answer) = found.add(Ok(answer))?
        {
            return Ok(answer);
        }
        if let Some(answer) = self.others.by_one_winner(position, metric, ask)?
            && let Some(answer) = found.add(Ok(answer))?
        {
            return Ok(answer);
        }
        if let Some(partial) = found.partial.take_if(|partial| partial.is_complete()) {
            return Ok(partial);
        }
        if let Some(tables) = of_folder.and_then(|own| self.completed(position, own)) {
            match tables.answer(position, ask) {
                Ok(answer) if answer.is_complete() => return Ok(Answer { is_solved: true, ..answer }),
                Ok(answer) if found.partial.as_ref().is_none_or(|known| tells_more(&answer, known)) => {
                    found.partial = Some(Answer { is_solved: true, ..answer });
                }
                Ok(_) | Err(ProbeError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let metric = metric.unwrap_or(self.variant().default_metric);
        if let Some(solved) = self.solver.as_ref().and_then(|solver| solver.solved_for(position, metric)) {
            match solved.answer(position, ask) {
                Ok(answer) => return Ok(Answer { is_solved: true, ..answer }),
                Err(error) => drop(found.add(Err(error))?),
            }
        }
        let PartialAnswers { partial, bounds, of_moves, missed } = found;
        if let Some(known) = partial.or(bounds) {
            // A table would tell what bounds leave open, if there can be one.
            let missed = missed.filter(|_| !known.value.is_exact() && position.n_men() <= index::MAX_MEN);
            let missing = known.missing.or(missed).map(|missing| self.explained(missing, position));
            return Ok(Answer { missing, ..known });
        }
        let by_rules = || self.without(metric).answer(position, ask);
        let Some(known) = of_moves else {
            return match by_rules() {
                Err(ProbeError::Missing(missing)) => {
                    Err(ProbeError::Missing(self.explained(missed.unwrap_or(missing), position)))
                }
                answer => Ok(Answer { by: By::Rules, ..answer? }),
            };
        };
        // Where moves alone are known, the table of the position is missing.
        let missing = match known.missing.or(missed) {
            None => match by_rules() {
                Err(ProbeError::Missing(missing)) => Some(missing),
                answer => answer?.missing,
            },
            missing => missing,
        };
        Ok(Answer { missing: missing.map(|missing| self.explained(missing, position)), ..known })
    }

    /// Whether tables of this metric see the game otherwise, so that others are asked: [`Self::helping`].
    fn is_helped_apart(&self, metric: Metric) -> bool {
        metric == Metric::Help && !self.variant().rules.helped
    }

    /// No tables of a metric, for what the rules alone decide.
    fn without(&self, metric: Metric) -> &Tablebase {
        // Rights to castle are not solved from nothing.
        let none = || Tablebase::from_tables(self.variant(), metric, []).solving_rights(0);
        self.without[&metric].get_or_init(none)
    }

    /// Does something with the first tables that have a position: those of the folder under one metric, or
    /// each, those of an exact structure, or those that are solved for it.
    ///
    /// # Errors
    /// A file that is needed cannot be read, or no table has the position ([`ProbeError::Missing`]).
    pub fn with_tables<T>(
        &self,
        position: &Position,
        metric: Option<Metric>,
        work: impl Fn(&Tablebase) -> Result<T, ProbeError>,
    ) -> Result<T, ProbeError> {
        if metric.is_some_and(|metric| self.is_helped_apart(metric)) {
            return self.helping()?.with_tables(position, metric, work);
        }
        let mut missed = None;
        for tables in self.in_folder_of(metric) {
            match work(tables) {
                Err(ProbeError::Missing(missing)) => drop(missed.get_or_insert(missing)),
                done => return done,
            }
        }
        for tables in self.others.exact(metric).iter().filter(|_| position.castling().is_empty()) {
            match work(tables) {
                Err(ProbeError::Missing(_)) => {}
                done => return done,
            }
        }
        let metric = metric.unwrap_or(self.variant().default_metric);
        let has_table = |tables: &Tablebase| tables.table_value(position).is_ok();
        if self.in_folder(metric).is_some_and(has_table)
            && let Some(tables) = self.completed(position, metric)
        {
            match work(tables) {
                Err(ProbeError::Missing(_)) => {}
                done => return done,
            }
        }
        match (self.solver.as_ref().and_then(|solver| solver.solved_for(position, metric)), missed) {
            (Some(solved), _) => work(&solved),
            (None, Some(missing)) => Err(ProbeError::Missing(self.explained(missing, position))),
            (None, None) => work(self.without(metric)),
        }
    }

    /// The folder's tables of a metric, or of each of which it has files, in the order in which they are
    /// asked.
    fn in_folder_of(&self, metric: Option<Metric>) -> impl Iterator<Item = &Tablebase> {
        let metrics = metrics_in_order(self.variant());
        let metrics = metrics.filter(move |&own| metric.is_none_or(|metric| metric == own));
        metrics.filter_map(|own| self.in_folder(own))
    }

    /// The block of a `.tsm` file that has the value of a position under a metric, or under the first of
    /// which the folder has files: positions with the same are best asked together.
    #[must_use]
    pub fn block_of(&self, position: &Position, metric: Option<Metric>) -> Option<BlockAddress> {
        self.in_folder_of(metric).next()?.block_of(position)
    }

    /// Whether there is something of this metric to be asked: tables of the folders, or structures.
    #[must_use]
    pub fn has(&self, metric: Metric) -> bool {
        self.metrics.has(metric) || self.structures().iter().any(|own| own.metric() == metric)
    }

    /// Whether the distance of a position may be a ply short in the file that has it.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn is_rounded(&self, position: &Position, metric: Metric) -> Result<bool, ProbeError> {
        let tables = self.in_folder(metric).filter(|_| self.has_foreign && metric == Metric::Dtz50);
        let file = match tables.map(|tables| tables.file_of(position)).transpose() {
            Err(ProbeError::Missing(_)) => None,
            file => file?.flatten(),
        };
        let Some(file) = file.filter(|file: &PathBuf| ExchangeFile::kind_of(file).is_some()) else {
            return Ok(false);
        };
        let mut rounded = self.rounded.lock();
        if let Some(&is_rounded) = rounded.get(&file) {
            return Ok(is_rounded);
        }
        let exchange = ExchangeFile::new(&file, self.variant()).ok();
        let counts_plies = exchange.and_then(|exchange| exchange.counts_plies().ok());
        let is_rounded = counts_plies != Some(true);
        rounded.insert(file, is_rounded);
        Ok(is_rounded)
    }

    /// A missing table with what helps: the position alone to be solved if the table has many men, and why
    /// it is not solved in memory if it has few men and too many values.
    #[must_use]
    pub fn explained(&self, missing: MissingTable, position: &Position) -> MissingTable {
        if self.is_solved_alone(position) {
            return MissingTable { position: Some(position.to_fen(&self.book).into()), ..missing };
        }
        let Some(solver) = self.solver.as_ref().filter(|_| !missing.column.has_rights) else {
            return missing;
        };
        let material = Material::parse(self.variant(), &missing.material).ok();
        let is_small = |material: &Material| material.n_men() <= solver.bound.men;
        let misfit = material.filter(is_small).and_then(|material| solver.misfit(&material));
        let unsolved = misfit.map(|n_values| {
            let (n_values, most) = (count(n_values), count(solver.most_values()));
            format!("too large to be solved in memory (at least {n_values} values, and at most {most} are)")
        });
        MissingTable { unsolved: unsolved.map(String::into), ..missing }
    }

    /// Whether a position is solved by itself, if at all: its table has so many values that hardly a machine
    /// has room for it, or none can have it, and few of the men are no pawns.
    fn is_solved_alone(&self, position: &Position) -> bool {
        let n_pawns = position.men().filter(|(man, _)| self.variant().is_pawn(*man)).count();
        let n_men = position.n_men();
        n_pawns > 0
            && (LARGE_MEN..=index::MAX_PLACED).contains(&n_men)
            && n_men - n_pawns <= structure::MAX_MOBILE
            && position.castling().is_empty()
            && self.variant().rules.check_counting.is_none()
    }

    /// For a position that has a table: the tables of the folders under a metric, and in place of those
    /// that are not there what is solved in memory; none if that may not be solved.
    fn completed(&self, position: &Position, metric: Metric) -> Option<&Tablebase> {
        let (folder, solver) = (self.folder.as_ref()?, self.solver.as_ref()?);
        // Rights to castle are solved apart.
        let may_solve = position.castling().is_empty() && solver.may_complete(position);
        let solved = |metric| solver.values(metric);
        may_solve.then(|| self.completed.get_or_init(|| folder.completed(solved)).of(metric))
    }

    /// Solves the rights to castle of a position and of those behind it that the folder has no file of;
    /// whether that is done, which it is not once the flag is set.
    fn solve_rights(&self, position: &Position, metric: Metric) -> bool {
        let (Some(folder), Some(solver)) = (self.folder.clone(), &self.solver) else { return false };
        let position = position.clone();
        let solve = move |_: &[Weak<MetricTables>]| {
            let tables = folder.of(metric);
            drop(tables.answer(&position, &Ask::MOVES));
        };
        solver.ledger.waited(solve, &self.stop).is_some()
    }

    /// Counts what is in a table, which is solved for that unless it is there; none if it would be too
    /// large.
    #[must_use]
    pub fn statistics(&self, material: &Material, metric: Metric) -> Option<Statistics> {
        let table = self.table(material, metric)?;
        Some(Statistics::collect(&self.variant().for_metric(metric), metric, &table))
    }

    /// A table in memory, solved now unless it is there; none if it would be too large. The folder is not
    /// looked at.
    #[must_use]
    pub fn table(&self, material: &Material, metric: Metric) -> Option<Arc<Table>> {
        if self.is_helped_apart(metric) {
            return self.helping().ok()?.table(material, metric);
        }
        self.solver.as_ref()?.table(material, metric)
    }
}

/// Whether more moves are known by an answer, or a longer line.
fn tells_more(answer: &Answer, known: &Answer) -> bool {
    let told = |answer: &Answer| (answer.n_open(), answer.line.as_ref().map_or(0, Vec::len));
    let ((open, n_moves), (known_open, n_known)) = (told(answer), told(known));
    open < known_open || open == known_open && n_moves > n_known
}

/// The metrics of which folders have columns or files. Which columns a file has is looked at when it is asked
/// for, and no further than needed.
#[derive(Debug)]
struct MetricsInFolders {
    /// The metric of the game.
    own: Metric,
    /// Files of tables that have not been looked at, and the metrics of what has.
    looked_at: Mutex<(Vec<PathBuf>, BTreeSet<Metric>)>,
}

impl MetricsInFolders {
    fn new(folders: &[PathBuf], variant: &Variant) -> Result<Self, LibraryError> {
        let own = variant.default_metric;
        let of_game = |file: &PathBuf| {
            let name = file.file_name().and_then(|name| parse_file_name(name.to_str()?));
            name.is_some_and(|name| Material::parse(variant, name).is_ok())
        };
        let tables = folders.iter().map(|folder| table_files(folder)).collect::<Result<Vec<_>, _>>()?;
        // The last one is looked at first.
        let tables = tables.into_iter().flatten().filter(of_game).rev().collect();
        let exchanged = files_of(folders, exchange_files)?;
        let exchanged = exchanged.iter().filter_map(|file| ExchangeFile::new(file, variant).ok());
        let exchanged = exchanged.filter(|file| !file.has_results_only());
        let found = exchanged.map(|file| file.metric()).collect();
        Ok(MetricsInFolders { own, looked_at: Mutex::new((tables, found)) })
    }

    fn has(&self, metric: Metric) -> bool {
        let (files, found) = &mut *self.looked_at.lock();
        while !found.contains(&metric) {
            let Some(file) = files.pop() else { return false };
            let columns = listed_columns(&file, self.own);
            found.extend(columns.iter().filter(|own| own.winner.is_none()).map(|own| own.metric));
        }
        true
    }
}

#[cfg(test)]
mod tests;
