//! Writes movements in Betza notation and reads them again.

use super::{Numbers, check_round_trip};
use crate::{CATALOGUE, Movement, RIDE, Ray, RayPath};
use geometry::Step;

#[test]
fn the_text_leads_back_to_the_movement() {
    for piece in CATALOGUE {
        check_round_trip(&Movement::parse(piece.betza).unwrap());
    }
    for (betza, text) in [
        ("fcFfmW", "fmWfcF"),
        ("BR", "Q"),
        ("W3F3", "Q3"),
        ("NN", "N0"),
        ("flFbrF", "flFbrF"),
        ("bWW", "bR"),
        ("nNmnDD", "mnD0nN"),
        ("fWF", "FfW"),
        ("NQ", "QN"),
        ("mRcpR", "mRcpR"),
        ("gQ", "gQ"),
        ("fgK3", "fgW3fgF3"),
        ("pNNpBpR", "pQpN0"),
        ("qN0", "qN"),
        ("lfqC4qN", "qNlfqC4"),
        ("", ""),
    ] {
        assert_eq!(Movement::parse(betza).unwrap().to_betza().as_deref(), Some(text), "{betza}");
    }
    let far = Ray { step: Step::new(4, 1), limit: 1, quiet: true, capture: true, path: RayPath::Plain };
    assert_eq!(Movement::from_rays([far]).to_betza(), None);
    assert_eq!(Movement::from_rays([Ray { step: Step::new(0, 0), ..far }]).to_betza(), None);
    // The notation has no word for going round one way only, or farther one way than the other.
    let left = Ray { step: Step::new(2, 1), limit: RIDE, path: RayPath::CircularLeft, ..far };
    let right = Ray { path: RayPath::CircularRight, ..left };
    assert_eq!(Movement::from_rays([left]).to_betza(), None);
    assert_eq!(Movement::from_rays([left, Ray { limit: 3, ..right }]).to_betza(), None);
    assert_eq!(Movement::from_rays([left, right]).to_betza().as_deref(), Some("frqN"));
}

#[test]
fn random_movements_come_back() {
    let mut numbers = Numbers(1);
    for _ in 0..2000 {
        let n_rays = numbers.below(24);
        check_round_trip(&numbers.movement(n_rays));
    }
}

#[test]
fn random_strings_come_back_or_are_refused() {
    let alphabet: Vec<char> = "WFDNAHCZGLJKQRBNfblrvshmcffmc0123nnpgq[]O é".chars().collect();
    let mut numbers = Numbers(2);
    let mut n_read = 0;
    for _ in 0..12000 {
        let n = numbers.below(7);
        let text: String = (0..n).map(|_| alphabet[numbers.below(alphabet.len() as u64) as usize]).collect();
        match Movement::parse(&text) {
            Ok(movement) => {
                n_read += 1;
                check_round_trip(&movement);
            }
            Err(error) => assert!(!error.faults.is_empty(), "{text}"),
        }
    }
    assert!(n_read > 800, "only {n_read} strings could be read");
}
