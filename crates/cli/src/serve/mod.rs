//! `serve` and `explore`: serve tables over HTTP until somebody ends it.

mod args;
mod descriptor;

pub(crate) use args::{ExploreArgs, ServeArgs};

use crate::console::Console;
use crate::game::{DEFAULT_VARIANT, Game};
use crate::remedy::{is_foreign, solve_command};
use crate::{Answer, Failure, Outcome};
use args::Limits;
use library::{Holding, holdings};
use server::{Options, Server};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;
use variant::Variant;

/// The port of the explorer, unless it is taken.
const EXPLORER_PORT: u16 = 9010;

/// How long answers from tables that do not change may be kept.
const KEEP_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Threads that read tables beside those that answer.
const SPARE_THREADS: usize = 2;

pub(crate) fn serve(console: &mut Console<'_>, args: &ServeArgs) -> Outcome {
    let given = given(&args.limits)?;
    let tables = args.tables.as_deref().unwrap_or(Path::new("tables"));
    // What is named has to be there; a game needs no tables.
    if !tables.is_dir() && (args.tables.is_some() || given.is_empty()) {
        let (program, folder) = (console.program.name, tables.display());
        return Err(Failure::new(format!(
            "there is no folder {folder}: run {program} solve, name a folder with --tables DIR, or a game with \
             --variant FILE"
        )));
    }
    let defaults = Options::default();
    let options = Options {
        connections: args.connections as usize,
        readers: args.readers.map_or(defaults.readers, usize::from),
        request_time: Duration::from_secs(args.timeout.into()),
        body_bytes: usize::try_from(args.max_body).unwrap_or(usize::MAX),
        positions: args.max_positions as usize,
        answer_bytes: usize::try_from(args.max_answer).unwrap_or(usize::MAX),
        keep_time: args.read_only_cache.then_some(KEEP_TIME),
        ..defaults
    };
    let listener = TcpListener::bind(args.listen).map_err(|error| {
        Failure::new(format!(
            "cannot listen on {}: {error}; choose another address with --listen",
            args.listen
        ))
    })?;
    let folder = tables.is_dir().then_some(tables);
    let games = games(console, folder, &given)?;
    run(console, &args.limits, &games, options, listener)
}

pub(crate) fn explore(console: &mut Console<'_>, args: &ExploreArgs) -> Outcome {
    let given = given(&args.limits)?;
    let folder = match &args.tables {
        Some(folder) if !folder.is_dir() => {
            return Err(Failure::new(format!("there is no folder {}", folder.display())));
        }
        Some(folder) => Some(folder.clone()),
        None => Some(PathBuf::from("tables")).filter(|folder| folder.is_dir()),
    };
    // Chess can be explored without any table: small ones are solved.
    let mut games = games(console, folder.as_deref(), &given)?;
    let has_chess = games.iter().any(|holding| holding.variant.name == DEFAULT_VARIANT);
    if games.is_empty() || given.is_empty() && args.tables.is_none() && !has_chess {
        games.push(Holding { variant: Variant::chess(), folder: None });
    }
    let at = |port| TcpListener::bind(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    let listener = match args.port {
        Some(port) => at(port),
        None => at(EXPLORER_PORT).or_else(|_| at(0)),
    };
    let listener = listener.map_err(|error| {
        let port = args.port.unwrap_or(EXPLORER_PORT);
        Failure::new(format!("cannot listen on port {port}: {error}; choose another with --port"))
    })?;
    let options = Options { solve_commands: solve_commands(console, args, &games), ..Options::default() };
    run(console, &args.limits, &games, options, listener)
}

/// What makes tables of each game.
fn solve_commands(console: &Console<'_>, args: &ExploreArgs, games: &[Holding]) -> BTreeMap<String, String> {
    let of = |holding: &Holding| {
        let name = &holding.variant.name;
        let given = args
            .limits
            .variant
            .iter()
            .find(|path| Game::load(path).is_ok_and(|game| game.variant.name == *name));
        let beside = holding.folder.as_deref().unwrap_or(Path::new(""));
        let rules = Game::find_beside(given.map(PathBuf::as_path), name, beside).ok()?.path;
        // Nothing is built beside the files of other programs.
        let out = holding.folder.as_deref().filter(|folder| !is_foreign(folder));
        let command = solve_command(console.program.name, &rules, None, &[], out);
        Some((name.clone(), command.trim_matches('`').to_owned()))
    };
    games.iter().filter_map(of).collect()
}

/// The games whose rules are given.
fn given(limits: &Limits) -> Result<Vec<Variant>, Failure> {
    limits.variant.iter().map(|path| Game::load(path).map(|game| game.variant)).collect()
}

/// The games with tables in a folder, and those whose rules are given; says which have no rules.
fn games(
    console: &mut Console<'_>,
    folder: Option<&Path>,
    given: &[Variant],
) -> Result<Vec<Holding>, Failure> {
    let (games, without_rules) = holdings(folder, given)?;
    for sentence in without_rules {
        console.tell(&sentence)?;
    }
    Ok(games)
}

/// Serves until Ctrl-C or SIGTERM.
fn run(
    console: &mut Console<'_>,
    limits: &Limits,
    games: &[Holding],
    options: Options,
    listener: TcpListener,
) -> Outcome {
    let connections = descriptor::connections(options.connections, descriptor::n_files(games));
    if connections < options.connections {
        console.tell(&format!(
            "the system lets this program open so few files that it serves {connections} connections at a time; raise \
             the limit with `ulimit -n`"
        ))?;
    }
    let options = Options {
        connections,
        cache_bytes: limits.asking.cache_bytes(),
        bound: limits.asking.bound(),
        ..options
    };
    let n_readers = options.readers;
    let server = Server::new(games, options).map_err(Failure::new)?;
    if limits.log {
        // Somebody who embeds the program may have set another one.
        drop(
            tracing_subscriber::fmt()
                .with_writer(std::io::stderr)
                .with_ansi(false)
                .with_target(false)
                .try_init(),
        );
    }
    let failed = |error: std::io::Error| Failure::new(format!("cannot serve: {error}"));
    let address = listener.local_addr().map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(n_readers + SPARE_THREADS)
        .enable_all()
        .build()
        .map_err(failed)?;
    let names: Vec<&str> = server.names().collect();
    console.tell(&format!("serving {}; Ctrl-C ends it", names.join(", ")))?;
    writeln!(console.out, "http://{address}/")?;
    console.out.flush()?;
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        server.run(listener, ended()).await;
        Ok::<(), Failure>(())
    })?;
    // Work that nobody waits for any longer is not waited for either.
    runtime.shutdown_background();
    Ok(Answer::Yes)
}

/// Is ready when somebody ends the program.
async fn ended() {
    let interrupted = async { drop(tokio::signal::ctrl_c().await) };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let terminated = async {
            match signal(SignalKind::terminate()) {
                Ok(mut signal) => drop(signal.recv().await),
                // Then Ctrl-C is what there is.
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = interrupted => {}
            () = terminated => {}
        }
    }
    #[cfg(not(unix))]
    interrupted.await;
}
