//! Names a choice of men and rights to castle, and numbers the placements of the men that are free to move.

use geometry::Square;
use position::{CastlingRight, CastlingRights, Position, RuleBook};
use std::hash::{Hash, Hasher};
use variant::exit::{Change, exits};
use variant::{Castling, Man, Material, PieceId, Side, Variant, Wing};

/// The men of a position and who of them may castle: what one [`crate::RightsTable`] is of.
///
/// A key in *canonical* colours has a table; it serves the key with the colours exchanged as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RightsKey {
    /// The men that hold a right, with their squares, by square.
    frozen: Vec<(Man, Square)>,
    /// The men that hold no right, White's first, by declared order.
    free: Vec<Man>,
    rights: CastlingRights,
    /// By side: the checks that it has given, where they are counted.
    given_checks: [u8; 2],
}

/// The most free men of which a table is made.
pub(crate) const MAX_FREE: usize = 6;

impl Hash for RightsKey {
    /// The rights follow from who stands still.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.frozen.hash(state);
        self.free.hash(state);
        self.given_checks.hash(state);
    }
}

impl RightsKey {
    /// The key of a position; none if no side may castle in it.
    #[must_use]
    pub fn new(position: &Position) -> Option<Self> {
        let rights = position.castling();
        if rights.is_empty() {
            return None;
        }
        let holders = rights.squares();
        let (mut frozen, mut free) = (Vec::new(), Vec::new());
        for (man, square) in position.men() {
            match holders.contains(square) {
                true => frozen.push((man, square)),
                false => free.push(man),
            }
        }
        frozen.sort_unstable_by_key(|&(_, square)| square);
        free.sort_unstable();
        Some(RightsKey { free, frozen, rights, given_checks: position.given_checks() })
    }

    /// Every canonical key of a canonical material: each choice of rights, with king and rooks where they
    /// begin, those with the fewest rights first.
    #[must_use]
    pub fn all(variant: &Variant, material: &Material) -> Vec<Self> {
        let Some(rule) = &variant.rules.castling else { return Vec::new() };
        let [white, black] = Side::BOTH.map(|side| holders(variant, rule, material, side));
        let mut keys = Vec::new();
        for white in &white {
            for black in &black {
                let mut frozen: Vec<(Man, Square)> = white.men.iter().chain(&black.men).copied().collect();
                if frozen.is_empty() {
                    continue;
                }
                let mut free: Vec<Man> = material.men().collect();
                for (man, _) in &frozen {
                    let place =
                        free.iter().position(|other| other == man).expect("the material has these men");
                    free.remove(place);
                }
                free.sort_unstable();
                frozen.sort_unstable_by_key(|&(_, square)| square);
                let rights = white.rights.iter().chain(&black.rights).copied().collect();
                keys.push(RightsKey { free, frozen, rights, given_checks: material.given_checks() });
            }
        }
        keys.retain(|key| key.is_canonical(variant));
        keys.sort_by_key(|key| key.rights.iter().count());
        keys
    }

    /// This key as the other player sees it.
    #[must_use]
    pub fn swapped(&self, variant: &Variant) -> Self {
        let man = |man: Man| Man { side: !man.side, ..man };
        let square = |square| variant.swap_colours(square);
        let right = |right: CastlingRight| CastlingRight {
            side: !right.side,
            wing: right.wing,
            king: square(right.king),
            rook: square(right.rook),
        };
        let mut free: Vec<Man> = self.free.iter().map(|&own| man(own)).collect();
        free.sort_unstable();
        let mut frozen: Vec<_> = self.frozen.iter().map(|&(own, at)| (man(own), square(at))).collect();
        frozen.sort_unstable_by_key(|&(_, square)| square);
        let [white, black] = self.given_checks;
        let (rights, given_checks) = (self.rights.iter().map(right).collect(), [black, white]);
        RightsKey { free, frozen, rights, given_checks }
    }

    /// Whether the colours are those of the key's table.
    #[must_use]
    pub fn is_canonical(&self, variant: &Variant) -> bool {
        let material = self.material();
        material.is_canonical(variant)
            && (!material.is_one_sided(variant) || self.frozen <= self.swapped(variant).frozen)
    }

    /// Whether exchanging the colours leads to the same key, so that each of its positions is there twice:
    /// once with either side to move.
    #[must_use]
    pub fn is_own_image(&self, variant: &Variant) -> bool {
        variant.is_colour_symmetric() && self.swapped(variant) == *self
    }

    /// The rights.
    #[must_use]
    pub fn rights(&self) -> CastlingRights {
        self.rights
    }

    /// The rights as the castling field of a FEN has them.
    #[must_use]
    pub fn field(&self, book: &RuleBook) -> String {
        let frozen = Position::from_men(self.frozen.iter().copied(), Side::White);
        let fen = frozen.map(|position| position.with_castling(self.rights).to_fen(book));
        fen.and_then(|fen| fen.split(' ').nth(2).map(str::to_owned)).unwrap_or_default()
    }

    /// The men with rights and their squares, and the other men, as in `Ke1Rh1 Bk`; with `-` if there are no
    /// others, and with the checks that are left, `Ke1Rh1 Bk+2+3`, if they are counted. Different keys have
    /// different names.
    #[must_use]
    pub fn name(&self, variant: &Variant) -> String {
        let frozen = self.frozen.iter();
        let frozen =
            frozen.map(|&(man, square)| format!("{}{}", variant.fen_letter(man), variant.board.name(square)));
        let free: String = self.free.iter().map(|&man| variant.fen_letter(man)).collect();
        let free = if free.is_empty() { "-".into() } else { free };
        let checks = variant.checks_left_text(self.given_checks);
        format!("{} {free}{checks}", frozen.collect::<String>())
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        Material::from_men(self.men()).with_given_checks(self.given_checks)
    }

    /// How many men there are.
    #[must_use]
    pub fn n_men(&self) -> usize {
        self.free.len() + self.frozen.len()
    }

    /// All men.
    pub fn men(&self) -> impl Iterator<Item = Man> + '_ {
        self.free.iter().copied().chain(self.frozen.iter().map(|&(man, _)| man))
    }

    /// How many numbers its table has.
    #[must_use]
    pub fn n_numbers(&self, variant: &Variant) -> u64 {
        2 * placements_of(variant, self.free.len())
    }

    /// How many free men a key has that is needed for this one, at most: with one right two men stand still.
    pub(crate) fn most_free(&self) -> usize {
        self.n_men() - 2
    }

    /// The number of a position of this key, or of its image with the colours exchanged.
    ///
    /// The squares of the free men are the digits, the last man's the lowest, and the side to move comes
    /// before them all. Like men have their squares in order, so that they have one number.
    pub(crate) fn number(&self, variant: &Variant, position: &Position, is_swapped: bool) -> usize {
        let n_squares = variant.board.n_squares();
        let holders = position.castling().squares();
        let seen = |(man, square): (Man, Square)| match is_swapped {
            true => (Man { side: !man.side, ..man }, variant.swap_colours(square)),
            false => (man, square),
        };
        let mut free = [(Man { side: Side::White, piece: PieceId(0) }, Square::from_index(0)); MAX_FREE];
        let mut n_free = 0;
        for found in position.men().filter(|&(_, square)| !holders.contains(square)).map(seen) {
            let mut place = n_free;
            while place > 0 && free[place - 1] > found {
                free[place] = free[place - 1];
                place -= 1;
            }
            free[place] = found;
            n_free += 1;
        }
        let stm = if is_swapped { !position.stm() } else { position.stm() };
        free[..n_free].iter().fold(stm.index(), |number, (_, square)| number * n_squares + square.index())
    }

    /// The position with this number; none where men share a square, stand where they cannot, or where
    /// another number stands for it.
    pub(crate) fn position(&self, variant: &Variant, number: usize) -> Option<Position> {
        let n_squares = variant.board.n_squares();
        let mut position = Position::empty(Side::White);
        for &(man, square) in &self.frozen {
            position.put(man, square);
        }
        let mut rest = number;
        let mut last: Option<(Man, Square)> = None;
        for &man in self.free.iter().rev() {
            let square = Square::from_index(rest % n_squares);
            rest /= n_squares;
            let is_ordered = last.is_none_or(|last| (man, square) < last);
            let fits = can_stand(variant, man, square) && position.man_on(square).is_none();
            if !is_ordered || !fits {
                return None;
            }
            position.put(man, square);
            last = Some((man, square));
        }
        position.set_stm(*Side::BOTH.get(rest)?);
        Some(position.with_castling(self.rights).with_given_checks(self.given_checks))
    }

    /// The keys that a move may lead to and that are solved first: with a right less, and those behind the
    /// exits of the material, by which tables are planned; those without a right are left out. What several
    /// of these steps lead to is found from the keys below.
    pub(crate) fn below(&self, variant: &Variant) -> Vec<RightsKey> {
        let holders = self.rights.iter().flat_map(|right| [right.king, right.rook]);
        let mut below: Vec<RightsKey> = holders
            .filter_map(|square| self.left(variant, self.rights.without(square), Change::new(None, None)))
            .collect();
        let men: Vec<Man> = self.men().collect();
        for change in exits(variant, &men).into_iter().map(|exit| exit.change) {
            // The men that hold a right come last.
            let gone = self.frozen.iter().enumerate().filter(|(i, _)| change.is_gone(self.free.len() + i));
            let rights = gone.fold(self.rights, |rights, (_, &(_, square))| rights.without(square));
            below.extend(self.left(variant, rights, change));
        }
        below
    }

    /// The key of the men that a change leaves and of these rights; none if no side has a right, or if a
    /// check has won.
    fn left(&self, variant: &Variant, rights: CastlingRights, change: Change) -> Option<RightsKey> {
        let men: Vec<Man> = self.men().collect();
        let given_checks = change.material(&men, self.given_checks).given_checks();
        if rights.is_empty() || variant.winner_by_checks(given_checks).is_some() {
            return None;
        }
        let holders = rights.squares();
        let is_holder = |&&(_, square): &&(Man, Square)| holders.contains(square);
        let frozen: Vec<(Man, Square)> = self.frozen.iter().filter(is_holder).copied().collect();
        // A man that holds a right was neither taken nor promoted.
        let mut free = change.apply(&men);
        for (man, _) in &frozen {
            let place = free.iter().position(|other| other == man).expect("who holds a right is still there");
            free.remove(place);
        }
        free.sort_unstable();
        Some(RightsKey { free, frozen, rights, given_checks })
    }
}

/// Whether a man may stand on a square.
fn can_stand(variant: &Variant, man: Man, square: Square) -> bool {
    variant.zone(man).contains(square)
}

/// In how many ways `n_free` free men are put on squares.
pub(crate) fn placements_of(variant: &Variant, n_free: usize) -> u64 {
    let n_squares = variant.board.n_squares() as u64;
    (0..n_free).fold(1_u64, |n, _| n.saturating_mul(n_squares))
}

/// The men of a side that stand still for some rights.
#[derive(Default)]
struct Holders {
    men: Vec<(Man, Square)>,
    rights: Vec<CastlingRight>,
}

/// Every choice of rights of one side, none of them first.
fn holders(variant: &Variant, rule: &Castling, material: &Material, side: Side) -> Vec<Holders> {
    let board = &variant.board;
    let own = material.side(side);
    let rank = rule.rank_of(board, side);
    let on_rank = || (0..board.files()).map(|file| board.square(file, rank)).filter(|&s| board.has(s));
    let mut all = vec![Holders::default()];
    if !own.contains(&rule.king) {
        return all;
    }
    for king in on_rank().filter(|&s| rule.king_square(board, side).is_none_or(|square| square == s)) {
        let rooks = |wing: Wing| {
            let is_there = move |square: &Square| match rule.rook_square(board, side, wing) {
                Some(fixed) => *square == fixed,
                None if wing == Wing::Kingside => *square > king,
                None => *square < king,
            };
            let kinds = |square| rule.rooks.iter().map(move |&piece| Some((Man { side, piece }, square)));
            [None].into_iter().chain(on_rank().filter(is_there).flat_map(kinds)).collect::<Vec<_>>()
        };
        let [kingside, queenside] = Wing::BOTH.map(rooks);
        for (&kingside, &queenside) in queenside.iter().flat_map(|q| kingside.iter().map(move |k| (k, q))) {
            let of_wings = [(Wing::Kingside, kingside), (Wing::Queenside, queenside)];
            let rooks: Vec<_> = of_wings.iter().filter_map(|&(wing, rook)| Some((wing, rook?))).collect();
            let n_of = |piece| rooks.iter().filter(|(_, (man, _))| man.piece == piece).count();
            let is_had = |piece: &PieceId| n_of(*piece) <= own.iter().filter(|&other| other == piece).count();
            if rooks.is_empty() || !rule.rooks.iter().all(is_had) {
                continue;
            }
            let mut men = vec![(Man { side, piece: rule.king }, king)];
            men.extend(rooks.iter().map(|&(_, rook)| rook));
            let right = |&(wing, (_, rook)): &(Wing, (Man, Square))| CastlingRight { side, wing, king, rook };
            all.push(Holders { men, rights: rooks.iter().map(right).collect() });
        }
    }
    all
}
