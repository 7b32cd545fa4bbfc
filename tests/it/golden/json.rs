//! Reads answers in JSON, which three doors give: `probe --json`, `probe --stdin --json`, `/api/v1`.

use super::answers::{Answer, grouped};
use serde_json::Value;

/// A value as one word: `W9`, `D`, `L8`; `W120!` is a win that the n-move rule spoils.
pub(super) fn word(wdl: Option<i64>, plies: Option<u64>, is_cursed: bool) -> String {
    let Some(wdl) = wdl else { return "?".into() };
    let letter = ["L", "D", "W"][(wdl + 1) as usize];
    let plies = plies.map_or_else(String::new, |plies| plies.to_string());
    format!("{letter}{plies}{}", if is_cursed { "!" } else { "" })
}

/// Plies under whichever metric counted them, with its name.
fn plies(object: &Value) -> Option<(&'static str, Option<u64>)> {
    let of = |name: &'static str| object.get(name).map(|plies| (name, plies.as_u64()));
    ["dtm", "dtc", "dtz", "dtz50"].into_iter().find_map(of)
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The word of a move or of a position; `D..W9` is at least a draw and at most a win.
fn word_of(object: &Value) -> String {
    if let (None, None) = (object.get("at_least"), object.get("at_most")) {
        return word_of_exact(object);
    }
    let bound = |key: &str| object.get(key).map_or_else(String::new, word_of_exact);
    format!("{}..{}", bound("at_least"), bound("at_most"))
}

fn word_of_exact(object: &Value) -> String {
    let wdl = object["wdl"].as_i64();
    let is_cursed = object.get("wdl_now").is_some_and(|now| now.as_i64() != wdl);
    word(wdl, plies(object).and_then(|(_, plies)| plies), is_cursed)
}

/// What an answer says of a FEN.
pub(super) fn answer(found: &Value, fen: &str) -> Answer {
    let mut answer = Answer::new();
    let mut add = |aspect, text: String| answer.push((aspect, text));
    if found["error"].is_string() {
        add("kind", text(&found["error"]));
        add("refused", text(&found["message"]));
        return answer;
    }
    if found["fen"] != fen {
        add("fen", text(&found["fen"]));
    }
    let moves = found["moves"].as_array().cloned().unwrap_or_default();
    if found.get("at_least").or(found.get("at_most")).is_some() {
        add("bounds", word_of(found));
    }
    add("says", text(&found["text"]));
    let now = found.get("wdl_now").unwrap_or(&found["wdl"]);
    add("wdl", text(now));
    if let Some((metric, plies)) = plies(found) {
        add("metric", metric.into());
        add("plies", plies.map_or("-".into(), |plies| plies.to_string()));
    }
    if found["by"] == "moves" {
        add("from", "the tables of its moves".into());
    }
    let files = found.get("files").and_then(Value::as_array);
    if let Some(files) = files {
        add("from", files.iter().map(text).collect::<Vec<_>>().join("; "));
    }
    let file = if files.is_some() { "" } else { "file" };
    for (key, aspect) in [("outcome", "end"), (file, "from"), ("missing", "missing")] {
        if let Some(value) = found.get(key).filter(|value| !value.is_null()) {
            add(aspect, text(value));
        }
    }
    if ["rights_solved", "solved"].iter().any(|key| found.get(key).is_some_and(|solved| solved == true)) {
        add("solved", "yes".into());
    }
    if let Some(n) = found.get("legal_moves") {
        assert_eq!(n.as_u64(), Some(moves.len() as u64), "{fen}");
    }
    if let Some(first) = moves.first() {
        add("moves", grouped(moves.iter().map(|mv| (word_of(mv), text(&mv["uci"])))));
        let best = moves.iter().filter(|mv| word_of(mv) == word_of(first)).map(|mv| text(&mv["uci"]));
        add("best", best.collect::<Vec<_>>().join(" "));
        add("san", san(moves.iter().map(|mv| (text(&mv["uci"]), text(&mv["san"])))));
    }
    if let Some(line) = found["main_line"].as_array().filter(|line| !line.is_empty()) {
        // The server has an object for each move, and says where the command line has a star.
        let star = |mv: &Value| if mv["stop"] == true { "*" } else { "" };
        let san = line.iter().map(|mv| mv.get("san").map_or_else(|| text(mv), |san| text(san) + star(mv)));
        add("line", san.collect::<Vec<_>>().join(" "));
    }
    answer
}

/// Moves in short notation, in the order of their coordinates.
pub(super) fn san(moves: impl Iterator<Item = (String, String)>) -> String {
    let mut moves: Vec<(String, String)> = moves.collect();
    moves.sort();
    moves.into_iter().map(|(_, san)| san).collect::<Vec<_>>().join(" ")
}
