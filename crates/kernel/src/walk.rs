//! Compiles the way of a man over a board into the forms that the kernels need.
//!
//! Kernels take moves back: a man that comes to `t` by a step came from `s = t − step`, so a set of targets
//! becomes the set of sources. As bits of a word that is one shift, less the bits that would come round a
//! side of the board; where the files of the board are joined, those that do come round are a second shift.
//!
//! A way is a row of stages. On each the man may land if it is a landing, and goes on if the square is free
//! of others; a hopper lands only behind a man. Most ways are one step again and again, and for these there
//! are faster forms.

use crate::Word;
use geometry::{Board, MAX_SQUARES, Square, Step};

/// What a man must jump over to land.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hurdle {
    /// Nothing.
    None,
    /// One man; it lands on any stage behind it.
    OnTheWay,
    /// One man on the stage before the landing.
    JustBefore,
}

/// A way over the board, from any square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk<W> {
    /// The step of the first stage, which in all forms but [`Reach::Trail`] is that of every stage.
    pub(crate) step: Step,
    pub(crate) shift: Shift<W>,
    pub(crate) reach: Reach<W>,
    /// Whether the board is a plain rectangle: no holes, no joined files.
    pub(crate) is_whole: bool,
    /// Where the first stage leads from each square; [`NOWHERE`] where it leads nowhere.
    pub(crate) next: [u8; MAX_SQUARES],
    /// From where the first stage leads to each square; [`NOWHERE`] where it leads from nowhere.
    pub(crate) back: [u8; MAX_SQUARES],
    /// The squares from which the first stage leads somewhere, those nearest to where their line ends first
    /// (but on lines that have no end).
    pub(crate) order: Vec<u8>,
}

/// No square.
pub(crate) const NOWHERE: u8 = u8::MAX;

/// A step for whole words: targets become sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shift<W> {
    /// By how much the bits of a word of targets are moved up to become its sources.
    pub(crate) by: i32,
    /// The squares from which the step stays on the board without coming round.
    pub(crate) sources: W,
    /// The shift and the squares from which the step comes round the joined files, if there are any.
    pub(crate) round: Option<(i32, W)>,
}

/// One stage of a way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stage<W> {
    pub(crate) step: Step,
    pub(crate) shift: Shift<W>,
    pub(crate) is_landing: bool,
}

/// How a way goes on behind its first stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reach<W> {
    /// Not at all.
    Leap,
    /// By the same step until the board ends; this number of doublings goes through all squares of the
    /// longest line.
    Ride {
        /// Doublings.
        rounds: u32,
    },
    /// As a ride, landing behind one man anywhere, or just behind it.
    Hop {
        /// Doublings.
        rounds: u32,
        /// Whether it lands just behind the man only.
        is_short: bool,
    },
    /// Stage by stage.
    Trail {
        /// The stages.
        stages: Vec<Stage<W>>,
        /// What must be jumped over.
        hurdle: Hurdle,
        /// For each square that the way leads from: the squares it leads to and whether they are landings.
        courses: Vec<(u8, Vec<(u8, bool)>)>,
    },
}

impl<W: Word> Walk<W> {
    /// The way whose stages are these steps, each with whether it is a landing, as far as any square's way
    /// goes on.
    ///
    /// A way ends where the board does, on a square that the board does not have, and where it comes back to
    /// the square that it began on.
    ///
    /// # Panics
    /// If there is no stage, or the board has more squares than a word has bits.
    #[must_use]
    pub fn new(board: &Board, stages: impl IntoIterator<Item = (Step, bool)>, hurdle: Hurdle) -> Self {
        assert!(board.n_squares() <= W::BITS, "{} squares in {} bits", board.n_squares(), W::BITS);
        let mut courses: Vec<(Square, Vec<(u8, bool)>)> = board.squares().map(|s| (s, Vec::new())).collect();
        let mut kept: Vec<Stage<W>> = Vec::new();
        let mut stages = stages.into_iter().peekable();
        let step = stages.peek().map_or(Step::new(0, 0), |&(step, _)| step);
        for (step, is_landing) in stages {
            let mut goes_on = false;
            for (from, course) in courses.iter_mut().filter(|(_, course)| course.len() == kept.len()) {
                let at = course.last().map_or(*from, |&(at, _)| Square::from_index(at.into()));
                if let Some(to) = board.offset(at, step).filter(|to| to != from) {
                    course.push((to.index() as u8, is_landing));
                    goes_on = true;
                }
            }
            if !goes_on {
                break;
            }
            kept.push(Stage { step, shift: Shift::new(board, step), is_landing });
        }
        let shift = Shift::new(board, step);
        let (mut next, mut back) = ([NOWHERE; MAX_SQUARES], [NOWHERE; MAX_SQUARES]);
        let mut order: Vec<(usize, u8)> = Vec::new();
        for (from, course) in &courses {
            if let Some(&(to, _)) = course.first() {
                next[from.index()] = to;
                back[usize::from(to)] = from.index() as u8;
                order.push((course.len(), from.index() as u8));
            }
        }
        order.sort_by_key(|&(length, _)| length);
        let longest = kept.len();
        let rounds = (longest.max(1) as u32).next_power_of_two().trailing_zeros();
        let is_even = kept.iter().all(|stage| stage.step == step && stage.is_landing);
        // Whether the board and not the number of stages ends every way.
        let ends = |from: Square, course: &Vec<(u8, bool)>| {
            let at = course.last().map_or(from, |&(at, _)| Square::from_index(at.into()));
            board.offset(at, step).is_none_or(|to| to == from)
        };
        let mut longest_courses = courses.iter().filter(|(_, course)| course.len() == longest);
        let is_endless = longest_courses.all(|(from, course)| ends(*from, course));
        let reach = match hurdle {
            Hurdle::None if longest <= 1 && is_even => Reach::Leap,
            _ if shift.round.is_some() || !is_even || !is_endless => {
                courses.retain(|(_, course)| !course.is_empty());
                let courses = courses.into_iter().map(|(from, course)| (from.index() as u8, course));
                Reach::Trail { stages: kept, hurdle, courses: courses.collect() }
            }
            Hurdle::None => Reach::Ride { rounds },
            Hurdle::OnTheWay => Reach::Hop { rounds, is_short: false },
            Hurdle::JustBefore => Reach::Hop { rounds, is_short: true },
        };
        let is_whole = board.holes().is_empty() && !board.is_cylinder();
        let order = order.into_iter().map(|(_, from)| from).collect();
        Walk { step, shift, reach, is_whole, next, back, order }
    }

    /// What must be jumped over.
    pub(crate) fn hurdle(&self) -> Hurdle {
        match self.reach {
            Reach::Leap | Reach::Ride { .. } => Hurdle::None,
            Reach::Hop { is_short: false, .. } => Hurdle::OnTheWay,
            Reach::Hop { is_short: true, .. } => Hurdle::JustBefore,
            Reach::Trail { hurdle, .. } => hurdle,
        }
    }

    /// The squares to which the way leads from a square, each with whether it is a landing; none if there are
    /// none.
    #[inline(always)]
    pub(crate) fn course<'a>(
        &'a self,
        from: u8,
        room: &'a mut [(u8, bool); MAX_SQUARES],
    ) -> Option<&'a [(u8, bool)]> {
        if let Reach::Trail { courses, .. } = &self.reach {
            let place = courses.binary_search_by_key(&from, |(from, _)| *from).ok()?;
            return Some(&courses[place].1);
        }
        let mut length = 0;
        let mut to = self.next[usize::from(from)];
        while to != NOWHERE {
            room[length] = (to, true);
            length += 1;
            to = if self.reach == Reach::Leap { NOWHERE } else { self.next[usize::from(to)] };
        }
        (length > 0).then_some(&room[..length])
    }
}

impl<W: Word> Shift<W> {
    fn new(board: &Board, step: Step) -> Self {
        let files = board.files() as i32;
        let plain = i32::from(step.files) + i32::from(step.ranks) * files;
        let (mut sources, mut round): (W, Vec<(i32, W)>) = (W::ZERO, Vec::new());
        for from in board.squares() {
            let Some(to) = board.offset(from, step) else { continue };
            let shift = to.index() as i32 - from.index() as i32;
            if shift == plain {
                sources |= W::bit(from.index());
                continue;
            }
            // A step of fewer files than the board has comes round in one way only.
            match round.iter_mut().find(|(own, _)| *own == shift) {
                Some((_, sources)) => *sources |= W::bit(from.index()),
                None => round.push((shift, W::bit(from.index()))),
            }
        }
        if sources == W::ZERO
            && let Some((shift, only)) = round.pop()
        {
            // Nothing stays, so what comes round may as well be what does.
            let round = round.pop().map(|(shift, sources)| (-shift, sources));
            return Shift { by: -shift, sources: only, round };
        }
        assert!(round.len() <= 1, "{step:?} comes round {board:?} in {} ways", round.len());
        Shift { by: -plain, sources, round: round.pop().map(|(shift, of)| (-shift, of)) }
    }
}
