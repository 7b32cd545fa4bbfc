//! Describes what a file has: the game, the material, and the choices of rights.

use format::Checksum;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use variant::{Castling, Material, Metric, Variant};

/// The index of a file, as JSON.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct FileIndex {
    /// The game.
    pub(super) variant: String,
    /// The hash of its rules.
    pub(super) rules: Checksum,
    /// The version of the solver.
    pub(super) solver: u32,
    pub(super) metric: String,
    pub(super) material: String,
    /// Which program made it.
    pub(super) program: String,
    pub(super) blocks: Vec<BlockIndex>,
}

/// One choice of rights.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct BlockIndex {
    /// The name of the choice of men and rights.
    pub(super) key: String,
    pub(super) n_values: u64,
    pub(super) n_bytes: u64,
    pub(super) checksum: Checksum,
}

/// The hash of the rules that positions with rights are solved by: those of the table, and castling.
pub(super) fn rules_of(variant: &Variant, material: &Material, metric: Metric) -> Checksum {
    let mut text = format::rules_hash(variant, material, metric).to_string();
    if let Some(rule) = &variant.rules.castling {
        text += &castling_line(variant, rule);
    }
    Checksum(*blake3::hash(text.as_bytes()).as_bytes())
}

/// The rule of castling as a text that is equal for equal rules.
fn castling_line(variant: &Variant, rule: &Castling) -> String {
    let letter = |piece| variant.piece(piece).letter;
    let rooks: String = rule.rooks.iter().map(|&piece| letter(piece)).collect();
    let [kingside, queenside] = rule.king_targets;
    let mut text =
        format!("\ncastling {} {rooks} rank {} to {kingside} {queenside}", letter(rule.king), rule.rank);
    let [right, left] = rule.rook_files;
    // Writing to a string cannot fail.
    let _ = match rule.any_files {
        true => write!(text, " from any file"),
        false => write!(text, " from {} {right} {left}", rule.king_file),
    };
    text
}
