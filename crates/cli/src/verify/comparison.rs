//! `verify --against` a folder of flat or Syzygy files: compares tables with them, position by position.

use super::args::{MAX_MEN_IN_FULL, N_PLACEMENTS, VerifyArgs};
use crate::export::{editions_of, materials_of, tell_refused};
use crate::{Answer, Console, Failure, Game, Outcome, Steps, count, plural, pool, seconds};
use ::export::flat::{FlatName, FlatTablebase};
use ::plan::Job;
use ::probe::{ExchangeFile, ExchangeKind};
use ::syzygy::MAX_MEN;
use build::{Amount, Comparison, FlatComparison, SyzygyComparison, TableStep, families, flat_materials};
use library::{Edition, TableFiles, exchange_files};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::slice;
use std::time::Instant;
use variant::{Material, Metric};

pub(super) fn run(console: &mut Console<'_>, args: &VerifyArgs, against: &Path) -> Outcome {
    Failure::of_absent(against)?;
    let files = exchange_files(against)?;
    let has = |kind| files.iter().any(|file| ExchangeFile::kind_of(file) == Some(kind));
    let game = Game::of_folders(args.variant.as_deref(), slice::from_ref(&args.path))?;
    let only = args.wanted.only(&game.variant)?;
    let pool = pool(args.threads)?;
    let steps = Steps { game: &game, folder: &args.path, pool: &pool };
    let mut sums = Vec::new();
    for kind in [ExchangeKind::Flat, ExchangeKind::Syzygy] {
        let is_flat = kind == ExchangeKind::Flat;
        if !has(kind) && (is_flat || has(ExchangeKind::Flat)) {
            continue;
        }
        let begin = Instant::now();
        let mut run = Run {
            args,
            steps,
            only: only.as_ref(),
            against,
            files: &files,
            n_tables: 0,
            n_wrong: 0,
            n_left_out: 0,
            all: Comparison::default(),
        };
        if is_flat { run.flat(console) } else { run.syzygy(console) }?;
        let (tables, n, rounding) =
            (plural(run.n_tables, "table"), count(run.all.n_positions), rounding(&run.all));
        let time = seconds(begin.elapsed());
        writeln!(console.out, "{tables}, {n} positions: {}{rounding} ({time})", run.verdict())?;
        sums.push((run.n_tables, run.n_wrong));
    }
    let is_right = sums.iter().all(|&(_, n_wrong)| n_wrong == 0) && sums.iter().any(|&(n, _)| n > 0);
    Ok(if is_right { Answer::Yes } else { Answer::No })
}

/// A comparison with the files of one kind.
struct Run<'a> {
    args: &'a VerifyArgs,
    steps: Steps<'a>,
    /// The one table that is asked for.
    only: Option<&'a Material>,
    /// The folder with the files of others, and these.
    against: &'a Path,
    files: &'a [PathBuf],
    n_tables: u64,
    /// How many of the tables differ.
    n_wrong: u64,
    /// How many tables were not compared.
    n_left_out: u64,
    /// What was compared in all tables.
    all: Comparison,
}

impl Run<'_> {
    /// Compares with flat files: their sums, then every position.
    fn flat(&mut self, console: &mut Console<'_>) -> Outcome<()> {
        let variant = &self.steps.game.variant;
        // What some file is compared with, and what none is.
        let (mut own, mut others, mut met) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for ((metric, form, one_file), mut materials) in flat_materials(variant, self.files) {
            materials.retain(|material| self.is_asked(material));
            others.extend(materials.iter().cloned());
            for edition in editions_of(self.steps.game, metric) {
                let mut there = self.own(&edition)?;
                own.extend(there.iter().cloned());
                there.retain(|material| materials.remove(material));
                if there.is_empty() {
                    continue;
                }
                met.extend(there.iter().cloned());
                let files = TableFiles::new(edition, self.steps.folder);
                let flat = FlatTablebase::open_form(self.against, variant, metric, form);
                let flat = if one_file { flat } else { flat.asking_placements_first() };
                let comparison = FlatComparison { own: &files, files: &flat, amount: self.amount() };
                let name = |job: &Job| {
                    let name = flat.path(&FlatName::all(variant, &job.material)[0]);
                    let kind = name.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                    format!("{} (.{kind}{})", job.name, if one_file { ", one file" } else { "" })
                };
                self.compare(console, name, |report| comparison.run::<Failure>(&there, report))?;
            }
        }
        let (folder, there) = (self.steps.folder.display(), self.against.display());
        self.leave_out(console, &format!("without flat files in {there}"), &(&own - &met))?;
        self.leave_out(console, &format!("without tables in {folder}"), &(&others - &met))
    }

    /// Compares tables of dtz50 with Syzygy files, or those of another game.
    fn syzygy(&mut self, console: &mut Console<'_>) -> Outcome<()> {
        let (variant, folder) = (&self.steps.game.variant, self.steps.folder);
        let own = TableFiles::new(Edition::new(variant, Metric::Dtz50), folder);
        let comparison = SyzygyComparison { own: &own, against: self.against, amount: self.amount() };
        let mut here = self.own(own.edition())?;
        here.retain(|material| material.n_men() <= MAX_MEN);
        let files = self.files.iter().filter_map(|file| ExchangeFile::new(file, variant).ok());
        let files = files.filter(|file| file.kind() == ExchangeKind::Syzygy);
        let mut there: BTreeSet<Material> = files.map(|file| file.material().clone()).collect();
        there.retain(|material| self.is_asked(material));
        let (mut wanted, only_here): (BTreeSet<_>, BTreeSet<_>) =
            here.iter().cloned().partition(|material| comparison.has_files(material));
        let against = self.against.display();
        let what = format!("without .rtbw and .rtbz (or those of another game) in {against}");
        self.leave_out(console, &what, &only_here)?;
        let what = format!("without the columns wdl and dtz50 in {}", folder.display());
        self.leave_out(console, &what, &(&there - &here))?;
        let (families, refusals) = families(variant, &wanted);
        tell_refused(console, variant, &refusals)?;
        self.n_left_out += refusals.len() as u64;
        wanted.retain(|material| families.contains_key(material));
        self.compare(console, |job| job.name.clone(), |report| comparison.run::<Failure>(&wanted, report))
    }

    fn is_asked(&self, material: &Material) -> bool {
        self.args.wanted.has(material, self.only)
    }

    /// The tables that are asked for and there.
    fn own(&self, edition: &Edition) -> Outcome<BTreeSet<Material>> {
        let mut own = materials_of(self.steps.game, edition, &[self.steps.folder.into()])?;
        own.retain(|material| self.is_asked(material));
        Ok(own)
    }

    /// How much of each table is compared.
    fn amount(&self) -> Amount {
        match self.args.sample {
            Some(n_placements) => Amount { max_men_whole: 0, n_placements },
            None if self.args.all => Amount { max_men_whole: usize::MAX, n_placements: 0 },
            None => Amount { max_men_whole: MAX_MEN_IN_FULL, n_placements: N_PLACEMENTS },
        }
    }

    /// Compares tables and prints lines about each.
    fn compare(
        &mut self,
        console: &mut Console<'_>,
        name: impl Fn(&Job) -> String + Sync,
        work: impl FnOnce(&mut dyn FnMut(TableStep<'_, Comparison>) -> Outcome<()>) -> Outcome<()> + Send,
    ) -> Outcome<()> {
        let steps = self.steps;
        let text = |job: &Job, compared: Comparison, time| {
            let (verdict, rounding, time) = (self.add(&compared), rounding(&compared), seconds(time));
            let differences = compared.differences.iter().map(|difference| format!("\n  {difference}"));
            format!("{}: {verdict}{rounding}, {time}{}", name(job), differences.collect::<String>())
        };
        steps.run(console, text, work).map(drop)
    }

    /// Counts a table; how it compares, in words.
    fn add(&mut self, compared: &Comparison) -> String {
        if let Some(missing) = &compared.missing {
            self.n_left_out += 1;
            return format!("not compared: {missing}");
        }
        self.n_tables += 1;
        self.n_wrong += u64::from(compared.n_differences > 0);
        self.all.n_positions += compared.n_positions;
        self.all.n_rounded += compared.n_rounded;
        let n = count(compared.n_positions);
        match compared.n_differences {
            0 => format!("the same in {n} positions"),
            wrong => format!("{} in {n} positions", plural(wrong, "difference")),
        }
    }

    /// Lists tables of which something is not there.
    fn leave_out(
        &mut self,
        console: &mut Console<'_>,
        what: &str,
        materials: &BTreeSet<Material>,
    ) -> Outcome<()> {
        self.n_left_out += materials.len() as u64;
        let names = materials.iter().map(|material| material.name(&self.steps.game.variant));
        let names: Vec<String> = names.collect();
        if !names.is_empty() {
            writeln!(console.out, "not compared, {what}: {}", names.join(", "))?;
        }
        Ok(())
    }

    /// What came of all, in words.
    fn verdict(&self) -> String {
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
}

/// The distances that are rounded, in words that go on from other words; empty if there are none.
fn rounding(compared: &Comparison) -> String {
    match compared.n_rounded {
        0 => String::new(),
        n => format!(", {} rounded (a ply short)", plural(n, "distance")),
    }
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
