//! Writes files of other programs from the tables of a folder, and compares tables with such files.
//!
//! Each of these goes through the tables in the order of a plan
//! ([`PlannedTables`](library::PlannedTables)) and reports a [`TableStep`] before and after each table. The
//! caller decides what to show of it.

use ::syzygy::{Family, FileKind, FileMaterial, Options, SyzygyFile};
use export::bits::{BitsFile, BitsWritten, Question, file_name};
use export::flat::{FlatOptions, FlatTablebase, FlatWritten, Form};
use library::{Edition, LibraryError, PROGRAM, PlannedTables, TableFiles};
use plan::{Job, JobId, Plan, Request};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};
use table::Table;
use variant::{Material, Metric, Variant};

/// Reports how far an export or a comparison is; `T` is what is known of a table once it is done.
#[derive(Debug)]
pub enum TableStep<'a, T> {
    /// It begins, and goes through this many tables.
    Planned {
        /// How many tables are read, solved again or asked.
        n_tables: usize,
        /// How many values these have together.
        n_values: u64,
    },
    /// A table is begun.
    Begun(&'a Job),
    /// It was read because others need it; the caller did not ask for it.
    Passed(&'a Job),
    /// It was written or compared, in this time.
    Done(&'a Job, T, Duration),
}

/// Receives the steps; what it returns ends the work.
pub(crate) type Report<'a, T, E> = &'a mut dyn FnMut(TableStep<'_, T>) -> Result<(), E>;

/// Plans the tables of up to as many men as these have.
pub(crate) fn plan_for(variant: &Variant, wanted: &BTreeSet<Material>) -> Result<Plan, LibraryError> {
    let n_men = wanted.iter().map(Material::n_men).max().unwrap_or(2);
    Ok(Plan::new(variant, &Request::UpTo(n_men))?)
}

/// Goes through the tables that are wanted, and through those that some of them are solved again from.
/// `work` gets the place of each table wanted.
pub(crate) fn for_each_table<T, E: From<LibraryError>>(
    plan: &Plan,
    tables: &mut PlannedTables<'_>,
    wanted: &BTreeSet<Material>,
    mut work: impl FnMut(&PlannedTables<'_>, JobId) -> Result<T, LibraryError>,
    report: Report<'_, T, E>,
) -> Result<(), E> {
    let mut places: BTreeSet<JobId> = tables.places().into_iter().collect();
    let is_wanted = |place: &JobId| wanted.contains(&plan.job(*place).material);
    places.extend(plan.ids().filter(is_wanted));
    let n_values = places.iter().map(|&place| plan.job(place).n_values()).sum();
    report(TableStep::Planned { n_tables: places.len(), n_values })?;
    for place in places {
        let (job, begin) = (plan.job(place), Instant::now());
        report(TableStep::Begun(job))?;
        if is_wanted(&place) {
            let done = work(tables, place)?;
            report(TableStep::Done(job, done, begin.elapsed()))?;
        } else {
            // Why it cannot be had shows when another is solved from it.
            drop(tables.get(place));
            report(TableStep::Passed(job))?;
        }
        tables.forget(place);
    }
    Ok(())
}

/// Goes through the tables that are wanted, whole, in the order of a plan. `work` gets each of them.
fn for_each_wanted<T, E: From<LibraryError>>(
    files: &TableFiles,
    wanted: &BTreeSet<Material>,
    mut work: impl FnMut(&Job, &Table) -> Result<T, LibraryError>,
    report: Report<'_, T, E>,
) -> Result<(), E> {
    let plan = plan_for(files.edition().variant(), wanted)?;
    let mut tables = PlannedTables::new(files, &plan, wanted)?;
    let work = |tables: &PlannedTables<'_>, place| work(plan.job(place), &*tables.get(place)?);
    for_each_table(&plan, &mut tables, wanted, work, report)
}

/// Writes one-bit files.
#[derive(Clone, Copy, Debug)]
pub struct BitsExport<'a> {
    /// The tables that have the values.
    pub files: &'a TableFiles,
    /// The folder that gets the files.
    pub out: &'a Path,
    /// The metric that the question is about.
    pub metric: Metric,
    /// The question.
    pub question: Question,
}

/// The file of one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitsExported {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub written: BitsWritten,
}

impl BitsExport<'_> {
    /// Writes the files of these tables, on the caller's threads.
    ///
    /// # Errors
    /// A table is missing or damaged, a file cannot be written, or `report` fails.
    pub fn write<E: From<LibraryError>>(
        &self,
        wanted: &BTreeSet<Material>,
        report: Report<'_, BitsExported, E>,
    ) -> Result<(), E> {
        let BitsExport { files, out, metric, question } = *self;
        let variant = files.edition().variant();
        for_each_wanted(
            files,
            wanted,
            |job, table| {
                let name = file_name(&job.name, metric, variant.default_metric, question);
                let content = files.main_summary(&job.name)?.table_content();
                let written =
                    export::bits::write(&out.join(&name), variant, (metric, table), question, content)?;
                Ok(BitsExported { name, written })
            },
            report,
        )
    }
}

/// What comparing a one-bit file with its table has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitsVerified {
    /// How many answers were compared.
    pub n_answers: u64,
    /// How many of them are wrong.
    pub n_wrong: u64,
    /// Whether the file was made of the table that is there.
    pub is_of_table: bool,
}

/// Compares the checksums of a one-bit file, and its answers with the table that these files have, on the
/// caller's threads.
///
/// # Errors
/// A table that is needed is missing, or a file is damaged.
pub fn verify_bits(file: &BitsFile, files: &TableFiles) -> Result<BitsVerified, LibraryError> {
    let content = files.main_summary(file.layout().name())?.table_content();
    let table = PlannedTables::only(files, file.layout().material())?;
    let (n_answers, n_wrong) = file.compare(&table)?;
    Ok(BitsVerified { n_answers, n_wrong, is_of_table: content == file.table() })
}

/// Writes flat files.
#[derive(Clone, Copy, Debug)]
pub struct FlatExport<'a> {
    /// The tables that have the values.
    pub files: &'a TableFiles,
    /// The folder that gets the files.
    pub out: &'a Path,
    /// What they hold: the metric of the tables, or who wins.
    pub held: Metric,
    /// Distances, or two bits a position.
    pub form: Form,
    /// Two bytes a position even where one is enough.
    pub wide: bool,
    /// Packed by gzip.
    pub packed: bool,
    /// One file for all squares of the pawns.
    pub one_file: bool,
}

/// The sums of the files of tables; none where there are none.
type Sums = BTreeMap<Material, Option<[u8; 16]>>;

impl FlatExport<'_> {
    /// Writes the files of these tables, on the caller's threads.
    ///
    /// # Errors
    /// A table is missing or damaged, a file cannot be written, or `report` fails.
    pub fn write<E: From<LibraryError>>(
        &self,
        wanted: &BTreeSet<Material>,
        report: Report<'_, FlatWritten, E>,
    ) -> Result<(), E> {
        let FlatExport { files, out, held, form, wide, packed, one_file } = *self;
        let variant = files.edition().variant();
        let there = FlatTablebase::open_form(out, variant, held, form);
        let there = if one_file { there } else { there.asking_placements_first() };
        let mut sums = Sums::new();
        for_each_wanted(
            files,
            wanted,
            |job, table| {
                let options = FlatOptions {
                    form,
                    wide,
                    packed,
                    one_file,
                    slices: false,
                    built: &format!("{PROGRAM}, solver {}", solve::VERSION),
                    dependencies: &dependencies(job, &there, &mut sums),
                };
                let written = export::flat::write(out, variant, held, table, &options)?;
                sums.insert(job.material.clone(), Some(written.sum));
                Ok(written)
            },
            report,
        )
    }
}

/// The tables that a table was computed from, each with the sum of its flat files.
fn dependencies(job: &Job, there: &FlatTablebase, sums: &mut Sums) -> Vec<(String, Option<[u8; 16]>)> {
    let needs: BTreeMap<&str, &Material> =
        job.needs.iter().map(|need| (need.name.as_str(), &need.material)).collect();
    let sum = |(name, material): (&str, &Material)| {
        let sum = *sums.entry(material.clone()).or_insert_with(|| there.sum(material));
        (name.to_owned(), sum)
    };
    needs.into_iter().map(sum).collect()
}

/// Tables with smaller slices are read whole: a file is unpacked in tiles, and those of many slices would be
/// unpacked again for each.
const LEAST_SLICE_CODES: usize = 1 << 16;

/// Writes Syzygy files of tables of `wdl` and `dtz50`.
#[derive(Clone, Copy, Debug)]
pub struct SyzygyExport<'a> {
    /// The game.
    pub variant: &'a Variant,
    /// The folder that has the tables.
    pub tables: &'a Path,
    /// The folder that gets the files.
    pub out: &'a Path,
    /// How they are written.
    pub options: Options,
}

/// The files of one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyzygyExported {
    /// The game whose rules they have.
    pub family: Family,
    /// How many bytes the file with who wins has.
    pub wdl_bytes: u64,
    /// How many bytes the file with distances has.
    pub dtz_bytes: u64,
}

impl SyzygyExport<'_> {
    /// Writes the files of these tables, on the caller's threads, each whole or not at all.
    ///
    /// # Errors
    /// A table that is needed is missing or damaged, a file cannot be written, or `report` fails.
    pub fn write<E: From<LibraryError>>(
        &self,
        families: &BTreeMap<Material, Family>,
        report: Report<'_, SyzygyExported, E>,
    ) -> Result<(), E> {
        let SyzygyExport { variant, tables, out, options } = *self;
        let wanted = &families.keys().cloned().collect::<BTreeSet<Material>>();
        let files = TableFiles::new(Edition::new(variant, Metric::Dtz50), tables);
        let plan = plan_for(variant, wanted)?;
        let mut tables = PlannedTables::with_successors(&files, &plan, wanted).with_slices(LEAST_SLICE_CODES);
        for_each_table(
            &plan,
            &mut tables,
            wanted,
            |tables, place| {
                let job = plan.job(place);
                let family = families[&job.material];
                let written = ::syzygy::write(family, variant, &job.material, tables, options);
                if let Some(failure) = tables.take_failure() {
                    return Err(failure);
                }
                let written = written?;
                written.save(out)?;
                let [wdl_bytes, dtz_bytes] = [&written.wdl, &written.dtz].map(|file| file.len() as u64);
                Ok(SyzygyExported { family, wdl_bytes, dtz_bytes })
            },
            report,
        )
    }
}

/// Why a table has no Syzygy files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotInSyzygy {
    /// The format has no numbers for this many men.
    TooManyMen {
        /// The table.
        material: String,
        /// The game whose rules it has.
        family: Family,
    },
    /// Its rules are not those of a game of Syzygy files, and the format cannot hold them as its own.
    OtherRules {
        /// The table.
        material: String,
        /// The game's name.
        variant: String,
        /// What the format cannot hold.
        reason: String,
    },
}

impl fmt::Display for NotInSyzygy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotInSyzygy::TooManyMen { material, family } => write!(
                f,
                "{material} has more men than Syzygy files of {} may have, {}",
                family.name(),
                family.n_men().end()
            ),
            NotInSyzygy::OtherRules { material, variant, reason } => write!(
                f,
                "{material} of {variant} has other rules than the games of Syzygy files, and the format cannot \
                 hold it: {reason}"
            ),
        }
    }
}

/// The game of Syzygy files that has the rules of each table, and why the format has no numbers for some.
///
/// Rules may be those of chess for some men and others for the rest: in a game that has one piece more, say.
#[must_use]
pub fn families(
    variant: &Variant,
    materials: &BTreeSet<Material>,
) -> (BTreeMap<Material, Family>, Vec<NotInSyzygy>) {
    let (mut families, mut refusals) = (BTreeMap::new(), Vec::new());
    for material in materials {
        let name = || material.name(variant);
        match Family::of_any(variant, material) {
            // Bare kings need no file.
            Ok(family) if material.n_men() < *family.n_men().start() => {}
            Ok(family) if material.n_men() > *family.n_men().end() => {
                refusals.push(NotInSyzygy::TooManyMen { material: name(), family });
            }
            Ok(family) => drop(families.insert(material.clone(), family)),
            Err(reason) => {
                let variant = variant.name.clone();
                refusals.push(NotInSyzygy::OtherRules { material: name(), variant, reason });
            }
        }
    }
    (families, refusals)
}

/// Whether both files of a table are in a folder, whole, and as exact as the options ask for.
#[must_use]
pub fn has_syzygy(
    folder: &Path,
    variant: &Variant,
    material: &Material,
    family: Family,
    options: Options,
) -> bool {
    let Ok(names) = FileMaterial::new(variant, material) else { return false };
    let is_there = |kind: FileKind| {
        let path = folder.join(family.file_name(kind, names.name()));
        let Ok(file) = SyzygyFile::open(&path) else { return false };
        let is_exact = kind == FileKind::Wdl || options.rounded || file.counts_plies();
        is_exact && file.family() == family && file.check_rules(variant).is_ok()
    };
    [FileKind::Wdl, FileKind::Dtz].into_iter().all(is_there)
}
