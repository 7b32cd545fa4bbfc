//! Checks lame moves, hoppers and circles.

use super::{check_rays, check_same};
use crate::{Movement, RIDE, Ray, RayPath};
use geometry::Step;

#[test]
fn lame_moves() {
    check_rays("nD", &[(2, 0, 1, "mcn"), (-2, 0, 1, "mcn"), (0, 2, 1, "mcn"), (0, -2, 1, "mcn")]);
    check_rays("fnN", &[(1, 2, 1, "mcn"), (-1, 2, 1, "mcn")]);
    check_rays("frmnA", &[(2, 2, 1, "mn")]);
    check_rays("flcnZ", &[(-3, 2, 1, "cn")]);
    check_rays("fnH2", &[(0, 3, 2, "mcn")]);
    check_rays("lfnNN", &[(-1, 2, RIDE, "mcn")]);
    check_rays("lfNlfnN", &[(-1, 2, 1, "mc"), (-1, 2, 1, "mcn")]);
    check_same("nfmA", "mfnA");
    check_same("nL", "nC");
}

#[test]
fn hoppers() {
    check_rays("fpR", &[(0, 1, RIDE, "mcp")]);
    check_rays("fgR", &[(0, 1, RIDE, "mcg")]);
    check_rays("frpB3", &[(1, 1, 3, "mcp")]);
    check_rays("fgW2", &[(0, 1, 2, "mcg")]);
    check_rays("fmRfcpR", &[(0, 1, RIDE, "m"), (0, 1, RIDE, "cp")]);
    check_rays("fmRfmpRfcgR", &[(0, 1, RIDE, "m"), (0, 1, RIDE, "mp"), (0, 1, RIDE, "cg")]);
    check_rays("lfpNN", &[(-1, 2, RIDE, "mcp")]);
    check_rays("lfgN4", &[(-1, 2, 4, "mcg")]);
    for (a, b) in [
        ("gQ", "gRgB"),
        ("gQ", "gKK"),
        ("gK0", "gQ"),
        ("gDD", "gD0"),
        ("mRcpR", "cpRmR"),
        ("pcR", "cpR"),
        ("fpK2", "fpW2fpF2"),
        ("pR5", "pW5"),
    ] {
        check_same(a, b);
    }
}

#[test]
fn circles_ride_both_ways_round() {
    check_rays("lfqN", &[(-1, 2, RIDE, "mcq")]);
    check_rays("lfmqC3", &[(-1, 3, 3, "mq")]);
    for (a, b) in [("qN", "qNN"), ("qN", "qN0"), ("qL0", "qC"), ("qN8", "qN"), ("cqmN", "qN")] {
        check_same(a, b);
    }
}

/// Where the squares are at which one after the other stage of a ray ends, up to `n` of them; `|` stands
/// behind those on which the man may stop.
#[track_caller]
fn check_way(betza: &str, n: usize, expected: &str) {
    let movement = Movement::parse(betza).unwrap();
    let mut at = Step::new(0, 0);
    let ways: Vec<String> = movement.rays()[0]
        .legs()
        .take(n)
        .map(|leg| {
            at = at.plus(leg.step);
            format!("{},{}{}", at.files, at.ranks, if leg.is_landing { "|" } else { "" })
        })
        .collect();
    assert_eq!(ways.join(" "), expected, "{betza}");
}

#[test]
fn the_squares_on_the_way() {
    check_way("lfN", 9, "-1,2|");
    check_way("lfnN", 9, "0,1 -1,2|");
    check_way("flnN", 9, "-1,0 -2,1|");
    check_way("fnD", 9, "0,1 0,2|");
    check_way("frnA", 9, "1,1 2,2|");
    check_way("fnH", 9, "0,1 0,2 0,3|");
    check_way("rfnC", 9, "0,1 0,2 1,3|");
    check_way("rfnZ", 9, "0,1 1,2 2,3|");
    check_way("frnG", 9, "1,1 2,2 3,3|");
    check_way("rfnNN", 4, "0,1 1,2| 1,3 2,4|");
    check_way("frpB3", 9, "1,1| 2,2| 3,3|");
    // To the left first, because rays are sorted.
    check_way("rfqN", 8, "1,2| 0,4| -2,5| -4,4| -5,2| -4,0| -2,-1| 0,0|");
    check_way("frqN", 3, "2,1| 3,3| 2,5|");
}

#[test]
fn a_path_that_makes_no_difference_is_plain() {
    let ray = |files, ranks, limit, path| {
        let step = Step::new(files, ranks);
        Movement::from_rays([Ray { step, limit, quiet: true, capture: true, path }])
    };
    for (files, ranks, limit, path) in [
        (1, 0, RIDE, RayPath::Lame),
        (1, 1, 1, RayPath::Lame),
        (2, 1, 1, RayPath::CircularLeft),
        (0, 1, RIDE, RayPath::CircularRight),
        (2, -2, 8, RayPath::CircularLeft),
    ] {
        let plain = ray(files, ranks, limit, RayPath::Plain);
        assert_eq!(ray(files, ranks, limit, path), plain, "{files} {ranks} {limit} {path:?}");
    }
    for path in [RayPath::Cannon, RayPath::Grasshopper] {
        assert_eq!(ray(1, 0, 1, path), Movement::default(), "{path:?} without room");
    }
}
