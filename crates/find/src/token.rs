//! Splits a query into words, numbers, quoted letters and signs, and reports what is wrong with it, with the
//! place of the word that is meant.

use crate::word::is_beginning;
use std::fmt;
use std::ops::Range;

/// A word of a query and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Characters of the query.
    pub(crate) place: Range<usize>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A word of the language, a man, a square.
    Word(String),
    Number(i64),
    /// What stands between quotes.
    Quoted(String),
    Sign(&'static str),
    /// Behind the last word.
    End,
}

/// The longest query.
///
/// Units: characters.
const MAX_LENGTH: usize = 10_000;

/// So much of one that is too long stands in the fault.
const MAX_LENGTH_SHOWN: usize = 60;

/// All signs, those of two characters first.
const SIGNS: [&str; 18] =
    ["..", "==", "!=", "<=", ">=", "&&", "||", "(", ")", "{", "}", ",", "=", "<", ">", "+", "-", "*"];

/// The words of a query, the end among them.
pub(crate) fn tokens(query: &str) -> Result<Vec<Token>, QueryFault> {
    let chars: Vec<char> = query.chars().collect();
    if chars.len() > MAX_LENGTH {
        let message = format!(
            "the query has {} characters, and {MAX_LENGTH} are the most; ask several queries one after the other",
            chars.len()
        );
        // Where it is too long: what stands there is enough to see.
        let shown: String = chars[..MAX_LENGTH_SHOWN].iter().collect();
        return Err(QueryFault {
            query: shown + "…",
            place: MAX_LENGTH_SHOWN..MAX_LENGTH_SHOWN + 1,
            message,
        });
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let fault = |place: Range<usize>, message: String| QueryFault { query: query.into(), place, message };
        let start = at;
        let kind = match chars[at] {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            c if c.is_alphabetic() => {
                at = end_of_word(&chars, at);
                TokenKind::Word(chars[start..at].iter().collect())
            }
            c if c.is_ascii_digit() => {
                at += chars[at..].iter().take_while(|c| c.is_ascii_digit()).count();
                let text: String = chars[start..at].iter().collect();
                let number = text.parse::<u32>();
                TokenKind::Number(i64::from(
                    number.map_err(|_| fault(start..at, format!("the number {text} is too large")))?,
                ))
            }
            quote @ ('\'' | '"') => {
                let length = chars[at + 1..].iter().position(|&c| c == quote);
                let Some(length) = length else {
                    let message = format!("the closing {quote} is missing");
                    return Err(fault(start..chars.len(), message));
                };
                at += length + 2;
                TokenKind::Quoted(chars[start + 1..at - 1].iter().collect())
            }
            other => {
                let rest: String = chars[at..].iter().take(2).collect();
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
                let sign = sign.ok_or_else(|| {
                    let help = "there are words, numbers, 'N', ( ) { } , .. = != < <= > >= + - *";
                    fault(start..start + 1, format!("`{other}` has no meaning here; {help}"))
                })?;
                at += sign.len();
                TokenKind::Sign(sign)
            }
        };
        tokens.push(Token { kind, place: start..at });
    }
    tokens.push(Token { kind: TokenKind::End, place: chars.len()..chars.len() });
    Ok(tokens)
}

/// The end of the word that begins here. A hyphen or a dot belongs to it where a word of the language goes
/// on so: `mutual-zugzwang` is one word, `dtm-dtc` is three.
fn end_of_word(chars: &[char], start: usize) -> usize {
    let is_letter = |&c: &char| c.is_alphanumeric() || c == '_';
    let mut end = start + chars[start..].iter().take_while(|c| is_letter(c)).count();
    loop {
        let (Some(&joint), Some(next)) = (chars.get(end), chars.get(end + 1)) else { return end };
        if !matches!(joint, '-' | '.') || !next.is_alphabetic() {
            return end;
        }
        let longer = end + 1 + chars[end + 1..].iter().take_while(|c| is_letter(c)).count();
        let word: String = chars[start..longer].iter().collect();
        // A dotted word is one whatever it says, so that the fault is about all of it.
        if joint == '-' && !is_beginning(&word) {
            return end;
        }
        end = longer;
    }
}

/// A query that cannot be read.
///
/// As text it is the message, the query, and a mark below the word that is meant:
///
/// ```text
/// there is no word `wining`; did you mean `winning`?
///   | wtm wining
///   |     ^^^^^^
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryFault {
    pub(crate) query: String,
    /// The characters that are meant; empty behind the last one.
    pub(crate) place: Range<usize>,
    pub(crate) message: String,
}

impl QueryFault {
    /// What is wrong and how to mend it, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The characters of the query that are meant; behind the last one if something is missing there.
    #[must_use]
    pub fn place(&self) -> Range<usize> {
        self.place.clone()
    }
}

impl fmt::Display for QueryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let query: String = self.query.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let marks = "^".repeat(self.place.len().max(1));
        writeln!(f, "{}", self.message)?;
        writeln!(f, "  | {query}")?;
        write!(f, "  | {}{marks}", " ".repeat(self.place.start))
    }
}

impl std::error::Error for QueryFault {}
