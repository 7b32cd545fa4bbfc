//! Defines the games that the tests play.

use crate::{Position, RuleBook};
use geometry::{Board, SquareSet, Step};
use piece::{Movement, RIDE, Ray, RayPath};
use variant::{Metric, PawnRules, Piece, PieceId, Rules, Variant};

pub(super) const BOTH: (bool, bool) = (true, true);
pub(super) const MOVE: (bool, bool) = (true, false);
pub(super) const TAKE: (bool, bool) = (false, true);

/// Rays in all directions to which the step can be turned and mirrored.
pub(super) fn around(files: i8, ranks: i8, limit: u8, (quiet, capture): (bool, bool)) -> Vec<Ray> {
    let mut rays = Vec::new();
    for (f, r) in [(files, ranks), (ranks, files)] {
        for (f, r) in [(f, r), (-f, r), (f, -r), (-f, -r)] {
            rays.push(Ray { step: Step::new(f, r), limit, quiet, capture, path: RayPath::Plain });
        }
    }
    rays
}

/// Rays in exactly these directions.
pub(super) fn along(steps: &[(i8, i8)], limit: u8, (quiet, capture): (bool, bool)) -> Vec<Ray> {
    steps
        .iter()
        .map(|&(f, r)| Ray { step: Step::new(f, r), limit, quiet, capture, path: RayPath::Plain })
        .collect()
}

/// These rays along another path.
pub(super) fn so(path: RayPath, rays: Vec<Ray>) -> Vec<Ray> {
    rays.into_iter().map(|ray| Ray { path, ..ray }).collect()
}

pub(super) fn piece(letter: char, rays: &[Vec<Ray>]) -> Piece {
    let movement = Movement::from_rays(rays.concat());
    Piece { letter, name: format!("piece {letter}"), movement, royal: false, pawn: None, regions: [None; 2] }
}

pub(super) fn king() -> Piece {
    Piece { royal: true, ..piece('K', &[around(1, 0, 1, BOTH), around(1, 1, 1, BOTH)]) }
}

/// A pawn that stands on all ranks but the first and the last, where it is promoted.
pub(super) fn pawn(board: &Board, letter: char, rays: &[Vec<Ray>], double_from: usize, to: &[u8]) -> Piece {
    let last = board.rank(board.ranks() - 1);
    let rules = PawnRules {
        zone: board.all().without(last).without(board.rank(0)),
        double_step_from: board.rank(double_from),
        en_passant: true,
        promotion: last,
        promotes_to: to.iter().map(|&id| PieceId(id)).collect(),
        black: None,
    };
    Piece { pawn: Some(rules), ..piece(letter, rays) }
}

pub(super) fn orthodox() -> [Vec<Ray>; 2] {
    [along(&[(0, 1)], 1, MOVE), along(&[(-1, 1), (1, 1)], 1, TAKE)]
}

pub(super) fn berolina() -> [Vec<Ray>; 2] {
    [along(&[(-1, 1), (1, 1)], 1, MOVE), along(&[(0, 1)], 1, TAKE)]
}

pub(super) fn game(board: Board, pieces: Vec<Piece>) -> RuleBook {
    RuleBook::new(&Variant {
        name: "test".into(),
        description: String::new(),
        source: String::new(),
        board,
        pieces,
        rules: Rules::default(),
        men_limit: 4,
        default_metric: Metric::Dtm,
    })
}

/// The pieces of chess in the order K Q R B N.
pub(super) fn officers() -> Vec<Piece> {
    let rook = || around(1, 0, RIDE, BOTH);
    let bishop = || around(1, 1, RIDE, BOTH);
    let knight = around(2, 1, 1, BOTH);
    let others = [
        piece('Q', &[rook(), bishop()]),
        piece('R', &[rook()]),
        piece('B', &[bishop()]),
        piece('N', &[knight]),
    ];
    [vec![king()], others.into()].concat()
}

pub(super) fn chess() -> RuleBook {
    let board = Board::new(8, 8).unwrap();
    let pawn = pawn(&board, 'P', &orthodox(), 1, &[1, 2, 3, 4]);
    game(board, [officers(), vec![pawn]].concat())
}

/// A nightrider, a short rook, a man of many ways, one that moves otherwise than it captures, a leaper; chess
/// pawns.
pub(super) fn fairy() -> RuleBook {
    let board = Board::new(8, 8).unwrap();
    game(board, [fairy_officers(), vec![pawn(&board, 'P', &orthodox(), 1, &[1, 2, 5])]].concat())
}

fn fairy_officers() -> Vec<Piece> {
    let mongrel = [
        along(&[(0, 1)], RIDE, BOTH),
        along(&[(-1, -1), (1, -1)], RIDE, BOTH),
        along(&[(-2, -1), (-2, 1), (2, -1), (2, 1)], 1, BOTH),
    ];
    let leaper = [around(1, 0, 1, BOTH), around(1, 1, 1, BOTH), around(2, 0, 1, BOTH), around(2, 2, 1, BOTH)];
    vec![
        king(),
        piece('N', &[around(2, 1, RIDE, BOTH)]),
        piece('G', &[around(1, 0, 3, BOTH)]),
        piece('H', &mongrel),
        piece('Z', &[around(1, 1, RIDE, MOVE), around(2, 1, 1, TAKE)]),
        piece('C', &leaper),
    ]
}

/// Like `fairy`, with Berolina pawns, without a double step.
pub(super) fn fairy_berolina() -> RuleBook {
    let board = Board::new(8, 8).unwrap();
    let mut pawn = pawn(&board, 'P', &berolina(), 1, &[1, 2, 5]);
    pawn.pawn.as_mut().unwrap().double_step_from = SquareSet::EMPTY;
    game(board, [fairy_officers(), vec![pawn]].concat())
}

/// Five files, six ranks: a man that moves as a knight and captures as a short bishop, one that is a rook
/// sideways and a step forward and back along the diagonals; chess pawns.
pub(super) fn small() -> RuleBook {
    let board = Board::new(5, 6).unwrap();
    let pieces = vec![
        king(),
        piece('R', &[around(2, 1, 1, MOVE), around(1, 1, 2, TAKE)]),
        piece('D', &[along(&[(-1, 0), (1, 0)], RIDE, BOTH), around(1, 1, 1, BOTH)]),
        pawn(&board, 'P', &orthodox(), 1, &[1, 2]),
    ];
    game(board, pieces)
}

/// Berolina pawns with double step and en passant beside a rook, on three files and six ranks.
pub(super) fn small_berolina() -> RuleBook {
    let board = Board::new(3, 6).unwrap();
    let rook = piece('R', &[around(1, 0, RIDE, BOTH)]);
    game(board, vec![king(), rook, pawn(&board, 'P', &berolina(), 1, &[1])])
}

/// Pawns that step and capture in all three forward directions, on three files and five ranks.
pub(super) fn sergeants() -> RuleBook {
    let board = Board::new(3, 5).unwrap();
    let rider = piece('N', &[around(2, 1, RIDE, BOTH), around(2, 0, 1, MOVE)]);
    let sergeant = [along(&[(-1, 1), (0, 1), (1, 1)], 1, BOTH)];
    game(board, vec![king(), rider, pawn(&board, 'S', &sergeant, 1, &[1])])
}

/// C a cannon that moves as a rook, G a grasshopper, M a lame rider, O half a rose.
pub(super) fn small_zoo(board: Board) -> RuleBook {
    let rook = |mode| around(1, 0, RIDE, mode);
    let queen = [rook(BOTH), around(1, 1, RIDE, BOTH)].concat();
    let pieces = vec![
        king(),
        piece('C', &[rook(MOVE), so(RayPath::Cannon, rook(TAKE))]),
        piece('G', &[so(RayPath::Grasshopper, queen)]),
        piece('M', &[so(RayPath::Lame, around(2, 1, RIDE, BOTH)), so(RayPath::Lame, around(2, 2, 1, TAKE))]),
        piece('O', &[so(RayPath::CircularLeft, around(2, 1, RIDE, BOTH))]),
    ];
    game(board, pieces)
}

#[track_caller]
pub(super) fn position(book: &RuleBook, fen: &str) -> Position {
    Position::from_fen(book, fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}
