//! `new-variant`: writes a variant file to begin with, right as it stands.

use crate::{Console, Failure, Outcome};
use geometry::Board;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use variant::Variant;

/// Write a variant file to begin with: chess men, a man of your own, comments on every line
#[derive(clap::Args, Debug)]
pub(crate) struct NewVariantArgs {
    /// The name of the game, as in tables/<name>: lower-case letters, digits, `-` and `_`
    pub(crate) name: String,
    /// Files and ranks, such as 10x8
    #[arg(long, value_name = "SIZE", default_value = "8x8", value_parser = crate::args::parse_board)]
    pub(crate) board: Board,
    /// Where the file goes [default: variants/<name>.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// The file, with words in capitals in double braces for what differs.
const TEMPLATE: &str = include_str!("template.toml");

pub(crate) fn run(console: &mut Console<'_>, args: &NewVariantArgs) -> Outcome<()> {
    if !Variant::is_name(&args.name) {
        let help = "use lower-case letters, digits, `-` and `_`, as in `new-variant my-game`, but no name of \
                    a device of Windows such as `con`";
        let name = args.name.escape_debug();
        return Err(Failure::new(format!(
            "`{name}` cannot be a variant's name; it names a folder of tables: {help}"
        )));
    }
    let path = match &args.out {
        Some(path) => path.clone(),
        None => default_path(&args.name)?,
    };
    write_new(&path, &filled(&args.name, &args.board))?;
    let (path, program) = (path.display(), console.program.name);
    Ok(writeln!(console.out, "{path}: written\nnext: change it, then {program} check {path}")?)
}

/// In the folder of variants, which is made if there is none.
fn default_path(name: &str) -> Outcome<PathBuf> {
    let folder = Path::new("variants");
    fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("cannot make the folder variants: {error}")))?;
    Ok(folder.join(name).with_extension("toml"))
}

/// Writes a file that is not there yet.
fn write_new(path: &Path, text: &str) -> Outcome<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| {
        let path = path.display();
        Failure::new(match error.kind() {
            ErrorKind::AlreadyExists => {
                format!("{path} is there already; take another name, or another file with --out FILE")
            }
            _ => format!("cannot write {path}: {error}; say with --out FILE where it goes"),
        })
    })
}

/// The template for this game.
fn filled(name: &str, board: &Board) -> String {
    let (files, ranks) = (board.files(), board.ranks());
    // On shorter boards a double step would come to the last rank or meet the other side's pawns.
    let double_step = ranks > 5;
    [
        ("{{NAME}}", name.to_owned()),
        ("{{FILES}}", files.to_string()),
        ("{{RANKS}}", ranks.to_string()),
        ("{{DOUBLE}}", double_step.to_string()),
    ]
    .into_iter()
    .fold(TEMPLATE.to_owned(), |text, (place, value)| text.replace(place, &value))
}

#[cfg(test)]
mod tests;
