//! Prints an answer: for people, or as the fields of a line.

use crate::{Report, distance, fold};
use ::probe::{Answer, By, RatedMove, Refutation};
use library::{Helpmates, bounds_in_words, headline, helpmates_in_words, line_in_san, numbered};
use position::{Position, RuleBook};
use table::{Ply, Value};
use variant::{Metric, Side};

/// The width at which a main line is broken.
const WIDTH: usize = 80;

/// The board, the value, the moves, the main line; `gap` says what is not known of them.
pub(crate) fn answer(book: &RuleBook, answer: &Answer, gap: Option<String>) -> String {
    answer.position.board_text(book) + "\n" + &findings(book, answer, &answer.moves, gap)
}

/// The board, and how either side wins with help; `gaps` say what is not known of that.
pub(crate) fn helpmates(book: &RuleBook, helpmates: &Helpmates, gaps: Vec<Option<String>>) -> String {
    let board = helpmates.white.position.board_text(book);
    if helpmates.is_dead() || helpmates.white.outcome.is_some() {
        let files = helpmates.answers().filter_map(Answer::file_name).map(|file| format!("(from {file})\n"));
        let words = helpmates_in_words(book.variant(), helpmates);
        return format!("{board}\n{words}\n{}", files.collect::<String>());
    }
    let of_sides = helpmates.answers().zip(gaps).map(|(answer, gap)| {
        // Moves that lead nowhere are not listed.
        let leads_nowhere =
            answer.value.value() == Some(Value::Draw) || answer.moves.iter().all(RatedMove::is_unknown);
        findings(book, answer, if leads_nowhere { &[] } else { &answer.moves }, gap)
    });
    board + "\n" + &of_sides.collect::<Vec<_>>().join("\n")
}

/// The plies until White and Black win with help, with a tab between them: `-` for never, `?` if it is not
/// known.
pub(super) fn helpmate_fields(helpmates: &Helpmates) -> String {
    let plies = |winner| helpmates.plies(winner).map_or_else(|| "-".into(), |ply| ply.0.to_string());
    let black = if helpmates.black.is_some() { plies(Side::Black) } else { "?".into() };
    format!("{}\t{black}\n", plies(Side::White))
}

/// The value, these moves, the main line.
fn findings(book: &RuleBook, answer: &Answer, moves: &[RatedMove], gap: Option<String>) -> String {
    let bounds = answer.bounds_from();
    let mut text = headline(book.variant(), answer);
    // A draw that has its reason in the sentence needs no moves.
    if !text.contains(": ")
        && let Some(choice) = choice(book, answer)
    {
        text += &format!(". {choice}");
    }
    text.push('\n');
    text.extend(bounds.iter().map(|file| format!("(from {file})\n")));
    match answer.file_name().filter(|_| bounds.is_empty()) {
        Some(file) if answer.is_rights_solved => {
            text += &format!("(castling rights solved now, from {file}; solve --rights keeps them)\n");
        }
        Some(file) => text += &format!("(from {file})\n"),
        None if answer.by == By::Moves => text += "(from the tables of its moves)\n",
        None if answer.is_rights_solved => text += "(castling rights solved now)\n",
        None => {}
    }
    if !moves.is_empty() {
        let mut report = Report::new("move | | value");
        for rated in moves {
            let san = answer.position.san(book, rated.mv);
            report.row([&san, &rated.uci, &move_value(book, answer, rated)]);
        }
        text += &format!("\n{}", report.text(None));
    }
    let line = answer.line.as_deref().unwrap_or_default();
    if !line.is_empty() {
        text += &format!("\n{}", moves_in_lines(book, &answer.position, line));
    }
    if !answer.refutations.is_empty() {
        let refuted = answer.refutations.iter().map(|own| why_not(book, &answer.position, own));
        text += &format!("\n{}", refuted.collect::<String>());
    }
    if let Some(gap) = gap {
        text += &format!("\n{gap}\n");
    }
    text
}

/// This many moves that keep the value are named.
const N_NAMED: usize = 3;

/// Says which moves keep a value that is known, and what the others do.
fn choice(book: &RuleBook, answer: &Answer) -> Option<String> {
    if answer.scale.metric() != Metric::Wdl {
        return None;
    }
    let value = answer.value.value()?.wdl()?;
    let keeps = |rated: &&RatedMove| rated.value.wdl() == Some(value);
    let (best, others): (Vec<&RatedMove>, Vec<&RatedMove>) = answer.moves.iter().partition(keeps);
    let (n_best, n_others) = (best.len(), others.len());
    if n_best == 0 || n_best + n_others == 1 {
        return None;
    }
    let is_open = others.iter().any(|rated| rated.value.most.wdl() >= Some(value));
    let text = match (n_best, n_others, value) {
        (_, 0, -1) => return Some("Every move loses".into()),
        (_, 0, 0) => return Some("Every move draws".into()),
        (_, 0, _) => return Some("Every move wins".into()),
        (n, ..) if n <= N_NAMED => {
            let names: Vec<String> = best.iter().map(|rated| answer.position.san(book, rated.mv)).collect();
            let only = if is_open { "" } else { "Only " };
            format!("{only}{} {}", names.join(", "), plain_verb(value, n))
        }
        (n, ..) => format!("{n} of {} moves {}", n + n_others, plain_verb(value, n)),
    };
    let results = |result: i8| others.iter().filter(|rated| rated.value.wdl() == Some(result)).count();
    let rest = match (results(0), results(-1)) {
        (n, 0) if n == n_others => plain_verb(0, n),
        (0, n) if n == n_others => plain_verb(-1, n),
        _ if value == 1 && others.iter().all(|rated| rated.value.most.wdl() < Some(1)) => "draw or lose",
        _ => "may not",
    };
    let which = if n_others == 1 { "the other one".to_owned() } else { format!("the other {n_others}") };
    Some(format!("{text}; {which} {rest}"))
}

/// What this many moves do.
fn plain_verb(wdl: i8, n: usize) -> &'static str {
    match (wdl, n) {
        (1, 1) => "wins",
        (1, _) => "win",
        (0, 1) => "draws",
        (0, _) => "draw",
        (_, 1) => "loses",
        _ => "lose",
    }
}

/// What a move is worth to the side that makes it.
fn move_value(book: &RuleBook, answer: &Answer, rated: &RatedMove) -> String {
    let metric = answer.scale.metric();
    let (verb, Ply(ply)) = match (rated.value.value(), answer.winner) {
        (None, Some(winner)) if !rated.is_unknown() => return format!("no win for {winner}"),
        (None, _) => return bounds_in_words(metric, rated.value),
        (Some(Value::Win(ply)), _) => ("wins", ply),
        (Some(Value::Loss(ply)), _) => ("loses", ply),
        (Some(_), _) if metric == Metric::Help => return "never".into(),
        (Some(_), _) => return "draws".into(),
    };
    match (metric, ply) {
        (Metric::Help, 1) if book.variant().rules.is_won_by_mate_only() => "mate".into(),
        (Metric::Help, ply) => format!("in {}", distance(ply)),
        (Metric::Dtm, 1) if book.variant().rules.is_won_by_mate_only() => "mate".into(),
        (Metric::Wdl, _) => verb.into(),
        _ if rated.is_cursed => format!("draws, {verb} too late: {}", distance(ply)),
        _ => format!("{verb} in {}", distance(ply)),
    }
}

/// Moves with their numbers, broken into lines.
fn moves_in_lines(book: &RuleBook, position: &Position, moves: &[RatedMove]) -> String {
    let words = numbered(&line_in_san(book, position, moves)).join(" ");
    fold(&words, Some(WIDTH)).replace('\u{a0}', " ") + "\n"
}

/// How a move that gives the result away is answered, in a paragraph.
fn why_not(book: &RuleBook, position: &Position, own: &Refutation) -> String {
    let words = numbered(&line_in_san(book, position, &own.line));
    // Where a metric stops is of no interest here.
    let words = words.iter().enumerate().map(|(i, word)| {
        let word = word.trim_end_matches('*');
        if i == 0 { format!("{word}?") } else { word.to_owned() }
    });
    let text = format!("why not {} {}", words.collect::<Vec<_>>().join(" "), own.in_words());
    fold(&text, Some(WIDTH)).replace('\u{a0}', " ").replace('\n', "\n        ") + "\n"
}

/// The result, the plies and the best moves of a line, with tabs between them; from what to what they may be
/// where a structure leaves it open.
pub(super) fn fields(answer: &Answer, value_only: bool) -> String {
    let wdl = |value: Value| value.wdl().unwrap_or(0).to_string();
    let plies = |value: Value| match value.ply().filter(|_| answer.scale.metric() != Metric::Wdl) {
        Some(ply) => ply.0.to_string(),
        None => "-".into(),
    };
    let mut fields = match answer.value.value() {
        Some(value) => format!("{}\t{}", answer.wdl_now().unwrap_or(0), plies(value)),
        None => {
            let known = |told: Option<Value>| told.map_or_else(|| "-".into(), plies);
            let (least, most) = answer.value.told();
            let results = (wdl(answer.value.least), wdl(answer.value.most));
            format!("{}..{}\t{}..{}", results.0, results.1, known(least), known(most))
        }
    };
    if !value_only {
        let best: Vec<&str> = answer.best_moves().map(|best| best.uci.as_str()).collect();
        let unknown = if answer.moves.is_empty() { "-" } else { "?" };
        fields += &format!("\t{}", if best.is_empty() { unknown.into() } else { best.join(" ") });
    }
    fields + "\n"
}
