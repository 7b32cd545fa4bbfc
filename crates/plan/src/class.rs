//! Classifies tables by what their captures lead to, in the words of Wendroff and others.

use crate::{JobId, Plan};
use std::fmt;
use variant::{Man, Material, Variant};

/// How much stands behind a table. An ending is *trivial* if all its positions are drawn. Of the others
/// without pawns one is *simple* if its captures lead to trivial ones, and *n-simple* if they lead to trivial
/// ones and to such as are at most (n − 1)-simple.
///
/// Source: Wendroff, Warnock, Stiller, Mayer and Brickner, *Bits and pieces*, 1993.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Every position is drawn.
    Trivial,
    /// No pawns; captures lead through at most so many endings, one after the other, before a trivial one.
    /// With 1 it is simple.
    Simple(usize),
    /// Without pawns, and which of these it is shows only when it is solved.
    Unknown,
    /// It has pawns, whose moves make slices and whose promotions lead to tables of as many men.
    Complex,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Class::Trivial => "trivial".to_owned(),
            Class::Simple(1) => "simple".to_owned(),
            Class::Simple(n) => format!("{n}-simple"),
            Class::Unknown => "?".to_owned(),
            Class::Complex => "complex".to_owned(),
        })
    }
}

impl Plan {
    /// The class of each job. `is_trivial` says whether all positions of a material are drawn, if that is
    /// known; it is asked where the captures do not tell.
    ///
    /// Shape: by the places of the jobs.
    #[must_use]
    pub fn classes(&self, variant: &Variant, is_trivial: &dyn Fn(&Material) -> Option<bool>) -> Vec<Class> {
        // The least and the largest n of endings without pawns, 0 of trivial ones.
        let mut ranges: Vec<Option<(usize, usize)>> = Vec::with_capacity(self.len());
        for id in self.ids() {
            let material = &self.job(id).material;
            let has_pawns = material.men().any(|man: Man| variant.is_pawn(man));
            // What a job needs comes before it; what the rules prove drawn is no job.
            let mut behind = self.needed_by(id).into_iter().map(|JobId(needed)| ranges[needed]);
            let behind = behind.try_fold((0, 0), |(least, most), behind| {
                behind.map(|(a, b): (usize, usize)| (least.max(a), most.max(b)))
            });
            ranges.push(behind.filter(|_| !has_pawns).map(|(least, most)| {
                // Who can capture so that he wins has won already.
                let is_trivial = if least > 0 { Some(false) } else { is_trivial(material) };
                match is_trivial {
                    Some(true) => (0, 0),
                    Some(false) => (least + 1, most + 1),
                    None => (0, most + 1),
                }
            }));
        }
        let class = |range| match range {
            None => Class::Complex,
            Some((0, 0)) => Class::Trivial,
            Some((least, most)) if least == most => Class::Simple(most),
            Some(_) => Class::Unknown,
        };
        ranges.into_iter().map(class).collect()
    }
}
