//! Text in columns.

/// Which way a column leans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lean {
    Left,
    Right,
}

/// Rows of cells, printed in columns as wide as they must be.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    leans: Vec<Lean>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A grid with this head.
    pub(crate) fn new(columns: &[(&str, Lean)]) -> Self {
        let head = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        Grid { leans: columns.iter().map(|(_, lean)| *lean).collect(), rows: vec![head] }
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
        let widths: Vec<usize> = (0..self.leans.len()).map(|column| width(column).unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, &width), lean) in row.iter().zip(&widths).zip(&self.leans) {
                line += &match lean {
                    Lean::Left => format!("{cell:<width$}  "),
                    Lean::Right => format!("{cell:>width$}  "),
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
    use super::{Grid, Lean};

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let mut grid = Grid::new(&[("name", Lean::Left), ("n", Lean::Right), ("", Lean::Left)]);
        grid.push(vec!["KQvK".into(), "1,200".into(), "é".into()]);
        grid.push(vec!["KQvKR".into(), "7".into()]);
        assert_eq!(grid.text(), "name       n\nKQvK   1,200  é\nKQvKR      7\n");
    }
}
