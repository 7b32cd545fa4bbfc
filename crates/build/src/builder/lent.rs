//! Takes tables of others: reads them, and names them as files of one's own would be named.

use super::Builder;
use crate::prospect::Prospect;
use library::{LibraryError, Loan};
use plan::{JobId, Need};
use table::Table;
use variant::Side;

impl Builder<'_> {
    /// Reads a table of others, and names it as its files here would be named.
    pub(super) fn take(&self, id: JobId, loan: &Loan) -> Result<(), LibraryError> {
        let (job, edition) = (self.job(id), self.files.edition());
        let table = self.pool.install(|| {
            let table = loan.read(edition, &job.material, &self.sides_asked_for(id))?;
            let names = loan.names(edition, &job.material, &table)?;
            for (content, name) in self.state(id).contents.iter().zip(names) {
                content.get_or_init(|| name);
            }
            Ok::<Table, LibraryError>(table)
        })?;
        if let Some(holding) = self.schedule.job(id).leaves {
            self.cache.put(holding, table);
        }
        Ok(())
    }

    /// The sides to move that tables ask a table for.
    fn sides_asked_for(&self, id: JobId) -> Vec<Side> {
        let material = &self.job(id).material;
        let after = self.plan.in_need_of(id);
        let needs = after.iter().flat_map(|&after| &self.job(after).needs);
        let needs: Vec<&Need> = needs.filter(|need| need.material == *material).collect();
        Side::BOTH.into_iter().filter(|&stm| needs.iter().any(|need| need.asks_for(stm))).collect()
    }

    /// Takes the tables of others that a job needs and that nobody has taken, because the job looked done.
    pub(super) fn take_needs(&self, id: JobId) -> Result<(), LibraryError> {
        for &needed in &self.schedule.job(id).needs {
            let is_taken = self.state(needed).contents.iter().all(|content| content.get().is_some());
            if let (Prospect::Lent { loan, .. }, false) = (&self.state(needed).surveyed.prospect, is_taken) {
                self.take(needed, loan)?;
            }
        }
        Ok(())
    }
}
