//! The tables of a folder one after the other, each whole in memory.
//!
//! Files that keep both sides to move are read; tables without one of them are solved again by the [`Shelf`],
//! which needs those that captures and promotions lead to.

use super::Shelf;
use crate::Failure;
use crate::edition::Edition;
use crate::game::Game;
use ::plan::Plan;
use format::parse_file_name;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use table::Table;
use variant::{Material, Metric};

/// Tables to be had in the order of a plan.
pub(crate) struct Source<'a> {
    edition: &'a Edition,
    folder: &'a Path,
    plan: &'a Plan,
    wanted: &'a BTreeSet<Material>,
    shelf: Shelf<'a>,
    /// The tables wanted and those that are needed to solve some of them, ascending.
    places: BTreeSet<usize>,
    /// Those of them that are on the shelf for a while.
    shelved: BTreeSet<usize>,
}

impl<'a> Source<'a> {
    /// The tables wanted, all of which the plan has.
    pub(crate) fn new(
        game: &'a Game,
        edition: &'a Edition,
        folder: &'a Path,
        program: &'a str,
        plan: &'a Plan,
        wanted: &'a BTreeSet<Material>,
    ) -> Result<Self, Failure> {
        let mut halves = BTreeSet::new();
        let mut places = BTreeSet::new();
        for (place, job) in plan.jobs().enumerate().filter(|(_, job)| wanted.contains(&job.material)) {
            places.insert(place);
            for &metric in edition.files() {
                let file = edition.open(folder, &job.name, metric).map_err(Failure::new)?;
                if file.left_out().is_some() {
                    halves.insert(job.material.clone());
                }
            }
        }
        let shelf = Shelf::new(game, edition, folder, program, plan, &halves);
        let shelved: BTreeSet<usize> = shelf.places().into_iter().collect();
        places.extend(&shelved);
        Ok(Source { edition, folder, plan, wanted, shelf, places, shelved })
    }

    /// The places in the plan of all that is to be got, in the order in which to do it.
    pub(crate) fn places(&self) -> Vec<usize> {
        self.places.iter().copied().collect()
    }

    /// How many values these tables have together.
    pub(crate) fn n_values(&self) -> u64 {
        self.places.iter().map(|&place| self.plan.job(place).n_values()).sum()
    }

    /// Gets a table; none if it is only there for others.
    pub(crate) fn get(&mut self, place: usize) -> Result<Option<Arc<Table>>, Failure> {
        let job = self.plan.job(place);
        let table = match self.shelved.contains(&place) {
            true => self.shelf.get(place)?,
            false => Arc::new(self.edition.read(self.folder, &job.name)?),
        };
        Ok(self.wanted.contains(&job.material).then_some(table))
    }

    /// Lets go of the tables that none after this one needs.
    pub(crate) fn forget(&mut self, place: usize) {
        self.shelf.forget(place);
    }
}

/// The canonical materials of which a folder has files of these metrics, `default` being the one that names
/// leave out.
pub(crate) fn materials_with(
    game: &Game,
    folder: &Path,
    metrics: &[Metric],
) -> Result<BTreeSet<Material>, Failure> {
    let fail = |error| Failure::new(format!("cannot read {}: {error}", folder.display()));
    let variant = &game.variant;
    let mut found: Vec<BTreeSet<Material>> = vec![BTreeSet::new(); metrics.len()];
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let name = entry.map_err(fail)?.file_name();
        let named = name.to_str().and_then(|name| parse_file_name(name, variant.default_metric));
        let Some((name, Ok(metric))) = named else { continue };
        // A file of another name is no table, and none of ours to complain of.
        let material = Material::parse(variant, name).ok().filter(|material| material.is_canonical(variant));
        let place = metrics.iter().position(|&own| own == metric);
        if let (Some(material), Some(place)) = (material, place) {
            found[place].insert(material);
        }
    }
    let (first, rest) = found.split_first().expect("a table has a metric");
    let is_whole = |material: &&Material| {
        material.n_men() <= index::MAX_MEN && rest.iter().all(|others| others.contains(material))
    };
    Ok(first.iter().filter(is_whole).cloned().collect())
}
