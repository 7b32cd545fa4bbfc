//! Breaks and keeps each rule of the house once.

use super::house::{self, House};
use super::token::{self, Token};
use super::{comment, document, edge, module, source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[track_caller]
fn check_complaints(found: &[(usize, String)], expected: &[(usize, &str)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((line, message), (expected_line, part)) in found.iter().zip(expected) {
        assert_eq!(line, expected_line, "{message}");
        assert!(message.contains(part), "{message}");
    }
}

#[track_caller]
fn check_source(path: &str, text: &str, expected: &[(usize, &str)]) {
    let mut found = Vec::new();
    source::check(Path::new(path), text, &mut |line, message| found.push((line, message)));
    check_complaints(&found, expected);
}

#[test]
fn source_files() {
    let unfinished = format!("//! Reads a file.\nfn f() {{ {}!() }}\n", "todo");
    let ignored = format!("//! Reads a file.\n    #[{}]\n", "ignore");
    check_source("crates/a/src/noun.rs", "//! Keeps a noun.\n", &[]);
    check_source("crates/a/src/noun.rs", "use a;\n", &[(1, "begin the file")]);
    check_source("crates/a/src/noun.rs", "//! What there is.\n", &[(1, "begins with `What`")]);
    check_source("crates/a/src/noun.rs", "//! Finds what there is.\n", &[]);
    check_source("crates/a/src/util.rs", "//! Reads a file.\n", &[(0, "says nothing")]);
    check_source("crates/a/src/noun.rs", &unfinished, &[(2, "left over")]);
    check_source("crates/a/src/noun.rs", &ignored, &[(2, "let it run")]);
    let included =
        |target: &str| format!("//! Keeps a noun.\nconst A: &str = {}(\"{target}\");\n", "include_str!");
    check_source("crates/a/src/noun.rs", &included("../games/fide.toml"), &[]);
    check_source("crates/a/src/noun.rs", &included("../../b/fide.toml"), &[(2, "outside its folder")]);
    check_source("crates/a/src/noun.rs", &included("../../../../fide.toml"), &[(2, "outside its folder")]);
    check_source("tests/it/noun.rs", &included("../../variants/fide.toml"), &[]);
    let wide = |comment: &str, n: usize| format!("//! Keeps a noun.\n{comment}{}\n", "é".repeat(n));
    let [fits, too_wide] = [107, 108].map(|n| wide("// ", n));
    check_source("crates/a/src/noun.rs", &fits, &[]);
    check_source("crates/a/src/noun.rs", &too_wide, &[(2, "a comment of 111 columns, at most 110")]);
    check_source("crates/a/src/noun.rs", &wide("fn f() {} // ", 108), &[(2, "a comment of 121 columns")]);
    check_source(
        "crates/a/src/noun.rs",
        &wide("/* a\n", 111).replace("é\n", "é */\n"),
        &[(3, "a comment of 114")],
    );
    check_source(
        "crates/a/src/noun.rs",
        &format!("//! Keeps a noun.\nconst A: &str = \"// {}\";", "é".repeat(111)),
        &[],
    );
    check_source("crates/a/src/noun.rs", &"//! Counts a line.\n".repeat(650), &[]);
    check_source(
        "crates/a/src/noun.rs",
        &"//! Counts a line.\n".repeat(651),
        &[(0, "651 lines, at most 650")],
    );
}

#[test]
fn comments_of_toml_files() {
    let mut found = Vec::new();
    let text = format!("# {0}\n# {0}a\nkey = \"{0}{0}\"\n", "é".repeat(108));
    comment::check_toml(&text, &mut |line, message| found.push((line, message)));
    check_complaints(&found, &[(2, "a comment of 111 columns")]);
}

#[track_caller]
fn check_edge(path: &str, dependencies: &str, expected: &[(usize, &str)]) {
    let mut found = Vec::new();
    edge::check(Path::new(path), dependencies, &mut |line, message| found.push((line, message)));
    check_complaints(&found, expected);
}

#[test]
fn edges_of_crates() {
    let solve = "crates/solve/Cargo.toml";
    check_edge(solve, "[dependencies]\ntable.workspace = true\nrayon = \"1\"\n", &[]);
    check_edge(solve, "[dependencies]\ngeometry.workspace = true\n", &[]);
    check_edge(
        solve,
        "[dependencies]\nposition.workspace = true\n",
        &[(2, "`solve` may not use `position`")],
    );
    check_edge(solve, "[dev-dependencies]\nposition.workspace = true\n", &[]);
    check_edge(
        solve,
        "[dependencies]\nrules = { path = \"x\", package = \"tablesmith-position\" }\n",
        &[(2, "may not use `position`")],
    );
    check_edge(
        solve,
        "[target.'cfg(unix)'.dependencies]\nformat.workspace = true\n",
        &[(2, "may not use `format`")],
    );
    check_edge("crates/plan/Cargo.toml", "[dependencies]\ncli.workspace = true\n", &[(2, "`cli`")]);
    check_edge("crates/plan/Cargo.toml", "[dependencies\n", &[(0, "cannot be read")]);
    check_edge("crates/other/Cargo.toml", "", &[(0, "not in the table of edges")]);
    check_edge("tests/Cargo.toml", "[dependencies]\ncli.workspace = true\n", &[]);
}

#[test]
fn dependencies_have_reasons() {
    let manifest =
        "[workspace.dependencies]\nrayon = \"1\"\nserde = { version = \"1\" }\nplan = { path = \"p\" }\n";
    assert_eq!(edge::without_reason(manifest, "- `serde`: names for data"), ["rayon"]);
}

#[track_caller]
fn check_document(path: &str, text: &str, expected: &[(usize, &str)]) {
    let mut found = Vec::new();
    let files = ["crates/plan/Cargo.toml", "docs/page.md", "crates/plan/src/order.rs"].map(PathBuf::from);
    document::check(&files, Path::new(path), text, &mut |line, message| found.push((line, message)));
    check_complaints(&found, expected);
}

#[test]
fn documents() {
    let page = "docs/page.md";
    let unfinished = format!("A page.\n{}: write it\n", "TODO");
    check_document(
        page,
        "A [crate](../crates/plan/Cargo.toml), a [page](https://example.org/x), a [part](#part).\n",
        &[],
    );
    check_document(page, "One [file](nowhere.md).\n", &[(1, "leads to nothing")]);
    check_document(
        page,
        "A [folder](../crates/plan), the file `order.rs`, `plan/src/order.rs`, `plan/src`.\n",
        &[],
    );
    check_document(page, "The file `disorder.rs`.\n", &[(1, "there is no `disorder.rs`")]);
    check_document("docs/decisions/0001.md", "The file `disorder.rs`.\n", &[]);
    check_document(page, "One [file](../../elsewhere.md).\n", &[(1, "out of the source tree")]);
    check_document(page, &unfinished, &[(2, "left over")]);
}

#[test]
fn links_stay_inside() {
    let inside = |target| document::inside(Path::new("docs/decisions/a.md"), target);
    assert_eq!(inside("../b.md").as_deref(), Some(Path::new("docs/b.md")));
    assert_eq!(inside("./b.md").as_deref(), Some(Path::new("docs/decisions/b.md")));
    assert_eq!(inside("../../../b.md"), None);
    assert_eq!(inside("/etc/b.md"), None);
}

#[track_caller]
fn check_tokens(text: &str, expected: &[Token]) {
    assert_eq!(token::tokens(token::without_tests(token::code(text))), expected, "{text}");
}

#[test]
fn tokens_of_source_text() {
    use Token::{Colons, Mark};
    let word = |word: &str| Token::Word(word.to_owned());
    check_tokens("a::b\nc;", &[word("a"), Colons, word("b"), word("c"), Mark(';')]);
    check_tokens("a // b::c\nd", &[word("a"), word("d")]);
    check_tokens("/* a /* b */\nc */ d", &[word("d")]);
    check_tokens("/// a\n//! b\nd", &[word("d")]);
    check_tokens(r#""a \" // b" c"#, &[word("c")]);
    check_tokens("r#\"a \"\n// b\"# b\"c\" d", &[word("d")]);
    check_tokens(r"'a' '\'' '\u{2014}' '{' b", &[word("b")]);
    check_tokens("'a, b", &[Mark(','), word("b")]);
    check_tokens("#[cfg(test)] use a::{b, c}; d", &[word("d")]);
    check_tokens("#[cfg(all(test, unix))] mod a { b } d", &[word("d")]);
    let lines = |text| token::lines(token::code(text)).into_iter().collect::<Vec<usize>>();
    assert_eq!(lines("//! a\n\nfn f() {\n// b\n  \"c\n\nd\"\n}\n"), [3, 5, 6, 7, 8]);
}

/// Checks the cycles of a crate of these files; each begins with the path of its file and a line.
#[track_caller]
fn check_cycles(files: &[(&str, &str)], expected: &[&str]) {
    let sources: BTreeMap<PathBuf, String> =
        files.iter().map(|&(path, text)| (path.into(), text.to_owned())).collect();
    let complaints = module::cycles(Path::new("crates/x/src"), &sources);
    let found: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, part) in found.iter().zip(expected) {
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn modules_without_cycles() {
    let root = ("lib.rs", "mod a;\nmod b;\npub use a::A;\n");
    check_cycles(&[root, ("a.rs", "pub struct A;"), ("b.rs", "use crate::A;")], &[]);
    check_cycles(&[root, ("a.rs", "pub struct A;"), ("b.rs", "use super::a;\nfn b() -> a::A { a::A }")], &[]);
    // Text in strings and comments, other crates, and what tests use, do not count.
    check_cycles(
        &[root, ("a.rs", "//! crate::b::B\nstruct A; const C: &str = \"crate::b::B\";"), B_USES_A],
        &[],
    );
    check_cycles(&[root, ("a.rs", "use b::B; use std::fmt; pub struct A;"), B_USES_A], &[]);
    check_cycles(&[root, ("a.rs", "#[cfg(test)]\nuse crate::b::{B, C};\npub struct A;"), B_USES_A], &[]);
    check_cycles(
        &[root, ("a.rs", "pub struct A;\n#[cfg(test)]\nmod tests { use crate::b::B; }"), B_USES_A],
        &[],
    );
    check_cycles(
        &[
            root,
            ("a.rs", "#[cfg(test)] mod tests; pub struct A;"),
            ("a/tests.rs", "use crate::b::B;"),
            B_USES_A,
        ],
        &[],
    );
    // A visibility is no use.
    check_cycles(&[root, ("a.rs", "pub(in crate::b) struct A;"), B_USES_A], &[]);
    // A folder may hand on what its files define.
    let folder = ("a/mod.rs", "mod c;\nmod d;\npub(crate) use c::C;\n");
    check_cycles(
        &[("lib.rs", "mod a;"), folder, ("a/c.rs", "pub struct C;"), ("a/d.rs", "use super::C;")],
        &[],
    );
    // A parent may use a child that does not use it.
    check_cycles(&[("lib.rs", "mod a;\npub fn f() { a::g() }"), ("a.rs", "pub fn g() {}")], &[]);
}

/// A file that uses another.
const B_USES_A: (&str, &str) = ("b.rs", "use crate::a::A;\npub struct B; pub struct C;");

#[test]
fn modules_in_a_circle() {
    let root = ("lib.rs", "mod a;\nmod b;\npub use b::B;\n");
    let b_to_a = &["crates/x/src/a.rs:2: module cycle: b → a → b; here `a` uses `B` of `b`"][..];
    check_cycles(&[root, ("a.rs", "pub struct A;\nuse crate::b::B;"), B_USES_A], b_to_a);
    check_cycles(&[root, ("a.rs", "pub struct A;\nuse crate::B;"), B_USES_A], b_to_a);
    check_cycles(&[root, ("a.rs", "pub struct A;\nuse super::{b::{B as X}};"), B_USES_A], b_to_a);
    check_cycles(&[root, ("a.rs", "pub struct A;\nfn f() { let x = crate::b::B; }"), B_USES_A], b_to_a);
    check_cycles(&[root, ("a.rs", "pub struct A; use super::b;\nfn f() { b::B }"), B_USES_A], b_to_a);
    check_cycles(&[root, ("a.rs", "pub struct A;\nmod x { use crate::b::B; }"), B_USES_A], b_to_a);
    check_cycles(
        &[root, ("a.rs", "pub struct A;\nmacro_rules! m { () => { $crate::b::B } }"), B_USES_A],
        b_to_a,
    );
    check_cycles(&[root, ("a.rs", "pub struct A;\nuse crate::*; fn f() -> B { B }"), B_USES_A], b_to_a);
    // What a macro defines belongs to the module that the path names.
    check_cycles(
        &[root, ("a.rs", "pub struct A;\nuse crate::b::Made;"), ("b.rs", "use crate::a::A; make!(Made);")],
        &["a.rs:2: module cycle: b → a → b; here `a` uses `Made` of `b`"],
    );
    // A crate's root, and a folder's, is a module as any other.
    check_cycles(
        &[
            ("lib.rs", "mod a;\npub struct E;\npub fn f() { a::g() }"),
            ("a.rs", "pub fn g() -> crate::E { crate::E }"),
        ],
        &["a.rs:1: module cycle: lib → a → lib; here `a` uses `E` of `lib`"],
    );
    check_cycles(
        &[
            ("lib.rs", "mod a;\npub use a::A;\npub fn f() -> A { A }\npub fn g() {}"),
            ("a.rs", "pub struct A;\nfn h() { crate::g() }"),
        ],
        &["a.rs:2: module cycle: lib → a → lib; here `a` uses `g` of `lib`"],
    );
    let folder = ("a/mod.rs", "mod c;\npub struct A;\nfn f() { c::g() }");
    check_cycles(
        &[("lib.rs", "mod a;"), folder, ("a/c.rs", "use super::A;\npub fn g() {}")],
        &["module cycle: a → a/c → a"],
    );
    // Where few names are used, the cycle is taken apart.
    let three =
        [("lib.rs", "mod a; mod b; mod c;"), ("c.rs", "use crate::a::{A, D};\npub struct C; pub struct E;")];
    let [b, a] = [
        ("b.rs", "use crate::c::{C, E}; pub struct B;"),
        ("a.rs", "\n\nuse crate::b::B; pub struct A; pub struct D;"),
    ];
    check_cycles(
        &[three[0], three[1], a, b],
        &["crates/x/src/a.rs:3: module cycle: b → c → a → b; here `a` uses `B` of `b`"],
    );
}

#[track_caller]
fn check_measure(files: &[(&str, &str)], name: &str, expected: usize) {
    let mut house = House::default();
    files.iter().for_each(|(path, text)| house.add(Path::new(path), text));
    let found = house.list().into_iter().find(|(measure, _)| measure == name);
    assert_eq!(found.map(|(_, n)| n), Some(expected), "{name}");
}

#[test]
fn the_house_is_counted() {
    let text = "//! Keeps a noun.\n\nuse a::b; // b\nconst A: &str = \"{\n  // no comment\n\";\n\
                #[cfg(test)]\nmod tests {\n    fn f() {}\n}\n/* so\nmany */\nfn g((a, b): (u8, u8), c: u8) {}\n";
    let code = "lines of code outside tests, `lab` not counted";
    check_measure(&[("crates/a/src/noun.rs", text)], code, 5);
    check_measure(&[("lab/src/noun.rs", text)], code, 0);
    check_measure(&[("lab/src/noun.rs", text)], "lines of code in `lab`", 5);
    check_measure(&[("crates/a/src/noun.rs", text)], "lines of code in tests", 4);
    check_measure(&[("crates/a/tests/noun.rs", text)], "lines of code in tests", 9);
    check_measure(&[("crates/a/src/noun.rs", text)], "parameters that are tuples", 1);
    check_measure(&[("crates/a/src/noun.rs", text)], "the words whoever, somebody, nobody, so many", 1);
    let types = "/// The same, wider.\npub struct A(u8);\nenum BError { A }\npub(crate) trait C {}\n\
                 fn f() { match a { D::OneByte(a) | D::TwoBytes(a) => a, D::OneByte(a) if a == 1 => 1 } }\n";
    let files = [("crates/a/src/a.rs", types), ("crates/b/src/a.rs", types), ("xtask/src/a.rs", types)];
    check_measure(&files[..1], "structs and enums", 2);
    check_measure(&files[..1], "traits", 1);
    check_measure(&files[..1], "types and traits that are `pub`", 1);
    check_measure(&files[..1], "enums of errors", 1);
    check_measure(&files[..1], "arms that tell the codings of values apart", 2);
    check_measure(&files[..1], "doc comments that begin with The same", 1);
    check_measure(&files[..2], "names of types that three or more files define", 0);
    check_measure(&files, "names of types that three or more files define", 2);
}

#[test]
fn the_house_does_not_grow() {
    let page = "# House\n\n| measure | number |\n| --- | --- |\n| traits | 3 |\n";
    let complaints = |n| {
        house::compare(page, &[("traits".to_owned(), n)]).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(complaints(2).is_empty() && complaints(3).is_empty());
    assert!(
        complaints(4)[0].starts_with("docs/house.md:5: traits: 4, and 3 are allowed"),
        "{:?}",
        complaints(4)
    );
    assert_eq!(house::compare("", &[("traits".to_owned(), 3)]).len(), 1);
    let written = house::written(page, &[("traits".to_owned(), 2), ("walk a".to_owned(), 9)]);
    assert_eq!(written, page.replace("| 3 |", "| 2 |\n| walk a | 9 |"));
    assert!(house::compare(&written, &[("traits".to_owned(), 2)]).is_empty(), "walks are not checked");
    assert_eq!(house::compare(page, &[]).len(), 1, "a row without a measure");
}
