//! Checks a header against the rules and the numbering that the file is read with.

use crate::FormatError;
use crate::checksum::rules_hash_with_winner;
use crate::head::header::Header;
use crate::name::{material_of, winner_of};
use crate::tile::order::Order;
use crate::tile::tiling::{Tiling, can_turn, n_axes, tile_codes_of};
use index::Layout;
use std::path::Path;
use variant::{Material, Metric, Side, Variant};

/// How the codes of each side kept stand.
pub(super) fn tilings_of(
    path: &Path,
    header: &Header,
    layout: &Layout,
) -> Result<[Option<Tiling>; 2], FormatError> {
    let mut all = [None, None];
    let tile_codes = header.tile_codes as usize;
    let (got, expected) = (u64::from(header.tile_codes), tile_codes_of(header.version, layout) as u64);
    if got != expected {
        let (path, what) = (path.to_path_buf(), "the codes of a tile");
        return Err(FormatError::Inconsistent { path, what, got, expected });
    }
    let may_turn = header.has_packed_metadata() && can_turn(layout, tile_codes);
    for side in Side::BOTH {
        let (is_kept, bits) = (header.widths[side.index()] != 0, header.orders[side.index()]);
        let inconsistent = |what, got, expected| {
            let path = path.to_path_buf();
            Err(FormatError::Inconsistent { path, what, got, expected })
        };
        all[side.index()] = match Order::decode(bits, may_turn) {
            _ if !is_kept && bits == 0 => None,
            Some(order) if is_kept && order.axes().len() == n_axes(layout) => {
                Tiling::new(layout, order, tile_codes)
            }
            _ => {
                return inconsistent(
                    "the order of the codes",
                    bits.into(),
                    Order::all(n_axes(layout), 0)[0].encode().into(),
                );
            }
        };
    }
    Ok(all)
}

/// The material of a file, which must be that of its name, with this metric and the variant's rules.
pub(super) fn check_material(
    path: &Path,
    variant: &Variant,
    metric: Metric,
    header: &Header,
) -> Result<Material, FormatError> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let expected = material_of(&file);
    let path = || path.to_path_buf();
    let got = header.material.clone();
    if got != expected {
        return Err(FormatError::OtherMaterial { path: path(), got, expected: expected.into() });
    }
    if header.metric != metric.name() {
        let got = header.metric.clone();
        return Err(FormatError::OtherMetric { path: path(), got, expected: metric.to_string() });
    }
    let material = Material::parse(variant, &got).map_err(|source| FormatError::UnknownMaterial {
        path: path(),
        variant: variant.name.clone(),
        source: Box::new(source),
    })?;
    let expected = rules_hash_with_winner(variant, &material, metric, winner_of(&file));
    if header.rules_hash != expected {
        return Err(FormatError::OtherRules {
            path: path(),
            material: got,
            variant: variant.name.clone(),
            got: Box::new(header.rules_hash),
            expected: Box::new(expected),
        });
    }
    Ok(material)
}
