//! Gathers what sources know of a position until one of them, or all together, know what is asked.

use probe::{Answer, Between, By, MissingTable, ProbeError};

/// What sources know of a position that do not know all that is asked.
#[derive(Default)]
pub(crate) struct PartialAnswers {
    /// The value.
    pub(crate) partial: Option<Answer>,
    /// What the value is at least or at most.
    pub(crate) bounds: Option<Answer>,
    /// Some moves.
    pub(crate) of_moves: Option<Answer>,
    /// The first table that is not there.
    pub(crate) missed: Option<MissingTable>,
}

impl PartialAnswers {
    /// Adds what a source knows; that is the answer if a table says all that is asked.
    pub(crate) fn add(&mut self, answer: Result<Answer, ProbeError>) -> Result<Option<Answer>, ProbeError> {
        let answer = match answer {
            Ok(answer) if answer.by == By::Table && answer.is_complete() => return Ok(Some(answer)),
            Err(ProbeError::Missing(missing)) => {
                self.missed.get_or_insert(missing);
                return Ok(None);
            }
            answer => answer?,
        };
        let is_exact = |answer: &Answer| answer.value.is_exact();
        if is_exact(&answer) {
            self.partial.get_or_insert(answer);
            return Ok(None);
        }
        // What sources know under one metric they know together.
        let (scale, others) = (answer.scale, [&mut self.bounds, &mut self.of_moves].into_iter());
        let same = others.filter_map(|place| place.take_if(|other| other.scale == scale));
        let answer = same.fold(answer, |answer, other| other.and(answer));
        let place = match (is_exact(&answer), answer.value == Between::ANYTHING) {
            (true, _) if answer.is_complete() => return Ok(Some(answer)),
            (true, _) => &mut self.partial,
            (false, false) => &mut self.bounds,
            (false, true) => &mut self.of_moves,
        };
        place.get_or_insert(answer);
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
