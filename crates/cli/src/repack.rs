//! `repack`: packs the files of finished tables in another way.

use crate::args::Chosen;
use crate::{Console, Failure, Game, Outcome, Watch, bytes, interrupt, plural, pool, seconds};
use build::{FolderLock, Repacked, Repacking};
use format::{Packing, parse_file_name};
use index::Size;
use library::{MemoryLimit, table_files};
use std::path::PathBuf;
use std::time::Instant;
use variant::{Material, Metric};

/// Pack the files of finished tables in another way, without solving the tables again
#[derive(clap::Args, Debug)]
#[command(group = clap::ArgGroup::new("way").required(true).args(["small", "quick"]))]
pub(crate) struct RepackArgs {
    /// The folder of the tables
    pub(crate) tables: PathBuf,
    /// Small files: two fifths smaller, and slower to write and of dtm to read
    #[arg(long)]
    pub(crate) small: bool,
    /// Quick files, as solve makes them
    #[arg(long)]
    pub(crate) quick: bool,
    #[command(flatten)]
    pub(crate) wanted: Chosen,
    /// Only files of these metrics, such as wdl,dtz50 [default: all]
    #[arg(long, value_name = "METRICS", value_delimiter = ',')]
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
    interrupt::announce("files that were packed stay so, all others are as they were: run it again to go on");
    let folder = &args.tables;
    Failure::of_absent(folder)?;
    let game = Game::of_folders(args.variant.as_deref(), &[folder.into()])?;
    game.tell_tables(console, &args.wanted.table)?;
    let wanted = wanted(&game, args)?;
    if wanted.is_empty() {
        let (folder, name) = (folder.display(), &game.variant.name);
        return Err(Failure::new(format!("{folder} has no such tables of {name}")));
    }
    let lock = FolderLock::new(folder)?;
    lock.check_writable()?;
    let packing = if args.small { Packing::Small } else { Packing::Quick };
    let repacking = Repacking::new(&lock, &game.variant, packing, MemoryLimit::new(args.memory));
    let pool = pool(args.threads)?;
    let watch = Watch::new(console.is_watched, &mut *console.err);
    let n_values = |wanted: &Wanted| Size::new(&game.variant, &wanted.material).n_placements();
    watch.start(wanted.len(), wanted.iter().map(n_values).sum());
    let begin = Instant::now();
    let (mut n_done, mut n_untrimmed, mut sizes) = (0, 0, [0; 2]);
    let pack = |wanted: &Wanted| {
        let (begin, name) = (Instant::now(), wanted.path.file_name().unwrap_or_default().to_string_lossy());
        let watching = watch.begin(&name, n_values(wanted));
        let show = |done, total| watching.show(done, total);
        match pool.install(|| repacking.file(&wanted.material, wanted.metric, &show))? {
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
            plural(n_untrimmed, "file")
        ))?;
    }
    let [before, after] = sizes.map(bytes);
    let (files, time) = (plural(n_done, "file"), seconds(begin.elapsed()));
    let others = match wanted.len() as u64 - n_done - n_untrimmed {
        0 => String::new(),
        n => format!("; {} packed so already", if n == 1 { "1 was".into() } else { format!("{n} were") }),
    };
    Ok(writeln!(console.out, "{files} in {}: {before}, now {after} ({time}){others}", folder.display())?)
}

/// A file that is asked for.
struct Wanted {
    path: PathBuf,
    material: Material,
    metric: Metric,
}

/// The files of a folder that are asked for, by name.
fn wanted(game: &Game, args: &RepackArgs) -> Outcome<Vec<Wanted>> {
    let only = args.wanted.only(&game.variant)?;
    let wanted = |path: PathBuf| {
        let (name, metric) = parse_file_name(path.file_name()?.to_str()?, game.variant.default_metric)?;
        // A file of another name is no table, and none of ours to complain of.
        let (material, metric) = (Material::parse(&game.variant, name).ok()?, metric.ok()?);
        let is_table = material.is_canonical(&game.variant) && material.n_men() <= index::MAX_MEN;
        let is_meant = args.wanted.has(&material, only.as_ref())
            && (args.metric.is_empty() || args.metric.contains(&metric));
        (is_table && is_meant).then_some(Wanted { path, material, metric })
    };
    Ok(table_files(&args.tables)?.into_iter().filter_map(wanted).collect())
}
