//! Shows that a plan is being made, if that takes longer than a moment.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// A plan that is made sooner needs no bar.
const MOMENT: Duration = Duration::from_millis(500);

/// A bar on standard error, for somebody who watches; it is gone when this is dropped.
pub(crate) struct Planning {
    is_watched: bool,
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl Planning {
    /// Planning begins.
    pub(crate) fn new(is_watched: bool) -> Self {
        Planning { is_watched, begun: Instant::now(), bar: None }
    }

    /// So many steps are done of those that are known of.
    pub(crate) fn step(&mut self, n_done: usize, n_known: usize) {
        if self.is_watched && self.bar.is_none() && self.begun.elapsed() > MOMENT {
            self.phase("planning");
        }
        if let Some(bar) = &self.bar {
            bar.set_length(n_known as u64);
            bar.set_position(n_done as u64);
        }
    }

    /// From now on something else is done, with no steps to count; it may take a while.
    pub(crate) fn phase(&mut self, name: &'static str) {
        if !self.is_watched {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            // A clock of its own keeps it moving where nothing is counted.
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        bar.set_style(style());
        bar.set_message(name);
    }
}

impl Drop for Planning {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{spinner} {msg} {bar:30} {pos} of {len}  {elapsed}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::Planning;

    #[test]
    fn nobody_sees_a_bar_who_does_not_watch() {
        let mut planning = Planning::new(false);
        planning.step(1, 2);
        planning.phase("waiting");
        assert!(planning.bar.is_none());
        // A plan that is made in a moment needs none.
        let mut planning = Planning::new(true);
        planning.step(1, 2);
        assert!(planning.bar.is_none());
    }
}
