//! Says in words how a game ends and what a move has to be: who wins by what, and what is a draw.

use super::paragraph::paragraph;
use super::squares::{self, listed};
use library::figure::plural;
use variant::{Castling, Extinction, Goal, Metric, Pass, PieceId, Side, Stalemate, Variant, Verdict, Wing};

/// What stands under `Rule`, `Won` and `Drawn`.
pub(super) fn text(variant: &Variant) -> String {
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

/// When somebody wins because men are gone.
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
    let on = |squares| squares::in_words(&variant.board, squares).replace(" and ", " or ");
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
