//! Checks the exits of some materials, their changes and the parts that they lead to.

use crate::exit::{Change, Target, exits, targets};
use crate::game::{ATOMIC, CHESS};
use crate::{Man, Material, PieceId, Variant};
use std::collections::BTreeSet;

fn variant(text: &str) -> Variant {
    Variant::parse(text, "rules.toml").expect("the rules of a game")
}

fn men(variant: &Variant, name: &str) -> Vec<Man> {
    Material::parse(variant, name).expect("a material").men().collect()
}

/// Every exit as its reason, with the men who are left, each once and in order.
#[track_caller]
fn check_exits(text: &str, name: &str, expected: &[&str]) {
    let variant = variant(text);
    let men = men(&variant, name);
    let mut found: Vec<String> = Vec::new();
    for exit in exits(&variant, &men) {
        let left = Material::from_men(exit.change.apply(&men)).name(&variant);
        let line = format!("{} {left}", exit.reason.text(&variant));
        if !found.contains(&line) {
            found.push(line);
        }
    }
    assert_eq!(found, expected, "{name}");
}

#[test]
fn exits_are_captures_and_promotions() {
    check_exits(CHESS, "KRvK", &["xR KvK"]);
    check_exits(CHESS, "KRRvKB", &["xR KRvKB", "xb KRRvK"]);
    let promotions = ["P=Q KQvKN", "P=R KRvKN", "P=B KBvKN", "P=N KNvKN"];
    let both = ["Pxn=Q KQvK", "Pxn=R KRvK", "Pxn=B KBvK", "Pxn=N KNvK"];
    check_exits(CHESS, "KPvKN", &[&["xP KvKN", "xn KPvK"][..], &promotions, &both].concat());
}

#[test]
fn explosions_take_any_choice_of_the_men_around() {
    // The royal men stay, because the game is over without one; so do the pawns beside.
    check_exits(ATOMIC, "KRvK", &[]);
    check_exits(
        ATOMIC,
        "KRBvKN",
        &["RxN KBvK", "RxN KvK", "BxN KRvK", "BxN KvK", "nxR KBvK", "nxR KvK", "nxB KRvK", "nxB KvK"]
            .map(|line| line.replace("xN", "xn"))
            .each_ref()
            .map(String::as_str),
    );
    let promotions = ["P=Q KQRvKN", "P=R KRRvKN", "P=B KRBvKN", "P=N KRNvKN"];
    let captures = ["Rxn KPvK", "Pxn KRvK", "Pxn KvK", "nxR KPvK", "nxP KRvK", "nxP KvK"];
    check_exits(ATOMIC, "KRPvKN", &[&promotions[..], &captures].concat());
}

#[test]
fn a_change_keeps_the_order_of_the_men() {
    let variant = variant(CHESS);
    let men = men(&variant, "KRPvKN");
    let queen = PieceId(1);
    let change = Change::new(Some(1), Some((2, queen)));
    let after = change.apply(&men);
    assert_eq!(after, [men[0], Man { piece: queen, ..men[2] }, men[3], men[4]]);
    assert_eq!(change.promoted_place(), Some(1));
    assert_eq!(Change::new(Some(4), Some((2, queen))).promoted_place(), Some(2));
    assert_eq!(Change { gone: 0b1_0110, ..Change::new(None, None) }.apply(&men), [men[0], men[3]]);
}

/// Every target with the squares of its part.
#[track_caller]
fn check_targets(name: &str, expected: &[&str]) {
    let variant = variant(CHESS);
    let material = Material::parse(&variant, name).expect("a material");
    let text = |target: Target| {
        let part = target.part.map(|part| {
            let squares: Vec<String> = part.squares.iter().map(|s| variant.board.name(s)).collect();
            format!(" {} {}-{}", variant.fen_letter(part.man), squares[0], squares[squares.len() - 1])
        });
        target.material.name(&variant) + &part.unwrap_or_default()
    };
    let found: BTreeSet<String> = targets(&variant, &material).into_iter().map(text).collect();
    assert_eq!(found, expected.iter().map(|&line| line.to_owned()).collect(), "{name}");
}

#[test]
fn promotions_lead_to_parts_and_captures_to_whole_tables() {
    check_targets("KPvK", &["KvK", "KQvK Q a8-h8", "KRvK R a8-h8", "KBvK B a8-h8", "KNvK N a8-h8"]);
    // Exchanging colours turns Black's promotion rank into White's.
    check_targets(
        "KRvKP",
        &[
            "KPvK",
            "KRvK",
            "KQvKR Q a8-h8",
            "KRvKR r a1-h1",
            "KRvKB b a1-h1",
            "KRvKN n a1-h1",
            "KQvK Q a8-h8",
            "KBvK B a8-h8",
            "KNvK N a8-h8",
        ],
    );
    // Of KQvK a capture needs the whole.
    check_targets(
        "KQvKP",
        &[
            "KPvK",
            "KQvK",
            "KQvKQ q a1-h1",
            "KQvKR r a1-h1",
            "KQvKB b a1-h1",
            "KQvKN n a1-h1",
            "KRvK R a8-h8",
            "KBvK B a8-h8",
            "KNvK N a8-h8",
        ],
    );
}
