//! Reads sizes of memory and of boards, and times, as people type them.

use geometry::Board;
use std::time::Duration;

/// A size such as `4G`, `800M` or `1.5GiB`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    parse_size::parse_size(text).map_err(|_| format!("`{text}` is no size such as 4G, 800M or 1.5GiB"))
}

/// A time such as `90s`, `5m` or `1h 30m`; a number alone is of seconds.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map(Duration::from_secs);
    let time = seconds.or_else(|_| humantime::parse_duration(text));
    time.map_err(|_| format!("`{text}` is no time such as 90s, 5m or 1h"))
}

/// A board's size as people type it, `10x8`.
pub(crate) fn parse_board(text: &str) -> Result<Board, String> {
    let sizes: Option<Vec<usize>> =
        text.split(['x', 'X', '×']).map(|size| size.trim().parse().ok()).collect();
    match sizes.as_deref() {
        Some(&[files, ranks]) => Board::new(files, ranks).map_err(|error| error.to_string()),
        _ => Err("write files and ranks, as in 10x8".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_size, parse_time};

    #[track_caller]
    fn check_size(text: &str, expected: Option<u64>) {
        assert_eq!(parse_size(text).ok(), expected, "{text}");
    }

    #[test]
    fn times_are_read() {
        for (text, seconds) in [("90s", 90), ("90", 90), ("5m", 300), ("1h 30m", 5_400), ("2min", 120)] {
            assert_eq!(parse_time(text).map(|time| time.as_secs()), Ok(seconds), "{text}");
        }
        for wrong in ["", "s", "-1s", "1,5m", "soon"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_read() {
        check_size("4G", Some(4_000_000_000));
        check_size("800M", Some(800_000_000));
        check_size("1.5GiB", Some(3 << 29));
        check_size("12", Some(12));
        check_size("12 kB", Some(12_000));
        for wrong in ["", "G", "-1G", "1,5G", "many", "99999999999T"] {
            check_size(wrong, None);
        }
    }
}
