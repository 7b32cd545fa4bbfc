//! Reads TOML texts that people write, other than variant files: typed values with their places, and all
//! faults at once.
//!
//! A reader declares its tables as [`Section`]s of [`Key`]s, parses a [`Document`], asks its [`Table`]s for
//! values, and adds what is wrong with them to the [`Faults`].

pub use crate::file::{
    Document, Faults, Key, Section, Span, Table, TextKind, Value, load_text, squares_named,
};
