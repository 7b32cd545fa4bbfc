//! Lists the words of the language: what a reader of queries knows is what the help prints.

use table::Value;

/// A word of the language, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word {
    /// How it is written, other forms behind commas.
    pub forms: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What has to be looked at: `code` (the stored value alone), `squares`, `moves`, `line`.
    pub cost: &'static str,
}

/// What a word is, for the parser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Term {
    And,
    Or,
    Not,
    In,
    At,
    On,
    All,
    WhiteToMove,
    BlackToMove,
    Subject(Subject),
    Result(Results),
    Stalemate,
    Mate,
    Legal,
    Check,
    MutualZugzwang,
    Zugzwang,
    Kind(ZugzwangKinds),
    Turn(Turn),
    Plies,
    MoveNumber(MoveNumber),
    LineNumber(LineNumber),
    Unique,
    Underpromotion,
    MoveTest(Choice, Trait),
    Distance,
    FileOf,
    RankOf,
    Rank,
    File,
    Zone(Zone),
    None,
}

/// Whose result is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Mover,
    Opponent,
    White,
    Black,
}

/// A set of results, as seen by the side that is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Results(u8);

impl Results {
    pub(crate) const WIN: Results = Results(1);
    pub(crate) const CURSED: Results = Results(2);
    const PLAIN_DRAW: Results = Results(4);
    pub(crate) const BLESSED: Results = Results(8);
    pub(crate) const LOSS: Results = Results(16);
    /// All that is a draw once the n-move rule is looked at.
    const DRAW: Results = Results(Results::CURSED.0 | Results::PLAIN_DRAW.0 | Results::BLESSED.0);

    /// The result of a legal value; `is_cursed` says whether the n-move rule draws it.
    pub(crate) fn of(value: Value, is_cursed: bool) -> Option<Results> {
        Some(match (value.wdl()?, is_cursed) {
            (1, false) => Results::WIN,
            (1, true) => Results::CURSED,
            (-1, false) => Results::LOSS,
            (-1, true) => Results::BLESSED,
            _ => Results::PLAIN_DRAW,
        })
    }

    /// These results as the other side sees them.
    pub(crate) fn of_opponent(self) -> Results {
        let Results(bits) = self;
        Results((bits & 1) << 4 | (bits & 2) << 2 | bits & 4 | (bits & 8) >> 2 | (bits & 16) >> 4)
    }

    pub(crate) fn has(self, one: Results) -> bool {
        self.0 & one.0 != 0
    }
}

/// Which mutual zugzwangs are meant: bits by the number of [`crate::condition`]'s kinds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ZugzwangKinds(pub(crate) u8);

impl ZugzwangKinds {
    /// The side to move loses.
    const FULL_POINT: ZugzwangKinds = ZugzwangKinds(1);
    /// White to move draws, Black to move loses.
    const WHITE: ZugzwangKinds = ZugzwangKinds(2);
    /// White to move loses, Black to move draws.
    const BLACK: ZugzwangKinds = ZugzwangKinds(4);
    pub(crate) const ALL: ZugzwangKinds = ZugzwangKinds(7);

    /// The kind of these results (1, 0, −1) for White and Black, each being to move.
    pub(crate) fn of(white: i8, black: i8) -> Option<ZugzwangKinds> {
        match (white, black) {
            (-1, -1) => Some(ZugzwangKinds::FULL_POINT),
            (0, -1) => Some(ZugzwangKinds::WHITE),
            (-1, 0) => Some(ZugzwangKinds::BLACK),
            _ => None,
        }
    }

    pub(crate) fn has(self, one: ZugzwangKinds) -> bool {
        self.0 & one.0 != 0
    }
}

/// With whom to move a condition is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    White,
    Black,
    Both,
    Other,
}

/// A number of legal moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MoveNumber {
    Count,
    Winning,
    Drawing,
    Losing,
    Keeping,
    KeepingCaptures,
    Best,
    Captures,
    Promotions,
    Checks,
}

/// Moves that are looked at together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    /// Those that keep the result and are as quick, or as slow, as any.
    Best,
    /// Those that keep the result.
    Keeping,
}

/// More helpmates are not counted.
const MAX_SOLUTIONS: u32 = 1000;

/// What is counted along the lines from a position on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineNumber {
    /// The only moves in a row of the winner.
    OnlyMoves,
    /// The shortest helpmates, as far as this number.
    Solutions { most: u32 },
}

/// What all moves of a choice have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trait {
    Promotes,
    Captures,
    Checks,
    Man,
    From,
    To,
}

/// Squares of any board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Zone {
    Light,
    Dark,
    Edge,
    Corner,
}

/// Every word, in the order of the help.
pub(crate) const TERMS: &[(&str, Term)] = &[
    ("and", Term::And),
    ("but", Term::And),
    ("or", Term::Or),
    ("not", Term::Not),
    ("in", Term::In),
    ("at", Term::At),
    ("on", Term::On),
    ("all", Term::All),
    ("wtm", Term::WhiteToMove),
    ("btm", Term::BlackToMove),
    ("stm", Term::Subject(Subject::Mover)),
    ("opponent", Term::Subject(Subject::Opponent)),
    ("white", Term::Subject(Subject::White)),
    ("black", Term::Subject(Subject::Black)),
    ("win", Term::Result(Results::WIN)),
    ("wins", Term::Result(Results::WIN)),
    ("won", Term::Result(Results::WIN)),
    ("draw", Term::Result(Results::DRAW)),
    ("draws", Term::Result(Results::DRAW)),
    ("drawn", Term::Result(Results::DRAW)),
    ("loss", Term::Result(Results::LOSS)),
    ("loses", Term::Result(Results::LOSS)),
    ("lost", Term::Result(Results::LOSS)),
    ("cursed-win", Term::Result(Results::CURSED)),
    ("blessed-loss", Term::Result(Results::BLESSED)),
    ("stalemate", Term::Stalemate),
    ("mate", Term::Mate),
    ("check", Term::Check),
    ("legal", Term::Legal),
    ("mutual-zugzwang", Term::MutualZugzwang),
    ("zugzwang", Term::Zugzwang),
    ("full-point", Term::Kind(ZugzwangKinds::FULL_POINT)),
    ("for-white", Term::Kind(ZugzwangKinds::WHITE)),
    ("for-black", Term::Kind(ZugzwangKinds::BLACK)),
    ("if-wtm", Term::Turn(Turn::White)),
    ("if-btm", Term::Turn(Turn::Black)),
    ("both", Term::Turn(Turn::Both)),
    ("turned", Term::Turn(Turn::Other)),
    ("plies", Term::Plies),
    ("moves.count", Term::MoveNumber(MoveNumber::Count)),
    ("moves.winning", Term::MoveNumber(MoveNumber::Winning)),
    ("moves.drawing", Term::MoveNumber(MoveNumber::Drawing)),
    ("moves.losing", Term::MoveNumber(MoveNumber::Losing)),
    ("moves.keeping", Term::MoveNumber(MoveNumber::Keeping)),
    ("moves.keeping-captures", Term::MoveNumber(MoveNumber::KeepingCaptures)),
    ("moves.best", Term::MoveNumber(MoveNumber::Best)),
    ("moves.captures", Term::MoveNumber(MoveNumber::Captures)),
    ("moves.promotions", Term::MoveNumber(MoveNumber::Promotions)),
    ("moves.checks", Term::MoveNumber(MoveNumber::Checks)),
    ("only-move-line", Term::LineNumber(LineNumber::OnlyMoves)),
    ("solutions", Term::LineNumber(LineNumber::Solutions { most: MAX_SOLUTIONS })),
    ("unique", Term::Unique),
    ("underpromotion", Term::Underpromotion),
    ("best.promotes", Term::MoveTest(Choice::Best, Trait::Promotes)),
    ("best.captures", Term::MoveTest(Choice::Best, Trait::Captures)),
    ("best.checks", Term::MoveTest(Choice::Best, Trait::Checks)),
    ("best.man", Term::MoveTest(Choice::Best, Trait::Man)),
    ("best.from", Term::MoveTest(Choice::Best, Trait::From)),
    ("best.to", Term::MoveTest(Choice::Best, Trait::To)),
    ("keeping.promotes", Term::MoveTest(Choice::Keeping, Trait::Promotes)),
    ("keeping.captures", Term::MoveTest(Choice::Keeping, Trait::Captures)),
    ("keeping.checks", Term::MoveTest(Choice::Keeping, Trait::Checks)),
    ("keeping.man", Term::MoveTest(Choice::Keeping, Trait::Man)),
    ("keeping.from", Term::MoveTest(Choice::Keeping, Trait::From)),
    ("keeping.to", Term::MoveTest(Choice::Keeping, Trait::To)),
    ("distance", Term::Distance),
    ("file-of", Term::FileOf),
    ("rank-of", Term::RankOf),
    ("rank", Term::Rank),
    ("file", Term::File),
    ("light", Term::Zone(Zone::Light)),
    ("dark", Term::Zone(Zone::Dark)),
    ("edge", Term::Zone(Zone::Edge)),
    ("corner", Term::Zone(Zone::Corner)),
    ("none", Term::None),
];

/// The meaning of a word, if it has one.
pub(crate) fn term(word: &str) -> Option<Term> {
    TERMS.iter().find(|(form, _)| *form == word).map(|&(_, term)| term)
}

/// Whether a word of the language begins so; metrics have no hyphens.
pub(crate) fn is_beginning(part: &str) -> bool {
    TERMS.iter().any(|(form, _)| {
        form.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
    })
}

/// The word that was likely meant.
pub(crate) fn nearest(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let forms =
        || TERMS.iter().map(|&(form, _)| form).chain(["dtm", "dtm50", "dtc", "dtz", "dtz50", "wdl", "help"]);
    let is_begun = |form: &&str| {
        (lower.len() >= 4 && form.starts_with(&lower)) || (form.len() >= 3 && lower.starts_with(*form))
    };
    let close = || {
        let near = forms().map(|form| (distance(&lower, form), form)).min()?;
        (near.0 <= 2 && near.0 * 2 < lower.chars().count().max(3)).then_some(near.1)
    };
    close().or_else(|| forms().find(is_begun))
}

/// How many characters must be changed, put in or taken out to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let change = before + usize::from(ca != *cb);
            before = row[j + 1];
            row[j + 1] = change.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// All words with their meanings, as `find --words` prints them.
#[must_use]
pub fn words() -> &'static [Word] {
    const fn word(forms: &'static str, cost: &'static str, meaning: &'static str) -> Word {
        Word { forms, meaning, cost }
    }
    const WORDS: &[Word] = &[
        word("and, but", "", "both conditions hold"),
        word("or", "", "one of them holds; `and` binds closer"),
        word("not", "", "the condition does not hold"),
        word("wtm, btm", "code", "White, Black is to move; `wtm win` is short for `wtm and win`"),
        word("win, wins, won", "code", "the side to move wins; `white wins`, `opponent wins`: another side"),
        word("draw, draws, drawn", "code", "a draw, in dtz50 also by the n-move rule"),
        word("loss, loses, lost", "code", "the side to move loses"),
        word("cursed-win, blessed-loss", "code", "a win, a loss that the n-move rule draws (dtz50)"),
        word("… in METRIC", "code", "the result by another table: `drawn in dtz50`"),
        word("stm, opponent, white, black", "code", "whose result: `stm loses`, `white wins`"),
        word("stalemate", "code", "a draw without a legal move"),
        word("mate", "code", "the side to move is mated"),
        word("legal", "code", "the position is legal, which all are but turned ones"),
        word("plies", "code", "the distance by the search's metric; in a draw there is none"),
        word("dtm, dtc, dtz, dtz50", "code", "the distance by this metric, in plies"),
        word("dtm50 at N", "code", "plies to mate under the n-move rule, its clock at N (0 if left out)"),
        word("help", "code", "the plies in which White can mate with Black's help"),
        word("mutual-zugzwang", "code", "either side does worse if it is its turn"),
        word("… full-point", "code", "of these: whoever is to move loses"),
        word(
            "… for-white, for-black",
            "code",
            "of these: White (Black) wins if the other is to move, else a draw",
        ),
        word("zugzwang", "code", "the side to move would do better if it could pass"),
        word("both(…)", "code", "the condition holds with White and with Black to move"),
        word("if-wtm(…), if-btm(…)", "code", "it holds with White, with Black to move, whoever is"),
        word("turned(…)", "code", "it holds with the other side to move"),
        word(
            "K on d4, K on d4..e5",
            "squares",
            "a man of this FEN letter stands there: a square, a rectangle",
        ),
        word("… on rank 7, on file a..c", "squares", "ranks and files, from White's side"),
        word("… on light, dark, edge, corner", "squares", "squares of a kind; `{a1, rank 8}` joins sets"),
        word("all P on …", "squares", "each man of this letter stands there"),
        word("distance(K, k)", "squares", "how many steps a king takes from one man to the other, the least"),
        word("file-of(K), rank-of(K)", "squares", "the file, the rank, from 1; of several men the first"),
        word("check", "squares", "the side to move is in check"),
        word("moves.count", "moves", "the number of legal moves"),
        word("moves.winning, .drawing, .losing", "moves", "the number of moves with this result"),
        word("moves.keeping", "moves", "the number of moves that keep the result"),
        word("moves.keeping-captures", "moves", "those of them that capture"),
        word("moves.best", "moves", "those that keep it and are as quick, lost as slow, as any"),
        word("moves.captures, .promotions, .checks", "moves", "the number of such moves"),
        word("best.promotes, keeping.promotes", "moves", "all such moves promote; `== 'N'`: to a knight"),
        word(
            "best.captures, keeping.captures",
            "moves",
            "all such moves capture; `== 'Q'`: a queen; `== none`",
        ),
        word("best.checks, keeping.checks", "moves", "all such moves give check"),
        word("best.man, keeping.man", "moves", "who makes all such moves: `== 'K'`"),
        word(
            "best.from, best.to, keeping.…",
            "moves",
            "where all such moves begin, end: `best.to on rank 8`",
        ),
        word(
            "underpromotion",
            "moves",
            "all moves that keep the result promote, and not to the first of the rules",
        ),
        word("only-move-line", "line", "how many only moves in a row the winner has, from here on"),
        word("solutions", "line", "how many helpmates are as short as any; 1000 stands for more"),
        word("unique", "line", "there is one such helpmate: `solutions == 1`"),
        word("=, ==, !=, <, <=, >, >=", "", "compare numbers; what has no number fails"),
        word("+, -, *", "", "calculate: `dtm - dtc > 20`"),
    ];
    WORDS
}
