//! Lends out rooms that are used again, so that nothing is allocated for the next slice or block.
//!
//! One call that solves a material owns its pools. Each thread has a place of its own in a pool, so a room
//! comes back to the thread whose caches still hold it, and no thread waits for another.

use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Room to work in that can be used again; the default takes no memory.
pub(crate) trait Room: Default + Send {
    /// Forgets what the next user must not see; returns whether the room is worth keeping.
    fn tidy(&mut self) -> bool;
}

/// Rooms of one kind, one for each thread.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    /// By thread; callers who are no thread of rayon's share the last. Empty while the room is lent.
    places: Vec<Mutex<T>>,
}

impl<T: Room> Default for Pool<T> {
    fn default() -> Self {
        Pool { places: (0..=rayon::current_num_threads()).map(|_| Mutex::default()).collect() }
    }
}

impl<T: Room> Pool<T> {
    /// Takes the thread's room out of its place until the loan is dropped.
    ///
    /// A thread that waits for others may be given other work meanwhile; that work finds the place empty and
    /// makes a room of its own.
    pub(crate) fn lend(&self) -> Loan<'_, T> {
        let last = self.places.len() - 1;
        let place = &self.places[rayon::current_thread_index().map_or(last, |thread| thread.min(last))];
        let room = mem::take(&mut *place.lock().unwrap_or_else(PoisonError::into_inner));
        Loan { room, place }
    }
}

/// A room that goes back to its place when it is dropped.
#[derive(Debug)]
pub(crate) struct Loan<'p, T: Room> {
    room: T,
    place: &'p Mutex<T>,
}

impl<T: Room> Deref for Loan<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.room
    }
}

impl<T: Room> DerefMut for Loan<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.room
    }
}

impl<T: Room> Drop for Loan<'_, T> {
    fn drop(&mut self) {
        if self.room.tidy() {
            *self.place.lock().unwrap_or_else(PoisonError::into_inner) = mem::take(&mut self.room);
        }
    }
}
