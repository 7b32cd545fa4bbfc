//! Compares statistics of tables read a few units at a time with those of tables in memory.

use super::{chess, shaped, table};
use crate::Statistics;
use index::Layout;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use table::{CodeSource, Codes, CodesRef, Coding, Ply, Table};
use variant::{Metric, Side, Variant};

/// A table that copies its codes for a caller, this many units at once.
struct UnitSource<'a> {
    table: &'a Table,
    units_at_once: usize,
}

impl CodeSource for UnitSource<'_> {
    fn layout(&self) -> &Arc<Layout> {
        self.table.layout()
    }

    fn coding(&self, stm: Side) -> Option<Coding> {
        CodeSource::coding(self.table, stm)
    }

    fn units_at_once(&self) -> usize {
        self.units_at_once
    }

    fn codes<'c>(&'c self, stm: Side, units: Range<usize>, room: &'c mut Codes) -> io::Result<CodesRef<'c>> {
        assert!(units.len() <= self.units_at_once, "asked for {units:?}");
        let mut none = Codes::default();
        *room = CodeSource::codes(self.table, stm, units, &mut none)?.into();
        Ok(room.as_ref())
    }
}

/// The statistics of a table whose codes are had a few units at a time are those of the same table in
/// memory.
#[track_caller]
fn check_source(variant: &Variant, metric: Metric, table: &Table) {
    let expected = Statistics::collect(variant, metric, table);
    assert!(expected.zugzwangs.total().unreduced > 0, "{}", table.layout().name());
    for units_at_once in [1, 5] {
        let source = UnitSource { table, units_at_once };
        let got = Statistics::collect_from(variant, metric, &source).unwrap();
        assert_eq!(got, expected, "{} with {units_at_once} units at once", table.layout().name());
    }
}

/// Returns the table with codes of wins from below and of losses from above.
fn split(table: &Table) -> Table {
    let codes = |side| {
        let codes = table.codes(side)?;
        let split = Coding::of(Metric::Dtz, Ply(39), Ply(39));
        Some(codes.as_ref().recoded(split).unwrap())
    };
    Table::new(table.layout().clone(), codes(Side::White).unwrap(), codes(Side::Black))
}

#[test]
fn units_in_a_row_are_counted_as_the_whole_table() {
    for (files, ranks, material, is_wide) in [
        (4, 4, "KQvKR", false),
        (5, 4, "KQRvK", true),
        (4, 5, "KPvKN", false),
        (5, 4, "KPPvK", true),
        (4, 4, "KRvKR", false),
        (5, 4, "KPvKP", true),
        (3, 4, "KNNvKNN", false),
    ] {
        let variant = chess(files, ranks);
        let table = table(&variant, material, is_wide);
        check_source(&variant, Metric::Dtm, &table);
        if !is_wide {
            check_source(&variant, Metric::Dtz50, &split(&table));
        }
    }
    let holes = shaped(5, 5, "holes = [\"a1\", \"a5\"]");
    check_source(&holes, Metric::Dtm, &table(&holes, "KRvKR", false));
}

/// Without kings the men of one side may be the frame: with the colours exchanged a unit's places go to
/// many.
#[test]
fn units_without_a_king_are_counted_as_the_whole_table() {
    let piece = |letter: &str| format!("[[piece]]\nletter = \"{letter}\"\nbetza = \"{letter}\"\n");
    let rules = format!(
        "name = \"giveaway\"\n[board]\nfiles = 4\nranks = 4\n[rules]\nstalemate-value = \"win\"\n\
         must-capture = true\nextinction-value = \"win\"\nextinction-piece-types = \"*\"\n{}{}",
        piece("R"),
        piece("N")
    );
    let variant = Variant::parse(&rules, "giveaway.toml").unwrap();
    let table = table(&variant, "RNvRN", false);
    let layout = table.layout();
    let sides: Vec<Side> = layout.frame().iter().map(|&man| layout.men()[man].side).collect();
    assert!(sides.len() == 2 && sides[0] == sides[1], "{sides:?}");
    check_source(&variant, Metric::Dtm, &table);
}

/// A source that cannot be read is an error.
#[test]
fn a_source_that_fails_gives_no_statistics() {
    struct Failing<'a>(&'a Table);

    impl CodeSource for Failing<'_> {
        fn layout(&self) -> &Arc<Layout> {
            self.0.layout()
        }

        fn coding(&self, stm: Side) -> Option<Coding> {
            CodeSource::coding(self.0, stm)
        }

        fn units_at_once(&self) -> usize {
            1
        }

        fn codes<'c>(&'c self, _: Side, _: Range<usize>, _: &'c mut Codes) -> io::Result<CodesRef<'c>> {
            Err(io::Error::other("the log is damaged"))
        }
    }

    let variant = chess(4, 4);
    let table = table(&variant, "KQvK", false);
    let error = Statistics::collect_from(&variant, Metric::Dtm, &Failing(&table)).unwrap_err();
    assert_eq!(error.to_string(), "the log is damaged");
}
