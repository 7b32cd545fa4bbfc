//! Takes Rust source text apart by `proc-macro2`: its code without comments, and without what is for tests.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::BTreeSet;

/// A piece of code; literals and lifetimes are none, so that nothing in them looks like code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// An identifier or a keyword.
    Word(String),
    /// `::`.
    Colons,
    /// Any other character, brackets among them.
    Mark(char),
}

/// The code of a text without its comments; of a text that is no Rust none, which the compiler reports.
pub(super) fn code(text: &str) -> TokenStream {
    filtered(text.parse().unwrap_or_default(), true)
}

/// Code without items under `#[cfg(test)]` and `#[cfg(all(test, …))]`.
pub(super) fn without_tests(code: TokenStream) -> TokenStream {
    filtered(code, false)
}

fn filtered(code: TokenStream, has_tests: bool) -> TokenStream {
    let trees: Vec<TokenTree> = code.into_iter().collect();
    let (mut kept, mut at) = (Vec::new(), 0);
    while let Some(rest) = trees.get(at..).filter(|rest| !rest.is_empty()) {
        at += match rest {
            // A doc comment has become an attribute.
            [hash, group, ..] if is_mark(hash, '#') && attribute(group).starts_with("doc=") => 2,
            [hash, bang, group, ..]
                if is_mark(hash, '#') && is_mark(bang, '!') && attribute(group).starts_with("doc=") =>
            {
                3
            }
            [hash, group, more @ ..] if !has_tests && is_mark(hash, '#') && is_for_tests(group) => {
                let ends = |tree: &TokenTree| is_mark(tree, ';') || is_braces(tree);
                let n_item = more.iter().position(ends).map_or(more.len(), |end| end + 1);
                // Behind the braces of an import stands its semicolon.
                2 + n_item + usize::from(more.get(n_item).is_some_and(|tree| is_mark(tree, ';')))
            }
            [TokenTree::Group(group), ..] => {
                let mut inner = Group::new(group.delimiter(), filtered(group.stream(), has_tests));
                inner.set_span(group.span());
                kept.push(TokenTree::Group(inner));
                1
            }
            _ => {
                kept.push(rest[0].clone());
                1
            }
        };
    }
    kept.into_iter().collect()
}

/// The lines on which code stands, literals too, counted from 1.
pub(super) fn lines(code: TokenStream) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for tree in code {
        match tree {
            TokenTree::Group(group) => {
                found.extend([group.span_open().start().line, group.span_close().end().line]);
                found.extend(lines(group.stream()));
            }
            other => found.extend(other.span().start().line..=other.span().end().line),
        }
    }
    found
}

/// The tokens of some code, brackets and what stands in them one after the other.
pub(super) fn tokens(code: TokenStream) -> Vec<Token> {
    let mut found = Vec::new();
    let mut trees = code.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Ident(ident) => found.push(Token::Word(ident.to_string())),
            TokenTree::Literal(_) => {}
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ('(', ')'),
                    Delimiter::Brace => ('{', '}'),
                    Delimiter::Bracket => ('[', ']'),
                    Delimiter::None => (' ', ' '),
                };
                found.push(Token::Mark(open));
                found.extend(tokens(group.stream()));
                found.push(Token::Mark(close));
            }
            TokenTree::Punct(mark) => match mark.as_char() {
                // The name of a lifetime.
                '\'' => drop(trees.next()),
                ':' if trees.next_if(|next| is_mark(next, ':')).is_some() => found.push(Token::Colons),
                mark => found.push(Token::Mark(mark)),
            },
        }
    }
    found
}

/// Whether a tree is this mark.
pub(super) fn is_mark(tree: &TokenTree, mark: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == mark)
}

fn is_braces(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// What stands in the brackets of an attribute, without its blanks.
fn attribute(tree: &TokenTree) -> String {
    match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            let words: String = group.stream().into_iter().take(2).map(|tree| tree.to_string()).collect();
            words.replace(' ', "")
        }
        _ => String::new(),
    }
}

fn is_for_tests(tree: &TokenTree) -> bool {
    let text = attribute(tree);
    text == "cfg(test)" || text.starts_with("cfg(all(test,")
}
