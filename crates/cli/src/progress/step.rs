//! Shows the steps of an export or a comparison, and prints a text about each table.

use super::{JobWatch, Watch};
use crate::Failure;
use crate::find::Stop;
use ::plan::Job;
use build::TableStep;
use std::io::Write;
use std::time::Duration;

/// Follows work that goes through tables one after the other.
pub(crate) struct StepWatch<'w, 'a> {
    watch: &'w Watch<'a>,
    out: &'w mut (dyn Write + Send),
    /// The table that is at work.
    table: Option<JobWatch<'w, 'a>>,
}

impl<'w, 'a> StepWatch<'w, 'a> {
    /// Bars go where `watch` draws them, texts to `out`.
    pub(crate) fn new(watch: &'w Watch<'a>, out: &'w mut (dyn Write + Send)) -> Self {
        StepWatch { watch, out, table: None }
    }

    /// Shows a step; `text` makes the lines about a table that is done.
    pub(crate) fn show<T>(
        &mut self,
        step: TableStep<'_, T>,
        text: impl FnOnce(&Job, T, Duration) -> String,
    ) -> Result<(), Stop> {
        match step {
            TableStep::Planned { n_tables, n_values } => self.watch.start(n_tables, n_values),
            TableStep::Begun(job) => self.table = Some(self.watch.begin(&job.name, job.n_values())),
            TableStep::Passed(_) => self.finish(),
            TableStep::Done(job, done, time) => {
                let text = text(job, done, time);
                let out = &mut *self.out;
                // Long runs are read along.
                self.watch
                    .beside(|| writeln!(out, "{text}").and_then(|()| out.flush()))
                    .map_err(Failure::from)?;
                self.finish();
            }
        }
        Ok(())
    }

    fn finish(&mut self) {
        if let Some(table) = self.table.take() {
            table.finish_silently();
        }
    }
}
