//! Asks the allocator to give back freed memory at once.
//!
//! The allocator of GNU systems takes large requests from the system and gives them back when they are freed.
//! But each one that is freed teaches it that such sizes are wanted again. Up to 32 MB it keeps them from
//! then on, and a program that makes one large thing after the other grows with each. A fixed threshold costs
//! some new pages, two or three hundredths of what writing Syzygy files takes.

#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the setting of an allocator is a call to C")
)]

/// From this size on a request goes to the system, and so much may stay free at the end of the heap.
///
/// Units: bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const THRESHOLD: libc::c_int = 1 << 20;

/// Makes the whole program give back what it frees, where the system has such a setting.
pub fn give_back_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for setting in [libc::M_MMAP_THRESHOLD, libc::M_TRIM_THRESHOLD] {
        // SAFETY: the call takes two numbers and no pointer. The manual calls it unsafe beside the first
        // allocation of a program, which is made before `main` begins, and beside allocations of other
        // threads, because these read the settings without a lock: each is one aligned word, of which they
        // find the old number or the new one, and both are good.
        let _ = unsafe { libc::mallopt(setting, THRESHOLD) };
    }
}
