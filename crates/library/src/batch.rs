//! Answers many positions at once, in the order in which their values lie in files.
//!
//! Positions whose values are in the same block are answered one after the other, so that the block is
//! decompressed once however small the cache is, and a file is read from its begin to its end:
//!
//! ```text
//!   asked      c7 a2 b5 a1 c9      letters are blocks, numbers are places
//!   answered   a2 a1 │ b5 │ c7 c9  each part by one thread
//!   returned   c7 a2 b5 a1 c9
//! ```

use probe::BlockAddress;
use rayon::slice::ParallelSliceMut;
use table::threads;

/// The most positions of a block that one thread answers together.
const MAX_GROUP: usize = 64;

/// The groups that a thread takes at a time. A group has positions of one block, perhaps a single one.
const N_GROUPS: usize = 16;

/// The block of a position's value, and the place of the position in the batch.
type Placed = (Option<BlockAddress>, usize);

/// Answers the positions at places 0 to `n` and returns the answers in this order. `block` finds the block
/// of a position's value; `answer` answers a position, or says that it is not to be answered any more.
///
/// Inside a pool of rayon all its threads answer, otherwise the caller's alone: what asks in haste, or may
/// take one thread only, is in no pool.
pub fn answer_many<T: Send>(
    n: usize,
    block: impl Fn(usize) -> Option<BlockAddress> + Sync,
    answer: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    if n < 2 {
        return (0..n).map(answer).collect();
    }
    let placed = |at: usize| (block(at), at);
    let answered = |&(_, at): &Placed| (at, answer(at));
    let mut answers: Vec<(usize, T)> = if rayon::current_thread_index().is_some() {
        let stretches = threads::stretches(0..n, MAX_GROUP);
        let order = threads::map(stretches, |places| places.map(placed).collect::<Vec<Placed>>());
        let mut order = order.concat();
        order.par_sort_unstable();
        let is_same_block = |one: &Placed, other: &Placed| one.0.is_some() && one.0 == other.0;
        // A block may have all positions, and then all threads answer them.
        let groups = order.chunk_by(is_same_block).flat_map(|group| group.chunks(MAX_GROUP));
        let groups: Vec<&[Placed]> = groups.collect();
        let all = |groups: &[&[Placed]]| groups.iter().copied().flatten().map(answered).collect::<Vec<_>>();
        let answers = threads::map(groups.chunks(N_GROUPS), all);
        answers.into_iter().flatten().collect()
    } else {
        let mut order: Vec<Placed> = (0..n).map(placed).collect();
        order.sort_unstable();
        order.iter().map(answered).collect()
    };
    answers.sort_unstable_by_key(|&(at, _)| at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[cfg(test)]
mod tests {
    use super::answer_many;
    use crate::{AskedTables, Refusal, read_position};
    use parking_lot::Mutex;
    use position::Position;
    use probe::Ask;
    use std::collections::BTreeSet;
    use variant::{Metric, Variant};

    /// Positions of several tables in no order; some are of tables that are not there, illegal or no FEN.
    fn positions(tables: &AskedTables) -> Vec<Result<Position, Refusal>> {
        let men = ["Q", "q", "P", "p", "Qq", "Nn", "R", "B", "NN"];
        let fen = |number: usize| {
            let mut board = [[None; 8]; 8];
            for (nth, man) in ["K", "k", men[number % 9]].concat().chars().enumerate() {
                let square = (number * 37 + nth * nth * 11 + number * nth * 5) % 64;
                board[square / 8][square % 8] = Some(man);
            }
            let rank =
                |rank: &[Option<char>; 8]| rank.map(|man| man.unwrap_or('1')).iter().collect::<String>();
            let ranks = board.each_ref().map(rank).join("/");
            // Runs of empty squares are one digit.
            let ranks = (2..=8).rev().fold(ranks, |ranks, n| ranks.replace(&"1".repeat(n), &n.to_string()));
            format!("{ranks} {} - - 0 1", ["w", "b"][number / 9 % 2])
        };
        let read = |fen: &str| Ok(read_position(tables.book(), fen)?.0);
        (0..600).map(|number| read(&if number % 50 == 7 { "nonsense".into() } else { fen(number) })).collect()
    }

    #[test]
    fn a_batch_is_answered_as_its_positions_are_and_each_block_is_read_once() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/files/small");
        // Without room a block is kept until the next one comes.
        let tables = AskedTables::new(&Variant::chess(), &[folder.into()], 0, None).expect("a folder");
        let positions = positions(&tables);
        let answer = |at: usize| -> Result<probe::Answer, String> {
            let position = positions[at].as_ref().map_err(ToString::to_string)?;
            let metric = Some(Metric::Dtm).filter(|_| !at.is_multiple_of(3));
            tables.answer(position, metric, &Ask::MOVES).map_err(|refusal| refusal.to_string())
        };
        let block = |at: usize| tables.block_of(positions[at].as_ref().ok()?, None);
        let alone: Vec<_> = (0..positions.len()).map(answer).collect();
        let n_answers = alone.iter().filter(|answer| answer.is_ok()).count();
        assert!(n_answers > 100 && alone.len() - n_answers > 100, "{n_answers} answers");
        for n_threads in [0, 1, 2, 7] {
            let asked = Mutex::new(Vec::new());
            let noted = |at: usize| {
                asked.lock().extend(block(at));
                answer(at)
            };
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(n_threads.max(1)).build().expect("threads");
            let many = || answer_many(positions.len(), block, noted);
            let together = if n_threads == 0 { many() } else { pool.install(many) };
            assert!(together == alone, "{n_threads} threads");
            if n_threads < 2 {
                let mut blocks = asked.into_inner();
                blocks.dedup();
                let different: BTreeSet<_> = blocks.iter().collect();
                assert_eq!(blocks.len(), different.len(), "{n_threads} threads");
                assert!(different.len() > 10, "{} blocks", different.len());
            }
        }
    }
}
