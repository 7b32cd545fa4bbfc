//! Holds whole tables of a folder and the right answers, for files that are damaged or being written.

use super::command::{Ended, Program};
use super::files::Files;
use super::tally::{Attack, Harm};
use crate::placement::random_position;
use anyhow::{Result, ensure};
use position::RuleBook;
use proof::Dice;
use std::path::{Path, PathBuf};
use variant::{Material, Variant};

/// How many positions of each material are asked for.
const N_POSITIONS: usize = 300;

/// How many placements `verify` derives anew; it compares the checksums of whole files all the same.
const N_VERIFIED: &str = "2000";

/// The bytes of a flat file that are checked when it is opened.
const FLAT_HEADER: usize = 256;

/// The bytes at the end of a Syzygy file that hold its checksum, or zeros if it has none.
const SYZYGY_SUM: usize = 16;

/// The kind of a table file, by when a damage of it shows; none if it is no table.
pub(super) fn kind(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "tsm" => Some("tsm"),
        "tbl" | "tbc" => Some("flat"),
        "gz" => Some("gz"),
        ending => (ending.len() == 4 && ending.ends_with(['w', 'z'])).then_some("Syzygy"),
    }
}

/// Whether `probe`, and whether `verify`, promises to find this damage (docs/manual.md, Damaged files).
pub(super) fn promises(kind: &str, whole: &[u8], damaged: &[u8]) -> [bool; 2] {
    let sum = &damaged[damaged.len().saturating_sub(SYZYGY_SUM)..];
    let has_sum = sum.iter().any(|&byte| byte != 0);
    match kind {
        "tsm" => [true, true],
        "Syzygy" => [has_sum, has_sum],
        "flat" => {
            let has_length = damaged.len() == whole.len();
            [!has_length || damaged[..FLAT_HEADER] != whole[..FLAT_HEADER], true]
        }
        // The header of gzip holds a date and a name, which no program reads.
        _ => [true, false],
    }
}

/// Whole tables in a folder, positions to ask them for, and the right answers.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) name: String,
    rules: PathBuf,
    metric: Option<&'static str>,
    /// What the commands find beside a damaged file.
    pub(super) files: Files,
    fens: PathBuf,
    answers: Vec<String>,
}

impl Set {
    /// The tables in `folder`, asked for positions of the materials that files of another one are named by;
    /// what is made for them goes beside it.
    pub(super) fn new(
        program: &Program,
        folder: &Path,
        rules: &Path,
        metric: Option<&'static str>,
        named: &Files,
    ) -> Result<Self> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let fens = folder.with_extension("fen");
        fs_err::write(&fens, fens_of(rules, named)?)?;
        let (rules, files) = (rules.to_path_buf(), Files::of(folder)?);
        let mut set = Set { name, rules, metric, files, fens, answers: Vec::new() };
        let ended = set.probe(program, folder)?;
        set.answers = ended.out.lines().map(str::to_owned).collect();
        let Ended { code, out, err, .. } = set.verify(program, folder)?;
        ensure!(code == Some(0), "{}: the whole tables are wrong: {out}{err}", set.name);
        let n_answered = set.answers.iter().filter(|line| !is_refusal(line)).count();
        ensure!(n_answered > set.answers.len() / 4, "{}: no answers: {} {}", set.name, ended.out, ended.err);
        Ok(set)
    }

    fn probe(&self, program: &Program, folder: &Path) -> Result<Ended> {
        let [rules, folder] = [&self.rules, folder].map(|path| path.display().to_string());
        let words =
            ["probe", "--stdin", "--value-only", "--cache", "16M", "--variant", &rules, "--tables", &folder];
        let metric = self.metric.map(|metric| ["--metric", metric]);
        let args: Vec<String> =
            words.into_iter().chain(metric.into_iter().flatten()).map(str::to_owned).collect();
        program.run_with(&args, &self.fens)
    }

    /// Has `verify` look at a file or folder of the set.
    pub(super) fn verify(&self, program: &Program, path: &Path) -> Result<Ended> {
        let [rules, path] = [&self.rules, path].map(|path| path.display().to_string());
        let args = ["verify", "--sample", N_VERIFIED, &path, "--variant", &rules].map(str::to_owned);
        program.start(&args)?.wait()
    }

    /// Asks for every position of the set in another folder with the same tables, or some of them; returns
    /// how many have no answer. Wrong answers are no harm if `is_promised` is false.
    pub(super) fn ask(&self, attack: &mut Attack<'_>, is_promised: bool) -> Result<usize> {
        let ended = self.probe(attack.program, attack.folder)?;
        let has_fault = attack.has_fault(&ended);
        let lines: Vec<&str> = ended.out.lines().collect();
        let is_wrong = |(line, right): &(&&str, &String)| !is_refusal(line) && **line != right.as_str();
        let wrong = lines.iter().zip(&self.answers).find(is_wrong);
        let mut wrong = wrong.map(|(line, right)| format!("`{line}` and not `{right}`"));
        if ended.code != Some(2) && lines.len() != self.answers.len() && !has_fault {
            wrong = wrong.or(Some(format!("{} lines for {} positions", lines.len(), self.answers.len())));
        }
        match wrong {
            Some(text) if is_promised => attack.harm(Harm::Wrong, text),
            Some(_) => attack.note("wrong answers without a promise", true),
            None => {}
        }
        let n_refused = lines.iter().filter(|line| is_refusal(line)).count();
        Ok(if ended.code == Some(2) { self.answers.len() } else { n_refused })
    }
}

/// Whether a line of `probe --stdin` has no value.
fn is_refusal(line: &str) -> bool {
    line.split('\t').nth(1) == Some("error")
}

/// Legal positions of the materials that files are named by, a line each.
fn fens_of(rules: &Path, named: &Files) -> Result<String> {
    let book = RuleBook::new(&Variant::load(rules)?);
    let is_table = |name: &&str| matches!(kind(name), Some("tsm" | "Syzygy"));
    let mut names: Vec<&str> =
        named.names().filter(is_table).filter_map(|name| name.split('.').next()).collect();
    names.dedup();
    let (mut text, mut dice) = (String::new(), Dice::new(1));
    for name in names {
        let material = Material::parse(book.variant(), name)?;
        let throws = std::iter::repeat_with(|| random_position(&book, material.men(), &mut dice));
        let fens = throws.flatten().take(N_POSITIONS).map(|position| position.to_fen(&book) + "\n");
        text.extend(fens);
    }
    Ok(text)
}
