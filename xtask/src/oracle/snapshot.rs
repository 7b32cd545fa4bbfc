//! Compares the snapshots of statistics with what the naive oracle computes, number for number.
//!
//! The snapshots of chess have published numbers beside them; those of other games have none, so that a
//! wrong number that was snapshotted once would stay. Here the oracle solves the material of a snapshot
//! with all that it leads to, and no table of the solver is used. Only the counting is the program's own
//! (crate `stats`), which published numbers hold.

use index::Layout;
use proof::Oracle;
use stats::Statistics;
use std::path::Path;
use variant::{Material, Metric, Variant};

/// The most positions of a material that the oracle solves, both sides to move: it keeps a number for each
/// of their moves, which are some hundred bytes a position.
const MOST_POSITIONS: usize = 1 << 26;

/// A snapshot of statistics: of which game, material and metric, and its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Snapshot {
    pub(super) game: String,
    pub(super) material: String,
    pub(super) metric: Metric,
    pub(super) text: String,
}

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Equal,
    /// The first line that differs, as the snapshot has it and as the oracle does.
    Different(String, String),
    /// The material has so many positions that the oracle is not asked.
    TooLarge(usize),
}

impl Snapshot {
    /// The snapshots below a root, sorted: of these games, or of all but chess if none is named.
    ///
    /// # Errors
    /// The folder or a file cannot be read, or a game has no snapshot.
    pub(super) fn all(root: &Path, games: &[String]) -> Result<Vec<Self>, String> {
        let folder = root.join("tests/snapshots/stats");
        let text = |error: std::io::Error| format!("{}: {error}", folder.display());
        let mut snapshots = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(text)? {
            let path = entry.map_err(text)?.path();
            snapshots.extend(Snapshot::read(&path)?);
        }
        let chess = Variant::chess().name;
        snapshots.retain(|snapshot| match games {
            [] => snapshot.game != chess,
            games => games.contains(&snapshot.game),
        });
        if let Some(game) = games.iter().find(|&game| snapshots.iter().all(|s| s.game != *game)) {
            return Err(format!("no snapshot of {game} in {}", folder.display()));
        }
        snapshots.sort_by(|a, b| (&a.game, &a.material, a.metric).cmp(&(&b.game, &b.material, b.metric)));
        Ok(snapshots)
    }

    /// Reads a snapshot, `GAME__MATERIAL__METRIC.snap`; none from a file with another name.
    fn read(path: &Path) -> Result<Option<Self>, String> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let fields: Vec<&str> = name.strip_suffix(".snap").unwrap_or_default().split("__").collect();
        let &[game, material, metric] = fields.as_slice() else { return Ok(None) };
        let Ok(metric) = metric.parse() else { return Ok(None) };
        let file = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        // Two lines of dashes enclose what insta writes of its own.
        let text = file.splitn(3, "---\n").nth(2).ok_or(format!("{}: no snapshot", path.display()))?;
        Ok(Some(Snapshot { game: game.into(), material: material.into(), metric, text: text.into() }))
    }

    /// Solves the material by the oracle and compares the statistics with the snapshot.
    ///
    /// # Errors
    /// The rules of the game cannot be read, or it has no such material.
    pub(super) fn compare(&self, root: &Path) -> Result<Outcome, String> {
        let path = root.join("variants").join(&self.game).with_extension("toml");
        let variant = Variant::load(path).map_err(|error| error.to_string())?;
        let material = Material::parse(&variant, &self.material)
            .map_err(|error| format!("{}: {error}", self.material))?;
        // A name may have the colours as the test asks for them.
        let material = material.canonical(&variant);
        let n_positions = 2 * Layout::new(&variant, &material).len();
        if n_positions > MOST_POSITIONS {
            return Ok(Outcome::TooLarge(n_positions));
        }
        let mut oracle = Oracle::folded(&variant).counting(self.metric);
        oracle.solve(&material);
        let table = oracle.table(&material).ok_or(format!("{}: not solved", self.material))?;
        let computed = Statistics::collect(&variant, self.metric, &table).render();
        Ok(self.first_difference(&computed))
    }

    /// Compares line by line; a line that one text has no more is empty.
    fn first_difference(&self, computed: &str) -> Outcome {
        let (kept, computed): (Vec<&str>, Vec<&str>) =
            (self.text.trim_end().lines().collect(), computed.trim_end().lines().collect());
        let line = |lines: &[&str], i: usize| lines.get(i).copied().unwrap_or_default().to_owned();
        (0..kept.len().max(computed.len()))
            .map(|i| (line(&kept, i), line(&computed, i)))
            .find(|(kept, computed)| kept != computed)
            .map_or(Outcome::Equal, |(kept, computed)| Outcome::Different(kept, computed))
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Snapshot};
    use crate::root;
    use variant::Metric;

    fn gardner() -> Snapshot {
        let snapshots = Snapshot::all(root(), &["gardner".into()]).unwrap();
        assert_eq!(snapshots.len(), 1, "{snapshots:?}");
        snapshots[0].clone()
    }

    #[test]
    fn a_wrong_number_in_a_snapshot_is_found() {
        let snapshot = gardner();
        assert_eq!((snapshot.material.as_str(), snapshot.metric), ("KQvKR", Metric::Dtm));
        let right = snapshot.text.lines().find(|line| line.starts_with("losses")).unwrap().to_owned();
        let wrong = right.replacen(|c: char| c.is_ascii_digit(), "0", 1);
        let changed = Snapshot { text: snapshot.text.replace(&right, &wrong), ..snapshot.clone() };
        assert_eq!(changed.compare(root()), Ok(Outcome::Different(wrong, right)));
        assert_eq!(changed.first_difference(&changed.text), Outcome::Equal);
        assert_eq!(snapshot.compare(root()), Ok(Outcome::Equal));
    }

    #[test]
    fn chess_has_published_numbers_and_five_men_are_too_many() {
        let all = Snapshot::all(root(), &[]).unwrap();
        assert!(all.len() > 20 && all.iter().all(|snapshot| snapshot.game != "fide"), "{}", all.len());
        let large = all.iter().find(|snapshot| snapshot.material == "KBMvKH").unwrap();
        assert!(matches!(large.compare(root()), Ok(Outcome::TooLarge(n)) if n > 200_000_000));
        assert!(Snapshot::all(root(), &["checkers".into()]).unwrap_err().contains("no snapshot of checkers"));
    }
}
