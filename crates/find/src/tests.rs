//! Compares queries with rules asked position by position, and checks the faults of queries.

use crate::{Form, Query, QueryFault, Sample, Search};
use library::SolvedTables;
use position::Position;
use probe::Tablebase;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};
use table::{Table, Value};
use variant::{Metric, Side, Variant};

mod oracle;

/// KQvK and KPvK of chess, and all that they lead to.
fn tables() -> &'static [Arc<Table>] {
    static TABLES: OnceLock<Vec<Arc<Table>>> = OnceLock::new();
    TABLES.get_or_init(|| {
        let solved = SolvedTables::new(Variant::chess());
        ["KQvK", "KPvK", "KRvK", "KBvK", "KNvK"]
            .map(|name| solved.named(name).expect("it is solved"))
            .to_vec()
    })
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

fn tablebase() -> Tablebase {
    Tablebase::from_tables(&Variant::chess(), Metric::Dtm, tables().iter().cloned())
}

/// To ask each position is slow, so it is every so many of them.
const STRIDE: usize = 7;

/// The FENs of what is found, White to move first, those whose numbers are multiples of a step.
fn found(table: &Arc<Table>, text: &str, step: usize) -> (Vec<String>, crate::Tally) {
    let (chess, tablebase) = (Variant::chess(), tablebase());
    let query = Query::parse(&chess, Metric::Dtm, text).unwrap_or_else(|fault| panic!("{fault}"));
    let search = Search::new(&chess, &query, vec![table.clone()], Some(&tablebase), Some(&tablebase));
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

/// A table that keeps one side to move.
fn half(table: &Arc<Table>, kept: Side) -> Arc<Table> {
    let codes = Side::BOTH.map(|side| table.codes(side).filter(|_| side == kept).cloned());
    Arc::new(Table::with_sides(table.layout().clone(), codes))
}

/// Compares a query over a table, and over its halves, with a test of each of its canonical positions.
#[track_caller]
fn check_found(name: &str, text: &str, holds: &dyn Fn(&oracle::Oracle<'_>) -> bool) {
    let table = tables().iter().find(|table| table.layout().name() == name).expect("it is there");
    let (lines, _) = found(table, text, STRIDE);
    let tablebase = tablebase();
    let mut expected = Vec::new();
    let layout = table.layout();
    for stm in Side::BOTH {
        for index in (0..layout.len()).step_by(STRIDE) {
            let squares = layout.decode(index);
            if table.value(stm, index) == Value::Illegal || !layout.is_canonical(index, &squares) {
                continue;
            }
            let men = layout.men().iter().copied().zip(squares.iter().copied());
            let position = Position::from_men(men, stm).unwrap();
            let oracle = oracle::Oracle { tables: &tablebase, position: &position };
            if holds(&oracle) {
                expected.push(position.to_fen(tablebase.book()));
            }
        }
    }
    assert_eq!(lines, expected, "{name}: {text}");
    for kept in Side::BOTH {
        assert_eq!(found(&half(table, kept), text, STRIDE).0, expected, "{name} with {kept} to move: {text}");
    }
}

#[test]
fn what_codes_tell_is_found() {
    check_found("KQvK", "wtm plies >= 17", &|o| o.is_white() && o.plies().is_some_and(|ply| ply >= 17));
    check_found("KQvK", "stalemate or mate", &|o| o.is_over());
    check_found("KPvK", "btm draw and not stalemate", &|o| !o.is_white() && o.wdl() == 0 && !o.is_over());
    check_found("KPvK", "black loses and plies = 28", &|o| o.white_wdl() == 1 && o.plies() == Some(28));
    check_found("KPvK", "wtm and (plies - 3) * 2 > 100", &|o| {
        o.is_white() && o.plies().is_some_and(|ply| (i64::from(ply) - 3) * 2 > 100)
    });
}

#[test]
fn both_sides_to_move_are_compared() {
    check_found("KPvK", "mutual-zugzwang and wtm", &|o| o.is_white() && o.is_mutual_zugzwang());
    check_found("KPvK", "mutual-zugzwang full-point", &|_| false);
    check_found("KPvK", "wtm mutual-zugzwang for-white", &|o| o.is_white() && o.is_mutual_zugzwang());
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
        !o.is_white() && o.is_check() && o.distance() > 5 && o.is_on_light('k')
    });
    check_found("KPvK", "P on file b and file-of(K) = 7 and rank-of(k) < 2", &|o| {
        o.square('P').starts_with('b') && o.square('K').starts_with('g') && o.square('k').ends_with('1')
    });
    // A man that is not there stands nowhere.
    check_found("KQvK", "R on a1..h8", &|_| false);
    check_found("KQvK", "distance(R, k) > 0 or file-of(N) > 0", &|_| false);
}

#[test]
fn moves_are_compared() {
    check_found("KPvK", "wtm win and moves.winning == 1 and plies > 50", &|o| {
        o.is_white() && o.n_moves(|wdl| wdl > 0) == 1 && o.plies().is_some_and(|ply| ply > 50)
    });
    check_found("KQvK", "moves.count = 1 and btm", &|o| !o.is_white() && o.n_moves(|_| true) == 1);
    check_found("KQvK", "wtm and moves.drawing > 12 and moves.best = 2", &|o| {
        o.is_white() && o.n_moves(|wdl| wdl == 0) > 12 && o.n_best() == 2
    });
    check_found("KQvK", "btm draw and moves.captures = 1", &|o| {
        !o.is_white() && o.wdl() == 0 && o.n_of(|mv| mv.captured.is_some()) == 1
    });
    check_found("KQvK", "wtm and plies = 1 and moves.checks > 9 and best.checks", &|o| {
        o.is_white() && o.plies() == Some(1) && o.n_checks() > 9
    });
}

#[test]
fn moves_that_are_missing_stop_the_search() {
    let chess = Variant::chess();
    let tablebase = Tablebase::from_tables(&chess, Metric::Dtm, tables()[..2].iter().cloned());
    let query = Query::parse(&chess, Metric::Dtm, "P on rank 7 and moves.count > 3").unwrap();
    let search = Search::new(&chess, &query, vec![tables()[1].clone()], Some(&tablebase), None);
    let error = search.count(&|_, _| {}).unwrap_err().to_string();
    assert!(error.contains("K") && error.contains("vK.tsm"), "{error}");
}

#[test]
fn lines_of_only_moves_are_counted() {
    let queries = [2, 3].map(|n| format!("wtm and P on rank 3..4 and K on file e and only-move-line >= {n}"));
    let [two, three] = queries.map(|query| found(&tables()[1], &query, 1).0);
    let tablebase = tablebase();
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
    let chess = Variant::chess();
    let query = Query::parse(&chess, Metric::Dtm, "wtm win").unwrap();
    let search = Search::new(&chess, &query, vec![tables()[0].clone()], None, None);
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
}

#[test]
fn the_counts_are_those_of_the_statistics() {
    let count = |table: &Arc<Table>, text: &str| {
        let tally = found(table, text, 1).1;
        (tally.n_orbits, tally.n_unreduced)
    };
    assert_eq!(count(&tables()[0], "wtm win"), (18_081, 144_508));
    assert_eq!(count(&tables()[0], "btm draw"), (2896, 23_048));
    assert_eq!(count(&tables()[0], "stalemate"), (109, 872));
    assert_eq!(count(&tables()[0], "mate"), (46, 364));
}

#[track_caller]
fn check_form(form: Form, text: &str, expected: &str) {
    let (chess, tablebase) = (Variant::chess(), tablebase());
    let query = Query::parse(&chess, Metric::Dtm, text).unwrap();
    let search = Search::new(&chess, &query, vec![tables()[0].clone()], None, None);
    let mut lines = crate::Record::head(form, query.metrics()).unwrap_or_default();
    let tally = search.run(&|_, _| {}, &mut |hit| {
        lines += &search.record(hit).numbered(1).with_moves(&tablebase).line(form);
        ControlFlow::Continue(())
    });
    assert_eq!(tally.unwrap().n_found, 1);
    assert_eq!(lines, expected);
}

#[test]
fn positions_are_written_in_all_forms() {
    let one = "wtm and K on d1 and k on d3 and Q on a1";
    check_form(Form::Fen, one, "8/8/8/8/8/3k4/8/Q2K4 w - - 0 1\n");
    check_form(
        Form::Epd,
        one,
        "8/8/8/8/8/3k4/8/Q2K4 w - - bm Qe5; dm 5; id \"KQvK 1\"; c0 \"win, dtm 9\";\n",
    );
    check_form(
        Form::JsonLines,
        one,
        "{\"fen\":\"8/8/8/8/8/3k4/8/Q2K4 w - - 0 1\",\"material\":\"KQvK\",\"to_move\":\"white\",\
         \"result\":\"win\",\"dtm\":9,\"best\":[\"a1e5\"]}\n",
    );
    check_form(
        Form::Csv,
        one,
        "fen,material,to_move,result,dtm,best\n8/8/8/8/8/3k4/8/Q2K4 w - - 0 1,KQvK,white,win,9,a1e5\n",
    );
    check_form(
        Form::Pgn,
        one,
        "[Event \"KQvK 1\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n\
         [Result \"1-0\"]\n[SetUp \"1\"]\n[FEN \"8/8/8/8/8/3k4/8/Q2K4 w - - 0 1\"]\n\n\
         1. Qe5 Kc4 2. Kc2 Kb4 3. Qd5 Ka4 4. Kc3 Ka3 5. Qa5# 1-0\n\n",
    );
}
