//! `export`: writes tables in the formats of others.

mod args;
mod slices;

pub(crate) use args::{ExportArgs, ExportFormat};

use crate::choice::Choice;
use crate::{
    Console, Failure, Game, Outcome, Report, Steps, Thing, bytes, count, interrupt, plural, pool, seconds,
};
use ::export::flat::{FlatWritten, Form};
use ::plan::Job;
use ::syzygy::{Family, FileKind, MAX_MEN, Options};
use build::{
    BitsExport, BitsExported, FlatExport, FolderLock, NotInSyzygy, SyzygyExport, SyzygyExported, families,
};
use clap::ValueEnum;
use library::{Edition, Holding, TableFigures, TableFiles};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::slice;
use variant::{Material, Metric, Side, Variant};

/// The name of the list of the longest wins and losses.
const LONGEST: &str = "longest_mates.csv";

pub(crate) fn run(console: &mut Console<'_>, args: &ExportArgs) -> Outcome<()> {
    interrupt::announce("the files that are finished stay: export the other tables, or all of them again");
    check_options(args)?;
    if args.format == ExportFormat::Longest {
        return longest(console, args);
    }
    if Thing::at(&args.tables) == Thing::Structure {
        return slices::run(console, args);
    }
    let game = Game::of_folders(args.variant.as_deref(), slice::from_ref(&args.tables))?;
    let game = game.for_metrics(args.metric.as_slice())?;
    game.tell_tables(console, &args.table)?;
    let pool = pool(args.threads)?;
    let export = Export { args, steps: Steps { game: &game, folder: &args.tables, pool: &pool } };
    match args.format {
        ExportFormat::Syzygy => export.syzygy(console),
        ExportFormat::Tbl => export.flat(console, Form::Distances),
        ExportFormat::Tbc => export.flat(console, Form::Wdl),
        ExportFormat::Bits => export.bits(console),
        _ => export.columns(console),
    }
}

/// Refuses options of other formats.
fn check_options(args: &ExportArgs) -> Outcome<()> {
    use ExportFormat::{Bits, Longest, Npz, Parquet, Syzygy, Tbc, Tbl};
    let options: [(&str, bool, &[ExportFormat]); 7] = [
        ("--rounded", args.rounded, &[Syzygy]),
        ("--question", args.question.is_some(), &[Bits]),
        ("--metric", args.metric.is_some(), &[Tbl, Tbc, Bits, Parquet, Npz, Longest]),
        ("--gz", args.gz, &[Tbl, Tbc]),
        ("--wide", args.wide, &[Tbl]),
        ("--one-file", args.one_file, &[Tbl, Tbc]),
        ("--fen", args.fen, &[Parquet]),
    ];
    let wrong = options.iter().find(|(_, is_given, formats)| *is_given && !formats.contains(&args.format));
    wrong.map_or(Ok(()), |(option, _, formats)| {
        let values = formats.iter().filter_map(ValueEnum::to_possible_value);
        let formats: Vec<String> = values.map(|value| format!("--format {}", value.get_name())).collect();
        Err(Failure::new(format!("{option} is for {}", formats.join(" and "))))
    })
}

/// Tables of a folder on their way into another format.
struct Export<'a> {
    args: &'a ExportArgs,
    steps: Steps<'a>,
}

impl Export<'_> {
    fn syzygy(&self, console: &mut Console<'_>) -> Outcome<()> {
        let (args, game) = (self.args, self.steps.game);
        let edition = Edition::new(&game.variant, Metric::Dtz50);
        let why = format!("without the columns wdl and dtz50, or with more than {MAX_MEN} men");
        let (metrics, there) = ([Metric::Wdl, Metric::Dtz50], self.there(&edition)?);
        let mut wanted = self.wanted(console, &metrics, &there, Some(MAX_MEN), &why)?;
        let (families, refusals) = families(&game.variant, &wanted);
        if let Some(first) = refusals.first().filter(|_| families.is_empty() || !args.table.is_empty()) {
            return Err(Failure::new(refused(&game.variant, first)));
        }
        tell_refused(console, &game.variant, &refusals)?;
        wanted.retain(|material| families.contains_key(material));
        let lock = self.lock()?;
        game.leave_rules(&lock)?;
        let options = Options { rounded: args.rounded };
        format::give_back_freed_memory();
        let export = SyzygyExport { variant: &game.variant, tables: &args.tables, out: &args.out, options };
        write_syzygy(console, self.steps, export, &families)
    }

    /// Writes flat files, see [`format::flat`].
    fn flat(&self, console: &mut Console<'_>, form: Form) -> Outcome<()> {
        let (args, game) = (self.args, self.steps.game);
        let held = args.held(form, game.variant.default_metric);
        form.check(&game.variant, held)?;
        let editions = editions_of(game, held);
        let mut by_edition: Vec<BTreeSet<Material>> = Vec::new();
        // A table that has no column of the metric may have its values all the same, in that of another one.
        let mut all = BTreeSet::new();
        for edition in &editions {
            let mut there = self.there(edition)?;
            there.retain(|material| all.insert(material.clone()));
            by_edition.push(there);
        }
        let wanted = self.wanted(console, &[held], &all, None, &format!("without the column {held}"))?;
        // What no file has is missed when it is to be read.
        by_edition[0].extend(&wanted - &all);
        let lock = self.lock()?;
        game.leave_rules(&lock)?;
        for (edition, there) in editions.into_iter().zip(by_edition) {
            let wanted: BTreeSet<Material> = &there & &wanted;
            if wanted.is_empty() {
                continue;
            }
            let files = TableFiles::new(edition, &args.tables);
            let (out, wide, packed, one_file) = (args.out.as_path(), args.wide, args.gz, args.one_file);
            let export = FlatExport { files: &files, out, held, form, wide, packed, one_file };
            write_flat(console, self.steps, export, &wanted)?;
        }
        Ok(())
    }

    /// Writes the answers to one question, a bit a position, see [`format::bits`].
    fn bits(&self, console: &mut Console<'_>) -> Outcome<()> {
        let args = self.args;
        let question = args.question.ok_or_else(|| {
            Failure::new(
                "--format bits answers a question: --question \"white wins\", \"black wins within 99\" or \
                 \"draw\"",
            )
        })?;
        let metric = self.metric();
        question.check_metric(metric).map_err(Failure::new)?;
        let edition = edition_of(self.steps.game, slice::from_ref(&args.tables), metric)?;
        let (there, why) = (self.there(&edition)?, format!("without the column {edition}"));
        let wanted = self.wanted(console, &[edition.metric()], &there, None, &why)?;
        let _lock = self.lock()?;
        let files = TableFiles::new(edition, &args.tables);
        let export = BitsExport { files: &files, out: &args.out, metric, question };
        let (mut n_files, mut n_bytes) = (0, 0);
        let text = |_: &_, BitsExported { name, written }, time| {
            (n_files, n_bytes) = (n_files + 1, n_bytes + written.size_bytes);
            let [yes, all] = [written.n_yes, written.n_positions].map(|counts| count(counts.iter().sum()));
            let (size, time) = (bytes(written.size_bytes), seconds(time));
            format!("{name}: yes in {yes} of {all} positions, {size}, {time}")
        };
        let time = self.steps.run(console, text, |report| export.write::<Failure>(&wanted, report))?;
        let (files, size, time) = (plural(n_files, "file"), bytes(n_bytes), seconds(time));
        Ok(writeln!(console.out, "{files} in {}: {question}, {size}, {time}", args.out.display())?)
    }

    /// Refuses to write columns: the program has no writers of them.
    #[cfg(not(feature = "columns"))]
    fn columns(&self, _: &mut Console<'_>) -> Outcome<()> {
        let name = self.args.tables.display();
        Err(Failure::new(format!(
            "this program was built without Parquet and npz, so {name} stays as it is; build it with the \
             feature `columns` (cargo run --release -p tablesmith-cli --features columns -- export …)"
        )))
    }

    /// Writes tables as columns, a row a position.
    #[cfg(feature = "columns")]
    fn columns(&self, console: &mut Console<'_>) -> Outcome<()> {
        use crate::progress::Loading;
        use ::export::Rows;
        use ::export::columns::{ParquetFile, write_npz};
        use std::ops::ControlFlow;
        let metric = self.metric();
        let edition = edition_of(self.steps.game, slice::from_ref(&self.args.tables), metric)?;
        let (there, why) = (self.there(&edition)?, format!("without the column {metric}"));
        let wanted = self.wanted(console, &[metric], &there, None, &why)?;
        let _lock = self.lock()?;
        let (args, variant) = (self.args, &self.steps.game.variant);
        let files = [TableFiles::new(edition.clone(), &args.tables)];
        self.steps.load(console, &files, &wanted, Loading::whole(false), |loaded, job, out| {
            let table = &loaded.tables[0];
            let rows = Rows::new(variant, edition.metric(), table, args.fen);
            let mut stem = table.layout().name().to_owned();
            if metric != variant.default_metric {
                stem += &format!(".{metric}");
            }
            let is_parquet = args.format == ExportFormat::Parquet;
            let path = args.out.join(format!("{stem}.{}", if is_parquet { "parquet" } else { "npz" }));
            let write = if is_parquet { ParquetFile::of_rows } else { write_npz };
            let n_rows = write(&path, &rows)?;
            let size = std::fs::metadata(&path).map_or(0, |data| data.len());
            let line = format!("{}: {} rows, {}", path.display(), count(n_rows), bytes(size));
            job.watch.beside(|| writeln!(out, "{line}"))?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// The metric that is asked for, or else that of the rules.
    fn metric(&self) -> Metric {
        self.args.metric.unwrap_or(self.steps.game.variant.default_metric)
    }

    /// The tables of an edition that are there, of as many men as are asked for.
    fn there(&self, edition: &Edition) -> Outcome<BTreeSet<Material>> {
        let mut there = materials_of(self.steps.game, edition, slice::from_ref(&self.args.tables))?;
        there.retain(|material| self.args.men.is_none_or(|n_men| material.n_men() <= n_men));
        Ok(there)
    }

    /// The tables that are asked for, or all of up to `most_men`, among those that are there. Where none is
    /// asked for by name, names those of the folder that are passed over, and says why.
    fn wanted(
        &self,
        console: &mut Console<'_>,
        metrics: &[Metric],
        there: &BTreeSet<Material>,
        most_men: Option<usize>,
        why: &str,
    ) -> Outcome<BTreeSet<Material>> {
        let (game, folders) = (self.steps.game, slice::from_ref(&self.args.tables));
        let (asked, variant) = (&self.args.table, &game.variant);
        let men = most_men.filter(|_| asked.is_empty());
        let wanted = Choice { game, folders, metrics, asked, men }.among(there, console.program.name)?;
        let mut others = BTreeSet::new();
        let is_seen_alike = |metric: &Metric| (*metric == Metric::Help) == variant.rules.helped;
        for metric in Metric::ALL.into_iter().filter(|metric| asked.is_empty() && is_seen_alike(metric)) {
            others.extend(self.there(&Edition::new(variant, metric))?);
        }
        let names: Vec<String> = others.difference(&wanted).map(|material| material.name(variant)).collect();
        if !names.is_empty() {
            console.tell(&format!("passed over, {why}: {}", names.join(", ")))?;
        }
        Ok(wanted)
    }

    /// Locks the folder that gets the files, and takes away what runs have left in it that were killed.
    fn lock(&self) -> Outcome<FolderLock> {
        let lock = FolderLock::new(&self.args.out)?;
        lock.check_writable()?;
        Ok(lock)
    }
}

/// The materials of which folders together have all columns of an edition.
pub(crate) fn materials_of(
    game: &Game,
    edition: &Edition,
    folders: &[PathBuf],
) -> Outcome<BTreeSet<Material>> {
    let holding = Holding { variant: game.variant.clone(), folders: folders.to_vec() };
    Ok(holding.materials(edition)?)
}

/// The editions that have the values of a metric, the first of them first: who wins stands in the game's own
/// tables too.
pub(crate) fn editions_of(game: &Game, metric: Metric) -> Vec<Edition> {
    let mut editions = vec![Edition::new(&game.variant, metric)];
    if metric == Metric::Wdl && game.variant.default_metric != metric {
        editions.push(Edition::new(&game.variant, game.variant.default_metric));
    }
    editions
}

/// The first of them that folders have tables of, or else the last.
pub(crate) fn edition_of(game: &Game, folders: &[PathBuf], metric: Metric) -> Outcome<Edition> {
    let mut editions = editions_of(game, metric);
    while editions.len() > 1 && materials_of(game, &editions[0], folders)?.is_empty() {
        editions.remove(0);
    }
    Ok(editions.remove(0))
}

/// Writes the flat files of these tables, and a line for each table.
pub(crate) fn write_flat(
    console: &mut Console<'_>,
    steps: Steps<'_>,
    export: FlatExport<'_>,
    wanted: &BTreeSet<Material>,
) -> Outcome<()> {
    let (mut n_tables, mut n_files, mut n_bytes) = (0, 0, 0);
    let text = |job: &Job, written: FlatWritten, time| {
        (n_tables, n_files) = (n_tables + 1, n_files + written.n_files);
        n_bytes += written.n_bytes;
        let files = plural(written.n_files, "file");
        format!("{}: {files}, {}, {}", job.name, bytes(written.n_bytes), seconds(time))
    };
    let time = steps.run(console, text, |report| export.write::<Failure>(wanted, report))?;
    let (tables, files, held) = (plural(n_tables, "table"), plural(n_files, "file"), export.held);
    let (out, size, time) = (export.out.display(), bytes(n_bytes), seconds(time));
    Ok(writeln!(console.out, "{tables} in {out}: {files} of {held}, {size} ({time})")?)
}

/// Writes the Syzygy files of these tables, each with the game whose rules it has, and a line for each
/// table.
pub(crate) fn write_syzygy(
    console: &mut Console<'_>,
    steps: Steps<'_>,
    export: SyzygyExport<'_>,
    families: &BTreeMap<Material, Family>,
) -> Outcome<()> {
    let written: BTreeSet<Family> = families.values().copied().collect();
    let endings = |family: Family| [FileKind::Wdl, FileKind::Dtz].map(|kind| family.extension(kind));
    if written.contains(&Family::Other) {
        let [wdl, dtz] = endings(Family::Other);
        console.tell(&format!(
            "readers of Syzygy files do not know the rules of {}, and refuse its files: they end in .{wdl} \
             and .{dtz}, and have a magic number of their own (docs/other-formats.md)",
            export.variant.name
        ))?;
    }
    let (mut n_written, mut sizes) = (0, [0; 2]);
    let text = |job: &Job, SyzygyExported { family, wdl_bytes, dtz_bytes }, time| {
        n_written += 1;
        sizes = [sizes[0] + wdl_bytes, sizes[1] + dtz_bytes];
        let [wdl, dtz] = endings(family);
        let (wdl_size, dtz_size, time) = (bytes(wdl_bytes), bytes(dtz_bytes), seconds(time));
        format!("{}: {wdl} {wdl_size}, {dtz} {dtz_size}, {time}", job.name)
    };
    let time = steps.run(console, text, |report| export.write::<Failure>(families, report))?;
    let all = |of: usize| written.iter().map(|&own| endings(own)[of]).collect::<Vec<_>>().join(" and ");
    let ([wdl, dtz], [wdl_bytes, dtz_bytes]) = ([0, 1].map(all), sizes.map(bytes));
    let (tables, out, time) = (plural(n_written, "table"), export.out.display(), seconds(time));
    Ok(writeln!(console.out, "{tables} in {out}: {wdl} {wdl_bytes}, {dtz} {dtz_bytes} ({time})")?)
}

/// Says why a table has no Syzygy files, and which format takes it.
pub(crate) fn refused(variant: &Variant, reason: &NotInSyzygy) -> String {
    let taken = match reason {
        NotInSyzygy::TooManyMen { .. } => "number",
        NotInSyzygy::OtherRules { .. } if Form::Distances.check(variant, Metric::Dtz50).is_err() => {
            return reason.to_string();
        }
        NotInSyzygy::OtherRules { .. } => "game on 64 squares",
    };
    format!("{reason}; --format tbl takes any {taken}")
}

/// Names the tables that have no Syzygy files, and why.
pub(crate) fn tell_refused(
    console: &mut Console<'_>,
    variant: &Variant,
    reasons: &[NotInSyzygy],
) -> Outcome<()> {
    let told = |reason| format!("passed over: {}", refused(variant, reason));
    reasons.iter().try_for_each(|reason| console.tell(&told(reason)))
}

/// Lists the longest wins and losses of all tables of a folder.
fn longest(console: &mut Console<'_>, args: &ExportArgs) -> Outcome<()> {
    let (mut tables, faults) = TableFigures::of_folder(&args.tables)?;
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault.into());
    }
    tables.retain(|TableFigures { statistics, .. }| {
        let name = &statistics.material;
        let is_named = args.table.is_empty() || args.table.contains(name);
        // A name has a letter for each man and one between the sides.
        let is_small = args.men.is_none_or(|n_men| name.len() <= n_men + 1);
        is_named && is_small && args.metric.is_none_or(|metric| statistics.metric == metric.name())
    });
    if tables.is_empty() {
        return Err(Failure::new(format!("{} has no such tables", args.tables.display())));
    }
    let mut list = Report::new("table|metric|to_move|result|plies|positions|positions_board|fen");
    for TableFigures { statistics, .. } in &tables {
        for stm in Side::BOTH {
            let side = statistics.side(stm);
            for (result, longest) in [("win", &side.longest_win), ("loss", &side.longest_loss)] {
                let Some(longest) = longest else { continue };
                let to_move = stm.to_string().to_lowercase();
                let count = longest.count;
                let [ply, orbits, board] =
                    [longest.ply.into(), count.orbits, count.unreduced].map(|number: u64| number.to_string());
                let (material, metric) = (&statistics.material, &statistics.metric);
                list.row([material, metric, &to_move, result, &ply, &orbits, &board, &longest.fen]);
            }
        }
    }
    // Takes away what runs have left that were killed.
    let _lock = FolderLock::new(&args.out)?;
    let path = args.out.join(LONGEST);
    format::write_atomically(&path, &[list.csv().as_bytes()])?;
    Ok(writeln!(console.out, "{} in {}", plural(tables.len() as u64, "table"), path.display())?)
}
