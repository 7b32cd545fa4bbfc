//! Writes answers, reads them again, and damages their files.

use crate::bits::{BitsFile, Question, write};
use format::Checksum;
use index::Layout;
use std::path::Path;
use std::sync::Arc;
use table::{Code, Ply, Table, Value};
use variant::{Material, Metric, Side, Variant};

/// A table whose values have no meaning but are all there.
fn table(variant: &Variant, name: &str) -> Table {
    let layout = Arc::new(Layout::new(variant, &Material::parse(variant, name).expect("a material")));
    let mut seed = 5u64;
    let mut codes = || {
        let code = |_| {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            // Wins in 1, 99, 100 and 101 plies, losses in 0, 30 and 102.
            [1, 2, 3, 101, 102, 103, 255, 225, 153][(seed >> 40) as usize % 9]
        };
        (0..layout.len()).map(code).collect::<Vec<u8>>()
    };
    let mut codes = || u8::owned(codes()).under(Metric::Dtz50, Ply(101));
    let white = codes();
    let black = (!layout.is_one_sided()).then(codes);
    Table::new(layout, white, black)
}

fn question(text: &str) -> Question {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn questions_are_asked_in_words() {
    for text in ["draw", "white wins", "black wins within 99"] {
        assert_eq!(question(text).to_string(), text);
    }
    assert_eq!(question(" White  WINS within 7").slug(), "white-wins-7");
    for wrong in ["", "white", "wins", "white loses", "white wins within", "white wins within x", "draw 3"] {
        assert!(wrong.parse::<Question>().is_err(), "{wrong}");
    }
    assert!(question("white wins within 3").check_metric(Metric::Wdl).is_err());
    assert!(question("white wins").check_metric(Metric::Wdl).is_ok());
}

#[track_caller]
fn check_answer(text: &str, stm: Side, value: Value, metric: Metric, expected: bool) {
    let answer = question(text).answer(value, stm, metric, Some(100));
    assert_eq!(answer, expected, "{text} {stm:?} {value:?} {metric}");
    let swapped = question(text).swapped().answer(value, !stm, metric, Some(100));
    assert_eq!(swapped, expected, "{text} with the colours exchanged");
}

#[test]
fn answers_are_those_of_the_rules() {
    use Metric::{Dtm, Dtz50};
    use Side::{Black, White};
    check_answer("white wins", White, Value::Win(Ply(1)), Dtm, true);
    check_answer("white wins", Black, Value::Win(Ply(1)), Dtm, false);
    check_answer("white wins", Black, Value::Loss(Ply(200)), Dtm, true);
    check_answer("white wins", White, Value::Draw, Dtm, false);
    check_answer("draw", White, Value::Stalemate, Dtm, true);
    check_answer("draw", White, Value::Win(Ply(101)), Dtm, false);
    // Beyond the rule of fifty moves neither side wins.
    check_answer("white wins", White, Value::Win(Ply(100)), Dtz50, true);
    check_answer("white wins", White, Value::Win(Ply(101)), Dtz50, false);
    check_answer("draw", White, Value::Win(Ply(101)), Dtz50, true);
    check_answer("white wins within 99", White, Value::Win(Ply(99)), Dtz50, true);
    check_answer("white wins within 99", White, Value::Win(Ply(100)), Dtz50, false);
    check_answer("white wins within 300", White, Value::Win(Ply(101)), Dtz50, false);
    check_answer("white wins within 300", White, Value::Win(Ply(101)), Dtm, true);
}

#[track_caller]
fn check_file(name: &str, text: &str, metric: Metric) {
    let (chess, temporary) = (Variant::chess(), tempfile::tempdir().expect("a folder"));
    let path = temporary.path().join("file.tsq");
    let (table, question) = (table(&chess, name), question(text));
    let written = write(&path, &chess, (metric, &table), question, Checksum([7; 32])).expect("written");
    let file = BitsFile::open(&path, &chess).expect("opened");
    file.verify_checksums().expect("whole");
    assert_eq!((file.question(), file.metric(), file.table()), (question, metric, Checksum([7; 32])));
    let (layout, rule) = (table.layout(), chess.rules.rule_plies());
    let (mut n_yes, mut n_positions) = ([0; 2], [0; 2]);
    for stm in Side::BOTH {
        for number in (0..layout.len()).step_by(7) {
            let placement = layout.decode(number);
            if !layout.is_canonical(number, &placement) {
                continue;
            }
            // A symmetric table has Black to move with the colours exchanged.
            let (question, side) =
                if table.codes(stm).is_some() { (question, stm) } else { (question.swapped(), !stm) };
            let value = table.value(side, number);
            if value != Value::Illegal {
                let expected = question.answer(value, side, metric, rule);
                let answer = file.answer(stm, &placement).expect("read");
                assert_eq!(answer, Some(expected), "{name} {text} {stm:?} {number}");
                n_yes[stm.index()] += u64::from(expected);
                n_positions[stm.index()] += 1;
            }
        }
    }
    for stm in 0..2 {
        assert!(written.n_positions[stm] >= n_positions[stm] && n_positions[stm] > 1_000, "{written:?}");
        assert!(written.n_yes[stm] >= n_yes[stm] && n_yes[stm] > 100, "{written:?}");
    }
    assert_eq!(std::fs::metadata(&path).expect("a file").len(), written.size_bytes);
}

#[test]
fn answers_are_read_as_they_were_written() {
    check_file("KPvK", "white wins", Metric::Dtz50);
    check_file("KQvK", "black wins within 99", Metric::Dtz50);
    check_file("KRvKR", "white wins within 50", Metric::Dtm);
    check_file("KNNvK", "draw", Metric::Dtm);
}

#[test]
fn damage_is_found_wherever_it_is() {
    let (chess, temporary) = (Variant::chess(), tempfile::tempdir().expect("a folder"));
    let path = temporary.path().join("file.tsq");
    let table = table(&chess, "KQvK");
    write(&path, &chess, (Metric::Dtm, &table), question("white wins"), Checksum([7; 32])).expect("written");
    let bytes = std::fs::read(&path).expect("a file");
    let check = |bytes: &[u8], said: &str, what: &str| {
        std::fs::write(&path, bytes).expect("a file");
        let outcome = BitsFile::open(&path, &chess).and_then(|file| file.verify_checksums());
        assert!(outcome.is_err_and(|error| error.to_string().contains(said)), "{what}");
    };
    for at in (0..16).chain((16..bytes.len()).step_by(bytes.len() / 300)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        // A version that is not known is no damage.
        let said = if (8..12).contains(&at) { "has format version" } else { "damaged" };
        check(&damaged, said, &format!("byte {at}"));
    }
    for len in [0, 3, 200, 256, 300, bytes.len() - 1] {
        check(&bytes[..len], "damaged", &format!("{len} bytes"));
    }
    std::fs::write(&path, &bytes).expect("a file");
    let atomic = Variant::parse(variant::game::ATOMIC, "atomic.toml").expect("rules");
    let error = BitsFile::open(&path, &atomic).expect_err("other rules");
    assert!(error.to_string().contains("other rules"), "{error}");
    let error = BitsFile::open(Path::new("no-such.tsq"), &chess).expect_err("no file");
    assert!(error.to_string().contains("no-such.tsq"), "{error}");
}
