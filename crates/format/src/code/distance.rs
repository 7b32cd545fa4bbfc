//! Makes values of distances without a sign, as files of `dtc`, `dtz` and `dtz50` hold them, and of `wdl`.

use table::{Ply, Value};

/// How many plies are left, whoever wins. Who does stands in the file of the metric `wdl`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Distance(pub Ply);

impl Distance {
    /// The value of the placement that has this distance, given its value under `wdl`.
    ///
    /// Where nobody wins the distance says nothing, and is passed over.
    #[must_use]
    pub const fn of(self, wdl: Value) -> Value {
        match wdl {
            Value::Win(_) => Value::Win(self.0),
            Value::Loss(_) => Value::Loss(self.0),
            Value::Illegal | Value::Stalemate | Value::Draw => wdl,
        }
    }
}
