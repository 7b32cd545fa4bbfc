//! Makes random games for testing, the same for the same seed on every machine for ever.
//!
//! Men leap, ride, ride so far and no farther, are stopped on the way, jump over others, go in circles, move
//! otherwise than they capture, have no way back; royal men may be anything; pawns step and capture where
//! they like, as long as it is forward. Boards have 9 to 30 squares, some of them holes or their files
//! joined, and games without capture or pawn move are drawn after a few moves, or never.
//!
//! Rules that contradict each other are drawn again with the same dice, so every seed makes a game.

mod castling;
mod dice;
mod movement;
mod pawn;
mod rule;

pub use castling::random_castling;
pub use dice::Dice;
use geometry::{Board, Square, SquareSet};
use movement::{Kinds, piece};
use position::{Position, RuleBook};
pub use rule::Rule;
use variant::{Man, Material, Piece, PieceId, Rules, Side, Stalemate, Variant};

/// Files and ranks of the boards of plain games.
const PLAIN_BOARDS: &[(usize, usize)] =
    &[(3, 6), (4, 4), (4, 5), (4, 6), (5, 4), (5, 5), (5, 6), (3, 5), (6, 4)];

/// Files and ranks of all boards: long ones make long rides, small ones full boards.
const BOARDS: &[(usize, usize)] = &[
    (3, 3),
    (3, 4),
    (3, 5),
    (3, 6),
    (3, 7),
    (3, 10),
    (4, 3),
    (4, 4),
    (4, 4),
    (4, 5),
    (4, 5),
    (4, 6),
    (4, 7),
    (5, 3),
    (5, 4),
    (5, 4),
    (5, 5),
    (5, 5),
    (5, 6),
    (6, 3),
    (6, 4),
    (6, 5),
    (7, 3),
    (7, 4),
    (9, 3),
    (10, 3),
];

/// The fewest squares that holes leave.
const LEAST_SQUARES: usize = 8;

/// The rules that belong to this seed.
#[must_use]
pub fn random_variant(seed: u64) -> Variant {
    let mut dice = Dice::new(seed);
    loop {
        let board = board(&mut dice);
        if let Ok(variant) = variant(&mut dice, seed, Kinds::All, board) {
            return variant;
        }
    }
}

/// The rules that belong to this seed, with others of these kinds than those of chess: with that one if it is
/// one, else with any choice of them that makes sense.
///
/// # Panics
/// If no such rules are found, which happens where the kinds contradict each other.
#[must_use]
pub fn random_ruled_variant(seed: u64, kinds: &[Rule]) -> Variant {
    let mut dice = Dice::new(seed);
    let mut attempts = (0..10_000).map(|_| {
        let board = board(&mut dice);
        let (mut pieces, mut rules) = parts(&mut dice, Kinds::All, &board);
        rule::add(&mut dice, kinds, &board, &mut pieces, &mut rules);
        let variant = Variant::from_parts(format!("random-{seed}"), board, pieces, rules).ok()?;
        // Where the men alone have ended every game there is nothing to compute.
        let is_played = |n| Material::all(&variant, n).iter().any(|material| !variant.is_over(material));
        (2..=4).all(is_played).then_some(variant)
    });
    attempts.find_map(|variant| variant).unwrap_or_else(|| panic!("no dice make rules of {kinds:?}"))
}

/// The rules that belong to this seed on a given board.
///
/// # Panics
/// If the board is such that no pawn fits on it.
#[must_use]
pub fn random_variant_on(board: Board, seed: u64) -> Variant {
    let mut dice = Dice::new(seed);
    let mut attempts = (0..1000).map(|_| variant(&mut dice, seed, Kinds::All, board));
    attempts.find_map(Result::ok).unwrap_or_else(|| panic!("a thousand dice make no rules on {board:?}"))
}

/// Rules with leaps and rides only, on boards without holes or joined files, that belong to this seed.
#[must_use]
pub fn random_plain_variant(seed: u64) -> Variant {
    let mut dice = Dice::new(seed);
    let &(files, ranks) = dice.pick(PLAIN_BOARDS);
    let board = Board::new(files, ranks).expect("a board of 15 to 30 squares");
    let made = variant(&mut dice, seed, Kinds::Plain, board);
    made.unwrap_or_else(|faults| panic!("seed {seed} makes no rules: {}", faults.join("; ")))
}

/// A material of `n_men` men of the variant, chosen by the seed; pawns are in it more often than not.
///
/// # Panics
/// With fewer than two men.
#[must_use]
pub fn random_material(variant: &Variant, n_men: usize, seed: u64) -> Material {
    let mut dice = Dice::new(seed);
    let all: Vec<Material> =
        Material::all(variant, n_men).into_iter().filter(|material| !variant.is_over(material)).collect();
    let with_pawns: Vec<&Material> = all.iter().filter(|m| m.men().any(|man| variant.is_pawn(man))).collect();
    if dice.chance(30) && !with_pawns.is_empty() {
        return (*dice.pick(&with_pawns)).clone();
    }
    dice.pick(&all).clone()
}

/// A legal position of `n_men` men of the variant, at least `n_pawns` of them pawns if it has so many beside
/// royal men, chosen by the seed; none if a thousand throws of the dice make none.
#[must_use]
pub fn random_position(variant: &Variant, n_men: usize, n_pawns: usize, seed: u64) -> Option<Position> {
    let book = RuleBook::new(variant);
    let mut dice = Dice::new(seed);
    let common = |is_pawn: bool| -> Vec<PieceId> {
        let pieces = variant.piece_ids().filter(|&id| Some(id) != variant.royal());
        pieces.filter(|&id| variant.piece(id).pawn.is_some() == is_pawn).collect()
    };
    let (pawns, officers) = (common(true), common(false));
    (0..1000).find_map(|_| {
        let royal = variant.royal().map(|piece| Side::BOTH.map(|side| Man { side, piece }));
        let mut men: Vec<Man> = royal.into_iter().flatten().collect();
        let n_royal = men.len();
        while men.len() < n_men {
            let is_pawn = men.len() < n_royal + n_pawns || dice.chance(40);
            let piece = *dice.pick(if is_pawn { &pawns } else { &officers });
            men.push(Man { side: *dice.pick(&Side::BOTH), piece });
        }
        let is_over = variant.is_over(&Material::from_men(men.iter().copied()));
        let mut position = Position::empty(*dice.pick(&Side::BOTH));
        for man in men {
            let is_free = |square: &Square| position.man_on(*square).is_none();
            let free: Vec<Square> = variant.zone(man).iter().filter(is_free).collect();
            if free.is_empty() {
                return None;
            }
            position.put(man, *dice.pick(&free));
        }
        (!is_over && position.is_legal(&book)).then_some(position)
    })
}

/// A board: most are rectangles, a quarter have holes, a quarter joined files.
fn board(dice: &mut Dice) -> Board {
    let &(files, ranks) = dice.pick(BOARDS);
    let rectangle = Board::new(files, ranks).expect("a board of 9 to 30 squares");
    let board = if dice.chance(25) { rectangle.with_joined_files() } else { rectangle };
    if !dice.chance(25) {
        return board;
    }
    // Both players see the same board, so a hole is there twice; a board of scattered squares would be no
    // game.
    let n_pairs = 1 + dice.below(rectangle.n_squares() / 8);
    let mut holes = SquareSet::EMPTY;
    for _ in 0..n_pairs {
        let hole = Square::from_index(dice.below(rectangle.n_squares()));
        holes.insert(hole);
        holes.insert(rectangle.mirror_ranks(hole));
    }
    let is_enough = rectangle.n_squares() - holes.n_squares() >= LEAST_SQUARES;
    if is_enough { board.with_holes(holes).expect("squares are left") } else { board }
}

/// The next rules that the dice make on a board, or what is wrong with them.
fn variant(dice: &mut Dice, seed: u64, kinds: Kinds, board: Board) -> Result<Variant, Vec<String>> {
    let (pieces, rules) = parts(dice, kinds, &board);
    Variant::from_parts(format!("random-{seed}"), board, pieces, rules)
}

/// The next men and rules for a board: the royal one first, then officers, then pawns.
fn parts(dice: &mut Dice, kinds: Kinds, board: &Board) -> (Vec<Piece>, Rules) {
    let royal_movement = if dice.chance(60) { movement::king() } else { movement::movement(dice, kinds) };
    let mut pieces = vec![Piece { royal: true, ..piece('K', royal_movement) }];
    let n_officers = 2 + dice.below(2);
    for &letter in &['A', 'B', 'C'][..n_officers] {
        pieces.push(piece(letter, movement::movement(dice, kinds)));
    }
    let n_pawns = 1 + usize::from(dice.chance(30));
    for &letter in &['P', 'S'][..n_pawns] {
        pieces.push(pawn::pawn(dice, kinds, board, letter, n_officers));
    }
    let stalemate = if dice.chance(35) { Stalemate::Loss } else { Stalemate::Draw };
    // Most wins on such boards take fewer plies than the rule of chess has, so it would never be felt.
    let n_move_rule = *dice.pick(&[None, Some(1), Some(1), Some(2), Some(3), Some(4), Some(6), Some(10)]);
    (pieces, Rules { stalemate, n_move_rule, ..Rules::default() })
}
