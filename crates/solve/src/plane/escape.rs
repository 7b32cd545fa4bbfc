//! Holds the placements to which a side may still move without harm.

use super::open_plane::OpenPlane;
use super::word_set::WordSet;
use kernel::Word;

/// Where a side may go without harm: placements, and ghosts among them, unless these are kept apart.
#[derive(Default, Debug)]
pub(crate) struct Escape<W> {
    pub(crate) places: OpenPlane<W>,
    /// Under compulsory capture.
    pub(crate) ghosts: Option<OpenPlane<W>>,
}

impl<W: Word> Escape<W> {
    /// These placements, and the ghosts of some words: among them, or apart.
    pub(crate) fn new(mut places: Vec<W>, ghosts: &WordSet<W>, is_apart: bool) -> Self {
        let mut apart = is_apart.then(|| vec![W::ZERO; places.len()]);
        let plane = apart.as_mut().unwrap_or(&mut places);
        ghosts.for_each(|word, bits| plane[word] |= bits);
        Escape { places: places.into(), ghosts: apart.map(OpenPlane::from) }
    }
}
