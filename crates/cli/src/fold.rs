//! Folds long lines where there are spaces.

use textwrap::{Options, WordSplitter, wrap};

/// How many characters a line of a paragraph has at most.
pub(crate) const WIDTH: usize = 100;

/// A text in lines of at most `width` characters, each as long as can be. A word that is longer stays whole:
/// it is a path or a FEN, which a person may want to copy. Text in colours stays as it is.
pub(crate) fn fold(text: &str, width: usize) -> String {
    if text.contains('\u{1b}') { text.to_owned() } else { wrapped(text, width, 0).join("\n") }
}

/// The lines of a folded text; all but the first are indented.
pub(crate) fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let indent = " ".repeat(indent);
    let options = Options::new(width).break_words(false).word_splitter(WordSplitter::NoHyphenation);
    wrap(text, options.subsequent_indent(&indent)).into_iter().map(String::from).collect()
}

/// A word and what it is about, on as many lines as it takes.
pub(crate) fn paragraph(word: &str, text: &str) -> String {
    let lines = wrapped(&format!("{word}{text}"), WIDTH, word.chars().count());
    lines.into_iter().map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[track_caller]
    fn check(text: &str, width: usize, expected: &str) {
        assert_eq!(fold(text, width), expected);
    }

    #[test]
    fn lines_are_folded_at_spaces() {
        check("", 5, "");
        check("short", 5, "short");
        check("one two three", 7, "one two\nthree");
        check("one two three", 3, "one\ntwo\nthree");
        check("a verylongword b", 4, "a\nverylongword\nb");
        check("first line\nsecond line\n", 6, "first\nline\nsecond\nline\n");
        check("é é é", 3, "é é\né");
        check("KQvK-wins --out", 9, "KQvK-wins\n--out");
        check("\u{1b}[31mred red\u{1b}[0m", 3, "\u{1b}[31mred red\u{1b}[0m");
    }
}
