//! Lays out what a command says: rows of cells under titles, as text, Markdown or CSV, and lines that are
//! folded where there are spaces.

pub(crate) use library::figure::{bytes, count, distance, plural, seconds};
use textwrap::{Options, WordSplitter, wrap};
use variant::visible;

/// The spaces between two columns.
const GAP: usize = 2;

/// What is left to a folded column on the narrowest terminal.
const LEAST_LAST_WIDTH: usize = 16;

/// Rows of cells under titles.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// Whether the cells of a column stand at its right side.
    is_right: Vec<bool>,
    /// How wide the columns are at least.
    least: Vec<usize>,
    /// The titles, then the rows.
    rows: Vec<Vec<String>>,
}

impl Report {
    /// A report with these titles, `|` between them; the cells below one that begins with `>` stand at the
    /// right side of their column.
    pub(crate) fn new(titles: &str) -> Self {
        let titles: Vec<&str> = titles.split('|').map(str::trim).collect();
        let is_right: Vec<bool> = titles.iter().map(|title| title.starts_with('>')).collect();
        let mut report = Report { least: vec![0; is_right.len()], is_right, rows: Vec::new() };
        report.row(titles.iter().map(|title| title.trim_start_matches('>')));
        report
    }

    /// This report with columns of at least these widths, so that its lines can be printed one by one.
    pub(crate) fn at_least(self, widths: impl IntoIterator<Item = usize>) -> Self {
        Report { least: widths.into_iter().collect(), ..self }
    }

    /// How wide its lines become.
    pub(crate) fn width(&self) -> usize {
        self.widths().iter().map(|width| width + GAP).sum::<usize>() - GAP
    }

    fn widths(&self) -> Vec<usize> {
        let cells = |column: usize| self.rows.iter().filter_map(move |row| row.get(column));
        let width = |(column, &least)| cells(column).map(|cell| cell.chars().count()).fold(least, usize::max);
        self.least.iter().enumerate().map(width).collect()
    }

    /// The titles as a line.
    pub(crate) fn head(&self) -> String {
        self.line(&self.rows[0])
    }

    /// A row as a line, which is not kept.
    pub(crate) fn line<C: AsRef<str>>(&self, cells: &[C]) -> String {
        self.laid_out(cells.iter().map(AsRef::as_ref), &self.widths())
    }

    /// Cells as a line, in columns of these widths.
    fn laid_out<'c>(&self, cells: impl Iterator<Item = &'c str>, widths: &[usize]) -> String {
        let cells = cells.zip(widths).zip(&self.is_right).map(|((cell, width), is_right)| match is_right {
            true => format!("{cell:>width$}  "),
            false => format!("{cell:<width$}  "),
        });
        cells.collect::<String>().trim_end().to_owned() + "\n"
    }

    /// Adds a row; cells that are missing are empty. Control characters are shown and not obeyed: names and
    /// FENs may be those of a file that others have made.
    pub(crate) fn row<C: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(|cell| visible(cell.as_ref())).collect());
    }

    /// The text: a line a row, two spaces between columns, no space at the end. On a terminal of this width
    /// the last column is folded, and what does not fit beside the others goes on below itself.
    pub(crate) fn text(&self, terminal_width: Option<usize>) -> String {
        let widths = self.widths();
        let n_before_last = widths.len().saturating_sub(1);
        let indent: usize = widths[..n_before_last].iter().map(|width| width + GAP).sum();
        let last_width = terminal_width.map(|width| width.saturating_sub(indent).max(LEAST_LAST_WIDTH));
        let last_width = last_width.filter(|_| self.is_right.last() == Some(&false));
        let line = |row: &Vec<String>| {
            let folded = last_width.zip(row.get(n_before_last)).map(|(last_width, last)| {
                fold(last, Some(last_width)).replace('\n', &format!("\n{:indent$}", ""))
            });
            let before = if folded.is_some() { &row[..n_before_last] } else { &row[..] };
            self.laid_out(before.iter().map(String::as_str).chain(folded.as_deref()), &widths)
        };
        self.rows.iter().map(line).collect()
    }

    /// A table in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = |&is_right: &bool| if is_right { "---:" } else { "---" }.to_owned();
        let rule: Vec<String> = self.is_right.iter().map(rule).collect();
        let rows = self.rows[1..].iter().map(|row| line(row));
        line(&self.rows[0]) + &line(&rule) + &rows.collect::<String>()
    }

    /// Values with commas between them.
    pub(crate) fn csv(&self) -> String {
        let quoted = |cell: &String| match cell.contains([',', '"']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        self.rows.iter().map(line).collect()
    }
}

/// A figure as a cell; empty if there is none.
pub(crate) fn text(figure: Option<impl ToString>) -> String {
    figure.map_or_else(String::new, |figure| figure.to_string())
}

/// A text in lines of at most `width` characters, if that is limited, each as long as can be. A word that is
/// longer stays whole: it is a path or a FEN, which a person may want to copy. Text in colours stays as it
/// is.
pub(crate) fn fold(text: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|_| !text.contains('\u{1b}')) else { return text.to_owned() };
    let options = Options::new(width).break_words(false).word_splitter(WordSplitter::NoHyphenation);
    wrap(text, options).join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Report, fold};

    #[track_caller]
    fn check(report: &Report, width: Option<usize>, expected: &str) {
        assert_eq!(report.text(width), expected);
    }

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let mut report = Report::new("name | >n |");
        report.row(["KQvK", "1,200", "é"]);
        report.row(["KQvKR", "7"]);
        check(&report, None, "name       n\nKQvK   1,200  é\nKQvKR      7\n");
    }

    #[test]
    fn the_last_column_is_folded_on_a_narrow_terminal() {
        let mut report = Report::new("name | >n | needs");
        report.row(["KQvK", "1", ""]);
        report.row(["KQvKR", "2", "KQvK (xr), KRvK (xq), KvK (both)"]);
        let wide = "name   n  needs\nKQvK   1\nKQvKR  2  KQvK (xr), KRvK (xq), KvK (both)\n";
        check(&report, None, wide);
        check(&report, Some(80), wide);
        check(
            &report,
            Some(34),
            "name   n  needs\nKQvK   1\nKQvKR  2  KQvK (xr), KRvK (xq),\n          KvK (both)\n",
        );
    }

    #[test]
    fn other_programs_read_markdown_and_csv() {
        let mut report = Report::new("name | >n, \"plies\"");
        report.row(["K\u{1b}[31mQ", "7"]);
        assert_eq!(report.markdown(), "| name | n, \"plies\" |\n| --- | ---: |\n| K\\u{1b}[31mQ | 7 |\n");
        assert_eq!(report.csv(), "name,\"n, \"\"plies\"\"\"\nK\\u{1b}[31mQ,7\n");
    }

    #[track_caller]
    fn check_folded(text: &str, width: usize, expected: &str) {
        assert_eq!(fold(text, Some(width)), expected);
    }

    #[test]
    fn lines_are_folded_at_spaces() {
        check_folded("", 5, "");
        check_folded("short", 5, "short");
        check_folded("one two three", 7, "one two\nthree");
        check_folded("one two three", 3, "one\ntwo\nthree");
        check_folded("a verylongword b", 4, "a\nverylongword\nb");
        check_folded("first line\nsecond line\n", 6, "first\nline\nsecond\nline\n");
        check_folded("é é é", 3, "é é\né");
        check_folded("KQvK-wins --out", 9, "KQvK-wins\n--out");
        check_folded("\u{1b}[31mred red\u{1b}[0m", 3, "\u{1b}[31mred red\u{1b}[0m");
    }
}
