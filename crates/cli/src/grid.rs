//! Prints text in columns.

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

    /// The text: a line a row, two spaces between columns, no space at the end.
    pub(crate) fn text(&self) -> String {
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..self.aligns.len()).map(|column| width(column).unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, &width), align) in row.iter().zip(&widths).zip(&self.aligns) {
                line += &match align {
                    Align::Left => format!("{cell:<width$}  "),
                    Align::Right => format!("{cell:>width$}  "),
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
        assert_eq!(grid.text(), "name       n\nKQvK   1,200  é\nKQvKR      7\n");
    }
}
