//! `verify --against` a folder of Syzygy files: compares tables with them, position by position.

use super::comparison::{Comparison, STRETCH};
use super::sample::{MAX_MEN_IN_FULL, N_PLACEMENTS};
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::export::{failure, families, materials_of};
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome};
use ::plan::{JobId, Plan, Request};
use index::Layout;
use library::figure::{count, plural, seconds};
use library::{Edition, PlannedTables, TableFiles};
use position::{Position, RuleBook};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;
use syzygy::{self, Agreement, Family, FileKind, Score, SyzygyTablebase};
use table::Value;
use variant::{Material, Metric, Side};

/// How many bytes of decompressed blocks are kept of tables that are probed.
const CACHE_BYTES: usize = 512 << 20;

pub(super) fn run(console: &mut Console<'_>, args: &VerifyArgs, against: &Path) -> Outcome {
    let game = Game::of_folder(args.variant.as_deref(), &args.path)?;
    let own = TableFiles::new(Edition::new(&game.variant, Metric::Dtz50), &args.path);
    let mut wanted = wanted(&game, own.edition(), args, against)?;
    let (families, refusals) = families(&game, &wanted);
    if let Some(first) = refusals.first().filter(|_| families.is_empty()) {
        return Err(Failure::new(first));
    }
    refusals.iter().try_for_each(|refusal| writeln!(console.err, "passed over: {refusal}"))?;
    wanted.retain(|material| families.contains_key(material));
    let n_men = wanted.iter().map(Material::n_men).max().unwrap_or(2);
    let plan = Plan::new(&game.variant, &Request::UpTo(n_men)).map_err(Failure::new)?;
    let is_whole =
        |material: &Material| args.sample.is_none() && (args.all || material.n_men() <= MAX_MEN_IN_FULL);
    let whole: BTreeSet<Material> = wanted.iter().filter(|material| is_whole(material)).cloned().collect();
    let mut tables = PlannedTables::with_successors(&own, &plan, &whole);
    let tablebase = own.tablebase(Metric::Dtz50, CACHE_BYTES).map_err(Failure::new)?;
    let files = SyzygyTablebase::open_for_all(against, &game.variant);
    let (pool, begin) = (pool(args.threads)?, Instant::now());
    let loaded = tables.places();
    let places: Vec<JobId> = plan
        .ids()
        .filter(|place| loaded.contains(place) || wanted.contains(&plan.job(*place).material))
        .collect();
    let n_values = places.iter().map(|&place| plan.job(place).n_values()).sum();
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(places.len(), n_values);
    let (mut n_wrong, mut total) = (0, Comparison::default());
    for place in places {
        let job = plan.job(place);
        let (start, watching) = (Instant::now(), watch.begin(&job.name, job.n_values()));
        let table = match loaded.contains(&place) {
            true => pool
                .install(|| tables.get(place))
                .map_err(|error| failure(error, &game, &args.path, console.program.name))?,
            false => None,
        };
        if wanted.contains(&job.material) {
            let layout = Layout::new(&game.variant, &job.material);
            let book = RuleBook::new(&game.variant);
            let side = Compared { game: &game, book: &book, layout: &layout, files: &files };
            let compared = pool.install(|| match &table {
                Some(table) => side.compare(0..layout.len(), 1, &|stm, index, _| Ok(table.value(stm, index))),
                None => {
                    let n = args.sample.unwrap_or(N_PLACEMENTS) as usize;
                    let value = |_: Side, _: usize, position: &Position| {
                        tablebase.value(position).map_err(Failure::new)
                    };
                    side.compare(0..layout.len(), (layout.len() / n.max(1)).max(1), &value)
                }
            })?;
            n_wrong += u64::from(compared.n_differences > 0);
            total.n_positions += compared.n_positions;
            total.n_rounded += compared.n_rounded;
            let (time, rounding) = (seconds(start.elapsed()), compared.rounding());
            let n = count(compared.n_positions);
            let verdict = match compared.n_differences {
                0 => "the same".into(),
                wrong => plural(wrong, "difference"),
            };
            let line = format!("{}: {verdict} in {n} positions{rounding}, {time}", job.name);
            let lines = std::iter::once(line).chain(compared.differences);
            let text: String = lines.map(|line| line + "\n").collect();
            watch.beside(|| write!(console.out, "{text}").and_then(|()| console.out.flush()))?;
        }
        watching.finish_silently();
        tables.forget(place);
    }
    watch.close();
    let (n_tables, n) = (plural(wanted.len() as u64, "table"), count(total.n_positions));
    let verdict = if n_wrong == 0 { "no difference".into() } else { format!("{n_wrong} differ") };
    let (rounding, time) = (total.rounding(), seconds(begin.elapsed()));
    writeln!(console.out, "{n_tables}, {n} positions: {verdict}{rounding} ({time})")?;
    Ok(if n_wrong == 0 { Answer::Yes } else { Answer::No })
}

/// The tables that are asked for, of which there are files of both kinds.
fn wanted(
    game: &Game,
    edition: &Edition,
    args: &VerifyArgs,
    against: &Path,
) -> Result<BTreeSet<Material>, Failure> {
    let variant = &game.variant;
    let only = args.wanted.table.as_deref().map(|name| game.material(name)).transpose()?;
    let mut found = materials_of(game, edition, &args.path, syzygy::MAX_MEN)?;
    found.retain(|material| args.wanted.has(material, only.as_ref()));
    let has = |name: &str, family: Family| {
        [FileKind::Wdl, FileKind::Dtz].iter().all(|&kind| against.join(family.file_name(kind, name)).exists())
    };
    found.retain(|material| Family::ALL.iter().any(|&family| has(&material.name(variant), family)));
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::new(format!(
            "there is nothing to compare: no table has files of wdl and dtz50 in {} and .rtbw and .rtbz (or those of \
             another game) in {}",
            args.path.display(),
            against.display()
        ))),
    }
}

/// A table and the files that it is compared with.
struct Compared<'a> {
    game: &'a Game,
    book: &'a RuleBook,
    layout: &'a Layout,
    files: &'a SyzygyTablebase,
}

/// The value of a position, given its side to move and number too.
type Lookup<'a> = dyn Fn(Side, usize, &Position) -> Result<Value, Failure> + Sync + 'a;

impl Compared<'_> {
    /// Compares every so-many-th placement.
    fn compare(&self, range: Range<usize>, step: usize, value: &Lookup<'_>) -> Result<Comparison, Failure> {
        let stretches: Vec<(Side, usize)> = self
            .layout
            .sides()
            .iter()
            .flat_map(|&stm| range.clone().step_by(STRETCH * step).map(move |begin| (stm, begin)))
            .collect();
        let compared: Result<Vec<Comparison>, Failure> = stretches
            .par_iter()
            .map(|&(stm, begin)| {
                let mut comparison = Comparison::default();
                for index in (begin..range.end.min(begin + STRETCH * step)).step_by(step) {
                    self.compare_one(stm, index, value, &mut comparison)?;
                }
                Ok(comparison)
            })
            .collect();
        Ok(compared?.into_iter().fold(Comparison::default(), Comparison::with))
    }

    fn compare_one(
        &self,
        stm: Side,
        index: usize,
        value: &Lookup<'_>,
        comparison: &mut Comparison,
    ) -> Result<(), Failure> {
        let placement = self.layout.decode(index);
        let men = self.layout.men().iter().copied().zip(placement.iter().copied());
        let Some(position) = Position::from_men(men, stm).filter(|position| position.is_legal(self.book))
        else {
            return Ok(());
        };
        if !self.layout.is_canonical(index, &placement) {
            return Ok(());
        }
        let Some(expected) = Score::of_game(&self.game.variant, value(stm, index, &position)?) else {
            return Ok(());
        };
        let read = self.files.score(&position).map_err(Failure::new)?;
        let counts_plies = self.files.counts_plies(&position).map_err(Failure::new)?;
        comparison.n_positions += 1;
        match expected.agreement(read, counts_plies) {
            Agreement::Same => {}
            Agreement::Rounded => comparison.n_rounded += 1,
            Agreement::Different => comparison.differ(|| {
                let fen = position.to_fen(self.book);
                let (dtz, expected_dtz) = (read.dtz, expected.dtz);
                format!("{fen}: WDL {} and DTZ {dtz}, expected {} and {expected_dtz}", read.wdl, expected.wdl)
            }),
        }
        Ok(())
    }
}
