//! Classifies tables by what their captures and promotions lead to.

use crate::{JobId, Plan};
use std::fmt;
use variant::{Man, Variant};

/// How much stands behind a table, after the names that Wendroff and others gave to endings (*Bits and
/// pieces*, 1993); the definitions are ours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Every capture leads to a draw that the rules prove: nothing else has to be there.
    Trivial,
    /// No pawns; captures lead through at most so many tables, one after the other, before a trivial one or
    /// a draw. With 1 it is simple: its captures lead to trivial ones.
    Simple(usize),
    /// It has pawns, whose moves make slices and whose promotions lead to tables of as many men.
    Complex,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Class::Trivial => "trivial".to_owned(),
            Class::Simple(1) => "simple".to_owned(),
            Class::Simple(n) => format!("{n}-simple"),
            Class::Complex => "complex".to_owned(),
        })
    }
}

impl Plan {
    /// The class of each job.
    ///
    /// Shape: by the places of the jobs.
    #[must_use]
    pub fn classes(&self, variant: &Variant) -> Vec<Class> {
        let mut classes: Vec<Class> = Vec::with_capacity(self.len());
        for id in self.ids() {
            let has_pawns = self.job(id).material.men().any(|man: Man| variant.is_pawn(man));
            // What a job needs comes before it.
            let behind = self.needed_by(id).into_iter().map(|JobId(needed)| classes[needed]).max();
            classes.push(match behind {
                _ if has_pawns => Class::Complex,
                None => Class::Trivial,
                Some(Class::Trivial) => Class::Simple(1),
                Some(Class::Simple(n)) => Class::Simple(n + 1),
                Some(Class::Complex) => Class::Complex,
            });
        }
        classes
    }
}
