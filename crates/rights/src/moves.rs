//! Finds the values of some positions from the values behind the moves that leave them, ply by ply.
//!
//! Every position keeps the best of the moves that leave, counted from before the move. A position is won in
//! n plies if such a move wins in n or another leads to a position lost in n − 1; it is lost in n if all
//! moves lose, the last of them in n. Whatever the metric counts, moves that stay count one ply each, so the
//! plies come in order: a position is looked at when its number of plies is due.
//!
//! The rest is drawn. Under `wdl` the plies are forgotten in the end.

use table::{Ply, Value};
use variant::Metric;

/// The moves of some positions, which are numbered from 0.
#[derive(Clone, Default, Debug)]
pub(crate) struct Moves {
    /// Where the moves of each position end in `inside`.
    ends: Vec<u32>,
    /// Where moves that stay lead.
    inside: Vec<u32>,
    /// What the best of the other moves is worth to the mover; of a position without any move its value.
    exits: Vec<Option<Value>>,
}

impl Moves {
    /// Adds a move of the next position that leads to a position of these.
    pub(crate) fn add(&mut self, to: u32) {
        self.inside.push(to);
    }

    /// Ends the moves of the next position, whose best other move is worth this; without a move that is its
    /// own value.
    pub(crate) fn end(&mut self, exit: Option<Value>) {
        self.ends.push(self.inside.len() as u32);
        self.exits.push(exit);
    }

    /// Whether the next position has a move so far that stays.
    pub(crate) fn has_inside(&self) -> bool {
        self.inside.len() > self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Adds the moves of the positions that come next.
    pub(crate) fn append(&mut self, mut other: Moves) {
        let n_before = self.inside.len() as u32;
        self.ends.extend(other.ends.iter().map(|end| n_before + end));
        self.inside.append(&mut other.inside);
        self.exits.append(&mut other.exits);
    }

    /// How many positions there are.
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn of(&self, place: usize) -> &[u32] {
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.inside[begin..self.ends[place] as usize]
    }

    /// The values of all positions, each for its side to move.
    pub(crate) fn solve(&self, metric: Metric) -> Vec<Value> {
        let before = Before::new(self);
        let mut values: Vec<Option<Value>> = vec![None; self.len()];
        let mut n_open: Vec<u32> = (0..self.len()).map(|place| self.of(place).len() as u32).collect();
        let mut last_loss = vec![0_u16; self.len()];
        let mut due = Due::default();
        for (place, exit) in self.exits.iter().enumerate() {
            match *exit {
                Some(Value::Win(ply)) => due.add(ply.0, place, true),
                Some(Value::Loss(ply)) if n_open[place] == 0 => due.add(ply.0, place, false),
                _ => {}
            }
        }
        let mut ply = 0;
        while ply < due.plies.len() {
            for (place, is_won) in std::mem::take(&mut due.plies[ply]) {
                if values[place as usize].is_some() {
                    continue;
                }
                let own = Ply(ply as u16);
                values[place as usize] = Some(if is_won { Value::Win(own) } else { Value::Loss(own) });
                let next = own.next().0;
                for &earlier in before.of(place as usize) {
                    let earlier = earlier as usize;
                    if values[earlier].is_some() {
                        continue;
                    }
                    if !is_won {
                        due.add(next, earlier, true);
                        continue;
                    }
                    n_open[earlier] -= 1;
                    last_loss[earlier] = last_loss[earlier].max(next);
                    if n_open[earlier] > 0 {
                        continue;
                    }
                    match self.exits[earlier] {
                        None => due.add(last_loss[earlier], earlier, false),
                        Some(Value::Loss(exit)) => due.add(last_loss[earlier].max(exit.0), earlier, false),
                        Some(_) => {}
                    }
                }
            }
            ply += 1;
        }
        let value = |(value, exit): (Option<Value>, &Option<Value>)| match value.unwrap_or(Value::Draw) {
            // No move is worth a stalemate: here the game has ended.
            Value::Draw if *exit == Some(Value::Stalemate) => Value::Stalemate,
            value if metric == Metric::Wdl => value.without_distance(),
            value => value,
        };
        values.into_iter().zip(&self.exits).map(value).collect()
    }
}

/// The positions to be looked at, by ply.
#[derive(Default)]
struct Due {
    /// A place, and whether it is won then, else lost.
    plies: Vec<Vec<(u32, bool)>>,
}

impl Due {
    fn add(&mut self, ply: u16, place: usize, is_won: bool) {
        let ply = usize::from(ply);
        if self.plies.len() <= ply {
            self.plies.resize_with(ply + 1, Vec::new);
        }
        self.plies[ply].push((place as u32, is_won));
    }
}

/// The positions before each position, by moves that stay.
struct Before {
    /// Where those of each place start; one more than there are places.
    starts: Vec<u32>,
    earlier: Vec<u32>,
}

impl Before {
    fn new(moves: &Moves) -> Self {
        let mut starts = vec![0_u32; moves.len() + 1];
        for &to in &moves.inside {
            starts[to as usize + 1] += 1;
        }
        for place in 0..moves.len() {
            starts[place + 1] += starts[place];
        }
        let mut free = starts.clone();
        let mut earlier = vec![0; moves.inside.len()];
        for from in 0..moves.len() {
            for &to in moves.of(from) {
                earlier[free[to as usize] as usize] = from as u32;
                free[to as usize] += 1;
            }
        }
        Before { starts, earlier }
    }

    fn of(&self, place: usize) -> &[u32] {
        &self.earlier[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}
