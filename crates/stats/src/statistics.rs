//! Collects the statistics of one table.

use crate::beyond_rule::{BeyondRule, split};
use crate::census::{Census, Counted};
use crate::count::{Count, Longest, PlyCount};
use crate::example::Writer;
use crate::unit::Units;
use crate::zugzwang::{ZugzwangSearch, Zugzwangs};

use serde::{Deserialize, Serialize};
use std::io;
use table::{Code, CodeSource, Codes, CodesRef, Ply, Scale, Split, Table, Value};
use variant::{Metric, Side, Variant};

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

    /// The same of a table that may be larger than memory: no more of its codes are there than the source
    /// hands out at once, for each side to move, and of a symmetric table once more.
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
        let mut rooms = [Codes::Narrow(Vec::new()), Codes::Narrow(Vec::new())];
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
                        longest.fen = writer.swapped_fen(Side::White, index);
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

    /// The same of a table that has one side's wins alone, if it has.
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

impl SideStatistics {
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
        let (start, mut room) = (run.start * self.source.layout().block_len(), Codes::Narrow(Vec::new()));
        let place = first(self.source.codes(self.side, run.clone(), &mut room)?, value);
        Ok(place.map(|place| start + place))
    }
}

/// The first of these codes with a value.
fn first(codes: CodesRef<'_>, value: Value) -> Option<usize> {
    match codes {
        CodesRef::Narrow(codes) => position(codes, u8::from_value(value)?),
        CodesRef::Split(codes, _) => position(codes, Split::code(value)?),
        CodesRef::Wide(codes) => position(codes, u16::from_value(value)?),
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
