//! Finds mutual zugzwangs: placements in which either side does worse if it is its turn.
//!
//! Worse means another result, so they are the same under every metric; the n-move rule does not count.

use crate::Count;
use crate::census::{Units, Weighed, Writer};
use geometry::Square;
use index::Layout;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io;
use std::ops::Range;
use table::{Code, CodeSource, Codes, CodesRef, Mapping, Table, Value, threads};
use variant::{Man, Side, Variant};

/// What a mutual zugzwang is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZugzwangKind {
    /// With White to move a draw, with Black to move a win for White.
    WhiteWinsOrDraw,
    /// With Black to move a draw, with White to move a win for Black.
    BlackWinsOrDraw,
    /// The side to move loses.
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
    /// The side to move loses.
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

    /// Those that were found, with their examples written out; of a symmetric table all that stand for two
    /// have one example.
    pub(crate) fn new(variant: &Variant, found: &ZugzwangCounts, units: &Units<'_>) -> Self {
        let writer = Writer::new(variant, units.layout());
        let examples = found.examples.iter();
        let examples = examples.map(|&(kind, place)| Zugzwang { kind, fen: writer.fen(Side::White, place) });
        Zugzwangs::counted(found, units, examples.collect())
    }

    fn counted(found: &ZugzwangCounts, units: &Units<'_>, examples: Vec<Zugzwang>) -> Self {
        let [white_wins_or_draw, black_wins_or_draw, full_point] =
            found.counts.map(|weighed| weighed.count(units.layout()));
        Zugzwangs { white_wins_or_draw, black_wins_or_draw, full_point, examples }
    }

    /// How many mutual zugzwangs a table has, modulo symmetry and the exchange of like men, and all of them,
    /// or the first this many.
    ///
    /// Of a symmetric table each stands for two: the other one has the colours exchanged.
    ///
    /// # Panics
    /// If the table does not keep the sides to move that its material needs.
    #[must_use]
    pub fn list(variant: &Variant, table: &Table, limit: usize) -> (u64, Self) {
        let units = Units::new(table.layout());
        let mut search = ZugzwangSearch::new(table, &units, usize::MAX);
        let codes = |side| table.codes(side).map(Codes::as_ref);
        let white = codes(Side::White).expect("a table keeps White to move");
        search
            .search_run(&(0..units.len()), white, codes(Side::Black))
            .expect("a table in memory lends its codes");
        let found = search.finish();
        let writer = Writer::new(variant, units.layout());
        let is_symmetric = table.codes(Side::Black).is_none();
        let both = |&(kind, place): &(ZugzwangKind, usize)| {
            let is_swapped = is_symmetric && kind == ZugzwangKind::BlackWinsOrDraw;
            // Black to move there is White to move here.
            let swapped = is_swapped.then_some((ZugzwangKind::WhiteWinsOrDraw, Side::Black, place));
            std::iter::once((kind, Side::White, place)).chain(swapped)
        };
        let all: Vec<_> = found.examples.iter().flat_map(both).collect();
        let write = |&(kind, stm, place): &(ZugzwangKind, Side, usize)| Zugzwang {
            kind,
            fen: writer.fen_from(stm, Side::White, place),
        };
        let examples = all.iter().take(limit).map(write).collect();
        (all.len() as u64, Zugzwangs::counted(&found, &units, examples))
    }
}

/// How many places are asked at once whether there may be a zugzwang among them.
const STRETCH: usize = 256;

/// Mutual zugzwangs in the making.
#[derive(Default)]
pub(crate) struct ZugzwangCounts {
    counts: [Weighed; 3],
    /// Canonical places in ascending order, no more than asked for.
    examples: Vec<(ZugzwangKind, usize)>,
}

/// Searches the units of a table for mutual zugzwangs, a run at a time.
pub(crate) struct ZugzwangSearch<'a> {
    source: &'a dyn CodeSource,
    units: &'a Units<'a>,
    /// Of a symmetric table: where Black to move stands, with the colours exchanged.
    exchange: Option<Exchange<'a>>,
    n_examples: usize,
    found: ZugzwangCounts,
}

impl<'a> ZugzwangSearch<'a> {
    /// Nothing found so far, with this many examples at most.
    pub(crate) fn new(source: &'a dyn CodeSource, units: &'a Units<'a>, n_examples: usize) -> Self {
        let is_symmetric = source.coding(Side::Black).is_none();
        let exchange = is_symmetric.then(|| Exchange::new(units.layout()));
        ZugzwangSearch { source, units, exchange, n_examples, found: ZugzwangCounts::default() }
    }

    /// Searches a run of units with these codes.
    pub(crate) fn search_run(
        &mut self,
        run: &Range<usize>,
        white: CodesRef<'_>,
        black: Option<CodesRef<'_>>,
    ) -> io::Result<()> {
        let start = run.start * self.units.layout().block_len();
        let (white, black) = (results(white), black.map(results));
        let Some(exchange) = &self.exchange else {
            let black = black.expect("a table has both sides to move");
            let kind = |place: usize| kind_of(white[place - start].value(), black[place - start].value());
            let may_hold = |places: Range<usize>| {
                let places = places.start - start..places.end - start;
                let pairs = white[places.clone()].iter().zip(&black[places]);
                // Without a branch inside, so that it becomes operations on whole vectors.
                pairs.fold(false, |found, (w, b)| {
                    found | (is_not_won(*w) & is_not_won(*b) & (is_lost(*w) | is_lost(*b)))
                })
            };
            let found = self.search(run, kind, may_hold);
            self.found.add(found);
            return Ok(());
        };
        if run.len() == self.units.len() {
            // The partners are there already.
            let found = self.search_exchanged(run, exchange, &white, &[(start, &white)]);
            self.found.add(found);
            return Ok(());
        }
        for partners in exchange.partners(self.source, self.units, run) {
            let mut rooms = vec![Codes::default(); partners.len()];
            let mut others = Vec::with_capacity(partners.len());
            for (units, room) in partners.into_iter().zip(&mut rooms) {
                let start = units.start * self.units.layout().block_len();
                others.push((start, results(self.source.codes(Side::White, units, room)?)));
            }
            let others: Vec<_> = others.iter().map(|(start, codes)| (*start, &**codes)).collect();
            let found = self.search_exchanged(run, exchange, &white, &others);
            self.found.add(found);
        }
        Ok(())
    }

    /// What has been found.
    pub(crate) fn finish(self) -> ZugzwangCounts {
        let ZugzwangSearch { exchange, n_examples, mut found, .. } = self;
        if exchange.is_some() {
            found.counts[ZugzwangKind::WhiteWinsOrDraw as usize] =
                found.counts[ZugzwangKind::BlackWinsOrDraw as usize];
        }
        found.examples.sort_unstable_by_key(|&(_, place)| place);
        found.examples.truncate(n_examples);
        found
    }

    /// Searches a run of a symmetric table, of which White to move is there and Black to move stands under
    /// another number. `others` are codes from certain numbers on, in ascending order; what goes elsewhere
    /// is no zugzwang here.
    ///
    /// With the colours exchanged a position in which White loses and Black would draw is the other way
    /// round, so only White's losses are looked at, and those are few; the draws that belong to them are
    /// counted with them.
    fn search_exchanged(
        &self,
        run: &Range<usize>,
        exchange: &Exchange<'_>,
        codes: &[u8],
        others: &[(usize, &[u8])],
    ) -> ZugzwangCounts {
        let layout = self.units.layout();
        let first = run.start * layout.block_len();
        let kind = |place: usize| {
            let code = codes[place - first];
            if !is_lost(code) {
                return None;
            }
            let squares = layout.decode(place);
            let (_, other) = exchange.mapping.locate(layout, Side::Black, &squares)?;
            let before = others.partition_point(|&(start, _)| start <= other);
            let (start, others) = *others.get(before.checked_sub(1)?)?;
            kind_of(code.value(), others.get(other - start)?.value())
        };
        let may_hold = |places: Range<usize>| {
            let codes = &codes[places.start - first..places.end - first];
            codes.iter().fold(false, |found, &code| found | is_lost(code))
        };
        self.search(run, kind, may_hold)
    }

    /// Goes through units for places that `kind` says are mutual zugzwangs. `may_hold` says whether any of
    /// some places can be one: nearly always not, and found out for a vector of them at a time.
    fn search(
        &self,
        run: &Range<usize>,
        kind: impl Fn(usize) -> Option<ZugzwangKind> + Sync,
        may_hold: impl Fn(Range<usize>) -> bool + Sync,
    ) -> ZugzwangCounts {
        let (units, n_examples) = (self.units, self.n_examples);
        let tasks = threads::map(units.tasks(run), |task| {
            let mut found = ZugzwangCounts::default();
            for (unit, places) in units.by_unit(task) {
                let stretches = threads::stretches(places.clone(), STRETCH);
                let stretches = stretches.filter(|stretch| may_hold(stretch.clone()));
                found.add_unit(units, (unit, places), stretches.flatten(), &kind, n_examples);
            }
            found
        });
        let mut sum = ZugzwangCounts::default();
        for found in tasks {
            let n_left = n_examples - sum.examples.len();
            sum.add(ZugzwangCounts {
                examples: found.examples.into_iter().take(n_left).collect(),
                counts: found.counts,
            });
        }
        sum
    }
}

/// Where the positions of a symmetric table stand with the colours exchanged.
struct Exchange<'a> {
    layout: &'a Layout,
    mapping: Mapping,
    /// Whether the frame men stay frame men, so that a unit's places all go to one unit.
    keeps_frame: bool,
}

impl<'a> Exchange<'a> {
    fn new(layout: &'a Layout) -> Self {
        let mapping = Mapping::new(layout, [true, false], layout.men());
        let sorted = |mut men: Vec<Man>| {
            men.sort_unstable();
            men
        };
        let frame = || layout.frame().iter().map(|&man| layout.men()[man]);
        let exchanged = frame().map(|man| Man { side: !man.side, ..man }).collect();
        Exchange {
            layout,
            mapping: mapping.expect("a layout's men are its own"),
            keeps_frame: sorted(frame().collect()) == sorted(exchanged),
        }
    }

    /// The units that a run's places go to: groups that are in memory one after the other, each of runs in
    /// ascending order.
    fn partners(
        &self,
        source: &dyn CodeSource,
        units: &Units<'_>,
        run: &Range<usize>,
    ) -> Vec<Vec<Range<usize>>> {
        if !self.keeps_frame {
            // The squares of free men decide, so that it may be any unit.
            let next = |run: &Range<usize>| (run.end < units.len()).then(|| units.run(source, run.end));
            return std::iter::successors(Some(units.run(source, 0)), next).map(|run| vec![run]).collect();
        }
        let mut partners: Vec<usize> = run.clone().filter_map(|unit| self.partner(unit)).collect();
        partners.sort_unstable();
        partners.dedup();
        let runs = partners.chunk_by(|a, b| a + 1 == *b);
        vec![runs.map(|run| run[0]..run[run.len() - 1] + 1).collect()]
    }

    /// The unit of a unit's places with the colours exchanged; the squares of free men make no difference.
    fn partner(&self, unit: usize) -> Option<usize> {
        let (layout, len) = (self.layout, self.layout.block_len());
        let mut squares = layout.decode(unit * len).to_vec();
        let any = layout.board().squares().next()?;
        layout.free().iter().for_each(|&man| squares[man] = any);
        self.mapping.locate(layout, Side::Black, &squares).map(|(_, place)| place / len)
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

/// Codes of one byte that alternate: only who wins matters here, and they tell that by themselves.
fn results(codes: CodesRef<'_>) -> Cow<'_, [u8]> {
    let own = || codes.to_wdl().alternating().expect("codes of who wins alternate");
    codes.alternating().map_or_else(|| Cow::Owned(own()), Cow::Borrowed)
}

/// Whether the side to move has lost. Losses are odd, and only a draw is odd beside them. A test compares
/// this and [`is_not_won`] with the values of all codes.
#[inline]
fn is_lost(code: u8) -> bool {
    is_odd(code) & (code != u8::DRAW)
}

/// Whether the position is legal and the side to move does not win.
#[inline]
fn is_not_won(code: u8) -> bool {
    is_odd(code) | (code == u8::STALEMATE)
}

#[inline]
fn is_odd(code: u8) -> bool {
    code & 1 == 1
}

impl ZugzwangCounts {
    /// Adds what was found elsewhere.
    fn add(&mut self, other: ZugzwangCounts) {
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, count)| sum.add(count));
        self.examples.extend(other.examples);
    }

    /// Looks at some places of a unit, of which only these may be zugzwangs.
    fn add_unit(
        &mut self,
        units: &Units<'_>,
        (unit, all): (usize, Range<usize>),
        places: impl Iterator<Item = usize>,
        kind: &impl Fn(usize) -> Option<ZugzwangKind>,
        n_examples: usize,
    ) {
        let layout = units.layout();
        let mut n_found = [0; 3];
        for place in places {
            let Some(kind) = kind(place) else { continue };
            n_found[kind as usize] += 1;
            if self.examples.len() < n_examples {
                let squares: &[Square] = &layout.decode(place);
                if layout.is_canonical(place, squares) {
                    self.examples.push((kind, place));
                }
            }
        }
        let is_first = units.is_first(&all);
        if n_found == [0; 3] && !(is_first && units.is_residual(unit)) {
            return;
        }
        let weight = units.weight(unit);
        self.counts.iter_mut().zip(n_found).for_each(|(count, n)| count.unreduced += n * weight);
        if !is_first {
            return;
        }
        units.for_each_fixed(unit, |place| {
            if let Some(kind) = kind(place) {
                self.counts[kind as usize].fixed += weight;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{is_lost, is_not_won, kind_of};
    use table::Code;

    #[test]
    fn codes_tell_what_values_do() {
        for code in 0..=u8::MAX {
            let wdl = code.value().wdl();
            assert_eq!(is_lost(code), wdl == Some(-1), "{code}");
            assert_eq!(is_not_won(code), matches!(wdl, Some(-1 | 0)), "{code}");
        }
    }

    #[test]
    fn what_is_passed_over_is_no_zugzwang() {
        for (white, black) in (0..=u8::MAX).flat_map(|w| (0..=u8::MAX).map(move |b| (w, b))) {
            let may = is_not_won(white) & is_not_won(black) & (is_lost(white) | is_lost(black));
            assert_eq!(may, kind_of(white.value(), black.value()).is_some(), "{white} {black}");
        }
    }
}
