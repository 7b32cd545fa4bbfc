//! Draws a board whose squares are coloured by a number each.

use crate::chart::svg::{Anchor, INK, Svg};
use geometry::{Board, Square};

/// A board with a number on each square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeatMap {
    /// What stands above it.
    pub title: String,
    /// What stands below it.
    pub caption: String,
    /// The board.
    pub board: Board,
    /// By square, in tenths; none where there is nothing to say.
    pub tenths: Vec<Option<u64>>,
}

const CELL: f64 = 56.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 44.0;

/// From the least to the greatest number, dark to light; equally bright steps (after `viridis`).
const SCALE: [[u64; 3]; 5] = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

impl HeatMap {
    /// The map as SVG.
    ///
    /// # Panics
    /// If there is not one number for each square.
    #[must_use]
    pub fn svg(&self) -> String {
        assert_eq!(self.tenths.len(), self.board.n_squares(), "a number for each square");
        let (files, ranks) = (self.board.files(), self.board.ranks());
        let width = (2.0 * LEFT + CELL * files as f64).max(420.0);
        let height = TOP + CELL * ranks as f64 + 60.0;
        let mut svg = Svg::new(width, height, &self.title);
        svg.text((width / 2.0, 24.0), Anchor::Middle, INK, &self.title);
        let known = || self.tenths.iter().flatten().copied();
        let (least, most) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
        for square in self.board.squares() {
            let (at, tenths) = (self.corner(square), self.tenths[square.index()]);
            let (colour, ink) = match tenths {
                Some(tenths) => colours(tenths - least, most - least),
                None => ("#ffffff".to_owned(), INK),
            };
            svg.rectangle(at, (CELL, CELL), &colour);
            let text = tenths.map_or_else(|| "–".to_owned(), |t| format!("{}.{}", t / 10, t % 10));
            svg.text((at.0 + CELL / 2.0, at.1 + CELL / 2.0 + 4.0), Anchor::Middle, ink, &text);
        }
        for file in 0..files {
            let x = LEFT + CELL * (file as f64 + 0.5);
            let letter = ((b'a' + file as u8) as char).to_string();
            svg.text((x, TOP + CELL * ranks as f64 + 18.0), Anchor::Middle, INK, &letter);
        }
        for rank in 0..ranks {
            let y = TOP + CELL * ((ranks - rank) as f64 - 0.5) + 4.0;
            svg.text((LEFT - 12.0, y), Anchor::End, INK, &(rank + 1).to_string());
        }
        svg.text((width / 2.0, height - 14.0), Anchor::Middle, INK, &self.caption);
        svg.finish()
    }

    fn corner(&self, square: Square) -> (f64, f64) {
        let (file, rank) = (self.board.file_of(square), self.board.rank_of(square));
        (LEFT + CELL * file as f64, TOP + CELL * (self.board.ranks() - 1 - rank) as f64)
    }
}

/// The colour of a number on the scale, and an ink that can be read on it.
fn colours(part: u64, whole: u64) -> (String, &'static str) {
    let n_steps = SCALE.len() as u64 - 1;
    // In thousandths of the scale, in integers, so that it is the same everywhere.
    let place = (part * 1000).checked_div(whole).unwrap_or(500);
    let step = (place * n_steps / 1000).min(n_steps - 1);
    let within = place * n_steps - step * 1000;
    let (low, high) = (SCALE[step as usize], SCALE[step as usize + 1]);
    let [r, g, b]: [u64; 3] =
        std::array::from_fn(|i| (low[i] * (1000 - within) + high[i] * within + 500) / 1000);
    (format!("#{r:02x}{g:02x}{b:02x}"), if place < 550 { "#ffffff" } else { INK })
}
