//! Prints text in columns.

use crate::fold::fold;

/// The spaces between two columns.
const GAP: usize = 2;

/// What is left to a folded column on the narrowest terminal.
const LEAST_LAST_WIDTH: usize = 16;

/// The side of a column at which its cells stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells, printed in columns as wide as they must be.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    aligns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A grid with this head.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let head = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        Grid { aligns: columns.iter().map(|(_, align)| *align).collect(), rows: vec![head] }
    }

    /// Adds a row; cells that are missing are empty.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// The text: a line a row, two spaces between columns, no space at the end. On a terminal of this width
    /// the last column is folded, and what does not fit beside the others goes on below itself.
    pub(crate) fn text(&self, terminal_width: Option<usize>) -> String {
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..self.aligns.len()).map(|column| width(column).unwrap_or(0)).collect();
        let n_before_last = widths.len().saturating_sub(1);
        let indent: usize = widths[..n_before_last].iter().map(|width| width + GAP).sum();
        let last_width = terminal_width.map(|width| width.saturating_sub(indent).max(LEAST_LAST_WIDTH));
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                line += &match (self.aligns[column], last_width) {
                    (Align::Left, Some(last_width)) if column == n_before_last => {
                        fold(cell, last_width).replace('\n', &format!("\n{:indent$}", ""))
                    }
                    (Align::Left, _) => format!("{cell:<width$}  "),
                    (Align::Right, _) => format!("{cell:>width$}  "),
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Align, Grid};

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let mut grid = Grid::new(&[("name", Align::Left), ("n", Align::Right), ("", Align::Left)]);
        grid.push(vec!["KQvK".into(), "1,200".into(), "é".into()]);
        grid.push(vec!["KQvKR".into(), "7".into()]);
        assert_eq!(grid.text(None), "name       n\nKQvK   1,200  é\nKQvKR      7\n");
    }
    #[test]
    fn the_last_column_is_folded_on_a_narrow_terminal() {
        let mut grid = Grid::new(&[("name", Align::Left), ("n", Align::Right), ("needs", Align::Left)]);
        grid.push(vec!["KQvK".into(), "1".into(), String::new()]);
        grid.push(vec!["KQvKR".into(), "2".into(), "KQvK (xr), KRvK (xq), KvK (both)".into()]);
        let wide = "name   n  needs\nKQvK   1\nKQvKR  2  KQvK (xr), KRvK (xq), KvK (both)\n";
        assert_eq!(grid.text(None), wide);
        assert_eq!(grid.text(Some(80)), wide);
        let narrow = "name   n  needs\nKQvK   1\nKQvKR  2  KQvK (xr), KRvK (xq),\n          KvK (both)\n";
        assert_eq!(grid.text(Some(34)), narrow);
    }
}
