//! What a file leaves out of a table, put back: illegal placements, and those that are not canonical.

use crate::attack::attacked;
use crate::ground::Ground;
use crate::motion::Motion;
use index::Layout;
use rayon::prelude::*;
use table::{Code, Codes, Table};
use variant::{Side, Variant};

/// Makes every code of a table exact whose codes of canonical positions are.
pub(crate) fn restore_table(variant: &Variant, table: &mut Table) {
    let layout = table.layout().clone();
    let motion = Motion::new(variant, &layout);
    let sides: Vec<Side> = table.sides().collect();
    for stm in sides {
        match table.codes_mut(stm) {
            Some(Codes::Narrow(codes)) => restore_codes(&layout, &motion, stm, codes),
            Some(Codes::Wide(codes)) => restore_codes(&layout, &motion, stm, codes),
            None => {}
        }
    }
}

fn restore_codes<C: Code>(layout: &Layout, motion: &Motion, stm: Side, codes: &mut [C]) {
    let slice_len = layout.slice_len();
    // Every place that is no position first; what the positions that are not canonical hold is still meaningless.
    codes.par_chunks_mut(slice_len).enumerate().for_each(|(slice, codes)| {
        let ground = Ground::new(layout, motion, slice);
        let attacked = attacked(&ground, !stm);
        let lane_len = ground.lane_len();
        ground.for_each_word(0..layout.n_blocks(), |_, index, word| {
            let mut rest = ground.lane_mask & !(ground.placements(&word) & !attacked[index]);
            let row = &mut codes[index * lane_len..(index + 1) * lane_len];
            while rest != 0 {
                row[rest.trailing_zeros() as usize] = C::ILLEGAL;
                rest &= rest - 1;
            }
        });
    });
    let block_len = layout.block_len();
    let like = layout.n_exchanges() > 1;
    let needed =
        |block: usize| like || layout.has_residual(block / layout.n_blocks(), block % layout.n_blocks());
    // A canonical place is never written, and every other place is written from its canonical one.
    let copies: Vec<(usize, C)> = (0..layout.n_slices() * layout.n_blocks())
        .into_par_iter()
        .filter(|&block| needed(block))
        .flat_map_iter(|block| {
            let codes = &*codes;
            (block * block_len..(block + 1) * block_len).filter_map(move |index| {
                if codes[index] == C::ILLEGAL {
                    return None;
                }
                let canonical = layout.encode(&layout.decode(index))?;
                (canonical != index).then(|| (index, codes[canonical]))
            })
        })
        .collect();
    copies.into_iter().for_each(|(index, code)| codes[index] = code);
}
