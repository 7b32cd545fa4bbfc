//! Asks the command line: `probe FEN` as text and as JSON, `probe --stdin` likewise.

use super::answers::{Answer, grouped};
use super::corpus::{GameCases, Question};
use super::json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use tablesmith_tests::{Reply, call};

/// The command for a game's folder, with these arguments.
fn probe(game: &GameCases, folder: &Path, metric: Option<&str>, more: &[&str], input: &str) -> Reply {
    let mut args: Vec<OsString> = vec!["probe".into(), "--no-solve".into(), "--cache".into(), "100M".into()];
    args.extend(["--variant".into(), game.rules().into(), "--tables".into(), folder.into()]);
    args.extend(metric.into_iter().flat_map(|metric| ["--metric", metric]).map(OsString::from));
    args.extend(more.iter().map(OsString::from));
    call(args, input)
}

/// A sentence without what differs between machines: what to type, and how large and quick that is.
fn plain(text: &str) -> String {
    let cut = [": run ", ", and this machine is too small", ", and cannot be"]
        .iter()
        .filter_map(|remedy| text.find(remedy))
        .min();
    cut.map_or(text, |at| &text[..at]).to_owned()
}

/// The parts of an answer that every way of asking has: the exit code, and what is told beside the answer.
fn beside(reply: &Reply) -> Answer {
    let mut answer = Answer::new();
    if reply.code != 0 {
        answer.push(("code", reply.code.to_string()));
    }
    if !reply.err.is_empty() {
        match reply.err.strip_prefix("error: ") {
            Some(error) if reply.out.is_empty() => answer.push(("refused", plain(error))),
            _ => answer.push(("told", plain(&reply.err))),
        }
    }
    answer
}

/// `probe FEN`.
pub(super) fn as_text(game: &GameCases, folder: &Path, question: &Question) -> Answer {
    let reply = probe(game, folder, question.metric, &["--", question.fen], "");
    let mut answer = beside(&reply);
    if reply.code != 0 {
        if !reply.out.is_empty() {
            answer.push(("refused", plain(&reply.out)));
        }
        return answer;
    }
    let mut parts = reply.out.split("\n\n");
    parts.next().expect("a board");
    let mut head = parts.next().expect("a sentence").lines();
    // The text has a sentence more on which moves keep the result, which is the list's.
    let sentence = head.next().expect("a line");
    answer.push(("says", sentence.split_once(". ").map_or(sentence, |(first, _)| first).into()));
    let brackets = |line: &str| line.trim_start_matches('(').trim_end_matches(')').to_owned();
    let head: Vec<String> = head.map(brackets).collect();
    if let [file] = &head[..]
        && let Some(file) = file.strip_prefix("from ")
    {
        answer.push(("from", file.into()));
    } else if !head.is_empty() {
        let files = head.iter().map(|file| file.strip_prefix("from ").unwrap_or(file));
        answer.push(("from", files.collect::<Vec<_>>().join("; ")));
    }
    for part in parts {
        if part.starts_with("move ") {
            let rows: Vec<(String, String, String)> = part.lines().skip(1).map(row).collect();
            answer.push(("moves", grouped(rows.iter().map(|(_, uci, word)| (word.clone(), uci.clone())))));
            answer.push(("san", json::san(rows.into_iter().map(|(san, uci, _)| (uci, san)))));
        } else if part.starts_with(|c: char| c.is_ascii_digit()) {
            let is_number =
                |word: &str| word.ends_with('.') && word.starts_with(|c: char| c.is_ascii_digit());
            let moves =
                part.split_whitespace().filter(|word| !is_number(word)).map(|word| word.replace('!', ""));
            answer.push(("line", moves.collect::<Vec<_>>().join(" ")));
        } else {
            answer.push(("gap", plain(part)));
        }
    }
    answer
}

/// A row of the moves: short notation, coordinates, value.
fn row(line: &str) -> (String, String, String) {
    let mut words = line.split_whitespace();
    let [san, uci] = [words.next(), words.next()].map(|word| word.expect("a move").to_owned());
    let value = words.collect::<Vec<_>>().join(" ");
    let plies = value.split([' ', ',']).rev().find_map(|word| word.parse().ok());
    let (wdl, plies, is_cursed) = match &*value {
        "mate" => (1, Some(1), false),
        "draws" => (0, None, false),
        _ if value.starts_with("draws, wins too late: ") => (1, plies, true),
        _ if value.starts_with("draws, loses too late: ") => (-1, plies, true),
        _ if value == "wins" || value.starts_with("wins in ") => (1, plies, false),
        _ if value == "loses" || value.starts_with("loses in ") => (-1, plies, false),
        "not known" => return (san, uci, "?".into()),
        _ if value.starts_with("at ") => {
            let words = value.split(", at ").map(|bound| {
                let (side, value) =
                    bound.trim_start_matches("at ").split_once(' ').expect("at least or at most");
                let (.., word) = row(&format!("- - {value}"));
                if side == "least" { word + ".." } else { "..".to_owned() + &word }
            });
            return (san, uci, words.collect::<String>().replace("....", ".."));
        }
        // What is there beside is shown as it is.
        _ => return (san, uci, value),
    };
    (san, uci, json::word(Some(wdl), plies, is_cursed))
}

/// `probe FEN --json`.
pub(super) fn as_json(game: &GameCases, folder: &Path, question: &Question) -> Answer {
    let reply = probe(game, folder, question.metric, &["--json", "--", question.fen], "");
    let mut answer = beside(&reply);
    if !reply.out.is_empty() {
        answer.extend(of_json(&reply.out, question.fen));
    }
    answer
}

/// `probe --stdin`, as text and as JSON: the answers to all positions, a batch for each metric.
pub(super) fn as_lines(game: &GameCases, folder: &Path) -> [Vec<Answer>; 2] {
    let mut batches: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    for (at, question) in game.questions.iter().enumerate() {
        batches.entry(question.metric).or_default().push(at);
    }
    [&["--stdin"][..], &["--stdin", "--json"]].map(|way| {
        let mut answers: Vec<Answer> = game.questions.iter().map(|_| Answer::new()).collect();
        for (&metric, batch) in &batches {
            let input: String = batch.iter().map(|&at| format!("{}\n", game.questions[at].fen)).collect();
            let reply = probe(game, folder, metric, way, &input);
            let lines: Vec<&str> = reply.out.lines().collect();
            assert_eq!(lines.len(), batch.len(), "{}: {}{}", game.name, reply.out, reply.err);
            for (&at, line) in batch.iter().zip(lines) {
                let fen = game.questions[at].fen;
                answers[at] = if way.len() == 1 { of_line(line, fen) } else { of_json(line, fen) };
            }
        }
        answers
    })
}

fn of_json(text: &str, fen: &str) -> Answer {
    let found = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut answer = json::answer(&found, fen);
    answer.iter_mut().filter(|(aspect, _)| *aspect == "refused").for_each(|(_, text)| *text = plain(text));
    answer
}

fn of_line(line: &str, fen: &str) -> Answer {
    let fields: Vec<&str> = line.split('\t').collect();
    assert_eq!(fields[0], fen);
    match fields[1..] {
        ["error", message] => vec![("refused", plain(message))],
        [wdl, plies, best] => {
            let best = [("best", best.to_owned())].into_iter().filter(|(_, best)| best != "-");
            [("wdl", wdl.to_owned()), ("plies", plies.to_owned())].into_iter().chain(best).collect()
        }
        _ => vec![("other", line.to_owned())],
    }
}
