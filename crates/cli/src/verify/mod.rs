//! `verify`: checks checksums, then the values of tables against their successors: all of small tables, a
//! sample of large ones, which are never whole in memory. Flat and Syzygy files are checked as our tables
//! are.

mod against;
mod edition;
mod exchange;
mod flat;
mod part;
mod rights;
mod sample;
mod verdict;

use self::against::Compared;
use self::rights::RightsVerifier;
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome, bits, structure, winner};
use ::probe::ExchangeFile;
use ::rights::RightsSummary;
use build::{Verifier, metrics_of};
use edition::EditionVerifier;
use exchange::ExchangeVerifier;
use format::{EXTENSION, Summary};
use library::figure::{count, plural, seconds};
use library::{Edition, TableFiles, exchange_files, rights_files, table_files, winner_files};
pub(crate) use part::Part;
use sample::MAX_MEN_IN_FULL;
use serde::Serialize;
use std::path::{Path, PathBuf};
use verdict::Verdict;

#[derive(Serialize)]
struct VerifyJson<'a> {
    ok: bool,
    tables: &'a [Verdict],
}

pub(crate) fn run(console: &mut Console<'_>, args: &VerifyArgs) -> Outcome {
    structure::check_lenders(&args.using)?;
    if args.path.extension().is_some_and(|ending| ending == ::structure::EXTENSION) {
        return structure::verify(console, args);
    }
    if !args.using.is_empty() {
        let message = "--using is for structures (.tss); a table is verified with the tables below it in \
                       its own folder: put them there";
        return Err(Failure::new(message));
    }
    if args.path.extension().is_some_and(|ending| ending == export::bits::EXTENSION) {
        return bits::verify(console, args);
    }
    if let Some(against) = &args.against {
        if !against.is_dir() {
            return Err(Failure::new(format!("there is no folder {}", against.display())));
        }
        let has_flat = flat::has_files(against);
        let flat = has_flat.then(|| flat::run(console, args, against)).transpose()?;
        let others = if !has_flat || flat::has_others(against) {
            Some(against::run(console, args, against)?)
        } else {
            None
        };
        let all: Vec<Compared> = flat.into_iter().chain(others).collect();
        let is_right = all.iter().all(|one| one.n_wrong == 0) && all.iter().any(Compared::is_right);
        return Ok(if is_right { Answer::Yes } else { Answer::No });
    }
    let meant = VerifyTarget::by(&args.path)?;
    let game = meant.game(args)?;
    game.tell_tables(console, &args.wanted.table)?;
    let pool = pool(args.threads)?;
    let max_men_whole = if args.sample.is_some() { 0 } else { MAX_MEN_IN_FULL };
    let metrics = match meant.own.is_empty() {
        true => Vec::new(),
        false => metrics_of(&meant.own, game.variant.default_metric),
    };
    let of_winners = meant.of_winners.iter().map(|file| winner::edition_of(&game, file));
    let (of_winners, misnamed): (Vec<_>, Vec<_>) = of_winners.partition(Result::is_ok);
    let verifiers: Vec<EditionVerifier<'_>> = metrics
        .into_iter()
        .map(|metric| Edition::new(&game.variant, metric))
        .chain(of_winners.into_iter().flatten().map(|(edition, _)| edition))
        .map(|edition| EditionVerifier {
            game: &game,
            program: console.program.name,
            pool: &pool,
            verifier: Verifier::new(TableFiles::new(edition, &meant.folder), max_men_whole),
            args,
        })
        .collect();
    let (mut work, mut verdicts, mut nothing) = (Vec::new(), Vec::new(), None);
    // Somebody who asks for certain tables does not ask for the rest.
    if args.wanted.is_all() && args.part.is_none_or(Part::is_first) {
        verdicts.extend(misnamed.iter().filter_map(|stray| stray.as_ref().err()).map(Verdict::of_stray));
    }
    for verifier in &verifiers {
        match verifier.jobs(meant.files_of(verifier.edition())) {
            Ok((jobs, strays)) => {
                work.extend(jobs.into_iter().map(|job| (verifier, job)));
                verdicts.extend(strays);
            }
            Err(failure) => nothing = Some(failure),
        }
    }
    let exchange = ExchangeVerifier { game: &game, pool: &pool, args };
    let (exchange_work, strays) = exchange.jobs(&meant.exchange)?;
    verdicts.extend(strays);
    let rights = RightsVerifier { game: &game, pool: &pool, args };
    let (rights_work, strays) = rights.jobs(&meant.rights)?;
    verdicts.extend(strays);
    if work.is_empty() && exchange_work.is_empty() && rights_work.is_empty() && verdicts.is_empty() {
        let path = args.path.display();
        let failure = || Failure::new(format!("{path} has no table that is asked for"));
        return Err(nothing.unwrap_or_else(failure));
    }
    let (work, rights_work, exchange_work) = match args.part {
        None => (work, rights_work, exchange_work),
        Some(part) => (
            part.of(work, |(verifier, job)| verifier.n_to_check(job)),
            part.of(rights_work, |job| rights.n_to_check(job)),
            part.of(exchange_work, |job| exchange.n_to_check(job)),
        ),
    };
    verdicts.sort_by(|a, b| a.table.cmp(&b.table));
    verdicts.dedup_by(|a, b| a.table == b.table);
    if !args.json {
        verdicts.iter().try_for_each(|verdict| writeln!(console.out, "{}", verdict.line()))?;
    }
    let watch = Watch::new(console.is_watched, &mut *console.err);
    let n_to_check = work.iter().map(|(verifier, job)| verifier.n_to_check(job)).sum::<u64>()
        + exchange_work.iter().map(|job| exchange.n_to_check(job)).sum::<u64>()
        + rights_work.iter().map(|job| rights.n_to_check(job)).sum::<u64>();
    watch.start(work.len() + exchange_work.len() + rights_work.len(), n_to_check);
    let own = work.iter().map(|(verifier, job)| verifier.verdict(job, &watch));
    let own = own.chain(rights_work.iter().map(|job| rights.verdict(job, &watch)));
    for verdict in own.chain(exchange_work.iter().map(|job| exchange.verdict(job, &watch))) {
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

/// The files that are meant, at least one.
#[derive(Default)]
struct VerifyTarget {
    folder: PathBuf,
    /// Our tables.
    own: Vec<PathBuf>,
    /// Our tables that have one side's wins alone.
    of_winners: Vec<PathBuf>,
    /// Flat and Syzygy files.
    exchange: Vec<PathBuf>,
    /// Positions with rights to castle.
    rights: Vec<PathBuf>,
}

impl VerifyTarget {
    /// The files of a folder, or one file.
    fn by(path: &Path) -> Result<Self, Failure> {
        let fail = |error| Failure::new(format!("cannot read {}: {error}", path.display()));
        if !std::fs::metadata(path).map_err(fail)?.is_dir() {
            let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
            let one = vec![path.to_path_buf()];
            let mut meant = VerifyTarget { folder, ..VerifyTarget::default() };
            match ExchangeFile::kind_of(path) {
                Some(_) => meant.exchange = one,
                None if path.extension().is_some_and(|ending| ending == ::rights::EXTENSION) => {
                    meant.rights = one
                }
                None if winner::has_one_winner(path) => meant.of_winners = one,
                None => meant.own = one,
            }
            return Ok(meant);
        }
        let (own, of_winners) = (table_files(path)?, winner_files(path)?);
        let (exchange, rights) = (exchange_files(path)?, rights_files(path)?);
        if own.is_empty() && of_winners.is_empty() && exchange.is_empty() && rights.is_empty() {
            return Err(Failure::new(format!(
                "{} has no table (no .{EXTENSION} file, no flat file such as .tbl, no Syzygy file such as .rtbw)",
                path.display()
            )));
        }
        Ok(VerifyTarget { folder: path.to_path_buf(), own, of_winners, exchange, rights })
    }

    /// Those of our tables that may be of an edition.
    fn files_of(&self, edition: &Edition) -> &[PathBuf] {
        if edition.one_winner().is_some() { &self.of_winners } else { &self.own }
    }

    /// The game that the files say they are of; chess if they do not say.
    fn game(&self, args: &VerifyArgs) -> Result<Game, Failure> {
        let summaries = self.own.iter().chain(&self.of_winners).flat_map(|file| Summary::read(file));
        let of_rights = self.rights.iter().flat_map(|file| RightsSummary::read(file));
        let of_rights = of_rights.map(|summary| summary.variant);
        let own = summaries.map(|summary| summary.metadata.variant).chain(of_rights).next();
        let given = args.variant.as_deref();
        match (own, self.exchange.first()) {
            (None, Some(file)) => Game::of_exchange(given, file),
            (own, _) => Game::find_beside(given, own.as_deref().unwrap_or(DEFAULT_VARIANT), &self.folder),
        }
    }
}
