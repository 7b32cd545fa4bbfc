//! Turns refusals and errors of the library into exceptions of Python.

use library::{LibraryError, Refusal};
use probe::{MissingTable as Missing, ProbeError};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileNotFoundError, PyLookupError, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

create_exception!(
    tablesmith,
    MissingTable,
    PyLookupError,
    "A table that is needed is not there and was not solved.\n\n\
     `table` is its name, `metric` what it would hold, `file` the name of its file."
);
create_exception!(
    tablesmith,
    DamagedTable,
    PyOSError,
    "A file of tables is damaged and has to be made again.\n\n\
     A file that is whole and cannot be used, being of other rules or out of reach, is an OSError."
);

/// The exception of a position that has no value here.
pub(crate) fn refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    refused_as(py, refusal, refusal.to_string())
}

/// Checks likewise a text that says more.
pub(crate) fn refused_as(py: Python<'_>, refusal: &Refusal, text: String) -> PyErr {
    match refusal {
        Refusal::NotBuilt(table) | Refusal::Castling(table) => missing(py, table, text),
        Refusal::Damaged(error) => unread(error.is_damage(), text),
        _ => PyValueError::new_err(text),
    }
}

/// The exception of a file that is there and cannot be used.
fn unread(is_damage: bool, text: String) -> PyErr {
    if is_damage { DamagedTable::new_err(text) } else { PyOSError::new_err(text) }
}

/// The exception of tables that have no answer.
fn unanswered(py: Python<'_>, error: ProbeError) -> PyErr {
    match error {
        ProbeError::NoFolder { .. } => PyFileNotFoundError::new_err(error.to_string()),
        error => refused(py, &error.into()),
    }
}

/// The exception of work on a folder, or of solving, that cannot be done.
pub(crate) fn failed(py: Python<'_>, error: LibraryError) -> PyErr {
    let text = error.to_string();
    match error {
        LibraryError::Material(_) | LibraryError::Plan(_) | LibraryError::Solve(_) => {
            PyValueError::new_err(text)
        }
        LibraryError::Probe(error) => unanswered(py, error),
        LibraryError::NotBuilt { path, material, metrics, .. } => {
            let text =
                format!("{text}, and moves lead to it; run `tablesmith solve` with --table {material}");
            missing(py, &Missing::new(material, metrics[0], path), text)
        }
        LibraryError::Format(error) if error.is_not_found() => PyFileNotFoundError::new_err(text),
        LibraryError::Format(error) => unread(error.is_damage(), text),
        LibraryError::Contradicted { .. } => DamagedTable::new_err(text),
        LibraryError::MemoryShort { .. } => PyMemoryError::new_err(text),
        LibraryError::Io { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(text)
        }
        LibraryError::Io { .. } | LibraryError::NotAFolder { .. } | LibraryError::NoStatistics { .. } => {
            PyOSError::new_err(text)
        }
        _ => PyRuntimeError::new_err(text),
    }
}

/// The exception of a missing table, with what it is as attributes.
pub(crate) fn missing(py: Python<'_>, table: &Missing, text: String) -> PyErr {
    let error = MissingTable::new_err(text);
    let file = table.file.file_name().unwrap_or(table.file.as_os_str()).display().to_string();
    let value = error.value(py);
    let set = [("table", &*table.material), ("metric", table.column.metric.name()), ("file", &file)]
        .into_iter()
        .try_for_each(|(name, text)| value.setattr(name, text));
    set.map_or_else(|other| other, |()| error)
}
