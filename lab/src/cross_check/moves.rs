//! Compares random positions, how they have ended and their legal moves, with Fairy-Stockfish's.
//!
//! A game is chess with one more piece, on one board, or with other rules; its positions have both kings,
//! some of that piece and a few others, on squares chosen at random. The same seed gives the same positions.

use super::dialect::{self, LETTER};
use super::judgement::{self, Asked, Judge, JudgedGame, Round};
use super::ruled_game::{RULES, VARIANTS, ruled};
use geometry::{Board, Square, SquareSet, Symmetry};
use piece::{CATALOGUE, Movement};
use position::{Position, RuleBook};
use proof::Dice;
use std::collections::BTreeSet;
use std::path::Path;
use variant::{Man, PawnRules, Piece, PieceId, Rules, Side, Variant};
use xtask::interpreter::Python;
use xtask::root;

/// Movements that are in nobody's catalogue, but say what modifiers and numbers mean.
const MORE: &[&str] = &[
    "fN", "ffN", "fhN", "fsN", "flN", "lfN", "hlN", "hrC", "vN", "sZ", "rhC", "bhN", "fF", "flF", "vF",
    "frlF", "fsR", "vR", "frB", "R3", "F2", "fK", "fsmWfcF3", "mQcN", "mNcQ", "nNnD", "nAnZ", "mnNcnA",
    "fnN", "vnZ", "pR", "pB", "pQ", "gR", "gB", "cgQmK", "mpRcR", "fpRbgB", "spR", "WfcpQ",
];

/// The games and positions that this check compares.
#[derive(Clone, Default, Debug, clap::Args)]
pub(super) struct Options {
    /// The positions of each game; 10,000 by default
    #[arg(long = "positions", value_name = "N")]
    n_positions: Option<usize>,
    /// A piece by its name or in Betza notation; may be repeated; all if none is named
    #[arg(long = "piece", value_name = "NAME")]
    pieces: Vec<String>,
    /// Only games with other rules than those of chess
    #[arg(long = "rules", conflicts_with = "pieces")]
    is_for_rules: bool,
}

/// The positions of each game that are compared by default.
const N_POSITIONS: usize = 10_000;

/// Compares all games; returns whether all is equal.
///
/// # Errors
/// A piece that is not known, no Python, or a Fairy-Stockfish that gives up.
pub(super) fn run(
    python: &Python,
    folder: &Path,
    options: &Options,
    report: &mut dyn FnMut(&str),
) -> Result<bool, String> {
    let (games, left_out) = games(options)?;
    let n_positions = options.n_positions.unwrap_or(N_POSITIONS);
    let positions = |_: &JudgedGame, book: &RuleBook| -> Vec<Asked> {
        let mut dice = Dice::new(n_positions as u64);
        let fens = (0..n_positions).map(|_| random_position(book, &mut dice).to_fen(book));
        fens.map(|fen| (fen.clone(), Position::from_fen_with_castling(book, &fen))).collect()
    };
    let round = Round { games, left_out, n_positions, positions: &positions, is_followed: false };
    judgement::run(python, folder, &round, report)
}

/// The games to compare, and what is left out and why.
fn games(options: &Options) -> Result<(Vec<JudgedGame>, Vec<String>), String> {
    let catalogue = CATALOGUE.iter().map(|piece| (piece.name.to_owned(), piece.betza));
    let more = MORE.iter().map(|&betza| (betza.to_owned(), betza));
    let mut wanted: Vec<(String, &str)> = catalogue.chain(more).collect();
    if !options.pieces.is_empty() {
        let unknown = options.pieces.iter().find(|name| !wanted.iter().any(|(known, _)| known == *name));
        if let Some(name) = unknown {
            return Err(format!("`{name}` is no piece of the catalogue; `cargo xtask piece` lists them"));
        }
        wanted.retain(|(name, _)| options.pieces.contains(name));
    }
    let (mut games, mut left_out) = (Vec::new(), Vec::new());
    if options.pieces.is_empty() {
        games.extend(ruled_games()?);
    }
    if options.is_for_rules {
        return Ok((games, left_out));
    }
    if options.pieces.is_empty() {
        games.push(JudgedGame::known(Variant::chess(), Judge::FairyStockfish, "chess", "chess"));
        games.push(with_piece("royal knight", Board::new(8, 8), "K", Some("N"))?);
    }
    let mut seen = BTreeSet::new();
    for (name, betza) in wanted {
        let movement = Movement::parse(betza).map_err(|fault| format!("{name}: {fault}"))?;
        if let Some(reason) = dialect::obstacle(&movement) {
            left_out.push(format!("left out: {name} ({betza}): {reason}"));
        } else if seen.insert(betza) {
            games.push(with_piece(&name, Board::new(8, 8), betza, None)?);
        }
    }
    // Every kind of ray once more on boards of other shapes.
    for (files, ranks) in [(10, 8), (6, 6), (12, 10)] {
        for betza in ["QN", "NN", "Z", "mRcpR", "gQ", "nNnA", "nZ"] {
            if options.pieces.is_empty() {
                games.push(with_piece(betza, Board::new(files, ranks), betza, None)?);
            }
        }
    }
    Ok((games, left_out))
}

/// The games whose rules are not those of chess.
fn ruled_games() -> Result<Vec<JudgedGame>, String> {
    let known = VARIANTS.iter().map(|(name, there)| {
        let variant = Variant::load(root().join(format!("variants/{name}.toml")));
        let variant = variant.map_err(|error| error.to_string())?;
        Ok(JudgedGame::known(variant, Judge::FairyStockfish, name, there))
    });
    let changed = RULES.iter().map(|(name, base, ours, theirs)| {
        let there = format!("try-{name}");
        let parent = VARIANTS.iter().find(|(name, _)| name == base).map_or("chess", |(_, parent)| parent);
        let section = format!("[{there}:{parent}]\n{theirs}\n");
        let game = JudgedGame::known(ruled(name, base, ours)?, Judge::FairyStockfish, name, &there);
        Ok(JudgedGame { section, ..game })
    });
    known.chain(changed).collect()
}

/// Chess on this board, with one more piece, and perhaps another royal one.
fn with_piece(
    name: &str,
    board: Result<Board, geometry::BoardError>,
    betza: &str,
    royal: Option<&str>,
) -> Result<JudgedGame, String> {
    let board = board.map_err(|error| error.to_string())?;
    let piece = |letter: char, betza: &str| {
        let movement = Movement::parse(betza).map_err(|fault| format!("{betza}: {fault}"))?;
        Ok(Piece { letter, name: letter.to_string(), movement, royal: letter == 'K', pawn: None })
    };
    let last = board.rank(board.ranks() - 1);
    let pawn = PawnRules {
        zone: board.all().without(last).without(board.rank(0)),
        double_step_from: board.rank(1),
        en_passant: true,
        promotion: last,
        promotes_to: (2..6).map(PieceId).collect(),
    };
    let pieces =
        [('K', royal.unwrap_or("K")), (LETTER, betza), ('Q', "Q"), ('R', "R"), ('B', "B"), ('N', "N")]
            .map(|(letter, betza)| piece(letter, betza));
    let mut pieces: Vec<Piece> = pieces.into_iter().collect::<Result<_, String>>()?;
    pieces.push(Piece { pawn: Some(pawn), ..piece('P', "fmWfcF")? });
    let letters: String =
        betza.chars().map(|c| if c.is_uppercase() { format!("-{c}") } else { c.into() }).collect();
    let royal_part = royal.map_or(String::new(), |royal| format!("-royal-{royal}"));
    let name_there = format!("try{letters}{royal_part}-{}x{}", board.files(), board.ranks()).to_lowercase();
    let rules = Rules::default();
    let variant = Variant::from_parts(name_there.clone(), board, pieces, rules).map_err(|f| f.join("; "))?;
    let shown = if name == betza { betza.to_owned() } else { format!("{name} ({betza})") };
    let mut label = if board.files() == 8 { shown } else { format!("{shown} on {board}") };
    if is_lopsided(&variant) {
        label += ", White's only";
    }
    let section = dialect::section(&name_there, &board, betza, royal);
    let game = JudgedGame::known(variant, Judge::FairyStockfish, &label, &name_there);
    Ok(JudgedGame { section, ..game })
}

/// Whether left and right differ for the piece that is tried. Fairy-Stockfish turns Black's men round by
/// half a circle; here they are mirrored, so that left stays left on the board. Only White gets such a
/// piece.
fn is_lopsided(variant: &Variant) -> bool {
    let tried = variant.piece_lettered(LETTER).map(|id| &variant.piece(id).movement);
    tried.is_some_and(|movement| !movement.is_preserved_by(Symmetry::MIRROR_FILES))
}

/// A legal position: the kings, one to four of the piece that is tried, and up to three others.
fn random_position(book: &RuleBook, dice: &mut Dice) -> Position {
    let variant = book.variant();
    let others: Vec<PieceId> = variant.piece_ids().filter(|&id| Some(id) != variant.royal()).collect();
    let (tried, is_lopsided) = (variant.piece_lettered(LETTER), is_lopsided(variant));
    loop {
        let side = |dice: &mut Dice| Side::BOTH[dice.below(2)];
        let royals = variant.royal().into_iter();
        let mut men: Vec<Man> = royals.flat_map(|piece| Side::BOTH.map(|side| Man { side, piece })).collect();
        for _ in 0..1 + dice.below(4) {
            let piece = tried.unwrap_or_else(|| *dice.pick(&others));
            men.push(Man { side: side(dice), piece });
        }
        for _ in 0..dice.below(4) {
            men.push(Man { side: side(dice), piece: *dice.pick(&others) });
        }
        for man in men.iter_mut().filter(|man| is_lopsided && Some(man.piece) == tried) {
            man.side = Side::White;
        }
        let mut position = Position::empty(side(dice));
        let mut taken = SquareSet::EMPTY;
        for man in men {
            let free: Vec<Square> = variant.zone(man).without(taken).iter().collect();
            let square = *dice.pick(&free);
            taken.insert(square);
            position.put(man, square);
        }
        let rights = position.en_passant_rights(book);
        if !rights.is_empty() && dice.chance(50) {
            position = position.with_en_passant(Some(*dice.pick(&rights)));
        }
        if position.is_legal(book) {
            return position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Options, games, random_position, with_piece};
    use geometry::Board;
    use position::RuleBook;
    use proof::Dice;
    use std::collections::BTreeSet;

    #[test]
    fn every_piece_is_a_game_or_left_out_with_a_reason() {
        let (games, left_out) = games(&Options::default()).expect("the catalogue is readable");
        assert!(games.len() > 80, "{}", games.len());
        let names: BTreeSet<&str> = games.iter().map(|game| game.name.as_str()).collect();
        assert_eq!(names.len(), games.len());
        assert!(
            left_out.iter().any(|line| line.starts_with("left out: camelrider (CC): of riders")),
            "{left_out:?}"
        );
        let options = Options { pieces: vec!["nightrider".into()], ..Options::default() };
        assert_eq!(super::games(&options).expect("a piece").0.len(), 1);
        let options = Options { pieces: vec!["night rider".into()], ..Options::default() };
        assert!(super::games(&options).expect_err("no piece").contains("`night rider` is no piece"));
    }

    #[test]
    fn games_with_other_rules_are_whole() {
        let options = Options { is_for_rules: true, ..Options::default() };
        let (games, left_out) = super::games(&options).expect("the files are right");
        assert_eq!((games.len(), left_out.len()), (super::VARIANTS.len() + super::RULES.len(), 0));
        let rules: BTreeSet<String> = games.iter().map(|game| format!("{:?}", game.variant.rules)).collect();
        assert!(rules.len() >= games.len() - 1, "makruk's rules are those of chess, and no others are");
    }

    #[test]
    fn positions_are_legal_and_the_same_again() {
        let game = with_piece("knight", Board::new(6, 6), "N", None).expect("a game");
        let book = RuleBook::new(&game.variant);
        let all = |seed| {
            let mut dice = Dice::new(seed);
            (0..200).map(|_| random_position(&book, &mut dice)).collect::<Vec<_>>()
        };
        assert!(all(1).iter().all(|position| position.is_legal(&book) && position.n_men() >= 3));
        assert_eq!(all(1), all(1));
        assert!(all(1).iter().any(|position| position.en_passant().is_some()));
    }
}
