//! Declares arguments that several commands take, and names formats of files and sides as their values.

use crate::Failure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use variant::{Material, Side, Variant};

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

/// The files that a run writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum)]
pub(crate) enum WriteFormat {
    /// Our own: small, checked, of any metric
    Tsm,
    /// .rtbw and .rtbz for chess programs, or those of the game
    Syzygy,
    /// Flat files of distances
    Tbl,
    /// Flat files of who wins
    Tbc,
}

/// The forms of a plan that other programs read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum PlanFormat {
    /// A script of the shell: `bash FILE` submits a job for each table to Slurm
    Slurm,
    /// A makefile: `make -j 8 -f FILE` makes what is missing
    Make,
    /// A Snakefile, with memory, disk and time of each table
    Snakemake,
    /// JSON, as with --json
    Json,
    /// The DOT language, as with --dot
    Dot,
}

/// Reads a side by its name.
pub(crate) fn side() -> impl TypedValueParser<Value = Side> {
    let side = |name: String| if name == "white" { Side::White } else { Side::Black };
    PossibleValuesParser::new(["white", "black"]).map(side)
}
