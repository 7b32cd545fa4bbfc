//! The tables that files of another format are made of: whole, both sides to move, in memory as long as they
//! are needed.
//!
//! Most files keep one side to move. Finding the other one by probing takes some ten microseconds a position,
//! solving the table again takes a hundredth of that. So a table without one of its sides is solved again,
//! and what its files have is compared with what comes out.

use super::Places;
use crate::Failure;
use crate::edition::Edition;
use crate::game::Game;
use ::plan::Plan;
use ::solve::Unwatched;
use format::TableFile;
use index::Layout;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use table::{Lookup, Table, Value};
use variant::{Material, Metric, Side};

/// How many placements of a side that is kept are compared with those of a table that was solved again.
const N_COMPARED: usize = 1 << 16;

/// The tables of a folder, in memory in the order of a plan.
pub(crate) struct Shelf<'a> {
    game: &'a Game,
    edition: &'a Edition,
    folder: &'a Path,
    /// How the program is called.
    program: &'a str,
    plan: &'a Plan,
    /// The tables wanted and what they need, ascending.
    places: BTreeSet<usize>,
    numbers: Places,
    tables: BTreeMap<Material, Arc<Table>>,
    /// Which materials have tables that the rules prove drawn; they are solved on the spot.
    drawn: BTreeMap<Material, Arc<Table>>,
}

impl Lookup for Shelf<'_> {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.get(material).or_else(|| self.drawn.get(material)).cloned()
    }
}

impl<'a> Shelf<'a> {
    pub(crate) fn new(
        game: &'a Game,
        edition: &'a Edition,
        folder: &'a Path,
        program: &'a str,
        plan: &'a Plan,
        wanted: &BTreeSet<Material>,
    ) -> Self {
        let numbers: Places = plan.jobs().map(|job| job.material.clone()).zip(0..).collect();
        let mut open: Vec<usize> =
            wanted.iter().filter_map(|material| numbers.get(material)).copied().collect();
        let mut places = BTreeSet::new();
        while let Some(place) = open.pop() {
            if places.insert(place) {
                open.extend(plan.needed_by(place));
            }
        }
        let (tables, drawn) = (BTreeMap::new(), BTreeMap::new());
        Shelf { game, edition, folder, program, plan, places, numbers, tables, drawn }
    }

    /// The places in the plan of the tables wanted and of those that they need, in the order of building.
    pub(crate) fn places(&self) -> Vec<usize> {
        self.places.iter().copied().collect()
    }

    /// How many values these tables have together.
    pub(crate) fn n_values(&self) -> u64 {
        self.places.iter().map(|&place| self.plan.job(place).n_values()).sum()
    }

    /// Gets a table whose needs are there.
    pub(crate) fn get(&mut self, place: usize) -> Result<Arc<Table>, Failure> {
        let job = self.plan.job(place);
        for need in job.needs.iter().filter(|need| need.is_drawn) {
            if !self.drawn.contains_key(&need.material) {
                let table = self.solve(&need.material)?;
                self.drawn.insert(need.material.clone(), Arc::new(table));
            }
        }
        let file = |&metric: &Metric| {
            self.edition.open(self.folder, &job.name, metric).map_err(|error| match error.is_not_found() {
                true => self.not_built(&job.name, metric),
                false => Failure::new(error),
            })
        };
        let files = self.edition.files().iter().map(file).collect::<Result<Vec<TableFile>, Failure>>()?;
        let is_whole = files.iter().all(|file| file.left_out().is_none());
        let table = match is_whole {
            true => self.edition.read(self.folder, &job.name)?,
            false => {
                files.iter().try_for_each(|file| file.verify_checksums().map_err(Failure::new))?;
                let table = self.solve(&job.material)?;
                files.iter().try_for_each(|file| compare(&table, file, self.edition.metric))?;
                table
            }
        };
        let table = Arc::new(table);
        self.tables.insert(job.material.clone(), table.clone());
        Ok(table)
    }

    /// Lets go of the tables that none after this one needs.
    pub(crate) fn forget(&mut self, place: usize) {
        let (plan, places, numbers) = (self.plan, &self.places, &self.numbers);
        self.tables.retain(|material, _| {
            let own = numbers.get(material).copied().unwrap_or_default();
            plan.in_need_of(own).into_iter().any(|user| user > place && places.contains(&user))
        });
    }

    fn solve(&self, material: &Material) -> Result<Table, Failure> {
        let layout = Arc::new(Layout::new(&self.game.variant, material));
        let solved = ::solve::solve_with(&self.game.variant, self.edition.metric, layout, self, &Unwatched);
        solved.map_err(Failure::new)
    }

    fn not_built(&self, name: &str, metric: Metric) -> Failure {
        let file = self.edition.path(self.folder, name, metric);
        let metrics: Vec<&str> = self.edition.files().iter().rev().map(|metric| metric.name()).collect();
        let many = if metrics.len() == 1 { "metric" } else { "metrics" };
        Failure::new(format!(
            "{} is not there: files of the {many} {} are needed; run `{} solve {} --metric {} --table {name} --out {}`",
            file.display(),
            metrics.join(" and "),
            self.program,
            self.game.path.display(),
            metrics.join(","),
            self.folder.display()
        ))
    }
}

/// Compares what a file keeps with a table of this metric that was solved again.
fn compare(table: &Table, file: &TableFile, metric: Metric) -> Result<(), Failure> {
    let layout = file.layout();
    let step = (layout.len() / N_COMPARED).max(1);
    for side in Side::BOTH.into_iter().filter(|&side| file.keeps(side)) {
        for index in (0..layout.len()).step_by(step) {
            let value = table.value(side, index);
            if value == Value::Illegal || !layout.is_canonical(index, &layout.decode(index)) {
                continue;
            }
            let is_same = match file.holds_distances() {
                true => {
                    value.ply().is_none()
                        || value.ply() == Some(file.distance(side, index).map_err(Failure::new)?.0)
                }
                false if metric == Metric::Dtm => value == file.value(side, index).map_err(Failure::new)?,
                false => value.wdl() == file.value(side, index).map_err(Failure::new)?.wdl(),
            };
            if !is_same {
                return Err(Failure::new(format!(
                    "{} does not hold what solving it again gives; run verify, and solve it again",
                    file.path().display()
                )));
            }
        }
    }
    Ok(())
}
