//! Checks that the source tree follows the rules of the house.

#[test]
fn the_repository_is_tidy() {
    let complaints = xtask::tidy::check(xtask::root()).expect("the repository can be read");
    let lines: Vec<String> = complaints.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}
