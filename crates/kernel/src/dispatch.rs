//! Which instructions the processor has, found once, and the macro that compiles a kernel for each.

use std::sync::OnceLock;

/// A set of instructions that kernels are compiled for.
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
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
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

/// Defines a kernel whose body is compiled for each [`Level`] and chosen by the processor.
macro_rules! kernel {
    ($(#[$doc:meta])* pub fn $name:ident($($arg:ident: $ty:ty),* $(,)?) = $body:path;) => {
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments)]
        pub fn $name($($arg: $ty),*) {
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
                match crate::dispatch::Level::detected() {
                    crate::dispatch::Level::Avx512 => {
                        #[expect(unsafe_code, reason = "the processor has the instructions")]
                        // SAFETY: `Level::detected` is `Avx512` only where avx512f and avx512vl were found.
                        return unsafe { avx512($($arg),*) };
                    }
                    crate::dispatch::Level::Avx2 => {
                        #[expect(unsafe_code, reason = "the processor has the instructions")]
                        // SAFETY: `Level::detected` is `Avx2` only where avx2 was found.
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
