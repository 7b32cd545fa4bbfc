//! Lends out rooms that are used again, so that nothing is allocated for the next slice or block.
//!
//! One call that solves a material owns its pools. Each thread has a place of its own in a pool, so a room
//! comes back to the thread whose caches still hold it, and no thread waits for another.

use crate::packed::Window;
use kernel::Word;
use parking_lot::Mutex;
use std::mem;
use std::ops::{Deref, DerefMut};

/// Room to work in that can be used again; the default takes no memory.
pub(crate) trait Room: Default + Send {
    /// Forgets what the next user must not see, if that does not fill in everything; returns whether the room
    /// is worth keeping.
    fn tidy(&mut self) -> bool {
        true
    }
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
        let room = mem::take(&mut *place.lock());
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
            *self.place.lock() = mem::take(&mut self.room);
        }
    }
}

/// Room to work on one block of a slice.
#[derive(Default, Debug)]
pub(crate) struct Scratch<W> {
    /// By row: the squares of all men but the two that make up the row.
    pub(crate) taken: Vec<W>,
    /// By row: whether two of those men share a square.
    pub(crate) shared: Vec<bool>,
    /// By row: whether the square of one outer man is free of all men but the row's two.
    pub(crate) passable: Vec<bool>,
    /// Targets that suit one kind of walk, or the image of another block.
    pub(crate) targets: Vec<W>,
    /// Flags of rows that are not read.
    pub(crate) ignored: Vec<bool>,
    /// Moves, or what is kept from them, under compulsory capture.
    pub(crate) quiet: Vec<W>,
    /// What is found, where frontiers are packed; empty between two blocks.
    pub(crate) found: Vec<W>,
    /// By row of that: whether it has anything.
    pub(crate) found_live: Vec<bool>,
    /// The open set of a block, where that is on the disk.
    pub(crate) open: Vec<W>,
    /// The blocks of the escapes that moves lead into, where these are on the disk.
    pub(crate) escapes: Window<W>,
    /// The words that hold something of a thin block, or of what is packed, each with its number.
    pub(crate) full: Vec<(u32, W)>,
    /// The blocks of a packed frontier that moves lead into.
    pub(crate) window: Window<W>,
}

impl<W: Word> Room for Scratch<W> {}
