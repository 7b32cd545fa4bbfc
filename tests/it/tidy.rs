//! Checks that the source tree follows the rules of the house, and that its profiles of cargo hold
//! together.

use toml::{Table, Value};

#[test]
fn the_repository_is_tidy() {
    let complaints = xtask::tidy::check(xtask::root()).expect("the repository can be read");
    let lines: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn what_people_install_is_what_was_measured() {
    let read = |name: &str| std::fs::read_to_string(xtask::root().join(name)).expect("a file of the tree");
    let [workspace, python, config] =
        ["Cargo.toml", "crates/python/Cargo.toml", ".cargo/config.toml"].map(read);
    check_profiles([&workspace, &python, &config], &[]);
}

/// The settings with which a program checks what it computes.
const CHECKS: [&str; 2] = ["overflow-checks", "debug-assertions"];

/// Fails unless these are the faults of the profiles in the manifests of the workspace and of the package
/// for Python, and in the settings of cargo.
#[track_caller]
fn check_profiles([workspace, python, config]: [&str; 3], expected: &[&str]) {
    let tables = [workspace, python, config].map(|text| text.parse::<Table>().expect("TOML"));
    let [release, of_python, of_config] =
        tables.each_ref().map(|table| table.get("profile").and_then(|profiles| profiles.get("release")));
    let mut faults = Vec::new();
    if release != of_python {
        faults.push("the package for Python is built otherwise".to_owned());
    }
    if of_config.is_some() {
        faults.push("the settings of cargo override the profile release".to_owned());
    }
    if release.and_then(|release| release.get("opt-level")) != Some(&Value::Integer(3)) {
        faults.push("release is not optimised".to_owned());
    }
    if release.is_some_and(|release| release.get("package").is_some()) {
        faults.push("release treats a crate otherwise than the others".to_owned());
    }
    for table in &tables {
        let own = table.get("profile").and_then(Value::as_table).into_iter().flatten();
        // Tests are built with `dev` and `test`.
        let tested = own.filter(|(name, _)| *name != "release" && *name != "quick");
        tested.for_each(|(name, profile)| unchecked(name, profile, &mut faults));
        let others = table.iter().filter(|(name, _)| *name != "profile");
        others.for_each(|(name, value)| unchecked(name, value, &mut faults));
    }
    assert_eq!(faults, expected);
}

/// Adds where a value switches a check off, as a key or among the arguments of the compiler.
fn unchecked(place: &str, value: &Value, faults: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(key, value)| unchecked(&format!("{place}.{key}"), value, faults));
        }
        Value::Array(values) => values.iter().for_each(|value| unchecked(place, value, faults)),
        Value::Boolean(false) if CHECKS.iter().any(|check| place.ends_with(check)) => {
            faults.push(format!("{place} is off"));
        }
        Value::String(text) if CHECKS.iter().any(|check| text.contains(check)) => {
            faults.push(format!("{place} has {text}"));
        }
        _ => {}
    }
}

#[test]
fn profiles_that_differ_are_found() {
    let plain = "[profile.release]\nopt-level = 3\ncodegen-units = 1\n";
    check_profiles([plain, plain, "[profile.dev]\noverflow-checks = true\n"], &[]);
    check_profiles(
        [plain, "[profile.release]\nopt-level = 3\n", ""],
        &["the package for Python is built otherwise"],
    );
    let small = plain.replace('3', "\"s\"");
    check_profiles([&small, &small, ""], &["release is not optimised"]);
    let uneven = format!("{plain}[profile.release.package.zstd-sys]\nopt-level = 2\n");
    check_profiles([&uneven, &uneven, ""], &["release treats a crate otherwise than the others"]);
    check_profiles([plain, plain, plain], &["the settings of cargo override the profile release"]);
    check_profiles(
        [
            &format!("{plain}[profile.test]\ndebug-assertions = false\n"),
            plain,
            "[build]\nrustflags = [\"-C\", \"overflow-checks=off\"]\n\
             [profile.dev.package.tablesmith-solve]\noverflow-checks = false\n\
             [profile.quick]\noverflow-checks = false\n",
        ],
        &[
            "test.debug-assertions is off",
            "dev.package.tablesmith-solve.overflow-checks is off",
            "build.rustflags has overflow-checks=off",
        ],
    );
}
