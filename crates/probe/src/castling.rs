//! Answers positions in which a side may castle: from the files of tables, or by solving what little there
//! is to solve from the tables at hand.

use crate::{MissingTable, ProbeError, Tablebase};
use format::{Column, FormatError, file_name};
use parking_lot::Mutex;
use position::Position;
use rights::{NoValue, RightsFile, RightsKey, RightsSource, RightsTable, RightsTables};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use table::Value;
use variant::Material;

/// Tables without rights, as rights are solved from them.
struct BaseTables<'a> {
    base: &'a Tablebase,
    /// The material of which all rights are solved, and none are read, and what has been solved of it.
    made: Option<(&'a Material, &'a [Arc<RightsTable>])>,
    /// Why a value is not to be had: the first reason.
    error: Mutex<Option<ProbeError>>,
}

impl BaseTables<'_> {
    fn keep(&self, error: ProbeError) -> NoValue {
        self.error.lock().get_or_insert(error);
        NoValue
    }
}

impl RightsSource for BaseTables<'_> {
    fn without(&self, position: &Position, enough: &dyn Fn(Value) -> bool) -> Result<Value, NoValue> {
        self.base.bound_of_legal(position, enough).map_err(|error| self.keep(error))
    }

    fn stored(&self, key: &RightsKey) -> Result<Option<Arc<RightsTable>>, NoValue> {
        let material = key.material();
        if let Some((_, solved)) = self.made.filter(|(made, _)| **made == material) {
            return Ok(solved.iter().find(|table| table.key() == key).cloned());
        }
        let stored = || match self.base.rights_file(&material)? {
            Some(file) => Ok(file.table(key)?),
            None => Ok(None),
        };
        stored().map_err(|error: ProbeError| self.keep(error))
    }
}

impl Tablebase {
    /// These tables; this many threads solve positions with rights to castle that no file has, instead of as
    /// many as the machine has.
    #[must_use]
    pub fn with_threads(mut self, n_threads: usize) -> Self {
        self.rights = RightsTables::new(n_threads);
        self
    }

    /// These tables; positions with rights to castle that no file has are solved up to this many men, and of
    /// more they are missing, as those are that take longer than seconds.
    #[must_use]
    pub fn solving_rights(mut self, most_men: usize) -> Self {
        self.most_men_with_rights = most_men;
        self
    }

    /// The values of all positions of a choice of men and rights to castle: from its column, or else solved
    /// now. The table has canonical colours.
    ///
    /// # Errors
    /// A table that is needed is not there ([`ProbeError::Missing`]) or cannot be read; or there are too many
    /// men, and then the file that would have them is missing.
    pub fn rights_table(&self, key: &RightsKey) -> Result<Arc<RightsTable>, ProbeError> {
        self.check_key(key)?;
        self.ask_rights(None, |source| self.rights.table(self.book(), self.scale(), key, source))
    }

    /// Solves all choices of rights of a canonical material, those with the fewest rights first, as if there
    /// were no file of it.
    ///
    /// # Errors
    /// As [`Tablebase::rights_table`].
    pub fn solved_rights(&self, material: &Material) -> Result<Vec<Arc<RightsTable>>, ProbeError> {
        let mut solved = Vec::new();
        for key in RightsKey::all(self.variant(), material) {
            self.check_size(&key)?;
            let made = Some((material, &solved[..]));
            let table =
                self.ask_rights(made, |source| self.rights.table(self.book(), self.scale(), &key, source))?;
            solved.push(table);
        }
        Ok(solved)
    }

    /// The value of a legal position with rights to castle, as if neither side could capture en passant.
    pub(crate) fn value_with_rights(&self, position: &Position) -> Result<Value, ProbeError> {
        if let Some(key) = RightsKey::new(position) {
            self.check_key(&key)?;
        }
        self.ask_rights(None, |source| self.rights.value(self.book(), self.scale(), position, source))
    }

    /// Fails if a choice of men and rights has no file and is not to be solved.
    fn check_key(&self, key: &RightsKey) -> Result<(), ProbeError> {
        self.check_size(key)?;
        let is_small =
            key.n_men() <= self.most_men_with_rights && RightsTables::is_quick(self.variant(), key);
        if is_small && self.rights.has(key) || self.rights_file(&key.material())?.is_some() {
            return Ok(());
        }
        if is_small && may_solve() {
            return Ok(());
        }
        Err(ProbeError::Missing(self.missing_rights(key)))
    }

    /// Fails if it has too many men to be solved.
    fn check_size(&self, key: &RightsKey) -> Result<(), ProbeError> {
        RightsTables::check_size(self.variant(), key)
            .map_err(|_| ProbeError::Missing(self.missing_rights(key)))
    }

    /// The file that would have it, in the folder.
    fn missing_rights(&self, key: &RightsKey) -> MissingTable {
        let variant = self.variant();
        let material = key.material().canonical(variant).name(variant);
        let file = PathBuf::from(file_name(&material));
        let file = self.folders().first().map_or_else(|| file.clone(), |folder| folder.join(&file));
        let too_large = RightsTables::check_size(variant, key).err();
        let column = Column::with_rights(self.scale().metric());
        MissingTable { too_large, ..MissingTable::new(material, column, file) }
    }

    fn ask_rights<T>(
        &self,
        made: Option<(&Material, &[Arc<RightsTable>])>,
        ask: impl FnOnce(&dyn RightsSource) -> Result<T, NoValue>,
    ) -> Result<T, ProbeError> {
        let source = BaseTables { base: self, made, error: Mutex::default() };
        ask(&source).map_err(|NoValue| {
            let error = source.error.into_inner();
            error.expect("the source keeps its reason")
        })
    }

    /// Whether a side may castle in a position and no file has such positions.
    pub(crate) fn solves_rights_of(&self, position: &Position) -> Result<bool, ProbeError> {
        Ok(!position.castling().is_empty() && self.rights_file_of(position)?.is_none())
    }

    /// The open file that answers for a position; none if no side may castle in it, no file has it, or it
    /// was solved before: to look for a column takes longer than to answer.
    pub(crate) fn rights_file_of(&self, position: &Position) -> Result<Option<Arc<RightsFile>>, ProbeError> {
        let Some(key) = RightsKey::new(position) else { return Ok(None) };
        match self.rights.has(&key) {
            true => Ok(self.rights_files.read().get(&key.material().canonical(self.variant())).cloned()),
            false => self.rights_file(&key.material()),
        }
    }

    /// The open file of a material with rights; none if there is none.
    fn rights_file(&self, material: &Material) -> Result<Option<Arc<RightsFile>>, ProbeError> {
        let material = material.canonical(self.variant());
        let files = self.rights_files.read();
        if let Some(file) = files.get(&material) {
            return Ok(Some(file.clone()));
        }
        drop(files);
        let name = file_name(&material.name(self.variant()));
        let own = self.folders().iter().map(|folder| folder.join(&name));
        let lent = self.lent.as_ref().map(|lent| lent.files(&name)).unwrap_or_default();
        let open =
            |path: PathBuf| match RightsFile::open(&path, self.variant(), &material, self.scale().metric()) {
                Err(error) if error.is_not_found() => None,
                // Chess960 is played from tables of chess, whose rights know one arrangement.
                Err(FormatError::OtherRules { .. }) => None,
                opened => Some(opened),
            };
        // One that is damaged, or was made by another solver, serves only where there is no better one.
        let mut opened: Vec<_> = own.chain(lent).filter_map(open).collect();
        opened.sort_by_key(|opened| match opened {
            Ok(file) => !file.is_current() as u8,
            Err(_) => 2,
        });
        let Some(file) = opened.into_iter().next().transpose()? else { return Ok(None) };
        let file = Arc::new(file);
        let mut files = self.rights_files.write();
        Ok(Some(files.entry(material).or_insert(file).clone()))
    }
}

thread_local! {
    /// Whether this thread asks in haste, and if so whether something would have been solved for it.
    static HASTE: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Restores what was, whether the question returns or panics.
struct Before(Option<bool>);

impl Drop for Before {
    fn drop(&mut self) {
        HASTE.set(self.0);
    }
}

/// Asks without solving anything on this thread: the answer, and whether something would have been solved
/// for it.
///
/// A position may need tables, or positions with rights to castle, that are solved for it. A program that
/// has to answer at once asks [`in_haste`]: on its thread nothing is solved meanwhile, what would have been
/// is missing, and the caller learns that it was. Then it can ask again where time is no matter.
pub fn in_haste<T>(ask: impl FnOnce() -> T) -> (T, bool) {
    let _before = Before(HASTE.replace(Some(false)));
    let answer = ask();
    (answer, has_passed_over())
}

/// Whether something may be solved for this thread's question; if not, that it would have been is noted.
#[must_use]
pub fn may_solve() -> bool {
    let is_hasty = HASTE.get().is_some();
    if is_hasty {
        HASTE.set(Some(true));
    }
    !is_hasty
}

/// Whether something would have been solved for this thread's question, which is asked in haste.
#[must_use]
pub fn has_passed_over() -> bool {
    HASTE.get() == Some(true)
}
