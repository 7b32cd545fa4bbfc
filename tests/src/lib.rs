//! What the tests that cross crates share: the variants of the repository, and a shelf of tables solved on demand.

use index::Layout;
use plan::{Plan, Request};
use solve::Unwatched;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use table::{Lookup, Table};
use variant::{Material, Variant};

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The rules of a game, from the file that users have.
///
/// # Panics
/// If there is no such file, or it has a fault.
#[must_use]
pub fn game(name: &str) -> Variant {
    let path = root().join("variants").join(name).with_extension("toml");
    Variant::load(path).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The rules of chess, from the file that users have.
#[must_use]
pub fn fide() -> Variant {
    game("fide")
}

/// The rules of chess on a smaller board, with promotion on its last rank.
///
/// # Panics
/// If the file of chess does not say each size once.
#[must_use]
pub fn small_chess(files: usize, ranks: usize) -> Variant {
    let mut text = std::fs::read_to_string(root().join("variants/fide.toml")).expect("chess is there");
    for (key, size) in [("files", files), ("\nranks", ranks), ("promotion-rank", ranks)] {
        let from = format!("{key} = 8");
        assert_eq!(text.matches(&from).count(), 1, "{from}");
        text = text.replace(&from, &format!("{key} = {size}"));
    }
    Variant::parse(&text, "small.toml").unwrap_or_else(|report| panic!("{}", report.render(false)))
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
        if let Some(table) = self.table(&material) {
            return table;
        }
        let plan = Plan::new(&self.variant, &Request::Table(material.clone()));
        for job in plan.unwrap_or_else(|fault| panic!("{fault}")).jobs() {
            // What the rules prove drawn is no job, but its legal positions are asked for.
            job.needs
                .iter()
                .filter(|need| need.is_drawn)
                .for_each(|need| drop(self.solved_here(&need.material)));
            self.solved_here(&job.material);
        }
        self.solved_here(&material)
    }

    /// The table of a material whose successors are on the shelf.
    fn solved_here(&self, material: &Material) -> Arc<Table> {
        if let Some(table) = self.table(material) {
            return table;
        }
        let layout = Arc::new(Layout::new(&self.variant, material));
        let solved = solve::solve(&self.variant, layout, self, &Unwatched);
        let table = Arc::new(solved.unwrap_or_else(|fault| panic!("{fault}")));
        self.tables.lock().expect("no test panics with the lock").insert(material.clone(), table.clone());
        table
    }
}

impl Lookup for Shelf {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.tables.lock().expect("no test panics with the lock").get(material).cloned()
    }
}
