//! Tries limits, the cheapest first, until positions are known exactly.

mod tried_limit;

use self::tried_limit::{cost, limits_of_pawns, limits_with, nearer_to_promotion};
use crate::file::FileIndex;
use crate::graph::GraphCap;
use crate::loan::Neighbours;
use crate::race::{self, Race, RaceSize};
use crate::run::solve_beside;
use crate::structure::{Estimate, file_names, name_of_roots};
use crate::{Bound, Limit, SolvedStructure, Structure, StructureError, TablesAtHand, Unwatched, Watch};
use position::Position;
use probe::{Answer, Ask};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{Scale, threads};
use variant::{Metric, Side, Variant};

/// What is to be known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Its value, and which moves keep it.
    Moves,
    /// Its value.
    Verdict,
    /// Whether this side loses.
    Holds(Side),
}

/// What is to be known.
#[derive(Clone, Debug)]
pub struct Question {
    /// The metric.
    pub metric: Metric,
    /// The positions.
    pub roots: Vec<Position>,
    /// Whether all positions with the pawns as in the roots are to be known, and not the roots only: then no
    /// limit is tried that the caller has not chosen.
    pub is_whole: bool,
    /// The name of the results; none for that of the first position.
    pub name: Option<String>,
    /// What is to be known of each position.
    pub goal: Goal,
    /// The limit, if the caller has chosen one.
    pub limit: Option<Limit>,
    /// The tables that are at hand, of the same metric.
    pub using: TablesAtHand,
    /// Folders of structures whose slices serve, beside the folder that results go into.
    pub neighbours: Vec<PathBuf>,
    /// No more values than this are solved under one limit.
    pub most_values: u64,
    /// No more memory than this is taken.
    pub memory_bytes: u64,
    /// How many threads compute.
    pub n_threads: usize,
}

impl Question {
    /// Asks for all that is to be known of positions: no limit is chosen, no tables are at hand, and values
    /// and memory are what it takes.
    #[must_use]
    pub fn new(metric: Metric, roots: Vec<Position>) -> Self {
        Question {
            metric,
            roots,
            is_whole: false,
            name: None,
            goal: Goal::Moves,
            limit: None,
            using: None,
            neighbours: Vec::new(),
            most_values: u64::MAX,
            memory_bytes: u64::MAX,
            n_threads: rayon::current_num_threads(),
        }
    }
}

/// What a run under one limit would take.
#[derive(Debug)]
pub struct Stage {
    /// The limit.
    pub limit: Limit,
    /// What is found: the values, or a bound of them.
    pub bound: Bound,
    /// What it takes; why it cannot be had.
    pub structure: Result<(Structure, Estimate), StructureError>,
}

/// What a search has found.
#[derive(Debug)]
pub struct SearchResult {
    /// The structures that were solved, the last one last.
    pub structures: Vec<Arc<SolvedStructure>>,
    /// What they say together of each of the positions; nothing where all of them are to be known.
    pub answers: Vec<Answer>,
    /// Why no more is known; none if all that was asked for is.
    pub open: Option<OpenReason>,
}

/// Why a search has ended before everything was known.
#[derive(Debug, thiserror::Error)]
pub enum OpenReason {
    /// The next run is not allowed, or the caller has stopped the search.
    #[error(transparent)]
    Stopped(StructureError),
    /// No run is left.
    #[error("{0} it cannot be told; allow more promoted men with --promoted")]
    Limit(Box<Limit>),
    /// No run is left of those that choose limits themselves.
    #[error("all limits were tried, up to two promoted men; choose another one with --promoted")]
    Tried,
}

/// Watches how a search goes on.
pub trait SearchWatch: Watch {
    /// A run under this limit begins.
    fn begin(&self, _structure: &Structure, _estimate: &Estimate) {}

    /// A pawn race is so large; it is proved now.
    fn begin_race(&self, _name: &str, _size: RaceSize) {}

    /// Who wins each of the positions by a rule of thumb; none for a draw.
    fn guessed(&self, _winners: &[Option<Side>]) {}

    /// A run has come to its end: what all runs together say of each position, if positions are asked for,
    /// and whether that is all that is to be known.
    fn end(&self, _structure: &SolvedStructure, _answers: &[Answer], _is_exact: bool) {}
}

impl SearchWatch for Unwatched {}

/// Positions of as many men as make no more values than this are solved whatever has been promoted.
const CHEAP_VALUES: u64 = 1 << 30;

/// At most this many men are called few.
const MOST_FEW_MEN: u8 = 4;

/// A run without a limit that has no more values than this comes first, whatever is cheaper: it says
/// everything.
const SMALL_VALUES: u64 = 1 << 30;

/// A run without a limit that has no more values than this takes seconds, and comes before a pawn race.
const RACE_VALUES: u64 = 1 << 28;

/// Of the files that may have an answer the first that serves, opened; else the path of a new one.
fn file_in(
    folder: &Path,
    names: Vec<PathBuf>,
    open: impl Fn(&Path) -> Result<SolvedStructure, StructureError>,
    serves: impl Fn(&SolvedStructure) -> bool,
) -> Result<SolvedStructure, PathBuf> {
    let paths: Vec<PathBuf> = names.into_iter().map(|name| folder.join(name)).collect();
    let found = paths.iter().find_map(|path| open(path).ok().filter(&serves));
    found.ok_or_else(|| paths.into_iter().next().unwrap_or_default())
}

/// What limits are planned with: the game, where a graph is no longer followed, and who watches.
type Planned<'a> = (&'a Variant, GraphCap, &'a dyn Watch);

impl Question {
    /// The limits that may be tried, with what each takes, whether it is allowed or not: no limit first, then
    /// the others. All threads of the current pool plan at once.
    #[must_use]
    pub fn stages(&self, variant: &Variant, watch: &dyn Watch) -> Vec<Stage> {
        let planned = (variant, GraphCap::default(), watch);
        let Some(limit) = &self.limit else {
            let mut stages = vec![self.stage(planned, Limit::none(), Bound::Exact)];
            if !self.is_whole && !self.fits(&stages[0]) {
                let (few_men, first, second) = self.few_men(planned);
                let mut limits = limits_with(few_men);
                let upper = limits.split_off(limits.len() / 2);
                for (stage, limits) in [(Some(first), limits), (second, upper)] {
                    let others = limits[1..].iter().cloned();
                    let others = threads::map(others, |(limit, bound)| self.stage(planned, limit, bound));
                    stages.extend(stage.into_iter().chain(others));
                }
                let of_pawns = limits_of_pawns(variant, &self.roots, few_men);
                stages.extend(threads::map(of_pawns, |(limit, bound)| self.stage(planned, limit, bound)));
            }
            return stages;
        };
        limit.bounds().into_iter().map(|bound| self.stage(planned, limit.clone(), bound)).collect()
    }

    /// Whether no limit is needed.
    #[must_use]
    pub fn fits_without_limit(&self, variant: &Variant, watch: &dyn Watch) -> bool {
        let unlimited = || self.stage((variant, self.cap(), watch), Limit::none(), Bound::Exact);
        self.limit.as_ref().is_none_or(Limit::is_none) && self.fits(&unlimited())
    }

    /// What has more values than are allowed is not followed to its end.
    fn cap(&self) -> GraphCap {
        GraphCap { values: self.most_values, ..GraphCap::default() }
    }

    fn stage(&self, (variant, most, watch): Planned<'_>, limit: Limit, bound: Bound) -> Stage {
        let limit = match self.goal {
            Goal::Holds(holder) => limit.with_holder(holder),
            Goal::Moves | Goal::Verdict => limit,
        };
        let limited = (limit.clone(), &[bound][..]);
        let using = self.using.clone();
        let watched = (most, watch);
        let structure = Structure::within(variant, self.metric, &self.roots, limited, using, watched);
        Stage { limit, bound, structure: structure.map(|structure| self.estimated(structure)) }
    }

    fn estimated(&self, structure: Structure) -> (Structure, Estimate) {
        let estimate = structure.estimate(self.n_threads);
        (structure, estimate)
    }

    fn fits(&self, stage: &Stage) -> bool {
        matches!(&stage.structure, Ok((_, estimate)) if self.allows(estimate))
    }

    /// Of how many men positions are so cheap that no limit is needed, and the first limit with that, which
    /// was planned to find out, for both bounds.
    fn few_men(&self, planned: Planned<'_>) -> (u8, Stage, Option<Stage>) {
        let stage = |few_men| self.stage(planned, Limit::in_all(0).with_few_men(few_men), Bound::Lower);
        let is_cheap = |few_men: u8, stage: &Stage| {
            let structure = stage.structure.as_ref().map(|(structure, _)| structure);
            structure.is_ok_and(|structure| structure.n_values_up_to(few_men.into()) <= CHEAP_VALUES)
        };
        let first = |few_men| Some((few_men, stage(few_men))).filter(|(_, first)| is_cheap(few_men, first));
        let chosen = first(MOST_FEW_MEN).or_else(|| {
            let none = stage(0);
            // What is too much without them is too much with them.
            let few = if self.fits(&none) { first(MOST_FEW_MEN - 1) } else { None };
            few.or(Some((0, none)))
        });
        let (few_men, first) = chosen.expect("no men are few");
        // What stops one bound stops the other, and is said once.
        let second = first.structure.as_ref().ok().map(|(structure, _)| {
            let structure = Ok(self.estimated(structure.for_bound(Bound::Upper)));
            Stage { limit: first.limit.clone(), bound: Bound::Upper, structure }
        });
        (few_men, first, second)
    }

    /// Whether a run that takes so much is allowed.
    #[must_use]
    pub fn allows(&self, estimate: &Estimate) -> bool {
        estimate.n_values <= self.most_values && estimate.memory_bytes <= self.memory_bytes
    }

    /// Solves the roots under one limit after the other, from the cheapest on, until all are known exactly
    /// or what is left is not allowed. The bounds of all runs count together.
    ///
    /// Files go into a folder; one that is there is not solved again. What is known when the watcher stops
    /// the search is found all the same.
    ///
    /// # Errors
    /// Nothing is allowed, or a file cannot be written.
    pub fn solve(
        &self,
        variant: &Variant,
        folder: &Path,
        watch: &dyn SearchWatch,
    ) -> Result<SearchResult, StructureError> {
        let scale = Scale::new(self.metric, &variant.rules);
        let nothing = |root: &Position| Answer::unknown(root.clone(), scale, Vec::new());
        let answers = self.asked().iter().map(nothing).collect();
        let mut found = SearchResult { structures: Vec::new(), answers, open: None };
        let is_race = self.metric == Metric::Wdl && self.is_race(variant, watch);
        let raced = if is_race { self.solve_race(variant, folder, watch) } else { Ok(None) };
        if let Err(error @ StructureError::Interrupted { .. }) = raced {
            found.open = Some(OpenReason::Stopped(error));
            return Ok(found);
        }
        if let Some(solved) = raced?
            && self.take(solved, &mut found, watch)?
        {
            return Ok(found);
        }
        let open = |path: &Path| self.open(path, variant);
        let mut runs = self.runs(variant, watch);
        let mut neighbours = Neighbours::default();
        let folders: Vec<&Path> =
            std::iter::once(folder).chain(self.neighbours.iter().map(PathBuf::as_path)).collect();
        while let Some((structure, estimate)) = runs.next(variant, watch) {
            let names = structure.file_names(self.name.as_deref());
            let head = structure.head();
            let serves = |solved: &SolvedStructure| solved.serves(&head, &self.roots, &self.using);
            let solved = match file_in(folder, names, open, serves) {
                Ok(solved) => solved,
                Err(path) => {
                    watch.begin(&structure, &estimate);
                    let beside = neighbours.of(&folders, self.metric, open);
                    match solve_beside(&structure, &beside, &path, self.memory_bytes, watch) {
                        Err(error @ StructureError::Interrupted { .. }) => {
                            found.open = Some(OpenReason::Stopped(error));
                            return Ok(found);
                        }
                        solved => solved?,
                    }
                    open(&path)?
                }
            };
            if self.take(solved, &mut found, watch)? {
                return Ok(found);
            }
        }
        let refused = runs.refused.map(|(_, error)| error);
        found.open = match (refused, &self.limit) {
            (Some(error), _) if found.structures.is_empty() && !error.is_interrupt() => return Err(error),
            (Some(error), _) => Some(OpenReason::Stopped(error)),
            // Who asks for one bound, or for all positions, has what there is.
            (None, Some(limit)) if self.is_whole || limit.bounds().len() == 1 => None,
            (None, Some(limit)) => Some(OpenReason::Limit(Box::new(limit.clone()))),
            (None, None) => Some(OpenReason::Tried),
        };
        Ok(found)
    }

    fn open(&self, path: &Path, variant: &Variant) -> Result<SolvedStructure, StructureError> {
        Ok(SolvedStructure::open(path, variant)?.with_tables(self.using.clone()))
    }

    /// The positions that are asked about; none if all of the structure's are.
    fn asked(&self) -> &[Position] {
        if self.is_whole { &[] } else { &self.roots }
    }

    /// Takes what a run has found to what is known; whether that is all that is to be known.
    fn take(
        &self,
        solved: SolvedStructure,
        found: &mut SearchResult,
        watch: &dyn SearchWatch,
    ) -> Result<bool, StructureError> {
        let solved = Arc::new(solved);
        for (root, answer) in self.asked().iter().zip(&mut found.answers) {
            let own = solved.answer(root, &Ask::MOVES).map_err(|error| {
                StructureError::damaged(solved.path(), format!("the position is not in it ({error})"))
            })?;
            *answer = answer.clone().and(own);
        }
        let is_exact = match self.is_whole {
            true => solved.is_exact(),
            false => self.roots.iter().zip(&found.answers).all(|(root, told)| self.is_answered(root, told)),
        };
        watch.end(&solved, &found.answers, is_exact);
        found.structures.push(solved);
        Ok(is_exact)
    }

    /// Whether kings and pawns are asked about, no limit is chosen, and all values together would take longer
    /// than seconds: then who wins is known much sooner than how soon.
    #[must_use]
    pub fn is_race(&self, variant: &Variant, watch: &dyn Watch) -> bool {
        let is_free = self.limit.is_none() && !self.is_whole;
        is_free && race::suits(variant, &self.roots) && !self.takes_seconds(variant, watch)
    }

    /// Whether all values can be had within seconds, without a limit.
    fn takes_seconds(&self, variant: &Variant, watch: &dyn Watch) -> bool {
        let cap = GraphCap { values: RACE_VALUES, ..GraphCap::default() };
        let unlimited = self.stage((variant, cap, watch), Limit::none(), Bound::Exact).structure;
        unlimited.is_ok_and(|(_, estimate)| estimate.n_values <= RACE_VALUES)
    }

    /// What proving a pawn race takes, and under which limit it is solved; none if this is no race, or too
    /// large a one.
    #[must_use]
    pub fn race_estimate(&self, variant: &Variant, watch: &dyn Watch) -> Option<(Limit, Estimate)> {
        let race = || Race::new(variant, &self.roots, self.memory_bytes, watch);
        let is_race = self.metric == Metric::Wdl && self.is_race(variant, watch);
        let estimate = is_race.then(race)??.estimate(self.n_threads);
        self.allows(&estimate).then(|| (Limit::race(), estimate))
    }

    /// Proves who wins a pawn race, or takes the file of an earlier run; none if it is too large, or no
    /// ending of kings and pawns.
    ///
    /// # Errors
    /// The watcher has stopped it, or a file cannot be written.
    pub fn solve_race(
        &self,
        variant: &Variant,
        folder: &Path,
        watch: &dyn SearchWatch,
    ) -> Result<Option<SolvedStructure>, StructureError> {
        let limit = Limit::race().with_beginning(variant, &self.roots);
        let bounds = limit.bounds();
        let head = FileIndex::of_roots(variant, self.metric, &self.roots, &limit, &bounds);
        let name = self.name.as_deref();
        let names = file_names(variant, name, self.metric, &self.roots, (&limit, &bounds));
        let serves = |solved: &SolvedStructure| solved.serves(&head, &self.roots, &self.using);
        let path = match file_in(folder, names, |path| self.open(path, variant), serves) {
            Ok(solved) => return Ok(Some(solved)),
            Err(path) => path,
        };
        let race = Race::new(variant, &self.roots, self.memory_bytes, watch);
        let Some(race) = race.filter(|race| self.allows(&race.estimate(self.n_threads))) else {
            return Ok(None);
        };
        if let Some(winners) = race.guess(watch) {
            watch.guessed(&winners);
        }
        watch.begin_race(&name_of_roots(variant, &self.roots), race.size());
        race.solve(head, &path, watch)?;
        self.open(&path, variant).map(Some)
    }

    /// Whether what is known of a root is all that is asked for.
    fn is_answered(&self, root: &Position, answer: &Answer) -> bool {
        match self.goal {
            Goal::Moves => answer.is_exact(),
            Goal::Verdict => answer.value.is_exact(),
            Goal::Holds(holder) if holder == root.stm() => answer.value.tells_loss(),
            Goal::Holds(_) => answer.value.tells_win(),
        }
    }

    fn too_dear(&self, structure: &Structure, estimate: &Estimate) -> StructureError {
        let dearest = estimate.by_men.iter().take(3);
        StructureError::TooDear {
            limit: Box::new(structure.limit().clone()),
            n_values: estimate.n_values,
            most_values: self.most_values,
            memory_bytes: estimate.memory_bytes,
            most_memory_bytes: self.memory_bytes,
            dearest: dearest.map(|men| (men.name.clone(), men.n_slices, men.n_values)).collect(),
        }
    }
}

/// A limit that is not planned yet.
///
/// To plan a limit is to follow the graph of its slices, which takes as long as a cheap run. What lies
/// inside one limit lies inside every larger one, so a larger limit takes no less. It is planned when
/// nothing that is known takes less than that.
#[derive(Clone, Debug)]
struct Open {
    /// Its place among all: of two that cost as much the first one comes first.
    at: usize,
    limit: Limit,
    bound: Bound,
    /// This many values it has at least.
    least: u64,
}

/// A run that is allowed.
#[derive(Debug)]
struct Ready {
    at: usize,
    structure: Structure,
    estimate: Estimate,
}

/// The runs of a search that are left.
#[derive(Debug)]
struct Runs<'a> {
    question: &'a Question,
    /// The side whose new men come first.
    nearer: Option<Side>,
    open: Vec<Open>,
    ready: Vec<Ready>,
    /// The limits that were run, with what that took.
    done: Vec<(Limit, Bound, Estimate)>,
    /// The cheapest of those that are not allowed: its values, and why not.
    refused: Option<(u64, StructureError)>,
}

/// Limits of pawns that stand or are captured come behind others that take as much.
const LAST_PLACE: usize = 100;

/// How late a run comes: whether others go first, what it takes, its place.
type Rank = (bool, u64, usize);

impl Runs<'_> {
    /// Takes over what was planned.
    fn take(&mut self, at: usize, stage: Stage) {
        match stage.structure {
            Ok((structure, estimate)) => {
                self.raise(&stage.limit, stage.bound, estimate.n_values);
                if self.question.allows(&estimate) {
                    self.ready.push(Ready { at, structure, estimate });
                    return;
                }
                let is_cheaper = |(n_values, _): &(u64, StructureError)| estimate.n_values < *n_values;
                if self.refused.as_ref().is_none_or(is_cheaper) {
                    self.refused = Some((estimate.n_values, self.question.too_dear(&structure, &estimate)));
                }
            }
            // Of those that were not followed to their ends the last one would have come next.
            Err(error) => {
                self.raise(&stage.limit, stage.bound, u64::MAX);
                if self.refused.as_ref().is_none_or(|&(n_values, _)| n_values == u64::MAX) {
                    self.refused = Some((u64::MAX, error));
                }
            }
        }
        // What is larger still is not allowed either.
        let most_values = self.question.most_values.min(u64::MAX - 1);
        self.open.retain(|open| open.least <= most_values);
    }

    /// What lies in a limit has this many values.
    fn raise(&mut self, limit: &Limit, bound: Bound, n_values: u64) {
        let larger = |open: &&mut Open| open.bound == bound && limit.is_within(&open.limit, bound);
        self.open.iter_mut().filter(larger).for_each(|open| open.least = open.least.max(n_values));
    }

    /// The cheapest run that is left; none if the watcher has stopped the search.
    fn next(&mut self, variant: &Variant, watch: &dyn Watch) -> Option<(Structure, Estimate)> {
        loop {
            if watch.is_interrupted() {
                self.refused = Some((u64::MAX, StructureError::Interrupted { path: None }));
                return None;
            }
            let best = self.ready.iter().map(|ready| self.rank(ready)).min();
            let mut next: Vec<&Open> = Vec::new();
            let mut open: Vec<&Open> = self.open.iter().collect();
            open.sort_by_key(|open| open.rank(self.nearer));
            for candidate in
                open.into_iter().filter(|open| best.is_none_or(|best| open.rank(self.nearer) < best))
            {
                // One that holds another may turn out to take more than is needed.
                let holds = |other: &&Open| {
                    let bound = candidate.bound;
                    other.bound == bound && other.limit.is_within(&candidate.limit, bound)
                };
                if next.len() < rayon::current_num_threads() && !next.iter().any(holds) {
                    next.push(candidate);
                }
            }
            let next: Vec<Open> = next.into_iter().cloned().collect();
            if next.is_empty() {
                let first = (0..self.ready.len()).min_by_key(|&at| self.rank(&self.ready[at]))?;
                let Ready { structure, estimate, .. } = self.ready.swap_remove(first);
                if self.is_told(&structure, &estimate) {
                    continue;
                }
                for &bound in structure.bounds() {
                    let limit = structure.limit();
                    self.open.retain(|open| open.bound != bound || !open.limit.is_within(limit, bound));
                    self.done.push((limit.clone(), bound, estimate.clone()));
                }
                return Some((structure, estimate));
            }
            self.open.retain(|open| next.iter().all(|next| next.at != open.at));
            let question = self.question;
            let planned = (variant, question.cap(), watch);
            let plan = |open: Open| (open.at, question.stage(planned, open.limit, open.bound));
            let planned: Vec<(usize, Stage)> = threads::map(next, plan);
            planned.into_iter().for_each(|(at, stage)| self.take(at, stage));
        }
    }

    /// Whether a run would find nothing new: it lies within one that was run, or holds one that was run
    /// and no slice beside.
    fn is_told(&self, structure: &Structure, estimate: &Estimate) -> bool {
        let limit = structure.limit();
        self.done.iter().any(|(done, bound, took)| {
            let has_no_more = (took.n_slices, took.n_values) == (estimate.n_slices, estimate.n_values);
            structure.bounds() == [*bound]
                && (limit.is_within(done, *bound) || (has_no_more && done.is_within(limit, *bound)))
        })
    }

    /// Where the values themselves can be had nothing else is asked for; but who wins may be known sooner.
    fn rank(&self, ready: &Ready) -> Rank {
        let (limit, n_values) = (ready.structure.limit(), ready.estimate.n_values);
        let is_first = self.question.metric != Metric::Wdl || n_values <= SMALL_VALUES;
        let bound = ready.structure.bounds().first().copied().unwrap_or(Bound::Exact);
        (!(limit.is_none() && is_first), cost(limit, bound, n_values, self.nearer), ready.at)
    }
}

impl Question {
    /// What is to be run, as far as it has to be planned before anything runs.
    fn runs(&self, variant: &Variant, watch: &dyn Watch) -> Runs<'_> {
        let mut runs = Runs {
            question: self,
            nearer: nearer_to_promotion(variant, &self.roots),
            open: Vec::new(),
            ready: Vec::new(),
            done: Vec::new(),
            refused: None,
        };
        let planned = (variant, self.cap(), watch);
        if let Some(limit) = &self.limit {
            let stages = limit.bounds().into_iter().map(|bound| self.stage(planned, limit.clone(), bound));
            stages.enumerate().for_each(|(at, stage)| runs.take(at, stage));
            return runs;
        }
        let unlimited = self.stage(planned, Limit::none(), Bound::Exact);
        let needs_limit = !self.is_whole && !self.fits(&unlimited);
        runs.take(0, unlimited);
        if needs_limit && !watch.is_interrupted() {
            let (few_men, first, second) = self.few_men(planned);
            let open = limits_with(few_men).into_iter().zip(1..);
            runs.open = open.map(|((limit, bound), at)| Open { at, limit, bound, least: 0 }).collect();
            if second.is_none() {
                // All limits hold the smallest, which leads to the same slices for either bound.
                runs.open.retain(|open| open.bound == first.bound);
            }
            for stage in std::iter::once(first).chain(second) {
                // The smallest limit of a bound is its first.
                let place = runs.open.iter().position(|open| open.bound == stage.bound);
                let at = runs.open.remove(place.expect("either bound has limits")).at;
                runs.take(at, stage);
            }
            let of_pawns = limits_of_pawns(variant, &self.roots, few_men).into_iter().zip(LAST_PLACE..);
            runs.open.extend(of_pawns.map(|((limit, bound), at)| Open { at, limit, bound, least: 0 }));
        }
        runs
    }
}

impl Open {
    /// The earliest at which it may come.
    fn rank(&self, nearer: Option<Side>) -> Rank {
        (true, cost(&self.limit, self.bound, self.least, nearer), self.at)
    }
}

#[cfg(test)]
pub(crate) mod tests;
