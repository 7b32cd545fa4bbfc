//! Makes random games for testing, the same for the same seed on every machine for ever.
//!
//! Men leap, ride, ride so far and no farther, are stopped on the way, jump over others, go in circles, move
//! otherwise than they capture, have no way back; royal men may be anything; pawns step and capture where
//! they like, as long as it is forward. Boards have 9 to 30 squares, some of them holes or their files
//! joined, and games without capture or pawn move are drawn after a few moves, or never. Rules that chess
//! does not have come one kind at a time or many together, and castling is added to a game that is there.
//!
//! Rules that contradict each other are drawn again with the same dice, so every seed makes a game.

use geometry::{Board, Square, SquareSet, Step};
use piece::{Movement, RIDE, Ray, RayPath};
use position::{Position, RuleBook};
use variant::{
    Arrival, Blast, Castling, Extinction, Goal, Man, Material, Pass, PawnRules, Piece, PieceId, Rules, Side,
    Stalemate, Variant, Verdict,
};

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
        add_rules(&mut dice, kinds, &board, &mut pieces, &mut rules);
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

/// A legal position of `n_men` men of the variant, at least `n_pawns` of them pawns if it has as many beside
/// royal men, chosen by the seed; none if a thousand throws of the dice make none.
#[must_use]
pub fn random_position(variant: &Variant, n_men: usize, n_pawns: usize, seed: u64) -> Option<Position> {
    let book = RuleBook::new(variant);
    let mut dice = Dice::new(seed);
    let common = |is_pawn: bool| -> Vec<PieceId> {
        let pieces = variant.piece_ids().filter(|&id| !variant.piece(id).royal);
        pieces.filter(|&id| variant.piece(id).pawn.is_some() == is_pawn).collect()
    };
    let (pawns, officers) = (common(true), common(false));
    let royals: Vec<PieceId> = variant.royals().collect();
    (0..1000).find_map(|_| {
        let mut men = Vec::new();
        for side in Side::BOTH {
            for _ in 0..variant.n_royals(side) {
                let piece = if let [piece] = royals[..] { piece } else { *dice.pick(&royals) };
                men.push(Man { side, piece });
            }
        }
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
    let royal_movement = if dice.chance(60) { king() } else { movement(dice, kinds) };
    let mut pieces = vec![Piece { royal: true, ..piece('K', royal_movement) }];
    let n_officers = 2 + dice.below(2);
    for &letter in &['A', 'B', 'C'][..n_officers] {
        pieces.push(piece(letter, movement(dice, kinds)));
    }
    let n_pawns = 1 + usize::from(dice.chance(30));
    for &letter in &['P', 'S'][..n_pawns] {
        pieces.push(pawn(dice, kinds, board, letter, n_officers));
    }
    let stalemate = if dice.chance(35) { Stalemate::Loss } else { Stalemate::Draw };
    // Most wins on such boards take fewer plies than the rule of chess has, so it would never be felt.
    let n_move_rule = *dice.pick(&[None, Some(1), Some(1), Some(2), Some(3), Some(4), Some(6), Some(10)]);
    (pieces, Rules { stalemate, n_move_rule, ..Rules::default() })
}

/// A kind of rule that chess does not have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Stalemate is won by the side without a move, or by that with fewer men.
    Stalemate,
    /// Who is mated wins.
    Checkmate,
    /// Who can capture must.
    MustCapture,
    /// No move may give check.
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
fn add_rules(dice: &mut Dice, kinds: &[Rule], board: &Board, pieces: &mut [Piece], rules: &mut Rules) {
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
            Rule::Blast => rules.blast = Some(blast(dice, pieces)),
            Rule::Extinction => rules.extinction = Some(extinction(dice, pieces)),
            Rule::Goal => rules.goal = Some(goal(dice, board, pieces)),
            Rule::NoRoyal => pieces[0].royal = false,
        }
    }
    if pieces[0].royal {
        // Explosions would be rare with either of these.
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
        goal.arrival = Arrival::AtOnce;
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

/// Captures that explode, beside pawns and some other men.
fn blast(dice: &mut Dice, pieces: &[Piece]) -> Blast {
    let chosen = some(dice, pieces, 30);
    let is_immune = |id: &PieceId| pieces[id.0 as usize].pawn.is_some() || chosen.contains(id);
    Blast { immune: (0..pieces.len() as u8).map(PieceId).filter(is_immune).collect() }
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
    let arrival = if is_answered { Arrival::Answered } else { Arrival::AtOnce };
    Goal { kinds, places: [vec![white], vec![black]], n_men: 1, arrival }
}

/// The game with castling that belongs to this seed; none if its board or its men have no place for it.
///
/// King and rooks begin and end on any files that make sense; in some games they begin anywhere.
#[must_use]
pub fn random_castling(variant: &Variant, seed: u64) -> Option<Variant> {
    let mut dice = Dice::new(seed ^ 0xCA57);
    let board = &variant.board;
    let files = board.files();
    let officers = variant.piece_ids().skip(1).filter(|&id| variant.piece(id).pawn.is_none());
    let officers: Vec<PieceId> = officers.collect();
    let castling = |dice: &mut Dice| {
        let king_file = 1 + dice.below(files - 2);
        let rook_files = [king_file + 1 + dice.below(files - 1 - king_file), dice.below(king_file)];
        let king_targets = [
            king_file + 1 + dice.below(rook_files[0] - king_file),
            rook_files[1] + dice.below(king_file - rook_files[1]),
        ];
        let mut rooks: Vec<PieceId> = officers.iter().copied().filter(|_| dice.chance(60)).collect();
        rooks.truncate(2);
        Castling {
            king: PieceId(0),
            rooks,
            rank: 0,
            king_file,
            rook_files,
            king_targets,
            any_files: files <= 10 && dice.chance(30),
        }
    };
    (0..20).find_map(|_| {
        let rules = Rules { castling: Some(castling(&mut dice)), ..variant.rules.clone() };
        let name = format!("{}-castling", variant.name);
        Variant::from_parts(name, *board, variant.pieces.clone(), rules).ok()
    })
}

/// A pawn that promotes to some of the officers, which come right behind the royal piece.
fn pawn(dice: &mut Dice, kinds: Kinds, board: &Board, letter: char, n_officers: usize) -> Piece {
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
        move |&step: &Step| Ray { step, limit: 1, quiet, capture: !quiet, path: RayPath::Plain }
    };
    let movement = Movement::from_rays(quiet.iter().map(ray(true)).chain(capture.iter().map(ray(false))));

    let first_rank = usize::from(dice.chance(75));
    let promotion_rank = board.ranks() - if board.ranks() > 4 && dice.chance(20) { 2 } else { 1 };
    let ranks = |range: std::ops::Range<usize>| -> SquareSet {
        board.squares().filter(|&s| range.contains(&board.rank_of(s))).collect()
    };
    let mut promotion = ranks(promotion_rank..board.ranks());
    let mut zone = ranks(first_rank..promotion_rank);
    if kinds == Kinds::All && dice.chance(15) {
        // On the other squares of the last ranks it stays what it is, perhaps stuck.
        let stays: SquareSet = promotion.iter().filter(|_| dice.chance(40)).collect();
        (zone, promotion) = (zone.union(stays), promotion.without(stays));
    }
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
        promotion,
        promotes_to,
        black: None,
    };
    Piece { pawn: Some(rules), ..piece(letter, movement) }
}

/// What may come up in a random game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kinds {
    /// Leaps and rides on whole rectangles.
    Plain,
    /// Everything.
    All,
}

/// One step to any side.
fn king() -> Movement {
    let rays = [(1, 0), (1, 1)].into_iter().flat_map(|(files, ranks)| turned(files, ranks));
    Movement::from_rays(rays.map(|step| Ray {
        step,
        limit: 1,
        quiet: true,
        capture: true,
        path: RayPath::Plain,
    }))
}

/// How a man moves.
fn movement(dice: &mut Dice, kinds: Kinds) -> Movement {
    let mut rays = Vec::new();
    for _ in 0..1 + dice.below(3) {
        if kinds == Kinds::All && dice.chance(50) {
            special(dice, &mut rays);
            continue;
        }
        let &(files, ranks) =
            dice.pick(&[(1, 0), (1, 0), (1, 1), (1, 1), (2, 1), (2, 1), (2, 0), (2, 2), (3, 1)]);
        let limit = *dice.pick(&[1, 1, 1, 1, 1, RIDE, RIDE, RIDE, 2, 3]);
        add(dice, &mut rays, (files, ranks), limit, &[RayPath::Plain]);
    }
    Movement::from_rays(rays)
}

/// Adds rays that need more than empty squares after each step, or that go in circles.
fn special(dice: &mut Dice, rays: &mut Vec<Ray>) {
    match dice.below(10) {
        0..3 => {
            let step = *dice.pick(&[(2, 1), (2, 1), (2, 0), (2, 2), (3, 0), (3, 1), (3, 2)]);
            let limit = *dice.pick(&[1, 1, 1, RIDE, 2]);
            add(dice, rays, step, limit, &[RayPath::Lame]);
        }
        3..8 => {
            let path = *dice.pick(&[RayPath::Cannon, RayPath::Grasshopper]);
            let step = *dice.pick(&[(1, 0), (1, 0), (1, 1), (1, 1), (2, 1), (2, 0)]);
            let limit = *dice.pick(&[RIDE, RIDE, RIDE, 2, 3, 4]);
            add(dice, rays, step, limit, &[path]);
        }
        _ => {
            let step = *dice.pick(&[(2, 1), (2, 1), (3, 1)]);
            let limit = *dice.pick(&[RIDE, RIDE, 2, 3, 5]);
            let both = [RayPath::CircularLeft, RayPath::CircularRight];
            let paths = *dice.pick(&[&both[..], &both[..1], &both[1..]]);
            add(dice, rays, step, limit, paths);
        }
    }
}

/// Adds the rays of one kind of step: in all directions or some, to move, to capture or both.
fn add(dice: &mut Dice, rays: &mut Vec<Ray>, (files, ranks): (i8, i8), limit: u8, paths: &[RayPath]) {
    let (quiet, capture) = mode(dice);
    let all = turned(files, ranks);
    let some = random_steps(dice, &all);
    let steps = if dice.chance(65) { &all } else { &some };
    for &path in paths {
        rays.extend(steps.iter().map(|&step| Ray { step, limit, quiet, capture, path }));
    }
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

/// A piece that moves like this.
fn piece(letter: char, movement: Movement) -> Piece {
    Piece { letter, name: format!("random {letter}"), movement, royal: false, pawn: None, regions: [None; 2] }
}

/// Dice with a memory of 64 bits.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014): SplitMix64.
///
/// They are written down here because a generator from elsewhere may change with its version, and a seed
/// that once found a fault must find it again.
pub struct Dice(u64);

impl Dice {
    /// The dice that begin with this seed.
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`; the bias of the remainder does not matter here.
    pub fn below(&mut self, n: usize) -> usize {
        (self.roll() % n as u64) as usize
    }

    /// True so often in a hundred times.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.roll() % 100 < percent
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
