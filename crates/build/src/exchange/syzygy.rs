//! Writes the tables of a folder as Syzygy files.

use super::step::{Report, for_each_table, plan_for};
use ::syzygy::{Family, FileKind, FileMaterial, Options, SyzygyFile};
use library::{Edition, LibraryError, PlannedTables, TableFiles};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use variant::{Material, Metric, Variant};

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
    /// Writes the files of these tables, on the threads of whoever calls, each whole or not at all.
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
        let takes_parts = |(_, family): &(_, &Family)| family.takes_parts();
        let in_parts: BTreeSet<Material> =
            families.iter().filter(takes_parts).map(|(material, _)| material.clone()).collect();
        let tables = PlannedTables::with_successors(&files, &plan, wanted).with_parts(in_parts.clone());
        let mut tables = tables.with_slices(in_parts, LEAST_SLICE_CODES);
        for_each_table(
            &plan,
            &mut tables,
            &BTreeSet::new(),
            &mut |tables, job, table| {
                table?;
                let Some(&family) = families.get(&job.material) else { return Ok(None) };
                let written = ::syzygy::write(family, variant, &job.material, tables, options);
                if let Some(failure) = tables.take_failure() {
                    return Err(failure);
                }
                let written = written?;
                written.save(out)?;
                let [wdl_bytes, dtz_bytes] = [&written.wdl, &written.dtz].map(|file| file.len() as u64);
                Ok(Some(SyzygyExported { family, wdl_bytes, dtz_bytes }))
            },
            report,
        )
    }
}

/// Why a table has no Syzygy files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotInSyzygy {
    /// The format has no numbers for so many men.
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
