//! Splits Rust source text into words, marks and comments, each with its line.
//!
//! The rules here need no more of the language: they look for paths, for items at the top level and for
//! comments. Strings and numbers are skipped, so that nothing in them looks like code.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A piece of source text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// An identifier or a keyword.
    Word(&'a str),
    /// `::`.
    Colons,
    /// Any other character of code.
    Mark(char),
    /// A comment, from its first slash to the end of its line, or to its closing `*/`.
    Comment(&'a str),
}

/// All tokens of a text, each with its line, counted from 1.
pub(super) fn tokens(text: &str) -> Vec<(usize, Token<'_>)> {
    pieces(text).filter_map(|(lines, _, token)| Some((*lines.start(), token?))).collect()
}

/// The lines of a text on which some code stands, literals too, counted from 1.
pub(super) fn code_lines(text: &str) -> BTreeSet<usize> {
    let is_code = |piece: &str, token| !matches!(token, Some(Token::Comment(_))) && !piece.trim().is_empty();
    pieces(text).filter(|&(_, piece, token)| is_code(piece, token)).flat_map(|(lines, ..)| lines).collect()
}

/// The pieces that a text consists of, in order: their lines, their text, and their token if they have one.
fn pieces(text: &str) -> impl Iterator<Item = (RangeInclusive<usize>, &str, Option<Token<'_>>)> {
    let (mut rest, mut line) = (text, 1);
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (len, token) = next(rest, first);
        let (piece, start) = (&rest[..len], line);
        line += piece.matches('\n').count();
        rest = &rest[len..];
        Some((start..=line, piece, token))
    })
}

/// The length in bytes of what begins a text, and the token that it makes.
fn next(text: &str, first: char) -> (usize, Option<Token<'_>>) {
    if text.starts_with("//") {
        let len = text.find('\n').unwrap_or(text.len());
        return (len, Some(Token::Comment(&text[..len])));
    }
    if text.starts_with("/*") {
        let len = block_comment(text);
        return (len, Some(Token::Comment(&text[..len])));
    }
    if text.starts_with("::") {
        return (2, Some(Token::Colons));
    }
    if let Some(len) = string(text) {
        return (len, None);
    }
    let len = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    match first {
        '\'' => quoted(text),
        '0'..='9' => (len, None),
        _ if len > 0 => (len, Some(Token::Word(&text[..len]))),
        _ if first.is_whitespace() => (first.len_utf8(), None),
        _ => (first.len_utf8(), Some(Token::Mark(first))),
    }
}

/// The length of a block comment; they nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                break;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of a string literal of any kind, if the text begins with one.
fn string(text: &str) -> Option<usize> {
    let prefix = text.find(|c: char| !matches!(c, 'b' | 'c' | 'r'))?;
    let is_raw = text[..prefix].ends_with('r');
    let rest = &text[prefix..];
    let n_hashes = if is_raw { rest.find(|c| c != '#')? } else { 0 };
    let body = rest[n_hashes..].strip_prefix('"')?;
    let start = text.len() - body.len();
    if prefix > 2 {
        return None;
    }
    if is_raw {
        let close = format!("\"{}", "#".repeat(n_hashes));
        return Some(body.find(&close).map_or(text.len(), |end| start + end + close.len()));
    }
    let mut is_escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(start + at + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// Skips a character literal, or the quote and the name of a lifetime.
fn quoted<'a>(text: &'a str) -> (usize, Option<Token<'a>>) {
    let mut body = text.char_indices().skip(1);
    let first = body.next().map(|(_, c)| c);
    let close = if first == Some('\\') {
        body.next();
        body.find(|&(_, c)| c == '\'')
    } else {
        body.next().filter(|&(_, c)| c == '\'')
    };
    if let Some((at, _)) = close {
        return (at + 1, None);
    }
    let name = text[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len() - 1);
    (1 + name, None)
}
