//! Describes one table to be built: the tables that its exits lead to and that it needs, whole or in part,
//! its size, the size of its file, and the memory that it takes.
//!
//! Reading, solving and writing come one after the other, and each gives back what it needs beside the
//! tables that are kept: of what a solver and a writer take only the larger counts, and what reading a table
//! takes is gone before the codes of the job itself are there. A [`Footprint`] reports how much each takes:
//! a plan neither solves nor reads or writes.

use geometry::SquareSet;
use index::{Size, Sizes};
use serde::Serialize;
use std::collections::BTreeSet;
use variant::exit::{Exit, Reason, TablePart, Target, exits};
use variant::{Man, Material, Side, Variant};

/// The bytes of a thousand values in a file, by the number of pawns (the last for all greater ones): the
/// averages of the chess tables of five men. A pawn makes neighbouring values differ more, and there are
/// fewer of them to each.
const FILE_BYTES_PER_1000: [u64; 4] = [114, 174, 211, 286];

/// The bytes of a thousand values with one side to move, the one that takes less room.
const SIDE_BYTES_PER_1000: [u64; 4] = [88, 143, 186, 282];

/// The bytes that a model makes of a thousand bytes of a file, by the number of pawns: of all chess tables of
/// three to five men.
const SMALL_BYTES_PER_1000: [u64; 4] = [614, 612, 650, 464];

/// The bytes of a file beside its values: what it says of itself, and an entry of the index.
const FILE_FRAME_BYTES: u64 = 4096;

/// A table that a job needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// The canonical material.
    pub material: Material,
    /// Its name.
    pub name: String,
    /// The kinds of moves that lead there, never none.
    pub reasons: Vec<Reason>,
    /// Whether the rules alone prove all its positions drawn, so that it is no job.
    pub is_drawn: bool,
    /// The part of the table that is enough; none if all of it is needed.
    pub part: Option<TablePart>,
    /// Whether positions with White and with Black to move are asked for: what a move leads to has the other
    /// side to move.
    sides: [bool; 2],
    /// The codes of the table or its part, one byte each.
    bytes: u64,
    whole_bytes: u64,
    size: Size,
    n_symmetries: u64,
}

impl Need {
    pub(crate) fn new(
        variant: &Variant,
        sizes: &mut Sizes<'_>,
        material: Material,
        links: Vec<Link>,
        is_drawn: bool,
    ) -> Self {
        let size = sizes.size(&material);
        let whole_bytes = size.n_placements() * material.sides_to_move(variant).len() as u64;
        // Which positions are checks is read off the other side to move.
        let is_whole = variant.rules.check_counting.is_some();
        let sides = Side::BOTH.map(|stm| is_whole || links.iter().any(|link| link.stm == stm));
        let (reasons, parts): (Vec<Reason>, Vec<Option<TablePart>>) =
            links.into_iter().map(|link| (link.reason, link.target.part)).unzip();
        let part = joined(variant, &material, parts);
        let bytes = part
            .as_ref()
            .map_or(whole_bytes, |part| part_bytes(variant, sizes, &material, part, whole_bytes));
        let name = material.name(variant);
        let n_symmetries = sizes.n_symmetries(&material);
        Need { name, material, reasons, is_drawn, part, sides, bytes, whole_bytes, size, n_symmetries }
    }

    /// How many symmetries the table has.
    #[must_use]
    pub fn n_symmetries(&self) -> u64 {
        self.n_symmetries
    }

    /// Whether positions of the table with this side to move are asked for.
    #[must_use]
    pub fn asks_for(&self, stm: Side) -> bool {
        self.sides[stm.index()]
    }

    /// Asks for the sides to move that another job asks the same table for, too.
    pub fn join_sides(&mut self, other: &Need) {
        self.sides = Side::BOTH.map(|stm| self.asks_for(stm) || other.asks_for(stm));
    }

    /// The memory of what a job keeps of it.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The codes of the whole table, one byte each.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn whole_bytes(&self) -> u64 {
        self.whole_bytes
    }

    /// The size of the whole table.
    #[must_use]
    pub fn size(&self) -> &Size {
        &self.size
    }
}

/// The place of a job in the order of a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(pub usize);

/// One table to be built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// The canonical material.
    pub material: Material,
    /// Its name.
    pub name: String,
    /// The tables that it needs, in the order of building.
    pub needs: Vec<Need>,
    size: Size,
    n_sides: u64,
}

impl Job {
    pub(crate) fn new(
        variant: &Variant,
        sizes: &mut Sizes<'_>,
        material: Material,
        needs: Vec<Need>,
    ) -> Self {
        let n_sides = material.sides_to_move(variant).len() as u64;
        let (name, size) = (material.name(variant), sizes.size(&material));
        Job { material, name, needs, size, n_sides }
    }

    /// Whether the table keeps White to move only: see [`Material::is_one_sided`].
    #[must_use]
    pub fn is_one_sided(&self) -> bool {
        self.n_sides == 1
    }

    /// How many values the table holds: its placements for each side to move that it keeps.
    #[must_use]
    pub fn n_values(&self) -> u64 {
        self.size.n_placements() * self.n_sides
    }

    /// How many slices the table has: one for each way in which its pawns can stand.
    #[must_use]
    pub fn n_slices(&self) -> u64 {
        self.size.n_slices
    }

    /// The size of the table.
    #[must_use]
    pub fn size(&self) -> &Size {
        &self.size
    }

    /// A rough size of the table's file with all sides to move.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        let place = self.size.n_pawns.min(FILE_BYTES_PER_1000.len() - 1);
        FILE_FRAME_BYTES + self.n_values() * FILE_BYTES_PER_1000[place] / 1000
    }

    /// A rough size of the file if it keeps only the side to move that takes less room.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn side_disk_bytes(&self) -> u64 {
        if self.n_sides == 1 {
            return self.disk_bytes();
        }
        let place = self.size.n_pawns.min(SIDE_BYTES_PER_1000.len() - 1);
        FILE_FRAME_BYTES + self.size.n_placements() * SIDE_BYTES_PER_1000[place] / 1000
    }

    /// A rough size of a file of the table that would take so much, if it is packed by a model.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn small_bytes(&self, file_bytes: u64) -> u64 {
        let place = self.size.n_pawns.min(SMALL_BYTES_PER_1000.len() - 1);
        file_bytes * SMALL_BYTES_PER_1000[place] / 1000
    }
}

/// A reason why one table needs another.
pub(crate) struct Link {
    pub(crate) reason: Reason,
    pub(crate) target: Target,
    /// The side to move behind the exit, as the target's table has it.
    stm: Side,
}

/// The links of a material in the order of its exits, those of like men once. Exits without a table are left
/// out.
pub(crate) fn links(variant: &Variant, material: &Material) -> Vec<Link> {
    let men: Vec<Man> = material.men().collect();
    let mut found = BTreeSet::new();
    let link = |exit: Exit| {
        let left = exit.change.material(&men, material.given_checks());
        if !found.insert((exit.reason, left.clone())) {
            return None;
        }
        let target = Target::new(variant, &men, material.given_checks(), exit.change)?;
        let mover = exit.reason.mover();
        let stm = match () {
            // A symmetric table has White to move only.
            () if target.material.is_one_sided(variant) => Side::White,
            () if target.material == left => !mover,
            () => mover,
        };
        Some(Link { reason: exit.reason, target, stm })
    };
    exits(variant, &men).into_iter().filter_map(link).collect()
}

/// Tables of fewer men are read whole even where a part would do: they are small, and other tables want the
/// rest.
const MIN_MEN: usize = 5;

/// The part of a canonical material's table that has all of these parts, each of which one link leads to;
/// none if a link leads to the whole table, or if the rest is not worth being left out.
///
/// Just after a promotion the new man stands on one of few squares, and the other side is to move. Where
/// nothing but promotions leads to a large table, that part of it is all that a job needs.
fn joined(
    variant: &Variant,
    material: &Material,
    parts: impl IntoIterator<Item = Option<TablePart>>,
) -> Option<TablePart> {
    // The table's outermost men must be the royal ones, so that the promoted man is none of them. Of a
    // one-sided table the side to move that is kept may be the other one.
    if material.n_men() < MIN_MEN || !variant.has_one_royal_each() || material.is_one_sided(variant) {
        return None;
    }
    let join = |all: TablePart, part: TablePart| {
        (all.man == part.man).then(|| TablePart { squares: all.squares.union(part.squares), ..all })
    };
    let mut parts = parts.into_iter();
    let first = parts.next()??;
    parts.try_fold(first, |all, part| join(all, part?))
}

/// Returns the bytes of a part of a table of `whole_bytes`: one of two sides to move, and some squares of a
/// man, with those that the table's symmetries take for his.
pub(crate) fn part_bytes(
    variant: &Variant,
    sizes: &mut Sizes<'_>,
    material: &Material,
    part: &TablePart,
    whole_bytes: u64,
) -> u64 {
    let (board, group) = (&variant.board, sizes.group(material));
    let images: SquareSet =
        part.squares.iter().flat_map(|s| group.iter().map(move |g| g.square(board, s))).collect();
    whole_bytes * images.n_squares() as u64 / board.n_squares() as u64 / 2
}

/// The memory of the program before it has any table: its code, the threads' stacks, the compiled pieces.
const PROCESS_BYTES: u64 = 14_000_000;

/// Reports the memory that the steps of a job take, as a run does them: under its metrics, with its threads,
/// packed as it packs files.
///
/// Units: bytes.
pub trait Footprint {
    /// The memory for solving the job's table.
    fn solving(&self, job: &Job) -> Solving;

    /// The memory for writing the job's files, beside the codes of its table.
    fn writing(&self, job: &Job) -> u64;

    /// The memory for reading a table that a job needs, beside what is kept of it.
    fn reading(&self, need: &Need) -> u64;

    /// The memory that threads keep of what they gave back when they had read the tables that a job needs.
    fn kept_by_threads(&self, _job: &Job) -> u64 {
        0
    }

    /// Whether a job reads a table that it needs slice by slice, so that it is never in memory as a whole:
    /// what is in memory of it is counted among the exits.
    fn is_sliced(&self, _job: &Job, _need: &Need) -> bool {
        false
    }
}

/// The memory for solving a table, beside the tables that it needs.
///
/// Units: bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Solving {
    /// The codes of the table itself.
    pub codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// The values behind captures and pawn moves out of these slices, and the plies at which they are due.
    pub exits: u64,
    /// The placements of large blocks that are found and not written to the codes yet.
    pub batches: u64,
}

/// The memory of one job, in bytes; of what slices take (planes, exits, batches) and file buffers only the
/// larger counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Memory {
    /// The program itself: once, however many jobs there are.
    pub process: u64,
    /// The codes of the table itself.
    pub own_codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// The values behind captures and pawn moves out of these slices, and the plies at which they are due.
    pub exits: u64,
    /// The placements of large blocks that are found and not written to the codes yet.
    pub batches: u64,
    /// The compressed blocks, which are kept until all are there, and what compresses them.
    pub file_buffers: u64,
    /// The codes of the tables that captures lead to.
    pub whole_tables: u64,
    /// The codes of the parts of tables that promotions lead to.
    pub table_parts: u64,
    /// The most that is needed beside them while one of them is read.
    pub part_reading: u64,
    /// What threads keep of the memory that they gave back when they had read them.
    pub kept_by_threads: u64,
}

impl Job {
    /// The memory that the job takes, by the footprint of its steps.
    #[must_use]
    pub fn memory(&self, footprint: &dyn Footprint) -> Memory {
        let held = || self.needs.iter().filter(|need| !footprint.is_sliced(self, need));
        let sum = |is_part: bool| held().filter(|need| need.part.is_some() == is_part).map(Need::bytes).sum();
        let Solving { codes, planes, exits, batches } = footprint.solving(self);
        let reading = held().map(|need| footprint.reading(need));
        Memory {
            process: PROCESS_BYTES,
            own_codes: codes,
            planes,
            exits,
            batches,
            file_buffers: footprint.writing(self),
            whole_tables: sum(false),
            table_parts: sum(true),
            part_reading: reading.max().unwrap_or(0),
            kept_by_threads: footprint.kept_by_threads(self),
        }
    }
}

impl Memory {
    /// The memory of the program beside all jobs.
    pub const PROCESS_BYTES: u64 = PROCESS_BYTES;

    /// The memory of the job beside the program and the tables that it needs.
    #[must_use]
    pub fn working(&self) -> u64 {
        let solving = self.planes + self.exits + self.batches;
        (self.own_codes + solving.max(self.file_buffers)).max(self.part_reading)
    }

    /// All of it.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.process + self.working() + self.whole_tables + self.table_parts + self.kept_by_threads
    }
}
