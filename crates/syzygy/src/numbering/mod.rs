//! Numbers placements as the format does: an arrangement of the men, cut into groups, the leading one folded
//! by the board's symmetries.

pub(crate) mod leading_group;
#[cfg(feature = "parallel")]
pub(crate) mod placement;

use crate::material::{Family, PAWN, PieceCode, has_pawns_on_both_sides, kind, leading_pawn};
use leading_group::{LeadingGroup, MAX_LIKE, MAX_PAWNS, NONE, choose};

/// No group stands here.
pub(crate) const NO_ORDER: u8 = 15;

/// The men of a sub-table in order, and where their digits count.
///
/// The men are cut into groups: the leading ones, the other side's pawns, then runs of like men. A
/// placement's number has a digit for each group; a file says in which order the digits count, and a writer
/// may choose any.
///
/// ```text
///   KQvKR, men K k Q r, order 1:    groups  Kk Q | r      number = squares of Kk Q × 61 + square of r
///                       order 0:                          number = square of r × 31,332 + squares of Kk Q
/// ```
///
/// A lone man has as many squares as earlier groups leave free, like men have that many choices; squares
/// that are taken are left out of the count.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    men: Vec<PieceCode>,
    orders: [u8; 2],
    lead: LeadingGroup,
    groups: Vec<Group>,
    size: u64,
}

/// Men whose squares are numbered together.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: usize,
    n_men: usize,
    /// What one more in this digit adds to the number.
    factor: u64,
    /// How many placements the group has.
    size: u64,
    /// Pawns of the other side are counted from the second rank.
    skipped: u8,
}

/// What leads men without pawns who stand in this order; none if the first of them cannot lead. How many men
/// are without a like one decides, so that a reader knows it from a file's name.
fn lead_without_pawns(family: Family, men: &[PieceCode]) -> Option<LeadingGroup> {
    let n_like = |man: PieceCode| men.iter().filter(|&&other| other == man).count();
    let are_lone = |n: usize| men[..n].iter().all(|&man| n_like(man) == 1);
    match men.iter().filter(|&&man| n_like(man) == 1).count() {
        0 | 1 => {
            let least = men.iter().map(|&man| n_like(man)).filter(|&n| n > 1).min()?;
            let leads = n_like(men[0]) == least && least <= MAX_LIKE;
            (leads && men[..least].iter().all(|&man| man == men[0])).then_some(LeadingGroup::Like(least))
        }
        2 => are_lone(2).then_some(if family.kings_may_touch() {
            LeadingGroup::Two
        } else {
            LeadingGroup::Kings
        }),
        _ => are_lone(3).then_some(LeadingGroup::Three),
    }
}

impl Arrangement {
    /// The arrangement of these men of a game; none if the men cannot stand in this order, or a group
    /// nowhere. `file` is that of the leading pawn, if there are pawns.
    pub(crate) fn new(family: Family, men: &[PieceCode], orders: [u8; 2], file: usize) -> Option<Self> {
        if !family.n_men().contains(&men.len()) {
            return None;
        }
        let lead = match leading_pawn(men) {
            Some(pawn) => {
                let n = men.iter().take_while(|&&man| man == pawn).count();
                (1..=MAX_PAWNS).contains(&n).then_some(LeadingGroup::Pawns { n, file: file & 3 })?
            }
            None => lead_without_pawns(family, men)?,
        };
        let mut groups = vec![Group { first: 0, n_men: lead.n_men(), factor: 0, size: 0, skipped: 0 }];
        let mut first = lead.n_men();
        while first < men.len() {
            let man = men[first];
            if men[..first].contains(&man) {
                return None;
            }
            let n_men = men[first..].iter().take_while(|&&other| other == man).count();
            let is_pawn = kind(man) == PAWN;
            // Pawns stand directly behind the leading ones.
            if is_pawn && groups.len() > 1 {
                return None;
            }
            groups.push(Group { first, n_men, factor: 0, size: 0, skipped: if is_pawn { 8 } else { 0 } });
            first += n_men;
        }
        let mut arrangement = Arrangement { men: men.to_vec(), orders, lead, groups, size: 0 };
        arrangement.set_factors().then_some(arrangement)
    }

    /// Works out what each digit counts; false if a group stands nowhere.
    fn set_factors(&mut self) -> bool {
        let both = has_pawns_on_both_sides(&self.men);
        let n_groups = self.groups.len();
        let [order, order2] = self.orders.map(usize::from);
        let is_place = |order: usize| order < n_groups;
        if !is_place(order) || (both && (!is_place(order2) || order2 == order)) {
            return false;
        }
        let pawns = if both { self.groups[0].n_men + self.groups[1].n_men } else { self.groups[0].n_men };
        let (mut free, mut next, mut size) = (64 - pawns as u64, if both { 2 } else { 1 }, 1u64);
        for place in 0..n_groups {
            let group = if place == order {
                self.groups[0].size = u64::from(self.lead.size());
                0
            } else if both && place == order2 {
                self.groups[1].size = choose(48 - self.groups[0].n_men as u64, self.groups[1].n_men as u64);
                1
            } else {
                self.groups[next].size = choose(free, self.groups[next].n_men as u64);
                free -= self.groups[next].n_men as u64;
                next += 1;
                next - 1
            };
            self.groups[group].factor = size;
            let Some(product) = size.checked_mul(self.groups[group].size) else { return false };
            size = product;
        }
        self.size = size;
        true
    }

    /// The men in their order.
    pub(crate) fn men(&self) -> &[PieceCode] {
        &self.men
    }

    /// Where the leading men count, and the other side's pawns.
    #[cfg(feature = "parallel")]
    pub(crate) fn orders(&self) -> [u8; 2] {
        self.orders
    }

    /// Whether it numbers all placements: of men with pawns there is one for each file of the leading one.
    #[cfg(feature = "parallel")]
    pub(crate) fn is_alone(&self) -> bool {
        !matches!(self.lead, LeadingGroup::Pawns { .. })
    }

    /// How many numbers there are.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The number of the men on these squares, in the order of [`Self::men`]; none where the kings touch.
    /// The squares are mirrored on the way.
    #[inline]
    pub(crate) fn encode(&self, squares: &mut [u8]) -> Option<u64> {
        let lead = self.lead.encode(squares);
        if lead == NONE {
            return None;
        }
        let mut number = u64::from(lead) * self.groups[0].factor;
        for group in &self.groups[1..] {
            let (earlier, rest) = squares.split_at_mut(group.first);
            let own = &mut rest[..group.n_men];
            own.sort_unstable();
            let mut digit = 0;
            for (i, &square) in own.iter().enumerate() {
                let n_taken = earlier.iter().filter(|&&e| e < square).count() as u64;
                let left = u64::from(square).saturating_sub(n_taken + u64::from(group.skipped));
                digit += choose(left, i as u64 + 1);
            }
            number += digit * group.factor;
        }
        Some(number)
    }
}
