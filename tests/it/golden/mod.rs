//! Asks every door for the positions of one corpus, and compares what they say with snapshots.
//!
//! `cases/golden/positions.txt` has the positions, `snapshots/answers/GAME.snap` the answers. A changed line
//! is a changed answer, and an aspect with two lines is a question that two doors answer differently:
//! docs/decisions/0039-what-doors-say.md lists these, with what is right. The snapshots are longer than
//! others because they have a block for each position; an aspect is a line, and doors that agree share it.
//!
//! Nothing is solved for a question, so what no table has is refused. `INSTA_UPDATE=always` writes snapshots
//! anew. Python's doors are asked by `cargo xtask python`, with the same corpus and the same snapshots.

mod answers;
mod c;
mod command_line;
mod corpus;
mod engine;
mod http;
mod json;

use answers::{Answer, Answers};
use corpus::{GameCases, corpus};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tablesmith_tests::root;

/// Asks all doors for the positions of a game; the differences from its snapshot.
fn differences(game: &GameCases) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    game.solve(folder);
    let mut answers = Answers::new(game.headings());
    let [lines, json_lines] = command_line::as_lines(game, folder);
    let (served, opened) = (http::Served::new(game, folder), c::Opened::new(game, folder));
    let mut engine = engine::Engine::new(game, folder);
    let by_api: Vec<Answer> = game.questions.iter().map(|question| served.by_api(question)).collect();
    served.check_many(&by_api);
    let of_batches = lines.into_iter().zip(json_lines).zip(by_api);
    for ((at, question), ((line, json_line), by_api)) in game.questions.iter().enumerate().zip(of_batches) {
        answers.add(at, "text", command_line::as_text(game, folder, question));
        answers.add(at, "json", command_line::as_json(game, folder, question));
        answers.add(at, "stdin", line);
        answers.add(at, "stdin-json", json_line);
        answers.add(at, "api", by_api);
        if !game.is_first(at) {
            continue;
        }
        answers.add(at, "lichess", served.by_lichess(question));
        // A game of a hundred plies takes its time.
        if !question.is_thrown() {
            answers.add(at, "mainline", served.by_main_line(question));
        }
        answers.add(at, "uci", engine.by_uci(question));
        answers.add(at, "xboard", engine.by_xboard(question));
        answers.add(at, "c", opened.answer(question));
    }
    let path = root().join("tests/snapshots/answers").join(game.name).with_extension("snap");
    answers.compare(&path, &format!("What every door says of positions of {}.", game.name))
}

#[test]
fn every_door_says_what_it_said() {
    let corpus = corpus();
    let n_positions: usize = corpus.iter().map(|game| game.questions.len()).sum();
    assert!(corpus.len() == 33 && n_positions >= 500, "{n_positions} positions of {} games", corpus.len());
    // Threads of their own: what a solver's threads wait for would begin other games.
    let (next, differences) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(game) = corpus.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = self::differences(game);
                    differences.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let differences = differences.into_inner().expect("no panic");
    let n_shown = differences.len().min(40);
    assert!(
        differences.is_empty(),
        "{} positions are answered otherwise:\n{}\n(INSTA_UPDATE=always writes the snapshots anew)",
        differences.len(),
        differences[..n_shown].join("\n")
    );
}
