//! Tests variant files, the invariants, the names of materials, and the hash of the rules.

mod exit;
mod fault;
mod file;
mod fingerprint;
mod invariant;
mod material;
mod pawn;
mod warning;

use crate::file::schema;
use crate::{
    Castling, LoadError, Man, Material, Metric, PawnRules, Piece, PieceId, Report, Rules, Side, Stalemate,
    Variant, Wing, game,
};
use geometry::{Board, Square, SquareSet, Step};
use piece::{Movement, Ray, RayPath};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fide_text() -> String {
    std::fs::read_to_string(root().join("variants/fide.toml")).unwrap()
}

#[track_caller]
fn parse(text: &str) -> Variant {
    Variant::parse(text, "test.toml").unwrap_or_else(|report| panic!("{report}"))
}

#[track_caller]
fn report(text: &str) -> Report {
    Variant::parse(text, "test.toml").expect_err(text)
}

/// The rules of chess with parts of the text replaced; each part must be there.
#[track_caller]
fn changed(changes: &[(&str, &str)]) -> Variant {
    let text = changes.iter().fold(fide_text(), |text, (from, to)| {
        assert!(text.contains(from), "no {from:?}");
        text.replace(from, to)
    });
    parse(&text)
}
