//! Reads numbers and their comparisons.

use super::{MAX_DEPTH, Parsed, Parser};
use crate::condition::{Condition, Number, Relation};
use crate::token::TokenKind;
use crate::word::{MoveNumber, Term};
use variant::Metric;

impl Parser<'_> {
    pub(super) fn relation(&self) -> Option<Relation> {
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

    pub(super) fn comparison(&mut self) -> Parsed<Condition> {
        let left = self.number()?;
        let Some(relation) = self.relation() else {
            return Err(self.unexpected("a comparison (`=`, `!=`, `<`, `<=`, `>`, `>=`)"));
        };
        self.advance();
        let right = self.number()?;
        Ok(Condition::Compare { left, relation, right })
    }

    pub(super) fn number(&mut self) -> Parsed<Number> {
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

    pub(super) fn product(&mut self) -> Parsed<Number> {
        let mut parts = vec![self.factor()?];
        while self.take_sign("*") {
            parts.push(self.factor()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Number::Product(parts) })
    }

    pub(super) fn factor(&mut self) -> Parsed<Number> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault(format!("more than {MAX_DEPTH} parentheses within each other")));
        }
        let number = self.factor_within()?;
        self.depth -= 1;
        Ok(number)
    }

    pub(super) fn factor_within(&mut self) -> Parsed<Number> {
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
            (_, Some(Term::OnlyMoveLine)) => {
                self.needs.uses_moves = true;
                self.needs.uses_line = true;
                self.distances()?;
                Number::OnlyMoveLine
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
                Some(metric) => Number::Plies { metric: self.needs.metric_number(metric) },
                None => return Err(self.unexpected("a condition or a number")),
            },
            _ => return Err(self.unexpected("a condition or a number")),
        };
        self.advance();
        Ok(number)
    }
}
