//! Makes large vectors, and asks the system for large pages for them.
//!
//! The codes of a large slice take a gigabyte, and a set of its placements more than a hundred megabytes. In
//! pages of 4 kB a third of the time goes into the pages: into handing them out, and into finding them where
//! kernels jump from block to block.

/// Vectors of fewer bytes have the pages that the system gives them.
#[cfg(target_os = "linux")]
const LARGE_BYTES: usize = 1 << 22;

/// A vector of `n` copies of a value. Nothing of it is touched if the value is zero.
#[must_use]
pub fn repeated<T: Clone>(value: T, n: usize) -> Vec<T> {
    let all = vec![value; n];
    #[cfg(target_os = "linux")]
    if size_of_val(all.as_slice()) >= LARGE_BYTES {
        ask_for_large_pages(&all);
    }
    all
}

/// Asks for large pages for what a slice is in. The system may ignore that.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice about memory is a call to C")]
fn ask_for_large_pages<T>(all: &[T]) {
    /// The smallest pages that processors have.
    const PAGE_BYTES: usize = 1 << 12;
    let first = all.as_ptr().addr().next_multiple_of(PAGE_BYTES);
    let end = all.as_ptr().addr() + size_of_val(all);
    let start = all.as_ptr().cast_mut().cast::<libc::c_void>().with_addr(first);
    // SAFETY: the pages begin within the slice, so they are in memory of this program. This advice leaves
    // what they hold as it is, also behind the slice.
    let _ = unsafe { libc::madvise(start, end.saturating_sub(first), libc::MADV_HUGEPAGE) };
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn vectors_hold_what_was_asked_for() {
        for n in [0, 1, 5000, (1 << 20) + 1] {
            assert!(repeated(0u64, n) == vec![0; n] && repeated(3u128, n) == vec![3; n]);
        }
    }
}
