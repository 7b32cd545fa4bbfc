//! Names the folders whose tables a build may use, and the tables that it makes all the same.

use library::{Edition, LibraryError};
use library::{Lender, Lent};
use plan::{Job, Request};
use std::path::PathBuf;
use variant::{Material, Side, Variant};

/// The folders that lend tables, the first one asked first.
#[derive(Debug, Default)]
pub struct Lenders {
    lenders: Vec<Lender>,
    wanted: Option<Request>,
}

impl Lenders {
    /// These folders lend tables to a build of what is wanted. A table that is asked for by its name is made
    /// even where one of them has it.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn new(variant: &Variant, folders: &[PathBuf], wanted: &Request) -> Result<Self, LibraryError> {
        let wanted = match wanted {
            up_to @ Request::UpTo(_) => up_to.clone(),
            named => Request::Tables(named.named(variant)),
        };
        let lenders = folders.iter().map(|folder| Lender::new(folder, variant));
        Ok(Lenders { lenders: lenders.collect::<Result<_, _>>()?, wanted: Some(wanted) })
    }

    /// No folders.
    pub(super) fn nobody() -> &'static Self {
        static NOBODY: Lenders = Lenders { lenders: Vec::new(), wanted: None };
        &NOBODY
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.lenders.is_empty()
    }

    /// Whether a table is wanted for itself, and not for others that are made from it.
    pub(super) fn is_asked_for(&self, material: &Material) -> bool {
        match &self.wanted {
            Some(Request::UpTo(n_men)) => material.n_men() <= *n_men,
            _ => self.is_asked_for_by_name(material),
        }
    }

    /// Whether a table is wanted by its name.
    pub(super) fn is_asked_for_by_name(&self, material: &Material) -> bool {
        matches!(&self.wanted, Some(Request::Tables(wanted)) if wanted.contains(material))
    }

    /// The table of a job, from the first folder that has it with these sides to move in a form that serves.
    pub(super) fn lend(&self, edition: &Edition, job: &Job, asks_for: impl Fn(Side) -> bool) -> Lent {
        let mut unfit = None;
        for lender in &self.lenders {
            match lender.lend(edition, job, &asks_for) {
                Lent::Unfit(why) => drop(unfit.get_or_insert(why)),
                Lent::No => {}
                yes @ Lent::Yes(_) => return yes,
            }
        }
        unfit.map_or(Lent::No, Lent::Unfit)
    }
}
