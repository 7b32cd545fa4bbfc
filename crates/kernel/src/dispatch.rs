//! Which instructions the processor has, found once, and the macro that compiles a kernel for each.

use std::sync::OnceLock;

/// A set of instructions that kernels are compiled for; each has those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// What every machine of the architecture has.
    Portable,
    /// x86-64 with 256-bit integer vectors.
    Avx2,
    /// x86-64 with 512-bit integer vectors, of bytes too.
    Avx512,
    /// The same with products of bit matrices, windows of bits, and shifts of pairs of words.
    Gfni,
}

/// The environment variable that keeps kernels from using all that the processor has: the name of a [`Level`]
/// in lower-case letters.
pub const VARIABLE: &str = "TABLESMITH_KERNELS";

impl Level {
    /// The best level of this processor, or the one that [`VARIABLE`] asks for if that is lower.
    #[must_use]
    #[inline]
    pub fn detected() -> Level {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(|| {
            let best = Level::of_processor();
            let wanted = std::env::var(VARIABLE).ok().and_then(|name| Level::named(&name));
            wanted.map_or(best, |wanted| wanted.min(best))
        })
    }

    /// Whether [`VARIABLE`] names a level, if it is there at all.
    ///
    /// # Errors
    /// It names none: what it says, and what it may say.
    pub fn check_variable() -> Result<(), String> {
        match std::env::var_os(VARIABLE) {
            Some(name) if name.to_str().and_then(Level::named).is_none() => Err(format!(
                "{VARIABLE} is {}, which is no set of kernels; it may be portable, avx2, avx512 or gfni",
                name.display()
            )),
            _ => Ok(()),
        }
    }

    /// The level of this name, such as `portable` or `avx2`.
    #[must_use]
    pub fn named(name: &str) -> Option<Level> {
        let all = [Level::Portable, Level::Avx2, Level::Avx512, Level::Gfni];
        all.into_iter().find(|level| format!("{level:?}").eq_ignore_ascii_case(name))
    }

    fn of_processor() -> Level {
        #[cfg(target_arch = "x86_64")]
        {
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx2");
            let bits = is_x86_feature_detected!("gfni")
                && is_x86_feature_detected!("avx512vbmi")
                && is_x86_feature_detected!("avx512vbmi2");
            if avx512 && bits {
                return Level::Gfni;
            }
            if avx512 {
                return Level::Avx512;
            }
            if is_x86_feature_detected!("avx2") {
                return Level::Avx2;
            }
        }
        Level::Portable
    }
}

/// Defines a kernel whose body is compiled for each [`Level`] and chosen by the processor, and beside it the
/// same kernel at a level that the caller says, which must not be above the detected one. `W` is the word.
macro_rules! kernel {
    ($(#[$doc:meta])* pub fn $name:ident / $at:ident<$word:ident>($($arg:ident: $ty:ty),* $(,)?) = $body:path;) => {
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments)]
        pub fn $name<$word: crate::Word>($($arg: $ty),*) {
            $at(crate::dispatch::Level::detected(), $($arg),*);
        }

        crate::dispatch::kernel! {
            pub(crate) fn $at<$word>($($arg: $ty),*) = $body;
        }
    };
    ($(#[$doc:meta])* pub(crate) fn $at:ident<$word:ident>($($arg:ident: $ty:ty),* $(,)?) = $body:path;) => {
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $at<$word: crate::Word>(level: crate::dispatch::Level, $($arg: $ty),*) {
            assert!(level <= crate::dispatch::Level::detected(), "{level:?} is not to be had here");
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
                fn avx512<$word: crate::Word>($($arg: $ty),*) {
                    $body($($arg),*);
                }
                #[target_feature(enable = "avx2")]
                fn avx2<$word: crate::Word>($($arg: $ty),*) {
                    $body($($arg),*);
                }
                match level {
                    crate::dispatch::Level::Avx512 | crate::dispatch::Level::Gfni => {
                        #[expect(unsafe_code, reason = "the processor has the instructions")]
                        // SAFETY: the level is not above `Level::detected`, which is `Avx512` or more only
                        // where avx512f, avx512vl and avx512bw were found.
                        return unsafe { avx512($($arg),*) };
                    }
                    crate::dispatch::Level::Avx2 => {
                        #[expect(unsafe_code, reason = "the processor has the instructions")]
                        // SAFETY: the level is not above `Level::detected`, which is `Avx2` or more only
                        // where avx2 was found.
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
