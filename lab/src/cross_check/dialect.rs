//! Finds movements that Fairy-Stockfish's dialect of Betza notation lacks, and writes games in that dialect.
//!
//! It reads most terms as we do. Some it takes without a complaint and plays otherwise; these are listed here
//! with the reason, found by asking it.

use geometry::{SquareSet, Step};
use piece::{Movement, RIDE, Ray, RayPath};
use variant::{Piece, PieceId, Rules, Side, Stalemate, Variant};

/// Why Fairy-Stockfish cannot play this movement; none if it can.
pub(super) fn obstacle(movement: &Movement) -> Option<&'static str> {
    movement.rays().iter().find_map(ray_obstacle)
}

fn ray_obstacle(ray: &Ray) -> Option<&'static str> {
    let kind = kind(ray.step);
    let is_king_step = matches!(kind, (1, 0) | (1, 1));
    match (ray.path, ray.limit) {
        (RayPath::CircularLeft | RayPath::CircularRight, _) => Some("it has no circular rides"),
        (RayPath::Cannon | RayPath::Grasshopper, _) if !is_king_step => {
            Some("it has hoppers along ranks, files and diagonals only")
        }
        (RayPath::Cannon | RayPath::Grasshopper, RIDE) => None,
        (RayPath::Cannon | RayPath::Grasshopper, _) => {
            Some("it counts a hopper's steps behind the hurdle only")
        }
        (RayPath::Lame, 1) if matches!(kind, (2, 0) | (2, 1) | (2, 2) | (3, 2)) => None,
        (RayPath::Lame, _) => Some("of lame men it has nN, nD, nA and nZ only"),
        (RayPath::Plain, 1) => None,
        (RayPath::Plain, RIDE) if is_king_step || kind == (2, 1) => None,
        (RayPath::Plain, _) if is_king_step => None,
        (RayPath::Plain, _) => {
            Some("of riders it has those along ranks, files and diagonals, and the nightrider")
        }
    }
}

/// The step without its direction, longer side first.
fn kind(step: Step) -> (u8, u8) {
    let (files, ranks) = (step.files.unsigned_abs(), step.ranks.unsigned_abs());
    (files.max(ranks), files.min(ranks))
}

/// The pieces that Fairy-Stockfish's chess has beside the king, and how they move.
const STANDARD: [(&str, &str); 5] =
    [("pawn", "fmWfcF"), ("knight", "N"), ("bishop", "B"), ("rook", "R"), ("queen", "Q")];

/// A game as a section of a `variants.ini`, with those of its pieces that the dialect can say; or why it has
/// no such section. `betza` writes the movement of a piece, or does not know how.
pub(super) fn section(
    name: &str,
    variant: &Variant,
    betza: &dyn Fn(&Piece) -> Option<String>,
) -> Result<(String, Vec<PieceId>), &'static str> {
    let (board, rules) = (&variant.board, &variant.rules);
    let said = Rules {
        stalemate: rules.stalemate,
        n_move_rule: rules.n_move_rule,
        castling: rules.castling.clone(),
        ..Rules::default()
    };
    if board.is_cylinder() || !board.holes().is_empty() {
        return Err("it has no boards with holes or joined files");
    }
    if said != *rules || variant.only_royal().is_none() {
        return Err("its rules are not written as a section");
    }
    let mut lines = vec![format!("[{name}:chess]"), format!("maxFile = {}", board.files())];
    lines.push(format!("maxRank = {}", board.ranks()));
    let mut pieces = Vec::new();
    let letter = |id: PieceId| variant.piece(id).letter.to_ascii_lowercase();
    let standard = |id: &PieceId| {
        let piece = variant.piece(*id);
        let plays = |(key, betza): &&(&str, &str)| {
            (*key == "pawn") == piece.pawn.is_some()
                && Movement::parse(betza).is_ok_and(|movement| movement == piece.movement)
        };
        STANDARD.iter().find(plays).filter(|_| !piece.royal).map(|(key, _)| *key)
    };
    for (key, _) in STANDARD {
        let own = variant.piece_ids().find(|id| standard(id) == Some(key));
        lines.push(format!("{key} = {}", own.map_or('-', letter)));
        pieces.extend(own);
    }
    for id in variant.piece_ids().filter(|id| !pieces.contains(id)).collect::<Vec<_>>() {
        let piece = variant.piece(id);
        let betza = betza(piece).filter(|_| piece.pawn.is_none());
        let Some(betza) = betza.filter(|_| obstacle(&piece.movement).is_none()) else { continue };
        let key = if piece.royal { "king".to_owned() } else { format!("customPiece{}", pieces.len()) };
        lines.push(format!("{key} = {}:{betza}", letter(id)));
        pieces.push(id);
    }
    let pawn = variant.piece_ids().find(|id| standard(id) == Some("pawn"));
    if let Some(pawn) = pawn.and_then(|id| variant.piece(id).pawn.as_ref()) {
        let promotes_to = pawn.promotes_to.iter().filter(|id| pieces.contains(id));
        lines
            .push(format!("promotionPieceTypes = {}", promotes_to.map(|&id| letter(id)).collect::<String>()));
        let ranks = |squares: SquareSet, side: Side| -> String {
            let squares = if side == Side::White { squares } else { squares.mirror_ranks(board) };
            let ranks = (0..board.ranks()).filter(|&rank| !board.rank(rank).intersection(squares).is_empty());
            ranks.map(|rank| format!("*{} ", rank + 1)).collect()
        };
        for side in Side::BOTH {
            lines.push(format!("promotionRegion{side} = {}", ranks(pawn.promotion, side)));
            lines.push(format!("doubleStepRegion{side} = {}", ranks(pawn.double_step_from, side)));
        }
        lines.push(format!("doubleStep = {}", !pawn.double_step_from.is_empty()));
    }
    lines.push(format!("castling = {}", rules.castling.is_some()));
    if let Some(castling) = &rules.castling {
        let file = |file: usize| (b'a' + file as u8) as char;
        let [kingside, queenside] = castling.king_targets.map(file);
        lines.push(format!("castlingKingsideFile = {kingside}\ncastlingQueensideFile = {queenside}"));
        let [kingside, queenside] = castling.rook_files.map(file);
        lines.push(format!("castlingRookKingsideFile = {kingside}\ncastlingRookQueensideFile = {queenside}"));
        lines.push(format!("castlingKingFile = {}", file(castling.king_file)));
        lines.push(format!("castlingRank = {}", castling.rank + 1));
    }
    let value = match rules.stalemate {
        Stalemate::Draw => "draw",
        Stalemate::Loss => "loss",
        Stalemate::Win => "win",
        Stalemate::FewerMen => return Err("its rules are not written as a section"),
    };
    lines.push(format!("stalemateValue = {value}\n"));
    Ok((lines.join("\n"), pieces))
}

#[cfg(test)]
mod tests {
    use super::{obstacle, section};
    use piece::Movement;
    use variant::{Piece, Variant};

    #[track_caller]
    fn check(betza: &str, reason: Option<&str>) {
        let movement = Movement::parse(betza).unwrap_or_else(|fault| panic!("{betza}: {fault}"));
        match (obstacle(&movement), reason) {
            (None, None) => {}
            (Some(got), Some(part)) => assert!(got.contains(part), "{betza}: {got}"),
            (got, _) => panic!("{betza}: {got:?}"),
        }
    }

    #[test]
    fn what_fairy_stockfish_cannot_say_is_left_out() {
        for betza in ["QN", "NN", "gQ", "mRcpR", "nNnAnDnZ", "fsmWfcF3", "hlN", "CLZG"] {
            check(betza, None);
        }
        check("qN", Some("no circular rides"));
        check("DD", Some("of riders it has"));
        check("N2", Some("of riders it has"));
        check("nNN", Some("of lame men"));
        check("nH", Some("of lame men"));
        check("pNN", Some("hoppers along"));
        check("pR4", Some("behind the hurdle"));
    }

    #[test]
    fn a_variant_is_a_section_with_the_pieces_that_can_be_said() {
        let text = "name = \"few\"\n[board]\nfiles = 6\nranks = 6\n[rules]\ncastling = true\n\
                    castling-king-file = \"c\"\ncastling-kingside-file = \"e\"\ncastling-queenside-file = \"b\"\n\
                    [[piece]]\nletter = \"N\"\nbetza = \"N\"\nroyal = true\n\
                    [[piece]]\nletter = \"R\"\nbetza = \"R\"\n[[piece]]\nletter = \"X\"\nbetza = \"QN\"\n\
                    [[piece]]\nletter = \"D\"\nbetza = \"DD\"\n\
                    [[piece]]\nletter = \"P\"\nbetza = \"fmWfcF\"\npawn = { promotes-to = [\"R\", \"D\"] }\n";
        let variant = Variant::parse(text, "few.toml").expect("a game");
        let betza = |piece: &Piece| piece.movement.to_betza();
        let (text_there, pieces) = section("try-few", &variant, &betza).expect("it can be said");
        let expected = "[try-few:chess]\nmaxFile = 6\nmaxRank = 6\npawn = p\nknight = -\nbishop = -\nrook = r\n\
                        queen = -\nking = n:N\ncustomPiece3 = x:QN\npromotionPieceTypes = r\n\
                        promotionRegionWhite = *6 \ndoubleStepRegionWhite = *2 \n\
                        promotionRegionBlack = *1 \ndoubleStepRegionBlack = *5 \ndoubleStep = true\n\
                        castling = true\ncastlingKingsideFile = e\ncastlingQueensideFile = b\n\
                        castlingRookKingsideFile = f\ncastlingRookQueensideFile = a\n\
                        castlingKingFile = c\ncastlingRank = 1\nstalemateValue = draw\n";
        assert_eq!((text_there.as_str(), pieces.len()), (expected, 4));
        let text = text.replace("[rules]\n", "[rules]\npass = true\n");
        let variant = Variant::parse(&text, "few.toml").expect("a game");
        assert!(section("try-few", &variant, &betza).is_err());
    }
}
