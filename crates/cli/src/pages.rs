//! `completions` and `man`: write what a package brings along beside the program.

use crate::{Console, Failure, Outcome};
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::PathBuf;

/// Print what a shell reads to complete commands and options
#[derive(clap::Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the page of the manual, or write one for each command
#[derive(clap::Args, Debug)]
pub(crate) struct ManArgs {
    /// The folder for the pages, `tablesmith.1` and `tablesmith-solve.1` and so on, instead of one page on
    /// standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn completions(
    console: &mut Console<'_>,
    args: &CompletionsArgs,
    mut program: Command,
) -> Outcome<()> {
    let mut text = Vec::new();
    // The file is for the installed program, whatever this one is called.
    clap_complete::generate(args.shell, &mut program, "tablesmith", &mut text);
    console.out.write_all(&text)?;
    Ok(())
}

/// The command with all of its options explained, those too that `-h` leaves out.
fn in_full(command: Command) -> Command {
    command.mut_args(|arg| arg.hide_short_help(false)).mut_subcommands(in_full)
}

pub(crate) fn man(console: &mut Console<'_>, args: &ManArgs, program: Command) -> Outcome<()> {
    let command = in_full(program).name("tablesmith");
    let Some(folder) = &args.out else {
        let mut text = Vec::new();
        Man::new(command).render(&mut text)?;
        console.out.write_all(&text)?;
        return Ok(());
    };
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written
        .map_err(|error| Failure::new(format!("cannot write pages into {}: {error}", folder.display())))?;
    Ok(())
}
