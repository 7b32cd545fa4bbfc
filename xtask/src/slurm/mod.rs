//! Runs `cargo xtask slurm`: builds a set on three nodes of a real Slurm on this machine, of which one dies
//! in the middle; lets a job take more memory than it has, damages a file, builds a set without a shared
//! folder, and compares the files with those of one machine.

mod testbed;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use testbed::{Testbed, succeed};

/// The programs that have to be here.
const PROGRAMS: [&str; 6] = ["slurmctld", "slurmd", "munged", "sbatch", "squeue", "scontrol"];

/// All tables of three and four men, and with those that they need twenty of five.
const TABLES: [&str; 21] = [
    "K?vK", "K??vK", "K?vK?", "KNNvKN", "KNNvKB", "KBBvKN", "KBBvKB", "KBNvKN", "KBNvKB", "KRNvKN", "KRNvKB",
    "KRNvKR", "KRBvKN", "KRBvKB", "KRBvKR", "KRRvKR", "KQBvKB", "KQRvKQ", "KQQvKQ", "KQQvKR", "KBNvKP",
];
const N_TABLES: usize = 35 + 20;

/// How long nothing is said of the set.
const PAUSE: Duration = Duration::from_secs(20);

/// A table whose job is given too little memory, and how little.
///
/// Units: megabytes.
const HUNGRY: &str = "KQRvKQ";
const TOO_LITTLE: u32 = 40;

/// A table whose file is damaged, and one that is made from it.
const DAMAGED: &str = "KRvKN";
const MADE_FROM_IT: &str = "KRNvKN";

/// Tables that machines make which see no folder of each other, in two levels.
const FAR_AWAY: [&[&str]; 2] = [&["KQvK", "KRvK"], &["KQvKR"]];

/// How long planning the jobs of seven men may take.
///
/// Units: seconds.
const SEVEN_MEN_SECONDS: u64 = 60;

/// Does all of it; returns whether all is well. Without Slurm nothing is tested, which is said.
///
/// # Errors
/// Slurm is here and cannot be started, or jobs do not end in time.
pub(crate) fn run() -> Result<bool, String> {
    let missing: Vec<&str> = PROGRAMS.into_iter().filter(|program| !is_here(program)).collect();
    if !missing.is_empty() {
        println!(
            "slurm: NOT TESTED, {} are not here; Debian has them in slurm-wlm and munge",
            missing.join(", ")
        );
        return Ok(true);
    }
    if !is_root() {
        println!("slurm: NOT TESTED, the daemons of nodes want root");
        return Ok(true);
    }
    let folder = std::env::temp_dir().join(format!("tablesmith-slurm-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let result = Testbed::start(&folder).and_then(|testbed| {
        let set = Set { testbed: &testbed, tables: folder.join("many").display().to_string() };
        let one = folder.join("one").display().to_string();
        Ok(set.build()?
            & set.is_as_of_one_machine(&one)?
            & set.starve()?
            & set.damage()?
            & set.is_as_of_one_machine(&one)?
            & set.build_far_away(&folder, &one)?
            & set.plan_seven_men()?)
    });
    let _ = fs::remove_dir_all(&folder);
    result
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let more = [PathBuf::from("/usr/sbin"), PathBuf::from("/sbin")];
    std::env::split_paths(&path).chain(more).any(|folder| folder.join(program).is_file())
}

/// The set that the nodes build.
struct Set<'a> {
    testbed: &'a Testbed<'a>,
    tables: String,
}

impl Set<'_> {
    /// The words of a submission.
    fn submission(&self) -> Vec<&str> {
        let mut words = vec!["cluster", "submit", "variants/fide.toml", "--tables", &self.tables];
        words.extend(TABLES.iter().flat_map(|table| ["--table", table]));
        // Jobs of some seconds.
        words.extend(["--threads", "1", "--rate", "10000000", "--bundle", "0.1"]);
        words
    }

    fn submit(&self, more: &[&str]) -> Result<(), String> {
        let words = [&self.submission()[..], more].concat();
        println!("{}", self.testbed.workbench(&words)?.trim_end());
        Ok(())
    }

    fn status(&self) -> Result<String, String> {
        self.testbed.answer(&["cluster", "status", "--tables", &self.tables])
    }

    /// Whether a status has these words, which is reported with the status if not.
    fn says(&self, words: &[&str]) -> Result<bool, String> {
        let status = self.status()?;
        println!("{}", status.trim_end());
        let missing: Vec<&&str> = words.iter().filter(|words| !status.contains(**words)).collect();
        missing.iter().for_each(|words| println!("WRONG: the status does not say \"{words}\""));
        Ok(missing.is_empty())
    }

    /// Builds the set; a node dies on the way.
    fn build(&self) -> Result<bool, String> {
        self.submit(&[])?;
        let begin = Instant::now();
        let killed = self.testbed.kill_node("n2", begin)?;
        println!("killed node n2 with job {killed} after {} s", begin.elapsed().as_secs());
        let mut printed = begin;
        self.testbed.wait(&mut || {
            if printed.elapsed() > PAUSE {
                println!("{}", self.status()?.trim_end());
                printed = Instant::now();
            }
            Ok(())
        })?;
        println!("done after {} s", begin.elapsed().as_secs());
        self.testbed.start_node("n2")?;
        self.says(&[&format!("{N_TABLES} tables: {N_TABLES} done")])
    }

    /// Whether the files are those of one machine.
    fn is_as_of_one_machine(&self, one: &str) -> Result<bool, String> {
        let begin = Instant::now();
        let mut words = vec!["solve", "variants/fide.toml", "--out", one];
        words.extend(TABLES.iter().flat_map(|table| ["--table", table]));
        self.testbed.workbench(&words)?;
        let (one, many) = (files(Path::new(one))?, files(Path::new(&self.tables))?);
        let n_different = one.iter().filter(|(name, bytes)| many.get(*name) != Some(bytes)).count();
        println!(
            "{} files of one machine ({} s), {n_different} of them different",
            one.len(),
            begin.elapsed().as_secs()
        );
        Ok(one.len() == N_TABLES && n_different == 0 && many.len() == one.len())
    }

    /// Gives a job less memory than its table takes, and more when that has been seen.
    fn starve(&self) -> Result<bool, String> {
        remove(&self.tables, HUNGRY)?;
        self.testbed.set_nodes("DRAIN")?;
        self.submit(&[])?;
        let jobs = succeed(self.testbed.command("squeue").args([
            "--noheader",
            &format!("--name=ts-{HUNGRY}"),
            "--format=%A",
        ]))?;
        let job = format!("JobId={}", String::from_utf8_lossy(&jobs.stdout).trim());
        let memory = format!("MinMemoryNode={TOO_LITTLE}");
        succeed(self.testbed.command("scontrol").args(["update", &job, &memory]))?;
        self.testbed.set_nodes("RESUME")?;
        self.testbed.wait(&mut || Ok(()))?;
        let is_seen = self.says(&["1 failed", "exceeded", "--more-memory"])?;
        let more = ["cluster", "resubmit", "--tables", &self.tables, "--more-memory", "1.5"];
        println!("{}", self.testbed.workbench(&more)?.trim_end());
        self.testbed.wait(&mut || Ok(()))?;
        Ok(is_seen & self.says(&[&format!("{N_TABLES} done")])?)
    }

    /// Damages a file that a job reads.
    fn damage(&self) -> Result<bool, String> {
        remove(&self.tables, MADE_FROM_IT)?;
        let path = Path::new(&self.tables).join(format!("{DAMAGED}.tsm"));
        let text = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut bytes = fs::read(&path).map_err(text)?;
        // In what it says with either side to move.
        let blocks = bytes[80..88].try_into().map_or(0, u64::from_le_bytes) as usize;
        for at in [blocks + 20, bytes.len() - 20] {
            bytes[at] ^= 0x10;
        }
        fs::write(&path, bytes).map_err(text)?;
        self.submit(&[])?;
        self.testbed.wait(&mut || Ok(()))?;
        let logs = Path::new(&self.tables).join(".cluster/logs");
        let logs = fs::read_dir(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
        let texts = logs.filter_map(|log| fs::read_to_string(log.ok()?.path()).ok());
        let is_seen = |line: &&str| line.contains("is damaged in block");
        let seen = texts.map(|text| text.lines().find(is_seen).map(str::to_owned)).find_map(|line| line);
        println!("{}", seen.as_deref().unwrap_or("WRONG: the job has not seen that a file is damaged"));
        Ok(seen.is_some() & self.says(&[&format!("{N_TABLES} done")])?)
    }

    /// Builds a set of which every job has a folder of its own, and files go by commands.
    fn build_far_away(&self, folder: &Path, one: &str) -> Result<bool, String> {
        let begin = Instant::now();
        let place = |name: &str| folder.join(name).display().to_string();
        let (set, delivered) = (place("far"), place("delivered"));
        fs::create_dir_all(&delivered).map_err(|error| error.to_string())?;
        let mut is_well = true;
        for level in FAR_AWAY {
            for table in level {
                let work = place(&format!("work-{table}"));
                let (fetch, store) =
                    (format!("cp {set}/{{file}} {{path}}"), format!("cp {{path}} {delivered}/{{file}}"));
                let program = std::env::current_exe().map_err(|error| error.to_string())?;
                let rules = crate::root().join("variants/fide.toml");
                let job = format!(
                    "{} solve {} --job --table {table} --threads 1 --out {work} --fetch '{fetch}' \
                     --store '{store}'",
                    program.display(),
                    rules.display()
                );
                let mut sbatch = self.testbed.command("sbatch");
                sbatch.args(["--mem=200M", &format!("--output={}", place("far-%j.log")), "--wrap", &job]);
                succeed(&mut sbatch)?;
            }
            self.testbed.wait(&mut || Ok(()))?;
            let accepted = self.testbed.answer(&[
                "cluster",
                "accept",
                &delivered,
                "--tables",
                &set,
                "--variant",
                "variants/fide.toml",
                "--table",
                FAR_AWAY[1][0],
                "--sample",
                "1000",
            ])?;
            println!("{}", accepted.trim_end());
            is_well &= accepted.contains(&format!(
                "{} table{} accepted, 0 in quarantine, 0 too early",
                level.len(),
                if level.len() == 1 { "" } else { "s" }
            ));
        }
        let (made, one) = (files(Path::new(&set))?, files(Path::new(one))?);
        let n_different = made.iter().filter(|(name, bytes)| one.get(*name) != Some(bytes)).count();
        println!(
            "without a shared folder: {} files ({} s), {n_different} of them different",
            made.len(),
            begin.elapsed().as_secs()
        );
        Ok(is_well
            && n_different == 0
            && made.len() == FAR_AWAY.iter().map(|level| level.len()).sum::<usize>())
    }

    /// Plans the jobs of seven men.
    fn plan_seven_men(&self) -> Result<bool, String> {
        let begin = Instant::now();
        let tables = format!("{}-7", self.tables);
        let words = [
            "--men",
            "7",
            "--tables",
            &tables,
            "--dry-run",
            "--rate",
            "10000000",
            "--bundle",
            "0",
            "--max-memory",
            "2000G",
        ];
        let scripts =
            self.testbed.workbench(&[&["cluster", "submit", "variants/fide.toml"], &words[..]].concat())?;
        let arrays = scripts.lines().filter_map(|line| line.strip_prefix("#SBATCH --array=0-"));
        let n_jobs: u32 = arrays.filter_map(|last| Some(last.parse::<u32>().ok()? + 1)).sum();
        let seconds = begin.elapsed().as_secs();
        println!("seven men: {n_jobs} jobs planned in {seconds} s");
        Ok(n_jobs > 1500 && seconds < SEVEN_MEN_SECONDS)
    }
}

fn remove(folder: &str, table: &str) -> Result<(), String> {
    let path = Path::new(folder).join(format!("{table}.tsm"));
    fs::remove_file(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The tables of a folder.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let text = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(text)? {
        let path = entry.map_err(text)?.path();
        if path.extension().is_some_and(|extension| extension == "tsm") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.insert(name, fs::read(&path).map_err(text)?);
        }
    }
    Ok(files)
}
