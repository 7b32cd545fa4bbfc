//! Holds the codes of a material, of one byte or two, and widens them where one byte does not suffice.

use crate::Options;
use crate::pass::Longest;
use index::Layout;
use rayon::prelude::*;
use table::{Code, Codes, Coding, Ply};
use variant::{Metric, Side};

/// The codes of either side to move; none for Black if White's serve both.
pub(super) type Sides<C> = [Option<Vec<C>>; 2];

/// The codes of either side to move, of either width.
pub(super) enum SidesOfWidth {
    Narrow(Sides<u8>),
    Wide(Sides<u16>),
}

/// Codes that are widened before their memory is given back.
const WIDENED_CODES: usize = 1 << 22;

/// The codes of a layout, all illegal.
pub(super) fn illegal_codes<C: Code>(layout: &Layout) -> Sides<C> {
    let both = !layout.is_one_sided();
    [true, both].map(|kept| kept.then(|| vec![C::ILLEGAL; layout.len()]))
}

/// The codes of both sides to move, borrowed.
pub(super) fn borrowed<C>(codes: &mut Sides<C>) -> [Option<&mut [C]>; 2] {
    codes.each_mut().map(Option::as_deref_mut)
}

/// The codes of both sides to move, those of the attacker first.
pub(super) fn by_role<C>(codes: [Option<&mut [C]>; 2], attacker: Side) -> [Option<&mut [C]>; 2] {
    let [white, black] = codes;
    match attacker {
        Side::White => [white, black],
        Side::Black => [black, white],
    }
}

/// The codes of both sides to move as a table has them.
pub(super) fn owned<C: Code>(codes: Sides<C>, metric: Metric, longest: [Longest; 2]) -> [Option<Codes>; 2] {
    let [white, black] = codes;
    let own = |codes, longest: Longest| C::owned(codes).under(metric, Ply(longest.win));
    [white.map(|codes| own(codes, longest[0])), black.map(|codes| own(codes, longest[1]))]
}

/// The first `n_done` codes of both sides to move with two bytes each, and room for the rest.
pub(super) fn widened(codes: Sides<u8>, n_done: usize, metric: Metric, longest: [Longest; 2]) -> Sides<u16> {
    let [white, black] = codes;
    let wide = |codes, longest: Longest| widened_side(codes, n_done, metric, longest.win);
    [white.map(|codes| wide(codes, longest[0])), black.map(|codes| wide(codes, longest[1]))]
}

/// The same for one side to move.
///
/// From the end, giving back what is widened as it goes on, so that no more is needed than the wide codes
/// take.
fn widened_side(mut codes: Vec<u8>, n_done: usize, metric: Metric, longest_win: u16) -> Vec<u16> {
    let bytes = u8::owned((0..=u8::MAX).collect()).under(metric, Ply(longest_win));
    let wide_code = |byte| u16::from_value(bytes.value(byte)).expect("two bytes hold what one does");
    let book: [u16; 256] = std::array::from_fn(wide_code);
    let mut wide = vec![u16::ILLEGAL; codes.len()];
    let mut end = n_done;
    while end > 0 {
        codes.truncate(end);
        codes.shrink_to_fit();
        let start = (end - 1) / WIDENED_CODES * WIDENED_CODES;
        wide[start..end].par_iter_mut().zip(&codes[start..]).for_each(|(wide, code)| {
            *wide = book[*code as usize];
        });
        end = start;
    }
    wide
}

/// Which codes hold the longest values of both sides to move: of one byte where one suffices for both.
pub(super) fn codings(options: Options, longest: [Longest; 2]) -> [Coding; 2] {
    let narrow = |longest: Longest| {
        Coding::of_one_byte(options.metric, Ply(longest.win), Ply(longest.loss)).filter(|_| !options.wide)
    };
    match longest.map(narrow) {
        [Some(white), Some(black)] => [white, black],
        _ => [Coding::Wide(()); 2],
    }
}

/// Room for so many codes of one byte.
pub(super) fn narrow_room(room: &mut Codes, n_codes: usize) -> &mut Vec<u8> {
    if !matches!(room, Codes::Narrow(_)) {
        *room = Codes::Narrow(Vec::new());
    }
    let Codes::Narrow(codes) = room else { unreachable!("it has just been made so") };
    codes.resize(n_codes, 0);
    codes
}

/// Room for so many codes of two bytes.
pub(super) fn wide_room(room: &mut Codes, n_codes: usize) -> &mut Vec<u16> {
    if !matches!(room, Codes::Wide(_)) {
        *room = Codes::Wide(Vec::new());
    }
    let Codes::Wide(codes) = room else { unreachable!("it has just been made so") };
    codes.resize(n_codes, 0);
    codes
}
