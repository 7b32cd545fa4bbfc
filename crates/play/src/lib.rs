//! Plays games from endgame tables, as chess engines do: by the protocols UCI and CECP (XBoard).
//!
//! ```text
//!   lines ─ dialogue ─ uci, xboard ─► Player (game, position, history)
//!               └─ Question, on a thread of its own ─ choice ─► library::AskedTables
//!                                                        └─ Basis: what the move relies on
//! ```
//!
//! A [`Player`] knows the games that it can play and the position on its board. [`choose`] rates the moves:
//! it wins in the fewest plies and loses in the most, and never lets the n-move rule spoil a win. What no
//! table has is said, and a legal move is made all the same.
//!
//! Answers come from tables, so there is little to think about; but a table that is solved because a program
//! asks takes seconds, once. So a question has a thread of its own, and `isready`, `stop` and their like in
//! XBoard's protocol are answered meanwhile.

mod choice;
mod dialogue;
mod move_rating;
mod player;
mod setup;
mod uci;
mod xboard;

pub use choice::{Basis, Choice, choose};
pub use player::{PlayError, Player};
pub use uci::uci;
pub use xboard::xboard;

/// Says what a choice relies on.
pub(crate) fn describe(choice: &Choice) -> String {
    match &choice.basis {
        Basis::Tables(metrics, is_solved) => {
            let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
            let solved = if *is_solved { ", solved in memory" } else { "" };
            format!("from tables of {}{solved}", names.join(" and "))
        }
        Basis::Partly(metrics, table) => {
            let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
            format!("from tables of {}; {table} is missing, so some moves are not known", names.join(" and "))
        }
        Basis::Bounds => "from structures that know what moves are worth at least or at most".into(),
        Basis::ResultsOnly => {
            "from tables of who wins; progress was searched for, the distance is not known".into()
        }
        Basis::Rules => "no table has this position: only what the rules decide is known".into(),
        Basis::Nothing(Some(table)) => {
            format!("no table has this position ({table} is missing): any legal move")
        }
        Basis::Nothing(None) => "no table can be read for this position: any legal move".into(),
    }
}

#[cfg(test)]
mod tests;
