//! Compares structures with the oracle's values for positions of random games with several pawns.
//!
//! A structure is solved without a limit and, of the same position, with one. Without, every value of its
//! file and every position that those lead to must be the oracle's; with a limit each must lie on the right
//! side of it. Beside structures of other limits and of the next position, whose slices it takes, a structure
//! must have the bytes that it has alone.

use super::case::Verdict;
use geometry::SquareSet;
use position::{Position, RuleBook};
use probe::{Ask, Between, ProbeError, Tablebase};
use proof::{Dice, Reached, random_position};
use std::collections::BTreeSet;
use std::sync::Arc;
use structure::{
    Bound, Concession, Kept, Limit, SolvedStructure, Structure, Unwatched, solve_beside, verify,
};
use table::{Ply, Value};
use tempfile::TempDir;
use variant::{Man, Metric, Side, Variant};

/// A position of a random game, to be solved as a structure and compared.
#[derive(Clone, Debug)]
pub struct StructureCase {
    /// What the case was made of.
    pub seed: u64,
    /// The rules.
    pub variant: Variant,
    /// The position.
    pub root: Position,
    /// What is counted.
    pub metric: Metric,
    /// The limit that makes the values bounds.
    pub limit: Limit,
    /// The memory that a run may take: little makes it go slice by slice.
    pub memory_bytes: u64,
}

/// The most positions that the oracle looks at.
const MOST_POSITIONS: usize = 250_000;

/// The most differences that are listed.
const MAX_LISTED: usize = 3;

/// The step between the positions of which it is asked what is known of their moves.
const VERDICT_STEP: usize = 16;

impl StructureCase {
    /// The case of a seed in a game, of as many men as lead to no more than `most_values` values, because the
    /// oracle lists every move of every position; none if no position is found.
    #[must_use]
    pub fn random(seed: u64, variant: Variant, metric: Metric, most_values: u64) -> Option<Self> {
        let mut dice = Dice::new(seed ^ 0x57_6A_C7);
        let memory_bytes = if dice.chance(50) { 1 << 30 } else { 1 << 12 };
        let n_men = 4 + dice.below(3);
        let case = |n_men: usize| {
            let root = random_position(&variant, n_men, 2.min(n_men - 2), seed)?;
            let limit = random_limit(&mut Dice::new(seed ^ 0x11_3C_05), &variant, &root);
            let variant = variant.clone();
            let case = StructureCase { seed, variant, root, metric, limit, memory_bytes };
            let structure = case.structure(Limit::none()).ok()?;
            (structure.estimate(1).n_values <= most_values).then_some(case)
        };
        (3..=n_men).rev().find_map(case)
    }

    fn structure(&self, limit: Limit) -> Result<Structure, structure::StructureError> {
        let bounds = limit.bounds();
        Structure::new(
            &self.variant,
            self.metric,
            std::slice::from_ref(&self.root),
            (limit, &bounds),
            100_000,
        )
    }

    /// Compares all values. A panic on either side is a difference.
    #[must_use]
    pub fn check(&self) -> Verdict {
        Verdict::of(|| self.compare())
    }

    fn compare(&self) -> Verdict {
        let (exact, limited) = (self.solved(Limit::none()), self.solved(self.limit.clone()));
        if let Some(different) = self.compare_beside(&[&exact, &limited]) {
            return Verdict::Different(different);
        }
        let mut roots = vec![self.root.clone()];
        // Where something is given away, the colours of no table are exchanged, and positions are listed that
        // the exact file has in other colours.
        for solved in [&exact, &limited] {
            let listed = solved.structure.for_each(|_, position, _| roots.push(position.clone()));
            listed.unwrap_or_else(|error| panic!("{error}"));
        }
        let Some(oracle) = Reached::new(&self.variant, self.metric, roots, MOST_POSITIONS) else {
            return Verdict::Equal(0);
        };
        let tables = exact.structure.tablebase(Bound::Exact);
        let mut comparison =
            Comparison { oracle: &oracle, exact: &tables, n_values: 0, different: Vec::new() };
        comparison.compare(&exact.structure, None);
        comparison.compare(&limited.structure, None);
        let (holder, has_limit) =
            ([Side::White, Side::Black][self.seed as usize % 2], (self.seed / 2).is_multiple_of(2));
        let limit = if has_limit { self.limit.clone() } else { Limit::none() };
        comparison.compare(&self.solved(limit.with_holder(holder)).structure, Some(holder));
        match comparison.different.is_empty() {
            true => Verdict::Equal(comparison.n_values),
            false => Verdict::Different(comparison.different.join("\n")),
        }
    }

    /// Solves the structures again beside each other and those of a next position; says which of them has
    /// other bytes then.
    fn compare_beside(&self, alone: &[&Solved]) -> Option<String> {
        let mut next = Vec::new();
        self.root
            .for_each_successor(&RuleBook::new(&self.variant), |_, position| next.push(position.clone()));
        let root = next.get(self.seed as usize % next.len().max(1))?.clone().with_en_passant(None);
        let next = StructureCase { root, ..self.clone() };
        let limits = [Limit::none(), self.limit.clone()];
        // A position at the end of the game has no structure.
        let able = limits.iter().filter(|limit| next.structure((*limit).clone()).is_ok());
        let mut others: Vec<Solved> = able.map(|limit| next.solved(limit.clone())).collect();
        // Own pawns that stand, or do so later, are another limit.
        let n_plies = self.limit.own_pawns_stand.map(|n_plies| 1 - n_plies);
        let may_stand = Limit::may_count_captures(&self.variant) && self.variant.rules.checking;
        for own_pawns_stand in [None, n_plies.or(Some(0)).filter(|_| may_stand)] {
            let mut other = self.limit.clone();
            other.own_pawns_stand = own_pawns_stand;
            if other != self.limit {
                others.push(self.solved(other));
            }
        }
        let neighbours = alone.iter().copied().chain(&others).map(|own| own.structure.clone());
        let neighbours: Vec<Arc<SolvedStructure>> = neighbours.collect();
        for (own, limit) in alone.iter().zip(limits) {
            // It does not lend to itself.
            let lent = neighbours.iter().filter(|other| !Arc::ptr_eq(other, &own.structure)).cloned();
            let beside = self.solved_beside(limit.clone(), &lent.collect::<Vec<_>>());
            let bytes = |solved: &Solved| fs_err::read(solved.structure.path());
            let [one, other] =
                [own, &beside].map(|solved| bytes(solved).unwrap_or_else(|error| panic!("{error}")));
            if one != other {
                return Some(format!("{limit}: other bytes beside other structures"));
            }
        }
        None
    }

    /// Solves the structure inside a limit.
    fn solved(&self, limit: Limit) -> Solved {
        self.solved_beside(limit, &[])
    }

    fn solved_beside(&self, limit: Limit, neighbours: &[Arc<SolvedStructure>]) -> Solved {
        let structure = self.structure(limit).unwrap_or_else(|error| panic!("{error}"));
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let path = folder.path().join("one.tss");
        solve_beside(&structure, neighbours, &path, self.memory_bytes, &Unwatched)
            .unwrap_or_else(|error| panic!("{error}"));
        let solved = SolvedStructure::open(&path, &self.variant).unwrap_or_else(|error| panic!("{error}"));
        Solved { structure: Arc::new(solved), _folder: folder }
    }

    /// The case for people.
    #[must_use]
    pub fn text(&self) -> String {
        let book = RuleBook::new(&self.variant);
        let StructureCase { seed, root, metric, limit, memory_bytes, variant } = self;
        let head =
            format!("# seed {seed}: {} by {metric}, {limit}, {memory_bytes} bytes\n", root.to_fen(&book));
        head + &super::variant_file::text(variant)
    }
}

/// A limit of promotions, of squares, of what is given away, or of several of these.
fn random_limit(dice: &mut Dice, variant: &Variant, root: &Position) -> Limit {
    let limit = match dice.below(10) {
        0 => Limit::in_all(0),
        1 => Limit::in_all(1),
        2 => Limit::in_all(1).with_first_only(),
        3 => Limit::each(1, 0).with_first_only(),
        4 => Limit::each(0, 1),
        5 => Limit::each(1, 1).with_first_only(),
        _ => Limit::none(),
    };
    let limit = limit.with_few_men(*dice.pick(&[0, 0, 3, 4]));
    let may_count = Limit::may_count_captures(variant);
    let counts_captures = may_count && dice.chance(30);
    let limit = if counts_captures { limit.with_captured(dice.below(3) as u8) } else { limit };
    let stands = may_count && dice.chance(40);
    let limit = if stands { limit.with_own_pawns_standing(dice.below(2) as u8) } else { limit };
    let [keep, concede] = if limit.is_none() { [60, 70] } else { [20, 20] };
    let kept = if dice.chance(keep) { random_squares(dice, variant, root) } else { Vec::new() };
    let conceded = if dice.chance(concede) { random_concessions(dice, variant, root) } else { Vec::new() };
    match variant.rules.checking {
        true => limit.with_kept(kept).with_conceded(conceded),
        false => Limit::none().with_kept(kept),
    }
}

/// Some kinds of men kept to squares: where they stand, anywhere, or some squares.
fn random_squares(dice: &mut Dice, variant: &Variant, root: &Position) -> Vec<Kept> {
    let mobile: BTreeSet<Man> = root.men().map(|(man, _)| man).filter(|man| !variant.is_pawn(*man)).collect();
    let mut kept = Vec::new();
    for man in mobile {
        if dice.chance(60) {
            let own = root.men().filter(|(own, _)| *own == man);
            let squares = own.map(|(_, square)| match dice.below(3) {
                0 => [square].into_iter().collect(),
                1 => variant.board.all(),
                _ => variant.board.squares().filter(|_| dice.chance(60)).chain([square]).collect(),
            });
            let squares: Vec<SquareSet> = squares.collect();
            kept.extend(Kept::new(variant, man, &squares));
        }
    }
    kept
}

/// Captures, promotions and moves of pawns, or other ends, that one side or both give away.
fn random_concessions(dice: &mut Dice, variant: &Variant, root: &Position) -> Vec<Concession> {
    let mut words = ["stalemate", "no-table", "wx*", "b=*"].map(str::to_owned).to_vec();
    for (man, square) in root.men() {
        let (side, other) = if man.side == Side::White { ('w', 'b') } else { ('b', 'w') };
        let letter = variant.piece(man.piece).letter;
        words.extend([format!("{other}x{letter}"), format!("{side}={letter}")]);
        if variant.is_pawn(man) {
            let movement = variant.movement(man);
            let ahead = movement.rays().iter().filter(|ray| ray.quiet).map(|ray| ray.step);
            let targets = ahead.filter_map(|step| variant.board.offset(square, step));
            let name = |square| variant.board.name(square);
            words.extend(targets.map(|to| format!("{side}{}{}", name(square), name(to))));
        }
    }
    let n_words = 1 + dice.below(3);
    // Some words mean nothing in some games.
    let read = |_| {
        let word = dice.pick(&words);
        match dice.below(3) {
            0 => Concession::to(variant, Side::White, word).ok(),
            1 => Concession::to(variant, Side::Black, word).ok(),
            _ => Concession::discarded(variant, word).ok(),
        }
    };
    (0..n_words).filter_map(read).collect()
}

/// A structure and the folder that its file is in.
struct Solved {
    structure: Arc<SolvedStructure>,
    _folder: TempDir,
}

/// What is found while structures are compared with an oracle.
struct Comparison<'a> {
    oracle: &'a Reached,
    /// The structure without a limit.
    exact: &'a Tablebase,
    n_values: usize,
    different: Vec<String>,
}

impl Comparison<'_> {
    /// Compares a structure, or one that says only whether its holder loses.
    fn compare(&mut self, structure: &Arc<SolvedStructure>, holder: Option<Side>) {
        // Where men are kept to squares, images are positions of their own, which no move need reach.
        let has_images = holder.is_some() || !structure.limit().kept.is_empty();
        let listed = structure.for_each(|bound, position, value| {
            let of_image = || self.exact.value(position).ok().filter(|_| has_images);
            let expected = self.oracle.value(position).or_else(of_image);
            match (holder, expected) {
                (None, _) => self.note(structure, (bound, "the file"), position, Some(value), expected),
                (Some(holder), Some(expected)) => {
                    let [found, lost] = [value, expected].map(|value| is_lost(position, value, holder));
                    let is_right = match bound.winner_outside() {
                        None => found == lost,
                        Some(winner) if winner == holder => !found || lost,
                        Some(_) => found || !lost,
                    };
                    let wrong = || format!("the file has {value:?} ({bound:?}), the oracle {expected:?}");
                    self.count(structure, position, is_right, &wrong);
                }
                (Some(_), None) => {}
            }
        });
        listed.unwrap_or_else(|error| panic!("{error}"));
        match holder {
            None => self.compare_probes(structure),
            Some(_) => self.compare_verdicts(structure),
        }
        let report = verify(structure, 1).unwrap_or_else(|error| panic!("{error}"));
        let wrong = report.differences.iter().take(MAX_LISTED);
        self.different.extend(wrong.map(|wrong| format!("verify ({}): {wrong}", structure.limit())));
    }

    /// Compares what probes say, of images and of rights to capture en passant too.
    fn compare_probes(&mut self, structure: &Arc<SolvedStructure>) {
        let oracle = self.oracle;
        for &bound in structure.bounds() {
            let tables = structure.tablebase(bound);
            for (position, expected) in oracle.positions() {
                let value = tables.value(position);
                // What a limit keeps from being reached is not there.
                if structure.limit().is_none() || !matches!(value, Err(ProbeError::Missing(_))) {
                    self.note(structure, (bound, "a probe"), position, value.ok(), Some(expected));
                }
            }
        }
    }

    /// Compares what is known of the moves of some positions.
    fn compare_verdicts(&mut self, structure: &Arc<SolvedStructure>) {
        let oracle = self.oracle;
        for (position, expected) in oracle.positions().step_by(VERDICT_STEP) {
            let Ok(answer) = structure.answer(position, &Ask::VALUE) else { continue };
            // Who wins, and not how late, is all that is told; a stalemate is a draw like any other.
            let expected = match expected {
                Value::Stalemate => Value::Draw,
                Value::Loss(_) => Value::Loss(Ply(0)),
                Value::Win(_) => Value::Win(Ply(1)),
                other => other,
            };
            let Between { least, most } = answer.value;
            let is_right = expected.preference(&least).is_ge() && expected.preference(&most).is_le();
            let wrong = || format!("between {least:?} and {most:?}, the oracle has {expected:?}");
            self.count(structure, position, is_right, &wrong);
        }
    }

    fn note(
        &mut self,
        structure: &SolvedStructure,
        (bound, source): (Bound, &str),
        position: &Position,
        value: Option<Value>,
        expected: Option<Value>,
    ) {
        let is_right = value.zip(expected).is_some_and(|(value, expected)| match bound.winner_outside() {
            None => value == expected,
            Some(winner) if winner == position.stm() => value.preference(&expected).is_ge(),
            Some(_) => value.preference(&expected).is_le(),
        });
        let wrong = || format!("{source} has {value:?} ({bound:?}), the oracle {expected:?}");
        self.count(structure, position, is_right, &wrong);
    }

    fn count(
        &mut self,
        structure: &SolvedStructure,
        position: &Position,
        is_right: bool,
        wrong: &dyn Fn() -> String,
    ) {
        self.n_values += 1;
        if !is_right && self.different.len() < MAX_LISTED {
            let (fen, limit) = (position.to_fen(structure.book()), structure.limit());
            self.different.push(format!("{fen} ({limit}): {}", wrong()));
        }
    }
}

/// Whether a value says that the holder loses.
fn is_lost(position: &Position, value: Value, holder: Side) -> bool {
    match value {
        Value::Loss(_) => position.stm() == holder,
        Value::Win(_) => position.stm() != holder,
        _ => false,
    }
}
