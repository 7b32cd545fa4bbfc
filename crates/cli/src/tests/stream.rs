//! Checks that `probe --stdin` answers batches as it answers lines one by one, and waits for no full batch.

use super::{FIDE, Folder, call, run};
use crate::{Console, Input, run_on};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// How long an answer may take that should be there at once, before the test has failed.
const PATIENCE: Duration = Duration::from_secs(120);

fn solved(name: &str, metric: &str) -> Folder {
    let folder = Folder::new(name);
    let args = ["solve", FIDE, "--men", "3", "--metric", metric, "--out", folder.text()];
    run(&args, 0);
    folder
}

/// Positions of five tables in no order, some of them illegal, and lines that are none.
fn lines() -> Vec<String> {
    let mut state = 7u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    (0..900)
        .map(|number| {
            let man = ["Q", "R", "B", "N", "P", "p", "q", "r"][below(8) as usize];
            let mut board = vec![""; 64];
            for man in ["K", "k", man] {
                board[below(64) as usize] = man;
            }
            let rank = |rank: &[&str]| -> String {
                let run = |run: &[&str]| match run[0] {
                    "" => run.len().to_string(),
                    _ => run.concat(),
                };
                rank.chunk_by(|a, b| a.is_empty() == b.is_empty()).map(run).collect()
            };
            let ranks: Vec<String> = board.chunks(8).map(rank).collect();
            match number % 50 {
                // Of a table that is not there.
                7 => "8/8/8/8/8/1k1n4/8/3KQ3 w - - 0 1".into(),
                11 => format!("nonsense {number}"),
                _ => format!("{} {} - - 0 1", ranks.join("/"), ["w", "b"][below(2) as usize]),
            }
        })
        .collect()
}

#[track_caller]
fn check_batches(name: &str, metric: &str, asked: &str) {
    let folder = solved(name, metric);
    let ask = |more: &[&str], input: &str| {
        let args = ["probe", "--stdin", "--no-solve", "--variant", FIDE, "--tables", folder.text()];
        call(&[&args[..], &["--metric", asked], more].concat(), input).out
    };
    let lines = lines();
    for more in [&["--value-only"][..], &[], &["--json"]] {
        // Few lines are answered as they come.
        let few: String = lines.chunks(10).map(|lines| ask(more, &(lines.join("\n") + "\n"))).collect();
        let n_answers = few.lines().filter(|line| !line.contains("error")).count();
        assert!(few.lines().count() == lines.len() && n_answers > 300, "{n_answers} answers");
        for threads in ["1", "2", "7"] {
            // A cache without room keeps a block until the next one comes.
            for cache in ["0", "100M"] {
                let more = [more, &["--threads", threads, "--cache", cache]].concat();
                assert!(ask(&more, &lines.join("\n")) == few, "{more:?}");
            }
        }
    }
}

#[test]
fn a_batch_is_answered_as_its_lines_are() {
    check_batches("stream-dtm", "dtm", "dtm");
}

/// Columns of distances have one side to move, and are read beside `wdl`.
#[test]
fn a_batch_of_distances_is_answered_as_its_lines_are() {
    check_batches("stream-dtz50", "wdl,dtz50", "dtz50");
}

/// A user who types.
struct Typist(Receiver<String>);

impl Read for Typist {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Ok(text) = self.0.recv() else { return Ok(0) };
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Ok(text.len())
    }
}

/// A user who sees what has been flushed.
struct Screen {
    shown: Sender<String>,
    written: Vec<u8>,
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8(std::mem::take(&mut self.written)).expect("output is text");
        drop(self.shown.send(text));
        Ok(())
    }
}

#[test]
fn whoever_waits_for_an_answer_gets_it() {
    let ((keys, typed), (shown, screen)) = (channel(), channel());
    let command = thread::spawn(move || {
        let (mut input, mut err) = (Input::new(Typist(typed)), Vec::new());
        let mut out = Screen { shown, written: Vec::new() };
        let mut console = Console::new(crate::TABLESMITH, &mut input, &mut out, &mut err);
        let args = ["probe", "--stdin", "--no-solve", "--variant", FIDE, "--tables", "."];
        run_on(&mut console, args.iter().map(OsString::from))
    });
    let see = |expected: &str| {
        let mut seen = String::new();
        while seen.len() < expected.len() {
            seen += &screen.recv_timeout(PATIENCE).expect("an answer");
        }
        assert_eq!(seen, expected);
    };
    let (bare, other) = ("8/8/8/8/8/4k3/8/K7 w - - 0 1", "8/8/8/8/4k3/8/8/K7 w - - 0 1");
    let answered = |fen: &str| format!("{fen}\t0\t-\ta1a2 a1b1 a1b2\n");
    for fen in [bare, other, bare] {
        keys.send(format!("{fen}\n")).expect("a reader");
        see(&answered(fen));
    }
    // A line and a half: the rest of the second comes when the first has been answered.
    keys.send(format!("{bare}\n{}", &other[..9])).expect("a reader");
    see(&answered(bare));
    keys.send(other[9..].to_owned() + "\n").expect("a reader");
    see(&answered(other));
    // Many at once, more than are answered together.
    let many = format!("{bare}\n{other}\n");
    (0..20_000).for_each(|_| keys.send(many.clone()).expect("a reader"));
    see(&(answered(bare) + &answered(other)).repeat(20_000));
    // The last line need not end.
    keys.send(bare.to_owned()).expect("a reader");
    drop(keys);
    see(&answered(bare));
    assert_eq!(command.join().expect("no panic"), 0);
}
