//! A step of a man on a board, repeated or not, in the forms that the kernels want.
//!
//! Kernels take moves back: a man that comes to `t` by a step came from `s = t − step`, so a set of targets becomes the
//! set of sources. As bits of a word that is one rotation, less the bits that would come round a side of the board.

/// A step and how often it may be repeated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// Files to the right.
    pub(crate) step_files: i32,
    /// Ranks up.
    pub(crate) step_ranks: i32,
    /// By how much a word of targets is rotated to the left to become its sources.
    pub(crate) rotate: u32,
    /// The squares from which the step stays on the board.
    pub(crate) sources: u64,
    pub(crate) reach: Reach,
    /// Where the step leads from each square; [`NOWHERE`] off the board.
    pub(crate) next: [u8; 64],
    /// The squares of `sources`, those nearest to where their line leaves the board first.
    pub(crate) order: Vec<u8>,
}

/// No square.
pub(crate) const NOWHERE: u8 = u8::MAX;

/// How often a step may be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Once.
    Leap,
    /// Until the board ends; so many doublings go through all squares of the longest line.
    Ride {
        /// Doublings.
        rounds: u32,
    },
    /// So many times, where the board would allow more.
    Limited {
        /// The most repetitions, at least 2.
        most: u32,
    },
}

impl Walk {
    /// A step on a board of `files` × `ranks` squares (at most 64), taken at most `limit` times.
    ///
    /// # Panics
    /// If the board has more than 64 squares, or the step is none.
    #[must_use]
    pub fn new((files, ranks): (usize, usize), (step_files, step_ranks): (i32, i32), limit: u32) -> Self {
        assert!(files * ranks <= 64, "{files} × {ranks} squares");
        assert!((step_files, step_ranks) != (0, 0), "a step of no square");
        let target = |s: usize| -> Option<usize> {
            let file = (s % files) as i32 + step_files;
            let rank = (s / files) as i32 + step_ranks;
            let on_board = (0..files as i32).contains(&file) && (0..ranks as i32).contains(&rank);
            on_board.then(|| rank as usize * files + file as usize)
        };
        let length = |s: usize| std::iter::successors(target(s), |&at| target(at)).count() as u32;
        let mut next = [NOWHERE; 64];
        let mut order = Vec::new();
        let mut sources = 0;
        for (s, next) in next[..files * ranks].iter_mut().enumerate() {
            if let Some(t) = target(s) {
                *next = t as u8;
                sources |= 1 << s;
                order.push(s as u8);
            }
        }
        order.sort_by_key(|&s| length(s as usize));
        let longest = order.last().map_or(0, |&s| length(s as usize));
        let reach = if limit <= 1 || longest <= 1 {
            Reach::Leap
        } else if limit >= longest {
            Reach::Ride { rounds: longest.next_power_of_two().trailing_zeros() }
        } else {
            Reach::Limited { most: limit }
        };
        let shift = step_files + step_ranks * files as i32;
        Walk { step_files, step_ranks, rotate: (-shift).rem_euclid(64) as u32, sources, reach, next, order }
    }
}
