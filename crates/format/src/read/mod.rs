//! Reads single values, ranges and whole tables.

pub(crate) mod cache;
mod check;
pub(crate) mod file;
mod index;
#[cfg(feature = "parallel")]
pub(crate) mod joined_table;
#[cfg(feature = "parallel")]
mod range;
#[cfg(feature = "parallel")]
pub(crate) mod stream;
mod unpacker;
