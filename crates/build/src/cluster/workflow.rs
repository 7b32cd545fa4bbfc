//! Writes a set as jobs: for Slurm, for `make` and for Snakemake.
//!
//! Each is the graph of the set with a command line for each table. Slurm gets a script a level, an array of
//! jobs that waits for the arrays before it, and a job behind it that trims. Files of tables change while a
//! set grows (a side to move goes), so make and Snakemake look at stamps: empty files in `.cluster/stamps`,
//! one for each table that was made. The last job runs over the whole set.

use super::set::{FINISH_BYTES, Level, SetTable, TableSet};
use super::state::StateFolder;
use std::fmt::Write as _;
use std::path::Path;

/// The words of a command that makes tables of a set, in parts that every job has in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobCommand {
    /// The program and what stands before the table: `tablesmith solve rules.toml --out tables`.
    pub start: Vec<String>,
    /// The words that ask for the whole set, instead of a table: `--men 5`.
    pub whole: Vec<String>,
    /// Whether a job behind each level trims its files.
    pub trims: bool,
    /// A folder for what is needed meanwhile, which the shell of the job expands: `$SLURM_TMPDIR`.
    pub scratch: Option<String>,
    /// A folder into which a job copies what it reads, which its shell expands.
    pub stage: Option<String>,
}

impl JobCommand {
    /// The command that makes one table in so much memory, in the words of a shell; `table` is taken as it
    /// is.
    fn of_table(&self, table: &str, memory_bytes: u64) -> String {
        let folder = |option: &str, folder: &Option<String>| {
            folder.as_ref().map_or_else(String::new, |folder| {
                // Variables are meant to be filled in, and spaces in what they stand for are not.
                format!(" {option} \"{}\"", folder.replace('\\', "\\\\").replace('"', "\\\""))
            })
        };
        let (scratch, stage) = (folder("--scratch", &self.scratch), folder("--stage", &self.stage));
        format!("{} --table {table} --job --memory {memory_bytes}{scratch}{stage}", line(&self.start))
    }

    /// The command that runs over the whole set when all tables are there: it compares every file with what
    /// its job has recorded, and trims what is left to trim.
    fn of_set(&self) -> String {
        line(self.start.iter().chain(&self.whole)) + " --recorded"
    }

    /// The command that trims the tables which no table of the set will read any more.
    fn of_trim(&self) -> String {
        line(self.start.iter().chain(&self.whole)) + " --trim"
    }
}

fn line<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    words.into_iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell has to see it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// What a job asks the engine for, beside what its tables take.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct JobOptions {
    /// The cores of a job.
    pub n_threads: usize,
    /// Tables that take less are put together into jobs of about so long. Units: seconds.
    pub least_seconds: f64,
    /// The most jobs of a level that run at once, if there is a limit.
    pub most_jobs: Option<u32>,
    /// The partition, if not the usual one.
    pub partition: Option<String>,
    /// The account, if not the usual one.
    pub account: Option<String>,
    /// The memory that a job asks for in hundredths of what its tables are thought to take: more where jobs
    /// were killed.
    pub memory_percent: u64,
    /// The time that it asks for, in hundredths of what is usual.
    pub time_percent: u64,
    /// The most memory that a job may ask for, if there is a limit. Units: bytes.
    pub most_memory_bytes: Option<u64>,
    /// The longest time that a job may ask for, if the site has a limit. Units: minutes.
    pub most_minutes: Option<u64>,
    /// Further options of `sbatch`, such as `--qos=long`.
    pub words: Vec<String>,
    /// Lines with which a script begins, for the shell: `module load gcc`.
    pub prologue: Vec<String>,
}

/// The least memory that a job asks for: a program, its threads and its libraries.
const LEAST_BYTES: u64 = 64 << 20;

/// A job's time beside what its tables are thought to take: nodes differ, and so do nights.
const TIME_FACTOR: f64 = 3.0;
const LEAST_MINUTES: u64 = 20;

/// The memory that a job asks for whose tables are thought to take so much: an estimate may be a seventh
/// too low.
///
/// Units: bytes.
#[must_use]
pub fn asked_bytes(memory_bytes: u64) -> u64 {
    memory_bytes + memory_bytes / 7 + LEAST_BYTES
}

/// What tables may be thought to take so that a job asks for no more than so much.
///
/// Units: bytes.
#[must_use]
pub fn planned_bytes(most_bytes: u64) -> u64 {
    most_bytes.saturating_sub(LEAST_BYTES) / 8 * 7
}

/// What the jobs of an array ask the engine for.
struct JobResources {
    memory_bytes: u64,
    /// On a disk of the node.
    disk_bytes: u64,
    minutes: u64,
}

/// A set, how its jobs make it, and what they ask for.
#[derive(Clone, Copy, Debug)]
pub struct Workflow<'a> {
    /// The tables that are to be made.
    pub set: &'a TableSet,
    /// How a job makes a table.
    pub command: &'a JobCommand,
    /// What it asks for.
    pub options: &'a JobOptions,
    /// The folder of the tables.
    pub tables: &'a Path,
}

impl Workflow<'_> {
    /// Returns the levels of jobs. Where the number of jobs at once is limited a level is one array, as the
    /// engine keeps to the limit within an array.
    #[must_use]
    pub fn levels(&self) -> Vec<Level> {
        self.set.levels(self.options.least_seconds, self.options.most_jobs.is_none())
    }

    /// The memory that a job of a level asks for; in whole megabytes, as Slurm has it.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn memory_bytes(&self, level: &Level) -> u64 {
        self.memory(level.most(self.set, |table| table.memory_bytes))
    }

    fn memory(&self, memory_bytes: u64) -> u64 {
        self.within_limits(asked_bytes(memory_bytes))
    }

    fn within_limits(&self, bytes: u64) -> u64 {
        let options = self.options;
        let megabytes = (bytes.saturating_mul(options.memory_percent.max(100)) / 100).div_ceil(1 << 20);
        megabytes.min(options.most_memory_bytes.unwrap_or(u64::MAX) >> 20) << 20
    }

    /// The time that a job of a level would ask for if the site had no limit.
    ///
    /// Units: minutes.
    #[must_use]
    pub fn minutes(&self, level: &Level) -> u64 {
        self.more_minutes((level.seconds(self.set) * TIME_FACTOR / 60.0).ceil() as u64)
    }

    fn more_minutes(&self, minutes: u64) -> u64 {
        minutes.max(LEAST_MINUTES).saturating_mul(self.options.time_percent.max(100)) / 100
    }

    /// The script of a level, an array of jobs.
    #[must_use]
    pub fn script(&self, level: &Level) -> String {
        let most = |bytes: fn(&SetTable) -> u64| level.most(self.set, bytes);
        // Without folders of the node's own all of it lies beside the tables.
        let scratch_bytes = self.command.scratch.as_ref().map_or(0, |_| most(|table| table.scratch_bytes));
        let input_bytes = self.command.stage.as_ref().map_or(0, |_| level.input_bytes(self.set));
        let asked = JobResources {
            memory_bytes: self.memory_bytes(level),
            disk_bytes: scratch_bytes + input_bytes,
            minutes: self.minutes(level),
        };
        let mut text = self.head(&level.name(self.set), level.jobs.len(), &asked) + "jobs=(\n";
        for job in &level.jobs {
            let names: Vec<&str> = job.iter().map(|&at| self.set.tables[at].name.as_str()).collect();
            text += &format!("    {}\n", quoted(&names.join(" ")));
        }
        let command = self.command.of_table("\"$1\"", most(|table| table.memory_bytes));
        // The last command is the program itself, so that the engine sees how it has ended.
        text + &format!(
            ")\nset -- ${{jobs[$SLURM_ARRAY_TASK_ID]}}\n\
             while [ $# -gt 1 ]; do\n    {command}\n    shift\ndone\nexec {command}\n"
        )
    }

    /// The memory that the job asks for that runs over the whole set.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn finish_bytes(&self) -> u64 {
        self.within_limits(FINISH_BYTES)
    }

    /// Whether a job that trims follows a level: the last job trims what is left.
    #[must_use]
    pub fn is_trimmed_behind(&self, level: usize, levels: &[Level]) -> bool {
        self.command.trims && level + 1 < levels.len()
    }

    /// The script of the job behind a level, which trims what only that level was still to read.
    #[must_use]
    pub fn trim_script(&self) -> String {
        let (memory_bytes, minutes) = (self.finish_bytes(), self.more_minutes(self.set.finish_minutes()));
        let resources = JobResources { memory_bytes, disk_bytes: 0, minutes };
        format!("{}exec {}\n", self.head("trim", 1, &resources), self.command.of_trim())
    }

    /// The script of the job that runs over the whole set, and leaves a mark when it has.
    #[must_use]
    pub fn finish_script(&self) -> String {
        let memory_bytes = self.finish_bytes();
        let minutes = self.more_minutes(self.set.finish_minutes());
        let head = self.head("finish", 1, &JobResources { memory_bytes, disk_bytes: 0, minutes });
        let mark = StateFolder::new(self.tables).finished().display().to_string();
        format!("{head}{}\ntouch {}\n", self.command.of_set(), quoted(&mark))
    }

    /// What a script begins with.
    fn head(&self, name: &str, n_jobs: usize, resources: &JobResources) -> String {
        let JobResources { memory_bytes, disk_bytes, minutes } = *resources;
        let options = self.options;
        let limit = options.most_jobs.map_or_else(String::new, |most| format!("%{most}"));
        let logs = StateFolder::new(self.tables).logs().display().to_string();
        let mut asked = vec![
            format!("--job-name=ts-{name}"),
            format!("--array=0-{}{limit}", n_jobs.saturating_sub(1)),
            // What follows a percent sign is filled in.
            format!("--output={}/%A_%a.log", logs.replace('%', "%%")),
            "--open-mode=append".into(),
            "--requeue".into(),
            "--nodes=1".into(),
            "--ntasks=1".into(),
            format!("--cpus-per-task={}", options.n_threads.max(1)),
            format!("--mem={}M", memory_bytes >> 20),
            format!("--time={}", minutes.min(options.most_minutes.unwrap_or(u64::MAX))),
        ];
        if disk_bytes > 0 {
            asked.push(format!("--tmp={}M", disk_bytes.div_ceil(1 << 20)));
        }
        asked.extend(options.partition.iter().map(|partition| format!("--partition={partition}")));
        asked.extend(options.account.iter().map(|account| format!("--account={account}")));
        asked.extend(options.words.iter().cloned());
        let asked: String = asked.iter().map(|asked| format!("#SBATCH {}\n", quoted(asked))).collect();
        let prologue: String = options.prologue.iter().map(|line| format!("{line}\n")).collect();
        format!(
            "#!/bin/bash\n{asked}\
             echo \"$(date '+%F %T') $(hostname): job ${{SLURM_JOB_ID:-none}}, \
             start ${{SLURM_RESTART_COUNT:-0}}\"\n{prologue}set -eu\n"
        )
    }

    /// A shell script that submits the set to Slurm: `bash FILE`.
    #[must_use]
    pub fn to_slurm(&self) -> String {
        let levels = self.levels();
        let logs = StateFolder::new(self.tables).logs().display().to_string();
        let mut text = format!(
            "#!/bin/bash\n# {} tables; `bash` with this file submits what is missing to Slurm.\nset -eu\n\
             mkdir -p {}\n",
            self.set.tables.len(),
            quoted(&logs)
        );
        let mut submit = |name: &str, after: &[String], script: &str| {
            let after = match after.is_empty() {
                true => String::new(),
                false => format!(" --dependency=afterok:{} --kill-on-invalid-dep=yes", after.join(":")),
            };
            text += &format!("{name}=$(sbatch --parsable{after} <<'END'\n{script}END\n)\n");
        };
        let number = |level: usize| format!("${{level{level}%%;*}}");
        for (at, level) in levels.iter().enumerate() {
            let after: Vec<String> = level.needs.iter().map(|&needed| number(needed)).collect();
            submit(&format!("level{at}"), &after, &self.script(level));
            if self.is_trimmed_behind(at, &levels) {
                submit(&format!("trim{at}"), &[number(at)], &self.trim_script());
            }
        }
        let all: Vec<String> = (0..levels.len()).map(number).collect();
        submit("finish", &all, &self.finish_script());
        text + "echo \"submitted; job $finish checks all files when they are done\"\n"
    }

    /// A makefile: `make -j 8 -f FILE` makes what is missing, eight tables at a time.
    ///
    /// # Errors
    /// The folder's path has this character, and make knows no file with it.
    pub fn to_make(&self) -> Result<String, char> {
        let Workflow { set, command, tables, .. } = *self;
        let (folder, whole) = stamps(tables);
        let escaped = |text: &str| text.replace('$', "$$");
        let touch = |stamp: &str| format!("@touch {}", escaped(&quoted(stamp)));
        let make_folder = format!("@mkdir -p {}", escaped(&quoted(&folder)));
        let (touch_whole, whole) = (touch(&whole), make_name(&whole)?);
        let (plain_folder, folder) = (folder.clone(), make_name(&folder)?);
        let mut text = format!(
            "# {} tables; `make -j N -f` this file makes what is missing.\nwhole: {whole}\n.PHONY: whole\n",
            set.tables.len()
        );
        let last: Vec<String> =
            set.last().iter().map(|&at| format!("{folder}/{}", set.tables[at].name)).collect();
        let finish = escaped(&command.of_set());
        let _ = write!(text, "{whole}: {}\n\t{make_folder}\n\t{finish}\n\t{touch_whole}\n", last.join(" "));
        for table in &set.tables {
            let needs: String =
                table.needs.iter().map(|&at| format!(" {folder}/{}", set.tables[at].name)).collect();
            let _ = write!(
                text,
                "{folder}/{}:{needs}\n\t{make_folder}\n\t{}\n\t{}\n",
                table.name,
                escaped(&command.of_table(&quoted(&table.name), table.memory_bytes)),
                touch(&format!("{plain_folder}/{}", table.name)),
            );
        }
        Ok(text)
    }

    /// A Snakefile: `snakemake --cores 8 --snakefile FILE`, with the memory, scratch disk and time of each
    /// table as resources.
    ///
    /// # Errors
    /// The folder's path has this character, which stands for something else in the names of files there.
    pub fn to_snakemake(&self) -> Result<String, char> {
        let (Workflow { set, command, tables, .. }, n_threads) = (*self, self.options.n_threads);
        let (folder, whole) = stamps(tables);
        if let Some(brace) = folder.chars().find(|character| "{}".contains(*character)) {
            return Err(brace);
        }
        let string = |text: &str| {
            // Braces would be filled in.
            let text = text.replace('{', "{{").replace('}', "}}");
            serde_json::to_string(&text).unwrap_or_default()
        };
        let stamp = |at: usize| string(&format!("{folder}/{}", set.tables[at].name));
        let list = |places: &[usize]| places.iter().map(|&at| stamp(at)).collect::<Vec<_>>().join(", ");
        let mut text =
            format!("# {} tables; `snakemake --cores N --snakefile` this file.\n", set.tables.len());
        let _ = write!(
            text,
            "rule whole_set:\n    input: {}\n    output: touch({})\n    threads: {n_threads}\n    \
             resources: mem_mb={}, runtime={}\n    shell: {}\n",
            list(&set.last()),
            string(&whole),
            FINISH_BYTES.div_ceil(1 << 20),
            set.finish_minutes(),
            string(&command.of_set())
        );
        for (at, table) in set.tables.iter().enumerate() {
            let _ = write!(
                text,
                "\nrule:\n    name: {}\n    input: {}\n    output: touch({})\n    threads: {n_threads}\n    \
                 resources: mem_mb={}, disk_mb={}, runtime={}\n    shell: {}\n",
                string(&format!("table_{}", at + 1)),
                list(&table.needs),
                stamp(at),
                asked_bytes(table.memory_bytes).div_ceil(1 << 20),
                table.scratch_bytes.div_ceil(1 << 20),
                (table.seconds / 20.0).ceil().max(20.0),
                string(&command.of_table(&quoted(&table.name), table.memory_bytes)),
            );
        }
        Ok(text)
    }
}

/// The folder of the stamps of tables in this folder, and the stamp of the whole set.
fn stamps(tables: &Path) -> (String, String) {
    let folder = StateFolder::new(tables).stamps().display().to_string();
    let whole = format!("{folder}/whole-set");
    (folder, whole)
}

/// A file's name as a rule of make has it; the character that no rule can have, if there is one.
fn make_name(name: &str) -> Result<String, char> {
    let mut escaped = String::new();
    for character in name.chars() {
        match character {
            ' ' | ':' | '#' => escaped.extend(['\\', character]),
            '$' => escaped.push_str("$$"),
            _ if character.is_alphanumeric() || "_-./,+@~^".contains(character) => escaped.push(character),
            other => return Err(other),
        }
    }
    Ok(escaped)
}

#[cfg(test)]
mod tests {
    use super::TableSet;
    use super::{JobCommand, JobOptions, Workflow, asked_bytes, planned_bytes, quoted};
    use crate::cluster::set::tests::set;
    use std::path::Path;

    #[test]
    fn words_survive_a_shell() {
        for (word, expected) in [
            ("plain-1.toml", "plain-1.toml"),
            ("", "''"),
            ("my tables", "'my tables'"),
            ("it's", r"'it'\''s'"),
            ("$HOME;rm", "'$HOME;rm'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }

    fn command() -> JobCommand {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        JobCommand {
            start: words("tablesmith solve a$b.toml"),
            whole: words("--men 5"),
            trims: true,
            scratch: None,
            stage: None,
        }
    }

    /// The lines of a text that begin so, without that.
    fn values<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
        text.lines().filter_map(|line| line.strip_prefix(start)).collect()
    }

    fn scripts(set: &TableSet, command: &JobCommand, options: &JobOptions, tables: &str) -> Vec<String> {
        let workflow = Workflow { set, command, options, tables: Path::new(tables) };
        workflow.levels().iter().map(|level| workflow.script(level)).collect()
    }

    #[test]
    fn script_asks_for_what_its_tables_take_and_makes_them() {
        let mut tables = set(&[("KQvK", 1.0, &[]), ("KRvK", 1.0, &[]), ("KQvKR", 4000.0, &[0, 1])]);
        tables.tables[2].scratch_bytes = 5 << 30;
        let options = JobOptions {
            n_threads: 4,
            least_seconds: 60.0,
            account: Some("chess lab".into()),
            words: vec!["--qos=long".into(), "--constraint=a b".into()],
            prologue: vec!["module load gcc".into()],
            ..JobOptions::default()
        };
        let command = JobCommand { scratch: Some("$SLURM_TMPDIR".into()), ..command() };
        let texts = scripts(&tables, &command, &options, "/t");
        let [first, second] = &texts[..] else { panic!("{texts:?}") };
        let asked = "#!/bin/bash\n#SBATCH --job-name=ts-KRvK+1\n#SBATCH --array=0-0\n\
                     #SBATCH --output=/t/.cluster/logs/%A_%a.log\n";
        assert!(first.starts_with(asked), "{first}");
        assert!(first.contains("#SBATCH --cpus-per-task=4\n#SBATCH --mem=179M\n#SBATCH --time=20\n"));
        let own = "#SBATCH '--account=chess lab'\n#SBATCH --qos=long\n#SBATCH '--constraint=a b'\n";
        assert!(first.contains(own) && !first.contains("--tmp"), "{first}");
        let solve = "tablesmith solve 'a$b.toml' --table \"$1\" --job --memory 104857600 \
                     --scratch \"$SLURM_TMPDIR\"";
        let work = format!(
            "\nmodule load gcc\nset -eu\njobs=(\n    'KQvK KRvK'\n)\nset -- ${{jobs[$SLURM_ARRAY_TASK_ID]}}\n\
             while [ $# -gt 1 ]; do\n    {solve}\n    shift\ndone\nexec {solve}\n"
        );
        assert!(first.ends_with(&work), "{first}");
        assert!(second.contains("#SBATCH --time=200\n#SBATCH --tmp=5120M\n"), "{second}");
    }

    #[test]
    fn node_needs_a_disk_for_what_goes_there() {
        let mut tables = set(&[("KQvK", 1.0, &[]), ("KRvK", 1.0, &[]), ("KQvKR", 4000.0, &[0, 1])]);
        tables.tables[2].scratch_bytes = 5 << 30;
        let folder = |name: &str| Some(name.to_owned());
        for (scratch, stage, asked) in [
            (None, None, &[][..]),
            (folder("$TMP"), None, &["5120M"]),
            (None, folder("$TMP"), &["6M"]),
            (folder("$TMP"), folder("$TMP"), &["5126M"]),
        ] {
            let command = JobCommand { scratch, stage, ..command() };
            let texts = scripts(&tables, &command, &JobOptions::default(), "/t");
            let text = texts.last().expect("a level");
            assert_eq!(values(text, "#SBATCH --tmp="), asked, "{text}");
        }
    }

    #[test]
    fn limits_of_the_site_are_kept() {
        let tables = set(&[("KQvK", 9000.0, &[])]);
        let asks = |options: &JobOptions| {
            let text = scripts(&tables, &command(), options, "/50%").remove(0);
            let one = |name: &str| values(&text, &format!("#SBATCH --{name}=")).concat();
            [one("mem"), one("time"), one("output"), one("array")]
        };
        let output = "/50%%/.cluster/logs/%A_%a.log";
        let free = JobOptions { memory_percent: 300, time_percent: 200, ..JobOptions::default() };
        assert_eq!(asks(&free), ["535M", "900", output, "0-0"]);
        let (most_memory_bytes, most_minutes) = (Some(200 << 20), Some(600));
        let bound = JobOptions { most_memory_bytes, most_minutes, most_jobs: Some(7), ..free.clone() };
        assert_eq!(asks(&bound), ["200M", "600", output, "0-0%7"]);
        let finish = |options: &JobOptions| {
            let workflow = Workflow { set: &tables, command: &command(), options, tables: Path::new("/50%") };
            values(&workflow.finish_script(), "#SBATCH --mem=").concat()
        };
        assert_eq!([finish(&free), finish(&bound)], ["3072M", "200M"]);
        for most_bytes in [65 << 20, 1 << 30, 60 << 30, 12_345_678_901] {
            assert!(asked_bytes(planned_bytes(most_bytes)) <= most_bytes);
            assert!(asked_bytes(planned_bytes(most_bytes)) + 100 > most_bytes);
        }
    }

    #[test]
    fn graphs_of_other_engines_have_a_rule_for_each_table() {
        let tables = set(&[("KQvK", 1.0, &[]), ("KQvKR", 100_000.0, &[0])]);
        let (command, options) = (command(), JobOptions { n_threads: 2, ..JobOptions::default() });
        let at = |tables_path| Workflow {
            set: &tables,
            command: &command,
            options: &options,
            tables: Path::new(tables_path),
        };
        let text = at("t").to_make().expect("a makefile");
        for rule in [
            "t/.cluster/stamps/KQvKR: t/.cluster/stamps/KQvK\n\t@mkdir -p t/.cluster/stamps\n\
             \ttablesmith solve 'a$$b.toml' --table KQvKR --job --memory 104857600\n\
             \t@touch t/.cluster/stamps/KQvKR\n",
            "t/.cluster/stamps/whole-set: t/.cluster/stamps/KQvKR\n\t@mkdir -p t/.cluster/stamps\n\
             \ttablesmith solve 'a$$b.toml' --men 5 --recorded\n\t@touch t/.cluster/stamps/whole-set\n",
        ] {
            assert!(text.contains(rule), "{text}");
        }
        let text = at("t").to_snakemake().expect("a Snakefile");
        for rule in [
            "resources: mem_mb=179, disk_mb=0, runtime=5000\n",
            "input: \"t/.cluster/stamps/KQvK\"\n    output: touch(\"t/.cluster/stamps/KQvKR\")",
        ] {
            assert!(text.contains(rule), "{text}");
        }
        assert_eq!((at("50%").to_make(), at("{}").to_snakemake()), (Err('%'), Err('{')));
        let text = at("t").to_slurm();
        assert!(text.contains("level0=$(sbatch --parsable <<'END'\n#!/bin/bash\n"), "{text}");
        let after = "level1=$(sbatch --parsable --dependency=afterok:${level0%%;*} \
                     --kill-on-invalid-dep=yes <<'END'\n";
        assert!(text.contains(after), "{text}");
        let trim = text.split("trim0=").nth(1).expect("a job that trims").split("level1=").next();
        assert!(trim.is_some_and(|job| job.contains("exec tablesmith solve 'a$b.toml' --men 5 --trim\n")));
        assert!(!text.contains("trim1="), "the last job trims what is left: {text}");
    }
}
