//! Estimates the memory that the steps of a build take, from what those who take it report, and compares it
//! and the disk with what there is.

use crate::options::{FileOptions, MOST_IN_MEMORY, Strategy};
use format::{Packing, companion};
use library::{Edition, Fitting, LibraryError, MemoryLimit};
use plan::{Footprint, Job, Memory, Need, Plan, Request, Solving};
use solve::{Options, Planes};
use std::path::Path;
use variant::exit::Reason;
use variant::{Metric, Side};

/// The memory that the steps of a build take: under a metric, with its kind of files and this many threads.
#[derive(Clone, Copy, Debug)]
pub struct BuildFootprint<'a> {
    /// The tables.
    pub edition: &'a Edition,
    /// What the files are to be like.
    pub files: FileOptions,
    /// The threads that share the steps of a table.
    pub n_threads: usize,
    /// Tables that would take more memory than this are solved in less where that can be.
    pub(crate) limit_bytes: u64,
    /// How tables are solved that can be solved so, if the caller has said it.
    pub(crate) wanted: Option<Strategy>,
    /// Slices are solved in memory up to this many placements, where slices are solved one by one.
    pub(crate) most_in_memory: u64,
}

impl<'a> BuildFootprint<'a> {
    /// What a build takes that has all the memory that it could use.
    #[must_use]
    pub fn new(edition: &'a Edition, files: FileOptions, n_threads: usize) -> Self {
        let (limit_bytes, wanted, most_in_memory) = (u64::MAX, None, MOST_IN_MEMORY);
        BuildFootprint { edition, files, n_threads, limit_bytes, wanted, most_in_memory }
    }

    /// What a build takes that may have so much memory.
    #[must_use]
    pub fn within(self, limit_bytes: u64) -> Self {
        BuildFootprint { limit_bytes, ..self }
    }

    /// This footprint with this strategy for all tables that can be solved so.
    #[must_use]
    pub fn with_strategy(self, wanted: Option<Strategy>) -> Self {
        BuildFootprint { wanted, ..self }
    }

    /// This footprint with slices in memory up to this many placements.
    #[must_use]
    pub fn with_most_in_memory(self, most_in_memory: u64) -> Self {
        BuildFootprint { most_in_memory, ..self }
    }

    /// How a table is solved, and what that takes.
    #[must_use]
    pub fn cost(&self, job: &Job) -> JobCost {
        let (Chosen { strategy, planes, build }, memory) = self.choice(job);
        let traffic_bytes = match strategy {
            Strategy::InMemory => 0,
            _ => solve::traffic_bytes(job.size(), planes, self.most_in_memory),
        };
        let (scratch_bytes, n_threads) = (self.scratch_of(job, strategy), build.n_threads);
        JobCost { strategy, memory, scratch_bytes, traffic_bytes, n_threads, planes }
    }

    /// How a table is solved.
    #[must_use]
    pub fn strategy(&self, job: &Job) -> Strategy {
        match self.wanted() {
            Some(wanted) => wanted,
            None if self.limit_bytes == u64::MAX => Strategy::InMemory,
            None => self.choice(job).0.strategy,
        }
    }

    /// Whether tables are solved in memory alone, as what changes with the clock is, and games that count
    /// checks. A second byte of their codes is counted from the beginning, because there is no other way once
    /// it has no room.
    pub(crate) fn is_only_in_memory(&self) -> bool {
        self.edition.metric() == Metric::Dtm50 || self.edition.variant().rules.check_counting.is_some()
    }

    /// The only strategy that there is, or the one that the caller has said.
    fn wanted(&self) -> Option<Strategy> {
        if self.is_only_in_memory() { Some(Strategy::InMemory) } else { self.wanted }
    }

    /// The memory that a job takes in all.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn total_of(&self, job: &Job) -> u64 {
        self.choice(job).1.total()
    }

    /// The quickest way within the limit, else that which takes least.
    fn choice(&self, job: &Job) -> (Chosen<'a>, Memory) {
        let all = [Strategy::InMemory, Strategy::LogOnDisk, Strategy::PlanesOnDisk, Strategy::BlockByBlock];
        let is_wanted = |strategy: &Strategy| self.wanted().is_none_or(|wanted| wanted == *strategy);
        // The quickest first; of small tables the others take more.
        let mut least: Option<(Chosen<'a>, Memory)> = None;
        for chosen in all.into_iter().filter(is_wanted).flat_map(|strategy| self.ways(strategy)) {
            let memory = job.memory(&chosen);
            if memory.total() <= self.limit_bytes {
                return (chosen, memory);
            }
            if least.is_none_or(|(_, least)| memory.total() < least.total()) {
                least = Some((chosen, memory));
            }
        }
        least.expect("a strategy")
    }

    /// The ways to solve a table by a strategy, the quickest first.
    fn ways(&self, strategy: Strategy) -> Vec<Chosen<'a>> {
        let with =
            |planes, n_threads| Chosen { build: BuildFootprint { n_threads, ..*self }, strategy, planes };
        let by_blocks =
            |n_threads| Planes::SLOTS.map(|n_slots| with(Planes::BlockByBlock { n_slots }, n_threads));
        match strategy {
            Strategy::InMemory | Strategy::LogOnDisk => vec![with(Planes::InMemory, self.n_threads)],
            Strategy::PlanesOnDisk => vec![with(Planes::OnDisk, self.n_threads)],
            Strategy::BlockByBlock => (1..=self.n_threads).rev().flat_map(by_blocks).collect(),
        }
    }

    /// Whether a job that is solved so reads a table slice by slice, or block by block.
    pub(crate) fn is_sliced(&self, job: &Job, need: &Need, strategy: Strategy) -> bool {
        self.ways(strategy).first().is_some_and(|chosen| chosen.is_sliced(job, need))
    }

    /// The disk that solving a table takes until its file is there.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn scratch_bytes(&self, job: &Job) -> u64 {
        self.scratch_of(job, self.strategy(job))
    }

    fn scratch_of(&self, job: &Job, strategy: Strategy) -> u64 {
        match strategy {
            Strategy::InMemory => 0,
            // The blocks of a file are beside it until it is whole.
            strategy => {
                let metrics = self.edition.metrics();
                let largest = metrics.iter().map(|&metric| self.files.file_bytes(job, metric, false)).max();
                let planes = match strategy {
                    Strategy::PlanesOnDisk | Strategy::BlockByBlock => solve::disk_planes_bytes(
                        self.edition.variant(),
                        &job.material,
                        job.size(),
                        self.most_in_memory,
                    ),
                    _ => 0,
                };
                solve::log_bytes(job.size()) + planes + largest.unwrap_or(0)
            }
        }
    }
}

/// Tables are read block by block that are larger than what is solved in memory divided by this: five men
/// have 240 million values, and four have four.
const BLOCKS_PART: u64 = 4;

/// How a table is solved, and what that takes.
#[derive(Clone, Copy, Debug)]
pub struct JobCost {
    /// How it is solved.
    pub strategy: Strategy,
    /// The memory that it takes.
    pub memory: Memory,
    /// The disk that it takes until its file is there.
    ///
    /// Units: bytes.
    pub scratch_bytes: u64,
    /// What goes to the disk and comes from there meanwhile, roughly; 0 if it is solved in memory.
    ///
    /// Units: bytes.
    pub traffic_bytes: u64,
    /// How many threads solve it.
    pub n_threads: usize,
    /// Where its planes are.
    pub(crate) planes: Planes,
}

/// The footprint of a job's steps in one of the ways to solve it.
#[derive(Clone, Copy, Debug)]
struct Chosen<'a> {
    /// With as many threads as solve the job.
    build: BuildFootprint<'a>,
    strategy: Strategy,
    planes: Planes,
}

impl Chosen<'_> {
    /// The memory that the slices solved at a time need of other slices and of tables that are read slice
    /// by slice.
    fn pieces(&self, job: &Job) -> u64 {
        let Chosen { build, .. } = self;
        let (size, variant) = (job.size(), build.edition.variant());
        let n_pawns = |side: Side| {
            job.material.men().filter(|man| man.side == side && variant.is_pawn(*man)).count() as u64
        };
        let (mut promotions, mut captures, mut reading) = (0, 0, 0);
        for need in job.needs.iter().filter(|need| self.is_sliced(job, need)) {
            let whole = need.size().slice_len;
            // Where the new man stands on a square or on one of its images.
            let of_square = whole * need.n_symmetries().min(need.size().n_squares) / need.size().n_squares;
            for reason in &need.reasons {
                match reason {
                    Reason::Promotion { .. } => promotions += of_square,
                    // A pawn captures on two squares.
                    Reason::CapturePromotion { .. } => promotions += 2 * of_square,
                    // A mobile man, or one of the pawns on one of two squares.
                    _ => captures += whole * (1 + 2 * n_pawns(reason.mover())),
                }
            }
            let tile = format::tile_bytes(need.size(), build.edition.metric());
            let files = build.edition.metrics().len() as u64;
            let beside = solve::slice_reading_bytes(variant, need.size(), build.n_threads);
            reading = reading.max(files * (beside + build.n_threads as u64 * tile));
        }
        // A pawn goes one square or two, unless it is promoted.
        let own = 2 * size.n_pawns as u64 * size.slice_len;
        let moves = if size.n_pawns == 1 { own.max(promotions) } else { own + promotions };
        // What slices of a batch read together counts as if each read for itself.
        let is_small = size.slice_len <= build.most_in_memory;
        let n_slices = if is_small { solve::slices_at_once(size) } else { 1 };
        n_slices * (moves + captures) + reading
    }

    /// The memory that the tables take which are read block by block.
    fn blocks_below(&self, job: &Job) -> u64 {
        let Chosen { build, .. } = self;
        let below = |need: &&Need| self.is_sliced(job, need);
        let of = |need: &Need| {
            // A tile, the block, and the block of the column that says who wins.
            let tiles = 2 * format::tile_bytes(need.size(), build.edition.metric());
            let kept = solve::block_reading_bytes(need.size(), build.n_threads);
            (kept, build.n_threads as u64 * (tiles + 2 * need.size().block_len))
        };
        let all = job.needs.iter().filter(below).map(of);
        // Each thread reads one at a time.
        all.clone().map(|(kept, _)| kept).sum::<u64>() + all.map(|(_, reading)| reading).max().unwrap_or(0)
    }
}

impl Footprint for Chosen<'_> {
    fn solving(&self, job: &Job) -> Solving {
        let Chosen { build, strategy, planes: on } = self;
        let variant = build.edition.variant();
        let solve::Footprint { codes, planes, exits, batches } = match strategy {
            Strategy::InMemory => {
                let wide = build.is_only_in_memory();
                let options = Options { wide, ..build.edition.metric().into() };
                solve::footprint(variant, &job.material, job.size(), options, build.n_threads)
            }
            _ if job.size().n_pawns == 0 => {
                let logged =
                    solve::logged_footprint(variant, &job.material, job.size(), *on, build.n_threads);
                solve::Footprint { exits: logged.exits + self.blocks_below(job), ..logged }
            }
            _ => {
                let how = (Options::from(build.edition.metric()), build.most_in_memory, *on);
                let sliced =
                    solve::sliced_footprint(variant, &job.material, job.size(), how, build.n_threads);
                solve::Footprint { exits: sliced.exits + self.pieces(job), ..sliced }
            }
        };
        Solving { codes, planes, exits, batches }
    }

    fn writing(&self, job: &Job) -> u64 {
        let Chosen { build, strategy, planes } = self;
        let table = (job.size(), job.material.n_men());
        let run_bytes = match strategy {
            Strategy::InMemory => None,
            _ if job.size().n_pawns == 0 => Some(solve::run_bytes(job.size(), *planes, build.n_threads)),
            _ => {
                let most_bytes = 2 * size_of::<u16>() as u64 * job.size().n_placements();
                Some(solve::SLICED_RUN_BYTES.min(most_bytes))
            }
        };
        let file = |&metric: &Metric| {
            let file_bytes = build.files.file_bytes(job, metric, false);
            let how = (metric, build.files.packing);
            format::writing_bytes(table, how, file_bytes, build.n_threads, run_bytes)
        };
        let metrics = build.edition.metrics();
        let file_bytes = metrics.iter().map(file).max().unwrap_or(0);
        match strategy {
            // A second column, `wdl`, is made from a second table.
            Strategy::InMemory if metrics.len() > 1 => file_bytes + job.n_values(),
            // Beside what solving has taken, which the allocator may keep, statistics have a run of either
            // side.
            Strategy::BlockByBlock => {
                let Solving { planes, exits, batches, .. } = self.solving(job);
                file_bytes.max(planes + exits + batches + 2 * run_bytes.unwrap_or(0))
            }
            _ => file_bytes,
        }
    }

    fn reading(&self, need: &Need) -> u64 {
        let Chosen { build, .. } = self;
        // Who wins is in another column than the distances: both are read as a whole.
        if companion(build.edition.metric()).is_some() {
            return 2 * need.whole_bytes();
        }
        match need.part {
            None => 0,
            Some(_) => {
                let tile = format::tile_bytes(need.size(), build.edition.metric());
                solve::part_reading_bytes(need.size(), build.n_threads) + build.n_threads as u64 * tile
            }
        }
    }

    /// An allocator keeps for each thread about half of what it gave back. That matters where a side of a
    /// table is read at once by one thread: KPPvK under `dtc` takes 82 MB with 2 threads and 155 to 216
    /// with 16.
    fn kept_by_threads(&self, job: &Job) -> u64 {
        let Chosen { build, .. } = self;
        let metrics = build.edition.metrics();
        let mut tiles: Vec<u64> = Vec::new();
        for need in job.needs.iter().filter(|need| !need.is_drawn && !self.is_sliced(job, need)) {
            for &metric in metrics {
                tiles.extend([format::whole_tile_bytes(need.size(), metric); Side::BOTH.len()]);
            }
        }
        tiles.sort_unstable_by(|a, b| b.cmp(a));
        tiles.into_iter().take(build.n_threads).sum::<u64>() / 2
    }

    fn is_sliced(&self, job: &Job, need: &Need) -> bool {
        let Chosen { build, strategy, .. } = self;
        if job.size().n_pawns == 0 {
            let can_be = solve::is_read_by_blocks(build.edition.variant(), &job.material, &need.material);
            let is_large = need.bytes() > build.most_in_memory / BLOCKS_PART;
            return *strategy == Strategy::BlockByBlock && is_large && can_be && !need.is_drawn;
        }
        // What is no larger than a batch of slices stays in memory as a whole.
        let is_large = need.bytes() > 2 * build.most_in_memory;
        strategy.is_logged() && is_large && !need.is_drawn
    }
}

/// Fails if one of these jobs takes more memory by itself than there may be.
///
/// # Errors
/// That of the job which takes most.
pub fn check_memory<'j>(
    limit: MemoryLimit,
    jobs: impl Iterator<Item = &'j Job>,
    footprint: &BuildFootprint<'_>,
) -> Result<(), LibraryError> {
    let needed = jobs.map(|job| (footprint.total_of(job), job));
    let largest = needed.filter(|(bytes, _)| *bytes > limit.bytes).max_by_key(|(bytes, _)| *bytes);
    largest.map_or(Ok(()), |(_, job)| Err(memory_short(limit, job, footprint)))
}

/// Fails if the largest of the tables that are wanted takes more memory than there may be; `is_there` says
/// which tables have files already. Nothing is planned for it, so it takes no time to speak of where a plan
/// of thousands of tables takes minutes.
///
/// # Errors
/// That of the largest table.
pub fn check_largest(
    limit: MemoryLimit,
    request: &Request,
    footprint: &BuildFootprint<'_>,
    is_there: impl Fn(&Job) -> bool,
) -> Result<(), LibraryError> {
    let variant = footprint.edition.variant();
    let largest = match request {
        &Request::UpTo(n_men) if n_men <= index::MAX_MEN => plan::largest(variant, n_men),
        _ => {
            let named = request.named(variant).into_iter().filter(|named| named.n_men() <= index::MAX_MEN);
            named.map(|material| Job::alone(variant, material)).max_by_key(|job| footprint.total_of(job))
        }
    };
    match largest {
        Some(job) if footprint.total_of(&job) > limit.bytes && !is_there(&job) => {
            Err(memory_short(limit, &job, footprint))
        }
        _ => Ok(()),
    }
}

/// The error of a job that takes more memory than there may be.
pub(crate) fn memory_short(limit: MemoryLimit, job: &Job, footprint: &BuildFootprint<'_>) -> LibraryError {
    let BuildFootprint { n_threads, files, .. } = *footprint;
    let needed = |n_threads| BuildFootprint { n_threads, ..*footprint }.total_of(job);
    let quick = FileOptions { packing: Packing::Quick, ..files };
    LibraryError::MemoryShort {
        material: job.name.clone(),
        needed_bytes: needed(n_threads),
        limit,
        n_threads,
        fitting: Fitting {
            n_threads: (1..n_threads).rev().find(|&n| needed(n) <= limit.bytes),
            n_men: fitting_men(limit, job.material.n_men(), footprint),
            is_quick: files.packing == Packing::Small
                && BuildFootprint { files: quick, ..*footprint }.total_of(job) <= limit.bytes,
        },
    }
}

/// How many men, fewer than this many, all tables can have that fit; none if not even the smallest do.
fn fitting_men(limit: MemoryLimit, n_men: usize, footprint: &BuildFootprint<'_>) -> Option<usize> {
    let variant = footprint.edition.variant();
    let fits = |job: &Job| footprint.total_of(job) <= limit.bytes;
    let fitting = |&n_men: &usize| {
        plan::largest(variant, n_men).is_some_and(|job| fits(&job))
            && Plan::new(variant, &Request::UpTo(n_men)).is_ok_and(|plan| plan.jobs().all(fits))
    };
    (2..n_men).rev().find(fitting)
}

/// Fails if the disk of this folder has less than `needed_bytes` free; the folder need not exist yet.
///
/// # Errors
/// How much is free and how much is needed.
pub fn check_disk(folder: &Path, needed_bytes: u64) -> Result<(), LibraryError> {
    let existing = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    let existing = if existing.as_os_str().is_empty() { Path::new(".") } else { existing };
    // A file system that does not say is no reason not to start.
    let Ok(free_bytes) = fs4::available_space(existing) else { return Ok(()) };
    compare(folder, needed_bytes, free_bytes)
}

fn compare(folder: &Path, needed_bytes: u64, free_bytes: u64) -> Result<(), LibraryError> {
    if needed_bytes <= free_bytes {
        return Ok(());
    }
    Err(LibraryError::DiskFull { folder: folder.into(), free_bytes, needed_bytes })
}

#[cfg(test)]
mod tests;
