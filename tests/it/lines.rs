//! Compares lines that are found by results alone with distances to the next capture or pawn move, and
//! looks at how moves are answered that give the result away.

use format::TableWriter;
use library::{AskedTables, SolvedTables};
use position::Position;
use probe::{Ask, Line, Tablebase, pgn};
use proof::random_position;
use table::{Ply, Value};
use tablesmith_tests::{fide, game, metadata, small_chess};
use variant::{Material, Metric};

/// The line of a won or lost position is as long as `dtz` says, each move of the winner's wins, and only
/// the last one cannot be taken back. A move is marked if it is the only one that wins.
#[track_caller]
fn check_line([wdl, dtz]: &[Tablebase; 2], position: &Position) -> bool {
    let fen = position.to_fen(wdl.book());
    let value = dtz.value(position).expect("a table");
    let line = wdl.main_line(position).expect("a line");
    let Some(Ply(plies)) = value.ply() else {
        assert!(line.is_empty(), "{fen}: {line:?}");
        return false;
    };
    assert_eq!(line.len(), usize::from(plies), "{fen}: {line:?}");
    let winner = if matches!(value, Value::Win(_)) { position.stm() } else { !position.stm() };
    let mut position = position.clone();
    for (n, rated) in line.iter().enumerate() {
        let fen = position.to_fen(wdl.book());
        let moves = wdl.moves(&position).expect("the tables are there");
        let n_winning = moves.iter().filter(|other| other.value.wdl() == Some(1)).count();
        let is_only = position.stm() == winner && n_winning == 1 && moves.len() > 1;
        assert_eq!(rated.is_only, is_only, "{fen}: {}", rated.uci);
        position = position.play(rated.mv);
        assert_eq!(
            wdl.value(&position).expect("a table").wdl(),
            Some(if position.stm() == winner { 1 } else { -1 })
        );
        let is_last = n + 1 == line.len();
        assert_eq!(
            is_last,
            rated.mv.zeroing || position.winner(wdl.book()).is_some(),
            "{fen}: {}",
            rated.uci
        );
    }
    true
}

#[test]
fn lines_by_results_are_as_long_as_distances_say() {
    let variant = small_chess(4, 5);
    let of_men = |n_men, n_seeds| {
        (0..n_seeds).filter_map(move |seed| random_position(&small_chess(4, 5), n_men, 1, seed))
    };
    let positions: Vec<Position> = of_men(3, 4000).chain(of_men(4, 1000)).collect();
    let tables = [Metric::Wdl, Metric::Dtz].map(|metric| {
        let tables = SolvedTables::of_metric(variant.clone(), metric);
        for position in &positions {
            let material = position.material().canonical(&variant);
            tables.solved(&material).expect("a small table");
        }
        Tablebase::from_tables(&variant, metric, tables.tables())
    });
    let n = positions.iter().filter(|position| check_line(&tables, position)).count();
    assert!(n > 2000, "{n} of {} are decided", positions.len());
}

/// Where a side without a move has won there is a line to that, too.
#[test]
fn lines_lead_to_wins_without_a_move() {
    let variant = game("antichess");
    let [wdl, dtz] = [Metric::Wdl, Metric::Dtz].map(|metric| {
        let tables = SolvedTables::of_metric(variant.clone(), metric);
        let two = Material::all(&variant, 2);
        two.iter()
            .filter(|men| !variant.is_over(men))
            .for_each(|men| drop(tables.solved(men).expect("a table")));
        Tablebase::from_tables(&variant, metric, tables.tables())
    });
    let mut n_lines = 0;
    for position in (0..400).filter_map(|seed| random_position(&variant, 2, 1, seed)) {
        let Some(Ply(plies)) = dtz.value(&position).expect("a table").ply() else { continue };
        let line = wdl.main_line(&position).expect("a line");
        // A win without a move counts as one.
        assert!(line.len() == usize::from(plies) || line.len() + 1 == usize::from(plies), "{line:?}");
        n_lines += 1;
    }
    assert!(n_lines > 100, "{n_lines} lines");
}

/// KPvK with results alone is asked through the door: 1. Ke6 is the only move that wins.
#[test]
fn moves_that_give_the_win_away_are_refuted() {
    let tables = SolvedTables::of_metric(fide(), Metric::Wdl);
    let table = tables.named("KPvK").expect("a table");
    let folder = tempfile::tempdir().expect("a folder");
    let writer = TableWriter::new(tables.variant()).column(Metric::Wdl);
    writer.write(&folder.path().join("KPvK.tsm"), &table, &metadata(tables.variant())).expect("a file");
    let door = AskedTables::new(tables.variant(), &[folder.path().into()], 1 << 20, None).expect("a folder");
    let position = Position::from_fen(door.book(), "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1").expect("a FEN");
    let ask = Ask { line: Line::ToEnd, why: true, ..Ask::MOVES };
    let answer = door.answer(&position, Some(Metric::Wdl), &ask).expect("an answer");
    assert_eq!(answer.best_moves().map(|rated| &*rated.uci).collect::<Vec<_>>(), ["d6e6"]);
    assert!(answer.moves[0].is_only);
    // Each other move is shown to draw, by a reply that is known to hold.
    assert_eq!(answer.refutations.len(), answer.moves.len() - 1);
    for own in &answer.refutations {
        let next = position.play(own.line[0].mv);
        let reply = own.line.get(1).expect("a reply");
        assert_eq!((own.result, reply.value.wdl()), (0, Some(0)), "{own:?}");
        assert!(next.legal_moves(door.book()).contains(&reply.mv));
    }
    let text = pgn(door.book(), &answer, "KPvK", Some("White wins"));
    assert!(text.contains("{White wins} 1. Ke6! (1."), "{text}");
    assert!(text.contains("[FEN \"4k3/8/3K4/4P3/8/8/8/8 w - - 0 1\"]"), "{text}");
}
