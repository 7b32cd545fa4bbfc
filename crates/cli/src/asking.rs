//! Declares the arguments of commands that answer positions: whether they solve missing tables, and how
//! much memory these take.

use library::{SolveBound, available_bytes};

/// Decompressed blocks take at most one of this number of parts of the memory that is available, unless the
/// user asks for more.
const CACHE_SHARE: u64 = 4;

/// And no more than this.
const MAX_CACHE_BYTES: u64 = 4 << 30;

/// Tables that are solved for a question take at most one of this number of parts, too.
const SOLVED_SHARE: u64 = 4;

/// How positions are answered.
#[derive(clap::Args, Debug)]
pub(crate) struct Asking {
    /// Do not solve small tables that are missing, nor positions with castling rights that no file has
    #[arg(long)]
    no_solve: bool,
    /// How much memory decompressed blocks may take, such as 4G or 800M [default: a quarter of what the
    /// machine has left, at most 4G]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse_size)]
    cache: Option<u64>,
    /// How much memory tables may take that are solved because a position asks for them [default: a quarter
    /// of what the machine has left, at most 1G]
    #[arg(long, value_name = "SIZE", value_parser = crate::size::parse_size)]
    solved: Option<u64>,
}

impl Asking {
    /// What may be solved for a question, unless that is not wanted.
    pub(crate) fn bound(&self) -> Option<SolveBound> {
        let bound = SolveBound::default();
        let most = || (available_bytes() / SOLVED_SHARE).min(bound.kept_bytes);
        (!self.no_solve).then(|| SolveBound { kept_bytes: self.solved.unwrap_or_else(most), ..bound })
    }

    /// How much memory decompressed blocks may take: what is asked for, or a part of what is available.
    pub(crate) fn cache_bytes(&self) -> usize {
        let bytes = self.cache.unwrap_or_else(|| (available_bytes() / CACHE_SHARE).min(MAX_CACHE_BYTES));
        bytes.try_into().unwrap_or(usize::MAX)
    }
}
