//! Reads the ranks and squares of a `[piece.pawn]` table into the squares of a pawn's rules.

use super::table::{Faults, Table};
use crate::PawnRules;
use geometry::{Board, SquareSet};

/// Reads the squares of a pawn's rules; whether they are all the file's own, so that they can be checked.
pub(crate) fn read_squares(
    table: &Table<'_>,
    rules: &mut PawnRules,
    board: Option<&Board>,
    faults: &mut Faults<'_>,
) -> bool {
    let ranks = board.map_or(16, Board::ranks);
    let start = rank(table, "start-rank", 2, ranks, faults);
    let double = double_step_ranks(table, start, ranks, faults);
    let en_passant = table.boolean("en-passant", faults).map(|en_passant| en_passant.value);
    let promotion = match board {
        Some(board) if table.has("promotion-zone") => promotion_zone(table, board, start, faults),
        // Every rank from there on, so that a long step over the promotion rank promotes too.
        Some(board) => promotion_rank(table, start, ranks, faults).map(|rank| from_rank(board, rank)),
        // Without a board only their types can be wrong.
        None => table
            .strings("promotion-zone", faults)
            .map(|_| SquareSet::EMPTY)
            .or_else(|| promotion_rank(table, None, ranks, faults).map(|_| SquareSet::EMPTY)),
    };
    if let (Some(double), Some(board)) = (&double, board) {
        let ranks = double.iter().map(|&rank| board.rank(rank - 1));
        rules.double_step_from = ranks.fold(SquareSet::EMPTY, SquareSet::union);
        rules.en_passant = en_passant.unwrap_or(!double.is_empty());
    }
    let (Some(start), Some(_), Some(promotion), Some(board)) = (start, double, promotion, board) else {
        return false;
    };
    rules.zone = from_rank(board, start).without(promotion);
    rules.promotion = promotion;
    true
}

/// The squares of this rank, counted from 1, and those beyond.
fn from_rank(board: &Board, rank: usize) -> SquareSet {
    (rank..=board.ranks()).map(|rank| board.rank(rank - 1)).fold(SquareSet::EMPTY, SquareSet::union)
}

fn rank(
    table: &Table<'_>,
    name: &str,
    default: usize,
    ranks: usize,
    faults: &mut Faults<'_>,
) -> Option<usize> {
    match table.number(name, 1..=ranks, faults) {
        Some(rank) => Some(rank.value),
        None if table.has(name) => None,
        None => Some(default),
    }
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
    let listed = table.numbers("double-step-ranks", 1..=ranks, faults)?;
    let key = table.path_of("double-step-ranks");
    let mut read: Vec<usize> = Vec::new();
    for rank in listed.iter().flatten() {
        if read.contains(&rank.value) {
            faults.add(
                rank.span.clone(),
                &key,
                format!("rank {} is named twice", rank.value),
                "name it once",
            );
        }
        read.push(rank.value);
    }
    if let Some(double) = double.filter(|double| double.value == listed.is_empty()) {
        let ranks = if listed.is_empty() { "no rank" } else { "ranks" };
        let message = format!("`double-step` is {}, but `double-step-ranks` names {ranks}", double.value);
        faults.add(double.span, &table.path_of("double-step"), message, "leave `double-step` out");
        return None;
    }
    (read.len() == listed.len()).then_some(read)
}

fn promotion_rank(
    table: &Table<'_>,
    start: Option<usize>,
    ranks: usize,
    faults: &mut Faults<'_>,
) -> Option<usize> {
    let promotion = rank(table, "promotion-rank", ranks, ranks, faults)?;
    let Some(start) = start.filter(|&start| start >= promotion) else { return Some(promotion) };
    let (key, help) = if start < ranks {
        ("promotion-rank", format!("write `promotion-rank = {ranks}`, or another rank beyond {start}"))
    } else {
        ("start-rank", format!("write a smaller one, as in `start-rank = {}`", 2.min(ranks - 1)))
    };
    let message = format!("`start-rank` {start} is not before `promotion-rank` {promotion}");
    faults.add(table.span_of(key), &table.path_of(key), message, help);
    None
}

fn promotion_zone(
    table: &Table<'_>,
    board: &Board,
    start: Option<usize>,
    faults: &mut Faults<'_>,
) -> Option<SquareSet> {
    let key = table.path_of("promotion-zone");
    if table.has("promotion-rank") {
        let message = "`promotion-rank` and `promotion-zone` both say where it promotes";
        faults.add(
            table.span_of("promotion-rank"),
            &table.path_of("promotion-rank"),
            message,
            "keep one of them",
        );
    }
    let names = table.squares("promotion-zone", board, faults)?;
    let mut zone = SquareSet::EMPTY;
    for (square, span) in names.iter().flatten() {
        let rank = board.rank_of(*square) + 1;
        if let Some(start) = start.filter(|&start| rank <= start) {
            let message = format!("{} is not beyond `start-rank` {start}", board.name(*square));
            faults.add(span.clone(), &key, message, "name squares that the pawn comes to");
        }
        zone.insert(*square);
    }
    let is_whole = names.iter().all(Option::is_some) && !table.has("promotion-rank");
    let is_beyond = start.is_some_and(|start| zone.without(from_rank(board, start + 1)).is_empty());
    (is_whole && is_beyond).then_some(zone)
}
