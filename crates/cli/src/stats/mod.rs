//! `stats`: prints the statistics of a table, or of all tables of a folder: as a text, a list, the positions
//! that take longest, or a hash of all values; of a `.tsr` those of positions with rights to castle.

mod args;
mod study;

use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::report::{Report, text};
use crate::thing::{FiledRights, Thing, WholeTable};
use crate::{Answer, Failure, Outcome, structure};
use ::probe::Tablebase;
use ::stats::{Listing, Mean, Statistics, ValueHash, longest_epd, zugzwangs_epd};
use ::structure::{Bound, SolvedStructure};
pub(crate) use args::StatsArgs;
use build::{RightsFigures, SoleCastling};
use format::{BlockCache, Summary, TableFile, folder_of};
use library::figure::{bytes, count, distance, plural};
use library::{TableFigures, table_files};
use position::RuleBook;
use rayon::ThreadPool;
use rights::RightsKey;
use serde::Serialize;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
pub(crate) use study::percentages;
use table::{Ply, Scale, Value};
use variant::{Side, visible};

pub(crate) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    structure::check_lenders(&args.using)?;
    if args.hash {
        return hashes(console, args);
    }
    match (Thing::at(&args.file), &args.against) {
        (Thing::Structure, _) => structure::stats(console, args),
        (Thing::Rights, _) => of_rights(console, args),
        _ if args.squares => Err(Failure::new("--squares is for structures (.tss)")),
        (_, Some(other)) => study::against(console, args, other),
        _ if args.report => study::report(console, args),
        (Thing::Folder, _) => folder(console, args),
        (Thing::Exchange, _) => exchange(console, args),
        _ => file(console, args),
    }
}

/// The tables of a folder; those that cannot be read are errors, behind the others.
fn folder(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    let (tables, faults) = TableFigures::of_folder(&args.file)?;
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let outcome = match (tables.is_empty(), args.epd) {
        (true, _) if !faults.is_empty() => Ok(Answer::Yes),
        (true, _) => Err(Failure::new(format!(
            "{} has no table files; flat and Syzygy files carry no statistics",
            args.file.display()
        ))),
        (_, true) => Err(Failure::new("--epd lists the positions of one table; name its file")),
        _ => list(console, args, &tables),
    };
    outcome.and_then(|answer| match faults.is_empty() {
        true => Ok(answer),
        false => Err(Failure::new(faults.join("\nerror: "))),
    })
}

/// A `.tsm` file, whose statistics were counted when it was made.
fn file(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    let summary = Summary::read(&args.file)?;
    if let Some(path) = &args.variant {
        check_rules(&Game::load(path)?, args, &summary)?;
    }
    if args.epd {
        let pool = pool(None)?;
        let table = WholeTable::read(console, &pool, &args.file, args.variant.as_deref())?;
        return epd(console, &pool, args, &table);
    }
    let figures = TableFigures::read(&args.file)?;
    if args.csv || args.markdown {
        return list(console, args, &[figures]);
    }
    print(console, args, &figures.statistics)
}

/// Fails if these are not the rules that the file was made by.
fn check_rules(game: &Game, args: &StatsArgs, summary: &Summary) -> Result<(), Failure> {
    let metric = summary.metric.parse()?;
    let cache = Arc::new(BlockCache::new(0));
    TableFile::open_of(&args.file, &game.variant, metric, cache).map(drop).map_err(Failure::new)
}

/// A flat or Syzygy file, which has no statistics: they are counted.
fn exchange(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    if args.csv || args.markdown {
        return Err(Failure::new("--csv and --markdown are for .tsm files, which carry their statistics"));
    }
    let pool = pool(None)?;
    let whole = WholeTable::read(console, &pool, &args.file, args.variant.as_deref())?;
    if args.epd {
        return epd(console, &pool, args, &whole);
    }
    let statistics = pool.install(|| Statistics::collect(&whole.game.variant, whole.metric, &whole.table));
    print(console, args, &statistics)
}

fn print(console: &mut Console<'_>, args: &StatsArgs, statistics: &Statistics) -> Outcome {
    if args.json {
        console.print_json(statistics)?;
    } else {
        // A file or a program gets every row; on a terminal a screen is enough.
        let text = match console.out_width {
            Some(_) => statistics.render() + &statistics.render_means(),
            None => statistics.render_whole(),
        };
        // It is the text of those who made the file.
        console.print_folded(&visible(&text))?;
    }
    Ok(Answer::Yes)
}

/// Lists the longest wins and losses and the mutual zugzwangs of a table, with either side to move.
fn epd(console: &mut Console<'_>, pool: &ThreadPool, args: &StatsArgs, whole: &WholeTable) -> Outcome {
    let WholeTable { game, metric, table } = whole;
    let (name, limit) = (table.layout().name(), args.limit(console));
    let mut lists = pool.install(|| longest_epd(&game.variant, *metric, table, limit));
    lists.push(pool.install(|| zugzwangs_epd(&game.variant, table, limit)));
    for list in &lists {
        list.lines.iter().try_for_each(|line| writeln!(console.out, "{line}"))?;
        if let Some(note) = note(list) {
            console.tell(&format!("{name}: {note}"))?;
        }
    }
    Ok(Answer::Yes)
}

/// What a list does not show by itself: that it goes on, and why others count more positions.
fn note(list: &Listing) -> Option<String> {
    let Listing { title, lines, n_all, n_counted } = list;
    let mut notes = Vec::new();
    if (lines.len() as u64) < *n_all {
        let (n_lines, n_all) = (count(lines.len() as u64), count(*n_all));
        notes.push(format!("the first {n_lines} of {n_all}; --limit N lists more"));
    }
    if n_counted != n_all {
        let (n_all, n_counted) = (plural(*n_all, "position"), count(*n_counted));
        notes.push(format!(
            "{n_all}; the statistics tell like men apart (two rooks that change places) and count {n_counted}"
        ));
    }
    (!notes.is_empty()).then(|| format!("{title}: {}", notes.join("; ")))
}

/// Lists the statistics of several tables: text, Markdown, CSV or JSON.
fn list(console: &mut Console<'_>, args: &StatsArgs, tables: &[TableFigures]) -> Outcome {
    if args.json {
        console.print_json(&tables.iter().map(Listed::new).collect::<Vec<_>>())?;
        return Ok(Answer::Yes);
    }
    let text = match (args.csv, args.by_ply) {
        (true, true) => {
            let mut report = Report::new(&TableFigures::PLY_COLUMNS.join("|"));
            tables.iter().flat_map(TableFigures::plies).for_each(|row| report.row(row));
            report.csv()
        }
        (true, false) => {
            let mut report = Report::new(&TableFigures::columns().join("|"));
            for table in tables {
                report.row(table.cells().into_iter().map(Option::unwrap_or_default));
            }
            report.csv()
        }
        _ if args.markdown => compared(tables).markdown(),
        _ => compared(tables).text(console.out_width),
    };
    write!(console.out, "{text}")?;
    Ok(Answer::Yes)
}

/// The figures that people compare.
fn compared(tables: &[TableFigures]) -> Report {
    let side = "win % | >draw % | >loss % | >longest | >mean";
    let mut report = Report::new(&format!(
        "table | metric | >wtm: {side} | >btm: {side} | >zugzwangs | >positions | >size"
    ));
    for table in tables {
        let statistics = &table.statistics;
        let mut row = vec![statistics.material.clone(), statistics.metric.clone()];
        for side in Side::BOTH.map(|stm| statistics.side(stm)) {
            row.extend(percentages(side));
            let longest = [&side.longest_win, &side.longest_loss].into_iter().flatten();
            row.push(text(longest.map(|longest| longest.ply).max()));
            let is_winning = side.wins.unreduced >= side.losses.unreduced;
            row.push(text(if is_winning { side.mean_win() } else { side.mean_loss() }));
        }
        let positions = Side::BOTH.map(|stm| statistics.side(stm).legal().orbits).iter().sum();
        let zugzwangs = statistics.zugzwangs.total().orbits;
        row.extend([count(zugzwangs), count(positions), bytes(table.summary.size_bytes)]);
        report.row(row);
    }
    report
}

/// A table of a list with its statistics.
#[derive(Serialize)]
struct Listed<'a> {
    file: String,
    variant: &'a str,
    bytes: u64,
    content: String,
    rules: String,
    means: [Means; 2],
    statistics: &'a Statistics,
}

/// The mean plies of a side to move.
#[derive(Serialize)]
struct Means {
    to_move: &'static str,
    win: Option<Mean>,
    slow_win: Option<Mean>,
    loss: Option<Mean>,
    slow_loss: Option<Mean>,
}

impl<'a> Listed<'a> {
    fn new(TableFigures { path, summary, statistics }: &'a TableFigures) -> Self {
        let means = [("white", Side::White), ("black", Side::Black)].map(|(to_move, stm)| {
            let side = statistics.side(stm);
            Means {
                to_move,
                win: side.mean_win(),
                slow_win: side.mean_slow_win(),
                loss: side.mean_loss(),
                slow_loss: side.mean_slow_loss(),
            }
        });
        Listed {
            file: path.display().to_string(),
            variant: &summary.metadata.variant,
            bytes: summary.size_bytes,
            content: summary.table_content().to_string(),
            rules: summary.rules_hash.to_string(),
            means,
            statistics,
        }
    }
}

/// Names the values of a file, or of each of a folder. A hash is of values alone: it shows that two
/// programs, two ways to solve or two files agree everywhere.
fn hashes(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    let (pool, mut files) = (pool(None)?, vec![args.file.clone()]);
    if Thing::at(&args.file) == Thing::Folder {
        files = table_files(&args.file)?;
        let all = std::fs::read_dir(&args.file).map_err(Failure::new)?.flatten().map(|entry| entry.path());
        files.extend(all.filter(|path| matches!(Thing::at(path), Thing::Rights | Thing::Structure)));
        files.sort();
    }
    for file in files {
        let hash = hash(console, args, &pool, &file)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        writeln!(console.out, "{hash}  {}", visible(&name))?;
        console.out.flush()?;
    }
    Ok(Answer::Yes)
}

fn hash(
    console: &mut Console<'_>,
    args: &StatsArgs,
    pool: &ThreadPool,
    file: &Path,
) -> Result<String, Failure> {
    let variant = args.variant.as_deref();
    Ok(match Thing::at(file) {
        Thing::Winner => {
            return Err(Failure::new("a hash is of all values, and this file has one side's wins alone"));
        }
        Thing::Rights => hash_of_rights(&FiledRights::open(file, variant)?),
        Thing::Structure => {
            let game = Thing::Structure.game(file, variant)?;
            hash_of_structure(&SolvedStructure::open(file, &game.variant)?)?
        }
        _ => {
            let whole = WholeTable::read(console, pool, file, variant)?;
            ValueHash::of_table(&whole.table, whole.metric).finish()
        }
    })
}

/// The values of all choices of rights, one behind the other.
fn hash_of_rights(filed: &FiledRights) -> String {
    let mut hash = ValueHash::new(&filed.summary.material, filed.metric);
    for table in &filed.tables {
        // What is no position counts as none; its place may hold anything.
        (0..table.n_numbers()).for_each(|number| {
            let is_position = table.position(&filed.game.variant, number).is_some();
            hash.add(if is_position { table.value_of(number) } else { Value::Illegal });
        });
    }
    hash.finish()
}

/// The values and bounds of all legal positions, in the order of the file.
fn hash_of_structure(solved: &SolvedStructure) -> Result<String, Failure> {
    let (mut hash, mut last) = (ValueHash::new("structure", solved.metric()), None);
    solved.for_each(|bound, _, value| {
        // A change of the bound counts like a value that there cannot be.
        if last.replace(bound) != Some(bound) {
            let mark = match bound {
                Bound::Exact => 0,
                Bound::Lower => 1,
                Bound::Upper => 2,
            };
            hash.add(Value::Loss(Ply(u16::MAX - mark)));
        }
        hash.add(value);
    })?;
    Ok(hash.finish())
}

/// How many bytes of decompressed blocks are kept.
const CACHE_BYTES: usize = 512 << 20;

/// Counts the positions with rights to castle of a material, and lists those in which only castling will do.
fn of_rights(console: &mut Console<'_>, args: &StatsArgs) -> Outcome {
    if args.csv || args.markdown || args.report || args.against.is_some() || args.squares {
        return Err(Failure::new("of positions with castling rights (.tsr) there are --epd and --json"));
    }
    let filed = FiledRights::open(&args.file, args.variant.as_deref())?;
    if args.epd {
        return epd_of_rights(console, args, &filed);
    }
    let FiledRights { game, metric, summary, file, tables } = &filed;
    let (book, scale) = (RuleBook::new(&game.variant), Scale::new(*metric, &game.variant.rules));
    let figures = |table| RightsFigures::of(&book, &scale, table);
    let mut choices: Vec<(String, RightsFigures)> =
        tables.iter().map(|table| (named(&book, table.key()), figures(table))).collect();
    let all = choices.iter().fold(RightsFigures::default(), |all, (_, figures)| all.with(figures.clone()));
    if args.json {
        let choices: Vec<serde_json::Value> =
            choices.iter().map(|(field, figures)| json_of(field, figures)).collect();
        console.print_json(&json!({
            "variant": game.variant.name, "material": summary.material, "metric": metric.name(),
            "size_bytes": file.size_bytes(), "rights": choices, "all": json_of("all", &all),
        }))?;
        return Ok(Answer::Yes);
    }
    let title = visible(&format!("{} {metric}", summary.material));
    writeln!(console.out, "{title}: positions with castling rights, with the colours exchanged once")?;
    let mut report = Report::new(
        "rights | >positions | >wtm: wins | >draws | >losses | >btm: wins | >draws | >losses | longest win",
    );
    choices.push(("all".into(), all));
    for (field, figures) in &choices {
        let mut row = vec![field.clone(), count(figures.n_positions())];
        row.extend(Side::BOTH.into_iter().flat_map(|stm| figures.side(stm)).map(count));
        let longest = figures.longest_win.as_ref();
        let longest = longest.map(|longest| format!("{}: {}", distance(longest.ply.0), longest.fen));
        row.push(longest.unwrap_or_else(|| "none".into()));
        report.row(row);
    }
    write!(console.out, "{}", report.text(console.out_width))?;
    Ok(Answer::Yes)
}

/// A choice of rights as the castling field has it; where king and rooks begin on any file, with the men and
/// their squares, because many choices have the same field.
fn named(book: &RuleBook, key: &RightsKey) -> String {
    let has_any_files = book.variant().rules.castling.as_ref().is_some_and(|rule| rule.any_files);
    if has_any_files { key.name(book.variant()) } else { key.field(book) }
}

fn json_of(field: &str, figures: &RightsFigures) -> serde_json::Value {
    let side = |stm| {
        let [wins, draws, losses] = figures.side(stm);
        json!({ "wins": wins, "draws": draws, "losses": losses })
    };
    let longest = |longest: &Option<build::RightsLongest>| {
        longest.as_ref().map(|longest| json!({ "plies": longest.ply.0, "fen": longest.fen }))
    };
    json!({
        "rights": field, "positions": figures.n_positions(),
        "white_to_move": side(Side::White), "black_to_move": side(Side::Black),
        "longest_win": longest(&figures.longest_win), "longest_loss": longest(&figures.longest_loss),
    })
}

/// Prints the positions in which only castling wins, then those in which only castling draws.
fn epd_of_rights(console: &mut Console<'_>, args: &StatsArgs, filed: &FiledRights) -> Outcome {
    let folder = folder_of(&args.file);
    let base = Tablebase::open_with(&[folder.into()], &filed.game.variant, filed.metric, CACHE_BYTES)?;
    let all = filed.tables.iter().map(|table| SoleCastling::all(&base, table));
    let all = pool(None)?.install(|| all.collect::<Result<Vec<_>, _>>())?;
    let all: Vec<SoleCastling> = all.into_iter().flatten().collect();
    for is_win in [true, false] {
        for sole in all.iter().filter(|sole| sole.is_win == is_win).take(args.limit(console)) {
            writeln!(console.out, "{}", sole.epd)?;
        }
    }
    Ok(Answer::Yes)
}
