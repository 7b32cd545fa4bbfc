//! Breaks text into lines.

/// How many characters a line has at most.
pub(super) const WIDTH: usize = 100;

/// A word and what it is about, on as many lines as it takes.
pub(super) fn paragraph(word: &str, text: &str) -> String {
    let lines = wrapped(&format!("{word}{text}"), WIDTH, word.chars().count());
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Lines of at most so many characters, unless a word is longer; all but the first are indented.
pub(super) fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    let mut length = 0;
    // Two spaces in a row stay.
    for word in text.split(' ') {
        let n = word.chars().count();
        if length > 0 && length + 1 + n > width {
            lines.push(" ".repeat(indent));
            length = 0;
        }
        if let Some(line) = lines.last_mut() {
            if length > 0 {
                line.push(' ');
            }
            line.push_str(word);
            length = line.chars().count();
        }
    }
    lines
}
