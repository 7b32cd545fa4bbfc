//! `variants`: lists the games that are built in, and shows their rules.

use crate::{Console, Failure, Outcome, Report};
use variant::{Variant, game};

/// List the games that are built in, or show the rules of one: a text to begin a game of your own with
#[derive(clap::Args, Debug)]
pub(crate) struct VariantsArgs {
    /// Print the rules of this game, as a file has them
    #[arg(long, value_name = "NAME")]
    pub(crate) show: Option<String>,
}

pub(crate) fn run(console: &mut Console<'_>, args: &VariantsArgs) -> Outcome<()> {
    let Some(name) = &args.show else {
        let mut report = Report::new("game|>board|>pieces|what it is");
        for (name, text) in game::GAMES {
            let variant = Variant::parse(text, name).map_err(Failure::new)?;
            let board = format!("{}×{}", variant.board.files(), variant.board.ranks());
            report.row([name, &board, &variant.pieces.len().to_string(), &variant.description]);
        }
        return console.print(&report, false, false);
    };
    let (own_name, text) = game::named(name).ok_or_else(|| {
        let program = console.program.name;
        Failure::new(format!(
            "there is no game `{name}` here; `{program} variants` lists those that are built in"
        ))
    })?;
    Ok(write!(
        console.out,
        "# To make another game of these rules, give it a name of its own below: as `{own_name}` its tables\n\
         # would go into the folder of those of the game that is built in.\n#\n{text}"
    )?)
}
