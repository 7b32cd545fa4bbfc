//! In which placements a royal man is attacked: the source of what is illegal and what is mate.

use crate::ground::{Ground, Word};
use crate::motion::CompiledRay;
use geometry::{Board, Square};
use kernel::lane_word;
use variant::Side;

/// A plane: the placements of a slice in which `side`'s royal man is attacked.
///
/// Placements in which men share a square have no meaning here; their bits are 0.
pub(crate) fn attacked(ground: &Ground<'_>, side: Side) -> Vec<u64> {
    let mut plane = vec![0; ground.n_words()];
    let men = &ground.motion.men;
    let royal = (0..men.len()).find(|&i| men[i].royal && men[i].man.side == side);
    let Some(royal) = royal else { return plane };
    let attackers: Vec<usize> = (0..men.len()).filter(|&i| men[i].man.side != side).collect();
    ground.for_each_word(0..ground.layout.n_blocks(), |_, index, word| {
        let placements = ground.placements(&word);
        if placements != 0 {
            plane[index] = placements & word_attacked(ground, royal, &attackers, &word);
        }
    });
    plane
}

fn word_attacked(ground: &Ground<'_>, royal: usize, attackers: &[usize], word: &Word) -> u64 {
    let board = ground.layout.board();
    let lane = ground.lane();
    let mut attacked = 0;
    for &attacker in attackers {
        let captures = || ground.motion.men[attacker].rays.iter().filter(|r| r.ray.capture);
        if lane == Some(royal) {
            captures().for_each(|ray| attacked |= targets(board, ray, word.squares[attacker], word.taken));
        } else if lane == Some(attacker) {
            // Where the man in the lane must stand to attack is where it could come from to the royal man's square.
            let royal_bit = 1 << word.squares[royal].index();
            captures().for_each(|ray| attacked |= lane_word(royal_bit, !word.taken, ray.lane));
        } else {
            for ray in captures() {
                if let Some(path) = path(board, ray, word.squares[attacker], word.squares[royal]) {
                    // Other men in between stop the attack, the man in the lane where it stands in between.
                    if path & word.taken == 0 {
                        attacked |= !path;
                    }
                }
            }
        }
    }
    attacked
}

/// The squares that a ray attacks, the known men being in the way.
fn targets(board: &Board, ray: &CompiledRay, from: Square, taken: u64) -> u64 {
    let (mut at, mut targets) = (from, 0);
    for _ in 0..ray.ray.limit {
        let Some(next) = board.offset(at, ray.ray.step) else { break };
        targets |= 1 << next.index();
        if taken >> next.index() & 1 == 1 {
            break;
        }
        at = next;
    }
    targets
}

/// The squares between two squares of a ray; none if the ray does not lead from one to the other.
fn path(board: &Board, ray: &CompiledRay, from: Square, to: Square) -> Option<u64> {
    // Most rays do not lead there: the differences tell at once.
    let step = ray.ray.step;
    let files = board.file_of(to) as i32 - board.file_of(from) as i32;
    let ranks = board.rank_of(to) as i32 - board.rank_of(from) as i32;
    let (step_files, step_ranks) = (i32::from(step.files), i32::from(step.ranks));
    if files * step_ranks != ranks * step_files || files * step_files < 0 || ranks * step_ranks < 0 {
        return None;
    }
    let (mut at, mut path) = (from, 0);
    for _ in 0..ray.ray.limit {
        at = board.offset(at, step)?;
        if at == to {
            return Some(path);
        }
        path |= 1 << at.index();
    }
    None
}
