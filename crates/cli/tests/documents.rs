//! The console blocks of the documents: what stands there after `$ ` is typed, and what stands below it comes out.
//!
//! They are run with the installed binary, which has the same commands as `cargo xtask`, in a folder with the variants
//! of the repository and the tables of three men.

use std::path::Path;
use std::process::{Command, Output};

const DOCUMENTS: [&str; 5] =
    ["README.md", "docs/algorithm.md", "docs/architecture.md", "docs/table-format.md", "docs/variants.md"];

/// A command and its output, as a document has them.
struct Block {
    command: String,
    output: String,
}

fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for fenced in document.split("```console\n").skip(1) {
        let text = fenced.split("```").next().unwrap_or_default();
        for line in text.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => blocks.push(Block { command: command.into(), output: String::new() }),
                None => {
                    let block: &mut Block = blocks.last_mut().expect("a block begins with a command");
                    block.output += &format!("{line}\n");
                }
            }
        }
    }
    blocks
}

/// The words of a command; double quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let quoted = command.split('"').enumerate();
    quoted
        .flat_map(|(i, part)| match i % 2 {
            1 => vec![part.to_owned()],
            _ => part.split_whitespace().map(str::to_owned).collect(),
        })
        .collect()
}

fn tablesmith(folder: &Path, args: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tablesmith")).args(args).current_dir(folder).output().expect("it runs")
}

#[test]
fn commands_do_what_the_documents_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("variants")).unwrap();
    std::fs::copy(root.join("variants/fide.toml"), folder.path().join("variants/fide.toml")).unwrap();
    let solve = ["solve", "variants/fide.toml", "--men", "3"].map(str::to_owned);
    assert!(tablesmith(folder.path(), &solve).status.success());

    let mut n_blocks = 0;
    for document in DOCUMENTS {
        let text = std::fs::read_to_string(root.join(document)).unwrap_or_else(|e| panic!("{document}: {e}"));
        for block in blocks(&text) {
            let args = block.command.strip_prefix("cargo xtask ").expect("a command of the workbench");
            let output = tablesmith(folder.path(), &words(args));
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(out, block.output, "{document}: {}\n{err}", block.command);
            assert_ne!(output.status.code(), Some(2), "{document}: {}\n{err}", block.command);
            n_blocks += 1;
        }
    }
    assert!(n_blocks >= 5, "{n_blocks} blocks");
}
