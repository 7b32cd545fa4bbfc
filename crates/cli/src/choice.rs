//! Chooses tables among those of a folder, by names and by patterns such as `KR*vK*`.

use crate::Failure;
use crate::game::Game;
use crate::remedy::{metric_names, solve_for};
use std::collections::BTreeSet;
use std::path::Path;
use variant::{Material, Metric, Variant};
use wildmatch::WildMatch;

/// Tables of a folder that are asked for.
pub(crate) struct Choice<'a> {
    pub(crate) game: &'a Game,
    pub(crate) folder: &'a Path,
    /// What is read of them.
    pub(crate) metrics: &'a [Metric],
    /// Names and patterns; all tables without any.
    pub(crate) asked: &'a [String],
    pub(crate) men: Option<usize>,
}

impl Choice<'_> {
    /// Those that are meant, at least one; of the names some may be of tables that are not there.
    pub(crate) fn among(
        &self,
        there: &BTreeSet<Material>,
        program: &str,
    ) -> Result<BTreeSet<Material>, Failure> {
        let (variant, asked) = (&self.game.variant, self.asked);
        let mut wanted = if asked.is_empty() { there.clone() } else { chosen(variant, asked, there)? };
        wanted.retain(|material| self.men.is_none_or(|n_men| material.n_men() <= n_men));
        match wanted.is_empty() {
            false => Ok(wanted),
            true => Err(self.missing(None, program)),
        }
    }

    /// Says that a table, or any, is not there, and which command builds it.
    pub(crate) fn missing(&self, material: Option<&Material>, program: &str) -> Failure {
        let Choice { game, folder, metrics, .. } = *self;
        let (names, shown) = (metric_names(metrics), folder.display());
        let name = material.map(|material| material.name(&game.variant));
        let solve = solve_for(program, &game.path, name.as_deref(), metrics, folder);
        Failure::new(match name {
            Some(name) => format!("{name} is not there with the {names} in {shown}; {solve}"),
            None => format!("{shown} has no tables of the {names} that are asked for; {solve}"),
        })
    }
}

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
