//! Reads the page of the explorer as a browser would, as far as that goes without one.

use super::{chess, get};
use std::collections::BTreeSet;

#[test]
fn page_loads_nothing_from_elsewhere() {
    let page = get(&chess(), "/");
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(page.header("content-security-policy").contains("default-src 'self'"));
    let text = page.text();
    for (before, after) in [("src=\"", '"'), ("stylesheet\" href=\"", '"')] {
        for path in text.split(before).skip(1).filter_map(|rest| rest.split(after).next()) {
            assert!(path.starts_with("/page/"), "{path}");
            assert!(get(&chess(), path).status.is_success(), "{path}");
        }
    }
    assert!(!text.contains("style=\"") && !text.contains("<script>"), "the policy forbids it");
}

#[test]
fn scripts_find_what_they_look_for() {
    let page = get(&chess(), "/").text();
    let ids: BTreeSet<&str> =
        page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let script = get(&chess(), "/page/explorer.js").text();
    let wanted: BTreeSet<&str> =
        script.split("$(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let missing: Vec<&&str> = wanted.difference(&ids).collect();
    assert!(wanted.len() > 20 && missing.is_empty(), "{missing:?} are not in the page");
    for (script, loaded) in [("explorer.js", "board.js"), ("explorer.js", "men.js"), ("board.js", "men.js")] {
        let text = get(&chess(), &format!("/page/{script}")).text();
        assert!(text.contains(&format!("\"./{loaded}\"")), "{script} loads {loaded}");
        assert!(
            get(&chess(), &format!("/page/{loaded}")).header("content-type").starts_with("text/javascript")
        );
    }
}
