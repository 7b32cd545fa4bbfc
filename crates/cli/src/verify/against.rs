//! `verify --against` a folder of Syzygy files: compares tables with them, position by position.

use super::sample::{MAX_MEN_IN_FULL, N_PLACEMENTS};
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::export::{materials_of, refused};
use crate::find::Stop;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::{StepWatch, Watch};
use crate::{Answer, Failure, Outcome};
use library::figure::{count, plural, seconds};
use library::{Comparison, Edition, SyzygyComparison, TableFiles, TableStep, families};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;
use variant::{Material, Metric};

pub(super) fn run(console: &mut Console<'_>, args: &VerifyArgs, against: &Path) -> Outcome {
    let game = Game::of_folder(args.variant.as_deref(), &args.path)?;
    let own = TableFiles::new(Edition::new(&game.variant, Metric::Dtz50), &args.path);
    let (max_men_whole, n_placements) = amounts(args);
    let comparison = SyzygyComparison { own: &own, against, max_men_whole, n_placements };
    let mut wanted = wanted(&game, args, &comparison)?;
    let (families, refusals) = families(&game.variant, &wanted);
    if let Some(first) = refusals.first().filter(|_| families.is_empty()) {
        return Err(Failure::new(refused(first)));
    }
    refusals.iter().try_for_each(|refusal| writeln!(console.err, "passed over: {}", refused(refusal)))?;
    wanted.retain(|material| families.contains_key(material));
    let (pool, begin) = (pool(args.threads)?, Instant::now());
    let watch = Watch::new(console.is_watched, &mut *console.err);
    let mut steps = StepWatch::new(&watch, &mut *console.out);
    let (mut n_wrong, mut total) = (0, Comparison::default());
    let mut report = |step: TableStep<'_, Comparison>| {
        steps.show(step, |job, compared, time| {
            n_wrong += u64::from(compared.n_differences > 0);
            total.n_positions += compared.n_positions;
            total.n_rounded += compared.n_rounded;
            let (time, rounding) = (seconds(time), rounding(&compared));
            let n = count(compared.n_positions);
            let verdict = match compared.n_differences {
                0 => "the same".into(),
                wrong => plural(wrong, "difference"),
            };
            let line = format!("{}: {verdict} in {n} positions{rounding}, {time}", job.name);
            with_differences(line, &compared)
        })
    };
    let done = pool.install(|| comparison.run::<Stop>(&wanted, &mut report));
    drop(steps);
    watch.close();
    done.map_err(|stop| stop.failure(&game, &args.path, console.program.name))?;
    let (n_tables, n) = (plural(wanted.len() as u64, "table"), count(total.n_positions));
    let verdict = if n_wrong == 0 { "no difference".into() } else { format!("{n_wrong} differ") };
    let (rounding, time) = (rounding(&total), seconds(begin.elapsed()));
    writeln!(console.out, "{n_tables}, {n} positions: {verdict}{rounding} ({time})")?;
    Ok(if n_wrong == 0 { Answer::Yes } else { Answer::No })
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

/// The tables that are asked for, of which there are files of both kinds.
fn wanted(
    game: &Game,
    args: &VerifyArgs,
    comparison: &SyzygyComparison<'_>,
) -> Result<BTreeSet<Material>, Failure> {
    let only = args.wanted.table.as_deref().map(|name| game.material(name)).transpose()?;
    let mut found = materials_of(game, comparison.own.edition(), &args.path, syzygy::MAX_MEN)?;
    found.retain(|material| args.wanted.has(material, only.as_ref()));
    found.retain(|material| comparison.has_files(material));
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::new(format!(
            "there is nothing to compare: no table has files of wdl and dtz50 in {} and .rtbw and .rtbz (or those of \
             another game) in {}",
            args.path.display(),
            comparison.against.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::rounding;
    use library::Comparison;

    #[test]
    fn rounding_is_no_difference() {
        let counted = |n_rounded| Comparison { n_positions: 9, n_rounded, ..Comparison::default() };
        assert_eq!(rounding(&counted(0)), "");
        assert_eq!(rounding(&counted(3)), ", 3 distances rounded (a ply short)");
    }
}
