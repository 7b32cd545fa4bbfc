//! Checks what changes the hash of the rules and what does not.

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
fn other_rules_change_the_hash() {
    let with = |line: &str| format!("{line}\nn-move-rule = 50");
    let changes = [
        "checkmate-value = \"win\"",
        "stalemate-piece-count = true",
        "must-capture = true",
        "checking = false\nstalemate-value = \"loss\"",
        "pass = true",
        "pass-on-stalemate = true",
        "blast-on-capture = true",
        "bare-king = \"medina\"",
        "bare-king = \"shatranj\"",
        "extinction-value = \"win\"\nextinction-piece-types = \"*\"\nextinction-piece-count = 1",
        "extinction-value = \"loss\"\nextinction-piece-types = \"*\"\nextinction-piece-count = 1",
        "extinction-value = \"loss\"\nextinction-piece-types = \"N\"",
        "extinction-value = \"loss\"\nextinction-piece-types = \"P\"",
        "extinction-value = \"loss\"\nextinction-piece-types = \"Q\"\nextinction-pseudo-royal = true",
        "flag-region = \"d4\"",
        "flag-region = \"d4\"\nflag-piece = \"K\"",
        "flag-region = \"*8\"\nflag-piece = \"K\"",
        "flag-region = \"*8\"\nflag-piece = \"K\"\nflag-move = true",
        "flag-region-white = \"d4\"",
    ];
    let mut hashes = vec![parse(&fide_text())];
    hashes.extend(
        changes.map(|line| changed(&[("stalemate-value = \"draw\"", ""), ("n-move-rule = 50", &with(line))])),
    );
    let hash = |variant: &Variant| variant.rules_hash(&Material::parse(variant, "KQvK").unwrap());
    for (i, a) in hashes.iter().enumerate() {
        for (j, b) in hashes[..i].iter().enumerate() {
            assert_ne!(hash(a), hash(b), "{i} and {j}");
        }
    }
}

#[test]
fn rules_of_men_that_cannot_come_up_change_nothing() {
    let with = |line: &str| changed(&[("n-move-rule = 50", &format!("{line}\nn-move-rule = 50"))]);
    let hash = |variant: &Variant, name| variant.rules_hash(&Material::parse(variant, name).unwrap());
    let (one, other) =
        (with("blast-on-capture = true"), with("blast-on-capture = true\nblast-immune-types = \"N\""));
    assert_eq!(hash(&one, "KQvKR"), hash(&other, "KQvKR"));
    assert_ne!(hash(&one, "KQvKN"), hash(&other, "KQvKN"));
    assert_ne!(hash(&one, "KPvK"), hash(&other, "KPvK"));
    let (one, other) =
        (with("flag-region = \"d4\"\nflag-piece = \"K\""), with("flag-region = \"d4\"\nflag-piece = \"KN\""));
    assert_eq!(hash(&one, "KQvKR"), hash(&other, "KQvKR"));
    assert_ne!(hash(&one, "KPvK"), hash(&other, "KPvK"));
    let coregal =
        with("extinction-value = \"loss\"\nextinction-piece-types = \"Q\"\nextinction-pseudo-royal = true");
    assert_eq!(hash(&coregal, "KRvK"), hash(&parse(&fide_text()), "KRvK"));
    assert_ne!(hash(&coregal, "KPvK"), hash(&parse(&fide_text()), "KPvK"));
    // Defaults written out are what they are without.
    let plain = "must-capture = false\nchecking = true\npass = false\nextinction-value = \"none\"\nflag-region = \"\"";
    assert_eq!(hash(&with(plain), "KPvK"), hash(&parse(&fide_text()), "KPvK"));
}

/// Colours are exchanged only where the sides' regions are alike, so unlike ones change the hashes of all.
#[test]
fn regions_change_the_hashes_of_their_men() {
    let knights = |regions: &str| changed(&[("betza = \"N\"", &format!("betza = \"N\"\n{regions}"))]);
    let hash = |variant: &Variant, name| variant.rules_hash(&Material::parse(variant, name).unwrap());
    let plain = parse(&fide_text());
    let alike = knights("mobility-region-white = \"*1 *2\"\nmobility-region-black = \"*7 *8\"");
    let unlike = knights("mobility-region-white = \"*1 *2\"");
    let all = knights("mobilityRegionBlack = \"*1 *2 *3 *4 *5 *6 *7 *8\"");
    for (variant, is_alike) in [(&alike, true), (&unlike, false), (&all, true)] {
        assert_eq!(variant.is_colour_symmetric(), is_alike);
        assert_eq!(hash(variant, "KQvK") == hash(&plain, "KQvK"), is_alike);
    }
    assert_ne!(hash(&alike, "KNvK"), hash(&plain, "KNvK"));
    assert_ne!(hash(&alike, "KPvK"), hash(&plain, "KPvK"));
    assert_eq!(hash(&all, "KNvK"), hash(&plain, "KNvK"));
    let lines = alike.canonical_rules([PieceId(4)]);
    assert!(lines.ends_with("\n  White to ffff\n  Black to ffff000000000000\n"), "{lines}");
}

#[test]
fn rules_stand_between_stalemate_and_pieces() {
    let rules = "must-capture = true\npass-on-stalemate = true\nbare-king = \"shatranj\"\n\
                 flag-region = \"a1 *4\"\nflag-piece = \"QN\"";
    let variant = parse(&format!(
        "name = \"tiny\"\n[board]\nfiles = 3\nranks = 4\n[rules]\n{rules}\n\
         [[piece]]\nletter = \"N\"\nbetza = \"N\"\n\
         [[piece]]\nletter = \"K\"\nbetza = \"fR\"\nroyal = true\n\
         [[piece]]\nletter = \"Q\"\nbetza = \"Q\"\n"
    ));
    assert_eq!(
        variant.canonical_rules([PieceId(0), PieceId(1)]),
        "board 3 4\nstalemate draw\n\
         must capture\npass on stalemate\nextinction loss [*] at most 1 against 2 claimed\n\
         goal [N] white e01 black e01\n\
         piece K royal\n  ray 0 1 3 mc\n\
         piece N\n  ray -2 -1 1 mc\n  ray -2 1 1 mc\n  ray -1 -2 1 mc\n  ray -1 2 1 mc\n  \
         ray 1 -2 1 mc\n  ray 1 2 1 mc\n  ray 2 -1 1 mc\n  ray 2 1 1 mc\n"
    );
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

/// Tables hold positions without rights to castle, so whether and how a game castles changes nothing; these
/// hashes stand in files that were written when no game had castling.
#[test]
fn castling_changes_no_hash() {
    for (material, expected) in [
        ("KQvK", "12643d001801d617b92ff1c594c1804603cc30c9fdaf7aabf49ac4054f12c3fc"),
        ("KPvK", "2f476cb2ac91fafcddd61c3fd112469aab7cbad7d4d0a9251553cb51016b0a30"),
        ("KBNvK", "c70affa5c19fc94f1c221bab0494275f8a23983393927c4969dc4b3ff0d579cf"),
    ] {
        for castling in ["castling = true", "castling = false", "castling = true\nchess960 = true"] {
            let variant = changed(&[("castling = true", castling)]);
            let hash = variant.rules_hash(&Material::parse(&variant, material).unwrap());
            let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hash, expected, "{material} with {castling}");
        }
    }
}
