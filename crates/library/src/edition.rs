//! Names the files of a game's tables under one metric.
//!
//! A build solves one metric at a time. Distances to a capture or a pawn move lie in files that do not say
//! who wins, so such a table has a second file, that of `wdl`; and where `wdl` is wanted beside another
//! metric, it comes with it.

use format::{companion, file_name_of};
use variant::{Metric, Variant};

/// The tables of a game under one metric.
#[derive(Clone, Debug)]
pub struct Edition {
    variant: Variant,
    metric: Metric,
    /// The metrics of a table's files, that of the edition first.
    metrics: Vec<Metric>,
}

impl Edition {
    /// The tables of a game under a metric.
    #[must_use]
    pub fn new(variant: &Variant, metric: Metric) -> Self {
        let metrics = std::iter::once(metric).chain(companion(metric)).collect();
        Edition { variant: variant.clone(), metric, metrics }
    }

    /// The editions that some metrics take, in as few builds as there can be.
    #[must_use]
    pub fn of_metrics(variant: &Variant, metrics: &[Metric]) -> Vec<Self> {
        let edition = |pass: Vec<Metric>| {
            let mut edition = Edition::new(variant, pass[0]);
            let more = pass[1..].iter().filter(|metric| !edition.metrics.contains(metric)).copied();
            edition.metrics.extend(more.collect::<Vec<Metric>>());
            edition
        };
        solve::passes(metrics).into_iter().map(edition).collect()
    }

    /// The rules.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The metric that is solved.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The metrics of a table's files, that of the edition first.
    #[must_use]
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// Whether solving a table reads this file of the tables below it, and so needs both sides to move of it.
    #[must_use]
    pub fn reads(&self, metric: Metric) -> bool {
        metric == self.metric || companion(self.metric) == Some(metric)
    }

    /// Whether this is the metric that the game names.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.metric == self.variant.default_metric
    }

    /// The name of a table's file for one of the edition's metrics.
    #[must_use]
    pub fn file_name(&self, material: &str, metric: Metric) -> String {
        file_name_of(material, metric, self.variant.default_metric)
    }
}

impl std::fmt::Display for Edition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.metrics.iter().map(|metric| metric.name()).collect();
        write!(f, "{}", names.join(" with "))
    }
}
