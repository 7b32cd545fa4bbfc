//! Plays games against itself and against chance, and speaks both protocols.

mod protocol;

use crate::{Basis, Player, uci, xboard};
use index::Layout;
use library::SolveBound;
use position::Position;
use std::io::{self, BufRead, Cursor, Write};
use std::path::{Path, PathBuf};
use variant::{Material, Metric, Side, Variant};

fn player() -> Player {
    Player::new(Vec::new(), Vec::new(), 1 << 20, Some(SolveBound::default())).expect("an engine")
}

type Speak = fn(&mut Player, Box<dyn BufRead + Send>, &mut dyn Write) -> io::Result<()>;

/// What an engine prints for these lines.
fn said(player: &mut Player, speak: Speak, lines: &str) -> String {
    let mut out = Vec::new();
    speak(player, Box::new(Cursor::new(lines.to_owned())), &mut out).expect("streams in memory");
    String::from_utf8(out).expect("text")
}

#[track_caller]
fn check(said: &str, parts: &[&str]) {
    let mut rest = said;
    for part in parts {
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("`{part}` is not in, or not behind what precedes it:\n{said}"));
        rest = &rest[at + part.len()..];
    }
}

const MATE_IN_5: &str = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1";

#[test]
fn uci_is_spoken() {
    let text = said(
        &mut player(),
        uci,
        &format!("uci\nisready\nsetoption name MultiPV value 2\nposition fen {MATE_IN_5}\ngo movetime 100\n"),
    );
    check(
        &text,
        &[
            "id name tablesmith",
            "option name UCI_Variant type combo default chess var",
            "option name Ponder type check default false",
            "option name UCI_Chess960 type check default false",
            "uciok",
            "readyok",
            "info string from tables of dtz50 and dtm, solved in memory",
            "info depth 9 multipv 1 score mate 5",
            "pv h1d5",
            "multipv 2 score mate 7",
            "bestmove h1d5\n",
        ],
    );
    assert!(text.ends_with("bestmove h1d5\n"), "{text}");
}

#[test]
fn infinite_search_waits_for_stop() {
    let (mut player, position) = (self::player(), format!("position fen {MATE_IN_5} moves h1d5\n"));
    // Later the table is there.
    said(&mut player, uci, &format!("{position}go\n"));
    let lines = format!("{position}go infinite\nisready\nstop\nstop\nquit\nisready\n");
    let text = said(&mut player, uci, &lines);
    check(&text, &["score mate -4", "bestmove "]);
    check(&text, &["readyok\n", "bestmove "]);
    assert_eq!((text.matches("bestmove").count(), text.matches("readyok").count()), (1, 1), "{text}");
    let chosen = said(&mut player, uci, &format!("position fen {MATE_IN_5}\ngo searchmoves h1h7 h1c6\n"));
    check(&chosen, &["bestmove h1c6"]);
}

#[test]
fn what_cannot_be_is_told_and_the_game_goes_on() {
    let text =
        said(&mut player(), uci, "position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1\ngo depth 3\n");
    check(&text, &["info string no table has this position", "score cp 0", "bestmove "]);
    for (lines, says) in [
        ("position fen nonsense\n", "info string error: not a position"),
        ("position startpos moves e2e5\n", "info string error: `e2e5` is no legal move"),
        ("setoption name UCI_Variant value chaturanga\n", "info string error: there is no game `chaturanga`"),
        (
            "setoption name TablePath value /no/such/folder\n",
            "info string error: there is no folder /no/such/folder; give a folder of tables, as ",
        ),
    ] {
        check(&said(&mut player(), uci, lines), &[says]);
    }
    // Without solving there is nothing to rely on.
    let text = said(
        &mut player(),
        uci,
        &format!("setoption name Solve value false\nposition fen {MATE_IN_5}\ngo\n"),
    );
    check(&text, &["no table has this position (KQvK is missing)", "bestmove "]);
}

#[test]
fn xboard_is_spoken() {
    let text = said(
        &mut player(),
        xboard,
        &format!("xboard\nprotover 2\nnew\nforce\nsetboard {MATE_IN_5}\npost\ngo\nusermove e3e8\nping 7\n"),
    );
    check(
        &text,
        &[
            "feature myname=\"tablesmith",
            ",fischerandom,",
            ",normal,",
            "done=1",
            "# from tables of dtz50 and dtm",
            "9 100005 0 18 h1d5",
            "move h1d5\n",
            "Illegal move",
        ],
    );
    assert!(text.contains("pong 7"), "{text}");
    // The engine answers moves, and says when it is over.
    let text = said(&mut player(), xboard, "new\nforce\nsetboard 7k/8/5KQ1/8/8/8/8/8 w - - 0 1\ngo\n");
    check(&text, &["move g6g7\n1-0 {checkmate: White has won}"]);
    let text = said(&mut player(), xboard, "new\nsetboard 7k/8/5KQ1/8/8/8/8/8 w - - 0 1\nusermove f6f7\n");
    check(&text, &["1/2-1/2 {stalemate: Black has no move, a draw}"]);
}

#[test]
fn other_games_are_played() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../variants/capablanca.toml");
    let large = Variant::load(&file).expect("a game");
    let mut player =
        Player::new(Vec::new(), vec![large], 1 << 20, Some(SolveBound::default())).expect("an engine");
    assert_eq!(player.game(), "capablanca");
    let fen = "10/10/10/10/4k5/10/10/4K4Q w - - 0 1";
    check(
        &said(&mut player, uci, &format!("position startpos\nposition fen {fen}\ngo\n")),
        &["info string", "score mate ", "bestmove "],
    );
    // XBoard knows the game and where it begins.
    let text = said(&mut player, xboard, "variant capablanca\nforce\nusermove f2f4\n");
    assert!(!text.contains("setup") && !text.contains("Illegal"), "{text}");
}

/// The rules of a game of variants/.
fn rules(name: &str) -> Variant {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../variants").join(name);
    Variant::load(file.with_extension("toml")).expect("a game")
}

fn player_of(game: &str) -> Player {
    Player::new(Vec::new(), vec![rules(game)], 1 << 20, Some(SolveBound::default())).expect("an engine")
}

#[test]
fn games_begin_where_they_do() {
    for (game, name, moves) in [
        ("king-of-the-hill", "kingofthehill", "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 a7a6"),
        ("king-of-the-hill", "kingOfTheHill", "e2e4 e7e5"),
        ("racing-kings", "racingkings", "h2h3 a2a3"),
        ("los-alamos", "losalamos", "b2b3 b5b4"),
        ("antichess", "giveaway", "e2e3 b7b5"),
        ("makruk", "makruk", "e3e4 d6d5"),
        ("atomic", "atomic", "e2e4 d7d5"),
        ("coregal", "coregal", "e2e4 d7d5"),
        ("chigorin", "chigorin", "e2e4 d7d5"),
        ("three-check", "3check", "e2e4 d7d5 f1b5 c7c6"),
    ] {
        let lines =
            format!("uci\nsetoption name UCI_Variant value {name}\nposition startpos moves {moves}\nd\n");
        let text = said(&mut player_of(game), uci, &lines);
        assert!(!text.contains("error"), "{game}: {text}");
        let rights = match game {
            "king-of-the-hill" if moves.contains("e1g1") => "kq",
            "king-of-the-hill" | "atomic" | "coregal" | "chigorin" | "three-check" => "KQkq",
            _ => "-",
        };
        check(&text, &["uciok", "info string ", &format!(" w {rights} ")]);
    }
    // Games of other men, or of other numbers: it is not known where they begin.
    for game in ["nightrider", "knightmate", "horde"] {
        let text = said(&mut player_of(game), uci, "position startpos moves e2e4\ngo\n");
        check(&text, &["name no position to begin with", "no position to move in", "bestmove (none)"]);
    }
}

#[test]
fn refused_positions_are_not_played_in() {
    let text = said(
        &mut player(),
        uci,
        &format!("position fen {MATE_IN_5}\nposition fen nonsense\ngo\nposition fen {MATE_IN_5}\ngo\n"),
    );
    check(&text, &["error: not a position", "no position to move in", "bestmove (none)", "bestmove h1d5"]);
    assert_eq!(text.matches("bestmove").count(), 2);
}

#[test]
fn xboard_is_told_of_games_that_it_does_not_know() {
    let text = said(&mut player_of("nightrider"), xboard, "variant nightrider\nforce\nping 1\n");
    check(
        &text,
        &[
            "setup (PNBRQ.....M.H........Kpnbrq.....m.h........k) 8x8+0_fairy ",
            " w - - 0 1\n",
            "piece K& K\n",
            "piece H& N0\n",
            "pong 1",
        ],
    );
    assert!(!text.contains("piece P&"), "{text}");
    // In knightmate the royal man is a knight; the zoo has more kinds of men than XBoard has pictures.
    let text = said(&mut player_of("knightmate"), xboard, "variant knightmate\n");
    check(&text, &["setup (P.BRQ.....K..........Np.brq.....k..........n) ", "piece N& N\n"]);
    let zoo = rules("fairy-zoo");
    let text = said(&mut player_of("fairy-zoo"), xboard, "variant fairy-zoo\n");
    let letters = text.split(['(', ')']).nth(1).expect("letters");
    assert!(letters.len() >= 44 && letters.len().is_multiple_of(2), "{letters}");
    for piece in &zoo.pieces {
        assert_eq!(letters.matches(piece.letter).count(), 1, "{letters}");
    }
    let (white, black) = letters.split_at(letters.len() / 2);
    assert_eq!(white.to_ascii_lowercase(), black);
    assert!(white.ends_with('K'), "{letters}");
}

#[test]
fn castling_needs_room_and_no_attack() {
    let castled = |fen: &str, uci: &str| {
        let mut player = player();
        player.set_fen(fen).expect("a position");
        player.play(uci).is_ok()
    };
    assert!(castled("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"));
    assert!(castled("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8"));
    for (fen, uci) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e1g1"),
        ("4k3/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1"),
        ("4k3/4r3/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
        ("4k3/5r2/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
        ("4k3/6r1/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
    ] {
        assert!(!castled(fen, uci), "{uci} in {fen}");
    }
}

/// In both positions castling is the only move that wins.
#[test]
fn castling_is_chosen() {
    let mut player = player();
    for (fen, best) in
        [("8/8/8/8/8/5b2/8/k3K2R w K - 0 1", "e1g1"), ("8/8/8/8/8/8/1r6/R3K1k1 w Q - 0 1", "e1c1")]
    {
        player.set_fen(fen).expect("a position");
        let choice = player.choose();
        assert_eq!((&*choice.moves[0].uci, choice.moves[0].class), (best, Some(2)), "{fen}");
        assert!(choice.moves[1].class.is_some_and(|class| class < 2), "{fen}");
    }
    // Too many men for that: any move, and no fault.
    player.set_start().expect("chess begins somewhere");
    let choice = player.choose();
    assert!(matches!(choice.basis, Basis::Nothing(Some(_))) && choice.fault.is_none(), "{:?}", choice.basis);
    for uci in ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "e1g1", "e8g8"] {
        player.play(uci).expect("a legal move");
    }
    assert!(player.position().castling().is_empty());
}

#[test]
fn known_moves_are_used_where_a_table_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    only_wdl(folder.path());
    let mut player = Player::new(vec![folder.path().into()], Vec::new(), 1 << 20, None).expect("an engine");
    // The rook can be captured, and then it is KQvK; KQvKR is missing.
    for (fen, best, class) in [
        ("8/8/8/8/8/2k5/3r4/3QK3 w - - 0 1", "d1d2", Some(2)),
        ("8/8/8/8/8/2K5/3R4/3qk3 b - - 0 1", "d1d2", Some(2)),
    ] {
        player.set_fen(fen).expect("a position");
        let choice = player.choose();
        assert_eq!(choice.basis, Basis::Partly(vec![Metric::Wdl], "KQvKR".into()), "{fen}");
        assert_eq!((&*choice.moves[0].uci, choice.moves[0].class), (best, class), "{fen}");
        assert!(choice.moves.len() > 1 && choice.moves[1].class.is_none(), "{fen}");
    }
    // To leave the queen to the pawn's king loses; anything else may not.
    player.set_fen("8/8/8/8/8/1k6/1r6/K6R w - - 0 1").expect("a position");
    let choice = player.choose();
    assert!(matches!(choice.basis, Basis::Partly(..) | Basis::Nothing(_)), "{:?}", choice.basis);
    let ranks: Vec<Option<i8>> = choice.moves.iter().map(|rated| rated.class).collect();
    assert!(ranks.is_sorted_by_key(|class| -class.map_or(-1, |class| 4 * class)), "{ranks:?}");
    check(
        &said(&mut player, uci, "position fen 8/8/8/8/8/2k5/3r4/3QK3 w - - 0 1\ngo\n"),
        &["from tables of wdl; KQvKR is missing, so some moves are not known", "bestmove d1d2"],
    );
}

#[test]
fn empty_paths_lead_back_to_the_first_folder() {
    let (own, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    only_wdl(own.path());
    let mut player = Player::new(vec![own.path().into()], Vec::new(), 1 << 20, None).expect("an engine");
    let ask = format!("position fen {MATE_IN_5}\ngo\n");
    let elsewhere = other.path().display();
    let text = said(
        &mut player,
        uci,
        &format!(
            "setoption name SyzygyPath value <empty>\n{ask}setoption name SyzygyPath value {elsewhere}\n{ask}\
             setoption name TablePath value {}\n{ask}setoption name TablePath value\n{ask}\
             setoption name SyzygyPath value\n{ask}",
            own.path().display()
        ),
    );
    let (from, none) = ("info string from tables", "info string no table");
    check(&text, &[from, none, from, none, from]);
    assert_eq!((text.matches(from).count(), text.matches(none).count()), (3, 2), "{text}");
}

#[test]
fn mates_that_come_too_late_are_not_announced() {
    let mut player = player();
    let mut n_late = 0;
    for (position, plies) in won(&player, "KPvK", 40) {
        let position = position.with_halfmove_clock(85);
        player.set_fen(&position.to_fen(player.tables().book())).expect("a position");
        let choice = player.choose();
        if choice.moves[0].class != Some(2) || plies <= 15 {
            continue;
        }
        // The next pawn move keeps the win; that mate is nearer than a pawn move is no matter.
        assert!(!choice.for_mate && choice.moves[0].plies_to_end.is_some_and(|plies| plies > 15));
        let fen = position.to_fen(player.tables().book());
        let text = said(&mut player, uci, &format!("position fen {fen}\ngo\n"));
        assert!(text.contains("score cp 19") && !text.contains("score mate"), "{text}");
        n_late += 1;
    }
    assert!(n_late > 3, "{n_late}");
}

/// A way to choose the next number below `n`.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Positions of a material that White to move wins.
fn won(player: &Player, material: &str, n: usize) -> Vec<(Position, u16)> {
    let tables = player.tables();
    let layout =
        Layout::new(tables.variant(), &Material::parse(tables.variant(), material).expect("a material"));
    let mut dice = Dice(20_261_122);
    let mut found = Vec::new();
    while found.len() < n {
        let squares = layout.decode(dice.below(layout.len()));
        let men = layout.men().iter().copied().zip(squares.iter().copied());
        let Some(position) = Position::from_men(men, Side::White).filter(|p| p.is_legal(tables.book()))
        else {
            continue;
        };
        let answer = tables.answer(&position, Some(Metric::Dtm), &probe::Ask::VALUE).expect("a value");
        if let Some(table::Value::Win(plies)) = answer.value.value() {
            found.push((position, plies.0));
        }
    }
    found
}

/// Plays a game against chance; how many plies it took to win.
fn play(player: &mut Player, from: &Position, seed: u64, most: u16) -> Option<u16> {
    let mut dice = Dice(seed);
    player.set_fen(&from.to_fen(player.tables().book())).expect("a position");
    for n_plies in 0..=most {
        let book = player.tables().book();
        if let Some(ending) = player.position().ending(book) {
            return (ending.winner == Some(from.stm())).then_some(n_plies);
        }
        let uci = if player.position().stm() == from.stm() {
            player.choose().moves[0].uci.clone()
        } else {
            let legal = player.position().legal_moves(book);
            legal[dice.below(legal.len())].uci(book)
        };
        player.play(&uci).expect("a legal move");
    }
    None
}

#[test]
fn random_won_positions_are_won_within_their_distance() {
    let mut player = player();
    for material in ["KQvK", "KRvK", "KPvK"] {
        for (i, (position, plies)) in won(&player, material, 20).into_iter().enumerate() {
            let fen = position.to_fen(player.tables().book());
            let taken = play(&mut player, &position, i as u64, plies);
            assert!(taken.is_some_and(|taken| taken <= plies), "{fen}: {taken:?} of {plies}");
        }
    }
}

#[test]
fn clock_never_spoils_a_win() {
    let mut player = player();
    // The quickest mate takes 31 plies of KRvK or 55 of KPvK; some clocks leave hardly more.
    for (material, clock) in [("KPvK", 92), ("KRvK", 69), ("KPvK", 60)] {
        for (i, (position, _)) in won(&player, material, 12).into_iter().enumerate() {
            let position = position.with_halfmove_clock(clock);
            player.set_fen(&position.to_fen(player.tables().book())).expect("a position");
            let choice = player.choose();
            if choice.moves[0].class != Some(2) {
                continue;
            }
            let mut dice = Dice(i as u64);
            while player.position().ending(player.tables().book()).is_none() {
                assert!(player.position().halfmove_clock() < 100, "{material}: {:?}", player.position());
                let uci = if player.position().stm() == Side::White {
                    player.choose().moves[0].uci.clone()
                } else {
                    let legal = player.position().legal_moves(player.tables().book());
                    legal[dice.below(legal.len())].uci(player.tables().book())
                };
                player.play(&uci).expect("a legal move");
            }
            assert_eq!(player.position().winner(player.tables().book()), Some(Side::White));
        }
    }
}

#[test]
fn results_alone_are_enough_to_win() {
    let folder = tempfile::tempdir().expect("a folder");
    only_wdl(folder.path());
    let mut player = Player::new(vec![folder.path().into()], Vec::new(), 1 << 20, None).expect("an engine");
    for fen in ["8/8/8/8/3k4/8/8/KQ6 w - - 0 1", "8/8/8/3k4/8/8/4P3/4K3 w - - 0 1"] {
        player.set_fen(fen).expect("a position");
        let choice = player.choose();
        assert_eq!(choice.basis, Basis::ResultsOnly);
        let position = player.position().clone();
        let taken = play(&mut player, &position, 3, 600);
        assert!(taken.is_some(), "{fen}: the winner circles");
    }
}

/// Makes the tables of three men of chess with nothing but results.
fn only_wdl(folder: &Path) {
    use build::{Build, BuildOptions, FolderLock, Unwatched};
    use library::Edition;
    let chess = Variant::chess();
    let plan = plan::Plan::new(&chess, &plan::Request::UpTo(3)).expect("a plan");
    let lock = FolderLock::new(folder).expect("a lock");
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let built = Build::new(&plan, &lock, &threads, BuildOptions::default())
        .run(&Edition::new(&chess, Metric::Wdl), &Unwatched);
    assert!(built.expect("a build").error.is_none());
}

#[test]
fn damaged_tables_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    only_wdl(folder.path());
    let file = folder.path().join("KQvK.tsm");
    let mut bytes = std::fs::read(&file).expect("a file");
    // The column of results; of others the file says that it has none.
    bytes[48] ^= 0x33;
    std::fs::write(&file, bytes).expect("a file");
    let mut player = Player::new(vec![folder.path().into()], Vec::new(), 1 << 20, None).expect("an engine");
    player.set_fen(MATE_IN_5).expect("a position");
    let choice = player.choose();
    assert_eq!((choice.basis, choice.moves.len()), (Basis::Nothing(None), 18));
    assert!(choice.fault.is_some_and(|fault| fault.contains("KQvK.tsm")));
    check(
        &said(&mut player, uci, &format!("position fen {MATE_IN_5}\ngo\n")),
        &["info string error: ", "KQvK.tsm", "no table can be read", "bestmove "],
    );
    // XBoard goes on too, and its user sees it once.
    let text =
        said(&mut player, xboard, &format!("new\nsetboard {MATE_IN_5}\ngo\nsetboard {MATE_IN_5}\ngo\n"));
    check(&text, &["tellusererror ", "KQvK.tsm", "move ", "move "]);
    assert_eq!(text.matches("tellusererror").count(), 1);
    // What another metric knows is known all the same.
    let mut player =
        Player::new(vec![folder.path().into()], Vec::new(), 1 << 20, Some(SolveBound::default()))
            .expect("an engine");
    player.set_fen(MATE_IN_5).expect("a position");
    let choice = player.choose();
    assert_eq!((&*choice.moves[0].uci, choice.moves[0].plies_to_end), ("h1d5", Some(9)));
}
