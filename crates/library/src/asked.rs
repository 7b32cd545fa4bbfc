//! Answers positions of one game from a folder, and solves small tables in memory when a question needs
//! them.
//!
//! A folder with KQvKR and without KRvK answers some questions in part. Whoever asks through
//! [`AskedTables::ask`] puts a question that says what was missing; if something was, the position's whole
//! material is solved in memory, as long as a [`SolveBound`] allows it, and the question is put again.
//! Tables of four men take tenths of a second, once.
//!
//! Any number of threads may ask. One at a time solves, for itself and for those that wait for it.

use crate::{Folder, LibraryError, SolvedTables, exchange_files, table_files};
use format::parse_file_name;
use plan::{Job, Plan, Request};
use position::{Position, RuleBook};
use probe::{ExchangeFile, MissingTable, ProbeError, Tablebase, Tablebases};
use stats::Statistics;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use table::Table;
use variant::{Material, Metric, Side, Variant};

/// In which order metrics are asked, after the variant's own: those that tell most come first.
const ORDER: [Metric; 5] = [Metric::Dtm, Metric::Dtz50, Metric::Dtz, Metric::Dtc, Metric::Wdl];

/// What may be solved for a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolveBound {
    /// The most men of a position whose tables are solved.
    pub men: usize,
    /// The most values of all tables together that are solved for a material.
    pub values: u64,
    /// When the tables that are kept under a metric have more values than this, they are dropped before
    /// others are solved.
    pub kept_values: u64,
}

impl Default for SolveBound {
    /// All tables of four men of chess, which take a second or two and some hundred megabytes.
    fn default() -> Self {
        SolveBound { men: 4, values: 400_000_000, kept_values: 800_000_000 }
    }
}

/// An answer and where it comes from.
#[derive(Clone, Debug)]
pub struct Told<T> {
    /// The answer.
    pub answer: T,
    /// The metric that was asked.
    pub metric: Metric,
    /// Whether the tables were solved in memory.
    pub is_solved: bool,
}

/// The tables of a game: those of a folder, and those that were solved because somebody asked.
#[derive(Debug)]
pub struct AskedTables {
    book: RuleBook,
    folder: Option<Tablebases>,
    /// The metrics of which the folder has files, those that tell most first.
    metrics: Vec<Metric>,
    bound: Option<SolveBound>,
    solved: BTreeMap<Metric, Solved>,
    /// Whether the tables of a material are small enough, as far as somebody has asked.
    fitting: Mutex<BTreeMap<Material, bool>>,
}

/// The tables in memory under one metric.
#[derive(Debug)]
struct Solved {
    /// Held while tables are solved.
    tables: Mutex<SolvedTables>,
    /// What is there to be asked; exchanged for another when more is there.
    asked: RwLock<Option<Arc<Tablebase>>>,
}

impl AskedTables {
    /// The tables of a game in a folder, if there is one, with a cache of so many bytes of decompressed
    /// blocks; without a bound nothing is solved.
    ///
    /// # Errors
    /// The folder is not there or cannot be read.
    pub fn new(
        variant: &Variant,
        folder: Option<&Path>,
        cache_bytes: usize,
        bound: Option<SolveBound>,
    ) -> Result<Self, LibraryError> {
        let (folder, metrics) = match folder {
            Some(path) => {
                let tables = Folder::new(path, variant.clone()).tablebases(cache_bytes)?;
                (Some(tables), metrics_in(path, variant)?)
            }
            None => (None, Vec::new()),
        };
        let solved = |metric| {
            let tables = Mutex::new(SolvedTables::of_metric(variant.clone(), metric));
            (metric, Solved { tables, asked: RwLock::default() })
        };
        Ok(AskedTables {
            book: RuleBook::new(variant),
            folder,
            metrics,
            bound,
            solved: Metric::ALL.map(solved).into(),
            fitting: Mutex::default(),
        })
    }

    /// The rules.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        self.book.variant()
    }

    /// The rules, by which positions are read.
    #[must_use]
    pub fn book(&self) -> &RuleBook {
        &self.book
    }

    /// The metrics of which the folder has files, the variant's own first and then those that tell most.
    #[must_use]
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// Whether tables are solved when somebody asks.
    #[must_use]
    pub fn solves(&self) -> bool {
        self.bound.is_some()
    }

    /// The folder's tables of a metric, if it has any.
    #[must_use]
    pub fn in_folder(&self, metric: Metric) -> Option<&Tablebase> {
        let folder = self.folder.as_ref()?;
        self.metrics.contains(&metric).then(|| folder.of(metric))
    }

    /// The bytes of decompressed blocks that are held now.
    #[must_use]
    pub fn cached_bytes(&self) -> usize {
        self.folder.as_ref().map_or(0, |folder| folder.of(self.variant().default_metric).cached_bytes())
    }

    /// The names of the tables that are in memory because somebody asked, by metric.
    #[must_use]
    pub fn solved_names(&self) -> Vec<(Metric, String)> {
        let names = |(&metric, solved): (&Metric, &Solved)| {
            let tables = solved.locked().tables();
            tables.into_iter().map(|table| (metric, table.layout().name().to_owned())).collect::<Vec<_>>()
        };
        self.solved.iter().flat_map(names).collect()
    }

    /// Puts a question about a position under one metric, or under the first one that answers in full. The
    /// question reports the first table that it has missed, beside what it could answer all the same.
    ///
    /// # Errors
    /// A file that is needed cannot be read, or no table has the position ([`ProbeError::Missing`]).
    pub fn ask<T>(
        &self,
        position: &Position,
        metric: Option<Metric>,
        question: impl Fn(&Tablebase) -> Result<(T, Option<MissingTable>), ProbeError>,
    ) -> Result<Told<T>, ProbeError> {
        let (mut partial, mut missed) = (None, None);
        for &other in self.metrics.iter().filter(|&&other| metric.is_none_or(|metric| metric == other)) {
            let Some(tables) = self.in_folder(other) else { continue };
            match question(tables) {
                Ok((answer, None)) => return Ok(Told { answer, metric: other, is_solved: false }),
                Ok((answer, Some(_))) => {
                    partial.get_or_insert(Told { answer, metric: other, is_solved: false });
                }
                Err(ProbeError::Missing(missing)) => drop(missed.get_or_insert(missing)),
                Err(error) => return Err(error),
            }
        }
        let metric = metric.unwrap_or(self.variant().default_metric);
        if let Some(tables) = self.solved_for(position, metric) {
            match question(&tables) {
                Ok((answer, _)) => return Ok(Told { answer, metric, is_solved: true }),
                Err(ProbeError::Missing(missing)) => drop(missed.get_or_insert(missing)),
                Err(error) => return Err(error),
            }
        }
        partial.ok_or_else(|| {
            ProbeError::Missing(missed.unwrap_or_else(|| {
                let material = Material::from_men(position.men().map(|(man, _)| man));
                let material = material.canonical(self.variant()).name(self.variant());
                let own = self.variant().default_metric;
                let file = format::file_name_of(&material, metric, own).into();
                MissingTable { material, metric, file }
            }))
        })
    }

    /// The tables in memory that answer a position, solved now if need be; none if they would be too large,
    /// or cannot be solved.
    fn solved_for(&self, position: &Position, metric: Metric) -> Option<Arc<Tablebase>> {
        let bound = self.bound?;
        let material = self.solvable(position, bound)?;
        let is_there = |tables: &Tablebase| !matches!(tables.value(position), Err(ProbeError::Missing(_)));
        let solved = &self.solved[&metric];
        if let Some(asked) = solved.now().filter(|asked| is_there(asked)) {
            return Some(asked);
        }
        let mut tables = solved.locked();
        // Another thread may have solved it in the meantime.
        if let Some(asked) = solved.now().filter(|asked| is_there(asked)) {
            return Some(asked);
        }
        self.solve(&mut tables, &material, metric, bound)?;
        let asked = Arc::new(Tablebase::from_tables(self.variant(), metric, tables.tables()));
        *solved.asked.write().unwrap_or_else(PoisonError::into_inner) = Some(asked.clone());
        Some(asked)
    }

    /// Counts what is in a table, which is solved for that unless it is there; none if it would be too
    /// large.
    #[must_use]
    pub fn statistics(&self, material: &Material, metric: Metric) -> Option<Statistics> {
        let table = self.table(material, metric)?;
        Some(Statistics::collect(self.variant(), metric, &table))
    }

    /// A table in memory, solved now unless it is there; none if it would be too large. The folder is not
    /// looked at.
    #[must_use]
    pub fn table(&self, material: &Material, metric: Metric) -> Option<Arc<Table>> {
        let bound = self.bound.filter(|bound| material.n_men() <= bound.men.min(index::MAX_MEN))?;
        let material = material.canonical(self.variant());
        self.is_fitting(&material, bound).then_some(())?;
        self.solve(&mut self.solved[&metric].locked(), &material, metric, bound)
    }

    /// Solves a material with all that it leads to, and drops what was solved before if that is too much.
    fn solve(
        &self,
        tables: &mut SolvedTables,
        material: &Material,
        metric: Metric,
        bound: SolveBound,
    ) -> Option<Arc<Table>> {
        let n_kept: u64 = tables.tables().iter().map(|table| table.layout().len() as u64 * 2).sum();
        if n_kept > bound.kept_values {
            *tables = SolvedTables::of_metric(self.variant().clone(), metric);
        }
        tables.solved(material).ok()
    }

    /// The material of a position if its tables may be solved.
    fn solvable(&self, position: &Position, bound: SolveBound) -> Option<Material> {
        let variant = self.variant();
        if position.n_men() > bound.men.min(index::MAX_MEN) {
            return None;
        }
        let has_royal = |side| position.men_of(side).filter(|(man, _)| variant.is_royal(*man)).count() == 1;
        if variant.royal().is_some() && !Side::BOTH.into_iter().all(has_royal) {
            // The game is over, or never began.
            return None;
        }
        let material = Material::from_men(position.men().map(|(man, _)| man)).canonical(variant);
        self.is_fitting(&material, bound).then_some(material)
    }

    fn is_fitting(&self, material: &Material, bound: SolveBound) -> bool {
        let mut fitting = self.fitting.lock().unwrap_or_else(PoisonError::into_inner);
        *fitting.entry(material.clone()).or_insert_with(|| fits(self.variant(), material, bound))
    }
}

impl Solved {
    fn now(&self) -> Option<Arc<Tablebase>> {
        self.asked.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn locked(&self) -> MutexGuard<'_, SolvedTables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether all tables that a material needs are small enough together.
fn fits(variant: &Variant, material: &Material, bound: SolveBound) -> bool {
    // The rules alone know what such a table holds; there is nothing to plan.
    if variant.is_always_drawn(material) || variant.constant(material).is_some() {
        return true;
    }
    if Job::alone(variant, material.clone()).n_values() > bound.values {
        return false;
    }
    let plan = Plan::new(variant, &Request::Table(material.clone()));
    plan.is_ok_and(|plan| plan.jobs().map(Job::n_values).sum::<u64>() <= bound.values)
}

/// The metrics of which a folder has files, the variant's own first.
fn metrics_in(folder: &Path, variant: &Variant) -> Result<Vec<Metric>, LibraryError> {
    let own = variant.default_metric;
    let name = |file: &Path| file.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let tables = table_files(folder)?.into_iter().filter_map(|file| {
        let name = name(&file)?;
        let (material, metric) = parse_file_name(&name, own)?;
        Material::parse(variant, material).ok()?;
        metric.ok()
    });
    let exchanged = exchange_files(folder)?;
    let exchanged = exchanged.iter().filter_map(|file| ExchangeFile::new(file, variant).ok());
    let found: BTreeSet<Metric> = tables.chain(exchanged.map(|file| file.metric())).collect();
    let order = std::iter::once(own).chain(ORDER.into_iter().filter(|&metric| metric != own));
    Ok(order.filter(|metric| found.contains(metric)).collect())
}
