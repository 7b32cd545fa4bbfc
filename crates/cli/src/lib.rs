//! Runs the commands of the workbench: arguments in, text or JSON out, an exit code at the end.
//!
//! [`run`] is all of it. Each command is a module of its name; each reads its arguments (`args`), calls the
//! crates that compute, and prints. Nothing is computed here that another program could want: that is in
//! `library` and below.
//!
//! Exit codes: 0 yes, 1 a truthful no (a position without a table, a table that is wrong), 2 an error. What
//! is asked for goes to standard output, everything else (progress, errors) to standard error. A reader that
//! stops reading is no error.

mod args;
mod bits;
mod chart;
mod check;
mod choice;
mod clean;
mod cluster;
mod console;
mod export;
mod failure;
mod find;
mod game;
mod import;
mod input;
mod interrupt;
mod new_variant;
#[cfg(feature = "pages")]
mod pages;
mod piece;
mod plan;
#[cfg(feature = "play")]
mod play;
mod probe;
mod progress;
mod rate;
mod remedy;
mod repack;
mod report;
#[cfg(feature = "serve")]
mod serve;
mod solve;
mod stats;
mod structure;
mod survey;
mod telling;
mod thing;
mod user_folder;
mod variants;
mod verify;

use ::console::Term;
use args::{count_threads, pool};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use console::{Console, MaskedTerminal, Out};
pub use console::{Program, TABLESMITH};
use failure::{Answer, Failure, Outcome};
use game::{DEFAULT_VARIANT, Game};
use input::Input;
use progress::{JobWatch, Loading, Planning, Steps, Watch};
use rate::Rate;
use remedy::Remedy;
use report::{Report, bytes, count, distance, fold, plural, seconds};
use std::ffi::OsString;
use std::io::{BufWriter, IsTerminal, Read, Write};
use telling::Telling;
use thing::{Thing, WholeTable};

/// Endgame tables of any board game like chess: rules in, exact tables out.
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Solve(solve::SolveArgs),
    Plan(plan::PlanArgs),
    Probe(probe::ProbeArgs),
    Find(find::FindArgs),
    Stats(stats::StatsArgs),
    Chart(chart::ChartArgs),
    Survey(survey::SurveyArgs),
    Verify(verify::VerifyArgs),
    Check(check::CheckArgs),
    Piece(piece::PieceArgs),
    NewVariant(new_variant::NewVariantArgs),
    Import(import::ImportArgs),
    Variants(variants::VariantsArgs),
    Export(export::ExportArgs),
    Cluster(cluster::ClusterArgs),
    Repack(repack::RepackArgs),
    Clean(clean::CleanArgs),
    #[cfg(feature = "serve")]
    Serve(serve::ServeArgs),
    #[cfg(feature = "serve")]
    Explore(serve::ExploreArgs),
    #[cfg(feature = "pages")]
    Completions(pages::CompletionsArgs),
    #[cfg(feature = "pages")]
    Man(pages::ManArgs),
    /// Play as a chess engine, by the protocol UCI
    #[cfg(feature = "play")]
    Uci(play::PlayArgs),
    /// Play as a chess engine, by the protocol of XBoard
    #[cfg(feature = "play")]
    Xboard(play::PlayArgs),
}

/// The width of a terminal that does not say.
const DEFAULT_WIDTH: usize = 80;

/// Runs the command that these arguments (without the program's name) ask for, as the installed binary does;
/// the exit code.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    run_as(&TABLESMITH, args)
}

/// Runs a command under another program's name; the exit code.
#[must_use]
pub fn run_as(program: &Program, args: impl IntoIterator<Item = OsString>) -> u8 {
    let mut input = Input::new(std::io::stdin());
    let plain = BufWriter::new(std::io::stdout());
    let mut err = std::io::stderr();
    let (is_watched, cache) = (err.is_terminal(), user_folder::cache_folder());
    let [out_width, err_width] = [Term::stdout(), Term::stderr()].map(|term| {
        term.is_term().then(|| term.size_checked().map_or(DEFAULT_WIDTH, |(_, width)| width.into()))
    });
    let mut out: Box<dyn Write + Send> = match out_width {
        Some(_) => Box::new(MaskedTerminal::new(plain)),
        None => Box::new(plain),
    };
    let console = Console::new(*program, &mut input, &mut *out, &mut err);
    let tables = user_folder::tables_folder();
    let mut console = Console { is_watched, cache, tables, out_width, err_width, ..console };
    run_on(&mut console, args)
}

/// Runs a command on streams of the caller instead of those of the process; the exit code.
pub fn run_on_streams(
    program: &Program,
    args: impl IntoIterator<Item = OsString>,
    input: impl Read + Send + 'static,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> u8 {
    let mut input = Input::new(input);
    run_on(&mut Console::new(*program, &mut input, out, err), args)
}

/// Runs a command on any console; the exit code.
fn run_on(console: &mut Console<'_>, args: impl IntoIterator<Item = OsString>) -> u8 {
    let outcome = match read_args(&console.program, args) {
        Ok(args) => perform(console, &args.command),
        Err(error) => return show_clap(console, &error),
    };
    let flushed = console.out.flush().map_err(Failure::from);
    match outcome.and_then(|answer| flushed.map(|()| answer)) {
        Ok(Answer::Yes) | Err(Failure::NobodyReads) => 0,
        Ok(Answer::No) => 1,
        Err(Failure::Printed) => 2,
        Err(failure) => {
            let message = fold(&failure.to_string(), console.err_width);
            // Where a message cannot be written nothing is left to be done.
            let _ = writeln!(console.err, "{message}");
            2
        }
    }
}

fn read_args(program: &Program, args: impl IntoIterator<Item = OsString>) -> Result<Args, clap::Error> {
    let command = Args::command().name(program.name).bin_name(program.name).after_help(program.more_help);
    let args = std::iter::once(OsString::from(program.name)).chain(args);
    Args::from_arg_matches(&command.try_get_matches_from(args)?)
}

/// Shows a help text, the version, or what is wrong with the arguments.
fn show_clap(console: &mut Console<'_>, error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    let is_wrong = error.use_stderr();
    let stream: &mut dyn Write = if is_wrong { console.err } else { console.out };
    // A reader that has gone is no error.
    let _ = writeln!(stream, "{}", text.trim_end()).and_then(|()| stream.flush());
    if is_wrong { 2 } else { 0 }
}

fn perform(console: &mut Console<'_>, command: &Command) -> Outcome {
    kernel::Level::check_variable().map_err(Failure::new)?;
    // Those below have no other answer.
    let done = match command {
        Command::Solve(args) => return solve::run(console, args),
        Command::Plan(args) => return plan::run(console, args),
        Command::Probe(args) => return probe::run(console, args),
        Command::Find(args) => return find::run(console, args),
        Command::Verify(args) => return verify::run(console, args),
        Command::Check(args) => return check::run(console, args),
        Command::Cluster(args) => return cluster::run(console, args),
        Command::Stats(args) => stats::run(console, args),
        Command::Chart(args) => chart::run(console, args),
        Command::Survey(args) => survey::run(console, args),
        Command::Piece(args) => piece::run(console, args),
        Command::NewVariant(args) => new_variant::run(console, args),
        Command::Import(args) => return import::run(console, args),
        Command::Variants(args) => variants::run(console, args),
        Command::Export(args) => export::run(console, args),
        Command::Repack(args) => repack::run(console, args),
        Command::Clean(args) => clean::run(console, args),
        #[cfg(feature = "pages")]
        Command::Completions(args) => pages::completions(console, args, Args::command()),
        #[cfg(feature = "pages")]
        Command::Man(args) => pages::man(console, args, Args::command()),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::serve(console, args),
        #[cfg(feature = "serve")]
        Command::Explore(args) => serve::explore(console, args),
        #[cfg(feature = "play")]
        Command::Uci(args) => play::uci(console, args),
        #[cfg(feature = "play")]
        Command::Xboard(args) => play::xboard(console, args),
    };
    done.map(|()| Answer::Yes)
}

#[cfg(test)]
mod tests;
