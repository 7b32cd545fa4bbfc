//! Estimates the memory that solving a material takes, from the figures by which its parts allocate.

use crate::log::LoggedSet;
use crate::packed::{N_NEAR, N_SLOTS};
use crate::plane::{PARTS_IN_MEMORY, n_pass_planes};
use crate::successor::{capture_bytes, exit_bytes};
use crate::sweep::most_batch_bytes;
use crate::word::has_small_words;
use crate::{Options, clock, job, reach, restore, rule};
use index::Size;
use variant::{Man, Material, Metric, Pass, Rules, Side, Variant};

/// The memory that solving a material takes beside the tables that it reads.
///
/// Units: bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Footprint {
    /// The codes of the table, of both sides to move where it has them.
    pub codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// What captures and pawn moves out of these slices lead to, and when.
    pub exits: u64,
    /// What has been found in large blocks and is not written to the codes yet.
    pub batches: u64,
}

impl Footprint {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.codes + self.planes + self.exits + self.batches
    }
}

/// The memory that solving a material with `n_threads` threads takes; `size` is that of its table.
///
/// A table that turns out to need two bytes a value takes as much as if `options` asked for them.
#[must_use]
pub fn footprint(
    variant: &Variant,
    material: &Material,
    size: &Size,
    options: Options,
    n_threads: usize,
) -> Footprint {
    let (rules, word_bytes) = (&variant.rules, word_bytes(size));
    let n_values = size.n_placements() * material.sides_to_move(variant).len() as u64;
    // Quiet checks that are counted stand among the captures.
    let n_checkers = if rules.check_counting.is_some() { 2 } else { 0 };
    let n_captors = n_sides_with(material, |man| !variant.is_royal(man));
    let captures = capture_bytes(word_bytes) * (n_captors + n_checkers);
    let pawn_moves =
        exit_bytes(options.metric, word_bytes) * n_sides_with(material, |man| variant.is_pawn(man));
    let n_slices = size.n_slices.min(n_threads as u64);
    let n_words = n_slices * size.n_words();
    // Where the royal men are attacked, and what rules ask for.
    let n_planes = 2 + n_pass_planes(rules) + rule::n_planes(rules);
    // The wins of one side and the losses of the other are written in turn, each through batches of its own.
    let n_sinks = 2;
    let (clock_word_bytes, clock_bytes) = match options.metric {
        Metric::Dtm50 => (clock::word_bytes(word_bytes), clock::value_bytes(size.n_pawns > 0)),
        _ => (0, 0),
    };
    Footprint {
        codes: n_values * (if options.wide { 2 } else { 1 } + clock_bytes),
        planes: n_words * (n_planes * word_bytes + clock_word_bytes),
        exits: n_words * (captures + pawn_moves),
        batches: n_slices * n_sinks * most_batch_bytes(size, word_bytes),
    }
}

/// How many sides have such a man.
fn n_sides_with(material: &Material, has: impl Fn(Man) -> bool) -> u64 {
    let has_one = |side: &Side| material.men().any(|man| man.side == *side && has(man));
    Side::BOTH.iter().filter(|side| has_one(side)).count() as u64
}

/// The memory that solving a material with pawns slice by slice takes beside what is in memory of other
/// tables and of the slices that are done; slices of more placements than `most_in_memory` are solved by
/// logs.
#[must_use]
pub fn sliced_footprint(
    variant: &Variant,
    material: &Material,
    size: &Size,
    (options, most_in_memory, planes): (Options, u64, Planes),
    n_threads: usize,
) -> Footprint {
    if size.slice_len <= most_in_memory {
        let n_slices = slices_at_once(size);
        let of_batch = footprint(variant, material, &Size { n_slices, ..*size }, options, n_threads);
        // Both sides to move, in two bytes if one does not suffice, and of a slice for each thread in one.
        let code_bytes = if options.metric == Metric::Wdl { size_of::<u8>() } else { size_of::<u16>() };
        let codes = (2 * code_bytes) as u64 * n_slices + n_slices.min(n_threads as u64);
        return Footprint { codes: codes * size.slice_len, ..of_batch };
    }
    let of_slice = logged_footprint(variant, material, &Size { n_slices: 1, ..*size }, planes, n_threads);
    let word_bytes = word_bytes(size);
    let n_sides = n_sides_with(material, |man| variant.is_pawn(man));
    let (n_exit_planes, events) = match packs(&variant.rules) {
        true => (n_sides, n_sides * size.slice_len * PACKED_EXIT_BITS / 8),
        // Where royal men are attacked, too.
        false => (2, n_sides * size.n_words() * exit_bytes(options.metric, word_bytes)),
    };
    Footprint {
        planes: of_slice.planes + n_exit_planes * word_bytes * size.n_words(),
        exits: of_slice.exits + events,
        batches: run_bytes(size, planes, n_threads),
        ..of_slice
    }
}

/// Whether frontiers are packed.
fn packs(rules: &Rules) -> bool {
    !rules.must_capture && rules.pass == Pass::Never
}

/// The memory that solving a material without pawns into a log takes beside the tables that it reads; `size`
/// is that of its table.
#[must_use]
pub fn logged_footprint(
    variant: &Variant,
    material: &Material,
    size: &Size,
    planes: Planes,
    n_threads: usize,
) -> Footprint {
    let rules = &variant.rules;
    let ghost_bytes = ghost_bytes(variant, material, size);
    let n_of_rules = rule::n_planes(rules);
    let is_on_disk = planes.is_on_disk() && packs(rules);
    let n_slots = planes.n_slots().filter(|_| is_on_disk);
    let tenths_of_pass = match packs(rules) {
        true if n_slots.is_some() => 0,
        true if is_on_disk => TENTHS_OF_FRONTIERS,
        true => TENTHS_OF_FRONTIERS + 10 * N_OPEN_PLANES,
        false => 10 * n_pass_planes(rules),
    };
    // Where rules ask for planes, those of attacks are among them.
    let n_attacked = if n_of_rules > 0 { 2 } else { 0 };
    // One window looks at the frontier, another at planes on the disk.
    let n_windows = if is_on_disk { 2 } else { 1 };
    let n_blocks = match n_slots {
        // A window has an empty block, too.
        Some(n_slots) => n_windows * (1 + n_slots as u64) + N_SCRATCH_BLOCKS + N_SET_BLOCKS,
        None => n_windows * N_SLOTS as u64 + N_SCRATCH_BLOCKS,
    };
    // Of what is found something is in memory all the same, and a block is changed beside those of the
    // threads.
    let n_beside = if n_slots.is_some() { 2 } else { 0 };
    let windows = (n_threads as u64 * n_blocks + n_beside) * size.words_per_block();
    Footprint {
        // A list of entries for each block and side; a long game has some hundred plies.
        codes: 2 * size.n_blocks() * MOST_ENTRIES * size_of::<LoggedSet>() as u64,
        planes: word_bytes(size)
            * (size.n_words() * (tenths_of_pass + 10 * (n_of_rules + n_attacked)) / 10 + windows),
        exits: if planes.is_on_disk() { 0 } else { ghost_bytes },
        batches: 0,
    }
}

/// What the packed sets of captures of a slice take, of both sides.
///
/// Units: bytes.
fn ghost_bytes(variant: &Variant, material: &Material, size: &Size) -> u64 {
    let men: Vec<Man> = material.men().collect();
    let n_pairs = |side: Side| {
        let n_victims = men.iter().filter(|man| man.side != side && !variant.is_royal(**man)).count();
        (n_victims * men.iter().filter(|man| man.side == side).count()) as u64
    };
    let n_ghosts = (n_pairs(Side::White) + n_pairs(Side::Black)) * size.n_placements() / size.n_squares;
    n_ghosts * PACKED_GHOST_BITS / 8
}

/// Where the planes of a logged table are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Planes {
    /// In memory.
    InMemory,
    /// On the disk, where the rules let them be read block by block; else in memory.
    OnDisk,
    /// As `OnDisk`, and of what may be on the disk each thread has no more than a few blocks of each in
    /// memory.
    BlockByBlock {
        /// How many blocks.
        n_slots: usize,
    },
}

impl Planes {
    /// How many blocks a thread keeps where memory is scarce: all that a king goes between when he goes along
    /// the ranks, all that he leads into, or one after the other.
    pub const SLOTS: [usize; 3] = [N_SLOTS, N_NEAR + 1, 1];

    /// Whether they are on the disk.
    #[must_use]
    pub fn is_on_disk(self) -> bool {
        self != Planes::InMemory
    }

    /// How many blocks a thread keeps, if memory is scarce.
    #[must_use]
    pub fn n_slots(self) -> Option<usize> {
        match self {
            Planes::BlockByBlock { n_slots } => Some(n_slots),
            Planes::InMemory | Planes::OnDisk => None,
        }
    }
}

/// The open and the escape set of a pass.
const N_OPEN_PLANES: u64 = 2;

/// What the packed frontiers of two plies take at most, roughly; where planes are on the disk so are they
/// beyond that.
///
/// Units: tenths of a plane.
const TENTHS_OF_FRONTIERS: u64 = 4 * 10 / PARTS_IN_MEMORY as u64;

/// What the packed frontiers of two plies take on the disk at most, where a capture ends the count and the
/// first plies find most.
///
/// Units: planes.
const N_SPILLED_PLANES: u64 = 2;

/// Blocks that a thread works on beside its window: what is found, its words with their numbers (two),
/// targets, attacks.
const N_SCRATCH_BLOCKS: u64 = 7;

/// What the packed sets of a thread take, in blocks, where the first plies find most: one that is being
/// packed, in a vector that grows, and one that has been read. Where memory is not scarce the frontiers have
/// room for them.
const N_SET_BLOCKS: u64 = 4;

/// How large the log of a table without pawns becomes, roughly, or the finished slices of one with pawns and
/// the log of a slice; `size` is that of the table.
///
/// Units: bytes.
#[must_use]
pub fn log_bytes(size: &Size) -> u64 {
    let of_log = if size.n_pawns > 0 { size.slice_len } else { 0 };
    (size.n_placements() + of_log) * LOG_BITS / 8
}

/// Returns the disk that planes take which are kept there, with what captures lead to. `size` is that of the
/// table; slices of up to `most_in_memory` placements are solved in memory.
///
/// Units: bytes.
#[must_use]
pub fn disk_planes_bytes(variant: &Variant, material: &Material, size: &Size, most_in_memory: u64) -> u64 {
    let is_in_memory = size.n_pawns > 0 && size.slice_len <= most_in_memory;
    let planes = (N_OPEN_PLANES + N_SPILLED_PLANES) * size.n_words() * word_bytes(size);
    let slice = Size { n_slices: 1, ..*size };
    if is_in_memory { 0 } else { planes + ghost_bytes(variant, material, &slice) }
}

/// Estimates what goes to the disk and comes from there while a table is solved by a log, with its planes
/// there or in memory. `size` is that of the table; slices of up to `most_in_memory` placements are solved
/// in memory. What the system keeps in memory of its own may make it less, and long wins make it more.
///
/// Units: bytes.
#[must_use]
pub fn traffic_bytes(size: &Size, planes: Planes, most_in_memory: u64) -> u64 {
    // Written once, and read for the statistics and for two columns.
    let of_log = 4 * LOG_BITS;
    let is_in_memory = size.n_pawns > 0 && size.slice_len <= most_in_memory;
    let of_planes = if planes.is_on_disk() && !is_in_memory { PLANE_TRAFFIC_BITS } else { 0 };
    size.n_placements() * (of_log + of_planes) / 8
}

/// A placement in what is written of planes: KRBvKNN under `dtc` has 127 with the log, both sides' wins
/// together.
const PLANE_TRAFFIC_BITS: u64 = 120;

/// How many slices of a table are solved at a time in memory, where they are no larger than that.
#[must_use]
pub fn slices_at_once(size: &Size) -> u64 {
    job::slices_at_once(size.slice_len).min(size.n_slices)
}

/// The memory that [`read_slice`](crate::read_slice) takes with `n_threads` threads beside what it returns:
/// a run of codes for each thread, or the whole slice where its placements are images of each other, and
/// where rules ask for it, which placements are illegal. `size` is that of the whole table.
///
/// Units: bytes.
#[must_use]
pub fn slice_reading_bytes(variant: &Variant, size: &Size, n_threads: usize) -> u64 {
    let plane = if restore::asks_for_plane(variant) { word_bytes(size) * size.n_words() } else { 0 };
    let run = size.block_len.max(restore::RUN_CODES as u64).min(size.slice_len);
    // Where there are several pawns a slice may be its own image.
    if size.n_pawns > 1 { plane + size.slice_len } else { plane + n_threads as u64 * run }
}

/// Whether a table that captures of a material without pawns lead to can be read block by block; both are
/// given by their sizes and men. Blocks are numbered by the royal men, as they stand after a capture; what is
/// illegal must not be asked for in all blocks at once.
#[must_use]
pub fn is_read_by_blocks(variant: &Variant, material: &Material, below: &Material) -> bool {
    let is_royal = |man: &Man| variant.is_royal(*man);
    let n_royal = |material: &Material| material.men().filter(is_royal).count();
    let has_pawns = material.men().any(|man| variant.is_pawn(man));
    let has_two = n_royal(material) == 2 && n_royal(below) == 2 && below.n_men() > 2;
    has_two && !has_pawns && !restore::asks_for_plane(variant)
}

/// The memory that a table takes which is read block by block with `n_threads` threads, and reading it;
/// `size` is that of the whole table.
///
/// Units: bytes.
#[must_use]
pub fn block_reading_bytes(size: &Size, n_threads: usize) -> u64 {
    (n_threads * reach::BLOCKS_PER_THREAD * size_of::<u16>()) as u64 * size.block_len
}

/// The memory that the codes of a logged table take of which a run is made at once, two bytes each.
///
/// Units: bytes.
#[must_use]
pub fn run_bytes(size: &Size, planes: Planes, n_threads: usize) -> u64 {
    let shape = (size.block_len as usize, size.n_blocks() as usize);
    let n_blocks = job::blocks_at_once(shape, planes.n_slots().is_some(), n_threads);
    size.block_len * n_blocks as u64 * size_of::<u16>() as u64
}

/// The most entries that a block's side has, roughly: as many as there are plies.
const MOST_ENTRIES: u64 = 300;

/// A ghost in a packed set: it is a legal capture, or one that is due at a ply.
const PACKED_GHOST_BITS: u64 = 5;

/// A placement of a slice in the packed sets of what pawn moves of one side decide.
const PACKED_EXIT_BITS: u64 = 3;

/// A placement in a log, both sides to move together: KBBvKN under `dtm` has 4.8.
const LOG_BITS: u64 = 8;

/// The memory that [`read_part`](crate::read_part) takes with `n_threads` threads beside the part: for each
/// thread a unit, and which placements are illegal, of as many slices as are being read. `size` is that of
/// the whole table.
///
/// Units: bytes.
#[must_use]
pub fn part_reading_bytes(size: &Size, n_threads: usize) -> u64 {
    let (plane, n_threads) = (word_bytes(size) * size.n_words(), n_threads as u64);
    match size.n_pawns {
        0 => plane + n_threads * size.block_len,
        _ => n_threads.min(size.n_slices) * (size.slice_len + plane),
    }
}

/// The bytes of a word of a plane.
fn word_bytes(size: &Size) -> u64 {
    let n_bytes = if has_small_words(size.n_squares as usize) { size_of::<u64>() } else { size_of::<u128>() };
    n_bytes as u64
}
