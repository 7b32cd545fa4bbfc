//! Tests entries and names of flat files; the package `tests` compares whole files with solved tables.

use crate::flat::header::{PawnDimension, Width, mirrored};
use crate::flat::{FlatName, Form};
use table::{Ply, Value};
use variant::{Material, Metric, Variant};

const FIDE: &str = variant::game::CHESS;

fn fide() -> Variant {
    Variant::parse(FIDE, "fide.toml").unwrap()
}

#[track_caller]
fn check_entry(value: Value, to_next_table: bool, entries: [u32; 3]) {
    for (width, expected) in Width::ALL.into_iter().zip(entries) {
        let entry = width.entry(value, to_next_table);
        assert_eq!(entry, expected, "{value:?} in {width:?}");
        let read = width.value(entry).unwrap();
        match width {
            Width::Bits => assert_eq!(read.wdl(), value.wdl()),
            _ => assert_eq!(read, value),
        }
    }
}

#[test]
fn entries_are_as_documented() {
    check_entry(Value::Illegal, false, [0, 0, 0]);
    check_entry(Value::Draw, true, [1, 1, 1]);
    check_entry(Value::Stalemate, true, [1, 5, 5]);
    check_entry(Value::Loss(Ply(0)), true, [2, 2, 2]);
    check_entry(Value::Loss(Ply(0)), false, [2, 2, 2]);
    check_entry(Value::Win(Ply(1)), false, [3, 7, 7]);
    check_entry(Value::Win(Ply(1)), true, [3, 0x8007, 0x8000_0007]);
    check_entry(Value::Win(Ply(8_191)), true, [3, 0xffff, 0x8000_7fff]);
}

#[test]
fn what_is_no_entry_is_no_value() {
    for entry in [4, 0x8000, 9, 0x8001, 3, 0x8003, 0x8002] {
        assert_eq!(Width::Two.value(entry), None, "{entry:x}");
    }
    // More plies than any value has.
    assert_eq!(Width::Four.value(65_536 << 2 | 3), None);
    assert_eq!(Width::Four.value(65_535 << 2 | 3), Some(Value::Win(Ply(65_535))));
}

#[test]
fn entries_lie_side_by_side() {
    for width in Width::ALL {
        let mut array = vec![0; width.n_bytes(7) as usize];
        for number in 0..7 {
            width.write(&mut array, number, (number % 4) as u32);
        }
        for number in 0..7 {
            assert_eq!(width.read(&array, number), Some(number as u32 % 4), "{width:?} {number}");
        }
        assert_eq!(width.read(&array, 9), None, "{width:?}");
    }
}

#[track_caller]
fn check_name(variant: &Variant, text: &str, material: &str, pawns: &[&str]) {
    let name = FlatName::parse(variant, text).unwrap_or_else(|| panic!("{text} is a name"));
    assert_eq!(name.material().name(variant), material);
    let squares: Vec<String> = name.pawns().iter().map(|&square| variant.board.name(square)).collect();
    assert_eq!(squares, pawns, "{text}");
    assert_eq!(name.text(variant), text);
}

#[test]
fn names_say_where_the_pawns_stand() {
    let fide = fide();
    check_name(&fide, "wKQ-bKR", "KQvKR", &[]);
    check_name(&fide, "wKQe6-bKQ", "KQPvKQ", &["e6"]);
    check_name(&fide, "wKa2b2-bKh7", "KPPvKP", &["a2", "b2", "h7"]);
    let berolina = Variant::load("../../variants/berolina.toml").unwrap();
    check_name(&berolina, "wKRe6-bK", "KRPvK", &["e6"]);
}

#[test]
fn a_name_without_squares_has_all_of_them() {
    let fide = fide();
    for (text, material) in [("wKP-bK", "KPvK"), ("wKQPP-bKRP", "KQPPvKRP")] {
        check_name(&fide, text, material, &[]);
        let name = FlatName::parse(&fide, text).unwrap();
        assert!(name.has_all_squares());
        assert_eq!(name, FlatName::of_all_squares(&fide, &Material::parse(&fide, material).unwrap()));
        assert_eq!(name.clone().written(&fide), name);
    }
    // Without pawns there is one file, under the name that it always had.
    let material = Material::parse(&fide, "KQvKR").unwrap();
    let name = FlatName::of_all_squares(&fide, &material);
    assert!(!name.has_all_squares());
    assert_eq!(Some(name), FlatName::parse(&fide, "wKQ-bKR"));
}

#[track_caller]
fn check_dimensions(variant: &Variant, material: &str, expected: &[[u8; 3]]) {
    let material = Material::parse(variant, material).unwrap();
    let dimensions = PawnDimension::all(variant, &material);
    let found: Vec<[u8; 3]> = dimensions.iter().map(|d| [d.first_rank, d.n_ranks, d.n_files]).collect();
    assert_eq!(found, expected);
    let files = variant.board.files();
    for (number, dimension) in dimensions.iter().enumerate() {
        for at in 0..dimension.len() {
            let square = dimension.square(at as usize, files);
            assert_eq!(dimension.number(square, files), Some(at));
        }
        let n_counted = variant.board.squares().filter_map(|square| dimension.number(square, files)).count();
        assert_eq!(n_counted as u64, dimension.len());
        let is_right = |square| dimension.number(square, files).is_none();
        let man = material.men().filter(|&man| variant.is_pawn(man)).nth(number).unwrap();
        // A square of the pawn's that is not counted has an image that is.
        for square in variant.zone(man).iter().filter(|&square| is_right(square)) {
            assert!(number == 0 && dimension.number(mirrored(square, files), files).is_some());
        }
    }
}

#[test]
fn pawns_count_the_squares_of_their_ranks() {
    let fide = fide();
    check_dimensions(&fide, "KQvKR", &[]);
    check_dimensions(&fide, "KPvK", &[[1, 6, 4]]);
    check_dimensions(&fide, "KPPvKP", &[[1, 6, 4], [1, 6, 8], [1, 6, 8]]);
    let of = |name: &str| Variant::load(format!("../../variants/{name}.toml")).unwrap();
    check_dimensions(&of("gardner"), "KPvKP", &[[1, 3, 3], [1, 3, 5]]);
    // Pawns of makruk begin on the third rank and promote on the sixth.
    check_dimensions(&of("makruk"), "KPvKP", &[[2, 3, 4], [3, 3, 8]]);
    // Where left and right are not alike nothing is folded.
    let mut uneven = fide.clone();
    let pawn = uneven.pieces.iter_mut().find_map(|piece| piece.pawn.as_mut()).unwrap();
    pawn.double_step_from = pawn.double_step_from.iter().take(3).collect();
    check_dimensions(&uneven, "KPvKP", &[[1, 6, 8], [1, 6, 8]]);
}

#[track_caller]
fn check_file_name(file: &str, expected: Option<(&str, Metric, Form)>) {
    let fide = fide();
    let read = super::parse_file_name(&fide, file);
    let read = read.map(|(name, metric, form)| (name.text(&fide), metric, form));
    assert_eq!(read, expected.map(|(name, metric, form)| (name.to_owned(), metric, form)), "{file}");
    if let Some((name, metric, form)) = expected {
        assert!(file.starts_with(&form.file_name(name, metric, Metric::Dtm)), "{file}");
    }
}

#[test]
fn file_names_say_what_they_hold() {
    check_file_name("wKQ-bKR.tbl", Some(("wKQ-bKR", Metric::Dtm, Form::Distances)));
    check_file_name("wKP-bK.tbl", Some(("wKP-bK", Metric::Dtm, Form::Distances)));
    check_file_name("wKP-bK.dtz50.tbc.gz", Some(("wKP-bK", Metric::Dtz50, Form::Wdl)));
    check_file_name("wKe6-bK.tbc", Some(("wKe6-bK", Metric::Wdl, Form::Wdl)));
    check_file_name("wKe6-bK.dtz50.tbc", Some(("wKe6-bK", Metric::Dtz50, Form::Wdl)));
    check_file_name("wKe6-bK.dtz50.tbl.gz", Some(("wKe6-bK", Metric::Dtz50, Form::Distances)));
    for file in
        ["wKQ-bKR", "KQvKR.tbl", "wKQ-bKR.tsm", "wKQ-bKR.dtx.tbl", "wKQ-bKR.dtm.tbc", "wKQ-bKR.tbl.tbl.gz"]
    {
        check_file_name(file, None);
    }
}

#[track_caller]
fn check_no_name(text: &str) {
    assert_eq!(FlatName::parse(&fide(), text), None, "{text}");
}

#[test]
fn other_names_are_none() {
    for text in
        ["", "w-b", "KQvK", "wKQ", "wKQ-K", "wKX-bK", "wQ-bK", "wKK-bK", "wK-bKP", "wKPe6-bK", "wQK-bK"]
    {
        check_no_name(text);
    }
    // Out of order, one square twice, where no pawn can stand, the other colours, other spellings.
    for text in [
        "wKP-bKe6",
        "wKPe6P-bK",
        "wKP6-bK",
        "wKPP-bKPP-",
        "wPK-bK",
        "wKb2a2-bK",
        "wKa2a2-bK",
        "wKe8-bK",
        "wKe9-bK",
        "wK-bKQ",
        "wKe06-bK",
        "wKE6-bK",
        "wKé6-bK",
    ] {
        check_no_name(text);
    }
}

#[test]
fn pawns_stand_in_every_way() {
    let fide = fide();
    for (material, n) in [("KQvKR", 1), ("KPvK", 48), ("KPPvK", 48 * 47 / 2), ("KPvKP", 48 * 47)] {
        let material = Material::parse(&fide, material).unwrap();
        let names = FlatName::all(&fide, &material);
        assert_eq!(names.len(), n);
        assert!(names.is_sorted());
        for name in names.iter().step_by(31) {
            assert_eq!(FlatName::parse(&fide, &name.text(&fide)).as_ref(), Some(name));
            assert_eq!(FlatName::new(&fide, &material, name.pawns()).as_ref(), Some(name));
        }
    }
}

#[test]
fn metrics_without_room_are_refused_in_words() {
    let chess = fide();
    let refusal = |form: Form, metric| form.check(&chess, metric).map_err(|error| error.to_string());
    for metric in [Metric::Dtz50, Metric::Wdl] {
        assert_eq!(refusal(Form::Wdl, metric), Ok(()));
    }
    assert_eq!(refusal(Form::Distances, Metric::Dtz50), Ok(()));
    for metric in [Metric::Dtm, Metric::Dtc, Metric::Dtz] {
        assert_eq!(refusal(Form::Distances, metric), Ok(()));
        let message = refusal(Form::Wdl, metric).unwrap_err();
        assert!(
            message.starts_with(&format!("a .tbc cannot hold {metric}: two bits have no room")),
            "{message}"
        );
    }
    let message = refusal(Form::Distances, Metric::Wdl).unwrap_err();
    assert!(message.starts_with("a .tbl cannot hold wdl: wdl counts nothing"), "{message}");
    let counting = Variant::built_in("three-check").expect("it is built in");
    let message = Form::Wdl.check(&counting, Metric::Wdl).unwrap_err().to_string();
    assert!(message.starts_with("a .tbc cannot hold wdl: its name has no place for the checks"), "{message}");
}
