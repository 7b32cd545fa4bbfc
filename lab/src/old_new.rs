//! Runs `cargo xtask lab old-new`: compares the values and the speed of this source tree with those of an
//! older one.
//!
//! ```text
//!   the reference commit ─ git worktree ─► old ─┐   all tables of chess, random games:
//!   this source tree ───────────────────► new ─┴─►  solve, `stats --hash`, hash by hash
//!                                                    and both timed in turn, so that other work on the
//!                                                    machine touches both alike
//! ```
//!
//! Both are compiled with one profile, as .cargo/config.toml has it here.

use crate::fuzz_rules::{Case, game, variant_file};
use crate::process;
use anyhow::Result;
use position::RuleBook;
use proof::random_position;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use variant::{Metric, Variant};
use xtask::program::{cargo, output, succeed};
use xtask::root;

/// The tree that every part of the program is measured against: the last one before its parts were moved. It
/// has `stats --hash` already.
const REFERENCE: &str = "d20c5f15";

/// How many positions are asked for in one go.
const N_POSITIONS: u64 = 20_000;

/// The trees and the tables that are compared.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The tables of chess: of N men and fewer
    #[arg(long = "men", value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(3..=6))]
    n_men: u8,
    /// How many random games, one table of each with all that it leads to
    #[arg(long = "rules", value_name = "N", default_value_t = 200)]
    n_rules: u64,
    /// The seed of the first of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How often each time is taken, of which the least counts; 0 for none
    #[arg(long = "rounds", value_name = "N", default_value_t = 3)]
    n_rounds: u32,
    /// The old tree: a commit or a tag
    #[arg(long, value_name = "COMMIT", default_value = REFERENCE)]
    old: String,
    /// The profile that both are compiled with
    #[arg(long, default_value = "quick")]
    profile: String,
}

/// The program of one tree, and a folder for what it writes.
struct Tree {
    program: PathBuf,
    folder: PathBuf,
}

/// Compares both; returns whether all hashes are equal.
///
/// # Errors
/// A tree cannot be compiled, or a command fails.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let home = root().join("target/old-new");
    let commit = git(&["rev-parse", "--short=12", &format!("{}^{{commit}}", options.old)])?;
    println!("old is {commit}, new is this source tree, both by the profile {}", options.profile);
    let old_tree = home.join(&commit);
    if !old_tree.exists() {
        git(&["worktree", "prune"])?;
        git(&["worktree", "add", "--detach", &old_tree.display().to_string(), &commit])?;
    }
    let trees = [
        Tree::compiled("old", &old_tree, &home.join("target"), &options.profile)?,
        Tree::compiled("new", root(), &root().join("target"), &options.profile)?,
    ];
    let mut table = vec!["| what | old | new | |".to_owned(), "| --- | ---: | ---: | --- |".to_owned()];
    let chess = root().join("variants/fide.toml");
    let mut hashes = Hashes::default();
    hashes.compare(&trees, &chess, &["--men", &options.n_men.to_string()])?;
    table.push(format!("| values of chess, {} men and fewer | {hashes} |", options.n_men));
    let (mut of_random, mut n_games) = (Hashes::default(), 0);
    for seed in options.seed..options.seed.saturating_add(options.n_rules) {
        let case = Case::random(seed, &game(seed, false), None, Metric::Dtm);
        // Some movements and some pawns are beyond what files can say.
        let Some(text) = variant_file::exact(&case.variant, &case.material) else { continue };
        // The reference restores squares that a board lacks in another way: its hashes of such boards differ.
        if !case.variant.board.holes().is_empty() {
            continue;
        }
        let rules = home.join("random.toml");
        fs_err::write(&rules, text)?;
        // The reference has no other metrics yet.
        let other = Case::other_metric(seed);
        let other = if Metric::OF_CONTEST.contains(&other) { other } else { Metric::Wdl };
        let metrics = format!("{},{other}", Metric::Dtm);
        let name = case.material.name(&case.variant);
        of_random.compare(&trees, &rules, &["--table", &name, "--metric", &metrics])?;
        n_games += 1;
    }
    table.push(format!("| values of {n_games} of {} random games | {of_random} |", options.n_rules));
    if options.n_rounds > 0 {
        table.extend(times(&trees, &chess, &home, options.n_rounds)?);
    }
    table.iter().chain(&hashes.different).chain(&of_random.different).for_each(|line| println!("{line}"));
    let n_different = hashes.different.len() + of_random.different.len();
    Ok(n_different == 0 && hashes.n_equal + of_random.n_equal > 0)
}

impl Tree {
    /// Compiles the workbench of a source tree into a folder, as both of its commands are compiled.
    fn compiled(name: &str, tree: &Path, target: &Path, profile: &str) -> Result<Self> {
        let mut build = cargo();
        build.args(["build", "--quiet", "--profile", profile, "--package", "xtask", "--target-dir"]);
        succeed(build.arg(target).current_dir(tree))?;
        // The one profile whose folder has another name.
        let folder = if profile == "dev" { "debug" } else { profile };
        let program = target.join(folder).join("xtask").with_extension(std::env::consts::EXE_EXTENSION);
        Ok(Tree { program, folder: root().join(format!("target/old-new/{name}-tables")) })
    }

    /// Solves into an empty folder.
    fn solve(&self, rules: &Path, wanted: &[&str]) -> Result<()> {
        drop(fs_err::remove_dir_all(&self.folder));
        output(&mut process::solve(&self.program, rules, wanted, &self.folder)).map(drop)
    }
}

/// How many hashes of tables are equal, and those that are not.
#[derive(Default)]
struct Hashes {
    n_equal: usize,
    different: Vec<String>,
}

impl fmt::Display for Hashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n_equal, n_different) = (self.n_equal, self.different.len());
        let word = if n_different == 0 { "equal" } else { "DIFFERENT" };
        write!(f, "{} hashes | {n_equal} of them equal | {word}", n_equal + n_different)
    }
}

impl Hashes {
    /// Has both trees solve the tables that are wanted, and compares the hashes of all files.
    fn compare(&mut self, trees: &[Tree; 2], rules: &Path, wanted: &[&str]) -> Result<()> {
        let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for tree in trees {
            tree.solve(rules, wanted)?;
            let mut stats = Command::new(&tree.program);
            let text = output(stats.args(["stats", "--hash", "--variant"]).arg(rules).arg(&tree.folder))?;
            for (hash, file) in text.lines().filter_map(|line| line.split_once("  ")) {
                files.entry(column(file)).or_default().push(hash.to_owned());
            }
        }
        for (file, hashes) in files {
            match &hashes[..] {
                [old, new] if old == new => self.n_equal += 1,
                other => self.different.push(format!("{wanted:?} {file}: {}", other.join(" and "))),
            }
        }
        Ok(())
    }
}

/// The column that a hash is of, as either tree names it: `KQvK.tsm dtz50`, or `KQvK.dtz50.tsm`, in which the
/// games' own metric has no name.
fn column(file: &str) -> String {
    let (file, metric) = file.split_once(' ').unwrap_or((file, ""));
    match file.split('.').collect::<Vec<&str>>()[..] {
        [table, "tsm"] if metric.is_empty() => format!("{table} {}", Metric::Dtm),
        [table, "tsm"] => format!("{table} {metric}"),
        [table, metric, "tsm"] => format!("{table} {metric}"),
        _ => file.to_owned(),
    }
}

/// What a tree is timed at.
type Timed<'a> = dyn Fn(&Tree) -> Result<()> + 'a;

/// A row for each command that is timed: the least time of each tree, and their ratio.
fn times(trees: &[Tree; 2], chess: &Path, home: &Path, n_rounds: u32) -> Result<Vec<String>> {
    let fens = home.join("positions.fen");
    fs_err::write(&fens, positions())?;
    let five_men = |tree: &Tree| tree.solve(chess, &["--table", "KBBvKN"]);
    let four_men = |tree: &Tree| tree.solve(chess, &["--men", "4"]);
    let probe = |tree: &Tree| {
        let mut probe = Command::new(&tree.program);
        probe.args(["probe", "--stdin", "--value-only", "--variant"]).arg(chess).arg("--tables");
        output(probe.arg(&tree.folder).stdin(fs_err::File::open(&fens)?.into_file())).map(drop)
    };
    // The positions are asked for in the tables that the row before has solved.
    let rows: [(&str, &Timed<'_>); 3] = [
        ("solve KBBvKN and what it leads to", &five_men),
        ("solve the 35 tables of 3 and 4 men", &four_men),
        ("probe --stdin, 20,000 positions", &probe),
    ];
    let mut lines = Vec::new();
    for (name, command) in rows {
        let mut least = [Duration::MAX; 2];
        for round in 0..n_rounds as usize {
            // Each tree begins every second round.
            for which in [round % 2, 1 - round % 2] {
                let begun = Instant::now();
                command(&trees[which])?;
                least[which] = least[which].min(begun.elapsed());
            }
        }
        let [old, new] = least.map(|time| time.as_secs_f64());
        lines.push(format!("| {name} | {old:.2} s | {new:.2} s | {:.2} × |", new / old));
    }
    Ok(lines)
}

/// Positions of four men and fewer, a line each.
fn positions() -> String {
    let variant = Variant::chess();
    let book = RuleBook::new(&variant);
    let position = |seed| random_position(&variant, 3 + seed as usize % 2, seed as usize / 2 % 2, seed);
    (0..N_POSITIONS).filter_map(position).map(|position| position.to_fen(&book) + "\n").collect()
}

fn git(args: &[&str]) -> Result<String> {
    Ok(output(Command::new("git").args(args).current_dir(root()))?.trim().to_owned())
}
