//! A movement: the steps a man may take, how often, and whether to move, to capture or both.

use geometry::{Step, Symmetry};

/// The limit of a ray that goes on until something stops it.
pub const RIDE: u8 = u8::MAX;

/// One step, repeated up to `limit` times through empty squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ray {
    /// The step, from White's view.
    pub step: Step,
    /// The most repetitions: 1 for a leap, [`RIDE`] for as far as the board goes.
    pub limit: u8,
    /// Whether the man may go to an empty square so.
    pub quiet: bool,
    /// Whether the man may capture so.
    pub capture: bool,
}

/// All rays of a man.
///
/// Invariant: in normal form. Sorted; no ray twice; for each step either one ray for both modes, or at most
/// one for quiet moves and one for captures (with different limits, or the other mode missing).
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Movement {
    rays: Vec<Ray>,
}

impl Movement {
    /// The movement made of these rays, in any order, overlapping or not; brought to normal form.
    #[must_use]
    pub fn from_rays(rays: impl IntoIterator<Item = Ray>) -> Self {
        // The farthest quiet move and the farthest capture along each step say everything.
        let mut reach = std::collections::BTreeMap::<Step, (u8, u8)>::new();
        for ray in rays {
            let (quiet, capture) = reach.entry(ray.step).or_default();
            *quiet = (*quiet).max(if ray.quiet { ray.limit } else { 0 });
            *capture = (*capture).max(if ray.capture { ray.limit } else { 0 });
        }
        let mut rays = Vec::new();
        for (step, (quiet, capture)) in reach {
            if quiet == capture && quiet > 0 {
                rays.push(Ray { step, limit: quiet, quiet: true, capture: true });
                continue;
            }
            if quiet > 0 {
                rays.push(Ray { step, limit: quiet, quiet: true, capture: false });
            }
            if capture > 0 {
                rays.push(Ray { step, limit: capture, quiet: false, capture: true });
            }
        }
        Movement { rays }
    }

    /// The rays, in order.
    #[must_use]
    pub fn rays(&self) -> &[Ray] {
        &self.rays
    }

    /// The same movement for the player on the other side of the board.
    #[must_use]
    pub fn mirrored_ranks(&self) -> Self {
        self.transformed(Symmetry::MIRROR_RANKS)
    }

    /// What a symmetry of the board makes of the movement.
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Self {
        Movement::from_rays(self.rays.iter().map(|&r| Ray { step: symmetry.step(r.step), ..r }))
    }

    /// Whether the symmetry leaves the movement as it is.
    #[must_use]
    pub fn is_preserved_by(&self, symmetry: Symmetry) -> bool {
        self.transformed(symmetry) == *self
    }
}
