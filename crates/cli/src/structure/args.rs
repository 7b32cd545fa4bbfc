//! Declares the options that are about positions instead of tables.

use ::structure::Limit;

/// What is asked about positions.
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct StructureArgs {
    /// Solve this position in FEN and all that can come from it, instead of whole tables; may be given
    /// several times
    #[arg(long, value_name = "FEN", conflicts_with_all = ["men", "table"])]
    pub(crate) position: Vec<String>,
    /// How many men may be promoted, of both sides together (1) or of White and of Black (1,1): then what is
    /// found are bounds [default: no limit if that is not too much, else what makes the position exact]
    #[arg(long, value_name = "N", requires = "position", value_parser = parse_promoted)]
    pub(crate) promoted: Option<Limit>,
    /// The most values that are solved under one limit, such as 20G
    #[arg(
        long, value_name = "N", requires = "position", default_value = "20G",
        value_parser = crate::size::parse_size
    )]
    pub(crate) limit: u64,
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
