//! Checks `piece`: pictures, names, faults, and the page that is made of them.

use super::{call, check, refused};
use std::path::Path;

#[test]
fn a_movement_is_shown_by_name_and_by_notation() {
    let cannon = "mRcpR
cannon (C): xiangqi
pao (P): fairy chess problems, P. Seyfert in the 1930s: the cannon of xiangqi

  . . . ↑ . . .
  . . . 1 . . .
  . . . m . . .
  ← 1 m O m 1 →
  . . . m . . .
  . . . 1 . . .
  . . . ↓ . . .
  1 moves; captures over one man to any square behind him
  m moves without capturing
  arrows: and so on in the same way

- moves any distance along ranks and files without capturing
- captures along ranks and files over one man to any square behind him
- keeps all eight symmetries of the square
- comes to every square of an 8 × 8 board
- can lose a move
- can go straight back after every move without capture
";
    for asked in ["mRcpR", "cpRmR", "cannon", "Pao", "mR0cpW0"] {
        let reply = call(&["piece", asked], "");
        assert_eq!((reply.code, reply.out.as_str(), reply.err.as_str()), (0, cannon, ""), "{asked}");
    }
    check(&["piece", "NN"], 0, "N0\nnightrider (N), written NN: T. R. Dawson", "");
    check(
        &["piece", "A"],
        0,
        "comes to 8 of 64 squares at most, all of one colour\n- cannot lose a move\n",
        "",
    );
    check(
        &["piece", "shogi pawn"],
        0,
        "- every move leads forward\n- keeps the left-right mirror only\n",
        "",
    );
    check(&["piece", "nightriderhopper"], 0, "has moves that it cannot take back at once", "");
    check(&["piece", "fN2lhqC"], 0, "fN2lhqC\n\n", "");
    check(&["piece", ""], 0, "(no move)\n", "");
}

#[test]
fn the_catalogue_is_listed() {
    let list = call(&["piece"], "").out;
    assert_eq!(list, call(&["piece", "--all"], "").out);
    assert!(list.starts_with("name ") && list.contains("\ngrasshopper "), "{list}");
    assert!(list.ends_with(&format!("{} pieces\n", list.lines().count() - 2)), "{list}");
    let json: serde_json::Value = serde_json::from_str(&call(&["piece", "--json"], "").out).expect("JSON");
    assert_eq!(json.as_array().map(Vec::len), Some(list.lines().count() - 2));
    let json: serde_json::Value =
        serde_json::from_str(&call(&["piece", "gold", "--json"], "").out).expect("JSON");
    assert_eq!((&json["betza"], &json["n_symmetries"]), (&"WfF".into(), &2.into()));
}

#[test]
fn faults_are_shown_under_the_string() {
    let faults = "  × there is no modifier `x`
    │ Wxnp[F?R]N
    ·  ┬ column 2
  help: modifiers are m, c, n, p, g, q and the directions f b l r v s h

  × `p` beside `n`
    │ Wxnp[F?R]N
    ·    ┬ column 4
  help: a lame move needs its way empty, a hopper needs a man on it: write one of them

  × `[` (legs in brackets) is not supported, because a move here goes one way and takes at most one man, where it ends
    │ Wxnp[F?R]N
    ·     ┬──── column 5
  help: where the way does not matter write the leap (`N` for a step and a diagonal one), where it must be empty the \
        lame leap (`nN`), and `q` for a ride that goes round

`Wxnp[F?R]N` is no movement: 3 faults
";
    let reply = call(&["piece", "Wxnp[F?R]N"], "");
    assert_eq!((reply.code, reply.out.as_str(), reply.err.as_str()), (2, "", faults));
    refused(&["piece", "é½"], "    │ é½\n    ·  ┬ column 2\n");
    refused(&["piece", "fn"], "such letters are upper case: `N`");
    refused(&["piece", "W\n"], "`W?` is no movement: 1 fault");
    refused(&["piece", "grashopper"], "no piece is called `grashopper`; did you mean grasshopper?");
    for asked in [&["piece", "half rook"][..], &["survey", "--pieces", "N,half rook"]] {
        refused(asked, "  help: rook is `R`; a move has an upper-case letter, as in `fmW`\n");
    }
    refused(&["piece", "unheard of"], "no piece is called `unheard of`; `piece` without a name lists them");
    refused(&["piece", "--markdown", "NN"], "cannot be used with");
}

#[test]
fn the_page_of_pieces_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pieces.md");
    let page = std::fs::read_to_string(path).expect("docs/pieces.md is there");
    let fresh = call(&["piece", "--markdown"], "").out;
    let stale = page.lines().zip(fresh.lines()).find(|(page, fresh)| page != fresh);
    assert!(
        page == fresh,
        "docs/pieces.md is stale, renew it with `cargo xtask piece --markdown > docs/pieces.md`: {stale:?}"
    );
}
