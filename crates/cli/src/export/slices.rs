//! `export FILE.tss --format tbl`: writes the slices of a structure as flat files.

use super::args::{ExportArgs, ExportFormat};
use crate::structure::for_each_known;
use crate::{Console, Failure, Game, Outcome, Thing, bytes, count, interrupt, plural, pool, seconds};
use ::export::flat::{FlatOptions, Form, write};
use ::structure::SolvedStructure;
use build::FolderLock;
use library::{PROGRAM, open_structure};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;
use variant::{Material, Metric};

/// Writes a file for each slice of a structure of which every value is known exactly.
pub(super) fn run(console: &mut Console<'_>, args: &ExportArgs) -> Outcome<()> {
    let form = match args.format {
        ExportFormat::Tbl => Form::Distances,
        ExportFormat::Tbc => Form::Wdl,
        _ => {
            let path = args.tables.display();
            return Err(Failure::new(format!(
                "{path} has slices, which have files in two formats: --format tbl and --format tbc"
            )));
        }
    };
    if args.one_file {
        return Err(Failure::new(
            "--one-file is for whole tables: each slice of a structure has its own file",
        ));
    }
    let game: Game = Thing::Structure.game(&args.tables, args.variant.as_deref())?;
    let structure = open_structure(&args.tables, &game.variant, &[])?;
    let own = structure.metric();
    let held = args.held(form, own);
    if held != own && held != Metric::Wdl {
        let path = args.tables.display();
        return Err(Failure::new(format!("{path} has {own} and no {held}: leave --metric out")));
    }
    form.check(&game.variant, held)?;
    let wanted = wanted(args, &game, &structure)?;
    let (pool, lock) = (pool(args.threads)?, FolderLock::new(&args.out)?);
    lock.check_writable()?;
    game.leave_rules(&lock)?;
    let (variant, begun) = (&game.variant, Instant::now());
    let (mut n_files, mut n_bytes, mut passed_over) = (0, 0, Vec::new());
    let mut begin = Instant::now();
    let is_wanted = |name: &str| wanted.contains(name);
    for_each_known(console, &pool, &[Arc::new(structure)], is_wanted, |_, known, job, out| {
        let name = known.table.layout().name();
        if interrupt::is_asked_for() {
            return Err(Failure::new("interrupted; the files that are finished stay"));
        }
        if known.n_open > 0 {
            passed_over.push(format!("{name} ({} placements)", count(known.n_open)));
            return Ok(ControlFlow::Continue(()));
        }
        let options = FlatOptions {
            form,
            wide: args.wide,
            packed: args.gz,
            one_file: false,
            slices: true,
            built: &format!("{PROGRAM}, solver {}", solve::VERSION),
            dependencies: &[],
        };
        let written = write(&args.out, variant, held, &known.table, &options)?;
        (n_files, n_bytes) = (n_files + written.n_files, n_bytes + written.n_bytes);
        let files = plural(written.n_files, "file");
        let line = format!("{name}: {files}, {}, {}", bytes(written.n_bytes), seconds(begin.elapsed()));
        job.watch.beside(|| writeln!(out, "{line}"))?;
        begin = Instant::now();
        Ok(ControlFlow::Continue(()))
    })?;
    if !passed_over.is_empty() {
        let names = passed_over.join(", ");
        console.tell(&format!(
            "passed over, because a bound is all that is known of some placements: {names}"
        ))?;
    }
    let (out, files, size) = (args.out.display(), plural(n_files, "file"), bytes(n_bytes));
    Ok(writeln!(console.out, "{files} of {held} in {out}: {size} ({})", seconds(begun.elapsed()))?)
}

/// The names of a structure's tables that are asked for, in their own colours; all of them if none is named.
fn wanted(args: &ExportArgs, game: &Game, structure: &SolvedStructure) -> Outcome<BTreeSet<String>> {
    let variant = &game.variant;
    let mut all = Vec::new();
    for (name, ..) in structure.tables() {
        let material = Material::parse(variant, name)?;
        if args.men.is_none_or(|n_men| material.n_men() <= n_men) {
            all.push((material.canonical(variant), name.to_owned()));
        }
    }
    if args.table.is_empty() {
        return Ok(all.into_iter().map(|(_, name)| name).collect());
    }
    let mut wanted = BTreeSet::new();
    for name in &args.table {
        let asked = Material::parse(variant, name)?.canonical(variant);
        let mut own = all.iter().filter(|(material, _)| *material == asked).map(|(_, name)| name).peekable();
        if own.peek().is_none() {
            let names: BTreeSet<&str> = all.iter().map(|(_, name)| name.as_str()).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            return Err(Failure::new(format!("{} has no {name}, it has {names}", args.tables.display())));
        }
        wanted.extend(own.cloned());
    }
    Ok(wanted)
}
