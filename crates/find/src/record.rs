//! Describes a position that was found, and writes it as a line in one of several forms.
//!
//! A record in PGN is the main line of the position as a game, the only moves marked with `!`.

use position::{Position, RuleBook};
use probe::{Answer, Ask, Line, RatedMove, Tablebase, pgn};
use serde::Serialize;
use std::fmt::{self, Write};
use std::str::FromStr;
use table::Value;
use variant::{Metric, Side};

/// A position that was found, with what is known of it.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The position.
    pub position: Position,
    /// The material's name.
    pub material: String,
    /// The place among the positions that were found, from 1; 0 if they are not numbered.
    pub number: u64,
    /// The value by each metric of the query, its own first.
    pub distances: Vec<Distance>,
    tables: Option<&'a Tablebase>,
    best: Vec<RatedMove>,
    fen: String,
}

/// What a position is worth by one metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Distance {
    /// The metric.
    pub metric: Metric,
    /// The value.
    pub value: Value,
    /// Whether the n-move rule draws it.
    pub is_cursed: bool,
}

/// A position as JSON.
#[derive(Serialize)]
struct Json<'r> {
    fen: &'r str,
    material: &'r str,
    to_move: &'static str,
    result: &'static str,
    #[serde(flatten)]
    plies: serde_json::Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Vec<String>>,
}

impl<'a> Record<'a> {
    pub(crate) fn new(book: &RuleBook, position: Position, material: &str, distances: Vec<Distance>) -> Self {
        let fen = position.to_fen(book);
        Record {
            position,
            material: material.to_owned(),
            number: 0,
            distances,
            tables: None,
            best: Vec::new(),
            fen,
        }
    }

    /// This record with its best moves as these tables have them, which hold the query's own metric; where
    /// one is missing there are none.
    #[must_use]
    pub fn with_moves<'t>(self, tables: &'t Tablebase) -> Record<'t> {
        let best = tables.best_moves(&self.position).unwrap_or_default();
        let Record { position, material, number, distances, fen, .. } = self;
        Record { position, material, number, distances, tables: Some(tables), best, fen }
    }

    /// This record with its number.
    #[must_use]
    pub fn numbered(self, number: u64) -> Self {
        Record { number, ..self }
    }

    /// The result for the side to move: `win`, `cursed win`, `draw`, `blessed loss`, `loss`.
    #[must_use]
    pub fn result(&self) -> &'static str {
        let Distance { value, is_cursed, .. } = self.distances[0];
        match (value.wdl(), is_cursed) {
            (Some(1), false) => "win",
            (Some(1), true) => "cursed win",
            (Some(-1), false) => "loss",
            (Some(-1), true) => "blessed loss",
            (Some(_), _) => "draw",
            (None, _) => "illegal",
        }
    }

    /// The first line of a form, if it has one.
    #[must_use]
    pub fn head(form: Form, metrics: &[Metric]) -> Option<String> {
        let counting = metrics.iter().filter(|&&metric| metric != Metric::Wdl);
        let names: Vec<&str> = counting.map(|metric| metric.name()).collect();
        (form == Form::Csv).then(|| {
            let columns = ["fen", "material", "to_move", "result"].into_iter().chain(names).chain(["best"]);
            columns.collect::<Vec<_>>().join(",") + "\n"
        })
    }

    /// The position in a form, with the end of the line; of PGN a whole game.
    #[must_use]
    pub fn line(&self, form: Form) -> String {
        let fen = &self.fen;
        let to_move = if self.position.stm() == Side::White { "white" } else { "black" };
        match (form, self.tables) {
            (Form::Pgn, Some(tables)) => {
                // Where no distances are stored each stretch of a line is searched for.
                let is_wdl = tables.scale().metric() == Metric::Wdl;
                let ask = Ask { line: if is_wdl { Line::ToStop } else { Line::ToEnd }, ..Ask::MOVES };
                let unknown = || Answer::unknown(self.position.clone(), *tables.scale(), Vec::new());
                let answer = tables.answer(&self.position, &ask).unwrap_or_else(|_| unknown());
                pgn(tables.book(), &answer, &format!("{} {}", self.material, self.number), None)
            }
            (Form::Fen | Form::Pgn, _) => format!("{fen}\n"),
            (Form::Epd, _) => self.epd(),
            (Form::JsonLines, _) => {
                let json = Json {
                    fen,
                    material: &self.material,
                    to_move,
                    result: self.result(),
                    plies: self.plies().map(|(metric, ply)| (metric.name().into(), ply.into())).collect(),
                    best: self.tables.map(|_| self.uci()),
                };
                // Strings and numbers: nothing that JSON does not have.
                serde_json::to_string(&json).unwrap_or_default() + "\n"
            }
            (Form::Csv, _) => {
                let plies = self.plies().map(|(_, ply)| ply.map_or_else(String::new, |ply| ply.to_string()));
                let cells = [fen.clone(), self.material.clone(), to_move.into(), self.result().into()];
                let cells = cells.into_iter().chain(plies).chain([self.uci().join(" ")]);
                cells.collect::<Vec<_>>().join(",") + "\n"
            }
        }
    }

    /// The position as FEN.
    #[must_use]
    pub fn fen(&self) -> &str {
        &self.fen
    }

    /// The best moves in coordinates; none if no tables have answered.
    #[must_use]
    pub fn uci(&self) -> Vec<String> {
        self.best.iter().map(|rated| rated.uci.clone()).collect()
    }

    fn plies(&self) -> impl Iterator<Item = (Metric, Option<u16>)> + '_ {
        let counting = self.distances.iter().filter(|distance| distance.metric != Metric::Wdl);
        counting.map(|distance| (distance.metric, distance.value.ply().map(|ply| ply.0)))
    }

    fn epd(&self) -> String {
        let mut line = position::without_clocks(&self.fen).to_owned();
        if let Some(tables) = self.tables.filter(|_| !self.best.is_empty()) {
            let san: Vec<String> =
                self.best.iter().map(|rated| self.position.san(tables.book(), rated.mv)).collect();
            let _ = write!(line, " bm {};", san.join(" "));
        }
        let mate = self.distances.iter().find(|distance| distance.metric == Metric::Dtm);
        match mate.map(|distance| distance.value) {
            Some(Value::Win(ply)) => drop(write!(line, " dm {};", ply.0.div_ceil(2))),
            // The convention of engines: a negative number is a mate against the side to move.
            Some(Value::Loss(ply)) => drop(write!(line, " dm -{};", ply.0 / 2)),
            _ => {}
        }
        let number = if self.number > 0 { format!(" {}", self.number) } else { String::new() };
        let _ = write!(line, " id \"{}{number}\";", self.material);
        let plies = self.plies().filter_map(|(metric, ply)| Some(format!("{metric} {}", ply?)));
        let what: Vec<String> = std::iter::once(self.result().to_owned()).chain(plies).collect();
        let _ = writeln!(line, " c0 \"{}\";", what.join(", "));
        line
    }
}

/// A form in which positions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// EPD with the operations `bm`, `dm`, `id` and `c0`.
    Epd,
    /// FEN.
    Fen,
    /// A JSON object a line.
    JsonLines,
    /// Values with commas between them, the first line naming them.
    Csv,
    /// A game a position: the main line, the only moves marked with `!`.
    Pgn,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 5] = [Form::Epd, Form::Fen, Form::JsonLines, Form::Csv, Form::Pgn];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Form::Epd => "epd",
            Form::Fen => "fen",
            Form::JsonLines => "jsonl",
            Form::Csv => "csv",
            Form::Pgn => "pgn",
        }
    }

    /// Whether the moves of each position are written, so that tables must answer for them.
    #[must_use]
    pub const fn has_moves(self) -> bool {
        !matches!(self, Form::Fen)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let form = Form::ALL.into_iter().find(|form| form.name() == name);
        form.ok_or_else(|| format!("there is no form `{name}`; there are epd, fen, jsonl, csv, pgn"))
    }
}

/// A position that was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Hit {
    /// Who is to move.
    pub stm: Side,
    /// The canonical number of the placement; of a symmetric table with Black to move that of the placement
    /// with the colours exchanged.
    pub index: usize,
}

/// How many positions were searched and found.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Places of the table that were looked at, illegal ones too, for each side to move.
    pub n_searched: u64,
    /// Placements that were passed over because no table has what is asked of them.
    pub n_unknown: u64,
    /// Positions found, modulo the symmetries of the board and the exchange of like men.
    pub n_found: u64,
    /// Positions found, like men being distinguishable: what the statistics count modulo symmetry.
    pub n_orbits: u64,
    /// Positions on the whole board, like men being distinguishable.
    pub n_unreduced: u64,
}

impl Tally {
    /// Adds what was found elsewhere.
    pub fn add(&mut self, other: Tally) {
        self.n_searched += other.n_searched;
        self.n_unknown += other.n_unknown;
        self.n_found += other.n_found;
        self.n_orbits += other.n_orbits;
        self.n_unreduced += other.n_unreduced;
    }
}
