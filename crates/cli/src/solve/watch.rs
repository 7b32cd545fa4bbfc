//! What a person sees while tables are solved: moving bars on a terminal, a line a table elsewhere.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Shows the progress of a run.
pub(crate) struct Watch<'a> {
    bars: Option<(MultiProgress, ProgressBar)>,
    err: Mutex<&'a mut (dyn Write + Send)>,
}

/// Shows the progress of one table.
pub(crate) struct JobWatch {
    bar: Option<ProgressBar>,
}

impl<'a> Watch<'a> {
    /// A run of so many values. Bars are drawn if somebody watches, otherwise lines are written.
    pub(crate) fn new(is_watched: bool, n_values: u64, err: &'a mut (dyn Write + Send)) -> Self {
        let bars = is_watched.then(|| {
            let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            let all =
                bars.add(ProgressBar::new(n_values).with_style(style("{bar:40} {percent:>3} %  {msg}")));
            all.set_message("all tables");
            all.enable_steady_tick(Duration::from_millis(200));
            (bars, all)
        });
        Watch { bars, err: Mutex::new(err) }
    }

    /// One table is begun.
    pub(crate) fn begin(&self, name: &str) -> JobWatch {
        let bar = self.bars.as_ref().map(|(bars, all)| {
            let bar = bars.insert_before(all, ProgressBar::new(1));
            bar.set_style(style("{bar:40} {percent:>3} %  {msg}"));
            bar.set_message(name.to_owned());
            bar
        });
        JobWatch { bar }
    }

    /// One table of so many values is done; the line is for those who see no bars.
    pub(crate) fn finish(&self, n_values: u64, line: &str) {
        match &self.bars {
            Some((_, all)) => all.inc(n_values),
            None => self.write(line),
        }
    }

    /// So many values more are done, and somebody else tells of it.
    pub(crate) fn advance(&self, n_values: u64) {
        if let Some((_, all)) = &self.bars {
            all.inc(n_values);
        }
    }

    /// Does something that prints, the bars out of the way.
    pub(crate) fn beside<R>(&self, print: impl FnOnce() -> R) -> R {
        match &self.bars {
            Some((bars, _)) => bars.suspend(print),
            None => print(),
        }
    }

    /// Something that everybody should see.
    pub(crate) fn note(&self, line: &str) {
        match &self.bars {
            // A line that cannot be shown is nothing that the tables depend on.
            Some((bars, _)) => drop(bars.println(line)),
            None => self.write(line),
        }
    }

    /// Takes the bars away.
    pub(crate) fn close(self) {
        if let Some((bars, all)) = self.bars {
            all.finish_and_clear();
            drop(bars.clear());
        }
    }

    fn write(&self, line: &str) {
        let mut err = self.err.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody need read along.
        drop(writeln!(err, "{line}"));
    }
}

impl JobWatch {
    /// So much of a whole is done.
    pub(crate) fn show(&self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    }
}

impl ::solve::Progress for JobWatch {
    fn placements_done(&self, done: u64, total: u64) {
        self.show(done, total);
    }
}

impl Drop for JobWatch {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
