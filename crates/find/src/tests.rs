//! Compares queries with rules asked position by position, and checks the faults of queries.

use crate::{Form, Query, QueryFault, Sample, Search};
use geometry::Square;
use library::SolvedTables;
use position::{Move, Position};
use probe::Tablebase;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use table::{Table, Value};
use variant::{Man, Metric, Side, Variant};

mod form;
mod oracle;

/// A game, some of its tables with all that they lead to, and the tablebase that they make.
struct Game {
    variant: Variant,
    tables: Vec<Arc<Table>>,
    tablebase: Tablebase,
}

impl Game {
    fn new(variant: Variant, names: &[&str]) -> Self {
        let solved = SolvedTables::new(variant.clone());
        let mut tables: Vec<_> = names.iter().map(|name| solved.named(name).expect("it is solved")).collect();
        let others = solved.tables();
        tables.extend(others.into_iter().filter(|other| !names.contains(&other.layout().name())));
        let tablebase = Tablebase::from_tables(&variant, Metric::Dtm, tables.iter().cloned());
        Game { variant, tables, tablebase }
    }

    fn of_file(name: &str, names: &[&str]) -> Self {
        let path = format!("{}/../../variants/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        Game::new(Variant::load(path).expect("rules"), names)
    }

    #[track_caller]
    fn table(&self, name: &str) -> &Arc<Table> {
        self.tables.iter().find(|table| table.layout().name() == name).expect("it is there")
    }

    #[track_caller]
    fn query(&self, text: &str) -> Query {
        Query::parse(&self.variant, Metric::Dtm, text).unwrap_or_else(|fault| panic!("{fault}"))
    }
}

/// KQvK and KPvK of chess.
fn chess() -> &'static Game {
    static GAME: OnceLock<Game> = OnceLock::new();
    GAME.get_or_init(|| Game::new(Variant::chess(), &["KQvK", "KPvK"]))
}

/// KQvK of chess whose first file lies beside the last one.
fn cylinder() -> &'static Game {
    static GAME: OnceLock<Game> = OnceLock::new();
    GAME.get_or_init(|| Game::of_file("cylinder", &["KQvK"]))
}

/// A pawn on either side, on a board of five files and ranks.
fn gardner() -> &'static Game {
    static GAME: OnceLock<Game> = OnceLock::new();
    GAME.get_or_init(|| Game::of_file("gardner", &["KPvKP"]))
}

#[track_caller]
fn fault(text: &str) -> QueryFault {
    Query::parse(&Variant::chess(), Metric::Dtm, text).expect_err(text)
}

#[track_caller]
fn check_fault(text: &str, word: &str, message: &str) {
    let fault = fault(text);
    let meant: String = text.chars().skip(fault.place().start).take(fault.place().len()).collect();
    assert_eq!(meant, word, "{text}: {fault}");
    assert!(fault.message().contains(message), "{text}: {fault}");
}

#[test]
fn faults_point_at_the_word() {
    check_fault("wtm wining", "wining", "did you mean `win`?");
    check_fault("wtm mutual-zugzwnag", "mutual", "did you mean `mutual-zugzwang`?");
    check_fault("wtm win and moves.wining = 1", "moves.wining", "did you mean `moves.winning`?");
    check_fault("wtm win und draw", "und", "there is no word `und`");
    check_fault("white wins in 10", "10", "dtm50, help; or write `plies <= 9`) should");
    check_fault("win draw", "draw", "`draw` stands where `and`, `or`, or the end should");
    check_fault("", "", "the query ends where a condition or a number should follow");
    check_fault("win and", "", "the query ends where");
    check_fault("(win or draw", "", "the query ends where `)` should follow");
    check_fault("plies > ", "", "the query ends where a condition or a number");
    check_fault("plies 7", "7", "a comparison");
    check_fault("K on z9", "z9", "squares are a1 to h8");
    check_fault("K on rank 9", "9", "ranks are 1 to 8, not 9");
    check_fault("K on file k", "k", "files are a to h");
    check_fault("X on a1", "X", "the pieces are K Q R B N P");
    check_fault("e4", "e4", "a square stands behind `on`");
    check_fault("distance(X, k) > 1", "X", "the pieces are K Q R B N P");
    check_fault("distance(win, k) > 1", "win", "`win` stands where the letter of a man");
    check_fault("best.promotes == 'X'", "'X'", "no piece is `X`");
    check_fault("best.promotes > 'N'", ">", "compare it with `==` or `!=`");
    check_fault("best.man", "", "`best.man == 'K'`");
    check_fault("best.to == 'N'", "'N'", "a square");
    check_fault("cursed-win", "cursed-win", "write `… in dtz50`");
    check_fault("win in dtx", "dtx", "there is no word `dtx`");
    check_fault("wdl > 3", "wdl", "wdl counts nothing");
    check_fault("plies > 99999999999", "99999999999", "too large");
    check_fault("win & draw", "&", "has no meaning here");
    check_fault("best.promotes == 'N", "'N", "the closing ' is missing");
    check_fault("white and win", "and", "`wins`, `draws` or `loses`");
    check_fault(&"(".repeat(2000), "(", "within each other");
    check_fault(&"not ".repeat(2000), "not", "within each other");
    check_fault(&format!("{} > 1", "-".repeat(2000)), "-", "within each other");
    // What is longer than any query is not shown as a whole.
    let long = fault(&format!("{}1 = 1", "1+".repeat(12_000)));
    let said = "the query has 24005 characters, and 10000 are the most; ask several queries";
    assert!(long.message().contains(said) && long.to_string().len() < 400, "{long}");
    let dotted = "a.".repeat(4_000) + "a";
    check_fault(&dotted, &dotted, "there is no word");
    let wdl = Query::parse(&Variant::chess(), Metric::Wdl, "plies > 3").unwrap_err();
    assert!(wdl.message().contains("have no distances"), "{wdl}");
    assert_eq!(
        fault("wtm wining").to_string(),
        "there is no word `wining`; did you mean `win`?\n  | wtm wining\n  |     ^^^^^^"
    );
}

#[test]
fn queries_of_the_manual_are_read() {
    for text in [
        "wtm win and moves.winning == 1 and best.promotes == 'N'",
        "mutual-zugzwang full-point",
        "stm loses and plies >= 60",
        "wins in dtm but drawn in dtz50",
        "only-move-line >= 5",
        "stalemate",
        "underpromotion",
        "dtm - dtc > 20",
        "dtm-dtc>20",
        "K on d4..e5 and P on rank 7 or all p on {a2, rank 3..4, file g..h, light}",
        "both(white wins) and not turned(check)",
        "(dtm - 2) * -3 + 1 <= (4) and ((win))",
        "distance(K, k) = 2 && file-of(K) < rank-of(k) || mate",
        "cursed-win in dtz50 or blessed-loss in dtz50",
        "best.to on rank 8 and best.from != a7 and keeping.captures == none",
    ] {
        let query = Query::parse(&Variant::chess(), Metric::Dtm, text);
        assert_eq!(query.as_ref().map(Query::text), Ok(text), "{}", query.as_ref().unwrap_err());
    }
}

#[test]
fn every_word_of_the_language_is_explained() {
    let all = crate::words().iter().map(|word| format!("{} {}", word.forms, word.meaning));
    let all = all.collect::<Vec<_>>().join(" ");
    for &(form, _) in crate::word::TERMS {
        let last = form.rsplit(['.']).next().unwrap();
        assert!(all.contains(last), "{form}");
    }
}

#[test]
fn a_query_says_what_it_reads() {
    let read = |text| Query::parse(&Variant::chess(), Metric::Dtm, text).unwrap();
    assert_eq!(read("wtm win").sides(), [Side::White]);
    assert_eq!(read("btm or not wtm").sides(), [Side::Black]);
    assert_eq!(read("btm or win").sides(), Side::BOTH);
    assert_eq!(read("wtm and zugzwang").sides(), Side::BOTH);
    assert_eq!(read("wtm draw in dtz50 and dtc > 3").metrics(), [Metric::Dtm, Metric::Dtz50, Metric::Dtc]);
    assert!(!read("wtm win").uses_moves() && read("moves.count > 1").uses_moves());
    assert!(read("only-move-line > 1").uses_line());
}

/// The step between the positions that are asked, as to ask each is slow.
const STRIDE: usize = 7;

/// The FENs of what is found, White to move first, those whose numbers are multiples of a step.
fn found(game: &Game, table: &Arc<Table>, text: &str, step: usize) -> (Vec<String>, crate::Tally) {
    let (query, tablebase) = (game.query(text), Some(&game.tablebase));
    let search = Search::new(&game.variant, &query, vec![table.clone()], tablebase, tablebase);
    let mut lines = Vec::new();
    let mut n_found = 0;
    let mut visit = |hit: crate::Hit| {
        n_found += 1;
        if hit.index.is_multiple_of(step) {
            lines.push(search.record(hit).line(Form::Fen).trim_end().to_owned());
        }
        ControlFlow::Continue(())
    };
    let tally = search.run(&|_, _| {}, &mut visit).unwrap();
    assert_eq!(tally.n_found, n_found);
    (lines, tally)
}

/// What a query says of a position, answered otherwise.
type Holds<'h> = &'h dyn Fn(&oracle::Oracle<'_>) -> bool;

/// A table that keeps one side to move.
fn half(table: &Arc<Table>, kept: Side) -> Arc<Table> {
    let codes = Side::BOTH.map(|side| table.codes(side).filter(|_| side == kept).cloned());
    Arc::new(Table::with_sides(table.layout().clone(), codes))
}

/// Compares a query over a table, and over its halves, with a test of its canonical positions, of which it
/// holds for some.
#[track_caller]
fn check_found_in(game: &Game, name: &str, text: &str, holds: Holds<'_>) {
    let n_found = compare(game, name, text, STRIDE, holds);
    assert!(n_found > 0, "{name}: {text} is never true");
}

#[track_caller]
fn check_found(name: &str, text: &str, holds: Holds<'_>) {
    check_found_in(chess(), name, text, holds);
}

/// Compares in all positions: for what is rare.
#[track_caller]
fn check_all_found(name: &str, text: &str, holds: Holds<'_>) {
    let n_found = compare(chess(), name, text, 1, holds);
    assert!(n_found > 0, "{name}: {text} is never true");
}

/// Compares, and returns how many positions there are.
#[track_caller]
fn compare(game: &Game, name: &str, text: &str, step: usize, holds: Holds<'_>) -> usize {
    let table = game.table(name);
    let (lines, _) = found(game, table, text, step);
    let tablebase = &game.tablebase;
    let mut expected = Vec::new();
    let layout = table.layout();
    for stm in Side::BOTH {
        // A symmetric table has Black to move as White to move with the colours exchanged.
        let is_swapped = stm == Side::Black && layout.is_one_sided();
        let shown = |(man, square): (Man, Square)| match is_swapped {
            true => (Man { side: !man.side, ..man }, layout.board().mirror_ranks(square)),
            false => (man, square),
        };
        for index in (0..layout.len()).step_by(step) {
            let squares = layout.decode(index);
            let own_stm = if is_swapped { Side::White } else { stm };
            if table.value(own_stm, index) == Value::Illegal || !layout.is_canonical(index, &squares) {
                continue;
            }
            let men = layout.men().iter().copied().zip(squares.iter().copied());
            let position = Position::from_men(men.map(shown), stm).unwrap();
            let oracle = oracle::Oracle { tables: tablebase, position: &position };
            if holds(&oracle) {
                expected.push(position.to_fen(tablebase.book()));
            }
        }
    }
    assert_eq!(lines, expected, "{name}: {text}");
    for &kept in table.layout().sides() {
        let found = found(game, &half(table, kept), text, step).0;
        assert_eq!(found, expected, "{name} with {kept} to move: {text}");
    }
    lines.len()
}

#[test]
fn what_codes_tell_is_found() {
    check_found("KQvK", "wtm plies >= 17", &|o| o.is_white() && o.plies().is_some_and(|ply| ply >= 17));
    check_found("KQvK", "stalemate or mate", &|o| o.is_over());
    check_found("KPvK", "btm draw and not stalemate", &|o| !o.is_white() && o.wdl() == 0 && !o.is_over());
    check_found("KPvK", "black loses and plies = 28", &|o| o.white_wdl() == 1 && o.plies() == Some(28));
    check_found("KPvK", "wtm and (plies - 3) * 2 > 80", &|o| {
        o.is_white() && o.plies().is_some_and(|ply| (i64::from(ply) - 3) * 2 > 80)
    });
}

/// A sum is as deep with thousands of terms as with two.
#[test]
fn long_numbers_are_judged_without_depth() {
    let ones = "1+".repeat(2_000);
    let text = format!("wtm plies + {ones}0 = {ones}17 and {}1 = 1", "1*".repeat(500));
    check_found("KQvK", &text, &|o| o.is_white() && o.plies() == Some(17));
}

#[test]
fn both_sides_to_move_are_compared() {
    check_found("KPvK", "mutual-zugzwang and wtm", &|o| o.is_white() && o.is_mutual_zugzwang());
    check_found("KPvK", "wtm mutual-zugzwang for-white", &|o| o.is_white() && o.is_mutual_zugzwang());
    let check_zugzwang = |text: &str, results: [i8; 2]| {
        check_found_in(gardner(), "KPvKP", text, &|o| o.wdl_of_both() == Some(results));
    };
    check_zugzwang("mutual-zugzwang full-point", [-1, 1]);
    check_zugzwang("mutual-zugzwang for-white", [0, 1]);
    check_zugzwang("mutual-zugzwang for-black", [-1, 0]);
    check_found_in(gardner(), "KPvKP", "mutual-zugzwang", &|o| o.is_mutual_zugzwang());
    check_found_in(gardner(), "KPvKP", "btm zugzwang and loses", &|o| {
        !o.is_white() && o.is_zugzwang() && o.wdl() < 0
    });
    check_found("KPvK", "both(white wins) and btm and P on a6", &|o| {
        !o.is_white() && o.white_wdl() == 1 && o.turned_white_wdl() == Some(1) && o.has('P', "a6")
    });
    check_found("KPvK", "btm zugzwang and P on rank 6", &|o| {
        !o.is_white() && o.is_zugzwang() && ["a6", "b6", "c6", "d6"].iter().any(|square| o.has('P', square))
    });
}

#[test]
fn zugzwangs_alone_are_content_with_one_side() {
    let is_content = |text: &str| {
        Query::parse(&Variant::chess(), Metric::Dtm, text).expect(text).is_content_with_one_side()
    };
    for text in [
        "mutual-zugzwang",
        "wtm mutual-zugzwang and moves.count < 3",
        "zugzwang or mutual-zugzwang full-point",
    ] {
        assert!(is_content(text), "{text}");
    }
    for text in ["win", "mutual-zugzwang or win", "not mutual-zugzwang", "mutual-zugzwang and drawn in dtz50"]
    {
        assert!(!is_content(text), "{text}");
    }
}

#[test]
fn squares_are_compared() {
    check_found("KQvK", "K on b1..c2 and k on corner", &|o| {
        ["b1", "c1", "b2", "c2"].iter().any(|s| o.has('K', s))
            && ["a1", "a8", "h1", "h8"].iter().any(|s| o.has('k', s))
    });
    check_found("KQvK", "btm and check and distance(K, k) > 5 and k on light", &|o| {
        !o.is_white() && o.is_check() && o.distance('K', 'k') > 5 && o.is_on_light('k')
    });
    check_found("KPvK", "P on file b and file-of(K) = 7 and rank-of(k) < 2", &|o| {
        o.square('P').starts_with('b') && o.square('K').starts_with('g') && o.square('k').ends_with('1')
    });
    check_found("KQvK", "wtm and k on {edge, d4} and Q on dark and not K on edge", &|o| {
        let is_on_edge = |man| o.square(man).contains(['a', 'h', '1', '8']);
        o.is_white() && (is_on_edge('k') || o.has('k', "d4")) && !o.is_on_light('Q') && !is_on_edge('K')
    });
    check_found("KQvK", "K on rank 3..2 and k on file d..c and all Q on a1..b8", &|o| {
        o.square('K').ends_with(['2', '3'])
            && o.square('k').starts_with(['c', 'd'])
            && o.square('Q').starts_with(['a', 'b'])
    });
    // Round the back of a cylinder it is not far.
    let over_the_edge =
        "wtm and distance(Q, k) = 2 and (file-of(Q) - file-of(k)) * (file-of(Q) - file-of(k)) > 25";
    check_found_in(cylinder(), "KQvK", over_the_edge, &|o| {
        let [own, other] = ['Q', 'k'].map(|man| o.square(man).as_bytes()[0]);
        o.is_white() && o.distance('Q', 'k') == 2 && own.abs_diff(other) > 5
    });
    // A man that is not there stands nowhere.
    assert_eq!(compare(chess(), "KQvK", "R on a1..h8", STRIDE, &|_| false), 0);
    assert_eq!(compare(chess(), "KQvK", "distance(R, k) > 0 or file-of(N) > 0", STRIDE, &|_| false), 0);
}

#[test]
fn numbers_are_calculated() {
    check_found("KQvK", "btm and 20 - plies * 2 < -file-of(k) + rank-of(Q) - 3", &|o| {
        let at = |man| o.square(man).into_bytes().into_iter().map(i64::from).collect::<Vec<_>>();
        let (file, rank) = (at('k')[0] - 96, at('Q')[1] - 48);
        !o.is_white() && o.plies().is_some_and(|ply| 20 - i64::from(ply) * 2 < -file + rank - 3)
    });
    check_found("KQvK", "wtm and plies != 7 and plies <= 9 and plies >= 7", &|o| {
        o.is_white() && o.plies().is_some_and(|ply| ply == 8 || ply == 9)
    });
}

/// Reads a query with the tables of two metrics.
#[test]
fn a_query_reads_the_tables_of_its_metrics() {
    let game = chess();
    let by_captures = SolvedTables::of_metric(Variant::chess(), Metric::Dtc).named("KPvK").unwrap();
    let by_mate = game.table("KPvK");
    let query = game.query("wtm and dtm - dtc > 15 and win in dtc");
    assert_eq!(query.metrics(), [Metric::Dtm, Metric::Dtc]);
    let search = Search::new(&game.variant, &query, vec![by_mate.clone(), by_captures.clone()], None, None);
    let mut got = Vec::new();
    let mut visit = |hit: crate::Hit| {
        let record = search.record(hit);
        got.push((hit.index, record.distances.iter().map(|distance| distance.value).collect::<Vec<_>>()));
        ControlFlow::Continue(())
    };
    search.run(&|_, _| {}, &mut visit).unwrap();
    let values = |index| [by_mate, &by_captures].map(|table| table.value(Side::White, index));
    let holds = |index: &usize| match values(*index) {
        [Value::Win(mate), Value::Win(capture)] => mate.0 > capture.0 + 15,
        _ => false,
    };
    let expected = (0..by_mate.layout().len()).filter(holds).map(|index| (index, values(index).to_vec()));
    assert_eq!(got, expected.collect::<Vec<_>>());
    assert!(!got.is_empty());
}

#[test]
fn moves_are_compared() {
    check_found("KPvK", "wtm win and moves.winning == 1 and plies > 50", &|o| {
        o.is_white() && o.n_moves(|wdl| wdl > 0) == 1 && o.plies().is_some_and(|ply| ply > 50)
    });
    check_found("KQvK", "moves.count = 1 and btm", &|o| !o.is_white() && o.n_moves(|_| true) == 1);
    check_found("KQvK", "wtm and moves.drawing > 3 and moves.best = 2", &|o| {
        o.is_white() && o.n_moves(|wdl| wdl == 0) > 3 && o.n_best() == 2
    });
    check_found("KQvK", "btm draw and moves.captures = 1", &|o| {
        !o.is_white() && o.wdl() == 0 && o.n_of(|mv| mv.captured.is_some()) == 1
    });
    check_found("KQvK", "wtm and plies = 1 and moves.checks > 5 and best.checks", &|o| {
        o.is_white() && o.plies() == Some(1) && o.n_checks() > 5
    });
    check_found("KPvK", "wtm and moves.promotions = 4 and moves.keeping < 3", &|o| {
        o.is_white() && o.n_of(|mv| mv.promotion.is_some()) == 4 && o.keeping(|_, _| true).1 < 3
    });
    check_found("KQvK", "btm and moves.losing = 3", &|o| !o.is_white() && o.n_moves(|wdl| wdl < 0) == 3);
}

/// Moves that keep the result, or are best too: all of them have it, and there are some.
#[test]
fn what_moves_have_in_common_is_found() {
    let all = |(n, of): (usize, usize)| of > 0 && n == of;
    check_found("KPvK", "wtm and keeping.promotes", &|o| {
        o.is_white() && all(o.keeping(|_, mv| mv.promotion.is_some()))
    });
    let is_before_promotion = |o: &oracle::Oracle<'_>| o.is_white() && o.square('P').ends_with('7');
    check_all_found("KPvK", "wtm and keeping.promotes == R", &|o| {
        let is_rook = |o: &oracle::Oracle<'_>, mv: &Move| mv.promotion.is_some_and(|p| o.letter(p) == 'R');
        is_before_promotion(o) && all(o.keeping(is_rook))
    });
    let is_queen = |o: &oracle::Oracle<'_>, mv: &Move| mv.promotion.is_some_and(|p| o.letter(p) == 'Q');
    check_all_found("KPvK", "wtm and P on rank 7 and keeping.promotes != \"Q\"", &|o| {
        let queens = is_before_promotion(o).then(|| o.keeping(is_queen));
        queens.is_some_and(|(n, of)| n == 0 && of > 0)
    });
    check_found("KPvK", "wtm and P on rank 7 and keeping.promotes == none and not draw", &|o| {
        is_before_promotion(o) && o.wdl() != 0 && all(o.keeping(|_, mv| mv.promotion.is_none()))
    });
    check_all_found("KPvK", "underpromotion and win", &|o| {
        let promotes = |o: &oracle::Oracle<'_>| all(o.keeping(|_, mv| mv.promotion.is_some()));
        is_before_promotion(o) && o.wdl() > 0 && promotes(o) && o.keeping(is_queen).0 == 0
    });
    check_found("KQvK", "btm and keeping.captures", &|o| {
        !o.is_white() && all(o.keeping(|_, mv| mv.captured.is_some()))
    });
    check_all_found("KPvK", "btm and keeping.captures == 'P' and moves.keeping-captures = 1", &|o| {
        !o.is_white() && all(o.keeping(|_, mv| mv.captured.is_some())) && o.keeping(|_, _| true).1 == 1
    });
    check_found("KPvK", "wtm and best.man == 'P' and k on edge", &|o| {
        let is_there = o.is_white() && o.square('k').contains(['a', 'h', '1', '8']);
        is_there && all(o.best(|o, mv| o.square('P') == o.name(mv.from)))
    });
    check_found("KQvK", "wtm and best.checks and plies > 12", &|o| {
        o.is_white() && o.plies().is_some_and(|ply| ply > 12) && all(o.best(|o, mv| o.gives_check(mv)))
    });
    check_found("KQvK", "wtm and best.to on rank 7..8 and best.from on file c and not best.to == a7", &|o| {
        let is_on_ranks = all(o.best(|o, mv| o.name(mv.to).ends_with(['7', '8'])));
        let is_from_file = all(o.best(|o, mv| o.name(mv.from).starts_with('c')));
        o.is_white() && is_on_ranks && is_from_file && !all(o.best(|o, mv| o.name(mv.to) == "a7"))
    });
}

#[test]
fn moves_that_are_missing_stop_the_search() {
    let Game { variant, tables, .. } = chess();
    let tablebase = Tablebase::from_tables(variant, Metric::Dtm, tables[..2].iter().cloned());
    let query = chess().query("P on rank 7 and moves.count > 3");
    let search = Search::new(variant, &query, vec![tables[1].clone()], Some(&tablebase), None);
    let error = search.count(&|_, _| {}).unwrap_err().to_string();
    assert!(error.contains("K") && error.contains("vK.tsm"), "{error}");
}

#[test]
fn lines_of_only_moves_are_counted() {
    let queries = [2, 3].map(|n| format!("wtm and P on rank 3..4 and K on file e and only-move-line >= {n}"));
    let [two, three] = queries.map(|query| found(chess(), &chess().tables[1], &query, 1).0);
    let tablebase = &chess().tablebase;
    assert!(!three.is_empty() && three.len() < two.len(), "{} and {}", two.len(), three.len());
    assert!(three.iter().all(|fen| two.contains(fen)));
    for fen in &two {
        let mut position = tablebase.position(fen).unwrap();
        let mut n_only = 0;
        loop {
            let moves = tablebase.moves(&position).unwrap();
            let winning: Vec<_> = moves.iter().filter(|rated| rated.value.wdl() == Some(1)).collect();
            let [only] = winning[..] else { break };
            n_only += 1;
            position = position.play(only.mv);
            let Some(reply) = tablebase.moves(&position).unwrap().into_iter().next() else { break };
            position = position.play(reply.mv);
        }
        assert!(n_only >= 2 && three.contains(fen) == (n_only >= 3), "{fen}: {n_only}");
    }
}

#[test]
fn a_limit_ends_the_search_and_a_sample_depends_on_the_seed_alone() {
    let Game { variant, tables, .. } = chess();
    let query = chess().query("wtm win");
    let search = Search::new(variant, &query, vec![tables[0].clone()], None, None);
    let mut n_visited = 0;
    let tally = search.run(&|_, _| {}, &mut |_| {
        n_visited += 1;
        if n_visited < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(n_visited, 5);
    assert!(tally.unwrap().n_searched < search.n_places());
    let draw = |size, seed, n_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let mut sample = Sample::new(size, seed);
        let tally = pool.install(|| search.sample(&mut sample, &|_, _| {})).unwrap();
        assert_eq!(tally.n_found, 18_081);
        sample.into_records().iter().map(|record| record.line(Form::Fen)).collect::<Vec<_>>()
    };
    let seven = draw(40, 7, 1);
    assert_eq!(seven.iter().collect::<BTreeSet<_>>().len(), 40);
    assert_eq!(draw(40, 7, 3), seven);
    assert_eq!(draw(10, 7, 2), seven[..10]);
    assert_ne!(draw(40, 8, 2), seven);
    // Of nothing, or of all that is found.
    assert_eq!((draw(0, 7, 1).len(), Sample::new(0, 7).limit()), (0, 0));
    assert_eq!(draw(20_000, 7, 2).len(), 18_081);
}

#[test]
fn the_counts_are_those_of_the_statistics() {
    let count = |table: &Arc<Table>, text: &str| {
        let tally = found(chess(), table, text, 1).1;
        (tally.n_orbits, tally.n_unreduced)
    };
    assert_eq!(count(&chess().tables[0], "wtm win"), (18_081, 144_508));
    assert_eq!(count(&chess().tables[0], "btm draw"), (2896, 23_048));
    assert_eq!(count(&chess().tables[0], "stalemate"), (109, 872));
    assert_eq!(count(&chess().tables[0], "mate"), (46, 364));
}
