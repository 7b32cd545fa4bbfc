//! Mutual zugzwangs: placements in which either side does worse if it is its turn.

use crate::Count;
use crate::example::Writer;
use crate::unit::{Units, Weighed};
use geometry::Square;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use table::{Code, CodesRef, Mapping, Table, Value};
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
        let found = Pair::new(table).search(units, n_examples);
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
}

/// Mutual zugzwangs in the making.
#[derive(Default)]
struct Found {
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

    fn search(&self, units: &Units<'_>, n_examples: usize) -> Found {
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
        }
    }
}

/// A code's result for the side to move: 0 illegal, 1 loss, 2 draw, 3 win.
type Results = Vec<u8>;

fn results(value: impl Fn(usize) -> Value, n_codes: usize) -> Results {
    (0..n_codes).map(|code| value(code).wdl().map_or(0, |wdl| (wdl + 2) as u8)).collect()
}

fn results_of<C: Code>() -> Results {
    match size_of::<C>() {
        1 => results(|code| (code as u8).value(), 1 << 8),
        _ => results(|code| (code as u16).value(), 1 << 16),
    }
}

/// The kind of zugzwang that two results for the sides to move make.
///
/// Either side does worse with the move exactly if the two sides to move together do worse than a draw.
fn kind_of(white: u8, black: u8) -> Option<ZugzwangKind> {
    match (white, black) {
        (2, 1) => Some(ZugzwangKind::WhiteWinsOrDraw),
        (1, 2) => Some(ZugzwangKind::BlackWinsOrDraw),
        (1, 1) => Some(ZugzwangKind::FullPoint),
        _ => None,
    }
}

fn search_both<W: Code + Into<usize>, B: Code + Into<usize>>(
    units: &Units<'_>,
    white: &[W],
    black: &[B],
    n_examples: usize,
) -> Found {
    let (white_results, black_results) = (results_of::<W>(), results_of::<B>());
    let kind = |place: usize| kind_of(white_results[white[place].into()], black_results[black[place].into()]);
    search(units, kind, n_examples)
}

fn search_symmetric<C: Code + Into<usize>>(
    units: &Units<'_>,
    codes: &[C],
    mapping: &Mapping,
    n_examples: usize,
) -> Found {
    let layout = units.layout();
    let results = results_of::<C>();
    // With the colours exchanged a position in which White loses and Black would draw is the other way round, so
    // only White's losses are looked at, and those are few; the draws that belong to them are counted with them.
    let kind = |place: usize| {
        if results[codes[place].into()] != 1 {
            return None;
        }
        let squares = layout.decode(place);
        let (_, other) = mapping.locate(layout, Side::Black, &squares)?;
        kind_of(1, results[codes[other].into()])
    };
    let mut found = search(units, kind, n_examples);
    found.counts[ZugzwangKind::WhiteWinsOrDraw as usize] =
        found.counts[ZugzwangKind::BlackWinsOrDraw as usize];
    found
}

/// Goes through all units for places of a kind.
fn search(
    units: &Units<'_>,
    kind: impl Fn(usize) -> Option<ZugzwangKind> + Sync,
    n_examples: usize,
) -> Found {
    let per_task = units.per_task();
    let tasks: Vec<Found> = (0..units.len().div_ceil(per_task))
        .into_par_iter()
        .map(|task| {
            let mut found = Found::default();
            let end = units.len().min((task + 1) * per_task);
            (task * per_task..end).for_each(|unit| found.search_unit(units, unit, &kind, n_examples));
            found
        })
        .collect();
    let mut sum = Found::default();
    for found in tasks {
        sum.counts.iter_mut().zip(found.counts).for_each(|(sum, count)| sum.add(count));
        let n_left = n_examples - sum.examples.len();
        sum.examples.extend(found.examples.into_iter().take(n_left));
    }
    sum
}

impl Found {
    fn search_unit(
        &mut self,
        units: &Units<'_>,
        unit: usize,
        kind: &impl Fn(usize) -> Option<ZugzwangKind>,
        n_examples: usize,
    ) {
        let layout = units.layout();
        let mut n_found = [0; 3];
        for place in units.places(unit) {
            let Some(kind) = kind(place) else { continue };
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
            if let Some(kind) = kind(place) {
                self.counts[kind as usize].fixed += weight;
            }
        });
    }
}
