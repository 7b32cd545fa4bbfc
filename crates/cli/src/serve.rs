//! `serve` and `explore`: serve tables over HTTP until the user ends it.

use crate::args::Asking;
use crate::game::folders_of_games;
use crate::remedy::own_of;
use crate::{Console, Failure, Game, Outcome};
use library::{Holding, exchange_files, files_of, holdings, table_files, with_built_in};
use server::{Options, Server};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;
use variant::Variant;

/// What is served, and within which limits.
#[derive(clap::Args, Debug)]
pub(crate) struct Limits {
    /// The rules of a game: of tables whose rules are nowhere else, or of a game without tables, whose small
    /// tables are solved when a client asks; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) variant: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Print a line for each request
    #[arg(long)]
    pub(crate) log: bool,
}

/// Serve tables over HTTP: as Lichess's tablebase does, and by an interface of our own
#[derive(clap::Args, Debug)]
pub(crate) struct ServeArgs {
    /// The folder of tables, of one game or with a folder for each; given several times, from each what
    /// those before have not [default: where solve writes]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Vec<PathBuf>,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// The tables do not change while they are served: let clients and proxies keep answers for a day
    #[arg(long)]
    pub(crate) read_only_cache: bool,
    /// The most connections at a time; others wait
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) connections: u32,
    /// How many questions about positions are answered at a time, and as many about tables; others wait
    /// [default: twice the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) readers: Option<u16>,
    /// How long a request may take, waiting included
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) timeout: u32,
    /// The most positions of one request
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_positions: u32,
    /// The largest body of a request
    #[arg(long, value_name = "SIZE", default_value = "1M", value_parser = crate::args::parse_size)]
    pub(crate) max_body: u64,
    /// The largest answer
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = crate::args::parse_size)]
    pub(crate) max_answer: u64,
}

/// Show tables in a browser: a board, every move with its value, statistics
#[derive(clap::Args, Debug)]
pub(crate) struct ExploreArgs {
    /// The folder of tables, of one game or with a folder for each; given several times, from each what those
    /// before have not [default: where solve writes]
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Vec<PathBuf>,
    /// The port on this machine [default: 9010, or any that is free]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// The port of the explorer, unless it is taken.
const EXPLORER_PORT: u16 = 9010;

/// How long answers from tables that do not change may be kept.
const KEEP_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Threads that read tables beside those that answer.
const SPARE_THREADS: usize = 2;

pub(crate) fn serve(console: &mut Console<'_>, args: &ServeArgs) -> Outcome<()> {
    let given = given(&args.limits)?;
    let folders = folders_of_games(console, &args.tables)?;
    if folders.is_empty() {
        let (folder, program) = (console.tables.display(), console.program.name);
        console
            .tell(&format!("there is no folder {folder}, so no table is read; {program} solve makes some"))?;
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
        let address = args.listen;
        Failure::new(format!("cannot listen on {address}: {error}; choose another address with --listen"))
    })?;
    let games = games(console, &folders, &given, &args.limits)?;
    run(console, &args.limits, &games, options, listener)
}

pub(crate) fn explore(console: &mut Console<'_>, args: &ExploreArgs) -> Outcome<()> {
    let given = given(&args.limits)?;
    let folders = folders_of_games(console, &args.tables)?;
    let games = games(console, &folders, &given, &args.limits)?;
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
        let mut given = args.limits.variant.iter();
        let given = given.find(|path| Game::open(path).is_ok_and(|game| game.variant.name == *name));
        let game = Game::find(given.map(PathBuf::as_path), name, &holding.folders).ok()?;
        // Nothing is built beside the files of other programs.
        let own = own_of(&holding.folders).cloned();
        // Tables of a game that has none go where the explorer looks.
        let out = own.or_else(|| args.tables.first().map(|folder| folder.join(name)));
        Some((name.clone(), game.solve_words(console.program.name, None, &[], out.as_deref())))
    };
    games.iter().filter_map(of).collect()
}

/// The games whose rules are given.
fn given(limits: &Limits) -> Outcome<Vec<Variant>> {
    limits.variant.iter().map(|path| Game::open(path).map(|game| game.variant)).collect()
}

/// The games with tables in some folders, and those whose rules are given; says which have no rules. If none
/// is given, those that are built in, too: small tables are solved when a position asks for them, if
/// anything is solved.
fn games(
    console: &mut Console<'_>,
    folders: &[PathBuf],
    given: &[Variant],
    limits: &Limits,
) -> Outcome<Vec<Holding>> {
    let (games, without_rules) = holdings(folders, given)?;
    without_rules.iter().try_for_each(|sentence| console.tell(sentence))?;
    let answers_more = games.is_empty() || limits.asking.bound().is_some();
    Ok(if given.is_empty() && answers_more { with_built_in(games) } else { games })
}

/// Serves until Ctrl-C or SIGTERM.
fn run(
    console: &mut Console<'_>,
    limits: &Limits,
    games: &[Holding],
    options: Options,
    listener: TcpListener,
) -> Outcome<()> {
    let most = connections(options.connections, n_files(games));
    if most < options.connections {
        console.tell(&format!(
            "the system lets this program open so few files that it serves {most} connections at a time; raise \
             the limit with `ulimit -n`"
        ))?;
    }
    let options = Options {
        connections: most,
        cache_bytes: limits.asking.cache_bytes(),
        bound: limits.asking.bound(),
        ..options
    };
    let n_readers = options.readers;
    let server = Server::new(games, options)?;
    if limits.log {
        let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_target(false);
        // A program that embeds this one may have set another.
        drop(log.try_init());
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
    // Work whose client has gone is not waited for.
    runtime.shutdown_background();
    Ok(())
}

// Every connection and every table that was read takes one of the files that a process may have open.
// Systems begin with 1,024, and let a process raise that. When none is left a table cannot be opened, which
// would look as if it were damaged.

/// What a process needs beside connections and tables: standard streams, the runtime, libraries.
const SPARE: u64 = 64;

/// Connections at a time that are served in any case.
const FEWEST: u64 = 16;

/// How many connections can be served at a time, of those that are wanted, beside `n_files` of tables.
/// The limit is raised as far as it is needed and the system lets it.
fn connections(wanted: usize, n_files: u64) -> usize {
    let needed = (wanted as u64).saturating_add(n_files).saturating_add(SPARE);
    // Where the limit cannot be asked for nothing is known of one.
    let limit = rlimit::increase_nofile_limit(needed).unwrap_or(needed);
    fitting(wanted, n_files, limit)
}

/// Like [`connections`], with at most `limit` files open.
fn fitting(wanted: usize, n_files: u64, limit: u64) -> usize {
    // However many tables there are, they leave half of it.
    let for_tables = n_files.min(limit / 2);
    let left = limit.saturating_sub(for_tables).saturating_sub(SPARE).max(FEWEST);
    wanted.min(usize::try_from(left).unwrap_or(usize::MAX))
}

/// The files of tables of these games.
fn n_files(games: &[Holding]) -> u64 {
    let files = games.iter().map(|Holding { folders, .. }| {
        let [own, others] = [files_of(folders, table_files), files_of(folders, exchange_files)];
        own.map_or(0, |files| files.len()) + others.map_or(0, |files| files.len())
    });
    files.sum::<usize>() as u64
}

/// Is ready when the user or the system ends the program.
async fn ended() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        // Without the signal Ctrl-C is what there is.
        let Ok(mut terminated) = signal(SignalKind::terminate()) else { return drop(interrupted.await) };
        tokio::select! {
            _ = interrupted => {}
            _ = terminated.recv() => {}
        }
    }
    #[cfg(not(unix))]
    drop(interrupted.await);
}

#[cfg(test)]
mod tests {
    use super::{connections, fitting};

    #[test]
    fn connections_leave_room_for_tables() {
        for (wanted, n_files, limit, fits) in [
            (4096, 100, 1 << 20, 4096),
            (4096, 100, 1024, 860),
            (4096, 5000, 1024, 448),
            (10, 5000, 1024, 10),
            (4096, 100, 100, 16),
        ] {
            assert_eq!(fitting(wanted, n_files, limit), fits, "{wanted} {n_files} {limit}");
        }
        // The limit of this process allows a few in any case.
        assert_eq!(connections(8, 8), 8);
    }
}
