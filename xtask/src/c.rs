//! Runs `cargo xtask c`: compiles a program in C against the header and both libraries, runs it, and
//! compares what it prints.
//!
//! Without a C compiler nothing is tested, which is said. The header itself is held against the source by a
//! test of the crate.

use crate::program::{cargo, find, succeed};
use crate::root;
use std::ffi::OsString;
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

/// Runs all of it, or with `--header` writes the header anew; whether all is well.
///
/// # Errors
/// The arguments are wrong, or the libraries cannot be built.
pub(crate) fn run(args: &[OsString], say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    match args {
        [] => {}
        [only] if only == "--header" => {
            let mut write = cargo();
            write.args(["test", "--quiet", "--package", "tablesmith-c", "header"]).current_dir(root());
            return succeed(write.env("TABLESMITH_WRITE_HEADER", "1")).map(|()| true);
        }
        _ => return Err("c takes nothing, or --header, which writes the header anew".into()),
    }
    let [c, cpp] = COMPILERS.map(find);
    let Some(c) = c else {
        say("c: SKIPPED, no C compiler is installed (cc, gcc or clang)");
        return Ok(true);
    };
    let libraries = libraries()?;
    let package = root().join("crates/c");
    let (include, source) = (package.join("include"), package.join("tests/probe.c"));
    let folder = libraries.join("c");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut is_well = true;
    for (name, link) in [("static", vec![libraries.join("libtablesmith_c.a")]), ("dynamic", Vec::new())] {
        let program = folder.join(name);
        let mut compile = Command::new(&c);
        compile.args(STRICT).args(["-std=c11", "-I"]).arg(&include).arg("-o").arg(&program).arg(&source);
        match name {
            "static" => compile.args(link).args(NEEDED),
            _ => compile
                .arg("-L")
                .arg(&libraries)
                .arg("-ltablesmith_c")
                .arg(format!("-Wl,-rpath,{}", libraries.display())),
        };
        succeed(&mut compile)?;
        let wrong = wrong_answers(&program)?;
        wrong.iter().for_each(|wrong| say(&format!("FAILED: the program with the {name} library: {wrong}")));
        if wrong.is_empty() {
            say(&format!("ok: a C program with the {name} library"));
        }
        is_well &= wrong.is_empty();
    }
    match cpp {
        Some(cpp) => {
            let mut compile = Command::new(cpp);
            compile
                .args(STRICT)
                .args(["-std=c++17", "-fsyntax-only", "-x", "c++", "-I"])
                .arg(&include)
                .arg(&source);
            succeed(&mut compile)?;
            say("ok: the header in C++");
        }
        None => say("the header was not compiled as C++: no compiler"),
    }
    Ok(is_well)
}

/// Builds the libraries in the profile of this program; their folder.
fn libraries() -> Result<std::path::PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("cannot find myself: {error}"))?;
    let folder = own.parent().ok_or("this program lies in no folder")?;
    let mut build = cargo();
    build.args(["build", "--quiet", "--lib"]).current_dir(root());
    // As everything is built otherwise in this profile, so that nothing is compiled once more.
    build.args(if folder.ends_with("quick") {
        &["--profile", "quick", "--package", "tablesmith-c", "--package", "tablesmith-cli"][..]
    } else {
        &["--workspace"][..]
    });
    succeed(&mut build)?;
    Ok(folder.into())
}

/// The lines of the program that are not as they should be, and its exit code if that is not.
fn wrong_answers(program: &Path) -> Result<Vec<String>, String> {
    let mut command = Command::new(program);
    command.arg(root().join(TABLES)).args(ANSWERS.map(|(fen, _)| fen));
    let output = command.output().map_err(|error| format!("cannot run {}: {error}", program.display()))?;
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
