//! Says in words and pictures what the rules of a game mean: the board, how each man moves, what a move has
//! to be, who wins by what and what is a draw, which tables there are.

use crate::fold::{WIDTH, paragraph, wrapped};
use geometry::{Board, Square, SquareSet};
use library::figure::{count, plural};
use std::collections::BTreeSet;
use variant::{
    Castling, Extinction, Goal, Material, Metric, Pass, PawnRules, Piece, PieceId, Side, Stalemate, Variant,
    Verdict, Wing,
};

/// Between a picture and the words beside it.
const GAP: usize = 3;

/// The rules as people read them.
pub(super) fn text(variant: &Variant) -> String {
    let mut text = about(&variant.description, &variant.source);
    text += &board(variant);
    text += &men(variant);
    text + &rules(variant) + &tables(variant)
}

/// What a file says of itself, with an empty line behind it.
pub(super) fn about(description: &str, source: &str) -> String {
    let said = [("", description), ("Source: ", source)].into_iter().filter(|(_, text)| !text.is_empty());
    let text: String = said.map(|(word, text)| paragraph(word, text)).collect();
    if text.is_empty() { text } else { text + "\n" }
}

fn board(variant: &Variant) -> String {
    let board = &variant.board;
    let n_squares = plural(board.all().n_squares() as u64, "square");
    let mut words = format!("{} files, {} ranks, {n_squares}", board.files(), board.ranks());
    if board.is_cylinder() {
        let last = board.name(board.square(board.files() - 1, 0));
        words += &format!("; a cylinder: beyond the {} file comes the a file", &last[..1]);
    }
    let mut text = paragraph("Board: ", &words);
    if !board.holes().is_empty() {
        text += &drawing(board, 2, |_| '.');
    }
    text + "\n"
}

/// Every man with a picture of its moves, then what the marks mean.
fn men(variant: &Variant) -> String {
    let mut text = String::new();
    let mut marks = BTreeSet::new();
    for id in variant.piece_ids() {
        let diagram = variant.piece(id).movement.diagram();
        let width = diagram.lines().next().map_or(0, |line| line.chars().count());
        // A picture is as high as it is wide, with a space between two squares of a line.
        let (picture, legend): (Vec<_>, Vec<_>) =
            diagram.lines().enumerate().partition(|(row, _)| *row < width.div_ceil(2));
        let mut words = words(variant, id, WIDTH - width - GAP);
        for (_, line) in legend {
            // What a digit means differs from man to man.
            if line.starts_with(|c: char| c.is_ascii_digit()) {
                words.extend(wrapped(line, WIDTH - width - GAP, 2));
            } else {
                marks.insert(line.to_owned());
            }
        }
        for row in 0..picture.len().max(words.len()) {
            let left = picture.get(row).map_or("", |(_, line)| line);
            let right = words.get(row).map_or("", String::as_str);
            let pad = " ".repeat(width + GAP - left.chars().count());
            text += format!("{left}{pad}{right}").trim_end();
            text.push('\n');
        }
        text.push('\n');
    }
    let marks: Vec<String> = marks.into_iter().collect();
    if marks.is_empty() { text } else { text + &paragraph("Marks: ", &marks.join("; ")) + "\n" }
}

/// What is said beside a man's picture.
fn words(variant: &Variant, id: PieceId, width: usize) -> Vec<String> {
    let piece = variant.piece(id);
    let kind = match (&piece.pawn, piece.royal) {
        (Some(_), _) if !piece.name.contains("pawn") => ", a pawn",
        (None, true) => ", royal: each side has one, and loses with it",
        _ => "",
    };
    let mut sentences = piece.movement.in_words();
    // Round a cylinder with an odd number of files the colours do not fit.
    let has_colours = !variant.board.is_cylinder() || variant.board.files().is_multiple_of(2);
    if has_colours && piece.pawn.is_none() && piece.movement.is_colour_bound() {
        sentences.push("stays on squares of one colour".into());
    }
    if let Some(rules) = &piece.pawn {
        sentences.extend(pawn(variant, piece, rules));
    }
    let lines = sentences.iter().flat_map(|sentence| wrapped(sentence, width, 2));
    let title = format!("{}  {}{kind}", piece.letter, piece.name);
    wrapped(&title, width, 2).into_iter().chain(lines).collect()
}

/// What a pawn may do beside its moves.
fn pawn(variant: &Variant, piece: &Piece, rules: &PawnRules) -> Vec<String> {
    let board = &variant.board;
    let squares = |set| in_words(board, set);
    let mut sentences = vec![format!("may stand on {}", squares(rules.zone))];
    if !rules.double_step_from.is_empty() && piece.movement.rays().iter().any(|ray| ray.quiet) {
        let en_passant = match rules.en_passant {
            true => "; a pawn may then capture it on the square between, en passant",
            false => "; it cannot be captured en passant",
        };
        let from = squares(rules.double_step_from);
        sentences.push(format!("from {from} may take a step without capture twice{en_passant}"));
    }
    let choices: Vec<String> = rules.promotes_to.iter().map(|&to| variant.piece(to).name.clone()).collect();
    sentences.push(format!("on {} becomes {}", squares(rules.promotion), listed(&choices, "or")));
    sentences
}

/// Which tables there are up to the men limit.
fn tables(variant: &Variant) -> String {
    let is_job = |material: &Material| !variant.is_always_drawn(material) && !variant.is_over(material);
    let counts = (2..=variant.men_limit)
        .map(|n_men| (n_men, Material::all(variant, n_men).iter().filter(|m| is_job(m)).count() as u64))
        .filter(|(_, n)| *n > 0);
    let counts: Vec<(usize, u64)> = counts.collect();
    let all: u64 = counts.iter().map(|(_, n)| n).sum();
    let each: Vec<String> = counts.iter().map(|(n_men, n)| format!("{} of {n_men} men", count(*n))).collect();
    let each = if each.len() < 2 { String::new() } else { format!(" ({})", listed(&each, "and")) };
    let what = match variant.default_metric {
        Metric::Wdl => "who wins".into(),
        metric => format!("{metric}, {}", distance(variant, metric)),
    };
    let up_to = format!("{} up to {} men{each}, holding {what}", count(all), variant.men_limit);
    paragraph("Tables: ", &up_to)
}

/// What a metric counts.
fn distance(variant: &Variant, metric: Metric) -> String {
    let rules = &variant.rules;
    let others = [rules.blast.is_some(), rules.extinction.is_some(), rules.goal.is_some()];
    let end = if variant.royal().is_some() && !others.contains(&true) { "mate" } else { "the end" };
    match metric {
        Metric::Dtc => format!("plies to {end}, capture or promotion"),
        Metric::Dtz => format!("plies to {end}, capture or a pawn's move"),
        Metric::Dtz50 => format!("plies to {end}, capture or a pawn's move under the n-move rule"),
        _ => format!("plies to {end}"),
    }
}

/// What stands under `Rule`, `Won` and `Drawn`.
fn rules(variant: &Variant) -> String {
    let mut text = String::new();
    for sentence in duties(variant) {
        text += &paragraph("Rule: ", &sentence);
    }
    let [won, drawn] = ends(variant);
    text + &paragraph("Won: ", &won.join("; or ")) + &paragraph("Drawn: ", &drawn.join("; "))
}

/// What moves have to be, or do beside moving.
fn duties(variant: &Variant) -> Vec<String> {
    let rules = &variant.rules;
    let royal = royal_name(variant);
    let mut duties = Vec::new();
    if rules.must_capture {
        duties.push("who can capture must".into());
    }
    if !rules.checking {
        duties.push(format!("no move may attack the other side's {royal}"));
    }
    match rules.pass {
        Pass::Never => {}
        Pass::Always => duties.push(unless_attacked("a side may pass", &royal)),
        Pass::OnStalemate => {
            duties.push(unless_attacked("a side may pass if it has no other move", &royal));
        }
    }
    if let Some(blast) = &rules.blast {
        let immune = blast.immune.iter().map(|&id| plural_name(variant, id));
        let pawns = variant.pieces.iter().any(|piece| piece.pawn.is_some()).then(|| "pawns".to_owned());
        let stay: Vec<String> = pawns.into_iter().chain(immune).collect();
        let stay = if stay.is_empty() { String::new() } else { format!(", but {}", listed(&stay, "and")) };
        duties.push(format!(
            "a capture takes away the capturing man too, and the men on the eight squares around{stay}; nobody may \
             lose his own {royal} so, and a {royal} captures nobody"
        ));
    }
    duties.extend(rules.castling.as_ref().map(|castling| castles(variant, castling)));
    duties
}

/// Who castles with whom, where they come to, and what must not be in the way.
fn castles(variant: &Variant, castling: &Castling) -> String {
    let board = &variant.board;
    let king = &variant.piece(castling.king).name;
    let rooks = castling.rooks.iter().map(|&rook| variant.piece(rook).name.clone());
    let rook = listed(&rooks.collect::<Vec<_>>(), "or");
    let name = |square| board.name(square);
    let ways = Wing::BOTH.map(|wing| {
        let to = name(castling.king_target(board, Side::White, wing));
        let rook_to = name(castling.rook_target(board, Side::White, wing));
        let from = castling.king_square(board, Side::White).map(|square| format!("from {} ", name(square)));
        let rook_from = match castling.rook_square(board, Side::White, wing) {
            Some(square) => format!("the {rook} from {}", name(square)),
            None if wing == Wing::Kingside => {
                format!("a {rook} nearer to the {} file", file(board.files() - 1))
            }
            None => format!("a {rook} nearer to the {} file", file(0)),
        };
        format!("{}to {to} and {rook_from} to {rook_to}", from.unwrap_or_default())
    });
    let rank = castling.rank_of(board, Side::Black) + 1;
    let unattacked = if variant.royal() == Some(castling.king) {
        format!(
            "; the {king} must not be attacked where it stands, on a square that it crosses, or where it comes to"
        )
    } else {
        String::new()
    };
    let begins = match castling.any_files {
        true => format!(" on rank {}", castling.rank + 1),
        false => String::new(),
    };
    format!(
        "a {king} that has not moved{begins} may castle with a {rook} that has not: {}, or {}; Black's so on rank {rank}; \
         all squares that either crosses or comes to must be empty but for the two{unattacked}",
        ways[0], ways[1]
    )
}

/// The letter of a file.
fn file(number: usize) -> char {
    (b'a' + number as u8) as char
}

/// Who wins by what, and what is a draw.
fn ends(variant: &Variant) -> [Vec<String>; 2] {
    let rules = &variant.rules;
    let royal = royal_name(variant);
    let (mut won, mut drawn) = (Vec::new(), Vec::new());
    if variant.royal().is_some() {
        let whose = if rules.checkmate == Verdict::Loss { "the other side's" } else { "one's own" };
        won.extend(rules.checking.then(|| format!("{whose} {royal} is attacked and no move saves it")));
    }
    if rules.blast.is_some() {
        won.push(format!("the other side's {royal} is blown up"));
    }
    let attacked =
        if variant.royal().is_some() { format!(" and its {royal} is not attacked") } else { String::new() };
    match rules.stalemate {
        Stalemate::Draw if rules.pass == Pass::Never => {
            drawn.push(format!("the side to move has no legal move{attacked}"));
        }
        Stalemate::Draw => {}
        Stalemate::Loss => won.push("the other side has no legal move".into()),
        Stalemate::Win => won.push(format!("one has no legal move{}", attacked.replace("its", "one's"))),
        Stalemate::FewerMen => {
            won.push("somebody has no legal move, and one has fewer men than the other side".into());
            drawn.push("somebody has no legal move, and there are as many men of each side".into());
        }
    }
    won.extend(rules.extinction.as_ref().map(|extinction| extinct(variant, extinction)));
    if let Some(goal) = &rules.goal {
        won.extend(reached(variant, goal));
        if goal.is_answered {
            drawn.push("Black reaches the goal with the move after White has".into());
        }
    }
    drawn.push("neither side can force a win".into());
    if let Some(n) = rules.n_move_rule.filter(|&n| n > 0) {
        let moves = plural(n.into(), "move");
        let pawns = variant.pieces.iter().any(|piece| piece.pawn.is_some());
        let pawns = if pawns { " and without a pawn's move" } else { "" };
        let heed = if variant.default_metric == Metric::Dtz50 {
            ""
        } else {
            " (only the metric dtz50 looks at this)"
        };
        drawn.push(format!("{moves} of each side have passed without capture{pawns}{heed}"));
    }
    [won, drawn]
}

/// When a side wins because men are gone.
fn extinct(variant: &Variant, extinction: &Extinction) -> String {
    let (who, own) = match extinction.verdict {
        Verdict::Loss => ("the other side has", "one has"),
        Verdict::Win => ("one has", "the other side has"),
    };
    let whose = if extinction.verdict == Verdict::Loss { "its" } else { "one's" };
    let men = match &extinction.kinds {
        None if extinction.most_men == 1 && variant.royal().is_some() => {
            format!("nothing left but {whose} {}", royal_name(variant))
        }
        None => at_most(extinction.most_men, "man", "men"),
        Some(kinds) => {
            let kinds = kinds
                .iter()
                .map(|&id| at_most(extinction.most_men, &variant.piece(id).name, &plural_name(variant, id)));
            listed(&kinds.collect::<Vec<_>>(), "or")
        }
    };
    let mut text = format!("{who} {men}");
    if extinction.opponent_men > 0 {
        let n = u64::from(extinction.opponent_men);
        let what = match extinction.kinds {
            Some(_) => format!("{n} of that kind"),
            None if n == 1 => "one man".into(),
            None => format!("{n} men"),
        };
        text += &format!(", while {own} at least {what}");
    }
    if extinction.is_claimed {
        text += "; who is to move may change that first, unless there is one man too many for it";
    }
    text
}

fn at_most(n: u8, one: &str, many: &str) -> String {
    match n {
        0 => format!("no {one}"),
        1 => format!("at most one {one}"),
        n => format!("at most {n} {many}"),
    }
}

/// Who wins by coming where.
fn reached(variant: &Variant, goal: &Goal) -> Vec<String> {
    let men = match &goal.kinds {
        None => "man".to_owned(),
        Some(kinds) => {
            listed(&kinds.iter().map(|&id| variant.piece(id).name.clone()).collect::<Vec<_>>(), "or")
        }
    };
    let on = |squares| in_words(&variant.board, squares).replace(" and ", " or ");
    let [white, black] = goal.squares;
    if white == black {
        return vec![format!("a {men} of one's own stands on {}", on(white))];
    }
    let sides = Side::BOTH.into_iter().zip([white, black]).filter(|(_, squares)| !squares.is_empty());
    sides.map(|(side, squares)| format!("a {men} of {side} stands on {}, for {side}", on(squares))).collect()
}

fn royal_name(variant: &Variant) -> String {
    variant.royal().map_or_else(String::new, |royal| variant.piece(royal).name.clone())
}

fn plural_name(variant: &Variant, id: PieceId) -> String {
    format!("{}s", variant.piece(id).name)
}

fn unless_attacked(what: &str, royal: &str) -> String {
    if royal.is_empty() { what.into() } else { format!("{what}, unless its {royal} is attacked") }
}

/// The squares in words: whole ranks first, then the others by name; `nowhere` for none.
pub(super) fn in_words(board: &Board, squares: SquareSet) -> String {
    let is_whole = |rank: &usize| {
        let all = board.rank(*rank);
        !all.is_empty() && all.without(squares).is_empty()
    };
    let whole: Vec<usize> = (0..board.ranks()).filter(is_whole).collect();
    let of_ranks = whole.iter().map(|&rank| board.rank(rank)).fold(SquareSet::EMPTY, SquareSet::union);
    let others = squares.without(of_ranks).iter().map(|square| board.name(square));
    let ranks = runs(&whole).into_iter().map(|(first, last)| match last - first {
        0 => format!("{}", first + 1),
        1 => format!("{} and {}", first + 1, last + 1),
        _ => format!("{} to {}", first + 1, last + 1),
    });
    let ranks = ranks.collect::<Vec<_>>().join(", ");
    let ranks = match whole.len() {
        0 => None,
        1 => Some(format!("rank {ranks}")),
        _ => Some(format!("ranks {ranks}")),
    };
    let parts: Vec<String> = ranks.into_iter().chain(others).collect();
    if parts.is_empty() { "nowhere".into() } else { listed(&parts, "and") }
}

/// First and last of each run of neighbours.
fn runs(numbers: &[usize]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut().filter(|(_, last)| last + 1 == number) {
            Some((_, last)) => *last = number,
            None => runs.push((number, number)),
        }
    }
    runs
}

/// `a`, `a and b`, `a, b and c`.
fn listed(parts: &[String], and: &str) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [front @ .., last] => format!("{} {and} {last}", front.join(", ")),
    }
}

/// The board with a mark on each of its squares, White below, the numbers of ranks in a column of this
/// width.
pub(super) fn drawing(board: &Board, width: usize, mark: impl Fn(Square) -> char) -> String {
    let mut text = String::new();
    for rank in (0..board.ranks()).rev() {
        let squares = (0..board.files()).map(|file| board.square(file, rank));
        let marks: String =
            squares.flat_map(|square| [' ', if board.has(square) { mark(square) } else { ' ' }]).collect();
        text += &format!("{:>width$}{}\n", rank + 1, marks.trim_end());
    }
    let files: String = (0..board.files()).flat_map(|number| [' ', file(number)]).collect();
    text + &" ".repeat(width) + &files + "\n"
}
