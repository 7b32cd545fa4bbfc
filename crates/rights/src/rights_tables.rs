//! Answers positions with rights to castle, and solves what an answer needs, once.

use crate::key::{MAX_FREE, placements_of};
use crate::rights_table::{NoValue, Setting, value_at_end};
use crate::{RightsKey, RightsTable};
use parking_lot::{Mutex, RwLock};
use position::{Position, RuleBook};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use table::{Scale, Value};
use variant::Variant;

/// Where the values come from that are not solved here. A source that fails keeps the reason.
pub trait RightsSource: Sync {
    /// The value of a legal position in which no side may castle. If it is `enough` for the side to move, it
    /// may be a lower bound that is enough, too: the move that leads there is then no better than another
    /// one.
    ///
    /// # Errors
    /// It is not to be had.
    fn without(&self, position: &Position, enough: &dyn Fn(Value) -> bool) -> Result<Value, NoValue>;

    /// The table of a canonical key, if the source keeps it; if not, it is solved.
    ///
    /// # Errors
    /// It is kept and cannot be read.
    fn stored(&self, key: &RightsKey) -> Result<Option<Arc<RightsTable>>, NoValue>;
}

/// A choice of men and rights has too many placements to be solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "positions of {n_men} men with castling rights are not solved: up to {most} men are. Without rights (`-`) \
     there are tables"
)]
pub struct TooLarge {
    /// How many men it has.
    pub n_men: usize,
    /// How many men there may be on this board.
    pub most: usize,
}

/// The tables with rights of one game and metric that were asked for.
///
/// Any number of threads may ask. One at a time solves, with threads of its own, for itself and for those
/// that wait for it.
#[derive(Debug)]
pub struct RightsTables {
    /// By key, in either colours; whether the colours are exchanged.
    tables: RwLock<HashMap<RightsKey, (Arc<RightsTable>, bool)>>,
    /// Held while tables are solved.
    solving: Mutex<()>,
    n_threads: usize,
}

/// The most placements of a table that is solved: four free men on 64 squares, which take minutes, and by
/// [`RightsTable::footprint_bytes`] a gigabyte.
const MAX_PLACEMENTS: u64 = 1 << 24;

/// The most placements of a table that is solved while a question waits: three free men on 128 squares,
/// which take seconds.
const MAX_QUICK_PLACEMENTS: u64 = 1 << 21;

/// If more memory than this is in use, all tables are dropped before another one is solved.
///
/// Units: bytes.
const KEPT_BYTES: u64 = 256 << 20;

impl RightsTables {
    /// No tables yet; `n_threads` threads solve.
    #[must_use]
    pub fn new(n_threads: usize) -> Self {
        RightsTables { tables: RwLock::default(), solving: Mutex::default(), n_threads }
    }

    /// Fails if a key has too many men to be solved with all that it needs.
    ///
    /// # Errors
    /// How many men there are and may be.
    pub fn check_size(variant: &Variant, key: &RightsKey) -> Result<(), TooLarge> {
        let fits = |n_free: usize| n_free <= MAX_FREE && placements_of(variant, n_free) <= MAX_PLACEMENTS;
        if fits(key.most_free()) {
            return Ok(());
        }
        let most = (1..=MAX_FREE).rev().find(|&n_free| fits(n_free)).unwrap_or(0) + 2;
        Err(TooLarge { n_men: key.n_men(), most })
    }

    /// Whether a key is solved in seconds, with all that it needs.
    #[must_use]
    pub fn is_quick(variant: &Variant, key: &RightsKey) -> bool {
        placements_of(variant, key.most_free()) <= MAX_QUICK_PLACEMENTS
    }

    /// Whether the table of a key is in memory.
    #[must_use]
    pub fn has(&self, key: &RightsKey) -> bool {
        self.known(key).is_some()
    }

    /// The value of a legal position with rights to castle of a key that fits, as if no pawn could capture
    /// en passant.
    ///
    /// # Errors
    /// The source does not have a value that is needed.
    ///
    /// # Panics
    /// If no side may castle in the position.
    pub fn value(
        &self,
        book: &RuleBook,
        scale: &Scale,
        position: &Position,
        source: &dyn RightsSource,
    ) -> Result<Value, NoValue> {
        let key = RightsKey::new(position).expect("a side may castle");
        let (table, is_swapped) = self.found(Question { book, scale, source }, &key)?;
        Ok(table.value(book.variant(), position, is_swapped))
    }

    /// The table of a key that fits, in canonical colours: the one that is known or stored, or else solved
    /// now.
    ///
    /// # Errors
    /// The source does not have a value that is needed.
    pub fn table(
        &self,
        book: &RuleBook,
        scale: &Scale,
        key: &RightsKey,
        source: &dyn RightsSource,
    ) -> Result<Arc<RightsTable>, NoValue> {
        self.found(Question { book, scale, source }, key).map(|(table, _)| table)
    }

    fn found(&self, question: Question<'_>, key: &RightsKey) -> Result<(Arc<RightsTable>, bool), NoValue> {
        if let Some(found) = self.known(key) {
            return Ok(found);
        }
        let free = self.solving.try_lock();
        if free.is_none() {
            // A table that is kept need not wait for what is solved.
            let (canonical, is_swapped) = canonical(question.book.variant(), key);
            if let Some(table) = question.source.stored(&canonical)? {
                return Ok((table, is_swapped));
            }
        }
        let _one_at_a_time = free.unwrap_or_else(|| self.solving.lock());
        // What a key needs stays until it is solved.
        if self.size_bytes() > KEPT_BYTES {
            self.tables.write().clear();
        }
        self.make(question, key)
    }

    /// Loads a key, or solves it after all that its moves may lead to. Another thread may have done so while
    /// this one waited.
    fn make(&self, question: Question<'_>, key: &RightsKey) -> Result<(Arc<RightsTable>, bool), NoValue> {
        if let Some(found) = self.known(key) {
            return Ok(found);
        }
        let Question { book, scale, source } = question;
        let variant = book.variant();
        let (canonical, is_swapped) = canonical(variant, key);
        let table = match source.stored(&canonical)? {
            Some(table) => table,
            None => {
                // Also what lies below a key that is stored: a rook that takes a rook ends two rights.
                // So no thread has to make anything while a key is solved.
                for below in all_below(variant, &canonical) {
                    self.make(question, &below)?;
                }
                let exit = |next: &Position, enough: &dyn Fn(Value) -> bool| match RightsKey::new(next) {
                    None => source.without(next, enough),
                    Some(_) if variant.winner_by_checks(next.given_checks()).is_some() => {
                        Ok(value_at_end(book, next))
                    }
                    Some(key) => {
                        let (table, is_swapped) = self.make(question, &key)?;
                        Ok(table.value(variant, next, is_swapped))
                    }
                };
                let setting = Setting { book, scale, n_threads: self.n_threads };
                Arc::new(RightsTable::solve(setting, canonical.clone(), &exit)?)
            }
        };
        let mut tables = self.tables.write();
        let image = canonical.swapped(variant);
        if variant.is_colour_symmetric() && image != canonical {
            tables.insert(image, (table.clone(), true));
        }
        tables.insert(canonical, (table.clone(), false));
        Ok((table, is_swapped))
    }

    /// The memory that the tables take, each counted once.
    fn size_bytes(&self) -> u64 {
        let tables = self.tables.read();
        let own = tables.values().filter(|(_, is_swapped)| !is_swapped);
        own.map(|(table, _)| size_of_val(table.codes()) as u64).sum()
    }

    /// A table that is in memory, and whether its colours are exchanged.
    fn known(&self, key: &RightsKey) -> Option<(Arc<RightsTable>, bool)> {
        self.tables.read().get(key).cloned()
    }
}

/// A key in canonical colours, and whether they were exchanged for it.
fn canonical(variant: &Variant, key: &RightsKey) -> (RightsKey, bool) {
    let is_swapped = !key.is_canonical(variant);
    (if is_swapped { key.swapped(variant) } else { key.clone() }, is_swapped)
}

/// What values are asked of, and how they count.
#[derive(Clone, Copy)]
struct Question<'a> {
    book: &'a RuleBook,
    scale: &'a Scale,
    source: &'a dyn RightsSource,
}

/// All keys that moves may lead to from a key, sooner or later.
fn all_below(variant: &Variant, key: &RightsKey) -> Vec<RightsKey> {
    let mut all = key.below(variant);
    let mut seen: HashSet<RightsKey> = all.iter().cloned().collect();
    let mut at = 0;
    while at < all.len() {
        let more = all[at].below(variant).into_iter().filter(|key| seen.insert(key.clone()));
        let more: Vec<RightsKey> = more.collect();
        all.extend(more);
        at += 1;
    }
    all
}
