//! `verify`: checks checksums, then the values of tables against their successors: all of small tables, a
//! sample of large ones, which are never whole in memory.

mod against;
mod comparison;
mod edition;
mod flat;
mod name;
mod sample;
mod verdict;

use crate::args::VerifyArgs;
use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome};
use edition::EditionVerifier;
use format::{EXTENSION, Summary};
use library::figure::{count, plural, seconds};
use library::{Edition, TableFiles, Verifier, table_files};
use name::named;
use sample::MAX_MEN_IN_FULL;
use serde::Serialize;
use std::path::{Path, PathBuf};
use variant::Metric;
use verdict::Verdict;

#[derive(Serialize)]
struct VerifyJson<'a> {
    ok: bool,
    tables: &'a [Verdict],
}

pub(crate) fn run(console: &mut Console<'_>, args: &VerifyArgs) -> Outcome {
    if let Some(against) = &args.against {
        let flat = if flat::has_files(against) { Some(flat::run(console, args, against)?) } else { None };
        return match flat {
            Some(answer) if !flat::has_others(against) => Ok(answer),
            Some(Answer::No) => against::run(console, args, against).map(|_| Answer::No),
            _ => against::run(console, args, against),
        };
    }
    let files = files(&args.path)?;
    let summaries = files.iter().map(|file| Summary::read(file));
    let name = summaries.flatten().next().map(|summary| summary.metadata.variant);
    let folder = files[0].parent().unwrap_or(Path::new(""));
    let game = Game::find_beside(args.variant.as_deref(), name.as_deref().unwrap_or("fide"), folder)?;
    game.tell_tables(console, &args.wanted.table)?;
    let pool = pool(args.threads)?;
    let max_men_whole = if args.sample.is_some() { 0 } else { MAX_MEN_IN_FULL };
    let editions = editions(&game, &files);
    let verifiers: Vec<EditionVerifier<'_>> = editions
        .into_iter()
        .map(|edition| EditionVerifier {
            game: &game,
            program: console.program.name,
            pool: &pool,
            verifier: Verifier::new(TableFiles::new(edition, folder), max_men_whole),
            args,
        })
        .collect();
    let (mut work, mut verdicts, mut nothing) = (Vec::new(), Vec::new(), None);
    for verifier in &verifiers {
        match verifier.jobs(&files) {
            Ok((jobs, strays)) => {
                work.extend(jobs.into_iter().map(|job| (verifier, job)));
                verdicts.extend(strays);
            }
            Err(failure) => nothing = Some(failure),
        }
    }
    if let Some(failure) = nothing.filter(|_| work.is_empty()) {
        return Err(failure);
    }
    verdicts.sort_by(|a, b| a.table.cmp(&b.table));
    verdicts.dedup_by(|a, b| a.table == b.table);
    if !args.json {
        verdicts.iter().try_for_each(|verdict| writeln!(console.out, "{}", verdict.line()))?;
    }
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(work.len(), work.iter().map(|(verifier, job)| verifier.n_to_check(job)).sum());
    for (verifier, job) in &work {
        let verdict = verifier.verdict(job, &watch);
        if !args.json {
            // Long runs are read along.
            watch
                .beside(|| writeln!(console.out, "{}", verdict.line()).and_then(|()| console.out.flush()))?;
        }
        verdicts.push(verdict);
    }
    watch.close();
    let n_wrong = verdicts.iter().filter(|verdict| !verdict.ok).count() as u64;
    if args.json {
        console.print_json(&VerifyJson { ok: n_wrong == 0, tables: &verdicts })?;
    } else {
        let all = plural(verdicts.len() as u64, "table");
        let wrong = if n_wrong == 0 { "all right".into() } else { format!("{n_wrong} not verified") };
        let n_values = count(verdicts.iter().map(|verdict| verdict.values).sum());
        let time = seconds(verdicts.iter().map(|verdict| verdict.time).sum());
        writeln!(console.out, "{all}, {n_values} values: {wrong} ({time})")?;
    }
    Ok(if n_wrong == 0 { Answer::Yes } else { Answer::No })
}

/// The table files that are meant, at least one.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fail = |error| Failure::new(format!("cannot read {}: {error}", path.display()));
    if !std::fs::metadata(path).map_err(fail)?.is_dir() {
        return Ok(vec![path.into()]);
    }
    let files = table_files(path)?;
    if files.is_empty() {
        return Err(Failure::new(format!("{} has no table (no .{EXTENSION} file)", path.display())));
    }
    Ok(files)
}

/// What the files of a folder hold, by their names: the game's own metric first.
fn editions(game: &Game, files: &[PathBuf]) -> Vec<Edition> {
    let default = game.variant.default_metric;
    let mut metrics: Vec<Metric> = files.iter().filter_map(|file| named(file, default).1.ok()).collect();
    metrics.sort_unstable();
    metrics.dedup();
    let others = metrics.into_iter().filter(|&metric| metric != default);
    std::iter::once(default).chain(others).map(|metric| Edition::new(&game.variant, metric)).collect()
}
