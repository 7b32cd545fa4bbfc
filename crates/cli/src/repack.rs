//! `repack`: packs the columns of finished tables in another way, or copies some of them into another folder.

use crate::args::Chosen;
use crate::{Console, Failure, Game, Outcome, Watch, bytes, interrupt, plural, pool, seconds};
use build::{FolderLock, Repacked, Repacking, TableLease};
use format::{BlockCache, Packing, Summary, TableFile, copy_column, file_name};
use index::Size;
use library::{MemoryLimit, TableColumn, columns_in};
use rights::RightsFile;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;
use std::time::Instant;
use variant::Metric;

/// Pack the columns of finished tables in another way, or copy some of them into another folder; no table is
/// solved again
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("way").required(true).args(["small", "quick", "columns"]))]
pub(crate) struct RepackArgs {
    /// The folder of the tables
    pub(crate) tables: PathBuf,
    /// Small files: two fifths smaller, and slower to write and of dtm to read
    #[arg(long)]
    pub(crate) small: bool,
    /// Quick files, as solve makes them
    #[arg(long)]
    pub(crate) quick: bool,
    /// Copy the columns of these metrics, such as wdl or wdl,dtz50, as they are: results on a fast disk,
    /// distances on a large one
    #[arg(long, value_name = "METRICS", value_delimiter = ',', requires = "out")]
    pub(crate) columns: Vec<Metric>,
    /// Where the columns go, beside those that its files have
    #[arg(long, value_name = "DIR", requires = "columns")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) wanted: Chosen,
    /// Only columns of these metrics, such as wdl,dtz50 [default: all]
    #[arg(long, value_name = "METRICS", value_delimiter = ',', conflicts_with = "columns")]
    pub(crate) metric: Vec<Metric>,
    /// The rules of the game [default: those of the game of the tables, from variants/, beside the tables,
    /// or built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Option<PathBuf>,
    /// How many threads compute [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// How much memory a table may take, such as 4G or 800M [default: what the machine has left]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::parse_size)]
    pub(crate) memory: Option<u64>,
}

pub(crate) fn run(console: &mut Console<'_>, args: &RepackArgs) -> Outcome<()> {
    interrupt::announce("columns that are done stay so, all others are as they were: run it again to go on");
    let folder = &args.tables;
    Failure::of_absent(folder)?;
    let game = Game::of_folders(args.variant.as_deref(), &[folder.into()])?;
    game.tell_tables(console, &args.wanted.table)?;
    let wanted = wanted(&game, args)?;
    if wanted.is_empty() {
        let (folder, name) = (folder.display(), &game.variant.name);
        return Err(Failure::new(format!("{folder} has no such tables of {name}")));
    }
    if let Some(out) = &args.out {
        return copy(console, &game, &wanted, out);
    }
    let lock = FolderLock::new(folder)?;
    lock.check_writable()?;
    let packing = if args.small { Packing::Small } else { Packing::Quick };
    let repacking = Repacking::new(&lock, &game.variant, packing, MemoryLimit::new(args.memory));
    let pool = pool(args.threads)?;
    let watch = Watch::new(console.is_watched, &mut *console.err);
    let n_values = |wanted: &TableColumn| Size::new(&game.variant, &wanted.material).n_placements();
    watch.start(wanted.len(), wanted.iter().map(n_values).sum());
    let begin = Instant::now();
    let (mut n_done, mut n_untrimmed, mut sizes) = (0, 0, [0; 2]);
    let pack = |wanted: &TableColumn| {
        let (begin, name) = (Instant::now(), shown(&game, wanted));
        let watching = watch.begin(&name, n_values(wanted));
        let show = |done, total| watching.show(done, total);
        match pool.install(|| repacking.file(&wanted.material, wanted.column.metric, &show))? {
            Repacked::Already => {}
            Repacked::Untrimmed => n_untrimmed += 1,
            Repacked::Done { before_bytes, after_bytes } => {
                n_done += 1;
                sizes = [sizes[0] + before_bytes, sizes[1] + after_bytes];
                let (before, after) = (bytes(before_bytes), bytes(after_bytes));
                let line = format!("{name}: {before}, now {after}, {}", seconds(begin.elapsed()));
                watch.print(&mut *console.out, &line)?;
            }
        }
        watching.finish_silently();
        Ok::<_, Failure>(())
    };
    watch.during(|| wanted.iter().try_for_each(pack))?;
    drop(watch);
    if n_untrimmed > 0 {
        console.tell(&format!(
            "{} of a run that has not ended were passed over; let it go on, then repack again",
            plural(n_untrimmed, "column")
        ))?;
    }
    let [before, after] = sizes.map(bytes);
    let (columns, time) = (plural(n_done, "column"), seconds(begin.elapsed()));
    let others = others(wanted.len() as u64 - n_done - n_untrimmed, "packed so");
    Ok(writeln!(console.out, "{columns} in {}: {before}, now {after} ({time}){others}", folder.display())?)
}

/// What is said of columns for which there was nothing to do; nothing if there are none.
fn others(n: u64, what: &str) -> String {
    match n {
        0 => String::new(),
        1 => format!("; 1 was {what} already"),
        _ => format!("; {n} were {what} already"),
    }
}

/// A column as people read it: `KQvK.tsm dtz50`, or the file alone if it is of the game's own metric.
fn shown(game: &Game, own: &TableColumn) -> String {
    let name = own.path.file_name().unwrap_or_default().to_string_lossy();
    let is_own = own.column == game.variant.default_metric.into();
    if is_own { name.into_owned() } else { format!("{name} {}", own.column) }
}

/// Copies columns into the files of another folder.
fn copy(console: &mut Console<'_>, game: &Game, wanted: &[TableColumn], out: &Path) -> Outcome<()> {
    let lock = FolderLock::new(out)?;
    lock.check_writable()?;
    game.leave_rules(&lock)?;
    let begin = Instant::now();
    let watch = Watch::new(console.is_watched, &mut *console.err);
    watch.start(wanted.len(), wanted.len() as u64);
    let (mut n_copied, mut n_bytes) = (0, 0);
    let copy = |own: &TableColumn| {
        let to = out.join(file_name(&own.material.name(&game.variant)));
        let watching = watch.begin(&shown(game, own), 1);
        let read = |path: &Path| Summary::read(path, own.column);
        let (here, there) = (read(&own.path)?, read(&to).ok());
        let is_there = |there: &Summary| (there.content, there.is_small) == (here.content, here.is_small);
        let (variant, column) = (&game.variant, own.column);
        let is_whole = || match column.has_rights {
            true => RightsFile::open(&to, variant, &own.material, column.metric)
                .is_ok_and(|file| file.tables().is_ok()),
            false => TableFile::open_of(&to, variant, column, Arc::new(BlockCache::new(0)))
                .is_ok_and(|file| file.verify_checksums().is_ok()),
        };
        if !(there.as_ref().is_some_and(is_there) && is_whole()) {
            let Ok(_lease) = TableLease::try_new(&to)? else {
                let why = "another process is writing it; run this again when that has ended";
                return Err(Failure::new(format!("{}: {why}", to.display())));
            };
            let written = copy_column(&own.path, &to, own.column)?;
            (n_copied, n_bytes) = (n_copied + 1, n_bytes + written.size_bytes);
        }
        watching.finish_silently();
        Ok::<_, Failure>(())
    };
    watch.during(|| wanted.iter().try_for_each(copy))?;
    drop(watch);
    let (columns, size, time) = (plural(n_copied, "column"), bytes(n_bytes), seconds(begin.elapsed()));
    let others = others(wanted.len() as u64 - n_copied, "there");
    Ok(writeln!(console.out, "{columns} copied into {}: {size} ({time}){others}", out.display())?)
}

/// The columns of a folder that are asked for.
fn wanted(game: &Game, args: &RepackArgs) -> Outcome<Vec<TableColumn>> {
    let only = args.wanted.only(&game.variant)?;
    let metrics = if args.out.is_some() { &args.columns } else { &args.metric };
    let is_meant = |own: &TableColumn| {
        args.wanted.has(&own.material, only.as_ref())
            && (own.column.is_whole_table() || args.out.is_some())
            && (metrics.is_empty() || metrics.contains(&own.column.metric))
    };
    Ok(columns_in(slice::from_ref(&args.tables), &game.variant)?.into_iter().filter(is_meant).collect())
}
