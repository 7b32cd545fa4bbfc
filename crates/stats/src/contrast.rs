//! Compares two tables of the same men, position by position: what other rules change.

use crate::census::Writer;
use index::Layout;
use std::ops::Range;
use table::{Table, Value, View, threads};
use variant::{Man, Side, Variant};

/// How many placements are compared at a time.
const STRETCH: usize = 1 << 14;

/// Two tables compared.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Contrast {
    /// By side to move.
    sides: [SideContrast; 2],
}

/// The positions with one side to move, those of the first table modulo symmetry and the exchange of like
/// men.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SideContrast {
    /// How many positions have one result (see [`Standing`]) in the first table and one in the second.
    pub counts: [[u64; 4]; 4],
    /// Of the positions with the same result, how many take another number of plies.
    pub n_other_plies: u64,
    /// The first positions of each change, one for each pair of results, as FEN.
    pub examples: Vec<Change>,
}

/// What a position is in a table, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Standing {
    /// A win.
    Win,
    /// A draw.
    Draw,
    /// A loss.
    Loss,
    /// No position.
    Illegal,
}

impl Standing {
    /// All, in the order of the counts.
    pub const ALL: [Standing; 4] = [Standing::Win, Standing::Draw, Standing::Loss, Standing::Illegal];

    fn of(value: Value) -> Self {
        match value.wdl() {
            Some(1) => Standing::Win,
            Some(0) => Standing::Draw,
            Some(_) => Standing::Loss,
            None => Standing::Illegal,
        }
    }

    /// The standing in a word.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Standing::Win => "win",
            Standing::Draw => "draw",
            Standing::Loss => "loss",
            Standing::Illegal => "illegal",
        }
    }
}

/// A position that the two tables judge differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What it is in the first table.
    pub before: Value,
    /// What it is in the second.
    pub after: Value,
    /// The position.
    pub fen: String,
}

/// Why two tables cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContrastError {
    /// The boards differ.
    #[error("the boards are not of one size and shape")]
    Board,
    /// A man of one table has no counterpart.
    #[error("the men are {first} and {second}; the same letters are needed")]
    Men {
        /// The first table's name.
        first: String,
        /// The second one's.
        second: String,
    },
}

/// A table with its rules.
pub type Ruled<'a> = (&'a Variant, &'a Table);

impl Contrast {
    /// Compares two tables, whose men are known by their letters.
    ///
    /// # Errors
    /// They are not of the same men, or of another board.
    pub fn new(first: Ruled<'_>, second: Ruled<'_>) -> Result<Self, ContrastError> {
        let ((rules, table), (other_rules, other)) = (first, second);
        let (layout, other_layout) = (table.layout(), other.layout());
        if rules.board != other_rules.board {
            return Err(ContrastError::Board);
        }
        let men_error =
            || ContrastError::Men { first: layout.name().into(), second: other_layout.name().into() };
        let translated = |man: &Man| {
            let piece = other_rules.piece_lettered(rules.piece(man.piece).letter)?;
            Some(Man { piece, ..*man })
        };
        let men: Option<Vec<Man>> = layout.men().iter().map(translated).collect();
        let men = men.ok_or_else(men_error)?;
        let own = View::of_table(table, layout.men(), None).expect("a layout's men are its own");
        let theirs = View::of_table(other, &men, None).ok_or_else(men_error)?;
        let reader = Reader { layout, views: [own, theirs] };
        let writer = Writer::new(rules, layout);
        Ok(Contrast { sides: Side::BOTH.map(|stm| reader.compare(stm, &writer)) })
    }

    /// The positions with this side to move.
    #[must_use]
    pub fn side(&self, stm: Side) -> &SideContrast {
        &self.sides[stm.index()]
    }
}

impl SideContrast {
    /// How many positions have these standings.
    #[must_use]
    pub fn count(&self, before: Standing, after: Standing) -> u64 {
        self.counts[before as usize][after as usize]
    }
}

struct Reader<'a> {
    /// That of the first table.
    layout: &'a Layout,
    views: [View<'a>; 2],
}

/// What a stretch of placements has; examples are numbers.
#[derive(Default)]
struct StretchCounts {
    counts: [[u64; 4]; 4],
    n_other_plies: u64,
    examples: Vec<(Value, Value, usize)>,
}

impl Reader<'_> {
    fn compare(&self, stm: Side, writer: &Writer<'_>) -> SideContrast {
        let stretches = threads::stretches(0..self.layout.len(), STRETCH);
        let parts = threads::map(stretches, |places| self.part(stm, places));
        let mut side = SideContrast::default();
        let mut found: Vec<(Value, Value, usize)> = Vec::new();
        for part in parts {
            for (sums, counts) in side.counts.iter_mut().zip(part.counts) {
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
            side.n_other_plies += part.n_other_plies;
            part.examples.into_iter().for_each(|example| keep(&mut found, example));
        }
        found.sort_by_key(|&(before, after, _)| (Standing::of(before), Standing::of(after)));
        side.examples = found
            .into_iter()
            .map(|(before, after, index)| Change { before, after, fen: writer.fen(stm, index) })
            .collect();
        side
    }

    fn part(&self, stm: Side, places: Range<usize>) -> StretchCounts {
        let layout = self.layout;
        let mut part = StretchCounts::default();
        for index in places {
            let squares = layout.decode(index);
            if !layout.is_canonical(index, &squares) {
                continue;
            }
            let [before, after] = self.views.each_ref().map(|view| view.value(stm, &squares));
            let (own, theirs) = (Standing::of(before), Standing::of(after));
            part.counts[own as usize][theirs as usize] += 1;
            if own != theirs {
                keep(&mut part.examples, (before, after, index));
            } else {
                part.n_other_plies += u64::from(before.ply() != after.ply());
            }
        }
        part
    }
}

/// Keeps an example if it is the first of its kind.
fn keep(examples: &mut Vec<(Value, Value, usize)>, example: (Value, Value, usize)) {
    let kind = |&(before, after, _): &(Value, Value, usize)| (Standing::of(before), Standing::of(after));
    if !examples.iter().any(|known| kind(known) == kind(&example)) {
        examples.push(example);
    }
}
