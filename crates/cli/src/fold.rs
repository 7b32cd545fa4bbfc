//! Folds long lines where there are spaces.

/// A text in lines of at most so many characters, each as long as can be. A word that is longer stays whole:
/// it is a path or a FEN, which somebody may want to copy. Text in colours stays as it is.
pub(crate) fn fold(text: &str, width: usize) -> String {
    if text.contains('\u{1b}') {
        return text.to_owned();
    }
    let lines: Vec<String> = text.split('\n').map(|line| fold_line(line, width)).collect();
    lines.join("\n")
}

fn fold_line(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let mut folded = String::new();
    let mut n_chars = 0;
    for word in line.split(' ') {
        let n_more = word.chars().count();
        if n_chars > 0 && n_chars + 1 + n_more > width {
            folded.push('\n');
            n_chars = 0;
        } else if !folded.is_empty() {
            folded.push(' ');
            n_chars += 1;
        }
        folded += word;
        n_chars += n_more;
    }
    folded
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
        check("\u{1b}[31mred red\u{1b}[0m", 3, "\u{1b}[31mred red\u{1b}[0m");
    }
}
