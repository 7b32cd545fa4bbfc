//! Names the men that such files have, and turns their moves into those of a variant file.

/// A kind of men.
pub(super) struct Kind {
    /// Its key.
    pub(super) key: &'static str,
    /// Its moves as a variant file has them.
    pub(super) betza: &'static str,
}

/// All kinds but the custom ones, the strongest first: so the names of tables have them.
pub(super) const KINDS: [Kind; 36] = [
    Kind { key: "king", betza: "K" },
    Kind { key: "amazon", betza: "QN" },
    Kind { key: "queen", betza: "Q" },
    Kind { key: "chancellor", betza: "RN" },
    Kind { key: "archbishop", betza: "BN" },
    Kind { key: "banner", betza: "RcpRnN" },
    Kind { key: "aiwok", betza: "RNF" },
    Kind { key: "bers", betza: "RF" },
    Kind { key: "rook", betza: "R" },
    Kind { key: "dragonHorse", betza: "BW" },
    Kind { key: "centaur", betza: "KN" },
    Kind { key: "rookni", betza: "mRcN" },
    Kind { key: "kniroo", betza: "mNcR" },
    Kind { key: "cannon", betza: "mRcpR" },
    Kind { key: JANGGI_CANNON, betza: "pR" },
    Kind { key: "bishop", betza: "B" },
    Kind { key: "knight", betza: "N" },
    Kind { key: "biskni", betza: "mBcN" },
    Kind { key: "knibis", betza: "mNcB" },
    Kind { key: "commoner", betza: "K" },
    Kind { key: "horse", betza: "nN" },
    Kind { key: "janggiElephant", betza: "nZ" },
    Kind { key: "gold", betza: "WfF" },
    Kind { key: "silver", betza: "FfW" },
    Kind { key: "fersAlfil", betza: "FA" },
    Kind { key: "fers", betza: "F" },
    Kind { key: "wazir", betza: "W" },
    Kind { key: "alfil", betza: "A" },
    Kind { key: "elephant", betza: "nA" },
    Kind { key: "shogiKnight", betza: "fN" },
    Kind { key: "lance", betza: "fR" },
    Kind { key: "soldier", betza: "fsW" },
    Kind { key: "clobber", betza: "cW" },
    Kind { key: "breakthrough", betza: "fmWfF" },
    Kind { key: "shogiPawn", betza: "fW" },
    Kind { key: "immobile", betza: "" },
];

/// The key of cannons that pass over no other cannon and take none.
pub(super) const JANGGI_CANNON: &str = "janggiCannon";

/// The key of pawns, whose double step is a rule of its own.
pub(super) const PAWN: &str = "pawn";

/// The moves of a pawn without its double step.
pub(super) const PAWN_STEPS: &str = "fmWfcF";

/// How the keys of custom kinds begin; a number follows.
pub(super) const CUSTOM: &str = "customPiece";

/// Moves in the notation of such a file.
#[derive(Default)]
pub(super) struct Moves {
    /// Without first moves and without the mark for captures en passant.
    pub(super) betza: String,
    /// Whether the first move may be a double step forward (`ifmnD`).
    pub(super) double_step: bool,
    /// Whether there are other first moves, which no variant file has.
    pub(super) other_first: bool,
    /// Whether there are captures en passant.
    pub(super) en_passant: bool,
    /// Whether there are rides or ranges that are read there in another way.
    pub(super) other_rides: bool,
}

impl Moves {
    /// Reads moves term by term.
    pub(super) fn parse(text: &str) -> Self {
        let mut moves = Moves::default();
        let mut modifiers = String::new();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            if !letter.is_ascii_uppercase() {
                modifiers.push(letter);
                continue;
            }
            let mut term = std::mem::take(&mut modifiers);
            let is_first = term.contains('i');
            moves.en_passant |= term.contains('e');
            term.retain(|modifier| modifier != 'i' && modifier != 'e');
            let mut sorted: Vec<char> = term.chars().collect();
            sorted.sort_unstable();
            term.push(letter);
            while let Some(more) = letters.next_if(|c| c.is_ascii_digit() || *c == letter) {
                term.push(more);
            }
            let n_digits = term.chars().filter(char::is_ascii_digit).count();
            let is_ride =
                n_digits > 0 || term.ends_with([letter, letter]) && term.matches(letter).count() > 1;
            moves.other_rides |= n_digits > 1 || is_ride && !"WFNRBQ".contains(letter);
            match is_first {
                false => moves.betza += &term,
                true if sorted == ['f', 'm', 'n'] && term.ends_with('D') => moves.double_step = true,
                true => moves.other_first = true,
            }
        }
        moves.betza += &modifiers;
        moves
    }
}

/// `dragonHorse` as words.
pub(super) fn words_of(key: &str) -> String {
    let mut words = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}
