//! Writes numbers as people read them.

use std::time::Duration;

/// `1234567` as `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 move`, `2 moves`.
pub fn plural(n: u64, word: &str) -> String {
    format!("{} {word}{}", count(n), if n == 1 { "" } else { "s" })
}

/// A size in the largest unit of which there is one.
pub fn bytes(n: u64) -> String {
    let units = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.into_iter().find(|(unit, _)| n >= *unit) {
        Some((unit, name)) => format!("{}.{} {name}", count(n / unit), n % unit * 10 / unit),
        None => format!("{n} B"),
    }
}

/// A time in seconds, as precisely as it is worth.
pub fn seconds(time: Duration) -> String {
    let (ms, s) = (time.as_millis(), time.as_secs());
    match s {
        0 => format!("0.{ms:03} s"),
        1..60 => format!("{s}.{} s", ms % 1000 / 100),
        60..3600 => format!("{}:{:02} min", s / 60, s % 60),
        _ => format!("{}:{:02} h", s / 3600, s / 60 % 60),
    }
}

/// Plies as moves of the side that wins.
pub fn moves(plies: u16) -> u64 {
    u64::from(plies).div_ceil(2)
}

/// A distance to the end: `5 moves, 9 plies`.
pub fn distance(n_plies: u16) -> String {
    format!("{}, {}", plural(moves(n_plies), "move"), plies(n_plies))
}

/// `1 ply`, `9 plies`.
pub fn plies(n: u16) -> String {
    format!("{n} {}", if n == 1 { "ply" } else { "plies" })
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, distance, moves, plural, seconds};
    use std::time::Duration;

    #[track_caller]
    fn check(found: &str, expected: &str) {
        assert_eq!(found, expected);
    }

    #[test]
    fn numbers_are_readable() {
        check(&count(0), "0");
        check(&count(999), "999");
        check(&count(1000), "1,000");
        check(&count(1_234_567), "1,234,567");
        check(&plural(1, "move"), "1 move");
        check(&plural(1200, "move"), "1,200 moves");
        check(&distance(1), "1 move, 1 ply");
        check(&distance(9), "5 moves, 9 plies");
        check(&bytes(999), "999 B");
        check(&bytes(1_050), "1.0 kB");
        check(&bytes(39_990_000), "39.9 MB");
        check(&bytes(2_500_000_000_000_000), "2,500.0 TB");
        check(&seconds(Duration::from_millis(7)), "0.007 s");
        check(&seconds(Duration::from_millis(12_345)), "12.3 s");
        check(&seconds(Duration::from_secs(61)), "1:01 min");
        check(&seconds(Duration::from_secs(7_260)), "2:01 h");
    }

    #[test]
    fn winner_makes_the_last_ply() {
        assert_eq!([0, 1, 2, 9, 70].map(moves), [0, 1, 1, 5, 35]);
    }
}
