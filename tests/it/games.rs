//! Plays games out by the tables: a position that is won under the rule of fifty moves is won before the rule
//! ends the game, and a drawn one is not lost, whatever the opponent does.
//!
//! The tables are read from files, as a player reads them: distances beside outcomes. No chess table of four
//! men has a cursed win with the clock at zero, so some games are played under a rule of eight moves, under
//! which many wins are cursed. Who has won is asked of the rules alone.

use format::{Keep, Summary, TableWriter, file_name};
use geometry::Square;
use library::SolvedTables;
use plan::{Plan, Request};
use position::Position;
use probe::{Answer, RatedMove, Tablebase};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use table::{Table, Value};
use tablesmith_tests::{fide, metadata, small_chess};
use tempfile::TempDir;
use variant::{Man, Material, Metric, Side, Variant};

/// Tables in which a conversion can be far away: White alone wins, either side does, with pawns and without.
const MATERIALS: &[&str] = &["KBNvK", "KQvKR", "KRvKN", "KRvK", "KQvKP", "KPvKP"];

/// Those with many cursed wins under a short rule; with the pawn, promotions into cursed wins.
const CURSED: &[&str] = &["KBNvK", "KQvKR", "KRvKN", "KRvK", "KPvK"];

/// More plies than any of these games has; one that goes round in circles has them.
const MOST_PLIES: u32 = 2000;

const CACHE_BYTES: usize = 64 << 20;

/// A folder of tables of one metric, and of those that tell who wins.
struct Folder {
    /// The tables that were asked for.
    names: &'static [&'static str],
    tables: SolvedTables,
    tablebase: Tablebase,
    files: TempDir,
}

impl Folder {
    /// These tables and all that they lead to.
    fn new(variant: &Variant, metric: Metric, names: &'static [&'static str], keep: Keep) -> Self {
        let tables = SolvedTables::of_metric(variant.clone(), metric);
        let files = tempfile::tempdir().unwrap();
        let mut materials = BTreeSet::new();
        for name in names {
            let material = Material::parse(variant, name).unwrap();
            let plan = Plan::new(variant, &Request::Table(material)).unwrap();
            materials.extend(plan.jobs().map(|job| job.material.clone()));
        }
        for material in &materials {
            let table = tables.solved(material).unwrap();
            for metric in BTreeSet::from([metric, Metric::Wdl]) {
                let path = files.path().join(file_name(&material.name(variant)));
                TableWriter::new(variant)
                    .column(metric)
                    .keep(keep)
                    .write(&path, &table, &metadata(variant))
                    .unwrap();
            }
        }
        let tablebase = Tablebase::open_with(&[files.path().into()], variant, metric, CACHE_BYTES).unwrap();
        Folder { names, tables, tablebase, files }
    }

    /// Solves chess under a rule of `n_move_rule` moves.
    fn chess(n_move_rule: u16, names: &'static [&'static str]) -> Self {
        let mut variant = fide();
        variant.rules.n_move_rule = Some(n_move_rule);
        // Both sides to move are read from the file, and one of them is written in a hurry: packing is what
        // takes time.
        Folder::new(&variant, Metric::Dtz50, names, Keep::UntilTrimmed)
    }

    fn rule_plies(&self) -> u32 {
        u32::from(self.tablebase.scale().rule_plies().expect("there is a rule"))
    }

    fn probe(&self, position: &Position) -> Answer {
        let found = self.tablebase.probe(position);
        found.unwrap_or_else(|error| panic!("{}: {error}", self.fen(position)))
    }

    fn fen(&self, position: &Position) -> String {
        position.to_fen(self.tablebase.book())
    }

    /// The men of a material on squares as they fall, with either side to move and in either colours.
    fn random_position(&self, name: &str, dice: &mut Dice) -> Position {
        let material = Material::parse(self.tables.variant(), name).unwrap();
        let men: Vec<Man> = material.men().collect();
        let swaps = dice.below(2) == 1;
        loop {
            let place = |man: &Man| {
                let side = if swaps { !man.side } else { man.side };
                (Man { side, ..*man }, Square::from_index(dice.below(64) as usize))
            };
            let placed: Vec<(Man, Square)> = men.iter().map(place).collect();
            let stm = Side::BOTH[dice.below(2) as usize];
            let position = Position::from_men(placed, stm).filter(|position| self.probe(position).is_legal());
            if let Some(position) = position {
                return position;
            }
        }
    }
}

/// Chess, solved and written once.
fn chess_folder() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| Folder::chess(50, MATERIALS))
}

/// Chess under a rule with which many wins are cursed.
fn short_folder() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| Folder::chess(8, CURSED))
}

/// Numbers that are the same on every machine, for each game its own.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014): SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % u64::from(n)) as u32
    }
}

/// How a player chooses from the legal moves, the best of which comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Player {
    Best,
    Random,
}

impl Player {
    fn choose<'a>(self, moves: &'a [RatedMove], dice: &mut Dice) -> &'a RatedMove {
        match self {
            Player::Best => &moves[0],
            Player::Random => &moves[dice.below(moves.len() as u32) as usize],
        }
    }
}

/// What became of a game.
struct Game {
    /// Who has mated, before the rule ended the game or as it would have.
    winner: Option<Side>,
    n_plies: u32,
    /// The plies to the first zeroing move or to the end.
    n_first_plies: u32,
    /// The last position, for the message of a failure.
    end: Position,
}

/// Plays a game to its end, or so far.
fn play(folder: &Folder, start: &Position, players: [Player; 2], most_plies: u32, dice: &mut Dice) -> Game {
    let mut game = Game { winner: None, n_plies: 0, n_first_plies: 0, end: start.clone() };
    let mut is_first = true;
    while game.n_plies < most_plies {
        let moves = folder.tablebase.moves(&game.end).unwrap();
        if moves.is_empty() {
            game.winner = game.end.winner(folder.tablebase.book());
            break;
        }
        if game.end.halfmove_clock() >= folder.rule_plies() {
            break;
        }
        let mv = players[game.end.stm().index()].choose(&moves, dice).mv;
        game.end = game.end.play(mv);
        game.n_plies += 1;
        game.n_first_plies += u32::from(is_first);
        is_first &= !mv.zeroing;
    }
    game
}

/// A position in which one side wins with the clock as it is: often as deep as chance finds them, often with
/// the clock as far on as the win allows.
struct Won {
    position: Position,
    winner: Side,
    plies: u32,
}

impl Won {
    fn random(folder: &Folder, name: &str, is_deep: bool, is_late: bool, dice: &mut Dice) -> Self {
        let mut won: Option<Won> = None;
        let mut n_found = 0;
        while n_found < if is_deep { 12 } else { 1 } {
            let position = folder.random_position(name, dice);
            let answer = folder.probe(&position);
            let (winner, ply) = match answer.value.value() {
                _ if answer.is_cursed() => continue,
                Some(Value::Win(ply)) => (position.stm(), ply),
                Some(Value::Loss(ply)) if ply.0 > 0 => (!position.stm(), ply),
                _ => continue,
            };
            n_found += 1;
            let plies = u32::from(ply.0);
            if won.as_ref().is_none_or(|deepest| deepest.plies < plies) {
                won = Some(Won { position, winner, plies });
            }
        }
        let won = won.expect("some have been found");
        let latest = folder.rule_plies() - won.plies;
        let clock = if is_late { latest } else { dice.below(latest + 1) };
        Won { position: won.position.with_halfmove_clock(clock), ..won }
    }
}

/// What many games have in common.
#[derive(Default, PartialEq, Eq, Debug)]
struct Tally {
    n_games: u32,
    /// Games in which the first zeroing move, or mate, comes within ten plies of the last that the rule
    /// allows.
    n_close: u32,
    /// Games in which it comes at the very last, if the defence is the best.
    n_without_slack: u32,
    most_plies: u32,
}

/// Plays `n_games` won games, half of them against the best defence, half against a random one.
#[track_caller]
fn check_won(folder: &Folder, n_games: u64) -> Tally {
    let rule = folder.rule_plies();
    let games = (0..n_games).into_par_iter().map(|number| {
        let mut dice = Dice(number << 32 | u64::from(rule));
        let is = |bit: u32| number >> bit & 1 == 1;
        let name = folder.names[(number >> 3) as usize % folder.names.len()];
        let won = Won::random(folder, name, is(1), is(2), &mut dice);
        let defence = if is(0) { Player::Random } else { Player::Best };
        let mut players = [defence; 2];
        players[won.winner.index()] = Player::Best;
        let game = play(folder, &won.position, players, MOST_PLIES, &mut dice);
        let label =
            || format!("{} against {defence:?}: {}", folder.fen(&won.position), folder.fen(&game.end));
        assert_eq!(game.winner, Some(won.winner), "{}", label());
        match defence {
            Player::Best => assert_eq!(game.n_first_plies, won.plies, "{}", label()),
            Player::Random => assert!(game.n_first_plies <= won.plies, "{}", label()),
        }
        let begun = won.plies + won.position.halfmove_clock();
        Tally {
            n_games: 1,
            n_close: u32::from(begun + 10 > rule),
            n_without_slack: u32::from(begun == rule),
            most_plies: game.n_plies,
        }
    });
    games.reduce(Tally::default, |a, b| Tally {
        n_games: a.n_games + b.n_games,
        n_close: a.n_close + b.n_close,
        n_without_slack: a.n_without_slack + b.n_without_slack,
        most_plies: a.most_plies.max(b.most_plies),
    })
}

#[test]
fn won_positions_are_won_before_the_rule_ends_the_game() {
    let tally = check_won(chess_folder(), 1000);
    println!("{tally:?}");
    assert_eq!(tally.n_games, 1000);
    assert!(tally.n_close > 500 && tally.n_without_slack > 500, "{tally:?}");
}

#[test]
fn what_a_short_rule_leaves_won_is_won() {
    let tally = check_won(short_folder(), 1000);
    println!("{tally:?}");
    assert!(tally.n_close > 500 && tally.n_without_slack > 500, "{tally:?}");
}

/// Returns a random draw with the clock as it is; if `is_cursed`, a win or loss that the rule makes one.
fn random_draw(folder: &Folder, name: &str, is_cursed: bool, dice: &mut Dice) -> (Position, Value) {
    loop {
        let clock = dice.below(folder.rule_plies());
        let position = folder.random_position(name, dice).with_halfmove_clock(clock);
        let answer = folder.probe(&position);
        if if is_cursed { answer.is_cursed() } else { answer.value == Value::Draw } {
            return (position, answer.value.value().expect("it is known"));
        }
    }
}

/// Drawn games, every other one a cursed win or a blessed loss: who plays best does not lose.
///
/// Returns how many were cursed with the clock at zero already.
#[track_caller]
fn check_drawn(folder: &Folder, n_games: u64) -> usize {
    let games = (0..n_games).into_par_iter().map(|number| {
        let mut dice = Dice(number << 32 | u64::from(folder.rule_plies()) << 16);
        let is = |bit: u32| number >> bit & 1 == 1;
        let name = folder.names[(number >> 3) as usize % folder.names.len()];
        let (start, value) = random_draw(folder, name, is(0), &mut dice);
        let holder = if is(1) { start.stm() } else { !start.stm() };
        let opponent = if is(2) { Player::Random } else { Player::Best };
        let mut players = [opponent; 2];
        players[holder.index()] = Player::Best;
        let game = play(folder, &start, players, 150, &mut dice);
        let label = || format!("{} against {opponent:?}: {}", folder.fen(&start), folder.fen(&game.end));
        assert!(game.winner != Some(!holder), "{}", label());
        assert!(opponent == Player::Random || game.winner.is_none(), "{}", label());
        folder.tablebase.scale().is_cursed(value)
    });
    games.filter(|&is_cursed| is_cursed).count()
}

#[test]
fn what_is_drawn_is_not_lost() {
    assert_eq!(check_drawn(chess_folder(), 150), 0, "no table of four men has a cursed win");
}

#[test]
fn a_cursed_win_is_not_lost() {
    let n_cursed = check_drawn(short_folder(), 1200);
    assert!(n_cursed > 100, "{n_cursed} games begin in cursed wins and blessed losses");
}

/// Every legal canonical position of a table, its value asked of the file and taken from the table.
fn check_table(folder: &Folder, table: &Arc<Table>) -> [usize; 2] {
    let layout = table.layout();
    let scale = folder.tablebase.scale();
    let checked = table.sides().flat_map(|stm| (0..layout.len()).map(move |index| (stm, index)));
    let checked: Vec<(Side, usize)> =
        checked.filter(|&(stm, i)| table.value(stm, i) != Value::Illegal).collect();
    let cursed = checked.par_iter().filter_map(|&(stm, index)| {
        let squares = layout.decode(index);
        if !layout.is_canonical(index, &squares) {
            return None;
        }
        let men = layout.men().iter().copied().zip(squares.iter().copied());
        let position = Position::from_men(men, stm).expect("no square twice");
        let value = table.value(stm, index);
        assert_eq!(folder.probe(&position).value, value, "{} of {}", scale.metric(), folder.fen(&position));
        Some(usize::from(scale.is_cursed(value)))
    });
    cursed
        .fold(|| [0; 2], |[n, n_cursed], cursed| [n + 1, n_cursed + cursed])
        .reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
}

#[test]
fn one_sided_files_say_what_the_tables_say() {
    let mut variant = small_chess(5, 5);
    variant.rules.n_move_rule = Some(3);
    let names = &["KQvK", "KPvK", "KRvKP", "KPvKP", "KBNvK"];
    for metric in [Metric::Dtz50, Metric::Dtz, Metric::Dtc, Metric::Wdl] {
        let folder = Folder::new(&variant, metric, names, Keep::Smaller);
        let mut n_cursed = 0;
        for name in names {
            let table = folder.tables.named(name).unwrap();
            let path = folder.files.path().join(file_name(name));
            let is_one_sided =
                Summary::read(&path, metric).unwrap().left_out(table.layout().is_one_sided()).is_some();
            assert_eq!(is_one_sided, table.sides().count() == 2, "{metric} of {name}");
            // A table of who wins is of that metric throughout.
            let [n_checked, n_here] = check_table(&folder, &table);
            assert!(n_checked > 1000, "{metric} of {name}: {n_checked} positions");
            n_cursed += n_here;
        }
        assert_eq!(n_cursed > 0, metric == Metric::Dtz50, "{metric}: {n_cursed} wins are cursed");
    }
}

/// Every position that is decided under a short rule, with the clock as far on as the win allows and one ply
/// further: there the rule takes it away.
#[test]
fn a_win_ends_with_the_last_ply_of_the_rule() {
    let mut variant = small_chess(4, 5);
    variant.rules.n_move_rule = Some(3);
    let folder = Folder::new(&variant, Metric::Dtz50, &["KRvK", "KPvK"], Keep::UntilTrimmed);
    let mut n_decided = [0; 7];
    for name in folder.names {
        let table = folder.tables.named(name).unwrap();
        let layout = table.layout();
        let all = table.sides().flat_map(|stm| (0..layout.len()).map(move |index| (stm, index)));
        for (stm, index) in all.filter(|&(stm, index)| table.value(stm, index) != Value::Illegal) {
            let placement = layout.decode(index);
            let men = layout.men().iter().copied().zip(placement.iter().copied());
            let position = Position::from_men(men, stm).expect("no square twice");
            let answer = folder.probe(&position);
            let (winner, ply) = match answer.value.value() {
                _ if answer.is_cursed() => continue,
                Some(Value::Win(ply)) => (stm, u32::from(ply.0)),
                Some(Value::Loss(ply)) if ply.0 > 0 => (!stm, u32::from(ply.0)),
                _ => continue,
            };
            n_decided[ply as usize] += 1;
            let ends = |clock: u32| {
                let start = position.clone().with_halfmove_clock(clock);
                let game = play(&folder, &start, [Player::Best; 2], MOST_PLIES, &mut Dice(index as u64));
                (folder.probe(&start).is_cursed(), game.winner)
            };
            let latest = folder.rule_plies() - ply;
            let fen = folder.fen(&position);
            assert_eq!(ends(latest), (false, Some(winner)), "{fen}: {ply} plies, the clock at {latest}");
            assert_eq!(ends(latest + 1), (true, None), "{fen}: {ply} plies, the clock at {latest} + 1");
        }
    }
    assert!(n_decided[1..].iter().all(|&n| n > 10), "{n_decided:?} positions by number of plies");
}
