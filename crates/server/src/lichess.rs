//! Answers as Lichess's tablebase does: `GET /{game}?fen=…` and `GET /{game}/mainline?fen=…`.
//!
//! Clients exist in a dozen languages, so every key is always there, numbers that are not known are null,
//! and what is refused is refused in the same cases. A table that is not there is no refusal: its category
//! is `unknown`.

use crate::desk::{Queue, Waiting, Written};
use crate::game::Game;
use crate::refusal::{HttpRefusal, Plain};
use crate::state::{Server, Shared};
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::routing::get;
use library::lenient_position;
use position::{Move, Outcome, Position};
use probe::{Ask, LegalMoves, ProbeError, Tablebase};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::ops::Neg;
use std::sync::Arc;
use table::{Ply, Value};
use variant::{Metric, Side};

pub(crate) fn router() -> Router<Arc<Server>> {
    Router::new().route("/{game}", get(position)).route("/{game}/mainline", get(main_line))
}

#[derive(Deserialize)]
struct PositionQuery {
    fen: Option<String>,
}

async fn position(
    State(server): Shared,
    Path(game): Path<String>,
    asked: Result<Query<PositionQuery>, QueryRejection>,
) -> Result<Written, Plain> {
    let (game, fen) = (server.game(&game)?, asked_fen(asked)?);
    let answer = server.desk.answer(Queue::Reading, move |_| answer(&game, &question(&game, &fen)?));
    Ok(answer.await?)
}

async fn main_line(
    State(server): Shared,
    Path(game): Path<String>,
    asked: Result<Query<PositionQuery>, QueryRejection>,
) -> Result<Written, Plain> {
    let (game, fen) = (server.game(&game)?, asked_fen(asked)?);
    let answer = server
        .desk
        .answer(Queue::Reading, move |waiting| written_line(&game, &question(&game, &fen)?, waiting));
    Ok(answer.await?)
}

fn asked_fen(asked: Result<Query<PositionQuery>, QueryRejection>) -> Result<String, HttpRefusal> {
    let Query(asked) = asked.map_err(|error| HttpRefusal::bad(error.body_text()))?;
    asked.fen.ok_or_else(|| HttpRefusal::bad("the query has no `fen`"))
}

/// What is known of a position. Every key is always there.
#[derive(Serialize, Clone, Debug)]
struct PositionFacts {
    checkmate: bool,
    stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    insufficient_material: bool,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    dtm: Option<i32>,
    dtw: Option<i32>,
    dtc: Option<i32>,
    category: Category,
}

/// A position and its moves, best first.
#[derive(Serialize, Debug)]
struct Answer {
    #[serde(flatten)]
    known: PositionFacts,
    moves: Vec<KnownMove>,
}

#[derive(Serialize, Debug)]
struct KnownMove {
    uci: String,
    san: String,
    zeroing: bool,
    conversion: bool,
    /// Of the position after the move.
    #[serde(flatten)]
    known: PositionFacts,
}

fn answer(game: &Game, position: &Position) -> Result<Answer, HttpRefusal> {
    let book = game.book();
    let (own, next) = distances(game, position)?;
    let clock = position.halfmove_clock();
    let mut known = PositionFacts::new(game, position, &own, clock.saturating_sub(1));
    let legal: Vec<Move> = next.iter().map(|next| next.mv).collect();
    let moves = next.into_iter().filter(|next| {
        // What the rules allow and no table has a place for does not exist.
        next.known.dtz != Some(Value::Illegal) && next.known.dtm != Some(Value::Illegal)
    });
    let mut moves: Vec<KnownMove> = moves
        .map(|Next { mv, position: next, known }| KnownMove {
            san: position.san_among(book, mv, &legal),
            zeroing: mv.zeroing,
            conversion: mv.is_conversion(),
            known: PositionFacts::new(game, &next, &known, clock),
            uci: mv.uci(book),
        })
        .collect();
    moves.sort_by_cached_key(KnownMove::order);
    // Where the tables do not say it, or not for sure, the best move does.
    if let Some(best) = moves.first().map(|best| best.known.category)
        && !known.category.is_sure()
        && best != Category::Unknown
    {
        known.category = -best;
    }
    Ok(Answer { known, moves })
}

impl KnownMove {
    /// Best first: by category, mate first, then by distance: the loser's is short, the winner's long.
    fn order(&self) -> impl Ord + use<> {
        let PositionFacts { category, checkmate, variant_loss, dtm, dtw, dtz, .. } = &self.known;
        let loses = dtz.is_some_and(|dtz| dtz < 0);
        (
            *category,
            !checkmate,
            !variant_loss,
            Reverse(dtm.or(*dtw)),
            loses != self.zeroing,
            Reverse(*dtz),
            self.uci.clone(),
        )
    }
}

impl PositionFacts {
    /// `clock` is that of the position before the last move.
    fn new(game: &Game, position: &Position, distances: &Distances, clock: u32) -> Self {
        let variant = game.variant();
        let rule_plies = variant.rules.rule_plies();
        let late = rule_plies.is_some_and(|plies| clock >= u32::from(plies));
        let ending = position.ending(game.book());
        let is = |outcome| ending.is_some_and(|ending| ending.outcome == outcome);
        let checkmate = is(Outcome::Checkmate);
        let wins = |side| ending.is_some_and(|ending| ending.winner == Some(side)) && !checkmate;
        let category = match ending {
            Some(ending) => {
                let wdl = ending.winner.map_or(0, |winner| if winner == position.stm() { 1 } else { -1 });
                Category::of_result(wdl, late)
            }
            None => Category::new(distances, position.halfmove_clock(), rule_plies, late),
        };
        let dtz = distances.dtz.map(signed_dtz);
        // What counts as a win where there is more than mate has a name of its own.
        let dtm = distances.dtm.map(|value| if ending.is_some() { 0 } else { signed(value) });
        let by_mate = variant.rules.is_won_by_mate_only();
        PositionFacts {
            checkmate,
            stalemate: is(Outcome::Stalemate),
            variant_win: wins(position.stm()),
            variant_loss: wins(!position.stm()),
            insufficient_material: position.is_dead(game.book()),
            dtz,
            precise_dtz: dtz.filter(|_| !distances.is_rounded),
            dtm: dtm.filter(|_| by_mate),
            dtw: dtm.filter(|_| !by_mate),
            dtc: distances.dtc.map(signed_moves),
            category,
        }
    }
}

/// A move, the position after it, and what tables say of that.
struct Next {
    mv: Move,
    position: Position,
    known: Distances,
}

/// What the tables of all metrics say of a position and of those that its moves lead to.
fn distances(game: &Game, position: &Position) -> Result<(Distances, Vec<Next>), HttpRefusal> {
    let (tables, mut own) = (&game.tables, Distances::default());
    // All metrics rate the moves that are generated here.
    let legal = LegalMoves::default();
    let ask = Ask { legal: Some(&legal), ..Ask::MOVES };
    let unknown = |(mv, after): &(Move, Position)| Next {
        mv: *mv,
        position: after.clone(),
        known: Distances::default(),
    };
    let mut next: Vec<Next> = legal.of(game.book(), position).iter().map(unknown).collect();
    let mut read = |metric: Metric, set: fn(&mut Distances, Value, bool)| -> Result<bool, HttpRefusal> {
        let answer = match tables.answer_legal(position, Some(metric), &ask) {
            Err(ProbeError::Missing(_)) => return Ok(false),
            answer => answer?,
        };
        let rounded = |value: Value, at: &Position| match value.ply() {
            Some(_) => tables.is_rounded(at, metric),
            None => Ok(false),
        };
        match answer.value.value() {
            Some(value) => set(&mut own, value, rounded(value, position)?),
            None => own.wdl = own.wdl.or(answer.value.wdl()),
        }
        let mut is_whole = answer.value.is_exact();
        for next in &mut next {
            let rated = answer.moves.iter().find(|rated| rated.mv == next.mv);
            // A move that no table has a place for does not exist.
            let value = rated.map_or(Some(Value::Illegal), |rated| rated.next_value);
            match value {
                Some(value) => set(&mut next.known, value, rounded(value, &next.position)?),
                None => {
                    is_whole = false;
                    let wdl = rated.and_then(|rated| rated.value.wdl());
                    next.known.wdl = next.known.wdl.or(wdl.map(|wdl| -wdl));
                }
            }
        }
        Ok(is_whole)
    };
    let has_dtz = game.variant().rules.rule_plies().is_some()
        && read(Metric::Dtz50, |distances, value, is_rounded| {
            (distances.dtz, distances.is_rounded) = (Some(value), is_rounded);
        })?;
    let has_dtm = read(Metric::Dtm, |distances, value, _| distances.dtm = Some(value))?;
    if tables.has(Metric::Dtc) {
        read(Metric::Dtc, |distances, value, _| distances.dtc = Some(value))?;
    }
    // Who wins alone is asked for where nothing says more.
    for metric in [Metric::Wdl, Metric::Dtz].into_iter().filter(|&metric| tables.has(metric)) {
        if !has_dtz && !has_dtm {
            read(metric, |distances, value, _| distances.wdl = value.wdl())?;
        }
    }
    Ok((own, next))
}

/// What a position is worth to the side to move under the fifty-move rule. The order is that in which a side
/// likes the other to be: the side that has moved prefers what comes first.
///
/// | known | category |
/// | --- | --- |
/// | the game is over | `loss`, `draw` or `win` |
/// | plies to a zeroing move, exactly | with the clock within the rule `win`, else `cursed-win` |
/// | the same, perhaps a ply short, at the very edge of the rule | `syzygy-win` |
/// | plies to mate, within the rule | `win` |
/// | plies to mate beyond the rule, or who wins alone | `maybe-win` |
/// | a win, of the game too, by a move with the whole rule on the clock | `cursed-win` |
/// | no table, and the moves say it | that of the best move, seen from here |
#[derive(Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "kebab-case")]
enum Category {
    Loss,
    Unknown,
    SyzygyLoss,
    MaybeLoss,
    BlessedLoss,
    Draw,
    CursedWin,
    MaybeWin,
    SyzygyWin,
    Win,
}

/// What tables say of a position; none where a table is not there.
#[derive(Clone, Copy, Default, Debug)]
struct Distances {
    /// Plies to a capture, a pawn move or mate, under the rule.
    dtz: Option<Value>,
    /// Whether these may be a ply short.
    is_rounded: bool,
    /// Plies to the end.
    dtm: Option<Value>,
    /// Plies to a capture, a promotion or mate.
    dtc: Option<Value>,
    /// Who wins.
    wdl: Option<i8>,
}

impl Category {
    /// Whether no more could be known.
    fn is_sure(self) -> bool {
        use Category::{MaybeLoss, MaybeWin, SyzygyLoss, SyzygyWin, Unknown};
        !matches!(self, Unknown | SyzygyLoss | MaybeLoss | MaybeWin | SyzygyWin)
    }

    /// The category of a result for the side to move, 1, 0 or −1. It is `late` if a draw could have been
    /// claimed before the move that led to it.
    fn of_result(wdl: i8, late: bool) -> Self {
        let win = if late { Category::CursedWin } else { Category::Win };
        match wdl {
            1 => win,
            0 => Category::Draw,
            _ => -win,
        }
    }

    /// The category of a position that is no end, with the clock at this many plies of a rule of this many;
    /// no rule counts nothing. It is `late` as in [`Category::of_result`].
    fn new(distances: &Distances, clock: u32, rule_plies: Option<u16>, late: bool) -> Self {
        let known = distances.dtz.or(distances.dtm).or(distances.dtc).and_then(Value::wdl);
        let Some(wdl) = known.or(distances.wdl) else { return Category::Unknown };
        // What a win is called, or a loss.
        let of = |win: Category| if wdl > 0 { win } else { -win };
        let (Some(rule), true, false) = (rule_plies.map(u64::from), wdl != 0, late) else {
            return Category::of_result(wdl, late);
        };
        let ends_at = |value: Option<Value>| -> Option<u64> {
            let Ply(plies) = value.and_then(Value::ply)?;
            Some(u64::from(plies.max(1)) + u64::from(clock))
        };
        match (ends_at(distances.dtz), ends_at(distances.dtm)) {
            // A ply more than what stands there may be needed.
            (Some(plies), _) if distances.is_rounded && plies == rule => of(Category::SyzygyWin),
            (Some(plies), _) if plies <= rule => of(Category::Win),
            (Some(_), _) => of(Category::CursedWin),
            // A mate within the rule wins, whatever happens on the way.
            (None, Some(plies)) if plies <= rule => of(Category::Win),
            _ => of(Category::MaybeWin),
        }
    }
}

impl Neg for Category {
    type Output = Self;

    /// What the other side has of it.
    fn neg(self) -> Self {
        match self {
            Category::Loss => Category::Win,
            Category::Unknown => Category::Unknown,
            Category::SyzygyLoss => Category::SyzygyWin,
            Category::MaybeLoss => Category::MaybeWin,
            Category::BlessedLoss => Category::CursedWin,
            Category::Draw => Category::Draw,
            Category::CursedWin => Category::BlessedLoss,
            Category::MaybeWin => Category::MaybeLoss,
            Category::SyzygyWin => Category::SyzygyLoss,
            Category::Win => Category::Loss,
        }
    }
}

/// A distance with a sign: positive for a win of the side to move.
fn signed(value: Value) -> i32 {
    match value {
        Value::Win(Ply(plies)) => i32::from(plies),
        Value::Loss(Ply(plies)) => -i32::from(plies),
        _ => 0,
    }
}

/// The sign and the plies to a zeroing move: mate, which is none, counts as one.
fn signed_dtz(value: Value) -> i32 {
    match value {
        Value::Loss(Ply(0)) => -1,
        other => signed(other),
    }
}

/// Plies to a conversion as moves of the winner.
fn signed_moves(value: Value) -> i32 {
    let plies = signed(value);
    (plies.abs() + 1) / 2 * plies.signum()
}

/// How a game goes on if both sides play by the tables.
#[derive(Serialize, Default, Debug)]
struct MainLine {
    dtz: i32,
    precise_dtz: Option<i32>,
    mainline: Vec<LineMove>,
    winner: Option<&'static str>,
}

#[derive(Serialize, Debug)]
struct LineMove {
    uci: String,
    san: String,
    /// Of the position after the move.
    dtz: i32,
    precise_dtz: Option<i32>,
}

/// Writes the best line. It ends with the game, or where the clock lets a side claim a draw.
fn written_line(game: &Game, position: &Position, waiting: &Waiting) -> Result<MainLine, HttpRefusal> {
    let has_rule = game.variant().rules.rule_plies().is_some();
    let metric = if has_rule { Metric::Dtz50 } else { Metric::Dtm };
    let answered =
        game.tables.with_tables(position, Some(metric), |tables| play(game, tables, position, waiting));
    // A line that was broken off is no answer.
    waiting.check()?;
    answered.map_err(HttpRefusal::from)
}

/// A line that stops halfway for want of a table is none.
fn play(
    game: &Game,
    tables: &Tablebase,
    position: &Position,
    waiting: &Waiting,
) -> Result<MainLine, ProbeError> {
    let book = game.book();
    let rule = game.variant().rules.rule_plies().map_or(u32::MAX, u32::from);
    let metric = tables.scale().metric();
    let distance = |position: &Position| -> Result<(i32, Option<i32>), ProbeError> {
        let value = tables.value_of_legal(position)?;
        let dtz = signed_dtz(value);
        let is_rounded = value.ply().is_some() && game.tables.is_rounded(position, metric)?;
        Ok((dtz, (!is_rounded).then_some(dtz)))
    };
    let (dtz, precise_dtz) = distance(position)?;
    let mut line = MainLine { dtz, precise_dtz, ..MainLine::default() };
    if dtz == 0 {
        return Ok(line);
    }
    let mut position = position.clone();
    while position.halfmove_clock() < rule && !waiting.is_over() {
        let best = tables.best_moves(&position)?.into_iter().next();
        let Some(best) = best.filter(|best| best.value.wdl() != Some(0)) else { break };
        let san = position.san(book, best.mv);
        position = position.play(best.mv);
        let (dtz, precise_dtz) = distance(&position)?;
        line.mainline.push(LineMove { uci: best.uci, san, dtz, precise_dtz });
    }
    line.winner = position.winner(book).map(|side| if side == Side::White { "w" } else { "b" });
    Ok(line)
}

/// Reads a FEN with spaces or underscores. Castling rights and an en-passant square that cannot be are
/// ignored; fields that are missing at the end are those of a new game.
fn question(game: &Game, fen: &str) -> Result<Position, HttpRefusal> {
    let mut fen = fen.replace('_', " ");
    if fen.split_whitespace().count() == 1 {
        fen += " w";
    }
    game.check_legal(lenient_position(game.book(), &fen)?)
}
