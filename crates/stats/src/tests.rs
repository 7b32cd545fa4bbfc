//! Compares weighted counts with plain enumeration of every placement and its images.

use crate::{Count, Listing, Statistics, ZugzwangKind, longest_epd, zugzwangs_epd};
use geometry::Square;
use index::Layout;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use table::{Code, Ply, Table, Value};
use variant::{Material, Metric, Side, Variant};

mod source;

const FIDE: &str = variant::game::CHESS;

/// Chess on a board of another size.
fn chess(files: usize, ranks: usize) -> Variant {
    let rules = FIDE
        .replace("castling = true", "castling = false")
        .replace("files = 8", &format!("files = {files}"))
        .replace("ranks = 8", &format!("ranks = {ranks}"))
        .replace("promotion-rank = 8", &format!("promotion-rank = {ranks}"));
    let small =
        rules.replace("double-step = true\nen-passant = true\n", "double-step = false\nen-passant = false\n");
    Variant::parse(if ranks < 5 { &small } else { &rules }, "chess.toml").unwrap()
}

/// Returns chess on a board of another shape; `lines` are added to the table of the board.
fn shaped(files: usize, ranks: usize, lines: &str) -> Variant {
    let rules = FIDE
        .replace("castling = true", "castling = false")
        .replace("files = 8", &format!("files = {files}\n{lines}"))
        .replace("ranks = 8", &format!("ranks = {ranks}"))
        .replace("promotion-rank = 8", &format!("promotion-rank = {ranks}"));
    Variant::parse(&rules, "shaped.toml").unwrap()
}

/// A value without a pattern for a canonical place.
fn scattered(stm: Side, place: usize) -> Value {
    let number = ((place as u64) << 1 | stm.index() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    let ply = (number >> 5) as u16 % 40;
    match number % 11 {
        0..3 => Value::Illegal,
        3 | 4 => Value::Draw,
        5 => Value::Stalemate,
        _ if ply % 2 == 1 => Value::Win(Ply(ply)),
        _ => Value::Loss(Ply(ply)),
    }
}

fn all_differ(squares: &[Square]) -> bool {
    squares.iter().enumerate().all(|(i, s)| !squares[..i].contains(s))
}

/// A table that is exact in all places, as solved ones are.
fn table(variant: &Variant, material: &str, is_wide: bool) -> Table {
    let material = Material::parse(variant, material).unwrap();
    let layout = Arc::new(Layout::new(variant, &material));
    let value = |side, place: usize| {
        let squares = layout.decode(place);
        let canonical = layout.encode(&squares).filter(|_| all_differ(&squares));
        canonical.map_or(Value::Illegal, |place| scattered(side, place))
    };
    let codes = |side| match is_wide {
        true => u16::owned((0..layout.len()).map(|i| u16::from_value(value(side, i)).unwrap()).collect()),
        false => u8::owned((0..layout.len()).map(|i| u8::from_value(value(side, i)).unwrap()).collect()),
    };
    let black = (!material.is_symmetric()).then(|| codes(Side::Black));
    Table::new(layout.clone(), codes(Side::White), black)
}

/// Every placement on the whole board.
fn placements(n_men: usize, n_squares: usize) -> impl Iterator<Item = Vec<Square>> {
    (0..n_squares.pow(n_men as u32)).filter_map(move |number| {
        let squares: Vec<Square> =
            (0..n_men).map(|i| Square::from_index(number / n_squares.pow(i as u32) % n_squares)).collect();
        all_differ(&squares).then_some(squares)
    })
}

/// Counts by enumeration: unreduced placements, and the smallest images of them.
#[derive(Default)]
struct Counted {
    unreduced: u64,
    orbits: BTreeSet<Vec<Square>>,
}

impl Counted {
    fn count(&self) -> Count {
        Count { orbits: self.orbits.len() as u64, unreduced: self.unreduced }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy, Debug)]
enum Class {
    Illegal(usize),
    Draw(usize),
    Stalemate(usize),
    Loss(usize, u16),
    Win(usize, u16),
    Zugzwang(ZugzwangKind),
}

fn class(side: Side, value: Value) -> Class {
    let side = side.index();
    match value {
        Value::Illegal => Class::Illegal(side),
        Value::Draw => Class::Draw(side),
        Value::Stalemate => Class::Stalemate(side),
        Value::Loss(ply) => Class::Loss(side, ply.0),
        Value::Win(ply) => Class::Win(side, ply.0),
    }
}

fn enumerate(table: &Table) -> BTreeMap<Class, Counted> {
    let layout = table.layout();
    let board = layout.board();
    let mut counted = BTreeMap::<Class, Counted>::new();
    for squares in placements(layout.men().len(), board.n_squares()) {
        let Some(place) = layout.encode(&squares) else { continue };
        let value = |side| match side {
            Side::Black if layout.material().is_symmetric() => {
                let flipped: Vec<Square> = squares.iter().map(|&s| board.mirror_ranks(s)).collect();
                let n = flipped.len() / 2;
                layout
                    .encode(&[&flipped[n..], &flipped[..n]].concat())
                    .map_or(Value::Illegal, |place| table.value(Side::White, place))
            }
            _ => table.value(side, place),
        };
        let smallest =
            layout.group().iter().map(|g| squares.iter().map(|&s| g.square(board, s)).collect::<Vec<_>>());
        let smallest = smallest.min().unwrap();
        let [white, black] = Side::BOTH.map(value);
        let mut classes = vec![class(Side::White, white), class(Side::Black, black)];
        if let (Some(white), Some(black)) = (white.wdl(), black.wdl())
            && white < -black
        {
            classes.push(Class::Zugzwang(match (white, black) {
                (0, -1) => ZugzwangKind::WhiteWinsOrDraw,
                (-1, 0) => ZugzwangKind::BlackWinsOrDraw,
                _ => ZugzwangKind::FullPoint,
            }));
        }
        for class in classes {
            let counted = counted.entry(class).or_default();
            counted.unreduced += 1;
            counted.orbits.insert(smallest.clone());
        }
    }
    counted
}

/// Every number of the statistics against enumeration.
#[track_caller]
fn check_counts(files: usize, ranks: usize, material: &str, is_wide: bool) {
    check_counts_of(&chess(files, ranks), material, is_wide);
}

#[track_caller]
fn check_counts_of(variant: &Variant, material: &str, is_wide: bool) {
    let table = table(variant, material, is_wide);
    let statistics = Statistics::collect(variant, variant.default_metric, &table);
    let counted = enumerate(&table);
    let get = |class: Class| counted.get(&class).map_or(Count::default(), Counted::count);
    for side in Side::BOTH {
        let (i, got) = (side.index(), statistics.side(side));
        assert_eq!(got.illegal, get(Class::Illegal(i)), "{side} illegal");
        assert_eq!(got.stalemates, get(Class::Stalemate(i)), "{side} stalemates");
        assert_eq!(got.draws, get(Class::Draw(i)) + get(Class::Stalemate(i)), "{side} draws");
        assert_eq!(got.mates, get(Class::Loss(i, 0)), "{side} mates");
        let plies = |is_win: bool| {
            let at = counted.iter().filter_map(move |(class, counted)| match *class {
                Class::Win(s, ply) if is_win && s == i => Some((ply, counted.count())),
                Class::Loss(s, ply) if !is_win && s == i => Some((ply, counted.count())),
                _ => None,
            });
            at.collect::<Vec<_>>()
        };
        let own = |plies: &[crate::PlyCount]| plies.iter().map(|at| (at.ply, at.count)).collect::<Vec<_>>();
        assert_eq!(own(&got.wins_by_ply), plies(true), "{side} wins");
        assert_eq!(own(&got.losses_by_ply), plies(false), "{side} losses");
        let longest = got.longest_win.as_ref().unwrap();
        assert_eq!(Some((longest.ply, longest.count)), plies(true).last().copied());
        let stm = if side == Side::White { " w " } else { " b " };
        assert!(longest.fen.contains(stm), "{}", longest.fen);
    }
    let zugzwangs = &statistics.zugzwangs;
    let kinds = [zugzwangs.white_wins_or_draw, zugzwangs.black_wins_or_draw, zugzwangs.full_point];
    assert_eq!(kinds, ZugzwangKind::ALL.map(|kind| get(Class::Zugzwang(kind))));
    assert_eq!(zugzwangs.examples.len(), 5);
    check_lists(variant, &table, &statistics);
}

/// The lists have every orbit once; with like men, every orbit modulo their exchange.
#[track_caller]
fn check_lists(variant: &Variant, table: &Table, statistics: &Statistics) {
    let n_exchanges = u64::from(table.layout().n_exchanges());
    let check = |list: &Listing, counted: u64| {
        let unique: BTreeSet<&str> = list.lines.iter().filter_map(|line| line.split(" - ").next()).collect();
        assert_eq!((unique.len(), list.n_all), (list.lines.len(), list.lines.len() as u64), "{}", list.title);
        assert_eq!(list.n_counted, counted, "{}", list.title);
        assert!((counted.div_ceil(n_exchanges)..=counted).contains(&list.n_all), "{}: {counted}", list.title);
    };
    let lists = longest_epd(variant, variant.default_metric, table, usize::MAX);
    let sides = Side::BOTH.map(|side| statistics.side(side));
    let longest = sides.iter().flat_map(|side| [&side.longest_win, &side.longest_loss]).flatten();
    let counts: Vec<u64> = longest.map(|longest| longest.count.orbits).collect();
    assert_eq!(lists.len(), counts.len());
    lists.iter().zip(counts).for_each(|(list, count)| check(list, count));
    check(&zugzwangs_epd(variant, table, usize::MAX), statistics.zugzwangs.total().orbits);
    let cut = longest_epd(variant, variant.default_metric, table, 1);
    assert!(
        cut.iter().zip(&lists).all(|(cut, list)| cut.lines == list.lines[..1] && cut.n_all == list.n_all)
    );
    let few = zugzwangs_epd(variant, table, 3).lines;
    assert_eq!(few.len(), 3);
    let example = &statistics.zugzwangs.examples[0];
    let position: String = example.fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
    assert!(few[0].starts_with(&position) && few[0].ends_with(';'), "{}", few[0]);
}

#[test]
fn counts_equal_plain_enumeration() {
    check_counts(8, 8, "KQvK", false);
    check_counts(5, 5, "KQvK", true);
    check_counts(4, 5, "KQRvK", false);
    check_counts(4, 4, "KBBvK", false);
    check_counts(5, 5, "KNNvK", true);
    check_counts(4, 4, "KQvKR", false);
    check_counts(4, 5, "KRvKR", false);
    check_counts(5, 5, "KPvK", false);
    check_counts(5, 4, "KPPvK", false);
    check_counts(5, 4, "KPvKP", true);
    check_counts(4, 5, "KQPvK", false);
    check_counts(4, 5, "KPvKN", false);
    check_counts_of(&shaped(4, 5, "cylinder = true"), "KQvKR", false);
    check_counts_of(&shaped(5, 5, "cylinder = true"), "KPvK", false);
    check_counts_of(&shaped(5, 5, "holes = [\"c3\"]"), "KNNvK", false);
    check_counts_of(&shaped(5, 5, "holes = [\"a1\", \"a5\"]"), "KQvK", true);
    check_counts_of(&shaped(9, 8, ""), "KQvK", false);
}

/// Counts codes under the n-move rule and without it: every count goes to one side of the rule or the other.
#[track_caller]
fn check_rule(material: &str, is_wide: bool) {
    let mut variant = chess(4, 5);
    variant.rules.n_move_rule = Some(10);
    let table = table(&variant, material, is_wide);
    let plain = Statistics::collect(&variant, Metric::Dtz, &table);
    let ruled = Statistics::collect(&variant, Metric::Dtz50, &table);
    assert_eq!((plain.metric.as_str(), ruled.metric.as_str()), ("dtz", "dtz50"));
    assert_eq!(plain.zugzwangs, ruled.zugzwangs);
    for side in Side::BOTH {
        let (plain, ruled) = (plain.side(side), ruled.side(side));
        let beyond = ruled.beyond_rule.as_ref().unwrap();
        let within =
            |plies: &[crate::PlyCount]| plies.iter().filter(|at| at.ply <= 20).map(|at| at.count).sum();
        assert_eq!(ruled.wins, within(&plain.wins_by_ply));
        assert_eq!(ruled.losses, within(&plain.losses_by_ply));
        assert_eq!((ruled.wins + beyond.cursed_wins, ruled.draws), (plain.wins, plain.draws));
        assert_eq!(ruled.losses + beyond.blessed_losses, plain.losses);
        assert_eq!((ruled.legal(), ruled.illegal, ruled.mates), (plain.legal(), plain.illegal, plain.mates));
        assert_eq!(beyond.longest_cursed_win, plain.longest_win);
        assert_eq!(beyond.longest_blessed_loss, plain.longest_loss);
        let stm = if side == Side::White { " w " } else { " b " };
        for (longest, ply) in [(&ruled.longest_win, 19), (&ruled.longest_loss, 20)] {
            let longest = longest.as_ref().unwrap();
            assert!(longest.ply == ply && longest.fen.contains(stm), "{longest:?}");
        }
    }
    let white = &ruled.white_to_move;
    let cursed = white.beyond_rule.as_ref().unwrap().longest_cursed_win.as_ref().unwrap();
    let (orbits, unreduced) = (cursed.count.orbits, cursed.count.unreduced);
    check_text(
        &ruled,
        &[
            &format!(
                "White to move, longest cursed win: 39 plies, {orbits} ({unreduced}) positions, {}",
                cursed.fen
            ),
            "White to move wins, by ply, drawn by the rule beyond ply 20 (modulo symmetry)",
        ],
    );
    let text = ruled.render();
    let labels: Vec<&str> = text.lines().skip(2).take(9).filter_map(|line| line.get(..14)).collect();
    let expected = "positions,wins,cursed wins,draws,blessed losses,losses,stalemates,mates,illegal";
    assert_eq!(labels.iter().map(|label| label.trim()).collect::<Vec<_>>().join(","), expected, "{text}");
    let line = longest_epd(&variant, Metric::Dtz50, &table, 1).remove(0).lines.remove(0);
    assert!(line.ends_with("c0 \"39 plies dtz50, cursed\";") && !line.contains(" dm "), "{line}");
}

#[test]
fn the_rule_parts_wins_and_losses() {
    check_rule("KQRvK", false);
    check_rule("KPvKN", true);
    check_rule("KRvKR", false);
}

#[test]
fn without_a_rule_or_without_distances_there_is_less_to_say() {
    let mut variant = chess(4, 5);
    variant.rules.n_move_rule = None;
    let table = table(&variant, "KQRvK", false);
    let [dtz, dtz50, wdl] =
        [Metric::Dtz, Metric::Dtz50, Metric::Wdl].map(|metric| Statistics::collect(&variant, metric, &table));
    assert_eq!(Statistics { metric: "dtz".into(), ..dtz50 }, dtz);
    let text = wdl.render();
    for word in ["\nmates", "longest", "by ply"] {
        assert!(dtz.render().contains(word) && !text.contains(word), "{word} in\n{text}");
    }
    let of = |statistics: &Statistics| Side::BOTH.map(|side| statistics.side(side).clone());
    for (wdl, dtz) in of(&wdl).iter().zip(of(&dtz)) {
        assert_eq!((wdl.wins, wdl.draws, wdl.losses), (dtz.wins, dtz.draws, dtz.losses));
        assert_eq!((wdl.stalemates, wdl.illegal, wdl.legal()), (dtz.stalemates, dtz.illegal, dtz.legal()));
    }
    assert!(longest_epd(&variant, Metric::Wdl, &table, 1).is_empty());
}

#[test]
fn threads_change_nothing() {
    let variant = chess(5, 5);
    let table = table(&variant, "KQRvK", false);
    let of = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| Statistics::collect(&variant, Metric::Dtm, &table))
    };
    let one = of(1);
    assert_eq!(one, of(2));
    assert_eq!(one, of(7));
}

#[track_caller]
fn check_text(statistics: &Statistics, lines: &[&str]) {
    let text = statistics.render();
    assert!(text.lines().count() <= 60, "{} lines", text.lines().count());
    assert!(!text.contains('.') && text.lines().all(|line| line == line.trim_end()), "{text}");
    for line in lines {
        assert!(
            text.lines().any(|l| l.split_whitespace().eq(line.split_whitespace())),
            "`{line}` in\n{text}"
        );
    }
}

#[test]
fn the_text_is_short_whatever_the_depth() {
    let variant = chess(8, 8);
    let plain = table(&variant, "KQvK", false);
    let mut statistics = Statistics::collect(&variant, Metric::Dtm, &plain);
    let wins = statistics.white_to_move.wins;
    check_text(
        &statistics,
        &[
            "KQvK dtm: positions modulo symmetry (and unreduced), like men distinguishable",
            &format!(
                "wins {} ({}) {} ({})",
                wins.orbits,
                wins.unreduced,
                statistics.black_to_move.wins.orbits,
                statistics.black_to_move.wins.unreduced
            ),
            "White to move wins, by ply (modulo symmetry)",
        ],
    );
    let first_row: u64 =
        statistics.white_to_move.wins_by_ply.iter().filter(|at| at.ply < 10).map(|at| at.count.orbits).sum();
    let row =
        statistics.render().lines().find(|line| line.starts_with("    0:")).map(str::to_string).unwrap();
    let shown: u64 = row.split_whitespace().skip(1).map(|n| n.parse::<u64>().unwrap()).sum();
    assert_eq!(shown, first_row, "{row}");

    // A win of hundreds of plies: the end of the histogram is summed up.
    let one = Count { orbits: 1, unreduced: 8 };
    let long = (1..700).step_by(2).map(|ply| crate::PlyCount { ply, count: one }).collect();
    statistics.white_to_move.wins_by_ply = long;
    let text = statistics.render();
    assert!(text.lines().count() <= 60);
    assert!(text.contains("to ply 699 together"), "{text}");
}

#[test]
fn a_table_without_a_win_has_a_text_too() {
    let variant = chess(8, 8);
    let material = Material::parse(&variant, "KBvK").unwrap();
    let layout = Arc::new(Layout::new(&variant, &material));
    let code = |place| if all_differ(&layout.decode(place)) { u8::DRAW } else { u8::ILLEGAL };
    let draws = || u8::owned((0..layout.len()).map(code).collect());
    let table = Table::new(layout.clone(), draws(), Some(draws()));
    let statistics = Statistics::collect(&variant, Metric::Dtm, &table);
    check_text(&statistics, &["wins 0 (0) 0 (0)", "mutual zugzwangs: 0 (0)"]);
    assert!(longest_epd(&variant, Metric::Dtm, &table, 10).is_empty());
}

#[test]
fn figures_of_squares_are_those_of_all_placements() {
    for (name, board) in [("KQvK", chess(4, 4)), ("KPvK", chess(4, 5)), ("KRvKR", chess(3, 4))] {
        let table = table(&board, name, false);
        let layout = table.layout();
        let unit = layout.group().len() as u64;
        let squares: Vec<Square> = board.board.squares().collect();
        for (place, &man) in layout.men().iter().enumerate() {
            let figures = crate::SquareFigures::collect(&table, man, Side::White).unwrap();
            let mut expected = vec![(0, 0, 0); layout.n_squares()];
            let n = layout.men().len() as u32;
            for number in 0..squares.len().pow(n) {
                let own: Vec<Square> =
                    (0..n).map(|i| squares[number / squares.len().pow(i) % squares.len()]).collect();
                let Some(index) = layout.encode(&own).filter(|_| all_differ(&own)) else { continue };
                let value = table.value(Side::White, index);
                let sums = &mut expected[own[place].index()];
                match (value.wdl(), value.ply()) {
                    (Some(_), Some(ply)) => (sums.0, sums.1) = (sums.0 + 1, sums.1 + u128::from(ply.0)),
                    (Some(_), None) => sums.2 += 1,
                    (None, _) => {}
                }
            }
            for (found, (decided, plies, drawn)) in figures.iter().zip(expected) {
                let wanted = (decided * unit, plies * u128::from(unit), drawn * unit);
                assert_eq!((found.decided, found.plies, found.drawn), wanted, "{name} {man:?}");
            }
        }
        let absent = Material::parse(&board, "KNvK").unwrap().men().nth(1).unwrap();
        assert_eq!(crate::SquareFigures::collect(&table, absent, Side::White), None);
    }
}

#[test]
fn texts_are_cut_on_terminals_only() {
    let board = chess(4, 4);
    let mut statistics = Statistics::collect(&board, Metric::Dtm, &table(&board, "KQvK", false));
    let at = |ply| crate::PlyCount { ply, count: Count { orbits: 1, unreduced: 8 } };
    statistics.white_to_move.wins_by_ply = (0..600).map(|n| at(2 * n + 1)).collect();
    let (screen, whole) = (statistics.render(), statistics.render_whole());
    assert!(screen.lines().count() <= 60 && screen.contains("to ply 1199 together"), "{screen}");
    assert!(!whole.contains("together") && whole.contains("\n 1190:"), "{whole}");
    assert!(
        whole.contains("White to move, mean win: 600.00 plies, 601.00 of those that take more than one\n")
    );
}
