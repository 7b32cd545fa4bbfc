//! Says what a run looks at: how many men may have been promoted, where men may stand, which moves and
//! positions are given away.
//!
//! Who can promote without bound soon has two queens a side, and most of the work goes into positions that
//! decide nothing. What lies outside a limit is not solved but given to one side, so that a run finds a
//! bound of each value: see [`Bound`].
//!
//! Positions of few men are cheap whatever has been promoted, and they decide much: there a limit may end.

mod concession;

use concession::Conceded;
pub use concession::{Bound, Concession, ConcessionError};
use geometry::SquareSet;
use position::{Position, RuleBook};
use serde::{Deserialize, Serialize};
use std::fmt;
use table::LeftOut;
use variant::exit::Change;
use variant::{Man, Material, PawnStep, PieceId, Side, Variant};

/// How many promoted men there may be, where men may stand, what is given away.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Limit {
    /// By side: how many promoted men it may have; none for any number.
    pub each: [Option<u8>; 2],
    /// How many there may be of both sides together; none for any number.
    pub in_all: Option<u8>,
    /// Whether the side for which a bound is sought promotes to the first piece of the rules only. The other
    /// side has all its choices, or it would be given every promotion to another piece.
    pub first_only: bool,
    /// After how many plies, none or one, the side for which a bound is sought moves its pawns only to
    /// capture or to be promoted; none if it moves them as it likes, as the other side does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_pawns_stand: Option<u8>,
    /// Positions of at most this many men lie inside, whatever has been promoted.
    #[serde(default)]
    pub few_men: u8,
    /// How many pawns of both sides together may have been captured; none for any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured: Option<u8>,
    /// Men that are kept to squares, of each kind at most once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Kept>,
    /// Moves and positions that are given to a side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conceded: Vec<Concession>,
    /// Whether new queens lie outside and are given to no side: where one wins was proved in a slice of her
    /// own, which is not kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_race: bool,
    /// `w` or `b` where only that is asked whether this side loses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) holder: Option<char>,
    /// By side: the men that are there from the beginning, as the letters of pieces.
    pub(crate) beginning: [String; 2],
}

impl Limit {
    /// No limit.
    #[must_use]
    pub fn none() -> Self {
        Limit {
            each: [None; 2],
            in_all: None,
            first_only: false,
            own_pawns_stand: None,
            few_men: 0,
            captured: None,
            kept: Vec::new(),
            conceded: Vec::new(),
            is_race: false,
            holder: None,
            beginning: Default::default(),
        }
    }

    /// This many promoted men of both sides together.
    #[must_use]
    pub fn in_all(n: u8) -> Self {
        Limit { in_all: Some(n), ..Limit::none() }
    }

    /// Pawns and kings, and each new queen by herself.
    #[must_use]
    pub(crate) fn race() -> Self {
        Limit { is_race: true, ..Limit::in_all(0) }
    }

    /// This many promoted men of White and of Black.
    #[must_use]
    pub fn each(white: u8, black: u8) -> Self {
        Limit { each: [Some(white), Some(black)], ..Limit::none() }
    }

    /// This limit; as many men may be promoted as in another limit.
    #[must_use]
    pub fn with_promoted(self, other: &Limit) -> Self {
        Limit { each: other.each, in_all: other.in_all, ..self }
    }

    /// This limit; the side for which a bound is sought promotes to the first piece of the rules only.
    #[must_use]
    pub fn with_first_only(self) -> Self {
        Limit { first_only: true, ..self }
    }

    /// This limit; after none or one ply the side for which a bound is sought moves its pawns only
    /// to capture or to be promoted.
    ///
    /// Who holds with pieces seldom has to move a pawn, and most slices are those to which own pawns lead.
    #[must_use]
    pub fn with_own_pawns_standing(self, n_plies: u8) -> Self {
        Limit { own_pawns_stand: Some(n_plies), ..self }
    }

    /// Calls `visit` with a position that is asked about, and with those behind its moves to whose slices
    /// no slice leads: a right to capture en passant lasts one ply, and no slice has it; pawns that stand
    /// after the first move may make it.
    pub(crate) fn for_each_entered(
        &self,
        bounds: &[Bound],
        book: &RuleBook,
        root: &Position,
        visit: &mut dyn FnMut(&Position),
    ) {
        let stands_next = self.own_pawns_stand == Some(1)
            && bounds.iter().any(|bound| bound.winner_outside() == Some(!root.stm()));
        visit(root);
        root.for_each_successor(book, |mv, next| {
            if mv.is_en_passant() || stands_next && mv.zeroing && !mv.is_conversion() {
                visit(next);
                next.for_each_successor(book, |reply, next| {
                    if reply.is_en_passant() {
                        visit(next);
                    }
                });
            }
        });
    }

    /// Whether slices have the values inside this limit that they have inside another one: after which ply
    /// own pawns stand says only which slices there are.
    pub(crate) fn is_alike(&self, other: &Limit) -> bool {
        let plain =
            |limit: &Limit| Limit { own_pawns_stand: limit.own_pawns_stand.map(|_| 0), ..limit.clone() };
        plain(self) == plain(other)
    }

    /// This limit; positions of at most this many men lie inside, whatever has been promoted.
    #[must_use]
    pub fn with_few_men(self, few_men: u8) -> Self {
        Limit { few_men, ..self }
    }

    /// This limit; this many pawns may be captured.
    ///
    /// Chains hold without losing much, and positions in which most pawns are gone are most of the slices.
    #[must_use]
    pub fn with_captured(self, n: u8) -> Self {
        Limit { captured: Some(n), ..self }
    }

    /// Whether the rules let captures be counted and pawns stand.
    #[must_use]
    pub fn may_count_captures(variant: &Variant) -> bool {
        concession::may_give_captures(variant)
    }

    /// This limit; these men are kept to squares.
    #[must_use]
    pub fn with_kept(self, kept: Vec<Kept>) -> Self {
        Limit { kept, ..self }
    }

    /// This limit; these moves and positions are given to a side.
    #[must_use]
    pub fn with_conceded(self, conceded: Vec<Concession>) -> Self {
        Limit { conceded, ..self }
    }

    /// This limit; only that is asked whether a side loses, in half the time.
    #[must_use]
    pub fn with_holder(self, holder: Side) -> Self {
        Limit { holder: Some(if holder == Side::White { 'w' } else { 'b' }), ..self }
    }

    /// The side of which only that is asked whether it loses; none if everything is.
    #[must_use]
    pub fn holder(&self) -> Option<Side> {
        self.holder.map(|side| if side == 'w' { Side::White } else { Side::Black })
    }

    /// Whether nothing lies outside.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.allows_all_men() && self.kept.is_empty() && self.conceded.is_empty()
    }

    /// Whether no caller asks what was promoted or captured, or which pawns have moved.
    pub(crate) fn allows_all_men(&self) -> bool {
        self.allows_all_promotions() && self.captured.is_none() && self.own_pawns_stand.is_none()
    }

    /// Whether no caller asks what was promoted.
    pub(crate) fn allows_all_promotions(&self) -> bool {
        self.each == [None; 2] && self.in_all.is_none() && !self.first_only
    }

    /// The bounds that can be found inside it: both where men are counted, and otherwise those to
    /// which something is left out, because the other one would be no better than without a limit.
    #[must_use]
    pub fn bounds(&self) -> Vec<Bound> {
        let both = [Bound::Lower, Bound::Upper];
        match self.is_none() {
            true => vec![Bound::Exact],
            false if !self.allows_all_men() => both.to_vec(),
            false => both.into_iter().filter(|&bound| self.keeps_for(bound)).collect(),
        }
    }

    fn keeps_for(&self, bound: Bound) -> bool {
        let is_kept = self.kept.iter().any(|kept| kept.bound() == bound);
        is_kept || self.concedes_for(bound)
    }

    /// Whether something is given away in runs for a bound.
    pub(crate) fn concedes_for(&self, bound: Bound) -> bool {
        self.own_pawns_stand.is_some() || self.conceded.iter().any(|conceded| conceded.bound() == bound)
    }

    /// Whether an exit of these men is given away in runs for a bound.
    pub(crate) fn concedes(
        &self,
        bound: Bound,
        variant: &Variant,
        men: &[Man],
        (change, has_table): (Change, bool),
    ) -> bool {
        self.conceded_for(bound, variant).any(|what| what.is_exit(men, change, has_table))
    }

    /// What is given away in runs for a bound, as the game has it.
    fn conceded_for(&self, bound: Bound, variant: &Variant) -> impl Iterator<Item = Conceded> {
        let own = self.conceded.iter().filter(move |conceded| conceded.bound() == bound);
        own.filter_map(|conceded| conceded.read(variant))
    }

    /// What runs for a bound leave out inside the table of these men.
    pub(crate) fn left_out(&self, bound: Bound, variant: &Variant, men: &[Man]) -> LeftOut {
        let Some(winner) = bound.winner_outside() else { return LeftOut::default() };
        let read: Vec<_> = self.conceded_for(bound, variant).collect();
        let mut pawn_moves = self.pawn_moves_of(variant, men, !winner);
        let is_lost_stuck =
            !pawn_moves.is_empty() || read.iter().any(|what| what.may_leave_without_move(men, !winner));
        pawn_moves.extend(read.iter().filter_map(Conceded::pawn_move));
        LeftOut { loser: Some(!winner), is_lost_stuck, pawn_moves }
    }

    /// The moves that pawns of a side do not make because they stand, wherever they are. A symmetry that
    /// keeps the rules of these pawns takes each of them to another one.
    fn pawn_moves_of(&self, variant: &Variant, men: &[Man], side: Side) -> Vec<PawnStep> {
        if self.own_pawns_stand.is_none() || men.len() <= usize::from(self.few_men) {
            return Vec::new();
        }
        let mut own: Vec<Man> = men.iter().copied().filter(|man| man.side == side).collect();
        own.dedup();
        let mut moves = Vec::new();
        for pawn in own {
            let Some(rules) = variant.pawn_rules(pawn) else { continue };
            let movement = variant.movement(pawn);
            let quiet = movement.rays().iter().filter(|ray| ray.quiet);
            for (ray, from) in quiet.flat_map(|ray| rules.zone.iter().map(move |from| (ray, from))) {
                let once = variant.board.offset(from, ray.step);
                let twice = once.filter(|_| rules.double_step_from.contains(from));
                let twice = twice.and_then(|once| variant.board.offset(once, ray.step));
                let both = once.into_iter().chain(twice);
                moves.extend(both.filter(|&to| !rules.promotion.contains(to)).map(|to| (pawn, from, to)));
            }
        }
        moves
    }

    /// Whether moves of pawns or stalemates of these men are given away in runs for a bound.
    pub(crate) fn concedes_inside(&self, bound: Bound, variant: &Variant, men: &[Man]) -> bool {
        let left_out = self.left_out(bound, variant, men);
        let has = |man: &Man| men.contains(man);
        left_out.is_lost_stuck || left_out.pawn_moves.iter().any(|(man, ..)| has(man))
    }

    /// Whether men of a material are kept to squares in runs for a bound.
    pub(crate) fn keeps(&self, bound: Bound, variant: &Variant, material: &Material) -> bool {
        self.kept.iter().any(|kept| kept.bound() == bound && kept.is_for(variant, material))
    }

    /// The game as the solver and the numbering see it: with the men that are kept to squares.
    pub(crate) fn game(&self, variant: &Variant) -> Variant {
        let mut game = variant.clone();
        game.rules.kept = self.kept.iter().filter_map(|kept| kept.read(variant)).collect();
        // A move of a pawn is given away where it stands on the board, and not in a mirror.
        for bound in [Bound::Lower, Bound::Upper] {
            let steps = self.conceded_for(bound, variant).filter_map(|what| what.pawn_move()).collect();
            game.rules.given_steps.push(steps);
        }
        game.rules.given_steps.retain(|steps| !steps.is_empty());
        if !self.conceded.is_empty() {
            // What is given away is given by a side, so the colours of no table may be exchanged. A man who
            // is kept to nothing says so, and leaves everything else as it is.
            let man = Man { side: Side::White, piece: PieceId(0) };
            game.rules.kept.push(variant::Kept { man, squares: Vec::new() });
        }
        game
    }

    /// Whether men lie inside the limit under some bound: as many of each piece as there are more than in
    /// the beginning have been promoted.
    pub(crate) fn allows(&self, variant: &Variant, material: &Material) -> bool {
        if self.is_few(material) {
            return true;
        }
        let n_promoted = Side::BOTH.map(|side| self.promoted(variant, material, side).0);
        let fits = |n: usize, most: Option<u8>| most.is_none_or(|most| n <= usize::from(most));
        let each = Side::BOTH.into_iter().all(|side| fits(n_promoted[side.index()], self.each[side.index()]));
        let n_promoted = n_promoted.iter().sum();
        each && fits(n_promoted, self.in_all) && self.keeps_pawns(variant, material, n_promoted)
    }

    /// Whether no more pawns are gone than may be.
    fn keeps_pawns(&self, variant: &Variant, material: &Material, n_promoted: usize) -> bool {
        let Some(most) = self.captured else { return true };
        let is_pawn = |&letter: &char| {
            let piece = variant.piece_lettered(letter);
            piece.is_some_and(|piece| variant.piece(piece).pawn.is_some())
        };
        let n_before = self.beginning.iter().flat_map(|letters| letters.chars()).filter(is_pawn).count();
        let n_pawns = material.men().filter(|&man| variant.is_pawn(man)).count();
        n_pawns + n_promoted + usize::from(most) >= n_before
    }

    /// Whether what lies inside this limit of men in runs for a bound lies inside another one too,
    /// whatever else is kept or given away being the same.
    pub(crate) fn is_within(&self, other: &Limit, bound: Bound) -> bool {
        let most = |n: Option<u8>| n.map_or(usize::MAX, usize::from);
        let in_all = most(self.in_all);
        let own = Side::BOTH.map(|side| most(self.each[side.index()]).min(in_all));
        let all = own[0].saturating_add(own[1]).min(in_all);
        let each = Side::BOTH.into_iter().all(|side| own[side.index()] <= most(other.each[side.index()]));
        // A side that may not promote promotes to no other piece either.
        let promotes = bound.winner_outside().is_some_and(|winner| own[(!winner).index()] > 0);
        let is_as_free = self.first_only || !other.first_only || !promotes;
        let keeps = most(self.captured) <= most(other.captured);
        let stands = most(self.own_pawns_stand) <= most(other.own_pawns_stand);
        each && all <= most(other.in_all) && is_as_free && keeps && stands && self.few_men <= other.few_men
    }

    /// Whether men lie inside the limit of a run.
    pub(crate) fn allows_under(&self, bound: Bound, variant: &Variant, material: &Material) -> bool {
        let is_bare = match bound.winner_outside() {
            Some(winner) if self.first_only && !self.is_few(material) => {
                self.promoted(variant, material, !winner).1
            }
            _ => true,
        };
        is_bare && self.allows(variant, material)
    }

    /// Whether there are so few men that nothing is asked of them; captures and promotions leave no more.
    fn is_few(&self, material: &Material) -> bool {
        material.n_men() <= usize::from(self.few_men)
    }

    /// How many men of a side have been promoted, and whether all of them are of the first piece that a pawn
    /// may become.
    fn promoted(&self, variant: &Variant, material: &Material, side: Side) -> (usize, bool) {
        let (mut n_all, mut is_first) = (0, true);
        let pawns = || variant.piece_ids().filter_map(|piece| variant.pawn_rules(Man { side, piece }));
        for piece in variant.piece_ids().filter(|&piece| variant.piece(piece).pawn.is_none()) {
            let letter = variant.piece(piece).letter;
            let n = material.side(side).iter().filter(|&&own| own == piece).count();
            let n_before = self.beginning[side.index()].chars().filter(|&own| own == letter).count();
            let n_promoted = n.saturating_sub(n_before);
            n_all += n_promoted;
            is_first &= n_promoted == 0 || pawns().any(|pawn| pawn.promotes_to.first() == Some(&piece));
        }
        (n_all, is_first)
    }
}

impl fmt::Display for Limit {
    /// What is allowed: `without a limit`, `with at most 1 promoted man`, `with wRh1 fixed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let men = |n: u8| if n == 1 { "1 promoted man".to_owned() } else { format!("{n} promoted men") };
        if self.is_race {
            return f.write_str("as a pawn race, each new queen by herself");
        }
        let [white, black] = self.each;
        let holder = self.holder().map(|holder| format!("asking only whether {holder} loses"));
        let others = self.kept.iter().map(Kept::words).chain(self.conceded.iter().map(Concession::words));
        let others: Vec<String> = others.chain(holder.clone()).collect();
        if self.allows_all_men() && others.len() > usize::from(holder.is_some()) {
            return write!(f, "with {}", others.join(", "));
        }
        match (self.in_all, white, black) {
            (None, None, None) if self.own_pawns_stand.is_some() => {
                f.write_str("with any number of promoted men")?;
            }
            (None, None, None) => f.write_str("without a limit")?,
            (Some(n), None, None) => write!(f, "with at most {} in all", men(n))?,
            (_, Some(white), Some(black)) if white == black => {
                write!(f, "with at most {} a side", men(white))?
            }
            _ => {
                let side = |n: Option<u8>| n.map_or_else(|| "any number of promoted men".to_owned(), men);
                write!(f, "with at most {} of White's and {} of Black's", side(white), side(black))?;
            }
        }
        if self.first_only {
            f.write_str(", own promotions to the first piece only")?;
        }
        if let Some(n) = self.captured {
            let pawns = if n == 1 { "pawn" } else { "pawns" };
            write!(f, ", at most {n} {pawns} captured")?;
        }
        if let Some(n) = self.own_pawns_stand {
            let after = if n == 0 { "" } else { "after the first move " };
            write!(f, ", {after}own pawns move only to capture or promote")?;
        }
        if self.few_men > 0 {
            write!(f, ", from {} men on", self.few_men + 1)?;
        }
        others.iter().try_for_each(|other| write!(f, ", {other}"))
    }
}

/// The squares that men of one kind are kept to.
///
/// Only the side that has the men is restricted, so what is found is a bound for that side: of White's men
/// the lower one, of Black's the upper one. In a run for the other bound the men go where they like.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// The kind, as people write it: `wR`.
    pub man: String,
    /// The squares of each of them, by name; a man without squares may stand anywhere. Men beyond these,
    /// promoted ones, may too.
    pub squares: Vec<Vec<String>>,
}

impl Kept {
    /// Keeps men of a kind to these squares each; none if all of them may stand anywhere.
    #[must_use]
    pub fn new(variant: &Variant, man: Man, squares: &[SquareSet]) -> Option<Self> {
        let board = &variant.board;
        let names = |set: &SquareSet| match *set == board.all() {
            true => Vec::new(),
            false => set.iter().map(|square| board.name(square)).collect(),
        };
        let squares: Vec<Vec<String>> = squares.iter().map(names).collect();
        let is_kept = squares.iter().any(|names| !names.is_empty());
        is_kept.then(|| Kept { man: man_name(variant, man), squares })
    }

    /// The bound that keeping them makes.
    pub(crate) fn bound(&self) -> Bound {
        if self.man.starts_with('w') { Bound::Lower } else { Bound::Upper }
    }

    /// The men and their squares; none if the game has no such piece.
    fn read(&self, variant: &Variant) -> Option<variant::Kept> {
        let man = man_named(variant, &self.man)?;
        let set = |names: &Vec<String>| match names.is_empty() {
            true => variant.board.all(),
            false => names.iter().filter_map(|name| variant.board.square_named(name)).collect(),
        };
        Some(variant::Kept { man, squares: self.squares.iter().map(set).collect() })
    }

    /// Whether a material has such men.
    pub(crate) fn is_for(&self, variant: &Variant, material: &Material) -> bool {
        man_named(variant, &self.man).is_some_and(|own| material.men().any(|man| man == own))
    }

    /// `wRh1 fixed`, `wK kept to a1 b1`.
    pub(crate) fn words(&self) -> String {
        let words = |names: &Vec<String>| match &names[..] {
            [only] => format!("{}{only} fixed", self.man),
            several => format!("{} kept to {}", self.man, several.join(" ")),
        };
        let all: Vec<String> = self.squares.iter().filter(|names| !names.is_empty()).map(words).collect();
        all.join(", ")
    }

    /// What a file name says of it.
    pub(crate) fn file_words(&self) -> String {
        let words = |names: &Vec<String>| match names.len() {
            0 => String::new(),
            1..=4 => format!(".{}{}", self.man, names.concat()),
            _ => {
                let hash = blake3::hash(names.concat().as_bytes());
                format!(".{}-{}", self.man, &hash.to_hex()[..6])
            }
        };
        self.squares.iter().map(words).collect()
    }
}

/// A man as people write it: `wR`.
#[must_use]
pub fn man_name(variant: &Variant, man: Man) -> String {
    let side = if man.side == Side::White { 'w' } else { 'b' };
    format!("{side}{}", variant.piece(man.piece).letter)
}

/// The man of this name; none if there is no such side or piece.
#[must_use]
pub fn man_named(variant: &Variant, name: &str) -> Option<Man> {
    let mut letters = name.chars();
    let side = match letters.next()? {
        'w' => Side::White,
        'b' => Side::Black,
        _ => return None,
    };
    let piece = variant.piece_lettered(letters.next()?)?;
    letters.next().is_none().then_some(Man { side, piece })
}
