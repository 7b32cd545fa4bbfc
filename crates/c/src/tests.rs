//! Calls the functions as C does, with good and bad arguments, and holds the header against the source.

#![expect(unsafe_code, reason = "the functions of the border are called as C calls them")]

use crate::border::*;
use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::ptr;

const CRATE: &str = env!("CARGO_MANIFEST_DIR");
const MATE_IN_5: &str = "8/8/8/8/8/4k3/8/4K2Q w - - 0 1";

/// A value that no function writes.
const NOTHING: TablesmithValue =
    TablesmithValue { wdl: 9, plies: 9, metric: TablesmithMetric::TablesmithWdl };

/// A result and its plies, or why there is none.
type Found = Result<(i8, i32), TablesmithStatus>;

/// Open tables; closed with this value.
struct Open(*mut TablesmithTables);

impl Open {
    fn new(folder: &Path, game: Option<&str>, solve: bool) -> Result<Self, TablesmithStatus> {
        let [folder, game] =
            [folder.to_str(), game].map(|text| text.map(|text| CString::new(text).expect("no NUL")));
        let pointer = |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        let mut tables = ptr::null_mut();
        // SAFETY: texts that end with NUL, and a pointer to a pointer.
        let status = unsafe { tablesmith_open(pointer(&folder), pointer(&game), solve.into(), &mut tables) };
        assert_eq!(tables.is_null(), status != TablesmithStatus::TablesmithOk);
        if tables.is_null() { Err(status) } else { Ok(Open(tables)) }
    }

    fn value(&self, fen: &str) -> Result<(i8, i32), TablesmithStatus> {
        let (fen, mut value) = (CString::new(fen).expect("no NUL"), NOTHING);
        // SAFETY: open tables, a text that ends with NUL, and a value.
        match unsafe { tablesmith_value(self.0, fen.as_ptr(), &mut value) } {
            TablesmithStatus::TablesmithOk => {
                assert_eq!(value.metric, TablesmithMetric::TablesmithDtm);
                Ok((value.wdl, value.plies))
            }
            status => Err(status),
        }
    }

    fn values(&self, fens: &[&CStr]) -> (TablesmithStatus, Vec<Found>) {
        let fens: Vec<*const c_char> = fens.iter().map(|fen| fen.as_ptr()).collect();
        let mut values = vec![NOTHING; fens.len()];
        let mut statuses = vec![TablesmithStatus::TablesmithFault; fens.len()];
        let (fens, n) = (fens.as_ptr(), fens.len());
        // SAFETY: open tables, `n` texts that end with NUL, and room for `n` values and statuses.
        let status =
            unsafe { tablesmith_values(self.0, fens, n, values.as_mut_ptr(), statuses.as_mut_ptr()) };
        let found = values.iter().zip(statuses).map(|(value, status)| match status {
            TablesmithStatus::TablesmithOk => Ok((value.wdl, value.plies)),
            status => {
                assert_eq!(*value, NOTHING);
                Err(status)
            }
        });
        (status, found.collect())
    }

    fn best(&self, fen: &str, size: usize) -> Result<String, TablesmithStatus> {
        let (fen, mut room) = (CString::new(fen).expect("no NUL"), [b'?' as c_char; TABLESMITH_MOVE_SIZE]);
        assert!(size <= room.len());
        // SAFETY: open tables, a text that ends with NUL, and room for `size` bytes.
        let status = unsafe { tablesmith_best_move(self.0, fen.as_ptr(), room.as_mut_ptr(), size) };
        assert!(
            room[size..].iter().all(|&byte| byte == b'?' as c_char),
            "nothing behind the room is written"
        );
        if status != TablesmithStatus::TablesmithOk {
            return Err(status);
        }
        // SAFETY: the function has written a text that ends with NUL.
        Ok(unsafe { CStr::from_ptr(room.as_ptr()) }.to_str().expect("a move").to_owned())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: the tables are open, and no other thread has them.
        unsafe { tablesmith_close(self.0) };
    }
}

/// The sentence about the last error.
fn sentence() -> String {
    // SAFETY: the sentence ends with NUL and stays until the next error of this thread.
    unsafe { CStr::from_ptr(tablesmith_error()) }.to_str().expect("a sentence").to_owned()
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/files/small"))
}

#[test]
fn values_and_moves() {
    let open = Open::new(folder(), None, false).expect("tables of chess");
    assert_eq!(open.value(MATE_IN_5), Ok((1, 9)));
    assert_eq!(open.value("8/8/8/8/8/4k3/8/4K3 w - - 0 1"), Ok((0, -1)));
    assert_eq!(open.value("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), Ok((-1, 0)));
    assert_eq!(open.best(MATE_IN_5, TABLESMITH_MOVE_SIZE).as_deref(), Ok("h1d5"));
    // The room that a move needs, and a byte less.
    assert_eq!(open.best(MATE_IN_5, 5).as_deref(), Ok("h1d5"));
    assert_eq!(open.best(MATE_IN_5, 4), Err(TablesmithStatus::TablesmithArgument));
    assert_eq!(sentence(), "the move h1d5 needs 5 bytes, and there is room for 4");
    assert_eq!(open.best(MATE_IN_5, 0), Err(TablesmithStatus::TablesmithArgument));
    assert_eq!(open.best("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 16), Err(TablesmithStatus::TablesmithNoMove));
}

#[test]
fn many_values_are_those_of_one_by_one() {
    let open = Open::new(folder(), None, false).expect("tables of chess");
    let fens = [
        c"8/8/8/8/8/4k3/8/4K2Q w - - 0 1",
        c"nonsense",
        c"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        c"8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
        c"8/8/8/8/8/4k3/8/4K3 w - - 0 1",
        c"\xff",
        c"8/8/8/8/8/4k3/8/4K1Q1 b - - 0 1",
    ]
    .repeat(5);
    let (status, together) = open.values(&fens);
    assert_eq!((status, sentence().contains("not a position")), (TablesmithStatus::TablesmithFen, true));
    for (fen, together) in fens.iter().zip(together) {
        let alone = fen.to_str().map_err(|_| TablesmithStatus::TablesmithArgument);
        assert_eq!(alone.and_then(|fen| open.value(fen)), together, "{fen:?}");
    }
    assert_eq!(open.values(&fens[..1]), (TablesmithStatus::TablesmithOk, vec![Ok((1, 9))]));
    assert_eq!(open.values(&[]), (TablesmithStatus::TablesmithOk, vec![]));
}

/// With any number of men, and whatever tables are there; a right that the men deny is left out.
#[test]
fn what_the_rules_decide_needs_no_table() {
    let open = Open::new(folder(), Some("chess"), false).expect("tables of chess");
    for (fen, value, best) in [
        ("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w KQkq - 0 1", (1, 1), Ok("b1b8")),
        (
            "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
            (-1, 0),
            Err(TablesmithStatus::TablesmithNoMove),
        ),
        ("k7/P7/K7/8/7p/7P/6pP/6B1 b - - 0 1", (0, -1), Err(TablesmithStatus::TablesmithNoMove)),
    ] {
        assert_eq!(open.value(fen), Ok(value), "{fen}");
        assert_eq!(open.best(fen, 16).as_deref(), best.as_ref().copied(), "{fen}");
    }
}

/// White may castle, and mates in 11 moves.
const CASTLES: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";

#[test]
fn refusals_have_sentences() {
    let open = Open::new(folder(), Some("chess"), false).expect("tables of chess");
    for (fen, status, word) in [
        ("", TablesmithStatus::TablesmithFen, "not a position"),
        ("8/8 w", TablesmithStatus::TablesmithFen, "not a position"),
        (
            CASTLES,
            TablesmithStatus::TablesmithMissing,
            "positions of KRvK with castling rights are not solved",
        ),
        (
            "4k3/pppp4/8/8/8/8/8/4K2R w K - 0 1",
            TablesmithStatus::TablesmithMissing,
            "positions of 7 men with",
        ),
        (
            "8/8/8/8/8/3kq3/8/4K2Q b - - 0 1",
            TablesmithStatus::TablesmithIllegal,
            "could capture White's king",
        ),
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", TablesmithStatus::TablesmithMissing, "KRvK is not built"),
    ] {
        assert_eq!(open.value(fen), Err(status), "{fen}");
        assert!(sentence().contains(word), "{}", sentence());
    }
    let solving = Open::new(folder(), None, true).expect("tables of chess");
    assert_eq!(solving.value("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"), Ok((1, 31)));
    assert_eq!(solving.value(CASTLES), Ok((1, 21)));
    let sole = "8/8/8/8/8/5b2/8/k3K2R w K - 0 1";
    assert_eq!(solving.best(sole, TABLESMITH_MOVE_SIZE).as_deref(), Ok("e1g1"));
}

#[test]
fn folders_that_cannot_be_opened() {
    for (folder, game, word) in [
        (Path::new("/nowhere"), None, "no folder of tables"),
        (folder(), Some("my-game"), "my-game"),
        (folder(), Some("/nowhere.toml"), "nowhere"),
    ] {
        let status = Open::new(folder, game, false).map(drop);
        assert_eq!(status, Err(TablesmithStatus::TablesmithNotOpened));
        assert!(sentence().contains(word), "{}", sentence());
    }
    let damaged = tempfile::tempdir().expect("a folder");
    let rules = damaged.path().join("bad.toml");
    std::fs::write(&rules, "name = \"bad\"\nboard = 3\n").expect("a file");
    let status = Open::new(folder(), rules.to_str(), false).map(drop);
    assert_eq!((status, sentence().contains("board")), (Err(TablesmithStatus::TablesmithNotOpened), true));
    let mut data = std::fs::read(folder().join("KQvK.tsm")).expect("a table");
    data.truncate(data.len() / 2);
    std::fs::write(damaged.path().join("KQvK.tsm"), data).expect("a file");
    let open = Open::new(damaged.path(), Some("fide"), false).expect("a folder");
    assert_eq!(open.value(MATE_IN_5), Err(TablesmithStatus::TablesmithDamaged));
}

#[test]
fn nothing_is_no_argument() {
    let open = Open::new(folder(), None, false).expect("tables of chess");
    let fen = CString::new(MATE_IN_5).expect("no NUL");
    let (mut value, mut room) = (NOTHING, [0; TABLESMITH_MOVE_SIZE]);
    let (mut status, fens) = (TablesmithStatus::TablesmithOk, [fen.as_ptr()]);
    let latin = c"\xff";
    // SAFETY: everything is NULL, or a text that ends with NUL, or points to what the contract asks for.
    let statuses = unsafe {
        [
            tablesmith_open(ptr::null(), ptr::null(), 0, &mut ptr::null_mut()),
            tablesmith_open(fen.as_ptr(), ptr::null(), 0, ptr::null_mut()),
            tablesmith_open(latin.as_ptr(), ptr::null(), 0, &mut ptr::null_mut()),
            tablesmith_value(ptr::null(), fen.as_ptr(), &mut value),
            tablesmith_value(open.0, ptr::null(), &mut value),
            tablesmith_value(open.0, fen.as_ptr(), ptr::null_mut()),
            tablesmith_value(open.0, latin.as_ptr(), &mut value),
            tablesmith_values(ptr::null(), fens.as_ptr(), 1, &mut value, &mut status),
            tablesmith_values(open.0, ptr::null(), 1, &mut value, &mut status),
            tablesmith_values(open.0, fens.as_ptr(), 1, ptr::null_mut(), &mut status),
            tablesmith_values(open.0, fens.as_ptr(), 1, &mut value, ptr::null_mut()),
            tablesmith_best_move(ptr::null(), fen.as_ptr(), room.as_mut_ptr(), room.len()),
            tablesmith_best_move(open.0, ptr::null(), room.as_mut_ptr(), room.len()),
            tablesmith_best_move(open.0, fen.as_ptr(), ptr::null_mut(), 99),
        ]
    };
    assert_eq!(statuses, [TablesmithStatus::TablesmithArgument; 14]);
    // SAFETY: NULL may be closed.
    unsafe { tablesmith_close(ptr::null_mut()) };
}

#[test]
fn threads_ask_at_once() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<TablesmithTables>();
    let open = Open::new(folder(), None, true).expect("tables of chess");
    let tables = open.0 as usize;
    std::thread::scope(|scope| {
        for wrong in [false, true, false, true] {
            scope.spawn(move || {
                let open = std::mem::ManuallyDrop::new(Open(tables as *mut TablesmithTables));
                for _ in 0..50 {
                    assert_eq!(open.value("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"), Ok((1, 31)));
                    if wrong {
                        assert_eq!(open.value("nonsense"), Err(TablesmithStatus::TablesmithFen));
                    }
                }
                // Each thread has errors of its own.
                assert_eq!(sentence().is_empty(), !wrong);
            });
        }
    });
}

#[test]
fn the_header_is_that_of_the_source() {
    let folder = Path::new(CRATE);
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("the configuration");
    let builder = cbindgen::Builder::new().with_config(config).with_src(folder.join("src/border.rs"));
    let mut written = Vec::new();
    builder.generate().expect("a header").write(&mut written);
    let (path, written) = (folder.join("include/tablesmith.h"), String::from_utf8(written).expect("a text"));
    if std::env::var_os("TABLESMITH_WRITE_HEADER").is_some() {
        std::fs::write(&path, &written).expect("the header is written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        there == written,
        "include/tablesmith.h is stale: write it with `cargo xtask c --header`\n{written}"
    );
}

/// A list of folders, as the system writes it.
#[test]
fn several_folders() {
    let empty = tempfile::tempdir().expect("a folder");
    let list = |folders: &[&Path]| PathBuf::from(std::env::join_paths(folders).expect("no colons"));
    for folders in [[folder(), empty.path()], [empty.path(), folder()]] {
        let open = Open::new(&list(&folders), None, false).expect("tables of chess");
        assert_eq!(open.value(MATE_IN_5), Ok((1, 9)));
    }
    let gone = Open::new(&list(&[folder(), &empty.path().join("gone")]), None, false);
    assert_eq!(gone.err(), Some(TablesmithStatus::TablesmithNotOpened));
    assert!(sentence().ends_with("gone"), "{}", sentence());
}
