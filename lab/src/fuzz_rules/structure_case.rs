//! Compares structures with the oracle's values for positions of random games with several pawns.
//!
//! A structure is solved without a limit and, of the same position, with one. Without, every value of its
//! file and every position that those lead to must be the oracle's; with a limit each must lie on the right
//! side of it.

use super::case::Verdict;
use geometry::{Square, SquareSet};
use position::{Position, RuleBook};
use probe::{ProbeError, Tablebase};
use proof::{Dice, Reached, random_position};
use std::fmt::Write as _;
use std::sync::Arc;
use structure::{
    Between, Bound, Concession, Kept, Limit, SolvedStructure, Structure, Unwatched, solve, verify,
};
use table::{Ply, Value};
use tempfile::TempDir;
use variant::{Metric, Side, Variant};

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

/// So many differences are listed.
const MAX_LISTED: usize = 3;

/// Of one position in so many it is asked what is known of its moves.
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
        comparison.compare(&exact.structure);
        comparison.compare(&limited.structure);
        let (holder, has_limit) =
            ([Side::White, Side::Black][self.seed as usize % 2], (self.seed / 2).is_multiple_of(2));
        let limit = if has_limit { self.limit.clone() } else { Limit::none() };
        comparison.compare_held(&self.solved(limit.with_holder(holder)).structure, holder);
        match comparison.different.is_empty() {
            true => Verdict::Equal(comparison.n_values),
            false => Verdict::Different(comparison.different.join("\n")),
        }
    }

    /// Solves the structure inside a limit.
    fn solved(&self, limit: Limit) -> Solved {
        let structure = self.structure(limit).unwrap_or_else(|error| panic!("{error}"));
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let path = folder.path().join("one.tss");
        solve(&structure, &path, self.memory_bytes, &Unwatched).unwrap_or_else(|error| panic!("{error}"));
        let solved = SolvedStructure::open(&path, &self.variant).unwrap_or_else(|error| panic!("{error}"));
        Solved { structure: Arc::new(solved), _folder: folder }
    }

    /// The case for people.
    #[must_use]
    pub fn text(&self) -> String {
        let book = RuleBook::new(&self.variant);
        let mut text = format!("# seed {}: {} by {}", self.seed, self.root.to_fen(&book), self.metric);
        let _ = writeln!(text, ", {}, {} bytes", self.limit, self.memory_bytes);
        text + &super::variant_file::text(&self.variant)
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
    let is_none = limit.is_none();
    let mut kept = Vec::new();
    if dice.chance(if is_none { 60 } else { 20 }) {
        let mut mobile: Vec<_> =
            root.men().filter(|(man, _)| !variant.is_pawn(*man)).map(|(man, _)| man).collect();
        mobile.sort_unstable();
        mobile.dedup();
        for man in mobile.into_iter().filter(|_| dice.chance(60)).collect::<Vec<_>>() {
            let own: Vec<Square> =
                root.men().filter(|(own, _)| *own == man).map(|(_, square)| square).collect();
            let squares: Vec<SquareSet> = own
                .iter()
                .map(|&square| match dice.below(3) {
                    0 => [square].into_iter().collect(),
                    1 => variant.board.all(),
                    _ => variant.board.squares().filter(|_| dice.chance(60)).chain([square]).collect(),
                })
                .collect();
            kept.extend(Kept::new(variant, man, &squares));
        }
    }
    let mut conceded = Vec::new();
    if dice.chance(if is_none { 70 } else { 20 }) {
        let mut words = Vec::new();
        for (man, square) in root.men() {
            let (side, other) = if man.side == Side::White { ('w', 'b') } else { ('b', 'w') };
            let letter = variant.piece(man.piece).letter;
            words.push(format!("{other}x{letter}"));
            words.push(format!("{side}={letter}"));
            let movement = variant.movement(man);
            let ahead = movement.rays().iter().filter(|ray| ray.quiet).map(|ray| ray.step);
            let targets = ahead.filter_map(|step| variant.board.offset(square, step));
            let names =
                targets.map(|to| format!("{side}{}{}", variant.board.name(square), variant.board.name(to)));
            words.extend(names.filter(|_| variant.is_pawn(man)));
        }
        words.extend(["stalemate", "no-table", "wx*", "b=*"].map(str::to_owned));
        for _ in 0..1 + dice.below(3) {
            let word = dice.pick(&words);
            let read = match dice.below(3) {
                0 => Concession::to(variant, Side::White, word),
                1 => Concession::to(variant, Side::Black, word),
                _ => Concession::discarded(variant, word),
            };
            // Some words mean nothing in some games.
            conceded.extend(read);
        }
    }
    if !variant.rules.checking {
        return Limit::none().with_kept(kept);
    }
    limit.with_kept(kept).with_conceded(conceded)
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
    fn compare(&mut self, structure: &Arc<SolvedStructure>) {
        let listed = structure.for_each(|bound, position, value| {
            // Where men are kept to squares, images are positions of their own, which no move need reach.
            let of_image = || self.exact.value(position).ok();
            let is_image = !structure.limit().kept.is_empty();
            let expected = self.oracle.value(position).or_else(|| of_image().filter(|_| is_image));
            self.note(structure, (bound, "the file"), position, Some(value), expected);
        });
        listed.unwrap_or_else(|error| panic!("{error}"));
        // What a probe says, of images and of rights to capture en passant too.
        let oracle = self.oracle;
        for &bound in structure.bounds() {
            let tables = structure.tablebase(bound);
            for (position, expected) in oracle.positions() {
                let value = tables.value(position);
                // What a limit keeps from being reached is not there.
                if !structure.limit().is_none() && matches!(value, Err(ProbeError::Missing(_))) {
                    continue;
                }
                let found = value.ok();
                self.note(structure, (bound, "a probe"), position, found, Some(expected));
            }
        }
        let report = verify(structure, 1).unwrap_or_else(|error| panic!("{error}"));
        for wrong in report.differences.iter().take(MAX_LISTED) {
            self.different.push(format!("verify: {wrong}"));
        }
    }

    /// Compares a structure that says only whether a side loses.
    fn compare_held(&mut self, structure: &Arc<SolvedStructure>, holder: Side) {
        let is_lost = |position: &Position, value: Value| match value {
            Value::Loss(_) => position.stm() == holder,
            Value::Win(_) => position.stm() != holder,
            _ => false,
        };
        let limit = structure.limit();
        let listed = structure.for_each(|bound, position, value| {
            // Images are positions of their own where men are kept to squares.
            let expected = self.oracle.value(position).or_else(|| self.exact.value(position).ok());
            let Some(expected) = expected else { return };
            self.n_values += 1;
            let (found, expected) = (is_lost(position, value), is_lost(position, expected));
            let is_right = match bound.winner_outside() {
                None => found == expected,
                Some(winner) if winner == holder => !found || expected,
                Some(_) => found || !expected,
            };
            if !is_right {
                let fen = position.to_fen(structure.book());
                self.add(format!("{fen}: {value:?} ({bound:?} {limit}), the oracle says {expected}"));
            }
        });
        listed.unwrap_or_else(|error| panic!("{error}"));
        let oracle = self.oracle;
        for (position, expected) in oracle.positions().step_by(VERDICT_STEP) {
            let Ok(verdict) = structure.verdict(position) else { continue };
            self.n_values += 1;
            // Who wins, and not how late, is all that is told; a stalemate is a draw like any other.
            let expected = match expected {
                Value::Stalemate => Value::Draw,
                Value::Loss(_) => Value::Loss(Ply(0)),
                Value::Win(_) => Value::Win(Ply(1)),
                other => other,
            };
            let Between { least, most } = verdict.value;
            if expected.preference(&least).is_lt() || expected.preference(&most).is_gt() {
                let fen = position.to_fen(structure.book());
                self.add(format!(
                    "{fen}: between {least:?} and {most:?} ({limit}), the oracle has {expected:?}"
                ));
            }
        }
        let report = verify(structure, 1).unwrap_or_else(|error| panic!("{error}"));
        for wrong in report.differences.iter().take(MAX_LISTED) {
            self.add(format!("verify ({limit}): {wrong}"));
        }
    }

    fn add(&mut self, difference: String) {
        if self.different.len() < MAX_LISTED {
            self.different.push(difference);
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
        self.n_values += 1;
        let is_right = value.zip(expected).is_some_and(|(value, expected)| match bound.winner_outside() {
            None => value == expected,
            Some(winner) if winner == position.stm() => value.preference(&expected).is_ge(),
            Some(_) => value.preference(&expected).is_le(),
        });
        if !is_right && self.different.len() < MAX_LISTED {
            let fen = position.to_fen(structure.book());
            let limit = structure.limit();
            self.different
                .push(format!("{fen}: {source} has {value:?} ({bound:?} {limit}), the oracle {expected:?}"));
        }
    }
}
