//! Hashes the values of a table, whatever codes and files they stand in.
//!
//! Two tables of a material have one hash if and only if each place has the same value, however they were
//! solved, packed or kept. So a program that stores tables in another way, or solves them in another order,
//! shows by their hashes that no value has changed.

use blake3::Hasher;
use table::{Clocked, Table, Value, stands_for_itself};
use variant::{Metric, Side};

/// Bytes that wait to be hashed together.
const BUFFER_BYTES: usize = 1 << 16;

/// Hashes values one after the other.
#[derive(Clone, Debug)]
pub struct ValueHash {
    hasher: Hasher,
    waiting: Vec<u8>,
}

impl ValueHash {
    /// Begins with what the values are of: a material, a choice of rights, a structure.
    #[must_use]
    pub fn new(subject: &str, metric: Metric) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(format!("{subject}\n{metric}\n").as_bytes());
        ValueHash { hasher, waiting: Vec::with_capacity(BUFFER_BYTES) }
    }

    /// The hash of a table with all of its places: White to move first, then Black, each in the order of
    /// numbers.
    ///
    /// # Panics
    /// If the table has not all of its places and sides to move.
    #[must_use]
    pub fn of_table(table: &Table, metric: Metric) -> Self {
        let layout = table.layout();
        let mut hash = ValueHash::new(layout.name(), metric);
        for &stm in layout.sides() {
            let codes = table.codes(stm).expect("a whole table").as_ref();
            assert_eq!(codes.len(), layout.len(), "a part of {}", layout.name());
            (0..codes.len()).for_each(|index| hash.add(codes.value(index)));
            if let Some(clocked) = table.clocked(stm) {
                hash.add_steps(table, stm, clocked);
            }
        }
        hash
    }

    /// Adds what changes with the clock, of the positions that stand for themselves.
    fn add_steps(&mut self, table: &Table, stm: Side, clocked: &Clocked) {
        let all = (0..clocked.pages.len()).flat_map(|page| table.staircases(stm, page));
        for (_, at_zero, staircase) in all.filter(|own| stands_for_itself(table.layout(), own.0)) {
            for clock in staircase.changes() {
                self.add_number(clock);
                self.add(staircase.value(at_zero, clock));
            }
        }
    }

    /// Adds a value.
    pub fn add(&mut self, value: Value) {
        // Wins are even and losses odd from 4 on.
        let number = match value {
            Value::Illegal => 0,
            Value::Draw => 1,
            Value::Stalemate => 2,
            Value::Win(ply) => 4 + 2 * u32::from(ply.0),
            Value::Loss(ply) => 5 + 2 * u32::from(ply.0),
        };
        self.add_number(number);
    }

    fn add_number(&mut self, number: u32) {
        self.waiting.extend_from_slice(&number.to_le_bytes());
        if self.waiting.len() >= BUFFER_BYTES {
            self.hasher.update(&self.waiting);
            self.waiting.clear();
        }
    }

    /// The hash of all values added, 64 hexadecimal digits.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.hasher.update(&self.waiting);
        self.hasher.finalize().to_hex().to_string()
    }
}
