//! Draws the board of a FEN as SVG, as notebooks show it: men as letters on discs, coordinates outside.
//!
//! The men's letters say all that is drawn, so no rules are needed, and boards of any game look alike.

/// How wide a square is, and the margin with the coordinates.
const SQUARE: usize = 48;
const MARGIN: usize = 20;

/// No rank is longer, as files are letters.
const MAX_FILES: usize = 26;

/// What stands for a square that the board does not have.
const HOLE: char = '*';

/// What stands on the squares of a rank of a FEN, from the first file on; a blank on an empty one.
fn squares_of(rank: &str) -> String {
    let mut squares = String::new();
    let mut n_empty = 0;
    for letter in rank.chars() {
        match letter.to_digit(10) {
            // A run of digits is one number. An answer made by hand may have any.
            Some(digit) => n_empty = (10 * n_empty + digit as usize).min(MAX_FILES),
            None => {
                squares.extend(std::iter::repeat_n(' ', std::mem::take(&mut n_empty)));
                squares.push(letter);
            }
        }
    }
    squares.extend(std::iter::repeat_n(' ', n_empty));
    squares
}

/// The picture of a position. Each man is a text whose `data-square` names his square.
#[must_use]
pub fn diagram(fen: &str) -> String {
    let men = fen.split_whitespace().next().unwrap_or_default();
    let ranks: Vec<String> = men.split('/').map(squares_of).collect();
    let n_files = ranks.iter().map(|rank| rank.chars().count()).max().unwrap_or(0);
    let [width, height] = [n_files, ranks.len()].map(|n| n * SQUARE + MARGIN);
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' \
         viewBox='0 0 {width} {height}' role='img' font-family='sans-serif' text-anchor='middle'>\
         <title>{}</title>",
        escaped(fen)
    );
    for (row, squares) in ranks.iter().enumerate() {
        let (rank, top) = (ranks.len() - row, row * SQUARE);
        svg += &coordinate(MARGIN / 2, top + SQUARE / 2, &rank.to_string());
        for (file, letter) in squares.chars().enumerate().filter(|&(_, letter)| letter != HOLE) {
            let left = MARGIN + file * SQUARE;
            let shade = if (file + rank) % 2 == 1 { "#b58863" } else { "#f0d9b5" };
            svg += &format!("<rect x='{left}' y='{top}' width='{SQUARE}' height='{SQUARE}' fill='{shade}'/>");
            if letter != ' ' {
                svg +=
                    &man(left + SQUARE / 2, top + SQUARE / 2, letter, &format!("{}{rank}", file_name(file)));
            }
        }
    }
    for file in 0..n_files {
        let x = MARGIN + file * SQUARE + SQUARE / 2;
        svg += &coordinate(x, height - MARGIN / 2, &file_name(file).to_string());
    }
    svg + "</svg>"
}

/// A man: his letter in a FEN on a disc of his side's colour.
fn man(x: usize, y: usize, letter: char, square: &str) -> String {
    let [disc, ink] = if letter.is_lowercase() { ["#222", "#fff"] } else { ["#fff", "#222"] };
    let letter = escaped(&letter.to_string());
    format!(
        "<circle cx='{x}' cy='{y}' r='19' fill='{disc}' stroke='#222' stroke-width='2'/>\
         <text x='{x}' y='{y}' dy='8' font-size='24' font-weight='bold' fill='{ink}' data-square='{square}'>\
         {letter}</text>"
    )
}

/// The name of a rank or a file beside the board.
fn coordinate(x: usize, y: usize, name: &str) -> String {
    format!("<text x='{x}' y='{y}' dy='4' font-size='12' fill='#777'>{name}</text>")
}

/// The letter of a file.
fn file_name(file: usize) -> char {
    u8::try_from(file).ok().and_then(|file| file.checked_add(b'a')).map_or('?', char::from)
}

/// A text between tags; an answer made by hand may have any.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
