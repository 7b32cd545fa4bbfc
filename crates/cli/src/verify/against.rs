//! `verify --against` a folder of Syzygy files: compares tables with them, position by position.

use super::sample::{MAX_MEN_IN_FULL, N_PLACEMENTS};
use crate::Failure;
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::export::{materials_of, refused};
use crate::find::Stop;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::{StepWatch, Watch};
use ::probe::{ExchangeFile, ExchangeKind};
use build::{Comparison, SyzygyComparison, TableStep, families};
use library::figure::{count, plural, seconds};
use library::{Edition, TableFiles, exchange_files};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;
use variant::{Material, Metric};

/// How many tables were compared, how many of them differ, and how many were not compared.
#[derive(Clone, Copy, Default)]
pub(super) struct Compared {
    pub(super) n_tables: u64,
    pub(super) n_wrong: u64,
    pub(super) n_left_out: u64,
}

impl Compared {
    /// Counts a table; how it compares, in words.
    pub(super) fn add(&mut self, compared: &Comparison) -> String {
        if let Some(missing) = &compared.missing {
            self.n_left_out += 1;
            return format!("not compared: {missing}");
        }
        self.n_tables += 1;
        self.n_wrong += u64::from(compared.n_differences > 0);
        let n = count(compared.n_positions);
        match compared.n_differences {
            0 => format!("the same in {n} positions"),
            wrong => format!("{} in {n} positions", plural(wrong, "difference")),
        }
    }

    /// Lists tables of which something is not there.
    pub(super) fn leave_out(
        &mut self,
        console: &mut Console<'_>,
        what: &str,
        names: &[String],
    ) -> Result<(), Failure> {
        self.n_left_out += names.len() as u64;
        if !names.is_empty() {
            writeln!(console.out, "not compared, {what}: {}", names.join(", "))?;
        }
        Ok(())
    }

    /// What came of all, in words.
    pub(super) fn verdict(&self) -> String {
        let verdict = match (self.n_tables, self.n_wrong) {
            (0, _) => "nothing was compared".into(),
            (_, 0) => "no difference".into(),
            (_, n_wrong) => format!("{n_wrong} differ"),
        };
        match self.n_left_out {
            0 => verdict,
            n => format!("{verdict}, {} not compared", plural(n, "table")),
        }
    }

    /// Whether something was compared, and nothing differs.
    pub(super) fn is_right(&self) -> bool {
        self.n_tables > 0 && self.n_wrong == 0
    }
}

pub(super) fn run(console: &mut Console<'_>, args: &VerifyArgs, against: &Path) -> Result<Compared, Failure> {
    let game = Game::of_folder(args.variant.as_deref(), &args.path)?;
    let own = TableFiles::new(Edition::new(&game.variant, Metric::Dtz50), &args.path);
    let (max_men_whole, n_placements) = amounts(args);
    let comparison = SyzygyComparison { own: &own, against, max_men_whole, n_placements };
    let mut all = Compared::default();
    let mut wanted = wanted(console, &game, args, &comparison, &mut all)?;
    let (families, refusals) = families(&game.variant, &wanted);
    refusals.iter().try_for_each(|refusal| console.tell(&format!("passed over: {}", refused(refusal))))?;
    all.n_left_out += refusals.len() as u64;
    wanted.retain(|material| families.contains_key(material));
    let (pool, begin) = (pool(args.threads)?, Instant::now());
    let watch = Watch::new(console.is_watched, &mut *console.err);
    let mut steps = StepWatch::new(&watch, &mut *console.out);
    let mut total = Comparison::default();
    let mut report = |step: TableStep<'_, Comparison>| {
        steps.show(step, |job, compared, time| {
            let verdict = all.add(&compared);
            total.n_positions += compared.n_positions;
            total.n_rounded += compared.n_rounded;
            let (time, rounding) = (seconds(time), rounding(&compared));
            with_differences(format!("{}: {verdict}{rounding}, {time}", job.name), &compared)
        })
    };
    let done = pool.install(|| comparison.run::<Stop>(&wanted, &mut report));
    drop(steps);
    watch.close();
    done.map_err(|stop| stop.failure(&game, &args.path, console.program.name))?;
    let (n_tables, n) = (plural(all.n_tables, "table"), count(total.n_positions));
    let (verdict, rounding, time) = (all.verdict(), rounding(&total), seconds(begin.elapsed()));
    writeln!(console.out, "{n_tables}, {n} positions: {verdict}{rounding} ({time})")?;
    Ok(all)
}

/// Up to how many men tables are compared whole, and how many placements of larger ones.
pub(super) fn amounts(args: &VerifyArgs) -> (usize, u64) {
    match args.sample {
        Some(n_placements) => (0, n_placements),
        None if args.all => (usize::MAX, 0),
        None => (MAX_MEN_IN_FULL, N_PLACEMENTS),
    }
}

/// The line about a table, and a line for each difference that is listed.
pub(super) fn with_differences(line: String, compared: &Comparison) -> String {
    let differences = compared.differences.iter().map(|difference| format!("\n  {difference}"));
    std::iter::once(line).chain(differences).collect()
}

/// The distances that are rounded, in words that go on from other words; empty if there are none.
fn rounding(compared: &Comparison) -> String {
    match compared.n_rounded {
        0 => String::new(),
        n => format!(", {} rounded (a ply short)", plural(n, "distance")),
    }
}

/// The tables that are asked for, of which there are files of both kinds; lists those of which one side has
/// files alone.
fn wanted(
    console: &mut Console<'_>,
    game: &Game,
    args: &VerifyArgs,
    comparison: &SyzygyComparison<'_>,
    all: &mut Compared,
) -> Result<BTreeSet<Material>, Failure> {
    let only = args.wanted.table.as_deref().map(|name| game.material(name)).transpose()?;
    let is_asked = |material: &Material| args.wanted.has(material, only.as_ref());
    let own = materials_of(game, comparison.own.edition(), &args.path, syzygy::MAX_MEN)?;
    let files = exchange_files(comparison.against)?;
    let files = files.iter().filter_map(|file| ExchangeFile::new(file, &game.variant).ok());
    let files = files.filter(|file| file.kind() == ExchangeKind::Syzygy);
    let others: BTreeSet<Material> = files.map(|file| file.material().clone()).collect();
    let names = |materials: &mut dyn Iterator<Item = &Material>| {
        let asked = materials.filter(|material| is_asked(material));
        asked.map(|material| material.name(&game.variant)).collect::<Vec<String>>()
    };
    let (folder, against) = (args.path.display(), comparison.against.display());
    let only_here = names(&mut own.iter().filter(|material| !comparison.has_files(material)));
    let what = format!("without .rtbw and .rtbz (or those of another game) in {against}");
    all.leave_out(console, &what, &only_here)?;
    let only_there = names(&mut others.difference(&own));
    all.leave_out(console, &format!("without files of wdl and dtz50 in {folder}"), &only_there)?;
    Ok(own.into_iter().filter(|own| is_asked(own) && comparison.has_files(own)).collect())
}

#[cfg(test)]
mod tests {
    use super::rounding;
    use build::Comparison;

    #[test]
    fn rounding_is_no_difference() {
        let counted = |n_rounded| Comparison { n_positions: 9, n_rounded, ..Comparison::default() };
        assert_eq!(rounding(&counted(0)), "");
        assert_eq!(rounding(&counted(3)), ", 3 distances rounded (a ply short)");
    }
}
