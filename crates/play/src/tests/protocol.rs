//! Asks both protocols what programs ask of them: illegal positions, answers while tables are solved, the
//! ends of games, Chess960, tables in several folders.

use super::{MATE_IN_5, Speak, check, player, player_of, said};
use crate::{Player, uci, xboard};
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::PathBuf;

/// A game, a position of it, and the answer to `go` there by both protocols.
#[track_caller]
fn check_answer(player: &mut Player, fen: &str, by_uci: &str, by_xboard: &str) {
    let text = said(player, uci, &format!("position fen {fen}\ngo\n"));
    assert_eq!(text, by_uci, "{fen}");
    let text = said(player, xboard, &format!("force\nsetboard {fen}\ngo\n"));
    assert_eq!(text, by_xboard, "{fen}");
}

#[test]
fn illegal_positions_are_refused() {
    let mut chess = player();
    let in_check = "illegal: White is to move and could capture Black's king";
    let no_king = "not a position: Black has 0 royal men (`k`), expected 1";
    for (fen, why) in [
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", in_check),
        ("8/8/8/8/8/8/4k3/4K3 w - - 0 1", in_check),
        ("rnbqkbnr/ppppQppp/8/8/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1", in_check),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", no_king),
    ] {
        let none = format!("there is no position to move in: {why}");
        check_answer(
            &mut chess,
            fen,
            &format!("info string error: {why}\ninfo string error: {none}\nbestmove (none)\n"),
            &format!(
                "tellusererror {0}\nError ({0}): setboard {fen}\ntellusererror {1}\nError ({1}): go\n",
                crate::xboard::plain(why),
                crate::xboard::plain(&none)
            ),
        );
        // Nor is a move made there, least of all one that captures the king, until there is a position again.
        let text = said(&mut chess, uci, &format!("position fen {fen} moves e2e8\ngo\n"));
        assert!(text.contains(why) && text.ends_with("bestmove (none)\n"), "{text}");
        let lines = format!("force\nsetboard {fen}\nusermove e2e8\nsetboard {MATE_IN_5}\nusermove h1d5\n");
        let text = said(&mut chess, xboard, &lines);
        check(&text, &[&format!("Illegal move ({}): e2e8\n", crate::xboard::plain(&none))]);
        assert_eq!((text.matches("Illegal").count(), chess.position().halfmove_clock()), (1, 1), "{text}");
    }
    let text = said(&mut chess, uci, "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves h1h8 e8h8\ngo\n");
    check(
        &text,
        &["error: `e8h8` is no legal move; there are e8d7 ", "no position to move in", "bestmove (none)"],
    );
    let won = "illegal: the game has ended before";
    let text =
        said(&mut player_of("king-of-the-hill"), uci, "position fen 4k3/8/8/3K4/8/8/8/8 w - - 0 1\ngo\n");
    check(&text, &[won, "bestmove (none)"]);
}

#[test]
fn ends_of_games_are_answered_as_stockfish_does() {
    let mut chess = player();
    for (fen, what, score, result) in [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "checkmate: White has won", "mate 0", "1-0"),
        ("8/8/8/8/8/6k1/6q1/7K w - - 0 1", "checkmate: Black has won", "mate 0", "0-1"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate: Black has no move, a draw", "cp 0", "1/2-1/2"),
    ] {
        check_answer(
            &mut chess,
            fen,
            &format!("info string {what}\ninfo depth 0 score {score}\nbestmove (none)\n"),
            &format!("{result} {{{what}}}\n"),
        );
    }
    for (game, fen, what, score, result) in [
        ("king-of-the-hill", "8/8/8/3K4/8/8/8/k7 b - - 0 1", "goal: White has won", "mate 0", "1-0"),
        ("antichess", "8/8/8/8/8/8/8/K7 b - - 0 1", "extinction: Black has won", "cp 20000", "0-1"),
        (
            "antichess",
            "8/8/8/8/8/p7/P7/8 w - - 0 1",
            "stalemate: White has no move and wins",
            "cp 20000",
            "1-0",
        ),
        ("atomic", "8/8/8/8/8/8/8/K6Q b - - 0 1", "explosion: White has won", "mate 0", "1-0"),
    ] {
        let mut player = player_of(game);
        let text = said(&mut player, uci, &format!("position fen {fen}\ngo\ngo infinite\nisready\nstop\n"));
        let ends = [what, "info depth 0 score ", score];
        check(&text, &[&ends[..], &["bestmove (none)\n"], &ends, &["readyok\nbestmove (none)\n"]].concat());
        let text = said(&mut player, xboard, &format!("variant {game}\nforce\nsetboard {fen}\ngo\n"));
        check(&text, &[result, what]);
    }
}

/// Solving these men of antichess takes ten seconds of two cores; what is answered at once has not waited.
const LONG: &str = "8/3p4/8/8/8/8/1P6/1KQ5 w - - 0 1";

#[test]
fn answers_do_not_wait_for_tables_that_are_solved() {
    let mut antichess = player_of("antichess");
    let none = "no table has this position (";
    let text = said(
        &mut antichess,
        uci,
        &format!("position fen {LONG}\ngo\nisready\nisready\nstop\nisready\ngo infinite\nquit\nisready\n"),
    );
    check(&text, &["readyok\nreadyok\n", none, "bestmove ", none]);
    assert_eq!((text.matches("readyok").count(), text.matches("bestmove").count()), (3, 1), "{text}");
    let set_up = format!("variant giveaway\nforce\npost\nsetboard {LONG}\ngo\nping 1\n");
    let text = said(&mut antichess, xboard, &format!("{set_up}?\nusermove a8a8\nquit\n"));
    check(&text, &["pong 1\n# no table has this position (", "move ", "Illegal move"]);
    // A move that is not wanted any more is not made.
    for word in ["force", "result 1-0 {time}", "new"] {
        let text = said(&mut antichess, xboard, &format!("{set_up}{word}\nping 2\nquit\n"));
        assert_eq!(text, "pong 1\npong 2\n", "{word}");
    }
}

#[test]
fn commands_that_have_come_before_a_question_begins_are_obeyed_at_once() {
    let chess = "8/8/8/3k4/8/4r3/1Q6/K7 w - - 0 1";
    let mut player = player_of("antichess");
    let second = format!("ucinewgame\nsetoption name UCI_Variant value chess\nposition fen {chess}\n");
    let none = "no table has this position (";
    for last in ["stop", "quit"] {
        let lines = format!("position fen {LONG}\ngo\n{second}go\n{last}\n");
        let text = said(&mut player_of("antichess"), uci, &lines);
        check(&text, &[none, "bestmove ", none, "bestmove "]);
    }
    let set_up = format!("variant giveaway\nforce\npost\nsetboard {LONG}\ngo\n");
    let text = said(&mut player, xboard, &format!("{set_up}new\nsetboard {chess}\ngo\n?\n"));
    check(&text, &[none, "move "]);
    assert_eq!(text.matches("move ").count(), 1, "{text}");
    for word in ["force", "result 1-0 {time}", "new"] {
        let text = said(&mut player, xboard, &format!("{set_up}new\nusermove e2e4\n{word}\n"));
        assert_eq!(text, "", "{word}");
    }
}

#[test]
fn rights_to_castle_are_not_waited_for() {
    let mut player = player();
    // Black's moves do not end White's right.
    let castling = "position fen 8/8/8/8/8/5b2/8/k3K2R b K - 0 1\ngo\n";
    // Its table is there, so that only the rights would have to be solved.
    let text = said(&mut player, uci, "position fen 8/8/8/8/8/5b2/8/k3K2R w - - 0 1\ngo\n");
    check(&text, &["solved in memory"]);
    let slow = "position fen 8/8/8/3k4/8/4r3/1Q6/K7 w - - 0 1\ngo\n";
    let text = said(&mut player, uci, &format!("{slow}{castling}stop\n{castling}"));
    check(&text, &["no table has this position (", "bestmove ", "no table has this position ("]);
    check(&text, &["bestmove ", "bestmove ", "solved in memory", "bestmove "]);
}

#[test]
fn long_lines_are_refused_and_skipped_to_their_end() {
    let most = 1 << 20;
    let long = |n_bytes: usize| format!("{}\n", "quit".repeat(n_bytes / 4));
    for (n_bytes, n_refused) in [(most - 4, 0), (most, 1), (most + 4, 1), (3 * most, 1), (3 * most + 8, 1)] {
        let line = long(n_bytes);
        let text = said(&mut player(), uci, &format!("isready\n{line}isready\n"));
        let refused = "info string error: a line has more than 1048576 bytes and is skipped\n";
        assert_eq!(text, format!("readyok\n{}readyok\n", refused.repeat(n_refused)), "{n_bytes}");
        let text = said(&mut player(), xboard, &format!("ping 1\n{line}ping 2\n"));
        let refused = "tellusererror a line has more than 1048576 bytes and is skipped\n";
        let unknown = format!("Error (unknown command): {line}");
        let middle = if n_refused == 1 { refused } else { &unknown };
        assert_eq!(text, format!("pong 1\n{middle}pong 2\n"), "{n_bytes}");
    }
}

/// A line, and behind it an input that gives nothing and does not end.
struct Silence(Cursor<&'static str>);

impl Read for Silence {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self.0.read(bytes)? {
            0 => loop {
                std::thread::park();
            },
            n_bytes => Ok(n_bytes),
        }
    }
}

struct ClosedPipe;

impl Write for ClosedPipe {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// If the end waited for another line this test would not end.
#[test]
fn closed_output_ends_the_dialogue_at_once() {
    for (speak, line) in [(uci as Speak, "isready\n"), (xboard, "ping 1\n")] {
        let input = BufReader::new(Silence(Cursor::new(line)));
        let ended = speak(&mut player(), Box::new(input), &mut ClosedPipe);
        assert_eq!(ended.expect_err("no output").kind(), io::ErrorKind::BrokenPipe);
    }
}

#[test]
fn failed_changes_leave_everything_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    super::only_wdl(folder.path());
    let mut player = Player::new(vec![folder.path().into()], Vec::new(), 1 << 20, None).expect("an engine");
    std::fs::remove_dir_all(folder.path()).expect("a folder");
    let on = "setoption name UCI_Chess960 value true\n";
    let text = said(&mut player, uci, &format!("{on}{on}uci\n"));
    check(
        &text,
        &["info string error: ", "info string error: ", "option name UCI_Chess960 type check default false"],
    );
}

#[test]
fn tables_are_solved_behind_a_stop_for_the_next_question() {
    let ask = "position fen 8/8/8/3k4/8/4r3/1Q6/K7 w - - 0 1\ngo\n";
    let text = said(&mut player(), uci, &format!("{ask}stop\n{ask}"));
    check(&text, &["bestmove ", "score mate 33", "bestmove b2b5"]);
}

#[test]
fn king_and_rooks_begin_on_any_files_in_chess960() {
    let mut player = player();
    let on = "setoption name UCI_Chess960 value true\n";
    for (fen, moves, best) in [
        ("8/8/8/8/8/3k4/8/R2K3n w A - 0 1", "", "d1a1"),
        ("8/8/8/8/8/3k4/8/R2K3n w Q - 0 1", "", "d1a1"),
        ("8/5n2/8/8/8/8/8/3k1KR1 w G - 0 1", "", "f1g1"),
        ("3K1kr1/8/8/8/8/8/5N2/8 b k - 0 1", "", "f8g8"),
        // Where all stand as in chess the king takes the rook, too, and both ways of writing it are read.
        ("8/8/8/8/8/6kp/8/4K2R w K - 0 1", "", "e1h1"),
        ("8/8/8/8/8/6kp/8/4K2R w H - 0 1", " moves e1g1", "h3h2"),
        ("8/8/8/8/8/6kp/8/4K2R w H - 0 1", " moves e1h1", "h3h2"),
    ] {
        let text = said(&mut player, uci, &format!("{on}position fen {fen}{moves}\ngo\n"));
        check(&text, &["score mate ", &format!("bestmove {best}\n")]);
    }
    let text = said(&mut player, uci, "position fen 8/8/8/8/8/3k4/8/R2K3n w A - 0 1 moves d1a1\nd\n");
    assert_eq!(text, "info string 8/8/8/8/8/3k4/8/2KR3n b - - 1 1\n");
    let off = "setoption name UCI_Chess960 value false\n";
    let text = said(&mut player, uci, &format!("{off}position fen 8/8/8/8/8/6kp/8/4K2R w K - 0 1\ngo\n"));
    check(&text, &["bestmove e1g1\n"]);
    let text = said(&mut player, uci, "position fen 8/8/8/8/8/3k4/8/R2K3n w A - 0 1\nd\n");
    assert_eq!(text, "info string 8/8/8/8/8/3k4/8/R2K3n w - - 0 1\n");
    // Other games with castling begin so too, and those without are as they were.
    let text = said(
        &mut player_of("capablanca"),
        uci,
        &format!("{on}position fen 4k5/9p/10/10/10/10/10/3K3R2 w H - 0 1 moves d1h1\nd\n"),
    );
    assert_eq!(text, "info string 4k5/9p/10/10/10/10/10/7RK1 b - - 1 1\n");
    let text = said(&mut player_of("makruk"), uci, &format!("{on}position startpos moves e3e4\n"));
    assert_eq!(text, "");
}

#[test]
fn xboard_castles_in_words_in_fischerandom() {
    let mut player = player();
    let set_up = "force\nsetboard 8/8/8/8/8/3k4/8/R2K3n w Q - 0 1\n";
    let text = said(&mut player, xboard, &format!("new\nvariant fischerandom\n{set_up}go\n"));
    assert_eq!(text, "move O-O-O\n");
    for castling in ["O-O-O", "d1a1"] {
        let text = said(&mut player, xboard, &format!("{set_up}usermove {castling}\n"));
        assert_eq!((text.as_str(), player.position().castling().is_empty()), ("", true), "{castling}");
        assert_eq!(player.position().to_fen(player.tables().book()), "8/8/8/8/8/3k4/8/2KR3n b - - 1 1");
    }
    let text = said(&mut player, xboard, &format!("{set_up}usermove O-O\n"));
    check(&text, &["Illegal move (`O-O` is no legal move; "]);
    // In chess the king goes to his square.
    let set_up = "force\nsetboard 8/8/8/8/8/6kp/8/4K2R w K - 0 1\n";
    assert_eq!(said(&mut player, xboard, &format!("new\n{set_up}go\n")), "move e1g1\n");
    assert_eq!(said(&mut player, xboard, &format!("{set_up}usermove O-O\n")), "");
}

#[test]
fn tables_are_found_in_several_folders() {
    let genuine = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/syzygy_genuine");
    let folders = ["wdl of pawns", "dtz of pawns", "queens"].map(|_| tempfile::tempdir().expect("a folder"));
    for (at, file) in [
        (0, "KPvK.rtbw"),
        (1, "KPvK.rtbz"),
        (2, "KQvK.rtbw"),
        (2, "KQvK.rtbz"),
        (2, "KRvK.rtbw"),
        (2, "KRvK.rtbz"),
    ] {
        std::fs::copy(genuine.join(file), folders[at].path().join(file)).expect("a file");
    }
    let [wdl, dtz, queens] = folders.each_ref().map(|folder| folder.path().display().to_string());
    let ask = "position fen 8/4P3/8/8/1k6/8/8/4K3 w - - 0 1\ngo\n";
    let all = "info string from tables of dtz50\n";
    for (first, second, third, says) in [
        (&wdl, &dtz, &queens, all),
        (&queens, &dtz, &wdl, all),
        // The table of the pawn cannot be read without who wins, and its promotion wins.
        (&dtz, &queens, &dtz, "info string from tables of dtz50 and wdl; KPvK is missing"),
        (&wdl, &queens, &wdl, "info string from tables of wdl\n"),
    ] {
        for option in ["SyzygyPath", "TablePath"] {
            let path = std::env::join_paths([first, second, third]).expect("plain paths");
            let path = path.to_str().expect("plain text");
            let mut player = Player::new(Vec::new(), Vec::new(), 1 << 20, None).expect("an engine");
            let text = said(&mut player, uci, &format!("setoption name {option} value {path}\n{ask}"));
            check(&text, &[says, "bestmove "]);
        }
    }
    // What is not there is named once, and the others are used.
    let path = std::env::join_paths(["/no/such", &*wdl, "/nor/this", &dtz, &queens]).expect("plain paths");
    let path = path.to_str().expect("plain text");
    let mut player = Player::new(Vec::new(), Vec::new(), 1 << 20, None).expect("an engine");
    let set = format!("setoption name SyzygyPath value {path}\n");
    let text = said(&mut player, uci, &format!("{set}{ask}{set}{ask}"));
    let told = |folder: &str| {
        format!(
            "info string error: there is no folder {folder}; give a folder of tables, as `tablesmith solve` \
             makes them\n"
        )
    };
    let absent = told("/no/such") + &told("/nor/this");
    check(&text, &[&absent, all, all]);
    assert_eq!(text.matches("there is no folder").count(), 2, "{text}");
    // Each path is looked at when it is set, the one that does not hold too.
    let mut both = Player::new(Vec::new(), Vec::new(), 1 << 20, None).expect("an engine");
    let set = format!("setoption name TablePath value {path}\nposition fen {MATE_IN_5}\n");
    let other = format!("setoption name SyzygyPath value {wdl}\n");
    let lines = format!("{set}{other}setoption name SyzygyPath value /nor/that\nd\n");
    let text = said(&mut both, uci, &lines);
    let told = told("/nor/that");
    assert_eq!(text, format!("{absent}{told}info string {MATE_IN_5}\n"));
    let text = said(
        &mut player,
        xboard,
        &format!("option TablePath={path}\nforce\npost\nsetboard 8/4P3/8/8/1k6/8/8/4K3 w - - 0 1\ngo\n"),
    );
    check(
        &text,
        &[
            "tellusererror there is no folder /no/such; give a folder of tables, as ",
            "# from tables of dtz50\n",
        ],
    );
    // A folder alone whose name looks like two.
    let odd = folders[0].path().join("a:b;c");
    std::fs::create_dir(&odd).expect("a folder");
    std::fs::copy(genuine.join("KQvK.rtbw"), odd.join("KQvK.rtbw")).expect("a file");
    let text = said(
        &mut Player::new(Vec::new(), Vec::new(), 1 << 20, None).expect("an engine"),
        uci,
        &format!("setoption name SyzygyPath value {}\nposition fen {MATE_IN_5}\ngo\n", odd.display()),
    );
    check(&text, &["info string from tables of who wins", "bestmove "]);
}

#[test]
fn bytes_that_are_no_text_end_nothing() {
    let mut out = Vec::new();
    let lines: &[u8] = b"isready\nsetoption name TablePath value /tab\xff\xfeles\nisready\n";
    uci(&mut player(), Box::new(lines), &mut out).expect("streams in memory");
    assert_eq!(String::from_utf8(out).expect("text").matches("readyok").count(), 2);
}
