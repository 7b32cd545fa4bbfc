//! Measures comments: a line with a comment is at most 110 columns wide.

use super::complaint::Complain;
use super::token::{Token, tokens};

/// The most columns of a line with a comment, as many as `.rustfmt.toml` gives to code.
const MAX_COLUMNS: usize = 110;

/// Checks the comments of Rust source text.
pub(super) fn check_rust(text: &str, complain: &mut Complain<'_>) {
    let lines: Vec<&str> = text.lines().collect();
    for (first, token) in tokens(text) {
        if let Token::Comment(comment) = token {
            (first..first + comment.lines().count())
                .for_each(|number| measure(number, lines[number - 1], complain));
        }
    }
}

/// Checks the comments of a TOML file that stand alone on their lines.
pub(super) fn check_toml(text: &str, complain: &mut Complain<'_>) {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| line.trim_start().starts_with('#'));
    lines.for_each(|(number, line)| measure(number, line, complain));
}

fn measure(number: usize, line: &str, complain: &mut Complain<'_>) {
    let n_columns = line.chars().count();
    if n_columns > MAX_COLUMNS {
        complain(number, format!("a comment of {n_columns} columns, at most {MAX_COLUMNS}; wrap it"));
    }
}
