//! Checks the forms in which positions are written.

use super::{Game, chess};
use crate::{Form, Record, Search};
use std::ops::ControlFlow;

#[track_caller]
fn check_form(form: Form, text: &str, expected: &str) {
    let Game { variant, tables, tablebase } = chess();
    let query = chess().query(text);
    let table = if text.contains(" P ") { &tables[1] } else { &tables[0] };
    let search = Search::new(variant, &query, vec![table.clone()], None, None);
    let mut lines = Record::head(form, query.metrics()).unwrap_or_default();
    let tally = search.run(&|_, _| {}, &mut |hit| {
        let record = search.record(hit).numbered(1).with_moves(tablebase);
        assert_eq!(record.line(Form::Fen), format!("{}\n", record.fen()));
        lines += &record.line(form);
        ControlFlow::Continue(())
    });
    assert_eq!(tally.unwrap().n_found, 1);
    assert_eq!(lines, expected);
    assert_eq!(form.has_moves(), form != Form::Fen);
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
    let black = "btm and K on d6 and k on d8 and P on d5";
    check_form(
        Form::Epd,
        black,
        "3k4/8/3K4/3P4/8/8/8/8 b - - bm Ke8; dm -12; id \"KPvK 1\"; c0 \"loss, dtm 24\";\n",
    );
    check_form(
        Form::Pgn,
        black,
        "[Event \"KPvK 1\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n\
         [Result \"1-0\"]\n[SetUp \"1\"]\n[FEN \"3k4/8/3K4/3P4/8/8/8/8 b - - 0 1\"]\n\n\
         1... Ke8 2. Kc7 Ke7 3. d6+ Ke6 4. d7 Kd5 5. Kb6 Kd4 6. d8=Q+ Ke3 7. Kc5 Ke2 8.\n\
         Kd4 Kf2 9. Ke4 Ke2 10. Qb6 Kd1 11. Qb2 Ke1 12. Ke3 Kd1 13. Qb1# 1-0\n\n",
    );
}
