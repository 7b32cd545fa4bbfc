//! Charts with few points, whose text can be read.

use crate::{HeatMap, Lines, Series};
use geometry::Board;

fn lines(is_logarithmic: bool) -> String {
    let series = |name: &str, points: &[(u16, u64)]| Series { name: name.into(), points: points.to_vec() };
    let series = vec![series("a <b>", &[(1, 1), (3, 100), (10, 10)]), series("one", &[(5, 7)])];
    Lines { title: "wins & losses".into(), series, is_logarithmic }.svg()
}

#[test]
fn points_stand_where_their_numbers_are() {
    let svg = lines(true);
    // Two decades above 420 of height, ten plies along 860 of width.
    assert!(svg.contains("<polyline points=\"166,460 338,40 940,250\""), "{svg}");
    assert!(svg.contains("a &lt;b&gt;</text>") && svg.contains("wins &amp; losses</title>"), "{svg}");
    // A line of one point would not be seen.
    assert!(svg.contains("<rect x=\"508\" "), "{svg}");
    let linear = lines(false);
    assert!(linear.contains("<polyline points=\"166,455.8 338,40 940,418\""), "{linear}");
    assert_eq!(linear, lines(false));
}

#[test]
fn empty_charts_are_pictures() {
    let svg = Lines { title: String::new(), series: Vec::new(), is_logarithmic: true }.svg();
    assert!(svg.ends_with("</svg>\n"), "{svg}");
}

#[test]
fn squares_have_the_colours_of_their_numbers() {
    let board = Board::new(3, 3).unwrap();
    let tenths = (0..9).map(|n| (n != 4).then_some(n * 10)).collect();
    let svg = HeatMap { title: "t".into(), caption: "c".into(), board, tenths }.svg();
    // a1 has the least number, c3 the greatest, and b2 none.
    assert!(svg.contains("<rect x=\"40\" y=\"156\" width=\"56\" height=\"56\" fill=\"#440154\"/>"), "{svg}");
    assert!(svg.contains("<rect x=\"152\" y=\"44\" width=\"56\" height=\"56\" fill=\"#fde725\"/>"), "{svg}");
    assert!(svg.contains("fill=\"#222222\">–</text>") && svg.contains(">8.0</text>"), "{svg}");
}

#[test]
fn a_map_of_equal_numbers_has_one_colour() {
    let board = Board::new(3, 3).unwrap();
    let svg = HeatMap { title: "t".into(), caption: "c".into(), board, tenths: vec![Some(7); 9] }.svg();
    assert_eq!(svg.matches("fill=\"#21918c\"").count(), 9, "{svg}");
}
