//! Loads tables of a folder in the order of a plan, each when it is asked for; a side that a file lacks is
//! solved again, and what the file has is compared with that.

use crate::files::{FileSlices, cut};
use crate::solved_tables::MemoryTables;
use crate::{LibraryError, MemoryLimit, TableFiles};
use format::{FormatError, TableFile};
use index::Layout;
use parking_lot::Mutex;
use plan::{Job, JobId, Plan, Request};
use solve::Unwatched;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use table::{Lookup, SliceSource, Table, Value};
use variant::exit::TablePart;
use variant::{Material, Metric, Side};

/// While a table is solved or read, it takes this many bytes a value.
const CODES_AT_WORK: u64 = 3;

/// Tables that are looked up and that only later ones than the next look up stay in memory up to this many
/// bytes together.
const KEPT_BYTES: u64 = 1 << 27;

/// Tables of a folder for a caller who goes through the [places](Self::places) of a plan and
/// [forgets](Self::forget) each. A table comes into memory when it is asked for and stays while a later place
/// asks for it, as far as there is room.
///
/// Most files keep one side to move. Finding the other one by probing takes some ten microseconds a
/// position, solving the table again takes a hundredth of that. So a table without one of its sides is
/// solved again from those that captures and promotions lead to, and what its files have is compared with
/// what comes out.
///
/// As a [`Lookup`] it has all tables of the plan and those that the rules prove drawn. A part of a table
/// comes from its file each time, if the file has the side to move. The caller who gets nothing finds the
/// reason in [`Self::take_failure`].
#[derive(Debug)]
pub struct PlannedTables<'a> {
    files: &'a TableFiles,
    plan: &'a Plan,
    /// The tables to get one after the other: those wanted, and those that some of them are solved from.
    places: BTreeSet<JobId>,
    /// Those of them that look values up in others.
    readers: BTreeSet<JobId>,
    numbers: BTreeMap<Material, JobId>,
    /// How many bytes tables may take that the next place does not need.
    room_bytes: u64,
    /// How many codes the slices of a table have at least that is read slice by slice.
    least_slice_codes: usize,
    kept: Mutex<MemoryTables>,
    failure: Mutex<Option<LibraryError>>,
}

impl<'a> PlannedTables<'a> {
    /// The tables wanted, all of which the plan has, each alone: those with both sides to move are read, and
    /// only for the others are tables loaded that the caller does not want.
    ///
    /// # Errors
    /// A file of a table wanted cannot be opened.
    pub fn new(
        files: &'a TableFiles,
        plan: &'a Plan,
        wanted: &BTreeSet<Material>,
    ) -> Result<Self, LibraryError> {
        let mut tables = PlannedTables::with_successors(files, plan, wanted);
        let mut open = Vec::new();
        for &place in &tables.places {
            if files.open_all(&plan.job(place).name)?.iter().any(|file| file.left_out().is_some()) {
                open.push(place);
            }
        }
        tables.readers.clear();
        while let Some(place) = open.pop() {
            if tables.readers.insert(place) {
                open.extend(plan.needed_by(place));
            }
        }
        tables.places.extend(&tables.readers);
        Ok(tables.with_room(u64::MAX))
    }

    /// These tables, for a caller who looks values up in all that they lead to.
    #[must_use]
    pub fn with_successors(files: &'a TableFiles, plan: &'a Plan, wanted: &BTreeSet<Material>) -> Self {
        let numbers: BTreeMap<Material, JobId> =
            plan.jobs().map(|job| job.material.clone()).zip(plan.ids()).collect();
        let places: BTreeSet<JobId> =
            wanted.iter().filter_map(|material| numbers.get(material).copied()).collect();
        let tables = PlannedTables {
            files,
            plan,
            readers: places.clone(),
            places,
            numbers,
            room_bytes: 0,
            least_slice_codes: usize::MAX,
            kept: Mutex::default(),
            failure: Mutex::default(),
        };
        tables.with_room(KEPT_BYTES)
    }

    /// These tables with as much room as there is beside what a place takes, and this at most.
    fn with_room(self, most_bytes: u64) -> Self {
        let peak_bytes = self.peak().map_or(0, |(bytes, _)| bytes);
        let room_bytes = MemoryLimit::new(None).bytes.saturating_sub(peak_bytes).min(most_bytes);
        PlannedTables { room_bytes, ..self }
    }

    /// These tables, where those are found as [`Lookup::slices`] whose files have both sides to move and
    /// whose slices have this many codes at least.
    #[must_use]
    pub fn with_slices(self, least_codes: usize) -> Self {
        PlannedTables { least_slice_codes: least_codes, ..self }
    }

    /// These tables, beside others of this many folders or metrics: each has its share of the room.
    #[must_use]
    pub(crate) fn among(self, n_loaders: usize) -> Self {
        PlannedTables { room_bytes: self.room_bytes / n_loaders as u64, ..self }
    }

    /// One table, with both sides to move, and no more of others in memory than that takes.
    ///
    /// # Errors
    /// As [`Self::whole`].
    pub fn only(files: &TableFiles, material: &Material) -> Result<Arc<Table>, LibraryError> {
        let plan = Plan::new(files.edition().variant(), &Request::Table(material.clone()))?;
        let mut tables = PlannedTables::new(files, &plan, &BTreeSet::from([material.clone()]))?;
        for place in tables.places() {
            tables.get(place)?;
            if plan.job(place).material != *material {
                tables.forget(place);
            }
        }
        tables.whole(material)
    }

    /// The places in the plan of the tables wanted and of those that they are solved from, in the order in
    /// which to get them.
    #[must_use]
    pub fn places(&self) -> Vec<JobId> {
        self.places.iter().copied().collect()
    }

    /// Why a table could not be had, if a [`Lookup`] gave none.
    #[must_use]
    pub fn take_failure(&self) -> Option<LibraryError> {
        self.failure.lock().take()
    }

    /// Gets the table at a place.
    ///
    /// # Errors
    /// As [`Self::whole`].
    pub fn get(&self, place: JobId) -> Result<Arc<Table>, LibraryError> {
        self.whole(&self.plan.job(place).material)
    }

    /// Gets a table of the plan, or one that the rules prove drawn, with both sides to move.
    ///
    /// # Errors
    /// A file is missing or damaged, or holds other values than solving its table gives.
    pub fn whole(&self, material: &Material) -> Result<Arc<Table>, LibraryError> {
        if let Some(kept) = self.kept.lock().table(material, None) {
            return Ok(kept);
        }
        // Nothing is locked meanwhile: solving asks for other tables.
        let table = Arc::new(self.load(material)?);
        self.kept.lock().insert(table.clone(), None);
        Ok(table)
    }

    /// Drops what no later place looks up. What the next needs stays, and of the rest what is needed soonest,
    /// as far as there is room; of a table that is promoted into a part is enough.
    pub fn forget(&mut self, place: JobId) {
        let mut stays = MemoryTables::default();
        let kept = self.kept.get_mut();
        let is_drawn = |table: &&Arc<Table>| !self.numbers.contains_key(table.layout().material());
        kept.tables().filter(is_drawn).for_each(|table| stays.insert(table.clone(), None));
        let later: Vec<JobId> = self.readers.iter().copied().filter(|reader| *reader > place).collect();
        let mut room_bytes = self.room_bytes;
        let needs = later
            .iter()
            .flat_map(|reader| self.plan.job(*reader).needs.iter().map(move |need| (reader, need)));
        for (reader, need) in needs {
            let (material, part) = (&need.material, need.part.as_ref());
            let Some(table) = kept.table(material, part).filter(|_| stays.table(material, part).is_none())
            else {
                continue;
            };
            if *reader != later[0] && need.bytes() > room_bytes {
                continue;
            }
            room_bytes = room_bytes.saturating_sub(need.bytes());
            let cut = part.and_then(|part| cut(&table, part));
            stays.insert(cut.map_or(table, Arc::new), part);
        }
        *kept = stays;
    }

    /// The memory that the tables take at most that have to be in memory together, and the table that is
    /// gotten then.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn peak(&self) -> Option<(u64, &Job)> {
        let of_place = |&place: &JobId| (self.bytes_with_needs(place), self.plan.job(place));
        self.places.iter().map(of_place).max_by_key(|(bytes, _)| *bytes)
    }

    /// The memory that a table takes, if others are looked up with all of them, each of which may have to be
    /// solved again from its own.
    fn bytes_with_needs(&self, place: JobId) -> u64 {
        let own = CODES_AT_WORK * self.plan.job(place).n_values();
        if !self.readers.contains(&place) {
            return own;
        }
        let needs = |place: JobId| self.plan.needed_by(place).into_iter();
        let bytes = |place: JobId| needs(place).map(|need| self.plan.job(need).n_values()).sum::<u64>();
        let below = needs(place).map(bytes).max().unwrap_or_default();
        own + bytes(place) + below
    }

    /// Reads a table, or solves it again.
    fn load(&self, material: &Material) -> Result<Table, LibraryError> {
        let edition = self.files.edition();
        let (variant, name) = (edition.variant(), material.name(edition.variant()));
        let files = match variant.is_always_drawn(material) {
            true => Vec::new(),
            false => self.open_all(&name)?,
        };
        if !files.is_empty() && files.iter().all(|file| file.left_out().is_none()) {
            return Ok(self.files.read_with_steps(&name, &Side::BOTH)?);
        }
        files.iter().try_for_each(TableFile::verify_checksums)?;
        let layout = Arc::new(Layout::new(variant, material));
        let solved = solve::solve(variant, edition.metric(), layout, self, &Unwatched);
        let table = solved.map_err(|error| self.take_failure().unwrap_or_else(|| error.into()))?;
        files.iter().try_for_each(|file| compare(&table, file, edition.metric()))?;
        Ok(table)
    }

    /// Gets a part of a table, or more of it.
    fn partial(&self, material: &Material, part: &TablePart) -> Result<Arc<Table>, LibraryError> {
        if let Some(kept) = self.kept.lock().table(material, Some(part)) {
            return Ok(kept);
        }
        if self.files.edition().variant().is_always_drawn(material) {
            return self.whole(material);
        }
        let (name, stm) = (material.name(self.files.edition().variant()), Table::side_of_part_with(part.man));
        if self.open_all(&name)?.iter().all(|file| file.keeps(stm)) {
            return Ok(Arc::new(self.files.read_part(&name, part)?));
        }
        let whole = self.load(material)?;
        let table = Arc::new(cut(&whole, part).unwrap_or(whole));
        self.kept.lock().insert(table.clone(), Some(part));
        Ok(table)
    }

    /// Opens a table that is read slice by slice, if it is to be read so.
    fn in_slices(&self, material: &Material) -> Result<Option<FileSlices>, LibraryError> {
        if self.least_slice_codes == usize::MAX || self.kept.lock().table(material, None).is_some() {
            return Ok(None);
        }
        let name = material.name(self.files.edition().variant());
        if self.open_all(&name)?.iter().any(|file| file.left_out().is_some()) {
            return Ok(None);
        }
        let slices = self.files.slices(&name)?;
        Ok(Some(slices).filter(|slices| slices.layout().slice_len() >= self.least_slice_codes))
    }

    /// Keeps the first failure.
    fn noted<T>(&self, found: Result<T, LibraryError>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err(error) => {
                self.failure.lock().get_or_insert(error);
                None
            }
        }
    }

    fn open_all(&self, name: &str) -> Result<Vec<TableFile>, LibraryError> {
        let metrics = self.files.edition().metrics();
        let open = |&metric: &Metric| {
            self.files.open(name, metric).map_err(|error| match error.is_not_found() {
                true => LibraryError::NotBuilt {
                    path: self.files.path(name, metric),
                    has_others: !matches!(error, FormatError::Io { .. }),
                    material: name.to_owned(),
                    metrics: metrics.iter().rev().copied().collect(),
                },
                false => error.into(),
            })
        };
        metrics.iter().map(open).collect()
    }
}

impl Lookup for PlannedTables<'_> {
    fn table(&self, material: &Material, part: Option<&TablePart>) -> Option<Arc<Table>> {
        self.noted(part.map_or_else(|| self.whole(material), |part| self.partial(material, part)))
    }

    fn slices(&self, material: &Material) -> Option<Arc<dyn SliceSource>> {
        self.noted(self.in_slices(material))?.map(|slices| Arc::new(slices) as Arc<dyn SliceSource>)
    }
}

/// How many placements of a side that is kept are compared with those of a table that was solved again.
const N_COMPARED: usize = 1 << 16;

/// Compares a sample of it.
///
/// # Errors
/// The file holds other values than the table, or is damaged.
pub(crate) fn compare(table: &Table, file: &TableFile, metric: Metric) -> Result<(), LibraryError> {
    let layout = file.layout();
    let step = (layout.len() / N_COMPARED).max(1);
    for side in Side::BOTH.into_iter().filter(|&side| file.keeps(side)) {
        for index in (0..layout.len()).step_by(step) {
            let value = table.value(side, index);
            if value == Value::Illegal || !layout.is_canonical(index, &layout.decode(index)) {
                continue;
            }
            let is_same = match file.holds_distances() {
                true => value.ply().is_none() || value.ply() == Some(file.distance(side, index)?.0),
                false if matches!(metric, Metric::Dtm | Metric::Dtm50) => value == file.value(side, index)?,
                false => value.wdl() == file.value(side, index)?.wdl(),
            };
            if !is_same {
                return Err(LibraryError::Contradicted { path: file.path().to_path_buf() });
            }
        }
    }
    Ok(())
}
