//! `stats`: prints the statistics of a table, or of all tables of a folder: as a text, a list, the positions
//! that take longest, or a hash of all values; or of a table's positions with rights to castle.

mod args;
mod study;

use crate::report::text;
use crate::thing::{FiledRights, MeantColumn};
use crate::{
    Console, Failure, Game, Outcome, Report, Thing, WholeTable, bytes, count, distance, plural, pool,
    structure,
};
use ::probe::Tablebase;
use ::stats::{ClockStatistics, Listing, Statistics, ValueHash, dead_positions, longest_epd, zugzwangs_epd};
use ::structure::{Bound, SolvedStructure};
pub(crate) use args::StatsArgs;
use build::{RightsFigures, SoleCastling};
use format::{
    BlockCache, Column, FormatError, Summary, TableFile, columns_of, file_name, folder_of, winner_name,
};
use library::{Edition, TableFigures, TableFiles, table_files};
use position::RuleBook;
use rayon::ThreadPool;
use rights::RightsKey;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use table::{Ply, Scale, Value};
use variant::{Material, Metric, Side, visible};

pub(crate) fn run(console: &mut Console<'_>, args: &StatsArgs) -> Outcome<()> {
    structure::check_lenders(&args.using)?;
    if args.hash {
        return hashes(console, args);
    }
    if args.columns {
        return columns(console, args);
    }
    match (Thing::at(&args.file), &args.against) {
        (Thing::Structure, _) => structure::stats(console, args),
        (Thing::Table, _) if args.rights => of_rights(console, args),
        _ if args.rights => Err(Failure::new("--rights is for the file of a table (.tsm)")),
        _ if args.squares => Err(Failure::new("--squares is for structures (.tss)")),
        (_, Some(other)) => study::against(console, args, other),
        _ if args.report => study::report(console, args),
        (Thing::Folder, _) => folder(console, args),
        (Thing::Exchange, _) => exchange(console, args),
        _ => file(console, args),
    }
}

/// The tables of a folder; those that cannot be read are errors, behind the others.
fn folder(console: &mut Console<'_>, args: &StatsArgs) -> Outcome<()> {
    let (mut tables, faults) = TableFigures::of_folder(&args.file)?;
    tables.retain(|table| args.metric.is_none_or(|metric| table.summary.column.metric == metric));
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    if tables.is_empty() && faults.is_empty() {
        let folder = args.file.display();
        return Err(Failure::new(format!(
            "{folder} has no table files; flat and Syzygy files carry no statistics"
        )));
    }
    if args.epd && !tables.is_empty() {
        return Err(Failure::new("--epd lists the positions of one table; name its file"));
    }
    if !tables.is_empty() {
        list(console, args, &tables)?;
    }
    Failure::of_faults(&faults)
}

/// A `.tsm` file, whose statistics were counted when it was made.
fn file(console: &mut Console<'_>, args: &StatsArgs) -> Outcome<()> {
    if (args.csv || args.markdown) && args.metric.is_none() {
        return list(console, args, &TableFigures::all(&args.file)?);
    }
    let meant = MeantColumn::of(&args.file, args.variant.as_deref(), args.metric, false)?;
    // These are the rules that the file was made by.
    if args.variant.is_some() {
        let cache = Arc::new(BlockCache::new(0));
        let (variant, column) = (&meant.game.variant, meant.summary.column);
        TableFile::open_of(&args.file, variant, column, cache).map_err(Failure::new)?;
    }
    if args.epd {
        let pool = pool(None)?;
        let table = WholeTable::read(console, &pool, &args.file, args.variant.as_deref(), args.metric)?;
        return epd(console, &pool, args, &table);
    }
    let metric = meant.summary.column.metric;
    let figures = TableFigures::new(&args.file, meant.summary)?;
    if args.csv || args.markdown {
        return list(console, args, &[figures]);
    }
    print(console, args, &figures.statistics)?;
    let name = figures.statistics.material.as_str();
    match metric {
        Metric::Dtm50 if !args.json => clocks(console, args, &meant.game, name),
        Metric::Help if !args.json => dead(console, args, &meant.game, name),
        _ => Ok(()),
    }
}

/// Counts what changes with the clock of the n-move rule.
fn clocks(console: &mut Console<'_>, args: &StatsArgs, game: &Game, name: &str) -> Outcome<()> {
    let files = TableFiles::new(Edition::new(&game.variant, Metric::Dtm50), folder_of(&args.file));
    let clocks = pool(None)?.install(|| {
        let table = files.read_with_steps(name, &files.kept_sides(name)?)?;
        Ok::<_, FormatError>(ClockStatistics::collect(&game.variant, &table))
    });
    let text: Vec<String> = clocks.map_err(Failure::new)?.iter().map(ClockStatistics::render).collect();
    console.print_folded(&format!("\nWith the clock of the n-move rule:\n{}", text.concat()))
}

/// Counts the positions in which neither side can ever win, where the folder has the table of the other
/// side's wins as well.
fn dead(console: &mut Console<'_>, args: &StatsArgs, game: &Game, name: &str) -> Outcome<()> {
    if !game.variant.is_colour_symmetric() {
        return Ok(());
    }
    let exchanged = Material::parse(&game.variant, name).map_err(Failure::new)?.swapped();
    let other = folder_of(&args.file).join(file_name(&exchanged.name(&game.variant)));
    if !other.exists() {
        let text = format!("dead positions are counted with {} beside it\n", other.display());
        return console.print_folded(&visible(&text));
    }
    let (pool, variant) = (pool(None)?, args.variant.as_deref());
    let mut read = |path: &Path| WholeTable::read(console, &pool, path, variant, Some(Metric::Help));
    let own = read(&args.file)?.table;
    let others = if exchanged.is_symmetric() { own.clone() } else { read(&other)?.table };
    let dead = pool.install(|| dead_positions(&game.variant, &own, &others));
    let [white, black] =
        dead.ok_or_else(|| Failure::new(format!("{} has other men than its name says", other.display())))?;
    let text = format!(
        "dead positions, in which neither side can ever win: White to move {} ({}), Black to move {} ({})\n",
        white.orbits, white.unreduced, black.orbits, black.unreduced
    );
    console.print_folded(&text)
}

/// A flat or Syzygy file, which has no statistics: they are counted.
fn exchange(console: &mut Console<'_>, args: &StatsArgs) -> Outcome<()> {
    if args.csv || args.markdown {
        return Err(Failure::new("--csv and --markdown are for .tsm files, which carry their statistics"));
    }
    let pool = pool(None)?;
    let whole = WholeTable::read(console, &pool, &args.file, args.variant.as_deref(), args.metric)?;
    if args.epd {
        return epd(console, &pool, args, &whole);
    }
    let statistics = pool.install(|| Statistics::collect(&whole.game.variant, whole.metric, &whole.table));
    print(console, args, &statistics)
}

fn print(console: &mut Console<'_>, args: &StatsArgs, statistics: &Statistics) -> Outcome<()> {
    if args.json {
        return console.print_json(statistics);
    }
    // A file or a program gets every row; on a terminal a screen is enough.
    let text = match console.out_width {
        Some(_) => statistics.render() + &statistics.render_means(),
        None => statistics.render_whole(),
    };
    // It is the text of those who made the file.
    console.print_folded(&visible(&text))
}

/// Lists the longest wins and losses and the mutual zugzwangs of a table, with either side to move.
fn epd(console: &mut Console<'_>, pool: &ThreadPool, args: &StatsArgs, whole: &WholeTable) -> Outcome<()> {
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
    Ok(())
}

/// What a list does not show by itself: that it goes on, and why others count more positions.
fn note(list: &Listing) -> Option<String> {
    let Listing { title, lines, n_all, n_counted } = list;
    let (n_lines, counted) = (lines.len() as u64, count(*n_counted));
    let cut = format!("the first {} of {}; --limit N lists more", count(n_lines), count(*n_all));
    let alike = format!(
        "{}; the statistics tell like men apart (two rooks that change places) and count {counted}",
        plural(*n_all, "position")
    );
    let notes = [(n_lines < *n_all, cut), (n_counted != n_all, alike)];
    let notes: Vec<String> = notes.into_iter().filter(|(is_due, _)| *is_due).map(|(_, note)| note).collect();
    (!notes.is_empty()).then(|| format!("{title}: {}", notes.join("; ")))
}

/// Lists the statistics of several tables: text, Markdown, CSV or JSON.
fn list(console: &mut Console<'_>, args: &StatsArgs, tables: &[TableFigures]) -> Outcome<()> {
    if args.json {
        return console.print_json(&tables);
    }
    let report = match (args.csv, args.by_ply) {
        (true, true) => {
            let mut report = Report::new(&TableFigures::PLY_COLUMNS.join("|"));
            tables.iter().flat_map(TableFigures::plies).for_each(|row| report.row(row));
            report
        }
        (true, false) => {
            let mut report = Report::new(&TableFigures::columns().join("|"));
            let rows = tables.iter().map(|table| table.cells().into_iter().map(Option::unwrap_or_default));
            rows.for_each(|row| report.row(row));
            report
        }
        _ => compared(tables),
    };
    console.print(&report, args.csv, args.markdown)
}

/// The figures that people compare.
fn compared(tables: &[TableFigures]) -> Report {
    let side = "win % | >draw % | >loss % | >longest | >mean";
    let titles = format!("table | metric | >wtm: {side} | >btm: {side} | >zugzwangs | >positions | >size");
    let mut report = Report::new(&titles);
    for table in tables {
        let statistics = &table.statistics;
        let mut row = vec![statistics.material.clone(), table.column_text()];
        for side in Side::BOTH.map(|stm| statistics.side(stm)) {
            row.extend(side.percentages().map(text));
            let longest = [&side.longest_win, &side.longest_loss].into_iter().flatten();
            row.push(text(longest.map(|longest| longest.ply).max()));
            let is_winning = side.wins.unreduced >= side.losses.unreduced;
            row.push(text(if is_winning { side.mean_win() } else { side.mean_loss() }));
        }
        let (zugzwangs, positions) = (statistics.zugzwangs.total().orbits, statistics.n_positions());
        row.extend([count(zugzwangs), count(positions), bytes(table.summary.size_bytes)]);
        report.row(row);
    }
    report
}

/// Lists the columns of a file or of the files of a folder, as their indexes say.
fn columns(console: &mut Console<'_>, args: &StatsArgs) -> Outcome<()> {
    let files = match Thing::at(&args.file) {
        Thing::Folder => table_files(&args.file)?,
        Thing::Table => vec![args.file.clone()],
        _ => return Err(Failure::new("--columns is for tables (.tsm) and their folders")),
    };
    let mut report = Report::new("table | column | sides to move | packed | >bytes | values");
    let mut all = Vec::new();
    let mut faults = Vec::new();
    for file in files {
        let columns = Summary::all(&file).unwrap_or_else(|error| {
            faults.push(error.to_string());
            Vec::new()
        });
        for summary in columns {
            let sides = Side::BOTH.into_iter().filter(|side| summary.code_widths[side.index()] > 0);
            let sides = sides.map(|side| side.to_string()).collect::<Vec<_>>().join(" and ");
            let packed = if summary.is_small { "small" } else { "quick" };
            let content = summary.table_content().to_string();
            if args.json {
                all.push(json!({
                    "table": summary.material, "metric": summary.column.metric.name(),
                    "winner": summary.column.winner.map(winner_name),
                    "castling_rights": summary.column.has_rights, "code_bytes": summary.code_widths,
                    "packed": packed, "bytes": summary.size_bytes, "content": content,
                    "program": summary.metadata.program,
                }));
            }
            let size = count(summary.size_bytes);
            report.row([summary.material, summary.column.to_string(), sides, packed.into(), size, content]);
        }
    }
    if args.json { console.print_json(&all) } else { console.print(&report, false, false) }?;
    Failure::of_faults(&faults)
}

/// Names the values of a file, or of each of a folder. A hash is of values alone: it shows that two
/// programs, two ways to solve or two files agree everywhere.
fn hashes(console: &mut Console<'_>, args: &StatsArgs) -> Outcome<()> {
    let (pool, mut files) = (pool(None)?, vec![args.file.clone()]);
    if Thing::at(&args.file) == Thing::Folder {
        files = table_files(&args.file)?;
        let all = std::fs::read_dir(&args.file).map_err(Failure::new)?.flatten().map(|entry| entry.path());
        files.extend(all.filter(|path| Thing::at(path) == Thing::Structure));
        files.sort();
    }
    for file in files {
        // A table's file has a hash for each column with the wins of both sides.
        let columns = match (Thing::at(&file), args.metric) {
            (Thing::Table, metric) => {
                let columns = columns_of(&file)?.into_iter().filter(|column| column.winner.is_none());
                columns.filter(|own| metric.is_none_or(|metric| metric == own.metric)).map(Some).collect()
            }
            _ => vec![None],
        };
        if columns.is_empty() {
            let shown = file.display();
            let why = match args.metric {
                Some(metric) => format!("{shown} has no {metric} with the wins of both sides"),
                None => format!("a hash is of all values, and {shown} has one side's wins alone"),
            };
            if file == args.file {
                return Err(Failure::new(why));
            }
            console.tell(&why)?;
        }
        for column in columns {
            let hash = hash(console, args, &pool, &file, column)?;
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let column = column.map(|column| format!(" {column}")).unwrap_or_default();
            writeln!(console.out, "{hash}  {}{column}", visible(&name))?;
            console.out.flush()?;
        }
    }
    Ok(())
}

fn hash(
    console: &mut Console<'_>,
    args: &StatsArgs,
    pool: &ThreadPool,
    file: &Path,
    column: Option<Column>,
) -> Outcome<String> {
    let (variant, metric) = (args.variant.as_deref(), column.map(|column| column.metric));
    Ok(match Thing::at(file) {
        _ if column.is_some_and(|column| column.has_rights) => {
            hash_of_rights(&FiledRights::open(file, variant, metric)?)
        }
        Thing::Structure => {
            let game = Thing::Structure.game(file, variant)?;
            hash_of_structure(&SolvedStructure::open(file, &game.variant)?)?
        }
        _ => {
            let whole = WholeTable::read(console, pool, file, variant, metric)?;
            ValueHash::of_table(&whole.table, whole.metric).finish()
        }
    })
}

/// The values of all choices of rights, one behind the other.
fn hash_of_rights(filed: &FiledRights) -> String {
    let mut hash = ValueHash::new(&filed.summary.material, filed.summary.column.metric);
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
fn hash_of_structure(solved: &SolvedStructure) -> Outcome<String> {
    let (mut hash, mut last) = (ValueHash::new("structure", solved.metric()), None);
    solved.for_each(|bound, _, value| {
        // A change of the bound counts like a value that there cannot be.
        if last.replace(bound) != Some(bound) {
            let marks = [Bound::Exact, Bound::Lower, Bound::Upper];
            let mark = marks.iter().position(|own| *own == bound).unwrap_or_default() as u16;
            hash.add(Value::Loss(Ply(u16::MAX - mark)));
        }
        hash.add(value);
    })?;
    Ok(hash.finish())
}

/// How many bytes of decompressed blocks are kept.
const CACHE_BYTES: usize = 512 << 20;

/// Counts the positions with rights to castle of a material, and lists those in which only castling will do.
fn of_rights(console: &mut Console<'_>, args: &StatsArgs) -> Outcome<()> {
    let filed = FiledRights::open(&args.file, args.variant.as_deref(), args.metric)?;
    if args.epd {
        return epd_of_rights(console, args, &filed);
    }
    let (FiledRights { game, summary, tables }, metric) = (&filed, filed.summary.column.metric);
    let (book, scale) = (RuleBook::new(&game.variant), Scale::new(metric, &game.variant.rules));
    let figures = |table| RightsFigures::of(&book, &scale, table);
    let mut choices: Vec<(String, RightsFigures)> =
        tables.iter().map(|table| (named(&book, table.key()), figures(table))).collect();
    let all = choices.iter().fold(RightsFigures::default(), |all, (_, figures)| all.with(figures.clone()));
    if args.json {
        let choices: Vec<_> = choices.iter().map(|(field, figures)| json_of(field, figures)).collect();
        return console.print_json(&json!({
            "variant": game.variant.name, "material": summary.material, "metric": metric.name(),
            "size_bytes": summary.size_bytes, "rights": choices, "all": json_of("all", &all),
        }));
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
    console.print(&report, false, false)
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
    let longest = |longest: &build::RightsLongest| json!({ "plies": longest.ply.0, "fen": longest.fen });
    json!({
        "rights": field, "positions": figures.n_positions(),
        "white_to_move": side(Side::White), "black_to_move": side(Side::Black),
        "longest_win": figures.longest_win.as_ref().map(longest),
        "longest_loss": figures.longest_loss.as_ref().map(longest),
    })
}

/// Prints the positions in which only castling wins, then those in which only castling draws.
fn epd_of_rights(console: &mut Console<'_>, args: &StatsArgs, filed: &FiledRights) -> Outcome<()> {
    let folder = folder_of(&args.file);
    let FiledRights { game, summary, tables } = filed;
    let base = Tablebase::open_with(&[folder.into()], &game.variant, summary.column.metric, CACHE_BYTES)?;
    let all = tables.iter().map(|table| SoleCastling::all(&base, table));
    let all = pool(None)?.install(|| all.collect::<Result<Vec<_>, _>>())?;
    for is_win in [true, false] {
        let mut own = all.iter().flatten().filter(|sole| sole.is_win == is_win).take(args.limit(console));
        own.try_for_each(|sole| writeln!(console.out, "{}", sole.epd))?;
    }
    Ok(())
}
