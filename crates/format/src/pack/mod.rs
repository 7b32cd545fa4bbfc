//! Packs the codes of a side to move into compressed blocks.
//!
//! ```text
//!   codes ► selection ► payload ► order ► fill ► Zstandard or model ► PackedBlock ×n
//!                      └──── choice: which order, which fill, what prior ───┘
//! ```

pub(crate) mod codes;
pub(crate) mod fill;
pub(crate) mod packer;
pub(crate) mod side;
