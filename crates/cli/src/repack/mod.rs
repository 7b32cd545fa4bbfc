//! `repack`: packs the files of finished tables in another way.

mod args;

use crate::console::Console;
use crate::game::Game;
use crate::pool::pool;
use crate::progress::Watch;
use crate::{Answer, Failure, Outcome, interrupt};
use build::{FolderLock, Repacked, Repacking};
use format::{Packing, parse_file_name};
use index::Size;
use library::figure::{bytes, plural, seconds};
use library::{MemoryLimit, table_files};
use std::path::PathBuf;
use std::time::Instant;
use variant::{Material, Metric};

pub(crate) use args::RepackArgs;

pub(crate) fn run(console: &mut Console<'_>, args: &RepackArgs) -> Outcome {
    interrupt::announce("files that were packed stay so, all others are as they were: run it again to go on");
    let folder = &args.tables;
    if !folder.is_dir() {
        return Err(Failure::new(format!("there is no folder {}", folder.display())));
    }
    let game = Game::of_folder(args.variant.as_deref(), folder)?;
    game.tell_tables(console, &args.table)?;
    let wanted = wanted(&game, args)?;
    if wanted.is_empty() {
        return Err(Failure::new(format!(
            "{} has no such tables of {}",
            folder.display(),
            game.variant.name
        )));
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
    let (mut n_done, mut n_interim, mut sizes) = (0, 0, [0; 2]);
    for wanted in &wanted {
        let (begin, name) = (Instant::now(), wanted.path.file_name().unwrap_or_default().to_string_lossy());
        let watching = watch.begin(&name, n_values(wanted));
        let show = |done, total| watching.show(done, total);
        match pool.install(|| repacking.file(&wanted.material, wanted.metric, &show))? {
            Repacked::Already => {}
            Repacked::Interim => n_interim += 1,
            Repacked::Done { before_bytes, after_bytes } => {
                n_done += 1;
                sizes = [sizes[0] + before_bytes, sizes[1] + after_bytes];
                let (before, after) = (bytes(before_bytes), bytes(after_bytes));
                let line = format!("{name}: {before}, now {after}, {}", seconds(begin.elapsed()));
                watch.beside(|| writeln!(console.out, "{line}").and_then(|()| console.out.flush()))?;
            }
        }
        watching.finish_silently();
    }
    watch.close();
    if n_interim > 0 {
        console.tell(&format!(
            "{} of a run that has not ended were passed over; let it go on, then repack again",
            plural(n_interim, "file")
        ))?;
    }
    let [before, after] = sizes.map(bytes);
    let (files, time) = (plural(n_done, "file"), seconds(begin.elapsed()));
    let others = match wanted.len() as u64 - n_done - n_interim {
        0 => String::new(),
        n => format!("; {} packed so already", if n == 1 { "1 was".into() } else { format!("{n} were") }),
    };
    writeln!(console.out, "{files} in {}: {before}, now {after} ({time}){others}", folder.display())?;
    Ok(Answer::Yes)
}

/// A file that is asked for.
struct Wanted {
    path: PathBuf,
    material: Material,
    metric: Metric,
}

/// The files of a folder that are asked for, by name.
fn wanted(game: &Game, args: &RepackArgs) -> Result<Vec<Wanted>, Failure> {
    let only = args.table.as_ref().map(|name| game.material(name)).transpose()?;
    let wanted = |path: PathBuf| {
        let (name, metric) = parse_file_name(path.file_name()?.to_str()?, game.variant.default_metric)?;
        // A file of another name is no table, and none of ours to complain of.
        let (material, metric) = (Material::parse(&game.variant, name).ok()?, metric.ok()?);
        let is_table = material.is_canonical(&game.variant) && material.n_men() <= index::MAX_MEN;
        let is_named = match (args.men, &only) {
            (None, None) => true,
            (men, only) => {
                men.is_some_and(|n_men| material.n_men() <= n_men) || only.as_ref() == Some(&material)
            }
        };
        let is_meant = is_named && (args.metric.is_empty() || args.metric.contains(&metric));
        (is_table && is_meant).then_some(Wanted { path, material, metric })
    };
    Ok(table_files(&args.tables)?.into_iter().filter_map(wanted).collect())
}
