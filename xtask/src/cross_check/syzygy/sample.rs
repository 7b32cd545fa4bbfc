//! The positions of a cross-check, with what our tables say of them.
//!
//! The values come from `probe`, which knows nothing of Syzygy files.

use super::Ask;
use format::syzygy::Score;
use geometry::Square;
use position::{Position, RuleBook};
use probe::Tablebase;
use std::path::Path;
use variant::{Man, Material, Metric, Side, Variant};

/// Every so-many-th random position of men who allow it has a right to capture en passant.
const EN_PASSANT_SHARE: u64 = 4;

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

/// All positions of three men and random ones of four; or random ones of the tables that are named. If fewer random ones
/// are asked for than usual, so many fewer of three men are taken.
pub(super) fn sample(rules: &Path, tables: &Path, ask: &Ask) -> Result<Vec<Expected>, String> {
    let variant = Variant::load(rules).map_err(|error| error.to_string())?;
    let tablebase = Tablebase::open_with(tables, &variant, Metric::Dtz50, CACHE_BYTES);
    let sampler =
        Sampler { book: RuleBook::new(&variant), tablebase: tablebase.map_err(|error| error.to_string())? };
    let (mut sampled, mut random) = (Vec::new(), Random(0x5EED));
    let mut materials = Material::all(&variant, 4);
    if ask.tables.is_empty() {
        for material in Material::all(&variant, 3) {
            let men: Vec<Man> = material.men().collect();
            let step = (super::N_POSITIONS / ask.n_positions.max(1)).max(1);
            sampler.all(&men, &mut Vec::new(), &mut (step, 0), &mut sampled)?;
        }
    } else {
        let named = |name: &String| Material::parse(&variant, name).map_err(|error| error.to_string());
        materials = ask.tables.iter().map(named).collect::<Result<_, _>>()?;
    }
    let end = sampled.len() + ask.n_positions;
    while sampled.len() < end {
        let material = &materials[random.below(materials.len() as u64) as usize];
        sampled.extend(sampler.random(material, &mut random)?);
    }
    Ok(sampled)
}

struct Sampler {
    book: RuleBook,
    tablebase: Tablebase,
}

impl Sampler {
    /// Every so-many-th legal position of some men, of whom the first stand on `squares`; `step` and what has been counted.
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
    fn random(&self, material: &Material, random: &mut Random) -> Result<Option<Expected>, String> {
        let swaps = random.below(2) == 1;
        let men = material.men().map(|man| Man { side: if swaps { !man.side } else { man.side }, ..man });
        let men: Vec<(Man, Square)> = men
            .map(|man| {
                let zone: Vec<Square> = self.book.variant().zone(man).iter().collect();
                (man, zone[random.below(zone.len() as u64) as usize])
            })
            .collect();
        let stm = Side::BOTH[random.below(2) as usize];
        let Some(mut position) = Position::from_men(men, stm) else { return Ok(None) };
        let rights = position.en_passant_rights(&self.book);
        if random.below(EN_PASSANT_SHARE) == 0
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

/// Numbers that look random and are always the same (splitmix64, Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ bits >> 31) % n.max(1)
    }
}
