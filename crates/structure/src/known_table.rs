//! Makes tables of what a structure knows exactly, as searches go through them.

use crate::answer::of_bound;
use crate::file::TableIndex;
use crate::graph::TableId;
use crate::page::page_key;
use crate::{Bound, SolvedStructure, StructureError};
use index::Layout;
use probe::{Between, Tablebase};
use std::io;
use std::sync::Arc;
use table::{Code, Codes, Table, Value, threads};
use variant::Side;

/// The slices of one material.
#[derive(Debug)]
pub struct KnownTable {
    /// Exact values; what is open has the value of placements that are no position.
    pub table: Arc<Table>,
    /// How many placements are open: a bound is all that is known of them.
    pub n_open: u64,
}

impl SolvedStructure {
    /// What is known exactly of each material that is asked for by its name, in the order of the file. Tables
    /// that were read when the structure was solved are not in it.
    ///
    /// # Errors
    /// The file cannot be read.
    ///
    /// Complexity: a byte of memory a value of the table at hand, two where distances are long.
    pub fn known_tables(
        &self,
        is_wanted: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = Result<KnownTable, StructureError>> {
        let wanted = self.table_ids().filter(move |&table| is_wanted(&self.index_of(table).material));
        let groups = wanted.filter_map(|first| {
            let alike: Vec<TableId> = self.table_ids().filter(|&other| self.is_alike(first, other)).collect();
            (alike[0] == first).then_some(alike)
        });
        groups.map(|alike| {
            let layout = self.layout(alike[0]);
            let mut n_open = 0;
            let mut codes = [None, None];
            for &stm in layout.sides() {
                let own = match self.codes_of::<u8>(&alike, layout, stm) {
                    Ok(None) => self.codes_of::<u16>(&alike, layout, stm),
                    own => own,
                };
                if let Some((own, n)) = own.map_err(StructureError::io("read", self.path()))? {
                    codes[stm.index()] = Some(own);
                    n_open += n;
                }
            }
            Ok(KnownTable { table: Arc::new(Table::with_sides(layout.clone(), codes)), n_open })
        })
    }

    /// The tables that answer for its positions, as far as they are known exactly.
    #[must_use]
    pub fn known_tablebase(self: &Arc<Self>) -> Tablebase {
        match self.is_exact() {
            true => self.tablebase(Bound::Exact),
            false => Tablebase::from_values(self.book().variant(), self.metric(), Arc::new(self.known())),
        }
    }

    /// Whether two tables have the same slices under the same numbers: they are bounds of the same values.
    fn is_alike(&self, first: TableId, other: TableId) -> bool {
        let [first, other] = [first, other].map(|table| self.index_of(table));
        let of = |table: &TableIndex| (table.unit_len, table.page_len);
        first.material == other.material && first.slices == other.slices && of(first) == of(other)
    }

    /// The exact values of tables that are alike, and how many are open; none if a value has no such code
    /// or the side to move is not kept.
    fn codes_of<C: Code>(
        &self,
        alike: &[TableId],
        layout: &Layout,
        stm: Side,
    ) -> io::Result<Option<(Codes, u64)>> {
        if !self.file.keeps(alike[0], stm) {
            return Ok(None);
        }
        let index = self.index_of(alike[0]);
        let (unit_len, page_len) = (index.unit_len as usize, index.page_len as usize);
        let places = (0..layout.len().div_ceil(unit_len))
            .flat_map(|unit| (0..unit_len.div_ceil(page_len)).map(move |page| (unit as u32, page as u32)));
        let places: Vec<(u32, u32)> = places.collect();
        let of_pages = threads::map(&places, |&(unit, page)| {
            let page = |&table: &TableId| -> io::Result<(Bound, Codes)> {
                Ok((self.bound_of(table), self.file.read(page_key(table, unit, page, stm))?))
            };
            let pages = alike.iter().map(page).collect::<io::Result<Vec<_>>>()?;
            Ok(self.codes_of_page::<C>(&pages, stm))
        });
        let (mut codes, mut n_open) = (Vec::with_capacity(layout.len()), 0);
        for page in of_pages {
            let page: io::Result<_> = page;
            let Some((own, n)) = page? else { return Ok(None) };
            codes.extend(own);
            n_open += n;
        }
        Ok(Some((C::owned(codes), n_open)))
    }

    /// What bounds of a page say together; none if a value has no such code.
    fn codes_of_page<C: Code>(&self, pages: &[(Bound, Codes)], stm: Side) -> Option<(Vec<C>, u64)> {
        let holder = self.limit().holder();
        if let ([(Bound::Exact, page)], None) = (pages, holder) {
            let mut codes = vec![C::ILLEGAL; page.len()];
            return page.as_ref().copy_to(C::borrowed_mut(&mut codes)).then_some((codes, 0));
        }
        let mut n_open = 0;
        let codes = (0..pages[0].1.len()).map(|at| {
            let values = || pages.iter().map(|(bound, page)| (*bound, page.value(at)));
            // The rules say what is no position, and what is stalemate.
            let of_rules = values()
                .map(|(_, value)| value)
                .find(|value| matches!(value, Value::Illegal | Value::Stalemate));
            let known = || {
                let own = values().map(|(bound, value)| of_bound(bound, value, stm, holder));
                own.fold(Between::ANYTHING, Between::and).value()
            };
            let value = of_rules.or_else(known).unwrap_or_else(|| {
                n_open += 1;
                Value::Illegal
            });
            C::from_value(value)
        });
        let codes = codes.collect::<Option<Vec<C>>>()?;
        Some((codes, n_open))
    }
}
