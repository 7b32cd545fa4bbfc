//! Reads what Python programs hand in: FENs and boards, sides, metrics.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyString};
use variant::game::is_named;
use variant::{Metric, Side};

/// The games that python-chess has boards of, as they are named here.
const BOARDS: [&str; 9] = [
    "fide",
    "atomic",
    "antichess",
    "suicide",
    "king-of-the-hill",
    "racing-kings",
    "losers",
    "horde",
    "three-check",
];

/// How many positions are read before the handlers of signals run.
const AT_ONCE: usize = 1 << 16;

/// The FEN of a text, or of a board: anything with a method `fen()`, as python-chess has it.
pub(crate) fn fen(item: &Bound<'_, PyAny>, game: &str) -> PyResult<PyBackedStr> {
    if let Ok(text) = item.cast::<PyString>() {
        return text.clone().try_into();
    }
    let Some(method) = item.getattr_opt("fen")? else {
        let name = item.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a position is a FEN (str) or a board with a method fen(), and not {name}"
        )));
    };
    if let Some(own) = item.getattr_opt("uci_variant")?.and_then(|name| name.extract::<String>().ok()) {
        check_game(&own, game)?;
    }
    method.call0()?.extract()
}

/// Refuses the board of another game, as far as both games are known.
fn check_game(board: &str, game: &str) -> PyResult<()> {
    let meant = BOARDS.into_iter().find(|own| is_named(own, board));
    match meant {
        Some(meant) if BOARDS.contains(&game) && meant != game => Err(PyValueError::new_err(format!(
            "the board is one of {board}, and these tables are of {game}; open the tables of {meant}"
        ))),
        _ => Ok(()),
    }
}

/// The positions of a list or an array, as FENs.
pub(crate) fn fens(items: &Bound<'_, PyAny>, game: &str) -> PyResult<Vec<PyBackedStr>> {
    if items.cast::<PyString>().is_ok() {
        return Err(PyTypeError::new_err("several positions are a list or an array, and not one text"));
    }
    // The texts of a numpy array become those of Python, all at once.
    let listed = match items.getattr_opt("tolist")? {
        Some(method) => method.call0()?,
        None => items.clone(),
    };
    let one = |(n, item): (usize, PyResult<Bound<'_, PyAny>>)| {
        if n % AT_ONCE == 0 {
            items.py().check_signals()?;
        }
        fen(&item?, game)
    };
    listed.try_iter()?.enumerate().map(one).collect()
}

/// A side: `"white"` or `"black"`, in letters of either case, or `chess.WHITE` and `chess.BLACK`, which are
/// true and false.
pub(crate) fn side(item: &Bound<'_, PyAny>) -> PyResult<Side> {
    if let Ok(is_white) = item.cast::<PyBool>() {
        return Ok(if is_white.is_true() { Side::White } else { Side::Black });
    }
    match item.extract::<PyBackedStr>().map(|name| name.to_lowercase()).as_deref() {
        Ok("white" | "w") => Ok(Side::White),
        Ok("black" | "b") => Ok(Side::Black),
        _ => Err(PyValueError::new_err(format!(
            "{} is no side to move; say \"white\" or \"black\"",
            item.repr()?
        ))),
    }
}

/// The name of a side.
pub(crate) const fn side_name(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}

/// A metric by its name.
pub(crate) fn metric(name: Option<&str>) -> PyResult<Option<Metric>> {
    let parse = |name: &str| {
        name.parse().map_err(|_| {
            let names = Metric::ALL.map(Metric::name).join(", ");
            PyValueError::new_err(format!("{name:?} is no metric; there are {names}"))
        })
    };
    name.map(parse).transpose()
}
