//! Names the files of a game's tables under one metric.
//!
//! A build solves one metric at a time. Distances to a capture or a pawn move lie in files that do not say
//! who wins, so such a table has a second file, that of `wdl`; and where `wdl` is wanted beside another
//! metric, it comes with it.

use crate::LibraryError;
use format::{Summary, companion, file_name_of, winner_file_name};
use variant::{Material, Metric, Side, Variant};

/// The tables of a game under one metric.
#[derive(Clone, Debug)]
pub struct Edition {
    variant: Variant,
    metric: Metric,
    /// The metrics of a table's files, that of the edition first.
    metrics: Vec<Metric>,
    /// The table of which one side's wins alone are wanted, and that side.
    one_winner: Option<(Material, Side)>,
}

impl Edition {
    /// The tables of a game under a metric.
    #[must_use]
    pub fn new(variant: &Variant, metric: Metric) -> Self {
        let metrics = std::iter::once(metric).chain(companion(metric)).collect();
        Edition { variant: variant.clone(), metric, metrics, one_winner: None }
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

    /// The same tables under another metric.
    #[must_use]
    pub fn under(&self, metric: Metric) -> Self {
        Edition { one_winner: self.one_winner.clone(), ..Edition::new(&self.variant, metric) }
    }

    /// The same, but of one table with one side's wins alone, in files of their own. The tables below it have
    /// the wins of both sides.
    ///
    /// # Errors
    /// The wins of both sides are the same, because the table is symmetric.
    pub fn with_winner(self, material: &Material, winner: Side) -> Result<Self, LibraryError> {
        match material.is_one_sided(&self.variant) {
            true => Err(LibraryError::Symmetric { material: material.name(&self.variant) }),
            false => Ok(Edition { one_winner: Some((material.clone(), winner)), ..self }),
        }
    }

    /// The side whose wins alone a table has, if it has not those of both.
    #[must_use]
    pub fn winner_of(&self, material: &str) -> Option<Side> {
        let (of, winner) = self.one_winner.as_ref()?;
        (of.name(&self.variant) == material).then_some(*winner)
    }

    /// The table of which one side's wins alone are wanted, and that side.
    #[must_use]
    pub fn one_winner(&self) -> Option<(&Material, Side)> {
        self.one_winner.as_ref().map(|(material, winner)| (material, *winner))
    }

    /// How a table is solved.
    pub fn options_of(&self, material: &str) -> solve::Options {
        solve::Options { attacker: self.winner_of(material), ..self.metric.into() }
    }

    /// Whether a file is of the rules that this table is made by now, and of this version of the solver.
    #[must_use]
    pub fn is_current(&self, material: &Material, metric: Metric, summary: &Summary) -> bool {
        let winner = self.winner_of(&material.name(&self.variant));
        summary.rules_hash == format::rules_hash_with_winner(&self.variant, material, metric, winner)
            && summary.metadata.solver_version == solve::VERSION
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
        let default = self.variant.default_metric;
        match self.winner_of(material) {
            Some(winner) => winner_file_name(material, winner, metric, default),
            None => file_name_of(material, metric, default),
        }
    }
}

impl std::fmt::Display for Edition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.metrics.iter().map(|metric| metric.name()).collect();
        write!(f, "{}", names.join(" with "))
    }
}
