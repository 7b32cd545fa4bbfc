//! Answers positions from a structure's file.

use crate::file::{FileIndex, FileReader, TableIndex};
use crate::graph::TableId;
use crate::page::page_key;
use crate::pawn_material::table_of;
use crate::structure::rules_of;
use crate::{Bound, Limit, StructureError, TablesAtHand};
use format::PageKey;
use geometry::Square;
use index::Layout;
use parking_lot::Mutex;
use position::{Position, RuleBook};
use probe::{PositionValues, Tablebase};
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use table::{Codes, Mapping, MoveKind, Scale, Value, threads};
use variant::{Man, Material, Metric, Side, Variant};

/// An open structure.
#[derive(Debug)]
pub struct SolvedStructure {
    book: RuleBook,
    metric: Metric,
    roots: Vec<Position>,
    pub(crate) file: FileReader,
    numbers: HashMap<(Material, Bound), TableId>,
    /// The canonical materials whose tables were read, and the tables, if they are at hand.
    used: HashSet<Material>,
    using: TablesAtHand,
    /// By table.
    layouts: Vec<OnceLock<Arc<Layout>>>,
    pages: Mutex<Pages>,
    /// At most this many codes are kept of pages.
    kept_codes: usize,
}

/// The pages that are in memory.
#[derive(Default, Debug)]
struct Pages {
    all: HashMap<PageKey, Arc<Codes>>,
    n_codes: usize,
}

/// This many placements are looked at one after the other.
const STRETCH: usize = 4096;

/// This many codes are kept.
const KEPT_CODES: usize = 1 << 27;

/// This many are kept of a structure that lends its slices, which are read one after the other.
const KEPT_OF_LENDER: usize = 1 << 22;

impl SolvedStructure {
    /// Opens a structure that was made under these rules.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or was made under other rules.
    pub fn open(path: &Path, variant: &Variant) -> Result<Self, StructureError> {
        let file = FileReader::open(path)?;
        let variant = &file.index.limit.game(variant);
        let book = RuleBook::new(variant);
        let damaged = |what: &str| StructureError::damaged(path, what);
        let index = &file.index;
        if index.bounds.is_empty() {
            return Err(damaged("it has no values"));
        }
        let metric: Metric = index.metric.parse().map_err(|_| damaged("its metric is unknown"))?;
        let other = || StructureError::OtherRules { path: path.into(), variant: index.variant.clone() };
        let roots = index.roots.iter().map(|fen| Position::from_fen(&book, fen).map_err(|_| other()));
        let roots = roots.collect::<Result<Vec<_>, _>>()?;
        if rules_of(variant, &roots, metric) != index.rules {
            return Err(other());
        }
        let parse = |name: &str| {
            Material::parse(variant, name).map_err(|_| damaged("a table has a name that is none"))
        };
        let mut numbers = HashMap::new();
        for (table, number) in index.tables.iter().zip((0..).map(TableId)) {
            numbers.insert((parse(&table.material)?, table.bound), number);
        }
        let used =
            index.used.iter().map(|name| parse(name)).collect::<Result<HashSet<_>, StructureError>>()?;
        let layouts = index.tables.iter().map(|_| OnceLock::new()).collect();
        Ok(SolvedStructure {
            book,
            metric,
            roots,
            file,
            numbers,
            used,
            using: None,
            layouts,
            pages: Mutex::default(),
            kept_codes: KEPT_CODES,
        })
    }

    /// This structure; positions whose tables were read when it was solved are answered from these.
    #[must_use]
    pub fn with_tables(self, using: TablesAtHand) -> Self {
        SolvedStructure { using, ..self }
    }

    /// This structure, keeping little of its pages: it lends its slices.
    pub(crate) fn with_little_kept(self) -> Self {
        SolvedStructure { kept_codes: KEPT_OF_LENDER, ..self }
    }

    /// The name of the game that a structure is of, as its file has it.
    ///
    /// # Errors
    /// The file cannot be read or is damaged.
    pub fn variant_of(path: &Path) -> Result<String, StructureError> {
        Ok(FileReader::open(path)?.index.variant)
    }

    /// How many values it holds.
    #[must_use]
    pub fn n_values(&self) -> u64 {
        self.file.n_values()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// The rules.
    #[must_use]
    pub fn book(&self) -> &RuleBook {
        &self.book
    }

    /// What the values are.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The limit inside which it was solved.
    #[must_use]
    pub fn limit(&self) -> &Limit {
        &self.file.index.limit
    }

    /// The names of the materials whose tables were read, and whose values are not in the file.
    #[must_use]
    pub fn used(&self) -> &[String] {
        &self.file.index.used
    }

    /// The positions for which it was solved.
    #[must_use]
    pub fn roots(&self) -> &[Position] {
        &self.roots
    }

    /// The tables: each one's material, what its values are, and how many slices it has.
    pub fn tables(&self) -> impl Iterator<Item = (&str, Bound, usize)> {
        let n_slices = |table: &TableIndex| table.slices.len().max(1);
        self.file
            .index
            .tables
            .iter()
            .map(move |table| (table.material.as_str(), table.bound, n_slices(table)))
    }

    /// The answers of one bound as those of any tables; of a structure without a limit [`Bound::Exact`].
    /// Where only a side's losses are asked for ([`Limit::holder`]), nothing else of them is to be believed.
    #[must_use]
    pub fn tablebase(self: &Arc<Self>, bound: Bound) -> Tablebase {
        let values = BoundValues { structure: self.clone(), bound };
        Tablebase::from_values(self.book.variant(), self.metric, Arc::new(values))
    }

    /// What it has: the exact values, or a lower bound, an upper one, or both.
    #[must_use]
    pub fn bounds(&self) -> &[Bound] {
        &self.file.index.bounds
    }

    /// Whether it has the values themselves.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.bounds().contains(&Bound::Exact) && self.limit().holder().is_none()
    }

    /// Whether it answers what a file of this index would: of these positions, or of others from which these
    /// come, inside the same limit, by tables that are at hand.
    pub(crate) fn serves(&self, head: &FileIndex, roots: &[Position], using: &TablesAtHand) -> bool {
        let own = &self.file.index;
        fn of(index: &FileIndex) -> (&Limit, &[Bound], &str, &str) {
            (&index.limit, &index.bounds, &index.metric, &index.rules)
        }
        if of(own) != of(head) {
            return false;
        }
        if own.roots == head.roots {
            return own.used == head.used;
        }
        let is_at_hand = |material: &Material| using.as_ref().is_some_and(|using| using.has(material));
        let has_tables =
            head.used.iter().all(|name| own.used.contains(name)) && self.used.iter().all(is_at_hand);
        let holds = |root: &Position| {
            let mut holds = true;
            self.limit().for_each_entered(self.bounds(), &self.book, root, &mut |position| {
                holds &= self.bounds().iter().all(|&bound| self.holds(position, bound));
            });
            holds
        };
        has_tables && roots.iter().all(holds)
    }

    /// Whether the value of a position is here or in a table at hand, rights to capture en passant aside.
    fn holds(&self, position: &Position, bound: Bound) -> bool {
        let (men, squares): (Vec<Man>, Vec<Square>) = position.men().unzip();
        let material = Material::from_men(men.iter().copied());
        if self.book.variant().constant(&material).is_some() || self.is_used(&material) {
            return true;
        }
        let place =
            self.number(&material, bound).and_then(|table| self.place(table, position.stm(), &men, &squares));
        place.is_some()
    }

    /// The side to move and the number under which a table has a placement; none if it is of no slice of it.
    fn place(&self, table: TableId, stm: Side, men: &[Man], squares: &[Square]) -> Option<(Side, usize)> {
        let layout = self.layout(table);
        let keeps = Side::BOTH.map(|stm| self.file.keeps(table, stm));
        Mapping::new(layout, keeps, men)?.locate(layout, stm, squares)
    }

    /// Calls `visit` with every legal position and its value or bound; of images one is visited.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn for_each(&self, mut visit: impl FnMut(Bound, &Position, Value)) -> Result<(), StructureError> {
        for table in self.table_ids() {
            let layout = self.layout(table);
            for &stm in layout.sides() {
                self.visit(table, stm, 0..layout.len(), &mut visit)?;
            }
        }
        Ok(())
    }

    /// Visits the values by all threads and in no order, of one stretch of placements in this many.
    ///
    /// # Errors
    /// As [`SolvedStructure::for_each`].
    pub fn for_each_shared(
        &self,
        one_in: usize,
        visit: impl Fn(Bound, &Position, Value) + Sync,
    ) -> Result<(), StructureError> {
        for table in self.table_ids() {
            let layout = self.layout(table);
            for &stm in layout.sides() {
                let stretches = threads::stretches(0..layout.len(), STRETCH).step_by(one_in.max(1));
                threads::try_for_each(stretches, |numbers| {
                    self.visit(table, stm, numbers, |bound, position, value| visit(bound, position, value))
                })?;
            }
        }
        Ok(())
    }

    /// Visits the legal positions among some numbers of a table.
    fn visit(
        &self,
        table: TableId,
        stm: Side,
        numbers: Range<usize>,
        mut visit: impl FnMut(Bound, &Position, Value),
    ) -> Result<(), StructureError> {
        let (bound, layout) = (self.bound_of(table), self.layout(table));
        for number in numbers {
            let placement = layout.decode(number);
            if !layout.is_canonical(number, &placement) {
                continue;
            }
            let position = self.position_of(layout, &placement, stm);
            if let Some(position) = position.filter(|position| position.is_legal(&self.book)) {
                let value = self.stored(table, stm, number);
                visit(bound, &position, value.map_err(StructureError::io("read", self.path()))?);
            }
        }
        Ok(())
    }

    /// The position of a placement; none where men share a square or stand where they cannot, as in a hole.
    pub(crate) fn position_of(&self, layout: &Layout, squares: &[Square], stm: Side) -> Option<Position> {
        let variant = self.book.variant();
        let men = || layout.men().iter().copied().zip(squares.iter().copied());
        let can_stand = men().all(|(man, square)| variant.zone(man).contains(square));
        can_stand.then(|| Position::from_men(men(), stm)).flatten()
    }

    /// The numbers of all tables.
    pub(crate) fn table_ids(&self) -> impl Iterator<Item = TableId> + use<> {
        (0..self.layouts.len() as u32).map(TableId)
    }

    pub(crate) fn bound_of(&self, table: TableId) -> Bound {
        self.index_of(table).bound
    }

    pub(crate) fn index_of(&self, table: TableId) -> &TableIndex {
        &self.file.index.tables[table.index()]
    }

    /// How the placements of a table are numbered.
    pub(crate) fn layout(&self, table: TableId) -> &Arc<Layout> {
        self.layouts[table.index()].get_or_init(|| {
            let index = self.index_of(table);
            let variant = self.book.variant();
            let material = Material::parse(variant, &index.material).expect("checked as it was opened");
            let square = |&square: &u8| Square::from_index(square.into());
            let slice = |slice: &Vec<u8>| slice.iter().map(square).collect();
            let slices: Vec<Vec<Square>> = index.slices.iter().map(slice).collect();
            Arc::new(match slices.iter().all(Vec::is_empty) {
                true => Layout::new(variant, &material),
                false => Layout::of_slices(variant, &material, &slices),
            })
        })
    }

    /// The value with this number in a table.
    pub(crate) fn stored(&self, table: TableId, stm: Side, number: usize) -> io::Result<Value> {
        let index = self.index_of(table);
        let (unit_len, page_len) = (index.unit_len as usize, index.page_len as usize);
        let (unit, within) = (number / unit_len, number % unit_len);
        let key = page_key(table, unit as u32, (within / page_len) as u32, stm);
        Ok(self.page(key)?.value(within % page_len))
    }

    /// The table of these men that has this bound.
    pub(crate) fn table_of(&self, material: &Material, bound: Bound) -> Option<TableId> {
        self.numbers.get(&(material.clone(), bound)).copied()
    }

    /// A page of codes.
    pub(crate) fn page(&self, key: PageKey) -> io::Result<Arc<Codes>> {
        let pages = || self.pages.lock();
        if let Some(page) = pages().all.get(&key) {
            return Ok(page.clone());
        }
        let page = Arc::new(self.file.read(key)?);
        let mut pages = pages();
        if pages.n_codes + page.len() > self.kept_codes {
            *pages = Pages::default();
        }
        pages.n_codes += page.len();
        pages.all.insert(key, page.clone());
        Ok(page)
    }

    /// The table of these men that serves a bound.
    fn number(&self, material: &Material, bound: Bound) -> Option<TableId> {
        let variant = self.book.variant();
        let has_pawns = material.men().any(|man| variant.is_pawn(man));
        let material = if has_pawns { material.clone() } else { material.canonical(variant) };
        self.table_of(&material, Bound::Exact).or_else(|| self.table_of(&material, bound))
    }

    /// Whether the table of these men was read when the structure was solved.
    fn is_used(&self, material: &Material) -> bool {
        !self.used.is_empty() && self.used.contains(&table_of(self.book.variant(), material))
    }

    /// Whether men may have come from the roots by a move that is given away in runs for a bound: as many of
    /// either side as in a root, or fewer, and no more pawns.
    fn may_be_given(&self, bound: Bound, material: &Material) -> bool {
        let variant = self.book.variant();
        let n_of = |side: Side, of_pawns: bool| {
            let own = material.side(side).iter().map(|&piece| Man { side, piece });
            own.filter(|&man| !of_pawns || variant.is_pawn(man)).count()
        };
        let n_in = |root: &Position, side: Side, of_pawns: bool| {
            root.men_of(side).filter(|&(man, _)| !of_pawns || variant.is_pawn(man)).count()
        };
        let fits = |root: &Position| {
            let fits = |side, of_pawns| n_of(side, of_pawns) <= n_in(root, side, of_pawns);
            Side::BOTH.into_iter().all(|side| fits(side, true) && fits(side, false))
        };
        self.limit().concedes_for(bound) && self.roots.iter().any(fits)
    }

    /// What a legal position outside the limit is worth: what it is given, or what a capture makes of it
    /// that leads back inside.
    fn value_outside(&self, position: &Position, bound: Bound) -> io::Result<Value> {
        let given = bound.outside()[position.stm().index()];
        let scale = Scale::new(self.metric, &self.book.variant().rules);
        let (mut best, mut failed) = (given, None);
        if !matches!(given, Value::Loss(_)) {
            return Ok(given);
        }
        position.for_each_successor(&self.book, |mv, next| {
            let material = next.material();
            // Men that say by themselves how the game has ended need no table.
            let is_inside = self.number(&material, bound).is_some()
                || self.is_used(&material)
                || self.book.variant().constant(&material).is_some();
            if !mv.is_conversion() || !is_inside {
                return;
            }
            match self.value(next, bound) {
                Ok(value) => {
                    let own = value.and_then(|value| value.before_move_of(MoveKind::Conversion, &scale));
                    if let Some(own) = own.filter(|own| own.preference(&best).is_gt()) {
                        best = own;
                    }
                }
                Err(error) => failed = Some(error),
            }
        });
        failed.map_or(Ok(best), Err)
    }

    /// The value of a legal position without rights; none if it cannot come from the roots.
    fn value(&self, position: &Position, bound: Bound) -> io::Result<Option<Value>> {
        let variant = self.book.variant();
        let (men, squares): (Vec<Man>, Vec<Square>) = position.men().unzip();
        let material = Material::from_men(men.iter().copied());
        if let Some(verdicts) = variant.constant(&material) {
            return Ok(Some(Value::at_end(verdicts[position.stm().index()])));
        }
        if self.is_used(&material) {
            let plain = position.clone().with_en_passant(None);
            return self.using.as_ref().map_or(Ok(None), |using| using.value(&plain));
        }
        let Some(table) = self.number(&material, bound) else {
            let is_inside = self.limit().allows_under(bound, variant, &material);
            if is_inside && !self.may_be_given(bound, &material) {
                return Ok(None);
            }
            return self.value_outside(position, bound).map(Some);
        };
        let Some((stm, number)) = self.place(table, position.stm(), &men, &squares) else {
            // A slice to which no move leads but one that is given away.
            let is_given = self.may_be_given(bound, &material);
            return if is_given { self.value_outside(position, bound).map(Some) } else { Ok(None) };
        };
        self.stored(table, stm, number).map(Some)
    }
}

/// The values of a structure under one bound.
#[derive(Debug)]
struct BoundValues {
    structure: Arc<SolvedStructure>,
    bound: Bound,
}

impl PositionValues for BoundValues {
    fn value(&self, position: &Position) -> io::Result<Option<Value>> {
        self.structure.value(position, self.bound)
    }

    fn path(&self) -> Option<PathBuf> {
        Some(self.structure.path().into())
    }
}
