//! Calls the commands as a person does: arguments and input in, output and exit code out.

use crate::solve::SolveArgs;
use crate::{Command, Console, Input, Program, TABLESMITH, run_on};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

mod bits;
mod castling;
mod clock;
mod decided;
mod exchange;
mod export;
mod fault;
mod find;
mod flat;
mod games;
mod head;
mod import;
mod journey;
mod meaning;
mod metric;
mod piece;
mod place;
mod position_line;
mod repack;
mod sides;
mod stream;
mod structure;
mod typed;
mod using;
mod winner;
mod write;

const FIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/fide.toml");

/// Files that the generator of most Syzygy files has written.
const GENUINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/syzygy_genuine");

/// The rules of a small game with kings, rooks and men of a third kind; `head` stands above the board.
pub(crate) fn small_game(head: &str, [files, ranks]: [usize; 2], kind: &str) -> String {
    format!(
        "{head}\n[board]\nfiles = {files}\nranks = {ranks}\n\
         [[piece]]\nletter = \"K\"\nname = \"king\"\nbetza = \"K\"\nroyal = true\n\
         [[piece]]\nletter = \"R\"\nname = \"rook\"\nbetza = \"R\"\n{kind}"
    )
}

/// Where the last page of a container ends: behind it come an index and a tail of 32 bytes, which begins with
/// the length of the index.
pub(crate) fn end_of_pages(bytes: &[u8]) -> usize {
    let (_, tail) = bytes.split_last_chunk::<32>().expect("a tail");
    let n_index = tail.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)).expect("a length");
    bytes.len() - tail.len() - n_index as usize
}

/// Turns a bit in the middle of a file.
fn damage(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::remove_file(path).expect("a file");
    fs::write(path, bytes).expect("a file");
}

/// A container with a bit of its last page turned.
pub(crate) fn with_damaged_page(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = end_of_pages(&bytes);
    bytes[end - 1] ^= 4;
    bytes
}

pub(crate) const KNIGHT: &str = "[[piece]]\nletter = \"N\"\nname = \"knight\"\nbetza = \"N\"\n";

/// A pawn that becomes a rook.
const PAWN: &str = "[[piece]]\nletter = \"P\"\nname = \"pawn\"\nbetza = \"mfWcfF\"\n\
                    [piece.pawn]\nstart-rank = 2\npromotes-to = [\"R\"]\n";

/// What a command has given.
struct Reply {
    code: u8,
    out: String,
    err: String,
}

/// A folder of its own that is gone when the test is over.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tablesmith-cli-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder for temporary files");
        Folder(path)
    }

    fn text(&self) -> &str {
        self.0.to_str().expect("a path of plain text")
    }

    /// What a person types for a file in it.
    fn path(&self, name: impl AsRef<Path>) -> String {
        self.0.join(name).to_str().expect("a path of plain text").to_owned()
    }

    /// Tables of a game in its folder `tables`; what a person types for that, and for `out` beside it.
    fn with_tables(name: &str, rules: &str, table: &str, metrics: &str) -> (Self, String, String) {
        let folder = Folder::new(name);
        let [tables, out] = ["tables", "out"].map(|part| folder.path(part));
        run(&["solve", rules, "--table", table, "--metric", metrics, "--out", &tables], 0);
        (folder, tables, out)
    }

    /// Writes a file into it; what a person types for that.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        fs::write(self.0.join(name), text).expect("the file is written");
        self.path(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn call(args: &[&str], input: &str) -> Reply {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut input = Input::new(io::Cursor::new(input.to_owned()));
    let program = Program { more_help: "More help.", ..TABLESMITH };
    let mut console = Console::new(program, &mut input, &mut out, &mut err);
    let code = run_on(&mut console, args.iter().map(OsString::from));
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    Reply { code, out: text(out), err: text(err) }
}

impl Reply {
    /// Fails if the command has not ended with this code.
    #[track_caller]
    fn ended(&self, code: u8) -> &Self {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self
    }

    /// The output, which is JSON.
    #[track_caller]
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }

    /// Fails if any of these is not in the output.
    #[track_caller]
    fn says(&self, parts: &[&str]) -> &Self {
        parts.iter().for_each(|part| assert!(self.out.contains(part), "{part}: {}{}", self.out, self.err));
        self
    }

    /// Fails if any of these is not said beside the output.
    #[track_caller]
    fn errs(&self, parts: &[&str]) -> &Self {
        parts.iter().for_each(|part| assert!(self.err.contains(part), "{part}: {}{}", self.out, self.err));
        self
    }
}

/// The arguments of `solve` as a person types them.
pub(crate) fn solve_args(words: &[String]) -> SolveArgs {
    let words = words.iter().map(OsString::from);
    match crate::read_args(&crate::TABLESMITH, words).expect("arguments").command {
        Command::Solve(args) => args,
        other => panic!("{other:?}"),
    }
}

/// What a command says that ends with this code.
#[track_caller]
fn run(args: &[&str], code: u8) -> Reply {
    let reply = call(args, "");
    assert_eq!(reply.code, code, "{args:?}: {}{}", reply.out, reply.err);
    reply
}

#[track_caller]
fn check(args: &[&str], code: u8, out: &str, err: &str) {
    let reply = run(args, code);
    assert!(reply.out.contains(out), "{args:?}: {}", reply.out);
    assert!(reply.err.contains(err), "{args:?}: {}", reply.err);
    // What is asked for and what has gone wrong do not mix.
    assert_eq!(reply.out.is_empty(), out.is_empty(), "{args:?}: {}", reply.out);
    assert_eq!(reply.err.is_empty(), err.is_empty(), "{args:?}: {}", reply.err);
}

/// Checks that a command is an error of which this is said.
#[track_caller]
fn refused(args: &[&str], said: &str) {
    check(args, 2, "", said);
}

#[test]
fn help_and_version_are_answers() {
    check(&["--version"], 0, env!("CARGO_PKG_VERSION"), "");
    check(&["--help"], 0, "More help.\n", "");
    check(&["solve", "--help"], 0, "--threads <N>", "");
}

#[cfg(feature = "pages")]
#[test]
fn pages_and_completions_name_the_installed_program() {
    for (shell, said) in [("bash", "tablesmith"), ("zsh", "#compdef tablesmith"), ("fish", "-c tablesmith")] {
        let text = call(&["completions", shell], "").out;
        assert!(text.contains(said) && text.contains("both-sides"), "{shell}: {text}");
    }
    refused(&["completions", "sh"], "possible values: bash");
    check(&["man"], 0, ".TH tablesmith 1", "");
    let folder = Folder::new("pages");
    check(&["man", "--out", folder.text()], 0, "", "");
    let page = fs::read_to_string(folder.0.join("tablesmith-solve.1")).expect("a page of its own");
    assert!(page.contains("WHAT IS SOLVED") && page.contains("how many placements each ply"), "{page}");
    refused(&["man", "--out", FIDE], "cannot write pages into");
}

#[test]
fn wrong_arguments_are_errors() {
    refused(&[], "Usage: tablesmith");
    refused(&["sovle", FIDE], "solve");
    refused(&["plan", "no-such-game"], "no game `no-such-game`");
    refused(&["plan", FIDE, "--men", "many"], "invalid value 'many'");
    refused(&["plan", FIDE, "--men", "9"], "tables have 2 to 8 men, not 9");
    refused(&["plan", FIDE, "--men", "3", "--table", "KQvK"], "cannot be used with");
    refused(&["plan", FIDE, "--table", "KXvK"], "the letter `X`");
    refused(&["plan", FIDE, "--table", "QvK"], "White has 0 royal men");
    refused(&["plan", "no/such/file.toml"], "cannot read the variant file no/such/file.toml");
    refused(&["solve", FIDE, "--threads", "0"], "0 is not in 1..=1024");
    refused(&["probe"], "<FEN>");
    refused(&["probe", "8/8 w - -", "--stdin"], "cannot be used with");
}

/// One sentence says which path it is and what to do.
#[test]
fn missing_folders_and_tables_are_one_sentence() {
    let absent = |args: &[&str], what: &str| {
        let reply = run(args, 2);
        let is_one =
            reply.err.starts_with(&format!("error: {what} no/such")) && reply.err.lines().count() == 1;
        assert!(is_one && reply.err.ends_with("as solve makes them\n"), "{args:?}: {}", reply.err);
    };
    for command in ["serve", "explore", "uci", "xboard"] {
        absent(&[command, "--tables", "no/such"], "there is no folder");
    }
    absent(&["repack", "--small", "no/such"], "there is no folder");
    absent(&["verify", "no/such"], "cannot read");
    absent(&["export", "no/such", "--format", "syzygy", "--out", "no/such"], "cannot read");
    absent(&["stats", "no/such.tsm"], "cannot open");
    absent(&["chart", "no/such"], "cannot open");
}

/// A file of another program, and words where notation is expected, are one fault each.
#[test]
fn files_of_other_programs_are_one_fault() {
    let folder = Folder::new("other-programs");
    let half_rook =
        fs::read_to_string(FIDE).expect("chess").replace("betza = \"N\"", "betza = \"half rook\"");
    let backwards = half_rook.replace("half rook", "N").replace("fmWfcF", "mWcF");
    for (name, text, said) in [
        ("ini.toml", "[mine]\nking = k\npawn = p\n", "this is not TOML: it is an INI file"),
        ("a.json", "{\"name\": \"mine\"}\n", "this is not TOML: it is JSON"),
        ("half.toml", &half_rook, "`half rook` is no notation but words"),
        ("back.toml", &backwards, "pawn is a pawn with moves that do not lead forward"),
    ] {
        let file = folder.0.join(name);
        fs::write(&file, text).expect("the file is written");
        for (command, code) in [("solve", 2), ("check", 1)] {
            let reply = run(&[command, file.to_str().expect("plain text")], code);
            let all = format!("{}{}", reply.out, reply.err);
            assert!(all.contains(said) && all.contains("help: ") && all.contains(": 1 fault,"), "{all}");
        }
    }
}

#[test]
fn faults_of_a_variant_file_are_shown() {
    let folder = Folder::new("faults");
    let file = folder.0.join("bad.toml");
    fs::write(&file, "name = \"bad\"\nboarb = 1\n").expect("the file is written");
    let file = file.to_str().expect("a path of plain text");
    check(&["check", FIDE], 0, "ok: fide, 8 × 8 squares, 6 pieces", "");
    check(&["check", file], 1, "boarb", "");
    check(&["check", file, "--json"], 1, "\"ok\": false", "");
    refused(&["plan", file], "boarb");
    refused(&["solve", file], "boarb");
}

#[test]
fn plan_is_shown_as_text_json_and_picture() {
    let expected = "   table  class   placements   memory     disk  needs\n\
                    1  KQvK   simple      59,136  14.0 MB  10.8 kB  KvK (xQ, always drawn)\n\
                    1 table, 59,136 placements; about 10.8 kB on disk; the largest takes about 14.0 MB of memory, \
                    a run with 2 threads at most 14.0 MB\n";
    assert_eq!(call(&["plan", FIDE, "--table", "KvKQ", "--threads", "2"], "").out, expected);
    let args = ["plan", FIDE, "--table", "KQvKR", "--threads", "2", "--memory"];
    check(&[&args[..], &["800M"]].concat(), 0, "all of them fit into 800.0 MB\n", "");
    let expected = "into 15.0 MB fit:\n  of 3 men 2 of 2 with everything they need\n  of 4 men 0 of 1 with";
    check(&[&args[..], &["15M"]].concat(), 1, expected, "");
    check(&[&args[..], &["10M"]].concat(), 1, "  of 3 men 0 of 2 with everything they need\n", "");
    refused(&[&args[..], &["1X"]].concat(), "`1X` is no size such as 4G");
    check(&["plan", FIDE, "--men", "2"], 0, "0 tables", "");
    check(&["plan", FIDE, "--men", "3", "--metric", "wdl,dtz50"], 0, "dtz50 with wdl:\n", "");
    check(&["plan", FIDE, "--men", "3", "--metric", "dtm,dtc"], 0, "dtc with wdl:\n", "");
    refused(&["plan", FIDE, "--men", "3", "--metric", "dtx"], "dtx");
    let without = ["plan", FIDE, "--table", "KPPPvK", "--threads", "2", "--memory", "300M"];
    check(&without, 1, "  without K", "");
    check(&["plan", FIDE, "--table", "KR?vK", "--table", "KBvKN", "--json"], 0, "\"KRPvK\"", "");
    refused(&["plan", FIDE, "--table", "KX*vK"], "no table fits `KX*vK`");
    refused(&["plan", FIDE, "--table", "K?????????vK"], "tables have 2 to 8 men, not 11");
    check(&["plan", FIDE, "--men", "3", "--dot"], 0, "label=\"P=Q\"", "");
    let json = call(&["plan", FIDE, "--table", "KPvK", "--json"], "").json();
    assert_eq!(json["tables"].as_array().map(Vec::len), Some(5));
    assert_eq!(json["tables"][4]["needs"][1]["table"], "KQvK");
    assert_eq!(json["tables"][4]["needs"][1]["reasons"][0], "P=Q");
}

const BARE: &str = "8/8/8/8/8/4k3/8/4K3 w - - 0 1";

#[track_caller]
fn check_probe(fen: &str, code: u8, expected: &str) {
    let folder = Folder::new(&format!("probe-{}", fen.len()));
    let reply = call(&["probe", fen, "--variant", FIDE, "--no-solve", "--tables", folder.text()], "");
    assert_eq!(reply.code, code, "{}{}", reply.out, reply.err);
    let said = if code == 2 { &reply.err } else { &reply.out };
    assert!(said.contains(expected), "{said}");
    let json =
        call(&["probe", fen, "--variant", FIDE, "--tables", folder.text(), "--no-solve", "--json"], "");
    assert_eq!(json.code, code, "{}", json.err);
    let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(json["error"].is_null(), code == 0, "{json}");
}

#[test]
fn each_position_without_a_table_has_its_own_answer() {
    check_probe(BARE, 0, "\ndraw: bare kings\n");
    check_probe(
        "8/8/8/8/8/8/4k3/4K3 w - - 0 1",
        1,
        "illegal: White is to move and could capture Black's king",
    );
    check_probe("8/8/8/8/8/4k3/8/4K2R w K - 0 1", 1, "rights are not solved: run `tablesmith solve ");
    check_probe("8/8/8/8/8/4k3/8/4K2R w K1 - 0 1", 2, "error: not a position: the castling field is `K1`");
    check_probe("8/8/8/8/8/4k3/8/4K2R w - -", 1, "KRvK is not built: run `tablesmith solve ");
    check_probe("8/8/8/8/8/4k3/8/4K2R w - -", 1, "` (about 14.0 MB of memory, 10.8 kB on disk)");
    // In a race it is not that they are bare.
    let racing = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/racing-kings.toml");
    let reply = call(&["probe", "8/k6K/8/8/8/8/8/8 w - - 0 1", "--variant", racing], "");
    assert!(reply.code == 0 && reply.out.contains("\ndraw\n"), "{}{}", reply.out, reply.err);
    // What is too large is not solved in memory, and the answer says so.
    let suicide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/suicide.toml");
    let folder = Folder::new("too-large");
    let pawns = ["probe", "8/8/1pp5/8/8/1PP5/8/8 w - - 0 1", "--variant", suicide, "--tables", folder.text()];
    check(&pawns, 1, "PPvPP.tsm, and too large to be solved in memory (at least ", "");
    // What cannot be built here is not advised.
    let too_small = "KQRBvKQRB is not built, and this machine is too small for it: KQRBvKQRB takes about ";
    check_probe("kqrb4/8/8/8/8/8/8/KQRB4 w - -", 1, too_small);
    check_probe("8/pppp4/8/8/8/4k3/PP6/4K2Q w - - 0 1", 1, "KPPPPvKQPP has 9 men, and tables have at most 8");
    check_probe("8/8/8/8/8/4k3/8 w - - 0 1", 2, "error: not a position: ");
}

#[test]
fn built_in_chess_is_there_without_a_source_tree() {
    let folder = Folder::new("built-in");
    let reply = call(&["probe", BARE, "--tables", folder.text()], "");
    assert_eq!((reply.code, reply.err.as_str()), (0, ""));
    let nowhere = folder.0.join("nowhere");
    let nowhere = nowhere.to_str().expect("plain text");
    let reply = run(&["probe", BARE, "--no-solve", "--tables", nowhere], 2);
    assert!(
        reply.err.contains("there is no folder") && reply.err.contains("tablesmith solve"),
        "{}",
        reply.err
    );
}

#[track_caller]
fn check_stream(more: &[&str], input: &str, code: u8, expected: &str) {
    let folder = Folder::new(&format!("stream-{}-{}", more.len(), input.len()));
    let args = [&["probe", "--stdin", "--variant", FIDE, "--tables", folder.text()], more].concat();
    let reply = call(&args, input);
    assert_eq!((reply.out.as_str(), reply.code), (expected, code), "{}", reply.err);
}

#[test]
fn stream_answers_line_by_line() {
    let mate = "7k/8/8/8/8/8/8/K7 b - - 3 9";
    check_stream(&[], "", 0, "");
    check_stream(&["--value-only"], &format!("{BARE}\n{mate}"), 0, &format!("{BARE}\t0\t-\n{mate}\t0\t-\n"));
    check_stream(&[], &format!("{mate}\r\n"), 0, &format!("{mate}\t0\t-\th8g7 h8g8 h8h7\n"));
    // A bad line gives an error line, and the rest goes on.
    let illegal = "8/8/8/8/8/8/4k3/4K3 w - -";
    let reason = "illegal: White is to move and could capture Black's king";
    check_stream(
        &["--value-only"],
        &format!("{illegal}\n{BARE}\n"),
        1,
        &format!("{illegal}\terror\t{reason}\n{BARE}\t0\t-\n"),
    );
    let many = format!("{BARE}\n").repeat(20_000);
    check_stream(&["--value-only"], &many, 0, &format!("{BARE}\t0\t-\n").repeat(20_000));
}

#[test]
fn fields_of_the_stream_hold_no_tabs() {
    let reply = call(&["probe", "--stdin", "--tables", "."], "8/8\tw\n\n");
    let lines: Vec<usize> = reply.out.lines().map(|line| line.split('\t').count()).collect();
    assert_eq!((lines, reply.code), (vec![3], 1), "{}", reply.out);
}

/// A reader that has stopped reading.
struct ClosedPipe;

impl Write for ClosedPipe {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn reader_that_stops_is_no_error() {
    for args in [&["plan", FIDE][..], &["--help"], &["check", FIDE], &["probe", "--stdin", "--tables", "."]] {
        let (mut input, mut err) = (Input::new(BARE.as_bytes()), Vec::new());
        let program = crate::TABLESMITH;
        let mut pipe = ClosedPipe;
        let mut console = Console::new(program, &mut input, &mut pipe, &mut err);
        assert_eq!(run_on(&mut console, args.iter().map(OsString::from)), 0, "{args:?}");
        assert!(err.is_empty(), "{args:?}");
    }
}

#[test]
fn folder_of_tables_is_cleaned_and_not_written_to_beside_an_export() {
    let folder = Folder::new("lock");
    let rest = folder.0.join("KQvK.tsm.tmp-1-0");
    fs::write(&rest, "half").expect("the file is written");
    let path: &Path = &folder.0;
    let first = build::FolderLock::new(path).unwrap_or_else(|error| panic!("{error}"));
    assert!(!rest.exists());
    let args = ["solve", FIDE, "--men", "2", "--out", folder.text()];
    refused(&args, "another run is writing to");
    drop(first);
    check(&args, 0, "0 tables, 0 positions", "");
    let file = folder.0.join("file");
    fs::write(&file, "").expect("the file is written");
    let inside = file.join("tables");
    refused(&["solve", FIDE, "--out", inside.to_str().expect("plain text")], "cannot make the folder");
    let said = format!("error: {} is a file, and --out wants a folder\n", file.display());
    refused(&["solve", FIDE, "--out", file.to_str().expect("plain text")], &said);
}
