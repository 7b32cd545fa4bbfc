//! Builds tables that are made up, and checks which are made, found or made again, and what is printed.

use super::run_with;
use crate::tests::{Folder, KNIGHT, end_of_pages, small_game, solve_args, with_damaged_page};
use crate::{Answer, Console, Failure, Input};
use index::Layout;
use solve::{Progress, SolveError};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use table::{Code, Lookup, Table, Value};
use variant::{Side, Variant};

/// Rook against knight on four by four squares.
fn small() -> String {
    small_game("name = \"tiny\"\nmen-limit = 3", [4, 4], KNIGHT)
}

/// A folder with rules, and tables beside them.
struct Workspace {
    folder: Folder,
    /// Which tables were made, in their order.
    made: Mutex<Vec<String>>,
}

/// What is asked of a run beside the usual.
#[derive(Clone, Copy, Default)]
struct RunOptions<'a> {
    table: Option<&'a str>,
    force: bool,
    json: bool,
    n_threads: Option<u16>,
    memory: Option<u64>,
    /// The table at which the solver fails.
    fails_at: Option<&'a str>,
    /// What the tables hold.
    is_drawn: bool,
}

impl Workspace {
    fn new(name: &str) -> Self {
        let folder = Folder::new(&format!("solve-{name}"));
        folder.write("tiny.toml", small());
        Workspace { folder, made: Mutex::default() }
    }

    fn tables(&self) -> PathBuf {
        self.folder.0.join("tables")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.tables().join(format!("{name}.tsm"))
    }

    /// A run; what it made, how it ended, what it printed and what it said beside that.
    fn run(&self, options: RunOptions<'_>) -> (Vec<String>, Result<Answer, Failure>, String, String) {
        let path = |path: &Path| path.to_str().expect("plain text").to_owned();
        let rules = path(&self.folder.0.join("tiny.toml"));
        let mut words = vec!["solve".into(), rules, "--out".into(), path(&self.tables())];
        words.extend(options.table.iter().flat_map(|table| ["--table".into(), (*table).to_owned()]));
        words.extend(options.n_threads.iter().flat_map(|n| ["--threads".into(), n.to_string()]));
        words.extend(options.memory.iter().flat_map(|bytes| ["--memory".into(), bytes.to_string()]));
        words.extend(options.force.then(|| "--force".to_owned()));
        words.extend(options.json.then(|| "--json".to_owned()));
        let args = solve_args(&words);
        let solver = |variant: &Variant,
                      _: solve::Options,
                      layout: Arc<Layout>,
                      lookup: &dyn Lookup,
                      _: &dyn Progress| {
            let name = layout.material().name(variant);
            if options.fails_at == Some(&name) {
                return Err(SolveError::TooDeep { material: name, limit: 7 });
            }
            let needed = match layout.material().n_men() {
                3 => vec!["KvK"],
                4 => vec!["KRvK", "KNvK"],
                _ => vec![],
            };
            for needed in &needed {
                let material = variant::Material::parse(variant, needed).expect("a material");
                assert!(lookup.table(&material, None).is_some(), "{name} is made without {needed}");
            }
            if !needed.is_empty() {
                self.made.lock().expect("the list").push(name);
            }
            Ok(made_up(layout, options.is_drawn))
        };
        let (mut input, mut out, mut err) = (Input::new(&b""[..]), Vec::new(), Vec::new());
        let outcome = {
            let program = crate::TABLESMITH;
            let mut console = Console::new(program, &mut input, &mut out, &mut err);
            run_with(&mut console, &args, &solver)
        };
        let mut made = std::mem::take(&mut *self.made.lock().expect("the list"));
        made.sort();
        let text = |bytes| String::from_utf8(bytes).expect("output is text");
        (made, outcome, text(out), text(err))
    }

    #[track_caller]
    fn check_made(&self, options: RunOptions<'_>, expected: &[&str]) {
        let (made, outcome, out, err) = self.run(options);
        assert_eq!(outcome, Ok(Answer::Yes), "{out}{err}");
        assert_eq!(made, expected, "{err}");
    }

    fn bytes(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = fs::read_dir(self.tables()).expect("the folder of tables");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.map(|path| (path.clone(), fs::read(path).expect("a file"))).collect()
    }
}

/// A table in which everything is drawn, or White wins in one.
fn made_up(layout: Arc<Layout>, is_drawn: bool) -> Table {
    let codes = |side: Side| {
        let value = match (is_drawn, side) {
            (true, _) => Value::Draw,
            (false, Side::White) => Value::Win(table::Ply(1)),
            (false, Side::Black) => Value::Loss(table::Ply(0)),
        };
        let code = |index: usize| {
            let squares = layout.decode(index);
            let repeats = (1..squares.len()).any(|i| squares[..i].contains(&squares[i]));
            u8::from_value(if repeats { Value::Illegal } else { value }).expect("a small value")
        };
        u8::owned((0..layout.len()).map(code).collect())
    };
    let black = (!layout.material().is_symmetric()).then(|| codes(Side::Black));
    Table::new(layout.clone(), codes(Side::White), black)
}

#[test]
fn what_is_done_is_found() {
    let workspace = Workspace::new("found");
    workspace.check_made(RunOptions { table: Some("KvKN"), ..RunOptions::default() }, &["KNvK"]);
    workspace.check_made(RunOptions::default(), &["KRvK"]);
    let (made, outcome, out, err) = workspace.run(RunOptions::default());
    assert_eq!((made, outcome), (vec![], Ok(Answer::Yes)));
    assert!(out.contains("2 tables") && out.contains("all done already"), "{out}");
    assert!(err.contains("KRvK done already") && err.contains("KNvK done already"), "{err}");
    workspace.check_made(RunOptions { force: true, ..RunOptions::default() }, &["KNvK", "KRvK"]);
    fs::remove_file(workspace.file("KRvK")).expect("the file is removed");
    workspace.check_made(RunOptions::default(), &["KRvK"]);
}

#[test]
fn other_rules_make_other_tables_and_a_comment_does_not() {
    let workspace = Workspace::new("rules");
    workspace.check_made(RunOptions::default(), &["KNvK", "KRvK"]);
    let write = |rules: &str| workspace.folder.write("tiny.toml", rules);
    write(&format!("# A comment.\n{}", small()));
    workspace.check_made(RunOptions::default(), &[]);
    write(&small().replace("betza = \"N\"", "betza = \"C\""));
    workspace.check_made(RunOptions::default(), &["KNvK"]);
}

#[test]
fn new_content_makes_what_depends_on_it_new() {
    let workspace = Workspace::new("content");
    let four = RunOptions { table: Some("KRvKN"), ..RunOptions::default() };
    workspace.check_made(four, &["KNvK", "KRvK", "KRvKN"]);
    let drawn = RunOptions { is_drawn: true, ..four };
    workspace.check_made(drawn, &[]);
    // Only the rook's table holds something else now.
    workspace.check_made(RunOptions { table: Some("KRvK"), force: true, ..drawn }, &["KRvK"]);
    workspace.check_made(drawn, &["KRvKN"]);
    // The same content again changes nothing for others.
    workspace.check_made(RunOptions { table: Some("KRvK"), force: true, ..drawn }, &["KRvK"]);
    workspace.check_made(drawn, &[]);
}

#[test]
fn damaged_file_is_made_again_and_said() {
    let workspace = Workspace::new("damaged");
    workspace.check_made(RunOptions::default(), &["KNvK", "KRvK"]);
    let whole = fs::read(workspace.file("KNvK")).expect("the file");
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let damages = [
        (whole[..whole.len() - 1].to_vec(), "cut short"),
        (flipped(end_of_pages(&whole) + 9), "damaged in its index"),
        (flipped(whole.len() - 1), "cut short"),
        (with_damaged_page(whole.clone()), "block"),
    ];
    for (damaged, said) in damages {
        fs::write(workspace.file("KNvK"), damaged).expect("the file is damaged");
        let (made, _, _, err) = workspace.run(RunOptions::default());
        assert_eq!(made, ["KNvK"], "{said}");
        assert!(
            err.contains("KNvK is solved again") && err.contains(said) && !err.contains("delete"),
            "{err}"
        );
        assert_eq!(fs::read(workspace.file("KNvK")).expect("the file"), whole);
    }
}

#[test]
fn after_a_failure_what_is_finished_stays() {
    let workspace = Workspace::new("failure");
    let options = RunOptions { table: Some("KRvKN"), fails_at: Some("KRvKN"), ..RunOptions::default() };
    let (made, outcome, out, _) = workspace.run(options);
    assert_eq!(made, ["KNvK", "KRvK"]);
    let Err(Failure::Message(message)) = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("more than 7 plies"), "{message}");
    assert!(message.contains("2 of 3 tables are done and stay; run again to go on"), "{message}");
    assert!(out.contains("KRvK") && !out.contains("KRvKN"), "{out}");
    workspace.check_made(RunOptions { fails_at: None, ..options }, &["KRvKN"]);
}

#[test]
fn table_that_cannot_be_written_is_an_error() {
    let workspace = Workspace::new("unwritable");
    // A folder that stands where the file should go.
    fs::create_dir_all(workspace.file("KNvK").join("x")).expect("a folder");
    let (_, outcome, _, _) = workspace.run(RunOptions::default());
    let Err(Failure::Message(message)) = outcome else { panic!("{outcome:?}") };
    assert!(message.contains("KNvK.tsm"), "{message}");
}

#[test]
fn files_are_the_same_for_any_number_of_threads() {
    let workspace = Workspace::new("threads");
    let run = |n_threads| {
        let options = RunOptions {
            table: Some("KRvKN"),
            force: true,
            n_threads: Some(n_threads),
            ..RunOptions::default()
        };
        workspace.check_made(options, &["KNvK", "KRvK", "KRvKN"]);
        workspace.bytes()
    };
    let one = run(1);
    // Three tables, the lock and the rules.
    assert_eq!(one.len(), 5);
    assert!(one == run(2) && one == run(7));
}

#[test]
fn run_is_told_as_text_and_json() {
    let workspace = Workspace::new("report");
    let (_, _, out, err) = workspace.run(RunOptions::default());
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // Rows come in the order of the work.
    let row = words(out.lines().find(|line| line.starts_with("KRvK ")).expect("a row"));
    let fen = row[row.len() - 6..].join(" ");
    assert!(out.starts_with("table  positions  wtm: wins") && out.contains("\n2 tables, "), "{out}");
    assert!(out.contains("1 move, 1 ply: ") && fen.ends_with(" w - - 0 1"), "{out}");
    assert!(err.contains("KRvK done in 0.") && err.contains(" s; 2 of 2 tables (100 %), "), "{err}");
    let (_, _, out, _) = workspace.run(RunOptions { json: true, ..RunOptions::default() });
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(json["tables"][0]["done_already"], true);
    assert_eq!(json["tables"][0]["longest"]["fen"], fen);
    assert_eq!(json["tables"][0]["black_to_move"]["wins"], 0);
    assert!(Path::new(json["folder"].as_str().expect("a path")).is_dir());
}

#[test]
fn memory_is_known_before() {
    let workspace = Workspace::new("memory");
    let options = |memory| RunOptions { table: Some("KRvKN"), memory: Some(memory), ..RunOptions::default() };
    let (made, outcome, _, _) = workspace.run(options(1000));
    let Err(Failure::Message(message)) = outcome else { panic!("{outcome:?}") };
    assert!(made.is_empty() && message.contains("KRvKN needs about "), "{message}");
    assert!(message.contains("the limit of --memory is 1.0 kB; give it --memory 15M"), "{message}");
    // Just as much as the largest needs: the others leave memory and come back.
    let variant = Variant::parse(&small(), "tiny.toml").expect("the rules");
    let material = variant::Material::parse(&variant, "KRvKN").expect("a material");
    let plan = ::plan::Plan::new(&variant, &::plan::Request::Table(material)).expect("a plan");
    let edition = library::Edition::new(&variant, variant.default_metric);
    let files = build::FileOptions::new(false, false);
    let footprint = build::BuildFootprint::new(&edition, files, 2);
    let needed = plan.jobs().map(|job| footprint.total_of(job)).max().expect("a job");
    let exact = RunOptions { n_threads: Some(2), ..options(needed) };
    workspace.check_made(exact, &["KNvK", "KRvK", "KRvKN"]);
    // What is done needs no memory.
    workspace.check_made(options(1000), &[]);
}
