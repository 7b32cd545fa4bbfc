//! Reads the pieces of a variant file, with the places where they stand, before they are checked; of pawns
//! the ranks and squares of `[piece.pawn]` become the squares of their rules.

use super::board::read_region;
use super::schema;
use super::table::{Faults, Span, Table};
use crate::{PawnRules, Piece, PieceId, Side};
use geometry::{Board, SquareSet};
use piece::Movement;

/// A piece as the file has it. What could not be read is a fault, and something harmless stands in for it.
pub(crate) struct PieceDraft<'a> {
    pub(crate) table: Table<'a>,
    pub(crate) pawn: Option<Table<'a>>,
    pub(crate) piece: Piece,
    /// Whether the letter is the file's own.
    pub(crate) has_letter: bool,
    /// Whether it is royal or not by the file's own word.
    pub(crate) has_royal: bool,
    /// Whether the squares of its pawn rules are.
    pub(crate) has_squares: bool,
    /// Where each promotion stands.
    pub(crate) promotion_spans: Vec<Span>,
}

/// The keys of regions, by side.
pub(crate) const REGIONS: [&str; 2] = ["mobility-region-white", "mobility-region-black"];

/// Reads all pieces of the file; squares only if the board is known.
pub(crate) fn read_all<'a>(
    file: &Table<'a>,
    board: Option<&Board>,
    faults: &mut Faults<'_>,
) -> Vec<PieceDraft<'a>> {
    let mut drafts = pieces(file, faults);
    let letters: Vec<Option<char>> = drafts.iter().map(|d| d.has_letter.then_some(d.piece.letter)).collect();
    for draft in &mut drafts {
        promotions(draft, &letters, faults);
        if let (Some(table), Some(rules)) = (&draft.pawn, &mut draft.piece.pawn) {
            draft.has_squares = read_squares(table, rules, board, faults);
        }
        // A region of all squares is none.
        let region = |key| read_region(&draft.table, key, board, faults);
        draft.piece.regions = REGIONS
            .map(region)
            .map(|region| region.filter(|&region| board.is_none_or(|b| b.all() != region)));
    }
    drafts
}

fn pieces<'a>(file: &Table<'a>, faults: &mut Faults<'_>) -> Vec<PieceDraft<'a>> {
    if !file.has("piece") {
        file.missing("piece", "add a [[piece]] table for each piece, the royal one among them", faults);
    }
    let n_faults = faults.n_faults();
    let tables = file.tables("piece", &schema::PIECE, faults).unwrap_or_default();
    if file.has("piece") && tables.is_empty() && faults.n_faults() == n_faults {
        let help = "add a [[piece]] table for each piece";
        file.fault("piece", "there is no piece", help, faults);
    }
    tables.into_iter().map(|table| draft(table, faults)).collect()
}

fn draft<'a>(table: Table<'a>, faults: &mut Faults<'_>) -> PieceDraft<'a> {
    let letter = letter(&table, faults);
    let name = table.string("name", faults).map(|name| name.value);
    let name = name.unwrap_or_else(|| letter.map_or_else(|| "piece".into(), String::from));
    let movement = movement(&table, &name, faults);
    let royal = table.boolean("royal", faults).map(|royal| royal.value);
    let has_royal = royal.is_some() || !table.has("royal");
    let pawn = table.table("pawn", &schema::PAWN, faults);
    let rules = pawn.as_ref().map(|_| PawnRules {
        zone: SquareSet::EMPTY,
        double_step_from: SquareSet::EMPTY,
        en_passant: false,
        promotion: SquareSet::EMPTY,
        promotes_to: Vec::new(),
        black: None,
    });
    let piece = Piece {
        letter: letter.unwrap_or('?'),
        name,
        movement,
        royal: royal.unwrap_or(false),
        pawn: rules,
        regions: [None; 2],
    };
    PieceDraft {
        table,
        pawn,
        piece,
        has_letter: letter.is_some(),
        has_royal,
        has_squares: false,
        promotion_spans: Vec::new(),
    }
}

fn letter(table: &Table<'_>, faults: &mut Faults<'_>) -> Option<char> {
    if !table.has("letter") {
        table.missing("letter", "give it an upper-case letter, as in `letter = \"N\"`", faults);
    }
    let value = table.string("letter", faults)?;
    let mut letters = value.value.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => Some(letter),
        _ => {
            let message = format!("`{}` is not one letter", value.value.escape_debug());
            table.fault("letter", message, "write one upper-case letter from A to Z", faults);
            None
        }
    }
}

fn movement(table: &Table<'_>, name: &str, faults: &mut Faults<'_>) -> Movement {
    let Some(value) = table.string("betza", faults) else {
        if !table.has("betza") {
            let known = piece::named(name)
                .map(|known| format!("a {} moves as `betza = \"{}\"`", known.name, known.betza));
            let help = known
                .unwrap_or_else(|| "say how it moves, as in `betza = \"N\"`; `\"\"` for not at all".into());
            table.missing("betza", help, faults);
        }
        return Movement::default();
    };
    Movement::parse(&value.value).unwrap_or_else(|error| {
        for fault in error.faults {
            faults.add(faults.inside(&value, fault.span), &table.path_of("betza"), fault.message, fault.help);
        }
        Movement::default()
    })
}

/// Finds the pieces behind the letters in `promotes-to` and `promotes-to-black`.
fn promotions(draft: &mut PieceDraft<'_>, letters: &[Option<char>], faults: &mut Faults<'_>) {
    let (Some(table), Some(rules)) = (&draft.pawn, &mut draft.piece.pawn) else { return };
    if !table.has("promotes-to") {
        table.missing("promotes-to", "name what it becomes, as in `promotes-to = [\"Q\"]`", faults);
        return;
    }
    let spans = &mut draft.promotion_spans;
    if let Some(found) = named(table, "promotes-to", letters, spans, faults) {
        rules.promotes_to = found;
    }
    // What names the same men in another order says nothing of its own.
    let are_in = |all: &[PieceId], others: &[PieceId]| all.iter().all(|id| others.contains(id));
    let is_other = |black: &Vec<PieceId>| {
        let white = &rules.promotes_to;
        black.len() != white.len() || !are_in(black, white) || !are_in(white, black)
    };
    let black = named(table, "promotes-to-black", letters, spans, faults).filter(is_other);
    rules.black = black.map(|promotes_to| Box::new(PawnRules { promotes_to, ..rules.clone() }));
}

/// Finds the pieces behind the letters of a key, and adds where they stand.
fn named(
    table: &Table<'_>,
    key: &str,
    letters: &[Option<char>],
    spans: &mut Vec<Span>,
    faults: &mut Faults<'_>,
) -> Option<Vec<PieceId>> {
    let mut found = Vec::new();
    for entry in table.strings(key, faults)?.into_iter().flatten() {
        let is_named = |letter: &Option<char>| letter.is_some_and(|letter| entry.value == letter.to_string());
        if let Some(place) = letters.iter().position(is_named) {
            found.push(PieceId(place as u8));
            spans.push(entry.span);
            continue;
        }
        let known: Vec<String> = letters.iter().flatten().map(char::to_string).collect();
        let message = format!("no piece has the letter `{}`", entry.value.escape_debug());
        let help = format!("name pieces of this file; there are {}", known.join(", "));
        faults.add(entry.span, &table.path_of(key), message, help);
    }
    Some(found)
}

/// Reads the squares of a pawn's rules; whether they are all the file's own, so that they can be checked.
fn read_squares(
    table: &Table<'_>,
    rules: &mut PawnRules,
    board: Option<&Board>,
    faults: &mut Faults<'_>,
) -> bool {
    let ranks = board.map_or(16, Board::ranks);
    let start = table.number_or("start-rank", 1..=ranks, 2, faults);
    let double = double_step_ranks(table, start, ranks, faults);
    let en_passant = table.boolean("en-passant", faults).map(|en_passant| en_passant.value);
    let must_promote = table.boolean("mandatory-pawn-promotion", faults);
    let promotion = match board {
        Some(board) if table.has("promotion-zone") => {
            promotion_zone(table, Side::White, board, start, faults)
        }
        // Every rank from there on, so that a long step over the promotion rank promotes too.
        Some(board) => promotion_rank(table, start, ranks, faults).map(|rank| from_rank(board, rank)),
        // Without a board only their types can be wrong.
        None => table
            .strings("promotion-zone", faults)
            .map(|_| SquareSet::EMPTY)
            .or_else(|| promotion_rank(table, None, ranks, faults).map(|_| SquareSet::EMPTY)),
    };
    let squares = |board: &Board, ranks: &[usize]| {
        ranks.iter().map(|&rank| board.rank(rank - 1)).fold(SquareSet::EMPTY, SquareSet::union)
    };
    if let (Some(double), Some(board)) = (&double, board) {
        rules.double_step_from = squares(board, double);
        rules.en_passant = en_passant.unwrap_or(!double.is_empty());
    }
    let (Some(start), Some(_), Some(promotion), Some(board)) = (start, double, promotion, board) else {
        return false;
    };
    let must_promote = must_promote.is_none_or(|must| must.value);
    let zone =
        |promotion| from_rank(board, start).without(if must_promote { promotion } else { SquareSet::EMPTY });
    (rules.zone, rules.promotion) = (zone(promotion), promotion);
    let mut black = PawnRules { black: None, ..rules.of(Side::Black).clone() };
    black.promotion = match table.has("promotion-zone-black") {
        true => promotion_zone(table, Side::Black, board, Some(start), faults).unwrap_or(promotion),
        false => promotion,
    };
    black.zone = zone(black.promotion);
    black.double_step_from = match listed_ranks(table, "double-step-ranks-black", ranks, faults) {
        Some(listed) => squares(board, &listed.into_iter().flatten().collect::<Vec<_>>()).mirror_ranks(board),
        None => rules.double_step_from,
    };
    black.en_passant = en_passant.unwrap_or(true) && !black.double_step_from.is_empty();
    let whole = PawnRules { black: None, ..rules.clone() };
    rules.black = Some(Box::new(black)).filter(|black| **black != whole);
    true
}

/// The squares of this rank, counted from 1, and those beyond.
pub(crate) fn from_rank(board: &Board, rank: usize) -> SquareSet {
    (rank..=board.ranks()).map(|rank| board.rank(rank - 1)).fold(SquareSet::EMPTY, SquareSet::union)
}

/// The ranks of double steps: as listed, or else the start rank, unless the file says that there are none.
fn double_step_ranks(
    table: &Table<'_>,
    start: Option<usize>,
    ranks: usize,
    faults: &mut Faults<'_>,
) -> Option<Vec<usize>> {
    let double = table.boolean("double-step", faults);
    if !table.has("double-step-ranks") {
        let is_wanted = double.is_none_or(|double| double.value);
        return if is_wanted { start.map(|rank| vec![rank]) } else { Some(Vec::new()) };
    }
    let listed = listed_ranks(table, "double-step-ranks", ranks, faults)?;
    if let Some(double) = double.filter(|double| double.value == listed.is_empty()) {
        let ranks = if listed.is_empty() { "no rank" } else { "ranks" };
        let message = format!("`double-step` is {}, but `double-step-ranks` names {ranks}", double.value);
        table.fault("double-step", message, "leave `double-step` out", faults);
        return None;
    }
    listed.into_iter().collect()
}

/// The ranks that a key lists; one that is no rank is a fault and none, one that is named twice a fault.
fn listed_ranks(
    table: &Table<'_>,
    name: &str,
    ranks: usize,
    faults: &mut Faults<'_>,
) -> Option<Vec<Option<usize>>> {
    let key = table.path_of(name);
    let mut read: Vec<Option<usize>> = Vec::new();
    for rank in table.numbers(name, 1..=ranks, faults)? {
        let value = rank.as_ref().map(|rank| rank.value);
        if let Some(rank) = rank.filter(|_| read.contains(&value)) {
            faults.add(rank.span, &key, format!("rank {} is named twice", rank.value), "name it once");
        }
        read.push(value);
    }
    Some(read)
}

fn promotion_rank(
    table: &Table<'_>,
    start: Option<usize>,
    ranks: usize,
    faults: &mut Faults<'_>,
) -> Option<usize> {
    let promotion = table.number_or("promotion-rank", 1..=ranks, ranks, faults)?;
    let Some(start) = start.filter(|&start| start >= promotion) else { return Some(promotion) };
    let (key, help) = if start < ranks {
        ("promotion-rank", format!("write `promotion-rank = {ranks}`, or another rank beyond {start}"))
    } else {
        ("start-rank", format!("write a smaller one, as in `start-rank = {}`", 2.min(ranks - 1)))
    };
    let message = format!("`start-rank` {start} is not before `promotion-rank` {promotion}");
    table.fault(key, message, help, faults);
    None
}

/// The squares on which a side's pawns promote, as seen from its end.
fn promotion_zone(
    table: &Table<'_>,
    side: Side,
    board: &Board,
    start: Option<usize>,
    faults: &mut Faults<'_>,
) -> Option<SquareSet> {
    let name = if side == Side::White { "promotion-zone" } else { "promotion-zone-black" };
    let key = table.path_of(name);
    let says_both = side == Side::White && table.has("promotion-rank");
    if says_both {
        let message = "`promotion-rank` and `promotion-zone` both say where it promotes";
        table.fault("promotion-rank", message, "keep one of them", faults);
    }
    let names = table.squares(name, board, faults)?;
    let mut zone = SquareSet::EMPTY;
    for (square, span) in names.iter().flatten() {
        let seen = if side == Side::White { *square } else { board.mirror_ranks(*square) };
        let rank = board.rank_of(seen) + 1;
        if let Some(start) = start.filter(|&start| rank <= start) {
            let message = format!("{} is not beyond `start-rank` {start}", board.name(*square));
            faults.add(span.clone(), &key, message, "name squares that the pawn comes to");
        }
        zone.insert(seen);
    }
    let is_whole = names.iter().all(Option::is_some) && !says_both;
    let is_beyond = start.is_some_and(|start| zone.without(from_rank(board, start + 1)).is_empty());
    (is_whole && is_beyond).then_some(zone)
}
