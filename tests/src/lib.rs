//! What the tests that cross crates share: the variants of the repository, and a shelf of tables solved on demand.

use index::Layout;
use solve::Unwatched;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use table::{Lookup, Table};
use variant::{Man, Material, Variant};

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The rules of chess, from the file that users have.
#[must_use]
pub fn fide() -> Variant {
    Variant::load(root().join("variants/fide.toml")).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The chess tables of all tests, solved once.
#[must_use]
pub fn chess() -> &'static Shelf {
    static CHESS: OnceLock<Shelf> = OnceLock::new();
    CHESS.get_or_init(|| Shelf::new(fide()))
}

/// Tables of one variant, each solved when it is first asked for, with all that it leads to.
pub struct Shelf {
    variant: Variant,
    tables: Mutex<BTreeMap<Material, Arc<Table>>>,
}

impl Shelf {
    /// An empty shelf.
    #[must_use]
    pub fn new(variant: Variant) -> Self {
        Shelf { variant, tables: Mutex::default() }
    }

    /// The variant.
    #[must_use]
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The table of a material, by its name.
    ///
    /// # Panics
    /// If the variant has no such material.
    #[must_use]
    pub fn named(&self, name: &str) -> Arc<Table> {
        self.solved(&Material::parse(&self.variant, name).unwrap_or_else(|fault| panic!("{fault}")))
    }

    /// The table of a material.
    ///
    /// # Panics
    /// If it cannot be solved.
    #[must_use]
    pub fn solved(&self, material: &Material) -> Arc<Table> {
        let material = material.canonical();
        if let Some(table) = self.tables.lock().expect("no test panics with the lock").get(&material) {
            return table.clone();
        }
        self.successors(&material).iter().for_each(|m| drop(self.solved(m)));
        let layout = Arc::new(Layout::new(&self.variant, &material));
        let solved = solve::solve(&self.variant, layout, self, &Unwatched);
        let table = Arc::new(solved.unwrap_or_else(|fault| panic!("{fault}")));
        self.tables.lock().expect("no test panics with the lock").insert(material, table.clone());
        table
    }

    /// The materials that one capture, one promotion or both can lead to.
    fn successors(&self, material: &Material) -> Vec<Material> {
        let men: Vec<Man> = material.men().collect();
        let mut lists = vec![men.clone()];
        for (pawn, man) in men.iter().enumerate() {
            let rules = self.variant.pawn_rules(*man);
            for piece in rules.map(|rules| rules.promotes_to).unwrap_or_default() {
                let mut promoted = men.clone();
                promoted[pawn].piece = piece;
                lists.push(promoted);
            }
        }
        let without_one = |men: &Vec<Man>| {
            let losable: Vec<usize> = (0..men.len()).filter(|&i| !self.variant.is_royal(men[i])).collect();
            losable.into_iter().map(|i| [&men[..i], &men[i + 1..]].concat()).collect::<Vec<_>>()
        };
        let shorter: Vec<Vec<Man>> = lists.iter().flat_map(without_one).collect();
        lists.extend(shorter);
        let materials = lists.into_iter().map(|men| Material::from_men(men).canonical());
        materials.filter(|m| m != material).collect()
    }
}

impl Lookup for Shelf {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.lock().expect("no test panics with the lock").get(material).cloned()
    }
}
