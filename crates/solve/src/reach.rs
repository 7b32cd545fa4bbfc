//! Looks up the tables behind the exits of a material, and shows each as a view in the material's own terms.

use crate::SolveError;
use index::Layout;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use table::{Lookup, SliceCache, SliceSource, StandIn, Table, Value, View};
use variant::exit::{Change, Target, exits, targets};
use variant::{Man, Side, Variant};

/// The tables behind all changes that can happen to a material.
#[derive(Debug)]
pub(crate) struct Reach {
    tables: BTreeMap<Change, Behind>,
    /// Those of the tables that are read slice by slice.
    caches: Vec<Arc<SliceCache<'static>>>,
}

/// What is behind a change.
#[derive(Debug)]
enum Behind {
    Table {
        men: Vec<Man>,
        /// The place among them of the man that was a pawn.
        promoted: Option<usize>,
        /// The checks that the sides have given, where they are counted: then the table is there as a whole.
        given_checks: Option<[u8; 2]>,
        table: ReachedTable,
    },
    /// The men alone say it: by side to move.
    Constant([Value; 2]),
    /// Positions that are not looked at: what they are given, by side to move.
    Given([Value; 2]),
}

/// A table as it was found.
#[derive(Clone, Debug)]
enum ReachedTable {
    /// In memory, the whole or a part.
    InMemory(Arc<Table>),
    /// To be read slice by slice.
    InSlices(Arc<SliceCache<'static>>),
}

/// How tables are read of which the lookup has slices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Below {
    /// As others, in memory.
    InMemory,
    BySlice,
    /// Block by block: tables without pawns.
    ByBlock,
}

/// The blocks that each thread may have in memory of a table that is read block by block: that which it asks
/// for and one before it, for men who can be read from tables in either colours.
pub(crate) const BLOCKS_PER_THREAD: usize = 2;

impl Below {
    fn cache(self, slices: Arc<dyn SliceSource>) -> Arc<SliceCache<'static>> {
        Arc::new(match self {
            Below::ByBlock => SliceCache::by_blocks(slices, BLOCKS_PER_THREAD * rayon::current_num_threads()),
            _ => SliceCache::new(slices),
        })
    }
}

impl Reach {
    /// The tables behind all changes; `below` says how those are read of which the lookup has slices.
    pub(crate) fn new(
        variant: &Variant,
        layout: &Layout,
        lookup: &dyn Lookup,
        below: Below,
    ) -> Result<Self, SolveError> {
        let (men, given_checks) = (layout.men(), layout.material().given_checks());
        let changes: BTreeSet<Change> = exits(variant, men).into_iter().map(|exit| exit.change).collect();
        let mut tables = BTreeMap::new();
        let mut caches: BTreeMap<Vec<Man>, Arc<SliceCache<'static>>> = BTreeMap::new();
        for &change in &changes {
            let men_left = change.apply(men);
            if let Some(verdicts) = variant.constant(&change.material(men, given_checks)) {
                let winner = variant.rules.helped.then_some(Side::White);
                let of_winner = |stm: Side| {
                    let value = Value::at_end(verdicts[stm.index()]);
                    winner.map_or(value, |winner| value.of_winner(stm, winner))
                };
                tables.insert(change, Behind::Constant(Side::BOTH.map(of_winner)));
                continue;
            }
            let table = match lookup.stands_for(&men_left, change) {
                None => continue,
                Some(StandIn::Given(values)) => {
                    tables.insert(change, Behind::Given(values));
                    continue;
                }
                Some(StandIn::Nowhere) => {
                    tables.insert(change, Behind::Constant([Value::Illegal; 2]));
                    continue;
                }
                Some(StandIn::Table(table)) => ReachedTable::InMemory(table),
                Some(StandIn::Slices(slices)) => {
                    let mut sorted = men_left.clone();
                    sorted.sort_unstable();
                    let cache = caches.entry(sorted).or_insert_with(|| below.cache(slices));
                    ReachedTable::InSlices(cache.clone())
                }
            };
            let promoted = change.promoted_place();
            tables.insert(change, Behind::Table { men: men_left, promoted, given_checks: None, table });
        }
        let mut caches: Vec<Arc<SliceCache<'static>>> = caches.into_values().collect();
        let others = changes.into_iter().filter(|change| !tables.contains_key(change)).collect();
        Reach::find_tables(variant, layout, (lookup, below), others, (&mut tables, &mut caches))?;
        Ok(Reach { tables, caches })
    }

    /// Finds the tables behind changes to whole materials.
    fn find_tables(
        variant: &Variant,
        layout: &Layout,
        (lookup, below): (&dyn Lookup, Below),
        changes: Vec<Change>,
        (tables, caches): (&mut BTreeMap<Change, Behind>, &mut Vec<Arc<SliceCache<'static>>>),
    ) -> Result<(), SolveError> {
        if changes.is_empty() {
            return Ok(());
        }
        let (men, material) = (layout.men(), layout.material());
        let mut found: Vec<(Target, ReachedTable)> = Vec::new();
        for target in targets(variant, material) {
            let slices = if below == Below::InMemory { None } else { lookup.slices(&target.material) };
            let part = target.part.as_ref();
            let table = match slices {
                Some(slices) => Some(ReachedTable::InSlices(below.cache(slices))),
                None => lookup.table(&target.material, part).map(ReachedTable::InMemory),
            };
            let table = table.ok_or_else(|| SolveError::Missing {
                material: material.name(variant),
                needed: target.material.name(variant),
            })?;
            found.push((target, table));
        }
        let behind = |change: Change| {
            let men_left = change.apply(men);
            let target = Target::new(variant, men, material.given_checks(), change)
                .expect("the men do not decide the game");
            let serves = |own: &Target| {
                own.material == target.material && (own.part.is_none() || own.part == target.part)
            };
            let table = found.iter().find(|(own, _)| serves(own)).map(|(_, table)| table.clone());
            let table = table.expect("every change has its table among the targets");
            let given = change.material(men, material.given_checks()).given_checks();
            let given_checks = variant.rules.check_counting.map(|_| given);
            (change, Behind::Table { men: men_left, promoted: change.promoted_place(), given_checks, table })
        };
        let in_slices = |found: &(Target, ReachedTable)| match &found.1 {
            ReachedTable::InSlices(cache) => Some(cache.clone()),
            ReachedTable::InMemory(_) => None,
        };
        caches.extend(found.iter().filter_map(in_slices));
        tables.extend(changes.into_iter().map(behind));
        Ok(())
    }

    /// A new era begins for tables that are read slice by slice.
    pub(crate) fn begin_era(&self) {
        self.caches.iter().for_each(|cache| cache.begin_era());
    }

    /// Forgets what has not been read in this era of tables that are read slice by slice.
    pub(crate) fn forget_unused(&self) {
        self.caches.iter().for_each(|cache| cache.forget_unused());
    }

    /// Why a slice could not be read, if one could not.
    pub(crate) fn take_failure(&self) -> Option<io::Error> {
        self.caches.iter().find_map(|cache| cache.take_failure())
    }

    /// The view of the table that a change leads to: its men are the material's, changed. Where checks are
    /// counted, one that changes the men is seen as its mover's move enters it, with a check or without.
    pub(crate) fn views(&self) -> BTreeMap<Change, View<'_>> {
        let mut views = BTreeMap::new();
        for (&change, behind) in &self.tables {
            let is_table = matches!(behind, Behind::Table { .. });
            let view = if is_table { self.entered(behind.view(), change) } else { behind.view() };
            views.insert(change, view);
        }
        views
    }

    /// The view of the positions after a change as moves enter them, given that of the positions themselves.
    pub(crate) fn entered<'a>(&'a self, own: View<'a>, change: Change) -> View<'a> {
        let checked = Side::BOTH.map(|stm| {
            let is_new = !change.checks[(!stm).index()];
            self.tables.get(&change.with_check(!stm)).filter(|_| is_new).map(Behind::view)
        });
        if checked.iter().all(Option::is_none) { own } else { View::entered(own, checked) }
    }
}

impl Behind {
    fn view(&self) -> View<'_> {
        let view = match self {
            Behind::Constant(values) => return View::constant(*values),
            Behind::Given(values) => return View::given(*values),
            Behind::Table {
                men, given_checks: Some(given), table: ReachedTable::InMemory(table), ..
            } => View::with_checks(table, men, *given),
            Behind::Table { men, promoted, table: ReachedTable::InSlices(cache), .. } => {
                View::of_slices(cache, men, *promoted)
            }
            Behind::Table { men, promoted, table: ReachedTable::InMemory(table), .. } => {
                View::of_table(table, men, *promoted)
            }
        };
        view.expect("the lookup gives the table that was asked for")
    }
}
