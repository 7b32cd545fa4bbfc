//! Probes tables whose values were set by hand: a test asks which value is found, not whether it is true.

use crate::{Answer, Ask, Between, By, Gap, MissingTable, PositionValues, ProbeError, RatedMove, Tablebase};
use format::{FormatError, Metadata, TableWriter, file_name};
use geometry::{Square, Symmetry};
use index::Layout;
use parking_lot::Mutex;
use position::{Outcome, Position};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use table::{Code, Ply, Table, Value};
use variant::{Man, Material, Metric, Side, Variant};

const FIDE: &str = variant::game::CHESS;

/// A folder of tables that is gone when the test is over.
struct Tables {
    folder: PathBuf,
    variant: Variant,
}

impl Drop for Tables {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Tables {
    fn new(name: &str, rules: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("tablesmith-probe-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Tables { folder, variant: Variant::parse(rules, "fide.toml").unwrap() }
    }

    /// Writes the table of a material with these values, by side to move and number.
    fn with(self, material: &str, value: impl Fn(Side, usize) -> Value) -> Self {
        let table = table(&self.variant, material, value);
        let metadata = Metadata {
            program: "test".into(),
            variant: self.variant.name.clone(),
            solver_version: 0,
            ..Metadata::default()
        };
        let path = self.folder.join(file_name(material));
        TableWriter::new(&self.variant).write(&path, &table, &metadata).unwrap();
        self
    }

    fn open(&self) -> Tablebase {
        Tablebase::open(&self.folder, &self.variant).unwrap()
    }
}

/// The table of a material with these values, by side to move and number.
fn table(variant: &Variant, material: &str, value: impl Fn(Side, usize) -> Value) -> Table {
    let material = Material::parse(variant, material).unwrap();
    let layout = Arc::new(Layout::new(variant, &material));
    let codes = |side| {
        let code = |index| u8::from_value(value(side, index)).unwrap();
        u8::owned((0..layout.len()).map(code).collect())
    };
    let black = (!material.is_symmetric()).then(|| codes(Side::Black));
    Table::new(layout.clone(), codes(Side::White), black)
}

/// Values without a pattern.
fn scattered(side: Side, index: usize) -> Value {
    let number = ((index as u64) << 1 | side.index() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let ply = (number % 120) as u16;
    match number % 7 {
        0 => Value::Draw,
        _ if ply % 2 == 1 => Value::Win(Ply(ply)),
        _ => Value::Loss(Ply(ply + 2)),
    }
}

#[track_caller]
fn read(tablebase: &Tablebase, fen: &str) -> Position {
    Position::from_fen(tablebase.book(), fen).unwrap()
}

#[track_caller]
fn known(tablebase: &Tablebase, fen: &str) -> Answer {
    tablebase.probe(&read(tablebase, fen)).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

#[track_caller]
fn rated(tablebase: &Tablebase, fen: &str) -> Vec<RatedMove> {
    tablebase.moves(&read(tablebase, fen)).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The table that an answer is missing.
#[track_caller]
fn missing<T: std::fmt::Debug>(answer: Result<T, ProbeError>) -> MissingTable {
    match answer {
        Err(ProbeError::Missing(missing)) => missing,
        other => panic!("no table is missing: {other:?}"),
    }
}

#[track_caller]
fn check_value(tablebase: &Tablebase, fen: &str, value: Value, outcome: Option<Outcome>) {
    let answer = known(tablebase, fen);
    assert_eq!((answer.value, answer.outcome), (Between::exactly(value), outcome), "{fen}");
}

/// A position's value is the table's, whichever way the board is turned and which side has which colour.
#[track_caller]
fn check_images(material: &str, symmetries: &[Symmetry]) {
    let tables = Tables::new(&format!("images-{material}"), FIDE).with(material, scattered);
    let tablebase = tables.open();
    let variant = &tables.variant;
    let board = &variant.board;
    let layout = Layout::new(variant, &Material::parse(variant, material).unwrap());
    let is_symmetric = layout.material().is_symmetric();
    let mut n_checked = 0;
    for index in (0..layout.len()).step_by(layout.len() / 997 + 1) {
        let squares = layout.decode(index);
        for side in Side::BOTH {
            let place = |man: &dyn Fn(Man) -> Man, square: &dyn Fn(Square) -> Square, stm| {
                let men = layout.men().iter().zip(squares.iter()).map(|(&m, &s)| (man(m), square(s)));
                Position::from_men(men, stm)
            };
            let Some(position) = place(&|m| m, &|s| s, side) else { continue };
            if !position.is_legal(tablebase.book()) {
                assert_eq!(tablebase.value(&position).unwrap(), Value::Illegal);
                continue;
            }
            let expected = if is_symmetric && side == Side::Black {
                let flipped: Vec<Square> = squares.iter().map(|&s| board.mirror_ranks(s)).collect();
                let n = flipped.len() / 2;
                scattered(Side::White, layout.encode(&[&flipped[n..], &flipped[..n]].concat()).unwrap())
            } else {
                scattered(side, layout.encode(&squares).unwrap())
            };
            assert_eq!(
                tablebase.value(&position).unwrap(),
                expected,
                "{}",
                position.to_fen(tablebase.book())
            );
            for g in symmetries {
                let image = place(&|m| m, &|s| g.square(board, s), side).unwrap();
                assert_eq!(tablebase.value(&image).unwrap(), expected);
                let other = |m: Man| Man { side: !m.side, ..m };
                let swapped = place(&other, &|s| board.mirror_ranks(g.square(board, s)), !side).unwrap();
                assert_eq!(tablebase.value(&swapped).unwrap(), expected);
            }
            n_checked += 1;
        }
    }
    assert!(n_checked > 300, "{n_checked}");
}

#[test]
fn mirrored_and_with_colours_exchanged_a_position_has_one_value() {
    let all: Vec<Symmetry> = (0..8).map(Symmetry::from_index).collect();
    check_images("KQRvK", &all);
    check_images("KBBvK", &all);
    check_images("KRvKR", &all);
    check_images("KPvK", &all[..2]);
}

const ILLEGAL: &str = "8/8/8/8/8/4k3/4Q3/4K3 w - - 0 1";

#[test]
fn ends_and_positions_without_a_table_have_their_own_answers() {
    let tablebase = Tables::new("ends", FIDE).with("KQvK", |_, _| Value::Loss(Ply(0))).open_leaked();
    check_value(&tablebase, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Value::Loss(Ply(0)), Some(Outcome::Checkmate));
    check_value(&tablebase, ILLEGAL, Value::Illegal, None);
    check_value(&tablebase, "8/8/8/8/8/4k3/8/4K3 w - - 0 1", Value::Draw, None);
    check_value(&tablebase, "8/8/8/8/8/8/4k3/4K3 w - - 0 1", Value::Illegal, None);
    assert!(rated(&tablebase, ILLEGAL).is_empty());
    assert!(tablebase.variant().is_always_drawn(&Material::parse(tablebase.variant(), "KvK").unwrap()));
}

impl Tables {
    /// Opens the tables, reads what it needs while the folder is there, and lets the folder go.
    fn open_leaked(self) -> Tablebase {
        let tablebase = self.open();
        let _ = tablebase.value(&read(&tablebase, "8/8/8/8/8/4k3/8/4K2Q w - - 0 1"));
        tablebase
    }
}

#[test]
fn bare_royals_need_a_table_where_attacks_are_one_sided_or_stalemate_loses() {
    let drawn = |rules: &str| {
        let variant = Variant::parse(rules, "fide.toml").unwrap();
        variant.is_always_drawn(&Material::parse(&variant, "KvK").unwrap())
    };
    let king = |betza: &str| FIDE.replace("betza = \"K\"", &format!("betza = \"{betza}\""));
    assert!(drawn(FIDE));
    assert!(drawn(&king("N")));
    // As chess men do, Black's moves are White's seen from the other side: forward meets forward.
    assert!(drawn(&king("fK")), "each attacks what attacks it");
    assert!(!drawn(&king("WfrF")), "left and right differ");
    assert!(!drawn(&king("KR")), "rides are not looked into");
    assert!(!drawn(&FIDE.replace("stalemate-value = \"draw\"", "stalemate-value = \"loss\"")));
    let variant = Variant::parse(FIDE, "fide.toml").unwrap();
    assert!(!variant.is_always_drawn(&Material::parse(&variant, "KBvK").unwrap()));
}

#[test]
fn a_table_that_is_not_there_is_named_with_its_file() {
    let tables = Tables::new("absent", FIDE);
    let tablebase = tables.open();
    let fen = "8/8/8/8/3r4/4k3/8/4K2Q w - - 0 1";
    let absent = |fen: &str| missing(tablebase.probe(&read(&tablebase, fen)));
    assert_eq!(absent(fen).to_string(), "not here: KQvKR.tsm");
    let error = tablebase.value(&read(&tablebase, fen)).unwrap_err().to_string();
    assert_eq!(error, "not here: KQvKR.tsm; run solve with --table KQvKR");
    assert!(matches!(tablebase.best_moves(&read(&tablebase, fen)), Err(ProbeError::Missing(_))));
    assert!(tablebase.main_line(&read(&tablebase, fen)).unwrap().is_empty());
    // Nine men have no table whatever is built.
    assert_eq!(absent("8/pppp4/8/8/8/4k3/PP6/4K2Q w - - 0 1").material, "KPPPPvKQPP");
    let nowhere = Tablebase::open(tables.folder.join("nowhere"), &tables.variant);
    assert!(matches!(nowhere, Err(ProbeError::NoFolder { .. })));
    // A table that comes later is found.
    let tables = tables.with("KQvKR", |_, _| Value::Win(Ply(9)));
    check_value(&tablebase, fen, Value::Win(Ply(9)), None);
    // A damaged file is reported as such.
    fs::write(tables.folder.join("KRvK.tsm"), "no").unwrap();
    let damaged = tablebase.probe(&read(&tablebase, "8/8/8/8/8/4k3/8/4K2R w - - 0 1"));
    assert!(
        matches!(damaged, Err(ProbeError::Format(error)) if matches!(*error, FormatError::NotATable { .. }))
    );
}

/// The value of the position says that it is won in three plies; a capture into a table that is not there
/// cannot hide which move wins, unless no other move does.
#[test]
fn best_moves_need_no_table_that_is_not_there() {
    let tables = Tables::new("best", FIDE).with("KQvKR", |side, index| match side {
        Side::White => Value::Win(Ply(3)),
        Side::Black if index % 3 == 0 => Value::Loss(Ply(2)),
        Side::Black => Value::Loss(Ply(4)),
    });
    let tablebase = tables.open();
    let fen = "8/8/8/8/7r/4k3/8/4K2Q w - - 0 1";
    let (position, not_here) = (read(&tablebase, fen), "not here: KQvK.tsm");
    assert_eq!(missing(tablebase.moves(&position)).to_string(), not_here);
    let best = tablebase.best_moves(&position).unwrap();
    assert!(
        !best.is_empty() && best.iter().all(|best| best.value == Value::Win(Ply(3)) && best.uci != "h1h4")
    );
    let answer = tablebase.answer(&position, &Ask::ALL).unwrap();
    assert_eq!(
        (&answer.line.as_ref().unwrap()[0], answer.file_name().as_deref()),
        (&best[0], Some("KQvKR.tsm"))
    );
    assert_eq!((answer.best_moves().count(), answer.gap().unwrap().0), (best.len(), Gap::SomeMoves));
    // Nothing that is known is as good as the position: the move must be the one that is not known.
    let tables = Tables::new("hidden", FIDE).with("KQvKR", |side, _| match side {
        Side::White => Value::Win(Ply(3)),
        Side::Black => Value::Draw,
    });
    assert_eq!(missing(tables.open().best_moves(&position)).to_string(), not_here);
}

const E_P: &str = "8/8/8/K1k5/3Pp3/8/8/8 b - d3 0 1";
const NO_RIGHT: &str = "8/8/8/K1k5/3Pp3/8/8/8 b - - 0 1";

/// A position with a right is worth the better of the table's value and what the capture leads to; where
/// there is no other move, what the capture leads to.
#[track_caller]
fn check_en_passant(stored: Value, after_capture: Value, expected: Value) {
    let name = format!("passant-{stored:?}-{after_capture:?}");
    let tables = Tables::new(&name, FIDE).with("KPvKP", |_, _| stored).with("KPvK", |_, _| after_capture);
    let tablebase = tables.open();
    check_value(&tablebase, NO_RIGHT, stored, None);
    check_value(&tablebase, E_P, expected, None);
    let best = after_capture.before_move();
    let moves = rated(&tablebase, E_P).into_iter().find(|m| m.uci == "e4d3");
    // The king's capture on d4 leads to KPvK as well, so no other table is needed.
    assert_eq!(moves.unwrap().value, best.unwrap());
}

#[test]
fn en_passant_captures_are_added_to_what_the_table_says() {
    let (win, loss) = (|ply| Value::Win(Ply(ply)), |ply| Value::Loss(Ply(ply)));
    check_en_passant(Value::Draw, loss(10), win(11));
    check_en_passant(win(5), loss(10), win(5));
    check_en_passant(win(15), loss(10), win(11));
    check_en_passant(Value::Draw, win(7), Value::Draw);
    check_en_passant(loss(4), win(7), loss(8));
    check_en_passant(loss(14), win(7), loss(14));
    check_en_passant(loss(14), Value::Draw, Value::Draw);
}

/// What the table calls stalemate or mate is none if there is a capture en passant; the values are set by
/// hand, so the position need not be one.
#[test]
fn where_there_is_no_other_move_the_capture_alone_judges() {
    for stored in [Value::Stalemate, Value::Loss(Ply(0))] {
        for after in [Value::Win(Ply(7)), Value::Draw, Value::Loss(Ply(2))] {
            let name = format!("alone-{stored:?}-{after:?}");
            let tables = Tables::new(&name, FIDE).with("KPvKP", |_, _| stored).with("KPvK", |_, _| after);
            check_value(&tables.open(), E_P, after.before_move().unwrap(), None);
        }
    }
}

/// Who may pass only for want of another move may not, once there is a capture en passant.
#[test]
fn a_capture_en_passant_takes_a_pass_for_want_of_a_move_away() {
    let stalemate = "stalemate-value = \"draw\"";
    let rules = FIDE
        .replace(stalemate, &format!("{stalemate}\npass-on-stalemate = true"))
        .replace("betza = \"K\"", "betza = \"\"");
    let (passing, capture) = (Value::Loss(Ply(14)), Value::Win(Ply(7)));
    let tables = Tables::new("pass", &rules).with("KPvKP", |_, _| passing).with("KPvK", |_, _| capture);
    let tablebase = tables.open();
    check_value(&tablebase, "4k3/8/8/8/3Pp3/4K3/8/8 b - - 0 1", passing, None);
    check_value(&tablebase, "4k3/8/8/8/3Pp3/4K3/8/8 b - d3 0 1", Value::Loss(Ply(8)), None);
}

#[test]
fn a_win_without_a_move_is_the_end() {
    let rules = FIDE.replace("stalemate-value = \"draw\"", "stalemate-value = \"win\"");
    let tables = Tables::new("claim", &rules).with("KQvK", |_, _| Value::Win(Ply(1)));
    let tablebase = tables.open();
    check_value(&tablebase, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Value::Win(Ply(1)), Some(Outcome::Stalemate));
    check_value(&tablebase, "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", Value::Win(Ply(1)), None);
}

#[test]
fn a_capture_en_passant_that_exposes_the_own_king_does_not_count() {
    // Four files and five ranks keep a table of five men small.
    let rules = FIDE
        .replace("castling = true", "castling = false")
        .replace("files = 8", "files = 4")
        .replace("ranks = 8", "ranks = 5")
        .replace("promotion-rank = 8", "promotion-rank = 5");
    let tables = Tables::new("exposed", &rules)
        .with("KRPvKP", |_, _| Value::Draw)
        .with("KRvKP", |_, _| Value::Win(Ply(9)));
    let tablebase = tables.open();
    // Both pawns leave the second rank at once.
    check_value(&tablebase, "3k/4/4/KPpr/4 w - - 0 1", Value::Draw, None);
    check_value(&tablebase, "3k/4/4/KPpr/4 w - c3 0 1", Value::Draw, None);
}

#[test]
fn moves_come_best_first_and_a_line_ends_where_the_tables_disagree() {
    let tables = Tables::new("moves", FIDE).with("KQvK", |side, index| match side {
        Side::White => Value::Win(Ply(3)),
        Side::Black if index % 3 == 0 => Value::Loss(Ply(2)),
        Side::Black if index % 3 == 1 => Value::Draw,
        Side::Black => Value::Loss(Ply(4)),
    });
    let tablebase = tables.open();
    let position = read(&tablebase, "8/8/8/8/8/4k3/8/4K2Q w - - 0 1");
    let moves = tablebase.moves(&position).unwrap();
    assert_eq!(moves.len(), position.legal_moves(tablebase.book()).len());
    let key = |m: &RatedMove| match m.value.least {
        Value::Win(Ply(ply)) => ply,
        _ => 1_000,
    };
    for pair in moves.windows(2) {
        assert!((key(&pair[0]), &pair[0].uci) < (key(&pair[1]), &pair[1].uci), "{pair:?}");
    }
    assert!(key(&moves[0]) < key(moves.last().unwrap()));
    // After the first move Black's best answer is worth another loss than the table promised.
    let line = tablebase.main_line(&position).unwrap();
    assert_eq!(line[0], moves[0]);
    assert!(line.len() <= 3, "{line:?}");
}

/// Tables in memory answer as the same tables in files do, with the colours exchanged too.
#[test]
fn tables_in_memory_answer_as_files_do() {
    let tables = Tables::new("memory", FIDE).with("KQvKR", scattered).with("KRvKR", scattered);
    let files = tables.open();
    let solved = ["KQvKR", "KRvKR"].map(|name| Arc::new(table(&tables.variant, name, scattered)));
    let memory = Tablebase::from_tables(&tables.variant, Metric::Dtm, solved);
    for squares in ["4k3/8/8/8/8/8/8/QK5r", "7k/8/1q6/8/8/5K2/8/R7", "1R6/8/3K4/8/5r2/8/8/4k3"] {
        let fens = ["w", "b"].map(|stm| format!("{squares} {stm} - - 0 1"));
        for fen in fens.iter().filter(|fen| read(&files, fen).is_legal(files.book())) {
            let [from_file, from_memory] = [&files, &memory].map(|tables| known(tables, fen));
            assert_eq!(from_memory, Answer { files: Vec::new(), ..from_file }, "{fen}");
        }
    }
    let absent = missing(memory.probe(&read(&memory, "8/8/8/8/8/4k3/8/4K2Q w - - 0 1")));
    assert_eq!(absent.to_string(), "not here: KQvK.tsm");
}

#[test]
fn many_threads_get_the_same_answers() {
    let tables = Tables::new("threads", FIDE).with("KQRvK", scattered);
    let tablebase = tables.open();
    let fens: Vec<String> = (1..7)
        .map(|file| format!("8/8/1k6/8/8/R7/{file}Q{}/{}K{file} w - - 0 1", 7 - file, 7 - file))
        .collect();
    let values = || -> Vec<Value> {
        fens.iter().map(|fen| tablebase.value(&read(&tablebase, fen)).unwrap()).collect()
    };
    let answers: Vec<Vec<Value>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(values)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

#[test]
fn a_small_cache_holds_less_and_says_the_same() {
    let tables = ["KQvK", "KRvK", "KBvK", "KNvK"]
        .into_iter()
        .fold(Tables::new("cache", FIDE), |tables, name| tables.with(name, scattered));
    let ask = |cache_bytes| {
        let tablebase = Tablebase::open_with(
            std::slice::from_ref(&tables.folder),
            &tables.variant,
            Metric::Dtm,
            cache_bytes,
        )
        .unwrap();
        let fens = "QRBN"
            .chars()
            .flat_map(|man| ["w", "b"].map(|stm| format!("8/8/1k6/8/8/8/5{man}2/K7 {stm} - - 0 1")));
        let values: Vec<Value> = fens.map(|fen| tablebase.value(&read(&tablebase, &fen)).unwrap()).collect();
        (values, tablebase.cached_bytes())
    };
    let ((large, all_bytes), (small, few_bytes)) = (ask(64 << 20), ask(0));
    assert_eq!(large, small);
    // A single block stays, however small the cache.
    assert!(few_bytes > 0 && few_bytes * 4 <= all_bytes, "{few_bytes} of {all_bytes} bytes");
}

#[test]
fn positions_of_a_block_have_its_address() {
    // A folder with KQvK and KPvK, whose tables have blocks of each side to move.
    let tables = Tablebase::open("../../tests/cases/files/quick", &Variant::chess()).unwrap();
    let block = |fen: &str| tables.block_of(&tables.position(fen).unwrap());
    let white = block("8/8/8/8/8/4k3/8/4K2Q w - - 0 1").unwrap();
    // The same table with the colours exchanged, and a mirror image.
    assert_eq!(block("4k2q/8/4K3/8/8/8/8/8 b - - 0 1"), Some(white));
    assert_eq!(block("8/8/8/8/8/3k4/8/Q2K4 w - - 0 1"), Some(white));
    let black = block("8/8/8/8/8/4k3/8/4K2Q b - - 0 1").unwrap();
    let pawn = block("8/8/8/8/8/4k3/4P3/4K3 w - - 0 1").unwrap();
    assert!(white != black && pawn != white && pawn != black);
    // Whatever is not in a file has none: bare kings, a table that is not there, no position, many men.
    for fen in
        ["8/8/8/8/8/4k3/8/4K3 w - - 0 1", "8/8/8/8/8/4k3/8/4K2R w - - 0 1", "8/8/8/8/8/8/8/4K2Q w - - 0 1"]
    {
        assert_eq!(tables.position(fen).ok().and_then(|position| tables.block_of(&position)), None, "{fen}");
    }
    assert_eq!(block("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"), None);
}

/// Without any table the rules decide these, under every metric and with any number of men.
#[test]
fn what_the_rules_decide_needs_no_table() {
    let [win, loss] = [|plies| Value::Win(Ply(plies)), |plies| Value::Loss(Ply(plies))];
    let cases = [
        // Mate, stalemate, and bishops on squares of one colour.
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Some(loss(0))),
        ("k7/P7/K7/8/7p/7P/6pP/6B1 b - - 0 1", Some(Value::Stalemate)),
        ("B1B1B1B1/1b1b1b1b/B7/8/8/4k3/8/4K3 w - - 0 1", Some(Value::Draw)),
        // A mate in one: by a piece, by castling, by a promotion.
        ("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1", Some(win(1))),
        ("2rkr3/2p1p3/8/8/8/8/8/R3K3 w Q - 0 1", Some(win(1))),
        ("k7/2P5/K7/8/8/7p/7P/8 w - - 0 1", Some(win(1))),
        // The only move takes the last man; and one that leaves pawns.
        ("7k/6Q1/8/8/8/8/8/K7 b - - 0 1", Some(Value::Draw)),
        ("7k/6Q1/8/8/7p/7P/8/K7 b - - 0 1", None),
        // Nothing is decided.
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None),
        ("8/8/8/2r5/8/4k3/8/4K2Q w - - 0 1", None),
    ];
    let variant = Variant::chess();
    for metric in Metric::OF_CONTEST {
        let tablebase = Tablebase::from_tables(&variant, metric, []);
        for (fen, expected) in cases {
            let position = tablebase.position(fen).unwrap();
            let answer = tablebase.probe(&position);
            let Some(value) = expected else {
                missing(answer);
                continue;
            };
            let answer = answer.unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert!(
                answer.value == value && answer.files.is_empty() && answer.by == By::Rules,
                "{fen}: {answer:?}"
            );
            assert_eq!(tablebase.value_of_legal(&position).unwrap(), value, "{fen}");
            missing(tablebase.table_value(&position));
            let best = tablebase.best_moves(&position);
            if value == win(1) {
                let line = tablebase.main_line(&position).unwrap();
                assert!(best.unwrap().iter().all(|rated| rated.value == win(1)), "{fen}");
                assert_eq!(line.len(), 1, "{fen}");
            }
        }
    }
}

/// Values of which it is noted how often each is asked for.
#[derive(Debug)]
struct Noted {
    tables: Tablebase,
    asked: Mutex<BTreeMap<String, usize>>,
}

impl PositionValues for Noted {
    fn value(&self, position: &Position) -> std::io::Result<Option<Value>> {
        *self.asked.lock().entry(position.to_fen(self.tables.book())).or_default() += 1;
        Ok(self.tables.value_of_legal(position).ok())
    }
}

#[test]
fn each_successor_is_valued_once() {
    let tables = Tables::new("once", FIDE).with("KQvK", scattered);
    let noted = Arc::new(Noted { tables: tables.open(), asked: Mutex::default() });
    let tablebase = Tablebase::from_values(&tables.variant, Metric::Dtm, noted.clone());
    let position = read(&tablebase, "8/8/8/8/8/4k3/8/4K2Q w - - 0 1");
    let answer = tablebase.answer(&position, &Ask::MOVES).expect("an answer");
    let asked = noted.asked.lock();
    assert_eq!((asked.len(), asked.values().max()), (1 + answer.moves.len(), Some(&1)), "{asked:?}");
}
