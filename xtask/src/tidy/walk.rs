//! Counts the functions of ours that a run enters: how much there is to read from a question to its answer.
//!
//! ```text
//!   table   a variant file ─► tablesmith solve ─► KQvK.tsm
//!   answer  a FEN ─► tablesmith serve ─► its value and moves
//! ```
//!
//! The program is compiled once more, in a folder of its own, with counters of coverage. A function is a
//! place in the source text, however many types it is compiled for, and a closure is one too. Of a server
//! those count that are entered more often when it is asked than when it is not.

use crate::program::{cargo, find, output, succeed};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a client asks: a queen's mate in five, of a table that the first walk has made.
const REQUEST: &str = "GET /standard?fen=8/8/8/8/8/4k3/8/4K2Q_w_-_-_0_1 HTTP/1.1\r\nhost: localhost\r\n\
                       connection: close\r\n\r\n";

/// How often each function was entered, by its file from the root and its line.
type Entered = BTreeMap<(PathBuf, u64), u64>;

/// The rows of both walks: functions, files and crates.
///
/// # Errors
/// The tools of LLVM are missing, or the program cannot be compiled or fails.
pub(crate) fn measures(root: &Path) -> Result<Vec<(String, usize)>> {
    let folder = root.join("target/walk");
    let tools = Tools::find()?;
    let (tables, runs) = (folder.join("tables"), folder.join("runs"));
    let mut build = cargo();
    build.args(["build", "--package", "tablesmith-cli", "--target-dir"]).arg(&folder);
    // Build scripts and macros count too, each over the counts of the one before.
    build.env("RUSTFLAGS", "-C instrument-coverage").env("LLVM_PROFILE_FILE", folder.join("build"));
    succeed(&mut build)?;
    let program = folder.join("debug/tablesmith").with_extension(std::env::consts::EXE_EXTENSION);
    for old in [&tables, &runs] {
        // What an earlier walk has left.
        drop(std::fs::remove_dir_all(old));
    }
    let run = |name: &str| {
        let mut command = Command::new(&program);
        command.env("LLVM_PROFILE_FILE", runs.join(name)).current_dir(root).stderr(Stdio::null());
        command
    };
    let mut solve = run("table");
    // One thread enters the same functions each time.
    solve.args(["solve", "variants/fide.toml", "--table", "KQvK", "--threads", "1", "--out"]).arg(&tables);
    succeed(solve.stdout(Stdio::null()))?;
    for (name, request) in [("idle", ""), ("answer", REQUEST)] {
        serve(run(name).args(["serve", "--listen", "127.0.0.1:0", "--tables"]).arg(&tables), request)?;
    }
    let entered = |name: &str| tools.entered(root, &program, &runs.join(name));
    let (table, idle, mut answer) = (entered("table")?, entered("idle")?, entered("answer")?);
    answer.retain(|place, n| *n > idle.get(place).copied().unwrap_or(0));
    // What was compiled and run takes gigabytes.
    fs_err::remove_dir_all(&folder)?;
    Ok([("from TOML to `KQvK.tsm`", table), ("from a FEN to an answer of the server", answer)]
        .into_iter()
        .flat_map(|(walk, entered)| {
            let files: BTreeSet<&PathBuf> = entered.keys().map(|(file, _)| file).collect();
            let crates: BTreeSet<_> = files.iter().filter_map(|file| file.iter().nth(1)).collect();
            [("functions", entered.len()), ("files", files.len()), ("crates", crates.len())]
                .map(|(what, n)| (format!("walk {walk}: {what}"), n))
        })
        .collect())
}

/// Starts a server, asks it, and ends it as Ctrl-C does.
fn serve(command: &mut Command, request: &str) -> Result<()> {
    let mut server = command.stdout(Stdio::piped()).spawn()?;
    let (mut line, mut answer) = (String::new(), String::new());
    BufReader::new(server.stdout.take().context("the server has no output")?).read_line(&mut line)?;
    let address = line.trim().rsplit("//").next().unwrap_or_default().trim_end_matches('/');
    if !request.is_empty() {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(request.as_bytes())?;
        stream.read_to_string(&mut answer)?;
    }
    succeed(Command::new("kill").arg(server.id().to_string()))?;
    server.wait()?;
    ensure!(request.is_empty() || answer.contains(" 200 "), "the server at {address} answers {answer}");
    Ok(())
}

/// The tools of LLVM that belong to the compiler.
struct Tools {
    profdata: PathBuf,
    cov: PathBuf,
}

impl Tools {
    fn find() -> Result<Self> {
        let rustc = find(&["rustc", "rustc.exe"]).context("there is no rustc in the path")?;
        let version = output(Command::new(&rustc).arg("-vV"))?;
        let host =
            version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc has no host")?;
        let sysroot = output(Command::new(&rustc).args(["--print", "sysroot"]))?;
        let folder = Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin");
        let tool = |name: &str| folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
        let tools = Tools { profdata: tool("llvm-profdata"), cov: tool("llvm-cov") };
        ensure!(tools.cov.exists(), "the tools of LLVM are missing: rustup component add llvm-tools");
        Ok(tools)
    }

    /// The functions below this root that a run has entered.
    fn entered(&self, root: &Path, program: &Path, run: &Path) -> Result<Entered> {
        let merged = run.with_extension("profdata");
        succeed(Command::new(&self.profdata).args(["merge", "-sparse", "-o"]).arg(&merged).arg(run))?;
        let mut export = Command::new(&self.cov);
        export.args(["export", "-skip-expansions", "-skip-branches", "-instr-profile"]).arg(merged);
        let listed: Value = serde_json::from_str(&output(export.arg(program))?)?;
        let mut entered = Entered::new();
        for function in listed["data"][0]["functions"].as_array().into_iter().flatten() {
            let file = function["filenames"][0].as_str().map(Path::new);
            let file = file.and_then(|file| file.strip_prefix(root).ok());
            let (Some(file), Some(n @ 1..)) = (file, function["count"].as_u64()) else { continue };
            if file.starts_with("crates") {
                let line = function["regions"][0][0].as_u64().unwrap_or(0);
                *entered.entry((file.into(), line)).or_default() += n;
            }
        }
        Ok(entered)
    }
}
