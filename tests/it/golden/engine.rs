//! Asks the engine, by UCI and by XBoard's protocol.

use super::answers::Answer;
use super::corpus::{GameCases, Question};
use play::{Player, uci, xboard};
use std::io::{self, BufRead, Cursor, Write};
use std::path::Path;
use variant::Variant;

/// A protocol: reads lines and answers them.
type Speak = fn(&mut Player, Box<dyn BufRead + Send>, &mut dyn Write) -> io::Result<()>;

/// An engine of one game.
pub(super) struct Engine(Player);

impl Engine {
    /// Plays by what is in the folder, and solves nothing.
    pub(super) fn new(game: &GameCases, folder: &Path) -> Self {
        let variant = Variant::load(game.rules()).expect("the rules of a game");
        Engine(Player::new(vec![folder.into()], vec![variant], 100 << 20, None).expect("an engine"))
    }

    fn said(&mut self, speak: Speak, lines: String) -> String {
        let mut out = Vec::new();
        speak(&mut self.0, Box::new(Cursor::new(lines)), &mut out).expect("streams in memory");
        String::from_utf8(out).expect("text")
    }

    /// The answer to `go` by UCI.
    pub(super) fn by_uci(&mut self, question: &Question) -> Answer {
        let text = self.said(uci, format!("position fen {}\ngo\n", question.fen));
        let mut answer = Parts::default();
        for line in text.lines() {
            if let Some(error) = line.strip_prefix("info string error: ") {
                answer.add("refused", error);
            } else if let Some(info) = line.strip_prefix("info string ") {
                let is_basis = line.contains("table") || line.contains("structures");
                answer.add(if is_basis { "basis" } else { "says" }, info);
            } else if let Some(info) = line.strip_prefix("info depth ") {
                let (head, line) = info.split_once(" pv ").unwrap_or((info, ""));
                answer.add("score", head.split_once("score ").map_or(head, |(_, score)| score));
                answer.add("pv", line);
            } else if let Some(mv) = line.strip_prefix("bestmove ") {
                answer.add("move", mv);
            } else {
                answer.add("other", line);
            }
        }
        answer.0
    }

    /// The answer to `go` by XBoard's protocol.
    pub(super) fn by_xboard(&mut self, question: &Question) -> Answer {
        // Without `post` the move alone is shown.
        let post = if question.is_thrown() { "" } else { "post\n" };
        let text = self.said(xboard, format!("force\n{post}setboard {}\ngo\n", question.fen));
        let mut answer = Parts::default();
        for line in text.lines() {
            if let Some(error) = line.strip_prefix("tellusererror ") {
                answer.add("refused", error);
            } else if line.starts_with("Error (") {
                // It repeats the sentence for the program.
            } else if let Some(basis) = line.strip_prefix("# ") {
                answer.add("basis", basis);
            } else if let Some(mv) = line.strip_prefix("move ") {
                answer.add("move", mv);
            } else if let Some((result, says)) = line.split_once(" {") {
                // After a move these are about what it leads to.
                let is_over = answer.0.iter().all(|(aspect, _)| *aspect != "move");
                answer.add(if is_over { "end" } else { "other" }, result);
                answer.add(if is_over { "says" } else { "other" }, says.trim_end_matches('}'));
            } else {
                let words: Vec<&str> = line.split(' ').collect();
                match &words[..] {
                    [_, points, "0", _, moves @ ..] => {
                        answer.add("points", points);
                        answer.add("pv", &moves.join(" "));
                    }
                    _ => answer.add("other", line),
                }
            }
        }
        answer.0
    }
}

/// An answer whose aspects may come in several lines.
#[derive(Default)]
struct Parts(Answer);

impl Parts {
    fn add(&mut self, aspect: &'static str, text: &str) {
        // `go` repeats why there is no position to move in.
        let is_repeated =
            |before: &str| text.strip_prefix("there is no position to move in: ") == Some(before);
        let known = self.0.iter().find(|(known, _)| *known == aspect);
        if text.is_empty() || known.is_some_and(|(_, before)| is_repeated(before)) {
            return;
        }
        match self.0.iter_mut().find(|(known, _)| *known == aspect) {
            Some((_, before)) => *before += &format!(" | {text}"),
            None => self.0.push((aspect, text.to_owned())),
        }
    }
}
