//! Searches positions for helpmates: `solve --position FEN --metric help`.

use super::args::SolveArgs;
use super::by_clock::check_options;
use crate::probe::text;
use crate::{Answer, Console, Failure, Game, Outcome, count, interrupt, plural};
use library::{HelpmatesJson, MemoryLimit, search_helpmates};
use position::{Position, RuleBook};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The bytes that a position takes which a search has found, the room of its tables included.
const POSITION_BYTES: u64 = 400;

/// How often a search says how far it is.
const INTERVAL: Duration = Duration::from_secs(2);

/// Looks for the helpmates of positions, whatever men they have, until they are found, none can be, or the
/// memory is full.
pub(super) fn search(
    console: &mut Console<'_>,
    args: &SolveArgs,
    game: &Game,
    roots: &[Position],
) -> Outcome {
    check_options(args)?;
    if roots.is_empty() || args.metric.len() > 1 {
        return Err(Failure::new(
            "helpmates are searched from positions, and alone: --position FEN --metric help",
        ));
    }
    let book = RuleBook::new(&game.variant);
    let most = MemoryLimit::new(args.memory).bytes / POSITION_BYTES;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut is_known = true;
    for position in roots {
        let mut told = Instant::now();
        let mut failed = Ok(());
        let found = search_helpmates(&book, position, most, &mut |plies, n_positions| {
            if told.elapsed() > INTERVAL {
                told = Instant::now();
                let positions = plural(n_positions as u64, "position");
                failed = console.tell(&format!("{positions}, all lines of {plies} plies, no end yet"));
            }
            match interrupt::is_asked_for() || failed.is_err() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        failed?;
        let helpmates = found.helpmates(&book, position);
        let is_open = helpmates.answers().any(|answer| !answer.value.is_exact());
        is_known &= !is_open;
        let gap = || {
            let (n, plies) = (count(found.n_positions as u64), found.plies);
            let why = if interrupt::is_asked_for() { "was stopped" } else { "has no more memory" };
            format!("the search {why} after {n} positions, all that arise in {plies} plies")
        };
        if args.json {
            console.print_json(&HelpmatesJson::new(&book, &helpmates, usize::MAX))?;
        } else {
            let gaps = helpmates.answers().map(|answer| (!answer.value.is_exact()).then(gap)).collect();
            console.out.write_all(text::helpmates(&book, &helpmates, gaps).as_bytes())?;
            if !is_open {
                writeln!(console.out, "\n({} looked at)", plural(found.n_positions as u64, "position"))?;
            }
        }
    }
    Ok(if is_known { Answer::Yes } else { Answer::No })
}
