//! Breaks the invariants one at a time.

use super::*;

fn piece(letter: char, betza: &str) -> Piece {
    let movement = Movement::parse(betza).unwrap();
    Piece { letter, name: letter.to_string(), movement, royal: letter == 'K', pawn: None, regions: [None; 2] }
}

fn pawn(board: &Board) -> PawnRules {
    let ranks = board.ranks();
    let zone = (1..ranks - 1).map(|r| board.rank(r)).fold(SquareSet::EMPTY, SquareSet::union);
    PawnRules {
        zone,
        double_step_from: board.rank(1),
        en_passant: true,
        promotion: board.rank(ranks - 1),
        promotes_to: vec![PieceId(0)],
        black: None,
    }
}

/// Rook, king, pawn on 5×6, changed; the faults must be these.
#[track_caller]
fn check(change: impl Fn(&mut Vec<Piece>, &mut PawnRules), faults: &[&str]) {
    let board = Board::new(5, 6).unwrap();
    let mut pieces = vec![piece('R', "R"), piece('K', "K"), piece('P', "fmWfcF")];
    let mut rules = pawn(&board);
    change(&mut pieces, &mut rules);
    if let Some(last) = pieces.last_mut().filter(|p| p.letter == 'P') {
        last.pawn = Some(rules);
    }
    match Variant::from_parts("parts", board, pieces, Rules::default()) {
        Ok(variant) => assert!(faults.is_empty() && variant.pieces[0].royal, "{faults:?} not found"),
        Err(found) => {
            assert_eq!(found.len(), faults.len(), "{found:?}");
            found.iter().zip(faults).for_each(|(f, part)| assert!(f.contains(part), "{f} has no {part}"));
        }
    }
}

#[test]
fn every_invariant_is_checked() {
    check(|_, _| (), &[]);
    check(|_, pawn| (pawn.en_passant, pawn.double_step_from) = (false, SquareSet::EMPTY), &[]);
    check(|pieces, _| pieces[1].movement = Movement::default(), &[]);
    check(|pieces, _| pieces[1].royal = false, &["no piece is royal"]);
    check(|pieces, _| pieces[0].royal = true, &["which is royal"]);
    check(|pieces, _| pieces[2].royal = true, &["royal and a pawn"]);
    check(|pieces, _| pieces.clear(), &["there is no piece"]);
    let on = |bits| Some(SquareSet::from_bits(bits));
    check(|pieces, _| pieces[0].regions = [on(3), None], &[]);
    check(|pieces, _| pieces[0].regions = [on(0), on(1 << 30)], &["has no square", "does not have"]);
    check(|pieces, _| pieces[2].regions[1] = on(3), &["pawns are kept to no region"]);
    check(|pieces, _| pieces[0].letter = 'K', &["two pieces have the letter `K`"]);
    check(|pieces, _| pieces[0].letter = 'r', &["cannot be a piece's letter"]);
    check(|pieces, _| pieces[2].movement = Movement::parse("W").unwrap(), &["do not lead forward"]);
    check(|pieces, _| pieces[2].movement = Movement::parse("fR").unwrap(), &["moves of several steps"]);
    let leap = |files, ranks| Ray {
        step: Step::new(files, ranks),
        limit: 1,
        quiet: true,
        capture: true,
        path: RayPath::Plain,
    };
    check(|pieces, _| pieces[0].movement = Movement::from_rays([leap(0, 0)]), &["leads nowhere"]);
    check(|pieces, _| pieces[2].movement = Movement::from_rays([leap(1, 127)]), &["longer than any board"]);
    check(|pieces, _| pieces[2].movement = Movement::from_rays([leap(-128, -128)]), &["longer", "forward"]);
    check(|_, pawn| pawn.zone = SquareSet::EMPTY, &["no square to stand on"]);
    check(|_, pawn| pawn.zone.insert(Square::from_index(63)), &["may stand off the board"]);
    check(|_, pawn| pawn.zone.insert(Square::from_index(29)), &[]);
    check(|_, pawn| pawn.promotion.insert(Square::from_index(63)), &["would promote off the board"]);
    check(|_, pawn| pawn.promotion = SquareSet::EMPTY, &["no square to promote on"]);
    let without = |set: SquareSet, i| set.without([Square::from_index(i)].into_iter().collect());
    check(|_, pawn| pawn.promotion = without(pawn.promotion, 29), &["from d5 P could leave"]);
    check(|_, pawn| pawn.zone = without(pawn.zone, 24), &["from d4 P could leave"]);
    check(|_, pawn| pawn.double_step_from.insert(Square::from_index(0)), &["where it cannot stand"]);
    check(|_, pawn| pawn.double_step_from.insert(Square::from_index(15)), &[]);
    check(|_, pawn| pawn.double_step_from = SquareSet::EMPTY, &["has no double step"]);
    check(|_, pawn| pawn.promotes_to.clear(), &[]);
    check(|_, pawn| pawn.promotes_to.push(PieceId(0)), &["twice"]);
    check(|_, pawn| pawn.promotes_to.push(PieceId(1)), &["which is royal"]);
    check(|_, pawn| pawn.promotes_to.push(PieceId(2)), &["which is a pawn"]);
    check(|_, pawn| pawn.promotes_to.push(PieceId(3)), &["does not exist"]);
}

/// A pawn on a board with these holes; without a sentence nothing is wrong.
#[track_caller]
fn check_with_holes(board: Board, holes: &[&str], change: impl Fn(&mut PawnRules), fault: Option<&str>) {
    let holes = holes.iter().map(|name| board.square_named(name).unwrap()).collect();
    let board = board.with_holes(holes).unwrap();
    let mut rules = pawn(&board);
    change(&mut rules);
    let pawn = Piece { pawn: Some(rules), ..piece('P', "fmWfcF") };
    let made =
        Variant::from_parts("holes", board, vec![piece('R', "R"), piece('K', "K"), pawn], Rules::default());
    match (made, fault) {
        (Ok(_), None) => (),
        (Err(found), Some(fault)) => {
            assert!(found.len() == 1 && found[0].contains(fault), "{found:?} is not {fault}");
        }
        (made, fault) => panic!("{made:?} is not {fault:?}"),
    }
}

#[test]
fn holes_and_joined_files_are_looked_at() {
    let board = Board::new(4, 6).unwrap();
    check_with_holes(board, &[], |_| (), None);
    check_with_holes(board, &["b3", "b4"], |_| (), None);
    check_with_holes(
        board,
        &["b3"],
        |_| (),
        Some("b3 is missing, but b4, its mirror image for Black, is not"),
    );
    // A step onto a missing square, or over one, leads nowhere; one to another square that is in no set
    // leaves.
    let hole =
        |set: SquareSet, name: &str| set.without([board.square_named(name).unwrap()].into_iter().collect());
    check_with_holes(board, &["b1", "b6"], |pawn| pawn.promotion = hole(pawn.promotion, "b6"), None);
    check_with_holes(
        board,
        &[],
        |pawn| pawn.promotion = hole(pawn.promotion, "b6"),
        Some("from a5 P could leave"),
    );
    check_with_holes(
        board,
        &[],
        |pawn| {
            (pawn.zone, pawn.promotion) = (pawn.zone.without(board.rank(4)), board.rank(4));
            pawn.double_step_from = board.rank(3);
        },
        Some("a double step of P would leave"),
    );
    check_with_holes(board, &[], |pawn| pawn.double_step_from = board.rank(3), None);
    let fives: Vec<&str> = vec!["a2", "b2", "c2", "d2", "a5", "b5", "c5", "d5"];
    check_with_holes(board, &fives, |pawn| pawn.double_step_from = board.rank(3), None);
    check_with_holes(
        board,
        &["b3", "b4"],
        |pawn| pawn.zone.insert(board.square_named("b4").unwrap()),
        Some("off the board"),
    );
    // Over the edge of a cylinder a capture comes to the other edge.
    let ring = board.with_joined_files();
    check_with_holes(ring, &[], |_| (), None);
    check_with_holes(ring, &[], |pawn| pawn.zone = hole(pawn.zone, "d3"), Some("from a2 P could leave"));
    let a_file = |pawn: &mut PawnRules| {
        pawn.zone = pawn.zone.intersection((1..5).map(|rank| board.square(0, rank)).collect());
        pawn.double_step_from = pawn.double_step_from.intersection(pawn.zone);
    };
    check_with_holes(ring, &[], a_file, Some("from a2 P could leave"));
}
