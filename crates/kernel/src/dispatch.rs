//! Detects the instructions of the processor once, and compiles kernels for each set of them.

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
    /// As `Avx512`, with products of bit matrices, windows of bits, and shifts of pairs of words.
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

/// Defines a kernel: a function that is compiled for each [`Level`] and calls the best that the processor
/// has, and beside it the same kernel at a level that the caller names, which must not be above the detected
/// one. `W` is the word.
///
/// The body of a level is an expression of the arguments. A level that is left out has the body of the level
/// below it, and `others` are all levels below `gfni`, which may say which arguments it suits. A path in
/// place of the levels is the body of all of them. What a body calls must be inlined into it
/// (`#[inline(always)]`) to be compiled for its level; closures that stand in a body are.
macro_rules! kernel {
    ($(#[$doc:meta])* $vis:vis fn $name:ident / $at:ident<$word:ident>($($arg:ident: $ty:ty),* $(,)?) = $body:path;) => {
        crate::dispatch::kernel! {
            $(#[$doc])*
            $vis fn $name / $at<$word>($($arg: $ty),*) -> () {
                avx512 => $body($($arg),*),
                avx2 => $body($($arg),*),
                portable => $body($($arg),*),
            }
        }
    };
    ($(#[$doc:meta])* $vis:vis fn $name:ident / $at:ident<$word:ident> $args:tt {
        gfni $(if $suits:expr)? => $gfni:expr,
        others => $others:expr,
    }) => {
        crate::dispatch::kernel! {
            $(#[$doc])*
            $vis fn $name / $at<$word> $args -> () {
                gfni $(if $suits)? => $gfni,
                avx512 => $others,
                avx2 => $others,
                portable => $others,
            }
        }
    };
    ($(#[$doc:meta])* $vis:vis fn $name:ident / $at:ident<$word:ident> $args:tt { $($levels:tt)* }) => {
        crate::dispatch::kernel! { $(#[$doc])* $vis fn $name / $at<$word> $args -> () { $($levels)* } }
    };
    ($(#[$doc:meta])* $vis:vis fn $name:ident / $at:ident<$word:ident> $args:tt -> $result:ty {
        $(gfni $(if $suits:expr)? => $gfni:expr,)?
        $(avx512 => $avx512:expr,)?
        $(avx2 => $avx2:expr,)?
        portable => $portable:expr,
    }) => {
        crate::dispatch::kernel! {
            @functions [$(#[$doc])* $vis] $name $at<$word> $args $args -> $result {
                $([Gfni, "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni", true $(&& $suits)?, $gfni])?
                $([Avx512, "avx512f,avx512vl,avx512bw", true, $avx512])?
                $([Avx2, "avx2", true, $avx2])?
                portable $portable
            }
        }
    };
    (@functions [$(#[$doc:meta])* $vis:vis] $name:ident $at:ident<$word:ident>
        ($($arg:ident: $ty:ty),* $(,)?) $args:tt -> $result:ty {
            $([$level:ident, $features:literal, $suits:expr, $body:expr])*
            portable $portable:expr
        }
    ) => {
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments)]
        $vis fn $name<$word: crate::Word>($($arg: $ty),*) -> $result {
            $at(crate::dispatch::Level::detected(), $($arg),*)
        }

        #[inline]
        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $at<$word: crate::Word>(level: crate::dispatch::Level, $($arg: $ty),*) -> $result {
            assert!(level <= crate::dispatch::Level::detected(), "this processor does not have {level:?}");
            #[cfg(target_arch = "x86_64")]
            {
                $(if level >= crate::dispatch::Level::$level && $suits {
                    crate::dispatch::kernel!(@compiled $features <$word> $args -> $result { $body });
                })*
            }
            $portable
        }
    };
    (@compiled $features:literal <$word:ident>($($arg:ident: $ty:ty),* $(,)?) -> $result:ty { $body:expr }) => {
        #[target_feature(enable = $features)]
        #[allow(clippy::too_many_arguments)]
        fn compiled<$word: crate::Word>($($arg: $ty),*) -> $result {
            $body
        }
        #[expect(unsafe_code, reason = "the processor has the instructions")]
        // SAFETY: the level is not above `Level::detected`, which is this one or a higher one only where
        // `Level::of_processor` has found all of these instructions.
        return unsafe { compiled($($arg),*) };
    };
}
pub(crate) use kernel;
