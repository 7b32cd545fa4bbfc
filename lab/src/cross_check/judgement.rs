//! Has Fairy-Stockfish and python-chess judge positions: which are legal, how the game has ended, the legal
//! moves, and the positions that they lead to.
//!
//! Where two programs mean different things by the same rule the difference is one of definition: it is
//! counted apart and named with its source.

use super::game::{Judge, JudgedGame};
use super::position_maker::PositionMaker;
use anyhow::{Context, Result, ensure};
use position::{FenError, Move, Outcome, Position, RuleBook};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use variant::Side;
use xtask::interpreter::Python;
use xtask::program::output;
use xtask::root;

/// How many positions are made at most for each that is wanted.
const ATTEMPTS: usize = 60;

/// The most differences of a game that are listed.
const MAX_LISTED: usize = 5;

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

/// Compares `n_positions` legal positions of each game, and the illegal ones that were made with them;
/// whether all are equal, or differ by definition.
///
/// # Errors
/// A program that gives up.
pub(super) fn run(python: &Python, folder: &Path, games: &[JudgedGame], n_positions: usize) -> Result<bool> {
    let (mut n_wrong, mut definitions) = (0, BTreeSet::new());
    let row = |variant: &str, reference: &str, numbers: [&dyn std::fmt::Display; 5]| {
        let numbers: String = numbers.iter().map(|number| format!("  {number:>13}")).collect();
        println!("{variant:<24}  {reference:<12}{numbers}");
    };
    row("variant", "reference", [&"positions", &"illegal", &"moves", &"differences", &"by definition"]);
    // In groups, so that progress is reported in order and a difference soon.
    for group in games.chunks(2 * rayon::current_num_threads()) {
        let compared = group.par_iter().map(|game| compare(python, folder, game, n_positions));
        let tallies: Vec<Tally> = compared.collect::<Result<_>>()?;
        for (game, tally) in group.iter().zip(tallies) {
            let Tally { n_legal, n_illegal, n_moves, different, by_definition } = tally;
            let (n_different, n_defined) = (different.len(), by_definition.values().sum::<usize>());
            n_wrong += n_different;
            row(&game.label, game.judge.name(), [&n_legal, &n_illegal, &n_moves, &n_different, &n_defined]);
            different.iter().take(MAX_LISTED).for_each(|line| println!("{line}"));
            let defined = by_definition.iter();
            definitions.extend(
                defined.map(|(line, n)| format!("by definition: {}, {n} positions: {line}", game.label)),
            );
        }
    }
    definitions.iter().for_each(|line| println!("{line}"));
    println!("{} comparisons: {n_wrong} positions differ", games.len());
    Ok(n_wrong == 0)
}

/// Makes positions of a game and asks its judge.
fn compare(python: &Python, folder: &Path, game: &JudgedGame, n_positions: usize) -> Result<Tally> {
    let book = RuleBook::new(&game.variant);
    let asked = positions(game, &book, n_positions);
    let stem = format!("{}.{}", game.label, game.judge.name()).replace(['(', ')', ' '], "-");
    let (ini, input) = (folder.join(format!("{stem}.ini")), folder.join(format!("{stem}.txt")));
    let line = |(fen, read): &Asked| {
        let followed = read.as_ref().map(|position| followed(&book, position).join(" ")).unwrap_or_default();
        format!("{}\t{}\t{followed}\n", game.name, fen_there(game, fen, read))
    };
    fs_err::write(&ini, &game.section)?;
    fs_err::write(&input, asked.iter().map(line).collect::<String>())?;
    let mut judge = python.command();
    judge.arg(root().join("lab/cross_check/judge.py")).arg(game.judge.name()).arg(&ini);
    let answer =
        output(judge.stdin(fs_err::File::open(&input)?.into_file())).with_context(|| game.label.clone())?;
    let n_answers = answer.lines().count();
    ensure!(n_answers == asked.len(), "{}: {n_answers} answers to {} positions", game.label, asked.len());
    let mut tally = Tally::default();
    for ((fen, read), answer) in asked.iter().zip(answer.lines()) {
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

/// The positions to ask about: `n_positions` legal ones, and at most as many others.
fn positions(game: &JudgedGame, book: &RuleBook, n_positions: usize) -> Vec<Asked> {
    let mut maker = PositionMaker::new(book, &game.pieces, &game.one_sided, n_positions as u64);
    let (mut legal, mut illegal, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
    for _ in 0..n_positions * ATTEMPTS {
        let fen = maker.fen();
        let read = Position::from_fen_with_castling(book, &fen);
        let is_legal = read.as_ref().is_ok_and(|position| position.is_legal(book));
        let of_kind = if is_legal { &mut legal } else { &mut illegal };
        if of_kind.len() < n_positions && (is_legal || can_refuse(game, &read)) && seen.insert(fen.clone()) {
            of_kind.push((fen, read));
        }
        if legal.len() == n_positions {
            break;
        }
    }
    illegal.into_iter().chain(legal).collect()
}

/// Whether the judge can say that such a position is illegal. Fairy-Stockfish passes over what is wrong with
/// a FEN, and says of other positions whether the side that has moved is in check.
fn can_refuse(game: &JudgedGame, read: &Result<Position, FenError>) -> bool {
    let rules = &game.variant.rules;
    game.judge == Judge::PythonChess || (read.is_ok() && rules.checking && rules.goal.is_none())
}

/// A FEN, and how it is read here.
type Asked = (String, Result<Position, FenError>);

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
    // Without royal men programs write a pass with different men.
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

/// Returns the position without a right to capture en passant that no pawn can use: programs differ in
/// whether they write it.
fn plain(book: &RuleBook, position: Position) -> Position {
    if position.en_passant().is_none() {
        return position;
    }
    let is_used = position.legal_moves(book).iter().any(|mv| mv.is_en_passant());
    let right = position.en_passant().filter(|_| is_used);
    position.with_en_passant(right)
}

/// The definition by which a position differs, with its source; none if it is a fault of one of the two.
fn definition(
    game: &JudgedGame,
    book: &RuleBook,
    position: &Position,
    difference: &str,
) -> Option<&'static str> {
    let is_at_goal = || position.adjudication(book).is_some_and(|ending| ending.outcome == Outcome::Goal);
    match game.judge {
        Judge::PythonChess if difference == "legality: ours false, theirs legal" && is_at_goal() => Some(
            "a side that has reached its goal is never to move again, so the position is illegal here; \
             python-chess calls it legal and over (docs/variants.md, the order in which rules apply)",
        ),
        Judge::FairyStockfish if difference.starts_with("count: ") => Some(
            "makruk counts moves where little material is left; here the rules leave the count out \
             (variants/makruk.toml)",
        ),
        Judge::FairyStockfish if are_our_castlings(book, position, difference) => Some(
            "kings side by side shield each other also where one castles over an attacked square, or to one; \
             Fairy-Stockfish does not ask for the shield there (python-chess, AtomicBoard._attacked_for_king)",
        ),
        _ => None,
    }
}

/// Whether captures explode, the kings stand side by side before or after, and all moves that only one list
/// has are our castlings.
fn are_our_castlings(book: &RuleBook, position: &Position, difference: &str) -> bool {
    let only_ours = difference
        .strip_prefix("moves: only ours [")
        .and_then(|rest| rest.strip_suffix("], only theirs []"))
        .filter(|_| book.variant().rules.blast.is_some());
    only_ours.is_some_and(|ucis| {
        ucis.split(' ').all(|uci| position.parse_uci(book, uci).is_ok_and(|mv| mv.castling.is_some()))
            && is_beside_castling_ranks(book, position)
    })
}

/// Whether the king of the side that waits stands on the first or second rank of the side that moves, as it
/// has to where it is beside a king that castles.
fn is_beside_castling_ranks(book: &RuleBook, position: &Position) -> bool {
    let (variant, stm) = (book.variant(), position.stm());
    let ranks = variant.board.ranks();
    let is_near = |rank: usize| if stm == Side::White { rank < 2 } else { rank + 2 >= ranks };
    let mut others = position.men().filter(|(man, _)| man.side != stm && variant.is_royal(*man));
    others.any(|(_, square)| is_near(variant.board.rank_of(square)))
}

#[cfg(test)]
mod tests {
    use super::super::game::games;
    use super::{difference, positions};
    use position::{Position, RuleBook};
    use variant::{Man, Variant};

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

    #[test]
    fn every_game_has_positions() {
        for game in &games(&[]).expect("the games are readable").0 {
            let book = RuleBook::new(&game.variant);
            let made = positions(game, &book, 16);
            let is_legal = |read: &Position| read.is_legal(&book);
            let n_legal = made.iter().filter(|(_, read)| read.as_ref().is_ok_and(is_legal)).count();
            assert_eq!(n_legal, 16, "{}", game.label);
            assert_eq!(positions(game, &book, 16), made, "{}", game.label);
            let mut men = made.iter().filter_map(|(_, read)| read.as_ref().ok()).flat_map(Position::men);
            let is_others = |man: Man| game.one_sided.contains(&Man { side: !man.side, ..man });
            assert!(!men.any(|(man, _)| is_others(man)), "{}", game.label);
        }
    }
}
