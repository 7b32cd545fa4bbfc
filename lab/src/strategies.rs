//! Runs `cargo xtask lab strategies`: solves tables in every way that there is, and compares the files.
//!
//! Values never depend on the way: in memory or by a log on the disk, with planes there or not, with what is
//! below a table handed on in memory or read from files, by one thread or two, killed and gone on with. Each
//! way is a run of its own, and all files of a folder are compared byte by byte with those of the first.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often a run is killed.
const N_KILLS: u32 = 12;

/// Tables of a game.
struct Case {
    /// Rules of the project, by the name of their file, or text.
    rules: Rules,
    tables: &'static [&'static str],
}

enum Rules {
    File(&'static str),
    Text(&'static str),
}

/// Boards on which six and seven men are small: like men on both sides, symmetries of a square, and none.
const SQUARE: &str = "name = \"square\"\nboard = { files = 4, ranks = 4 }\n\
    [[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
    [[piece]]\nletter = \"Q\"\nbetza = \"Q\"\n[[piece]]\nletter = \"R\"\nbetza = \"R\"\n\
    [[piece]]\nletter = \"B\"\nbetza = \"B\"\n[[piece]]\nletter = \"N\"\nbetza = \"N\"\n";
const OBLONG: &str = "name = \"oblong\"\nboard = { files = 4, ranks = 5 }\n\
    [[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
    [[piece]]\nletter = \"Q\"\nbetza = \"Q\"\n[[piece]]\nletter = \"R\"\nbetza = \"R\"\n\
    [[piece]]\nletter = \"N\"\nbetza = \"N\"\n\
    [[piece]]\nletter = \"P\"\nbetza = \"fmWfcF\"\npawn = { promotes-to = [\"Q\", \"N\"] }\n";

const CASES: &[Case] = &[
    Case {
        rules: Rules::Text(SQUARE),
        tables: &["KRRvKNN", "KBBvKNN", "KRBvKNN", "KRNNvKR", "KRRNvKRR", "KRRNvKNN"],
    },
    Case { rules: Rules::Text(OBLONG), tables: &["KRRvKNN", "KRPvKR", "KPPvKP", "KNNvKP"] },
    Case { rules: Rules::File("fide"), tables: &["KQvKR", "KPvKP", "KNNvK"] },
    Case { rules: Rules::File("atomic"), tables: &["KQvKP", "KRvKN"] },
    Case { rules: Rules::File("antichess"), tables: &["KQvR", "RRvK"] },
    Case { rules: Rules::File("losers"), tables: &["KRvKN"] },
];
const METRICS: &str = "wdl,dtc,dtz50,dtm";

/// A way to solve tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Everything in one run.
    AtOnce(&'static [&'static str]),
    /// The last table by itself, from files.
    FromFiles(&'static [&'static str]),
    /// The last table by itself, killed again and again.
    Killed(&'static [&'static str]),
}

const WAYS: &[Way] = &[
    Way::AtOnce(&["--strategy", "memory", "--threads", "2"]),
    Way::AtOnce(&["--strategy", "memory", "--threads", "1"]),
    Way::AtOnce(&["--strategy", "log", "--threads", "2"]),
    Way::AtOnce(&["--strategy", "disk", "--threads", "2"]),
    Way::FromFiles(&["--strategy", "memory", "--threads", "2"]),
    Way::FromFiles(&["--strategy", "log", "--threads", "1"]),
    Way::Killed(&["--strategy", "log", "--threads", "2", "--checkpoint", "0"]),
    Way::Killed(&["--strategy", "disk", "--threads", "2", "--checkpoint", "0"]),
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
pub(crate) fn run(options: &Options, report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let folder = std::env::temp_dir().join(format!("tablesmith-strategies-{}", std::process::id()));
    let result = compare_all(options, &folder, report);
    let _ = fs::remove_dir_all(&folder);
    result
}

fn compare_all(options: &Options, folder: &Path, report: &mut dyn FnMut(&str)) -> Result<bool, String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let (mut n_files, mut n_different) = (0, 0);
    let mut compare = |rules: &Path, table: &str| -> Result<(), String> {
        for metric in &options.metrics {
            let compared = Comparison { rules, table, metric, folder }.run(report)?;
            n_files += compared.0;
            n_different += compared.1;
        }
        Ok(())
    };
    match &options.variant {
        Some(rules) => options.tables.iter().try_for_each(|table| compare(rules, table))?,
        None => {
            for (number, case) in CASES.iter().enumerate() {
                let rules = match case.rules {
                    Rules::File(name) => xtask::root().join(format!("variants/{name}.toml")),
                    Rules::Text(text) => {
                        let path = folder.join(format!("rules-{number}.toml"));
                        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
                        path
                    }
                };
                case.tables.iter().try_for_each(|table| compare(&rules, table))?;
            }
        }
    }
    report(&format!("{n_files} files compared with those of the first way, {n_different} different"));
    Ok(n_different == 0 && n_files > 0)
}

/// One table under one metric.
struct Comparison<'a> {
    rules: &'a Path,
    table: &'a str,
    metric: &'a str,
    folder: &'a Path,
}

impl Comparison<'_> {
    /// How many files were compared, and how many of them were different.
    fn run(&self, report: &mut dyn FnMut(&str)) -> Result<(usize, usize), String> {
        let begin = Instant::now();
        let mut first: Option<(BTreeMap<String, Vec<u8>>, Duration)> = None;
        let (mut n_files, mut n_different, mut n_kills) = (0, 0, 0);
        for (number, way) in WAYS.iter().enumerate() {
            let out = self.folder.join(format!("way-{number}"));
            let _ = fs::remove_dir_all(&out);
            let begin_way = Instant::now();
            let (words, killed) = match way {
                Way::AtOnce(words) => (words, None),
                Way::FromFiles(words) => (words, Some(false)),
                Way::Killed(words) => (words, Some(true)),
            };
            if let (Some(is_killed), Some((files, time))) = (killed, &first) {
                self.copy_below(files, &out)?;
                if is_killed {
                    n_kills += self.kill(&out, words, *time)?;
                }
            }
            self.solve(&out, words)?;
            let own = files_of(&out)?;
            match &first {
                None => first = Some((own, begin_way.elapsed())),
                Some((expected, _)) => {
                    n_files += expected.len();
                    for name in expected.keys().filter(|name| own.get(*name) != expected.get(*name)) {
                        n_different += 1;
                        report(&format!("WRONG: {name} of {} is another one by {way:?}", self.table));
                    }
                    n_different += own.keys().filter(|name| !expected.contains_key(*name)).count();
                }
            }
            let _ = fs::remove_dir_all(&out);
        }
        let game = self.rules.file_stem().unwrap_or_default().display();
        report(&format!(
            "{game} {} {}: {n_files} files, {n_different} different, {n_kills} kills, {:.1} s",
            self.table,
            self.metric,
            begin.elapsed().as_secs_f64()
        ));
        Ok((n_files, n_different))
    }

    /// Puts the files of all tables but the last one, the largest, into a folder.
    fn copy_below(&self, files: &BTreeMap<String, Vec<u8>>, out: &Path) -> Result<(), String> {
        let error = |error: std::io::Error| format!("{}: {error}", out.display());
        fs::create_dir_all(out).map_err(error)?;
        let men = |name: &str| name.split('.').next().unwrap_or_default().len();
        let most = files.keys().map(|name| men(name)).max().unwrap_or(0);
        let below = files.iter().filter(|(name, _)| men(name) < most);
        below.into_iter().try_for_each(|(name, bytes)| fs::write(out.join(name), bytes).map_err(error))
    }

    fn start(&self, out: &Path, words: &[&str]) -> Result<Child, String> {
        let program = crate::process::own_program()?;
        let mut command = Command::new(program);
        command.arg("solve").arg(self.rules).args(["--table", self.table, "--metric", self.metric]);
        command.arg("--both-sides").arg("--out").arg(out).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map_err(|error| format!("cannot run solve: {error}"))
    }

    fn solve(&self, out: &Path, words: &[&str]) -> Result<(), String> {
        let status = self.start(out, words)?.wait().map_err(|error| error.to_string())?;
        match status.success() {
            true => Ok(()),
            false => {
                Err(format!("{} of {}: solve {} fails", self.table, self.rules.display(), words.join(" ")))
            }
        }
    }

    /// Kills runs, each somewhat later than the one before; how many were still at work.
    fn kill(&self, out: &Path, words: &[&str], time: Duration) -> Result<u32, String> {
        let mut n_kills = 0;
        for number in 1..=N_KILLS {
            let mut run = self.start(out, words)?;
            std::thread::sleep(time * number / N_KILLS);
            n_kills += u32::from(run.try_wait().is_ok_and(|ended| ended.is_none()));
            let _ = run.kill();
            run.wait().map_err(|error| error.to_string())?;
        }
        Ok(n_kills)
    }
}

/// The tables of a folder.
fn files_of(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let paths = library::table_files(folder).map_err(|error| error.to_string())?;
    let file = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok((name, bytes))
    };
    paths.into_iter().map(file).collect()
}
