//! Runs work that reads tables on threads of its own, so many at a time.

use crate::refused::Refused;
use axum::http::StatusCode;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The places at which tables are read. Whoever finds none free waits; the time limit of requests bounds
/// that.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    places: Arc<Semaphore>,
}

impl Desk {
    pub(crate) fn new(n_places: usize) -> Self {
        Desk { places: Arc::new(Semaphore::new(n_places.max(1))) }
    }

    /// Runs work at the next free place. Work that has begun keeps its place to its end, also if nobody
    /// waits for it any longer.
    ///
    /// # Errors
    /// The work's own, or that it has panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
    ) -> Result<T, Refused> {
        let lost = || Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the answer was lost");
        let place = self.places.clone().acquire_owned().await.map_err(|_| lost())?;
        let work = move || {
            let _place = place;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| lost())?
    }
}
