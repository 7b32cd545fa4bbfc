//! A folder of Syzygy files: a position in, its WDL and DTZ out, as every reader of these files finds them.
//!
//! A file does not hold what a capture decides, holds distances for one side to move, and knows no right to
//! capture en passant. So a value is the best of what the captures lead to and what the file says, and where
//! the file has the other side to move, of what the moves lead to. Where captures are compulsory, those en
//! passant too, a file is asked for positions without a capture only.

use crate::board::{Board, ByMen};
use crate::error::SyzygyError;
use crate::reader::{Stored, SyzygyFile, Unreadable};
use crate::{Kind, Score};
use format::rules_hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use variant::{Material, Metric, Variant};

/// A distance beyond the fifty-move rule.
const RULE_PLIES: i32 = crate::RULE_PLIES as i32;

/// Up to so many men a file's values are all unpacked when it is opened for many positions.
const MAX_MEN_UNPACKED: usize = 4;

/// A folder of files, for any number of threads. A file is read when the first position of its men is asked
/// for.
#[derive(Debug)]
pub struct SyzygyTablebase {
    folder: PathBuf,
    /// Whose rules files of games of their own must have; nobody's positions are looked up in them otherwise.
    variant: Option<Variant>,
    unpacks: bool,
    files: [RwLock<ByMen<Arc<SyzygyFile>>>; 2],
}

/// What a capture says of a position.
struct Resolved {
    wdl: i32,
    /// Whether a capture is as good as anything else, and wins.
    by_capture: bool,
}

impl SyzygyTablebase {
    /// Opens a folder, to be asked for some positions.
    #[must_use]
    pub fn open(folder: &Path) -> Self {
        SyzygyTablebase {
            folder: folder.to_path_buf(),
            variant: None,
            unpacks: false,
            files: Default::default(),
        }
    }

    /// The same, to be asked for very many positions: files of up to four men are unpacked.
    #[must_use]
    pub fn open_for_all(folder: &Path) -> Self {
        SyzygyTablebase { unpacks: true, ..SyzygyTablebase::open(folder) }
    }

    /// The same, to be asked for positions of a game of its own too.
    #[must_use]
    pub fn of_game(self, variant: &Variant) -> Self {
        SyzygyTablebase { variant: Some(variant.clone()), ..self }
    }

    /// 2 if the side to move wins, 1 for a cursed win, 0 for a draw, −1 for a blessed loss, −2 for a loss; as
    /// if the clock stood at zero. The position must be legal.
    ///
    /// # Errors
    /// A file that is needed is not there, or damaged.
    pub fn wdl(&self, board: &Board) -> Result<i32, SyzygyError> {
        if board.family().must_capture() {
            return Ok(self.resolved(board, -2, 2)?.wdl);
        }
        if !board.family().looks_at_moves() {
            return self.stored_wdl(board);
        }
        let own = self.resolved(&board.without_en_passant(), -2, 2)?.wdl;
        Ok(match self.best_en_passant(board)? {
            Some(best) if best > own || !has_other_move(board) => best,
            _ => own,
        })
    }

    /// Plies to the next capture or pawn move, or to mate: positive if the side to move wins, 0 for a draw;
    /// more than 100 for a cursed win or a blessed loss. Mate itself is −1. The position must be legal.
    ///
    /// # Errors
    /// As [`SyzygyTablebase::wdl`].
    pub fn dtz(&self, board: &Board) -> Result<i32, SyzygyError> {
        if board.family().must_capture() || !board.family().looks_at_moves() {
            return self.dtz_by_files(board);
        }
        let own = self.dtz_by_files(&board.without_en_passant())?;
        Ok(match self.best_en_passant(board)?.map(before_zeroing) {
            Some(best) if preference(best) > preference(own) || !has_other_move(board) => best,
            _ => own,
        })
    }

    /// Both at once.
    ///
    /// # Errors
    /// As [`SyzygyTablebase::wdl`].
    pub fn score(&self, board: &Board) -> Result<Score, SyzygyError> {
        Ok(Score { wdl: self.wdl(board)?, dtz: self.dtz(board)? })
    }

    /// Whether the distances of a position's men are counted in plies, and not rounded to moves.
    ///
    /// # Errors
    /// As [`SyzygyTablebase::wdl`].
    pub fn counts_plies(&self, board: &Board) -> Result<bool, SyzygyError> {
        Ok(is_bare(board) || self.file(Kind::Dtz, board)?.counts_plies())
    }

    /// What the best legal capture en passant leads to, if there is one.
    fn best_en_passant(&self, board: &Board) -> Result<Option<i32>, SyzygyError> {
        let mut best = None;
        if board.passed().is_none() {
            return Ok(best);
        }
        let mut failed = None;
        board.captures(&mut |step, next| {
            if step.is_en_passant {
                match self.resolved(next, -2, 2) {
                    Ok(found) => best = best.max(Some(-found.wdl)),
                    Err(error) => failed = Some(error),
                }
            }
            failed.is_none()
        });
        failed.map_or(Ok(best), Err)
    }

    /// The value of a position without a right to capture en passant (with it where captures are compulsory),
    /// as far as it lies between two bounds.
    fn resolved(&self, board: &Board, least: i32, most: i32) -> Result<Resolved, SyzygyError> {
        if let Some(wdl) = board.end() {
            return Ok(Resolved { wdl, by_capture: true });
        }
        let (mut best, mut failed, mut is_forced) = (least, None, false);
        board.captures(&mut |_, next| {
            is_forced = board.family().must_capture();
            match self.resolved(next, -most, -best) {
                Ok(found) => best = best.max(-found.wdl),
                Err(error) => failed = Some(error),
            }
            failed.is_none() && best < most
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if best >= most || is_forced {
            return Ok(Resolved { wdl: best, by_capture: true });
        }
        let stored = self.stored_wdl(board)?;
        Ok(Resolved { wdl: best.max(stored), by_capture: best >= stored && best > 0 })
    }

    /// The value that a file has.
    fn stored_wdl(&self, board: &Board) -> Result<i32, SyzygyError> {
        if is_bare(board) {
            return Ok(0);
        }
        let file = self.file(Kind::Wdl, board)?;
        file.wdl(board).map(|wdl| i32::from(wdl) - 2).map_err(|Unreadable| unreadable(&file))
    }

    /// The same for the distance.
    fn dtz_by_files(&self, board: &Board) -> Result<i32, SyzygyError> {
        if !board.family().looks_at_moves() {
            let wdl = self.stored_wdl(board)?;
            // Such a file has both sides to move.
            return match self.stored_dtz(board, wdl)? {
                Some(dtz) => Ok(dtz),
                None => Err(unreadable(&*self.file(Kind::Dtz, board)?)),
            };
        }
        let Resolved { wdl, by_capture } = self.resolved(board, -2, 2)?;
        if wdl == 0 {
            return Ok(0);
        }
        let must_capture = board.family().must_capture();
        let has_pawns_only = must_capture && !board.has_piece();
        if by_capture || has_pawns_only || (wdl > 0 && self.has_pawn_move_worth(board, wdl)?) {
            return Ok(before_zeroing(wdl));
        }
        if must_capture && wdl > 0 {
            // A stalemate that the other side has lost comes before a capture that loses it.
            if !board.piece_moves(&mut |_, next| !next.is_lost()) {
                return Ok(before_zeroing(wdl));
            }
            if self.has_threat_worth(board, wdl)? {
                return Ok(before_zeroing(wdl) + 1);
            }
        }
        match self.stored_dtz(board, wdl)? {
            Some(dtz) => Ok(dtz),
            None => self.dtz_by_moves(board, wdl),
        }
    }

    /// The distance that a file has; none if it has that of the other side to move.
    fn stored_dtz(&self, board: &Board, wdl: i32) -> Result<Option<i32>, SyzygyError> {
        if wdl == 0 {
            return Ok(Some(0));
        }
        let file = self.file(Kind::Dtz, board)?;
        Ok(match file.dtz(board, (wdl + 2) as u8).map_err(|Unreadable| unreadable(&file))? {
            Stored::Plies(plies) => {
                let plies = plies as i32 + if wdl.abs() == 1 { board.rule_plies().into() } else { 0 };
                Some(plies * wdl.signum())
            }
            Stored::OtherSide => None,
        })
    }

    /// Whether a move of a pawn without capture keeps what the position is worth.
    fn has_pawn_move_worth(&self, board: &Board, wdl: i32) -> Result<bool, SyzygyError> {
        let (mut found, mut failed) = (false, None);
        board.pawn_moves(&mut |_, next| {
            match self.wdl(next) {
                Ok(value) => found = -value == wdl,
                Err(error) => failed = Some(error),
            }
            failed.is_none() && !found
        });
        failed.map_or(Ok(found), Err)
    }

    /// Whether a move of another man leaves the other side nothing but captures, and keeps what the position
    /// is worth.
    fn has_threat_worth(&self, board: &Board, wdl: i32) -> Result<bool, SyzygyError> {
        let (mut found, mut failed) = (false, None);
        board.piece_moves(&mut |_, next| {
            if next.has_capture() {
                match self.wdl(next) {
                    Ok(value) => found = -value == wdl,
                    Err(error) => failed = Some(error),
                }
            }
            failed.is_none() && !found
        });
        failed.map_or(Ok(found), Err)
    }

    /// The distance of a decided position whose side to move the file does not have.
    fn dtz_by_moves(&self, board: &Board, wdl: i32) -> Result<i32, SyzygyError> {
        let (mut best, mut failed): (Option<i32>, Option<SyzygyError>) = (None, None);
        board.for_each_move(|step, next| {
            let value = if step.is_zeroing() {
                self.wdl(next).map(|value| before_zeroing(-value))
            } else if next.is_lost() {
                Ok(1)
            } else {
                self.dtz(next).map(|value| -value + -value.signum())
            };
            match value {
                Ok(value) if best.is_none_or(|best| preference(value) > preference(best)) => {
                    best = Some(value)
                }
                Ok(_) => {}
                Err(error) => failed = Some(error),
            }
            failed.is_none()
        });
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(best.filter(|best| best.signum() == wdl.signum()).unwrap_or(-1))
    }

    /// Refuses a file of a game of its own that is not that of whoever asks.
    fn check_rules(&self, file: &SyzygyFile, name: &str) -> Result<(), SyzygyError> {
        let Some(rules) = file.rules() else { return Ok(()) };
        let own = self.variant.as_ref().and_then(|variant| {
            let material = Material::parse(variant, name).ok()?;
            Some(rules_hash(variant, &material, Metric::Dtz50))
        });
        match own == Some(rules) {
            true => Ok(()),
            false => Err(SyzygyError::OtherRules {
                path: file.path().to_path_buf(),
                variant: self.variant.as_ref().map_or("what was asked for", |v| &v.name).to_owned(),
            }),
        }
    }

    /// The file of a position's men.
    fn file(&self, kind: Kind, board: &Board) -> Result<Arc<SyzygyFile>, SyzygyError> {
        let files = &self.files[usize::from(kind == Kind::Dtz)];
        let key = board.file_key();
        if let Some(file) = files.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(file.clone());
        }
        let (name, _) = board.name();
        let mut file = SyzygyFile::open(&self.folder.join(board.family().file_name(kind, &name)))?;
        self.check_rules(&file, &name)?;
        if self.unpacks && board.men().len() <= MAX_MEN_UNPACKED {
            file.unpack()?;
        }
        // Two threads may have opened the same file; the first one's stays.
        let mut files = files.write().unwrap_or_else(PoisonError::into_inner);
        Ok(files.entry(key).or_insert(Arc::new(file)).clone())
    }
}

/// Whether there are two royal kings alone, who need no file.
fn is_bare(board: &Board) -> bool {
    board.men().len() < *board.family().n_men().start()
}

/// Whether there is a legal move that is no capture en passant.
fn has_other_move(board: &Board) -> bool {
    let mut found = false;
    board.for_each_move(|step, _| {
        found = !step.is_en_passant;
        !found
    });
    found
}

/// The distance of a position whose best move is a capture or a pawn move, by what the move leads to.
fn before_zeroing(wdl: i32) -> i32 {
    match wdl {
        -2 | 2 => wdl / 2,
        _ => wdl * (RULE_PLIES + 1),
    }
}

/// Which distance the side to move prefers: a quick win, a draw, a slow loss.
fn preference(dtz: i32) -> i32 {
    match dtz.signum() {
        0 => 0,
        sign => sign * 1_000_000 - dtz,
    }
}

fn unreadable(file: &SyzygyFile) -> SyzygyError {
    SyzygyError::damaged(file.path(), "a block of it leads nowhere")
}
