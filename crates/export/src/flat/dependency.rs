//! Writes and reads the text behind the array: the tables that captures and promotions lead to, each with the
//! sum of its files.

use super::header::Sum;

/// The word of the format in place of a sum. It says that the table's files were not in the folder when this
/// one was made; nothing was left out of the values.
const NO_SUM: &str = "absent";

/// The same word in older files.
const OLD_NO_SUM: &str = "pruned";

/// The text, a line for each table.
#[cfg(feature = "parallel")]
pub(super) fn encode(dependencies: &[(String, Option<Sum>)]) -> String {
    let line = |(name, sum): &(String, Option<Sum>)| match sum {
        Some(sum) => format!("{name} {}\n", sum.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        None => format!("{name} {NO_SUM}\n"),
    };
    dependencies.iter().map(line).collect()
}

/// The tables of a text; none if it is no such list.
pub(super) fn decode(text: &str) -> Option<Vec<(String, Option<Sum>)>> {
    let sum = |digits: &str| {
        let byte = |i: usize| u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..16).map(byte).collect();
        bytes.filter(|_| digits.len() == 32)?.try_into().ok()
    };
    let line = |line: &str| match line.split_once(' ')? {
        (name, NO_SUM | OLD_NO_SUM) => Some((name.to_owned(), None)),
        (name, digits) => Some((name.to_owned(), Some(sum(digits)?))),
    };
    text.lines().map(line).collect()
}
