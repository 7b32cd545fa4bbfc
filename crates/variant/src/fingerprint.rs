//! Writes the rules that matter for some men as one canonical text, and hashes it.
//!
//! A table stays valid as long as nothing that its values depend on has changed. So the text lists the board,
//! the end of the game, and the pieces that can come up, each by its rays and squares. It leaves out names,
//! comments and limits, pieces that cannot come up, and rules that are as in chess (but that of stalemate),
//! and it does not depend on notation. It leaves out castling, which positions without a right to castle do
//! not know, squares that men are kept to and moves that are given away, which are the limit of a structure
//! and stand in its file, and the n-move rule: who hashes the rules for a metric that depends on it adds it.

use crate::{Arrival, Material, Pass, PawnRules, PieceId, Rules, Side, Stalemate, Variant, Verdict};
use geometry::{Board, SquareSet};
use piece::{Movement, Ray, RayPath};
use std::collections::BTreeSet;
use std::fmt::Write;

impl Variant {
    /// The rules restricted to these men and what they can become, as text that is equal for equal rules.
    #[must_use]
    pub fn canonical_rules(&self, men: impl IntoIterator<Item = PieceId>) -> String {
        let mut text = self.board_line();
        let stalemate = match self.rules.stalemate {
            Stalemate::Draw => "draw",
            Stalemate::Loss => "loss",
            Stalemate::Win => "win",
            Stalemate::FewerMen => "fewer-men",
        };
        text += &format!("stalemate {stalemate}\n");
        let closure = self.closure(men);
        text += &self.rules_lines(&closure);
        for id in closure {
            let piece = self.piece(id);
            let _ = writeln!(text, "piece {}{}", piece.letter, if piece.royal { " royal" } else { "" });
            text += &self.moves_lines(id);
        }
        text
    }

    /// The rules that are not those of chess, a line each.
    fn rules_lines(&self, closure: &BTreeSet<PieceId>) -> String {
        let letters = |kinds: &[PieceId]| kinds.iter().map(|&id| self.piece(id).letter).collect::<String>();
        let occurring = |kinds: &[PieceId]| {
            letters(&kinds.iter().copied().filter(|id| closure.contains(id)).collect::<Vec<_>>())
        };
        let Rules { checkmate, must_capture, checking, pass, blast, extinction, goal, .. } = &self.rules;
        let mut lines = Vec::new();
        lines.extend((*checkmate == Verdict::Win).then(|| "checkmate win".to_owned()));
        lines.extend(must_capture.then(|| "must capture".to_owned()));
        lines.extend((!checking).then(|| "no checks".to_owned()));
        lines.extend(match pass {
            Pass::Never => None,
            Pass::Always => Some("pass".to_owned()),
            Pass::OnStalemate => Some("pass on stalemate".to_owned()),
        });
        lines.extend(blast.as_ref().map(|blast| {
            let is_pawn = |id: &&PieceId| self.piece(**id).pawn.is_some();
            let (pawns, others): (Vec<PieceId>, _) = blast.immune.iter().partition(is_pawn);
            let all_stay = self.pawns().all(|id| pawns.contains(&id));
            let pawns = if all_stay { "" } else { &format!(" of pawns [{}]", occurring(&pawns)) };
            format!("blast immune [{}]{pawns}", occurring(&others))
        }));
        lines.extend(extinction.as_ref().map(|extinction| {
            let verdict = match extinction.verdict {
                Verdict::Loss => "loss",
                Verdict::Win => "win",
            };
            // A kind that cannot come up is extinct from the start, so all are named.
            let kinds = extinction.kinds.as_ref().map_or_else(|| "*".into(), |kinds| letters(kinds));
            let claimed = if extinction.is_claimed { " claimed" } else { "" };
            let (most, least) = (extinction.most_men, extinction.opponent_men);
            format!("extinction {verdict} [{kinds}] at most {most} against {least}{claimed}")
        }));
        // Of men that cannot come up nothing is said, so tables without such men are those of other games.
        let pseudo = self.rules.pseudo_royal.as_ref().map(|rule| (occurring(&rule.kinds), rule.most_men));
        lines.extend(
            pseudo
                .filter(|(kinds, _)| !kinds.is_empty())
                .map(|(kinds, most)| format!("pseudo-royal [{kinds}] at most {most}")),
        );
        lines.extend(self.rules.check_counting.map(|n| format!("checks {n}")));
        if self.is_turned() {
            lines.push("black turned".to_owned());
        }
        match Side::BOTH.map(|side| self.n_royals(side)) {
            [0, 0] | [1, 1] => {}
            [white, black] if white == black => lines.push(format!("royal men {white}")),
            [white, black] => lines.push(format!("royal men {white} against {black}")),
        }
        // A goal that none of these men can reach still bounds the symmetries of the numbering.
        lines.extend(goal.as_ref().map(|goal| {
            let kinds = goal.kinds.as_ref().map_or_else(|| "*".into(), |kinds| occurring(kinds));
            let bits = |place: &SquareSet| format!("{:x}", place.bits());
            let [white, black] = goal.places.each_ref().map(|all| all.iter().map(bits).collect::<Vec<_>>());
            let [white, black] = [white, black].map(|all| all.join(" "));
            let arrival = match goal.arrival {
                Arrival::AtOnce => "",
                Arrival::Answered => " answered",
                Arrival::Safe => " safe",
                Arrival::SafeOrKept => " safe or kept",
                Arrival::Filled => " blocked",
            };
            let men = if goal.n_men > 1 { format!(" men {}", goal.n_men) } else { String::new() };
            format!("goal [{kinds}] white {white} black {black}{arrival}{men}")
        }));
        // Regions of others than these men bound the numbering, too.
        lines.extend((!self.has_like_regions()).then(|| "regions of unlike sides".to_owned()));
        lines.extend((!self.has_like_pawns()).then(|| "promotions of unlike sides".to_owned()));
        lines.into_iter().map(|line| line + "\n").collect()
    }

    /// How a piece moves on this board, and what it may do as a pawn: lines that are equal for pieces that
    /// move alike.
    pub(crate) fn moves_lines(&self, id: PieceId) -> String {
        let piece = self.piece(id);
        let mut text = String::new();
        let fitting = piece.movement.rays().iter().filter_map(|ray| fitted(&self.board, *ray));
        for Ray { step, limit, quiet, capture, path } in Movement::from_rays(fitting).rays() {
            let modes =
                [(*quiet, 'm'), (*capture, 'c')].into_iter().filter_map(|(is, mode)| is.then_some(mode));
            let modes: String = modes.collect();
            let _ = writeln!(text, "  ray {} {} {limit} {modes}{}", step.files, step.ranks, path_word(*path));
        }
        if let Some(rules) = &piece.pawn {
            text += &self.pawn_lines(rules);
        }
        for (side, region) in Side::BOTH.into_iter().zip(piece.regions) {
            text += &region.map_or_else(String::new, |squares| format!("  {side} to {:x}\n", squares.bits()));
        }
        text
    }

    fn board_line(&self) -> String {
        let board = &self.board;
        let mut text = format!("board {} {}", board.files(), board.ranks());
        if board.is_cylinder() {
            text += " cylinder";
        }
        if !board.holes().is_empty() {
            text += &format!(" holes {:x}", board.holes().bits());
        }
        text + "\n"
    }

    /// The BLAKE3 hash of the canonical rules for a material.
    #[must_use]
    pub fn rules_hash(&self, material: &Material) -> [u8; 32] {
        *blake3::hash(self.canonical_rules(material.men().map(|man| man.piece)).as_bytes()).as_bytes()
    }

    /// The rule of castling as a text that is equal for equal rules; none of a game without castling.
    #[must_use]
    pub fn castling_line(&self) -> Option<String> {
        let rule = self.rules.castling.as_ref()?;
        let letter = |piece| self.piece(piece).letter;
        let rooks: String = rule.rooks.iter().map(|&piece| letter(piece)).collect();
        let ([kingside, queenside], [right, left]) = (rule.king_targets, rule.rook_files);
        let from = match rule.any_files {
            true => "any file".into(),
            false => format!("{} {right} {left}", rule.king_file),
        };
        let (king, rank) = (letter(rule.king), rule.rank);
        Some(format!("{king} {rooks} rank {rank} to {kingside} {queenside} from {from}"))
    }

    /// These pieces and all that pawns among them can become, in declared order.
    fn closure(&self, men: impl IntoIterator<Item = PieceId>) -> BTreeSet<PieceId> {
        let mut open: Vec<PieceId> = men.into_iter().collect();
        let mut closed = BTreeSet::new();
        while let Some(id) = open.pop() {
            if closed.insert(id) {
                open.extend(self.piece(id).pawn.iter().flat_map(PawnRules::all_promotions));
            }
        }
        closed
    }

    fn pawn_lines(&self, rules: &PawnRules) -> String {
        let squares = |set: SquareSet| format!("{:016x}", set.bits());
        let letters = |kinds: &[PieceId]| -> String {
            let kinds: BTreeSet<PieceId> = kinds.iter().copied().collect();
            kinds.into_iter().map(|id| self.piece(id).letter).collect()
        };
        let line = |rules: &PawnRules| {
            format!(
                "pawn zone {} double {} passant {} promotion {} {}",
                squares(rules.zone),
                squares(rules.double_step_from),
                rules.en_passant,
                squares(rules.promotion),
                letters(&rules.promotes_to),
            )
        };
        let black = rules.black.as_deref().map(|black| match rules.black_squares() {
            None => format!(" black {}", letters(&black.promotes_to)),
            Some(black) => format!(" black {}", line(black)),
        });
        format!("  {}{}\n", line(rules), black.unwrap_or_default())
    }
}

fn path_word(path: RayPath) -> &'static str {
    match path {
        RayPath::Plain => "",
        RayPath::Lame => " lame",
        RayPath::Cannon => " cannon",
        RayPath::Grasshopper => " grasshopper",
        RayPath::CircularLeft => " left",
        RayPath::CircularRight => " right",
    }
}

/// The ray with no limit beyond what the board allows; none if the board is too small for it.
fn fitted(board: &Board, ray: Ray) -> Option<Ray> {
    // A circle stays where it is, and is closed after eight steps.
    if matches!(ray.path, RayPath::CircularLeft | RayPath::CircularRight) {
        return Some(ray);
    }
    let fit = |squares: usize, step: i8| match step.unsigned_abs() {
        0 => usize::MAX,
        length => (squares - 1) / usize::from(length),
    };
    let files = if board.is_cylinder() { usize::MAX } else { fit(board.files(), ray.step.files) };
    let most = files.min(fit(board.ranks(), ray.step.ranks));
    // Along a rank of a cylinder a ride comes to every file before it is back.
    let most = if ray.step.ranks == 0 { most.min(board.files() - 1) } else { most };
    let limit = ray.limit.min(u8::try_from(most).unwrap_or(u8::MAX));
    (limit > 0).then_some(Ray { limit, ..ray })
}
