//! Reads the positions of `cases/golden/positions.txt`, and solves the tables that they are asked of.
//!
//! ```text
//! fide tables dtm,dtz50 KQvK KQvKR        tables to solve, under these metrics
//! fide rights dtm KRvK                    positions with castling rights to solve
//! fide structure dtm 8/8/… w - - 0 1      a structure to solve, no man promoted; or a file of structures/
//! fide lose - KRvK.tsm                    files to delete again
//! fide mate dtm 7k/6Q1/6K1/8/… b - - 0 1  a position: game, kind, metric (`-` for the game's own), FEN
//! ```

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tablesmith_tests::{call, root};

static POSITIONS: LazyLock<String> = LazyLock::new(|| {
    let path = root().join("tests/cases/golden/positions.txt");
    std::fs::read_to_string(path).expect("the positions")
});

/// A position of the corpus.
pub(super) struct Question {
    pub(super) kind: &'static str,
    /// The metric to ask for, if not the game's own.
    pub(super) metric: Option<&'static str>,
    pub(super) fen: &'static str,
}

impl Question {
    /// Whether the position comes from the dice; of these there are many.
    pub(super) fn is_thrown(&self) -> bool {
        self.kind == "thrown"
    }
}

/// The lines of a game: what to solve, and what to ask.
pub(super) struct GameCases {
    pub(super) name: &'static str,
    to_solve: Vec<(&'static str, &'static str, &'static str)>,
    pub(super) questions: Vec<Question>,
}

/// The whole corpus, game by game.
pub(super) fn corpus() -> Vec<GameCases> {
    let mut games: Vec<GameCases> = Vec::new();
    for line in POSITIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [name, kind, metric, rest] = line
            .splitn(4, ' ')
            .collect::<Vec<_>>()
            .try_into()
            .unwrap_or_else(|_| panic!("too short: {line}"));
        if games.last().is_none_or(|game| game.name != name) {
            assert!(games.iter().all(|game| game.name != name), "{name} stands apart: {line}");
            games.push(GameCases { name, to_solve: Vec::new(), questions: Vec::new() });
        }
        let game = games.last_mut().expect("there is one");
        match kind {
            "tables" | "rights" | "structure" | "lose" => game.to_solve.push((kind, metric, rest)),
            _ => {
                let metric = Some(metric).filter(|&metric| metric != "-");
                game.questions.push(Question { kind, metric, fen: rest });
            }
        }
    }
    games
}

impl GameCases {
    /// The file of the rules.
    pub(super) fn rules(&self) -> PathBuf {
        root().join("variants").join(self.name).with_extension("toml")
    }

    /// Whether no question before this one has its position; doors that take no metric are asked once.
    pub(super) fn is_first(&self, at: usize) -> bool {
        self.questions[..at].iter().all(|before| before.fen != self.questions[at].fen)
    }

    /// What stands above the answers of each position.
    pub(super) fn headings(&self) -> impl Iterator<Item = String> {
        self.questions
            .iter()
            .map(|Question { kind, metric, fen }| format!("{kind} {} {fen}", metric.unwrap_or("-")))
    }

    /// Solves the tables of the game into a folder.
    pub(super) fn solve(&self, folder: &Path) {
        let (rules, root) = (self.rules(), root());
        for &(kind, metric, what) in &self.to_solve {
            if kind == "lose" {
                let delete = |name| std::fs::remove_file(folder.join(name)).expect("a file");
                what.split(' ').for_each(delete);
                continue;
            }
            let mut args: Vec<OsString> = vec!["solve".into()];
            let mut add = |more: &[&str]| args.extend(more.iter().map(OsString::from));
            add(&["--metric", metric]);
            match kind {
                "tables" => what.split(' ').for_each(|name| add(&["--table", name])),
                "rights" => add(&["--table", what, "--rights"]),
                _ if !what.ends_with(".toml") => add(&["--position", what, "--promoted", "0"]),
                _ => {
                    add(&["--structure", root.join("structures").join(what).to_str().expect("a plain path")])
                }
            }
            args.extend([rules.clone().into(), "--out".into(), folder.into()]);
            let reply = call(args, "");
            // A structure may leave open who wins.
            let is_solved = reply.code == 0 || kind == "structure" && reply.code == 1;
            assert!(is_solved, "{} {kind} {what}: {}{}", self.name, reply.out, reply.err);
        }
    }
}
