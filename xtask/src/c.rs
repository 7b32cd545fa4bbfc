//! Runs `cargo xtask c`: compiles a program in C against the header and both libraries, runs it, and
//! compares what it prints.
//!
//! Without a C compiler nothing is tested, which is said. The header itself is held against the source by a
//! test of the crate.

use crate::program::{build, cargo, find, succeed};
use crate::root;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// The compilers that are looked for, of C and of C++.
const COMPILERS: [&[&str]; 2] = [&["cc", "gcc", "clang"], &["c++", "g++", "clang++"]];

/// How strict they are.
const STRICT: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// What the static library needs of the system, as `rustc --print native-static-libs` tells.
const NEEDED: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// The tables that the program is given: KQvK and KPvK of chess.
const TABLES: &str = "tests/cases/files/small";

/// What it is asked, and what it answers.
const ANSWERS: [(&str, &str); 4] = [
    ("8/8/8/8/8/4k3/8/4K2Q w - - 0 1", "1 in 9 plies, h1d5"),
    ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "1 in 31 plies, "),
    ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "-1 in 0 plies, "),
    ("nonsense", "not a position: "),
];

/// Writes the header anew.
///
/// # Errors
/// The crate does not build.
pub(crate) fn write_header() -> Result<()> {
    let mut write = cargo();
    write.args(["test", "--quiet", "--package", "tablesmith-c", "header"]);
    succeed(write.env("TABLESMITH_WRITE_HEADER", "1"))
}

/// Runs all of it; whether all is well.
///
/// # Errors
/// The libraries cannot be built, or the program cannot be compiled.
pub(crate) fn run() -> Result<bool> {
    let [c, cpp] = COMPILERS.map(find);
    let Some(c) = c else {
        println!("c: SKIPPED, no C compiler is installed (cc, gcc or clang)");
        return Ok(true);
    };
    let libraries = build(&["--lib"], &["tablesmith-c", "tablesmith-cli"])?;
    let package = root().join("crates/c");
    let (include, source) = (package.join("include"), package.join("tests/probe.c"));
    let folder = libraries.join("c");
    fs_err::create_dir_all(&folder)?;
    let (library, search) = (libraries.join("libtablesmith_c.a"), format!("-L{}", libraries.display()));
    let run_path = format!("-Wl,-rpath,{}", libraries.display());
    let compile = |compiler: &Path, more: &[&str]| {
        let mut command = Command::new(compiler);
        command.args(STRICT).arg("-I").arg(&include).arg(&source).args(more);
        succeed(&mut command)
    };
    let linked = [library.to_str().context("the folder has no name for a compiler")?];
    let mut is_well = true;
    for (name, link) in
        [("static", [&linked[..], &NEEDED].concat()), ("dynamic", vec![&search, "-ltablesmith_c", &run_path])]
    {
        let program = folder.join(name);
        compile(&c, &[&["-std=c11", "-o", &program.display().to_string()], &link[..]].concat())?;
        let wrong = wrong_answers(&program)?;
        wrong.iter().for_each(|wrong| println!("FAILED: the program with the {name} library: {wrong}"));
        if wrong.is_empty() {
            println!("ok: a C program with the {name} library");
        }
        is_well &= wrong.is_empty();
    }
    match cpp {
        Some(cpp) => {
            compile(&cpp, &["-std=c++17", "-fsyntax-only", "-x", "c++"])?;
            println!("ok: the header in C++");
        }
        None => println!("the header was not compiled as C++: no compiler"),
    }
    Ok(is_well)
}

/// The lines of the program that are not as they should be, and its exit code if that is not.
fn wrong_answers(program: &Path) -> Result<Vec<String>> {
    let mut command = Command::new(program);
    command.arg(root().join(TABLES)).args(ANSWERS.map(|(fen, _)| fen));
    let output = command.output().with_context(|| format!("cannot run {}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let mut wrong: Vec<String> = ANSWERS
        .iter()
        .filter_map(|(fen, answer)| {
            let (line, begin) = (lines.next().unwrap_or_default(), format!("{fen}: {answer}"));
            (!line.starts_with(&begin)).then(|| format!("`{line}`, and not `{begin}`"))
        })
        .collect();
    wrong.extend(lines.map(|line| format!("one line too many: {line}")));
    if output.status.code() != Some(1) {
        wrong.push(format!("{}, with one FEN of {} refused", output.status, ANSWERS.len()));
    }
    Ok(wrong)
}
