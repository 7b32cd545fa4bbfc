//! Estimates what a structure takes before it is solved: slices by kind, values, time, memory and disk.

use crate::structure::Structure;
use std::collections::BTreeMap;
use variant::Side;

/// The tables of a structure whose mobile men are the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MobileMen {
    /// The men that are no pawns, of White and of Black: `K+Q v K`.
    pub name: String,
    /// How many pawns the smallest and the largest have.
    pub n_pawns: (usize, usize),
    /// Slices, those counted twice that are solved for both bounds.
    pub n_slices: u64,
    /// Values, both sides to move.
    pub n_values: u64,
}

/// What solving a structure takes.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// By mobile men, the most values first.
    pub by_men: Vec<MobileMen>,
    /// All slices.
    pub n_slices: u64,
    /// All values, both sides to move.
    pub n_values: u64,
    /// The time on so many threads.
    pub seconds: f64,
    /// The least memory that suffices, roughly.
    pub memory_bytes: u64,
    /// The file, roughly.
    pub disk_bytes: u64,
}

/// Values a second and thread of large slices, and what each slice costs beside its values.
///
/// Source: docs/structures.md, measured on two cores with AVX-512.
const VALUES_PER_SECOND: f64 = 30e6;
const SLICE_SECONDS: f64 = 40e-6;

/// A value in the file, packed: distances and who wins.
const DISTANCE_BITS: u64 = 3;
const WDL_BITS: u64 = 1;

/// A slice that is solved takes its codes in two bytes, both sides to move, and planes and events of about
/// as much again.
const BYTES_PER_PLACEMENT: u64 = 8;

impl Structure {
    /// The values of positions with at most so many men.
    pub(crate) fn n_values_up_to(&self, n_men: usize) -> u64 {
        let kinds = self.jobs.all.iter().map(|job| (job, self.graph.kinds.get(job.kind)));
        let few = kinds.filter(|(_, kind)| kind.men.len() <= n_men);
        few.map(|(job, kind)| job.n_values(kind, &self.variant)).sum()
    }

    /// What solving the structure takes with so many threads.
    #[must_use]
    pub fn estimate(&self, n_threads: usize) -> Estimate {
        let mut by_men: BTreeMap<String, MobileMen> = BTreeMap::new();
        let mut largest_slice = 0;
        for job in &self.jobs.all {
            let kind = self.graph.kinds.get(job.kind);
            let n_values = job.n_values(kind, &self.variant);
            let name = self.mobile_name(job.kind);
            let n_pawns = kind.pawns.len();
            let own = by_men.entry(name.clone()).or_insert(MobileMen {
                name,
                n_pawns: (n_pawns, n_pawns),
                n_slices: 0,
                n_values: 0,
            });
            own.n_pawns = (own.n_pawns.0.min(n_pawns), own.n_pawns.1.max(n_pawns));
            own.n_slices += job.n_slices;
            own.n_values += n_values;
            largest_slice = largest_slice.max(job.size.slice_len);
        }
        let mut by_men: Vec<MobileMen> = by_men.into_values().collect();
        by_men.sort_by(|a, b| b.n_values.cmp(&a.n_values).then_with(|| a.name.cmp(&b.name)));
        let n_slices = by_men.iter().map(|men| men.n_slices).sum();
        let n_values = by_men.iter().map(|men| men.n_values).sum();
        let work = n_values as f64 / VALUES_PER_SECOND + n_slices as f64 * SLICE_SECONDS;
        let bits = if self.metric == variant::Metric::Wdl { WDL_BITS } else { DISTANCE_BITS };
        Estimate {
            by_men,
            n_slices,
            n_values,
            seconds: work / n_threads.max(1) as f64,
            // Some slices are solved at a time, and some of what they read is there.
            memory_bytes: (largest_slice * BYTES_PER_PLACEMENT).max(1 << 28) + (n_slices << 8),
            disk_bytes: n_values / 8 * bits + (n_slices << 5),
        }
    }

    /// `K+Q v K`: the men of a kind that are no pawns.
    fn mobile_name(&self, kind: crate::pawn_material::PawnMaterialId) -> String {
        let kind = self.graph.kinds.get(kind);
        let of_side = |side: Side| {
            let own = kind.men.iter().filter(|man| man.side == side && !self.variant.is_pawn(**man));
            let letters = own.map(|man| self.variant.piece(man.piece).letter.to_string());
            let letters: Vec<String> = letters.collect();
            if letters.is_empty() { "-".into() } else { letters.join("+") }
        };
        format!("{} v {}", of_side(Side::White), of_side(Side::Black))
    }
}
