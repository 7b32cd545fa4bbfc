//! Describes what is to be solved: positions, a limit, and all slices that can come from them; what that
//! takes, and how its file is named.

use crate::file::{EXTENSION, FileIndex, PART};
use crate::graph::{GraphCap, Job, Jobs};
use crate::pawn_material::PawnMaterial;
use crate::{Bound, Concession, Graph, Kept, Limit, StructureError, TablesAtHand, Watch};
use ::solve::{Planes, Unwatched, footprint, sliced_footprint};
use export::flat::name_of_slice;
use geometry::{Square, Symmetry};
use position::{Position, RuleBook};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use variant::{Man, Material, Metric, Side, Variant};

/// The most men of a slice that are no pawns.
pub const MAX_MOBILE: usize = 8;

/// Positions and all that can come from them.
#[derive(Debug)]
pub struct Structure {
    pub(crate) variant: Variant,
    pub(crate) metric: Metric,
    pub(crate) roots: Vec<Position>,
    pub(crate) limit: Limit,
    pub(crate) bounds: Vec<Bound>,
    /// Shared by the runs for both bounds where these lead to the same slices.
    pub(crate) graph: Arc<Graph>,
    pub(crate) jobs: Jobs,
}

impl Structure {
    /// Follows positions to all slices that can come from them inside a limit, `most` slices at most.
    /// Without a limit the values themselves are to be found, with one these bounds.
    ///
    /// # Errors
    /// There are too many men or too many slices, or no move may give check and the limit is not of squares.
    pub fn new(
        variant: &Variant,
        metric: Metric,
        roots: &[Position],
        limited: (Limit, &[Bound]),
        most: usize,
    ) -> Result<Self, StructureError> {
        Structure::using(variant, metric, roots, limited, None, most)
    }

    /// Like [`Self::new`]; materials whose tables are at hand are not solved but read.
    ///
    /// # Errors
    /// As [`Structure::new`].
    pub fn using(
        variant: &Variant,
        metric: Metric,
        roots: &[Position],
        limited: (Limit, &[Bound]),
        using: TablesAtHand,
        most: usize,
    ) -> Result<Self, StructureError> {
        let most = GraphCap { slices: most, ..GraphCap::default() };
        Structure::within(variant, metric, roots, limited, using, (most, &Unwatched))
    }

    /// Like `new`, followed until there are too many values, too, or until the watcher interrupts it.
    pub(crate) fn within(
        variant: &Variant,
        metric: Metric,
        roots: &[Position],
        (limit, bounds): (Limit, &[Bound]),
        using: TablesAtHand,
        watched: (GraphCap, &dyn Watch),
    ) -> Result<Self, StructureError> {
        if let Some(first) = roots.first().filter(|_| variant.rules.check_counting.is_some()) {
            let material = first.material().canonical(variant).name(variant);
            return Err(StructureError::ChecksCounted { variant: variant.name.clone(), material });
        }
        // What lies outside has a value without being looked at, but a move that gives check is none.
        let has_outside = !limit.allows_all_men() || !limit.conceded.is_empty();
        if has_outside && !variant.rules.checking {
            let variant = variant.name.clone();
            return Err(StructureError::ChecksForbidden { variant, limit: Box::new(limit) });
        }
        let limit = limit.with_beginning(variant, roots);
        let variant = &limit.game(variant);
        let bounds = if limit.is_none() { &[Bound::Exact] } else { bounds };
        let graph = Graph::new(variant, roots, (&limit, bounds), using, watched)?;
        for id in graph.in_order() {
            let kind = graph.get(id);
            let (got, most) = (kind.n_mobile(), MAX_MOBILE);
            if got > most {
                let material = kind.material.name(variant);
                return Err(StructureError::TooManyMobile { material, got, most });
            }
        }
        let jobs = Jobs::new(variant, &graph, &limit, bounds);
        let (variant, roots, bounds) = (variant.clone(), roots.to_vec(), bounds.to_vec());
        Ok(Structure { variant, metric, roots, limit, bounds, graph: Arc::new(graph), jobs })
    }

    /// The run for the other bound inside a limit that counts men whatever they are and gives nothing
    /// away: it follows the same slices.
    pub(crate) fn for_bound(&self, bound: Bound) -> Self {
        let bounds = vec![bound];
        let jobs = Jobs::new(&self.variant, &self.graph, &self.limit, &bounds);
        let (variant, metric, roots) = (self.variant.clone(), self.metric, self.roots.clone());
        Structure {
            variant,
            metric,
            roots,
            limit: self.limit.clone(),
            bounds,
            graph: self.graph.clone(),
            jobs,
        }
    }

    /// The rules.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// What the values are.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The positions.
    #[must_use]
    pub fn roots(&self) -> &[Position] {
        &self.roots
    }

    /// The limit.
    #[must_use]
    pub fn limit(&self) -> &Limit {
        &self.limit
    }

    /// What is to be found: the values, or bounds of them.
    #[must_use]
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// The names of the materials whose tables are read instead of being solved.
    pub fn used(&self) -> impl Iterator<Item = String> {
        self.graph.used.iter().map(|material| material.name(&self.variant))
    }

    /// The slices.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The index of the file, without tables.
    pub(crate) fn head(&self) -> FileIndex {
        let Structure { variant, metric, roots, limit, bounds, .. } = self;
        FileIndex {
            used: self.used().collect(),
            ..FileIndex::of_roots(variant, *metric, roots, limit, bounds)
        }
    }
}

impl FileIndex {
    /// The index of a file that is to hold these bounds of positions, without tables.
    pub(crate) fn of_roots(
        variant: &Variant,
        metric: Metric,
        roots: &[Position],
        limit: &Limit,
        bounds: &[Bound],
    ) -> Self {
        let book = RuleBook::new(variant);
        FileIndex {
            variant: variant.name.clone(),
            rules: rules_of(variant, roots, metric),
            metric: metric.name().into(),
            roots: roots.iter().map(|root| root.to_fen(&book)).collect(),
            limit: limit.clone(),
            bounds: bounds.to_vec(),
            used: Vec::new(),
            program: concat!("tablesmith ", env!("CARGO_PKG_VERSION")).into(),
            tables: Vec::new(),
        }
    }

    /// The index without its tables, which are most of it.
    pub(crate) fn head(&self) -> Self {
        FileIndex {
            variant: self.variant.clone(),
            rules: self.rules.clone(),
            metric: self.metric.clone(),
            roots: self.roots.clone(),
            limit: self.limit.clone(),
            bounds: self.bounds.clone(),
            used: self.used.clone(),
            program: self.program.clone(),
            tables: Vec::new(),
        }
    }

    /// Names all that the values of a head depend on.
    pub(crate) fn identity(&self) -> [u8; 32] {
        let head = serde_json::to_vec(self).expect("a head is plain data");
        let version = solve::VERSION.to_le_bytes();
        *blake3::Hasher::new().update(&version).update(&head).finalize().as_bytes()
    }
}

/// The hash of the rules for all men that positions have, as hexadecimal digits.
pub(crate) fn rules_of(variant: &Variant, roots: &[Position], metric: Metric) -> String {
    let mut men: Vec<_> = roots.iter().flat_map(|root| root.men()).map(|(man, _)| man).collect();
    men.sort_unstable();
    men.dedup();
    format::rules_hash(variant, &Material::from_men(men), metric).to_string()
}

impl Limit {
    /// This limit, the men of these positions being there from the beginning.
    pub(crate) fn with_beginning(self, variant: &Variant, roots: &[Position]) -> Self {
        let of_side = |side: Side| {
            // Of several positions each piece as often as the one has it that has most.
            let pieces = variant.piece_ids().flat_map(|piece| {
                let n_in = |root: &Position| root.men_of(side).filter(|(man, _)| man.piece == piece).count();
                let n = roots.iter().map(n_in).max().unwrap_or(0);
                std::iter::repeat_n(variant.piece(piece).letter, n)
            });
            pieces.collect()
        };
        Limit { beginning: Side::BOTH.map(of_side), ..self }
    }
}

/// The tables of a structure whose mobile men are the same.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MobileMen {
    /// The men that are no pawns, of White and of Black: `K+Q v K`.
    #[serde(rename = "men")]
    pub name: String,
    /// How many pawns the smallest and the largest have.
    #[serde(skip)]
    pub n_pawns: (usize, usize),
    /// Slices, those counted twice that are solved for both bounds.
    #[serde(rename = "slices")]
    pub n_slices: u64,
    /// Values, both sides to move.
    #[serde(rename = "values")]
    pub n_values: u64,
}

/// What solving a structure takes.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Estimate {
    /// All slices.
    #[serde(rename = "slices")]
    pub n_slices: u64,
    /// All values, both sides to move.
    #[serde(rename = "values")]
    pub n_values: u64,
    /// The time on this many threads.
    pub seconds: f64,
    /// The least memory that suffices, roughly.
    pub memory_bytes: u64,
    /// The file, roughly.
    pub disk_bytes: u64,
    /// By mobile men, the most values first.
    pub by_men: Vec<MobileMen>,
}

/// Values a second and thread of large slices, and what each slice costs beside its values.
///
/// Source: docs/structures.md, measured on two cores with AVX-512.
const VALUES_PER_SECOND: f64 = 30e6;
const SLICE_SECONDS: f64 = 40e-6;

/// A value in the file, packed: distances and who wins.
const DISTANCE_BITS: u64 = 3;
const WDL_BITS: u64 = 1;

impl Structure {
    /// The values of positions with at most this many men.
    pub(crate) fn n_values_up_to(&self, n_men: usize) -> u64 {
        let few = self.jobs.all.iter().filter(|job| self.graph.get(job.kind).men.len() <= n_men);
        few.map(|job| job.n_values).sum()
    }

    /// What solving the structure takes with this many threads.
    #[must_use]
    pub fn estimate(&self, n_threads: usize) -> Estimate {
        let mut by_men: BTreeMap<String, MobileMen> = BTreeMap::new();
        let mut memory_bytes = 1 << 28;
        for job in &self.jobs.all {
            let kind = self.graph.get(job.kind);
            let name = self.mobile_name(kind);
            let n_pawns = kind.pawns.len();
            let own = by_men.entry(name.clone()).or_insert(MobileMen {
                name,
                n_pawns: (n_pawns, n_pawns),
                n_slices: 0,
                n_values: 0,
            });
            own.n_pawns = (own.n_pawns.0.min(n_pawns), own.n_pawns.1.max(n_pawns));
            own.n_slices += job.size.n_slices;
            own.n_values += job.n_values;
            let reading = self.jobs.read_by(job).map(Job::slices_bytes).sum::<u64>();
            memory_bytes = memory_bytes.max(self.solving_bytes(job, true, n_threads) + reading);
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
            memory_bytes: memory_bytes + (n_slices << 8),
            disk_bytes: n_values / 8 * bits + (n_slices << 5),
        }
    }

    /// What solving a table takes beside the tables that it reads: all its slices at once, or one after
    /// the other if it has pawns.
    pub(crate) fn solving_bytes(&self, job: &Job, by_slices: bool, n_threads: usize) -> u64 {
        let (material, options) = (&self.graph.get(job.kind).material, self.metric.into());
        let footprint = match by_slices && job.size.n_pawns > 0 {
            true => {
                let in_memory = (options, u64::MAX, Planes::InMemory);
                sliced_footprint(&self.variant, material, &job.size, in_memory, n_threads)
            }
            false => footprint(&self.variant, material, &job.size, options, n_threads),
        };
        footprint.total()
    }

    /// `K+Q v K`: the men of a kind that are no pawns.
    fn mobile_name(&self, kind: &PawnMaterial) -> String {
        let of_side = |side: Side| {
            let own = kind.men.iter().filter(|man| man.side == side && !self.variant.is_pawn(**man));
            let letters = own.map(|man| self.variant.piece(man.piece).letter.to_string());
            let letters: Vec<String> = letters.collect();
            if letters.is_empty() { "-".into() } else { letters.join("+") }
        };
        format!("{} v {}", of_side(Side::White), of_side(Side::Black))
    }
}

/// The most bytes of a file's name on the systems that people use.
const MOST_BYTES: usize = 255;

/// The most bytes that a limit takes of a name that people are to read.
const MOST_LIMIT_BYTES: usize = 80;

/// This many letters of a hash stand for what is left out of a name.
const N_LETTERS: usize = 12;

/// The files that a structure may have; `given` is the name that the caller has chosen. A new one gets the
/// first name, that of the caller's squares. A mirror image has the same values, so its file serves too.
///
/// ```text
///   wKQd6-bKQ . wdl . p0 . m4 . least . tss
///   slice       |     |    |    bound
///               |     limit
///               the metric, if it is not the game's own
/// ```
///
/// The name of a slice is Baccala's: king, queen and a pawn on d6 against king and queen. Colours are not
/// exchanged, because a bound is one of White's.
pub(crate) fn file_names(
    variant: &Variant,
    given: Option<&str>,
    metric: Metric,
    roots: &[Position],
    limited: (&Limit, &[Bound]),
) -> Vec<PathBuf> {
    let (limit, bounds) = limited;
    let bound = match bounds {
        [Bound::Lower] => ".least",
        [Bound::Upper] => ".most",
        _ => "",
    };
    let mut names = match (given, roots.first()) {
        (None, Some(first)) => {
            let group = symmetries(variant, first).into_iter();
            group.map(|symmetry| name_of_images(variant, roots, symmetry)).collect()
        }
        (given, _) => vec![given.unwrap_or_default().to_owned()],
    };
    names.dedup();
    let file = |name: String| {
        let name = if metric == variant.default_metric { name } else { format!("{name}.{metric}") };
        fitting(&name, &limit_words(limit), bound).into()
    };
    names.into_iter().map(file).collect()
}

/// What a file name says of the limit.
fn limit_words(limit: &Limit) -> String {
    let mut words = match limit.holder() {
        None => String::new(),
        Some(Side::White) => ".draw-w".into(),
        Some(Side::Black) => ".draw-b".into(),
    };
    if limit.is_race {
        return words + ".race";
    }
    if let Some(n) = limit.in_all {
        words += &format!(".p{n}");
    }
    if let [Some(white), Some(black)] = limit.each {
        words += &format!(".p{white}-{black}");
    }
    if limit.first_only {
        words.push('q');
    }
    if let Some(n) = limit.captured {
        words += &format!(".c{n}");
    }
    if let Some(n) = limit.own_pawns_stand {
        words += &format!(".s{n}");
    }
    if limit.few_men > 0 {
        words += &format!(".m{}", limit.few_men);
    }
    words.extend(limit.kept.iter().map(Kept::file_words));
    words.extend(limit.conceded.iter().map(Concession::file_words));
    words
}

/// A name with its ending that is not too long for a file, nor while the file is in the making: a hash
/// stands for the limit, or for the end of the name, where there is no room for it.
fn fitting(name: &str, limit: &str, bound: &str) -> String {
    let ending = format!("{bound}.{EXTENSION}");
    let room = MOST_BYTES - ending.len() - PART.len() - 1;
    if limit.len() <= MOST_LIMIT_BYTES && name.len() + limit.len() <= room {
        return format!("{name}{limit}{ending}");
    }
    let limit = if limit.is_empty() { String::new() } else { format!(".limit-{}", hash(limit)) };
    if name.len() + limit.len() <= room {
        return format!("{name}{limit}{ending}");
    }
    let most = room - limit.len() - N_LETTERS - 1;
    let n = (0..=most).rev().find(|&n| name.is_char_boundary(n)).unwrap_or(0);
    format!("{}-{}{limit}{ending}", &name[..n], hash(name))
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..N_LETTERS].to_owned()
}

impl Structure {
    /// The name of the slice of the first root: `wKQd6-bKQ`. Where roots are of several slices, how many
    /// more there are and a hash of their names follow.
    #[must_use]
    pub fn name(&self) -> String {
        name_of_roots(self.variant(), self.roots())
    }

    /// The files that the results may have, a new one's first.
    pub(crate) fn file_names(&self, given: Option<&str>) -> Vec<PathBuf> {
        file_names(&self.variant, given, self.metric, &self.roots, (&self.limit, &self.bounds))
    }
}

/// The name of the slices of positions.
pub(crate) fn name_of_roots(variant: &Variant, roots: &[Position]) -> String {
    name_of_images(variant, roots, Symmetry::IDENTITY)
}

/// Like [`name_of_roots`], of the images of the positions.
fn name_of_images(variant: &Variant, roots: &[Position], symmetry: Symmetry) -> String {
    let Some(first) = roots.first() else { return String::new() };
    let first = slice_name(variant, first, symmetry);
    // Mirror images are of one slice.
    let one_of_images = |root: &Position| {
        let group = symmetries(variant, root).into_iter();
        group.map(|symmetry| slice_name(variant, root, symmetry)).min()
    };
    let all: BTreeSet<String> = roots.iter().filter_map(one_of_images).collect();
    match all.len() {
        1 => first,
        n => {
            let names: Vec<String> = all.into_iter().collect();
            format!("{first}-and-{}-more-{}", n - 1, hash(&names.join(" ")))
        }
    }
}

/// The symmetries of the board under which a position keeps its value.
fn symmetries(variant: &Variant, position: &Position) -> Vec<Symmetry> {
    index::symmetry_group(variant, &position.material())
}

/// The name of the slice that the image of a position is of.
fn slice_name(variant: &Variant, position: &Position, symmetry: Symmetry) -> String {
    let material = position.material();
    let pawns = position.men().filter(|&(man, _)| variant.is_pawn(man));
    let mut pawns: Vec<(Man, Square)> =
        pawns.map(|(man, square)| (man, symmetry.square(&variant.board, square))).collect();
    pawns.sort_unstable();
    let pawns: Vec<Square> = pawns.into_iter().map(|(_, square)| square).collect();
    name_of_slice(variant, &material, &pawns)
}

#[cfg(test)]
mod tests {
    use crate::structure::*;
    use crate::{Limit, MAX_SLICES};
    use position::RuleBook;
    use variant::Metric;

    fn structure(fens: &[&str], limit: Limit) -> Structure {
        let variant = Variant::chess();
        let book = RuleBook::new(&variant);
        let roots: Vec<Position> =
            fens.iter().map(|fen| Position::from_fen(&book, fen).expect("a position")).collect();
        let bounds = [Bound::Lower];
        Structure::new(&variant, Metric::Wdl, &roots, (limit, &bounds), MAX_SLICES)
            .expect("a small structure")
    }

    #[track_caller]
    fn check(fens: &[&str], limit: Limit, expected: &str) {
        let path = structure(fens, limit).file_names(None).remove(0);
        assert_eq!(path.to_str(), Some(expected), "{fens:?}");
    }

    #[test]
    fn names_are_those_of_slices() {
        // A pawn and its mirror image; wherever the kings stand.
        check(&["8/8/4P3/8/8/8/k7/6K1 w - - 0 1"], Limit::none(), "wKe6-bK.wdl.tss");
        check(&["8/8/3P4/8/8/k7/8/6K1 b - - 0 1"], Limit::none(), "wKd6-bK.wdl.tss");
        let images = structure(&["8/8/4P3/8/8/8/k7/6K1 w - - 0 1"], Limit::none()).file_names(None);
        assert_eq!(images, ["wKe6-bK.wdl.tss", "wKd6-bK.wdl.tss"].map(PathBuf::from));
        check(&["8/8/3P4/8/8/k3p3/8/6K1 b - - 0 1"], Limit::in_all(0), "wKd6-bKe3.wdl.p0.least.tss");
        // Colours are not exchanged.
        check(&["8/8/8/8/8/k3p3/8/6K1 b - - 0 1"], Limit::none(), "wK-bKe3.wdl.tss");
        // Two positions of one slice, and of two.
        let two = ["8/8/4P3/8/8/8/k7/6K1 w - - 0 1", "8/8/3P4/8/8/8/k7/6K1 w - - 0 1"];
        check(&two, Limit::none(), "wKe6-bK.wdl.tss");
        let two = structure(&[two[0], "8/8/8/4P3/8/8/k7/6K1 w - - 0 1"], Limit::none()).name();
        assert!(two.starts_with("wKe6-bK-and-1-more-") && two.len() == 31, "{two}");
    }

    #[test]
    fn names_are_never_too_long_for_a_file() {
        let variant = Variant::chess();
        let short = structure(&["8/8/4P3/8/8/8/k7/6K1 w - - 0 1"], Limit::none());
        let words: Vec<_> = ["w=N", "w=B", "w=R", "wd6d7", "we6e7", "wx*", "stalemate", "KBvK", "no-table"]
            .into_iter()
            .cycle()
            .take(40)
            .map(|word| Concession::to(&variant, Side::Black, word).expect("a word"))
            .collect();
        let long = structure(&["8/8/4P3/8/8/8/k7/6K1 w - - 0 1"], Limit::none().with_conceded(words));
        let mut all = BTreeSet::new();
        // Letters of two bytes are not torn apart.
        for given in ["a", &"a".repeat(300), &"ä".repeat(200), &("b".to_owned() + &"ä".repeat(200))] {
            for structure in [&short, &long] {
                let path = structure.file_names(Some(given)).remove(0);
                let name = path.to_str().expect("text").to_owned();
                assert!(name.len() + PART.len() < MOST_BYTES && name.ends_with(".tss"), "{name}");
                assert_eq!(structure.file_names(Some(given)), [std::path::PathBuf::from(&name)]);
                all.insert(name);
            }
        }
        assert_eq!(all.len(), 8, "{all:#?}");
        // What has room says everything.
        assert!(all.contains("a.wdl.tss"), "{all:#?}");
    }
}
