//! Checks the catalogue of named pieces.

use crate::{CATALOGUE, Movement, named, names_of};

#[test]
fn the_catalogue_is_in_order() {
    assert!(CATALOGUE.len() >= 80);
    for piece in CATALOGUE {
        assert!(Movement::parse(piece.betza).is_ok_and(|m| !m.rays().is_empty()), "{}", piece.name);
        assert!(piece.letter.is_ascii_uppercase() && !piece.source.is_empty());
        assert_eq!(named(&piece.name.to_uppercase()), Some(piece), "two of the name {}", piece.name);
    }
    assert_eq!(named("unicorn"), None);
}

/// What a piece does, as strings that say the same in another way.
#[test]
fn pieces_are_what_they_are_made_of() {
    for (name, betza) in [
        ("commoner", "WF"),
        ("amazon", "RBN"),
        ("gold", "fsbWfF"),
        ("silver", "fWfFbF"),
        ("dragon king", "RF"),
        ("drunk elephant", "FsfW"),
        ("copper", "fKbW"),
        ("charging knight", "fhNsbWbF"),
        ("charging rook", "fRsRbWbF"),
        ("colonel", "KfRsRfhN"),
        ("flying stag", "vRsWF"),
        ("leo", "mRmBcpRcpB"),
        ("grasshopper", "gRgB"),
        ("rose", "fhqNbhqN"),
        ("sergeant", "fWfF"),
        ("squirrel", "ADN"),
    ] {
        let piece = named(name).unwrap();
        assert_eq!(piece.movement(), Movement::parse(betza).unwrap(), "{name}");
    }
    let names = |betza: &str| names_of(&Movement::parse(betza).unwrap()).map(|p| p.name).collect::<Vec<_>>();
    assert_eq!(names("NR"), ["empress", "chancellor"]);
    assert_eq!(names("cpRmR"), ["cannon", "pao"]);
    assert_eq!(names("fbN"), [""; 0]);
}
