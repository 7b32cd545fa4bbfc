//! Loads the tables of a folder one after the other, in the order of a plan, each whole in memory; a side
//! that a file lacks is solved again, and what the file has is compared with that.

use crate::files::{FileSlices, scope_of};
use crate::solved_tables::MemoryTables;
use crate::{LibraryError, TableFiles};
use format::TableFile;
use geometry::SquareSet;
use index::Layout;
use parking_lot::Mutex;
use plan::{Job, JobId, Need, Plan};
use solve::Unwatched;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use table::{Lookup, SliceSource, Table, Value};
use variant::exit::TablePart;
use variant::{Man, Material, Metric, Side};

/// While a table is solved or read, it takes this many bytes a value.
const CODES_AT_WORK: u64 = 3;

/// Whole tables that only later ones than the next need stay in memory up to this many bytes together.
const KEPT_BYTES: u64 = 1 << 27;

/// Tables to be had in the order of a plan, in memory as long as a later one needs them, or, if whole ones
/// are needed, as long as one of the next does.
///
/// As a [`Lookup`] it has the tables that are in memory and those that the rules prove drawn.
///
/// Most files keep one side to move. Finding the other one by probing takes some ten microseconds a
/// position, solving the table again takes a hundredth of that. So a table without one of its sides is
/// solved again from those that captures and promotions lead to, and what its files have is compared with
/// what comes out.
///
/// Where values are looked up in whole tables, few are in memory at a time: what is needed again much later
/// is read again. Of tables that are only promoted into, a part is enough where no move is made on a board:
/// the new man stands on one of few squares, and the other side is to move. Who reads his own table slice by
/// slice gets it so, and the parts when he asks for them.
#[derive(Debug)]
pub struct PlannedTables<'a> {
    files: &'a TableFiles,
    plan: &'a Plan,
    wanted: &'a BTreeSet<Material>,
    /// The tables to get one after the other, ascending: those wanted, and, where parts of tables are enough,
    /// those that are needed to solve some of them.
    places: BTreeSet<JobId>,
    /// Those of them that others are solved from, or looked up in, with all that they need.
    shared: BTreeSet<JobId>,
    numbers: BTreeMap<Material, JobId>,
    tables: MemoryTables,
    drawn: MemoryTables,
    /// Whether values are looked up in tables, so that they stay whole unless they are among `in_parts`.
    is_looked_up: bool,
    /// The tables wanted that look values up in a part of a table where the plan has a part.
    in_parts: BTreeSet<Material>,
    /// Those of them that are read slice by slice where no later table wanted looks values up in the whole,
    /// and how many codes a slice has at least.
    in_slices: (BTreeSet<Material>, usize),
    /// The table that was gotten last, if it is read so.
    slices: Option<Arc<FileSlices>>,
    /// Whether parts that files have are read when they are asked for.
    reads_parts: bool,
    /// Why a part could not be read.
    failure: Mutex<Option<LibraryError>>,
}

/// What the tables after one in the plan need of a table.
enum Rest {
    Nothing,
    /// Parts, in each of which a man stands on some squares, with their bytes.
    Parts(Vec<(TablePart, u64)>),
    Whole,
}

impl<'a> PlannedTables<'a> {
    /// The tables wanted, all of which the plan has, each alone: those with both sides to move are read, and
    /// only for the others are tables loaded that nobody wants.
    ///
    /// # Errors
    /// A file of a table wanted cannot be opened.
    pub fn new(
        files: &'a TableFiles,
        plan: &'a Plan,
        wanted: &'a BTreeSet<Material>,
    ) -> Result<Self, LibraryError> {
        let mut halves = BTreeSet::new();
        for job in plan.jobs().filter(|job| wanted.contains(&job.material)) {
            if files.open_all(&job.name)?.iter().any(|file| file.left_out().is_some()) {
                halves.insert(job.material.clone());
            }
        }
        Ok(PlannedTables::with_shared(files, plan, wanted, &halves, false))
    }

    /// These tables together with all tables that they lead to, which are whole in memory with the table
    /// that is gotten.
    #[must_use]
    pub fn with_successors(files: &'a TableFiles, plan: &'a Plan, wanted: &'a BTreeSet<Material>) -> Self {
        PlannedTables::with_shared(files, plan, wanted, wanted, true)
    }

    /// These tables, where parts are enough of those tables that one of `in_parts` is only promoted into;
    /// they are found as [`Lookup::part`].
    #[must_use]
    pub fn with_parts(self, in_parts: BTreeSet<Material>) -> Self {
        PlannedTables { in_parts, ..self }
    }

    /// These tables, where those given, all of them among those in parts, are not whole in memory: they are
    /// found as [`Lookup::slices`] if their files have both sides to move and their slices this many codes
    /// at least. Then parts of other tables are read when they are asked for, and [`Self::take_failure`] has
    /// what went wrong.
    #[must_use]
    pub fn with_slices(self, in_slices: BTreeSet<Material>, least_codes: usize) -> Self {
        PlannedTables { in_slices: (in_slices, least_codes), ..self }
    }

    /// Why a part could not be read, if one could not: whoever asked for it got none.
    #[must_use]
    pub fn take_failure(&self) -> Option<LibraryError> {
        self.failure.lock().take()
    }

    fn with_shared(
        files: &'a TableFiles,
        plan: &'a Plan,
        wanted: &'a BTreeSet<Material>,
        roots: &BTreeSet<Material>,
        is_looked_up: bool,
    ) -> Self {
        let numbers: BTreeMap<Material, JobId> =
            plan.jobs().map(|job| job.material.clone()).zip(plan.ids()).collect();
        let place = |material| numbers.get(material).copied();
        let mut open: Vec<JobId> = roots.iter().filter_map(place).collect();
        let mut shared = BTreeSet::new();
        while let Some(place) = open.pop() {
            if shared.insert(place) {
                open.extend(plan.needed_by(place));
            }
        }
        // Whole tables are loaded when they are needed.
        let others = shared.iter().copied().filter(|_| !is_looked_up);
        let places = wanted.iter().filter_map(place).chain(others).collect();
        let (tables, drawn) = (MemoryTables::default(), MemoryTables::default());
        PlannedTables {
            files,
            plan,
            wanted,
            places,
            shared,
            numbers,
            tables,
            drawn,
            is_looked_up,
            in_parts: BTreeSet::new(),
            in_slices: (BTreeSet::new(), 0),
            slices: None,
            reads_parts: false,
            failure: Mutex::default(),
        }
    }

    /// The places in the plan of the tables wanted and of those that they need, in the order in which to get
    /// them.
    #[must_use]
    pub fn places(&self) -> Vec<JobId> {
        self.places.iter().copied().collect()
    }

    /// How many values these tables have together.
    #[must_use]
    pub fn n_values(&self) -> u64 {
        self.places.iter().map(|&place| self.plan.job(place).n_values()).sum()
    }

    /// Gets a table; none if it is only there for others, or is read slice by slice.
    ///
    /// # Errors
    /// A file is missing or damaged, or holds other values than solving its table gives.
    pub fn get(&mut self, place: JobId) -> Result<Option<Arc<Table>>, LibraryError> {
        let job = self.plan.job(place);
        self.reads_parts = self.in_slices.0.contains(&job.material)
            && self.open_all(&job.name)?.iter().all(|file| file.left_out().is_none());
        self.slices = self.slices_of(place)?;
        if self.is_looked_up {
            let is_part = |need: &&Need| self.part_of(job, need).is_some();
            let (parts, whole): (Vec<&Need>, Vec<&Need>) =
                job.needs.iter().filter(|need| !need.is_drawn).partition(is_part);
            let mut kept: BTreeSet<Material> =
                self.tables.tables().map(|table| table.layout().material().clone()).collect();
            kept.extend(whole.iter().map(|need| need.material.clone()));
            parts.into_iter().try_for_each(|need| self.ensure_part(need))?;
            // What parts were solved again from is not needed beside them.
            self.tables.retain(|material| kept.contains(material));
            whole.into_iter().try_for_each(|need| self.ensure(self.numbers[&need.material]))?;
        }
        if self.slices.is_some() {
            return Ok(None);
        }
        let table = match self.shared.contains(&place) {
            true => self.shared(place)?,
            false => Arc::new(self.files.read(&job.name)?),
        };
        Ok(self.wanted.contains(&job.material).then_some(table))
    }

    /// The slices of a table, if it is to be read so.
    fn slices_of(&self, place: JobId) -> Result<Option<Arc<FileSlices>>, LibraryError> {
        let job = self.plan.job(place);
        let is_later = |user: &JobId| *user > place && self.places.contains(user);
        let is_asked_for =
            |user: JobId| is_later(&user) && self.asks_for_whole(self.plan.job(user), &job.material);
        if !self.reads_parts || self.plan.in_need_of(place).into_iter().any(is_asked_for) {
            return Ok(None);
        }
        let slices = self.files.slices(&job.name)?;
        let is_large = slices.layout().slice_len() >= self.in_slices.1;
        Ok(is_large.then(|| Arc::new(slices)))
    }

    /// Drops what none after this table needs: tables, and of those that are only promoted into all but
    /// some parts.
    pub fn forget(&mut self, place: JobId) {
        if self.is_looked_up {
            self.keep_for_the_next(place);
            return;
        }
        let materials: Vec<Material> =
            self.tables.tables().map(|table| table.layout().material().clone()).collect();
        for material in materials {
            let rest = self.rest(self.numbers[&material], place);
            if let (Rest::Parts(parts), Some(table)) = (&rest, self.tables.table(&material)) {
                let layout = table.layout();
                for (part, _) in parts {
                    let cut = scope_of(layout, part).and_then(|scope| table.part(&scope));
                    let cut = cut.map_or_else(|| table.clone(), Arc::new);
                    self.tables.insert_part(part.man, part.squares, cut);
                }
            }
            if !matches!(rest, Rest::Whole) {
                self.tables.retain(|kept| *kept != material);
            }
        }
        let (plan, shared, numbers) = (self.plan, &self.shared, &self.numbers);
        self.tables.retain_parts(|material, _, _| {
            plan.in_need_of(numbers[material]).into_iter().any(|user| user > place && shared.contains(&user))
        });
    }

    /// Drops whole tables: what the next table wanted needs stays, and of the others those that are needed
    /// soonest, as far as there is room. Where the next needs a part, that stays and nothing else.
    fn keep_for_the_next(&mut self, place: JobId) {
        let is_later = |user: &JobId| *user > place && self.places.contains(user);
        let next = self.places.iter().copied().find(is_later);
        let parts: Vec<(Material, TablePart)> = next.map_or_else(Vec::new, |next| {
            let parts = self.parts(self.plan.job(next));
            parts.map(|(material, part)| (material.clone(), part.clone())).collect()
        });
        self.tables.retain_parts(|material, man, squares| {
            parts.iter().any(|(own, part)| own == material && part.man == man && part.squares == squares)
        });
        for (material, part) in parts {
            // A table that has just been done with is not read again.
            if let Some(whole) = self.tables.table(&material)
                && let Some(cut) = scope_of(whole.layout(), &part).and_then(|scope| whole.part(&scope))
                && !self.tables.has_part(&material, part.man, part.squares)
            {
                self.tables.insert_part(part.man, part.squares, Arc::new(cut));
            }
        }
        let mut held: Vec<(JobId, &Material, u64)> = Vec::new();
        for table in self.tables.tables() {
            let material = table.layout().material();
            let number = self.numbers[material];
            let asks_for_whole = |user: &JobId| self.asks_for_whole(self.plan.job(*user), material);
            let users = self.plan.in_need_of(number).into_iter().filter(is_later);
            if let Some(user) = users.filter(asks_for_whole).min() {
                held.push((user, material, self.plan.job(number).n_values()));
            }
        }
        held.sort();
        let mut room = KEPT_BYTES;
        held.retain(|&(user, _, bytes)| {
            let is_kept = Some(user) == next || bytes <= room;
            room = room.saturating_sub(bytes);
            is_kept
        });
        let kept: BTreeSet<Material> = held.into_iter().map(|(_, material, _)| material.clone()).collect();
        self.tables.retain(|material| kept.contains(material));
    }

    /// The part of a table that a job looks values up in; none if it is the whole table.
    fn part_of<'n>(&self, job: &Job, need: &'n Need) -> Option<&'n TablePart> {
        need.part.as_ref().filter(|_| self.in_parts.contains(&job.material))
    }

    /// Whether a job looks values up in the whole of a table.
    fn asks_for_whole(&self, job: &Job, material: &Material) -> bool {
        job.needs.iter().any(|need| need.material == *material && self.part_of(job, need).is_none())
    }

    /// All such parts, with the tables.
    fn parts<'n>(&self, job: &'n Job) -> impl Iterator<Item = (&'n Material, &'n TablePart)> {
        let is_there = self.in_parts.contains(&job.material);
        let parts = job.needs.iter().filter_map(|need| need.part.as_ref().map(|part| (&need.material, part)));
        parts.filter(move |_| is_there)
    }

    /// What the tables after `place` need of a table.
    fn rest(&self, table: JobId, place: JobId) -> Rest {
        let material = &self.plan.job(table).material;
        let users = self.plan.in_need_of(table).into_iter();
        let users = users.filter(|user| *user > place && self.shared.contains(user));
        let needs =
            users.flat_map(|user| &self.plan.job(user).needs).filter(|need| need.material == *material);
        let mut parts: Vec<(TablePart, u64)> = Vec::new();
        for need in needs {
            match &need.part {
                Some(part) if !self.is_looked_up => {
                    match parts.iter_mut().find(|(kept, _)| kept.man == part.man) {
                        Some((kept, bytes)) => {
                            kept.squares = kept.squares.union(part.squares);
                            *bytes = (*bytes).max(need.bytes());
                        }
                        None => parts.push((part.clone(), need.bytes())),
                    }
                }
                _ => return Rest::Whole,
            }
        }
        if parts.is_empty() { Rest::Nothing } else { Rest::Parts(parts) }
    }

    /// The memory that the tables take at most that are in memory together, and the table that is gotten
    /// then.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn peak(&self) -> Option<(u64, &Job)> {
        if self.is_looked_up {
            let bytes = |job: &&Job| self.bytes_with_needs(job);
            let most = self.places.iter().map(|&place| self.plan.job(place)).max_by_key(bytes);
            return most.map(|job| (bytes(&job), job));
        }
        let mut held: BTreeMap<JobId, u64> = BTreeMap::new();
        let mut peak = None;
        for &place in &self.places {
            let job = self.plan.job(place);
            let bytes = held.values().sum::<u64>() + CODES_AT_WORK * job.n_values();
            if peak.is_none_or(|(most, _)| bytes > most) {
                peak = Some((bytes, job));
            }
            if self.shared.contains(&place) {
                held.insert(place, job.n_values());
            }
            held.retain(|&table, bytes| match self.rest(table, place) {
                Rest::Nothing => false,
                Rest::Whole => true,
                Rest::Parts(parts) => {
                    *bytes = (*bytes).min(parts.iter().map(|(_, bytes)| bytes).sum());
                    true
                }
            });
        }
        peak
    }

    /// The memory that a table takes with all whole tables that it needs, each of which may have to be solved
    /// again from its own.
    ///
    /// Units: bytes.
    fn bytes_with_needs(&self, job: &Job) -> u64 {
        let needs = |place: JobId| self.plan.needed_by(place).into_iter();
        let bytes = |place: JobId| needs(place).map(|need| self.plan.job(need).n_values()).sum::<u64>();
        let place = self.numbers[&job.material];
        let below = needs(place).map(bytes).max().unwrap_or_default();
        KEPT_BYTES + CODES_AT_WORK * job.n_values() + bytes(place) + below
    }

    /// Sees to it that the part of a table is in memory that is needed.
    fn ensure_part(&mut self, need: &Need) -> Result<(), LibraryError> {
        let Some(part) = need.part.as_ref().filter(|_| !self.has_part(need)) else { return Ok(()) };
        let stm = Table::side_of_part_with(part.man);
        let cut = |whole: Arc<Table>| {
            let cut = scope_of(whole.layout(), part).and_then(|scope| whole.part(&scope));
            cut.map_or(whole, Arc::new)
        };
        let table = if let Some(whole) = self.tables.table(&need.material) {
            cut(whole)
        } else if self.open_all(&need.name)?.iter().all(|file| file.keeps(stm)) {
            if self.reads_parts {
                // It is read when it is asked for, and not kept.
                return Ok(());
            }
            Arc::new(self.files.read_part(&need.name, part)?)
        } else {
            let whole = self.shared(self.numbers[&need.material])?;
            self.tables.retain(|material| *material != need.material);
            cut(whole)
        };
        self.tables.insert_part(part.man, part.squares, table);
        Ok(())
    }

    /// Whether the part of a table that is needed is in memory by itself.
    fn has_part(&self, need: &Need) -> bool {
        let is_there = |part: &TablePart| self.tables.has_part(&need.material, part.man, part.squares);
        need.part.as_ref().is_some_and(is_there)
    }

    /// Sees to it that a whole table is in memory.
    fn ensure(&mut self, place: JobId) -> Result<(), LibraryError> {
        if self.tables.table(&self.plan.job(place).material).is_none() {
            self.shared(place)?;
        }
        Ok(())
    }

    /// Gets a table whose needs are in memory, or, if whole ones are needed, brings those there first that it
    /// is solved again from; and keeps it there.
    fn shared(&mut self, place: JobId) -> Result<Arc<Table>, LibraryError> {
        let job = self.plan.job(place);
        for need in job.needs.iter().filter(|need| need.is_drawn) {
            if self.drawn.table(&need.material).is_none() {
                let table = self.solve(&need.material)?;
                self.drawn.insert(Arc::new(table));
            }
        }
        let files = self.open_all(&job.name)?;
        let table = match files.iter().all(|file| file.left_out().is_none()) {
            true => self.files.read(&job.name)?,
            false => {
                if self.is_looked_up {
                    // A part that is there is all that solving asks for.
                    let is_whole = |need: &&Need| !need.is_drawn && !self.has_part(need);
                    let whole: Vec<JobId> =
                        job.needs.iter().filter(is_whole).map(|need| self.numbers[&need.material]).collect();
                    whole.into_iter().try_for_each(|need| self.ensure(need))?;
                }
                files.iter().try_for_each(TableFile::verify_checksums)?;
                let table = self.solve(&job.material)?;
                files.iter().try_for_each(|file| compare(&table, file, self.files.edition().metric()))?;
                table
            }
        };
        let table = Arc::new(table);
        self.tables.insert(table.clone());
        Ok(table)
    }

    /// Reads a part of a table from files that keep its side to move.
    fn read_part(&self, material: &Material, man: Man, squares: SquareSet) -> Option<Arc<Table>> {
        let need = self.numbers.get(material).filter(|_| self.reads_parts)?;
        let part = TablePart { man, squares };
        let read = self.files.read_part(&self.plan.job(*need).name, &part);
        read.map(Arc::new).map_err(|error| self.note(error)).ok()
    }

    /// Keeps the first failure.
    fn note(&self, error: LibraryError) {
        self.failure.lock().get_or_insert(error);
    }

    fn open_all(&self, name: &str) -> Result<Vec<TableFile>, LibraryError> {
        let metrics = self.files.edition().metrics();
        let open = |&metric: &Metric| {
            self.files.open(name, metric).map_err(|error| match error.is_not_found() {
                true => LibraryError::NotBuilt {
                    path: self.files.path(name, metric),
                    material: name.to_owned(),
                    metrics: metrics.iter().rev().copied().collect(),
                },
                false => error.into(),
            })
        };
        metrics.iter().map(open).collect()
    }

    fn solve(&self, material: &Material) -> Result<Table, LibraryError> {
        let edition = self.files.edition();
        let layout = Arc::new(Layout::new(edition.variant(), material));
        Ok(solve::solve(edition.variant(), edition.metric(), layout, self, &Unwatched)?)
    }
}

impl Lookup for PlannedTables<'_> {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.table(material).or_else(|| self.drawn.table(material))
    }

    fn part(&self, material: &Material, man: Man, squares: SquareSet) -> Option<Arc<Table>> {
        let kept = self.tables.part(material, man, squares);
        let kept = kept.or_else(|| self.drawn.part(material, man, squares));
        kept.or_else(|| self.read_part(material, man, squares))
    }

    fn slices(&self, material: &Material) -> Option<Arc<dyn SliceSource>> {
        let slices = self.slices.as_ref().filter(|slices| slices.layout().material() == material)?;
        Some(slices.clone())
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
                false if metric == Metric::Dtm => value == file.value(side, index)?,
                false => value.wdl() == file.value(side, index)?.wdl(),
            };
            if !is_same {
                return Err(LibraryError::Contradicted { path: file.path().to_path_buf() });
            }
        }
    }
    Ok(())
}
