//! Declares arguments that several commands take.

use crate::Failure;
pub(crate) use crate::file_format::{PlanFormat, WriteFormat};
use serde::{Deserialize, Serialize};
use variant::{Material, Variant};

/// Which tables are wanted.
#[derive(clap::Args, Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Wanted {
    /// All tables of up to so many men, kings included [default: the limit of the variant]; with a pattern,
    /// those that fit it
    #[arg(long, value_name = "N")]
    pub(crate) men: Option<usize>,
    /// A table, such as KQvKR, with what it needs, or all that fit a pattern, such as 'KR*vK*'; may be given
    /// several times
    #[arg(long, value_name = "MATERIAL")]
    #[serde(default)]
    pub(crate) table: Vec<String>,
}

/// Which tables of those that are there.
#[derive(clap::Args, Debug)]
pub(crate) struct Chosen {
    /// Only tables of up to so many men, kings included; together with --table that one too
    #[arg(long, value_name = "N")]
    pub(crate) men: Option<usize>,
    /// Only this table, such as KQvKR
    #[arg(long, value_name = "MATERIAL")]
    pub(crate) table: Option<String>,
}

impl Chosen {
    /// Whether all tables are asked for.
    pub(crate) fn is_all(&self) -> bool {
        self.men.is_none() && self.table.is_none()
    }

    /// The table that `table` names.
    pub(crate) fn only(&self, variant: &Variant) -> Result<Option<Material>, Failure> {
        let only = self.table.as_deref().map(|name| Material::from_typed(variant, name));
        only.transpose().map_err(Failure::new)
    }

    /// Whether a table is among those that are asked for; `only` is what `table` names.
    pub(crate) fn has(&self, material: &Material, only: Option<&Material>) -> bool {
        match (self.men, only) {
            (None, None) => true,
            (men, only) => men.is_some_and(|n_men| material.n_men() <= n_men) || only == Some(material),
        }
    }
}
