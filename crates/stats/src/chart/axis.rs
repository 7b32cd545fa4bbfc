//! Chooses round numbers for the marks of an axis, and writes them.

/// A round number that is no smaller.
pub(crate) fn nice_top(most: u64) -> u64 {
    let step = step(most);
    most.div_ceil(step) * step
}

/// A round step that makes at most some ten ticks.
fn step(most: u64) -> u64 {
    let mut unit = 1u64;
    loop {
        for factor in [1, 2, 5] {
            if most / (unit * factor) <= 10 {
                return unit * factor;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

/// Round numbers from 0 up to a number.
pub(crate) fn ticks(most: u64) -> Vec<u64> {
    (0..=most / step(most)).map(|n| n * step(most)).collect()
}

/// A number with spaces between thousands.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
