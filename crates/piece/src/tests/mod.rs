//! Compares Betza strings with lists of steps, there and back.

mod catalogue;
mod diagram;
mod fault;
mod path;
mod spelling;
mod steps;
mod symmetry;
mod words;

use crate::{Movement, RIDE, Ray, RayPath};
use geometry::Step;

/// `betza` is the movement whose both-ways leaps are these steps.
#[track_caller]
fn check_leaps(betza: &str, steps: &[(i8, i8)]) {
    check_rays(betza, &steps.iter().map(|&(f, r)| (f, r, 1, "mc")).collect::<Vec<_>>());
}

/// Like `check_leaps`, with rays: file, rank, limit, and `m`, `c` and the letter of a path.
#[track_caller]
fn check_rays(betza: &str, rays: &[(i8, i8, u8, &str)]) {
    let rays = rays.iter().flat_map(|&(files, ranks, limit, letters)| {
        let paths: &[RayPath] = match letters.trim_matches(['m', 'c']) {
            "n" => &[RayPath::Lame],
            "p" => &[RayPath::Cannon],
            "g" => &[RayPath::Grasshopper],
            "q" => &[RayPath::CircularLeft, RayPath::CircularRight],
            _ => &[RayPath::Plain],
        };
        let (quiet, capture) = (letters.contains('m'), letters.contains('c'));
        paths.iter().map(move |&path| {
            let step = Step::new(files, ranks);
            Ray { step, limit, quiet, capture, path }
        })
    });
    assert_eq!(Movement::parse(betza), Ok(Movement::from_rays(rays)), "{betza}");
}

#[track_caller]
fn check_same(a: &str, b: &str) {
    assert_eq!(Movement::parse(a).unwrap(), Movement::parse(b).unwrap(), "{a} {b}");
}

#[track_caller]
fn check_round_trip(movement: &Movement) {
    let text = movement.to_betza().unwrap();
    assert_eq!(Movement::parse(&text).as_ref(), Ok(movement), "{text}");
}

/// A small generator of numbers, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
    /// Returns a random movement of at most `n_rays` rays, of any path that the notation knows.
    fn movement(&mut self, n_rays: u64) -> Movement {
        let rays = (0..n_rays).flat_map(|_| {
            let (files, ranks) = loop {
                let step = (self.below(7) as i8 - 3, self.below(7) as i8 - 3);
                if step != (0, 0) {
                    break step;
                }
            };
            let limit = [1, 1, 2, 3, 99, 254, RIDE][self.below(7) as usize];
            let mode = self.below(3);
            let paths: &[RayPath] = match self.below(8) {
                0..4 => &[RayPath::Plain],
                4 => &[RayPath::Lame],
                5 => &[RayPath::Cannon],
                6 => &[RayPath::Grasshopper],
                _ => &[RayPath::CircularLeft, RayPath::CircularRight],
            };
            let step = Step::new(files, ranks);
            let ray = Ray { step, limit, quiet: mode != 0, capture: mode != 1, path: RayPath::Plain };
            paths.iter().map(move |&path| Ray { path, ..ray })
        });
        Movement::from_rays(rays.collect::<Vec<_>>())
    }
}
