//! Checks the steps that a term keeps: atoms, directions, ranges, modes, synonyms.

use super::{check_leaps, check_rays, check_same};
use crate::{Movement, RIDE};
use geometry::Symmetry;

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
