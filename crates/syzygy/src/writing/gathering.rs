//! Gathers the codes of slices, each as wide as its own values need it, into codes of one width.
//!
//! Codes of one byte mean the same in every slice as long as the longest win and the longest loss of all
//! slices together have room. If they have not, what was gathered is widened.

use std::io;
use table::{Code, Codes, Ply, Split, Value};

/// The codes gathered so far.
pub(crate) struct Gathering {
    n_codes: usize,
    narrow: Vec<u8>,
    wide: Vec<u16>,
    is_wide: bool,
    longest_win: u16,
    longest_loss: u16,
}

impl Gathering {
    /// Room for so many codes.
    pub(crate) fn new(n_codes: usize) -> Self {
        Gathering {
            n_codes,
            narrow: Vec::with_capacity(n_codes),
            wide: Vec::new(),
            is_wide: false,
            longest_win: 0,
            longest_loss: 0,
        }
    }

    /// Adds the codes of a slice.
    ///
    /// # Errors
    /// A value has no code.
    pub(crate) fn add(&mut self, codes: &Codes) -> io::Result<()> {
        let (win, loss) = longest(codes);
        let last = self.split();
        (self.longest_win, self.longest_loss) = (self.longest_win.max(win), self.longest_loss.max(loss));
        if !self.is_wide && self.longest_win.saturating_add(self.longest_loss) > Split::MOST_PLIES {
            self.is_wide = true;
            self.wide.reserve_exact(self.n_codes);
            let narrow = std::mem::take(&mut self.narrow);
            narrow.iter().try_for_each(|&code| self.push_wide(last.value(code)))?;
        }
        match codes {
            Codes::Split(codes, _) if !self.is_wide => self.narrow.extend(codes),
            codes => (0..codes.len()).try_for_each(|number| match (codes.value(number), self.is_wide) {
                (value, true) => self.push_wide(value),
                (value, false) => {
                    self.narrow.push(Split::code(value).ok_or_else(|| no_code(value))?);
                    Ok(())
                }
            })?,
        }
        Ok(())
    }

    fn push_wide(&mut self, value: Value) -> io::Result<()> {
        self.wide.push(u16::from_value(value).ok_or_else(|| no_code(value))?);
        Ok(())
    }

    fn split(&self) -> Split {
        Split::new(Ply(self.longest_win.min(Split::MOST_PLIES)))
    }

    /// All of them.
    pub(crate) fn codes(self) -> Codes {
        match self.is_wide {
            true => Codes::Wide(self.wide),
            false => {
                let split = self.split();
                Codes::Split(self.narrow, split)
            }
        }
    }
}

fn no_code(value: Value) -> io::Error {
    io::Error::other(format!("{value:?} is longer than any value can be"))
}

/// The longest win and the longest loss, 0 if there is none.
fn longest(codes: &Codes) -> (u16, u16) {
    match codes {
        Codes::Split(codes, split) => {
            let last = split.last_win_code();
            let win = codes.iter().map(|&code| if code <= last { code } else { 0 }).max().unwrap_or(0);
            let loss = codes.iter().map(|&code| if code > last { code } else { u8::MAX }).min();
            (u16::from(win.saturating_sub(2)), u16::from(u8::MAX - loss.unwrap_or(u8::MAX)))
        }
        codes => (0..codes.len()).fold((0, 0), |(win, loss), number| match codes.value(number) {
            Value::Win(ply) => (win.max(ply.0), loss),
            Value::Loss(ply) => (win, loss.max(ply.0)),
            _ => (win, loss),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::Gathering;
    use table::{Code, Codes, Ply, Split, Value};

    fn split(values: &[Value], longest_win: u16) -> Codes {
        let codes = values.iter().map(|&value| Split::code(value).expect("a code")).collect();
        Codes::Split(codes, Split::new(Ply(longest_win)))
    }

    fn wide(values: &[Value]) -> Codes {
        Codes::Wide(values.iter().map(|&value| u16::from_value(value).expect("a code")).collect())
    }

    /// The values of all slices, in codes that are wide or not.
    #[track_caller]
    fn check(slices: &[Codes], is_wide: bool) {
        let mut gathering = Gathering::new(slices.iter().map(Codes::len).sum());
        slices.iter().for_each(|codes| gathering.add(codes).expect("values with codes"));
        let gathered = gathering.codes();
        assert_eq!(gathered.is_wide(), is_wide);
        let values = |codes: &Codes| (0..codes.len()).map(|at| codes.value(at)).collect::<Vec<_>>();
        assert_eq!(values(&gathered), slices.iter().flat_map(values).collect::<Vec<_>>());
    }

    #[test]
    fn slices_are_as_wide_as_the_widest_together() {
        let (draw, illegal) = (Value::Draw, Value::Illegal);
        let (win, loss) = (|ply| Value::Win(Ply(ply)), |ply| Value::Loss(Ply(ply)));
        let short = split(&[draw, win(3), illegal, loss(0), loss(20)], 3);
        // A loss in this slice has a code that would be a win in the other.
        let lost = split(&[loss(150), win(1), Value::Stalemate], 1);
        let won = split(&[win(140), draw, loss(2)], 140);
        check(&[short.clone(), split(&[win(100), loss(4)], 100)], false);
        check(&[short.clone(), lost.clone(), won.clone(), short.clone()], true);
        check(&[won, lost, wide(&[win(2), illegal])], true);
        check(&[wide(&[win(9), loss(8), illegal, draw]), short.clone()], false);
        check(&[short, wide(&[win(900), loss(8)])], true);
    }
}
