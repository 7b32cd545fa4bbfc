//! Makes and cuts tables under leases, which keep processes that share a folder from doing the same work.

use super::{Builder, Leased};
use crate::TableLease;
use crate::built_table::BuiltTable;
use crate::prospect::Prospect;
use crate::queue::Grow;
use crate::record_file::part_with;
use crate::slice_file::SLICES_EXTENSION;
use format::{FormatError, Summary};
use library::LibraryError;
use plan::{Job, JobId, Need};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use variant::{Material, Metric, Side};

impl Builder<'_> {
    /// Leases a table, and waits while another process makes it. What one has logged that may live all the
    /// same is gone on with in copies.
    pub(super) fn lease(&self, id: JobId) -> Result<Leased, LibraryError> {
        let (job, mut has_waited) = (self.job(id), false);
        let lease = TableLease::wait(&self.files.main_path(&job.name), &mut |holder| {
            if !has_waited {
                self.progress.waits(job, holder);
            }
            has_waited = true;
            !self.interrupt.load(Ordering::Relaxed)
        })?;
        let lease = lease.ok_or(LibraryError::Interrupted)?;
        if lease.is_taken_over() {
            let log_path = self.options.log_path(self.files, job);
            for path in [log_path.with_extension(SLICES_EXTENSION), log_path] {
                part_with(&path).map_err(LibraryError::io("copy the log", &path))?;
            }
        }
        *self.state(id).renewal.lock().unwrap_or_else(PoisonError::into_inner) = Some(lease.renewal());
        Ok(Leased { lease, has_waited })
    }

    /// The table if another process has made it since this build looked at its files.
    pub(super) fn made_by_others(
        &self,
        id: JobId,
        lease: &Leased,
        grow: &Grow<'_>,
    ) -> Result<Option<BuiltTable>, LibraryError> {
        let job = self.job(id);
        let is_new = match self.state(id).surveyed.prospect {
            Prospect::Missing | Prospect::NotLent(_) => self.files.are_there(&job.name),
            Prospect::Outdated => lease.has_waited,
            _ => false,
        };
        let Some(found) = (is_new && !self.options.force).then(|| self.find_files(id)).flatten() else {
            return Ok(None);
        };
        self.progress.found(job);
        let lacks = self.left_out(job)?.is_some_and(|side| {
            let waiting = self.plan.in_need_of(id).into_iter().filter(|&after| self.is_to_make(after));
            let mut needs = waiting.flat_map(|after| &self.job(after).needs);
            needs.any(|need| need.material == job.material && need.asks_for(side))
        });
        if lacks {
            self.restore(id, &found, grow)?;
        }
        Ok(Some(found))
    }

    fn is_to_make(&self, id: JobId) -> bool {
        self.state(id).surveyed.is_to_make()
    }

    /// The side to move that a table's files, of those that solving reads, have left out.
    fn left_out(&self, job: &Job) -> Result<Option<Side>, LibraryError> {
        let kept = self.files.kept_sides(&job.name)?;
        let is_left_out = |side: &Side| !job.is_one_sided() && !kept.contains(side);
        Ok(Side::BOTH.into_iter().find(is_left_out))
    }

    /// The sides to move that the tables which wait for one read.
    pub(super) fn asked_sides(&self, id: JobId) -> Vec<Side> {
        let material = &self.job(id).material;
        let own = self
            .plan
            .in_need_of(id)
            .into_iter()
            .filter(|after| self.state(*after).surveyed.prospect.is_own());
        let needs: Vec<&Need> = own.flat_map(|after| &self.job(after).needs).collect();
        let is_asked_for = |stm: &Side| match (self.options.is_part_of_set, &self.options.set_readers) {
            (true, Some(readers)) => readers.ask_for(material, *stm),
            (true, None) => true,
            (false, _) => needs.iter().any(|need| need.material == *material && need.asks_for(*stm)),
        };
        Side::BOTH.into_iter().filter(is_asked_for).collect()
    }

    /// Whether a table has been the last of a set to read another one: all that do are there.
    pub(super) fn is_read_by_set(&self, id: JobId, needed: JobId) -> bool {
        let Some(readers) = self.options.set_readers.as_ref().filter(|_| self.options.is_part_of_set) else {
            return false;
        };
        let (edition, needed) = (self.files.edition(), self.job(needed));
        let is_there = |material: &Material| {
            let name = material.name(edition.variant());
            edition.metrics().iter().all(|&metric| {
                let summary = Summary::read(&self.files.path(&name, metric));
                summary.is_ok_and(|summary| edition.is_current(material, metric, &summary))
            })
        };
        self.plan.in_need_of(id).is_empty()
            && !self.interim_metrics(needed).is_empty()
            && readers.of(&needed.material).iter().all(is_there)
    }

    /// The metrics whose file of a table keeps a side to move for a while only.
    fn interim_metrics(&self, job: &Job) -> Vec<Metric> {
        let is_interim = |metric: Metric| {
            let summary = Summary::read(&self.files.path(&job.name, metric));
            summary.is_ok_and(|summary| summary.metadata.stays.is_some())
        };
        let is_to_cut = |&metric: &Metric| self.options.files.is_one_sided(job, metric) && is_interim(metric);
        self.files.edition().metrics().iter().copied().filter(is_to_cut).collect()
    }

    /// Leaves the larger side to move out of interim files; not of those that another process has leased,
    /// which will see to it.
    pub(super) fn cut(&self, id: JobId, lease: Option<&Leased>) -> Result<(), LibraryError> {
        let (job, edition) = (self.job(id), self.files.edition());
        let metrics = self.interim_metrics(job);
        if metrics.is_empty() || !self.folder.is_writable() {
            return Ok(());
        }
        let own = match lease {
            Some(_) => None,
            None => match TableLease::try_new(&self.files.main_path(&job.name))? {
                Ok(lease) => Some(lease),
                Err(_) => return Ok(()),
            },
        };
        let mut is_cut = false;
        for metric in metrics {
            let path = self.files.path(&job.name, metric);
            let cut = self.pool.install(|| format::drop_interim_side(&path, edition.variant()));
            if let Some(written) = cut? {
                written.check(&path)?;
                is_cut = true;
            }
        }
        if is_cut {
            let size = |&metric: &Metric| Ok(Summary::read(&self.files.path(&job.name, metric))?.size_bytes);
            let sizes: Vec<u64> = edition.metrics().iter().map(size).collect::<Result<_, FormatError>>()?;
            self.state(id).cut_size_bytes.get_or_init(|| sizes.iter().sum());
        }
        drop(own);
        Ok(())
    }
}
