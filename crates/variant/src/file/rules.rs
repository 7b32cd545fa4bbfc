//! Reads the `[rules]` table of a variant file, and refuses keys that contradict each other.
//!
//! A value that cannot be read is a fault, and the rule is then as in chess. `contradiction` checks whether
//! the rules fit the men and each other; checked here is only what is lost once the keys have become rules.

use super::piece::PieceDraft;
use super::reader::Reader;
use super::table::{Faults, Span, Table};
use super::{castling, region, schema};
use crate::{Blast, Extinction, Goal, Pass, Rules, Stalemate, Verdict};
use geometry::{Board, SquareSet};

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
    let rules = Rules {
        stalemate: reader.stalemate(),
        checkmate: reader.verdict("checkmate-value").unwrap_or(Verdict::Loss),
        n_move_rule: reader.n_move_rule(),
        must_capture: reader.flag("must-capture", false),
        checking: reader.flag("checking", true),
        pass: reader.pass(),
        blast: reader.blast(),
        extinction: reader.extinction(),
        goal: reader.goal(),
        kept: Vec::new(),
        given_steps: Vec::new(),
        castling: castling::read(&mut reader),
    };
    let is_whole = faults.n_faults() == n_faults;
    RulesDraft { table: Some(table), rules, is_whole, pieces }
}

impl Reader<'_, '_, '_> {
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
        let immune = self.kinds("blast-immune-types").flatten().unwrap_or_default();
        if !is_on && !immune.is_empty() {
            let message = "nobody needs to be immune where captures do not explode";
            self.fault("blast-immune-types", message, "leave it out, or write `blast-on-capture = true`");
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

    fn goal(&mut self) -> Option<Goal> {
        let kinds = self.kinds("flag-piece");
        let both = region::read(self.table, "flag-region", self.board, self.faults);
        let white = region::read(self.table, "flag-region-white", self.board, self.faults);
        let black = region::read(self.table, "flag-region-black", self.board, self.faults);
        let is_answered = self.flag("flag-move", false);
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
            let is_asked = |key: &&str| self.table.has(key) && (*key != "flag-move" || is_answered);
            let more = kinds.as_ref().is_some_and(Option::is_some).then_some("flag-piece");
            // Empty lists are a goal that nobody reaches; empty strings are no goal, as in `variants.ini`.
            let empty = regions.into_iter().find(|key| self.table.has(key) && !self.table.is_string(key));
            let key = empty.or(more).or(Some("flag-move").filter(is_asked));
            if let Some(key) = key {
                let message = format!("`{key}` speaks of a goal, but no square is one");
                self.fault(key, message, "name the squares in `flag-region`, as in [\"d4\", \"e4\"]");
            }
            return None;
        }
        let squares = [white, black].map(|own| own.or(both).unwrap_or(SquareSet::EMPTY));
        Some(Goal { kinds: kinds.flatten(), squares, is_answered })
    }
}
