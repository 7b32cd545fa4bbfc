//! Reads sizes of memory and of boards as people type them.

use geometry::Board;

/// A size such as `4G`, `800M` or `1.5GiB`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let units = [
        ("KiB", 1u64 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("k", 1_000),
        ("K", 1_000),
        ("M", 1_000_000),
        ("G", 1_000_000_000),
        ("T", 1_000_000_000_000),
        ("B", 1),
    ];
    let (number, unit) =
        units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit))).unwrap_or((text, 1));
    let (whole, part) = number.trim().split_once('.').unwrap_or((number.trim(), ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    let wrong = || format!("`{text}` is no size such as 4G, 800M or 1.5GiB");
    if whole.is_empty() || !is_number(whole) || !is_number(part) || part.len() > 6 {
        return Err(wrong());
    }
    let digits: u128 = format!("{whole}{part}").parse().map_err(|_| wrong())?;
    let size = digits.checked_mul(unit.into()).ok_or_else(wrong)? / 10u128.pow(part.len() as u32);
    u64::try_from(size).map_err(|_| wrong())
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
    use super::parse_size;

    #[track_caller]
    fn check_size(text: &str, expected: Option<u64>) {
        assert_eq!(parse_size(text).ok(), expected, "{text}");
    }

    #[test]
    fn sizes_are_read() {
        check_size("4G", Some(4_000_000_000));
        check_size("800M", Some(800_000_000));
        check_size("1.5GiB", Some(3 << 29));
        check_size("12", Some(12));
        check_size("12 kB", Some(12_000));
        for wrong in ["", "G", "-1G", "1,5G", "1.2345678G", "many", "99999999999T", "1e9"] {
            check_size(wrong, None);
        }
    }
}
