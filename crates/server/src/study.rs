//! Keeps what was counted and found in tables, so that it is done once for each.
//!
//! One request at a time works on a table. Others that ask for it wait, but not those that ask in haste: they
//! come again when their turn to solve has come. A table whose file was written again is looked at again.

use crate::examples::Examples;
use crate::refusal::HttpRefusal;
use library::{AskedTables, Folder};
use stats::Statistics;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::SystemTime;
use variant::{Material, Metric};

/// When there are so many tables, all are forgotten: they take some ten kilobytes each.
const MAX_STUDIES: usize = 1000;

/// What was counted and found in the tables of a game that somebody has asked for.
#[derive(Debug, Default)]
pub(crate) struct Studies(Mutex<BTreeMap<(Material, Metric), Shared>>);

/// What is known of a table; locked by whoever works on it.
type Shared = Arc<Mutex<Study>>;

#[derive(Debug, Default)]
struct Study {
    /// When the file was written; none if there is none, and the table is solved.
    written: Option<SystemTime>,
    statistics: Option<Arc<Statistics>>,
    examples: Option<Arc<Examples>>,
}

impl Studies {
    /// What is counted in a table that has no file, which is solved for that; none if it would be too
    /// large.
    pub(crate) fn statistics(
        &self,
        asked: &AskedTables,
        folder: Option<&Path>,
        material: &Material,
        metric: Metric,
    ) -> Option<Arc<Statistics>> {
        let count = |study: &mut Study| {
            if study.statistics.is_none() {
                study.statistics = asked.statistics(material, metric).map(Arc::new);
            }
            study.statistics.clone()
        };
        self.with(asked, folder, material, metric, count).flatten()
    }

    /// The examples of a table whose statistics are known.
    ///
    /// # Errors
    /// The file is damaged.
    pub(crate) fn examples(
        &self,
        asked: &AskedTables,
        folder: Option<&Path>,
        material: &Material,
        metric: Metric,
        statistics: &Statistics,
    ) -> Result<Arc<Examples>, HttpRefusal> {
        let find = |study: &mut Study| {
            if let Some(examples) = &study.examples {
                return Ok(examples.clone());
            }
            let examples = Arc::new(Examples::of(asked, folder, material, metric, statistics)?);
            if !probe::has_passed_over() {
                study.examples = Some(examples.clone());
            }
            Ok(examples)
        };
        let busy = || Err(HttpRefusal::absent("another request works on the table"));
        self.with(asked, folder, material, metric, find).unwrap_or_else(busy)
    }

    /// Works on a table, one request at a time; none if another one does so and this one asks in haste.
    fn with<T>(
        &self,
        asked: &AskedTables,
        folder: Option<&Path>,
        material: &Material,
        metric: Metric,
        work: impl FnOnce(&mut Study) -> T,
    ) -> Option<T> {
        let (variant, key) = (asked.variant(), (material.clone(), metric));
        let written = folder.and_then(|folder| {
            let files = Folder::new(folder, variant.clone()).files(metric);
            std::fs::metadata(files.main_path(&material.name(variant))).ok()?.modified().ok()
        });
        let study = {
            let mut studies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if studies.len() >= MAX_STUDIES && !studies.contains_key(&key) {
                studies.clear();
            }
            studies.entry(key).or_default().clone()
        };
        let mut study = match study.try_lock() {
            Ok(study) => study,
            Err(TryLockError::WouldBlock) if !probe::may_solve() => return None,
            Err(_) => study.lock().unwrap_or_else(PoisonError::into_inner),
        };
        if study.written != written {
            *study = Study { written, ..Study::default() };
        }
        Some(work(&mut study))
    }
}
