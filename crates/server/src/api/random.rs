//! Draws a position of a table at random, with a given result or distance if somebody asks.

use super::extractor::QueryParameters;
use crate::desk::{Queue, Waiting, Written};
use crate::game::Game;
use crate::refusal::HttpRefusal;
use crate::state::Shared;
use axum::extract::{Path, State};
use index::Layout;
use position::Position;
use probe::{ProbeError, Tablebase};
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher, RandomState};
use table::{Ply, Value};
use variant::{Material, Metric, Side};

/// How many placements are drawn before they are looked at in order.
const N_DRAWN: usize = 20_000;

/// How many are looked at in order: all of a table of four men without pawns.
const N_IN_ORDER: usize = 4_000_000;

/// After so many steps a search looks whether somebody waits for it still.
const STRETCH: usize = 256;

/// What the position is to be like.
#[derive(Deserialize)]
pub(super) struct RandomQuery {
    metric: Option<String>,
    /// `w` or `b`.
    stm: Option<String>,
    /// 1, 0 or −1 for the side to move.
    wdl: Option<i8>,
    /// Exactly so many plies.
    plies: Option<u16>,
    /// The same number draws the same position.
    seed: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Drawn {
    fen: String,
    metric: &'static str,
    wdl: Option<i8>,
    /// Plies under the metric; null for a draw, and under `wdl`.
    plies: Option<u16>,
    /// The number that draws this position again.
    seed: u64,
}

pub(super) async fn random(
    State(server): Shared,
    Path((game, table)): Path<(String, String)>,
    QueryParameters(like): QueryParameters<RandomQuery>,
) -> Result<Written, HttpRefusal> {
    let game = server.game(&game)?;
    let metric = Game::metric(like.metric.as_deref())?;
    let stm = match like.stm.as_deref() {
        None | Some("") => None,
        Some("w") => Some(Side::White),
        Some("b") => Some(Side::Black),
        Some(_) => return Err(HttpRefusal::bad("`stm` is neither `w` nor `b`")),
    };
    if like.wdl.is_some_and(|wdl| !(-1..=1).contains(&wdl)) {
        return Err(HttpRefusal::bad("`wdl` is none of -1, 0 and 1"));
    }
    let seed = like.seed.unwrap_or_else(|| RandomState::new().hash_one(0u8) >> 11);
    let search = Search { stm, wdl: like.wdl, plies: like.plies, seed };
    server.desk.answer(Queue::Counting, move |waiting| search.run(&game, &table, metric, waiting)).await
}

#[derive(Clone, Copy)]
struct Search {
    stm: Option<Side>,
    wdl: Option<i8>,
    plies: Option<u16>,
    seed: u64,
}

impl Search {
    fn run(
        self,
        game: &Game,
        table: &str,
        metric: Option<Metric>,
        waiting: &Waiting,
    ) -> Result<Drawn, HttpRefusal> {
        let material = game.material(table)?;
        let variant = game.variant();
        if material.n_men() > index::MAX_MEN {
            return Err(HttpRefusal::absent(format!("tables have at most {} men", index::MAX_MEN)));
        }
        let layout = Layout::new(variant, &material);
        let first = self.first_legal(game, &layout, waiting);
        waiting.check()?;
        let Some(first) = first else {
            return Err(HttpRefusal::absent("the table has no position"));
        };
        let answered = game.tables.ask(&first, metric, |tables| {
            let found = self.find(game, tables, &layout, waiting)?;
            Ok((found.map(|(position, value)| (position.to_fen(game.book()), value)), None))
        });
        // A search that was broken off has no answer.
        waiting.check()?;
        let name = |material: &Material| material.name(variant);
        let answered = answered.map_err(|error| match error {
            ProbeError::Missing(_) => {
                HttpRefusal::absent(format!("the table {} is not here", name(&material)))
            }
            error => error.into(),
        })?;
        let (fen, value) = answered.answer.ok_or_else(|| {
            HttpRefusal::absent(format!("no such position was found in {}", name(&material)))
        })?;
        let plies = value.ply().map(|Ply(plies)| plies).filter(|_| answered.metric != Metric::Wdl);
        Ok(Drawn { fen, metric: answered.metric.name(), wdl: value.wdl(), plies, seed: self.seed })
    }

    fn first_legal(&self, game: &Game, layout: &Layout, waiting: &Waiting) -> Option<Position> {
        let tries = (0..layout.len()).take(N_IN_ORDER).take_while(|index| goes_on(*index, waiting));
        tries
            .filter_map(|index| at(layout, index, Side::White))
            .find(|position| position.is_legal(game.book()))
    }

    /// Draws placements; then, for what is rare, looks at those behind the last one drawn in order.
    fn find(
        &self,
        game: &Game,
        tables: &Tablebase,
        layout: &Layout,
        waiting: &Waiting,
    ) -> Result<Option<(Position, Value)>, ProbeError> {
        let mut dice = Dice(self.seed);
        for _ in (0..N_DRAWN).take_while(|step| goes_on(*step, waiting)) {
            let index = dice.below(layout.len());
            let stm = self.stm.unwrap_or(Side::BOTH[dice.below(2)]);
            if let Some(found) = self.fitting(game, tables, at(layout, index, stm))? {
                return Ok(Some(found));
            }
        }
        if self.wdl.is_none() && self.plies.is_none() {
            return Ok(None);
        }
        let start = dice.below(layout.len());
        let sides = self.stm.map_or(Side::BOTH.to_vec(), |stm| vec![stm]);
        let steps = 0..layout.len().min(N_IN_ORDER);
        for step in steps.take_while(|step| goes_on(*step, waiting)) {
            let index = (start + step) % layout.len();
            for &stm in &sides {
                if let Some(found) = self.fitting(game, tables, at(layout, index, stm))? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    fn fitting(
        &self,
        game: &Game,
        tables: &Tablebase,
        position: Option<Position>,
    ) -> Result<Option<(Position, Value)>, ProbeError> {
        let Some(position) = position.filter(|position| position.is_legal(game.book())) else {
            return Ok(None);
        };
        let value = tables.value(&position)?;
        let fits = value != Value::Illegal
            && self.wdl.is_none_or(|wdl| value.wdl() == Some(wdl))
            && self.plies.is_none_or(|plies| value.ply() == Some(Ply(plies)));
        Ok(fits.then_some((position, value)))
    }
}

/// Whether a search goes on with this step; every so many it looks whether somebody waits for it still.
fn goes_on(step: usize, waiting: &Waiting) -> bool {
    !step.is_multiple_of(STRETCH) || !waiting.is_over()
}

/// The position of a number.
fn at(layout: &Layout, index: usize, stm: Side) -> Option<Position> {
    let squares = layout.decode(index);
    Position::from_men(layout.men().iter().copied().zip(squares.iter().copied()), stm)
}

/// A generator of numbers: SplitMix64, whose quality is enough to draw examples.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}
