//! Reads the keys of castling from the `[rules]` table.
//!
//! What is left out is as in chess and in Fairy-Stockfish: the royal piece castles with rooks, from the e
//! file to the g and c files, with the rooks of the last and the first file.

use super::reader::Reader;
use crate::{Castling, PieceId};
use geometry::Board;

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
pub(super) fn read(reader: &mut Reader<'_, '_, '_>) -> Option<Castling> {
    let castles = reader.flag("castling", false);
    let any_files = reader.flag(ANY_FILES, false);
    let (files, ranks) = reader.board.map_or((16, 16), |board: &Board| (board.files(), board.ranks()));
    let rank = match reader.table.number(RANK, 1..=ranks, reader.faults) {
        Some(rank) => Some(rank.value - 1),
        None => (!reader.table.has(RANK)).then_some(0),
    };
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
        rank: rank?,
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
