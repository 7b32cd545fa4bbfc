//! Damages a file of a folder, and has `probe` and `verify` read it.

use super::command::{Ended, Program, args};
use super::files::Files;
use super::job::{Attack, empty, panics};
use super::tally::{Finding, Harm};
use crate::fuzz::{flip, mutate, small, splice};
use geometry::Square;
use position::{Position, RuleBook};
use proof::Dice;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use variant::{Material, Side, Variant};

/// How many positions of each material are asked for.
const N_POSITIONS: usize = 300;

/// How many placements `verify` derives anew; it compares the checksums of whole files all the same.
const N_VERIFIED: &str = "2000";

/// The bytes of a flat file that are checked when it is opened.
const FLAT_HEADER: usize = 256;

/// The bytes at the end of a Syzygy file that hold its checksum, or zeros if it has none.
const SYZYGY_SUM: usize = 16;

/// The file formats, by when a damaged file shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FileFormat {
    Tsm,
    Syzygy,
    Flat,
    Packed,
}

impl FileFormat {
    /// That of a file; none if it is no table.
    fn of(name: &str) -> Option<Self> {
        match name.rsplit_once('.')?.1 {
            "tsm" => Some(FileFormat::Tsm),
            "tbl" | "tbc" => Some(FileFormat::Flat),
            "gz" => Some(FileFormat::Packed),
            ending if ending.len() == 4 && (ending.ends_with("bw") || ending.ends_with("bz")) => {
                Some(FileFormat::Syzygy)
            }
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            FileFormat::Tsm => "tsm",
            FileFormat::Syzygy => "Syzygy",
            FileFormat::Flat => "flat",
            FileFormat::Packed => "gz",
        }
    }

    /// Whether `probe` promises to find this damage (docs/manual.md, Damaged files).
    fn shows_on_probing(self, whole: &[u8], damaged: &[u8]) -> bool {
        match self {
            FileFormat::Tsm | FileFormat::Packed => true,
            FileFormat::Syzygy => FileFormat::has_sum(damaged),
            FileFormat::Flat => {
                damaged.len() != whole.len() || damaged[..FLAT_HEADER] != whole[..FLAT_HEADER]
            }
        }
    }

    /// Whether `verify` promises to find it.
    fn shows_on_verifying(self, damaged: &[u8]) -> bool {
        match self {
            FileFormat::Tsm | FileFormat::Flat => true,
            FileFormat::Syzygy => FileFormat::has_sum(damaged),
            // The header of gzip holds a date and a name, which nobody reads.
            FileFormat::Packed => false,
        }
    }

    fn has_sum(bytes: &[u8]) -> bool {
        let end = bytes.len().saturating_sub(SYZYGY_SUM);
        bytes[end..].iter().any(|&byte| byte != 0)
    }
}

/// Whole tables in a folder, positions to ask them for, and the right answers.
#[derive(Debug)]
pub(super) struct Set {
    name: String,
    rules: PathBuf,
    metric: Option<&'static str>,
    /// What the commands find beside a damaged file.
    files: Files,
    fens: PathBuf,
    answers: Vec<String>,
}

/// What has become of the positions of a set.
pub(super) struct ProbeOutcome {
    wrong: Option<String>,
    n_refused: usize,
    panic: Option<Finding>,
}

impl ProbeOutcome {
    /// What must not happen.
    pub(super) fn findings(self) -> impl Iterator<Item = Finding> {
        self.wrong.map(|text| Finding::new(Harm::Wrong, text)).into_iter().chain(self.panic)
    }
}

impl Set {
    /// The tables of these materials in `folder`; what is made for them goes into `root`.
    pub(super) fn new(
        program: &Program,
        root: &Path,
        folder: &Path,
        rules: &Path,
        metric: Option<&'static str>,
        materials: &[String],
    ) -> Result<Self, String> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let fens = root.join(format!("{name}-{}.fen", metric.unwrap_or("own")));
        let text = fens_of(rules, materials)?;
        fs::write(&fens, text).map_err(|error| format!("cannot write {}: {error}", fens.display()))?;
        let files = Files::of(folder)?;
        let mut set = Set { name, rules: rules.into(), metric, files, fens, answers: Vec::new() };
        let ended = set.probe(program, folder)?;
        set.answers = ended.out.lines().map(str::to_owned).collect();
        let verified = set.verify(program, folder)?;
        if verified.code != Some(0) {
            return Err(format!(
                "{}: the whole tables are wrong: {}{}",
                folder.display(),
                verified.out,
                verified.err
            ));
        }
        let n_answered = set.answers.iter().filter(|line| !is_refusal(line)).count();
        match n_answered > set.answers.len() / 4 {
            true => Ok(set),
            false => Err(format!(
                "{}: the whole tables do not answer: {} {}",
                folder.display(),
                ended.out,
                ended.err
            )),
        }
    }

    /// The tables of the materials that the files of a folder are named by.
    pub(super) fn materials_in(folder: &Path) -> Result<Vec<String>, String> {
        let files = Files::of(folder)?;
        let tables = files
            .names()
            .filter(|name| matches!(FileFormat::of(name), Some(FileFormat::Tsm | FileFormat::Syzygy)));
        let mut names: Vec<String> =
            tables.filter_map(|name| name.split('.').next()).map(str::to_owned).collect();
        names.dedup();
        Ok(names)
    }

    /// The files that can be damaged.
    fn tables(&self) -> Vec<(&str, &[u8], FileFormat)> {
        self.files.iter().filter_map(|(name, bytes)| Some((name, bytes, FileFormat::of(name)?))).collect()
    }

    fn probe(&self, program: &Program, folder: &Path) -> Result<Ended, String> {
        let mut command = args(["probe", "--stdin", "--value-only", "--cache", "16M", "--variant"]);
        command.extend([self.rules.clone().into(), OsString::from("--tables"), folder.into()]);
        command.extend(self.metric.into_iter().flat_map(|metric| args(["--metric", metric])));
        program.run_with(&command, &self.fens)
    }

    /// Asks for every position of the set in another folder with the same tables, or some of them.
    pub(super) fn ask(&self, program: &Program, folder: &Path) -> Result<ProbeOutcome, String> {
        let ended = self.probe(program, folder)?;
        let lines: Vec<&str> = ended.out.lines().collect();
        let n_refused = lines.iter().filter(|line| is_refusal(line)).count();
        let is_wrong = |(line, right): &(&&str, &String)| !is_refusal(line) && **line != right.as_str();
        let wrong = lines.iter().zip(&self.answers).find(is_wrong);
        let mut wrong = wrong.map(|(line, right)| format!("`{line}` and not `{right}`"));
        if ended.code != Some(2) && lines.len() != self.answers.len() && ended.fault().is_none() {
            wrong = wrong.or(Some(format!("{} lines for {} positions", lines.len(), self.answers.len())));
        }
        let n_refused = if ended.code == Some(2) { self.answers.len() } else { n_refused };
        Ok(ProbeOutcome { wrong, n_refused, panic: panics(&ended) })
    }

    fn verify(&self, program: &Program, path: &Path) -> Result<Ended, String> {
        program.run(&args([
            "verify".into(),
            "--sample".into(),
            N_VERIFIED.into(),
            path.into(),
            OsString::from("--variant"),
            self.rules.clone().into(),
        ]))
    }
}

/// Whether a line of `probe --stdin` has no value.
fn is_refusal(line: &str) -> bool {
    line.split('\t').nth(1) == Some("error")
}

/// Positions of these materials, legal ones and others, a line each.
fn fens_of(rules: &Path, materials: &[String]) -> Result<String, String> {
    let variant = Variant::load(rules).map_err(|error| error.to_string())?;
    let book = RuleBook::new(&variant);
    let (mut text, mut dice) = (String::new(), Dice::new(1));
    for name in materials {
        let material = Material::parse(&variant, name).map_err(|error| format!("{name}: {error}"))?;
        let mut n_left = N_POSITIONS;
        while n_left > 0 {
            let square = |dice: &mut Dice| Square::from_index(dice.below(variant.board.n_squares()));
            let men: Vec<_> = material.men().map(|man| (man, square(&mut dice))).collect();
            let position = Position::from_men(men, Side::BOTH[dice.below(2)]);
            if let Some(position) = position.filter(|position| position.is_legal(&book)) {
                text += &(position.to_fen(&book) + "\n");
                n_left -= 1;
            }
        }
    }
    Ok(text)
}

/// The ways of damage.
const WAYS: [&str; 5] = ["flipped", "cut", "spliced", "mixed", "exchanged"];

/// Damages a file of a set in one way; none if it has stayed as it was.
fn damage(whole: &[u8], others: &[Vec<u8>], way: usize, dice: &mut Dice) -> Option<Vec<u8>> {
    let mut bytes = whole.to_vec();
    match way {
        0 => (0..1 + small(8, dice)).for_each(|_| flip(&mut bytes, dice.below(whole.len()), dice)),
        1 => bytes.truncate(dice.below(whole.len())),
        2 => splice(&mut bytes, dice.below(whole.len()), others, dice),
        3 => mutate(&mut bytes, others, dice),
        _ => bytes = others.get(dice.below(others.len()))?.clone(),
    }
    (bytes != whole).then_some(bytes)
}

/// Damages logs and slices that a run has left in a folder, some of them, before another run goes on with
/// them.
pub(super) fn attack_scratch(attack: &mut Attack<'_>, files: &Files) -> Result<(), String> {
    let Attack { folder, dice, tally, .. } = attack;
    let others: Vec<Vec<u8>> = files.scratch().map(|(_, bytes)| bytes.to_vec()).collect();
    for (name, whole) in files.scratch() {
        let way = dice.below(WAYS.len());
        if dice.below(3) == 0 {
            continue;
        }
        let Some(damaged) = damage(whole, &others, way, dice) else { continue };
        let path = folder.join(name);
        fs::write(&path, damaged).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        tally.note("scratch damaged before the next run", 1);
    }
    Ok(())
}

/// Damages one file of a set, in a copy of it in this folder, and reads it.
pub(super) fn attack(attack: &mut Attack<'_>, set: &Set) -> Result<Vec<Finding>, String> {
    let Attack { program, folder, dice, tally } = attack;
    empty(folder)?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
    };
    let tables = set.tables();
    let (name, whole, kind) = tables[dice.below(tables.len())];
    let others: Vec<Vec<u8>> =
        tables.iter().filter(|table| table.2 == kind).map(|table| table.1.to_vec()).take(20).collect();
    let way = dice.below(WAYS.len());
    let Some(damaged) = damage(whole, &others, way, dice) else { return Ok(Vec::new()) };
    set.files.iter().try_for_each(|(name, bytes)| write(name, bytes))?;
    write(name, &damaged)?;
    tally.n_attacks += 1;
    tally.note(kind.name(), 1);
    tally.note(WAYS[way], 1);
    let label = |text: &str| format!("{}: {name} {}: {text}", set.name, WAYS[way]);
    let asked = set.ask(program, folder)?;
    tally.note("refused by probe", u64::from(asked.n_refused > 0));
    let is_promised = kind.shows_on_probing(whole, &damaged);
    let mut findings: Vec<Finding> = Vec::new();
    for finding in asked.findings() {
        match finding.harm {
            Harm::Wrong if !is_promised => tally.note("wrong answers without a promise", 1),
            harm => findings.push(Finding::new(harm, label(&finding.text))),
        }
    }
    let ended = set.verify(program, &folder.join(name))?;
    findings.extend(panics(&ended).map(|finding| Finding::new(finding.harm, label(&finding.text))));
    match ended.code {
        Some(0) if kind.shows_on_verifying(&damaged) => {
            findings.push(Finding::new(Harm::Unnoticed, label(ended.out.trim())));
        }
        Some(0) => tally.note("all right to verify, as documented", 1),
        _ => tally.note("refused by verify", 1),
    }
    Ok(findings)
}
