//! Finds all ways for the pawns of a structure file to stand, and a legal position of each.

use super::man::{ManDraft, men_span};
use crate::limit::man_name;
use geometry::{Square, SquareSet};
use position::{Position, RuleBook};
use std::collections::BTreeSet;
use variant::text::{Faults, Table};
use variant::{Man, Side, Variant};

/// The most ways for the pawns to stand: all of two pawns against one are fewer.
const MOST_ROOTS: usize = 60_000;

/// So many placements of the other men are tried with the pawns in place.
const MOST_TRIES: usize = 100_000;

/// Men on squares.
type Placed = Vec<(Man, Square)>;

/// A legal position of each way for the pawns to stand; none if there is a fault.
pub(super) fn roots(
    file: &Table<'_>,
    variant: &Variant,
    drafts: &[ManDraft],
    faults: &mut Faults<'_>,
) -> Option<Vec<Position>> {
    let (pawns, mobile): (Vec<&ManDraft>, Vec<&ManDraft>) =
        drafts.iter().partition(|draft| variant.is_pawn(draft.own.man));
    let mut choices = BTreeSet::new();
    if !choose(&pawns, &mut Vec::new(), &mut choices) {
        let message = format!("the pawns can stand in more than {MOST_ROOTS} ways");
        faults.add(men_span(file), "men", message, "name fewer squares of pawns");
        return None;
    }
    if choices.is_empty() {
        // The first pawn for which the ones before it leave no square is at fault.
        let fits = |n: usize| choose_any(&pawns[..n], &mut Vec::new());
        let at = (1..=pawns.len()).find(|&n| !fits(n)).and_then(|n| pawns.get(n - 1));
        if let Some(draft) = at {
            let name = man_name(variant, draft.own.man);
            let message = format!("the pawns named before leave no square for {name}");
            faults.add(draft.span.clone(), &draft.key, message, "name a square that is free");
        }
        return None;
    }
    let book = RuleBook::new(variant);
    let mut mobile: Vec<(Man, SquareSet)> =
        mobile.iter().map(|draft| (draft.own.man, draft.own.squares)).collect();
    // Who has the fewest squares is put down first.
    mobile.sort_by_key(|(_, squares)| squares.iter().count());
    let roots: Vec<Position> =
        choices.into_iter().filter_map(|mut pawns| legal(&book, &mobile, &mut pawns, &mut 0)).collect();
    if roots.is_empty() {
        let message = "no legal position has these men on these squares".to_owned();
        faults.add(men_span(file), "men", message, "let some of the men stand elsewhere");
        return None;
    }
    Some(roots)
}

/// Collects all ways for pawns to stand, like pawns in any order; whether they are not too many.
fn choose(pawns: &[&ManDraft], placed: &mut Placed, choices: &mut BTreeSet<Placed>) -> bool {
    let Some((first, rest)) = pawns.split_first() else {
        let mut choice = placed.clone();
        choice.sort_unstable();
        choices.insert(choice);
        return choices.len() <= MOST_ROOTS;
    };
    first.own.squares.iter().all(|square| {
        if placed.iter().any(|&(_, taken)| taken == square) {
            return true;
        }
        placed.push((first.own.man, square));
        let is_well = choose(rest, placed, choices);
        placed.pop();
        is_well
    })
}

/// Whether there is any way for pawns to stand.
fn choose_any(pawns: &[&ManDraft], taken: &mut Vec<Square>) -> bool {
    let Some((first, rest)) = pawns.split_first() else { return true };
    first.own.squares.iter().any(|square| {
        if taken.contains(&square) {
            return false;
        }
        taken.push(square);
        let fits = choose_any(rest, taken);
        taken.pop();
        fits
    })
}

/// The first legal position with these men placed and the others on some of their squares.
fn legal(
    book: &RuleBook,
    mobile: &[(Man, SquareSet)],
    placed: &mut Placed,
    n_tries: &mut usize,
) -> Option<Position> {
    let Some((&(man, squares), rest)) = mobile.split_first() else {
        *n_tries += 1;
        return Side::BOTH.into_iter().find_map(|stm| {
            Position::from_men(placed.iter().copied(), stm).filter(|position| position.is_legal(book))
        });
    };
    for square in squares.iter() {
        if *n_tries >= MOST_TRIES || placed.iter().any(|&(_, taken)| taken == square) {
            continue;
        }
        placed.push((man, square));
        let found = legal(book, rest, placed, n_tries);
        placed.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}
