//! Reads the `[rules]` table of a variant file, castling included, and refuses keys that contradict each
//! other.
//!
//! A value that cannot be read is a fault, and the rule is then as in chess. `contradiction` checks whether
//! the rules fit the men and each other; checked here is only what is lost once the keys have become rules.
//! A [`Reader`] reads single values: flags, words, counts, letters of men.

use super::piece::PieceDraft;
use super::table::{Faults, Span, Table, Value};
use super::{board, schema};
use crate::contradiction::MOST_ROYAL_MEN;
use crate::{
    Arrival, Blast, Castling, Extinction, Goal, Material, Pass, PieceId, PseudoRoyal, Rules, Stalemate,
    Verdict,
};
use geometry::{Board, SquareSet, Step};

/// The most men that a goal may ask for.
const MOST_ON_A_GOAL: usize = 16;

/// The key that makes men royal instead of extinct.
const PSEUDO_ROYAL: &str = "extinction-pseudo-royal";

/// The rules of a file, with the table in which they stand.
pub(crate) struct RulesDraft<'a> {
    table: Option<Table<'a>>,
    /// The rules; those with faults as in chess.
    pub(crate) rules: Rules,
    /// Whether they are all the file's own, so that they can be checked.
    pub(crate) is_whole: bool,
    /// Where the file begins to have pieces, for faults of rules that it does not give.
    pieces: Span,
}

impl RulesDraft<'_> {
    /// Where a rule stands, and its key: the whole table if the file does not give it.
    pub(crate) fn place_of(&self, key: &str) -> (Span, String) {
        match &self.table {
            Some(table)
                if key == "bare-king" || !table.has("bare-king") || !key.starts_with("extinction") =>
            {
                (table.span_of(key), table.path_of(key))
            }
            // The rule of the bare king is one of extinction under another name.
            Some(table) => (table.span_of("bare-king"), table.path_of("bare-king")),
            None => (self.pieces.clone(), format!("rules.{key}")),
        }
    }
}

/// Reads the rules of a file.
pub(crate) fn read<'a>(
    file: &Table<'a>,
    board: Option<&Board>,
    drafts: &[PieceDraft<'_>],
    faults: &mut Faults<'_>,
) -> RulesDraft<'a> {
    let pieces = drafts.first().map_or(0..0, |first| first.table.span.clone());
    let table = file.table("rules", &schema::RULES, faults);
    let Some(table) = table else {
        return RulesDraft { table, rules: Rules::default(), is_whole: !file.has("rules"), pieces };
    };
    let n_faults = faults.n_faults();
    let mut reader = Reader { table: &table, board, drafts, faults };
    let extinction = reader.extinction();
    let (extinction, pseudo_royal) = match reader.flag(PSEUDO_ROYAL, false) {
        true => (None, reader.pseudo_royal(extinction)),
        false => (extinction, None),
    };
    let rules = Rules {
        stalemate: reader.stalemate(),
        checkmate: reader.verdict("checkmate-value").unwrap_or(Verdict::Loss),
        n_move_rule: reader.n_move_rule(),
        must_capture: reader.flag("must-capture", false),
        checking: reader.flag("checking", true),
        pass: reader.pass(),
        blast: reader.blast(),
        extinction,
        pseudo_royal,
        black_turned: reader.flag("black-turned", false),
        royal_men: reader.royal_men(),
        goal: reader.goals(),
        kept: Vec::new(),
        given_steps: Vec::new(),
        check_counting: reader.check_counting(),
        castling: read_castling(&mut reader),
        helped: false,
    };
    let is_whole = faults.n_faults() == n_faults;
    RulesDraft { table: Some(table), rules, is_whole, pieces }
}

impl Reader<'_, '_, '_> {
    /// How many royal men the sides have: both, or one of them.
    fn royal_men(&mut self) -> [u8; 2] {
        let most = MOST_ROYAL_MEN;
        let both = self.table.number("royal-men", 1..=most, self.faults).map_or(1, |n| n.value);
        ["royal-men-white", "royal-men-black"]
            .map(|key| self.table.number(key, 0..=most, self.faults).map_or(both, |n| n.value) as u8)
    }

    /// What something means for the side to which it happens.
    fn verdict(&mut self, name: &str) -> Option<Verdict> {
        let words = [("loss", Verdict::Loss), ("win", Verdict::Win)];
        self.word(name, &words, "write \"loss\" or \"win\": what it means for the side to which it happens")
    }

    fn stalemate(&mut self) -> Stalemate {
        let words = [("draw", Stalemate::Draw), ("loss", Stalemate::Loss), ("win", Stalemate::Win)];
        let help = "write \"draw\", \"loss\" or \"win\": what it means for the side without a move";
        let value = self.word("stalemate-value", &words, help);
        if !self.flag("stalemate-piece-count", false) {
            return value.unwrap_or(Stalemate::Draw);
        }
        if value.is_some_and(|value| value != Stalemate::Draw) {
            let message = "with `stalemate-piece-count` the side with fewer men wins, whoever has no move";
            self.fault("stalemate-value", message, "keep one of the two");
        }
        Stalemate::FewerMen
    }

    fn n_move_rule(&mut self) -> Option<u16> {
        match self.table.number("n-move-rule", 0..=1000, self.faults) {
            Some(moves) => Some(moves.value as u16).filter(|&n| n > 0),
            None => Rules::default().n_move_rule,
        }
    }

    /// How many checks win; none for no number of them.
    fn check_counting(&mut self) -> Option<u8> {
        let most = usize::from(Material::MOST_CHECKS);
        let checks = self.table.number("check-counting", 0..=most, self.faults)?;
        Some(checks.value as u8).filter(|&n| n > 0)
    }

    fn pass(&mut self) -> Pass {
        match (self.flag("pass", false), self.flag("pass-on-stalemate", false)) {
            (true, true) => {
                let message = "with `pass` a side may pass wherever it likes, stalemated or not";
                self.fault("pass-on-stalemate", message, "keep one of the two");
                Pass::Always
            }
            (true, false) => Pass::Always,
            (false, true) => Pass::OnStalemate,
            (false, false) => Pass::Never,
        }
    }

    fn blast(&mut self) -> Option<Blast> {
        let is_on = self.flag("blast-on-capture", false);
        let mut immune = self.kinds("blast-immune-types").flatten().unwrap_or_default();
        let pawns_explode = self.flag("blast-pawns", false);
        for (key, is_given) in [("blast-immune-types", !immune.is_empty()), ("blast-pawns", pawns_explode)] {
            if is_given && !is_on {
                let message = format!("`{key}` says who explodes, and captures do not explode");
                self.fault(key, message, "leave it out, or write `blast-on-capture = true`");
            }
        }
        if !pawns_explode {
            let pawns = self.drafts.iter().enumerate().filter(|(_, draft)| draft.piece.pawn.is_some());
            immune.extend(pawns.map(|(place, _)| PieceId(place as u8)));
            immune.sort_unstable();
            immune.dedup();
        }
        is_on.then_some(Blast { immune })
    }

    fn extinction(&mut self) -> Option<Extinction> {
        let words = [("none", None), ("loss", Some(Verdict::Loss)), ("win", Some(Verdict::Win))];
        let help = "write \"none\", \"loss\" or \"win\": what it means for the side that has lost its men";
        let value = self.word("extinction-value", &words, help);
        let verdict = value.flatten();
        let kinds = self.kinds("extinction-piece-types");
        let most_men = self.count("extinction-piece-count");
        let opponent_men = self.count("extinction-opponent-piece-count");
        let is_claimed = self.flag("extinction-claim", false);
        let words = [("shatranj", true), ("medina", false)];
        let help = "write \"shatranj\" if a bare king may bare the other in reply, which draws, or \"medina\" if not";
        let bare = self.word("bare-king", &words, help);
        let given = [
            ("extinction-value", verdict.is_some()),
            (
                "extinction-piece-types",
                kinds.as_ref().is_some_and(|kinds| kinds.as_ref() != Some(&Vec::new())),
            ),
            ("extinction-piece-count", most_men > 0),
            ("extinction-opponent-piece-count", opponent_men > 0),
            ("extinction-claim", is_claimed),
        ];
        let given: Vec<&str> =
            given.into_iter().filter_map(|(key, is_given)| is_given.then_some(key)).collect();
        if self.table.has("bare-king") {
            if let Some(key) = given.first() {
                let message = format!("`bare-king` and `{key}` both say when a side has too few men");
                self.fault("bare-king", message, "keep one of them");
            }
            let rule = |is_claimed| Extinction {
                verdict: Verdict::Loss,
                kinds: None,
                most_men: 1,
                opponent_men: 2,
                is_claimed,
            };
            return bare.map(rule);
        }
        let Some(verdict) = verdict else {
            let is_none = value.is_some() || !self.table.has("extinction-value");
            if let Some(key) = given.first().filter(|_| is_none) {
                let message =
                    format!("`{key}` says when a side is extinct, but nothing says what that means");
                self.fault(key, message, "add `extinction-value = \"loss\"` or `\"win\"`");
            }
            return None;
        };
        let kinds = match kinds {
            Some(Some(kinds)) if kinds.is_empty() => None,
            kinds => kinds,
        };
        let Some(kinds) = kinds else {
            let message = "`extinction-value` is given, but not whose extinction it is";
            let help =
                "add `extinction-piece-types`: letters, one of which has to be extinct, or \"*\" for all men";
            if !self.table.has("extinction-piece-types") || self.table.is_string("extinction-piece-types") {
                self.fault("extinction-value", message, help);
            }
            return None;
        };
        Some(Extinction { verdict, kinds, most_men, opponent_men, is_claimed })
    }

    /// Men that are royal from one man more than those with which a side would be extinct.
    fn pseudo_royal(&mut self, extinction: Option<Extinction>) -> Option<PseudoRoyal> {
        match extinction {
            Some(Extinction {
                verdict: Verdict::Loss,
                kinds: Some(kinds),
                most_men,
                opponent_men: 0,
                is_claimed: false,
            }) => Some(PseudoRoyal { kinds, most_men: most_men + 1 }),
            _ => {
                let message = format!("`{PSEUDO_ROYAL}` makes men royal of which a side must not lose some");
                let help = "write `extinction-value = \"loss\"`, their letters in `extinction-piece-types`, and \
                            beside these `extinction-piece-count` at most";
                self.fault(PSEUDO_ROYAL, message, help);
                None
            }
        }
    }

    /// A place to reach or rows to make, if one of them wins.
    fn goals(&mut self) -> Option<Goal> {
        let goal = self.goal();
        let rows = self.rows();
        if goal.is_some() && rows.is_some() {
            let message = "`connect-n` and the squares of `flag-region` both win, and a game has one goal";
            self.fault("connect-n", message, "keep one of the two");
        }
        rows.or(goal)
    }

    /// Men side by side, if they win.
    fn rows(&mut self) -> Option<Goal> {
        let n_men = self.table.number("connect-n", 0..=MOST_ON_A_GOAL, self.faults);
        let kinds = self.kinds("connect-piece-types");
        let ways = [
            ("connect-horizontal", &[Step::new(1, 0)][..]),
            ("connect-vertical", &[Step::new(0, 1)]),
            ("connect-diagonal", &[Step::new(1, 1), Step::new(1, -1)]),
        ];
        let steps: Vec<Step> = ways
            .iter()
            .filter(|(key, _)| self.flag(key, true))
            .flat_map(|(_, steps)| *steps)
            .copied()
            .collect();
        let n_men = match n_men.map(|n_men| n_men.value as u8) {
            None | Some(0) => {
                let keys = ways.iter().map(|(key, _)| *key).chain(["connect-piece-types"]);
                if let Some(key) = keys.into_iter().find(|key| self.table.has(key)) {
                    let message = format!("`{key}` speaks of a row of men, and nothing says how long it is");
                    self.fault(key, message, "add `connect-n`: how many men side by side win");
                }
                return None;
            }
            Some(1) => {
                let message = "`connect-n` is 1, and one man is no row";
                self.fault(
                    "connect-n",
                    message,
                    "name the squares that win in `flag-region`, or ask for 2 men",
                );
                return None;
            }
            Some(n_men) => n_men,
        };
        if kinds.as_ref().is_some_and(|kinds| kinds.as_ref().is_some_and(Vec::is_empty)) {
            self.fault("connect-piece-types", "no kind of men makes a row", "name letters, or \"*\"");
        }
        let rows = Goal::rows(self.board?, n_men, &steps);
        if rows.is_empty() {
            let message = format!("no row of {n_men} squares is on the board");
            self.fault("connect-n", message, "ask for fewer men, or allow another direction of rows");
            return None;
        }
        Some(Goal { kinds: kinds.flatten(), places: [rows.clone(), rows], n_men, arrival: Arrival::AtOnce })
    }

    fn goal(&mut self) -> Option<Goal> {
        let kinds = self.kinds("flag-piece");
        let both = board::read_region(self.table, "flag-region", self.board, self.faults);
        let white = board::read_region(self.table, "flag-region-white", self.board, self.faults);
        let black = board::read_region(self.table, "flag-region-black", self.board, self.faults);
        let flags = ["flag-move", "flag-piece-safe", "flag-piece-blocked-win"];
        let flags = flags.map(|key| (key, self.flag(key, false)));
        let [moves, is_safe, is_filled] = flags.map(|(_, is)| is);
        let n_men = self.table.number("flag-piece-count", 1..=MOST_ON_A_GOAL, self.faults);
        let n_men = n_men.map_or(1, |n_men| n_men.value as u8);
        let named = |squares: Option<SquareSet>| squares.is_some_and(|squares| !squares.is_empty());
        for (key, squares) in [("flag-region-white", white), ("flag-region-black", black)] {
            if named(both) && named(squares) {
                let message = format!("`flag-region` is for both sides, and `{key}` says it again");
                self.fault(key, message, "keep `flag-region` or the two of one side each");
            }
        }
        let regions = ["flag-region", "flag-region-white", "flag-region-black"];
        // A fault has been found already where a region is given but cannot be read.
        let is_faulty = regions
            .into_iter()
            .zip([both, white, black])
            .any(|(key, squares)| self.table.has(key) && squares.is_none());
        if is_faulty {
            return None;
        }
        if ![both, white, black].into_iter().any(named) {
            let more = kinds.as_ref().is_some_and(Option::is_some).then_some("flag-piece");
            // Empty lists are a goal that no man reaches; empty strings are no goal, as in `variants.ini`.
            let empty = regions.into_iter().find(|key| self.table.has(key) && !self.table.is_string(key));
            let count = (n_men > 1).then_some("flag-piece-count");
            let flag = flags.into_iter().find_map(|(key, is)| is.then_some(key));
            let key = empty.or(more).or(count).or(flag);
            if let Some(key) = key {
                let message = format!("`{key}` speaks of a goal, but no square is one");
                self.fault(key, message, "name the squares in `flag-region`, as in [\"d4\", \"e4\"]");
            }
            return None;
        }
        let places = [white, black].map(|own| vec![own.or(both).unwrap_or(SquareSet::EMPTY)]);
        if is_filled && (moves || is_safe) {
            let message = "with `flag-piece-blocked-win` men win with a move of their own, whatever follows";
            self.fault("flag-piece-blocked-win", message, "leave out `flag-move` and `flag-piece-safe`");
        }
        let arrival = match (moves, is_safe) {
            _ if is_filled => Arrival::Filled,
            (false, false) => Arrival::AtOnce,
            (true, false) => Arrival::Answered,
            (false, true) => Arrival::Safe,
            (true, true) => Arrival::SafeOrKept,
        };
        Some(Goal { kinds: kinds.flatten(), places, n_men, arrival })
    }
}

/// The table, with what its values are checked against.
pub(super) struct Reader<'t, 'a, 'f> {
    pub(super) table: &'t Table<'a>,
    pub(super) board: Option<&'t Board>,
    pub(super) drafts: &'t [PieceDraft<'t>],
    pub(super) faults: &'t mut Faults<'f>,
}

impl Reader<'_, '_, '_> {
    /// A fault at a key's value; at the table where it does not give the key.
    pub(super) fn fault(&mut self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        self.table.fault(key, message, help, self.faults);
    }

    pub(super) fn flag(&mut self, name: &str, default: bool) -> bool {
        self.table.boolean(name, self.faults).map_or(default, |value| value.value)
    }

    /// One of these words, if the key is given.
    pub(super) fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)], help: &str) -> Option<T> {
        let value = self.table.string(name, self.faults)?;
        let found = words.iter().find(|(word, _)| *word == value.value);
        if found.is_none() {
            let what = name.strip_suffix("-value").unwrap_or(name);
            let message = format!("{what} cannot be `{}`", value.value.escape_debug());
            self.fault(name, message, help);
        }
        found.map(|(_, meaning)| *meaning)
    }

    pub(super) fn count(&mut self, name: &str) -> u8 {
        self.table.number(name, 0..=16, self.faults).map_or(0, |value| value.value as u8)
    }

    /// The kinds of men whose letters a string lists, in the order of the file; the inner none is all,
    /// `"*"`.
    pub(super) fn kinds(&mut self, name: &str) -> Option<Option<Vec<PieceId>>> {
        let value = self.table.string(name, self.faults)?;
        if value.value == "*" {
            return Some(None);
        }
        let mut kinds = Vec::new();
        for (at, letter) in value.value.char_indices() {
            match self.kind(&value, (at, letter), &kinds) {
                Ok(kind) => kinds.push(kind),
                Err((message, help)) => {
                    let span = self.faults.inside(&value, at..at + letter.len_utf8());
                    self.faults.add(span, &self.table.path_of(name), message, help);
                }
            }
        }
        kinds.sort_unstable();
        Some(Some(kinds))
    }

    /// The kind of this letter, small or not; else what is wrong with it, and what to write.
    fn kind(
        &self,
        value: &Value<'_, String>,
        (_, letter): (usize, char),
        before: &[PieceId],
    ) -> Result<PieceId, (String, String)> {
        let key = value.key.name;
        let is_meant =
            |draft: &PieceDraft<'_>| draft.has_letter && draft.piece.letter == letter.to_ascii_uppercase();
        let Some(place) = self.drafts.iter().position(is_meant) else {
            let known = self.drafts.iter().filter(|draft| draft.has_letter).map(|draft| draft.piece.letter);
            let known: Vec<String> = known.map(String::from).collect();
            let message = format!("`{key}` names `{}`, the letter of no piece", letter.escape_debug());
            return Err((
                message,
                format!("write letters without anything between; there are {}", known.join(", ")),
            ));
        };
        let kind = PieceId(place as u8);
        if before.contains(&kind) {
            return Err((format!("`{key}` names `{letter}` twice"), "name each kind once".into()));
        }
        Ok(kind)
    }
}

const KING: &str = "castling-king-piece";
const ROOKS: &str = "castling-rook-pieces";
const RANK: &str = "castling-rank";
/// Where king and rooks begin; the rooks by wing.
const KING_FILE: &str = "castling-king-file";
const ROOK_FILES: [&str; 2] = ["castling-rook-kingside-file", "castling-rook-queenside-file"];
/// Where the king comes to, by wing.
const KING_TARGETS: [&str; 2] = ["castling-kingside-file", "castling-queenside-file"];
const ANY_FILES: &str = "chess960";

/// The rule of castling, if sides may castle; none where a key has a fault.
///
/// What is left out is as in chess and in Fairy-Stockfish: the royal piece castles with rooks, from the e
/// file to the g and c files, with the rooks of the last and the first file.
fn read_castling(reader: &mut Reader<'_, '_, '_>) -> Option<Castling> {
    let castles = reader.flag("castling", false);
    let any_files = reader.flag(ANY_FILES, false);
    let (files, ranks) = reader.board.map_or((16, 16), |board: &Board| (board.files(), board.ranks()));
    let rank = reader.table.number_or(RANK, 1..=ranks, 1, reader.faults);
    let king_file = file(reader, KING_FILE, 4, files);
    let rook_files = [(ROOK_FILES[0], files - 1), (ROOK_FILES[1], 0)];
    let rook_files = rook_files.map(|(key, usual)| file(reader, key, usual, files));
    let king_targets = [(KING_TARGETS[0], 6), (KING_TARGETS[1], 2)];
    let king_targets = king_targets.map(|(key, usual)| file(reader, key, usual, files));
    let n_faults = reader.faults.n_faults();
    let kings = reader.kinds(KING);
    let has_kings = reader.faults.n_faults() == n_faults;
    let rooks = reader.kinds(ROOKS);
    let begins = [KING_FILE, ROOK_FILES[0], ROOK_FILES[1]];
    if !castles {
        let details = [KING, ROOKS, RANK, KING_TARGETS[0], KING_TARGETS[1]].into_iter().chain(begins);
        let given = details.filter(|key| reader.table.has(key)).chain(any_files.then_some(ANY_FILES)).next();
        if let Some(key) = given {
            let message = format!("`{key}` says how to castle, but nobody castles");
            reader.fault(key, message, "add `castling = true`, or leave it out");
        }
        return None;
    }
    if let Some(key) = begins.into_iter().find(|key| any_files && reader.table.has(key)) {
        let message = format!("with `{ANY_FILES}` king and rooks begin on any files, and `{key}` names one");
        reader.fault(key, message, "keep one of the two");
    }
    let king = if has_kings { king(reader, kings) } else { None };
    let rooks = match rooks {
        Some(Some(rooks)) => Some(rooks),
        Some(None) => {
            reader.fault(ROOKS, "not all men can castle with a king", "name letters, as in \"R\"");
            None
        }
        None if reader.table.has(ROOKS) => None,
        None => rook(reader),
    };
    let [Some(kingside), Some(queenside)] = king_targets else { return None };
    let [Some(rook_kingside), Some(rook_queenside)] = rook_files else { return None };
    Some(Castling {
        king: king?,
        rooks: rooks?,
        rank: rank? - 1,
        king_file: king_file?,
        rook_files: [rook_kingside, rook_queenside],
        king_targets: [kingside, queenside],
        any_files,
    })
}

/// The file that a key names, from 0; the usual one where it is not given, none where it has a fault.
fn file(reader: &mut Reader<'_, '_, '_>, key: &str, usual: usize, files: usize) -> Option<usize> {
    if !reader.table.has(key) {
        return Some(usual);
    }
    let value = reader.table.string(key, reader.faults)?;
    let mut letters = value.value.chars();
    let file = match (letters.next(), letters.next()) {
        (Some(letter), None) => (letter as usize).checked_sub('a' as usize).filter(|&file| file < files),
        _ => None,
    };
    if file.is_none() {
        let last = (b'a' + files as u8 - 1) as char;
        let message = format!("`{}` is no file of the board", value.value.escape_debug());
        reader.fault(key, message, format!("write a letter from \"a\" to \"{last}\""));
    }
    file
}

/// The kind of man that castles as king: as named, or else the royal one.
fn king(reader: &mut Reader<'_, '_, '_>, named: Option<Option<Vec<PieceId>>>) -> Option<PieceId> {
    match named.as_ref().map(|kinds| kinds.as_deref()) {
        Some(Some([king])) => Some(*king),
        Some(_) => {
            reader.fault(KING, "one kind of man castles as king", "write one letter, as in \"K\"");
            None
        }
        None => {
            let royal = reader.drafts.iter().position(|draft| draft.piece.royal);
            if royal.is_none() && reader.drafts.iter().all(|draft| draft.has_royal) {
                let message = "no piece is royal, and nothing says which one castles";
                reader.fault("castling", message, format!("name it, as in `{KING} = \"K\"`"));
            }
            royal.map(|place| PieceId(place as u8))
        }
    }
}

/// The piece lettered R.
fn rook(reader: &mut Reader<'_, '_, '_>) -> Option<Vec<PieceId>> {
    let rook = reader.drafts.iter().position(|draft| draft.has_letter && draft.piece.letter == 'R');
    if rook.is_none() && reader.drafts.iter().all(|draft| draft.has_letter) {
        let message = "no piece has the letter R, and nothing says with which one kings castle";
        reader.fault("castling", message, format!("name it, as in `{ROOKS} = \"C\"`"));
    }
    rook.map(|place| vec![PieceId(place as u8)])
}
