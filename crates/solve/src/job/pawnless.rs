//! Solves the only slice of a material without pawns, and widens its codes in the middle of a pass.

use super::marking::mark_sides;
use super::slice::SliceSolver;
use super::width::{SidesOfWidth, borrowed, by_role, illegal_codes, owned, widened};
use crate::Progress;
use crate::pass::{Facts, Longest, Overflow, Pass};
use crate::plane::PassPlanes;
use crate::word::SolverWord;
use table::{Codes, CodesRef, View};
use variant::Side;

/// Solves the slice, with one byte a value as long as that suffices if `is_narrow`.
pub(super) fn solve_pawnless<W: SolverWord>(
    solver: &SliceSolver<'_, W>,
    progress: &dyn Progress,
    is_narrow: bool,
) -> Result<[Option<Codes>; 2], Overflow> {
    let (layout, metric) = (solver.layout, solver.scale.metric());
    let no_codes: [Option<CodesRef<'_>>; 2] = [Some(CodesRef::Narrow(&[])), None];
    let own = View::new(layout, no_codes, layout.men()).expect("a layout's own men match");
    let mut codes = match is_narrow {
        true => SidesOfWidth::Narrow(illegal_codes(layout)),
        false => SidesOfWidth::Wide(illegal_codes(layout)),
    };
    let mut longest = [Longest::default(); 2];
    let solve = |facts: &Facts<'_, W>, planes: &mut PassPlanes<W>| {
        match &mut codes {
            SidesOfWidth::Narrow(codes) => mark_sides(facts, borrowed(codes)),
            SidesOfWidth::Wide(codes) => mark_sides(facts, borrowed(codes)),
        }
        for attacker in Side::BOTH {
            let mut pass = Pass::new(facts, attacker, planes);
            if let SidesOfWidth::Narrow(narrow) = &mut codes {
                let [wins, losses] = by_role(borrowed(narrow), attacker);
                if pass.run(wins, losses, &mut longest).is_ok() {
                    continue;
                }
                // What is found so far is written; the pass goes on from there.
                let narrow = std::mem::take(narrow);
                codes = SidesOfWidth::Wide(widened(narrow, layout.len(), metric, longest));
            }
            if let SidesOfWidth::Wide(wide) = &mut codes {
                let [wins, losses] = by_role(borrowed(wide), attacker);
                pass.run(wins, losses, &mut longest)?;
            }
        }
        Ok(())
    };
    solver.with_facts(0, &own, solve)?;
    progress.placements_done(layout.len() as u64, layout.len() as u64);
    Ok(match codes {
        SidesOfWidth::Narrow(codes) => owned(codes, metric, longest),
        SidesOfWidth::Wide(codes) => owned(codes, metric, longest),
    })
}
