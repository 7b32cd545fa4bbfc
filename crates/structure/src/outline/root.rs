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

/// Some pawns may stand in so many ways before the last of them is there.
const MOST_PARTIAL: usize = 4 * MOST_ROOTS;

/// So many placements of the other men are tried, over all ways for the pawns to stand.
const MOST_TRIES: usize = 4_000_000;

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
    let choices = match choose(&pawns) {
        Ok(choices) => choices,
        Err(NoChoice::TooMany) => {
            let message = format!("the pawns can stand in more than {MOST_ROOTS} ways");
            faults.add(men_span(file), "men", message, "name fewer squares of pawns");
            return None;
        }
        // The first pawn for which the ones before it leave no square is at fault.
        Err(NoChoice::NoSquare(draft)) => {
            let name = man_name(variant, draft.own.man);
            let message = format!("the pawns named before leave no square for {name}");
            faults.add(draft.span.clone(), &draft.key, message, "name a square that is free");
            return None;
        }
    };
    let book = RuleBook::new(variant);
    let mut mobile: Vec<(Man, SquareSet)> =
        mobile.iter().map(|draft| (draft.own.man, draft.own.squares)).collect();
    // Who has the fewest squares is put down first.
    mobile.sort_by_key(|(_, squares)| squares.iter().count());
    // Ways without a legal position are none; one for which there was no time to tell is a fault.
    let (mut roots, mut n_tries) = (Vec::new(), 0);
    for mut pawns in choices {
        roots.extend(legal(&book, &mobile, &mut pawns, &mut n_tries));
        if n_tries >= MOST_TRIES {
            let message =
                format!("no legal position was found in {MOST_TRIES} tries, for some way of the pawns");
            faults.add(men_span(file), "men", message, "name fewer squares of men, or other ones");
            return None;
        }
    }
    if roots.is_empty() {
        let message = "no legal position has these men on these squares".to_owned();
        faults.add(men_span(file), "men", message, "let some of the men stand elsewhere");
        return None;
    }
    Some(roots)
}

/// Why there is no list of ways.
enum NoChoice<'d> {
    TooMany,
    /// The pawns before this one leave it no square.
    NoSquare(&'d ManDraft),
}

/// All ways for pawns to stand, like pawns in any order: pawn by pawn, so that ways that are the same in
/// another order are gone at once.
fn choose<'d>(pawns: &[&'d ManDraft]) -> Result<BTreeSet<Placed>, NoChoice<'d>> {
    let mut ways = BTreeSet::from([Placed::new()]);
    for &pawn in pawns {
        let mut longer = BTreeSet::new();
        for way in &ways {
            for square in
                pawn.own.squares.iter().filter(|square| way.iter().all(|(_, taken)| taken != square))
            {
                let mut way = way.clone();
                way.push((pawn.own.man, square));
                way.sort_unstable();
                longer.insert(way);
                if longer.len() > MOST_PARTIAL {
                    return Err(NoChoice::TooMany);
                }
            }
        }
        if longer.is_empty() {
            return Err(NoChoice::NoSquare(pawn));
        }
        ways = longer;
    }
    if ways.len() > MOST_ROOTS { Err(NoChoice::TooMany) } else { Ok(ways) }
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
