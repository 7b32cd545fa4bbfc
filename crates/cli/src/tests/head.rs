//! Changes each byte of what files begin and end with, and sees `verify` complain.

use super::{FIDE, Folder, call, run};
use std::fs;
use std::path::Path;

/// What a file has at either end beside its blocks: headers have 256 bytes at most.
const ENDS: usize = 300;

/// A game on few squares: where its files keep what is asked for here does not depend on that.
const GARDNER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants/gardner.toml");

/// Makes a file of a game by these commands, in which `@` is a folder; `verify` finds it right, and wrong
/// with any of these bytes changed.
#[track_caller]
fn check_ends(game: &str, commands: &[&[&str]], file: &str) {
    let folder = Folder::new(&format!("head-{file}"));
    for command in commands {
        let args: Vec<&str> =
            command.iter().map(|&word| if word == "@" { folder.text() } else { word }).collect();
        run(&args, 0);
    }
    let path = folder.0.join(file);
    let whole = fs::read(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let write = |path: &Path, bytes: &[u8]| {
        // A flat file that is mapped into memory must not change there.
        fs::remove_file(path).and_then(|()| fs::write(path, bytes)).expect("it can be written");
    };
    let verify = || call(&["verify", path.to_str().expect("plain text"), "--variant", game], "");
    verify().ended(0);
    let last = whole.len() - 1;
    let ends = (0..ENDS.min(whole.len())).chain(whole.len().saturating_sub(ENDS)..whole.len());
    // The least change, which makes one version another, and a byte of ones, as a bad disk has.
    for (at, change) in ends.flat_map(|at| [(at, whole[at] ^ 1), (at, 0xff)]) {
        if whole[at] == change {
            continue;
        }
        let mut bytes = whole.clone();
        bytes[at] = change;
        write(&path, &bytes);
        let reply = verify();
        assert_ne!(reply.code, 0, "{file}: byte {at} of 0 to {last}: {}", reply.out);
        assert!(reply.out.len() + reply.err.len() > 20, "{file}: byte {at}: {}{}", reply.out, reply.err);
    }
}

const SOLVE: [&str; 6] = ["solve", GARDNER, "--table", "KRvK", "--out", "@"];

#[test]
fn tables_have_no_byte_without_a_checksum() {
    let solve = |more: &[&'static str]| [&SOLVE, more].concat();
    check_ends(GARDNER, &[&SOLVE], "KRvK.tsm");
    check_ends(GARDNER, &[&solve(&["--metric", "wdl,dtz50"])], "KRvK.tsm");
    check_ends(GARDNER, &[&solve(&["--wins", "white"])], "KRvK.tsm");
    check_ends(FIDE, &[&["solve", FIDE, "--table", "KRvK", "--out", "@", "--rights"]], "KRvK.tsm");
}

#[test]
fn files_made_of_tables_have_no_byte_without_a_checksum() {
    let export = ["export", "@", "--table", "KRvK", "--out", "@", "--format"];
    let bits = [&export[..], &["bits", "--question", "draw"]].concat();
    check_ends(GARDNER, &[&SOLVE, &bits], "KRvK.draw.tsq");
    let flat = [&export[..], &["tbl", "--variant", GARDNER]].concat();
    check_ends(GARDNER, &[&SOLVE, &flat], "wKR-bK.tbl");
}

#[test]
fn structures_have_no_byte_without_a_checksum() {
    let solve = ["solve", "--position", "8/8/8/1k6/8/1K6/1P6/8 b - - 0 1", "--out", "@"];
    check_ends(FIDE, &[&solve], "wKb2-bK.tss");
}
