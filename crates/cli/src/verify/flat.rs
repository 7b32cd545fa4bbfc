//! `verify --against` a folder of flat files: compares their sums, then every position.

use super::comparison::{Comparison, STRETCH};
use super::sample::{MAX_MEN_IN_FULL, N_PLACEMENTS};
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::export::{edition_of, failure, materials_of};
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome};
use ::plan::{JobId, Plan, Request};
use ::probe::Tablebase;
use format::flat::{FlatName, FlatTablebase, Form, parse_file_name};
use index::Layout;
use library::figure::{count, plies, plural, seconds};
use library::{PlannedTables, TableFiles};
use position::{Position, RuleBook};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use table::{Table, Value};
use variant::{Man, Material, Metric, Side};

/// How many bytes of decompressed blocks are kept of tables that are probed.
const CACHE_BYTES: usize = 256 << 20;

/// The names of a folder's files.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Whether a name has one of these endings.
fn ends(name: &str, endings: &[&str]) -> bool {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

/// Whether a folder has flat files.
pub(super) fn has_files(folder: &Path) -> bool {
    names(folder).iter().any(|name| ends(name, &["tbl", "tbc"]))
}

/// Whether a folder has files of another format that tables can be compared with.
pub(super) fn has_others(folder: &Path) -> bool {
    names(folder).iter().any(|name| ends(name, &["rtbw", "rtbz"]))
}

/// What the flat files of a folder hold: by metric the canonical materials.
fn contents(game: &Game, folder: &Path) -> BTreeMap<Metric, BTreeSet<Material>> {
    let mut contents: BTreeMap<Metric, BTreeSet<Material>> = BTreeMap::new();
    for name in names(folder).iter().filter(|name| ends(name, &["tbl", "tbc"])) {
        if let Some((flat, metric)) = parse_file_name(&game.variant, name) {
            contents.entry(metric).or_default().insert(flat.material().clone());
        }
    }
    contents
}

pub(super) fn run(console: &mut Console<'_>, args: &VerifyArgs, against: &Path) -> Outcome {
    let game = Game::of_folder(args.variant.as_deref(), &args.path)?;
    let only = match &args.wanted.table {
        Some(name) => Some(game.material(name)?),
        None => None,
    };
    let (begin, mut total, mut n_tables, mut n_wrong) = (Instant::now(), 0, 0, 0);
    for (metric, mut materials) in contents(&game, against) {
        let own = TableFiles::new(edition_of(&game, &args.path, metric)?, &args.path);
        let there = materials_of(&game, own.edition(), &args.path, usize::MAX)?;
        materials.retain(|material| there.contains(material) && args.wanted.has(material, only.as_ref()));
        let files = FlatTablebase::open(against, &game.variant, metric);
        let job = FlatComparison { game: &game, own: &own, files: &files, args };
        for (n_positions, is_same) in job.run(console, &materials)? {
            total += n_positions;
            n_tables += 1;
            n_wrong += u64::from(!is_same);
        }
    }
    if n_tables == 0 {
        return Err(Failure::new(format!(
            "there is nothing to compare: no table of {} has flat files in {} that are asked for",
            args.path.display(),
            against.display()
        )));
    }
    let (tables, n) = (plural(n_tables, "table"), count(total));
    let verdict = if n_wrong == 0 { "no difference".into() } else { format!("{n_wrong} differ") };
    writeln!(console.out, "{tables}, {n} positions: {verdict} ({})", seconds(begin.elapsed()))?;
    Ok(if n_wrong == 0 { Answer::Yes } else { Answer::No })
}

/// Tables of one edition and the files that they are compared with.
struct FlatComparison<'a> {
    game: &'a Game,
    own: &'a TableFiles,
    files: &'a FlatTablebase,
    args: &'a VerifyArgs,
}

impl FlatComparison<'_> {
    /// Compares tables; for each of them how many positions were compared, and whether they are the same.
    fn run(
        &self,
        console: &mut Console<'_>,
        materials: &BTreeSet<Material>,
    ) -> Result<Vec<(u64, bool)>, Failure> {
        let (args, variant) = (self.args, &self.game.variant);
        let n_men = materials.iter().map(Material::n_men).max().unwrap_or(2);
        let plan = Plan::new(variant, &Request::UpTo(n_men)).map_err(Failure::new)?;
        let is_whole =
            |material: &&Material| args.sample.is_none() && (args.all || material.n_men() <= MAX_MEN_IN_FULL);
        let whole: BTreeSet<Material> = materials.iter().filter(is_whole).cloned().collect();
        let mut tables = PlannedTables::new(self.own, &plan, &whole)?;
        let tablebase = self.own.tablebase(self.own.edition().metric(), CACHE_BYTES).map_err(Failure::new)?;
        let loaded = tables.places();
        let places: Vec<JobId> = plan
            .ids()
            .filter(|place| loaded.contains(place) || materials.contains(&plan.job(*place).material))
            .collect();
        let n_values = places.iter().map(|&place| plan.job(place).n_values()).sum();
        let watch = Watch::new(console.is_watched, &mut *console.err);
        watch.start(places.len(), n_values);
        let (pool, mut done) = (pool(args.threads)?, Vec::new());
        for place in places {
            let job = plan.job(place);
            let (start, watching) = (Instant::now(), watch.begin(&job.name, job.n_values()));
            let table = match loaded.contains(&place) {
                true => pool
                    .install(|| tables.get(place))
                    .map_err(|error| failure(error, self.game, &args.path, console.program.name))?,
                false => None,
            };
            if materials.contains(&job.material) {
                let found = pool.install(|| self.compare(&job.material, table.as_ref(), &tablebase))?;
                let time = seconds(start.elapsed());
                let n = count(found.n_positions);
                let name = self.files.path(&FlatName::all(variant, &job.material)[0]);
                let kind = name.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                let line = match found.n_differences {
                    0 => format!("{} (.{kind}): the same in {n} positions, {time}", job.name),
                    wrong => {
                        let wrong = plural(wrong, "difference");
                        format!("{} (.{kind}): {wrong} in {n} positions, {time}", job.name)
                    }
                };
                let text: String =
                    std::iter::once(line).chain(found.differences).map(|line| line + "\n").collect();
                watch.beside(|| write!(console.out, "{text}").and_then(|()| console.out.flush()))?;
                done.push((found.n_positions, found.n_differences == 0));
            }
            watching.finish_silently();
            tables.forget(place);
        }
        watch.close();
        Ok(done)
    }

    /// Compares the sums of a table's files, then their values with those of the table, or else of some of
    /// its positions.
    fn compare(
        &self,
        material: &Material,
        table: Option<&Arc<Table>>,
        tablebase: &Tablebase,
    ) -> Result<Comparison, Failure> {
        if let Err(error) = self.files.verify_checksums(material) {
            let mut comparison = Comparison::default();
            comparison.differ(|| error.to_string());
            return Ok(comparison);
        }
        let layout = Layout::new(&self.game.variant, material);
        let book = RuleBook::new(&self.game.variant);
        let n = self.args.sample.unwrap_or(N_PLACEMENTS) as usize;
        let step = if table.is_some() { 1 } else { (layout.len() / n.max(1)).max(1) };
        let stretches: Vec<(Side, usize)> = layout
            .sides()
            .iter()
            .flat_map(|&stm| (0..layout.len()).step_by(STRETCH * step).map(move |begin| (stm, begin)))
            .collect();
        let compared: Result<Vec<Comparison>, Failure> = stretches
            .par_iter()
            .map(|&(stm, begin)| {
                let mut found = Comparison::default();
                for index in (begin..layout.len().min(begin + STRETCH * step)).step_by(step) {
                    let placement = layout.decode(index);
                    if !layout.is_canonical(index, &placement) {
                        continue;
                    }
                    let men: Vec<_> = layout.men().iter().copied().zip(placement.iter().copied()).collect();
                    let Some(position) = Position::from_men(men.iter().copied(), stm) else { continue };
                    let expected = match table {
                        Some(table) => table.value(stm, index),
                        None => tablebase.value(&position).map_err(Failure::new)?,
                    };
                    self.compare_one(&book, &position, &men, expected, &mut found)?;
                }
                Ok(found)
            })
            .collect();
        Ok(compared?.into_iter().fold(Comparison::default(), Comparison::with))
    }

    fn compare_one(
        &self,
        book: &RuleBook,
        position: &Position,
        men: &[(Man, geometry::Square)],
        expected: Value,
        found: &mut Comparison,
    ) -> Result<(), Failure> {
        let read = self.files.value(men, position.stm()).map_err(Failure::new)?;
        let read = read.map_or(Value::Illegal, |(value, _)| value);
        let is_same = match self.files.form() {
            Form::Distances => read == expected,
            Form::Wdl => read.wdl() == expected.wdl(),
        };
        found.n_positions += u64::from(expected != Value::Illegal);
        if !is_same {
            found.differ(|| {
                format!("{}: {}, expected {}", position.to_fen(book), in_words(read), in_words(expected))
            });
        }
        Ok(())
    }
}

/// A value as people read it.
fn in_words(value: Value) -> String {
    match value {
        Value::Illegal => "not a position".into(),
        Value::Draw => "draw".into(),
        Value::Stalemate => "stalemate".into(),
        Value::Win(ply) => format!("win in {}", plies(ply.0)),
        Value::Loss(ply) => format!("loss in {}", plies(ply.0)),
    }
}
