//! Compares tables with numbers that others have published.
//!
//! `cases/published_3-4.csv`: all 35 tables of orthodox chess. Counts modulo the board's symmetry, like men
//! distinguishable, no castling, no en-passant rights: the statistics published with the Syzygy tables
//! (syzygy1/tb, syzygy-tables.info). Longest mates with the winner to move: `longest_mates.csv` of
//! markus7800/prophet_tb_gen_and_probe. `cases/published_fairy.csv`: fairy endings, counted over all
//! placements: H.G. Muller's EGTgen 1.2 and a plain checker. Each is solved with the rules of a file in
//! variants/. `cases/published_rules.csv`: antichess (giveaway rules) and atomic chess (adjacent kings
//! legal), counted as the chess tables are: the statistics published with the Syzygy tables of these games
//! (syzygy1/tb, syzygy-tables.info). Longest mates on n × n boards: OEIS A225551 (queen), A225552 (rook),
//! A225557 (two bishops).

use library::SolvedTables;
use stats::{SideStatistics, Statistics};
use tablesmith_tests::{chess, game, statistics_of};
use variant::{Side, Variant};

const CHESS: &str = include_str!("../cases/published_3-4.csv");
const RULES: &str = include_str!("../cases/published_rules.csv");
const FAIRY: &str = include_str!("../cases/published_fairy.csv");

fn longest(longest: &Option<stats::Longest>) -> Option<u16> {
    longest.as_ref().map(|longest| longest.ply)
}

/// One row: name, three counts for either side to move, the longest mates of White and of Black.
#[track_caller]
fn check_chess_row(row: &str) {
    let fields: Vec<&str> = row.split(',').collect();
    let number = |i: usize| fields[i].parse::<u64>().unwrap_or_else(|_| panic!("{row}: field {i}"));
    let plies = |i: usize| (fields[i] != "-").then(|| number(i) as u16);
    let tables = chess();
    let statistics = statistics_of(tables, fields[0]);
    let counts = |side: &SideStatistics| [side.wins.orbits, side.draws.orbits, side.losses.orbits];
    let (white, black) = (statistics.side(Side::White), statistics.side(Side::Black));
    assert_eq!(counts(white), [number(1), number(2), number(3)], "{}: White to move", fields[0]);
    assert_eq!(counts(black), [number(4), number(5), number(6)], "{}: Black to move", fields[0]);
    assert_eq!(longest(&white.longest_win), plies(7), "{}: longest win of White", fields[0]);
    assert_eq!(longest(&black.longest_win), plies(8), "{}: longest win of Black", fields[0]);
}

#[test]
fn chess_counts_and_longest_mates() {
    let rows: Vec<&str> = CHESS.lines().skip(1).collect();
    assert_eq!(rows.len(), 35);
    rows.into_iter().for_each(check_chess_row);
}

/// One row: game, name, three counts for either side to move.
#[track_caller]
fn check_rules_row(row: &str) {
    let fields: Vec<&str> = row.split(',').collect();
    let number = |i: usize| fields[i].parse::<u64>().unwrap_or_else(|_| panic!("{row}: field {i}"));
    let tables = SolvedTables::new(game(fields[0]));
    let statistics = statistics_of(&tables, fields[1]);
    let counts = |side: Side| {
        let side = statistics.side(side);
        [side.wins.orbits, side.draws.orbits, side.losses.orbits]
    };
    assert_eq!(counts(Side::White), [number(2), number(3), number(4)], "{row}: White to move");
    assert_eq!(counts(Side::Black), [number(5), number(6), number(7)], "{row}: Black to move");
}

#[test]
fn counts_of_games_with_other_rules() {
    let rows: Vec<&str> = RULES.lines().skip(1).collect();
    assert_eq!(rows.len(), 12);
    rows.into_iter().for_each(check_rules_row);
}

#[test]
fn legal_positions_of_three_men() {
    // The sum of the published counts of the five tables.
    let tables = chess();
    let of_table = |name: &str| {
        let statistics = statistics_of(tables, name);
        statistics.white_to_move.legal().orbits + statistics.black_to_move.legal().orbits
    };
    assert_eq!(["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"].map(of_table).iter().sum::<u64>(), 367_868);
}

#[test]
fn the_loser_to_move_can_last_longer() {
    // With the loser to move, as published with the same tables: through a forced capture, or a move gained.
    let tables = chess();
    for (name, plies) in [("KPvK", 56), ("KQQvK", 20), ("KQRvK", 32)] {
        let statistics = statistics_of(tables, name);
        assert_eq!(longest(&statistics.black_to_move.longest_loss), Some(plies), "{name}");
    }
}

/// The file of the game that an ending belongs to; the first letter of a side is its royal man.
fn file_of(ending: &str, rule: &str) -> &'static str {
    match rule {
        "-" => (),
        "stalemate loses" => return "stalemate-loses",
        other => panic!("{ending}: there is no game with the rule `{other}`"),
    }
    let has = |letters: &[char]| ending.contains(letters);
    match ending {
        _ if ending.starts_with('N') => "knightmate",
        _ if has(&['A', 'C']) => "amazon-empress-princess",
        _ if has(&['H']) => "nightrider",
        _ if has(&['M']) => "commoner",
        _ => "fide",
    }
}

#[track_caller]
fn check_fairy_row(row: &str) {
    let fields: Vec<&str> = row.split(',').collect();
    let file = file_of(fields[0], fields[1]);
    let tables = SolvedTables::new(game(file));
    let tables = if file == "fide" { chess() } else { &tables };
    let name = fields[0].replace('.', "v");
    let statistics = statistics_of(tables, &name);
    let number = |i: usize| fields[i].parse::<u64>().unwrap_or_else(|_| panic!("{row}: field {i}"));
    let (white, black) = (statistics.side(Side::White), statistics.side(Side::Black));
    assert_eq!(white.wins.unreduced, number(2), "{row}: won");
    let longest = |longest: &Option<stats::Longest>| {
        longest.as_ref().map_or((0, 0), |l| (u64::from(l.ply), l.count.unreduced))
    };
    assert_eq!(longest(&white.longest_win), (number(3), number(4)), "{row}: longest win");
    assert_eq!(black.losses.unreduced, number(5), "{row}: lost");
    assert_eq!(longest(&black.longest_loss), (number(6), number(7)), "{row}: longest loss");
}

#[test]
fn fairy_counts_and_longest_mates() {
    let rows: Vec<&str> = FAIRY.lines().skip(1).collect();
    assert_eq!(rows.len(), 14);
    rows.into_iter().for_each(check_fairy_row);
}

#[test]
fn two_bishops_against_a_knight() {
    // Five men: wins and draws of White as published for the metric with the fifty-move rule, cursed wins and
    // wins together; the longest mate as for the smaller tables.
    let tables = SolvedTables::new(chess().variant().clone());
    let statistics = statistics_of(&tables, "KBBvKN");
    let white = statistics.side(Side::White);
    let counts = [white.wins.orbits, white.draws.orbits, white.losses.orbits];
    assert_eq!(counts, [29_293_840 + 7_750_066, 39_758_818, 88]);
    assert_eq!(longest(&white.longest_win), Some(155));
}

/// A game of king, queen, rook and bishop on a board of `n` × `n`; from a file where there is one.
fn square_game(n: usize) -> Variant {
    match n {
        5 => game("gardner"),
        8 => game("fide"),
        _ => {
            let head = format!("name = \"square-{n}\"\n[board]\nfiles = {n}\nranks = {n}\n");
            let text = ["K", "Q", "R", "B"].iter().fold(head, |text, letter| {
                let royal = *letter == "K";
                format!("{text}[[piece]]\nletter = \"{letter}\"\nbetza = \"{letter}\"\nroyal = {royal}\n")
            });
            Variant::parse(&text, "square.toml").unwrap_or_else(|report| panic!("{report}"))
        }
    }
}

#[track_caller]
fn check_longest(variant: Variant, name: &str, moves: u16) {
    let tables = SolvedTables::new(variant);
    let table = tables.named(name).unwrap();
    let longest = Statistics::collect(tables.variant(), tables.metric(), &table).white_to_move.longest_win;
    assert_eq!(longest.map(|l| l.ply), Some(2 * moves - 1), "{name} of {}", tables.variant().name);
}

#[track_caller]
fn check_board_sizes(name: &str, moves: &[u16]) {
    (3..).zip(moves).for_each(|(n, &moves)| check_longest(square_game(n), name, moves));
}

#[test]
fn longest_mates_on_square_boards() {
    check_board_sizes("KQvK", &[1, 4, 6, 7, 8, 10, 11, 12]);
    check_board_sizes("KRvK", &[3, 7, 10, 12, 14, 16, 18, 21]);
    check_board_sizes("KBBvK", &[1, 9, 11, 13, 16, 19]);
    check_longest(game("los-alamos"), "KQvK", 7);
    check_longest(game("los-alamos"), "KRvK", 12);
}

#[test]
fn king_and_rook_do_not_mate_on_a_cylinder() {
    // As the literature on cylinder chess has it; a queen does.
    let tables = SolvedTables::new(game("cylinder"));
    let forced = |name: &str| {
        let statistics = statistics_of(&tables, name);
        let wins = statistics.white_to_move.wins.unreduced;
        (wins, statistics.white_to_move.legal().unreduced)
    };
    let ((rook, _), (queen, all)) = (forced("KRvK"), forced("KQvK"));
    assert!(rook * 20 < all, "{rook} of {all}");
    let statistics = statistics_of(&tables, "KRvK");
    assert_eq!(longest(&statistics.white_to_move.longest_win), Some(5));
    assert!(queen * 10 > all * 9, "{queen} of {all}");
}
