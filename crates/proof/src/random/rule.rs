//! Makes random rules: what ends a game and what must be done, one kind of rule at a time or many together.

use super::dice::Dice;
use geometry::{Board, SquareSet};
use variant::{Blast, Extinction, Goal, Pass, Piece, PieceId, Rules, Stalemate, Verdict};

/// A kind of rule that chess does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Stalemate is won by the side without a move, or by that with fewer men.
    Stalemate,
    /// Who is mated wins.
    Checkmate,
    /// Who can capture must.
    MustCapture,
    /// Nobody may give check.
    NoChecks,
    /// A side may pass, always or where it has no other move.
    Pass,
    /// Captures explode.
    Blast,
    /// Men die out, to their side's loss or gain.
    Extinction,
    /// Squares win.
    Goal,
    /// No man is royal; extinction decides.
    NoRoyal,
}

impl Rule {
    /// All kinds of rules.
    pub const ALL: [Rule; 9] = [
        Rule::Stalemate,
        Rule::Checkmate,
        Rule::MustCapture,
        Rule::NoChecks,
        Rule::Pass,
        Rule::Blast,
        Rule::Extinction,
        Rule::Goal,
        Rule::NoRoyal,
    ];
}

/// Adds rules of these kinds: of the only one, or of some of them. They may contradict each other.
pub(super) fn add(dice: &mut Dice, kinds: &[Rule], board: &Board, pieces: &mut [Piece], rules: &mut Rules) {
    let sure = dice.below(kinds.len());
    for (i, kind) in kinds.iter().enumerate() {
        if i != sure && !dice.chance(35) {
            continue;
        }
        match kind {
            Rule::Stalemate => rules.stalemate = *dice.pick(&[Stalemate::Win, Stalemate::FewerMen]),
            Rule::Checkmate => rules.checkmate = Verdict::Win,
            Rule::MustCapture => rules.must_capture = true,
            Rule::NoChecks => rules.checking = false,
            Rule::Pass => rules.pass = *dice.pick(&[Pass::Always, Pass::OnStalemate]),
            Rule::Blast => rules.blast = Some(Blast { immune: some(dice, pieces, 30) }),
            Rule::Extinction => rules.extinction = Some(extinction(dice, pieces)),
            Rule::Goal => rules.goal = Some(goal(dice, board, pieces)),
            Rule::NoRoyal => pieces[0].royal = false,
        }
    }
    if pieces[0].royal {
        // Explosions go with neither of these, and would be rare otherwise.
        if rules.blast.is_some() && (rules.must_capture || rules.extinction.is_some()) {
            if dice.chance(50) {
                rules.blast = None;
            } else {
                (rules.must_capture, rules.extinction) = (false, None);
            }
        }
        return;
    }
    // What speaks of royal men is left out, or few games without them would make sense.
    (rules.checking, rules.checkmate, rules.blast) = (true, Verdict::Loss, None);
    if let Some(goal) = &mut rules.goal {
        goal.is_answered = false;
    }
    if rules.extinction.is_none() {
        let verdict = *dice.pick(&[Verdict::Loss, Verdict::Win]);
        rules.extinction =
            Some(Extinction { verdict, kinds: None, most_men: 0, opponent_men: 0, is_claimed: false });
    }
}

/// Kinds of men that are not royal, each so often in a hundred times.
fn some(dice: &mut Dice, pieces: &[Piece], percent: u64) -> Vec<PieceId> {
    let common = (0..pieces.len()).filter(|&i| !pieces[i].royal).map(|i| PieceId(i as u8));
    common.filter(|_| dice.chance(percent)).collect()
}

fn extinction(dice: &mut Dice, pieces: &[Piece]) -> Extinction {
    let kinds = if dice.chance(60) { None } else { Some(some(dice, pieces, 25)) };
    // All men together are never fewer than one while a man is royal.
    let most_men = match &kinds {
        None if pieces[0].royal => 1 + u8::from(dice.chance(20)),
        _ => u8::from(dice.chance(20)),
    };
    Extinction {
        verdict: *dice.pick(&[Verdict::Loss, Verdict::Loss, Verdict::Win]),
        kinds,
        most_men,
        opponent_men: *dice.pick(&[0, 0, 1, 2, 2]),
        is_claimed: dice.chance(40),
    }
}

fn goal(dice: &mut Dice, board: &Board, pieces: &[Piece]) -> Goal {
    let kinds = match dice.below(3) {
        0 => None,
        1 => Some(vec![PieceId(0)]),
        _ => Some(some(dice, pieces, 40)),
    };
    let all: Vec<_> = board.all().iter().collect();
    let mut place = || -> SquareSet {
        if dice.chance(25) {
            let rank = dice.below(board.ranks());
            return board.rank(rank);
        }
        (0..1 + dice.below(3)).map(|_| *dice.pick(&all)).collect()
    };
    let white = place();
    let other = place();
    let black = match dice.below(4) {
        0 => other,
        1 => white,
        _ => white.mirror_ranks(board),
    };
    let is_answered = kinds.as_ref().is_some_and(|kinds| kinds[..] == [PieceId(0)]) && dice.chance(60);
    Goal { kinds, squares: [white, black], is_answered }
}
