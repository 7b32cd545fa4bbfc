//! Reads a query: its words become a [`Condition`], and what must be known to judge it is noted.
//!
//! ```text
//!   any       = all { "or" all }
//!   all       = one { ("and" | "but") one }
//!   one       = "not" one | ("wtm" | "btm") [ one ] | turn "(" any ")" | "(" any ")" | test
//!   test      = [ subject ] result [ "in" metric ] | "mutual-zugzwang" [ kind ] | man "on" squares
//!             | moves [ relation piece | "on" squares ] | number relation number | …
//!   number    = term { ("+" | "-") term }          term = factor { "*" factor }
//! ```
//!
//! Sets of squares are `d4..e5`, `rank 7`, `{a1, light}`.

use crate::condition::{Condition, MoveTest, Needs, Number, Relation};
use crate::token::{QueryFault, Token, TokenKind, tokens};
use crate::word::{
    Choice, LineNumber, MoveNumber, Results, Subject, Term, Trait, Turn, Zone, ZugzwangKinds, nearest, term,
};
use geometry::{Square, SquareSet};
use std::ops::Range;
use variant::{Man, Metric, PieceId, Side, Variant};

/// Conditions may stand within each other so deep; a reader of queries is a recursion.
const MAX_DEPTH: usize = 64;

/// Reads a query: its condition, and what has to be read to judge it.
pub(crate) fn read(variant: &Variant, metric: Metric, text: &str) -> Result<(Condition, Needs), QueryFault> {
    let tokens = tokens(text)?;
    let mut parser = Parser { variant, text, tokens, at: 0, depth: 0, needs: Needs::new(metric) };
    let condition = parser.any()?;
    if parser.kind() != &TokenKind::End {
        return Err(parser.unexpected("`and`, `or`, or the end"));
    }
    let needs = parser.needs;
    let place = 0..text.chars().count();
    let fault = |message| Err(QueryFault { query: text.to_owned(), place, message });
    if needs.clock.is_some_and(|clock| clock > 0) && needs.uses_moves && metric == Metric::Dtm50 {
        return fault("moves are looked at with the clock at 0: leave out `at`".to_owned());
    }
    match needs.metrics[..] {
        [_] => Ok((condition, needs)),
        // Tables of `help` are of one colour's mates, and those of other metrics are not.
        _ if needs.metrics.contains(&Metric::Help) && metric != Metric::Help => {
            read(&variant.for_metric(Metric::Help), Metric::Help, text)
        }
        [Metric::Help, other, ..] => fault(format!("help stands alone: ask about {other} in another query")),
        _ => Ok((condition, needs)),
    }
}

struct Parser<'a> {
    variant: &'a Variant,
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    needs: Needs,
}

type Parsed<T> = Result<T, QueryFault>;

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> &TokenKind {
        &self.token().kind
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    fn fault_at(&self, place: Range<usize>, message: impl Into<String>) -> QueryFault {
        QueryFault { query: self.text.into(), place, message: message.into() }
    }

    fn fault(&self, message: impl Into<String>) -> QueryFault {
        self.fault_at(self.token().place.clone(), message)
    }

    /// The fault that something else than what stands here is expected.
    fn unexpected(&self, expected: &str) -> QueryFault {
        let found = match self.kind() {
            TokenKind::End => return self.fault(format!("the query ends where {expected} should follow")),
            TokenKind::Word(word) if term(word).is_none() && self.metric(word).is_none() => {
                return self.unknown(word);
            }
            TokenKind::Word(word) => word.clone(),
            TokenKind::Number(number) => number.to_string(),
            TokenKind::Quoted(text) => format!("'{text}'"),
            TokenKind::Sign(sign) => (*sign).into(),
        };
        self.fault(format!("`{found}` stands where {expected} should"))
    }

    /// The fault that a word has no meaning.
    fn unknown(&self, word: &str) -> QueryFault {
        let help = match (nearest(word), self.variant.board.square_named(word)) {
            (_, Some(_)) => format!("; a square stands behind `on`, as in `K on {word}`"),
            (Some(near), None) => format!("; did you mean `{near}`?"),
            (None, None) if word.chars().count() == 1 => format!("; the pieces are {}", self.letters()),
            (None, None) => "; find --words lists them all".into(),
        };
        self.fault(format!("there is no word `{word}`{help}"))
    }

    fn letters(&self) -> String {
        let letters = self.variant.pieces.iter().map(|piece| piece.letter.to_string());
        format!("{}, in lower case Black's", letters.collect::<Vec<_>>().join(" "))
    }

    fn term(&self) -> Option<Term> {
        match self.kind() {
            TokenKind::Word(word) => term(word),
            TokenKind::Sign("&&") => Some(Term::And),
            TokenKind::Sign("||") => Some(Term::Or),
            _ => None,
        }
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.kind(), TokenKind::Sign(found) if *found == sign)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is_there = self.is_sign(sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect_sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn metric(&self, word: &str) -> Option<Metric> {
        word.parse().ok()
    }

    fn any(&mut self) -> Parsed<Condition> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault(format!("more than {MAX_DEPTH} parentheses within each other")));
        }
        let mut parts = vec![self.all()?];
        while self.term() == Some(Term::Or) {
            self.advance();
            parts.push(self.all()?);
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::Or(parts) })
    }

    fn all(&mut self) -> Parsed<Condition> {
        let mut parts = vec![self.one()?];
        while self.term() == Some(Term::And) {
            self.advance();
            parts.push(self.one()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::And(parts) })
    }

    fn one(&mut self) -> Parsed<Condition> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault(format!("more than {MAX_DEPTH} conditions within each other")));
        }
        let condition = match self.term() {
            Some(Term::Not) => {
                self.advance();
                Condition::Not(Box::new(self.one()?))
            }
            Some(term @ (Term::WhiteToMove | Term::BlackToMove)) => {
                self.advance();
                let side = if term == Term::WhiteToMove { Side::White } else { Side::Black };
                let to_move = Condition::ToMove(side);
                if self.ends_here() { to_move } else { Condition::And(vec![to_move, self.one()?]) }
            }
            Some(Term::Turn(turn)) => self.turned(turn)?,
            _ if self.is_sign("(") => self.in_parentheses()?,
            _ => self.test()?,
        };
        self.depth -= 1;
        Ok(condition)
    }

    /// Whether a condition ends before this word.
    fn ends_here(&self) -> bool {
        self.kind() == &TokenKind::End
            || self.is_sign(")")
            || matches!(self.term(), Some(Term::And | Term::Or))
    }

    fn turned(&mut self, turn: Turn) -> Parsed<Condition> {
        self.needs.reads_other_side = true;
        self.advance();
        self.expect_sign("(")?;
        let inner = self.any()?;
        self.expect_sign(")")?;
        Ok(Condition::Turned(turn, Box::new(inner)))
    }

    /// A parenthesis around a condition, or around a number that is compared.
    fn in_parentheses(&mut self) -> Parsed<Condition> {
        let (start, needs) = ((self.at, self.depth), self.needs.clone());
        self.advance();
        let inside = self.any().and_then(|inner| {
            self.expect_sign(")")?;
            Ok(inner)
        });
        let reached = self.at;
        let is_number = matches!(self.kind(), TokenKind::Sign("+" | "-" | "*")) || self.relation().is_some();
        if inside.is_ok() && !is_number {
            return inside;
        }
        ((self.at, self.depth), self.needs) = (start, needs);
        match (self.comparison(), inside) {
            (Ok(comparison), _) => Ok(comparison),
            // The reading that came further is the one that was meant.
            (Err(_), Err(fault)) if reached >= self.at => Err(fault),
            (Err(fault), _) => Err(fault),
        }
    }

    fn test(&mut self) -> Parsed<Condition> {
        if self.man().is_some() || self.term() == Some(Term::All) {
            return self.men_on();
        }
        let Some(term) = self.term() else { return self.comparison() };
        match term {
            Term::Subject(subject) => {
                self.advance();
                match self.term() {
                    Some(Term::Result(results)) => self.result(subject, results),
                    _ => Err(self.unexpected("`wins`, `draws` or `loses`")),
                }
            }
            Term::Result(results) => self.result(Subject::Mover, results),
            Term::Stalemate => Ok(self.word(Condition::Stalemate)),
            Term::Legal => Ok(self.word(Condition::Legal)),
            Term::Check => Ok(self.word(Condition::Check)),
            Term::Zugzwang => {
                self.needs.reads_other_side = true;
                Ok(self.word(Condition::Zugzwang))
            }
            Term::Mate => {
                let metric = self.distances()?;
                Ok(self.word(Condition::Mate { metric }))
            }
            Term::Underpromotion => {
                self.needs.uses_moves = true;
                Ok(self.word(Condition::Underpromotion))
            }
            Term::MutualZugzwang => {
                self.needs.reads_other_side = true;
                self.advance();
                let Some(Term::Kind(kinds)) = self.term() else {
                    return Ok(Condition::MutualZugzwang(ZugzwangKinds::ALL));
                };
                self.advance();
                Ok(Condition::MutualZugzwang(kinds))
            }
            Term::Unique => {
                (self.needs.uses_moves, self.needs.uses_line) = (true, true);
                self.needs.metric_number(Metric::Help);
                let one = |left, relation| Condition::Compare { left, relation, right: Number::Constant(1) };
                // Most positions have several first moves, which costs less to find out.
                let first = one(Number::Moves(MoveNumber::Best), Relation::AtMost);
                let all = one(Number::Line(LineNumber::Solutions { most: 2 }), Relation::Equal);
                Ok(self.word(Condition::And(vec![first, all])))
            }
            Term::MoveTest(choice, of) => self.move_test(choice, of),
            _ => self.comparison(),
        }
    }

    fn word(&mut self, condition: Condition) -> Condition {
        self.advance();
        condition
    }

    /// A result, here, and perhaps the metric that it is by.
    fn result(&mut self, subject: Subject, results: Results) -> Parsed<Condition> {
        let place = self.token().place.clone();
        self.advance();
        let mut metric = 0;
        if self.term() == Some(Term::In) {
            self.advance();
            let named = match self.kind() {
                TokenKind::Word(word) => self.metric(word),
                _ => None,
            };
            let metric_or = "a metric (wdl, dtc, dtz, dtz50, dtm, dtm50, help; or write `plies <= 9`)";
            let named = named.ok_or_else(|| self.unexpected(metric_or))?;
            metric = self.needs.metric_number(named);
            self.pass_metric(named)?;
        }
        let is_ruled = results == Results::CURSED || results == Results::BLESSED;
        if is_ruled && self.needs.metrics[metric] != Metric::Dtz50 {
            let metric = self.needs.metrics[metric];
            let message = format!("{metric} does not look at the n-move rule; write `… in dtz50`");
            return Err(self.fault_at(place, message));
        }
        Ok(Condition::Result { subject, results, metric })
    }

    /// Passes over a metric, and the clock that stands behind `dtm50`, if one does: the same in the query.
    fn pass_metric(&mut self, metric: Metric) -> Parsed<()> {
        self.advance();
        if metric != Metric::Dtm50 || self.term() != Some(Term::At) {
            return Ok(());
        }
        self.advance();
        let last = i64::from(self.variant.rules.rule_plies().unwrap_or(0));
        let TokenKind::Number(n @ 0..) = *self.kind() else {
            return Err(self.unexpected("a clock in plies"));
        };
        if n > last || self.needs.clock.is_some_and(|own| i64::from(own) != n) {
            return Err(self.fault(format!("a query has one clock, of 0 to {last} plies")));
        }
        self.needs.clock = Some(n as u32);
        self.advance();
        Ok(())
    }

    /// The query's own metric, if it counts.
    fn distances(&self) -> Parsed<usize> {
        match self.needs.metrics[0] {
            Metric::Wdl => Err(self.fault(
                "tables of wdl have no distances; name another metric with --metric, or in the query (`dtm`)",
            )),
            _ => Ok(0),
        }
    }

    /// The man whose letter stands here.
    fn man(&self) -> Option<Man> {
        let TokenKind::Word(word) = self.kind() else { return None };
        let mut chars = word.chars();
        let (letter, None) = (chars.next()?, chars.next()) else { return None };
        let piece = self.variant.piece_lettered(letter.to_ascii_uppercase())?;
        let side = if letter.is_ascii_uppercase() { Side::White } else { Side::Black };
        Some(Man { side, piece })
    }

    fn expect_man(&mut self) -> Parsed<Man> {
        let man = self.man().ok_or_else(|| match self.kind() {
            TokenKind::Word(word) if word.chars().count() == 1 => self.unknown(word),
            _ => self.unexpected(&format!("the letter of a man ({})", self.letters())),
        })?;
        self.advance();
        Ok(man)
    }

    fn men_on(&mut self) -> Parsed<Condition> {
        let all = self.term() == Some(Term::All);
        self.at += usize::from(all);
        let man = self.expect_man()?;
        let squares = self.on()?;
        Ok(Condition::On { man, all, squares })
    }

    fn move_test(&mut self, choice: Choice, of: Trait) -> Parsed<Condition> {
        self.needs.uses_moves = true;
        self.needs.uses_checks |= of == Trait::Checks;
        let TokenKind::Word(word) = self.kind().clone() else { return Err(self.unexpected("a word")) };
        self.advance();
        let is_place = matches!(of, Trait::From | Trait::To);
        if self.term() == Some(Term::On) && is_place {
            let squares = self.on()?;
            return Ok(Condition::Moves(choice, MoveTest::On { of, squares }));
        }
        let Some(relation) = self.relation() else {
            return match of {
                Trait::Promotes | Trait::Captures | Trait::Checks => {
                    Ok(Condition::Moves(choice, MoveTest::Has(of)))
                }
                Trait::Man => Err(self.unexpected(&format!("`{word} == 'K'`"))),
                Trait::From | Trait::To => Err(self.unexpected(&format!("`{word} on` with squares"))),
            };
        };
        let is_equal = match relation {
            Relation::Equal => true,
            Relation::Unequal => false,
            _ => return Err(self.fault(format!("`{word}` is no number; compare it with `==` or `!=`"))),
        };
        self.advance();
        if is_place {
            let squares = [self.square()?].into_iter().collect();
            let test = Condition::Moves(choice, MoveTest::On { of, squares });
            return Ok(if is_equal { test } else { Condition::Not(Box::new(test)) });
        }
        if of == Trait::Checks {
            return Err(self.fault(format!("`{word}` is compared with nothing")));
        }
        let piece = self.piece()?;
        Ok(Condition::Moves(choice, MoveTest::Is { of, piece, is_equal }))
    }

    /// A piece's letter, quoted or not, or none.
    fn piece(&mut self) -> Parsed<Option<PieceId>> {
        let text = match self.kind() {
            TokenKind::Quoted(text) => text.clone(),
            TokenKind::Word(word) if term(word) == Some(Term::None) => {
                self.advance();
                return Ok(None);
            }
            TokenKind::Word(word) => word.clone(),
            _ => return Err(self.unexpected("a piece such as 'N', or `none`,")),
        };
        let mut chars = text.chars();
        let piece = match (chars.next(), chars.next()) {
            (Some(letter), None) => self.variant.piece_lettered(letter.to_ascii_uppercase()),
            _ => None,
        };
        let letters = self.letters();
        let piece =
            piece.ok_or_else(|| self.fault(format!("no piece is `{text}`; the pieces are {letters}")))?;
        self.advance();
        Ok(Some(piece))
    }
}

impl Parser<'_> {
    fn relation(&self) -> Option<Relation> {
        let TokenKind::Sign(sign) = self.kind() else { return None };
        Some(match *sign {
            "=" | "==" => Relation::Equal,
            "!=" => Relation::Unequal,
            "<" => Relation::Less,
            "<=" => Relation::AtMost,
            ">" => Relation::Greater,
            ">=" => Relation::AtLeast,
            _ => return None,
        })
    }

    fn comparison(&mut self) -> Parsed<Condition> {
        let left = self.number()?;
        let Some(relation) = self.relation() else {
            return Err(self.unexpected("a comparison (`=`, `!=`, `<`, `<=`, `>`, `>=`)"));
        };
        self.advance();
        let right = self.number()?;
        Ok(Condition::Compare { left, relation, right })
    }

    fn number(&mut self) -> Parsed<Number> {
        let mut parts = vec![self.product()?];
        loop {
            if self.take_sign("+") {
                parts.push(self.product()?);
            } else if self.take_sign("-") {
                parts.push(Number::Negative(Box::new(self.product()?)));
            } else {
                return Ok(if parts.len() == 1 { parts.remove(0) } else { Number::Sum(parts) });
            }
        }
    }

    fn product(&mut self) -> Parsed<Number> {
        let mut parts = vec![self.factor()?];
        while self.take_sign("*") {
            parts.push(self.factor()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Number::Product(parts) })
    }

    fn factor(&mut self) -> Parsed<Number> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault(format!("more than {MAX_DEPTH} parentheses within each other")));
        }
        let number = self.factor_within()?;
        self.depth -= 1;
        Ok(number)
    }

    fn factor_within(&mut self) -> Parsed<Number> {
        if self.take_sign("(") {
            let inner = self.number()?;
            self.expect_sign(")")?;
            return Ok(inner);
        }
        if self.take_sign("-") {
            return Ok(Number::Negative(Box::new(self.factor()?)));
        }
        let number = match (self.kind(), self.term()) {
            (&TokenKind::Number(number), _) => Number::Constant(number),
            (_, Some(Term::Plies)) => Number::Plies { metric: self.distances()? },
            (_, Some(Term::MoveNumber(which))) => {
                self.needs.uses_moves = true;
                self.needs.uses_checks |= which == MoveNumber::Checks;
                Number::Moves(which)
            }
            (_, Some(Term::LineNumber(which))) => {
                self.needs.uses_moves = true;
                self.needs.uses_line = true;
                match which {
                    LineNumber::OnlyMoves if self.needs.metrics[0] == Metric::Help => {
                        return Err(self.fault("helpmates have no only moves; ask `solutions`"));
                    }
                    LineNumber::OnlyMoves => drop(self.distances()?),
                    LineNumber::Solutions { .. } => drop(self.needs.metric_number(Metric::Help)),
                }
                Number::Line(which)
            }
            (_, Some(Term::Distance)) => {
                self.advance();
                self.expect_sign("(")?;
                let first = self.expect_man()?;
                self.expect_sign(",")?;
                let second = self.expect_man()?;
                self.expect_sign(")")?;
                return Ok(Number::Distance(first, second));
            }
            (_, Some(term @ (Term::FileOf | Term::RankOf))) => {
                self.advance();
                self.expect_sign("(")?;
                let man = self.expect_man()?;
                self.expect_sign(")")?;
                return Ok(if term == Term::FileOf { Number::FileOf(man) } else { Number::RankOf(man) });
            }
            (TokenKind::Word(word), _) => match self.metric(word) {
                Some(Metric::Wdl) => return Err(self.fault("wdl counts nothing; write `win in wdl`")),
                Some(metric) => {
                    let number = Number::Plies { metric: self.needs.metric_number(metric) };
                    self.pass_metric(metric)?;
                    return Ok(number);
                }
                None => return Err(self.unexpected("a condition or a number")),
            },
            _ => return Err(self.unexpected("a condition or a number")),
        };
        self.advance();
        Ok(number)
    }
}

impl Parser<'_> {
    fn on(&mut self) -> Parsed<SquareSet> {
        match self.term() {
            Some(Term::On) => self.advance(),
            _ => return Err(self.unexpected("`on` with a set of squares, as in `K on d4..e5`,")),
        }
        self.squares()
    }

    fn squares(&mut self) -> Parsed<SquareSet> {
        if !self.take_sign("{") {
            return self.square_set();
        }
        let mut squares = self.square_set()?;
        while self.take_sign(",") {
            squares = squares.union(self.square_set()?);
        }
        self.expect_sign("}")?;
        Ok(squares)
    }

    fn square_set(&mut self) -> Parsed<SquareSet> {
        let board = self.variant.board;
        let (files, ranks) = (board.files(), board.ranks());
        let holding = |holds: &dyn Fn(usize, usize) -> bool| -> SquareSet {
            board.squares().filter(|&s| holds(board.file_of(s), board.rank_of(s))).collect()
        };
        match self.term() {
            Some(Term::Rank) => {
                self.advance();
                let first = self.rank(ranks)?;
                let last = if self.take_sign("..") { self.rank(ranks)? } else { first };
                let range = first.min(last)..=first.max(last);
                Ok(holding(&|_, rank| range.contains(&rank)))
            }
            Some(Term::File) => {
                self.advance();
                let first = self.file(files)?;
                let last = if self.take_sign("..") { self.file(files)? } else { first };
                let range = first.min(last)..=first.max(last);
                Ok(holding(&|file, _| range.contains(&file)))
            }
            Some(Term::Zone(zone)) => {
                self.advance();
                let is_end = |file: usize, rank: usize| {
                    [file == 0 || file + 1 == files, rank == 0 || rank + 1 == ranks]
                };
                Ok(holding(&|file, rank| match zone {
                    Zone::Dark => (file + rank) % 2 == 0,
                    Zone::Light => (file + rank) % 2 == 1,
                    Zone::Edge => is_end(file, rank).contains(&true),
                    Zone::Corner => is_end(file, rank) == [true; 2],
                }))
            }
            _ => {
                let first = self.square()?;
                if !self.take_sign("..") {
                    return Ok([first].into_iter().collect());
                }
                let last = self.square()?;
                let range = |a: usize, b: usize| a.min(b)..=a.max(b);
                let own_files = range(board.file_of(first), board.file_of(last));
                let own_ranks = range(board.rank_of(first), board.rank_of(last));
                Ok(holding(&|file, rank| own_files.contains(&file) && own_ranks.contains(&rank)))
            }
        }
    }

    fn square(&mut self) -> Parsed<Square> {
        let TokenKind::Word(word) = self.kind() else {
            return Err(self.unexpected(
                "a square, a rectangle (`d4..e5`), `rank 7`, `file a..c`, `light`, `dark`, `edge`, `corner` or {…}",
            ));
        };
        let board = &self.variant.board;
        let square = board.square_named(word).ok_or_else(|| {
            let last = (b'a' + board.files() as u8 - 1) as char;
            let help = format!("squares are a1 to {last}{}", board.ranks());
            self.fault(format!("the board has no square `{word}`; {help}"))
        })?;
        self.advance();
        Ok(square)
    }

    /// A rank as people number it; from 0.
    fn rank(&mut self, n_ranks: usize) -> Parsed<usize> {
        let &TokenKind::Number(number) = self.kind() else {
            return Err(self.unexpected("the number of a rank"));
        };
        let rank = usize::try_from(number).ok().filter(|rank| (1..=n_ranks).contains(rank));
        let rank = rank.ok_or_else(|| self.fault(format!("ranks are 1 to {n_ranks}, not {number}")))?;
        self.advance();
        Ok(rank - 1)
    }

    fn file(&mut self, n_files: usize) -> Parsed<usize> {
        let TokenKind::Word(word) = self.kind() else { return Err(self.unexpected("the letter of a file")) };
        let mut chars = word.chars();
        let file = match (chars.next(), chars.next()) {
            (Some(letter @ 'a'..='p'), None) => Some(letter as usize - 'a' as usize),
            _ => None,
        };
        let last = (b'a' + n_files as u8 - 1) as char;
        let file = file.filter(|&file| file < n_files);
        let file = file.ok_or_else(|| self.fault(format!("files are a to {last}, not `{word}`")))?;
        self.advance();
        Ok(file)
    }
}
