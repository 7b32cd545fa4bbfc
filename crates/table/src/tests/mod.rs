//! Checks codes and values.

mod row;

use crate::{
    Code, CodeRow, Coded, Codes, CodesRef, Coding, MoveKind, NO_MOVE, Palette, Ply, Scale, Value,
    value_after, worth,
};
use variant::{Metric, Rules};

#[track_caller]
fn check_code<C: Code>(value: Value, fits: bool) {
    let code = C::from_value(value);
    assert_eq!(code.is_some(), fits, "{value:?}");
    if let Some(code) = code {
        assert_eq!(code.value(), value);
    }
}

#[test]
fn every_value_survives_its_code_or_has_none() {
    for value in [Value::Illegal, Value::Draw, Value::Stalemate] {
        check_code::<u8>(value, true);
        check_code::<u16>(value, true);
    }
    for ply in [0, 1, 2, 126, 251, 252, 253, 254, 255, 256, 624, 32_764, 32_767, 65_535] {
        let (loss, win) = (Value::Loss(Ply(ply)), Value::Win(Ply(ply)));
        check_code::<u8>(loss, ply <= 252 && ply % 2 == 0);
        check_code::<u8>(win, ply <= 252 && ply % 2 == 1);
        check_code::<u16>(loss, ply <= 32_766);
        check_code::<u16>(win, ply <= 32_765);
    }
}

#[test]
fn the_side_to_move_prefers_quick_wins_and_slow_losses() {
    let best_first = [
        Value::Win(Ply(1)),
        Value::Win(Ply(9)),
        Value::Draw,
        Value::Loss(Ply(30)),
        Value::Loss(Ply(0)),
        Value::Illegal,
    ];
    for pair in best_first.windows(2) {
        assert!(pair[0].preference(&pair[1]).is_gt(), "{pair:?}");
    }
}

#[test]
fn a_move_turns_the_value_round() {
    assert_eq!(Value::Loss(Ply(0)).before_move(), Some(Value::Win(Ply(1))));
    assert_eq!(Value::Win(Ply(7)).before_move(), Some(Value::Loss(Ply(8))));
    assert_eq!(Value::Stalemate.before_move(), Some(Value::Draw));
    assert_eq!(Value::Illegal.before_move(), None);
}

/// What the three kinds of moves to a position are worth under a metric and the rule of fifty moves.
#[track_caller]
fn check_moves(metric: Metric, after: Value, before: [Value; 3]) {
    let scale = Scale::new(metric, &Rules::default());
    let kinds = [MoveKind::Plain, MoveKind::PawnMove, MoveKind::Conversion];
    let found = kinds.map(|kind| after.before_move_of(kind, &scale));
    assert_eq!(found, before.map(Some), "{metric}: moves to {after:?}");
}

#[test]
fn zeroing_moves_count_one_ply_and_one_more_than_the_rule_for_a_cursed_win() {
    let [win, loss] = [|ply| Value::Win(Ply(ply)), |ply| Value::Loss(Ply(ply))];
    check_moves(Metric::Dtm, loss(8), [win(9), win(9), win(9)]);
    check_moves(Metric::Wdl, loss(0), [win(1), win(1), win(1)]);
    check_moves(Metric::Wdl, win(1), [loss(0), loss(0), loss(0)]);
    check_moves(Metric::Dtc, loss(8), [win(9), win(9), win(1)]);
    check_moves(Metric::Dtz, loss(8), [win(9), win(1), win(1)]);
    check_moves(Metric::Dtz, loss(101), [win(102), win(1), win(1)]);
    check_moves(Metric::Dtz50, loss(100), [win(101), win(1), win(1)]);
    check_moves(Metric::Dtz50, loss(101), [win(102), win(101), win(101)]);
    check_moves(Metric::Dtz50, win(100), [loss(101), loss(1), loss(1)]);
    check_moves(Metric::Dtz50, win(101), [loss(102), loss(101), loss(101)]);
    check_moves(Metric::Dtz50, Value::Stalemate, [Value::Draw; 3]);
}

#[test]
fn without_an_n_move_rule_no_win_is_cursed() {
    let scale = Scale::new(Metric::Dtz50, &Rules { n_move_rule: None, ..Rules::default() });
    assert_eq!(scale.rule_plies(), None);
    let after = Value::Loss(Ply(300));
    assert_eq!(after.before_move_of(MoveKind::Conversion, &scale), Some(Value::Win(Ply(1))));
    assert_eq!(Value::Illegal.before_move_of(MoveKind::Plain, &scale), None);
}

#[test]
fn worths_order_moves_as_their_mover_does() {
    let plies = [0, 1, 2, 251, 252, 253, 254, 624, 32_764, 32_765, 32_766].map(Ply);
    let decided = plies.into_iter().flat_map(|ply| [Value::Loss(ply), Value::Win(ply)]);
    let values: Vec<Value> = decided.chain([Value::Illegal, Value::Draw, Value::Stalemate]).collect();
    for a in &values {
        assert_eq!(value_after(worth(*a)).before_move(), a.before_move(), "{a:?}");
        for b in &values {
            let [first, second] = [a, b].map(|value| value.before_move().unwrap_or(Value::Illegal));
            assert_eq!(worth(*a).cmp(&worth(*b)), first.preference(&second), "{a:?} and {b:?}");
        }
    }
}

#[test]
fn rows_of_codes_have_the_worths_of_their_values() {
    for first in (0..=u16::MAX).step_by(64) {
        let codes: [u16; 64] = std::array::from_fn(|i| first + i as u16);
        let narrow: [u8; 64] = codes.map(|code| code as u8);
        let split = Palette::split(Ply((first >> 8).min(Palette::MOST_PLIES)), Ply(0)).unwrap();
        let of_byte = [Palette::ALTERNATING, split].map(|palette| CodeRow::OneByte(narrow, palette));
        for row in of_byte.into_iter().chain([CodeRow::TwoBytes(codes)]) {
            let mut worths = [0; 64];
            row.worths(&mut worths);
            let expected: Vec<i16> = (0..64).map(|at| worth(row.value(at))).collect();
            assert_eq!(worths.as_slice(), expected, "{row:?}");
        }
    }
    assert_eq!(worth(Value::Illegal), NO_MOVE);
}

/// A palette of bytes in which wins and losses are split.
fn split(longest_win: u16) -> Coding {
    Coded::OneByte((), Palette::split(Ply(longest_win), Ply(0)).expect("it fits"))
}

#[test]
fn split_codes_tell_wins_from_losses_wherever_they_meet() {
    for longest_win in 0..=Palette::MOST_PLIES {
        let split = split(longest_win);
        for code in 0..=u8::MAX.into() {
            assert_eq!(split.code_of(split.value_of(code)), Some(code), "{longest_win}: {code}");
        }
        let longest_loss = Value::Loss(Ply(Palette::MOST_PLIES - longest_win));
        assert_eq!(split.code_of(longest_loss).map(|code| split.value_of(code)), Some(longest_loss));
        assert_eq!(Palette::split(Ply(longest_win), Ply(Palette::MOST_PLIES - longest_win + 1)), None);
    }
    let unfit = [Value::Win(Ply(0)), Value::Win(Ply(253)), Value::Loss(Ply(253))];
    assert_eq!(unfit.map(|value| split(100).code_of(value)), [None; 3]);
}

#[test]
fn records_name_every_coding() {
    for (bytes, coding) in
        [([0, 0], u8::CODING), ([1, 2], split(0)), ([1, 254], split(252)), ([2, 0], u16::CODING)]
    {
        assert_eq!((coding.to_bytes(), Coding::from_bytes(bytes)), (bytes, Some(coding)));
    }
    assert_eq!([[1, 1], [1, 255], [3, 0]].map(Coding::from_bytes), [None; 3]);
}

#[test]
fn values_stay_in_other_codings() {
    let values = [Value::Illegal, Value::Draw, Value::Stalemate, Value::Win(Ply(9)), Value::Loss(Ply(100))];
    let codings = [u8::CODING, split(9), split(152), u16::CODING];
    for (from, to) in codings.into_iter().flat_map(|from| codings.map(|to| (from, to))) {
        let codes: Vec<u16> = values.iter().map(|&value| from.code_of(value).expect("it fits")).collect();
        let codes = from.map(|()| codes.iter().map(|&code| code as u8).collect(), |()| codes.clone());
        assert_eq!(codes.as_ref().longest(), [Ply(9), Ply(100)], "{from:?}");
        let bytes = codes.as_ref().to_le_bytes().into_owned();
        assert_eq!(Codes::from_le_bytes(from, bytes), codes, "{from:?}");
        let others = codes.as_ref().recoded(to).expect("they fit");
        assert_eq!(others.coding(), to, "{from:?}");
        assert!((0..values.len()).all(|index| others.value(index) == values[index]), "{from:?} to {to:?}");
    }
    let long = u16::owned(vec![u16::from_value(Value::Loss(Ply(253))).unwrap()]);
    assert!(codings[..3].iter().all(|&coding| long.as_ref().recoded(coding).is_none()));
}

#[test]
fn worths_are_counted_as_values_are() {
    let decided = (0..400).map(Ply).flat_map(|ply| [Value::Loss(ply), Value::Win(ply)]);
    let values: Vec<Value> = decided.chain([Value::Illegal, Value::Draw]).collect();
    for metric in Metric::ALL {
        let scale = Scale::new(metric, &Rules::default());
        for kind in [MoveKind::Plain, MoveKind::PawnMove, MoveKind::Conversion] {
            let mut worths: Vec<i16> = values.iter().map(|value| worth(*value)).collect();
            scale.count_worths(kind, &mut worths);
            for (value, counted) in values.iter().zip(worths) {
                let expected = value.before_move_of(kind, &scale);
                let plain = value_after(counted).before_move_of(MoveKind::Plain, &scale);
                assert_eq!(plain, expected, "{metric}, {kind:?} to {value:?}");
            }
        }
    }
}

#[test]
fn every_code_has_its_wdl() {
    let codes: Vec<u8> = (0..=u8::MAX).collect();
    let wide: Vec<u16> = (0..1000).collect();
    let split = split(100).map(|()| &*codes, |()| &*wide);
    for codes in [u8::borrowed(&codes), split, CodesRef::TwoBytes(&wide)] {
        let wdl = codes.to_wdl().alternating().expect("one byte suffices");
        for (index, code) in wdl.into_iter().enumerate() {
            assert_eq!(code.value().wdl(), codes.value(index).wdl());
            assert_eq!(code.value() == Value::Stalemate, codes.value(index) == Value::Stalemate);
            assert!(code.value().ply() <= Some(Ply(1)));
        }
    }
}
