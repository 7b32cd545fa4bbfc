//! What a table depends on.

use super::*;

/// Whether the change gives the material another hash.
#[track_caller]
fn check(material: &str, changes: &[(&str, &str)], expected: bool) {
    let hash = |variant: &Variant| variant.rules_hash(&Material::parse(variant, material).unwrap());
    let differs = hash(&changed(changes)) != hash(&parse(&fide_text()));
    assert_eq!(differs, expected, "{material} after {changes:?}");
}

#[test]
fn what_no_value_depends_on_changes_nothing() {
    for material in ["KQvK", "KPvK", "KRvKB"] {
        check(material, &[("# Chess.", "# Another comment.")], false);
        check(material, &[("men-limit = 4", "men-limit = 6")], false);
        check(material, &[("description = \"", "description = \"The game of ")], false);
        check(material, &[("\"fide\"", "\"orthodox\"")], false);
        check(material, &[("name = \"rook\"", "name = \"tower\"")], false);
        check(material, &[("n-move-rule = 50", "n-move-rule = 70")], false);
        check(material, &[("betza = \"Q\"", "betza = \"RcBmB7\"")], false);
        check(material, &[("betza = \"K\"", "betza = \"fhN\"\n#"), ("fhN", "fKbKsW")], false);
        check(material, &[("[\"Q\", \"R\"", "[\"R\", \"Q\"")], false);
        let amazon = "[[piece]]\nletter = \"A\"\nbetza = \"QN\"\n\n[[piece]]\nletter = \"Q\"";
        check(material, &[("[[piece]]\nletter = \"Q\"", amazon)], false);
    }
    check("KQvKR", &[("betza = \"N\"", "betza = \"NN\"")], false);
    check("KQvKR", &[("double-step = true", "double-step = false"), ("en-passant = true", "")], false);
}

#[test]
fn what_values_depend_on_changes_the_hash() {
    for material in ["KQvK", "KPvK", "KRvKB"] {
        check(material, &[("\"draw\"", "\"loss\"")], true);
        check(material, &[("betza = \"K\"", "betza = \"KN\"")], true);
        check(material, &[("files = 8", "files = 7")], true);
    }
    check("KQvK", &[("betza = \"Q\"", "betza = \"Q6\"")], true);
    check("KQvK", &[("betza = \"Q\"", "betza = \"mQcR\"")], true);
    check("KPvK", &[("betza = \"N\"", "betza = \"NN\"")], true);
    check("KPvK", &[("en-passant = true", "en-passant = false")], true);
    check("KPvK", &[("double-step = true", "double-step = false"), ("en-passant = true", "")], true);
    check("KPvK", &[("promotion-rank = 8", "promotion-rank = 7")], true);
    check("KPvK", &[("start-rank = 2", "start-rank = 1")], true);
    check("KPvK", &[(", \"N\"]", "]")], true);
    check("KPvK", &[("fmWfcF", "fmFfcW")], true);
}

#[test]
fn the_text_is_this() {
    let variant = parse(
        "name = \"tiny\"\n[board]\nfiles = 3\nranks = 4\n\
         [[piece]]\nletter = \"P\"\nbetza = \"fmW\"\n\
         pawn = { double-step = false, promotes-to = [\"N\"] }\n\
         [[piece]]\nletter = \"K\"\nbetza = \"fR\"\nroyal = true\n\
         [[piece]]\nletter = \"Q\"\nbetza = \"Q\"\n\
         [[piece]]\nletter = \"N\"\nbetza = \"lfNhrZ\"\n",
    );
    let material = Material::parse(&variant, "KPvK").unwrap();
    assert_eq!(
        variant.canonical_rules(material.men().map(|man| man.piece)),
        "board 3 4\nstalemate draw\n\
         piece K royal\n  ray 0 1 3 mc\n\
         piece N\n  ray -2 -3 1 mc\n  ray -1 2 1 mc\n  ray 2 3 1 mc\n\
         piece P\n  ray 0 1 1 m\n  \
         pawn zone 00000000000001f8 double 0000000000000000 passant false promotion 0000000000000e00 N\n"
    );
}
