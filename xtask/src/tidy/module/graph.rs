//! Resolves the paths of a crate to the files that define what they name: the graph of its modules.

use super::scope::{Scope, Segments, scopes};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// How often a path may be handed on by imports before it counts as unknown.
const MAX_IMPORTS: usize = 16;

/// One file uses what another defines.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edge {
    /// The line of the first use.
    pub(super) line: usize,
    /// What is used, by its names in the file that defines it.
    pub(super) names: BTreeSet<String>,
}

/// The files of a crate that belong to its modules, and which use which.
#[derive(Debug)]
pub(super) struct Graph {
    /// The files, from the folder of the sources, in the order in which modules declare them.
    pub(super) files: Vec<PathBuf>,
    /// Of each file, the files that it uses.
    pub(super) edges: Vec<BTreeMap<usize, Edge>>,
}

/// A module: the file that it stands in, and the modules above and below it.
struct Module {
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    scope: Scope,
}

/// What a path leads to.
#[derive(Clone)]
enum Target {
    Module(usize),
    /// Something that a module defines, by its name.
    Item(usize, String),
}

impl Graph {
    /// Follows the modules of a crate from its root; `sources` maps paths from the folder of the sources to
    /// texts.
    pub(super) fn new(root: &Path, sources: &BTreeMap<PathBuf, String>) -> Graph {
        let mut tree = Tree::default();
        tree.add(root, None, sources);
        let mut edges = vec![BTreeMap::new(); tree.files.len()];
        for (number, module) in tree.modules.iter().enumerate() {
            for used in &module.scope.uses {
                let Some(Target::Item(owner, name)) = tree.resolve(number, &used.path, MAX_IMPORTS) else {
                    continue;
                };
                let file = tree.modules[owner].file;
                if file != module.file {
                    let edge = Edge { line: used.line, names: BTreeSet::new() };
                    let edge: &mut Edge = edges[module.file].entry(file).or_insert(edge);
                    edge.line = edge.line.min(used.line);
                    edge.names.insert(name);
                }
            }
        }
        Graph { files: tree.files, edges }
    }
}

/// What names of a module are; none of those that are not found.
type Known = HashMap<String, Option<Target>>;

#[derive(Default)]
struct Tree {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
    /// What names in modules are, by how many imports may still follow: globs ask for the same ones often.
    known: RefCell<HashMap<(usize, usize), Known>>,
}

impl Tree {
    /// Adds the modules of a file, and of the files that it declares.
    fn add(
        &mut self,
        path: &Path,
        parent: Option<usize>,
        sources: &BTreeMap<PathBuf, String>,
    ) -> Option<usize> {
        let text = sources.get(path)?;
        let file = self.files.len();
        self.files.push(path.to_path_buf());
        let first = self.modules.len();
        for scope in scopes(text) {
            let number = self.modules.len();
            let above = scope.parent.clone().map(|(scope, name)| (first + scope, name));
            if let Some((above, name)) = &above {
                self.modules[*above].children.insert(name.clone(), number);
            }
            let parent = above.map_or(parent, |(above, _)| Some(above));
            self.modules.push(Module { file, parent, children: BTreeMap::new(), scope });
        }
        for number in first..self.modules.len() {
            let folder = self.folder(number);
            for name in self.modules[number].scope.files.clone() {
                let beside = folder.join(&name).with_extension("rs");
                let inside = folder.join(&name).join("mod.rs");
                let path = if sources.contains_key(&beside) { beside } else { inside };
                if let Some(child) = self.add(&path, Some(number), sources) {
                    self.modules[number].children.insert(name, child);
                }
            }
        }
        Some(first)
    }

    /// The folder in which a module's children have their files.
    fn folder(&self, number: usize) -> PathBuf {
        let module = &self.modules[number];
        if let (Some((_, name)), Some(parent)) = (&module.scope.parent, module.parent) {
            return self.folder(parent).join(name);
        }
        children(&self.files[module.file])
    }

    /// What a path in a module leads to; none for other crates, for preludes and for what cannot be found.
    fn resolve(&self, module: usize, path: &Segments, n_imports: usize) -> Option<Target> {
        let (mut at, mut rest, mut is_first) = (module, &path[..], true);
        while let [name, more @ ..] = rest {
            let step = match name.as_str() {
                "crate" => Some(Target::Module(0)),
                "self" => Some(Target::Module(at)),
                "super" => Some(Target::Module(self.modules[at].parent?)),
                _ => self.named(at, name, n_imports),
            };
            match step {
                Some(Target::Module(child)) => at = child,
                // What a macro defines is not seen; it belongs to the module that the path names.
                None if !is_first => return Some(Target::Item(at, name.clone())),
                other => return other,
            }
            (rest, is_first) = (more, false);
        }
        Some(Target::Module(at))
    }

    /// What a name in a module is: a module, an item, or what an import says.
    fn named(&self, module: usize, name: &str, n_imports: usize) -> Option<Target> {
        let key = (module, n_imports);
        if let Some(known) = self.known.borrow().get(&key).and_then(|names| names.get(name)) {
            return known.clone();
        }
        let target = self.looked_up(module, name, n_imports);
        self.known.borrow_mut().entry(key).or_default().insert(name.to_owned(), target.clone());
        target
    }

    fn looked_up(&self, module: usize, name: &str, n_imports: usize) -> Option<Target> {
        let Module { children, scope, .. } = &self.modules[module];
        if let Some(&child) = children.get(name) {
            return Some(Target::Module(child));
        }
        if scope.items.contains(name) {
            return Some(Target::Item(module, name.to_owned()));
        }
        let n_imports = n_imports.checked_sub(1)?;
        if let Some(path) = scope.imports.get(name) {
            // A name that is imported under itself, `use serde;`, is another crate's.
            return (path.len() > 1).then(|| self.resolve(module, path, n_imports))?;
        }
        scope.globs.iter().find_map(|glob| match self.resolve(module, glob, n_imports)? {
            Target::Module(other) if other != module => self.named(other, name, n_imports),
            _ => None,
        })
    }
}

/// The folder in which the modules that a file declares have their files.
pub(super) fn children(file: &Path) -> PathBuf {
    match file.file_name().and_then(|name| name.to_str()) {
        Some("lib.rs" | "main.rs" | "mod.rs") => file.parent().map(Path::to_path_buf).unwrap_or_default(),
        _ => file.with_extension(""),
    }
}
