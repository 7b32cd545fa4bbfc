//! Computes binary logarithms in whole numbers, so that a file has the same bytes on every machine.

/// The bits behind the point of a logarithm.
pub(super) const FRACTION_BITS: u32 = 24;

/// The logarithm of numbers from 1 to 2 is known in so many steps, as a power of two, and lies on straight
/// lines between them.
const STEP_BITS: u32 = 10;

static LOGARITHMS: [u32; (1 << STEP_BITS) + 1] = logarithms();

/// The binary logarithm of a number, of 1 if it is 0; a few of its last bits may be wrong.
///
/// Units: parts of 2²⁴.
#[inline]
pub(super) fn log2(number: u32) -> i64 {
    let number = number.max(1);
    let whole = number.ilog2();
    // The number without its first bit, from the 31st on.
    let behind = number << (u32::BITS - 1 - whole) & (u32::MAX >> 1);
    let rest_bits = u32::BITS - 1 - STEP_BITS;
    let (step, rest) = ((behind >> rest_bits) as usize, u64::from(behind & ((1 << rest_bits) - 1)));
    let [low, high] = [LOGARITHMS[step], LOGARITHMS[step + 1]];
    let between = ((u64::from(high - low) * rest) >> rest_bits) as u32;
    i64::from(whole << FRACTION_BITS | low) + i64::from(between)
}

/// Squaring doubles a logarithm: whether the square is 2 or more is its next bit.
const fn logarithms() -> [u32; (1 << STEP_BITS) + 1] {
    const POINT: u32 = 40;
    let mut logarithms = [0; (1 << STEP_BITS) + 1];
    let mut step = 0;
    while step < 1 << STEP_BITS {
        let mut number = (1u128 << POINT) + ((step as u128) << (POINT - STEP_BITS));
        let mut logarithm = 0;
        // One bit more, to be rounded.
        let mut bit = 0;
        while bit <= FRACTION_BITS {
            number = (number * number) >> POINT;
            logarithm = logarithm << 1 | (number >> (POINT + 1)) as u32;
            if number >> (POINT + 1) == 1 {
                number /= 2;
            }
            bit += 1;
        }
        logarithms[step] = (logarithm + 1) >> 1;
        step += 1;
    }
    logarithms[1 << STEP_BITS] = 1 << FRACTION_BITS;
    logarithms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_floating_point() {
        for number in (1..5_000).chain((1..400).map(|i| i * 10_007_003)).chain([u32::MAX]) {
            let expected = f64::from(number).log2() * f64::from(1 << FRACTION_BITS);
            assert!((log2(number) as f64 - expected).abs() < 4.0, "{number}: {}", log2(number));
        }
        assert_eq!((log2(0), log2(1), log2(1 << 20)), (0, 0, 20 << FRACTION_BITS));
    }
}
