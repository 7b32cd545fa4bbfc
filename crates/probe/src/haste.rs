//! Answers a question from what is there, where solving would take too long.
//!
//! A position may need tables, or positions with rights to castle, that are solved for it. A program that has
//! to answer at once asks [`in_haste`]: on its thread nothing is solved meanwhile, what would have been is
//! missing, and the caller learns that it was. Then it can ask again where time is no matter.

use std::cell::Cell;

thread_local! {
    /// Whether this thread asks in haste, and if so whether something would have been solved for it.
    static HASTE: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Restores what was, whether the question returns or panics.
struct Before(Option<bool>);

impl Drop for Before {
    fn drop(&mut self) {
        HASTE.set(self.0);
    }
}

/// Asks without solving anything on this thread: the answer, and whether something would have been solved for
/// it.
pub fn in_haste<T>(ask: impl FnOnce() -> T) -> (T, bool) {
    let _before = Before(HASTE.replace(Some(false)));
    let answer = ask();
    (answer, has_passed_over())
}

/// Whether something may be solved for this thread's question; if not, that it would have been is noted.
#[must_use]
pub fn may_solve() -> bool {
    let is_hasty = HASTE.get().is_some();
    if is_hasty {
        HASTE.set(Some(true));
    }
    !is_hasty
}

/// Whether something would have been solved for this thread's question, which is asked in haste.
#[must_use]
pub fn has_passed_over() -> bool {
    HASTE.get() == Some(true)
}
