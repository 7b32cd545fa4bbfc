//! Reads one file of source text into scopes: the names that each of its modules declares, imports and uses.
//!
//! A scope is a module: the file itself, or a `mod name { … }` inside it. Items behind `#[cfg(test)]` are
//! skipped, so tests may use what they like.

use crate::tidy::token::{Token, tokens};
use std::collections::{BTreeMap, BTreeSet};

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

/// Reads a text; the first scope is the file itself.
pub(super) fn scopes(text: &str) -> Vec<Scope> {
    let tokens = tokens(text).into_iter().filter(|(_, token)| !matches!(token, Token::Comment(_))).collect();
    let mut reader = Reader { tokens, at: 0, scopes: vec![Scope::default()], open: vec![(0, 0)], depth: 0 };
    while reader.at < reader.tokens.len() {
        reader.step();
    }
    reader.drop_own_names();
    reader.scopes
}

struct Reader<'a> {
    tokens: Vec<(usize, Token<'a>)>,
    at: usize,
    scopes: Vec<Scope>,
    /// The scopes that the reader stands in, each with the depth of braces of its items.
    open: Vec<(usize, usize)>,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).map(|&(_, token)| token)
    }

    fn word(&self, ahead: usize) -> Option<&'a str> {
        match self.peek(ahead) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn is_mark(&self, ahead: usize, mark: char) -> bool {
        self.peek(ahead) == Some(Token::Mark(mark))
    }

    fn scope(&mut self) -> &mut Scope {
        let &(scope, _) = self.open.last().expect("the file itself stays open");
        &mut self.scopes[scope]
    }

    /// Reads what begins here.
    fn step(&mut self) {
        match self.peek(0) {
            Some(Token::Mark('{')) => self.depth += 1,
            Some(Token::Mark('}')) => self.close(),
            Some(Token::Mark('#')) if self.is_for_tests() => return self.skip_item(),
            Some(Token::Word(word)) => return self.begin(word),
            _ => {}
        }
        self.at += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.open.len() > 1 && self.open.last().is_some_and(|&(_, depth)| self.depth < depth) {
            self.open.pop();
        }
    }

    /// Reads what begins with a word.
    fn begin(&mut self, word: &str) {
        let is_item = self.open.last().is_some_and(|&(_, depth)| depth == self.depth);
        let name = self.word(1).map(str::to_owned);
        match (word, name) {
            ("pub", _) if self.is_mark(1, '(') => {
                while !self.is_mark(0, ')') && self.peek(0).is_some() {
                    self.at += 1;
                }
            }
            ("use", _) if !self.is_mark(1, '<') => return self.imports(),
            ("macro_rules", _) if is_item => {
                if let Some(name) = self.word(2) {
                    self.scope().items.insert(name.to_owned());
                }
                self.at += 2;
            }
            ("mod", Some(name)) if is_item => {
                if self.is_mark(2, '{') {
                    self.depth += 1;
                    let parent = self.open.last().map(|&(scope, _)| (scope, name));
                    self.scopes.push(Scope { parent, ..Scope::default() });
                    self.open.push((self.scopes.len() - 1, self.depth));
                } else {
                    self.scope().files.insert(name);
                }
                self.at += 2;
            }
            ("const", Some(name)) if name == "fn" || name == "unsafe" => {}
            ("static", Some(name)) if is_item && name == "mut" => {}
            ("struct" | "enum" | "union" | "trait" | "type" | "const" | "static" | "fn", Some(name))
                if is_item =>
            {
                self.scope().items.insert(name);
                self.at += 1;
            }
            _ => return self.path(word),
        }
        self.at += 1;
    }

    /// Reads a path in the code; a single name is kept if it looks like one that is imported.
    fn path(&mut self, first: &str) {
        let before = self.at.checked_sub(1).map(|at| self.tokens[at].1);
        let line = self.tokens[self.at].0;
        let mut path = vec![first.to_owned()];
        self.at += 1;
        while let (Some(Token::Colons), Some(word)) = (self.peek(0), self.word(1)) {
            path.push(word.to_owned());
            self.at += 2;
        }
        let goes_on = matches!(before, Some(Token::Colons | Token::Mark('.')))
            || (before == Some(Token::Mark('$')) && first != "crate");
        let is_called = matches!(self.peek(0), Some(Token::Mark('(' | '!')));
        if !goes_on && (path.len() > 1 || is_called || first.starts_with(char::is_uppercase)) {
            self.scope().uses.push(Use { line, path });
        }
    }

    /// Reads `use a::{b, c as d, e::*};`.
    fn imports(&mut self) {
        let is_reexport = self.is_public();
        self.at += 1;
        self.tree(&[], is_reexport);
        self.at += 1;
    }

    /// Whether `pub` or `pub(…)` stands before this word.
    fn is_public(&self) -> bool {
        let before = self.at.checked_sub(1).map(|at| self.tokens[at].1);
        matches!(before, Some(Token::Word("pub") | Token::Mark(')')))
    }

    /// Reads one branch of a tree of imports, up to the comma, brace or semicolon behind it.
    fn tree(&mut self, before: &[String], is_reexport: bool) {
        let (mut path, mut name, mut line) = (before.to_vec(), None, 0);
        while let Some(token) = self.peek(0) {
            match token {
                Token::Word("as") => {
                    name = self.word(1).map(str::to_owned);
                    self.at += 1;
                }
                Token::Word("self") if !path.is_empty() => line = self.tokens[self.at].0,
                Token::Word(word) => {
                    line = self.tokens[self.at].0;
                    path.push(word.to_owned());
                }
                Token::Mark('*') => {
                    let line = self.tokens[self.at].0;
                    self.at += 1;
                    if !is_reexport {
                        self.scope().uses.push(Use { line, path: path.clone() });
                    }
                    return self.scope().globs.push(path);
                }
                Token::Mark('{') => {
                    while !self.is_mark(0, '}') && self.peek(0).is_some() {
                        self.at += 1;
                        self.tree(&path, is_reexport);
                    }
                    self.at += 1;
                    return;
                }
                Token::Mark(',' | '}' | ';') => break,
                _ => {}
            }
            self.at += 1;
        }
        if path.len() > before.len() || line > 0 {
            let Some(last) = path.last().cloned() else { return };
            if !is_reexport {
                self.scope().uses.push(Use { line, path: path.clone() });
            }
            self.scope().imports.insert(name.unwrap_or(last), path);
        }
    }

    /// Whether an attribute begins here that leaves an item to tests.
    fn is_for_tests(&self) -> bool {
        self.is_mark(1, '[')
            && self.word(2) == Some("cfg")
            && self.is_mark(3, '(')
            && self.word(4) == Some("test")
    }

    /// Skips an attribute and the item behind it: to its semicolon, or to the end of its braces.
    fn skip_item(&mut self) {
        let (mut depth, mut is_body) = (0_usize, false);
        let is_import = |reader: &Self| reader.word(0) == Some("use");
        let mut needs_semicolon = false;
        while let Some(token) = self.peek(0) {
            needs_semicolon |= depth == 0 && is_import(self);
            match token {
                Token::Mark('(' | '[') => depth += 1,
                Token::Mark('{') => {
                    is_body |= depth == 0 && !needs_semicolon;
                    depth += 1;
                }
                Token::Mark('}') if depth == 0 => return,
                Token::Mark(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 && (token == Token::Mark(';') || (is_body && token == Token::Mark('}'))) {
                return;
            }
        }
    }

    /// Drops single names that no import brings in: they are the file's own, or the language's.
    fn drop_own_names(&mut self) {
        for scope in &mut self.scopes {
            let (imports, has_globs) = (&scope.imports, !scope.globs.is_empty());
            let may_be_imported = |name: &String| has_globs || imports.contains_key(name);
            scope.uses.retain(|used| used.path.len() > 1 || may_be_imported(&used.path[0]));
        }
    }
}
