//! Samples positions for a cross-check and looks their values up in our tables.
//!
//! The values come from `.tsm` files, so that no Syzygy code has a part in them.

use super::game::Game;
use super::option::{N_POSITIONS, Options};
use geometry::Square;
use position::{Position, RuleBook};
use probe::Tablebase;
use proof::Dice;
use std::fmt;
use std::path::Path;
use syzygy::Score;
use variant::{Man, Material, Metric, Side, Variant};

/// Every so-many-th random position of men who allow it has a right to capture en passant.
const EN_PASSANT_SHARE: usize = 4;

/// The men of the smallest tables that have files in every game.
const FEWEST_MEN: usize = 3;

/// How much memory decompressed blocks may take.
const CACHE_BYTES: usize = 1 << 30;

/// A position and what is expected of it.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) fen: String,
    pub(super) score: Score,
}

impl Expected {
    /// FEN, WDL and DTZ with tabs between them.
    pub(super) fn line(&self) -> String {
        format!("{}\t{}\t{}\n", self.fen, self.score.wdl, self.score.dtz)
    }
}

/// Some positions of a kind.
pub(super) enum Wanted {
    /// Every so-many-th legal position of the tables of so many men.
    Every {
        /// How many men.
        n_men: usize,
        /// 1 for all positions.
        step: usize,
    },
    /// Random legal positions of some tables.
    Random {
        /// The tables.
        materials: Vec<Material>,
        /// What they are called.
        name: String,
        /// How many positions.
        n: usize,
    },
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wanted::Every { n_men, step: 1 } => write!(f, "all legal positions of {n_men} men"),
            Wanted::Every { n_men, step } => write!(f, "one of {step} legal positions of {n_men} men"),
            Wanted::Random { name, .. } => write!(f, "random legal positions of {name}"),
        }
    }
}

/// Our tables, and what they say.
pub(super) struct Sampler {
    book: RuleBook,
    tablebase: Tablebase,
}

impl Sampler {
    pub(super) fn open(rules: &Path, tables: &Path) -> Result<Self, String> {
        let variant = Variant::load(rules).map_err(|error| error.to_string())?;
        let tablebase = Tablebase::open_with(tables, &variant, Metric::Dtz50, CACHE_BYTES);
        let tablebase = tablebase.map_err(|error| error.to_string())?;
        Ok(Sampler { book: RuleBook::new(&variant), tablebase })
    }

    /// What is compared: all positions of three men (and of two where these have files), random ones of four
    /// if all of these were made, and of each further table of the game; or random ones of the tables that
    /// are named, or of all up to a number of men. If fewer random ones are asked for than usual, so many
    /// fewer of three men are taken.
    pub(super) fn wanted(&self, options: &Options, game: &Game) -> Result<Vec<Wanted>, String> {
        let variant = self.book.variant();
        let random = |name: &str, n: usize| {
            let material = Material::parse(variant, name).map_err(|error| error.to_string())?;
            Ok(Wanted::Random { materials: vec![material], name: name.to_owned(), n })
        };
        if !options.tables.is_empty() {
            return options.tables.iter().map(|name| random(name, options.n_positions())).collect();
        }
        if let Some(n_men) = options.n_men {
            let materials = (FEWEST_MEN..=n_men).flat_map(|n_men| Material::all(variant, n_men)).collect();
            let name = format!("all tables of {FEWEST_MEN} to {n_men} men");
            return Ok(vec![Wanted::Random { materials, name, n: options.n_positions() }]);
        }
        let step = (N_POSITIONS / options.n_positions().max(1)).max(1);
        let mut wanted: Vec<Wanted> =
            game.in_full.iter().map(|&n_men| Wanted::Every { n_men, step }).collect();
        // With rights to capture en passant, which come up in no other way.
        let name = if game.n_men > 3 { "four men" } else { "three men" };
        let materials = Material::all(variant, game.n_men);
        wanted.push(Wanted::Random { materials, name: name.into(), n: options.n_positions() });
        for name in game.more {
            wanted.push(random(name, options.n_positions() / game.share)?);
        }
        Ok(wanted)
    }

    /// The positions, with what is expected of them.
    pub(super) fn sample(&self, wanted: &Wanted, dice: &mut Dice) -> Result<Vec<Expected>, String> {
        let mut sampled = Vec::new();
        match wanted {
            Wanted::Every { n_men, step } => {
                for material in Material::all(self.book.variant(), *n_men) {
                    let men: Vec<Man> = material.men().collect();
                    self.all(&men, &mut Vec::new(), &mut (*step, 0), &mut sampled)?;
                }
            }
            Wanted::Random { materials, n, .. } => {
                while sampled.len() < *n {
                    let material = dice.pick(materials);
                    sampled.extend(self.random(material, dice)?);
                }
            }
        }
        Ok(sampled)
    }

    /// Every so-many-th legal position of some men, of whom the first stand on `squares`; `step` and what has
    /// been counted.
    fn all(
        &self,
        men: &[Man],
        squares: &mut Vec<Square>,
        count: &mut (usize, usize),
        sampled: &mut Vec<Expected>,
    ) -> Result<(), String> {
        if squares.len() == men.len() {
            for stm in Side::BOTH {
                count.1 += 1;
                if !count.1.is_multiple_of(count.0) {
                    continue;
                }
                let position = Position::from_men(men.iter().copied().zip(squares.iter().copied()), stm);
                if let Some(position) = position {
                    sampled.extend(self.expected(&position)?);
                }
            }
            return Ok(());
        }
        for square in self.book.variant().zone(men[squares.len()]).iter() {
            if !squares.contains(&square) {
                squares.push(square);
                self.all(men, squares, count, sampled)?;
                squares.pop();
            }
        }
        Ok(())
    }

    /// A random position of these men, in either colours; none if it is not legal.
    fn random(&self, material: &Material, dice: &mut Dice) -> Result<Option<Expected>, String> {
        let swaps = dice.chance(50);
        let men = material.men().map(|man| Man { side: if swaps { !man.side } else { man.side }, ..man });
        let men: Vec<(Man, Square)> = men
            .map(|man| {
                let zone: Vec<Square> = self.book.variant().zone(man).iter().collect();
                (man, *dice.pick(&zone))
            })
            .collect();
        let stm = *dice.pick(&Side::BOTH);
        let Some(mut position) = Position::from_men(men, stm) else { return Ok(None) };
        let rights = position.en_passant_rights(&self.book);
        if dice.below(EN_PASSANT_SHARE) == 0
            && let Some(&right) = rights.first()
        {
            position = position.with_en_passant(Some(right));
        }
        self.expected(&position)
    }

    /// What the tables say of a position; none if it is not legal.
    fn expected(&self, position: &Position) -> Result<Option<Expected>, String> {
        if !position.is_legal(&self.book) {
            return Ok(None);
        }
        let value = self.tablebase.value(position).map_err(|error| error.to_string())?;
        Ok(Score::of(value).map(|score| Expected { fen: position.to_fen(&self.book), score }))
    }
}
