//! The statistics of every chess table of three and four men, as the terminal shows them.

use stats::Statistics;
use tablesmith_tests::chess;
use variant::Material;

#[test]
fn statistics_of_all_tables_of_three_and_four_men() {
    let shelf = chess();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots/stats"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let materials = [Material::all(shelf.variant(), 3), Material::all(shelf.variant(), 4)].concat();
    assert_eq!(materials.len(), 35);
    settings.bind(|| {
        for material in materials {
            let text = Statistics::collect(shelf.variant(), &shelf.solved(&material)).render();
            assert!(text.lines().count() <= 60, "{text}");
            let name = format!("fide__{}__dtm", material.name(shelf.variant()));
            insta::assert_snapshot!(name, text);
        }
    });
}
