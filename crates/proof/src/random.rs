//! Games that nobody plays: random rules for testing, the same for the same seed on every machine for ever.
//!
//! Men leap, ride, ride so far and no farther, move otherwise than they capture, know no way back; kings may be
//! anything; pawns step and capture where they like, as long as it is forward. Boards have 15 to 30 squares, and games
//! without capture or pawn move are drawn after a few moves, or never.
//!
//! The dice are written down here because a generator from elsewhere may change with its version, and a seed that
//! once found a fault must find it again.

use geometry::{Board, SquareSet, Step};
use piece::{Manner, Movement, RIDE, Ray};
use variant::{Material, PawnRules, Piece, PieceId, Rules, Stalemate, Variant};

/// The rules that belong to this seed.
#[must_use]
pub fn random_variant(seed: u64) -> Variant {
    let mut dice = Dice(seed);
    let (files, ranks) =
        *dice.pick(&[(3, 6), (4, 4), (4, 5), (4, 6), (5, 4), (5, 5), (5, 6), (3, 5), (6, 4)]);
    let board = Board::new(files, ranks).expect("a board of 15 to 30 squares");
    let royal_movement = if dice.chance(60) { king() } else { movement(&mut dice) };
    let mut pieces = vec![Piece { royal: true, ..piece('K', royal_movement) }];
    let n_officers = 2 + dice.below(2);
    for &letter in &['A', 'B', 'C'][..n_officers] {
        pieces.push(piece(letter, movement(&mut dice)));
    }
    let n_pawns = 1 + usize::from(dice.chance(30));
    for &letter in &['P', 'S'][..n_pawns] {
        pieces.push(pawn(&mut dice, &board, letter, n_officers));
    }
    let stalemate = if dice.chance(35) { Stalemate::Loss } else { Stalemate::Draw };
    // Most wins on such boards take fewer plies than the rule of chess has, so it would never be felt.
    let n_move_rule = *dice.pick(&[None, Some(1), Some(1), Some(2), Some(3), Some(4), Some(6), Some(10)]);
    let rules = Rules { stalemate, n_move_rule };
    let made = Variant::from_parts(format!("random-{seed}"), board, pieces, rules);
    made.unwrap_or_else(|faults| panic!("seed {seed} makes no rules: {}", faults.join("; ")))
}

/// A material of `n_men` men of the variant, chosen by the seed; pawns are in it more often than not.
///
/// # Panics
/// With fewer than two men.
#[must_use]
pub fn random_material(variant: &Variant, n_men: usize, seed: u64) -> Material {
    let mut dice = Dice(seed);
    let all = Material::all(variant, n_men);
    let with_pawns: Vec<&Material> = all.iter().filter(|m| m.men().any(|man| variant.is_pawn(man))).collect();
    if dice.chance(30) && !with_pawns.is_empty() {
        return (*dice.pick(&with_pawns)).clone();
    }
    dice.pick(&all).clone()
}

fn piece(letter: char, movement: Movement) -> Piece {
    Piece { letter, name: format!("random {letter}"), movement, royal: false, pawn: None }
}

fn king() -> Movement {
    let rays = [(1, 0), (1, 1)].into_iter().flat_map(|(files, ranks)| turned(files, ranks));
    Movement::from_rays(rays.map(|step| Ray {
        step,
        limit: 1,
        quiet: true,
        capture: true,
        manner: Manner::Plain,
    }))
}

/// One to three kinds of step, each with its own length, directions and mode.
fn movement(dice: &mut Dice) -> Movement {
    let mut rays = Vec::new();
    for _ in 0..1 + dice.below(3) {
        let &(files, ranks) =
            dice.pick(&[(1, 0), (1, 0), (1, 1), (1, 1), (2, 1), (2, 1), (2, 0), (2, 2), (3, 1)]);
        let limit = *dice.pick(&[1, 1, 1, 1, 1, RIDE, RIDE, RIDE, 2, 3]);
        let (quiet, capture) = mode(dice);
        let all = turned(files, ranks);
        let some = random_steps(dice, &all);
        let steps = if dice.chance(65) { &all } else { &some };
        rays.extend(steps.iter().map(|&step| Ray { step, limit, quiet, capture, manner: Manner::Plain }));
    }
    Movement::from_rays(rays)
}

fn mode(dice: &mut Dice) -> (bool, bool) {
    *dice.pick(&[(true, true), (true, true), (true, true), (true, true), (true, false), (false, true)])
}

/// All directions to which a step can be turned and mirrored.
fn turned(files: i8, ranks: i8) -> Vec<Step> {
    let mut steps: Vec<Step> = [(files, ranks), (ranks, files)]
        .into_iter()
        .flat_map(|(f, r)| [(f, r), (-f, r), (f, -r), (-f, -r)])
        .map(|(f, r)| Step::new(f, r))
        .collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// Some of these steps, at least one.
fn random_steps(dice: &mut Dice, steps: &[Step]) -> Vec<Step> {
    let sure = dice.below(steps.len());
    let chosen = |(i, &step): (usize, &Step)| (i == sure || dice.chance(40)).then_some(step);
    steps.iter().enumerate().filter_map(chosen).collect()
}

fn pawn(dice: &mut Dice, board: &Board, letter: char, n_officers: usize) -> Piece {
    let straight = [Step::new(0, 1)];
    let diagonal = [Step::new(-1, 1), Step::new(1, 1)];
    let forward: Vec<Step> = [(0, 1), (-1, 1), (1, 1), (-1, 2), (1, 2), (2, 1), (-2, 1), (0, 2)]
        .map(|(f, r)| Step::new(f, r))
        .into();
    let mut choose = |likely: &[Step], other: &[Step]| match dice.below(10) {
        0..5 => likely.to_vec(),
        5..7 => other.to_vec(),
        _ => random_steps(dice, &forward),
    };
    let quiet = choose(&straight, &diagonal);
    let capture = choose(&diagonal, &straight);
    let ray = |quiet: bool| {
        move |&step: &Step| Ray { step, limit: 1, quiet, capture: !quiet, manner: Manner::Plain }
    };
    let movement = Movement::from_rays(quiet.iter().map(ray(true)).chain(capture.iter().map(ray(false))));

    let first_rank = usize::from(dice.chance(75));
    let promotion_rank = board.ranks() - if board.ranks() > 4 && dice.chance(20) { 2 } else { 1 };
    let ranks = |range: std::ops::Range<usize>| -> SquareSet {
        board.squares().filter(|&s| range.contains(&board.rank_of(s))).collect()
    };
    let zone = ranks(first_rank..promotion_rank);
    let from = match dice.below(10) {
        0..7 => ranks(first_rank..first_rank + 1),
        7 => zone,
        _ => SquareSet::EMPTY,
    };
    // A double step never promotes.
    let lands =
        |s| quiet.iter().all(|step| board.offset(s, step.times(2)).is_none_or(|to| zone.contains(to)));
    let double_step_from: SquareSet = from.iter().filter(|&s| lands(s)).collect();
    let sure = dice.below(n_officers);
    let promotes_to =
        (0..n_officers).filter(|&i| i == sure || dice.chance(40)).map(|i| PieceId(1 + i as u8)).collect();
    let rules = PawnRules {
        zone,
        double_step_from,
        en_passant: dice.chance(80) && !double_step_from.is_empty(),
        promotion: ranks(promotion_rank..board.ranks()),
        promotes_to,
    };
    Piece { pawn: Some(rules), ..piece(letter, movement) }
}

/// Dice with a memory of 64 bits.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014): SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; the bias of the remainder does not matter here.
    fn below(&mut self, n: usize) -> usize {
        (self.roll() % n as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.roll() % 100 < percent
    }

    fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
