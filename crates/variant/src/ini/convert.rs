//! Turns the settings of a game into the text of a variant file.

mod pawn;

use super::man::{CUSTOM, JANGGI_CANNON, ManKind, MoveText, PAWN, is_kind, men_of, words_of};
use super::refusal::Refusal;
use super::rule::{LACKING, WITHOUT_EFFECT};
use super::settings::{Setting, Settings};
use super::start::{Start, is_off_the_board, number_or_file};
use crate::file::schema::kebab;
use crate::file::{Fault, squares_named, visible};
use crate::{Side, Variant};
use geometry::{Board, SquareSet, Symmetry};
use piece::Movement;
use std::collections::BTreeSet;
use std::fmt::{Display, Write};

/// A game as a variant file.
#[derive(Debug)]
pub struct Conversion {
    /// The text of the file; comments say where each line comes from.
    pub text: String,
    /// What was left out because no ending depends on it.
    pub notes: Vec<String>,
    /// The rules that the file has.
    pub variant: Variant,
    /// Kinds of men of which one side's rules are given, by their letters: only that side ever has such men.
    pub one_sided: Vec<(char, Side)>,
}

/// The men of chess, whom keys mean that are left out.
const ORTHODOX: [(char, &str); 6] =
    [('P', PAWN), ('N', "knight"), ('B', "bishop"), ('R', "rook"), ('Q', "queen"), ('K', "king")];

/// What is said of pawns, in games that have none.
const PAWN_KEYS: [&str; 7] = [
    "doubleStep",
    "doubleStepRegionWhite",
    "doubleStepRegionBlack",
    "enPassantRegion",
    "promotionRegionWhite",
    "promotionRegionBlack",
    "mandatoryPawnPromotion",
];

const WITHOUT_CASTLING: &str = "castling, which cannot be said so; no table depends on it";

struct Converter<'a> {
    name: &'a str,
    settings: &'a Settings<'a>,
    board: Board,
    men: Vec<ManKind<'a>>,
    start: Start,
    taken: BTreeSet<&'a str>,
    notes: Vec<String>,
    refusals: Vec<Refusal>,
    one_sided: Vec<(char, Side)>,
    /// How many royal men a side has, at most one if none is said.
    n_royals: usize,
    /// The lines of `[rules]`.
    rules: String,
}

pub(super) fn convert(name: &str, settings: &Settings<'_>) -> Result<Conversion, Vec<Refusal>> {
    let [files, ranks] = [("maxFile", "8"), ("maxRank", "8")].map(|(key, default)| {
        let setting = settings.get(key);
        let value = setting.map_or(default, |setting| &setting.value);
        number_or_file(value).ok_or_else(|| refused(key, setting, format!("{} is no size", visible(value))))
    });
    let size = files.and_then(|files| Ok((files, ranks?))).map_err(|refusal| vec![refusal])?;
    let Ok(board) = Board::new(size.0, size.1) else {
        let why = format!(
            "boards have 1 to 16 files and ranks, 4 to 128 squares, and this one {} × {}",
            size.0, size.1
        );
        return Err(vec![Refusal::of_game(Some(settings.line), why)]);
    };
    let start = Start::parse(settings.get("startFen").map_or("", |fen| &fen.value), &board);
    let men = men_of(&settings.layers);
    let mut converter = Converter {
        name,
        settings,
        board,
        men,
        start,
        taken: ["maxFile", "maxRank"].into_iter().collect(),
        notes: Vec::new(),
        refusals: Vec::new(),
        one_sided: Vec::new(),
        n_royals: 1,
        rules: String::new(),
    };
    converter.convert()
}

fn refused(key: &str, setting: Option<&Setting>, why: String) -> Refusal {
    let place = setting.map_or_else(String::new, |setting| setting.origin.clone());
    Refusal { place, key: key.into(), why }
}

impl<'a> Converter<'a> {
    fn convert(&mut self) -> Result<Conversion, Vec<Refusal>> {
        self.leave_out_absent_pawns();
        let royals = self.royals();
        let pawns = self.pawns();
        self.counter(&pawns);
        self.rules(&royals, &pawns);
        let castling = self.castling(&royals);
        let pieces = self.pieces(&royals, &pawns);
        self.leftovers(&pawns);
        if !self.refusals.is_empty() {
            return Err(std::mem::take(&mut self.refusals));
        }
        let first = self.file(&castling, &pieces);
        let (text, variant) = match Variant::parse(&first, self.name) {
            Ok(variant) => (first, variant),
            Err(report) => {
                let without = self.file("castling = false\n", &pieces);
                match Variant::parse(&without, self.name) {
                    Ok(variant) if castling.contains("true") => {
                        self.notes.push(WITHOUT_CASTLING.into());
                        (without, variant)
                    }
                    _ => {
                        let refusal = |fault: &Fault| Refusal {
                            place: String::new(),
                            key: fault.key.clone(),
                            why: fault.message.clone(),
                        };
                        return Err(report.faults().iter().map(refusal).collect());
                    }
                }
            }
        };
        if let Some(pawn) = self.captures_en_passant_here_only(&variant, &pawns) {
            let why = format!("{pawn} may not capture en passant there, and here it may");
            return Err(vec![refused("pawnTypes", self.settings.get("pawnTypes"), why)]);
        }
        if let Some(pawn) = Self::promotes_en_passant(&variant) {
            let why = format!("{pawn} captures en passant on promotion squares, and stays there what it is");
            return Err(vec![refused(
                "promotionRegionWhite",
                self.settings.get("promotionRegionWhite"),
                why,
            )]);
        }
        let (notes, one_sided) = (std::mem::take(&mut self.notes), std::mem::take(&mut self.one_sided));
        Ok(Conversion { text, notes, variant, one_sided })
    }

    /// The value of a key, which is looked at now.
    fn value(&mut self, key: &'a str, default: &'a str) -> &'a str {
        self.taken.insert(key);
        self.settings.get(key).map_or(default, |setting| &setting.value)
    }

    fn is(&mut self, key: &'static str, default: bool) -> bool {
        let value = self.value(key, if default { "true" } else { "false" });
        match value {
            "true" | "false" => value == "true",
            _ => {
                self.refuse(key, format!("{} is neither true nor false", visible(value)));
                default
            }
        }
    }

    fn refuse(&mut self, key: &str, why: String) {
        let refusal = refused(key, self.settings.get(key), why);
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }

    /// A comment that says where a key is written; nothing if it is left out.
    fn from(&self, key: &str) -> String {
        let setting = self.settings.get(key);
        setting
            .map_or_else(String::new, |setting| format!("  # {}: {key} = {}", setting.origin, setting.value))
    }

    fn rule(&mut self, line: &str, key: &str) {
        let from = self.from(key);
        let _ = writeln!(self.rules, "{line}{from}");
    }

    /// Says here what a key says there: variant files have its rule under its name.
    fn take_over(&mut self, key: &str, value: impl Display) {
        self.rule(&format!("{} = {value}", kebab(key)), key);
    }

    /// Takes over a flag if it is not what it is where it is left out.
    fn take_over_flag(&mut self, key: &'static str, default: bool) {
        if self.is(key, default) != default {
            self.take_over(key, !default);
        }
    }

    /// The letters of men that are there, `*` for all. What a section says is of the men that it knows by
    /// these letters, whatever their letters are in the end.
    fn letters(&mut self, key: &'static str, default: &'a str) -> String {
        let value = self.value(key, default);
        if value.trim() == "*" {
            return "*".into();
        }
        let meant: Vec<(char, &str)> = match self.settings.layers_to(key) {
            Some(layers) => men_of(layers).iter().map(|kind| (kind.letter, kind.key)).collect(),
            None => ORTHODOX.to_vec(),
        };
        let mut letters = String::new();
        for letter in value.chars().filter(|letter| !letter.is_whitespace() && *letter != '-') {
            match meant.iter().find(|(own, _)| *own == letter.to_ascii_uppercase()) {
                Some((_, key)) => {
                    letters.extend(self.men.iter().find(|kind| kind.key == *key).map(|kind| kind.letter));
                }
                None => self.refuse(key, format!("no man has the letter {}", visible(&letter.to_string()))),
            }
        }
        letters
    }

    /// The squares of a key; those off the board do not count.
    fn region(&mut self, key: &'a str, default: &'a str) -> SquareSet {
        let value = self.value(key, default);
        let mut region = SquareSet::EMPTY;
        for word in value.to_ascii_lowercase().split_whitespace().filter(|word| *word != "-") {
            match squares_named(&self.board, word) {
                Some(squares) => region = region.union(squares),
                None if is_off_the_board(word) => {}
                None => self.refuse(key, format!("{} names no squares", visible(word))),
            }
        }
        region
    }

    fn names(&self, squares: SquareSet) -> Vec<String> {
        squares.iter().map(|square| self.board.name(square)).collect()
    }

    /// The squares of both sides, each as seen from its end.
    fn of_both(&mut self, [white, black]: [&'static str; 2], defaults: [&'a str; 2]) -> [SquareSet; 2] {
        let own = self.region(white, defaults[0]);
        [own, self.region(black, defaults[1]).mirror_ranks(&self.board)]
    }

    /// The letters of the royal men: the king, and kinds of which the last man is royal.
    fn royals(&mut self) -> String {
        let king: String =
            self.men.iter().filter(|kind| kind.key == "king").map(|kind| kind.letter).collect();
        if !self.is("extinctionPseudoRoyal", false) {
            return king;
        }
        let last_ones = self.letters("extinctionPieceTypes", "");
        let (value, count) = (self.value("extinctionValue", "none"), self.value("extinctionPieceCount", "0"));
        let promotes = self.promotes_to().concat();
        let others = last_ones.chars().filter(|letter| !king.contains(*letter));
        let royals: String = king.chars().chain(others).collect();
        let blasts = royals.len() > 1 && self.is("blastOnCapture", false);
        let n_of = |side: usize| royals.chars().map(|letter| self.start.n_of(letter)[side]).sum::<usize>();
        let n_men = n_of(0);
        let is_alike = !blasts
            && n_of(1) == n_men
            && (n_men == 1 || royals.len() == 1)
            && !royals.chars().any(|letter| promotes.contains(letter));
        let is_last = count.parse::<usize>().is_ok_and(|count| count + 1 == n_men);
        let is_loss = !last_ones.is_empty() && last_ones != "*" && value == "loss";
        let mut kings = king.chars().map(|letter| self.start.n_of(letter));
        if is_loss && !is_alike && kings.next() == Some([1, 1]) {
            // Beside a king men are royal while they are few.
            return king;
        }
        if !is_loss || !is_last || !is_alike {
            let why = "the last men of a kind are royal, and there may be more of it";
            self.refuse("extinctionPseudoRoyal", why.into());
            return king;
        }
        self.n_royals = n_men;
        if n_men > 1 {
            self.rule(&format!("royal-men = {n_men}"), "extinctionPieceCount");
        }
        royals
    }

    fn rules(&mut self, royals: &str, pawn_letters: &str) {
        let counts = self.is("stalematePieceCount", false);
        if counts && self.value("stalemateValue", "draw") != "win" {
            self.refuse("stalematePieceCount", "the side with fewer men does not win".into());
        }
        for (key, default) in [("stalemateValue", "draw"), ("checkmateValue", "loss")] {
            let value = self.value(key, default);
            if value != default && !(counts && key == "stalemateValue") {
                self.take_over(key, format_args!("{value:?}"));
            }
        }
        let n_moves = self.value("nMoveRule", "50");
        if n_moves != "50" {
            self.take_over("nMoveRule", n_moves);
        }
        for (key, default) in [
            ("stalematePieceCount", false),
            ("mustCapture", false),
            ("checking", true),
            ("passOnStalemate", false),
            ("pass", false),
            ("blastOnCapture", false),
        ] {
            self.take_over_flag(key, default);
        }
        if self.is("checkCounting", false) {
            // The position that a game begins with says how many checks win.
            let fen = self.settings.get("startFen").map_or("", |fen| &fen.value);
            // What was given stands behind a `+` of its own, and says nothing of that.
            let left = fen.split_whitespace().skip(2).filter(|field| !field.starts_with('+'));
            match left.filter_map(|field| field.split_once('+')).next().unwrap_or(("3", "3")) {
                (white, black) if white != black => {
                    self.refuse("startFen", "both sides win by the same number of checks here".into());
                }
                (n, _) if n.len() == 1 && ("1"..="9").contains(&n) => self.take_over("checkCounting", n),
                _ => self.refuse("startFen", "one to nine checks win".into()),
            }
        }
        if self.is("pass", false) || self.is("passOnStalemate", false) {
            self.notes
                .push("the n-move rule begins anew when a side passes; here with captures and pawns".into());
        }
        for (key, both) in [
            ("passWhite", "pass"),
            ("passBlack", "pass"),
            ("passOnStalemateWhite", "passOnStalemate"),
            ("passOnStalemateBlack", "passOnStalemate"),
        ] {
            let all = self.is(both, false);
            if self.is(key, all) != all {
                self.refuse(key, "a rule holds for both sides".into());
            }
        }
        let has_king = self.men.iter().any(|kind| kind.key == "king");
        if self.is("blastOnCapture", false) {
            if has_king {
                let why = "explosions are taken over where the royal man is a commoner";
                self.refuse("blastOnCapture", why.into());
            }
            // Of pawns those of the kind of pawns stay, and no others.
            let pawns = self.men.iter().filter(|kind| pawn_letters.contains(kind.letter));
            let (plain, others): (Vec<_>, Vec<_>) = pawns.partition(|kind| kind.key == PAWN);
            match (plain.is_empty(), others.is_empty()) {
                (_, true) => {}
                (true, false) => self.rule("blast-pawns = true", "pawnTypes"),
                (false, false) => self.refuse("pawnTypes", "some pawns explode, and others do not".into()),
            }
        }
        let immune = self.letters("blastImmuneTypes", "");
        if !immune.is_empty() {
            self.take_over("blastImmuneTypes", format_args!("{immune:?}"));
        }
        self.extinction(royals);
        self.goal();
        self.rows();
    }

    fn extinction(&mut self, royals: &str) {
        let value = self.value("extinctionValue", "none");
        let mut types = self.letters("extinctionPieceTypes", "");
        let is_pseudo_royal = self.is("extinctionPseudoRoyal", false);
        if is_pseudo_royal {
            types.retain(|letter| letter == '*' || !royals.contains(letter));
        }
        let is_royal = types.chars().all(|letter| royals.contains(letter));
        let counts = ["extinctionPieceCount", "extinctionOpponentPieceCount"];
        let counts = counts.map(|key| (key, self.value(key, "0")));
        let claim = self.is("extinctionClaim", false);
        if value == "none" || types.is_empty() || is_royal {
            // Without any man a side has no move, and needs no table where that decides. Who takes the
            // last man on a goal or makes a row so wins, though, and an explosion may take all men.
            let stuck = self.value("stalemateValue", "draw");
            let goals = ["flagRegion", "flagRegionWhite", "flagRegionBlack"];
            let has_goal = self.value("connectN", "0") != "0"
                || goals.into_iter().any(|key| !self.region(key, "").is_empty());
            let decides = stuck == "loss" || stuck == "win" && !has_goal;
            if royals.is_empty() && decides && !self.is("blastOnCapture", false) {
                self.rule(&format!("extinction-value = {stuck:?}"), "stalemateValue");
                self.rules += "extinction-piece-types = \"*\"\n";
            }
            return;
        }
        self.take_over("extinctionValue", format_args!("{value:?}"));
        self.take_over("extinctionPieceTypes", format_args!("{types:?}"));
        if is_pseudo_royal {
            // A side has at most sixteen men here, and the other side's do not matter.
            let n = counts[0].1.parse::<u8>().map_or(counts[0].1.into(), |n| n.min(16).to_string());
            self.take_over(counts[0].0, n);
            return self.take_over("extinctionPseudoRoyal", true);
        }
        for (key, n) in counts.into_iter().filter(|(_, n)| *n != "0") {
            self.take_over(key, n);
        }
        if claim {
            self.take_over("extinctionClaim", true);
        }
    }

    fn goal(&mut self) {
        let (both, settings) = (self.value("flagRegion", ""), self.settings);
        let regions = ["flagRegionWhite", "flagRegionBlack"].map(|own| {
            self.taken.insert(own);
            // A section that says it of both sides says it of either.
            let is_of_both = settings.layer_of("flagRegion") > settings.layer_of(own);
            let key = if is_of_both { "flagRegion" } else { own };
            (own, key, self.region(key, both))
        });
        let types = self.letters("flagPiece", "*");
        let asked = ["flagMove", "flagPieceSafe"].map(|key| (key, self.is(key, false)));
        let n_men = self.value("flagPieceCount", "1");
        let blocked_wins = self.is("flagPieceBlockedWin", false);
        for key in ["flagPieceWhite", "flagPieceBlack"] {
            if self.letters(key, "") != types && self.settings.get(key).is_some() {
                self.refuse(key, "the sides win with different men".into());
            }
        }
        if regions.iter().all(|(.., region)| region.is_empty()) {
            return;
        }
        for (own, key, region) in regions.into_iter().filter(|(.., region)| !region.is_empty()) {
            let names = self.names(region).join(" ");
            self.rule(&format!("{} = {names:?}", kebab(own)), key);
        }
        self.take_over("flagPiece", format_args!("{types:?}"));
        if n_men != "1" {
            self.take_over("flagPieceCount", n_men);
            if blocked_wins {
                self.take_over("flagPieceBlockedWin", true);
            }
        }
        for (key, _) in asked.into_iter().filter(|(_, is)| *is) {
            self.take_over(key, true);
        }
    }

    /// Men side by side that win.
    fn rows(&mut self) {
        let n_men = self.value("connectN", "0");
        if n_men == "0" {
            return;
        }
        self.take_over("connectN", n_men);
        if self.value("connectValue", "win") != "win" {
            self.refuse("connectValue", "a row of men wins, and does not lose".into());
        }
        let types = self.letters("connectPieceTypes", "*");
        self.take_over("connectPieceTypes", format_args!("{types:?}"));
        for key in ["connectHorizontal", "connectVertical", "connectDiagonal"] {
            self.take_over_flag(key, true);
        }
    }

    /// The lines of castling.
    fn castling(&mut self, royals: &str) -> String {
        let may = self.is("castling", true) && self.start.has_rights;
        let [kingside, queenside] = [("castlingKingsideFile", "g"), ("castlingQueensideFile", "c")]
            .map(|(key, default)| self.value(key, default));
        let rank = self.value("castlingRank", "1");
        let rooks = self.letters("castlingRookPieces", "r");
        self.taken.extend(["castlingKingPiece", "castlingKingFile"]);
        let rooks_from = ["castlingRookKingsideFile", "castlingRookQueensideFile"];
        self.taken.extend(rooks_from);
        if self.is("chess960", false) {
            self.notes.push("chess960: where the rooks begin, which no table depends on".into());
        }
        let is_usual = rank == "1" && rooks_from.iter().all(|key| self.settings.get(key).is_none());
        let is_usual = is_usual && !self.is("oppositeCastling", false);
        let king =
            royals.chars().next().filter(|_| may && !rooks.is_empty() && is_usual && royals.len() == 1);
        let found = king.and_then(|king| self.start.castling_files(king, &rooks));
        let goals = [kingside, queenside].map(|file| {
            let file = number_or_file(file).filter(|file| (1..=self.board.files()).contains(file));
            file.map(|file| ((b'a' + file as u8 - 1) as char).to_string())
        });
        let (Some((king, [left, right])), [Some(kingside), Some(queenside)]) = (found, goals) else {
            if may {
                self.notes.push(WITHOUT_CASTLING.into());
            }
            return "castling = false\n".into();
        };
        let files = [
            ("castling-king-file", king),
            ("castling-rook-kingside-file", right),
            ("castling-rook-queenside-file", left),
        ];
        let files: String = files
            .iter()
            .map(|(key, file)| format!("{key} = \"{}\"\n", (b'a' + *file as u8) as char))
            .collect();
        let from = self.from("castling");
        format!(
            "castling = true{from}\n{files}castling-kingside-file = {kingside:?}\n\
             castling-queenside-file = {queenside:?}\ncastling-rook-pieces = {rooks:?}\n"
        )
    }

    /// The tables of the men.
    fn pieces(&mut self, royals: &str, pawns: &str) -> String {
        let mut text = String::new();
        let (pawn_kinds, others): (Vec<ManKind<'a>>, Vec<ManKind<'a>>) =
            self.men.clone().into_iter().partition(|kind| pawns.contains(kind.letter));
        let is_royal = |kind: &ManKind<'_>| royals.contains(kind.letter);
        let ordered =
            others.iter().filter(|kind| is_royal(kind)).chain(others.iter().filter(|kind| !is_royal(kind)));
        let mut turned = "";
        for kind in ordered.chain(&pawn_kinds) {
            let (moves, letter) = (MoveText::parse(kind.moves), kind.letter);
            let is_pawn = pawns.contains(letter);
            for (is_so, why) in [
                (moves.other_first, "first moves that no variant file has"),
                (moves.en_passant && !is_pawn && kind.key != PAWN, "captures en passant and never promotes"),
                (moves.other_rides, "a ride or a range that is read there in another way"),
                (kind.key == JANGGI_CANNON, "moves that depend on which men stand in the way"),
                (kind.key == PAWN && !is_pawn, "the moves of a pawn, which promotes there whatever is said"),
            ] {
                if is_so {
                    let why = format!("{letter} has {why}: {}", kind.moves);
                    self.refusals.push(refused(kind.key, self.settings.get(kind.key), why));
                }
            }
            let name =
                if kind.key.starts_with(CUSTOM) { kind.letter.to_string() } else { words_of(kind.key) };
            let _ = write!(
                text,
                "\n[[piece]]  # {}: {}\nletter = \"{}\"\nname = {name:?}\nbetza = {:?}\n",
                kind.origin, kind.key, kind.letter, moves.betza
            );
            if is_royal(kind) {
                text += "royal = true\n";
            }
            let movement = Movement::parse(&moves.betza).ok();
            if movement.is_some_and(|movement| !movement.is_preserved_by(Symmetry::MIRROR_FILES)) {
                turned = "black-turned = true  # as all men are there\n";
            }
            text += &self.regions(kind, is_pawn);
            if is_pawn {
                text += &self.pawn(kind, kind.key == PAWN || moves.double_step);
            } else if moves.double_step {
                let why = format!("{letter} has a double step and never promotes");
                self.refusals.push(refused(kind.key, self.settings.get(kind.key), why));
            }
        }
        self.rules += turned;
        text
    }

    /// The regions to which a kind is kept.
    fn regions(&mut self, kind: &ManKind<'a>, is_pawn: bool) -> String {
        let mut text = String::new();
        for of_side in ["mobilityRegionWhite", "mobilityRegionBlack"] {
            let is_own = |key: &&'a str| {
                key.strip_prefix(of_side).is_some_and(|name| name.eq_ignore_ascii_case(kind.key))
            };
            let Some(key) = self.settings.keys().into_iter().find(is_own) else { continue };
            let region = self.region(key, "");
            // There a region without squares says nothing.
            if region.is_empty() {
                continue;
            }
            if is_pawn {
                self.refuse(key, "pawns are kept to a part of the board".into());
            } else if !self.is("checking", true) {
                self.refuse(key, "no move may give check, and there men check beyond their regions".into());
            }
            let names = self.names(region).join(" ");
            let _ = writeln!(text, "{} = {names:?}{}", kebab(of_side), self.from(key));
        }
        text
    }

    /// Refuses what no variant file has.
    fn leftovers(&mut self, pawns: &str) {
        if pawns.is_empty() {
            self.taken.extend(PAWN_KEYS);
        }
        for key in self.settings.keys() {
            let Some(setting) = self.settings.get(key) else { continue };
            if self.taken.contains(key) || is_kind(key) {
                continue;
            }
            let of_key = LACKING.iter().filter(|(own, ..)| key.starts_with(own));
            if let Some((_, without, why)) = of_key.max_by_key(|(own, ..)| own.len()) {
                if *without != Some(setting.value.as_str()) {
                    self.refuse(key, (*why).into());
                }
            } else if !WITHOUT_EFFECT.iter().any(|own| key.starts_with(own)) {
                self.refuse(key, "this key is not known".into());
            }
        }
    }

    /// The whole file.
    fn file(&self, castling: &str, pieces: &str) -> String {
        let holes: Vec<String> =
            self.start.holes(&self.board).into_iter().map(|square| self.board.name(square)).collect();
        let begins = match self.settings.parents.split_first() {
            None => String::new(),
            Some((first, others)) => {
                let others: String = others.iter().map(|name| format!(", {name} before it")).collect();
                format!("; it begins with {first}{others}")
            }
        };
        let mut text = format!(
            "# Taken over from section [{}] of a variants.ini (line {}){begins}.\n\
             # A comment behind a line says where it comes from.\n\n",
            self.name, self.settings.line
        );
        let _ = write!(
            text,
            "name = {:?}\ndescription = {:?}\nmen-limit = {}\n\n[board]\nfiles = {}{}\nranks = {}{}\n",
            file_name(self.name),
            format!("{}, of a variants.ini", self.name),
            (2 * self.n_royals + 1).clamp(3, 6),
            self.board.files(),
            self.from("maxFile"),
            self.board.ranks(),
            self.from("maxRank"),
        );
        if !holes.is_empty() {
            let _ = writeln!(text, "holes = {holes:?}{}", self.from("startFen"));
        }
        text + "\n[rules]\n" + &self.rules + castling + pieces
    }
}

/// A name as folders have it.
fn file_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c.to_ascii_lowercase() } else { '-' }
    };
    name.chars().map(plain).collect()
}
