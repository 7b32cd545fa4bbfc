//! Lists what has to be read to judge a query.

use variant::Metric;

/// What has to be read to judge a query.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Needs {
    /// The metrics of the tables: the query's own first, each once.
    pub(crate) metrics: Vec<Metric>,
    /// Whether moves are generated, and the tables looked up that they lead to.
    pub(crate) uses_moves: bool,
    /// Whether positions behind several moves are looked up.
    pub(crate) uses_line: bool,
    /// Whether moves are asked whether they give check.
    pub(crate) uses_checks: bool,
    /// Whether a placement is also judged with the other side to move.
    pub(crate) reads_other_side: bool,
}

impl Needs {
    /// Nothing but the code by one metric.
    pub(crate) fn new(metric: Metric) -> Self {
        Needs {
            metrics: vec![metric],
            uses_moves: false,
            uses_line: false,
            uses_checks: false,
            reads_other_side: false,
        }
    }

    /// The number of a metric among those of the tables, which has them all from now on.
    pub(crate) fn metric_number(&mut self, metric: Metric) -> usize {
        self.metrics.iter().position(|&own| own == metric).unwrap_or_else(|| {
            self.metrics.push(metric);
            self.metrics.len() - 1
        })
    }
}
