//! Chooses tables among those of folders.

use crate::game::chosen;
use crate::remedy::{metric_names, own_or_first, solve_for};
use crate::{Failure, Game, Outcome};
use library::{having, shown};
use std::collections::BTreeSet;
use std::path::PathBuf;
use variant::{Material, Metric};

/// Tables of folders that are asked for.
pub(crate) struct Choice<'a> {
    pub(crate) game: &'a Game,
    pub(crate) folders: &'a [PathBuf],
    /// What is read of them.
    pub(crate) metrics: &'a [Metric],
    /// Names and patterns; all tables without any.
    pub(crate) asked: &'a [String],
    pub(crate) men: Option<usize>,
}

impl Choice<'_> {
    /// Those that are meant, at least one; of the names some may be of tables that are not there.
    pub(crate) fn among(&self, there: &BTreeSet<Material>, program: &str) -> Outcome<BTreeSet<Material>> {
        let (variant, asked) = (&self.game.variant, self.asked);
        let mut wanted = if asked.is_empty() { there.clone() } else { chosen(variant, asked, there)? };
        wanted.retain(|material| self.men.is_none_or(|n_men| material.n_men() <= n_men));
        if wanted.is_empty() { Err(self.missing(None, program)) } else { Ok(wanted) }
    }

    /// Says that a table, or any, is not there, and which command builds it.
    pub(crate) fn missing(&self, material: Option<&Material>, program: &str) -> Failure {
        let Choice { game, folders, metrics, .. } = *self;
        let names = metric_names(metrics);
        let name = material.map(|material| material.name(&game.variant));
        let solve = solve_for(program, game, name.as_deref(), metrics, own_or_first(folders));
        Failure::new(match name {
            Some(name) => format!("{name} is not there with the {names} in {}; {solve}", shown(folders)),
            None => format!("{} no tables of the {names} that are asked for; {solve}", having(folders)),
        })
    }
}
