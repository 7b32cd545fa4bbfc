//! Names the men that such files have, and turns their moves into those of a variant file.

use super::settings::Layer;
use std::collections::BTreeMap;

/// A kind of men of the game.
#[derive(Clone, Debug)]
pub(super) struct ManKind<'a> {
    pub(super) letter: char,
    pub(super) key: &'a str,
    /// Its moves as the file has them.
    pub(super) moves: &'a str,
    pub(super) origin: &'a str,
}

/// The kinds of men that are there in the end, the strongest first; a letter goes to the kind that has it
/// last.
pub(super) fn men_of<'a>(layers: &[&'a Layer]) -> Vec<ManKind<'a>> {
    let mut by_key: BTreeMap<&str, ManKind<'a>> = BTreeMap::new();
    // In a section custom kinds come behind the others, and the king last.
    let place = |key: &str| (key == "king", key.starts_with(CUSTOM));
    for layer in layers {
        let mut kinds: Vec<_> = layer.iter().filter(|(key, _)| is_kind(key)).collect();
        kinds.sort_by_key(|(key, _)| place(key));
        for (key, setting) in kinds {
            let (letter, moves) = setting.value.split_once(':').unwrap_or((&setting.value, ""));
            by_key.remove(key.as_str());
            let mut letters = letter.trim().chars().filter(char::is_ascii_alphabetic);
            let Some(letter) = letters.next().map(|letter| letter.to_ascii_uppercase()) else { continue };
            by_key.retain(|_, kind| kind.letter != letter);
            // Moves of the other kinds are not read.
            let is_own = key.starts_with(CUSTOM) || key == "king";
            let moves = if moves.is_empty() || !is_own { default_moves(key) } else { moves.trim() };
            by_key.insert(key, ManKind { letter, key, moves, origin: &setting.origin });
        }
    }
    let mut men: Vec<ManKind<'a>> = by_key.into_values().collect();
    let rank = |kind: &ManKind<'_>| {
        let place = KINDS.iter().position(|(own, _)| *own == kind.key);
        // Custom men come behind those that are stronger than a knight.
        (kind.key == PAWN, kind.letter != 'K', place.unwrap_or(16), kind.key.len(), kind.key.to_owned())
    };
    men.sort_by_cached_key(rank);
    men
}

/// All kinds of men but the custom ones, by their keys, with their moves as a variant file has them; the
/// strongest first, as the names of tables have them.
pub(super) const KINDS: [(&str, &str); 36] = [
    ("king", "K"),
    ("amazon", "QN"),
    ("queen", "Q"),
    ("chancellor", "RN"),
    ("archbishop", "BN"),
    ("banner", "RcpRnN"),
    ("aiwok", "RNF"),
    ("bers", "RF"),
    ("rook", "R"),
    ("dragonHorse", "BW"),
    ("centaur", "KN"),
    ("rookni", "mRcN"),
    ("kniroo", "mNcR"),
    ("cannon", "mRcpR"),
    (JANGGI_CANNON, "pR"),
    ("bishop", "B"),
    ("knight", "N"),
    ("biskni", "mBcN"),
    ("knibis", "mNcB"),
    ("commoner", "K"),
    ("horse", "nN"),
    ("janggiElephant", "nZ"),
    ("gold", "WfF"),
    ("silver", "FfW"),
    ("fersAlfil", "FA"),
    ("fers", "F"),
    ("wazir", "W"),
    ("alfil", "A"),
    ("elephant", "nA"),
    ("shogiKnight", "fN"),
    ("lance", "fR"),
    ("soldier", "fsW"),
    ("clobber", "cW"),
    ("breakthrough", "fmWfF"),
    ("shogiPawn", "fW"),
    ("immobile", ""),
];

/// The key of cannons that pass over no other cannon and take none.
pub(super) const JANGGI_CANNON: &str = "janggiCannon";

/// The key of pawns, whose double step is a rule of its own.
pub(super) const PAWN: &str = "pawn";

/// The moves of a pawn without its double step.
const PAWN_STEPS: &str = "fmWfcF";

/// How the keys of custom kinds begin; a number follows.
pub(super) const CUSTOM: &str = "customPiece";

/// Whether a key names a kind of men.
pub(super) fn is_kind(key: &str) -> bool {
    key == PAWN
        || key.strip_prefix(CUSTOM).is_some_and(|n| n.parse::<u8>().is_ok())
        || KINDS.iter().any(|(own, _)| *own == key)
}

/// The moves of a kind where a section does not give them.
pub(super) fn default_moves(key: &str) -> &'static str {
    let kind = KINDS.iter().find(|(own, _)| *own == key);
    kind.map_or(if key == PAWN { PAWN_STEPS } else { "" }, |(_, betza)| betza)
}

/// Moves in the notation of such a file.
#[derive(Default)]
pub(super) struct MoveText {
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

impl MoveText {
    /// Reads moves term by term.
    pub(super) fn parse(text: &str) -> Self {
        let mut moves = MoveText::default();
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
            let is_ride = n_digits > 0 || term.matches(letter).count() > 1;
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
