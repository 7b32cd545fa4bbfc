//! Collects the statistics of one table: counts by result and ply, cursed wins, means, and what squares are
//! worth.

use crate::census::{Census, Count, Counted, Longest, PlyCount, Units, Writer};
use crate::zugzwang::{ZugzwangSearch, Zugzwangs};
use geometry::Square;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::{fmt, io};
use table::{Code, CodeSource, Codes, Mapping, Ply, Scale, Table, Value, threads};
use variant::{Man, Metric, Side, Variant};

/// The most mutual zugzwangs that are written out.
const N_EXAMPLES: usize = 5;

/// The statistics of a solved table.
///
/// Of a symmetric material the positions with Black to move are those with White to move, colours exchanged;
/// they are counted like all others.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Statistics {
    /// The material's name.
    pub material: String,
    /// What plies count.
    pub metric: String,
    /// The side whose wins alone were looked for, `white` or `black`: draws are what it does not win then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// Whether a game can be won otherwise than by mate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends_otherwise: bool,
    /// With White to move.
    pub white_to_move: SideStatistics,
    /// With Black to move.
    pub black_to_move: SideStatistics,
    /// Placements in which either side does worse if it is its turn.
    pub zugzwangs: Zugzwangs,
}

/// The statistics of the positions with one side to move, from that side's view.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct SideStatistics {
    /// Won positions; under the n-move rule those that are won with the clock at 0.
    pub wins: Count,
    /// Drawn positions, stalemates among them, but not those that only the n-move rule draws.
    pub draws: Count,
    /// Lost positions, mates among them; under the n-move rule those that are lost with the clock at 0.
    pub losses: Count,
    /// Draws without a legal move.
    pub stalemates: Count,
    /// Lost positions without a legal move; not counted without distances.
    pub mates: Count,
    /// Placements that the table has a place for and that are no position: the side not to move could lose
    /// its royal man. Royal men that attack each other by their first step have no place and are not here.
    pub illegal: Count,
    /// Won positions by ply, in ascending order; empty without distances.
    pub wins_by_ply: Vec<PlyCount>,
    /// Lost positions by ply, in ascending order; empty without distances.
    pub losses_by_ply: Vec<PlyCount>,
    /// The longest win.
    pub longest_win: Option<Longest>,
    /// The longest loss.
    pub longest_loss: Option<Longest>,
    /// What the n-move rule turns into draws, if it is looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_rule: Option<BeyondRule>,
}

impl Statistics {
    /// The statistics of a table of a metric whose codes are exact in all places, canonical or not: one that
    /// was just solved, or read from a file and restored.
    ///
    /// Complexity: one pass over the codes, on all threads of the current pool.
    #[must_use]
    pub fn collect(variant: &Variant, metric: Metric, table: &Table) -> Self {
        Self::collect_from(variant, metric, table).expect("a table in memory lends its codes")
    }

    /// Like [`Self::collect`], of a table that may be larger than memory: no more of its codes are there
    /// than the source hands out at once, for each side to move, and of a symmetric table once more.
    ///
    /// # Errors
    /// The source does not give its codes.
    pub fn collect_from(variant: &Variant, metric: Metric, source: &dyn CodeSource) -> io::Result<Self> {
        let layout = source.layout();
        let scale = Scale::new(metric, &variant.rules);
        let units = Units::new(layout);
        let all = units.all_placements().count(layout);
        let writer = Writer::new(variant, layout);
        let mut censuses =
            Side::BOTH.map(|side| source.coding(side).map(|coding| Census::new(&units, coding)));
        let mut search = ZugzwangSearch::new(source, &units, N_EXAMPLES);
        let mut rooms = [Codes::default(), Codes::default()];
        let mut next = 0;
        while next < units.len() {
            let run = units.run(source, next);
            let [white_room, black_room] = &mut rooms;
            let white = source.codes(Side::White, run.clone(), white_room)?;
            let black = match source.coding(Side::Black) {
                Some(_) => Some(source.codes(Side::Black, run.clone(), black_room)?),
                None => None,
            };
            for (census, codes) in
                censuses.iter_mut().flatten().zip([Some(white), black].into_iter().flatten())
            {
                census.count(&run, codes);
            }
            search.search_run(&run, white, black)?;
            next = run.end;
        }
        drop(rooms);
        let [white, black] = censuses.map(|census| census.map(Census::finish));
        let side = |side: Side, counted: &[Counted]| {
            let longest = Places { source, side, counted };
            let fen = |value| Ok(longest.first(value)?.map(|index| writer.fen(side, index)));
            SideStatistics::collect(&scale, all, counted, &fen)
        };
        let white = white.unwrap_or_default();
        let white_to_move = side(Side::White, &white)?;
        let black_to_move = match &black {
            Some(black) => side(Side::Black, black)?,
            None => {
                let places = Places { source, side: Side::White, counted: &white };
                let mut swapped = white_to_move.clone();
                for (longest, value) in swapped.all_longest() {
                    if let Some(index) = places.first(value(Ply(longest.ply)))? {
                        longest.fen = writer.fen_from(Side::White, Side::Black, index);
                    }
                }
                swapped
            }
        };
        Ok(Statistics {
            material: layout.material().name(variant),
            metric: metric.to_string(),
            winner: None,
            ends_otherwise: !variant.rules.is_won_by_mate_only(),
            white_to_move,
            black_to_move,
            zugzwangs: Zugzwangs::new(variant, &search.finish(), &units),
        })
    }

    /// These statistics of a table that has one side's wins alone, if it has.
    #[must_use]
    pub fn of_winner(self, winner: Option<Side>) -> Self {
        Statistics { winner: winner.map(|winner| winner.to_string().to_lowercase()), ..self }
    }

    /// The side whose wins alone were looked for, for people: `White`.
    #[must_use]
    pub fn winner(&self) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.winner.as_ref() == Some(&side.to_string().to_lowercase()))
    }

    /// The statistics of one side to move.
    #[must_use]
    pub fn side(&self, stm: Side) -> &SideStatistics {
        match stm {
            Side::White => &self.white_to_move,
            Side::Black => &self.black_to_move,
        }
    }
}

impl Statistics {
    /// How many positions there are with either side to move, modulo symmetry.
    #[must_use]
    pub fn n_positions(&self) -> u64 {
        Side::BOTH.into_iter().map(|stm| self.side(stm).legal().orbits).sum()
    }

    /// The longest win of either side.
    #[must_use]
    pub fn longest_win(&self) -> Option<&Longest> {
        let wins = Side::BOTH.into_iter().filter_map(|stm| self.side(stm).longest_win.as_ref());
        // The first of equals: White's.
        wins.rev().max_by_key(|longest| longest.ply)
    }

    /// The side to move and the longest loss, if the loser holds out longer than by letting the longest win
    /// come about: he begins with a capture, as in KQQvK.
    #[must_use]
    pub fn longer_loss(&self) -> Option<(Side, &Longest)> {
        let win = self.longest_win().map_or(0, |win| win.ply);
        let losses =
            Side::BOTH.into_iter().filter_map(|stm| Some((stm, self.side(stm).longest_loss.as_ref()?)));
        losses.max_by_key(|(_, loss)| loss.ply).filter(|(_, loss)| loss.ply > win.saturating_add(1))
    }
}

impl SideStatistics {
    /// The shares of wins, draws and losses; what the n-move rule draws is drawn.
    #[must_use]
    pub fn percentages(&self) -> [Option<Mean>; 3] {
        let all = self.legal().unreduced;
        let (wins, losses) = (self.wins.unreduced, self.losses.unreduced);
        [wins, all - wins - losses, losses].map(|part| Mean::percent(part, all))
    }

    /// How many legal positions there are.
    #[must_use]
    pub fn legal(&self) -> Count {
        let beyond = self.beyond_rule.as_ref().map_or(Count::default(), BeyondRule::total);
        self.wins + self.draws + self.losses + beyond
    }

    /// All that takes longest, and which values it has.
    fn all_longest(&mut self) -> impl Iterator<Item = (&mut Longest, fn(Ply) -> Value)> {
        let (cursed, blessed) = match &mut self.beyond_rule {
            Some(beyond) => (beyond.longest_cursed_win.as_mut(), beyond.longest_blessed_loss.as_mut()),
            None => (None, None),
        };
        let wins = [self.longest_win.as_mut(), cursed].into_iter().flatten();
        let losses = [self.longest_loss.as_mut(), blessed].into_iter().flatten();
        wins.map(|longest| (longest, Value::Win as fn(Ply) -> Value))
            .chain(losses.map(|longest| (longest, Value::Loss as fn(Ply) -> Value)))
    }

    /// The statistics of what was counted; `fen` writes the first position with a value.
    fn collect(
        scale: &Scale,
        all: Count,
        counted: &[Counted],
        fen: &dyn Fn(Value) -> io::Result<Option<String>>,
    ) -> io::Result<SideStatistics> {
        let mut side = SideStatistics::default();
        for &Counted { value, count, .. } in counted {
            match value {
                Value::Illegal => {}
                Value::Draw => side.draws = side.draws + count,
                Value::Stalemate => {
                    side.stalemates = count;
                    side.draws = side.draws + count;
                }
                Value::Win(ply) => side.wins_by_ply.push(PlyCount { ply: ply.0, count }),
                Value::Loss(ply) => side.losses_by_ply.push(PlyCount { ply: ply.0, count }),
            }
        }
        // The codes of losses may stand in either order.
        side.losses_by_ply.sort_unstable_by_key(|at| at.ply);
        let longest = |plies: &[PlyCount], value: fn(Ply) -> Value| {
            let Some(last) = plies.last() else { return Ok(None) };
            let fen = fen(value(Ply(last.ply)))?;
            Ok::<_, io::Error>(fen.map(|fen| Longest { ply: last.ply, count: last.count, fen }))
        };
        let [wins, cursed_wins] = split(&side.wins_by_ply, scale.rule_plies());
        let [losses, blessed_losses] = split(&side.losses_by_ply, scale.rule_plies());
        side.wins = sum(wins);
        side.losses = sum(losses);
        if let Some(rule_plies) = scale.rule_plies() {
            side.beyond_rule = Some(BeyondRule {
                rule_plies,
                cursed_wins: sum(cursed_wins),
                blessed_losses: sum(blessed_losses),
                longest_cursed_win: longest(cursed_wins, Value::Win)?,
                longest_blessed_loss: longest(blessed_losses, Value::Loss)?,
            });
        }
        if scale.metric() == Metric::Wdl {
            // What stands for a distance in the codes is none.
            (side.wins_by_ply, side.losses_by_ply) = (Vec::new(), Vec::new());
        } else {
            side.mates = losses.iter().filter(|at| at.ply == 0).map(|at| at.count).sum();
            (side.longest_win, side.longest_loss) =
                (longest(wins, Value::Win)?, longest(losses, Value::Loss)?);
        }
        let legal = side.legal();
        side.illegal = Count {
            orbits: all.orbits.saturating_sub(legal.orbits),
            unreduced: all.unreduced.saturating_sub(legal.unreduced),
        };
        Ok(side)
    }
}

fn sum(plies: &[PlyCount]) -> Count {
    plies.iter().map(|at| at.count).sum()
}

/// Finds places with a value by reading again the first run of units that has it.
struct Places<'a> {
    source: &'a dyn CodeSource,
    side: Side,
    counted: &'a [Counted],
}

impl Places<'_> {
    /// The first place with a value. It is canonical: an image with a smaller number would have the value
    /// too.
    fn first(&self, value: Value) -> io::Result<Option<usize>> {
        let Some(Counted { run, .. }) = self.counted.iter().find(|counted| counted.value == value) else {
            return Ok(None);
        };
        let (start, mut room) = (run.start * self.source.layout().block_len(), Codes::default());
        let codes = self.source.codes(self.side, run.clone(), &mut room)?;
        let Some(code) = codes.coding().code_of(value) else { return Ok(None) };
        let place = codes.either(|codes| position(codes, code as u8), |codes| position(codes, code));
        Ok(place.map(|place| start + place))
    }
}

/// The first place with a code: whole stretches are searched for having it at all, which takes vectors of
/// codes at a time.
fn position<C: Code>(codes: &[C], code: C) -> Option<usize> {
    const STRETCH: usize = 1024;
    let has = |stretch: &[C]| stretch.iter().fold(false, |found, &c| found | (c == code));
    let start = STRETCH * codes.chunks(STRETCH).position(has)?;
    codes[start..].iter().position(|&c| c == code).map(|place| start + place)
}

/// Counts with one side to move, from that side's view. The ply counts of a side have them too, beyond the
/// plies of the rule.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct BeyondRule {
    /// The most plies of a win under the rule.
    pub rule_plies: u16,
    /// Positions that would be won without the rule.
    pub cursed_wins: Count,
    /// Positions that would be lost without the rule.
    pub blessed_losses: Count,
    /// The longest cursed win.
    pub longest_cursed_win: Option<Longest>,
    /// The longest blessed loss.
    pub longest_blessed_loss: Option<Longest>,
}

impl BeyondRule {
    /// How many positions the rule has turned into draws.
    #[must_use]
    pub fn total(&self) -> Count {
        self.cursed_wins + self.blessed_losses
    }
}

/// The counts of positions that are decided under the rule, and of those that are not; all are, if there is
/// none.
pub(crate) fn split(plies: &[PlyCount], rule_plies: Option<u16>) -> [&[PlyCount]; 2] {
    let n_within = plies.partition_point(|at| rule_plies.is_none_or(|rule| at.ply <= rule));
    let (within, beyond) = plies.split_at(n_within);
    [within, beyond]
}

/// A mean in hundredths; as JSON a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(into = "f64")]
pub struct Mean {
    hundredths: u64,
}

impl Mean {
    /// The mean of the plies of positions on the whole board, from a number of plies on; none if there are
    /// no such positions.
    #[must_use]
    pub fn of(plies: &[PlyCount], from_ply: u16) -> Option<Self> {
        let counted = plies.iter().filter(|at| at.ply >= from_ply);
        let (sum, n) = counted.fold((0u128, 0u128), |(sum, n), at| {
            let count = u128::from(at.count.unreduced);
            (sum + u128::from(at.ply) * count, n + count)
        });
        // Halves are rounded up.
        (n > 0).then(|| Mean { hundredths: ((sum * 200 + n) / (2 * n)) as u64 })
    }

    /// The mean of this many in a whole, as a percentage; none of nothing.
    #[must_use]
    pub fn percent(part: u64, whole: u64) -> Option<Self> {
        let (part, whole) = (u128::from(part), u128::from(whole));
        (whole > 0).then(|| Mean { hundredths: ((part * 20_000 + whole) / (2 * whole)) as u64 })
    }

    /// The mean times a hundred.
    #[must_use]
    pub const fn hundredths(self) -> u64 {
        self.hundredths
    }
}

impl From<Mean> for f64 {
    fn from(mean: Mean) -> f64 {
        mean.hundredths as f64 / 100.0
    }
}

impl fmt::Display for Mean {
    /// `12.34`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{:02}", self.hundredths / 100, self.hundredths % 100))
    }
}

/// The first ply of a win that is not immediate: a move that wins at once counts one.
const SLOW_WIN: u16 = 2;

/// A slow loss: whatever the loser does, the answer ends it, or it is over already.
const SLOW_LOSS: u16 = 3;

impl SideStatistics {
    /// The mean of all wins.
    #[must_use]
    pub fn mean_win(&self) -> Option<Mean> {
        Mean::of(&self.wins_by_ply, 0)
    }

    /// The mean of the wins that take more than one ply.
    #[must_use]
    pub fn mean_slow_win(&self) -> Option<Mean> {
        Mean::of(&self.wins_by_ply, SLOW_WIN)
    }

    /// The mean of all losses.
    #[must_use]
    pub fn mean_loss(&self) -> Option<Mean> {
        Mean::of(&self.losses_by_ply, 0)
    }

    /// The mean of the losses that take more than two plies.
    #[must_use]
    pub fn mean_slow_loss(&self) -> Option<Mean> {
        Mean::of(&self.losses_by_ply, SLOW_LOSS)
    }
}

/// How many placements are added up at a time.
const STRETCH: usize = 1 << 14;

/// What is known of the positions with a man on one square, on the whole board.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SquareFigures {
    /// Decided positions, in a unit that is the same for all squares.
    pub decided: u64,
    /// Their plies together, in the same unit.
    pub plies: u128,
    /// Drawn positions, in the same unit.
    pub drawn: u64,
    /// The most plies.
    pub longest: u16,
}

impl SquareFigures {
    fn add(&mut self, other: SquareFigures) {
        self.decided += other.decided;
        self.plies += other.plies;
        self.drawn += other.drawn;
        self.longest = self.longest.max(other.longest);
    }

    /// The mean of the plies of decided positions in tenths; none if there are none.
    #[must_use]
    pub fn mean_tenths(&self) -> Option<u64> {
        let n = u128::from(self.decided);
        (n > 0).then(|| ((self.plies * 20 + n) / (2 * n)) as u64)
    }

    /// The figures for each square of a man of this kind, with one side to move; of several such men each
    /// counts. None if the table has no such man.
    #[must_use]
    pub fn collect(table: &Table, man: Man, stm: Side) -> Option<Vec<SquareFigures>> {
        let layout = table.layout();
        if !layout.men().contains(&man) {
            return None;
        }
        let keeps = Side::BOTH.map(|side| table.codes(side).is_some());
        let mapping = Mapping::new(layout, keeps, layout.men()).expect("a layout's men are its own");
        let empty = || vec![SquareFigures::default(); layout.n_squares()];
        let add = |sums: &mut Vec<SquareFigures>, places: Range<usize>| {
            part(table, &mapping, (man, stm), places, sums);
        };
        let sum = |mut sums: Vec<SquareFigures>, others: Vec<SquareFigures>| {
            sums.iter_mut().zip(others).for_each(|(sum, other)| sum.add(other));
            sums
        };
        let all = threads::fold(threads::stretches(0..layout.len(), STRETCH), empty, add);
        Some(all.into_iter().reduce(sum).unwrap_or_else(empty))
    }
}

fn part(
    table: &Table,
    mapping: &Mapping,
    (man, stm): (Man, Side),
    places: Range<usize>,
    sums: &mut [SquareFigures],
) {
    let layout = table.layout();
    for index in places {
        let squares = layout.decode(index);
        if !layout.is_canonical(index, &squares) {
            continue;
        }
        let place = mapping.locate(layout, stm, &squares);
        let value = place.and_then(|(side, place)| Some(table.codes(side)?.value(place)));
        let Some((value, wdl)) = value.and_then(|value| Some((value, value.wdl()?))) else { continue };
        // An image that several symmetries lead to is met that often. With one image for each symmetry the
        // weight is the whole group's, and so much is each image met in all.
        let weight = u64::from(layout.weights(&squares).unreduced);
        let ply = value.ply().map_or(0, |ply| ply.0);
        let figures = match wdl {
            0 => SquareFigures { drawn: weight, ..SquareFigures::default() },
            _ => SquareFigures {
                decided: weight,
                plies: u128::from(weight) * u128::from(ply),
                drawn: 0,
                longest: ply,
            },
        };
        for &symmetry in layout.group() {
            let permutation = layout.permutation(symmetry);
            let own = layout.men().iter().zip(squares.iter()).filter(|(own, _)| **own == man);
            own.for_each(|(_, square): (&Man, &Square)| {
                sums[usize::from(permutation[square.index()])].add(figures);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::statistics::Mean;
    use crate::{Count, PlyCount};

    #[track_caller]
    fn check_mean(plies: &[(u16, u64)], from_ply: u16, expected: Option<&str>) {
        let at = |&(ply, unreduced): &(u16, u64)| PlyCount { ply, count: Count { orbits: 1, unreduced } };
        let plies: Vec<PlyCount> = plies.iter().map(at).collect();
        assert_eq!(Mean::of(&plies, from_ply).map(|mean| mean.to_string()).as_deref(), expected, "{plies:?}");
    }

    #[test]
    fn means_are_rounded() {
        check_mean(&[], 0, None);
        check_mean(&[(1, 8), (3, 8)], 0, Some("2.00"));
        check_mean(&[(1, 8), (3, 8)], 2, Some("3.00"));
        check_mean(&[(1, 2), (2, 1)], 0, Some("1.33"));
        check_mean(&[(1, 1), (2, 2)], 0, Some("1.67"));
        check_mean(&[(1, 199), (2, 1)], 0, Some("1.01"));
        check_mean(&[(7, u64::MAX / 8)], 0, Some("7.00"));
        assert_eq!(Mean::percent(1, 3).unwrap().to_string(), "33.33");
        assert_eq!(Mean::percent(0, 0), None);
    }
}
