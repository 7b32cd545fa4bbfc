//! Packs the codes of a side to move into compressed blocks.
//!
//! ```text
//!   codes ► selection ► payload ► order ► fill ► Zstandard or model ► PackedBlock ×n ► Spool
//!                      └──── choice: which order, which fill, what prior ───┘
//! ```

mod arrangement;
pub(crate) mod block;
pub(crate) mod choice;
pub(crate) mod codes;
pub(crate) mod excerpt;
pub(crate) mod fill;
mod packer;
pub(crate) mod profile;
pub(crate) mod selection;
pub(crate) mod side;
pub(crate) mod spool;
