//! Finds which men of a game are pawns, and writes what is said of them: of all, of one side's, or of one
//! kind.

use super::{Converter, ManKind, MoveText, PAWN};
use crate::file::from_rank;
use crate::{Man, Piece, Side, Variant};
use geometry::SquareSet;
use piece::Ray;
use std::fmt::Write;

/// By side: the keys that say which men are pawns, what pawns become, and whose moves wind the counter of the
/// n-move rule back; the most general first.
const PAWN_TYPES: [[&str; 3]; 2] = [
    ["pawnTypes", "promotionPawnTypes", "promotionPawnTypesWhite"],
    ["pawnTypes", "promotionPawnTypes", "promotionPawnTypesBlack"],
];
const PIECE_TYPES: [[&str; 2]; 2] = [
    ["promotionPieceTypes", "promotionPieceTypesWhite"],
    ["promotionPieceTypes", "promotionPieceTypesBlack"],
];
const COUNTER_TYPES: [[&str; 3]; 2] = [
    ["pawnTypes", "nMoveRuleTypes", "nMoveRuleTypesWhite"],
    ["pawnTypes", "nMoveRuleTypes", "nMoveRuleTypesBlack"],
];

impl<'a> Converter<'a> {
    /// Leaves out the kinds of pawns that the game never has, because none stands there in the beginning and
    /// no man becomes one: what a section says of promotion is not said of them.
    pub(super) fn leave_out_absent_pawns(&mut self) {
        let [white, black] = self.of_sides(PAWN_TYPES, "p");
        let becomes = self.promotes_to().concat();
        let start = &self.start;
        let is_absent = |letter: char| start.n_of(letter) == [0, 0] && !becomes.contains(letter);
        let is_pawn =
            |kind: &ManKind<'_>| kind.key == PAWN || [&white, &black].iter().any(|p| p.contains(kind.letter));
        if self.men.iter().any(|kind| start.n_of(kind.letter) != [0, 0]) {
            self.men.retain(|kind| !is_pawn(kind) || !is_absent(kind.letter));
        }
    }

    /// The letters of what pawns become, by side. A game that begins with no other says nothing of it.
    pub(super) fn promotes_to(&mut self) -> [String; 2] {
        self.of_sides(PIECE_TYPES, if self.settings.is_all_own { "" } else { "nbrq" })
    }

    /// The letters of what pawns of a kind become, by side; of a kind that one side has, what that side's do.
    fn becomes(&mut self, pawn: char) -> [String; 2] {
        let by_side = self.promotes_to();
        if self.sides_with(pawn).len() == 2 {
            return by_side;
        }
        let of_side = self.of_kind(pawn, PIECE_TYPES, by_side);
        [of_side.clone(), of_side]
    }

    /// The sides that may have men of a kind.
    fn sides_with(&mut self, letter: char) -> Vec<Side> {
        let (start, becomes) = (self.start.n_of(letter), self.promotes_to());
        let may_have = |side: &Side| start[side.index()] > 0 || becomes[side.index()].contains(letter);
        Side::BOTH.into_iter().filter(may_have).collect()
    }

    /// The key that says it of a side.
    fn promotion_key(&self, side: Side) -> &'static str {
        self.last_said(&PIECE_TYPES[side.index()])
    }

    /// What a pawn may do beside its moves.
    pub(super) fn pawn(&mut self, kind: &ManKind<'_>, doubles: bool) -> String {
        let regions = self.of_both(["promotionRegionWhite", "promotionRegionBlack"], ["*8", "*1"]);
        let [promotion, promotion_black] = regions;
        let last = self.board.ranks();
        let all = self.becomes(kind.letter);
        let side = self.one_sided.iter().find(|(letter, _)| *letter == kind.letter).map(|(_, side)| *side);
        let others =
            |all: &String| all.chars().filter(|letter| *letter != kind.letter).collect::<Vec<char>>();
        let targets = all.each_ref().map(others);
        let is_stuck = targets.iter().zip(&all).any(|(targets, all)| targets.is_empty() && !all.is_empty());
        if promotion.is_empty() || promotion_black.is_empty() || is_stuck {
            self.refuse("promotionPieceTypes", format!("{} never becomes another man", kind.letter));
        }
        let has_region = self.is("doubleStep", true) && doubles;
        self.taken.extend(["doubleStepRegionWhite", "doubleStepRegionBlack"]);
        let steps = match has_region {
            true => self.of_both(["doubleStepRegionWhite", "doubleStepRegionBlack"], ["*2", "*7"]),
            false => [SquareSet::EMPTY; 2],
        };
        let start = self.start.lowest_rank(&kind.letter.to_string(), &self.board).map_or(2, |rank| rank + 1);
        let [ranks, ranks_black] = steps.map(|steps| {
            let is_whole = |rank: &usize| self.board.rank(rank - 1).without(steps).is_empty();
            let whole: Vec<usize> = (1..=last).filter(is_whole).collect();
            if has_region && whole.len() * self.board.files() != steps.n_squares() {
                self.refuse("doubleStepRegionWhite", "a pawn has its double step from whole ranks".into());
            }
            whole.into_iter().filter(|&rank| has_region && rank >= start).collect::<Vec<usize>>()
        });
        let whose = side.map_or_else(String::new, |side| format!("  # {side} alone has such pawns"));
        let mut text = format!("\n[piece.pawn]{whose}\nstart-rank = {start}\n");
        let from = self.from("doubleStepRegionWhite");
        let _ = match ranks.is_empty() {
            true => writeln!(text, "double-step = false{}", self.from("doubleStep")),
            false => writeln!(text, "double-step-ranks = {ranks:?}{from}"),
        };
        if ranks_black != ranks {
            let there: Vec<usize> = ranks_black.iter().map(|rank| last + 1 - rank).collect();
            let from = self.from("doubleStepRegionBlack");
            let _ = writeln!(text, "double-step-ranks-black = {there:?}{from}");
        }
        let en_passant = self.value("enPassantRegion", "");
        if en_passant == "-" {
            text += "en-passant = false\n";
        } else if !en_passant.is_empty() {
            self.refuse("enPassantRegion", "captures en passant are allowed everywhere or nowhere".into());
        }
        let board = self.board;
        let is_on = |rank: usize| board.rank(rank - 1).iter().any(|square| promotion.contains(square));
        let first = (1..=last).find(|&rank| is_on(rank)).unwrap_or(last);
        let from = self.from("promotionRegionWhite");
        if from_rank(&board, first) == promotion {
            let _ = writeln!(text, "promotion-rank = {first}{from}");
        } else {
            let _ = writeln!(text, "promotion-zone = {:?}{from}", self.names(promotion));
        }
        if promotion_black != promotion {
            let names = self.names(promotion_black.mirror_ranks(&board));
            let from = self.from("promotionRegionBlack");
            let _ = writeln!(text, "promotion-zone-black = {names:?}{from}");
        }
        if !self.is("mandatoryPawnPromotion", true) {
            let from = self.from("mandatoryPawnPromotion");
            let _ = writeln!(text, "mandatory-pawn-promotion = false{from}");
        }
        let is_alike = targets[0] == targets[1];
        for (key, of, targets) in [
            ("promotes-to", side.unwrap_or(Side::White), &targets[0]),
            ("promotes-to-black", Side::Black, &targets[1]),
        ] {
            if key == "promotes-to" || !is_alike {
                let targets: Vec<String> = targets.iter().map(char::to_string).collect();
                let _ = writeln!(text, "{key} = {targets:?}{}", self.from(self.promotion_key(of)));
            }
        }
        text
    }

    /// The letters of the kinds that are pawns.
    pub(super) fn pawns(&mut self) -> String {
        self.kinds_in(PAWN_TYPES)
    }

    /// The letters of the kinds that keys name for the side that has them, or for both.
    fn kinds_in<const N: usize>(&mut self, keys: [[&'static str; N]; 2]) -> String {
        let named = self.of_sides(keys, "p");
        let letters: Vec<char> = self.men.iter().map(|kind| kind.letter).collect();
        let is_named = |letter: char| named.each_ref().map(|named| named.contains(letter));
        letters.into_iter().filter(|&letter| self.of_kind(letter, keys, is_named(letter))).collect()
    }

    /// Notes whose moves wind the counter of the n-move rule back there and not here, or here and not there.
    pub(super) fn counter(&mut self, pawns: &str) {
        let winding = self.kinds_in(COUNTER_TYPES);
        let without = |these: &str, those: &str| -> String {
            these.chars().filter(|letter| !those.contains(*letter)).collect()
        };
        let [others, missing] = [without(&winding, pawns), without(pawns, &winding)];
        if !others.is_empty() {
            self.notes
                .push(format!("the n-move rule begins anew when {others} moves; here with captures alone"));
        }
        if !missing.is_empty() {
            self.notes
                .push(format!("the n-move rule begins anew when {missing} moves; there with captures alone"));
        }
    }

    /// A pawn that may capture en passant on a promotion square: it stays a pawn there, and here it is
    /// promoted. Where captures explode nothing is left of it.
    pub(super) fn promotes_en_passant(variant: &Variant) -> Option<char> {
        let promotes = |pawn: &Man| {
            let mut others = variant.pawns().map(|piece| Man { side: !pawn.side, piece });
            others.any(|other| {
                let passed = variant.squares_passed_over(other);
                !variant.promotion_squares(*pawn, Some(other)).intersection(passed).is_empty()
            })
        };
        let sides = |piece| Side::BOTH.map(|side| Man { side, piece });
        let mut pawns = variant.pawns().flat_map(sides).filter(|_| variant.rules.blast.is_none());
        pawns.find(promotes).map(|pawn| variant.piece(pawn.piece).letter)
    }

    /// Of keys, the most general first, the one that counts: of those said last the last.
    fn last_said(&self, keys: &[&'static str]) -> &'static str {
        let last = keys.iter().copied().max_by_key(|key| self.settings.layer_of(key));
        last.expect("one key at least")
    }

    /// The letters of men that are said of White's men and of Black's.
    fn of_sides<const N: usize>(&mut self, keys: [[&'static str; N]; 2], default: &'a str) -> [String; 2] {
        keys.map(|keys| {
            self.taken.extend(keys);
            self.letters(self.last_said(&keys), default)
        })
    }

    /// What is said of a kind of men; refused if that differs by side and both sides have it.
    fn of_kind<const N: usize, T: PartialEq>(
        &mut self,
        letter: char,
        keys: [[&'static str; N]; 2],
        [white, black]: [T; 2],
    ) -> T {
        let sides = self.sides_with(letter);
        if white != black {
            match sides[..] {
                [side] if self.one_sided.contains(&(letter, side)) => {}
                [side] => self.one_sided.push((letter, side)),
                _ => {
                    let why = format!("both sides may have {letter}, and what is said of them differs");
                    self.refuse(self.last_said(&keys.concat()), why);
                }
            }
        }
        if sides == [Side::Black] { black } else { white }
    }

    /// A pawn that captures en passant as all pawns here, though neither its moves nor `pawnTypes` say so.
    /// Pawns that capture straight ahead never can where double steps are straight.
    pub(super) fn captures_en_passant_here_only(&mut self, variant: &Variant, pawns: &str) -> Option<char> {
        let types = self.letters("pawnTypes", "p");
        let is_aside = |piece: &Piece, is: fn(&Ray) -> bool| {
            piece.movement.rays().iter().any(|ray| is(ray) && ray.step.files != 0)
        };
        let doubles =
            || variant.pieces.iter().filter(|piece| piece.pawn.as_ref().is_some_and(|p| p.en_passant));
        let steps_aside = doubles().any(|piece| is_aside(piece, |ray| ray.quiet));
        let is_told = |kind: &&ManKind<'_>| {
            types.contains(kind.letter) || kind.key == PAWN || MoveText::parse(kind.moves).en_passant
        };
        let others = self.men.iter().filter(|kind| pawns.contains(kind.letter)).filter(|kind| !is_told(kind));
        let captures_aside = |kind: &&ManKind<'_>| {
            let piece = variant.pieces.iter().find(|piece| piece.letter == kind.letter);
            steps_aside || piece.is_some_and(|piece| is_aside(piece, |ray| ray.capture))
        };
        others.filter(|_| doubles().next().is_some()).find(captures_aside).map(|kind| kind.letter)
    }
}
