//! Finds who wins in a slice whose only mobile men are two royal men: in chess, two kings and pawns.
//!
//! A structure has thousands of such slices, and each is small: 4,096 placements a side to move. What the
//! general way costs beside the values (lists of events by ply, flags of blocks and rows, values of moves
//! placement by placement) is many times what the values cost. Here a slice is a few sets of as many words as
//! the board has squares, and everything is done to whole sets:
//!
//! ```text
//!   pawn moves   the codes behind a move become sets by who wins, and moves are joined by ORs
//!   captures     so do the rows and columns of ghosts
//!   the pass     W and L grow together until neither does: under `wdl` no ply is asked for
//! ```
//!
//! [`Duel`] compiles what all such slices have in common, [`DuelRoom`] holds the sets of one slice, and a
//! thread uses them again for the next. [`Verdicts`] are the codes of other slices, read as sets.
//!
//! The general way stays for everything else: other metrics, more men, men that move otherwise than they
//! capture, and rules that ask for sets of their own. The values are the same.

mod pawn;

use crate::ground::{Ground, is_one_row};
use crate::law::Law;
use crate::motion::{Attack, Motion};
use crate::pass::Longest;
use crate::pool::{Pool, Room};
use crate::successor::Views;
use crate::word::SolverWord;
use geometry::Square;
use index::Layout;
use kernel::{
    Classes, Distinct, LanePermutation, Word, join_bytes, lane_moves, permute_word, row_moves, split_bytes,
};
use std::mem;
use table::{Ply, Scale, Value, ValueRows};
use variant::{Metric, Pass, Side, Variant, Verdict};

impl<W: SolverWord> Duel<W> {
    /// Writes who wins in a slice: the wins of the attackers and the losses of their opponents, by side to
    /// move. `longest` has the longest values that there are, and gets longer ones.
    pub(crate) fn solve(
        &self,
        slice: &DuelSlice<'_, W>,
        attackers: &[Side],
        rooms: &Pool<DuelRoom<W>>,
        codes: [Option<&mut [u8]>; 2],
        longest: &mut [Longest; 2],
    ) {
        let ground = slice.ground;
        let mut room = rooms.lend();
        let room = &mut *room;
        room.reset(ground.n_words());
        ground.fill_all_placements(&mut room.placements);
        for side in Side::BOTH {
            self.fill_attacked(ground, side, None, &mut room.attacked[side.index()]);
        }
        for stm in Side::BOTH {
            let legal = room.placements.iter().zip(&room.attacked[(!stm).index()]);
            let legal = legal.map(|(&placements, &illegal)| placements & !illegal);
            room.legal[stm.index()].iter_mut().zip(legal).for_each(|(slot, legal)| *slot = legal);
        }
        for side in Side::BOTH {
            self.gather_pawn_moves(slice, side, room);
            self.gather_captures(slice, side, room);
        }
        for &attacker in attackers {
            solve_pass(self, ground, attacker, room);
            let (winner, loser) = (attacker.index(), (!attacker).index());
            let has_any = |words: &[W]| words.iter().any(|&word| word != W::ZERO);
            if has_any(&room.won[winner]) {
                longest[winner] = longest[winner].with(Value::Win(Ply(1)));
            }
            if has_any(&room.lost[loser]) {
                longest[loser] = longest[loser].with(Value::Loss(Ply(0)));
            }
        }
        let row_len = ground.lane_len();
        for (stm, codes) in Side::BOTH.into_iter().zip(codes) {
            let Some(codes) = codes else { continue };
            let stm = stm.index();
            let (won, lost, stuck) = (&room.won[stm], &room.lost[stm], &room.stuck[stm]);
            let drawn = &mut room.sum;
            for (place, drawn) in drawn.iter_mut().enumerate() {
                *drawn = room.legal[stm][place] & !(won[place] | lost[place] | stuck[place]);
            }
            join_bytes(codes, row_len, drawn, stuck, lost, won);
        }
    }
}

/// What the slices of a material with two royal men and pawns have in common.
#[derive(Debug)]
pub(crate) struct Duel<W> {
    /// By side: its royal man, who is its only mobile man.
    royal: [usize; 2],
    /// By side: where the other side's royal man attacks its own, if no man can stand between what any man
    /// attacks and him.
    touch: Option<[Vec<W>; 2]>,
    images: Images<W>,
}

/// What a slice of them is solved from.
pub(crate) struct DuelSlice<'a, W> {
    pub(crate) variant: &'a Variant,
    pub(crate) ground: &'a Ground<'a, W>,
    pub(crate) views: &'a Views<'a>,
    pub(crate) scale: &'a Scale,
}

impl<W: SolverWord> Duel<W> {
    /// The duel of a layout under a metric; none if its slices ask for the general way.
    pub(crate) fn new(layout: &Layout, motion: &Motion<W>, law: &Law<W>, metric: Metric) -> Option<Self> {
        let is_plain = !law.must_capture && law.pass == Pass::Never && law.checking && law.blast.is_none();
        let is_plain = is_plain && law.mated == Verdict::Loss && !law.may_win_stuck() && !law.ends_early();
        if metric != Metric::Wdl || !is_plain || law.check_wins.is_some() || !is_one_row(layout) {
            return None;
        }
        let royal_of = |side: Side| {
            let mobile = |man: &usize| !motion.men[*man].pawn && motion.men[*man].man.side == side;
            let man = (0..motion.men.len()).find(mobile).map(|man| (man, &motion.men[man]))?;
            let moves_as_it_captures = man.1.walks.quiet.is_empty() && man.1.walks.capture.is_empty();
            (man.1.royal && moves_as_it_captures && man.1.region == layout.board().all()).then_some(man.0)
        };
        let royal = [royal_of(Side::White)?, royal_of(Side::Black)?];
        let mut duel = Duel { royal, touch: None, images: Images::new(layout) };
        let mut attacks = motion.men.iter().flat_map(|man| man.attacks_on.iter().flatten());
        if attacks.all(|attack| attack.between.is_nothing()) {
            duel.touch = Some(Side::BOTH.map(|side| {
                let mut plane = vec![W::ZERO; layout.n_squares()];
                duel.add_touch(layout, motion, side, W::ZERO, &mut plane);
                plane
            }));
        }
        Some(duel)
    }

    /// Sets a plane to the placements in which a side's royal man is attacked, without one of the pawns if
    /// that is gone; where men share a square it has no meaning.
    fn fill_attacked(&self, ground: &Ground<'_, W>, side: Side, gone: Option<usize>, plane: &mut [W]) {
        let (layout, motion) = (ground.layout, ground.motion);
        match &self.touch {
            Some(touch) => plane.copy_from_slice(&touch[side.index()]),
            None => {
                plane.fill(W::ZERO);
                self.add_touch(layout, motion, side, ground.fixed, plane);
            }
        }
        let is_row = ground.row_man() == Some(self.royal[side.index()]);
        let mut everywhere = W::ZERO;
        for (&pawn, &from) in layout.pawns().iter().zip(layout.pawn_squares(ground.slice)) {
            if motion.men[pawn].man.side == side || Some(pawn) == gone {
                continue;
            }
            for attack in &motion.men[pawn].attacks_from[from.index()] {
                let bit = W::bit(attack.square.into());
                match attack.between {
                    between if is_row => plane[usize::from(attack.square)] |= between.mask(ground.fixed),
                    between if between.is_nothing() => everywhere |= bit,
                    between => {
                        for (x, word) in plane.iter_mut().enumerate() {
                            *word |= bit & W::when(between.allows(ground.fixed | W::bit(x)));
                        }
                    }
                }
            }
        }
        plane.iter_mut().for_each(|word| *word |= everywhere);
    }

    /// Adds where the other side's royal man attacks that of `side`, the pawns being on `taken`.
    fn add_touch(&self, layout: &Layout, motion: &Motion<W>, side: Side, taken: W, plane: &mut [W]) {
        let (own, other) = (self.royal[side.index()], &motion.men[self.royal[(!side).index()]]);
        // The row man is the one in the frame.
        let attacks = if layout.frame() == [own] { &other.attacks_on } else { &other.attacks_from };
        let is_open = |attack: &&Attack<W>| attack.between.allows(taken);
        for (word, attacks) in plane.iter_mut().zip(attacks) {
            let open = attacks.iter().filter(is_open);
            *word = open.fold(*word, |word, attack| word | W::bit(attack.square.into()));
        }
    }
}

/// Fills in where the attacker wins and the other side loses, and where that side has no move and has not
/// lost.
///
/// ```text
///   L = open ∩ placements from which D has no move to an escape
///   W = A's pawn wins ∪ unmove_A(L ∪ ghosts that lose for D), the positions among them
///   escape = positions with A to move that are not in W ∪ ghosts of D's captures that hold
/// ```
///
/// W and L begin with what is decided at once and grow in turn; when neither does, they are what is won in
/// any number of plies and no more. `open` has the positions with D to move but stalemates and those with a
/// pawn move that does not lose.
fn solve_pass<W: SolverWord>(duel: &Duel<W>, ground: &Ground<'_, W>, attacker: Side, room: &mut DuelRoom<W>) {
    let (a, d) = (attacker.index(), (!attacker).index());
    let n = ground.n_words();
    let loses_stuck = ground.law.stuck[d] == Some(Verdict::Loss);
    let DuelRoom { attacked, legal, pawns, ghosts, won, lost, stuck, open, escape, sum, origins, .. } = room;
    let (won, lost, stuck) = (&mut won[a], &mut lost[d], &mut stuck[d]);
    let (own_pawns, own_ghosts) = (&pawns[a], &ghosts[a]);
    let (pawns, ghosts) = (&pawns[d], &ghosts[d]);
    // All that the defender may move to says where he has no move.
    escape.iter_mut().zip(&legal[a]).zip(&ghosts.any).for_each(|((e, &l), &g)| *e = l | g);
    take_back(duel, ground, !attacker, escape, origins);
    for i in 0..n {
        let none = legal[d][i] & !(pawns.any[i] | origins[i]);
        lost[i] = if loses_stuck { none } else { none & attacked[d][i] };
        stuck[i] = none & !lost[i];
        open[i] = legal[d][i] & !(pawns.held[i] | stuck[i]);
    }
    loop {
        sum.iter_mut().zip(&*lost).zip(&own_ghosts.won).for_each(|((s, &l), &g)| *s = l | g);
        take_back(duel, ground, attacker, sum, origins);
        for i in 0..n {
            won[i] = legal[a][i] & (own_pawns.won[i] | origins[i]);
            escape[i] = (legal[a][i] & !won[i]) | ghosts.held[i];
        }
        take_back(duel, ground, !attacker, escape, origins);
        let mut has_grown = false;
        for i in 0..n {
            let found = open[i] & !origins[i];
            has_grown |= found != lost[i];
            lost[i] = found;
        }
        if !has_grown {
            return;
        }
    }
}

/// Sets `origins` to where a move of a side's royal man into `targets` comes from.
fn take_back<W: SolverWord>(
    duel: &Duel<W>,
    ground: &Ground<'_, W>,
    side: Side,
    targets: &[W],
    origins: &mut [W],
) {
    let man = duel.royal[side.index()];
    let walks = &ground.motion.men[man].walks.any;
    origins.fill(W::ZERO);
    let (row_len, taken) = (ground.row_len(), [ground.fixed]);
    if ground.row_man() == Some(man) {
        let files = ground.layout.board().files();
        row_moves(origins, targets, &[true], &taken, row_len, files, walks);
    } else {
        lane_moves(origins, targets, &[true], &taken, row_len, walks);
    }
}

/// The sets of a slice, a word for each square of the row man.
#[derive(Default, Debug)]
pub(crate) struct DuelRoom<W: Word> {
    placements: Vec<W>,
    /// By side: where its royal man is attacked.
    attacked: [Vec<W>; 2],
    /// By side to move: the positions.
    legal: [Vec<W>; 2],
    /// By the side that moves: what its pawn moves lead to.
    pawns: [Moves<W>; 2],
    /// By the side that captures: the ghosts of what its royal man's captures lead to.
    ghosts: [Moves<W>; 2],
    /// By side to move: what passes have found.
    won: [Vec<W>; 2],
    lost: [Vec<W>; 2],
    /// Draws without a legal move.
    stuck: [Vec<W>; 2],
    /// Positions that may still become lost, and what they may escape to.
    open: Vec<W>,
    escape: Vec<W>,
    /// What is put together before moves are taken back, and what they come from.
    sum: Vec<W>,
    origins: Vec<W>,
    /// What is behind a move, and behind the answers en passant to it.
    behind: Verdicts<W>,
    answers: Verdicts<W>,
    answer: Verdicts<W>,
    /// A set as a table has it.
    image: Vec<W>,
    distinct: Distinct<W>,
}

/// What moves of a side lead to: sets of the placements from which they go, or of ghosts.
#[derive(Default, Debug)]
struct Moves<W> {
    /// A move is legal.
    any: Vec<W>,
    /// One wins for the side that moves.
    won: Vec<W>,
    /// One is legal and does not lose.
    held: Vec<W>,
}

impl<W: Word> Moves<W> {
    fn reset(&mut self, n: usize) {
        [&mut self.any, &mut self.won, &mut self.held].into_iter().for_each(|set| empty(set, n));
    }
}

impl<W: Word> DuelRoom<W> {
    /// Makes room for a slice of `n` words, with nothing in the sets that are added to.
    fn reset(&mut self, n: usize) {
        let DuelRoom { placements, attacked, legal, open, escape, sum, origins, image, .. } = self;
        let written = [placements, open, escape, sum, origins, image].into_iter();
        written.chain(attacked).chain(legal).for_each(|set| set.resize(n, W::ZERO));
        [&mut self.behind, &mut self.answers, &mut self.answer].into_iter().for_each(|sets| sets.resize(n));
        self.pawns.iter_mut().chain(&mut self.ghosts).for_each(|moves| moves.reset(n));
        let found = self.won.iter_mut().chain(&mut self.lost).chain(&mut self.stuck);
        found.for_each(|set| empty(set, n));
    }
}

impl<W: Word> Room for DuelRoom<W> {}

/// Makes a set of `n` words empty.
fn empty<W: Word>(set: &mut Vec<W>, n: usize) {
    set.clear();
    set.resize(n, W::ZERO);
}

/// What placements are for the side to move, as sets; those in none of them are drawn.
#[derive(Default, Debug)]
struct Verdicts<W> {
    illegal: Vec<W>,
    /// Drawn without a legal move.
    stuck: Vec<W>,
    lost: Vec<W>,
    won: Vec<W>,
}

/// Like [`Verdicts`], of the placements of one word.
#[derive(Clone, Copy, Debug)]
struct WordVerdicts<W> {
    illegal: W,
    stuck: W,
    lost: W,
    won: W,
}

/// How slices are read that stand in a table as their images.
#[derive(Debug)]
struct Images<W>(Vec<Image<W>>);

#[derive(Debug)]
struct Image<W> {
    /// The images of the squares.
    map: Vec<u8>,
    /// What makes of the bits of an image those of the word.
    lane: LanePermutation<W>,
}

impl<W: SolverWord> Images<W> {
    fn new(layout: &Layout) -> Self {
        let image = |map: &[u8]| {
            let mut undone = vec![0; map.len()];
            (0..map.len()).for_each(|at| undone[usize::from(map[at])] = at as u8);
            Image { map: map.to_vec(), lane: LanePermutation::from_map(&undone) }
        };
        let maps = layout.group().iter().map(|&g| &layout.permutation(g)[..layout.n_squares()]);
        Images(maps.map(image).collect())
    }

    /// Reads the rows of `squares`, the row man's; of others what was there before may be left. `room` has
    /// as many words.
    fn read(&self, rows: &ValueRows<'_>, squares: W, sets: &mut Verdicts<W>, room: &mut Vec<W>) {
        let whole = rows.whole().and_then(|(codes, map)| Some((codes, self.image_of(map)?)));
        let Some((codes, image)) = whole else {
            for at in squares.bits() {
                sets.set(at, word_verdicts::<W>(rows, Square::from_index(at)));
            }
            return;
        };
        let Verdicts { illegal, stuck, lost, won } = sets;
        let classes = Classes { zero: illegal, two: stuck, odd: lost, even: won };
        split_bytes(codes, image.map.len(), classes);
        if !matches!(image.lane, LanePermutation::Identity) {
            for set in [illegal, stuck, lost, won] {
                for (word, &at) in room.iter_mut().zip(&image.map) {
                    *word = permute_word(set[usize::from(at)], &image.lane);
                }
                mem::swap(set, room);
            }
        }
    }

    fn image_of(&self, map: &[u8]) -> Option<&Image<W>> {
        self.0.iter().find(|image| image.map == map)
    }
}

impl<W: Word> Verdicts<W> {
    fn resize(&mut self, n: usize) {
        let Verdicts { illegal, stuck, lost, won } = self;
        [illegal, stuck, lost, won].into_iter().for_each(|set| set.resize(n, W::ZERO));
    }

    fn word(&self, at: usize) -> WordVerdicts<W> {
        let Verdicts { illegal, stuck, lost, won } = self;
        WordVerdicts { illegal: illegal[at], stuck: stuck[at], lost: lost[at], won: won[at] }
    }

    fn set(&mut self, at: usize, word: WordVerdicts<W>) {
        let WordVerdicts { illegal, stuck, lost, won } = word;
        (self.illegal[at], self.stuck[at], self.lost[at], self.won[at]) = (illegal, stuck, lost, won);
    }
}

/// Reads the row of one square of the row man, if there is one.
fn word_verdicts<W: SolverWord>(rows: &ValueRows<'_>, row_square: Square) -> WordVerdicts<W> {
    let mut word = WordVerdicts { illegal: W::ZERO, stuck: W::ZERO, lost: W::ZERO, won: W::ZERO };
    let codes = W::codes(rows, row_square);
    let codes = W::borrowed(&codes);
    if let Some(bytes) = codes.alternating() {
        let WordVerdicts { illegal, stuck, lost, won } = &mut word;
        let [zero, two, odd, even] = [illegal, stuck, lost, won].map(std::slice::from_mut);
        split_bytes(bytes, W::BITS, Classes { zero, two, odd, even });
        return word;
    }
    for at in 0..W::BITS {
        let set = match codes.value(at) {
            Value::Illegal => &mut word.illegal,
            Value::Stalemate => &mut word.stuck,
            Value::Loss(_) => &mut word.lost,
            Value::Win(_) => &mut word.won,
            Value::Draw => continue,
        };
        *set |= W::bit(at);
    }
    word
}
