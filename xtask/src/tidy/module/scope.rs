//! Reads one file of source text into scopes: the names that each of its modules declares, imports and uses.
//!
//! A scope is a module: the file itself, or a `mod name { … }` inside it. Items behind `#[cfg(test)]` are
//! skipped, so tests may use what they like. Paths are looked for in everything that stands in an item, what
//! is given to macros too.

use crate::tidy::token::{code, is_mark, without_tests};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::{Item, ItemUse, UseTree, Visibility};

/// A path as it is written, `super::slice::Slice`, split at its colons.
pub(super) type Segments = Vec<String>;

/// A place in the text that uses a name of some module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Use {
    pub(super) line: usize,
    pub(super) path: Segments,
}

/// A module as its text has it.
#[derive(Default, Debug)]
pub(super) struct Scope {
    /// The scope that it stands in, and its name there; none for the file itself.
    pub(super) parent: Option<(usize, String)>,
    /// Modules with files of their own: `mod name;`.
    pub(super) files: BTreeSet<String>,
    /// What is defined here.
    pub(super) items: BTreeSet<String>,
    /// What `use` brings in, by the name that it gets here.
    pub(super) imports: BTreeMap<String, Segments>,
    /// What `use …::*` brings in.
    pub(super) globs: Vec<Segments>,
    /// Every use of a path, and of a name that a `pub use` brings in.
    pub(super) uses: Vec<Use>,
}

/// Reads a text; the first scope is the file itself. A text that is no Rust is an empty file, which the
/// compiler reports.
pub(super) fn scopes(text: &str) -> Vec<Scope> {
    let file = syn::parse2::<syn::File>(without_tests(code(text)));
    let mut scopes = vec![Scope::default()];
    read(0, file.map(|file| file.items).unwrap_or_default(), &mut scopes);
    scopes.iter_mut().for_each(Scope::drop_own_names);
    scopes
}

/// Reads the items of a scope, and what stands in its modules into scopes of their own.
fn read(at: usize, items: Vec<Item>, scopes: &mut Vec<Scope>) {
    for item in items {
        let scope = &mut scopes[at];
        match item {
            Item::Mod(module) => match module.content {
                None => drop(scope.files.insert(module.ident.to_string())),
                Some((_, items)) => {
                    let parent = Some((at, module.ident.to_string()));
                    scopes.push(Scope { parent, ..Scope::default() });
                    read(scopes.len() - 1, items, scopes);
                }
            },
            Item::Use(import) => scope.import(&import),
            item => {
                scope.items.extend(name(&item).map(Ident::to_string));
                scope.scan(item.into_token_stream());
            }
        }
    }
}

/// The name that an item gets in its module.
fn name(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Macro(item) => item.ident.as_ref(),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

impl Scope {
    /// Notes the imports and the paths in some code; a single name is kept if it looks like one that is
    /// imported.
    fn scan(&mut self, code: TokenStream) {
        let trees: Vec<TokenTree> = code.into_iter().collect();
        let mut at = 0;
        while at < trees.len() {
            let before = at.checked_sub(1).map(|before| &trees[before]);
            let first = match &trees[at] {
                TokenTree::Ident(first) => first,
                // A visibility is no use.
                TokenTree::Group(_) if before.is_some_and(|tree| tree.to_string() == "pub") => {
                    at += 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    self.scan(group.stream());
                    at += 1;
                    continue;
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            let end = at + trees[at..].iter().take_while(|tree| !is_mark(tree, ';')).count();
            let statement = || trees[at..=end.min(trees.len() - 1)].iter().cloned().collect();
            if first == "use"
                && let Ok(import) = syn::parse2::<ItemUse>(statement())
            {
                self.import(&import);
                at = end + 1;
                continue;
            }
            let mut path = vec![first.to_string()];
            at += 1;
            while let [colon, second, TokenTree::Ident(name), ..] = &trees[at..]
                && is_mark(colon, ':')
                && is_mark(second, ':')
            {
                path.push(name.to_string());
                at += 3;
            }
            let goes_on = before.is_some_and(|tree| {
                is_mark(tree, ':') && path.len() == 1
                    || is_mark(tree, '.')
                    || is_mark(tree, '\'')
                    || (is_mark(tree, '$') && path[0] != "crate")
            });
            let is_called =
                trees.get(at).is_some_and(|tree| is_mark(tree, '!') || tree.to_string().starts_with('('));
            if !goes_on && (path.len() > 1 || is_called || path[0].starts_with(char::is_uppercase)) {
                self.uses.push(Use { line: first.span().start().line, path });
            }
        }
    }

    /// Notes what `use a::{b, c as d, e::*};` brings in.
    fn import(&mut self, import: &ItemUse) {
        self.branch(&import.tree, &mut Vec::new(), !matches!(import.vis, Visibility::Inherited));
    }

    /// Notes one branch of a tree of imports; what is handed on is no use.
    fn branch(&mut self, tree: &UseTree, path: &mut Segments, is_reexport: bool) {
        let (last, name) = match tree {
            UseTree::Path(branch) => {
                path.push(branch.ident.to_string());
                self.branch(&branch.tree, path, is_reexport);
                path.pop();
                return;
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.branch(tree, path, is_reexport));
            }
            UseTree::Glob(glob) => {
                if !is_reexport {
                    self.uses.push(Use { line: glob.star_token.spans[0].start().line, path: path.clone() });
                }
                return self.globs.push(path.clone());
            }
            UseTree::Name(name) => (&name.ident, &name.ident),
            UseTree::Rename(rename) => (&rename.ident, &rename.rename),
        };
        // `a::{self}` brings in `a`.
        let is_self = last == "self" && !path.is_empty();
        let full: Segments = path.iter().cloned().chain((!is_self).then(|| last.to_string())).collect();
        let name = if is_self && name == "self" { full[full.len() - 1].clone() } else { name.to_string() };
        if !is_reexport {
            self.uses.push(Use { line: last.span().start().line, path: full.clone() });
        }
        self.imports.insert(name, full);
    }

    /// Drops single names that no import brings in: they are the file's own, or the language's.
    fn drop_own_names(&mut self) {
        let (imports, has_globs) = (&self.imports, !self.globs.is_empty());
        let may_be_imported = |name: &String| has_globs || imports.contains_key(name);
        self.uses.retain(|used| used.path.len() > 1 || may_be_imported(&used.path[0]));
    }
}
