//! Maps the men and colours of an asker to the numbers of a table, wherever the table's codes lie.

use geometry::{Square, Symmetry};
use index::{Layout, MAX_PLACED};
use variant::{Man, Side};

/// How the men of an asker stand for those of a table: in another order, or with the colours exchanged.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Which sides to move the table keeps.
    keeps: [bool; 2],
    /// For reading with the colours as they are and exchanged: which of the asker's men stands at each place
    /// of the layout; none if the men do not match so.
    order: [Option<[u8; MAX_PLACED]>; 2],
}

/// One way to read a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading<'a> {
    /// The side to move as the table has it.
    pub(crate) stm: Side,
    /// Which of the asker's men stands at each place of the layout.
    order: &'a [u8; MAX_PLACED],
    /// Takes the asker's squares to the table's.
    pub(crate) to_table: Symmetry,
}

impl Mapping {
    /// The mapping of these men to a table that keeps these sides to move; none if they are not its material
    /// in either colours, or in these where the rules are not the same for both sides.
    ///
    /// Where checks are counted, the asker's sides have given those of the table.
    #[must_use]
    pub fn new(layout: &Layout, keeps: [bool; 2], men: &[Man]) -> Option<Self> {
        Mapping::pinned(layout, keeps, men, layout.material().given_checks(), None)
    }

    /// Like [`Self::new`], for an asker whose sides have given these checks; none if the table has others.
    #[must_use]
    pub fn with_checks(
        layout: &Layout,
        keeps: [bool; 2],
        men: &[Man],
        given_checks: [u8; 2],
    ) -> Option<Self> {
        Mapping::pinned(layout, keeps, men, given_checks, None)
    }

    /// Like `new`, where the man at the first place, of the layout's, must be the one at the second, of the
    /// asker's.
    pub(crate) fn pinned(
        layout: &Layout,
        keeps: [bool; 2],
        men: &[Man],
        given_checks: [u8; 2],
        pin: Option<(usize, usize)>,
    ) -> Option<Self> {
        let swapped: Vec<Man> = men.iter().map(|m| Man { side: !m.side, ..*m }).collect();
        let ([white, black], of_table) = (given_checks, layout.material().given_checks());
        let may_exchange = layout.is_colour_symmetric() && [black, white] == of_table;
        let plain = if given_checks == of_table { matching(layout.men(), men, pin) } else { None };
        let exchanged = if may_exchange { matching(layout.men(), &swapped, pin) } else { None };
        let order = [plain, exchanged];
        order.iter().any(Option::is_some).then_some(Mapping { keeps, order })
    }

    /// Whether the table can be read with the asker's `stm` to move: a file may have left that side out.
    #[must_use]
    #[inline]
    pub fn has(&self, stm: Side) -> bool {
        (self.order[0].is_some() && self.keeps[stm.index()])
            || (self.order[1].is_some() && self.keeps[(!stm).index()])
    }

    /// How to read the table with the asker's `stm` to move: with the colours as they are, if the men match
    /// so and that side to move is kept; otherwise exchanged.
    ///
    /// # Panics
    /// If a part of a table or a file that keeps one side to move only is asked for the other.
    #[inline]
    pub(crate) fn reading(&self, layout: &Layout, stm: Side) -> Reading<'_> {
        if let (Some(order), true) = (&self.order[0], self.keeps[stm.index()]) {
            return Reading { stm, order, to_table: Symmetry::IDENTITY };
        }
        match &self.order[1] {
            Some(order) if self.keeps[(!stm).index()] => {
                Reading { stm: !stm, order, to_table: Symmetry::MIRROR_RANKS }
            }
            _ => panic!("{} was asked for {stm:?} to move, which it does not have", layout.name()),
        }
    }

    /// Where the value of a position stands: the side to move as the table has it, and the placement's
    /// canonical number; none where the numbering has no place because the men cannot stand so. The layout
    /// must be that of the mapping.
    ///
    /// # Panics
    /// If that side to move is not there: see [`Mapping::has`].
    #[must_use]
    #[inline]
    pub fn locate(&self, layout: &Layout, stm: Side, squares: &[Square]) -> Option<(Side, usize)> {
        let reading = self.reading(layout, stm);
        let mut own = [Square::from_index(0); MAX_PLACED];
        reading.squares(layout, squares, &mut own);
        Some((reading.stm, layout.encode(&own[..squares.len()])?))
    }
}

impl Reading<'_> {
    /// The squares of the layout's men, from those of the asker's.
    #[inline]
    pub(crate) fn squares(&self, layout: &Layout, squares: &[Square], own: &mut [Square; MAX_PLACED]) {
        let to_table = layout.permutation(self.to_table);
        for (slot, &from) in own.iter_mut().zip(&self.order[..squares.len()]) {
            *slot = Square::from_index(to_table[squares[from as usize].index()] as usize);
        }
    }

    /// The squares of the asker's men in the order of the layout's, as the asker names them.
    #[inline]
    pub(crate) fn ordered(&self, squares: &[Square]) -> [Square; MAX_PLACED] {
        let mut own = [Square::from_index(0); MAX_PLACED];
        for (slot, &from) in own.iter_mut().zip(&self.order[..squares.len()]) {
            *slot = squares[from as usize];
        }
        own
    }

    /// The place in the layout of the asker's man at this place.
    #[inline]
    pub(crate) fn place_of(&self, man: usize) -> usize {
        self.order
            .iter()
            .position(|&from| from as usize == man)
            .expect("every man of the asker's has a place")
    }
}

/// For each man of `own` the place of an equal man in `others`, each used once; none if they do not match.
fn matching(own: &[Man], others: &[Man], pin: Option<(usize, usize)>) -> Option<[u8; MAX_PLACED]> {
    if own.len() != others.len() || pin.is_some_and(|(to, from)| own[to] != others[from]) {
        return None;
    }
    let mut order = [0; MAX_PLACED];
    let mut used = [false; MAX_PLACED];
    if let Some((_, from)) = pin {
        used[from] = true;
    }
    for (i, (slot, man)) in order.iter_mut().zip(own).enumerate() {
        let place = match pin {
            Some((to, from)) if to == i => from,
            _ => (0..others.len()).find(|&i| !used[i] && others[i] == *man)?,
        };
        used[place] = true;
        *slot = place as u8;
    }
    Some(order)
}
