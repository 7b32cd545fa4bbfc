//! Takes over games that are known here, and reads texts that are wrong.

use crate::ini::{Conversion, Games};
use crate::{Man, Material, PseudoRoyal, Side, Variant, game};

fn converted(text: &str) -> Conversion {
    let games = Games::parse(text).expect("a text without faults");
    let name = games.names().last().expect("a game").to_owned();
    games.convert(&name).unwrap_or_else(|refusals| panic!("{name}: {refusals:#?}"))
}

/// Checks that the last game of a text is refused, for these reasons.
#[track_caller]
fn check_refused(text: &str, expected: &[&str]) {
    let games = Games::parse(text).expect("a text without faults");
    let name = games.names().last().expect("a game").to_owned();
    let refusals = games.convert(&name).expect_err("what no variant file has");
    let told: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    assert_eq!(told, expected, "{text}");
}

/// Games that both have are the same: the rules for each of these men have one hash.
#[test]
fn built_in_games_are_those_that_are_known_here() {
    for (theirs, ours, names) in [
        ("chess", "fide", &["KQvKR", "KPvKP", "KBNvK"][..]),
        ("kingofthehill", "king-of-the-hill", &["KvK", "KPvKP"]),
        ("racingkings", "racing-kings", &["KQvKR", "KNvK"]),
        ("losers", "losers", &["KPvK", "KQvKR"]),
        ("antichess", "antichess", &["PvP", "KvQ", "RNvK"]),
        ("suicide", "suicide", &["PvP", "KvQ"]),
        ("kinglet", "kinglet", &["KPvP"]),
        ("atomic", "atomic", &["KPvK", "KQvKR"]),
        ("gardner", "gardner", &["KPvKP", "KQvKR"]),
        ("losalamos", "los-alamos", &["KPvK", "KQvKN"]),
        ("capablanca", "capablanca", &["KPvK", "KAvKC"]),
        ("coregal", "coregal", &["KPvK", "KQvKR"]),
        ("chigorin", "chigorin", &["KPvK", "KQvKC", "KvKP"]),
        ("3check", "three-check", &["KPvK+3+3", "KQvKR+1+2"]),
    ] {
        let theirs = converted(&format!("[own:{theirs}]")).variant;
        let (name, text) = game::named(ours).expect("a game that is built in");
        let ours = Variant::parse(text, name).expect("rules");
        for name in names {
            let hash = |variant: &Variant| {
                let material = Material::parse(variant, name).expect("men of the game").canonical(variant);
                variant.rules_hash(&material)
            };
            assert_eq!(hash(&theirs), hash(&ours), "{name} of {}", ours.name);
        }
    }
}

#[test]
fn a_game_begins_with_another_one() {
    let text = "
[first:chess]
maxRank = 6
doubleStep = false
promotionRegionWhite = *6
promotionPieceTypes = nr
startFen = rnbqk3/ppppp3/8/8/PPPPP3/RNBQK3 w - - 0 1

# The knight is another man now, and pawns still become knights.
[second:first]
knight = s
customPiece1 = n:mfNcbN
queen = -
";
    let Conversion { text, variant, notes, .. } = converted(text);
    assert!(notes.is_empty(), "{notes:?}");
    let betza = |letter| variant.piece(variant.piece_lettered(letter).expect("a man")).movement.to_betza();
    assert_eq!(betza('S').as_deref(), Some("N"));
    assert!(variant.piece_lettered('Q').is_none() && betza('N').is_some());
    let pawn = variant.piece(variant.piece_lettered('P').expect("a pawn"));
    let rules = pawn.pawn.as_ref().expect("a pawn");
    let becomes: String = rules.promotes_to.iter().map(|&piece| variant.piece(piece).letter).collect();
    assert_eq!((becomes.as_str(), variant.board.ranks()), ("SR", 6));
    for line in ["maxRank = 6", "ranks = 6  # line 3: maxRank = 6", "second", "[[piece]]  # chess: rook"] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
}

#[test]
fn men_are_royal_and_pawns_as_the_file_says() {
    let variant = converted(
        "[own]\nmaxFile = e\ncommoner = k\nrook = r\nextinctionValue = loss\nextinctionPieceTypes = k\n\
         extinctionPseudoRoyal = true\nstartFen = rk3/5/5/5/5/5/5/RK3 w - - 0 1",
    )
    .variant;
    assert_eq!(variant.only_royal(), variant.piece_lettered('K'));
    assert_eq!((variant.board.files(), variant.rules.extinction.is_none()), (5, true));
    // Beside kings men are royal while they are few.
    let variant = converted(
        "[own:chess]\nextinctionValue = loss\nextinctionPieceTypes = q\nextinctionPseudoRoyal = true\n\
         extinctionPieceCount = 64",
    )
    .variant;
    let queen = variant.piece_lettered('Q').expect("a queen");
    assert_eq!(variant.rules.pseudo_royal, Some(PseudoRoyal { kinds: vec![queen], most_men: 17 }));
    assert!(variant.rules.extinction.is_none() && variant.only_royal().is_some());
    // The sides may have different ones; without a game that it begins with, no man promotes by default.
    let variant = converted(
        "[own]\nking = k\namazon = m\npawn = p\nextinctionValue = loss\nextinctionPieceTypes = m\n\
         extinctionPseudoRoyal = true\nstartFen = k7/pppppppp/8/8/8/8/8/4M3 w - - 0 1",
    )
    .variant;
    let royals: String = variant.royals().map(|royal| variant.piece(royal).letter).collect();
    let pawn = variant.pieces.iter().find_map(|piece| piece.pawn.as_ref()).expect("a pawn");
    assert_eq!((royals.as_str(), pawn.promotes_to.is_empty()), ("KM", true));
    let variant = converted(
        "[own:chess]\npawn = -\ncustomPiece1 = p:mfWcefFifmnD\npawnTypes = p\nstartFen = \
         rnbqkbnr/8/pppppppp/8/8/PPPPPPPP/8/RNBQKBNR w - - 0 1\ndoubleStepRegionWhite = *3 *4\n\
         doubleStepRegionBlack = *5 *6\nenPassantRegion = -",
    )
    .variant;
    let pawn = variant.piece(variant.piece_lettered('P').expect("a pawn")).pawn.as_ref().expect("a pawn");
    let ranks: Vec<usize> =
        (0..8).filter(|&rank| pawn.zone.contains(variant.board.square(0, rank))).collect();
    let from = pawn.double_step_from.iter().filter(|square| variant.board.file_of(*square) == 0);
    let from: Vec<usize> = from.map(|square| variant.board.rank_of(square)).collect();
    assert_eq!((&ranks[..], &from[..], pawn.en_passant), (&[2, 3, 4, 5, 6][..], &[2, 3][..], false));
}

#[test]
fn rows_of_men_win() {
    let text = "[own]\nmaxRank = 4\nmaxFile = d\ncustomPiece1 = p:mW\nconnectN = 3\nconnectDiagonal = false\n\
                startFen = pPpP/4/4/PpPp w";
    let variant = converted(text).variant;
    let goal = variant.rules.goal.as_ref().expect("rows");
    assert_eq!((goal.n_men, goal.places.each_ref().map(Vec::len)), (3, [16, 16]));
    check_refused(
        &text.replace("connectN = 3", "connectN = 5\nconnectValue = loss"),
        &["line 6: connectValue: a row of men wins, and does not lose"],
    );
    let stuck = "[own:giveaway]\nextinctionValue = none\nconnectN = 3";
    assert!(converted(stuck).variant.may_lack_men(1), "who takes the last man may make a row");
    let too_long = ["rules.connect-n: no row of 5 squares is on the board"];
    check_refused(&text.replace("connectN = 3", "connectN = 5"), &too_long);
}

/// A side without men has no move; in breakthrough that is a draw, unless its last man fell on the goal.
#[test]
fn sides_may_lose_all_their_men() {
    let variant = converted("[own:breakthrough]\nmaxRank = 5\nmaxFile = 5\nstalemateValue = draw").variant;
    assert!(variant.may_lack_men(1) && variant.rules.extinction.is_none());
    let bare = Material::parse(&variant, "PPv").expect("a side may have no men");
    assert_eq!((bare.name(&variant), variant.is_over(&bare)), ("PPv".into(), false));
    assert!(
        Material::parse(&variant, "v").is_err()
            && Material::parse(&converted("[own:chess]").variant, "Kv").is_err()
    );
}

#[test]
fn explosions_do_without_royal_men() {
    let variant = converted("[own:giveaway]\nblastOnCapture = true").variant;
    let blast = variant.rules.blast.as_ref().expect("explosions");
    assert!(!variant.has_royals() && variant.rules.must_capture && variant.rules.extinction.is_some());
    assert_eq!(blast.immune, [variant.piece_lettered('P').expect("a pawn")]);
    // An explosion may leave nothing.
    assert!(Material::parse(&variant, "v").is_ok() && Material::parse(&variant, "Kv").is_err());
    let text = "[own:nocheckatomic]\npawn = -\ncustomPiece1 = p:fmWfceFifmnD\npawnTypes = p";
    let variant = converted(text).variant;
    assert_eq!(variant.rules.blast.as_ref().map(|blast| blast.immune.len()), Some(0));
    // The last men of both sides may go at once, and then the side to move is the one without a move.
    let stuck = "[own:giveaway]\nblastOnCapture = true\nextinctionValue = none";
    assert!(converted(stuck).variant.may_lack_men(1));
    let both =
        "[own:nocheckatomic]\ncustomPiece1 = s:fmWfcF\npawnTypes = ps\nstartFen = k7/ps6/8/8/8/8/PS6/K7 w";
    check_refused(both, &["line 3: pawnTypes: some pawns explode, and others do not"]);
}

/// Pawns that the game never has need no promotion squares.
#[test]
fn pawns_that_never_come_up_are_left_out() {
    let line = converted("[own:chess]\nmaxRank = 1\ncustomPiece1 = n:D\nstartFen = KNR2rnk w").variant;
    assert!(line.piece_lettered('N').is_some() && line.piece_lettered('P').is_none());
    assert_eq!((line.board.files(), line.board.ranks()), (8, 1));
}

/// A pawn that stands on no square and that no man becomes is left out, whatever keys say of pawns.
#[test]
fn pawns_of_other_kinds_take_the_place_of_those_of_chess() {
    let text = "[own:chess]\npawnTypes = h\ncustomPiece1 = h:mfWcfFfhmnN\n\
                startFen = rnbqkbnr/hhhhhhhh/8/8/8/8/HHHHHHHH/RNBQKBNR w KQkq - 0 1";
    let variant = converted(text).variant;
    let pawn = variant.piece(variant.piece_lettered('H').expect("a pawn"));
    assert!(variant.piece_lettered('P').is_none() && pawn.pawn.is_some());
    check_refused(
        &text.replace("mfWcfF", "mfWncfA"),
        &["piece[6].betza: H is a pawn that hops or can be blocked"],
    );
    check_refused(
        &text.replace("HHHHHHHH", "PPPPPPPP"),
        &["chess: pawn: P has the moves of a pawn, which promotes there whatever is said: fmWfcF"],
    );
}

/// What is said of one side's pawns is said of a kind, if that side alone has it.
#[test]
fn the_sides_may_have_other_pawns() {
    let text = "[own:chess]\ncustomPiece1 = s:mfhNcfW\npromotionPawnTypesBlack = s\n\
                promotionPieceTypesBlack = n\nnMoveRuleTypesBlack = s\n\
                startFen = rnbqkbnr/ssssssss/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let Conversion { text: written, variant, notes, one_sided } = converted(text);
    let becomes = |letter: char| -> String {
        let pawn = variant.piece(variant.piece_lettered(letter).expect("a pawn")).pawn.as_ref();
        pawn.expect("a pawn").promotes_to.iter().map(|&id| variant.piece(id).letter).collect()
    };
    assert_eq!((becomes('P').as_str(), becomes('S').as_str()), ("NBRQ", "N"));
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(one_sided, [('S', Side::Black), ('P', Side::White)]);
    assert!(written.contains("[piece.pawn]  # Black alone has such pawns"), "{written}");
    assert!(written.contains("promotes-to = [\"N\"]  # line 4: promotionPieceTypesBlack = n"), "{written}");
    let winding = converted(&text.replace("nMoveRuleTypesBlack = s", "nMoveRuleTypes = n")).notes;
    let [others, missing] = ["N moves; here", "SP moves; there"]
        .map(|own| format!("the n-move rule begins anew when {own} with captures alone"));
    assert_eq!(winding, [others, missing]);
    // What both sides have is either's.
    let why = "both sides may have S, and what is said of them differs";
    let keys = ["line 3: promotionPawnTypesBlack", "line 5: nMoveRuleTypesBlack"];
    let both: Vec<String> = keys.iter().map(|key| format!("{key}: {why}")).collect();
    let both: Vec<&str> = both.iter().map(String::as_str).collect();
    check_refused(&text.replace("PPPPPPPP", "SSSSSSSS"), &both);
    // Neither `pawnTypes` nor an `e` lets it capture en passant.
    let why = "pawnTypes: S may not capture en passant there, and here it may";
    check_refused(&text.replace("cfW", "cfF"), &[why]);
    assert!(converted(&text.replace("cfW", "cfeF")).variant.piece_lettered('S').is_some());
}

/// Where nothing captures, no rule need say what a side without men gets.
#[test]
fn a_goal_may_ask_for_several_men() {
    let text = "[own]\nmaxRank = 3\nmaxFile = c\ncustomPiece1 = n:mN\nstartFen = nnn/3/NNN w\nflagPiece = n\n\
                flagRegionWhite = *3\nflagRegionBlack = *1\nflagPieceCount = 3";
    let variant = converted(text).variant;
    assert_eq!(variant.rules.goal.as_ref().map(|goal| goal.n_men), Some(3));
    let refused = "rules.flag-piece-count: the goal asks for 4 men, and has 3 squares";
    check_refused(&text.replace("Count = 3", "Count = 4"), &[refused]);
    let blocked = converted(&format!("{text}\nflagPieceBlockedWin = true")).variant;
    assert!(blocked.rules.goal.is_some_and(|goal| goal.arrival == crate::Arrival::Filled));
}

/// A region without squares says nothing, nor does one of men that are not there.
#[test]
fn men_are_kept_to_regions() {
    let text = "[own:chess]\nmobilityRegionWhiteRook = *1 b2 m4\nmobilityRegionBlackRook = -\n\
                mobilityRegionBlackAmazon = *3\nmobilityRegionBlackKing = *7 *8";
    let variant = converted(text).variant;
    let regions = |letter| variant.piece(variant.piece_lettered(letter).expect("a man")).regions;
    let bits = |letter| regions(letter).map(|region| region.map(geometry::SquareSet::bits));
    assert_eq!(bits('R'), [Some(0x2ff), None]);
    assert_eq!(bits('K'), [None, Some(0xffff << 48)]);
    assert_eq!(bits('Q'), [None; 2]);
}

#[test]
fn what_no_variant_file_has_is_refused() {
    check_refused(
        "[own:chess]\npieceDrops = true\nmobilityRegionWhitePawn = *1\nconnectNxN = 3\nfanciness = 7",
        &[
            "line 3: mobilityRegionWhitePawn: pawns are kept to a part of the board",
            "line 4: connectNxN: no rule of a variant file looks at rows of men",
            "line 5: fanciness: this key is not known",
            "line 2: pieceDrops: men come from a hand, so what is on the board never says it all",
        ],
    );
    for (fen, reason) in [
        (
            "8/8/8/8/8/8/8/4K1+Rk w - - 5+3 0 1",
            "line 2: startFen: both sides win by the same number of checks here",
        ),
        ("8/8/8/8/8/8/8/4K1+Rk w - - 12+12 0 1", "line 2: startFen: one to nine checks win"),
        ("8/8/8/8/8/8/8/4K1+Rk w - - x+x 0 1", "line 2: startFen: one to nine checks win"),
    ] {
        check_refused(&format!("[own:3check]\nstartFen = {fen}\n"), &[reason]);
    }
    check_refused(
        "[own:nowhere]",
        &[
            "line 1: it begins with nowhere, which is not known here: write that before it, or begin with a game \
           that docs/variants.md lists",
        ],
    );
    for (text, expected) in [
        ("flagRegion = d4,e4", "line 2: flagRegion: d4,e4 names no squares"),
        ("flagPiece = z\nflagRegion = d4", "line 2: flagPiece: no man has the letter z"),
        ("passWhite = true", "line 2: passWhite: a rule holds for both sides"),
        (
            "materialCounting = blackdrawodds",
            "line 2: materialCounting: what would be a draw is won, stalemate too",
        ),
        (
            "mobilityRegionWhiteRook = *1\nchecking = false\nstalemateValue = loss",
            "line 2: mobilityRegionWhiteRook: no move may give check, and there men check beyond their \
             regions",
        ),
        ("enPassantTypes = -", "line 2: enPassantTypes: some pawns may not capture en passant"),
        (
            "promotionPawnTypes = -",
            "chess: pawn: P has the moves of a pawn, which promotes there whatever is said: fmWfcF",
        ),
        ("customPiece1 = s:fWrW", "rules.black-turned: pawns and castling are seen in a mirror"),
        (
            "customPiece1 = s:DD",
            "line 2: customPiece1: S has a ride or a range that is read there in another way: DD",
        ),
        (
            "customPiece1 = s:mWfceF",
            "line 2: customPiece1: S has captures en passant and never promotes: mWfceF",
        ),
        (
            "janggiCannon = c",
            "line 2: janggiCannon: C has moves that depend on which men stand in the way: pR",
        ),
        (
            "blastOnCapture = true",
            "line 2: blastOnCapture: explosions are taken over where the royal man is a commoner",
        ),
    ] {
        check_refused(&format!("[own:chess]\n{text}"), &[expected]);
    }
    check_refused(
        "[own:chess]\nmustCapture = maybe",
        &["line 2: mustCapture: maybe is neither true nor false"],
    );
    check_refused(
        "[own:chess]\nmaxFile = 40",
        &["line 1: boards have 1 to 16 files and ranks, 4 to 128 squares, and this one 40 × 8"],
    );
}

#[test]
fn every_line_that_says_nothing_is_told() {
    let twice = Games::parse("[own]\n[atomic]\n[own]\n").expect_err("names that are taken").to_string();
    let taken = "line 2: atomic is built in; take another name, as in [my-atomic:atomic]\n\
                 line 3: own stands in line 1 already; take another name";
    assert_eq!(twice, taken);
    let text = "rook = r\n[own\n[:chess]\n[own:chess]\nnonsense\n= 4\n; a comment\n[b]\n";
    let error = Games::parse(text).expect_err("a text with faults").to_string();
    let expected = "line 1: a setting belongs to a game: write [name] before it\n\
                    line 2: [own has no end; write [name] or [name:parent]\n\
                    line 3: [:chess] names no game; write [name] or [name:parent]\n\
                    line 5: nonsense is no setting; write key = value\n\
                    line 6: there is no key before the `=`";
    assert_eq!(error, expected);
}

#[test]
fn pawns_may_stay_pawns() {
    let may = "[own:chess]\nmandatoryPawnPromotion = false\npromotionRegionWhite = *7 *8\n\
               promotionRegionBlack = *2 *1\n";
    let variant = converted(may).variant;
    let pawn = variant.pieces.iter().find_map(|piece| piece.pawn.as_ref()).expect("a pawn");
    assert_eq!((pawn.promotion.n_squares(), pawn.zone.n_squares()), (16, 56));
    // There a pawn that captures en passant never promotes.
    let farther = may.replace("*7", "*6 *7").replace("*2", "*3 *2");
    let why = "line 3: promotionRegionWhite: P captures en passant on promotion squares, and stays there what \
               it is";
    check_refused(&farther, &[why]);
    converted(&(farther + "doubleStep = false\n"));
}

/// Whatever stands in a file, it is taken over or refused.
#[test]
fn mutated_texts_never_panic() {
    let whole = [
        "[first:gardner]\nmaxFile = 7\nstartFen = rnbqk2/p*ppp2/7/P*PPP2/RNBQK2 w - - 0 1\nking = k:KN\n\
         customPiece3 = x:mRcpB\nflagRegion = *3 d2\nflagPiece = x\nextinctionValue = win\n",
        "[second:first]\npawnTypes = p\nstalemateValue = loss\nextinctionPieceTypes = n\nnMoveRule = 0\n\
         castling = true\ncastlingKingsideFile = f\nmustCapture = true\nenPassantRegion = -\n",
    ]
    .concat();
    let mut last = 1_u64;
    let mut random = |n: usize| {
        last = last.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (last >> 33) as usize % n
    };
    let (mut n_taken, mut n_refused) = (0, 0);
    for _ in 0..1_000 {
        let mut text: Vec<char> = whole.chars().collect();
        for _ in 0..=random(4) {
            let at = random(text.len());
            match random(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, ['*', '=', '9', 'z', '/', ':', '\n', 'é'][random(8)]),
                _ => text[at] = text[random(text.len())],
            }
        }
        let Ok(games) = Games::parse(&text.iter().collect::<String>()) else { continue };
        for name in games.names() {
            match games.convert(name) {
                Ok(_) => n_taken += 1,
                Err(refusals) => n_refused += usize::from(!refusals.is_empty()),
            }
        }
    }
    assert!(n_taken > 100 && n_refused > 100, "{n_taken} taken over, {n_refused} refused");
}

#[test]
fn sections_say_what_holds_for_later_ones() {
    // What a section says of both sides, or of all pawns, comes before what its parent says of one.
    let of_both = "[a:chess]\nflagRegionWhite = *8\nflagRegionBlack = *1\n[b:a]\nflagRegion = D4\n";
    let variant = converted(of_both).variant;
    let goal = variant.rules.goal.as_ref().expect("a goal");
    assert_eq!(Side::BOTH.map(|side| goal.squares(side).n_squares()), [1, 1]);
    // Numbers that are no files and rows that never end.
    let far = "castlingKingsideFile = 263\nstartFen = 999999999999999999999999k/8 w KQ - 0 1";
    let notes = converted(&format!("[own:chess]\n{far}")).notes;
    assert_eq!(notes, ["castling, which cannot be said so; no table depends on it"]);
    // Black's double step is from the seventh rank, whatever the board.
    let variant = converted("[own:chess]\nmaxRank = 10\npromotionRegionWhite = *9 *10").variant;
    let pawn = variant.piece_lettered('P').expect("a pawn");
    let rules = Side::BOTH.map(|side| variant.pawn_rules(Man { side, piece: pawn }).expect("a pawn's rules"));
    let board = variant.board;
    assert_eq!(rules[1].double_step_from, board.rank(6));
    assert_eq!(rules.map(|rules| rules.promotion.n_squares()), [16, 8]);
}
