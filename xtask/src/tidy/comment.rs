//! Measures comments: a line with a comment is at most 110 columns wide.

use super::complaint::Complain;

/// The most columns of a line with a comment, as many as `.rustfmt.toml` gives to code.
const MAX_COLUMNS: usize = 110;

/// Checks the comments of Rust source text: lines that are comments, and ends of lines.
pub(super) fn check_rust(text: &str, complain: &mut Complain<'_>) {
    let mut is_inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.trim_start();
        is_inside |= code.starts_with("/*");
        if is_inside || code.starts_with("//") || line.contains(" // ") {
            measure(number, line, complain);
        }
        is_inside &= !line.contains("*/");
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
