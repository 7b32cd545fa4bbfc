//! Declares the options that are about positions instead of tables, and reads what they ask: positions, or a
//! structure file, with the limits beside them.

use crate::{Console, Failure, Game, count_threads};
use ::structure::{Goal, Kept, Limit, Outline, Question, Watch, man_named};
use geometry::SquareSet;
use library::{LentTables, MemoryLimit, read_position};
use position::{Position, RuleBook};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use variant::{Man, Metric, Side, Variant, visible};

/// What is asked about positions.
#[derive(clap::Args, Clone, Default, Debug)]
#[command(group = clap::ArgGroup::new("asked").args(["position", "structure"]).multiple(false))]
pub(crate) struct StructureArgs {
    /// Solve this position in FEN and all that can come from it, instead of whole tables; may be given
    /// several times
    #[arg(long, value_name = "FEN", conflicts_with_all = ["men", "table"])]
    pub(crate) position: Vec<String>,
    /// Solve a structure file (docs/structures.md): men, the squares that each may stand on, limits
    #[arg(long, value_name = "FILE", conflicts_with_all = ["men", "table"], hide_short_help = true)]
    pub(crate) structure: Option<PathBuf>,
    /// With --position: a man that never moves, such as wRh1; may be given several times. What is found is
    /// what White has at least if he is White's, at most if he is Black's
    #[arg(long, value_name = "MAN", requires = "position", hide_short_help = true)]
    pub(crate) fixed: Vec<String>,
    /// Ask only who wins (verdict), or whether the side to move holds (draw) or wins (win), which takes
    /// less time than all values and moves
    #[arg(long = "for", value_name = "GOAL", value_enum, requires = "position", hide_short_help = true)]
    pub(crate) goal: Option<GoalName>,
    /// How many men may be promoted, of both sides together (1) or of White and of Black (1,1), instead of
    /// the number in a structure file: then what is found are bounds [default: no limit if that is not too
    /// much, else what makes the position exact]
    #[arg(long, value_name = "N", requires = "asked", value_parser = parse_promoted, hide_short_help = true)]
    pub(crate) promoted: Option<Limit>,
    /// The most values that are solved under one limit, such as 60G
    #[arg(
        long, value_name = "N", requires = "asked", default_value = "60G",
        value_parser = crate::args::parse_size, hide_short_help = true
    )]
    pub(crate) limit: u64,
}

/// What is asked of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum GoalName {
    /// Who wins, and not which moves keep that
    Verdict,
    /// Whether the side to move does not lose
    Draw,
    /// Whether the side to move wins
    Win,
}

impl StructureArgs {
    /// Whether a structure is asked for.
    pub(crate) fn is_given(&self) -> bool {
        !self.position.is_empty() || self.structure.is_some()
    }
}

/// `1` or `1,1`.
fn parse_promoted(text: &str) -> Result<Limit, String> {
    let wrong = || format!("`{text}` is no number of promoted men such as 1, or 1,1 for White and Black");
    let number = |text: &str| text.trim().parse().map_err(|_| wrong());
    match text.split_once(',') {
        None => Ok(Limit::in_all(number(text)?)),
        Some((white, black)) => Ok(Limit::each(number(white)?, number(black)?)),
    }
}

/// The options that positions have in common with tables.
pub(super) struct RunArgs<'a> {
    pub(super) using: &'a [PathBuf],
    pub(super) metric: &'a [Metric],
    pub(super) memory: Option<u64>,
    pub(super) threads: Option<u16>,
}

/// A question, and the tables that it may use.
pub(super) struct Asked {
    pub(super) question: Question,
    pub(super) lent: Option<Arc<LentTables>>,
}

impl Asked {
    /// What is asked, under the metric that is asked for; if none is, under the game's own unless limits are
    /// needed, which say more of who wins than of distances.
    pub(super) fn new(
        game: &Game,
        roots: &[Position],
        args: &StructureArgs,
        run: &RunArgs<'_>,
        watch: &dyn Watch,
    ) -> Result<Self, Failure> {
        let variant = &game.variant;
        check_whole(game, args, roots)?;
        let outline = args.structure.as_ref().map(|path| outline(path, variant)).transpose()?;
        let roots = outline.as_ref().map_or(roots, |outline| &outline.roots[..]);
        let limit = limit(variant, args, roots, outline.as_ref())?;
        let name = outline.as_ref().and_then(|outline| results_name(outline, args.structure.as_deref()));
        let using: &[PathBuf] = match &outline {
            Some(outline) if run.using.is_empty() => &outline.using,
            _ => run.using,
        };
        let goal = goal(args.goal, roots)?;
        let is_held = matches!(goal, Goal::Holds(_));
        if is_held && run.metric.iter().any(|&metric| metric != Metric::Wdl) {
            return Err(Failure::new(
                "--for draw and --for win ask who wins: leave --metric out, or write --metric wdl",
            ));
        }
        let ask = |metric| {
            let lent = lent(variant, metric, using)?;
            let question = Question {
                metric,
                roots: roots.to_vec(),
                is_whole: outline.is_some(),
                name: name.clone(),
                goal,
                limit: limit.clone(),
                using: lent.clone().map(|tables| tables as _),
                neighbours: using.to_vec(),
                most_values: args.limit,
                memory_bytes: MemoryLimit::new(run.memory).bytes,
                n_threads: count_threads(run.threads),
            };
            Ok::<_, Failure>(Asked { question, lent })
        };
        match (run.metric, outline.as_ref().and_then(|outline| outline.metric)) {
            ([metric], _) => ask(*metric),
            ([], _) if is_held => ask(Metric::Wdl),
            ([], Some(metric)) => ask(metric),
            ([], None) if outline.is_some() => ask(variant.default_metric),
            ([], None) => {
                let own = ask(variant.default_metric)?;
                let is_race = own.question.is_race(variant, watch);
                let is_own = !is_race && own.question.fits_without_limit(variant, watch);
                if is_own { Ok(own) } else { ask(Metric::Wdl) }
            }
            _ => Err(Failure::new("a position is solved under one metric at a time; name one with --metric")),
        }
    }
}

/// Refuses folders of `--using` that are not there.
pub(crate) fn check_lenders(folders: &[PathBuf]) -> Result<(), Failure> {
    match folders.iter().find(|folder| !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => {
            let folder = folder.display();
            Err(Failure::new(format!("there is no folder {folder}; --using names a folder of tables")))
        }
    }
}

/// The tables of these folders, for structures of a metric; none without folders.
pub(super) fn lent(
    variant: &Variant,
    metric: Metric,
    folders: &[PathBuf],
) -> Result<Option<Arc<LentTables>>, Failure> {
    check_lenders(folders)?;
    if folders.is_empty() {
        return Ok(None);
    }
    Ok(Some(Arc::new(LentTables::new(variant, metric, folders)?)))
}

/// The positions that are asked about; all that is wrong with them. Says so if some of them have rights that
/// cannot be, which are left out.
pub(super) fn positions(
    console: &mut Console<'_>,
    game: &Game,
    fens: &[String],
) -> Result<Vec<Position>, Failure> {
    let (book, mut any_denied) = (RuleBook::new(&game.variant), false);
    let read = |fen: &String| {
        let (position, is_denied) =
            read_position(&book, fen).map_err(|error| format!("{}: {error}", visible(fen)))?;
        any_denied |= is_denied;
        match position.is_legal(&book) {
            true => Ok(position),
            false => Err(format!(
                "{}: {} is to move and could capture {}'s royal man",
                visible(fen),
                position.stm(),
                !position.stm()
            )),
        }
    };
    let (positions, faults): (Vec<_>, Vec<_>) = fens.iter().map(read).partition(Result::is_ok);
    let faults: Vec<String> = faults.into_iter().filter_map(Result::err).collect();
    console.tell_denied(any_denied)?;
    Failure::of_faults(&faults)?;
    Ok(positions.into_iter().flatten().collect())
}

/// Which positions of `--position` these are, in words, if they are solved with whole tables and not as
/// structures: those in which a side may castle, and all of games that count checks. Both kinds at once are
/// refused.
pub(crate) fn of_whole_tables(
    game: &Game,
    args: &StructureArgs,
    roots: &[Position],
) -> Result<Option<&'static str>, Failure> {
    if game.variant.rules.check_counting.is_some() && args.structure.is_none() {
        return Ok(Some("positions of games that count checks"));
    }
    let place = |may_castle: bool| roots.iter().position(|root| root.castling().is_empty() != may_castle);
    match (place(true), place(false)) {
        (Some(with), Some(without)) => {
            let [with, without] = [with, without].map(|at| visible(&args.position[at]));
            Err(Failure::new(format!(
                "{with} has castling rights and {without} has none: the one is solved with whole tables, \
                 the other as a structure; solve them in two runs"
            )))
        }
        (with, _) => Ok(with.map(|_| "positions with castling rights")),
    }
}

/// Refuses positions that are solved with whole tables, and structures of games that have none.
fn check_whole(game: &Game, args: &StructureArgs, roots: &[Position]) -> Result<(), Failure> {
    if game.variant.rules.check_counting.is_some() && args.structure.is_some() {
        let name = &game.variant.name;
        return Err(Failure::new(format!(
            "{name} counts checks, and has no structures: solve tables with --table"
        )));
    }
    let Some(these) = of_whole_tables(game, args, roots)? else { return Ok(()) };
    let Some(root) = roots.first() else { return Ok(()) };
    let material = root.material().canonical(&game.variant);
    let (fen, name) = (root.to_fen(&RuleBook::new(&game.variant)), material.name(&game.variant));
    Err(Failure::new(format!(
        "{fen}: {these} are solved with whole tables; `plan {} --table {name}` says what these take",
        game.path.display()
    )))
}

/// A structure file; all its faults if there are any.
fn outline(path: &Path, variant: &Variant) -> Result<Outline, Failure> {
    Outline::load(path, variant).map_err(Failure::of_file)
}

/// The name of a file's results: its own, or where the pawns can stand in several ways that of the file;
/// otherwise that of the only way.
fn results_name(outline: &Outline, path: Option<&Path>) -> Option<String> {
    let of_file = || Some(path?.file_stem()?.to_str()?.to_owned());
    outline.name.clone().or_else(|| (outline.roots.len() > 1).then(of_file).flatten())
}

/// What is to be known: of a side whether it loses, if that is asked.
fn goal(name: Option<GoalName>, roots: &[Position]) -> Result<Goal, Failure> {
    let holds = |is_stm: bool| {
        let stm = roots.first().map_or(Side::White, Position::stm);
        match roots.iter().all(|root| root.stm() == stm) {
            true => Ok(Goal::Holds(if is_stm { stm } else { !stm })),
            false => Err(Failure::new(
                "--for draw and --for win ask about the side to move, which has to be the same in all \
                 positions",
            )),
        }
    };
    match name {
        None => Ok(Goal::Moves),
        Some(GoalName::Verdict) => Ok(Goal::Verdict),
        Some(GoalName::Draw) => holds(true),
        Some(GoalName::Win) => holds(false),
    }
}

/// The limit that is chosen: that of the file, with what the command line says instead or beside it.
fn limit(
    variant: &Variant,
    args: &StructureArgs,
    roots: &[Position],
    outline: Option<&Outline>,
) -> Result<Option<Limit>, Failure> {
    let fixed = fixed(variant, &args.fixed, roots)?;
    let of_file = outline.and_then(|outline| outline.limit.clone());
    if of_file.is_none() && args.promoted.is_none() && fixed.is_empty() {
        return Ok(None);
    }
    let mut limit = of_file.unwrap_or_else(Limit::none);
    if let Some(promoted) = &args.promoted {
        limit = limit.with_promoted(promoted);
    }
    limit.kept.extend(fixed);
    Ok(Some(limit))
}

/// The men that `--fixed` names; all that is wrong with them.
fn fixed(variant: &Variant, names: &[String], roots: &[Position]) -> Result<Vec<Kept>, Failure> {
    let board = &variant.board;
    let mut kinds: BTreeMap<Man, Vec<SquareSet>> = BTreeMap::new();
    let mut faults = Vec::new();
    for name in names {
        let shown = visible(name);
        let at = name.char_indices().nth(2).map_or(name.len(), |(at, _)| at);
        let (man, square) = name.split_at(at);
        let Some((man, square)) = man_named(variant, man).zip(board.square_named(square)) else {
            faults.push(format!("--fixed {shown}: write side, letter and square of a man, such as wRh1"));
            continue;
        };
        if variant.is_pawn(man) {
            faults.push(format!("--fixed {shown}: a pawn stays where it is if a man before it does"));
        } else if !roots.iter().all(|root| root.man_on(square) == Some(man)) {
            let square = board.name(square);
            faults.push(format!("--fixed {shown}: no such man stands on {square}; name one of the position"));
        } else {
            let squares = kinds.entry(man).or_default();
            let set: SquareSet = [square].into_iter().collect();
            if !squares.contains(&set) {
                squares.push(set);
            }
        }
    }
    Failure::of_faults(&faults)?;
    let kept = kinds.into_iter().filter_map(|(man, mut squares)| {
        // Their likes may stand anywhere.
        let n_of = |root: &Position| root.men().filter(|(own, _)| *own == man).count();
        let n = roots.iter().map(n_of).max().unwrap_or(0);
        squares.resize(n.max(squares.len()), board.all());
        Kept::new(variant, man, &squares)
    });
    Ok(kept.collect())
}
