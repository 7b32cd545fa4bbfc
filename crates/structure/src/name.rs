//! Names structures and their files.
//!
//! ```text
//!   wKQd6-bKQ . wdl . p0 . m4 . least . tss
//!   slice       |     |    |    bound
//!               |     limit
//!               the metric, if it is not the game's own
//! ```
//!
//! The name of a slice is Baccala's: king, queen and a pawn on d6 against king and queen. A slice and its
//! mirror image are one, and have the name of the one whose pawns stand further left. Colours are not
//! exchanged, because a bound is one of White's.

use crate::file::{EXTENSION, PART};
use crate::{Bound, Concession, Kept, Structure};
use export::flat::name_of_slice;
use geometry::{Square, Symmetry};
use position::Position;
use std::collections::BTreeSet;
use std::path::PathBuf;
use variant::{Man, Material, Side, Variant};

/// The most bytes of a file's name on the systems that people use.
const MOST_BYTES: usize = 255;

/// The most bytes that a limit takes of a name that people are to read.
const MOST_LIMIT_BYTES: usize = 80;

/// So many letters of a hash stand for what is left out of a name.
const N_LETTERS: usize = 12;

/// The file of a structure; `given` is the name that somebody has chosen.
pub(crate) fn file_name(variant: &Variant, given: Option<&str>, structure: &Structure) -> PathBuf {
    let mut name = given.map_or_else(|| structure.name(), str::to_owned);
    if structure.metric() != variant.default_metric {
        name = format!("{name}.{}", structure.metric());
    }
    let bound = match structure.bounds() {
        [Bound::Lower] => ".least",
        [Bound::Upper] => ".most",
        _ => "",
    };
    fitting(&name, &limit_words(structure), bound).into()
}

/// What a file name says of the limit.
fn limit_words(structure: &Structure) -> String {
    let limit = structure.limit();
    let mut words = match limit.holder() {
        None => String::new(),
        Some(Side::White) => ".draw-w".into(),
        Some(Side::Black) => ".draw-b".into(),
    };
    if let Some(n) = limit.in_all {
        words += &format!(".p{n}");
    }
    if let [Some(white), Some(black)] = limit.each {
        words += &format!(".p{white}-{black}");
    }
    if limit.first_only {
        words.push('q');
    }
    if limit.few_men > 0 {
        words += &format!(".m{}", limit.few_men);
    }
    words.extend(limit.kept.iter().map(Kept::file_words));
    words.extend(limit.conceded.iter().map(Concession::file_words));
    words
}

/// A name with its ending that is not too long for a file, nor while the file is in the making: a hash stands
/// for the limit, or for the end of the name, where there is no room for it.
fn fitting(name: &str, limit: &str, bound: &str) -> String {
    let ending = format!("{bound}.{EXTENSION}");
    let room = MOST_BYTES - ending.len() - PART.len() - 1;
    if limit.len() <= MOST_LIMIT_BYTES && name.len() + limit.len() <= room {
        return format!("{name}{limit}{ending}");
    }
    let limit = if limit.is_empty() { String::new() } else { format!(".limit-{}", hash(limit)) };
    if name.len() + limit.len() <= room {
        return format!("{name}{limit}{ending}");
    }
    let most = room - limit.len() - N_LETTERS - 1;
    let n = (0..=most).rev().find(|&n| name.is_char_boundary(n)).unwrap_or(0);
    format!("{}-{}{limit}{ending}", &name[..n], hash(name))
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..N_LETTERS].to_owned()
}

impl Structure {
    /// The name of the slice of the first root: `wKQd6-bKQ`. Where roots are of several slices, how many more
    /// there are and a hash of their names follow.
    #[must_use]
    pub fn name(&self) -> String {
        let names = self.roots().iter().map(|root| slice_name(self.variant(), root));
        let all: BTreeSet<String> = names.collect();
        let Some(first) = self.roots().first() else { return String::new() };
        let first = slice_name(self.variant(), first);
        match all.len() {
            0 | 1 => first,
            n => {
                let names: Vec<String> = all.into_iter().collect();
                format!("{first}-and-{}-more-{}", n - 1, hash(&names.join(" ")))
            }
        }
    }
}

/// The name of the slice that a position is of: of its images the one whose pawns have the smallest squares,
/// as its file keeps it.
fn slice_name(variant: &Variant, position: &Position) -> String {
    let material = Material::from_men(position.men().map(|(man, _)| man));
    let image = |symmetry: Symmetry| {
        let pawns = position.men().filter(|&(man, _)| variant.is_pawn(man));
        let mut pawns: Vec<(Man, Square)> =
            pawns.map(|(man, square)| (man, symmetry.square(&variant.board, square))).collect();
        pawns.sort_unstable();
        pawns.into_iter().map(|(_, square)| square).collect::<Vec<_>>()
    };
    let group = index::symmetry_group(variant, &material);
    let pawns = group.into_iter().map(image).min().unwrap_or_default();
    name_of_slice(variant, &material, &pawns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limit, MAX_SLICES};
    use position::RuleBook;
    use variant::Metric;

    fn structure(fens: &[&str], limit: Limit) -> Structure {
        let variant = Variant::chess();
        let book = RuleBook::new(&variant);
        let roots: Vec<Position> =
            fens.iter().map(|fen| Position::from_fen(&book, fen).expect("a position")).collect();
        let bounds = [Bound::Lower];
        Structure::new(&variant, Metric::Wdl, &roots, (limit, &bounds), MAX_SLICES)
            .expect("a small structure")
    }

    #[track_caller]
    fn check(fens: &[&str], limit: Limit, expected: &str) {
        let path = file_name(&Variant::chess(), None, &structure(fens, limit));
        assert_eq!(path.to_str(), Some(expected), "{fens:?}");
    }

    #[test]
    fn names_are_those_of_slices() {
        // A pawn and its mirror image; wherever the kings stand.
        check(&["8/8/4P3/8/8/8/k7/6K1 w - - 0 1"], Limit::none(), "wKd6-bK.wdl.tss");
        check(&["8/8/3P4/8/8/k7/8/6K1 b - - 0 1"], Limit::none(), "wKd6-bK.wdl.tss");
        check(&["8/8/3P4/8/8/k3p3/8/6K1 b - - 0 1"], Limit::in_all(0), "wKd6-bKe3.wdl.p0.least.tss");
        // Colours are not exchanged.
        check(&["8/8/8/8/8/k3p3/8/6K1 b - - 0 1"], Limit::none(), "wK-bKd3.wdl.tss");
        // Two positions of one slice, and of two.
        let two = ["8/8/4P3/8/8/8/k7/6K1 w - - 0 1", "8/8/3P4/8/8/8/k7/6K1 w - - 0 1"];
        check(&two, Limit::none(), "wKd6-bK.wdl.tss");
        let two = structure(&[two[0], "8/8/8/4P3/8/8/k7/6K1 w - - 0 1"], Limit::none()).name();
        assert!(two.starts_with("wKd6-bK-and-1-more-") && two.len() == 31, "{two}");
    }

    #[test]
    fn names_are_never_too_long_for_a_file() {
        let variant = Variant::chess();
        let short = structure(&["8/8/4P3/8/8/8/k7/6K1 w - - 0 1"], Limit::none());
        let words: Vec<_> = ["w=N", "w=B", "w=R", "wd6d7", "we6e7", "wx*", "stalemate", "KBvK", "no-table"]
            .into_iter()
            .cycle()
            .take(40)
            .map(|word| Concession::to(&variant, Side::Black, word).expect("a word"))
            .collect();
        let long = structure(&["8/8/4P3/8/8/8/k7/6K1 w - - 0 1"], Limit::none().with_conceded(words));
        let mut all = BTreeSet::new();
        // Letters of two bytes are not torn apart.
        for given in ["a", &"a".repeat(300), &"ä".repeat(200), &("b".to_owned() + &"ä".repeat(200))] {
            for structure in [&short, &long] {
                let path = file_name(&variant, Some(given), structure);
                let name = path.to_str().expect("text").to_owned();
                assert!(name.len() + PART.len() < MOST_BYTES && name.ends_with(".tss"), "{name}");
                assert_eq!(name, file_name(&variant, Some(given), structure).to_string_lossy());
                all.insert(name);
            }
        }
        assert_eq!(all.len(), 8, "{all:#?}");
        // What has room says everything.
        assert!(all.contains("a.wdl.tss"), "{all:#?}");
    }
}
