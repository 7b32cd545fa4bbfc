//! Writes the command lines of jobs.

/// The words of a command that makes tables of a set, in parts that every job has in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobCommand {
    /// The program and what stands before the table: `tablesmith solve rules.toml --out tables`.
    pub start: Vec<String>,
    /// What stands behind it, for one table of a set.
    pub job: Vec<String>,
    /// The words that ask for the whole set, instead of a table: `--men 5`.
    pub whole: Vec<String>,
    /// A folder for what is needed meanwhile, which the shell of the job expands: `$SLURM_TMPDIR`.
    pub scratch: Option<String>,
    /// A folder into which a job copies what it reads, which its shell expands.
    pub stage: Option<String>,
}

impl JobCommand {
    /// The command that makes one table in so much memory, in the words of a shell; `table` is taken as it
    /// is.
    #[must_use]
    pub fn of_table(&self, table: &str, memory_bytes: u64) -> String {
        let folder = |option: &str, folder: &Option<String>| {
            folder.as_ref().map_or_else(String::new, |folder| {
                // Variables are meant to be filled in, and spaces in what they stand for are not.
                format!(" {option} \"{}\"", folder.replace('\\', "\\\\").replace('"', "\\\""))
            })
        };
        let (scratch, stage) = (folder("--scratch", &self.scratch), folder("--stage", &self.stage));
        let job: String = self.job.iter().map(|word| format!(" {}", quoted(word))).collect();
        format!("{} --table {table}{job} --memory {memory_bytes}{scratch}{stage}", line(&self.start))
    }

    /// The command that runs over the whole set when all tables are there: it compares every file with what
    /// its job has recorded, and cuts off the sides to move that only other jobs needed.
    #[must_use]
    pub fn of_set(&self) -> String {
        line(self.start.iter().chain(&self.whole)) + " --recorded"
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

#[cfg(test)]
mod tests {
    use super::{JobCommand, quoted};

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

    #[test]
    fn commands_name_their_table() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let command = JobCommand {
            start: vec!["tablesmith".into(), "solve".into(), "my rules.toml".into()],
            job: words("--job"),
            whole: words("--men 5"),
            scratch: Some("$SLURM_TMPDIR".into()),
            stage: Some("$SLURM_TMPDIR/in".into()),
        };
        let one = "tablesmith solve 'my rules.toml' --table KQvK --job --memory 1000 \
                   --scratch \"$SLURM_TMPDIR\" --stage \"$SLURM_TMPDIR/in\"";
        assert_eq!(command.of_table("KQvK", 1000), one);
        assert_eq!(command.of_set(), "tablesmith solve 'my rules.toml' --men 5 --recorded");
    }
}
