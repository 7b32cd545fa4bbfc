//! Reads files without a fault.

use super::*;

#[test]
fn chess() {
    let fide = Variant::load(root().join("variants/fide.toml")).unwrap();
    assert_eq!(fide, parse(&fide_text()));
    assert_eq!(fide.pieces.iter().map(|p| p.letter).collect::<String>(), "KQRBNP");
    assert_eq!((fide.name.as_str(), fide.men_limit, fide.rules.n_move_rule), ("fide", 4, Some(50)));
    assert_eq!((fide.board, fide.rules.stalemate), (Board::new(8, 8).unwrap(), Stalemate::Draw));
    for piece in &fide.pieces {
        let named = piece::named(&piece.name).unwrap();
        assert_eq!((piece.letter, &piece.movement), (named.letter, &Movement::parse(named.betza).unwrap()));
        assert_eq!((piece.royal, piece.pawn.is_some()), (piece.letter == 'K', piece.letter == 'P'));
    }
    let pawn = |side| fide.pawn_rules(Man { side, piece: PieceId(5) }).unwrap();
    let ranks = |from: usize, to: usize| {
        (from..=to).map(|r| fide.board.rank(r - 1)).fold(SquareSet::EMPTY, SquareSet::union)
    };
    let white = pawn(Side::White);
    assert_eq!(
        (white.zone, white.double_step_from, white.promotion),
        (ranks(2, 7), ranks(2, 2), ranks(8, 8))
    );
    assert_eq!((white.en_passant, white.promotes_to), (true, [1, 2, 3, 4].map(PieceId).to_vec()));
    let black = pawn(Side::Black);
    assert_eq!(
        (black.zone, black.double_step_from, black.promotion),
        (ranks(2, 7), ranks(7, 7), ranks(1, 1))
    );
}

#[test]
fn what_is_left_out_is_as_in_chess() {
    let short = parse("name = \"short\"\n[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n");
    assert_eq!((short.board, short.rules, short.men_limit), (Board::new(8, 8).unwrap(), Rules::default(), 4));
    assert_eq!(short.pieces[0].name, "K");
    let lines = ["start-rank = 2", "double-step = true", "en-passant = true", "promotion-rank = 8"];
    assert_eq!(changed(&lines.map(|line| (line, ""))), parse(&fide_text()));
    assert!(
        !changed(&[(lines[1], "double-step = false"), (lines[2], "")]).pieces[5]
            .pawn
            .as_ref()
            .unwrap()
            .en_passant
    );
}

#[test]
fn keys_may_be_written_as_in_variants_ini() {
    let camel = changed(&[
        ("stalemate-value", "stalemateValue"),
        ("n-move-rule", "nMoveRule"),
        ("men-limit", "menLimit"),
        ("promotes-to", "promotesTo"),
    ]);
    assert_eq!(camel, parse(&fide_text()));
    assert_eq!(changed(&[("n-move-rule = 50", "n-move-rule = 0")]).rules.n_move_rule, None);
    assert_eq!(changed(&[("\"draw\"", "\"loss\"")]).rules.stalemate, Stalemate::Loss);
}

#[test]
fn later_keys_may_have_their_defaults() {
    let mut text = fide_text();
    for (section, after) in [
        (&schema::FILE, "metric = \"dtm\""),
        (&schema::BOARD, "[board]"),
        (&schema::RULES, "[rules]"),
        (&schema::PIECE, "betza = \"Q\""),
        (&schema::PAWN, "[piece.pawn]"),
    ] {
        let later = section.keys.iter().filter_map(|key| Some(format!("\n{} = {}", key.name, key.only?)));
        text = text.replace(after, &format!("{after}{}\n", later.collect::<String>()));
    }
    assert!(text.contains("flying-general = false"));
    assert_eq!(parse(&text), parse(&fide_text()));
}

#[test]
fn royal_pieces_come_first_and_pawns_last() {
    let text = "name = \"mixed\"\n\
        [[piece]]\nletter = \"S\"\nbetza = \"fW\"\npawn = { promotes-to = [\"G\", \"N\"], promotion-rank = 6 }\n\
        [[piece]]\nletter = \"N\"\nbetza = \"N\"\n\
        [[piece]]\nletter = \"P\"\nbetza = \"fmWfcF\"\npawn = { promotes-to = [\"N\"] }\n\
        [[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
        [[piece]]\nletter = \"G\"\nbetza = \"WfF\"\n";
    let mixed = parse(text);
    assert_eq!(mixed.pieces.iter().map(|p| p.letter).collect::<String>(), "KNGSP");
    assert_eq!(mixed.pieces[3].pawn.as_ref().unwrap().promotes_to, [PieceId(2), PieceId(1)]);
    assert_eq!(mixed.pieces[4].pawn.as_ref().unwrap().promotes_to, [PieceId(1)]);
    assert_eq!(mixed.only_royal(), Some(PieceId(0)));
}

/// The board of a file with these lines under `[board]`.
#[track_caller]
fn check_board(lines: &str, expected: Board, without: &[&str]) {
    let text = format!(
        "name = \"board\"\n[board]\n{lines}\n[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n"
    );
    let board = parse(&text).board;
    let names = without.iter().map(|name| expected.square_named(name).unwrap());
    assert_eq!(board, expected.with_holes(names.collect()).unwrap(), "{lines}");
    assert_eq!(board.all().n_squares(), expected.n_squares() - without.len());
}

#[test]
fn boards_of_every_size_with_holes_or_joined_files() {
    let board = |files, ranks| Board::new(files, ranks).unwrap();
    for (files, ranks) in [(3, 3), (6, 6), (10, 8), (9, 10), (11, 11), (16, 8), (8, 16)] {
        check_board(&format!("files = {files}\nranks = {ranks}"), board(files, ranks), &[]);
    }
    check_board("holes = []\ncylinder = false", board(8, 8), &[]);
    check_board("holes = [\"d4\", \"d5\"]", board(8, 8), &["d4", "d5"]);
    check_board("files = 3\nranks = 3\nholes = [\"b2\"]", board(3, 3), &["b2"]);
    check_board("files = 3\nranks = 11\nholes = [\"a11\", \"a1\"]", board(3, 11), &["a1", "a11"]);
    check_board("cylinder = true", board(8, 8).with_joined_files(), &[]);
    check_board("cylinder = true\nholes = [\"a1\", \"a8\"]", board(8, 8).with_joined_files(), &["a1", "a8"]);
}

/// Every variant of the repository is read, is found by its name, says where it comes from and warns of
/// nothing.
#[test]
fn the_variants_of_the_repository() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join("variants")).unwrap() {
        let path = entry.unwrap().path();
        let variant = Variant::load(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(path.file_name().unwrap().to_str().unwrap(), format!("{}.toml", variant.name));
        assert!(!variant.description.is_empty() && !variant.source.is_empty(), "{}", variant.name);
        // In shogi all men promote, and in this zoo those that never move back do not; among the hoppers
        // stand pawns of all kinds.
        let is_meant = |warning: &String| match &*variant.name {
            "fairy-zoo-shogi" => warning.contains(" never moves back"),
            "fairy-zoo-hoppers" => warning.contains("the step cannot be written"),
            _ => false,
        };
        let warnings: Vec<String> = variant.warnings().into_iter().filter(|w| !is_meant(w)).collect();
        assert_eq!(warnings, [""; 0], "{}", variant.name);
        names.push(variant.name);
    }
    names.sort();
    for name in [
        "amazon-empress-princess",
        "antichess",
        "atomic",
        "berolina",
        "cannon",
        "capablanca",
        "commoner",
        "cylinder",
        "fairy-zoo",
        "fairy-zoo-hoppers",
        "fairy-zoo-leapers",
        "fairy-zoo-shogi",
        "fide",
        "gardner",
        "grasshopper",
        "king-of-the-hill",
        "kinglet",
        "knightmate",
        "los-alamos",
        "losers",
        "makruk",
        "nightrider",
        "racing-kings",
        "shatranj",
        "stalemate-loses",
        "suicide",
    ] {
        assert!(names.iter().any(|known| known == name), "{name} is not among {names:?}");
    }
}

/// Every movement of the catalogue is in one of the zoos, and every man of theirs whose name is known is that
/// man.
#[test]
fn the_zoos_have_all_men_with_names() {
    let zoos = ["fairy-zoo", "fairy-zoo-leapers", "fairy-zoo-shogi", "fairy-zoo-hoppers"];
    let men: Vec<Piece> = zoos
        .iter()
        .flat_map(|zoo| Variant::load(root().join(format!("variants/{zoo}.toml"))).unwrap().pieces)
        .collect();
    for known in piece::CATALOGUE {
        assert!(men.iter().any(|man| man.movement == known.movement()), "no zoo has a {}", known.name);
    }
    for man in &men {
        let known = piece::named(&man.name).unwrap_or_else(|| panic!("{} is not in the catalogue", man.name));
        assert_eq!(man.movement, known.movement(), "{}", man.name);
    }
}

/// The documentation names every key, and its whole files can be read.
#[test]
fn the_documentation_is_true() {
    let docs = std::fs::read_to_string(root().join("docs/variants.md")).unwrap();
    for key in [&schema::FILE, &schema::BOARD, &schema::RULES, &schema::PIECE, &schema::PAWN]
        .iter()
        .flat_map(|s| s.keys)
    {
        assert!(docs.contains(&format!("`{}`", key.name)), "docs/variants.md does not name `{}`", key.name);
    }
    let blocks: Vec<&str> =
        docs.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 2);
    blocks.iter().for_each(|block| drop(parse(block)));
}

#[test]
fn every_metric_can_be_named() {
    for metric in Metric::OF_CONTEST {
        let named = format!("metric = \"{metric}\"");
        assert_eq!(changed(&[("metric = \"dtm\"", &named)]).default_metric, metric);
        assert!(metric.includes(metric.needs()) && metric.includes(Metric::Wdl), "{metric}");
    }
    assert_eq!("dtz 50".parse::<Metric>().unwrap_err().to_string(), "there is no metric `dtz 50`");
    assert_eq!(
        [Some(50), None].map(|n_move_rule| Rules { n_move_rule, ..Rules::default() }.rule_plies()),
        [Some(100), None]
    );
}

#[test]
fn built_in_games_are_those_of_the_folder() {
    let folder = root().join("variants");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let tomls = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let mut there: Vec<String> =
        tomls.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    there.sort();
    let names: Vec<&str> = game::GAMES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, there, "list the files of variants/ in crates/variant/src/game.rs");
    for (name, text) in game::GAMES {
        let expected = std::fs::read_to_string(folder.join(name).with_extension("toml")).unwrap();
        assert_eq!(text, expected, "copy variants/{name}.toml to crates/variant/games");
        let variant = Variant::built_in(name).unwrap();
        assert_eq!(variant.name, name);
        assert!(!variant.description.is_empty(), "say in variants/{name}.toml what it is: description");
    }
    assert_eq!(Variant::chess(), parse(game::CHESS));
}

#[test]
fn games_are_known_by_the_names_of_other_programs() {
    for (game, name) in [
        ("fide", "fide"),
        ("fide", "chess"),
        ("fide", "standard"),
        ("fide", "normal"),
        ("king-of-the-hill", "kingofthehill"),
        ("king-of-the-hill", "kingOfTheHill"),
        ("racing-kings", "racingKings"),
        ("antichess", "giveaway"),
        ("los-alamos", "losalamos"),
        ("chess960", "Chess960"),
    ] {
        assert!(game::is_named(game, name), "{game} {name}");
        assert!(game::is_named(game, game::playing_name(game)), "{game}");
        assert_eq!(Variant::built_in(name).unwrap().name, game);
    }
    for (game, name) in [("fide", ""), ("fide", "atomic"), ("suicide", "giveaway"), ("fide", "./chess")] {
        assert!(!game::is_named(game, name), "{game} {name}");
    }
    for no_name in ["", "variants/fide.toml", "fide.toml", "chess2"] {
        assert!(Variant::built_in(no_name).is_none(), "{no_name}");
    }
    // A game that has the very name comes before one that it means.
    let games = ["fide", "chess", "atomic"];
    for (name, at) in [("chess", Some(1)), ("standard", Some(0)), ("Atomic", Some(2)), ("makruk", None)] {
        assert_eq!(game::meant(games.into_iter(), name), at, "{name}");
    }
}

#[test]
fn castling_is_as_in_chess_where_nothing_is_said() {
    let chess = parse(&fide_text());
    let usual = Castling {
        king: PieceId(0),
        rooks: vec![chess.piece_lettered('R').unwrap()],
        rank: 0,
        king_file: 4,
        rook_files: [7, 0],
        king_targets: [6, 2],
        any_files: false,
    };
    assert_eq!(chess.rules.castling.as_ref(), Some(&usual));
    assert_eq!(changed(&[("castling = true", "")]).rules.castling, None);
    assert_eq!(changed(&[("castling = true", "castling = false")]).rules.castling, None);
    let written = "castling = true\ncastlingKingPiece = \"k\"\ncastlingRookPieces = \"r\"\ncastlingRank = 1\n\
                   castlingKingFile = \"e\"\ncastlingKingsideFile = \"g\"\ncastlingQueensideFile = \"c\"\n\
                   castlingRookKingsideFile = \"h\"\ncastlingRookQueensideFile = \"a\"\nchess960 = false";
    assert_eq!(changed(&[("castling = true", written)]), chess);
    let name = |square| chess.board.name(square);
    let squares = |side, wing| {
        [
            usual.king_square(&chess.board, side).map(name),
            usual.rook_square(&chess.board, side, wing).map(name),
            Some(name(usual.king_target(&chess.board, side, wing))),
            Some(name(usual.rook_target(&chess.board, side, wing))),
        ]
        .map(Option::unwrap_or_default)
    };
    assert_eq!(squares(Side::White, Wing::Kingside), ["e1", "h1", "g1", "f1"]);
    assert_eq!(squares(Side::White, Wing::Queenside), ["e1", "a1", "c1", "d1"]);
    assert_eq!(squares(Side::Black, Wing::Kingside), ["e8", "h8", "g8", "f8"]);
    assert_eq!(squares(Side::Black, Wing::Queenside), ["e8", "a8", "c8", "d8"]);
    // Pieces are put in order, and the rule names them still.
    let mixed = parse(
        "name = \"mixed\"\n[board]\nfiles = 6\nranks = 6\n[rules]\ncastling = true\ncastling-rook-pieces = \"TR\"\n\
         castling-king-file = \"d\"\ncastling-kingside-file = \"e\"\ncastling-queenside-file = \"b\"\n\
         [[piece]]\nletter = \"P\"\nbetza = \"fmWfcF\"\npawn = { promotes-to = [\"R\"] }\n\
         [[piece]]\nletter = \"R\"\nbetza = \"R\"\n[[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
         [[piece]]\nletter = \"T\"\nbetza = \"D\"\n",
    );
    let castling = mixed.rules.castling.as_ref().unwrap();
    assert_eq!(mixed.pieces.iter().map(|piece| piece.letter).collect::<String>(), "KRTP");
    assert_eq!((castling.king, &castling.rooks[..]), (PieceId(0), &[PieceId(1), PieceId(2)][..]));
    assert_eq!((castling.rook_files, castling.king_targets), ([5, 0], [4, 1]));
}
