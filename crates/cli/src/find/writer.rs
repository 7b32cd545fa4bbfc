//! Writes positions as they are found, many at a time.

use crate::Failure;
use ::find::{Form, Hit, Record, Sample, Search};
use probe::Tablebase;
use rayon::prelude::*;
use std::io::Write;
use variant::Metric;

/// How many positions are described together.
const BATCH: usize = 1 << 10;

/// Positions on their way to the output.
pub(super) struct Writer {
    form: Form,
    head: Option<String>,
    waiting: Vec<Hit>,
    n_taken: u64,
}

impl Writer {
    pub(super) fn new(form: Form, metrics: &[Metric]) -> Self {
        Writer { form, head: Record::head(form, metrics), waiting: Vec::new(), n_taken: 0 }
    }

    /// How many positions have come.
    pub(super) fn n_taken(&self) -> u64 {
        self.n_taken
    }

    pub(super) fn take(&mut self, hit: Hit) {
        self.waiting.push(hit);
        self.n_taken += 1;
    }

    /// Whether so many are waiting that they should be written.
    pub(super) fn is_due(&self) -> bool {
        self.waiting.len() >= BATCH
    }

    /// Writes what waits.
    pub(super) fn write(
        &mut self,
        search: &Search<'_>,
        folder: &Tablebase,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Failure> {
        let first = self.n_taken - self.waiting.len() as u64 + 1;
        let numbered: Vec<(u64, Hit)> = (first..).zip(self.waiting.drain(..)).collect();
        let form = self.form;
        let line = |&(number, hit): &(u64, Hit)| line(search.record(hit).numbered(number), form, folder);
        let lines: Vec<String> = numbered.par_iter().map(line).collect();
        self.put(lines, out)
    }

    /// Writes a sample.
    pub(super) fn write_drawn(
        &mut self,
        sample: Sample,
        folder: &Tablebase,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Failure> {
        let form = self.form;
        let drawn = sample.into_records();
        self.n_taken = drawn.len() as u64;
        let lines: Vec<String> = drawn.into_par_iter().map(|record| line(record, form, folder)).collect();
        self.put(lines, out)
    }

    fn put(&mut self, lines: Vec<String>, out: &mut (dyn Write + Send)) -> Result<(), Failure> {
        // A list without a line has its head, too.
        if let Some(head) = self.head.take() {
            out.write_all(head.as_bytes())?;
        }
        lines.iter().try_for_each(|line| out.write_all(line.as_bytes()))?;
        Ok(out.flush()?)
    }
}

/// A position in a form, with its moves where the form has them.
fn line(record: Record<'_>, form: Form, folder: &Tablebase) -> String {
    if form.has_moves() { record.with_moves(folder).line(form) } else { record.line(form) }
}
