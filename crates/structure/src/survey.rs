//! Surveys the slice of a position: who wins how often, and in which placements neither side wants to move.
//!
//! In a *mutual zugzwang* the side to move does worse than if the other side were: the attacker, to move,
//! does not win, and the defender, to move, loses (or one of them is a full point better off, and loses as
//! well). Where two kings stand among blocked pawns these are the corresponding squares: when the attacker
//! comes to his, the defender must be able to come to hers.
//!
//! What one file says in bounds several say together; what they leave open is counted as open.

use crate::{KnownValues, SolvedStructure};
use geometry::Square;
use position::Position;
use probe::{Between, ProbeError};
use serde::{Serialize, Serializer};
use std::sync::Arc;
use table::{Value, threads};
use variant::{Man, Side};

/// Who wins in the placements of a slice.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Survey {
    /// By side to move.
    pub counts: [Counts; 2],
    /// The mutual zugzwangs, with White to move, in the order of their squares.
    pub zugzwangs: Vec<Zugzwang>,
}

/// How many legal positions with one side to move are what to that side.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Counts {
    /// Won.
    pub won: u64,
    /// Drawn.
    pub drawn: u64,
    /// Lost.
    pub lost: u64,
    /// Not known exactly.
    pub open: u64,
}

/// A placement in which either side would rather not move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Zugzwang {
    /// The position with White to move.
    #[serde(skip)]
    pub position: Position,
    /// The position as FEN.
    pub fen: String,
    /// The side that wins if the other one has to move; of a full point both do, and it is White.
    #[serde(serialize_with = "as_text")]
    pub attacker: Side,
    /// Whether either side loses if it is to move.
    #[serde(rename = "full")]
    pub is_full: bool,
}

/// The most placements of a slice that are gone through.
pub const MOST_PLACEMENTS: u64 = 1 << 26;
/// This many of them a thread surveys at a time.
const STRETCH: usize = 1 << 12;

/// Surveys all placements with the pawns where they stand in a position and the other men anywhere; none if
/// there are more than [`MOST_PLACEMENTS`].
///
/// # Errors
/// The position cannot come from the roots, or a file cannot be read.
pub fn survey(structures: &[Arc<SolvedStructure>], root: &Position) -> Result<Option<Survey>, ProbeError> {
    let Some(first) = structures.first() else { return Ok(None) };
    let book = first.book();
    let variant = book.variant();
    let (pawns, mut mobile): (Vec<(Man, Square)>, Vec<_>) =
        root.men().partition(|(man, _)| variant.is_pawn(*man));
    mobile.sort_unstable();
    let n_squares = variant.board.n_squares() as u64;
    let Some(n) = n_squares.checked_pow(mobile.len() as u32).filter(|&n| n <= MOST_PLACEMENTS) else {
        return Ok(None);
    };
    // Of several bounds those views are made once.
    let views: Vec<KnownValues> = structures.iter().map(SolvedStructure::known).collect();
    let known = |position: &Position| -> Result<Between, ProbeError> {
        let mut all = views.iter().flat_map(|view| view.of_each_bound(position));
        all.try_fold(Between::ANYTHING, |known, own| Ok(known.and(own?)))
    };
    let placement = |number: u64| {
        let mut rest = number;
        let men = mobile.iter().map(|&(man, _)| {
            let square = Square::from_index((rest % n_squares) as usize);
            rest /= n_squares;
            (man, square)
        });
        let men: Vec<_> = men.chain(pawns.iter().copied()).collect();
        // Of like men one order counts.
        let is_ordered =
            men[..mobile.len()].windows(2).all(|two| two[0].0 != two[1].0 || two[0].1 < two[1].1);
        let fits = is_ordered && men.iter().all(|&(man, square)| variant.zone(man).contains(square));
        fits.then(|| Position::from_men(men, Side::White)).flatten()
    };
    let one = |number: u64| -> Result<Survey, ProbeError> {
        let mut survey = Survey::default();
        let Some(white) = placement(number) else { return Ok(survey) };
        let mut values = [None; 2];
        for side in Side::BOTH {
            let mut position = white.clone();
            position.set_stm(side);
            if position.is_legal(book) {
                let value = known(&position)?;
                survey.counts[side.index()].add(value);
                values[side.index()] = Some(value);
            }
        }
        let [Some(to_white), Some(to_black)] = values else { return Ok(survey) };
        let zugzwang = match (is_lost(to_white), is_lost(to_black)) {
            (true, true) => Some((Side::White, true)),
            (false, true) if is_drawn(to_white) => Some((Side::White, false)),
            (true, false) if is_drawn(to_black) => Some((Side::Black, false)),
            _ => None,
        };
        survey.zugzwangs.extend(zugzwang.map(|(attacker, is_full)| {
            let fen = white.to_fen(book);
            Zugzwang { position: white, fen, attacker, is_full }
        }));
        Ok(survey)
    };
    let all = threads::try_map(threads::stretches(0..n as usize, STRETCH), |numbers| {
        let mut surveys = numbers.map(|number| one(number as u64));
        surveys.try_fold(Survey::default(), |all, one| Ok::<_, ProbeError>(all.joined(one?)))
    });
    Ok(Some(all?.into_iter().fold(Survey::default(), Survey::joined)))
}

fn as_text<S: Serializer>(side: &Side, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(side)
}

impl Survey {
    fn joined(mut self, other: Survey) -> Survey {
        for (own, other) in self.counts.iter_mut().zip(other.counts) {
            own.won += other.won;
            own.drawn += other.drawn;
            own.lost += other.lost;
            own.open += other.open;
        }
        self.zugzwangs.extend(other.zugzwangs);
        self
    }
}

impl Counts {
    fn add(&mut self, value: Between) {
        let slot = match value {
            _ if is_lost(value) => &mut self.lost,
            _ if is_drawn(value) => &mut self.drawn,
            _ if matches!(value.least, Value::Win(_)) => &mut self.won,
            _ => &mut self.open,
        };
        *slot += 1;
    }
}

/// Whether the side surely loses.
fn is_lost(value: Between) -> bool {
    matches!(value.most, Value::Loss(_))
}

/// Whether it is surely a draw.
fn is_drawn(value: Between) -> bool {
    let is_draw = |value| matches!(value, Value::Draw | Value::Stalemate);
    is_draw(value.least) && is_draw(value.most)
}
