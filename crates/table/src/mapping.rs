//! From somebody's men and colours to the numbers of a table, wherever the table's codes lie.

use geometry::Square;
use index::{Layout, MAX_MEN};
use variant::{Man, Side};

/// How the men of an asker stand for those of a table: in another order, or with the colours exchanged.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Which sides to move the table keeps.
    keeps: [bool; 2],
    /// For reading with the colours as they are and exchanged: which of the asker's men stands at each place of
    /// the layout; none if the men do not match so.
    order: [Option<[u8; MAX_MEN]>; 2],
    flip: [u8; 64],
}

impl Mapping {
    /// The mapping of these men to a table that keeps these sides to move; none if they are not its material in
    /// either colours.
    #[must_use]
    pub fn new(layout: &Layout, keeps: [bool; 2], men: &[Man]) -> Option<Self> {
        let swapped: Vec<Man> = men.iter().map(|m| Man { side: !m.side, ..*m }).collect();
        let order = [matching(layout.men(), men), matching(layout.men(), &swapped)];
        if order.iter().all(Option::is_none) {
            return None;
        }
        let mut flip = [0; 64];
        let board = layout.board();
        board.squares().for_each(|s| flip[s.index()] = board.mirror_ranks(s).index() as u8);
        Some(Mapping { keeps, order, flip })
    }

    /// Where the value of a position stands: the side to move as the table has it, and the placement's number; none
    /// where the numbering has no place because the men cannot stand so. The layout must be that of the mapping.
    #[must_use]
    #[inline]
    pub fn locate(&self, layout: &Layout, stm: Side, squares: &[Square]) -> Option<(Side, usize)> {
        let mut own = [Square::from_index(0); MAX_MEN];
        let n = squares.len();
        // As they are, if the men match so and that side to move is kept; otherwise with the colours exchanged.
        if let (Some(order), true) = (&self.order[0], self.keeps[stm.index()]) {
            for (slot, &from) in own.iter_mut().zip(&order[..n]) {
                *slot = squares[from as usize];
            }
            return Some((stm, layout.encode(&own[..n])?));
        }
        let order = self.order[1].as_ref().expect("a table of one side to move has symmetric material");
        for (slot, &from) in own.iter_mut().zip(&order[..n]) {
            *slot = Square::from_index(self.flip[squares[from as usize].index()] as usize);
        }
        Some((!stm, layout.encode(&own[..n])?))
    }
}

/// For each man of `own` the place of an equal man in `others`, each used once; none if they do not match.
fn matching(own: &[Man], others: &[Man]) -> Option<[u8; MAX_MEN]> {
    if own.len() != others.len() {
        return None;
    }
    let mut order = [0; MAX_MEN];
    let mut used = [false; MAX_MEN];
    for (slot, man) in order.iter_mut().zip(own) {
        let place = (0..others.len()).find(|&i| !used[i] && others[i] == *man)?;
        used[place] = true;
        *slot = place as u8;
    }
    Some(order)
}
