//! `find --parquet`: writes positions into a Parquet file.

use crate::Failure;
use ::find::Record;
use std::path::Path;
use variant::Metric;

/// The file, in a program that was built without the writer: there is none.
#[cfg(not(feature = "columns"))]
pub(super) enum Parquet {}

#[cfg(not(feature = "columns"))]
impl Parquet {
    pub(super) fn create(path: &Path, _: &[Metric]) -> Result<Self, Failure> {
        Err(Failure::new(format!(
            "this program was built without Parquet and cannot write {}; build it with the feature `columns` \
             (cargo run --release -p tablesmith-cli --features columns -- find …), or take --form csv",
            path.display()
        )))
    }

    pub(super) fn write(&mut self, _: &[Record<'_>]) -> Result<(), Failure> {
        match *self {}
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {}
    }
}

/// The file: `fen`, `material`, `to_move`, `result`, plies by each metric, `best`.
#[cfg(feature = "columns")]
pub(super) struct Parquet {
    file: ::export::columns::ParquetFile,
    metrics: Vec<Metric>,
}

#[cfg(feature = "columns")]
impl Parquet {
    pub(super) fn create(path: &Path, metrics: &[Metric]) -> Result<Self, Failure> {
        use ::export::columns::{Field, FieldType, ParquetFile};
        let metrics: Vec<Metric> = metrics.iter().copied().filter(|&metric| metric != Metric::Wdl).collect();
        let text = |name: &str| Field { name: name.into(), kind: FieldType::Text };
        let mut fields: Vec<Field> = ["fen", "material", "to_move", "result"].map(text).to_vec();
        fields.extend(
            metrics.iter().map(|metric| Field { name: metric.name().into(), kind: FieldType::Number }),
        );
        fields.push(text("best"));
        let file = ParquetFile::create(path, &fields).map_err(Failure::new)?;
        Ok(Parquet { file, metrics })
    }

    pub(super) fn write(&mut self, records: &[Record<'_>]) -> Result<(), Failure> {
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

    pub(super) fn finish(self) -> Result<(), Failure> {
        self.file.finish().map_err(Failure::new)
    }
}
