//! Makes room for connections and table files among the files that a process may have open.
//!
//! Every connection and every table that was read takes one. Systems begin with 1,024, and let a process
//! raise that. When none is left a table cannot be opened, which would look as if it were damaged.

use library::{Holding, exchange_files, table_files};

/// What a process needs beside connections and tables: standard streams, the runtime, libraries.
const SPARE: u64 = 64;

/// Connections at a time that are served in any case.
const FEWEST: u64 = 16;

/// How many connections can be served at a time, of those that are wanted, beside so many files of tables.
/// The limit is raised as far as it is needed and the system lets it.
pub(super) fn connections(wanted: usize, n_files: u64) -> usize {
    let needed = (wanted as u64).saturating_add(n_files).saturating_add(SPARE);
    // Where the limit cannot be asked for nothing is known of one.
    let limit = rlimit::increase_nofile_limit(needed).unwrap_or(needed);
    fitting(wanted, n_files, limit)
}

/// The same where so many files may be open.
fn fitting(wanted: usize, n_files: u64, limit: u64) -> usize {
    // However many tables there are, they leave half of it.
    let for_tables = n_files.min(limit / 2);
    let left = limit.saturating_sub(for_tables).saturating_sub(SPARE).max(FEWEST);
    wanted.min(usize::try_from(left).unwrap_or(usize::MAX))
}

/// The files of tables of these games.
pub(super) fn n_files(games: &[Holding]) -> u64 {
    let folders = games.iter().filter_map(|holding| holding.folder.as_deref());
    let files = folders.map(|folder| {
        let [own, others] = [table_files(folder), exchange_files(folder)];
        own.map_or(0, |files| files.len()) + others.map_or(0, |files| files.len())
    });
    files.sum::<usize>() as u64
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
