//! Writes positions as they are found, many at a time: to the output, or into a Parquet file.

use crate::Failure;
use ::find::{Form, Hit, Record, Sample, Search};
use probe::Tablebase;
use rayon::prelude::*;
use std::io::Write;
use std::path::Path;
use variant::Metric;

/// How many positions are described together.
const BATCH: usize = 1 << 10;

/// Positions on their way to the output.
pub(super) struct Writer {
    form: Form,
    head: Option<String>,
    waiting: Vec<Hit>,
    n_taken: u64,
    parquet: Option<Parquet>,
}

impl Writer {
    pub(super) fn new(form: Form, parquet: Option<&Path>, metrics: &[Metric]) -> Result<Self, Failure> {
        let parquet = parquet.map(|path| Parquet::create(path, metrics)).transpose()?;
        let head = Record::head(form, metrics).filter(|_| parquet.is_none());
        Ok(Writer { form, head, waiting: Vec::new(), n_taken: 0, parquet })
    }

    /// Ends what is written beside the output.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.parquet.take().map_or(Ok(()), Parquet::finish)
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
        let record = |&(number, hit): &(u64, Hit)| search.record(hit).numbered(number);
        self.put(numbered.par_iter().map(record), folder, out)
    }

    /// Writes a sample.
    pub(super) fn write_drawn(
        &mut self,
        sample: Sample,
        folder: &Tablebase,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Failure> {
        let drawn = sample.into_records();
        self.n_taken = drawn.len() as u64;
        self.put(drawn.into_par_iter(), folder, out)
    }

    fn put<'r>(
        &mut self,
        records: impl IndexedParallelIterator<Item = Record<'r>>,
        folder: &Tablebase,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Failure> {
        if let Some(parquet) = &mut self.parquet {
            return parquet.write(&records.map(|record| record.with_moves(folder)).collect::<Vec<_>>());
        }
        let form = self.form;
        let lines: Vec<String> = records.map(|record| line(record, form, folder)).collect();
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

/// The Parquet file, in a program that was built without the writer: there is none.
#[cfg(not(feature = "columns"))]
enum Parquet {}

#[cfg(not(feature = "columns"))]
impl Parquet {
    fn create(path: &Path, _: &[Metric]) -> Result<Self, Failure> {
        Err(Failure::new(format!(
            "this program was built without Parquet and cannot write {}; build it with the feature `columns` \
             (cargo run --release -p tablesmith-cli --features columns -- find …), or take --form csv",
            path.display()
        )))
    }

    fn write(&mut self, _: &[Record<'_>]) -> Result<(), Failure> {
        match *self {}
    }

    fn finish(self) -> Result<(), Failure> {
        match self {}
    }
}

/// The Parquet file: `fen`, `material`, `to_move`, `result`, plies by each metric, `best`.
#[cfg(feature = "columns")]
struct Parquet {
    file: ::export::columns::ParquetFile,
    metrics: Vec<Metric>,
}

#[cfg(feature = "columns")]
impl Parquet {
    fn create(path: &Path, metrics: &[Metric]) -> Result<Self, Failure> {
        use ::export::columns::{Field, FieldType, ParquetFile};
        let metrics: Vec<Metric> = metrics.iter().copied().filter(|&metric| metric != Metric::Wdl).collect();
        let text = |name: &str| Field { name: name.into(), kind: FieldType::Text };
        let mut fields: Vec<Field> = ["fen", "material", "to_move", "result"].map(text).to_vec();
        fields.extend(
            metrics.iter().map(|metric| Field { name: metric.name().into(), kind: FieldType::Number }),
        );
        fields.push(text("best"));
        let file = ParquetFile::create(path, &fields)?;
        Ok(Parquet { file, metrics })
    }

    fn write(&mut self, records: &[Record<'_>]) -> Result<(), Failure> {
        use ::export::columns::Values;
        let text = |of: &dyn Fn(&Record<'_>) -> String| Values::Text(records.iter().map(of).collect());
        let plies = |metric: Metric| {
            let ply = |record: &Record<'_>| {
                let own = record.distances.iter().find(|distance| distance.metric == metric)?;
                own.value.ply().map(|ply| i32::from(ply.0))
            };
            Values::Numbers(records.iter().map(ply).collect())
        };
        let mut columns = vec![
            text(&|record| record.fen().to_owned()),
            text(&|record| record.material.clone()),
            text(&|record| record.position.stm().to_string().to_lowercase()),
            text(&|record| record.result().to_owned()),
        ];
        columns.extend(self.metrics.iter().map(|&metric| plies(metric)));
        columns.push(text(&|record| record.uci().join(" ")));
        self.file.write(&columns).map_err(Failure::new)
    }

    fn finish(self) -> Result<(), Failure> {
        self.file.finish().map_err(Failure::new)
    }
}
