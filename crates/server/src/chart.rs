//! Draws how many positions are won and lost after how many plies, as SVG: a panel for each side to move.

use stats::chart::{Bars, Panel, Series};
use stats::{PlyCount, SideStatistics, Statistics};
use variant::Side;

/// The chart of a table, or a sentence that says why there is none.
pub(crate) fn by_ply(statistics: &Statistics, is_logarithmic: bool, width: u16) -> Result<String, String> {
    let panels = Side::BOTH.map(|stm| Panel {
        title: format!("{} {}: {stm} to move", statistics.material, statistics.metric),
        series: series(statistics.side(stm)),
    });
    if panels.iter().flat_map(|panel| &panel.series).all(|series| series.points.is_empty()) {
        return Err(format!(
            "nobody wins in {} ({}), or no distances are counted",
            statistics.material, statistics.metric
        ));
    }
    Ok(Bars { panels: panels.into(), is_logarithmic, width }.svg())
}

/// Wins and losses.
fn series(side: &SideStatistics) -> Vec<Series> {
    let series = |name: &str, plies: &[PlyCount]| {
        let points = plies.iter().filter(|at| !at.count.is_zero()).map(|at| (at.ply, at.count.orbits));
        Series { name: name.into(), points: points.collect() }
    };
    vec![series("wins", &side.wins_by_ply), series("losses", &side.losses_by_ply)]
}
