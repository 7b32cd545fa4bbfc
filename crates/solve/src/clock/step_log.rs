//! Keeps the steps of a page as they are found, clock after clock, in two bytes each.
//!
//! ```text
//!   a clock      0  0  the clock                                   the places of its steps count from 0
//!   a step       how far its place is from the one before          7 bits a byte, the lowest first
//!                how many plies more, at least one
//! ```

use table::Step;

/// The steps of a page so far, the latest clock first, of each in the order of places.
#[derive(Clone, Default, Debug)]
pub(super) struct StepLog {
    bytes: Vec<u8>,
    /// The last clock, and the place of its last step.
    clock: u8,
    place: u16,
}

impl StepLog {
    /// Adds a step. Clocks must not rise; at one clock, places must not fall.
    pub(super) fn push(&mut self, step: Step) {
        if self.bytes.is_empty() || self.clock != step.clock {
            self.bytes.extend([0, 0, step.clock]);
            (self.clock, self.place) = (step.clock, 0);
        }
        let mut distance = step.place - self.place;
        while distance >= 1 << 7 {
            self.bytes.push(distance as u8 | 1 << 7);
            distance >>= 7;
        }
        self.bytes.extend([distance as u8, step.more]);
        self.place = step.place;
    }

    /// All steps, by place and clock.
    pub(super) fn into_steps(self) -> Vec<Step> {
        let (mut steps, mut bytes) = (Vec::new(), self.bytes.into_iter());
        let (mut clock, mut place) = (0, 0);
        while let Some(distance) = distance(&mut bytes) {
            match bytes.next().expect(WHOLE) {
                0 => (clock, place) = (bytes.next().expect(WHOLE), 0),
                more => {
                    place += distance;
                    steps.push(Step { place, clock, more });
                }
            }
        }
        steps.sort_unstable();
        steps
    }
}

const WHOLE: &str = "a log of whole steps";

/// The next distance; none at the end.
fn distance(bytes: &mut impl Iterator<Item = u8>) -> Option<u16> {
    let (mut distance, mut shift, mut last) = (0, 0, bytes.next()?);
    while last >= 1 << 7 {
        distance |= u16::from(last & 0x7f) << shift;
        (shift, last) = (shift + 7, bytes.next().expect(WHOLE));
    }
    Some(distance | u16::from(last) << shift)
}

#[cfg(test)]
mod tests {
    use super::StepLog;
    use table::Step;

    #[test]
    fn steps_come_back_by_place_and_clock() {
        let step = |place, clock, more| Step { place, clock, more };
        let found = [
            step(3, 99, 2),
            step(200, 99, 255),
            step(200, 99, 1),
            step(16_383, 99, 4),
            step(0, 7, 6),
            step(3, 7, 2),
        ];
        let mut log = StepLog::default();
        found.into_iter().for_each(|step| log.push(step));
        let mut expected = found.to_vec();
        expected.sort_unstable();
        assert_eq!(log.into_steps(), expected);
        assert_eq!(StepLog::default().into_steps(), []);
    }
}
