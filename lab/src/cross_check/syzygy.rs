//! Runs `cross-check syzygy`: other programs read the files that we write and must find our values in them.
//!
//! ```text
//!   solve ─► tables ─ export ─► .rtbw, .rtbz ─► python-chess, stockfish ─┐
//!               └─ probe: positions with their values ──────────────────► compared
//! ```
//!
//! The other programs are python-chess from the package index and, for chess, Stockfish if it is installed;
//! they are run by `lab/cross_check/syzygy.py` and nothing else. The values come from `.tsm` files, so that
//! no Syzygy code has a part in them. All positions of all games take hours of processor time, a third of
//! that with PyPy; `--positions 10000` takes minutes once the tables are there.

use crate::placement::random_position;
use crate::process::solve;
use anyhow::{Context, Result, bail, ensure};
use geometry::Square;
use position::{Position, RuleBook};
use probe::Tablebase;
use proof::Dice;
use std::path::{Path, PathBuf};
use syzygy::Score;
use variant::{Man, Material, Metric, Side, Variant};
use xtask::interpreter::Python;
use xtask::program::{find, is_yes, succeed, workbench};
use xtask::root;

/// The number of random positions that are compared by default.
const N_POSITIONS: usize = 1_000_000;

/// One random position in this number has a right to capture en passant, where its men allow one.
const EN_PASSANT_SHARE: usize = 4;

/// The men of the smallest tables that have files in every game.
const FEWEST_MEN: usize = 3;

/// How much memory decompressed blocks may take.
const CACHE_BYTES: usize = 1 << 30;

/// A game whose files other programs read.
struct Game {
    /// The variant file, without its ending, and the game's name here.
    name: &'static str,
    /// The men of the tables all of whose positions are compared.
    in_full: &'static [usize],
    /// Up to this number of men all tables are made, and random positions of the largest compared.
    n_men: usize,
    /// Tables that are made and compared beside those, unless others are named.
    more: &'static str,
    /// Which share of the random positions each of these has.
    share: usize,
}

/// Tables of the losing games with each way to number the leading men, some with captures en passant.
const OF_LOSING: &str = "KKvKK NNNvN KKvQR QRvBN KKPvN NPvNP";

/// All games. Some wins of the further tables of chess are cursed.
const GAMES: [Game; 4] = [
    Game { name: "fide", in_full: &[3], n_men: 4, more: "KBBvKN KQRvKQ", share: 10 },
    Game { name: "atomic", in_full: &[3], n_men: 4, more: "", share: 1 },
    Game { name: "antichess", in_full: &[2, 3], n_men: 3, more: OF_LOSING, share: 5 },
    Game { name: "suicide", in_full: &[2, 3], n_men: 3, more: OF_LOSING, share: 5 },
];

/// The games and positions that this check compares.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// A game; may be repeated; all if none is named
    #[arg(long = "game", value_name = "NAME", value_parser = GAMES.map(|game| game.name))]
    games: Vec<String>,
    /// A table; may be repeated; those of the game if none is named
    #[arg(long = "table", value_name = "MATERIAL")]
    tables: Vec<String>,
    /// Random positions of all tables of up to N men, instead of those of the game
    #[arg(long = "men", value_name = "N")]
    n_men: Option<usize>,
    /// Syzygy files that are there already: nothing is solved or exported
    #[arg(long, value_name = "DIR", requires = "values")]
    files: Option<PathBuf>,
    /// The tables of the metrics `wdl` and `dtz50` that say what must stand in these files
    #[arg(long, value_name = "DIR", requires = "files")]
    values: Option<PathBuf>,
    /// The random positions
    #[arg(long = "positions", value_name = "N", default_value_t = N_POSITIONS)]
    n_positions: usize,
    /// Export rounded distances
    #[arg(long)]
    rounded: bool,
}

/// Runs the check in a folder of its own; returns whether there was no difference.
///
/// # Errors
/// Something could not be run.
pub(super) fn run(python: &Python, folder: &Path, options: &Options) -> Result<bool> {
    let is_of_one_game = !options.tables.is_empty() || options.n_men.is_some() || options.files.is_some();
    if options.games.len() != 1 && is_of_one_game {
        bail!("--table, --men and --files need the game that has them: --game fide, say");
    }
    let is_wanted =
        |game: &&Game| options.games.is_empty() || options.games.iter().any(|name| name == game.name);
    let mut is_well = true;
    for game in GAMES.iter().filter(is_wanted) {
        is_well &= run_game(python, &folder.join(game.name), options, game)?;
    }
    Ok(is_well)
}

/// Compares the files of one game.
fn run_game(python: &Python, folder: &Path, options: &Options, game: &Game) -> Result<bool> {
    let rules = root().join("variants").join(game.name).with_extension("toml");
    fs_err::create_dir_all(folder)?;
    let (files, tables) = match options.files.clone().zip(options.values.clone()) {
        Some(given) => given,
        None => make(&rules, folder, options, game)?,
    };
    let variant = Variant::load(&rules)?;
    let tablebase = Tablebase::open_with(&[tables], &variant, Metric::Dtz50, CACHE_BYTES)?;
    let sampler = Sampler { book: RuleBook::new(&variant), tablebase };
    let (mut dice, mut is_well) = (Dice::new(0x5EED), true);
    for (number, wanted) in wanted(&variant, options, game)?.iter().enumerate() {
        let lines = sampler.sample(wanted, &mut dice)?;
        let positions = folder.join(format!("positions-{number}.tsv"));
        fs_err::write(&positions, lines.concat())?;
        println!("{}, {}: {} positions", game.name, wanted.name, lines.len());
        let mut compare = python.command();
        compare.arg(root().join("lab/cross_check/syzygy.py")).args([&files, &positions]).arg(game.name);
        compare.args(options.rounded.then_some("--rounded"));
        match find(&["stockfish"]).filter(|_| game.name == "fide") {
            Some(engine) => drop(compare.arg("--engine").arg(engine)),
            None if game.name == "fide" => println!("stockfish is not installed, so it was not asked"),
            None => {}
        }
        is_well &= is_yes(&mut compare)?;
    }
    Ok(is_well)
}

/// Solves the tables that are compared and exports them; the folders of the files and of the tables.
fn make(rules: &Path, folder: &Path, options: &Options, game: &Game) -> Result<(PathBuf, PathBuf)> {
    let form = if options.rounded { "rounded" } else { "exact" };
    let (tables, files) = (folder.join("tables"), folder.join(form));
    let n_men = options.n_men.unwrap_or(game.n_men).to_string();
    let mut wanted = vec![["--men", &n_men]];
    match options.tables.is_empty() {
        true => wanted.extend(game.more.split_whitespace().map(|table| ["--table", table])),
        false => wanted.extend(options.tables.iter().map(|table| ["--table", table])),
    }
    for words in wanted {
        let words = [&words[..], &["--metric", "wdl,dtz50", "--both-sides"]].concat();
        succeed(&mut solve(&std::env::current_exe()?, rules, &words, &tables))?;
    }
    let mut export = workbench(["export", "--format", "syzygy", "--variant"])?;
    export.arg(rules).arg(&tables).arg("--out").arg(&files).args(options.rounded.then_some("--rounded"));
    succeed(&mut export)?;
    Ok((files, tables))
}

/// Positions of some tables.
struct Wanted {
    name: String,
    materials: Vec<Material>,
    /// One legal position in this number is compared; without, random ones are.
    step: Option<usize>,
    /// How many random ones.
    n: usize,
}

/// Chooses what is compared: all positions of three men (and of two where these have files), random ones of
/// four if all of these were made, and of each further table of the game; or random ones of the tables that
/// are named, or of all up to a number of men. If fewer random ones are asked for than usual, fewer of three
/// men are taken in proportion.
fn wanted(variant: &Variant, options: &Options, game: &Game) -> Result<Vec<Wanted>> {
    let random = |name: &str, materials: Vec<Material>, n: usize| {
        let name = format!("random legal positions of {name}");
        Wanted { name, materials, step: None, n }
    };
    let table = |name: &str, n: usize| Ok(random(name, vec![Material::parse(variant, name)?], n));
    if !options.tables.is_empty() {
        return options.tables.iter().map(|name| table(name, options.n_positions)).collect();
    }
    if let Some(n_men) = options.n_men {
        let materials = (FEWEST_MEN..=n_men).flat_map(|n_men| Material::all(variant, n_men)).collect();
        return Ok(vec![random(&format!("up to {n_men} men"), materials, options.n_positions)]);
    }
    // An odd step meets every square of every man.
    let step = (N_POSITIONS / options.n_positions.max(1)).max(1) | 1;
    let every = |&n_men: &usize| {
        let name = format!("one of {step} legal positions of {n_men} men");
        Wanted { name, materials: Material::all(variant, n_men), step: Some(step), n: 0 }
    };
    let mut wanted: Vec<Wanted> = game.in_full.iter().map(every).collect();
    // With rights to capture en passant, which come up in no other way.
    let all = Material::all(variant, game.n_men);
    wanted.push(random(&format!("{} men", game.n_men), all, options.n_positions));
    let further = game.more.split_whitespace().map(|name| table(name, options.n_positions / game.share));
    wanted.extend(further.collect::<Result<Vec<_>>>()?);
    Ok(wanted)
}

/// Our tables, and what they say.
struct Sampler {
    book: RuleBook,
    tablebase: Tablebase,
}

impl Sampler {
    /// A line for each position: its FEN, WDL and DTZ with tabs between them.
    fn sample(&self, wanted: &Wanted, dice: &mut Dice) -> Result<Vec<String>> {
        let mut sampled = Vec::new();
        let Some(step) = wanted.step else {
            while sampled.len() < wanted.n {
                let (material, swaps) = (dice.pick(&wanted.materials), dice.chance(50));
                let men =
                    material.men().map(|man| Man { side: if swaps { !man.side } else { man.side }, ..man });
                let Some(mut position) = random_position(&self.book, men, dice) else { continue };
                let rights = position.en_passant_rights(&self.book);
                if dice.below(EN_PASSANT_SHARE) == 0 && !rights.is_empty() {
                    position = position.with_en_passant(Some(rights[0]));
                }
                sampled.extend(self.line(&position)?);
            }
            return Ok(sampled);
        };
        let variant = self.book.variant();
        let n_squares = variant.board.n_squares();
        for material in &wanted.materials {
            let n_placements = n_squares.pow(u32::try_from(material.n_men())?);
            for number in (0..2 * n_placements).step_by(step) {
                let digit = |at: usize| number / n_squares.pow(at as u32) % n_squares;
                let men = material.men().enumerate().map(|(at, man)| (man, Square::from_index(digit(at))));
                let mut men = men.collect::<Vec<_>>().into_iter();
                let is_placed = men.clone().all(|(man, square)| variant.zone(man).contains(square));
                let position = Position::from_men(men.by_ref(), Side::BOTH[number / n_placements]);
                let position = position.filter(|position| is_placed && position.is_legal(&self.book));
                sampled.extend(position.map(|position| self.line(&position)).transpose()?.flatten());
            }
        }
        ensure!(!sampled.is_empty(), "{}: there are none", wanted.name);
        Ok(sampled)
    }

    /// What the tables say of a position.
    fn line(&self, position: &Position) -> Result<Option<String>> {
        let fen = position.to_fen(&self.book);
        let value = self.tablebase.value(position).with_context(|| fen.clone())?;
        Ok(Score::of(value).map(|score| format!("{fen}\t{}\t{}\n", score.wdl, score.dtz)))
    }
}
