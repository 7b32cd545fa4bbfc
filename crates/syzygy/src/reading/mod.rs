//! Reads files: the values that stand in them, and what these say of a position.

pub(crate) mod file;
pub(crate) mod side_decoder;

use crate::error::SyzygyError;
use crate::material::{Family, FileKind, FileMaterial, MaterialKey};
use crate::score;
use crate::score::{Score, rule_plies};
use file::{SyzygyFile, Unreadable};
use parking_lot::RwLock;
use position::{Ending, Move, Position, RuleBook};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use variant::Variant;

/// A distance beyond the fifty-move rule.
const RULE_PLIES: i32 = score::RULE_PLIES as i32;

/// Up to this many men a file's values are all unpacked when it is opened for many positions.
const MAX_MEN_UNPACKED: usize = 4;

/// A folder of files of one game, or several, for any number of threads. A file is read when the first
/// position of its men is asked for.
///
/// A file does not hold what a capture decides, holds distances for one side to move, and knows no right to
/// capture en passant. So a value is the best of what the captures lead to and what the file says, and where
/// the file has the other side to move, of what the moves lead to. Where captures are compulsory, those en
/// passant too, a file is asked for positions without a capture only.
#[derive(Debug)]
pub struct SyzygyTablebase {
    /// The one that is looked into first before others.
    folders: Vec<PathBuf>,
    book: RuleBook,
    unpacks: bool,
    materials: RwLock<BTreeMap<MaterialKey, Arc<Files>>>,
}

/// The files of a material, each from the time when it is first asked for.
#[derive(Debug)]
struct Files {
    material: FileMaterial,
    wdl: OnceLock<SyzygyFile>,
    dtz: OnceLock<SyzygyFile>,
}

/// What captures and the file of WDL values say of a position.
struct Resolved {
    wdl: i32,
    /// Whether a capture is as good as anything else, and wins.
    by_capture: bool,
}

impl SyzygyTablebase {
    /// Opens folders, to be asked for some positions of a game; a file is taken from the first that has it.
    #[must_use]
    pub fn open(folders: &[PathBuf], variant: &Variant) -> Self {
        SyzygyTablebase {
            folders: folders.to_vec(),
            book: RuleBook::new(variant),
            unpacks: false,
            materials: RwLock::default(),
        }
    }

    /// Like [`Self::open`], of one folder, to be asked for very many positions: files of up to four men are
    /// unpacked.
    #[must_use]
    pub fn open_for_all(folder: &Path, variant: &Variant) -> Self {
        SyzygyTablebase { unpacks: true, ..SyzygyTablebase::open(&[folder.into()], variant) }
    }

    /// Where a file of this name is; in the first folder if none has it.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        format::path_in(&self.folders, name)
    }

    /// 2 if the side to move wins, 1 for a win that the fifty-move rule makes a draw of, 0 for a draw, −1
    /// for a loss that the rule makes a draw of, −2 for a loss; as if the clock stood at zero. The position
    /// must be legal.
    ///
    /// # Errors
    /// A file that is needed is not there, or damaged.
    pub fn wdl(&self, position: &Position) -> Result<i32, SyzygyError> {
        if let Some(ending) = position.adjudication(&self.book) {
            return Ok(wdl_at_end(ending, position));
        }
        let family = self.files(position)?.material.family();
        if family.must_capture() {
            return Ok(self.resolved(family, position, -2, 2)?.wdl);
        }
        if !family.looks_at_moves() {
            return self.stored_wdl(position);
        }
        let without = self.resolved(family, &position.clone().with_en_passant(None), -2, 2)?.wdl;
        Ok(match self.best_en_passant(family, position)? {
            Some(best) if best > without || !self.has_other_move(position) => best,
            _ => without,
        })
    }

    /// Plies to the next capture or pawn move, or to mate: positive if the side to move wins, 0 for a draw;
    /// more than 100 for a cursed win or a blessed loss. Mate itself is −1. The position must be legal.
    ///
    /// # Errors
    /// As [`SyzygyTablebase::wdl`].
    pub fn dtz(&self, position: &Position) -> Result<i32, SyzygyError> {
        let family = self.files(position)?.material.family();
        if family.must_capture() || !family.looks_at_moves() {
            return self.dtz_by_files(family, position);
        }
        let without = self.dtz_by_files(family, &position.clone().with_en_passant(None))?;
        Ok(match self.best_en_passant(family, position)?.map(before_zeroing) {
            Some(best) if preference(best) > preference(without) || !self.has_other_move(position) => best,
            _ => without,
        })
    }

    /// Both at once.
    ///
    /// # Errors
    /// As [`SyzygyTablebase::wdl`].
    pub fn score(&self, position: &Position) -> Result<Score, SyzygyError> {
        Ok(Score { wdl: self.wdl(position)?, dtz: self.dtz(position)? })
    }

    /// Whether the distances of a position's men are counted in plies, and not rounded to moves.
    ///
    /// # Errors
    /// As [`SyzygyTablebase::wdl`].
    pub fn counts_plies(&self, position: &Position) -> Result<bool, SyzygyError> {
        let files = self.files(position)?;
        Ok(is_bare(files.material.family(), position) || self.file(&files, FileKind::Dtz)?.counts_plies())
    }

    /// What the best legal capture en passant leads to, if there is one.
    fn best_en_passant(&self, family: Family, position: &Position) -> Result<Option<i32>, SyzygyError> {
        if position.en_passant().is_none() {
            return Ok(None);
        }
        let mut best = Ok(None);
        position.for_each_capture(&self.book, |mv, next| {
            if mv.is_en_passant() {
                let found = self.resolved(family, next, -2, 2);
                best = found.map(|found| best.as_ref().map_or(None, |best| *best).max(Some(-found.wdl)));
            }
            best.is_ok()
        });
        best
    }

    /// The value of a position without a right to capture en passant (with it where captures are
    /// compulsory), as far as it lies between two bounds.
    fn resolved(
        &self,
        family: Family,
        position: &Position,
        least: i32,
        most: i32,
    ) -> Result<Resolved, SyzygyError> {
        if let Some(wdl) = self.end(family, position) {
            return Ok(Resolved { wdl, by_capture: true });
        }
        let (mut best, mut failed, mut is_forced) = (least, None, false);
        position.for_each_capture(&self.book, |_, next| {
            is_forced = family.must_capture();
            match self.resolved(family, next, -most, -best) {
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
        let stored = self.stored_wdl(position)?;
        Ok(Resolved { wdl: best.max(stored), by_capture: best >= stored && best > 0 })
    }

    /// What the game is worth to the side to move if it is over and no check matters: 2 won, 0 drawn, −2
    /// lost.
    fn end(&self, family: Family, position: &Position) -> Option<i32> {
        let ending = match family.has_royal_kings() {
            true => position.adjudication(&self.book),
            false => position.ending(&self.book),
        };
        ending.map(|ending| wdl_at_end(ending, position))
    }

    /// The value that a file has.
    fn stored_wdl(&self, position: &Position) -> Result<i32, SyzygyError> {
        let files = self.files(position)?;
        if is_bare(files.material.family(), position) {
            return Ok(0);
        }
        let file = self.file(&files, FileKind::Wdl)?;
        let wdl = file.wdl(&files.material, position).map_err(|Unreadable| unreadable(file))?;
        Ok(i32::from(wdl) - 2)
    }

    /// The distance by the files, with a look at moves.
    fn dtz_by_files(&self, family: Family, position: &Position) -> Result<i32, SyzygyError> {
        if !family.looks_at_moves() {
            let wdl = self.stored_wdl(position)?;
            // Such a file has both sides to move.
            return match self.stored_dtz(position, wdl)? {
                Some(dtz) => Ok(dtz),
                None => Err(unreadable(self.file(&*self.files(position)?, FileKind::Dtz)?)),
            };
        }
        let Resolved { wdl, by_capture } = self.resolved(family, position, -2, 2)?;
        if wdl == 0 {
            return Ok(0);
        }
        let must_capture = family.must_capture();
        let is_pawn = |(man, _)| self.book.variant().is_pawn(man);
        let has_pawns_only = || position.men_of(position.stm()).all(is_pawn);
        if by_capture || (must_capture && has_pawns_only()) {
            return Ok(before_zeroing(wdl));
        }
        let is_as_good = |next: &Position| self.wdl(next).map(|value| -value == wdl);
        let is_pawn_move = |mv: Move| mv.zeroing && mv.captured.is_none();
        let has_pawn = || position.men_of(position.stm()).any(is_pawn);
        if wdl > 0
            && has_pawn()
            && self.any(position, |mv, next| Ok(is_pawn_move(mv) && is_as_good(next)?))?
        {
            return Ok(before_zeroing(wdl));
        }
        if must_capture && wdl > 0 {
            // A stalemate that the other side has lost comes before a capture that loses it.
            if self.any(position, |mv, next| Ok(!mv.zeroing && self.is_lost(next)))? {
                return Ok(before_zeroing(wdl));
            }
            let is_threat = |next: &Position| !next.for_each_capture(&self.book, |_, _| false);
            if self.any(position, |mv, next| Ok(!mv.zeroing && is_threat(next) && is_as_good(next)?))? {
                return Ok(before_zeroing(wdl) + 1);
            }
        }
        match self.stored_dtz(position, wdl)? {
            Some(dtz) => Ok(dtz),
            None => self.dtz_by_moves(position, wdl),
        }
    }

    /// The distance that a file has; none if it has that of the other side to move.
    fn stored_dtz(&self, position: &Position, wdl: i32) -> Result<Option<i32>, SyzygyError> {
        if wdl == 0 {
            return Ok(Some(0));
        }
        let files = self.files(position)?;
        let file = self.file(&files, FileKind::Dtz)?;
        let stored = file.dtz(&files.material, position, (wdl + 2) as u8);
        let rule_plies = || match files.material.family() {
            Family::Other => rule_plies(self.book.variant()).into(),
            _ => RULE_PLIES,
        };
        let plies = stored.map_err(|Unreadable| unreadable(file))?;
        Ok(plies.map(|plies| {
            let plies = plies as i32 + if wdl.abs() == 1 { rule_plies() } else { 0 };
            plies * wdl.signum()
        }))
    }

    /// Whether a legal move is one that is looked for.
    fn any(
        &self,
        position: &Position,
        is_wanted: impl Fn(Move, &Position) -> Result<bool, SyzygyError>,
    ) -> Result<bool, SyzygyError> {
        let mut found = Ok(false);
        position.for_each_successor(&self.book, |mv, next| {
            if matches!(found, Ok(false)) {
                found = is_wanted(mv, next);
            }
        });
        found
    }

    /// The distance of a decided position whose side to move the file does not have.
    fn dtz_by_moves(&self, position: &Position, wdl: i32) -> Result<i32, SyzygyError> {
        let (mut best, mut failed): (Option<i32>, Option<SyzygyError>) = (None, None);
        position.for_each_successor(&self.book, |mv, next| {
            if failed.is_some() {
                return;
            }
            let value = if mv.zeroing {
                self.wdl(next).map(|value| before_zeroing(-value))
            } else if self.is_lost(next) {
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
        });
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(best.filter(|best| best.signum() == wdl.signum()).unwrap_or(-1))
    }

    /// Whether the side to move has lost without a move.
    fn is_lost(&self, position: &Position) -> bool {
        position.winner(&self.book) == Some(!position.stm())
    }

    /// Whether there is a legal move that is no capture en passant.
    fn has_other_move(&self, position: &Position) -> bool {
        position.clone().with_en_passant(None).has_legal_move(&self.book)
    }

    /// The files of a position's men.
    fn files(&self, position: &Position) -> Result<Arc<Files>, SyzygyError> {
        let variant = self.book.variant();
        let material = || position.material();
        let impossible = |reason| SyzygyError::Impossible { material: material().name(variant), reason };
        let key = MaterialKey::of(position).ok_or_else(|| impossible("it has too many men".into()))?;
        if let Some(files) = self.materials.read().get(&key) {
            return Ok(files.clone());
        }
        let material = FileMaterial::new(variant, &material()).map_err(impossible)?;
        let files = Arc::new(Files { material, wdl: OnceLock::new(), dtz: OnceLock::new() });
        // Two threads may have come here; the first one's stay.
        let mut materials = self.materials.write();
        Ok(materials.entry(key).or_insert(files).clone())
    }

    /// One of a material's files.
    fn file<'f>(&self, files: &'f Files, kind: FileKind) -> Result<&'f SyzygyFile, SyzygyError> {
        let cell = if kind == FileKind::Wdl { &files.wdl } else { &files.dtz };
        if let Some(file) = cell.get() {
            return Ok(file);
        }
        let name = files.material.name();
        let mut file = SyzygyFile::open(&self.path(&files.material.family().file_name(kind, name)))?;
        file.check_rules(self.book.variant())?;
        if self.unpacks && file.n_men() <= MAX_MEN_UNPACKED {
            file.unpack()?;
        }
        Ok(cell.get_or_init(|| file))
    }
}

/// Whether there are two royal kings alone, who need no file.
fn is_bare(family: Family, position: &Position) -> bool {
    position.n_men() < *family.n_men().start()
}

/// What the end of a game is worth to the side to move.
fn wdl_at_end(ending: Ending, position: &Position) -> i32 {
    ending.winner.map_or(0, |winner| if winner == position.stm() { 2 } else { -2 })
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
