//! Finds the value of a position in a folder of flat files.

use super::{FlatError, FlatFile, FlatName, Form, PACKED_EXTENSION};
use crate::flat::header::{Sum, sum};
use crate::flat::name::has_mirror;
use geometry::{Square, Symmetry};
use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use table::Value;
use variant::{Man, Material, Metric, Side, Variant};

/// How many files are open at most: a material with three pawns has thousands.
const MAX_OPEN: usize = 1 << 10;

/// A folder of files of one metric, for any number of threads.
///
/// Of pawns and their mirror image one has a file, as it is written now; files for both, as they were written
/// before, are read too, and may be there in part. A file is opened when the first position of it
/// is asked for; when many are open, the one that was opened first is closed.
#[derive(Debug)]
pub struct FlatTablebase {
    folder: PathBuf,
    variant: Variant,
    metric: Metric,
    form: Form,
    open: RwLock<Open>,
    /// Which materials have one file for pawns and their mirror image.
    mirrors: RwLock<BTreeMap<Material, bool>>,
}

#[derive(Default, Debug)]
struct Open {
    /// By the names that were asked for, with whether the file has their mirror images.
    files: BTreeMap<FlatName, (Arc<FlatFile>, bool)>,
    /// In the order in which they were opened.
    order: VecDeque<FlatName>,
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
        let (open, mirrors) = Default::default();
        FlatTablebase { folder, variant, metric, form, open, mirrors }
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
        let Some((name, squares, is_swapped)) = FlatName::seen(&self.variant, men) else { return Ok(None) };
        let (file, is_mirrored) = self.file(&name)?;
        let image = |&square: &Square| match is_mirrored {
            true => Symmetry::MIRROR_FILES.square(&self.variant.board, square),
            false => square,
        };
        let squares: Vec<Square> = squares.iter().map(image).collect();
        let value = file.value(if is_swapped { !stm } else { stm }, &squares)?;
        Ok(Some((value, file)))
    }

    /// The file that has the positions of a name, packed or not, if it is there.
    #[must_use]
    pub fn path_there(&self, name: &FlatName) -> Option<PathBuf> {
        let (first, second) = self.choices(name);
        let paths = [Some(first), second].into_iter().flatten().map(|(name, _)| self.path_of(&name));
        paths.flat_map(|path| [path.clone(), packed(&path)]).find(|path| path.exists())
    }

    /// The path that the file of a name has or would have: that of the name or of its mirror image.
    #[must_use]
    pub fn path(&self, name: &FlatName) -> PathBuf {
        let ((first, _), _) = self.choices(name);
        self.path_of(&first)
    }

    fn path_of(&self, name: &FlatName) -> PathBuf {
        let name = name.text(&self.variant);
        self.folder.join(self.form().file_name(&name, self.metric, self.variant.default_metric))
    }

    /// The names of files that may have the positions of a name, the one that is written first; and whether
    /// they have their mirror images.
    fn choices(&self, name: &FlatName) -> ((FlatName, bool), Option<(FlatName, bool)>) {
        let own = (name.clone(), false);
        if !self.has_mirror(name.material()) {
            return (own, None);
        }
        let image = name.mirrored(&self.variant);
        match image.cmp(name) {
            Ordering::Less => ((image, true), Some(own)),
            Ordering::Equal => (own, None),
            Ordering::Greater => (own, Some((image, true))),
        }
    }

    fn has_mirror(&self, material: &Material) -> bool {
        if let Some(has) = self.mirrors.read().unwrap_or_else(PoisonError::into_inner).get(material) {
            return *has;
        }
        let has = has_mirror(&self.variant, material);
        self.mirrors.write().unwrap_or_else(PoisonError::into_inner).insert(material.clone(), has);
        has
    }

    /// Compares the sums of all files of a canonical material.
    ///
    /// # Errors
    /// The first file that is not there, or is damaged.
    pub fn verify_checksums(&self, material: &Material) -> Result<(), FlatError> {
        let names = FlatName::folded(&self.variant, material);
        names.iter().try_for_each(|name| self.opened(name)?.0.verify_checksums())
    }

    /// The sum by which tables that depend on this one name it; none if not all of its files are there.
    ///
    /// Without pawns it is that of the file, with pawns that of the sums of all files that are written, in
    /// the order of their squares.
    #[must_use]
    pub fn sum(&self, material: &Material) -> Option<[u8; 16]> {
        let names = FlatName::folded(&self.variant, material);
        let own = |name: &FlatName| self.opened(name).ok().map(|(file, _)| file.rest());
        let sums: Vec<Sum> = names.iter().map(own).collect::<Option<_>>()?;
        let has_pawns = material.men().any(|man| self.variant.is_pawn(man));
        if has_pawns { Some(sum(&sums.concat())) } else { sums.first().copied() }
    }

    /// The file that has the positions of a name, kept open, and whether it has their mirror images.
    fn file(&self, name: &FlatName) -> Result<(Arc<FlatFile>, bool), FlatError> {
        if let Some(file) = self.open.read().unwrap_or_else(PoisonError::into_inner).files.get(name) {
            return Ok(file.clone());
        }
        let (file, is_mirrored) = self.opened(name)?;
        let file = (Arc::new(file), is_mirrored);
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = open.files.get(name) {
            // Two threads have opened the same file; the first one's stays.
            return Ok(first.clone());
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

    /// Opens the file that has the positions of a name.
    fn opened(&self, name: &FlatName) -> Result<(FlatFile, bool), FlatError> {
        let ((first, is_mirrored), second) = self.choices(name);
        match (self.opened_itself(&first), second) {
            (Err(absent @ FlatError::NotThere { .. }), Some((second, is_mirrored))) => {
                match self.opened_itself(&second) {
                    Err(FlatError::NotThere { .. }) => Err(absent),
                    opened => opened.map(|file| (file, is_mirrored)),
                }
            }
            (opened, _) => opened.map(|file| (file, is_mirrored)),
        }
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

/// The packed file beside one that is not packed.
fn packed(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(format!(".{PACKED_EXTENSION}"));
    name.into()
}
