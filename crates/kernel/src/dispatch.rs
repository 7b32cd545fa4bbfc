//! Which instructions the processor has, found once, and the macro that compiles a kernel for each.

use std::sync::OnceLock;

/// A set of instructions that kernels are compiled for; each has those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// What every machine of the architecture has.
    Portable,
    /// x86-64 with 256-bit integer vectors.
    Avx2,
    /// x86-64 with 512-bit integer vectors.
    Avx512,
}

impl Level {
    /// The best level of this processor.
    #[must_use]
    #[inline]
    pub fn detected() -> Level {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| {
            #[cfg(target_arch = "x86_64")]
            {
                let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl");
                if avx512 && is_x86_feature_detected!("avx2") {
                    return Level::Avx512;
                }
                if is_x86_feature_detected!("avx2") {
                    return Level::Avx2;
                }
            }
            Level::Portable
        })
    }
}

/// Defines a kernel whose body is compiled for each [`Level`] and chosen by the processor, and beside it the same
/// kernel at a level that the caller says, which must not be above the detected one.
macro_rules! kernel {
    ($(#[$doc:meta])* pub fn $name:ident / $at:ident($($arg:ident: $ty:ty),* $(,)?) = $body:path;) => {
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments)]
        pub fn $name($($arg: $ty),*) {
            $at(crate::dispatch::Level::detected(), $($arg),*);
        }

        #[inline]
        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $at(level: crate::dispatch::Level, $($arg: $ty),*) {
            assert!(level <= crate::dispatch::Level::detected(), "{level:?} is not to be had here");
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl")]
                fn avx512($($arg: $ty),*) {
                    $body($($arg),*);
                }
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $ty),*) {
                    $body($($arg),*);
                }
                match level {
                    crate::dispatch::Level::Avx512 => {
                        #[expect(unsafe_code, reason = "the processor has the instructions")]
                        // SAFETY: the level is not above `Level::detected`, which is `Avx512` only where avx512f and
                        // avx512vl were found.
                        return unsafe { avx512($($arg),*) };
                    }
                    crate::dispatch::Level::Avx2 => {
                        #[expect(unsafe_code, reason = "the processor has the instructions")]
                        // SAFETY: the level is not above `Level::detected`, which is `Avx2` or more only where avx2
                        // was found.
                        return unsafe { avx2($($arg),*) };
                    }
                    crate::dispatch::Level::Portable => {}
                }
            }
            $body($($arg),*);
        }
    };
}
pub(crate) use kernel;
