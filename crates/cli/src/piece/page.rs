//! Writes docs/pieces.md, the catalogue with pictures.

use super::description::{Description, indented};
use ::piece::CATALOGUE;
use std::collections::BTreeSet;

const HEAD: &str = "\
# Pieces

For designers of games and pieces.
These are the pieces that have a name here: how they move, a letter that people give them, and where they come from.
A variant file may use any movement, named or not: `betza = \"NN\"`; [variants.md](variants.md) describes the notation.
`cargo xtask piece \"NN\"` or `cargo xtask piece nightrider` prints the same of any movement.

The program writes this page; a test fails when it is stale.
To renew it:

```text
cargo xtask piece --markdown > docs/pieces.md
```
";

const PICTURES: &str = "\
## Pictures

`O` is the man, forward is up, and what the marks mean stands below each picture.
What is said of squares, of losing a move and of going back is meant as if every way were free and every hurdle in its place; *straight back* is the same way in one move.
A piece that keeps fewer symmetries than the board makes its tables larger: each lost half doubles the positions.
";

/// The page.
pub(super) fn text() -> String {
    let mut text = format!("{HEAD}\n| name | letter | Betza | source |\n| --- | --- | --- | --- |\n");
    for piece in CATALOGUE {
        text += &format!("| {} | {} | `{}` | {} |\n", piece.name, piece.letter, piece.betza, piece.source);
    }
    text += &format!("\n{PICTURES}");
    let mut shown = BTreeSet::new();
    for piece in CATALOGUE {
        let description = Description::new(&piece.movement(), piece.betza);
        if shown.insert(description.betza.clone()) {
            text += &section(&description);
        }
    }
    text
}

/// A movement under all its names.
fn section(description: &Description) -> String {
    let names: Vec<&str> = description.names.iter().map(|name| name.name).collect();
    let mut text = format!("\n### {}: `{}`\n\n```text\n", names.join(", "), description.betza);
    text += &indented(&description.diagram);
    text += "```\n\n";
    for sentence in description.words.iter().cloned().chain(description.character()) {
        text += &format!("- {sentence}\n");
    }
    text
}
