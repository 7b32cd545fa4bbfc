//! Answers structures from folders of whole tables: our own files, flat files and, of who wins and under the
//! n-move rule, Syzygy files.
//!
//! To a structure a table serves if it has both sides to move, because a structure's men may have either
//! colours. Our own files are read slice by slice, others as a whole. Whoever asks for positions alone takes
//! files of one side to move, too.

use super::lender::{Form, Lender, Lent, Loan};
use crate::{Edition, LibraryError, TableFiles};
use plan::Job;
use position::Position;
use probe::{PositionValues, ProbeError, Tablebase};
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use structure::TableSource;
use table::{Ply, SliceSource, Table, Value};
use variant::{Material, Metric, Side, Variant};

/// The tables of some folders, as structures of one metric read them.
#[derive(Debug)]
pub struct LentTables {
    edition: Edition,
    lenders: Vec<Lender>,
    folders: Vec<PathBuf>,
    /// Whether tables with one side to move serve, too.
    is_one_side_enough: bool,
    state: Mutex<State>,
}

#[derive(Default, Debug)]
struct State {
    /// By canonical material: the table, if it serves.
    loans: HashMap<Material, Option<Loan>>,
    /// Those that were read as a whole.
    whole: HashMap<Material, Arc<Table>>,
    /// By folder and metric of its files.
    tablebases: HashMap<(PathBuf, Metric), Arc<Tablebase>>,
    /// Which tables are there and do not serve, and why not.
    unfit: Vec<String>,
}

/// How many bytes of decompressed blocks each folder keeps.
const CACHE_BYTES: usize = 256 << 20;

impl LentTables {
    /// The tables of these folders, the first one asked first, as structures need them.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn new(variant: &Variant, metric: Metric, folders: &[PathBuf]) -> Result<Self, LibraryError> {
        let lenders = folders.iter().map(|folder| Lender::new(folder, variant));
        let (lenders, edition) = (lenders.collect::<Result<_, _>>()?, Edition::new(variant, metric));
        let folders = folders.to_vec();
        Ok(LentTables { edition, lenders, folders, is_one_side_enough: false, state: Mutex::default() })
    }

    /// The same for whoever asks for the values of positions alone.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn for_positions(
        variant: &Variant,
        metric: Metric,
        folders: &[PathBuf],
    ) -> Result<Self, LibraryError> {
        Ok(LentTables { is_one_side_enough: true, ..LentTables::new(variant, metric, folders)? })
    }

    /// Whether the table of a canonical material is there in a form that serves.
    #[must_use]
    pub fn has_table(&self, material: &Material) -> bool {
        self.loan(material).is_some()
    }

    /// The tables that were asked for, are there, and do not serve, each with the reason.
    #[must_use]
    pub fn unfit(&self) -> Vec<String> {
        self.state().unfit.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table of a canonical material, from the first folder that has it in a form that serves.
    fn loan(&self, material: &Material) -> Option<Loan> {
        if let Some(loan) = self.state().loans.get(material) {
            return loan.clone();
        }
        let job = Job::alone(self.edition.variant(), material.clone());
        let asks_for = |_| !self.is_one_side_enough;
        let mut unfit = None;
        let loan = self.lenders.iter().find_map(|lender| match lender.lend(&self.edition, &job, asks_for) {
            Lent::Yes(loan) => Some(loan),
            Lent::Unfit(why) => {
                unfit.get_or_insert(why);
                None
            }
            Lent::No => None,
        });
        let mut state = self.state();
        state.unfit.extend(unfit.filter(|_| loan.is_none()));
        state.loans.insert(material.clone(), loan.clone());
        loan
    }

    fn tablebase(&self, loan: &Loan) -> Result<Arc<Tablebase>, ProbeError> {
        let key = (loan.folder().to_path_buf(), loan.metric());
        if let Some(tables) = self.state().tablebases.get(&key) {
            return Ok(tables.clone());
        }
        let variant = self.edition.variant();
        let tables = Arc::new(Tablebase::open_with(loan.folder(), variant, loan.metric(), CACHE_BYTES)?);
        self.state().tablebases.insert(key, tables.clone());
        Ok(tables)
    }
}

impl TableSource for LentTables {
    fn has(&self, material: &Material) -> bool {
        self.has_table(material)
    }

    fn slices(&self, material: &Material) -> io::Result<Arc<dyn SliceSource>> {
        let name = material.name(self.edition.variant());
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("{name} is not there"));
        let loan = self.loan(material).ok_or_else(missing)?;
        if let Form::Own = loan.form() {
            let files = TableFiles::new(Edition::new(self.edition.variant(), loan.metric()), loan.folder());
            return Ok(Arc::new(files.slices(&name).map_err(io::Error::other)?));
        }
        if let Some(table) = self.state().whole.get(material) {
            return Ok(table.clone());
        }
        let table = loan.read(&self.edition, material, &Side::BOTH).map_err(io::Error::other)?;
        let table = Arc::new(table);
        self.state().whole.insert(material.clone(), table.clone());
        Ok(table)
    }

    fn value(&self, position: &Position) -> io::Result<Option<Value>> {
        let variant = self.edition.variant();
        let material = Material::from_men(position.men().map(|(man, _)| man)).canonical(variant);
        let Some(loan) = self.loan(&material) else { return Ok(None) };
        let tables = self.tablebase(&loan).map_err(io::Error::other)?;
        let value = match tables.table_value(position) {
            Err(ProbeError::Missing(_)) => return Ok(None),
            value => value.map_err(io::Error::other)?,
        };
        Ok(Some(match (self.edition.metric(), value) {
            (Metric::Wdl, Value::Win(_)) => Value::Win(Ply(1)),
            (Metric::Wdl, Value::Loss(_)) => Value::Loss(Ply(0)),
            _ => value,
        }))
    }
}

impl PositionValues for LentTables {
    fn value(&self, position: &Position) -> io::Result<Option<Value>> {
        TableSource::value(self, position)
    }

    fn path(&self) -> Option<PathBuf> {
        None
    }

    fn rights_files(&self, name: &str) -> Vec<PathBuf> {
        self.folders.iter().map(|folder| folder.join(name)).filter(|path| path.is_file()).collect()
    }
}
