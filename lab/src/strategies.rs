//! Runs `cargo xtask lab strategies`: solves tables in every way that there is, and compares the files.
//!
//! Values never depend on the way: in memory or by a log on the disk, with planes there or not, with what is
//! below a table handed on in memory or read from files, by one thread or two. Each way is a run of its own,
//! and all files of a folder are compared byte by byte with those of the first. `torture` kills such runs.

use crate::process::solve;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xtask::program::output;
use xtask::root;

/// Tables of games: with and without pawns, with other rules, and of six and seven men on small boards.
const CASES: &[(&str, &str)] = &[
    ("lab/rules/square", "KRRvKNN KBBvKNN KRBvKNN KRNNvKR KRRNvKRR KRRNvKNN"),
    ("lab/rules/oblong", "KRRvKNN KRPvKR KPPvKP KNNvKP"),
    ("variants/fide", "KQvKR KPvKP KNNvK"),
    ("variants/atomic", "KQvKP KRvKN"),
    ("variants/antichess", "KQvR RRvK"),
    ("variants/losers", "KRvKN"),
];
const METRICS: &str = "wdl,dtc,dtz50,dtm";

/// The ways to solve tables, and whether the last table is solved by itself, from files. All are compared
/// with the first.
const WAYS: &[(bool, &str)] = &[
    (false, "--strategy memory --threads 2"),
    (false, "--strategy memory --threads 1"),
    (false, "--strategy log --threads 2"),
    (false, "--strategy disk --threads 2"),
    (true, "--strategy memory --threads 2"),
    (true, "--strategy log --threads 1"),
    (true, "--strategy blocks --threads 2"),
];

/// The tables that are solved.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Rules of one's own
    #[arg(long, value_name = "FILE", requires = "tables")]
    variant: Option<PathBuf>,
    /// A table of these rules; may be repeated
    #[arg(long = "table", value_name = "MATERIAL", requires = "variant")]
    tables: Vec<String>,
    /// The metrics
    #[arg(long = "metric", value_delimiter = ',', default_value = METRICS)]
    metrics: Vec<String>,
}

/// Solves all tables in all ways; whether all files are the same.
///
/// # Errors
/// A run fails, or files cannot be read.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let named = |(rules, tables): &(&str, &'static str)| {
        (root().join(rules).with_extension("toml"), tables.split(' ').collect())
    };
    let cases: Vec<(PathBuf, Vec<&str>)> = match &options.variant {
        Some(rules) => vec![(rules.clone(), options.tables.iter().map(String::as_str).collect())],
        None => CASES.iter().map(named).collect(),
    };
    let (mut n_files, mut n_different) = (0, 0);
    for (rules, tables) in &cases {
        for table in tables {
            for metric in &options.metrics {
                let wanted = ["--table", table, "--metric", metric, "--both-sides"];
                let compared = Comparison { rules, wanted, folder: folder.path() }.run()?;
                n_files += compared.0;
                n_different += compared.1;
            }
        }
    }
    println!("{n_files} files compared with those of the first way, {n_different} different");
    Ok(n_different == 0 && n_files > 0)
}

/// One table under one metric.
struct Comparison<'a> {
    rules: &'a Path,
    wanted: [&'a str; 5],
    folder: &'a Path,
}

impl Comparison<'_> {
    /// How many files were compared, and how many of them were different.
    fn run(&self) -> Result<(usize, usize)> {
        let begin = Instant::now();
        let mut first: Option<BTreeMap<String, Vec<u8>>> = None;
        let (mut n_files, mut n_different) = (0, 0);
        for (number, (is_from_files, words)) in WAYS.iter().enumerate() {
            let out = self.folder.join(format!("way-{number}"));
            first.as_ref().filter(|_| *is_from_files).map_or(Ok(()), |files| copy_below(files, &out))?;
            let all: Vec<&str> = self.wanted.into_iter().chain(words.split(' ')).collect();
            output(&mut solve(&std::env::current_exe()?, self.rules, &all, &out))?;
            let own = files_of(&out)?;
            fs_err::remove_dir_all(&out)?;
            let Some(expected) = &first else {
                first = Some(own);
                continue;
            };
            n_files += expected.len();
            let mut different: Vec<&String> =
                own.keys().filter(|name| !expected.contains_key(*name)).collect();
            different.extend(expected.keys().filter(|name| own.get(*name) != expected.get(*name)));
            n_different += different.len();
            different.iter().for_each(|name| println!("WRONG: {name}, {words}"));
        }
        let (game, seconds) = (self.rules.file_stem().unwrap_or_default().display(), begin.elapsed());
        let [_, table, _, metric, _] = self.wanted;
        let seconds = seconds.as_secs_f64();
        println!("{game} {table} {metric}: {n_files} files, {n_different} different, {seconds:.1} s");
        Ok((n_files, n_different))
    }
}

/// Puts the files of all tables but the last one, the largest, into a folder.
fn copy_below(files: &BTreeMap<String, Vec<u8>>, out: &Path) -> Result<()> {
    fs_err::create_dir_all(out)?;
    let men = |name: &str| name.split('.').next().unwrap_or_default().len();
    let most = files.keys().map(|name| men(name)).max().unwrap_or(0);
    let mut below = files.iter().filter(|(name, _)| men(name) < most);
    Ok(below.try_for_each(|(name, bytes)| fs_err::write(out.join(name), bytes))?)
}

/// The tables of a folder.
fn files_of(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let file = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, fs_err::read(&path)?))
    };
    library::table_files(folder)?.into_iter().map(file).collect()
}
