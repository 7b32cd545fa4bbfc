//! Disturbs a few runs and damages a few files; `cargo xtask lab torture` goes on for as long as one likes.

use clap::Parser;
use lab::torture::{Options, Room, run};
use std::path::Path;
use std::sync::atomic::AtomicBool;

#[test]
fn nothing_is_lost() {
    let mut options = Options::parse_from(["torture", "--rounds", "8", "--short"]);
    options.room = cfg!(unix).then_some(Room::Limited);
    let mut lines = Vec::new();
    let program = Path::new(env!("CARGO_BIN_EXE_lab"));
    let counts = run(&options, program, &AtomicBool::new(false), &mut |line| lines.push(line.to_owned()));
    let counts = counts.unwrap_or_else(|error| panic!("{error}"));
    let all = lines.join("\n");
    assert!(counts.is_well(), "{all}");
    // A run that always ends before it is killed has shown nothing, nor has damage that is never found.
    assert!(counts.of("kills", "attacks") >= 1, "{all}");
    assert!(
        counts.of("damaged files", "attacks") >= 25 && counts.of("damaged files", "refused by probe") >= 20,
        "{all}"
    );
    assert!(counts.of("two at once", "attacks") == 1, "{all}");
    if cfg!(unix) {
        assert!(counts.of("full disks", "attacks") == 1, "{all}");
    }
}

/// What a program does that finds no damage and forgets a table now and then.
#[cfg(unix)]
const CARELESS: &str = r#"#!/bin/sh
[ "$1" = verify ] && exit 0
PROGRAM "$@"
code=$?
for last; do :; done
case "$last" in */round*) rm -f "$last"/KRvK.*;; esac
exit $code
"#;

/// The attack finds out what it is there to find out.
#[cfg(unix)]
#[test]
fn what_is_lost_is_counted() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("careless");
    std::fs::write(&path, CARELESS.replace("PROGRAM", env!("CARGO_BIN_EXE_lab"))).expect("it is written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    let attack = |round: u64| {
        let args = ["torture", "--rounds", "1", "--first", &round.to_string(), "--short", "--disk", "ulimit"];
        let mut options = Options::parse_from(args);
        options.folder = Some(folder.path().join("kept"));
        run(&options, &path, &AtomicBool::new(false), &mut |_| {}).unwrap_or_else(|error| panic!("{error}"))
    };
    let damages = attack(3);
    assert!(!damages.is_well() && damages.of("damaged files", "HARM: Unnoticed") > 0, "{damages}");
    let disks = attack(14);
    assert!(!disks.is_well() && disks.of("full disks", "HARM: Different") > 0, "{disks}");
}
