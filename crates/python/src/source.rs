//! Holds tables that are open: folders with what is solved from them, or tables in memory.

use crate::answer::{Answer, Helpmates, UNKNOWN, counted};
use crate::error::missing;
use crate::input;
use find::{FindError, Query, Search};
use library::{
    AskedTables, Holding, LibraryError, LoadRequest, LoadedTables, Refusal, SolveBound, TableFiles,
    for_each_loaded,
};
use plan::{Plan, Request};
use position::{Position, RuleBook};
use probe::{Ask, BlockAddress, Line, MissingTable, Tablebase};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use variant::{Material, Metric, Side};

/// Tables that are open.
pub(crate) struct Source {
    pub(crate) variant: Arc<variant::Variant>,
    pub(crate) origin: Origin,
    /// The process that opened them. What threads of a parent have locked stays locked in a child, which
    /// opens them anew.
    pub(crate) process: u32,
}

/// Where answers come from.
pub(crate) enum Origin {
    /// Folders, and what is solved because a caller asks.
    Asked(Box<AskedTables>, Box<Opening>),
    /// Tables in memory under one metric.
    Solved(Metric, Vec<Arc<table::Table>>, Box<Tablebase>),
}

/// How folders were opened.
#[derive(Clone)]
pub(crate) struct Opening {
    pub(crate) holding: Holding,
    pub(crate) solve: bool,
    pub(crate) cache: usize,
}

/// A result and its plies; −1 if there are none.
pub(crate) type Counted = (i8, i16);

impl Source {
    /// Opens folders, in this process.
    pub(crate) fn open(variant: &Arc<variant::Variant>, opening: Opening) -> Result<Self, LibraryError> {
        let bound = opening.solve.then(SolveBound::default);
        let asked = AskedTables::new(variant, &opening.holding.folders, opening.cache, bound)?;
        Ok(Source::new(variant, Origin::Asked(Box::new(asked), Box::new(opening))))
    }

    /// Opens tables that were solved in memory, in this process.
    pub(crate) fn solved(
        variant: &Arc<variant::Variant>,
        metric: Metric,
        tables: Vec<Arc<table::Table>>,
    ) -> Self {
        let base = Tablebase::from_tables(variant, metric, tables.iter().cloned());
        Source::new(variant, Origin::Solved(metric, tables, Box::new(base)))
    }

    pub(crate) fn new(variant: &Arc<variant::Variant>, origin: Origin) -> Self {
        Source { variant: variant.clone(), origin, process: std::process::id() }
    }

    pub(crate) fn book(&self) -> &RuleBook {
        match &self.origin {
            Origin::Asked(asked, _) => asked.book(),
            Origin::Solved(_, _, base) => base.book(),
        }
    }

    /// The folders of the files, if there are any.
    pub(crate) fn holding(&self) -> Option<&Holding> {
        match &self.origin {
            Origin::Asked(_, opening) => Some(&opening.holding),
            Origin::Solved(..) => None,
        }
    }

    /// What is known of a legal position under a metric, or under the first that answers in full.
    pub(crate) fn known(
        &self,
        position: &Position,
        metric: Option<Metric>,
        ask: &Ask<'_>,
    ) -> Result<probe::Answer, Refusal> {
        match &self.origin {
            Origin::Asked(asked, _) => Refusal::of_unknown(asked.answer_legal(position, metric, ask)?),
            Origin::Solved(own, _, base) if metric.is_none_or(|metric| metric == *own) => {
                Refusal::of_unknown(base.answer(position, ask)?)
            }
            Origin::Solved(..) => {
                let own = self.variant.default_metric;
                let material = position.material();
                let material = material.canonical(&self.variant).name(&self.variant);
                let metric = metric.unwrap_or(own);
                let file = format!("{material}.{metric}").into();
                Err(Refusal::NotBuilt(MissingTable::new(material, metric, file)))
            }
        }
    }

    /// The legal position of a FEN.
    pub(crate) fn position(&self, fen: &str) -> Result<Position, Refusal> {
        let position = Position::from_fen_with_castling(self.book(), fen)?;
        match position.is_legal(self.book()) {
            true => Ok(position),
            false => Err(Refusal::illegal(self.book(), &position)),
        }
    }

    pub(crate) fn answer(
        &self,
        fen: &str,
        metric: Option<Metric>,
        to_the_end: bool,
    ) -> Result<Answer, Refusal> {
        let position = self.position(fen)?;
        let line = if to_the_end { Line::ToEnd } else { Line::ToStop };
        let answer = self.known(&position, metric, &Ask { line, ..Ask::ALL })?;
        Ok(Answer::new(self.book(), &answer))
    }

    /// How either side can win with help, in a position that a FEN names.
    pub(crate) fn helpmates(&self, fen: &str) -> Result<Helpmates, Refusal> {
        let position = self.position(fen)?;
        let own;
        let asked = match &self.origin {
            Origin::Asked(asked, _) => asked,
            // They are tables of another metric, or of White's helpmates alone, so others are solved now.
            Origin::Solved(..) => {
                let opened = AskedTables::new(&self.variant, &[], 0, Some(SolveBound::default()));
                own = Box::new(opened.map_err(|error| Refusal::Open(error.to_string()))?);
                &own
            }
        };
        Ok(Helpmates::new(self.book(), &asked.helpmates(&position, &Ask::ALL)?))
    }

    pub(crate) fn counted(&self, position: &Position, metric: Metric) -> Result<Counted, Refusal> {
        let answer = self.known(position, Some(metric), &Ask::VALUE)?;
        if !answer.value.is_exact() {
            return Err(Refusal::of_bounds(&answer));
        }
        let (wdl, plies) = counted(metric, answer.value, answer.wdl_now());
        let plies = plies.and_then(|plies| i16::try_from(plies).ok());
        Ok((wdl.unwrap_or(UNKNOWN), plies.unwrap_or(-1)))
    }

    /// The block of a file that has the value of a position.
    pub(crate) fn block_of(&self, position: &Position, metric: Metric) -> Option<BlockAddress> {
        match &self.origin {
            Origin::Asked(asked, _) => asked.block_of(position, Some(metric)),
            Origin::Solved(..) => None,
        }
    }

    /// The metric that is meant if none is named: the first of which there are tables.
    pub(crate) fn default_metric(&self) -> Metric {
        match &self.origin {
            Origin::Asked(asked, _) => {
                asked.metrics().first().copied().unwrap_or(self.variant.default_metric)
            }
            Origin::Solved(metric, ..) => *metric,
        }
    }

    /// The metric of a name, or the default.
    pub(crate) fn metric(&self, name: Option<&str>) -> PyResult<Metric> {
        Ok(input::metric(name)?.unwrap_or_else(|| self.default_metric()))
    }

    /// The material that is meant by a name, its colours as tables of a metric have them.
    pub(crate) fn material(&self, name: &str, metric: Metric) -> PyResult<Material> {
        let variant = self.variant.for_metric(metric);
        let material = Material::from_typed(&variant, name);
        material
            .map(|material| material.canonical(&variant))
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The metric of a name, or the default, and the material of another, its colours as tables of the
    /// metric have them.
    pub(crate) fn meant(&self, name: &str, metric: Option<&str>) -> PyResult<(Metric, Material)> {
        let metric = self.metric(metric)?;
        Ok((metric, self.material(name, metric)?))
    }

    /// Whether there is a table, in files or in memory.
    pub(crate) fn has(&self, material: &Material, metric: Metric) -> bool {
        match &self.origin {
            Origin::Asked(_, opening) => {
                opening.holding.files(metric).are_there(&material.name(&self.variant))
            }
            Origin::Solved(..) => self.in_memory(material, metric).is_some(),
        }
    }

    /// A table that was solved by `solve`.
    pub(crate) fn in_memory(&self, material: &Material, metric: Metric) -> Option<&Arc<table::Table>> {
        match &self.origin {
            Origin::Solved(own, tables, _) if *own == metric => {
                tables.iter().find(|table| table.layout().material() == material)
            }
            _ => None,
        }
    }

    /// A whole table, with the side to move that its files may leave out; none if it is not here.
    pub(crate) fn table(
        &self,
        material: &Material,
        metric: Metric,
    ) -> Result<Option<Arc<table::Table>>, LibraryError> {
        let Origin::Asked(asked, opening) = &self.origin else {
            return Ok(self.in_memory(material, metric).cloned());
        };
        if !self.has(material, metric) {
            return Ok(asked.table(material, metric));
        }
        let mut whole = None;
        let files = [opening.holding.files(metric)];
        let loaded = self.load(&files, material, None, &mut |loaded| {
            whole = loaded.tables.into_iter().next();
            Ok(ControlFlow::Break(()))
        });
        match loaded {
            // The tables that the missing side is solved from may be small enough to be solved themselves.
            Err(error @ LibraryError::NotBuilt { .. }) => {
                asked.table(material, metric).map(Some).ok_or(error)
            }
            loaded => loaded.map(|()| whole),
        }
    }

    /// Loads the tables of a material, one for each of these files: whole, or as a query needs them.
    pub(crate) fn load(
        &self,
        files: &[TableFiles],
        material: &Material,
        query: Option<&Query>,
        visit: &mut dyn FnMut(LoadedTables) -> Result<ControlFlow<()>, LibraryError>,
    ) -> Result<(), LibraryError> {
        let plan = Plan::new(files[0].edition().variant(), &Request::Table(material.clone()))?;
        let wanted = BTreeSet::from([material.clone()]);
        let one_will_do = query.is_some_and(Query::is_content_with_one_side);
        let request = LoadRequest {
            files,
            plan: &plan,
            wanted: &wanted,
            sides: &query.map_or(Side::BOTH.to_vec(), Query::sides),
            one_will_do,
            with_successors: query.is_some_and(Query::uses_moves) && !one_will_do,
        };
        for_each_loaded(request, &mut |_, _| {}, visit)
    }

    /// The positions of a table of which a query holds, in the order of their numbers. Its tables are here.
    pub(crate) fn find(
        &self,
        material: &Material,
        query: &Query,
        limit: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<String>, LibraryError> {
        let mut fens = Vec::new();
        let variant = self.variant.for_metric(query.metrics()[0]);
        let mut search = |tables, successors: Option<&Tablebase>, all: Option<&Tablebase>| {
            let search = Search::new(&variant, query, tables, successors, all).with_interrupt(stop);
            let found = search.run(&|_, _| {}, &mut |hit| {
                if fens.len() >= limit {
                    return ControlFlow::Break(());
                }
                fens.push(search.record(hit).fen().to_owned());
                ControlFlow::Continue(())
            });
            found.map(drop).map_err(|error| match error {
                FindError::Probe(error) => LibraryError::Probe(error),
                _ => LibraryError::Unreadable { material: material.name(&self.variant) },
            })
        };
        match &self.origin {
            Origin::Asked(asked, opening) => {
                let files: Vec<TableFiles> =
                    query.metrics().iter().map(|&metric| opening.holding.files(metric)).collect();
                self.load(&files, material, Some(query), &mut |LoadedTables { tables, successors }| {
                    search(tables, successors.as_ref(), asked.in_folder(query.metrics()[0]))?;
                    Ok(ControlFlow::Break(()))
                })?;
            }
            Origin::Solved(metric, _, base) => {
                search(
                    self.in_memory(material, *metric).into_iter().cloned().collect(),
                    Some(base),
                    Some(base),
                )?;
            }
        }
        Ok(fens)
    }

    /// The exception of a table that is not here, with what a person does to have it.
    pub(crate) fn absent(&self, py: Python<'_>, material: &Material, metric: Metric) -> PyErr {
        let name = material.name(&self.variant);
        let remedy = match self.holding() {
            Some(holding) => format!(
                "run `tablesmith solve` with --table {name} --metric {metric} --out {}",
                holding.folders[0].display()
            ),
            None => format!("call solve(variant, {name:?}, metric={:?})", metric.name()),
        };
        let (text, file) = (format!("{name} of {metric} is not here; {remedy}"), format!("{name}.{metric}"));
        missing(py, &MissingTable::new(name, metric, file.into()), text)
    }
}
