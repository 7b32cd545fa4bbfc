//! Finds the value of a position in a folder of flat files.

use super::{FlatError, FlatFile, FlatName, Form, PACKED_EXTENSION};
use crate::flat::header::{Sum, sum};
use geometry::{Square, Symmetry};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use table::Value;
use variant::{Man, Material, Metric, Side, Variant};

/// How many files are open at most: a material with three pawns has thousands.
const MAX_OPEN: usize = 1 << 10;

/// A folder of files of one metric, for any number of threads.
///
/// A table with pawns may have one file for all of their squares, which is asked first unless somebody wishes
/// otherwise, or a file for each placement of them, which its mirror image shares. A file is opened when the
/// first position of it is asked for; when many are open, the one that was opened first is closed.
#[derive(Debug)]
pub struct FlatTablebase {
    folder: PathBuf,
    variant: Variant,
    metric: Metric,
    form: Form,
    /// Whether files of one placement of the pawns are asked before those of all squares.
    asks_placements_first: bool,
    open: RwLock<Open>,
}

#[derive(Default, Debug)]
struct Open {
    /// By the names that were asked for.
    files: BTreeMap<FlatName, Arc<FlatFile>>,
    /// In the order in which they were opened.
    order: VecDeque<FlatName>,
    /// The files that have all squares of the pawns.
    of_all_squares: BTreeMap<Material, Arc<FlatFile>>,
}

impl FlatTablebase {
    /// Opens a folder for the values of a metric of a game: files of `wdl` are `.tbc`, all others `.tbl`.
    /// Names leave out the game's default metric.
    #[must_use]
    pub fn open(folder: &Path, variant: &Variant, metric: Metric) -> Self {
        FlatTablebase::open_form(folder, variant, metric, Form::of_values(metric))
    }

    /// Opens a folder for one form of the files of a metric: a `.tbc` of `dtz50` has the results under the
    /// n-move rule.
    #[must_use]
    pub fn open_form(folder: &Path, variant: &Variant, metric: Metric, form: Form) -> Self {
        let (folder, variant) = (folder.to_path_buf(), variant.clone());
        let open = RwLock::default();
        FlatTablebase { folder, variant, metric, form, asks_placements_first: false, open }
    }

    /// The same folder; where a table has files of both kinds, those of its placements are asked.
    #[must_use]
    pub fn asking_placements_first(self) -> Self {
        FlatTablebase { asks_placements_first: true, ..self }
    }

    /// The metric of the files.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// What the files of the metric hold.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The value of a position without rights, and the file that has it. It is none if no file can have it:
    /// two men of a square, a pawn where none can stand.
    ///
    /// # Errors
    /// The file is not there, or cannot be read.
    pub fn value(
        &self,
        men: &[(Man, Square)],
        stm: Side,
    ) -> Result<Option<(Value, Arc<FlatFile>)>, FlatError> {
        let Some((name, mobile, is_swapped)) = FlatName::seen(&self.variant, men) else { return Ok(None) };
        let file = self.file(&name)?;
        let has_all_squares = file.name().has_all_squares();
        let pawns = if has_all_squares { name.pawns() } else { &[] };
        let is_mirrored = !has_all_squares && *file.name() != name;
        let image = |&square: &Square| match is_mirrored {
            true => Symmetry::MIRROR_FILES.square(&self.variant.board, square),
            false => square,
        };
        let squares: Vec<Square> = pawns.iter().chain(&mobile).map(image).collect();
        let value = file.value(if is_swapped { !stm } else { stm }, &squares)?;
        Ok(Some((value, file)))
    }

    /// The file that has the positions of a name, packed or not, if it is there.
    #[must_use]
    pub fn path_there(&self, name: &FlatName) -> Option<PathBuf> {
        let mut names = vec![name.clone().written(&self.variant)];
        if !name.pawns().is_empty() {
            let at = if self.asks_placements_first { names.len() } else { 0 };
            names.insert(at, FlatName::of_all_squares(&self.variant, name.material()));
        }
        let paths = names.iter().map(|name| self.path_of(name));
        paths.flat_map(|path| [path.clone(), packed(&path)]).find(|path| path.exists())
    }

    /// The path that the file of a name has or would have: that of the name or of its mirror image.
    #[must_use]
    pub fn path(&self, name: &FlatName) -> PathBuf {
        self.path_of(&name.clone().written(&self.variant))
    }

    fn path_of(&self, name: &FlatName) -> PathBuf {
        let name = name.text(&self.variant);
        self.folder.join(self.form().file_name(&name, self.metric, self.variant.default_metric))
    }

    /// Compares the sums of all files of a canonical material that are asked: of the one for all squares of
    /// its pawns, or of those of their placements.
    ///
    /// # Errors
    /// The first file that is not there, or is damaged.
    pub fn verify_checksums(&self, material: &Material) -> Result<(), FlatError> {
        if !self.asks_placements_first {
            match self.opened_itself(&FlatName::of_all_squares(&self.variant, material)) {
                Err(FlatError::NotThere { .. }) => {}
                file => return file?.verify_checksums(),
            }
        }
        let names = FlatName::folded(&self.variant, material);
        names.iter().try_for_each(|name| self.of_placement(name)?.verify_checksums())
    }

    /// Whether all files that [`super::write`] makes of a canonical material are there and complete: the one
    /// with all squares of its pawns, or those of their placements.
    #[must_use]
    pub fn is_there(&self, material: &Material, one_file: bool) -> bool {
        self.sum_of(material, one_file).is_some()
    }

    /// The sum by which tables that depend on this one name it; none if not all of its files are there.
    ///
    /// Of a single file it is that of the file; of files of placements of pawns that of the sums of all files
    /// that are written, in the order of their squares.
    #[must_use]
    pub fn sum(&self, material: &Material) -> Option<[u8; 16]> {
        let first = self.sum_of(material, !self.asks_placements_first);
        first.or_else(|| self.sum_of(material, self.asks_placements_first))
    }

    fn sum_of(&self, material: &Material, one_file: bool) -> Option<Sum> {
        let has_pawns = material.men().any(|man| self.variant.is_pawn(man));
        if one_file || !has_pawns {
            let name = FlatName::of_all_squares(&self.variant, material);
            return self.opened_itself(&name).ok().map(|file| file.rest());
        }
        let names = FlatName::folded(&self.variant, material);
        let own = |name: &FlatName| self.of_placement(name).ok().map(|file| file.rest());
        let sums: Vec<Sum> = names.iter().map(own).collect::<Option<_>>()?;
        Some(sum(&sums.concat()))
    }

    /// The file that has the positions of a name, kept open.
    fn file(&self, name: &FlatName) -> Result<Arc<FlatFile>, FlatError> {
        if let Some(file) = self.open.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return Ok(file);
        }
        let file = Arc::new(self.opened(name)?);
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = open.get(name) {
            // Two threads have opened the same file; the first one's stays.
            return Ok(first);
        }
        // Where placements are asked first, it stands for this one alone: others may have files of their own.
        if file.name().has_all_squares() && !self.asks_placements_first {
            open.of_all_squares.insert(name.material().clone(), file.clone());
            return Ok(file);
        }
        if open.order.len() >= MAX_OPEN
            && let Some(oldest) = open.order.pop_front()
        {
            open.files.remove(&oldest);
        }
        open.order.push_back(name.clone());
        open.files.insert(name.clone(), file.clone());
        Ok(file)
    }

    /// Opens the file that has the positions of a name, in the order in which the kinds are asked. If none is
    /// there, that of the placement is named as missing.
    fn opened(&self, name: &FlatName) -> Result<FlatFile, FlatError> {
        let whole = FlatName::of_all_squares(&self.variant, name.material());
        if !whole.has_all_squares() {
            return self.of_placement(name);
        }
        let of_all_squares = || self.opened_itself(&whole);
        let of_placement = || self.of_placement(name);
        let missing = |opened: &Result<_, _>| matches!(opened, Err(FlatError::NotThere { .. }));
        if self.asks_placements_first {
            let first = of_placement();
            let second = if missing(&first) { Some(of_all_squares()) } else { None };
            return second.filter(|second| !missing(second)).unwrap_or(first);
        }
        let first = of_all_squares();
        if missing(&first) { of_placement() } else { first }
    }

    /// Opens the file that has the pawns on these squares or, where that is written, their mirror image.
    fn of_placement(&self, name: &FlatName) -> Result<FlatFile, FlatError> {
        self.opened_itself(&name.clone().written(&self.variant))
    }

    /// Opens a file, or the packed one if there is no other.
    fn opened_itself(&self, name: &FlatName) -> Result<FlatFile, FlatError> {
        let path = self.path_of(name);
        match FlatFile::open(&path, &self.variant, self.metric) {
            Err(FlatError::NotThere { .. }) => {}
            opened => return opened,
        }
        match FlatFile::open(&packed(&path), &self.variant, self.metric) {
            Err(FlatError::NotThere { .. }) => Err(FlatError::NotThere { file: path }),
            opened => opened,
        }
    }
}

impl Open {
    /// The open file that has the positions of a name.
    fn get(&self, name: &FlatName) -> Option<Arc<FlatFile>> {
        self.files.get(name).or_else(|| self.of_all_squares.get(name.material())).cloned()
    }
}

/// The packed file beside one that is not packed.
fn packed(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(format!(".{PACKED_EXTENSION}"));
    name.into()
}
