//! Has Fairy-Stockfish and python-chess judge positions: which are legal, how the game has ended, the legal
//! moves, and the positions that they lead to.
//!
//! Where two programs mean different things by the same rule the difference is one of definition: it is
//! counted apart and named with its source.

mod definition;

use definition::definition;
use position::{FenError, Move, Position, RuleBook};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use variant::{PieceId, Side, Variant};
use xtask::interpreter::Python;
use xtask::root;

/// The most differences of a game that are listed.
const MAX_LISTED: usize = 5;

/// A program that knows rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judge {
    FairyStockfish,
    PythonChess,
}

impl Judge {
    /// The name of its Python package, as reports and the script have it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Judge::FairyStockfish => "pyffish",
            Judge::PythonChess => "python-chess",
        }
    }
}

/// A game with the program that judges its positions.
#[derive(Clone, Debug)]
pub(super) struct JudgedGame {
    pub(super) label: String,
    pub(super) judge: Judge,
    pub(super) variant: Variant,
    /// The kinds of men that the program has.
    pub(super) pieces: Vec<PieceId>,
    /// The name that the program has for it.
    pub(super) name: String,
    /// Its section in a `variants.ini`; a game that the program knows needs none.
    pub(super) section: String,
}

impl JudgedGame {
    /// A game that the program knows by name.
    pub(super) fn known(variant: Variant, judge: Judge, label: &str, name: &str) -> Self {
        let pieces = variant.piece_ids().collect();
        let (label, name) = (label.to_owned(), name.to_owned());
        JudgedGame { label, judge, variant, pieces, name, section: String::new() }
    }
}

/// What a comparison of one game has found.
#[derive(Default)]
struct Tally {
    n_legal: usize,
    n_illegal: usize,
    n_moves: usize,
    /// In words.
    different: Vec<String>,
    /// How many positions differ by each definition.
    by_definition: BTreeMap<&'static str, usize>,
}

/// Games with the positions to judge.
pub(super) struct Round<'a> {
    pub(super) games: Vec<JudgedGame>,
    /// Games that no program can play, in words.
    pub(super) left_out: Vec<String>,
    /// How many legal positions of each game there have to be.
    pub(super) n_positions: usize,
    /// Makes the positions of a game.
    pub(super) positions: &'a (dyn Fn(&JudgedGame, &RuleBook) -> Vec<Asked> + Sync),
    /// Whether positions that moves lead to are compared too.
    pub(super) is_followed: bool,
}

/// Compares the positions of each game; whether all are equal, or differ by definition.
///
/// # Errors
/// No Python, or a program that gives up.
pub(super) fn run(
    python: &Python,
    folder: &Path,
    round: &Round<'_>,
    report: &mut dyn FnMut(&str),
) -> Result<bool, String> {
    let (mut n_wrong, mut definitions) = (0, BTreeSet::new());
    report(&row("variant", "reference", ["positions", "illegal", "moves", "differences", "by definition"]));
    // In groups, so that progress is reported in order and a difference soon.
    for group in round.games.chunks(2 * rayon::current_num_threads()) {
        let compared = group.par_iter().map(|game| compare(python, folder, game, round));
        let tallies: Vec<Tally> = compared.collect::<Result<_, String>>()?;
        for (game, tally) in group.iter().zip(tallies) {
            n_wrong += tally.different.len();
            let n_defined: usize = tally.by_definition.values().sum();
            let numbers = [tally.n_legal, tally.n_illegal, tally.n_moves, tally.different.len(), n_defined];
            let numbers = numbers.map(|number| number.to_string());
            report(&row(&game.label, game.judge.name(), numbers.each_ref().map(String::as_str)));
            tally.different.iter().take(MAX_LISTED).for_each(|line| report(line));
            definitions.extend(
                tally.by_definition.iter().map(|(line, n)| format!("{}, {n} positions: {line}", game.label)),
            );
        }
    }
    definitions.iter().for_each(|line| report(&format!("by definition: {line}")));
    round.left_out.iter().for_each(|line| report(line));
    report(&format!(
        "{} comparisons: {}",
        round.games.len(),
        match n_wrong {
            0 => "all equal".to_owned(),
            n => format!("{n} positions differ"),
        }
    ));
    Ok(n_wrong == 0)
}

fn row(variant: &str, reference: &str, numbers: [&str; 5]) -> String {
    let numbers: String = numbers.iter().map(|number| format!("  {number:>13}")).collect();
    format!("{variant:<24}  {reference:<12}{numbers}")
}

/// Makes positions of a game and asks its judge.
fn compare(python: &Python, folder: &Path, game: &JudgedGame, round: &Round<'_>) -> Result<Tally, String> {
    let book = RuleBook::new(&game.variant);
    let (n_positions, asked) = (round.n_positions, (round.positions)(game, &book));
    let stem = format!("{}.{}", game.label, game.judge.name());
    let (ini, input) = (folder.join(format!("{stem}.ini")), folder.join(format!("{stem}.txt")));
    let line = |(fen, read): &Asked| {
        let position = read.as_ref().ok().filter(|_| round.is_followed);
        let followed = position.map(|position| followed(&book, position).join(" ")).unwrap_or_default();
        format!("{}\t{}\t{followed}\n", game.name, fen_there(game, fen, read))
    };
    let lines: String = asked.iter().map(line).collect();
    for (path, text) in [(&ini, &game.section), (&input, &lines)] {
        std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let script = root().join("lab/cross_check/judge.py");
    let answer = python
        .script(&script, &[Path::new(game.judge.name()), &ini], &input)
        .map_err(|error| format!("{}: {error}", game.label))?;
    let answers: Vec<&str> = answer.lines().collect();
    if answers.len() != asked.len() {
        return Err(format!("{}: {} answers to {} positions", game.label, answers.len(), asked.len()));
    }
    let mut tally = Tally::default();
    for ((fen, read), answer) in asked.iter().zip(answers) {
        let legal = read.as_ref().ok().filter(|position| position.is_legal(&book));
        *(if legal.is_some() { &mut tally.n_legal } else { &mut tally.n_illegal }) += 1;
        tally.n_moves += legal.map_or(0, |position| position.legal_moves(&book).len());
        let Some(difference) = difference(&book, read, answer) else { continue };
        let defined = read.as_ref().ok().and_then(|position| definition(game, &book, position, &difference));
        match defined {
            Some(line) => *tally.by_definition.entry(line).or_default() += 1,
            None => tally.different.push(format!("  {fen}: {difference}")),
        }
    }
    if tally.n_legal < n_positions {
        let n = tally.n_legal;
        tally.different.push(format!("  only {n} of {n_positions} legal positions could be made"));
    }
    Ok(tally)
}

/// A FEN, and how it is read here.
pub(super) type Asked = (String, Result<Position, FenError>);

/// The moves whose positions are compared: each that does more than put a man on an empty square, and one of
/// the others. Fairy-Stockfish takes a millisecond a question.
fn followed(book: &RuleBook, position: &Position) -> Vec<String> {
    let moves = position.legal_moves(book);
    let is_plain = |mv: &Move| {
        let is_still = mv.is_pass() || mv.castling.is_some() || mv.passed.is_some() || mv.is_conversion();
        !is_still && position.play(*mv).castling() == position.castling()
    };
    let (plain, others): (Vec<Move>, Vec<Move>) = moves.into_iter().partition(is_plain);
    others.iter().chain(plain.get(plain.len() / 2)).map(|mv| mv.uci(book)).collect()
}

/// The FEN as the judge has it: where a double step leads aside, Fairy-Stockfish names the square passed over
/// and the pawn's own, the one with the lower number first.
fn fen_there(game: &JudgedGame, fen: &str, read: &Result<Position, FenError>) -> String {
    let board = &game.variant.board;
    let right = read.as_ref().ok().and_then(Position::en_passant);
    let aside = right.filter(|right| board.file_of(right.passed) != board.file_of(right.victim));
    let Some(right) = aside.filter(|_| game.judge == Judge::FairyStockfish) else { return fen.to_owned() };
    let squares = [right.passed.min(right.victim), right.passed.max(right.victim)];
    let field = squares.map(|square| board.name(square)).concat();
    let fields: Vec<&str> = fen.split(' ').collect();
    [fields[0], fields[1], fields[2], &field, fields[4], fields[5]].join(" ")
}

/// What the judge says otherwise, in words: "legality", "end", "moves" or "child" first.
fn difference(book: &RuleBook, read: &Result<Position, FenError>, answer: &str) -> Option<String> {
    let fields: Vec<&str> = answer.split('\t').collect();
    let [legality, end, moves] = fields[..] else { return Some(format!("answer `{answer}`")) };
    let position = match read {
        Err(_) if legality != "legal" => return None,
        Err(error) => return Some(format!("legality: ours {error}, theirs legal")),
        Ok(position) => position,
    };
    let is_legal = position.is_legal(book);
    if is_legal != (legality == "legal") {
        return Some(format!("legality: ours {is_legal}, theirs {legality}"));
    }
    if !is_legal {
        return None;
    }
    let own_end = match position.ending(book).map(|ending| ending.winner) {
        None => "-",
        Some(None) => "d",
        Some(Some(Side::White)) => "w",
        Some(Some(Side::Black)) => "b",
    };
    if own_end != end {
        return Some(format!("end: ours {own_end}, theirs {end}"));
    }
    // Where nobody is royal programs write a pass with different men.
    let name = |uci: &str| match uci.split_at(uci.len() / 2) {
        (from, to) if from == to => "pass".to_owned(),
        _ => uci.to_owned(),
    };
    let theirs: BTreeMap<String, &str> =
        moves.split('|').filter_map(|text| text.split_once('=')).map(|(uci, fen)| (name(uci), fen)).collect();
    let ours: BTreeMap<String, Position> =
        position.legal_moves(book).iter().map(|&mv| (name(&mv.uci(book)), position.play(mv))).collect();
    let mut only_ours: Vec<&str> = ours.keys().map(String::as_str).collect();
    only_ours.retain(|uci| !theirs.contains_key(*uci));
    let mut only_theirs: Vec<&str> = theirs.keys().map(String::as_str).collect();
    only_theirs.retain(|uci| !ours.contains_key(*uci));
    if !only_ours.is_empty() || !only_theirs.is_empty() {
        return Some(format!(
            "moves: only ours [{}], only theirs [{}]",
            only_ours.join(" "),
            only_theirs.join(" ")
        ));
    }
    let mut n_counted = 0;
    let different = ours.iter().filter(|(uci, _)| !theirs[*uci].is_empty()).find_map(|(uci, child)| {
        let (mut fields, mut expected) = (theirs[uci].split(' ').collect::<Vec<_>>(), child.clone());
        if fields.len() == 6 && fields[3].parse::<u32>().is_ok() {
            // In place of a square there is the limit of a count, and in place of the clock the count.
            n_counted += 1;
            (fields[3], fields[4]) = ("-", "0");
            expected = expected.with_halfmove_clock(0);
        }
        let is_equal = Position::from_fen_with_castling(book, &fields.join(" "))
            .is_ok_and(|read| plain(book, read) == plain(book, expected));
        (!is_equal).then(|| format!("child: {uci} ours {}, theirs {}", child.to_fen(book), theirs[uci]))
    });
    different.or_else(|| (n_counted > 0).then(|| "count: theirs counts moves".to_owned()))
}

/// The position without a right to capture en passant that nobody can use: programs differ in whether they
/// write it.
fn plain(book: &RuleBook, position: Position) -> Position {
    if position.en_passant().is_none() {
        return position;
    }
    let is_used = position.legal_moves(book).iter().any(|mv| mv.is_en_passant());
    let right = position.en_passant().filter(|_| is_used);
    position.with_en_passant(right)
}

#[cfg(test)]
mod tests {
    use super::difference;
    use position::{Position, RuleBook};
    use variant::Variant;

    #[track_caller]
    fn check(fen: &str, answer: &str, expected: Option<&str>) {
        let book = RuleBook::new(&Variant::chess());
        let read = Position::from_fen_with_castling(&book, fen);
        assert_eq!(difference(&book, &read, answer).as_deref(), expected, "{fen}");
    }

    #[test]
    fn differences_are_found() {
        let cornered = "7k/8/6KP/8/8/8/8/8 b - - 0 1";
        check(cornered, "legal\t-\th8g8=6k1/8/6KP/8/8/8/8/8 w - - 1 2", None);
        check(cornered, "check\t-\t", Some("legality: ours true, theirs check"));
        check(cornered, "legal\tw\t", Some("end: ours -, theirs w"));
        check(cornered, "legal\t-\th8g7=x", Some("moves: only ours [h8g8], only theirs [h8g7]"));
        let child = "6k1/8/6KP/8/8/8/8/8 w - - 1 1";
        let expected = format!("child: h8g8 ours 6k1/8/6KP/8/8/8/8/8 w - - 1 2, theirs {child}");
        check(cornered, &format!("legal\t-\th8g8={child}"), Some(&expected));
        check("7k/8/6K1/8/8/8/8/7R w - - 0 1", "check\t-\t", None);
        check("7k/8/6K1/8/8/8/8/8 w - e6 0 1", "ep\t-\t", None);
    }
}
