//! Checks the longest wins and losses of all tables of `n` men, and the values of some of them, or writes
//! them anew: one line a table.
//!
//! Tables of five men take minutes to solve, so the tests do not. A folder of solved ones is compared with
//! the snapshots here: the statistics in its files, which takes a moment, and a hash of all values of two
//! tables, the one without pawns and the other with them.

use anyhow::{Context, Result, bail, ensure};
use format::Summary;
use library::Edition;
use stats::{Longest, SideStatistics, Statistics};
use std::path::PathBuf;
use variant::{Material, Variant};
use xtask::program::{output, workbench};
use xtask::root;

/// The tables whose values are hashed.
const HASHED: [&str; 2] = ["KBBvKN", "KRPvKR"];

/// The tables to compare.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// The men of the tables
    #[arg(long = "men", value_name = "N", value_parser = clap::value_parser!(u8).range(3..=index::MAX_MEN as i64))]
    n_men: u8,
    /// The folder of the tables
    #[arg(long = "tables", value_name = "DIR", default_value = "tables/fide")]
    folder: PathBuf,
    /// Write the snapshots anew
    #[arg(long)]
    write: bool,
}

/// Tables with what a snapshot has of each: its name, a colon or a space, and more.
type Lines = Vec<(String, String)>;

/// Compares the tables that are there with the snapshots, or writes these; returns whether all is well.
///
/// # Errors
/// Tables are missing or of other rules, or a snapshot cannot be read.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let variant = Variant::load(root().join("variants/fide.toml"))?;
    let (wins, missing) = statistics(&variant, options)?;
    let hashes = hashes(options)?;
    let n_missing = missing.len();
    let remedy = format!(
        "{n_missing} tables are not in {}: {}; run `cargo xtask solve variants/fide.toml --men {} --out {0}`",
        options.folder.display(),
        missing.join(" "),
        options.n_men
    );
    ensure!(n_missing == 0 || !options.write, "{remedy}");
    let of = format!("{} {} men, {}", variant.name, options.n_men, variant.default_metric);
    let about_wins = "longest win and loss in plies, how many positions have them modulo symmetry (and \
                      unreduced); results modulo symmetry";
    let mut is_well = true;
    let about_hashes = "a hash of all values, as `stats --hash` prints it";
    let snapshots = [("dtm", about_wins, wins), ("hash", about_hashes, hashes)];
    for (kind, about, own) in snapshots.into_iter().filter(|(.., own)| !own.is_empty()) {
        let name = format!("tests/snapshots/longest/fide__{}__{kind}.snap", options.n_men);
        let path = root().join(&name);
        if options.write {
            let lines = own.iter().map(|(table, line)| format!("{table}: {line}\n"));
            fs_err::write(path, format!("{of}: {about}\n{}", lines.collect::<String>()))?;
        } else {
            let expected = fs_err::read_to_string(path).context("write the snapshot with --write")?;
            let wrong = differences(&expected, &own);
            wrong.iter().for_each(|line| println!("{line}"));
            is_well &= wrong.is_empty();
        }
        println!("{} tables compared with {name}", own.len());
    }
    if n_missing > 0 && is_well {
        bail!(remedy);
    }
    Ok(is_well)
}

/// The lines of all tables that are there, as their files have them, and the tables that are not.
fn statistics(variant: &Variant, options: &Options) -> Result<(Lines, Vec<String>)> {
    let (mut found, mut missing, metric) = (Vec::new(), Vec::new(), variant.default_metric);
    for material in Material::all(variant, options.n_men.into()) {
        let name = material.name(variant);
        let path = options.folder.join(format::file_name(&name));
        if !path.exists() {
            missing.push(name);
            continue;
        }
        let summary = Summary::read(&path, metric)?;
        let is_current = Edition::new(variant, metric).is_current(&material, metric, &summary);
        ensure!(is_current, "{} is of other rules or another version", path.display());
        found.push((name, line(&serde_json::from_value(summary.metadata.statistics)?)));
    }
    Ok((found, missing))
}

/// The hashes of those tables of [`HASHED`] that are there.
fn hashes(options: &Options) -> Result<Lines> {
    let mut found = Vec::new();
    for name in HASHED.into_iter().filter(|name| name.len() == usize::from(options.n_men) + 1) {
        let path = options.folder.join(format::file_name(name));
        if path.exists() {
            let rules = root().join("variants/fide.toml");
            let metric = Variant::chess().default_metric.name();
            let stats = ["stats", "--hash", "--metric", metric, "--variant"];
            let hash = output(workbench(stats)?.args([rules, path]))?;
            found.push((name.to_owned(), hash.split(' ').next().unwrap_or_default().to_owned()));
        } else {
            println!("{name} is not there, and its values were not compared");
        }
    }
    Ok(found)
}

fn line(table: &Statistics) -> String {
    let [white, black] = [&table.white_to_move, &table.black_to_move].map(line_of_side);
    format!("White to move {white}; Black to move {black}")
}

fn line_of_side(side: &SideStatistics) -> String {
    let longest = |word: &str, longest: &Option<Longest>| match longest {
        None => format!("no {word}"),
        Some(at) => format!("{word} {} in {} ({})", at.ply, at.count.orbits, at.count.unreduced),
    };
    let (win, loss) = (longest("win", &side.longest_win), longest("loss", &side.longest_loss));
    let [wins, draws, losses] = [side.wins, side.draws, side.losses].map(|count| count.orbits);
    format!("{win}, {loss}, {wins} wins {draws} draws {losses} losses")
}

/// The lines of tables that are there and that a snapshot has otherwise, or has not.
fn differences(snapshot: &str, own: &Lines) -> Vec<String> {
    let expected = |name: &str| {
        let lines = snapshot.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(table, _)| *table == name).map_or("nothing", |(_, line)| line)
    };
    let wrong = own.iter().filter(|(name, line)| expected(name) != line);
    wrong.map(|(name, line)| format!("{name}: {line}; the snapshot has {}", expected(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Options, differences, line, run};
    use stats::{Count, Longest};
    use std::path::PathBuf;

    #[test]
    fn a_table_is_a_line() {
        let count = Count { orbits: 2, unreduced: 16 };
        let mut table = crate::published::tests::statistics("KBBvKN", "dtm");
        table.white_to_move.wins = count;
        table.white_to_move.longest_win = Some(Longest { ply: 155, count, fen: String::new() });
        let expected = "White to move win 155 in 2 (16), no loss, 2 wins 0 draws 0 losses; Black to move no win, \
                        no loss, 0 wins 0 draws 0 losses";
        assert_eq!(line(&table), expected);
    }

    #[test]
    fn other_figures_are_reported() {
        let own = |line: &str| vec![("KQvK".to_owned(), line.to_owned())];
        assert_eq!(differences("chess\nKRvK: 2\nKQvK: 1\n", &own("1")), [""; 0]);
        assert_eq!(differences("chess\nKQvK: 1\n", &own("3")), ["KQvK: 3; the snapshot has 1"]);
        assert_eq!(differences("KQvK: 3\n", &own("3")), ["KQvK: 3; the snapshot has nothing"]);
    }

    #[test]
    fn missing_tables_are_named_with_what_to_type() {
        let options = Options { n_men: 5, folder: PathBuf::from("no/such/folder"), write: false };
        let error = run(&options).expect_err("there are no tables").to_string();
        assert!(error.starts_with("110 tables are not in no/such/folder: KQQQvK KQQRvK "), "{error}");
        assert!(
            error.ends_with("`cargo xtask solve variants/fide.toml --men 5 --out no/such/folder`"),
            "{error}"
        );
    }
}
