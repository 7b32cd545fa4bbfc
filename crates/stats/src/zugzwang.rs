//! Finds mutual zugzwangs: placements in which either side does worse if it is its turn.
//!
//! Worse means another result, so they are the same under every metric; the n-move rule does not count.

use crate::Count;
use crate::example::Writer;
use crate::unit::{Units, Weighed};
use geometry::Square;
use index::Layout;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use table::{Code, Codes, CodesRef, Mapping, Table, Value};
use variant::{Side, Variant};

/// What a mutual zugzwang is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZugzwangKind {
    /// With White to move a draw, with Black to move a win for White.
    WhiteWinsOrDraw,
    /// With Black to move a draw, with White to move a win for Black.
    BlackWinsOrDraw,
    /// Whoever is to move loses.
    FullPoint,
}

impl ZugzwangKind {
    /// All kinds, in order.
    pub const ALL: [ZugzwangKind; 3] =
        [ZugzwangKind::WhiteWinsOrDraw, ZugzwangKind::BlackWinsOrDraw, ZugzwangKind::FullPoint];

    /// The kind in words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            ZugzwangKind::WhiteWinsOrDraw => "White to move draws, Black to move loses",
            ZugzwangKind::BlackWinsOrDraw => "White to move loses, Black to move draws",
            ZugzwangKind::FullPoint => "whoever is to move loses",
        }
    }
}

/// One mutual zugzwang.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Zugzwang {
    /// What it is about.
    pub kind: ZugzwangKind,
    /// The position with White to move.
    pub fen: String,
}

/// The mutual zugzwangs of a table.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Zugzwangs {
    /// White to move draws, Black to move loses.
    pub white_wins_or_draw: Count,
    /// White to move loses, Black to move draws.
    pub black_wins_or_draw: Count,
    /// Whoever is to move loses.
    pub full_point: Count,
    /// The first few, in the order of their numbers.
    pub examples: Vec<Zugzwang>,
}

impl Zugzwangs {
    /// How many there are of all kinds.
    #[must_use]
    pub fn total(&self) -> Count {
        self.white_wins_or_draw + self.black_wins_or_draw + self.full_point
    }

    /// The mutual zugzwangs of a table, with up to `n_examples` of them written out.
    pub(crate) fn collect(variant: &Variant, table: &Table, units: &Units<'_>, n_examples: usize) -> Self {
        let found = ZugzwangCounts::of(table, units, n_examples);
        let writer = Writer::new(variant, units.layout());
        let example =
            |&(kind, place): &(ZugzwangKind, usize)| Zugzwang { kind, fen: writer.fen(Side::White, place) };
        let [white_wins_or_draw, black_wins_or_draw, full_point] =
            found.counts.map(|weighed| weighed.count(units.layout()));
        Zugzwangs {
            white_wins_or_draw,
            black_wins_or_draw,
            full_point,
            examples: found.examples.iter().map(example).collect(),
        }
    }

    /// How many mutual zugzwangs a table has, modulo symmetry and the exchange of like men, and all of them,
    /// or the first so many.
    ///
    /// Of a symmetric table each stands for two: the other one has the colours exchanged.
    pub(crate) fn list(variant: &Variant, table: &Table, limit: usize) -> (u64, Self) {
        let units = Units::new(table.layout());
        let found = ZugzwangCounts::of(table, &units, usize::MAX);
        let writer = Writer::new(variant, units.layout());
        let is_symmetric = table.codes(Side::Black).is_none();
        let own = |&(kind, place): &(ZugzwangKind, usize)| {
            let swapped = (is_symmetric && kind == ZugzwangKind::BlackWinsOrDraw).then_some((
                ZugzwangKind::WhiteWinsOrDraw,
                place,
                true,
            ));
            std::iter::once((kind, place, false)).chain(swapped)
        };
        let all: Vec<_> = found.examples.iter().flat_map(own).collect();
        let write = |&(kind, place, is_swapped): &(ZugzwangKind, usize, bool)| {
            // Black to move there is White to move here.
            let fen = match is_swapped {
                true => writer.swapped_fen(Side::Black, place),
                false => writer.fen(Side::White, place),
            };
            Zugzwang { kind, fen }
        };
        let [white_wins_or_draw, black_wins_or_draw, full_point] =
            found.counts.map(|weighed| weighed.count(units.layout()));
        let examples = all.iter().take(limit).map(write).collect();
        (all.len() as u64, Zugzwangs { white_wins_or_draw, black_wins_or_draw, full_point, examples })
    }
}

/// How many places are asked at once whether there may be a zugzwang among them.
const STRETCH: usize = 256;

/// Mutual zugzwangs in the making.
#[derive(Default)]
struct ZugzwangCounts {
    counts: [Weighed; 3],
    /// Canonical places in ascending order, no more than asked for.
    examples: Vec<(ZugzwangKind, usize)>,
}

/// The codes of a table with White and with Black to move.
enum Pair<'a> {
    Both(CodesRef<'a>, CodesRef<'a>),
    /// Black to move stands under another number, with the colours exchanged.
    Symmetric(CodesRef<'a>, Mapping),
}

impl<'a> Pair<'a> {
    fn new(table: &'a Table) -> Self {
        let layout = table.layout();
        let codes = |side| table.codes(side).map(table::Codes::as_ref);
        let white = codes(Side::White).expect("a table keeps White to move");
        match codes(Side::Black) {
            Some(black) => Pair::Both(white, black),
            None => {
                let mapping = Mapping::new(layout, [true, false], layout.men());
                Pair::Symmetric(white, mapping.expect("a layout's men are its own"))
            }
        }
    }

    fn search(&self, units: &Units<'_>, n_examples: usize) -> ZugzwangCounts {
        match self {
            Pair::Both(CodesRef::Narrow(w), CodesRef::Narrow(b)) => search_both(units, w, b, n_examples),
            Pair::Both(CodesRef::Narrow(w), CodesRef::Wide(b)) => search_both(units, w, b, n_examples),
            Pair::Both(CodesRef::Wide(w), CodesRef::Narrow(b)) => search_both(units, w, b, n_examples),
            Pair::Both(CodesRef::Wide(w), CodesRef::Wide(b)) => search_both(units, w, b, n_examples),
            Pair::Symmetric(CodesRef::Narrow(codes), mapping) => {
                search_symmetric(units, codes, mapping, n_examples)
            }
            Pair::Symmetric(CodesRef::Wide(codes), mapping) => {
                search_symmetric(units, codes, mapping, n_examples)
            }
            _ => unreachable!("split codes are looked at without their distances"),
        }
    }
}

/// The kind of zugzwang that two values for the sides to move make.
///
/// Either side does worse with the move exactly if the two sides to move together do worse than a draw.
fn kind_of(white: Value, black: Value) -> Option<ZugzwangKind> {
    match (white.wdl()?, black.wdl()?) {
        (0, -1) => Some(ZugzwangKind::WhiteWinsOrDraw),
        (-1, 0) => Some(ZugzwangKind::BlackWinsOrDraw),
        (-1, -1) => Some(ZugzwangKind::FullPoint),
        _ => None,
    }
}

/// Whether the side to move has lost. Losses are odd in either width, and only a draw is odd beside them. A
/// test compares this and [`is_not_won`] with the values of all codes.
#[inline]
fn is_lost<C: Code>(code: C) -> bool {
    is_odd(code) & (code != C::DRAW)
}

/// Whether the position is legal and the side to move does not win.
#[inline]
fn is_not_won<C: Code>(code: C) -> bool {
    is_odd(code) | (code == C::STALEMATE)
}

#[inline]
fn is_odd<C: Code>(code: C) -> bool {
    let number: u16 = code.into();
    number & 1 == 1
}

/// Places that are asked whether they are mutual zugzwangs.
trait Places: Sync {
    /// The kind of one place.
    fn kind(&self, place: usize) -> Option<ZugzwangKind>;

    /// Whether any of these places can be one: nearly always not, and found out for a vector of them at a
    /// time.
    fn may_hold(&self, places: Range<usize>) -> bool;
}

/// A table that keeps both sides to move.
struct Both<'a, W, B> {
    white: &'a [W],
    black: &'a [B],
}

impl<W: Code, B: Code> Places for Both<'_, W, B> {
    fn kind(&self, place: usize) -> Option<ZugzwangKind> {
        kind_of(self.white[place].value(), self.black[place].value())
    }

    fn may_hold(&self, places: Range<usize>) -> bool {
        let pairs = self.white[places.clone()].iter().zip(&self.black[places]);
        // Without a branch inside, so that it becomes operations on whole vectors.
        pairs.fold(false, |found, (w, b)| {
            found | (is_not_won(*w) & is_not_won(*b) & (is_lost(*w) | is_lost(*b)))
        })
    }
}

/// A symmetric table: White to move only, Black to move stands under another number.
struct Symmetric<'a, C> {
    layout: &'a Layout,
    codes: &'a [C],
    mapping: &'a Mapping,
}

impl<C: Code> Places for Symmetric<'_, C> {
    /// With the colours exchanged a position in which White loses and Black would draw is the other way
    /// round, so only White's losses are looked at, and those are few; the draws that belong to them are
    /// counted with them.
    fn kind(&self, place: usize) -> Option<ZugzwangKind> {
        if !is_lost(self.codes[place]) {
            return None;
        }
        let squares = self.layout.decode(place);
        let (_, other) = self.mapping.locate(self.layout, Side::Black, &squares)?;
        kind_of(self.codes[place].value(), self.codes[other].value())
    }

    fn may_hold(&self, places: Range<usize>) -> bool {
        self.codes[places].iter().fold(false, |found, &code| found | is_lost(code))
    }
}

fn search_both<W: Code, B: Code>(
    units: &Units<'_>,
    white: &[W],
    black: &[B],
    n_examples: usize,
) -> ZugzwangCounts {
    search(units, &Both { white, black }, n_examples)
}

fn search_symmetric<C: Code>(
    units: &Units<'_>,
    codes: &[C],
    mapping: &Mapping,
    n_examples: usize,
) -> ZugzwangCounts {
    let mut found = search(units, &Symmetric { layout: units.layout(), codes, mapping }, n_examples);
    found.counts[ZugzwangKind::WhiteWinsOrDraw as usize] =
        found.counts[ZugzwangKind::BlackWinsOrDraw as usize];
    found
}

/// Goes through all units for places of a kind.
fn search(units: &Units<'_>, places: &impl Places, n_examples: usize) -> ZugzwangCounts {
    let per_task = units.per_task();
    let tasks: Vec<ZugzwangCounts> = (0..units.len().div_ceil(per_task))
        .into_par_iter()
        .map(|task| {
            let mut found = ZugzwangCounts::default();
            let end = units.len().min((task + 1) * per_task);
            (task * per_task..end).for_each(|unit| found.search_unit(units, unit, places, n_examples));
            found
        })
        .collect();
    let mut sum = ZugzwangCounts::default();
    for found in tasks {
        sum.counts.iter_mut().zip(found.counts).for_each(|(sum, count)| sum.add(count));
        let n_left = n_examples - sum.examples.len();
        sum.examples.extend(found.examples.into_iter().take(n_left));
    }
    sum
}

impl ZugzwangCounts {
    /// Those of a table, with so many examples.
    fn of(table: &Table, units: &Units<'_>, n_examples: usize) -> Self {
        // Only who wins matters here, and narrow codes tell that by themselves.
        let is_split = |side| matches!(table.codes(side), Some(Codes::Split(..)));
        let simple = Side::BOTH.into_iter().any(is_split).then(|| table.to_wdl());
        Pair::new(simple.as_ref().unwrap_or(table)).search(units, n_examples)
    }

    fn search_unit(&mut self, units: &Units<'_>, unit: usize, places: &impl Places, n_examples: usize) {
        let layout = units.layout();
        let mut n_found = [0; 3];
        let all = units.places(unit);
        let stretches = all.clone().step_by(STRETCH).map(|start| start..all.end.min(start + STRETCH));
        for place in stretches.filter(|stretch| places.may_hold(stretch.clone())).flatten() {
            let Some(kind) = places.kind(place) else { continue };
            n_found[kind as usize] += 1;
            if self.examples.len() < n_examples {
                let squares: &[Square] = &layout.decode(place);
                if layout.is_canonical(place, squares) {
                    self.examples.push((kind, place));
                }
            }
        }
        if n_found == [0; 3] {
            return;
        }
        let weight = units.weight(unit);
        self.counts.iter_mut().zip(n_found).for_each(|(count, n)| count.unreduced += n * weight);
        units.for_each_fixed(unit, |place| {
            if let Some(kind) = places.kind(place) {
                self.counts[kind as usize].fixed += weight;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{is_lost, is_not_won, kind_of};
    use table::Code;

    #[track_caller]
    fn check_code<C: Code>(code: C) {
        let wdl = code.value().wdl();
        assert_eq!(is_lost(code), wdl == Some(-1), "{code:?}");
        assert_eq!(is_not_won(code), matches!(wdl, Some(-1 | 0)), "{code:?}");
    }

    #[test]
    fn codes_tell_what_values_do() {
        (0..=u8::MAX).for_each(check_code);
        (0..=u16::MAX).for_each(check_code);
    }

    #[test]
    fn what_is_passed_over_is_no_zugzwang() {
        for (white, black) in (0..=u8::MAX).flat_map(|w| (0..=u8::MAX).map(move |b| (w, b))) {
            let may = is_not_won(white) & is_not_won(black) & (is_lost(white) | is_lost(black));
            assert_eq!(may, kind_of(white.value(), black.value()).is_some(), "{white} {black}");
        }
    }
}
