//! Reads tables from the flat or the Syzygy files of a folder: to verify them, and to count what they hold.

use super::checked::{code, position};
use crate::LibraryError;
use index::Layout;
use probe::{ExchangeFile, ExchangeKind, ProbeError, Tablebase};
use proof::{Find, Report, Sample, Values, VerifyError, VerifyOptions};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use table::{Codes, Table, Value};
use variant::{Material, Side, Variant};

/// How many placements are read before progress is reported.
const STRETCH: usize = 1 << 12;

/// The exchange files of a folder that are of one kind and hold one metric.
#[derive(Debug)]
pub struct ExchangeTables {
    files: Arc<Files>,
}

#[derive(Debug)]
struct Files {
    tablebase: Tablebase,
    kind: ExchangeKind,
    /// Why the last value could not be had.
    error: Mutex<Option<ProbeError>>,
}

/// The values of one material.
#[derive(Debug)]
struct ExchangeValues {
    layout: Layout,
    files: Arc<Files>,
}

impl ExchangeTables {
    /// The files that are in the folder of this one, of the same kind and metric.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn open(variant: &Variant, file: &ExchangeFile) -> Result<Self, LibraryError> {
        let (tablebase, kind) = (Tablebase::open_exchange(variant, file)?, file.kind());
        Ok(ExchangeTables { files: Arc::new(Files { tablebase, kind, error: Mutex::default() }) })
    }

    /// Derives the values of a table again from those that its moves lead to, on the threads of whoever
    /// calls. `counts_plies` says whether its distances are exact; `progress` gets how many stretches of how
    /// many are done.
    ///
    /// # Errors
    /// A file that is needed is missing ([`ProbeError::Missing`]) or damaged; that values are wrong is no
    /// error, but in the report.
    pub fn verify(
        &self,
        material: &Material,
        counts_plies: bool,
        sample: Sample,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Report, LibraryError> {
        let (variant, scale) = (self.files.tablebase.variant(), self.files.tablebase.scale());
        // Syzygy files count moves beyond the n-move rule, whatever they do before.
        let n_exact_plies = match (self.files.kind, counts_plies) {
            (ExchangeKind::Flat, _) => u16::MAX,
            (ExchangeKind::Syzygy, true) => scale.rule_plies().unwrap_or(u16::MAX),
            (ExchangeKind::Syzygy, false) => 0,
        };
        let is_alike = |stored: Value, derived: Value| match (stored, derived) {
            (Value::Win(a), Value::Win(b)) | (Value::Loss(a), Value::Loss(b)) => {
                a == b || (a.0.abs_diff(b.0) == 1 && a.max(b).0 > n_exact_plies)
            }
            _ => stored == derived,
        };
        let options =
            VerifyOptions { metric: scale.metric(), winner: None, sample, is_alike: &is_alike, progress };
        let checked = proof::verify(variant, &self.values(material), self, &options);
        checked.map_err(|error| match (self.take_error(), error) {
            (Some(error), _) => error.into(),
            (None, VerifyError::Missing(missing)) => {
                LibraryError::Missing { material: missing.material.name(variant) }
            }
            (None, _) => LibraryError::Unreadable { material: material.name(variant) },
        })
    }

    /// The whole table, both sides to move; `progress` as above.
    ///
    /// # Errors
    /// A file that is needed is missing ([`ProbeError::Missing`]) or damaged.
    pub fn read(
        &self,
        material: &Material,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Table, LibraryError> {
        let variant = self.files.tablebase.variant();
        let layout = Arc::new(Layout::new(variant, material));
        let n_stretches = layout.len().div_ceil(STRETCH) * layout.sides().len();
        let done = AtomicUsize::new(0);
        let codes = |stm| -> Result<Codes, LibraryError> {
            let read = |begin: usize| {
                let range = begin..layout.len().min(begin + STRETCH);
                let codes = range.map(|index| code(&self.files.tablebase, &layout, stm, index));
                let codes = codes.collect::<Result<Vec<u16>, LibraryError>>();
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, n_stretches);
                codes
            };
            let stretches = (0..layout.len()).into_par_iter().step_by(STRETCH);
            let codes = stretches.map(read).collect::<Result<Vec<Vec<u16>>, LibraryError>>()?;
            Ok(Codes::Wide(codes.concat()))
        };
        let white = codes(Side::White)?;
        let black = (!layout.is_one_sided()).then(|| codes(Side::Black)).transpose()?;
        let mut table = Table::new(layout.clone(), white, black);
        solve::restore(variant, &mut table);
        Ok(table)
    }

    fn values(&self, material: &Material) -> ExchangeValues {
        let layout = Layout::new(self.files.tablebase.variant(), material);
        ExchangeValues { layout, files: self.files.clone() }
    }

    fn take_error(&self) -> Option<ProbeError> {
        self.files.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Find for ExchangeTables {
    fn find(&self, material: &Material) -> Option<Arc<dyn Values>> {
        // Whether its file is there shows when it is asked for a value.
        let has_file = material.n_men() > 2;
        has_file.then(|| Arc::new(self.values(material)) as Arc<dyn Values>)
    }
}

impl Values for ExchangeValues {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn keeps(&self, stm: Side) -> bool {
        self.layout.sides().contains(&stm)
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn value(&self, stm: Side, index: usize) -> Option<Value> {
        let position = position(&self.layout, stm, index)?;
        self.files.tablebase.value(&position).map_err(|error| self.files.keep(error)).ok()
    }
}

impl Files {
    fn keep(&self, error: ProbeError) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}
