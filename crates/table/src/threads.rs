//! Shares work among all threads of the caller's pool.
//!
//! Rayon's own loops are compiled anew for each kind of item: they were a fifth to a third of what the crates
//! that compute had to compile. `share` is compiled once and calls its work by a pointer. One item is work of
//! microseconds at least: a block of codes, a slice, a file.

use parking_lot::Mutex;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Elements of a slice that make an item, where each of them takes nanoseconds.
const N_ELEMENTS: usize = 1 << 12;

/// Cuts numbers into stretches of this length, the last of which may be shorter.
pub fn stretches(numbers: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    numbers.clone().step_by(len).map(move |start| start..numbers.end.min(start + len))
}

/// Does some work for each item, with a room to work in for each thread, and gives back the rooms, in no
/// order.
pub fn fold<T: Send, S: Send>(
    items: impl IntoIterator<Item = T>,
    room: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) + Sync,
) -> Vec<S> {
    let mut places = Vec::new();
    for item in items {
        places.push(Mutex::new(Some(item)));
    }
    fill(&places, room, |room, place| {
        if let Some(item) = place.take() {
            work(room, item);
        }
    })
}

/// Does some work for each item.
pub fn for_each<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    fold(items, || (), |_, item| work(item));
}

/// Does some work for each element of a slice, with its place; a thread takes many of them at a time.
pub fn for_each_element<T: Send>(elements: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    let stretches = elements.chunks_mut(N_ELEMENTS).zip((0..).step_by(N_ELEMENTS));
    for_each(stretches, |(elements, first)| {
        elements.iter_mut().zip(first..).for_each(|(element, place)| work(place, element));
    });
}

/// What the work makes of each item, in the order of the items.
pub fn map<T: Send, R: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    map_in(items, || (), |_, item| work(item))
}

/// What the work makes of each item, in the order of the items, with a room to work in for each thread.
pub fn map_in<T: Send, R: Send, S: Send>(
    items: impl IntoIterator<Item = T>,
    room: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R> {
    let mut places: Vec<Mutex<(Option<T>, Option<R>)>> = Vec::new();
    for item in items {
        places.push(Mutex::new((Some(item), None)));
    }
    fill(&places, room, |room, place| place.1 = place.0.take().map(|item| work(room, item)));
    let mut made = Vec::with_capacity(places.len());
    for place in places {
        if let Some(one) = place.into_inner().1 {
            made.push(one);
        }
    }
    made
}

/// Does some work for each item until one fails.
///
/// # Errors
/// The work's own, of the first item among those that have failed.
pub fn try_for_each<T: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    try_map(items, work).map(|_| ())
}

/// What the work makes of each item, in the order of the items, until one fails.
///
/// # Errors
/// The work's own, of the first item among those that have failed.
pub fn try_map<T: Send, R: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_map_in(items, || (), |_, item| work(item))
}

/// What the work makes of each item, in the order of the items, until one fails, with a room to work in for
/// each thread.
///
/// # Errors
/// The work's own, of the first item among those that have failed.
pub fn try_map_in<T: Send, R: Send, E: Send, S: Send>(
    items: impl IntoIterator<Item = T>,
    room: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let has_failed = AtomicBool::new(false);
    let made = map_in(items, room, |room, item| {
        if has_failed.load(Ordering::Relaxed) {
            return None;
        }
        let made = work(room, item);
        has_failed.fetch_or(made.is_err(), Ordering::Relaxed);
        Some(made)
    });
    let mut all = Vec::with_capacity(made.len());
    for made in made.into_iter().flatten() {
        all.push(made?);
    }
    Ok(all)
}

/// Calls `work` with each place once; no lock is waited for.
fn fill<P: Send, S: Send>(
    places: &[Mutex<P>],
    room: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &mut P) + Sync,
) -> Vec<S> {
    let rooms = Mutex::new(Vec::new());
    share(places.len(), &|numbers| {
        let mut own = None;
        for number in numbers {
            work(own.get_or_insert_with(&room), &mut places[number].lock());
        }
        rooms.lock().extend(own);
    });
    rooms.into_inner()
}

/// Hands out the numbers `0..n`, in their order, to as many calls of `worker` as there are threads.
fn share(n: usize, worker: &(dyn Fn(&mut dyn Iterator<Item = usize>) + Sync)) {
    let next = AtomicUsize::new(0);
    let work = || {
        let number = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < n);
        worker(&mut std::iter::from_fn(number));
    };
    let n_workers = rayon::current_num_threads().min(n);
    if n_workers <= 1 {
        return work();
    }
    rayon::scope(|scope| {
        (1..n_workers).for_each(|_| scope.spawn(|_| work()));
        work();
    });
}

#[cfg(test)]
mod tests {
    use super::{fold, for_each, for_each_element, map, stretches, try_map};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Calls with pools of one, two and five threads.
    fn in_pools(call: impl Fn() + Sync) {
        for n_threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().expect("threads");
            pool.install(&call);
        }
    }

    #[test]
    fn each_item_is_worked_on_once_and_results_keep_their_order() {
        in_pools(|| {
            for n in [0usize, 1, 2, 1000] {
                assert_eq!(map(0..n, |number| number * number), (0..n).map(|n| n * n).collect::<Vec<_>>());
                let sums = fold(0..n, || 0, |sum, number| *sum += number);
                assert!(sums.len() <= rayon::current_num_threads());
                assert_eq!(sums.into_iter().sum::<usize>(), (0..n).sum());
            }
            // Work within work, as slices of a level have blocks.
            let calls = AtomicUsize::new(0);
            for_each(0..20, |_| for_each(0..30, |_| _ = calls.fetch_add(1, Ordering::Relaxed)));
            assert_eq!(calls.into_inner(), 600);
        });
    }

    #[test]
    fn stretches_and_elements_are_all_there() {
        let all: Vec<_> = stretches(3..14, 5).collect();
        assert_eq!(all, [3..8, 8..13, 13..14]);
        assert_eq!(stretches(3..3, 5).count(), 0);
        in_pools(|| {
            let mut numbers = vec![1; 10_000];
            for_each_element(&mut numbers, |place, number| *number += place);
            assert!(numbers.into_iter().eq(1..=10_000));
        });
    }

    #[test]
    fn the_first_failure_is_told_and_no_new_work_begins() {
        in_pools(|| {
            let calls = AtomicUsize::new(0);
            let failed = try_map(0..100_000, |number| {
                calls.fetch_add(1, Ordering::Relaxed);
                if number < 7 { Ok(number) } else { Err(number) }
            });
            assert!(failed.unwrap_err() < 7 + rayon::current_num_threads());
            assert!(calls.into_inner() < 100_000);
            assert_eq!(try_map(0..3, Ok::<_, ()>), Ok(vec![0, 1, 2]));
        });
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        in_pools(|| {
            let caught = std::panic::catch_unwind(|| for_each(0..10, |n| assert_ne!(n, 4)));
            assert!(caught.is_err());
        });
    }
}
