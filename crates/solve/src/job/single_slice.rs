//! Solves the only slice of a material without pawns, and widens its codes in the middle of a pass.

use super::marking::mark_sides;
use super::slice::{Memory, SliceSolver};
use super::width::{Sides, SidesOfWidth, borrowed, by_role, illegal_codes, owned, widened};
use crate::pass::{Facts, Halt, Longest, Pass};
use crate::plane::PassPlanes;
use crate::sweep::Sink;
use crate::word::SolverWord;
use index::SliceId;
use table::{Code, Codes, CodesRef, View};
use variant::Side;

/// Solves the slice, with one byte a value as long as that suffices if `is_narrow`.
pub(super) fn solve_pawnless<W: SolverWord>(
    solver: &SliceSolver<'_, W>,
    is_narrow: bool,
) -> Result<[Option<Codes>; 2], Halt> {
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
        for &attacker in &solver.attackers {
            let watch = |ply: usize, planes: &PassPlanes<W>| {
                solver.report_ply(SliceId::FIRST, attacker, ply, planes);
                !solver.progress.is_interrupted()
            };
            let mut pass = Pass::new(facts, attacker, planes).watched(&watch);
            if let SidesOfWidth::Narrow(narrow) = &mut codes {
                if pass.run(sinks(facts, narrow, attacker), &mut longest).is_ok() {
                    continue;
                }
                if solver.progress.is_interrupted() || !solver.progress.may_widen() {
                    return Err(Halt);
                }
                // What is found so far is written; the pass goes on from there.
                let narrow = std::mem::take(narrow);
                codes = SidesOfWidth::Wide(widened(narrow, layout.len(), metric, longest));
            }
            if let SidesOfWidth::Wide(wide) = &mut codes {
                pass.run(sinks(facts, wide, attacker), &mut longest)?;
            }
        }
        Ok(())
    };
    solver.with_facts(SliceId::FIRST, &own, Memory::Ample, solve).0?;
    solver.progress.placements_done(layout.len() as u64, layout.len() as u64);
    Ok(match codes {
        SidesOfWidth::Narrow(codes) => owned(codes, metric, longest),
        SidesOfWidth::Wide(codes) => owned(codes, metric, longest),
    })
}

/// Where the wins of the attacker go, and the losses of the defender.
fn sinks<'c, C: Code, W: SolverWord>(
    facts: &Facts<'_, W>,
    codes: &'c mut Sides<C>,
    attacker: Side,
) -> [Option<Sink<'c, C, W>>; 2] {
    by_role(borrowed(codes), attacker).map(|codes| Some(Sink::of_codes(facts.premises.ground, codes?)))
}
