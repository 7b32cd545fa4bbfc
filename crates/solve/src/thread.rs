//! What each thread keeps from slice to slice, so that nothing is allocated for the next one: a slot for each
//! kind and word.

use crate::event::Decisions;
use crate::job::Room;
use crate::unmove::Scratch;
use kernel::Word;
use std::cell::Cell;
use std::thread::LocalKey;

/// Something that a thread keeps; it is taken out while it is used.
pub(crate) type Slot<T> = LocalKey<Cell<Option<Box<T>>>>;

/// A word of which threads keep what they need for it.
pub(crate) trait PerThread: Word {
    /// Room for one block.
    fn scratch() -> &'static Slot<Scratch<Self>>;

    /// Room for one slice.
    fn room() -> &'static Slot<Room<Self>>;

    /// What the last small slice gathered, emptied: there are many small slices.
    fn decisions() -> &'static Slot<Decisions<Self>>;
}

macro_rules! per_thread {
    ($word:ty) => {
        impl PerThread for $word {
            fn scratch() -> &'static Slot<Scratch<Self>> {
                thread_local! {
                    static SLOT: Cell<Option<Box<Scratch<$word>>>> = const { Cell::new(None) };
                }
                &SLOT
            }

            fn room() -> &'static Slot<Room<Self>> {
                thread_local! {
                    static SLOT: Cell<Option<Box<Room<$word>>>> = const { Cell::new(None) };
                }
                &SLOT
            }

            fn decisions() -> &'static Slot<Decisions<Self>> {
                thread_local! {
                    static SLOT: Cell<Option<Box<Decisions<$word>>>> = const { Cell::new(None) };
                }
                &SLOT
            }
        }
    };
}

per_thread!(u64);
per_thread!(u128);
