//! `import`: takes over games of Fairy-Stockfish's `variants.ini` as variant files.

use crate::{Answer, Console, Failure, Outcome, Report, plural};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use variant::ini::{Conversion, Games, Refusal};
use variant::visible;

/// Take over the games of a variants.ini, as Fairy-Stockfish has them, as variant files
#[derive(clap::Args, Debug)]
pub(crate) struct ImportArgs {
    /// The file
    pub(crate) file: PathBuf,
    /// Only this game, by the name of its section; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Vec<String>,
    /// Where the variant files go
    #[arg(long, value_name = "DIR", default_value = "variants")]
    pub(crate) out: PathBuf,
}

pub(crate) fn run(console: &mut Console<'_>, args: &ImportArgs) -> Outcome {
    let games = read(&args.file)?;
    let all: Vec<&str> = games.names().collect();
    if let Some(other) = args.variant.iter().find(|name| !all.contains(&name.as_str())) {
        return Err(missing(&args.file, other, &all));
    }
    let is_asked = |name: &&&str| args.variant.is_empty() || args.variant.iter().any(|own| own == **name);
    let mut report = Report::new("game | outcome");
    let (mut counts, mut reasons) = ([0u64; 3], BTreeMap::<String, u64>::new());
    let mut files = BTreeSet::new();
    for name in all.iter().filter(is_asked) {
        let (outcome, lines) = match games.convert(name) {
            Ok(conversion) if !files.insert(conversion.variant.name.clone()) => {
                (2, vec![format!("refused: another game has the file {}.toml", conversion.variant.name)])
            }
            Ok(conversion) => match write(&args.out, &conversion)? {
                Ok(path) => {
                    let notes = conversion.notes.iter().map(|note| format!("left out: {note}"));
                    let lines = std::iter::once(path.display().to_string()).chain(notes);
                    (usize::from(!conversion.notes.is_empty()), lines.collect())
                }
                Err(why) => (2, vec![format!("refused: {why}")]),
            },
            Err(refusals) => {
                // A game counts for the first of its reasons.
                if let Some(first) = refusals.first() {
                    *reasons.entry(first.why.clone()).or_default() += 1;
                }
                (2, refusals.iter().map(|refusal| format!("refused: {refusal}")).collect())
            }
        };
        counts[outcome] += 1;
        for (line, shown) in lines.iter().zip(std::iter::once(*name).chain(std::iter::repeat(""))) {
            report.row([shown, line]);
        }
    }
    write!(console.out, "{}", report.text(console.out_width))?;
    let [whole, noted, refused] = counts;
    let n_games = plural(whole + noted + refused, "game");
    writeln!(
        console.out,
        "\n{n_games}: {whole} taken over whole, {noted} with something left out, {refused} refused"
    )?;
    let mut reasons: Vec<(u64, String)> = reasons.into_iter().map(|(why, n)| (n, why)).collect();
    reasons.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    for (n, why) in reasons.iter().filter(|_| args.variant.is_empty()) {
        writeln!(console.out, "{n:>4} refused because {why}")?;
    }
    Ok(if args.variant.is_empty() || refused == 0 { Answer::Yes } else { Answer::No })
}

/// The games of a file.
fn read(path: &Path) -> Outcome<Games> {
    let shown = path.display();
    let bytes = fs::read(path).map_err(|error| Failure::new(format!("cannot read {shown}: {error}")))?;
    Games::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| Failure::new(format!("{shown}:\n{error}")))
}

/// The name of a file and of a game in it: `variants.ini:gemini`.
pub(crate) fn game_in(path: &Path) -> Option<(&Path, Option<&str>)> {
    let text = path.to_str()?;
    let end = text.rfind(ENDING)? + ENDING.len();
    match text[end..].strip_prefix(':') {
        Some(name) => Some((Path::new(&text[..end]), Some(name))),
        None => text[end..].is_empty().then_some((path, None)),
    }
}

/// How the names of such files end.
const ENDING: &str = ".ini";

/// A game of a file; a file with a single game needs no name.
pub(crate) fn game(path: &Path, name: Option<&str>) -> Outcome<Conversion> {
    let games = read(path)?;
    let all: Vec<&str> = games.names().collect();
    let shown = path.display();
    let name = match (name, &all[..]) {
        (Some(name), all) if all.contains(&name) => name,
        (Some(name), all) => return Err(missing(path, name, all)),
        (None, [only]) => only,
        (None, _) => {
            let what = format!("{shown} has {}: name one, as {shown}:", plural(all.len() as u64, "game"));
            return Err(Failure::new(what + all.first().unwrap_or(&"NAME")));
        }
    };
    let refused = |refusals: Vec<Refusal>| {
        let lines: String = refusals.iter().map(|refusal| format!("\n  {refusal}")).collect();
        Failure::new(format!("{} of {shown} has rules that no variant file has:{lines}", visible(name)))
    };
    games.convert(name).map_err(refused)
}

fn missing(path: &Path, name: &str, all: &[&str]) -> Failure {
    let near = all.iter().filter(|own| own.contains(name) || name.contains(*own)).copied();
    let near: Vec<&str> = near.take(5).collect();
    let like = if near.is_empty() { String::new() } else { format!("; it has {}", near.join(", ")) };
    Failure::new(format!("{} has no game {}{like}", path.display(), visible(name)))
}

/// Writes the file of a game, and says where; one that is there stays if it says something else, and why.
fn write(folder: &Path, conversion: &Conversion) -> Outcome<Result<PathBuf, String>> {
    let path = folder.join(&conversion.variant.name).with_extension("toml");
    match fs::read(&path) {
        Ok(there) if there == conversion.text.as_bytes() => return Ok(Ok(path)),
        Ok(_) => {
            let shown = path.display();
            return Ok(Err(format!("{shown} is there with other rules; name another folder with --out DIR")));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(Failure::new(format!("cannot read {}: {error}", path.display()))),
    }
    let made = fs::create_dir_all(folder);
    made.map_err(|error| Failure::new(format!("cannot make the folder {}: {error}", folder.display())))?;
    format::write_atomically(&path, &[conversion.text.as_bytes()])?;
    Ok(Ok(path))
}
