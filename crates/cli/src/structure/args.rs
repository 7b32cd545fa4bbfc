//! Declares the options that are about positions instead of tables.

use ::structure::Limit;
use std::path::PathBuf;

/// What is asked about positions.
#[derive(clap::Args, Clone, Default, Debug)]
#[command(group = clap::ArgGroup::new("asked").args(["position", "structure"]).multiple(false))]
pub(crate) struct StructureArgs {
    /// Solve this position in FEN and all that can come from it, instead of whole tables; may be given
    /// several times
    #[arg(long, value_name = "FEN", conflicts_with_all = ["men", "table"])]
    pub(crate) position: Vec<String>,
    /// Solve a structure file (docs/structures.md): men, the squares that each may stand on, limits
    #[arg(long, value_name = "FILE", conflicts_with_all = ["men", "table"])]
    pub(crate) structure: Option<PathBuf>,
    /// With --position: a man that never moves, such as wRh1; may be given several times. What is found is
    /// what White has at least if he is White's, at most if he is Black's
    #[arg(long, value_name = "MAN", requires = "position")]
    pub(crate) fixed: Vec<String>,
    /// Ask only whether the side to move holds (draw) or wins (win), which takes less time than all values
    #[arg(long = "for", value_name = "GOAL", value_enum, requires = "position")]
    pub(crate) goal: Option<Goal>,
    /// How many men may be promoted, of both sides together (1) or of White and of Black (1,1), instead of
    /// the number in a structure file: then what is found are bounds [default: no limit if that is not too
    /// much, else what makes the position exact]
    #[arg(long, value_name = "N", requires = "asked", value_parser = parse_promoted)]
    pub(crate) promoted: Option<Limit>,
    /// The most values that are solved under one limit, such as 20G
    #[arg(
        long, value_name = "N", requires = "asked", default_value = "20G",
        value_parser = crate::size::parse_size
    )]
    pub(crate) limit: u64,
}

/// What the side to move plays for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Goal {
    /// Not to lose
    Draw,
    /// To win
    Win,
}

impl StructureArgs {
    /// Whether a structure is asked for.
    pub(crate) fn is_given(&self) -> bool {
        !self.position.is_empty() || self.structure.is_some()
    }
}

/// `1` or `1,1`.
fn parse_promoted(text: &str) -> Result<Limit, String> {
    let wrong = || format!("`{text}` is no number of promoted men such as 1, or 1,1 for White and Black");
    let number = |text: &str| text.trim().parse().map_err(|_| wrong());
    match text.split_once(',') {
        None => Ok(Limit::in_all(number(text)?)),
        Some((white, black)) => Ok(Limit::each(number(white)?, number(black)?)),
    }
}
