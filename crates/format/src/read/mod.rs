//! Reading: single values, ranges, whole tables.

pub(crate) mod cache;
mod check;
pub(crate) mod file;
mod index;
mod join;
mod range;
mod stream;
mod unpack;
