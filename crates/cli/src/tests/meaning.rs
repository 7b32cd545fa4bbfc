//! Checks what `check` says of a game, and the file that `new-variant` writes.

use super::{Folder, call, check, refused, run};
use std::fs;

const VARIANTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants");

/// `check` describes every variant of the repository in full: each of its men, and lines that do not run on.
#[test]
fn every_variant_is_described() {
    for entry in fs::read_dir(VARIANTS).expect("variants are there") {
        let path = entry.expect("an entry").path();
        let path = path.to_str().expect("a path of plain text");
        let reply = call(&["check", path], "");
        assert_eq!((reply.code, reply.err.as_str()), (0, ""), "{path}");
        let is_long = |line: &&str| line.chars().count() > 100 && !line.starts_with("warning: ");
        let long = reply.out.lines().skip(1).find(is_long);
        assert_eq!(long, None, "{path}");
        let variant = variant::Variant::load(path).expect("it is right");
        for piece in &variant.pieces {
            let title = format!("   {}  {}", piece.letter, piece.name);
            reply.says(&[&title]);
        }
        reply.says(&["\nWon: ", "\nTables: "]);
        let brief = call(&["check", "--brief", path], "").out;
        assert_eq!(brief.lines().next(), reply.out.lines().next(), "{path}");
    }
}

/// A game on a board with holes, joined files, and all that is likely a mistake.
const ODD: &str = "name = \"odd\"\nmetric = \"dtz50\"\nmen-limit = 4\n\
    [board]\nfiles = 5\nranks = 6\nholes = [\"c3\", \"c4\", \"e1\", \"e6\"]\ncylinder = true\n\
    [rules]\nstalemate-value = \"loss\"\n\
    [[piece]]\nletter = \"K\"\nname = \"king\"\nbetza = \"K\"\nroyal = true\n\
    [[piece]]\nletter = \"M\"\nname = \"mao\"\nbetza = \"nN\"\n\
    [[piece]]\nletter = \"H\"\nname = \"horse\"\nbetza = \"nN\"\n\
    [[piece]]\nletter = \"X\"\nname = \"stone\"\nbetza = \"\"\n\
    [[piece]]\nletter = \"S\"\nname = \"sergeant\"\nbetza = \"fK\"\n\
    pawn = { double-step-ranks = [2, 3], promotion-zone = [\"b6\", \"c6\"], promotes-to = [\"M\", \"X\"] }\n";

/// Men of one kind that are kept to parts of the board, those of the other to one part for both sides.
const KEPT: &str = "name = \"kept\"\n\
    [[piece]]\nletter = \"K\"\nname = \"king\"\nbetza = \"K\"\nroyal = true\n\
    [[piece]]\nletter = \"G\"\nname = \"guard\"\nbetza = \"W\"\n\
    mobility-region-white = \"*1 *2\"\nmobility-region-black = \"*7 *8\"\n\
    [[piece]]\nletter = \"R\"\nname = \"rook\"\nbetza = \"R\"\n\
    mobility-region-white = \"*3 *4\"\nmobility-region-black = \"*3 *4\"\n";

#[test]
fn regions_of_men_are_told() {
    let folder = Folder::new("kept");
    let file: &str = &folder.write("kept.toml", KEPT);
    call(&["check", file], "").says(&[
        "   White's goes to and attacks ranks 1 and 2 only\n",
        "   Black's goes to and attacks ranks 7 and 8 only\n",
        "   goes to and attacks ranks 3 and 4 only\n",
    ]);
}

#[test]
fn an_odd_game_is_told_with_its_warnings() {
    let folder = Folder::new("odd");
    let file: &str = &folder.write("odd.toml", ODD);
    for part in [
        ": ok: odd, 5 × 6 squares, 5 pieces\n\n\
         Board: 5 files, 6 ranks, 26 squares; a cylinder: beyond the e file comes the a file\n",
        "\n 6 . . . .\n 5 . . . . .\n 4 . .   . .\n 3 . .   . .\n 2 . . . . .\n 1 . . . .\n   a b c d e\n\n",
        "   K  king, royal: each side has one, and loses with it\n",
        "   X  stone\n",
        "   does not move\n",
        "   S  sergeant, a pawn\n",
        "   may stand on ranks 2 to 5, a6 and d6\n",
        "   from ranks 2 and 3 may take a step without capture twice; a pawn may then capture it\n",
        "   on b6 and c6 becomes mao or stone\n",
        "   moves and captures by a (2,1) step if nothing is on the way\n",
        "Marks: : must be empty for a lame move across it; n moves and captures if nothing is on the way; x\n",
        "Won: the other side's king is attacked and no move saves it; or the other side has no legal move\n",
        "Drawn: neither side can force a win; 50 moves of each side have passed without capture and without a\n",
        "Tables: 25 up to 4 men (",
        "\n\nwarning: stone cannot move\n\
         warning: sergeant may step to a square on which it may capture en passant: in coordinates the \
         capture is meant, and the step cannot be written\n\
         warning: sergeant may become stone, which cannot move\n\
         warning: mao and horse move alike on this board\n",
    ] {
        check(&["check", file], 0, part, "");
    }
    check(&["check", file, "--brief"], 0, "5 pieces\nwarning: stone cannot move\n", "");
    check(&["check", file, "--json"], 0, "\"warnings\": [\n    \"stone cannot move\",\n", "");
    refused(&["check", file, "--json", "--brief"], "cannot be used with");
}

/// What a game of the repository says of its end and of its rules.
#[track_caller]
fn check_described(name: &str, parts: &[&str]) {
    let reply = call(&["check", &format!("{VARIANTS}/{name}.toml")], "");
    // Where lines break does not matter.
    let words = reply.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(words.contains(part), "{name} does not say {part}:\n{}", reply.out);
    }
}

#[test]
fn the_rules_of_the_games_are_described() {
    let mate = "Won: the other side's king is attacked and no move saves it; or ";
    check_described(
        "shatranj",
        &[
            mate,
            "or the other side has no legal move; or the other side has nothing left but its \
        king, while one has at least 2 men; who is to move may change that first",
        ],
    );
    check_described(
        "antichess",
        &["Rule: who can capture must", "Won: one has no legal move; or one has no man Drawn"],
    );
    check_described(
        "suicide",
        &["Won: somebody has no legal move, and one has fewer men than the other side; or"],
    );
    check_described(
        "atomic",
        &[
            "Rule: a capture takes away the capturing man too",
            "around, but pawns; a side may",
            "or the other side's king is blown up Drawn",
        ],
    );
    check_described("king-of-the-hill", &[mate, "a king of one's own stands on d4, e4, d5 or e5 Drawn"]);
    check_described(
        "racing-kings",
        &[
            "Rule: no move may attack the other side's king",
            "Won: a king of one's own stands \
        on rank 8",
            "Black reaches the goal with the move after White has",
        ],
    );
    check_described(
        "kinglet",
        &["Won: the other side has no pawn Drawn: the side to move has no legal move; neither"],
    );
    check_described(
        "losers",
        &["Won: one's own king is attacked", "or one has nothing left but one's king Drawn"],
    );
}

#[test]
fn a_new_variant_is_right_as_it_stands() {
    let folder = Folder::new("new-variant");
    let [file, other] = ["mine.toml", "other.toml"].map(|name| format!("{}/{name}", folder.text()));
    check(
        &["new-variant", "mine", "--out", &file],
        0,
        "mine.toml: written\nnext: change it, then tablesmith check ",
        "",
    );
    check(&["check", &file], 0, "mine.toml: ok: mine, 8 × 8 squares, 5 pieces\n", "");
    let tables = folder.path("tables");
    run(&["solve", &file, "--out", &tables, "--verify"], 0).says(&["\nKHvK ", "\n4 tables, "]);
    // What is there is not written over.
    fs::write(&file, "mine").expect("the file is written");
    refused(&["new-variant", "mine", "--out", &file], "mine.toml is there already; take another name");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "mine");
    check(&["new-variant", "other", "--board", "10x8", "--out", &other], 0, "written", "");
    check(&["check", &other, "--brief"], 0, "ok: other, 10 × 8 squares, 5 pieces\n", "");
}

#[test]
fn new_variants_that_cannot_be() {
    for name in ["", "My Game", "a/b", "ä", "x.toml"] {
        refused(&["new-variant", name], "cannot be a variant's name");
    }
    refused(&["new-variant"], "<NAME>");
    refused(&["new-variant", "x", "--board", "8"], "write files and ranks, as in 10x8");
    refused(&["new-variant", "x", "--board", "12x12"], "128 squares");
    refused(&["new-variant", "x", "--out", "no/such/folder/x.toml"], "say with --out FILE where it goes");
}
