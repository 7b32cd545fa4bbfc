//! Betza strings against lists of steps, and the way back.

use crate::{CATALOGUE, Manner, Movement, RIDE, Ray, named};
use geometry::{Step, Symmetry};

/// `betza` is the movement whose both-ways leaps are these steps.
#[track_caller]
fn check_leaps(betza: &str, steps: &[(i8, i8)]) {
    check_rays(betza, &steps.iter().map(|&(f, r)| (f, r, 1, "mc")).collect::<Vec<_>>());
}

#[track_caller]
fn check_rays(betza: &str, rays: &[(i8, i8, u8, &str)]) {
    let rays = rays.iter().map(|&(files, ranks, limit, mode)| Ray {
        step: Step::new(files, ranks),
        limit,
        quiet: mode.contains('m'),
        capture: mode.contains('c'),
        manner: Manner::Plain,
    });
    assert_eq!(Movement::parse(betza), Ok(Movement::from_rays(rays)), "{betza}");
}

#[track_caller]
fn check_same(a: &str, b: &str) {
    assert_eq!(Movement::parse(a).unwrap(), Movement::parse(b).unwrap(), "{a} {b}");
}

#[track_caller]
fn check_fault(betza: &str, columns: &[usize], part: &str) {
    let error = Movement::parse(betza).expect_err(betza);
    assert_eq!(error.faults.iter().map(|f| f.column).collect::<Vec<_>>(), columns, "{error}");
    assert!(error.to_string().contains(part), "{error}");
    assert!(error.faults.iter().all(|f| !f.help.is_empty() && betza.get(f.span.clone()).is_some()));
}

#[test]
fn four_fold_atoms_with_directions() {
    check_leaps("", &[]);
    check_leaps("W", &[(1, 0), (-1, 0), (0, 1), (0, -1)]);
    check_leaps("fW", &[(0, 1)]);
    check_leaps("ffW", &[(0, 1)]);
    check_leaps("bD", &[(0, -2)]);
    check_leaps("lH", &[(-3, 0)]);
    check_leaps("sW", &[(-1, 0), (1, 0)]);
    check_leaps("vD", &[(0, -2), (0, 2)]);
    check_leaps("fsW", &[(0, 1), (1, 0), (-1, 0)]);
    check_leaps("flrW", &[(0, 1), (1, 0), (-1, 0)]);
    check_leaps("fF", &[(1, 1), (-1, 1)]);
    check_leaps("lA", &[(-2, 2), (-2, -2)]);
    check_leaps("frG", &[(3, 3)]);
    check_leaps("rfG", &[(3, 3)]);
    check_leaps("flbrF", &[(-1, 1), (1, -1)]);
    check_leaps("fsF", &[(1, 1), (-1, 1)]);
    check_same("vF", "F");
    check_same("sF", "F");
    check_same("fbF", "F");
    check_same("fK", "fWfF");
}

#[test]
fn eight_fold_atoms_with_directions() {
    check_leaps("fN", &[(1, 2), (-1, 2)]);
    check_same("fN", "ffN");
    check_leaps("rN", &[(2, 1), (2, -1)]);
    check_leaps("fhN", &[(1, 2), (-1, 2), (2, 1), (-2, 1)]);
    check_leaps("lhN", &[(-1, 2), (-1, -2), (-2, 1), (-2, -1)]);
    check_leaps("fsN", &[(2, 1), (-2, 1)]);
    check_same("sfN", "ffN");
    check_leaps("flN", &[(-2, 1)]);
    check_leaps("lfN", &[(-1, 2)]);
    check_leaps("brC", &[(3, -1)]);
    check_leaps("rbZ", &[(2, -3)]);
    check_leaps("vN", &[(1, 2), (-1, 2), (1, -2), (-1, -2)]);
    check_leaps("sN", &[(2, 1), (-2, 1), (2, -1), (-2, -1)]);
    check_leaps("hrN", &[(1, 2), (2, -1), (-1, -2), (-2, 1)]);
    check_leaps("hlN", &[(-1, 2), (-2, -1), (1, -2), (2, 1)]);
    check_leaps("ffbsN", &[(1, 2), (-1, 2), (2, -1), (-2, -1)]);
    check_same("vsN", "sN");
    check_same("hlNhrN", "N");
}

#[test]
fn ranges_modes_and_synonyms() {
    check_rays("fmWfcF", &[(0, 1, 1, "m"), (1, 1, 1, "c"), (-1, 1, 1, "c")]);
    check_rays("fmW2fcW", &[(0, 1, 2, "m"), (0, 1, 1, "c")]);
    check_rays("fR", &[(0, 1, RIDE, "mc")]);
    check_rays("fR3", &[(0, 1, 3, "mc")]);
    check_rays("flNN", &[(-2, 1, RIDE, "mc")]);
    check_rays("lfC12", &[(-1, 3, 12, "mc")]);
    for (a, b) in [
        ("NN", "N0"),
        ("WW", "R"),
        ("W0", "R"),
        ("R4", "W4"),
        ("B4", "F4"),
        ("Q4", "W4F4"),
        ("K0", "Q"),
        ("KK", "Q"),
        ("Q1", "K"),
        ("RB", "Q"),
        ("WF", "K"),
        ("L", "C"),
        ("J", "Z"),
        ("mcW", "W"),
        ("mWcW", "W"),
        ("mfW", "fmW"),
        ("W1", "W"),
        ("WR", "R"),
        ("RR", "R"),
    ] {
        check_same(a, b);
    }
}

#[test]
fn faults_say_where_and_what() {
    check_fault("nN", &[1], "lame moves");
    check_fault("mRcpR", &[4], "hoppers");
    check_fault("gQ", &[1], "hoppers");
    check_fault("fmWfceFifmnD", &[6, 8, 11], "double-step");
    check_fault("KO2", &[2, 3], "castling");
    check_fault("U", &[1], "universal");
    check_fault("[F?R]W", &[1], "brackets");
    check_fault("W[F", &[2], "brackets");
    check_fault("WXF", &[2], "no move `X`");
    check_fault("kN", &[1], "upper case: `K`");
    check_fault("x", &[1], "no modifier `x`");
    check_fault("Nfm", &[2], "modifiers without a move");
    check_fault("W 3", &[2, 3], "no part of the notation");
    check_fault("3W", &[1], "range without a move");
    check_fault("W03", &[2], "cannot be");
    check_fault("W255", &[2], "cannot be");
    check_fault("W99999999999", &[2], "cannot be");
    check_fault("NN3", &[3], "after a doubled letter");
    check_fault("NNN", &[3], "more than twice");
    check_fault("mmW", &[2], "`m` twice");
    check_fault("hW", &[1], "means nothing for `W`");
    check_fault("fhK", &[1], "means nothing");
    check_fault("hN", &[1], "means nothing for `N`");
    check_fault("é½W", &[1, 2], "`é`");
    check_fault("N@", &[2], "drops");
}

#[test]
fn the_text_leads_back_to_the_movement() {
    for piece in CATALOGUE {
        check_round_trip(&Movement::parse(piece.betza).unwrap());
    }
    for (betza, text) in [
        ("fmWfcF", "fcFfmW"),
        ("BR", "Q"),
        ("W3F3", "Q3"),
        ("NN", "N0"),
        ("flFbrF", "flFbrF"),
        ("bWW", "bR"),
        ("", ""),
    ] {
        assert_eq!(Movement::parse(betza).unwrap().to_betza().as_deref(), Some(text), "{betza}");
    }
    let far = Ray { step: Step::new(4, 1), limit: 1, quiet: true, capture: true, manner: Manner::Plain };
    assert_eq!(Movement::from_rays([far]).to_betza(), None);
    assert_eq!(Movement::from_rays([Ray { step: Step::new(0, 0), ..far }]).to_betza(), None);
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
}

#[test]
fn random_movements_come_back() {
    let mut numbers = Numbers(1);
    for _ in 0..600 {
        let n_rays = numbers.below(24);
        let rays = (0..n_rays).map(|_| {
            let (files, ranks) = loop {
                let step = (numbers.below(7) as i8 - 3, numbers.below(7) as i8 - 3);
                if step != (0, 0) {
                    break step;
                }
            };
            let limit = [1, 1, 2, 3, 99, 254, RIDE][numbers.below(7) as usize];
            let mode = numbers.below(3);
            Ray {
                step: Step::new(files, ranks),
                limit,
                quiet: mode != 0,
                capture: mode != 1,
                manner: Manner::Plain,
            }
        });
        check_round_trip(&Movement::from_rays(rays.collect::<Vec<_>>()));
    }
}

#[test]
fn random_strings_come_back_or_are_refused() {
    let alphabet: Vec<char> = "WFDNAHCZGLJKQRBNfblrvshmcffmc0123np[]O é".chars().collect();
    let mut numbers = Numbers(2);
    let mut n_read = 0;
    for _ in 0..8000 {
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

#[test]
fn every_direction_on_knights_is_mirrored_by_its_mirror_letters() {
    let letters = ["f", "b", "l", "r", "v", "s"];
    let directions = letters.iter().flat_map(|a| letters.iter().map(move |b| format!("{a}{b}")));
    for direction in directions.chain(["fh", "bh", "lh", "rh"].map(String::from)) {
        let mirrored: String = direction.chars().map(|c| ['l', 'r', c]["rl".find(c).unwrap_or(2)]).collect();
        for atom in ["W", "F", "N", "C"] {
            if direction.contains('h') && "WF".contains(atom) {
                continue;
            }
            let read = |d: &str| Movement::parse(&format!("{d}{atom}")).unwrap();
            assert_eq!(
                read(&direction).transformed(Symmetry::MIRROR_FILES),
                read(&mirrored),
                "{direction}{atom}"
            );
        }
    }
}

#[test]
fn the_catalogue_is_in_order() {
    assert!(CATALOGUE.len() >= 20);
    for piece in CATALOGUE {
        assert!(Movement::parse(piece.betza).is_ok_and(|m| !m.rays().is_empty()), "{}", piece.name);
        assert!(piece.letter.is_ascii_uppercase() && !piece.source.is_empty());
        assert_eq!(named(&piece.name.to_uppercase()), Some(piece), "two of the name {}", piece.name);
    }
    assert_eq!(named("unicorn"), None);
}
