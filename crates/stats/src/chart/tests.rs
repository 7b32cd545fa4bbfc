//! Draws charts of a few points and checks their text.

use crate::chart::{Bars, HeatMap, Lines, Panel, Series};
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

#[test]
fn bars_stand_on_one_axis_of_plies() {
    let series = |name: &str, points: &[(u16, u64)]| Series { name: name.into(), points: points.to_vec() };
    let panel = |series: Vec<Series>| Panel { title: "a & b".into(), series };
    let wins = panel(vec![series("wins", &[(3, 100), (4, 1)])]);
    let losses = panel(vec![series("wins", &[]), series("losses", &[(8, 53)])]);
    let bars = |is_logarithmic, width| {
        Bars { panels: vec![wins.clone(), losses.clone()], is_logarithmic, width }.svg()
    };
    let linear = bars(false, 900);
    assert!(linear.starts_with("<svg ") && linear.contains("a &amp; b; a &amp; b</title>"), "{linear}");
    // Ten widths of 78.6 along the axis; two marks of the legends.
    assert_eq!(linear.matches("<rect ").count(), 2 + 3, "{linear}");
    assert!(
        linear.contains("<rect x=\"379\" y=\"54.7\" width=\"70.7\" height=\"211.3\" fill=\"#2e8b57\"/>"),
        "{linear}"
    );
    assert!(
        linear.contains("<rect x=\"772\" y=\"374.7\" width=\"70.7\" height=\"211.3\" fill=\"#c8463c\"/>"),
        "{linear}"
    );
    // On a narrow chart the plot is narrower, and the letters are as large.
    let narrow = bars(false, 360);
    assert!(narrow.contains("viewBox=\"0 0 360 640\"") && narrow.contains("font-size=\"12\""), "{narrow}");
    assert!(narrow.contains("<rect x=\"187.3\" y=\"54.7\" width=\"22.1\" height=\"211.3\" "), "{narrow}");
    // A single position is a bar on a logarithmic axis.
    assert!(bars(true, 900).contains("<rect x=\"457.6\" y=\"238.1\" "), "{}", bars(true, 900));
    assert!(
        Bars { panels: Vec::new(), is_logarithmic: true, width: Bars::LEAST_WIDTH }
            .svg()
            .ends_with("</svg>\n")
    );
}
