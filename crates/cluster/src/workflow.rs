//! Writes the graph of a set as a file of `make` or of Snakemake.
//!
//! Files of tables change while a set grows (a side to move comes and goes), so both engines look at stamps:
//! empty files in `.cluster/stamps`, one for each table that was made.

use crate::command::quoted;
use crate::set::FINISH_BYTES;
use crate::{JobCommand, StateFolder, TableSet, asked_bytes};
use std::fmt::Write as _;
use std::path::Path;

/// The folder of the stamps of tables in this folder, and the stamp of the whole set.
fn stamps(tables: &Path) -> (String, String) {
    let folder = StateFolder::new(tables).stamps().display().to_string();
    let whole = format!("{folder}/whole-set");
    (folder, whole)
}

/// A makefile: `make -j 8 -f FILE` makes what is missing, eight tables at a time.
///
/// # Errors
/// The folder's path has this character, and make knows no file with it.
pub fn to_make(set: &TableSet, command: &JobCommand, tables: &Path) -> Result<String, char> {
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

/// A Snakefile: `snakemake --cores 8 --snakefile FILE`, with the memory, scratch disk and time of each
/// table as resources.
///
/// # Errors
/// The folder's path has this character, which stands for something else in the names of files there.
pub fn to_snakemake(
    set: &TableSet,
    command: &JobCommand,
    tables: &Path,
    n_threads: usize,
) -> Result<String, char> {
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
    let mut text = format!("# {} tables; `snakemake --cores N --snakefile` this file.\n", set.tables.len());
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

#[cfg(test)]
mod tests {
    use super::{to_make, to_snakemake};
    use crate::JobCommand;
    use crate::set::tests::set;
    use std::path::Path;

    fn command() -> JobCommand {
        JobCommand {
            start: vec!["tablesmith".into(), "solve".into(), "a$b.toml".into()],
            job: vec!["--job".into()],
            whole: vec!["--men".into(), "4".into()],
            scratch: None,
            stage: None,
        }
    }

    #[test]
    fn makefile_has_a_rule_for_each_table() {
        let tables = set(&[("KQvK", 1.0, &[]), ("KQvKR", 1.0, &[0])]);
        let text = to_make(&tables, &command(), Path::new("t")).expect("a makefile");
        let rule = "t/.cluster/stamps/KQvKR: t/.cluster/stamps/KQvK\n\t@mkdir -p t/.cluster/stamps\n\
                    \ttablesmith solve 'a$$b.toml' --table KQvKR --job --memory 104857600\n\
                    \t@touch t/.cluster/stamps/KQvKR\n";
        assert!(text.contains(rule), "{text}");
        let whole = "t/.cluster/stamps/whole-set: t/.cluster/stamps/KQvKR\n\t@mkdir -p t/.cluster/stamps\n\
                     \ttablesmith solve 'a$$b.toml' --men 4 --recorded\n\
                     \t@touch t/.cluster/stamps/whole-set\n";
        assert!(text.contains(whole), "{text}");
        assert_eq!(to_make(&tables, &command(), Path::new("50%")), Err('%'));
    }

    #[test]
    fn snakefile_has_the_costs() {
        let tables = set(&[("KQvK", 1.0, &[]), ("KQvKR", 100_000.0, &[0])]);
        let text = to_snakemake(&tables, &command(), Path::new("t"), 2).expect("a Snakefile");
        assert!(text.contains("resources: mem_mb=179, disk_mb=0, runtime=5000\n"), "{text}");
        assert!(
            text.contains(
                "input: \"t/.cluster/stamps/KQvK\"\n    output: touch(\"t/.cluster/stamps/KQvKR\")"
            )
        );
    }
}
