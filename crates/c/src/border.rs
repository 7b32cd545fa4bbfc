//! Declares the functions that C calls: checks pointers, catches panics, and answers with statuses.

#![expect(unsafe_code, reason = "C hands in pointers; each use has its proof")]

use crate::tables::{Counted, OpenTables, RefusalKind, Refused};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use variant::Metric;

/// How much room a move takes, the NUL at its end included.
pub const TABLESMITH_MOVE_SIZE: usize = 16;

/// What became of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TablesmithStatus {
    /// There is an answer.
    TablesmithOk = 0,
    /// An argument is NULL, or no text in UTF-8, or the room for the answer is too small.
    TablesmithArgument = 1,
    /// The folder is not there, or it does not tell which game is meant.
    TablesmithNotOpened = 2,
    /// The text is no FEN of the game.
    TablesmithFen = 3,
    /// The rules forbid the position.
    TablesmithIllegal = 4,
    /// The table is not there, or nothing that has the position's rights to castle, and it is too large to be
    /// solved, or was not to be.
    TablesmithMissing = 5,
    /// A file of tables is there and cannot be read.
    TablesmithDamaged = 6,
    /// The game is over: there is no move.
    TablesmithNoMove = 7,
    /// The library has a fault, which tablesmith_error() describes; please report it.
    TablesmithFault = 8,
}

/// Open tables of one game. Any number of threads may ask them at once.
#[derive(Debug)]
pub struct TablesmithTables(OpenTables);

/// What plies are counted to.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TablesmithMetric {
    /// Nothing: the tables say who wins.
    TablesmithWdl = 0,
    /// The end of the game.
    TablesmithDtm = 1,
    /// The end of the game, a capture or a promotion.
    TablesmithDtc = 2,
    /// The end of the game, a capture or a pawn move, without the n-move rule.
    TablesmithDtz = 3,
    /// The end of the game, a capture or a pawn move, under the n-move rule.
    TablesmithDtz50 = 4,
    /// Plies until White has won if both sides want it.
    TablesmithHelp = 5,
    /// The end of the game, under the n-move rule, with the clock as it is.
    TablesmithDtm50 = 6,
}

/// The value of a position for the side to move.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TablesmithValue {
    /// 1 for a win, 0 for a draw, -1 for a loss. Under TABLESMITH_DTZ50 and TABLESMITH_DTM50 a win that comes
    /// too late with the clock of the FEN is a draw; the other metrics do not look at the clock.
    pub wdl: i8,
    /// Plies to the end that the metric counts to; -1 if neither side wins, or the metric is TABLESMITH_WDL.
    pub plies: i32,
    /// The metric of the tables that answered: the first that is there for this position, the game's own
    /// before the others.
    pub metric: TablesmithMetric,
}

impl From<Counted> for TablesmithValue {
    fn from((wdl, plies, metric): Counted) -> Self {
        TablesmithValue { wdl, plies: plies.map_or(-1, i32::from), metric: named(metric) }
    }
}

thread_local! {
    /// The sentence about the last call of this thread that was refused.
    static ERROR: RefCell<CString> = RefCell::default();
}

/// Opens a folder of tables, or several: "A:B", on Windows "A;B", takes from B what A has not.
///
/// `game` is the name of a game or the path of a TOML file with its rules; NULL if the folder has tables of
/// one game only. If `solve` is not 0, tables that are missing and small (up to four men) are solved in
/// memory when a position needs them.
///
/// `*tables` is to be closed with tablesmith_close(); it is NULL if the status is not TABLESMITH_OK.
///
/// # Safety
/// `folder` and `game` are NULL or texts that end with NUL; `tables` is NULL or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tablesmith_open(
    folder: *const c_char,
    game: *const c_char,
    solve: i32,
    tables: *mut *mut TablesmithTables,
) -> TablesmithStatus {
    answer(|| {
        if tables.is_null() {
            return Err(missing("tables"));
        }
        // SAFETY: `tables` is not NULL, so by the contract it points to a pointer, which may be written.
        unsafe { tables.write(ptr::null_mut()) };
        // SAFETY: by the contract these are NULL or texts, which the caller keeps for the time of the call.
        let (folder, game) = unsafe { (text(folder, "folder")?, optional_text(game, "game")?) };
        let open = OpenTables::open(folder, game, solve != 0)?;
        let open = Box::into_raw(Box::new(TablesmithTables(open)));
        // SAFETY: as above.
        unsafe { tables.write(open) };
        Ok(())
    })
}

/// The value of a position.
///
/// # Safety
/// `tables` is NULL or comes from tablesmith_open() and is not closed; `fen` is NULL or a text
/// that ends with NUL; `value` is NULL or points to a value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tablesmith_value(
    tables: *const TablesmithTables,
    fen: *const c_char,
    value: *mut TablesmithValue,
) -> TablesmithStatus {
    answer(|| {
        // SAFETY: by the contract `tables` is NULL or points to open tables, which are only read from here
        // on and may be read by any number of threads (`AskedTables` is `Sync`; a test asks the compiler).
        let tables = unsafe { tables.as_ref() }.ok_or_else(|| missing("tables"))?;
        // SAFETY: by the contract `fen` is NULL or a text, which the caller keeps for the time of the call.
        let fen = unsafe { text(fen, "fen")? };
        if value.is_null() {
            return Err(missing("value"));
        }
        let found = TablesmithValue::from(tables.0.value(fen)?);
        // SAFETY: `value` is not NULL, so by the contract it points to a value, which may be written.
        unsafe { value.write(found) };
        Ok(())
    })
}

/// The values of `n` positions, read in the order of the files, which is faster than one by one.
///
/// `statuses[i]` says what became of `fens[i]`, whose value is `values[i]` if that is TABLESMITH_OK.
/// The status that is returned is the first of them that is not, and tablesmith_error() is about it. Where
/// `tables`, `fens`, `values` or `statuses` is NULL, or the library has a fault, nothing is written.
///
/// # Safety
/// `tables` is NULL or comes from tablesmith_open() and is not closed; `fens` is NULL or points to `n` texts
/// that end with NUL, or NULLs; `values` and `statuses` are NULL or point to `n` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tablesmith_values(
    tables: *const TablesmithTables,
    fens: *const *const c_char,
    n: usize,
    values: *mut TablesmithValue,
    statuses: *mut TablesmithStatus,
) -> TablesmithStatus {
    answer(|| {
        // SAFETY: as in `tablesmith_value`.
        let tables = unsafe { tables.as_ref() }.ok_or_else(|| missing("tables"))?;
        let is_null =
            [("fens", fens.is_null()), ("values", values.is_null()), ("statuses", statuses.is_null())];
        if let Some((name, _)) = is_null.into_iter().find(|(_, is_null)| *is_null) {
            return Err(missing(name));
        }
        let fen = |at: usize| {
            // SAFETY: `fens` is not NULL, so by the contract it points to `n` pointers, and `at` is below
            // `n`.
            let fen = unsafe { fens.add(at).read() };
            // SAFETY: by the contract it is NULL or a text, which the caller keeps for the time of the call.
            unsafe { text(fen, "fen") }
        };
        let fens: Vec<Result<&str, Refused>> = (0..n).map(fen).collect();
        let mut first = Ok(());
        for (at, found) in tables.0.values(&fens).into_iter().enumerate() {
            let (value, own) = match found {
                Ok(counted) => (Some(counted.into()), TablesmithStatus::TablesmithOk),
                Err(refused) => {
                    let own = status(refused.0);
                    first = first.and(Err(refused));
                    (None, own)
                }
            };
            // SAFETY: `statuses` is not NULL, so by the contract it has room for `n`, and `at` is below `n`.
            unsafe { statuses.add(at).write(own) };
            if let Some(value) = value {
                // SAFETY: as above, with `values`.
                unsafe { values.add(at).write(value) };
            }
        }
        first
    })
}

/// A best move, in coordinates ("h1d5", "a7a8q"), written to `best` with a NUL at its end.
///
/// `size` is the room at `best`; TABLESMITH_MOVE_SIZE is enough for every game.
///
/// # Safety
/// `tables` is NULL or comes from tablesmith_open() and is not closed; `fen` is NULL or a text
/// that ends with NUL; `best` is NULL or points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tablesmith_best_move(
    tables: *const TablesmithTables,
    fen: *const c_char,
    best: *mut c_char,
    size: usize,
) -> TablesmithStatus {
    answer(|| {
        // SAFETY: as in `tablesmith_value`.
        let tables = unsafe { tables.as_ref() }.ok_or_else(|| missing("tables"))?;
        // SAFETY: by the contract `fen` is NULL or a text, which the caller keeps for the time of the call.
        let fen = unsafe { text(fen, "fen")? };
        if best.is_null() {
            return Err(missing("best"));
        }
        let uci = tables.0.best_move(fen)?;
        if uci.len() >= size {
            let text = format!("the move {uci} needs {} bytes, and there is room for {size}", uci.len() + 1);
            return Err((RefusalKind::Argument, text));
        }
        // SAFETY: `best` is not NULL, so by the contract it points to `size` bytes, and `uci` with a NUL is
        // no longer than that, as was just compared. A text of our own does not overlap with the caller's
        // bytes.
        unsafe {
            ptr::copy_nonoverlapping(uci.as_ptr(), best.cast::<u8>(), uci.len());
            best.add(uci.len()).write(0);
        }
        Ok(())
    })
}

/// Closes tables. No thread may be asking them, or ask them afterwards. NULL does nothing.
///
/// # Safety
/// `tables` is NULL or comes from tablesmith_open() and is not closed; no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tablesmith_close(tables: *mut TablesmithTables) {
    answer(|| {
        if !tables.is_null() {
            // SAFETY: by the contract the pointer is one that `tablesmith_open` has made with
            // `Box::into_raw`, and no other thread has it any more.
            drop(unsafe { Box::from_raw(tables) });
        }
        Ok(())
    });
}

/// A sentence about the last call of this thread whose status was not TABLESMITH_OK; "" if there was none.
///
/// It stays until the next such call of the thread.
#[unsafe(no_mangle)]
pub extern "C" fn tablesmith_error() -> *const c_char {
    // A thread that is ending has no sentences any more.
    ERROR.try_with(|error| error.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Does the work of a call: the status, and the sentence about it if it is refused. No panic leaves it.
fn answer(work: impl FnOnce() -> Result<(), Refused>) -> TablesmithStatus {
    // What a panic leaves behind is whole: locks of the library are taken although another thread has
    // panicked.
    let (status, sentence) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return TablesmithStatus::TablesmithOk,
        Ok(Err((kind, sentence))) => (status(kind), sentence),
        Err(panic) => (TablesmithStatus::TablesmithFault, said(&*panic)),
    };
    let sentence = CString::new(sentence.replace('\0', " ")).unwrap_or_default();
    // A thread that is ending has no place for sentences any more.
    let _ = ERROR.try_with(|error| error.replace(sentence));
    status
}

/// What a panic has said.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a fault".into())
}

const fn status(kind: RefusalKind) -> TablesmithStatus {
    match kind {
        RefusalKind::Argument => TablesmithStatus::TablesmithArgument,
        RefusalKind::NotOpened => TablesmithStatus::TablesmithNotOpened,
        RefusalKind::Fen => TablesmithStatus::TablesmithFen,
        RefusalKind::Illegal => TablesmithStatus::TablesmithIllegal,
        RefusalKind::Missing => TablesmithStatus::TablesmithMissing,
        RefusalKind::Damaged => TablesmithStatus::TablesmithDamaged,
        RefusalKind::NoMove => TablesmithStatus::TablesmithNoMove,
    }
}

const fn named(metric: Metric) -> TablesmithMetric {
    match metric {
        Metric::Wdl => TablesmithMetric::TablesmithWdl,
        Metric::Dtm => TablesmithMetric::TablesmithDtm,
        Metric::Dtc => TablesmithMetric::TablesmithDtc,
        Metric::Dtz => TablesmithMetric::TablesmithDtz,
        Metric::Dtz50 => TablesmithMetric::TablesmithDtz50,
        Metric::Help => TablesmithMetric::TablesmithHelp,
        Metric::Dtm50 => TablesmithMetric::TablesmithDtm50,
    }
}

fn missing(name: &str) -> Refused {
    (RefusalKind::Argument, format!("{name} is NULL"))
}

/// The text at a pointer.
///
/// # Safety
/// It is NULL or points to a text that ends with NUL and stays as it is for the time `'a`.
unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Refused> {
    // SAFETY: the contract is the same.
    unsafe { optional_text(pointer, name)? }.ok_or_else(|| missing(name))
}

/// The text at a pointer; none if it is NULL.
///
/// # Safety
/// It is NULL or points to a text that ends with NUL and stays as it is for the time `'a`.
unsafe fn optional_text<'a>(pointer: *const c_char, name: &str) -> Result<Option<&'a str>, Refused> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the pointer is not NULL, so by the contract it points to a text that ends with NUL.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| (RefusalKind::Argument, format!("{name} is no text in UTF-8")))
}
