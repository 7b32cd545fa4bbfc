//! Names the materials that a structure's positions can have, and where each one's exits lead.
//!
//! A [`PawnMaterial`], a *kind* for short, has its own colours: what lies outside a limit is given to White
//! or to Black, so a structure never exchanges the colours. A kind without pawns lies inside every limit with
//! all that it leads to, and has the canonical colours of its table.

use crate::table_source::TablesAtHand;
use crate::{Bound, Limit};
use geometry::{Square, Symmetry};
use index::{MAX_PLACED, Size, symmetry_group};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use variant::exit::{Change, Exit, exits};
use variant::{Man, Material, Variant};

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
    /// Whether moves or positions of it are given away in a run.
    pub(crate) concedes: bool,
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

/// The kinds of a graph.
#[derive(Default, Debug)]
pub(crate) struct PawnMaterials {
    pub(crate) all: Vec<PawnMaterial>,
    numbers: HashMap<Material, PawnMaterialId>,
    /// The tables that are at hand.
    pub(crate) using: TablesAtHand,
    /// The canonical materials of those that exits lead to.
    pub(crate) used: BTreeSet<Material>,
}

impl PawnMaterials {
    /// No kinds yet; these tables are at hand.
    pub(crate) fn new(using: TablesAtHand) -> Self {
        PawnMaterials { using, ..PawnMaterials::default() }
    }

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
        // Without pawns nobody is promoted any more, and the colours may have been exchanged.
        let promotions = (!self.get(id).pawns.is_empty()).then_some(limit);
        let mut concedes = bounds.iter().any(|&bound| limit.concedes_inside(bound, variant, &men));
        let mut ways = BTreeMap::new();
        for Exit { change, .. } in exits(variant, &men) {
            if ways.contains_key(&change) {
                continue;
            }
            let left = Material::from_men(change.apply(&men));
            let asks = !limit.conceded.is_empty() && variant.constant(&left).is_none();
            let has_table = asks && self.uses(variant, &left);
            let conceded = |&bound: &Bound| asks && limit.concedes(bound, variant, &men, (change, has_table));
            concedes |= bounds.iter().any(conceded);
            // What every run gives away is not followed.
            let way = match !bounds.is_empty() && bounds.iter().all(conceded) {
                true => Way::Outside,
                false => self.way(variant, &men, change, promotions.map(|limit| (limit, bounds))),
            };
            ways.insert(change, way);
        }
        let kind = &mut self.all[id.0 as usize];
        (kind.ways, kind.concedes) = (ways, concedes);
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
        // What no run is to look at is not followed; without pawns nobody asks what was the first piece.
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
        PawnMaterial { material, men, pawns, ways: BTreeMap::new(), concedes: false, like_pawns, images }
    }

    /// How many values a slice has, both sides to move.
    pub(crate) fn slice_values(&self, variant: &Variant) -> u64 {
        self.n_sides(variant) * Size::new(variant, &self.material).slice_len
    }

    /// How many sides to move its tables keep.
    pub(crate) fn n_sides(&self, variant: &Variant) -> u64 {
        if self.pawns.is_empty() && self.material.is_one_sided(variant) { 1 } else { 2 }
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
