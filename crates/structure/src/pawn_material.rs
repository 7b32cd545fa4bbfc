//! Names the materials that a structure's positions can have, and where the exits of each lead.
//!
//! A [`PawnMaterial`], a *kind* for short, has its own colours: what lies outside a limit is given to White
//! or to Black, so a structure never exchanges the colours. A kind without pawns lies inside every limit with
//! all that it leads to, and has the canonical colours of its table.

use crate::{Bound, Limit};
use geometry::{Square, Symmetry};
use index::{MAX_PLACED, Sizes, symmetry_group};
use probe::PositionValues;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::Arc;
use table::SliceSource;
use variant::exit::{Change, Exit, exits};
use variant::{Man, Material, PawnRules, PawnStep, Side, Variant};

/// The number of a kind among the kinds of a graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PawnMaterialId(pub(crate) u32);

/// The squares of the pawns of a slice, in the order of its kind's pawns.
pub(crate) type PawnSquares = [u8; MAX_PLACED];

/// A material and its pawns.
#[derive(Debug)]
pub(crate) struct PawnMaterial {
    pub(crate) material: Material,
    /// The men in the order of the material.
    pub(crate) men: Vec<Man>,
    /// The places among them of the pawns.
    pub(crate) pawns: Vec<usize>,
    /// Where each exit leads; filled when the graph gets there.
    pub(crate) ways: BTreeMap<Change, Way>,
    /// Its slices, each as it stands for all its images.
    pub(crate) slices: HashSet<PawnSquares>,
    /// The kinds that its slices lead to, itself not among them.
    pub(crate) reached: BTreeSet<PawnMaterialId>,
    /// Whether a move from it leaves the limit, or moves or positions of it are given away in a run.
    pub(crate) leaves: bool,
    /// Runs of two or more like pawns.
    like_pawns: Vec<std::ops::Range<usize>>,
    /// Where each symmetry but the identity takes each square.
    images: Vec<Vec<u8>>,
}

/// Where an exit leads.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// To a slice of this kind, of whose pawns each is one of the own.
    To {
        /// The kind.
        kind: PawnMaterialId,
        /// By its pawns: which of the own it is.
        pawns: Vec<u8>,
    },
    /// To a material whose table is at hand.
    Known,
    /// Outside the limit.
    Outside,
    /// To men that say by themselves how the game has ended.
    Over,
}

/// All slices that positions lead to, by kind.
#[derive(Default, Debug)]
pub struct Graph {
    pub(crate) all: Vec<PawnMaterial>,
    pub(crate) numbers: HashMap<Material, PawnMaterialId>,
    /// The tables that are at hand.
    pub(crate) using: TablesAtHand,
    /// The canonical materials of those that exits lead to.
    pub(crate) used: BTreeSet<Material>,
}

impl Graph {
    /// Whether the table of a material in its own colours is at hand; then it is used.
    pub(crate) fn uses(&mut self, variant: &Variant, own: &Material) -> bool {
        let Some(using) = &self.using else { return false };
        let canonical = table_of(variant, own);
        if self.used.contains(&canonical) {
            return true;
        }
        let has = using.has(&canonical);
        if has {
            self.used.insert(canonical);
        }
        has
    }

    /// The kind of a material in its own colours.
    pub(crate) fn of(&mut self, variant: &Variant, own: Material) -> PawnMaterialId {
        let has_pawns = own.men().any(|man| variant.is_pawn(man));
        let material = if has_pawns { own } else { own.canonical(variant) };
        if let Some(&id) = self.numbers.get(&material) {
            return id;
        }
        let id = PawnMaterialId(self.all.len() as u32);
        self.all.push(PawnMaterial::new(variant, material.clone()));
        self.numbers.insert(material, id);
        id
    }

    /// The kind of a material in its own colours, if there is one.
    pub(crate) fn find(&self, variant: &Variant, own: &Material) -> Option<PawnMaterialId> {
        let has_pawns = own.men().any(|man| variant.is_pawn(man));
        match has_pawns {
            true => self.numbers.get(own).copied(),
            false => self.numbers.get(&own.canonical(variant)).copied(),
        }
    }

    pub(crate) fn get(&self, id: PawnMaterialId) -> &PawnMaterial {
        &self.all[id.0 as usize]
    }

    /// Finds where the exits of a kind lead in runs for some bounds.
    pub(crate) fn open(&mut self, variant: &Variant, id: PawnMaterialId, limit: &Limit, bounds: &[Bound]) {
        let men = self.get(id).men.clone();
        // Without pawns no pawn is promoted any more, and the colours may have been exchanged.
        let promotions = (!self.get(id).pawns.is_empty()).then_some(limit);
        let mut leaves = bounds.iter().any(|&bound| limit.concedes_inside(bound, variant, &men));
        let mut ways = BTreeMap::new();
        for Exit { change, .. } in exits(variant, &men) {
            if ways.contains_key(&change) {
                continue;
            }
            let left = Material::from_men(change.apply(&men));
            let asks = !limit.conceded.is_empty() && variant.constant(&left).is_none();
            let has_table = asks && self.uses(variant, &left);
            let conceded = |&bound: &Bound| asks && limit.concedes(bound, variant, &men, (change, has_table));
            leaves |= bounds.iter().any(conceded);
            // What every run gives away is not followed.
            let way = match !bounds.is_empty() && bounds.iter().all(conceded) {
                true => Way::Outside,
                false => self.way(variant, &men, change, promotions.map(|limit| (limit, bounds))),
            };
            ways.insert(change, way);
        }
        let kind = &mut self.all[id.0 as usize];
        kind.ways = ways;
        kind.leaves |= leaves;
    }

    fn way(
        &mut self,
        variant: &Variant,
        men: &[Man],
        change: Change,
        limited: Option<(&Limit, &[Bound])>,
    ) -> Way {
        let left = change.apply(men);
        let material = Material::from_men(left.iter().copied());
        if variant.constant(&material).is_some() {
            return Way::Over;
        }
        if self.uses(variant, &material) {
            return Way::Known;
        }
        // What no run is to look at is not followed; without pawns no caller asks what was the first piece.
        let has_pawns = material.men().any(|man| variant.is_pawn(man));
        let is_inside = |(limit, bounds): (&Limit, &[Bound])| {
            let is_asked = |&bound: &Bound| limit.allows_under(bound, variant, &material);
            limit.allows(variant, &material) && (!has_pawns || bounds.iter().any(is_asked))
        };
        if limited.is_some_and(|limited| !is_inside(limited)) {
            return Way::Outside;
        }
        let kind = self.of(variant, material);
        // The pawns that are left keep their order: a promoted man is none.
        let is_pawn = |place: &usize| variant.is_pawn(men[*place]);
        let is_left = |place: usize| {
            change.gone >> place & 1 == 0 && change.promoted.is_none_or(|(pawn, _)| pawn != place)
        };
        let own_pawns = (0..men.len()).filter(is_pawn);
        let pawns = own_pawns.zip(0u8..).filter(|&(place, _)| is_left(place)).map(|(_, pawn)| pawn).collect();
        Way::To { kind, pawns }
    }
}

/// The canonical material of the table that men in their own colours have; that men are kept to squares
/// changes nothing of it.
pub(crate) fn table_of(variant: &Variant, own: &Material) -> Material {
    match variant.rules.kept.is_empty() {
        true => own.canonical(variant),
        false => {
            let mut plain = variant.clone();
            plain.rules.kept.clear();
            own.canonical(&plain)
        }
    }
}

impl PawnMaterial {
    fn new(variant: &Variant, material: Material) -> Self {
        let men: Vec<Man> = material.men().collect();
        let pawns: Vec<usize> = (0..men.len()).filter(|&place| variant.is_pawn(men[place])).collect();
        let board = &variant.board;
        let group = symmetry_group(variant, &material);
        let others = group.iter().filter(|&&symmetry| symmetry != Symmetry::IDENTITY);
        let image = |symmetry: &Symmetry| {
            let square = |square| symmetry.square(board, Square::from_index(square)).index() as u8;
            (0..board.n_squares()).map(square).collect()
        };
        let images = others.map(image).collect();
        let mut like_pawns = Vec::new();
        let mut start = 0;
        for like in pawns.chunk_by(|&a, &b| men[a] == men[b]) {
            if like.len() > 1 {
                like_pawns.push(start..start + like.len());
            }
            start += like.len();
        }
        PawnMaterial {
            material,
            men,
            pawns,
            ways: BTreeMap::new(),
            slices: HashSet::new(),
            reached: BTreeSet::new(),
            leaves: false,
            like_pawns,
            images,
        }
    }

    /// How many values a slice has, of the sides to move that its tables keep.
    pub(crate) fn slice_values(&self, variant: &Variant, sizes: &mut Sizes<'_>) -> u64 {
        let n_sides = if self.pawns.is_empty() && self.material.is_one_sided(variant) { 1 } else { 2 };
        n_sides * sizes.size(&self.material).slice_len
    }

    /// How many men are no pawns.
    pub(crate) fn n_mobile(&self) -> usize {
        self.men.len() - self.pawns.len()
    }

    /// The squares of the pawns as they stand for all their images, like pawns in order.
    pub(crate) fn canonical(&self, squares: &PawnSquares) -> PawnSquares {
        let n = self.pawns.len();
        let sorted = |mut squares: PawnSquares| {
            self.like_pawns.iter().for_each(|run| squares[run.clone()].sort_unstable());
            squares
        };
        let mut smallest = sorted(*squares);
        for image in &self.images {
            let mut squares = smallest;
            squares[..n].iter_mut().for_each(|square| *square = image[usize::from(*square)]);
            smallest = smallest.min(sorted(squares));
        }
        smallest
    }
}

/// The moves of pawns of a kind that all runs of a structure give away.
///
/// The mobile men may stand anywhere, so a move counts if they could stand so that it is possible. These are
/// the exits that the solver reads for a slice (`solve::successor`): a slice that is missing here would be
/// taken for illegal there, and `verify` would find it. What every run gives away no run reads.
#[derive(Default, Debug)]
pub(crate) struct GivenSteps {
    all: Vec<PawnStep>,
    /// Those that are not read as captures en passant either: the winner's are played as others are.
    replies: Vec<PawnStep>,
}

impl GivenSteps {
    /// Those of these men in runs for these bounds.
    pub(crate) fn new(variant: &Variant, men: &[Man], limit: &Limit, bounds: &[Bound]) -> Self {
        let left_out: Vec<_> = bounds.iter().map(|&bound| limit.left_out(bound, variant, men)).collect();
        let first = left_out.first().map_or(&[][..], |first| &first.pawn_moves);
        let by_all = |step: &&PawnStep| left_out.iter().all(|run| run.pawn_moves.contains(step));
        let all: Vec<PawnStep> = first.iter().filter(by_all).copied().collect();
        let is_losers = |(man, ..): &&PawnStep| left_out.iter().all(|run| run.loser == Some(man.side));
        let replies = all.iter().filter(is_losers).copied().collect();
        GivenSteps { all, replies }
    }
}

/// What a slice's exits are found with; the same for all slices of a kind.
pub(crate) struct Steps<'a> {
    variant: &'a Variant,
    kind: &'a PawnMaterial,
    given: &'a GivenSteps,
    /// By pawn: its rules and its movement's rays.
    pawns: Vec<(Man, PawnRules, Vec<piece::Ray>)>,
    /// By side: the places of the mobile men who can be captured, one of each like.
    victims: [Vec<usize>; 2],
    /// By side: whether it has a mobile man who can capture.
    captures: [bool; 2],
    /// The exits that do not move a pawn.
    standing: Vec<Change>,
    explodes: bool,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(variant: &'a Variant, kind: &'a PawnMaterial, given: &'a GivenSteps) -> Self {
        let explodes = variant.rules.blast.is_some();
        let men = &kind.men;
        let pawn = |&place: &usize| {
            let man = men[place];
            let rules = variant.pawn_rules(man).expect("a pawn has pawn rules");
            (man, rules, variant.movement(man).rays().to_vec())
        };
        let can_be_taken = |place: &usize| !variant.is_royal_among(men[*place], men.iter().copied());
        let is_mobile = |place: &usize| !variant.is_pawn(men[*place]);
        let is_first = |place: &usize| !men[..*place].contains(&men[*place]);
        let victims = Side::BOTH.map(|side| {
            let own = (0..men.len()).filter(|&place| men[place].side == side);
            own.filter(can_be_taken).filter(is_mobile).filter(is_first).collect()
        });
        let captures = Side::BOTH.map(|side| {
            let own = (0..men.len()).filter(|&place| men[place].side == side).filter(is_mobile);
            own.into_iter().any(|place| !(explodes && variant.is_royal(men[place])))
        });
        let taken = |change: &Change| change.promoted.is_none();
        let standing = if explodes { kind.ways.keys().copied().filter(taken).collect() } else { Vec::new() };
        Steps {
            variant,
            kind,
            given,
            pawns: kind.pawns.iter().map(pawn).collect(),
            victims,
            captures,
            standing,
            explodes,
        }
    }

    /// Calls `visit` with every exit of the slice: what becomes of the men, and the squares of its pawns
    /// once they have moved; those of pawns that are gone are meaningless.
    pub(crate) fn for_each(&self, squares: &PawnSquares, visit: &mut impl FnMut(Change, &PawnSquares)) {
        for &change in &self.standing {
            visit(change, squares);
        }
        if !self.explodes {
            for side in Side::BOTH.into_iter().filter(|side| self.captures[side.index()]) {
                for &victim in &self.victims[(!side).index()] {
                    visit(Change::new(Some(victim), None), squares);
                }
                for (pawn, (man, ..)) in self.pawns.iter().enumerate() {
                    if man.side != side {
                        visit(Change::new(Some(self.kind.pawns[pawn]), None), squares);
                    }
                }
            }
        }
        let n = self.pawns.len();
        let on = |square: Square| (0..n).find(|&pawn| usize::from(squares[pawn]) == square.index());
        for (pawn, (man, rules, rays)) in self.pawns.iter().enumerate() {
            let board = &self.variant.board;
            let from = Square::from_index(squares[pawn].into());
            let is_given = |target| self.given.all.contains(&(*man, from, target));
            for ray in rays {
                let Some(target) = board.offset(from, ray.step) else { continue };
                let there = on(target);
                if ray.quiet && there.is_none() {
                    if !is_given(target) {
                        self.arrive((pawn, rules), target, None, squares, visit);
                    }
                    let twice =
                        board.offset(target, ray.step).filter(|_| rules.double_step_from.contains(from));
                    if let Some(twice) = twice.filter(|&to| on(to).is_none() && !is_given(to)) {
                        self.arrive((pawn, rules), twice, None, squares, visit);
                        if rules.en_passant && rules.zone.contains(twice) && !self.explodes {
                            self.answers(pawn, target, &with(squares, pawn, twice), visit);
                        }
                    }
                }
                if ray.capture && !self.explodes && !is_given(target) {
                    match there {
                        Some(victim) if self.pawns[victim].0.side != man.side => {
                            let victim = Some(self.kind.pawns[victim]);
                            self.arrive((pawn, rules), target, victim, squares, visit);
                        }
                        Some(_) => {}
                        None => {
                            for &victim in &self.victims[(!man.side).index()] {
                                self.arrive((pawn, rules), target, Some(victim), squares, visit);
                            }
                        }
                    }
                }
            }
        }
    }

    /// A pawn arrives on a square, with a capture or without.
    fn arrive(
        &self,
        (pawn, rules): (usize, &PawnRules),
        target: Square,
        victim: Option<usize>,
        squares: &PawnSquares,
        visit: &mut impl FnMut(Change, &PawnSquares),
    ) {
        for choice in rules.choices(target) {
            match choice {
                Some(piece) => visit(Change::new(victim, Some((self.kind.pawns[pawn], piece))), squares),
                None => visit(Change::new(victim, None), &with(squares, pawn, target)),
            }
        }
    }

    /// The captures en passant that answer a double step over `passed`.
    fn answers(
        &self,
        victim: usize,
        passed: Square,
        moved: &PawnSquares,
        visit: &mut impl FnMut(Change, &PawnSquares),
    ) {
        let side = self.pawns[victim].0.side;
        let others = self.pawns.iter().enumerate().filter(|(_, (man, ..))| man.side != side);
        for (pawn, (man, rules, rays)) in others {
            let from = Square::from_index(moved[pawn].into());
            let board = &self.variant.board;
            let is_given = self.given.replies.contains(&(*man, from, passed));
            if !is_given && rays.iter().any(|ray| ray.capture && board.offset(from, ray.step) == Some(passed))
            {
                self.arrive((pawn, rules), passed, Some(self.kind.pawns[victim]), moved, visit);
            }
        }
    }
}

fn with(squares: &PawnSquares, pawn: usize, square: Square) -> PawnSquares {
    let mut squares = *squares;
    squares[pawn] = square.index() as u8;
    squares
}

/// Tables of whole materials, of the structure's metric.
///
/// Such a material is no part of the structure: its slices are not followed, a limit does not apply to it,
/// and its values are exact. The file of a structure names these materials, and does not hold their values.
///
/// As [`PositionValues`] it has the values of their positions.
pub trait TableSource: PositionValues {
    /// Whether the table of a canonical material is there, with both sides to move.
    fn has(&self, material: &Material) -> bool;

    /// The table of a canonical material that is there, to be read slice by slice.
    ///
    /// # Errors
    /// It cannot be read.
    fn slices(&self, material: &Material) -> io::Result<Arc<dyn SliceSource>>;
}

/// The tables that a structure may use, if there are any.
pub type TablesAtHand = Option<Arc<dyn TableSource>>;
