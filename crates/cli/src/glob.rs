//! Chooses tables by their names and by patterns such as `KR*vK*`.

use crate::Failure;
use std::collections::BTreeSet;
use variant::{Material, Variant};
use wildmatch::WildMatch;

/// Whether a text is a pattern and not a name.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Whether a name fits a pattern: `*` stands for any letters, `?` for one.
fn fits(pattern: &str, name: &str) -> bool {
    WildMatch::new(pattern).matches(name)
}

/// The materials among these that patterns and names ask for; a pattern may name the colours either way.
pub(crate) fn chosen(
    variant: &Variant,
    asked: &[String],
    known: &BTreeSet<Material>,
) -> Result<BTreeSet<Material>, Failure> {
    let mut found = BTreeSet::new();
    for text in asked {
        if !is_pattern(text) {
            found.insert(Material::from_typed(variant, text)?);
            continue;
        }
        let is_meant = |material: &&Material| {
            [(*material).clone(), material.swapped()].iter().any(|m| fits(text, &m.name(variant)))
        };
        let before = found.len();
        found.extend(known.iter().filter(is_meant).cloned());
        if found.len() == before && !known.iter().any(|material| is_meant(&material)) {
            return Err(Failure::new(format!(
                "no table fits `{text}`; `*` stands for any letters, `?` for one"
            )));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[track_caller]
    fn check_fits(pattern: &str, name: &str, expected: bool) {
        assert_eq!(fits(pattern, name), expected, "{pattern} and {name}");
    }

    #[test]
    fn patterns_stand_for_letters() {
        check_fits("KR*vK*", "KRvK", true);
        check_fits("KR*vK*", "KRPvKR", true);
        check_fits("KR*vK*", "KQvKR", false);
        check_fits("K?vK", "KQvK", true);
        check_fits("K?vK", "KQRvK", false);
        check_fits("*", "KQvK", true);
        check_fits("**P", "KQvKP", true);
        check_fits("", "KQvK", false);
        check_fits("KQvK", "KQvKR", false);
    }
}
