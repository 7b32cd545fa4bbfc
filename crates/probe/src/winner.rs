//! Reads a table from a file that has one side's wins alone.

use crate::Tablebase;
use position::Position;
use table::Value;
use variant::{Material, Side};

impl Tablebase {
    /// The same of tables of which one is read from a file that has one side's wins alone: where this side
    /// does not win its positions are called draws. `material` is canonical.
    #[must_use]
    pub fn with_winner(mut self, material: &Material, winner: Side) -> Self {
        self.wdl = self.wdl.map(|wdl| Box::new(wdl.with_winner(material, winner)));
        self.one_winner = Some((material.clone(), winner));
        self
    }

    /// The side whose wins alone are known of a position, if it has men of which no more is known.
    #[must_use]
    pub fn winner_of(&self, position: &Position) -> Option<Side> {
        let (material, winner) = self.one_winner.as_ref()?;
        let own = Material::from_men(position.men().map(|(man, _)| man));
        match () {
            () if own == *material => Some(*winner),
            () if own.swapped() == *material => Some(!*winner),
            () => None,
        }
    }

    /// A value, as far as the table of the position's men tells it.
    pub(crate) fn of_winner(&self, position: &Position, value: Value) -> Value {
        self.winner_of(position).map_or(value, |winner| value.of_winner(position.stm(), winner))
    }
}
