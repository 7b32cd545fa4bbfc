//! Reads the limits of a structure file.

use crate::{Concession, Limit};
use variant::text::{Faults, Table};
use variant::{Side, Variant};

/// The most promoted men that a limit names: more than any position has.
const MOST_PROMOTED: usize = 16;

/// The limits of the table `[limits]`; what has a fault is left out.
pub(super) fn read(table: &Table<'_>, variant: &Variant, faults: &mut Faults<'_>) -> Limit {
    let mut limit = Limit::none();
    if table.is_list("promoted") {
        let numbers = table.numbers("promoted", 0..=MOST_PROMOTED, faults).unwrap_or_default();
        match numbers[..] {
            [Some(ref white), Some(ref black)] => {
                limit = Limit::each(white.value as u8, black.value as u8);
            }
            [None, _] | [_, None] => {}
            _ => {
                let message = format!("`promoted` has {} numbers, expected two", numbers.len());
                let help = "write one for White and one for Black, as in `promoted = [1, 0]`";
                faults.add(table.span_of("promoted"), &table.path_of("promoted"), message, help);
            }
        }
    } else if let Some(n) = table.number("promoted", 0..=MOST_PROMOTED, faults) {
        limit = Limit::in_all(n.value as u8);
    }
    if table.boolean("first-only", faults).is_some_and(|first_only| first_only.value) {
        limit = limit.with_first_only();
    }
    if let Some(few_men) = table.number("few-men", 0..=MOST_PROMOTED, faults) {
        limit = limit.with_few_men(few_men.value as u8);
        if !table.has("promoted") && !limit.first_only {
            let message = "`few-men` says where `promoted` and `first-only` end, and there is neither";
            let help = "add one of them, as in `promoted = 1`, or leave `few-men` out";
            faults.add(table.span_of("few-men"), &table.path_of("few-men"), message, help);
        }
    }
    let mut conceded = Vec::new();
    for (key, winner) in KEYS {
        for what in table.strings(key, faults).unwrap_or_default().into_iter().flatten() {
            let read = match winner {
                None => Concession::discarded(variant, &what.value),
                Some(winner) => Concession::to(variant, winner, &what.value),
            };
            match read {
                Ok(one) => conceded.push(one),
                Err(error) => faults.add(what.span, &table.path_of(key), error.message, error.help),
            }
        }
    }
    limit.with_conceded(conceded)
}

/// The keys of what is given away, and to whom; to the other side where moves are discarded.
const KEYS: [(&str, Option<Side>); 3] =
    [("discard", None), ("concede-to-white", Some(Side::White)), ("concede-to-black", Some(Side::Black))];
