//! Reads and writes the names of materials.

use super::*;

#[track_caller]
fn check_name(name: &str, canonical: &str) {
    let fide = parse(&fide_text());
    assert_eq!(Material::parse(&fide, name).unwrap().canonical(&fide).name(&fide), canonical, "{name}");
}

#[track_caller]
fn check_refused(name: &str, part: &str) {
    let error = Material::parse(&parse(&fide_text()), name).unwrap_err().to_string();
    assert!(error.contains(part), "{error} has no {part}");
}

#[test]
fn names_are_read_and_written() {
    for (name, canonical) in [
        ("KQvK", "KQvK"),
        ("KvQK", "KQvK"),
        ("PRKvKR", "KRPvKR"),
        ("KRvKQ", "KQvKR"),
        ("KRvKQN", "KQNvKR"),
        ("KvK", "KvK"),
    ] {
        check_name(name, canonical);
    }
    check_refused("KQK", "exactly one lower-case `v`");
    check_refused("KvKvK", "as in `KQvK`");
    check_refused("", "exactly one lower-case `v`");
    check_refused("KXvK", "the letter `X`; fide has KQRBNP");
    check_refused("QvK", "White has 0 royal men");
    check_refused("KvKK", "Black has 2 royal men");
}

#[track_caller]
fn check_typed(variant: &Variant, typed: &str, expected: Option<&str>) {
    let found = Material::from_typed(variant, typed).ok().map(|material| material.name(variant));
    assert_eq!(found.as_deref(), expected, "{typed}");
}

#[test]
fn names_are_read_as_people_type_them() {
    let fide = parse(&fide_text());
    for typed in ["KRvKN", "krvkn", "KRVKN", "KRKN", "krkn", "KNvKR", "knkr", "rkvkn"] {
        check_typed(&fide, typed, Some("KRvKN"));
    }
    check_typed(&fide, "kk", Some("KvK"));
    check_typed(&fide, "KRPKR", Some("KRPvKR"));
    for wrong in ["", "v", "KR", "krkxk", "KRKNK", "KR KN", "KRvKvN", "xrkn", "KÄvK", "RKN"] {
        check_typed(&fide, wrong, None);
    }
    // A piece may have the letter of what stands between the sides.
    let vizier = parse(&fide_text().replace("\"N\"", "\"V\"").replace("betza = \"V\"", "betza = \"N\""));
    check_typed(&vizier, "KVvK", Some("KVvK"));
    check_typed(&vizier, "kvvk", Some("KVvK"));
    check_typed(&vizier, "kvkr", Some("KRvK"));
    // Is it a vizier or what stands between the sides?
    check_typed(&vizier, "KVKR", None);
}

#[test]
fn there_are_as_many_materials_as_published() {
    let fide = parse(&fide_text());
    for (n_men, n_materials) in [(1, 0), (2, 1), (3, 5), (4, 30), (5, 110), (6, 365)] {
        let all = Material::all(&fide, n_men);
        assert_eq!(all.len(), n_materials, "{n_men} men");
        assert!(all.iter().all(|m| m.n_men() == n_men && m.is_canonical(&fide)));
        let read = all.iter().map(|m| Material::parse(&fide, &m.name(&fide)).unwrap());
        assert!(read.eq(all.iter().cloned()));
    }
}
