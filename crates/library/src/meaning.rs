//! Says in words and pictures what the rules of a game mean: the board, how each man moves, what a move has
//! to be, who wins by what and what is a draw, which tables there are. And what a structure file asks for:
//! the men and their squares, what is left out, and what that makes of the values.

use crate::figure::{count, plural};
use geometry::{Board, Square, SquareSet};
use position::RuleBook;
use std::collections::BTreeSet;
use structure::{Bound, Outline, OutlineMan};
use textwrap::{Options, WordSplitter, wrap};
use variant::{
    Arrival, Castling, Extinction, Goal, Man, Material, Metric, Pass, PawnRules, Piece, PieceId, Side,
    Stalemate, Variant, Verdict, Wing,
};

/// How many characters a line has at most.
const WIDTH: usize = 100;

/// Between a picture and the words beside it.
const GAP: usize = 3;

/// The rules of a game as people read them.
#[must_use]
pub fn rules_in_words(variant: &Variant) -> String {
    let mut text = about(&variant.description, &variant.source);
    text += &board(variant);
    text += &men(variant);
    text + &rules(variant) + &tables(variant)
}

/// A structure as people read it: the men and their squares, what is left out, and what that makes of the
/// values.
#[must_use]
pub fn structure_in_words(outline: &Outline, variant: &Variant) -> String {
    let mut text = about(&outline.description, &outline.source);
    for side in Side::BOTH {
        let own = outline.men.iter().filter(|own| own.man.side == side);
        let men: Vec<String> = own.map(|own| man(variant, own)).collect();
        text += &paragraph(&format!("{side}: "), &men.join("; "));
    }
    // `+` where several kinds may stand.
    let board = &variant.board;
    let shown: Vec<&OutlineMan> = outline.men.iter().filter(|own| own.squares != board.all()).collect();
    let picture = drawing(board, board.ranks().to_string().len(), |square| {
        let own = shown.iter().filter(|own| own.squares.contains(square));
        let letters: BTreeSet<char> = own.map(|own| variant.fen_letter(own.man)).collect();
        if letters.len() > 1 { '+' } else { letters.first().copied().unwrap_or('.') }
    });
    text += &format!("\n{picture}\n");
    if let Some(root) = outline.roots.first() {
        text += &paragraph("One of its positions: ", &root.to_fen(&RuleBook::new(variant)));
    }
    text += &paragraph("Solved ", &limits(outline));
    if !outline.using.is_empty() {
        text +=
            &paragraph("Read instead of solved: ", &format!("tables of {}", crate::shown(&outline.using)));
    }
    text
}

/// `king anywhere`, `pawn in the beginning on e6`, `rook fixed on h1`.
fn man(variant: &Variant, own: &OutlineMan) -> String {
    let name = &variant.piece(own.man.piece).name;
    let squares = in_words(&variant.board, own.squares);
    match own {
        _ if variant.is_pawn(own.man) => format!("{name} in the beginning on {squares}"),
        OutlineMan { is_fixed: true, .. } => format!("{name} fixed on {squares}"),
        _ if own.squares == variant.board.all() => format!("{name} anywhere"),
        _ => format!("{name} kept to {squares}"),
    }
}

/// The limit and what it makes of the values.
fn limits(outline: &Outline) -> String {
    let Some(limit) = &outline.limit else {
        return "without a limit: every value is exact.".into();
    };
    let meaning = match limit.bounds()[..] {
        [Bound::Exact] => "every value is exact",
        [Bound::Lower] => "every value says what White has at least",
        [Bound::Upper] => "every value says what White has at most",
        _ => "a file of what White has at least, and one of what White has at most",
    };
    format!("{limit}: {meaning}.")
}

/// The lines of a folded text; all but the first are indented. A word that is longer than a line stays whole.
fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let indent = " ".repeat(indent);
    let options = Options::new(width).break_words(false).word_splitter(WordSplitter::NoHyphenation);
    wrap(text, options.subsequent_indent(&indent)).into_iter().map(String::from).collect()
}

/// A word and what it is about, on as many lines as it takes.
fn paragraph(word: &str, text: &str) -> String {
    wrapped(&format!("{word}{text}"), WIDTH, word.chars().count()).join("\n") + "\n"
}

/// What a file says of itself, with an empty line behind it.
fn about(description: &str, source: &str) -> String {
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
        (None, true) => match (royals_of_each(variant), variant.only_royal()) {
            (None, _) => {
                let of = |side| format!("{side} has {}", variant.n_royals(side));
                &format!(
                    ", royal: {}, and a side loses with any of its own",
                    listed(&Side::BOTH.map(of), "and")
                )
            }
            (Some(1), None) => ", royal: each side has one man of the royal kinds, and loses with it",
            (Some(1), Some(_)) => ", royal: each side has one, and loses with it",
            (Some(n), None) => {
                &format!(", royal: each side has {n} men of the royal kinds, and loses with any of them")
            }
            (Some(n), Some(_)) => &format!(", royal: each side has {n}, and loses with any of them"),
        },
        (None, false) => &pseudo_royal(variant, id),
        _ => "",
    };
    let mut sentences = moves_in_words(variant, piece);
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

/// How many royal men each side has; none if the sides differ.
fn royals_of_each(variant: &Variant) -> Option<usize> {
    let [white, black] = Side::BOTH.map(|side| variant.n_royals(side));
    (white == black).then_some(white)
}

/// When a man is royal beside the royal pieces. No table has more than eight men.
fn pseudo_royal(variant: &Variant, id: PieceId) -> String {
    match variant.rules.pseudo_royal.as_ref().filter(|pseudo| pseudo.kinds.contains(&id)) {
        None => String::new(),
        Some(pseudo) if pseudo.most_men > 8 => ", royal, too".into(),
        Some(pseudo) => format!(", royal, too, while its side has at most {} of them", pseudo.most_men),
    }
}

/// What a pawn may do beside its moves.
fn pawn(variant: &Variant, piece: &Piece, rules: &PawnRules) -> Vec<String> {
    if rules.black_squares().is_some() {
        let id = variant.piece_lettered(piece.letter);
        let of_side = |side: Side| {
            let own = id.and_then(|piece| variant.pawn_rules(Man { side, piece }));
            let own = own.map(|own| pawn(variant, piece, &PawnRules { black: None, ..own }));
            own.into_iter().flatten().map(move |sentence| format!("{side}'s {sentence}"))
        };
        return Side::BOTH.into_iter().flat_map(of_side).collect();
    }
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
    let promotion = squares(rules.promotion);
    let may_stay = !rules.zone.intersection(rules.promotion).is_empty();
    let mut becomes = |whose: &str, promotion: &str, kinds: &[PieceId]| {
        sentences.push(match kinds.is_empty() {
            true if may_stay => format!("{whose}becomes nothing else on {promotion}"),
            true => format!("{whose}never steps on {promotion}"),
            false if may_stay => format!("{whose}on {promotion} may become {}", any_of(variant, kinds)),
            false => format!("{whose}on {promotion} becomes {}", any_of(variant, kinds)),
        });
    };
    match &rules.black {
        None => becomes("", &promotion, &rules.promotes_to),
        Some(black) => {
            becomes("White's ", &promotion, &rules.promotes_to);
            becomes("Black's ", "the mirrored squares", &black.promotes_to);
        }
    }
    sentences
}

/// How men of a kind move, in sentences: their movement, and where their moves may end if they are kept to a
/// part of the board.
#[must_use]
pub fn moves_in_words(variant: &Variant, piece: &Piece) -> Vec<String> {
    let words = |region| format!("goes to and attacks {} only", in_words(&variant.board, region));
    let mut sentences = piece.movement.in_words();
    match piece.regions {
        [Some(white), Some(black)] if white == black => sentences.push(words(white)),
        regions => {
            let sides = Side::BOTH.into_iter().zip(regions);
            sentences.extend(sides.filter_map(|(side, region)| Some(format!("{side}'s {}", words(region?)))));
        }
    }
    sentences
}

/// Which tables there are up to the men limit.
fn tables(variant: &Variant) -> String {
    let is_job = |material: &&Material| !variant.is_always_drawn(material) && !variant.is_over(material);
    let (mut all, mut each) = (0, Vec::new());
    for n_men in 2..=variant.men_limit {
        let n = Material::all(variant, n_men).iter().filter(is_job).count() as u64;
        all += n;
        each.extend((n > 0).then(|| format!("{} of {n_men} men", count(n))));
    }
    let each = if each.len() < 2 { String::new() } else { format!(" ({})", listed(&each, "and")) };
    let what = match variant.default_metric {
        Metric::Wdl => "who wins".into(),
        metric => format!("{metric}, {}", distance(variant, metric)),
    };
    paragraph("Tables: ", &format!("{} up to {} men{each}, holding {what}", count(all), variant.men_limit))
}

/// What a metric counts.
fn distance(variant: &Variant, metric: Metric) -> String {
    let rules = &variant.rules;
    let others = [rules.blast.is_some(), rules.extinction.is_some(), rules.goal.is_some()];
    let end = if variant.has_royals() && !others.contains(&true) { "mate" } else { "the end" };
    match metric {
        Metric::Dtc => format!("plies to {end}, capture or promotion"),
        Metric::Dtz => format!("plies to {end}, capture or a pawn's move"),
        Metric::Dtz50 => format!("plies to {end}, capture or a pawn's move under the n-move rule"),
        Metric::Dtm50 => format!("plies to {end} under the n-move rule, at every state of its clock"),
        _ => format!("plies to {end}"),
    }
}

/// What stands under `Rule`, `Won` and `Drawn`.
fn rules(variant: &Variant) -> String {
    let text: String = duties(variant).iter().map(|sentence| paragraph("Rule: ", sentence)).collect();
    let [won, drawn] = ends(variant);
    text + &paragraph("Won: ", &won.join("; or ")) + &paragraph("Drawn: ", &drawn.join("; "))
}

/// What moves have to be, or do beside moving.
fn duties(variant: &Variant) -> Vec<String> {
    let rules = &variant.rules;
    let royal = variant.royal_name();
    let mut duties = Vec::new();
    if rules.black_turned {
        duties.push("Black's men move as White's turned by half round, and not as in a mirror".into());
    }
    if rules.must_capture {
        duties.push("who can capture must".into());
    }
    if !rules.checking {
        duties.push(format!("no move may attack the other side's {royal}"));
    }
    if rules.pass != Pass::Never {
        let when = if rules.pass == Pass::OnStalemate { " if it has no other move" } else { "" };
        let unless = if royal.is_empty() { "".into() } else { format!(", unless its {royal} is attacked") };
        duties.push(format!("a side may pass{when}{unless}"));
    }
    if let Some(blast) = &rules.blast {
        let pawns: Vec<PieceId> = variant.pawns().collect();
        let all_stay = pawns.iter().all(|id| blast.immune.contains(id));
        let named = blast.immune.iter().filter(|id| !(all_stay && pawns.contains(id)));
        let pawns = (all_stay && !pawns.is_empty()).then(|| "pawns".into());
        let stay: Vec<String> = pawns.into_iter().chain(named.map(|&id| plural_name(variant, id))).collect();
        let stay = if stay.is_empty() { String::new() } else { format!(", but {}", listed(&stay, "and")) };
        let unless = match royal.is_empty() {
            true => String::new(),
            false => format!("; a side may not lose its own {royal} so, and a {royal} captures no man"),
        };
        duties.push(format!(
            "a capture takes away the capturing man too, and the men on the eight squares around{stay}{unless}"
        ));
    }
    duties.extend(rules.castling.as_ref().map(|castling| castles(variant, castling)));
    duties
}

/// Who castles with whom, where they come to, and what must not be in the way.
fn castles(variant: &Variant, castling: &Castling) -> String {
    let board = &variant.board;
    let king = &variant.piece(castling.king).name;
    let rook = any_of(variant, &castling.rooks);
    let name = |square| board.name(square);
    let ways = Wing::BOTH.map(|wing| {
        let to = name(castling.king_target(board, Side::White, wing));
        let rook_to = name(castling.rook_target(board, Side::White, wing));
        let from = castling.king_square(board, Side::White).map(|square| format!("from {} ", name(square)));
        let last = if wing == Wing::Kingside { board.files() - 1 } else { 0 };
        let rook_from = match castling.rook_square(board, Side::White, wing) {
            Some(square) => format!("the {rook} from {}", name(square)),
            None => format!("a {rook} nearer to the {} file", file(last)),
        };
        format!("{}to {to} and {rook_from} to {rook_to}", from.unwrap_or_default())
    });
    let rank = castling.rank_of(board, Side::Black) + 1;
    let mut text = format!("a {king} that has not moved");
    if castling.any_files {
        text += &format!(" on rank {}", castling.rank + 1);
    }
    text += &format!(
        " may castle with a {rook} that has not: {}; Black's so on rank {rank}; all squares that either \
         crosses or comes to must be empty but for the two",
        ways.join(", or ")
    );
    if variant.piece(castling.king).royal {
        text += &format!(
            "; the {king} must not be attacked where it stands, on a square that it crosses, or where it \
             comes to"
        );
    }
    text
}

/// The letter of a file.
fn file(number: usize) -> char {
    (b'a' + number as u8) as char
}

/// Who wins by what, and what is a draw.
fn ends(variant: &Variant) -> [Vec<String>; 2] {
    let rules = &variant.rules;
    let royal = variant.royal_name();
    let (mut won, mut drawn) = (Vec::new(), Vec::new());
    if !royal.is_empty() && rules.checking {
        let whose = if rules.checkmate == Verdict::Loss { "the other side's" } else { "one's own" };
        won.push(format!("{whose} {royal} is attacked and no move saves it"));
    }
    won.extend(rules.check_counting.map(|n| format!("one has given {}", plural(n.into(), "check"))));
    if rules.blast.is_some() && !royal.is_empty() {
        won.push(format!("the other side's {royal} is blown up"));
    }
    let attacked = if royal.is_empty() { String::new() } else { format!(" and its {royal} is not attacked") };
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
        match goal.arrival {
            Arrival::Answered => drawn.push("Black reaches the goal with the move after White has".into()),
            Arrival::Safe if Side::BOTH.into_iter().all(|side| !goal.squares(side).is_empty()) => {
                drawn.push("both sides have such a man on their goals at once".into())
            }
            Arrival::AtOnce | Arrival::Safe | Arrival::SafeOrKept | Arrival::Filled => {}
        }
    }
    drawn.push("neither side can force a win".into());
    if let Some(n) = rules.n_move_rule.filter(|&n| n > 0) {
        let moves = plural(n.into(), "move");
        let pawns = if has_pawns(variant) { " and without a pawn's move" } else { "" };
        let is_heeded = variant.default_metric == Metric::Dtz50;
        let heed = if is_heeded { "" } else { " (only the metric dtz50 looks at this)" };
        drawn.push(format!("{moves} of each side have passed without capture{pawns}{heed}"));
    }
    [won, drawn]
}

/// When a side wins because men are gone.
fn extinct(variant: &Variant, extinction: &Extinction) -> String {
    let (who, own, whose) = match extinction.verdict {
        Verdict::Loss => ("the other side has", "one has", "its"),
        Verdict::Win => ("one has", "the other side has", "one's"),
    };
    let men = match &extinction.kinds {
        None if extinction.most_men == 1 && variant.has_one_royal_each() => {
            format!("nothing left but {whose} {}", variant.royal_name())
        }
        None => at_most(extinction.most_men, "man", "men"),
        Some(kinds) => {
            let kind = |&id| at_most(extinction.most_men, &variant.piece(id).name, &plural_name(variant, id));
            listed(&kinds.iter().map(kind).collect::<Vec<_>>(), "or")
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
    let name = |id: &PieceId| match goal.n_men {
        1 => variant.piece(*id).name.clone(),
        _ => plural_name(variant, *id),
    };
    let kinds = goal.kinds.as_ref().map(|kinds| listed(&kinds.iter().map(name).collect::<Vec<_>>(), "or"));
    let [men, stand] = match goal.n_men {
        1 => {
            let stands = match goal.arrival {
                Arrival::AtOnce | Arrival::Answered | Arrival::Filled => "stands",
                Arrival::Safe => "stands unattacked, or not alone,",
                Arrival::SafeOrKept => "stands unattacked, or not alone, or when its side is to move again,",
            };
            [format!("a {}", kinds.as_deref().unwrap_or("man")), stands.into()]
        }
        n => [format!("{n} {}", kinds.as_deref().unwrap_or("men")), "stand".into()],
    };
    if goal.places[0].len() > 1 {
        return vec![format!("{men} of one's own {stand} side by side {}", ways(variant, goal))];
    }
    let blocked =
        if goal.arrival == Arrival::Filled { ", or one does and no square there is empty" } else { "" };
    let on = |squares| in_words(&variant.board, squares).replace(" and ", " or ") + blocked;
    let [white, black] = Side::BOTH.map(|side| goal.squares(side));
    if white == black {
        return vec![format!("{men} of one's own {stand} on {}", on(white))];
    }
    let sides = Side::BOTH.into_iter().zip([white, black]).filter(|(_, squares)| !squares.is_empty());
    sides.map(|(side, squares)| format!("{men} of {side} {stand} on {}, for {side}", on(squares))).collect()
}

/// The directions of the rows that win.
fn ways(variant: &Variant, goal: &Goal) -> String {
    let board = &variant.board;
    let has = |is: fn(&Board, Square, Square) -> bool| {
        let ends = goal.places[0].iter().filter_map(|row| row.iter().next().zip(row.iter().last()));
        ends.into_iter().any(|(first, last)| is(board, first, last))
    };
    let ways = [
        (has(|board, a, b| board.rank_of(a) == board.rank_of(b)), "along a rank"),
        (has(|board, a, b| board.file_of(a) == board.file_of(b)), "along a file"),
        (
            has(|board, a, b| board.rank_of(a) != board.rank_of(b) && board.file_of(a) != board.file_of(b)),
            "along a diagonal",
        ),
    ];
    let ways: Vec<String> = ways.into_iter().filter(|(is, _)| *is).map(|(_, way)| way.to_owned()).collect();
    listed(&ways, "or")
}

fn plural_name(variant: &Variant, id: PieceId) -> String {
    format!("{}s", variant.piece(id).name)
}

/// `knight or bishop`.
fn any_of(variant: &Variant, kinds: &[PieceId]) -> String {
    listed(&kinds.iter().map(|&id| variant.piece(id).name.clone()).collect::<Vec<_>>(), "or")
}

fn has_pawns(variant: &Variant) -> bool {
    variant.pawns().next().is_some()
}

/// The squares in words: whole ranks first, then the others by name; `nowhere` for none.
fn in_words(board: &Board, squares: SquareSet) -> String {
    let is_whole = |rank: &usize| {
        let all = board.rank(*rank);
        !all.is_empty() && all.without(squares).is_empty()
    };
    let whole: Vec<usize> = (0..board.ranks()).filter(is_whole).collect();
    let of_ranks = whole.iter().map(|&rank| board.rank(rank)).fold(SquareSet::EMPTY, SquareSet::union);
    let others = squares.without(of_ranks).iter().map(|square| board.name(square));
    let ranks = whole.chunk_by(|rank, next| rank + 1 == *next).map(|run| match (run[0] + 1, run.len()) {
        (first, 1) => format!("{first}"),
        (first, 2) => format!("{first} and {}", first + 1),
        (first, n) => format!("{first} to {}", first + n - 1),
    });
    let (ranks, many) = (ranks.collect::<Vec<_>>().join(", "), if whole.len() > 1 { "s" } else { "" });
    let ranks = (!whole.is_empty()).then(|| format!("rank{many} {ranks}"));
    let parts: Vec<String> = ranks.into_iter().chain(others).collect();
    if parts.is_empty() { "nowhere".into() } else { listed(&parts, "and") }
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
fn drawing(board: &Board, width: usize, mark: impl Fn(Square) -> char) -> String {
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
