//! Puts together what sources know of one position, in the order in which they are asked.

use super::PartialAnswers;
use position::{Position, RuleBook};
use probe::{Answer, Between, By, MissingTable, ProbeError};
use table::{Ply, Scale, Value};
use variant::{Metric, Variant};

const WIN: Value = Value::Win(Ply(3));

/// What a table says that knows no more than these bounds.
fn said(least: Value, most: Value, metric: Metric) -> Answer {
    let variant = Variant::chess();
    let position = Position::from_fen(&RuleBook::new(&variant), "8/8/8/8/8/4k3/8/4K2Q w - - 0 1");
    let scale = Scale::new(metric, &variant.rules);
    let unknown = Answer::unknown(position.expect("a FEN"), scale, Vec::new());
    Answer { value: Between { least, most }, ..unknown }
}

fn missing(name: &str) -> MissingTable {
    MissingTable::new(name.to_owned(), Metric::Dtm, format!("{name}.tsm").into())
}

#[test]
fn the_first_that_knows_all_is_the_answer() {
    let mut all = PartialAnswers::default();
    for name in ["KQvK", "KRvK"] {
        assert_eq!(all.add(Err(ProbeError::Missing(missing(name)))).expect("others are asked"), None);
    }
    let exact = said(WIN, WIN, Metric::Dtm);
    assert_eq!(all.add(Ok(exact.clone())).expect("an answer"), Some(exact));
    assert_eq!(all.missed, Some(missing("KQvK")), "the first that is not there");
}

#[test]
fn an_exact_value_without_its_moves_is_kept_and_others_are_asked() {
    let mut all = PartialAnswers::default();
    let exact = Answer { missing: Some(missing("KRvK")), ..said(WIN, WIN, Metric::Dtm) };
    assert_eq!(all.add(Ok(exact.clone())).expect("others are asked"), None);
    // What comes later knows less, and does not take its place.
    let by_moves = Answer { by: By::Moves, ..said(Value::Draw, Value::Draw, Metric::Dtm) };
    assert_eq!(all.add(Ok(by_moves)).expect("others are asked"), None);
    assert_eq!(all.add(Ok(said(Value::Draw, WIN, Metric::Dtm))).expect("others are asked"), None);
    assert_eq!(all.partial, Some(exact));
    assert!(all.bounds.is_some() && all.of_moves.is_none());
}

#[test]
fn bounds_of_one_metric_meet_and_those_of_two_do_not() {
    let anything = Between::ANYTHING;
    let at_least = |metric| said(Value::Draw, anything.most, metric);
    let at_most = |metric| said(anything.least, Value::Draw, metric);
    for (second, is_met) in [(Metric::Wdl, true), (Metric::Dtm, false)] {
        let mut all = PartialAnswers::default();
        assert_eq!(all.add(Ok(at_least(Metric::Wdl))).expect("others are asked"), None);
        let met = all.add(Ok(at_most(second))).expect("no failure");
        let value = met.as_ref().map(|answer| answer.value);
        assert_eq!(value, is_met.then(|| Between::exactly(Value::Draw)), "{second}");
        assert_eq!(all.bounds.is_none(), is_met, "{second}");
    }
}

#[test]
fn moves_of_which_alone_something_is_known_wait_for_a_bound() {
    let mut all = PartialAnswers::default();
    let (anything, draw) = (Between::ANYTHING, Value::Draw);
    assert_eq!(all.add(Ok(said(anything.least, anything.most, Metric::Wdl))).expect("no failure"), None);
    assert!(all.bounds.is_none() && all.of_moves.is_some());
    assert_eq!(all.add(Ok(said(draw, anything.most, Metric::Wdl))).expect("no failure"), None);
    assert!(all.bounds.is_some() && all.of_moves.is_none(), "both are one answer now");
}

#[test]
fn what_cannot_be_read_ends_the_search() {
    let mut all = PartialAnswers::default();
    let gone = ProbeError::NoFolder { folder: "nowhere".into() };
    assert!(all.add(Err(gone)).expect_err("a failure").to_string().contains("nowhere"));
}
