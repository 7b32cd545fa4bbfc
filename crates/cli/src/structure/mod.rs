//! Plans and solves positions instead of tables, and answers from their files: `--position` and `--structure`
//! of `solve` and `plan`, and what `probe`, `stats` and `verify` make of structures.

mod asked;
mod solve;
mod stats;

use crate::progress::JobWatch;
use crate::verify::VerifyArgs;
use crate::{Answer, Console, DEFAULT_VARIANT, Game, Out, Outcome, Thing, Watch, count, pool, seconds};
use ::structure::{Bound, KnownTable, Outline, SolvedStructure, verify as verify_structure};
use asked::positions;
pub(crate) use asked::{StructureArgs, check_lenders, of_whole_tables};
use library::{LentTables, open_structure};
use position::Position;
use rayon::ThreadPool;
use serde::Serialize;
pub(crate) use solve::{plan, solve};
pub(crate) use stats::stats;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use variant::{Metric, Variant};

/// The game whose rules are given, else the one that a structure file names, else chess.
pub(crate) fn game_of(given: Option<&Path>, outline: Option<&Path>) -> Outcome<Game> {
    // A file that cannot be read is refused when its men are read.
    let text = outline.filter(|_| given.is_none()).and_then(|path| std::fs::read_to_string(path).ok());
    let name = text.and_then(|text| Outline::game_in(&text));
    Game::find(given, name.as_deref().unwrap_or(DEFAULT_VARIANT), &[])
}

/// The tables of these folders, as positions with rights are solved from them; none without folders.
pub(crate) fn lent_to_positions(
    variant: &Variant,
    metric: Metric,
    folders: &[PathBuf],
) -> Outcome<Option<Arc<LentTables>>> {
    let lent = (!folders.is_empty()).then(|| LentTables::for_positions(variant, metric, folders));
    Ok(lent.transpose()?.map(Arc::new))
}

/// Opens a structure under the rules that it names, or under these.
pub(crate) fn open_file(
    path: &Path,
    variant: Option<&Path>,
    folders: &[PathBuf],
) -> Outcome<SolvedStructure> {
    check_lenders(folders)?;
    Ok(open_structure(path, &Thing::Structure.game(path, variant)?.variant, folders)?)
}

/// Goes through what structures know exactly, each material with its bar and with the output; `visit` gets
/// the place of the structure among these, too. The bounds of a material are one table.
pub(crate) fn for_each_known(
    console: &mut Console<'_>,
    pool: &ThreadPool,
    structures: &[Arc<SolvedStructure>],
    is_wanted: impl Fn(&str) -> bool + Sync,
    mut visit: impl FnMut(usize, KnownTable, &JobWatch<'_, '_>, Out<'_>) -> Outcome<ControlFlow<()>> + Send,
) -> Outcome<()> {
    let watch = Watch::new(console.is_watched, &mut *console.err);
    let out = &mut *console.out;
    let names = structures.iter().flat_map(|own| own.tables().map(|(name, ..)| (own.path(), name)));
    let n_tables = names.filter(|(_, name)| is_wanted(name)).collect::<BTreeSet<_>>().len();
    watch.start(n_tables, structures.iter().map(|structure| structure.n_values()).sum());
    let work = || {
        for (place, structure) in structures.iter().enumerate() {
            for known in structure.known_tables(&is_wanted) {
                let known = known?;
                let layout = known.table.layout().clone();
                let job = watch.begin(layout.name(), layout.len() as u64);
                let flow = visit(place, known, &job, &mut *out)?;
                job.finish_silently();
                if flow.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    };
    watch.during(|| pool.install(work))
}

/// The game that is asked about, and the positions of `--position`.
pub(crate) fn asked(
    console: &mut Console<'_>,
    variant: Option<&Path>,
    args: &StructureArgs,
) -> Outcome<(Game, Vec<Position>)> {
    let game = game_of(variant, args.structure.as_deref())?;
    let roots = positions(console, &game, &args.position)?;
    Ok((game, roots))
}

/// What the values of a structure are of the true ones.
fn bound_in_words(bounds: &[Bound]) -> &'static str {
    match bounds {
        [Bound::Lower] => "at least, for White",
        [Bound::Upper] => "at most, for White",
        [Bound::Lower, Bound::Upper] => "at least and at most, for White",
        _ => "exact",
    }
}

/// What of the values is found.
fn bound_words(bounds: &[Bound]) -> &'static str {
    match bounds {
        [Bound::Lower] => ", at least,",
        [Bound::Upper] => ", at most,",
        _ => "",
    }
}

/// Of larger structures one stretch of placements in several is checked.
const MAX_VALUES_IN_FULL: u64 = 50_000_000;

/// A solved structure for programs, and what a command says of it.
#[derive(Serialize)]
struct StructureFacts<'a, T> {
    file: String,
    metric: String,
    limit: String,
    bounds: &'a [Bound],
    #[serde(flatten)]
    what: T,
}

impl<'a, T> StructureFacts<'a, T> {
    fn new(structure: &'a SolvedStructure, what: T) -> Self {
        StructureFacts {
            file: structure.path().display().to_string(),
            metric: structure.metric().to_string(),
            limit: structure.limit().to_string(),
            bounds: structure.bounds(),
            what,
        }
    }
}

pub(crate) fn verify(console: &mut Console<'_>, args: &VerifyArgs) -> Outcome {
    let structure = Arc::new(open_file(&args.path, args.variant.as_deref(), &args.using)?);
    let n_values = structure.n_values();
    let most = args.sample.unwrap_or(if args.all { u64::MAX } else { MAX_VALUES_IN_FULL });
    let one_in = n_values.div_ceil(most.max(1)).max(1) as usize;
    let begun = Instant::now();
    let report = pool(args.threads)?.install(|| verify_structure(&structure, one_in))?;
    let answer = if report.is_clean() { Answer::Yes } else { Answer::No };
    if args.json {
        console.print_json(&StructureFacts::new(&structure, &report))?;
        return Ok(answer);
    }
    report.differences.iter().try_for_each(|wrong| writeln!(console.out, "{wrong}"))?;
    let (path, metric, limit) = (args.path.display(), structure.metric(), structure.limit());
    let (bound, time) = (bound_in_words(structure.bounds()), seconds(begun.elapsed()));
    let [wrong, values, positions] = [report.n_differences, report.n_values, report.n_positions].map(count);
    let verdict = if report.is_clean() { "all right".into() } else { format!("{wrong} wrong") };
    let resting = match report.n_promotions {
        0 => String::new(),
        n => format!(", {} of them resting on new queens that the file does not have", count(n)),
    };
    writeln!(
        console.out,
        "{path} ({metric}, {bound}, solved {limit}): {values} values, {positions} positions{resting}: \
         {verdict} ({time})"
    )?;
    Ok(answer)
}
