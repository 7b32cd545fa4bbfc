//! What happens at which ply: bits that enter a plane when the iteration comes to them.

/// Bits of words, sorted by the ply at which they are due.
#[derive(Debug, Default)]
pub(crate) struct Events {
    words: Vec<u32>,
    bits: Vec<u64>,
    /// Where the events of each ply start; one more than the last ply.
    starts: Vec<u32>,
}

/// Events in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    found: Vec<(u16, u32, u64)>,
}

impl Gathering {
    /// Notes that a bit of a word is due at a ply. Bits of one word come one after another.
    #[inline]
    pub(crate) fn add(&mut self, ply: u16, word: usize, bit: u64) {
        // The last few events are those of the same word: joining there keeps one event a word and ply.
        let same_word = self.found.iter_mut().rev().take_while(|(_, w, _)| *w == word as u32);
        for (p, _, bits) in same_word {
            if *p == ply {
                *bits |= bit;
                return;
            }
        }
        self.found.push((ply, word as u32, bit));
    }

    /// Everything sorted by ply, and within a ply in the order found.
    pub(crate) fn sorted(self) -> Events {
        let n_plies = self.found.iter().map(|&(ply, ..)| ply as usize + 1).max().unwrap_or(0);
        let mut starts = vec![0u32; n_plies + 1];
        self.found.iter().for_each(|&(ply, ..)| starts[ply as usize + 1] += 1);
        for ply in 0..n_plies {
            starts[ply + 1] += starts[ply];
        }
        let mut next = starts.clone();
        let mut events = Events { words: vec![0; self.found.len()], bits: vec![0; self.found.len()], starts };
        for (ply, word, bits) in self.found {
            let place = next[ply as usize] as usize;
            next[ply as usize] += 1;
            events.words[place] = word;
            events.bits[place] = bits;
        }
        events
    }
}

impl Events {
    /// The word numbers and bits due at a ply.
    pub(crate) fn due(&self, ply: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let range = match self.starts.get(ply..ply + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        };
        self.words[range.clone()].iter().zip(&self.bits[range]).map(|(&word, &bits)| (word as usize, bits))
    }

    /// The first ply after which nothing is due any more.
    pub(crate) fn end(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}
