//! Checks that Syzygy files hold the values of their tables, and that damaged ones are refused, or read
//! without panic.

use crate::{
    Family, FileKind, FileMaterial, Files, Options, Score, SyzygyError, SyzygyFile, SyzygyTablebase, write,
};
use index::Layout;
use plan::{Plan, Request};
use position::{Position, RuleBook};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use solve::Unwatched;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use table::{Lookup, SliceSource, Table};
use tempfile::TempDir;
use variant::exit::TablePart;
use variant::{Material, Metric, Side, Variant};

pub(super) fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The rules of a game, from the file that users have.
pub(super) fn game(name: &str) -> Variant {
    Variant::load(root().join("variants").join(name).with_extension("toml")).unwrap()
}

/// Tables of a game under the metric that files are made of, each solved when it is first asked for by name,
/// with all that it leads to.
pub(super) struct SolvedTables {
    pub(super) variant: Variant,
    tables: Mutex<Vec<Arc<Table>>>,
    /// Held while tables are solved, so that two tests do not solve the same.
    solving: Mutex<()>,
}

impl SolvedTables {
    fn new(name: &str) -> Self {
        SolvedTables { variant: game(name), tables: Mutex::default(), solving: Mutex::default() }
    }

    pub(super) fn named(&self, name: &str) -> Arc<Table> {
        let _alone = self.solving.lock();
        let material = Material::parse(&self.variant, name).unwrap().canonical(&self.variant);
        for job in Plan::new(&self.variant, &Request::Table(material.clone())).unwrap().jobs() {
            let drawn = job.needs.iter().filter(|need| need.is_drawn);
            drawn.map(|need| &need.material).chain([&job.material]).for_each(|own| self.solve(own));
        }
        self.table(&material, None).expect("it is solved")
    }

    fn solve(&self, material: &Material) {
        if self.table(material, None).is_none() {
            let layout = Arc::new(Layout::new(&self.variant, material));
            let table = solve::solve(&self.variant, Metric::Dtz50, layout, self, &Unwatched).unwrap();
            self.tables.lock().unwrap().push(Arc::new(table));
        }
    }
}

impl Lookup for SolvedTables {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        let tables = self.tables.lock().unwrap();
        tables.iter().find(|table| table.layout().material() == material).cloned()
    }
}

/// The tables of three men: those that captures of four lead to.
const THREE_MEN: [&str; 5] = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"];

/// A game under the metric that files are made of.
pub(super) fn solved_tables(family: Family) -> &'static SolvedTables {
    static SOLVED: [OnceLock<SolvedTables>; 5] = [const { OnceLock::new() }; 5];
    SOLVED[family as usize].get_or_init(|| {
        let names = ["fide", "atomic", "antichess", "suicide", "king-of-the-hill"];
        SolvedTables::new(names[family as usize])
    })
}

pub(super) fn files(family: Family, name: &str, options: Options) -> Files {
    let solved_tables = solved_tables(family);
    let table = solved_tables.named(name);
    write(family, &solved_tables.variant, table.layout().material(), solved_tables, options).unwrap()
}

/// A folder with the files of three men of chess, and those of two men of games that have them.
fn folder(rounded: bool) -> &'static TempDir {
    static FOLDERS: [OnceLock<TempDir>; 2] = [OnceLock::new(), OnceLock::new()];
    FOLDERS[usize::from(rounded)].get_or_init(|| {
        let folder = TempDir::new().unwrap();
        let save = |family, name: &str| {
            files(family, name, Options { rounded }).save(folder.path()).unwrap();
        };
        THREE_MEN.into_iter().for_each(|name| save(Family::Chess, name));
        for family in [Family::Giveaway, Family::Suicide] {
            let all = Material::all(&solved_tables(family).variant, 2);
            all.iter().for_each(|material| save(family, &material.name(&solved_tables(family).variant)));
        }
        folder
    })
}

/// Compares every position of a table with its files, of four men every eighth with distances (the other side
/// to move takes its time); a position that needs the file of a table with a promoted pawn is passed over.
/// The sizes of the files must not grow beyond these, `.rtbw` first.
#[track_caller]
fn check_round_trip(family: Family, name: &str, rounded: bool, most_bytes: [usize; 2]) {
    let (solved_tables, folder) = (solved_tables(family), folder(rounded).path());
    let written = files(family, name, Options { rounded });
    let sizes = [written.wdl.len(), written.dtz.len()];
    assert!(
        sizes[0] <= most_bytes[0] && sizes[1] <= most_bytes[1],
        "{name}: {sizes:?}, at most {most_bytes:?}"
    );
    written.save(folder).unwrap();
    let read = SyzygyTablebase::open_for_all(folder, &solved_tables.variant);
    let table = solved_tables.named(name);
    let layout: &Layout = table.layout();
    let compare = |(stm, index): (Side, usize)| {
        let placement = layout.decode(index);
        let Some(expected) = Score::of(table.value(stm, index)) else { return 0 };
        if !layout.is_canonical(index, &placement) {
            return 0;
        }
        let men = layout.men().iter().copied().zip(placement.iter().copied());
        let position = Position::from_men(men, stm).unwrap();
        assert_eq!(read.wdl(&position).unwrap(), expected.wdl, "{name} {stm} {index} {placement:?}");
        if name.len() > 4 && index % 8 != 0 {
            return 1;
        }
        match read.score(&position) {
            Ok(score) => assert!(
                expected.allows(score, !rounded),
                "{name} {stm} {index} {placement:?}: {score:?}, expected {expected:?}"
            ),
            Err(SyzygyError::NotThere { .. }) => return 0,
            Err(error) => panic!("{error}"),
        }
        1
    };
    let places = table.sides().flat_map(|stm| (0..layout.len()).map(move |index| (stm, index)));
    let places: Vec<(Side, usize)> = places.collect();
    let n_compared: usize = places.into_par_iter().map(compare).sum();
    assert!(n_compared > layout.len() / 3, "{n_compared} positions of {name} were compared");
}

#[test]
fn three_men_are_read_as_written() {
    check_round_trip(Family::Chess, "KQvK", false, [272, 5_300]);
    check_round_trip(Family::Chess, "KRvK", false, [208, 7_700]);
    check_round_trip(Family::Chess, "KBvK", false, [80, 80]);
    check_round_trip(Family::Chess, "KNvK", false, [80, 80]);
    check_round_trip(Family::Chess, "KPvK", false, [6_900, 3_900]);
}

#[test]
fn four_men_are_read_as_written() {
    check_round_trip(Family::Chess, "KNNvK", false, [1_400, 80]);
    check_round_trip(Family::Chess, "KRvKN", false, [96_000, 96_000]);
    check_round_trip(Family::Chess, "KPvKP", false, [215_000, 56_000]);
}

/// The score of a position by its moves, from the files of what they lead to; none if one is not there.
fn score_by_moves(read: &SyzygyTablebase, book: &RuleBook, position: &Position) -> Option<Score> {
    let mut scores = Vec::new();
    position.for_each_successor(book, |mv, next| {
        let is_mate = next.winner(book) == Some(position.stm());
        scores.push(read.score(next).ok().map(|behind| match (behind.wdl, mv.zeroing) {
            (0, _) => behind,
            (-2, _) if is_mate => Score { wdl: 2, dtz: 1 },
            (wdl, true) => Score { wdl: -wdl, dtz: -wdl.signum() },
            (wdl, false) => Score { wdl: -wdl, dtz: -behind.dtz - behind.dtz.signum() },
        }));
    });
    let scores = scores.into_iter().collect::<Option<Vec<Score>>>()?;
    // A quick win before a slow one, a slow loss before a quick one.
    scores.into_iter().max_by_key(|score| (score.wdl, -score.dtz))
}

/// No file has rights to capture en passant: readers make the capture.
#[test]
fn en_passant_is_looked_at() {
    let (solved_tables, folder) = (solved_tables(Family::Chess), folder(false).path());
    files(Family::Chess, "KPvKP", Options::default()).save(folder).unwrap();
    let variant = &solved_tables.variant;
    let (read, book) = (SyzygyTablebase::open_for_all(folder, variant), RuleBook::new(variant));
    let layout = solved_tables.named("KPvKP").layout().clone();
    let (mut n_better, mut n_worse, mut n_same) = (0, 0, 0);
    for index in 0..layout.len() {
        let placement = layout.decode(index);
        let men = layout.men().iter().copied().zip(placement.iter().copied());
        let Some(without) = Position::from_men(men, Side::White).filter(|own| own.is_legal(&book)) else {
            continue;
        };
        for right in without.en_passant_rights(&book) {
            let position = without.clone().with_en_passant(Some(right));
            if !position.legal_moves(&book).iter().any(position::Move::is_en_passant) {
                continue;
            }
            let Some(expected) = score_by_moves(&read, &book, &position) else { continue };
            let score = read.score(&position).unwrap();
            assert_eq!(score, expected, "{}", position.to_fen(&book));
            match score.wdl.cmp(&read.wdl(&without).unwrap()) {
                Ordering::Greater => n_better += 1,
                Ordering::Less => n_worse += 1,
                Ordering::Equal => n_same += 1,
            }
        }
    }
    // Who has no other move must capture, even where a stalemate would be better.
    assert!(n_better > 100 && n_worse == 0 && n_same > 100, "{n_better}, {n_worse}, {n_same}");
}

#[test]
fn other_games_are_read_as_written() {
    check_round_trip(Family::Atomic, "KQvK", false, [1_750, 3_200]);
    check_round_trip(Family::Atomic, "KPvK", false, [7_300, 900]);
    check_round_trip(Family::Giveaway, "KvR", false, [208, 336]);
    check_round_trip(Family::Giveaway, "PvP", false, [528, 80]);
    check_round_trip(Family::Giveaway, "KKvN", false, [1_750, 2_200]);
    check_round_trip(Family::Giveaway, "QNvB", false, [1_500, 300]);
    check_round_trip(Family::Giveaway, "BPvP", false, [23_000, 80]);
    check_round_trip(Family::Suicide, "PPvN", false, [11_500, 80]);
}

#[test]
fn games_of_their_own_are_read_as_written() {
    check_round_trip(Family::Other, "KQvK", false, [2_100, 12_000]);
    check_round_trip(Family::Other, "KRvK", false, [1_500, 14_000]);
    check_round_trip(Family::Other, "KPvK", false, [10_500, 17_800]);
    // Whose numbers are the same as those of other men.
    check_damage(Family::Other, "KRvK", FileKind::Wdl);
    check_damage(Family::Other, "KRvK", FileKind::Dtz);
}

#[test]
fn files_of_other_rules_are_refused() {
    let folder = TempDir::new().unwrap();
    files(Family::Other, "KRvK", Options::default()).save(folder.path()).unwrap();
    let read = |rules: &str| {
        let variant = game(rules);
        let position = Position::from_fen(&RuleBook::new(&variant), "8/8/3k4/8/8/3K4/4R3/8 b - - 0 1");
        SyzygyTablebase::open(&[folder.path().into()], &variant).wdl(&position.unwrap())
    };
    for rules in ["shatranj", "stalemate-loses"] {
        let error = read(rules).unwrap_err().to_string();
        assert!(error.contains(&format!("KRvK.tsbw has other rules than {rules}")), "{error}");
    }
    // To chess these files are nothing.
    let missing = read("fide").unwrap_err();
    assert!(matches!(&missing, SyzygyError::NotThere { material, .. } if material == "KRvK"), "{missing}");
    assert!(read("king-of-the-hill").is_ok());
}

/// Which games of their own the format can hold.
#[track_caller]
fn check_obstacle(rules: &str, material: &str, expected: Result<Family, &str>) {
    let variant = game(rules);
    let material = Material::parse(&variant, material).unwrap();
    match (Family::of_any(&variant, &material), expected) {
        (Ok(family), Ok(expected)) => assert_eq!(family, expected),
        (Err(reason), Err(expected)) => assert!(reason.contains(expected), "{reason}"),
        (found, _) => panic!("{rules} {}: {found:?}", material.name(&variant)),
    }
}

#[test]
fn games_have_the_files_of_their_rules() {
    check_obstacle("fide", "KQvK", Ok(Family::Chess));
    check_obstacle("nightrider", "KQvK", Ok(Family::Chess));
    check_obstacle("nightrider", "KMvK", Ok(Family::Other));
    check_obstacle("antichess", "KKvQ", Ok(Family::Giveaway));
    check_obstacle("suicide", "KKvQ", Ok(Family::Suicide));
    check_obstacle("shatranj", "KPvK", Ok(Family::Other));
    check_obstacle("racing-kings", "KQvK", Err("not the same game for both sides"));
    check_obstacle("makruk", "KSvK", Err("do not move alike in all directions"));
    check_obstacle("three-check", "KQvK", Err("checks are counted in it"));
    check_obstacle("capablanca", "KQvK", Err("10 × 8 squares, not 8 × 8"));
    check_obstacle("cylinder", "KQvK", Err("do not move alike in all directions"));
}

#[test]
fn rounded_distances_are_a_ply_short_at_most() {
    check_round_trip(Family::Chess, "KQvK", true, [272, 5_300]);
    check_round_trip(Family::Chess, "KPvK", true, [6_900, 3_100]);
    check_round_trip(Family::Chess, "KRvKN", true, [96_000, 95_000]);
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let with = |n_threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| {
            [(Family::Chess, "KRvK"), (Family::Chess, "KPvK"), (Family::Giveaway, "KPvN")]
                .map(|(family, name)| files(family, name, Options::default()))
        })
    };
    let one = with(1);
    [2, 7].into_iter().for_each(|n_threads| assert_eq!(with(n_threads), one, "{n_threads} threads"));
}

/// Those tables, each read slice by slice.
struct BySlices(&'static SolvedTables);

impl Lookup for BySlices {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        self.0.table(material, None)
    }

    fn slices(&self, material: &Material) -> Option<Arc<dyn SliceSource>> {
        Some(self.table(material, None)?)
    }
}

#[test]
fn files_are_the_same_slice_by_slice() {
    let tables = BySlices(solved_tables(Family::Chess));
    for name in ["KRvK", "KPvK"] {
        let whole = files(Family::Chess, name, Options::default());
        let material = tables.0.named(name).layout().material().clone();
        let written = write(Family::Chess, &tables.0.variant, &material, &tables, Options::default());
        assert!(written.unwrap() == whole, "{name}");
    }
}

#[test]
fn tables_that_are_needed_are_named() {
    let empty = SolvedTables::new("fide");
    let material = Material::parse(&empty.variant, "KQvK").unwrap();
    let error = write(Family::Chess, &empty.variant, &material, &empty, Options::default());
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "the table KQvK is needed and not there; solve it under the metric dtz50");
}

#[track_caller]
fn check_refused(name: &str, bytes: Vec<u8>, expected: &str) {
    let error = SyzygyFile::from_bytes(Path::new(name), bytes).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn files_are_what_their_names_say() {
    let Files { wdl, dtz, .. } = files(Family::Chess, "KQvK", Options::default());
    check_refused(
        "KRvK.rtbw",
        wdl.clone(),
        "KRvK.rtbw is no Syzygy file that can be read: it holds other men",
    );
    check_refused("KvKQ.rtbw", wdl.clone(), "its name is no material");
    check_refused("KQvK.rtbz", wdl.clone(), "it does not begin as such a file does");
    check_refused("KQvK.tsm", wdl.clone(), "its name does not end in .rtbw or .rtbz");
    check_refused("KQvK.atbw", wdl.clone(), "it does not begin as such a file does");
    check_refused("KQvK.rtbw", dtz.clone(), "it does not begin as such a file does");
    check_refused("KQvK.rtbw", Vec::new(), "it is cut short or too long");
    // What is now at the end is no checksum of what stands before it.
    check_refused("KQvK.rtbw", wdl[..wdl.len() - 64].to_vec(), "its checksum is that of other bytes");
    check_refused("KQvK.rtbw", [&wdl[..], &[0; 64]].concat(), "it is longer than its header says");
}

/// How many random bits of a file are flipped.
const N_FLIPS: usize = 2_000;

/// How many bytes the checksum at the end of a file has.
const SUM_BYTES: usize = 16;

/// What damaged bytes say of some positions, and whether all of them can be unpacked if that is asked for;
/// none if they are refused.
fn read_damaged(
    path: &str,
    bytes: Vec<u8>,
    (material, positions): (&FileMaterial, &[Position]),
    all: bool,
) -> Option<Vec<Option<u32>>> {
    let mut file = SyzygyFile::from_bytes(Path::new(path), bytes).ok()?;
    let values = positions.iter().map(|position| file.stored(material, position)).collect();
    if all {
        drop(file.unpack());
    }
    Some(values)
}

/// Some positions of a table.
fn positions(family: Family, name: &str) -> Vec<Position> {
    let table = solved_tables(family).named(name);
    let (layout, book) = (table.layout(), RuleBook::new(&solved_tables(family).variant));
    let position = |(number, index): (usize, usize)| {
        let placement = layout.decode(index);
        let men = layout.men().iter().copied().zip(placement.iter().copied());
        let position = Position::from_men(men, Side::BOTH[number % 2])?;
        position.is_legal(&book).then_some(position)
    };
    (0..layout.len()).step_by(layout.len() / 100 + 1).enumerate().filter_map(position).collect()
}

/// A file of ours is refused whatever bit of it is wrong. One without a checksum is refused or read, and does
/// no harm.
#[track_caller]
fn check_damage(family: Family, name: &str, kind: FileKind) {
    let positions = positions(family, name);
    let variant = &solved_tables(family).variant;
    let material = FileMaterial::new(variant, &Material::parse(variant, name).unwrap()).unwrap();
    let Files { wdl, dtz, .. } = files(family, name, Options::default());
    let whole = if kind == FileKind::Wdl { wdl } else { dtz };
    let path = family.file_name(kind, name);
    let read = |bytes, all| read_damaged(&path, bytes, (&material, &positions), all);
    let right = read(whole.clone(), true).expect("the whole file is read");
    assert!(right.iter().any(Option::is_some), "{path}: there is something in it");
    let mut unmarked = whole.clone();
    let sum_at = whole.len() - SUM_BYTES;
    unmarked[sum_at..].fill(0);
    assert_eq!(read(unmarked.clone(), true), Some(right.clone()), "{path} without a checksum");
    for end in (0..whole.len()).step_by(16) {
        assert_eq!(read(whole[..end].to_vec(), false), None, "{path} cut to {end} bytes");
        assert_eq!(
            read(unmarked[..end].to_vec(), false),
            None,
            "{path} without a checksum, cut to {end} bytes"
        );
    }
    let n_header = 256.min(whole.len());
    let in_header = (0..8 * n_header).map(|bit| (bit / 8, 1 << (bit % 8)));
    let bytes_of_header = (0..n_header).map(|byte| (byte, 0xff));
    let scattered = (0..N_FLIPS).map(|i| i.wrapping_mul(0x9e37_79b9) % (8 * whole.len()));
    let flips = in_header.chain(bytes_of_header).chain(scattered.map(|bit| (bit / 8, 1 << (bit % 8))));
    let flips: Vec<(usize, u8)> = flips.collect();
    let flipped = |bytes: &[u8], (at, bits): (usize, u8)| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= bits;
        bytes
    };
    let n_refused: usize = flips
        .par_iter()
        .map(|&(at, bits)| {
            assert_eq!(read(flipped(&whole, (at, bits)), false), None, "{path}: {bits:08b} at byte {at}");
            usize::from(read(flipped(&unmarked, (at, bits)), at % 16 == 0).is_none())
        })
        .sum();
    assert!(n_refused > 100, "{n_refused} damaged files of {name} without a checksum were refused");
}

#[test]
fn damaged_files_are_no_danger() {
    check_damage(Family::Chess, "KQvK", FileKind::Wdl);
    check_damage(Family::Chess, "KRvK", FileKind::Dtz);
    check_damage(Family::Chess, "KPvK", FileKind::Wdl);
    check_damage(Family::Chess, "KPvK", FileKind::Dtz);
    check_damage(Family::Atomic, "KQvK", FileKind::Dtz);
    check_damage(Family::Giveaway, "RRvN", FileKind::Wdl);
    check_damage(Family::Suicide, "KBvN", FileKind::Dtz);
}
