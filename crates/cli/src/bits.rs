//! Asks and checks one-bit files: `probe --bits FILE` and `verify FILE.tsq`.

use crate::console::Console;
use crate::export::edition_of;
use crate::pool::pool;
use crate::progress::not_built;
use crate::thing::Thing;
use crate::verify::VerifyArgs;
use crate::{Answer, Failure, Outcome};
use build::{BitsVerified, verify_bits};
use export::bits::{BitsFile, Question};
use format::folder_of;
use library::figure::{count, seconds};
use library::{TableFiles, position_line, read_position};
use position::{Position, RuleBook};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// The answer for a position, or why there is none.
#[derive(Serialize)]
struct Answered<'a> {
    fen: &'a str,
    question: Option<String>,
    answer: Option<bool>,
    error: Option<String>,
}

impl Answered<'_> {
    /// Yes or no, or why there is no answer.
    fn text(&self) -> &str {
        match (self.answer, &self.error) {
            (_, Some(error)) => error,
            (answer, None) => {
                if answer == Some(true) {
                    "yes"
                } else {
                    "no"
                }
            }
        }
    }
}

/// Answers for one position or for those of standard input.
pub(crate) fn probe(
    console: &mut Console<'_>,
    path: &Path,
    variant: Option<&Path>,
    fen: Option<&str>,
    as_json: bool,
) -> Outcome {
    let game = Thing::Bits.game(path, variant)?;
    let file = BitsFile::open(path, &game.variant)?;
    let book = RuleBook::new(&game.variant);
    if let Some(fen) = fen {
        let (answered, is_denied) = answer(&file, &book, fen);
        if is_denied {
            console.tell_denied()?;
        }
        match &answered.question {
            _ if as_json => console.print_json(&answered)?,
            Some(question) => writeln!(console.out, "{question}: {}", answered.text())?,
            None => writeln!(console.out, "{}", answered.text())?,
        }
        return Ok(if answered.error.is_none() { Answer::Yes } else { Answer::No });
    }
    let (mut line, mut any_denied) = (String::new(), false);
    while console.input.read_line(&mut line)? > 0 {
        if let Some(fen) = position_line(&line) {
            let (answered, is_denied) = answer(&file, &book, fen);
            any_denied |= is_denied;
            if as_json {
                let json = serde_json::to_string(&answered)?;
                writeln!(console.out, "{json}")?;
            } else {
                writeln!(console.out, "{}\t{}", fen.replace('\t', " "), answered.text())?;
            }
        }
        line.clear();
    }
    if any_denied {
        console.tell_denied()?;
    }
    Ok(Answer::Yes)
}

/// The answer for a position, and whether it has rights that cannot be.
fn answer<'f>(file: &BitsFile, book: &RuleBook, fen: &'f str) -> (Answered<'f>, bool) {
    let (answered, is_denied) = match read_position(book, fen) {
        Ok((position, is_denied)) => (answer_of(file, book, &position), is_denied),
        Err(error) => (Err(error.to_string()), false),
    };
    let (found, error) = match answered {
        Ok(found) => (Some(found), None),
        Err(error) => (None, Some(error)),
    };
    let question = found.map(|(question, _)| question.to_string());
    (Answered { fen, question, answer: found.map(|(_, yes)| yes), error }, is_denied)
}

fn answer_of(file: &BitsFile, book: &RuleBook, position: &Position) -> Result<(Question, bool), String> {
    // Rights to castle are refused.
    Position::from_fen(book, &position.to_fen(book)).map_err(|error| error.to_string())?;
    if !position.is_legal(book) {
        return Err("illegal".into());
    }
    if position.en_passant().is_some() {
        return Err("one-bit files have no positions with a right to capture en passant".into());
    }
    let men: Vec<_> = position.men().collect();
    let found = file.answer_for(book.variant(), &men, position.stm()).map_err(|error| error.to_string())?;
    found.ok_or_else(|| {
        format!("{} holds {}, and this position has other men", file.path().display(), file.layout().name())
    })
}

/// Compares the checksums of a file, and its answers with the tables beside it or in another folder.
pub(crate) fn verify(console: &mut Console<'_>, args: &VerifyArgs) -> Outcome {
    let begin = Instant::now();
    let folder = args.against.as_deref().unwrap_or(folder_of(&args.path));
    let game = Thing::Bits.game(&args.path, args.variant.as_deref())?;
    let file = BitsFile::open(&args.path, &game.variant)?;
    let (path, time) = (args.path.display(), || seconds(begin.elapsed()));
    let edition = edition_of(&game, &[folder.into()], file.metric())?;
    let files = TableFiles::new(edition, folder);
    if !files.are_there(file.layout().name()) {
        if args.against.is_some() {
            let (folder, name) = (folder.display(), file.layout().name());
            return Err(Failure::new(format!("{folder} has no table {name} of {}", file.metric())));
        }
        file.verify_checksums()?;
        writeln!(console.out, "{path}: checksums ok, {}", time())?;
        console.tell("its answers are compared with tables where they are: verify FILE --against DIR")?;
        return Ok(Answer::Yes);
    }
    let verified = pool(args.threads)?.install(|| verify_bits(&file, &files));
    let verified = verified.map_err(|error| not_built(error.into(), &game, folder, console.program.name))?;
    let BitsVerified { n_answers, n_wrong, is_of_table } = verified;
    if n_wrong > 0 {
        let why = if is_of_table { "" } else { ", and it was made of another table" };
        let (wrong, all, time) = (count(n_wrong), count(n_answers), time());
        writeln!(console.out, "{path}: {wrong} of {all} answers are wrong{why}, {time}")?;
        return Ok(Answer::No);
    }
    let (folder, answers, time) = (folder.display(), count(n_answers), time());
    writeln!(console.out, "{path}: ok, {answers} answers as in the table of {folder}, {time}")?;
    Ok(Answer::Yes)
}
