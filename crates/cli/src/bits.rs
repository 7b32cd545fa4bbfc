//! Asks and checks one-bit files: `probe --bits FILE` and `verify FILE.tsq`.

use crate::export::edition_of;
use crate::progress::not_built;
use crate::verify::VerifyArgs;
use crate::{Answer, Console, Failure, Outcome, Thing, count, pool, seconds};
use build::{BitsVerified, verify_bits};
use export::bits::{BitsFile, Question};
use format::folder_of;
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
            (Some(true), None) => "yes",
            (_, None) => "no",
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
        console.tell_denied(is_denied)?;
        let question = answered.question.as_ref().map(|question| format!("{question}: "));
        match as_json {
            true => console.print_json(&answered)?,
            false => writeln!(console.out, "{}{}", question.unwrap_or_default(), answered.text())?,
        }
        return Ok(if answered.error.is_none() { Answer::Yes } else { Answer::No });
    }
    let mut any_denied = false;
    while let Some(line) = console.input.line()? {
        let line = String::from_utf8_lossy(&line);
        let Some(fen) = position_line(&line) else { continue };
        let (answered, is_denied) = answer(&file, &book, fen);
        any_denied |= is_denied;
        match as_json {
            true => writeln!(console.out, "{}", serde_json::to_string(&answered)?)?,
            false => writeln!(console.out, "{}\t{}", fen.replace('\t', " "), answered.text())?,
        }
    }
    console.tell_denied(any_denied)?;
    Ok(Answer::Yes)
}

/// The answer for a position, and whether it has rights that cannot be.
fn answer<'f>(file: &BitsFile, book: &RuleBook, fen: &'f str) -> (Answered<'f>, bool) {
    let (answered, is_denied) = match read_position(book, fen) {
        Ok((position, is_denied)) => (answer_of(file, book, &position), is_denied),
        Err(error) => (Err(error.to_string()), false),
    };
    let found = answered.as_ref().ok();
    let (question, answer) = (found.map(|(question, _)| question.to_string()), found.map(|(_, yes)| *yes));
    (Answered { fen, question, answer, error: answered.err() }, is_denied)
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
    let found = file.answer_for(position).map_err(|error| error.to_string())?;
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
