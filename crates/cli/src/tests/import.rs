//! `import`, and games of an `.ini` in place of a variant file.

use super::{Folder, call, check, refused, run};
use std::fs;

const FILE: &str = "
# Two games that can be taken over, and one that cannot.
[little:gardner]
maxFile = d
startFen = rnbk/pppp/4/PPPP/RNBK w - - 0 1

[forward:little]
pawn = -
customPiece1 = p:fmWfcF
pawnTypes = p
promotionPawnTypes = -

[pockets:little]
pieceDrops = true
";

#[test]
fn games_are_taken_over() {
    let (folder, out) = (Folder::new("import"), Folder::new("import-out"));
    let file = &*folder.write("games.ini", FILE);
    let import = ["import", file, "--out", out.text()];
    run(&import, 0).says(&[
        "3 games: 1 taken over whole, 1 with something left out, 1 refused",
        "1 refused because men come from a hand, so what is on the board never says it all",
        "left out: the n-move rule begins anew when P moves; here with captures alone",
    ]);
    let little = out.0.join("little.toml");
    check(&["check", little.to_str().expect("plain text")], 0, "little", "");
    // A second time it is the same, and a file that was changed stays.
    run(&import, 0);
    fs::write(&little, "name = \"mine\"").expect("a file");
    run(&import, 0).says(&["little.toml is there with other rules", "1 with something left out, 2 refused"]);
    let pockets = call(&["import", file, "--variant", "pockets", "--out", out.text()], "");
    pockets.ended(1).says(&["refused: line 14: pieceDrops: men come from a hand"]);
    refused(&["import", file, "--variant", "littler"], "has no game littler; it has little");
    fs::write(file, "rook = r\n").expect("a file");
    refused(&import, "line 1: a setting belongs to a game");
    refused(&["import", "no-such.ini"], "cannot read no-such.ini");
}

#[test]
fn a_game_of_a_file_is_solved_and_asked() {
    let (folder, tables) = (Folder::new("ini"), Folder::new("ini-tables"));
    let file = &*folder.write("games.ini", FILE);
    let [little, pockets] = ["little", "pockets"].map(|name| format!("{file}:{name}"));
    run(&["solve", &little, "--table", "KQvK", "--out", tables.text()], 0);
    // The rules lie beside the tables, so nothing is said of the game.
    check(&["probe", "--tables", tables.text(), "k3/4/1K2/4/3Q w"], 0, "White mates in 1 move", "");
    check(&["check", &little], 0, "little", "");
    refused(&["solve", &pockets, "--table", "KQvK"], "line 14: pieceDrops: men come from a hand");
    refused(&["solve", file, "--table", "KQvK"], "has 3 games: name one, as ");
}

/// A file leaves out what is no position, a man where a square is missing too, and all of it comes back.
#[test]
fn a_board_with_holes_is_verified() {
    let (folder, tables) = (Folder::new("holes"), Folder::new("holes-tables"));
    let text = "[holes:gardner]\nstartFen = r*bqk/ppp1p/1*2*/PPP1P/R*BQK w - - 0 1\n";
    run(&["solve", &folder.write("games.ini", text), "--men", "3", "--out", tables.text()], 0);
    check(&["verify", tables.text()], 0, "all right", "");
}
