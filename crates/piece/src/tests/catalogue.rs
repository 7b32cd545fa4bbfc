//! The list of named pieces.

use crate::{CATALOGUE, Movement, named};

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
