//! Checks structure files: what they mean, and what is said of those that are wrong.

use crate::Bound;
use crate::outline::{Outline, OutlineMan};
use position::RuleBook;
use variant::Variant;

/// The roots of a text, all legal positions of its men, and its limit in words.
#[track_caller]
fn check(text: &str, n_roots: usize, limit: &str, bounds: &[Bound]) {
    let variant = Variant::chess();
    let outline = Outline::parse(text, "one.toml", &variant).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(outline.roots.len(), n_roots, "{text}");
    let book = RuleBook::new(&variant);
    for root in &outline.roots {
        let material = root.material();
        assert!(root.is_legal(&book) && material == outline.material(), "{}", root.to_fen(&book));
        let stands = |own: &OutlineMan| own.squares.iter().any(|square| root.man_on(square) == Some(own.man));
        assert!(outline.men.iter().all(stands), "{}", root.to_fen(&book));
    }
    let own = outline.limit.unwrap_or_else(crate::Limit::none);
    assert_eq!((own.to_string().as_str(), &own.bounds()[..]), (limit, bounds), "{text}");
}

/// Every fault, as `line:column: …`.
#[track_caller]
fn check_faults(text: &str, expected: &[&str]) {
    let report = Outline::parse(text, "one.toml", &Variant::chess()).expect_err(text);
    let faults: Vec<String> = report.faults().iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), expected.len(), "{faults:#?}");
    for (fault, expected) in faults.iter().zip(expected) {
        assert!(fault.contains(expected), "{fault}\n{expected}");
    }
}

#[test]
fn men_have_squares() {
    let exact = &[Bound::Exact];
    check("men = \"wKQe6-bKQ\"", 1, "without a limit", exact);
    // Each way for the pawn to stand is a root.
    check("men = \"wKa2+-bK\"", 6, "without a limit", exact);
    let man = |piece: &str, rest: &str| format!("[[man]]\npiece = \"{piece}\"\n{rest}\n");
    let kings = man("wK", "") + &man("bK", "");
    let text = kings.clone() + &man("wP", "squares = [\"*2\", \"*3\"]") + &man("wP", "squares = \"*2 *3\"");
    // 16 squares for two like pawns.
    check(&text, 120, "without a limit", exact);
    let text = kings.clone() + &man("wR", "squares = \"h1\"\nfixed = true");
    check(&text, 1, "with wRh1 fixed", &[Bound::Lower]);
    let text = kings + &man("bB", "squares = \"a1 b1\"") + "[limits]\npromoted = [1, 0]\n";
    let limit = "with at most 1 promoted man of White's and 0 promoted men of Black's, bB kept to a1 b1";
    let both = &[Bound::Lower, Bound::Upper];
    check(&text, 1, limit, both);
}

#[test]
fn own_pawns_may_stand() {
    let both = &[Bound::Lower, Bound::Upper];
    let text = "men = \"wKRa2-bKRa7\"\n[limits]\nown-pawns-stand = true\npromoted = 0\nfew-men = 4\n";
    let limit =
        "with at most 0 promoted men in all, own pawns move only to capture or promote, from 5 men on";
    check(text, 1, limit, both);
    let alone = "men = \"wKRa2-bKRa7\"\n[limits]\nown-pawns-stand = true\n";
    check(alone, 1, "with any number of promoted men, own pawns move only to capture or promote", both);
    check(&alone.replace("true", "false"), 1, "without a limit", &[Bound::Exact]);
    let rules = variant::game::CHESS.replacen("[rules]", "[rules]\nmust-capture = true", 1);
    let variant = Variant::parse(&rules, "changed").expect("rules");
    let report = Outline::parse(text, "one.toml", &variant).expect_err(text);
    let faults: Vec<String> = report.faults().iter().map(ToString::to_string).collect();
    let expected = "limits.own-pawns-stand: pawns do not stand where captures are compulsory or explode";
    assert!(faults.len() == 1 && faults[0].contains(expected), "{faults:#?}");
}

#[test]
fn notations_of_other_programs_are_one_fault() {
    let help = "docs/structures.md says how structures are written";
    for (text, what) in
        [("{\"men\": \"wKQe6-bKQ\"}", "it is JSON"), ("[men]\nwhite = K\n", "it is an INI file")]
    {
        check_faults(text, &[&format!("this is not TOML: {what}; {help}")]);
    }
}

/// However many men a text names, or brackets, there is one fault of it.
#[test]
fn far_too_many_men_are_one_fault() {
    let many = "K".repeat(90_000);
    let said = "there are more men than structures have, which is 16; leave out men";
    check_faults(&format!("men = \"w{many}-bK\""), &[&format!("1:25: men: {said}")]);
    check_faults(&format!("men = \"wK-b{many}\""), &[&format!("1:27: men: {said}")]);
    let words = "a1 ".repeat(30_000);
    let text = format!("[[man]]\npiece = \"wK\"\n[[man]]\npiece = \"bK\"\nsquares = \"{words}\"\n");
    check(&text, 1, "with bKa1 fixed", &[Bound::Upper]);
    check_faults(
        &"[".repeat(200_000),
        &["1:1: this is not TOML: the text has 200000 bytes, and 100000 are the"],
    );
}

#[test]
fn faults_have_places_and_remedies() {
    check_faults("", &["1:1: men: the file has no `men`; write `men = \"wKQe6-bKQ\"`"]);
    check_faults("men = \"KQ-K\"", &["1:8: men: `KQ-K` is no list of men; write `w`, White's men"]);
    check_faults("men = \"wKQz6-bK\"", &["1:11: men: a board of 8×8 has nothing called `z6`"]);
    check_faults("men = \"wKe9-bK\"", &["1:10: men: a board of 8×8 has nothing called `e9`"]);
    check_faults("men = \"wKe8-bK\"", &["1:10: men: wP cannot stand on `e8`; write a square on which"]);
    check_faults("men = \"wKX-bK\"", &["1:10: men: `X` names no man"]);
    check_faults("men = \"wKQ-bQ\"", &["1:7: men: Black has 0 royal men, and needs one; write one [[man]]"]);
    check_faults("men = \"wKe6e6-bK\"", &["1:12: men: the pawns named before leave no square for wP"]);
    check_faults("man = 3", &["1:7: man: `man` is a whole number, expected a list of tables"]);
    check_faults("[[man]]\nsquare = \"e4\"", &["1:1: man[1].piece: `man[1]` has no `piece`", "did you mean"]);
    let men = "men = \"wK-bK\"\n[[man]]\n";
    check_faults(&format!("{men}piece = \"wP\""), &["2:1: man[1].squares: `man[1]` has no `squares`"]);
    let fixed = format!("{men}piece = \"wR\"\nfixed = true\n");
    check_faults(&fixed, &["4:9: man[1].fixed: a man that is fixed stands on one square; name it"]);
    let fixed = format!("{men}piece = \"wP\"\nsquares = \"e4\"\nfixed = true\n");
    check_faults(&fixed, &["5:9: man[1].fixed: a pawn cannot be fixed; leave it out"]);
    let plus = format!("{men}piece = \"wR\"\nsquares = \"a4 e4+\"\n");
    check_faults(&plus, &["4:15: man[1].squares: `e4+` is for pawns, and wR is none"]);
    let limits = format!("{men}piece = \"wX\"\n[limits]\npromoted = [1]\nfew-men = 17\n");
    check_faults(&limits, &["there is no man `wX`; write `w` or `b`", "expected two", "expected 0 to 16"]);
    let limits = |text: &str| format!("men = \"wKa2-bKa7\"\n[limits]\n{text}\n");
    let few_men = limits("few-men = 4");
    check_faults(
        &few_men,
        &["3:11: limits.few-men: `few-men` says where `promoted`, `first-only` and `own-pawns-stand` end"],
    );
    for (word, fault) in [
        ("w=K", "`w=K` means nothing: no pawn is promoted to this; name one of the pieces Q, R, B, N"),
        ("b=P", "`b=P` means nothing: no pawn is promoted to this"),
        ("we4e3", "`we4e3` means nothing: no pawn of White's goes from e4 to e3; write a move that"),
        ("be4e6", "`be4e6` means nothing: no pawn of Black's goes from e4 to e6"),
        ("wxK", "`wxK` means nothing: a royal man is never captured; name another piece"),
        ("we9e10", "`we9e10` is nothing that can be given away; write a promotion"),
        ("KQvKR", "`KQvKR` are no moves of a side"),
    ] {
        check_faults(
            &limits(&format!("discard = [\"wxR\", \"{word}\"]")),
            &[&format!("3:19: limits.discard: {fault}")],
        );
    }
    for word in ["we2e4", "we4d5", "we7e8", "be5e4", "w=*", "bx*", "wxP"] {
        let text = limits(&format!("discard = [\"{word}\"]"));
        let outline = Outline::parse(&text, "one.toml", &Variant::chess());
        assert!(outline.is_ok(), "{word}: {outline:?}");
    }
    check_faults("men = \"wK-bK\"\nname = \"a/b\"", &["2:8: name: `name` cannot be the name of a file"]);
    check_faults("men = \"wK-bK\"\ngame = \"atomic\"", &["2:8: game: the men are those of `atomic`"]);
    // Kings that can stand side by side only.
    let near = "[[man]]\npiece = \"wK\"\nsquares = \"a1\"\n[[man]]\npiece = \"bK\"\nsquares = \"a2 b1\"\n";
    check_faults(near, &["no legal position has these men on these squares; let some of the men"]);
}

/// Whatever stands in a file, it is read or refused.
#[test]
fn random_damage_never_panics() {
    let text: Vec<char> =
        "name = \"x\"\nmen = \"wKQe6-bKQ\"\n[[man]]\npiece = \"wR\"\nsquares = [\"a1\", \"b*\"]\n\
                           fixed = false\n[limits]\npromoted = [1, 2]\nfew-men = 4\n"
            .chars()
            .collect();
    let pieces = ["\"", "[", "]", "=", "\n", "é", "0", "-", "+", "w", "e7", "[[man]]\n", "*", "'", ","];
    let mut state = 7_u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let variant = Variant::chess();
    for _ in 0..300 {
        let (at, n) = (below(text.len()), below(8));
        let end = (at + n).min(text.len());
        let damaged = text[..at].iter().collect::<String>()
            + pieces[below(pieces.len())]
            + &text[end..].iter().collect::<String>();
        match Outline::parse(&damaged, "damaged.toml", &variant) {
            Ok(outline) => assert!(!outline.roots.is_empty()),
            Err(report) => {
                assert!(!report.faults().is_empty() && report.to_string().contains("damaged.toml"))
            }
        }
    }
}

#[test]
fn structure_files_are_told_from_variant_files() {
    assert!(Outline::is_meant("# one\nmen = \"wK-bK\"\n"));
    assert!(Outline::is_meant("[[man]]\n"));
    assert!(Outline::is_meant("[[ man ]]\npiece = \"wK\"\n") && Outline::is_meant("\"men\" = \"wK-bK\"\n"));
    assert!(Outline::is_meant("man = [{ piece = \"wK\" }]\nthis is not TOML\n"));
    // What stands in a string is no key.
    assert!(!Outline::is_meant("description = \"\"\"\nmen = 3\n[[man]]\n\"\"\"\n[[piece]]\n"));
    assert!(!Outline::is_meant("name = \"fide\"\nmen-limit = 4\n[[piece]]\n"));
    assert_eq!(Outline::game_in("game = \"atomic\"\n").as_deref(), Some("atomic"));
}
