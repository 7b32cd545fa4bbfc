//! Tables with rights against the naive oracle, on random small games and under every metric; files.

use crate::{NoValue, RightsFile, RightsKey, RightsSource, RightsTable, RightsTables, VERSION};
use format::{Column, FormatError, Metadata, write_rights};
use position::{Position, RuleBook};
use proof::{Oracle, Rule, random_castling, random_material, random_ruled_variant, random_variant};
use std::path::Path;
use std::sync::{Arc, Mutex};
use table::{Scale, Value};
use variant::{Man, Material, Metric, Side, Variant};

/// The oracle knows positions without rights; nothing is stored.
struct Judge<'a>(&'a Oracle);

impl RightsSource for Judge<'_> {
    fn without(&self, position: &Position, _: &dyn Fn(Value) -> bool) -> Result<Value, NoValue> {
        assert!(position.castling().is_empty());
        // Tables are in canonical colours, and the oracle's positions in those that it was asked for.
        let exchanged = || self.0.value(&position.with_colours_exchanged(&self.0.book().variant().board));
        self.0.value(position).or_else(exchanged).ok_or(NoValue)
    }

    fn stored(&self, _: &RightsKey) -> Result<Option<Arc<RightsTable>>, NoValue> {
        Ok(None)
    }
}

/// Nothing is known.
struct Nothing;

impl RightsSource for Nothing {
    fn without(&self, _: &Position, _: &dyn Fn(Value) -> bool) -> Result<Value, NoValue> {
        Err(NoValue)
    }

    fn stored(&self, _: &RightsKey) -> Result<Option<Arc<RightsTable>>, NoValue> {
        Ok(None)
    }
}

/// Returns every legal position of a material in which a side may castle.
fn positions(book: &RuleBook, material: &Material) -> Vec<Position> {
    let empty = |stm| Position::empty(stm).with_given_checks(material.given_checks());
    let mut all = Side::BOTH.map(empty).to_vec();
    for man in material.men() {
        let free = |position: &Position| {
            let squares = book.variant().zone(man).iter();
            squares.filter(|&square| position.man_on(square).is_none()).collect::<Vec<_>>()
        };
        let put = |position: &Position, square| {
            let mut position = position.clone();
            position.put(man, square);
            position
        };
        all = all
            .iter()
            .flat_map(|p| free(p).into_iter().map(|square| put(p, square)).collect::<Vec<_>>())
            .collect();
    }
    let with_rights = |position: &Position| {
        let choices = position.castling_choices(book).into_iter();
        choices.map(|rights| position.clone().with_castling(rights)).collect::<Vec<_>>()
    };
    all.iter().filter(|position| position.is_legal(book)).flat_map(with_rights).collect()
}

/// Compares every position of a material with the oracle; how many there were, and how many are decided.
#[track_caller]
fn check(variant: &Variant, material: &Material, metric: Metric) -> [usize; 2] {
    let mut oracle = Oracle::new(variant).counting(metric).with_castling();
    oracle.solve(material);
    let (book, scale) = (oracle.book(), Scale::new(metric, &variant.rules));
    let (tables, judge) = (RightsTables::new(2), Judge(&oracle));
    let mut seen = [0, 0];
    for position in positions(book, material) {
        let value = tables.value(book, &scale, &position, &judge);
        let expected = oracle.value(&position);
        let name = format!("{} {metric}", material.name(variant));
        assert_eq!(value.ok(), expected, "{} {name}: {}", variant.name, position.to_fen(book));
        seen[0] += 1;
        seen[1] += usize::from(expected.is_some_and(|value| value.ply().is_some()));
    }
    seen
}

#[test]
fn random_games_are_solved_as_the_oracle_solves_them() {
    let made = |seed| match seed % 2 {
        0 => random_variant(seed),
        _ => random_ruled_variant(seed, &Rule::ALL),
    };
    let game = |seed| Some((seed, random_castling(&made(seed), seed)?));
    let games = (860_000_u64..).filter_map(game).filter(|(_, v)| v.board.n_squares() <= 16);
    let cases =
        games.map(|(seed, variant)| (random_material(&variant, 3, seed).canonical(&variant), variant));
    let cases = cases.filter(|(material, variant)| !RightsKey::all(variant, material).is_empty());
    let (mut seen, mut n_any_files) = ([0, 0], 0);
    for ((material, variant), metric) in cases.zip(Metric::OF_CONTEST.into_iter().cycle()).take(60) {
        let found = check(&variant, &material, metric);
        seen = [seen[0] + found[0], seen[1] + found[1]];
        // King and rook on any files, as in Chess960.
        let has_any_files = variant.rules.castling.as_ref().is_some_and(|rule| rule.any_files);
        n_any_files += usize::from(has_any_files && found[1] > 0);
    }
    assert!(n_any_files > 3, "{n_any_files}");
    assert!(seen[0] > 2_000 && seen[1] > 500, "{seen:?}");
}

/// Returns a game on `n_files` files and four ranks, with pawns that may be captured en passant. The king
/// castles from and to these files.
fn on_files(n_files: usize, [king, kingside, queenside]: [char; 3]) -> Variant {
    ruled(n_files, [king, kingside, queenside], "")
}

/// Returns such a game with more rules.
fn ruled(n_files: usize, [king, kingside, queenside]: [char; 3], rules: &str) -> Variant {
    let text = format!(
        "name = \"small\"\n[board]\nfiles = {n_files}\nranks = 4\n\
        [rules]\n{rules}\ncastling = true\ncastling-king-file = \"{king}\"\ncastling-kingside-file = \"{kingside}\"\n\
        castling-queenside-file = \"{queenside}\"\nn-move-rule = 3\n\
        [[piece]]\nletter = \"K\"\nbetza = \"K\"\nroyal = true\n\
        [[piece]]\nletter = \"R\"\nbetza = \"R\"\n\
        [[piece]]\nletter = \"P\"\nbetza = \"fmWfcF\"\npawn = {{ start-rank = 1, promotes-to = [\"R\"] }}\n"
    );
    Variant::parse(&text, "small.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn small() -> Variant {
    on_files(4, ['b', 'c', 'a'])
}

/// King and rook exchange their places.
fn narrow_board() -> Variant {
    on_files(3, ['b', 'c', 'a'])
}

#[test]
fn rights_of_both_sides_and_pawns_are_solved() {
    let wide = [("KRvKR", Metric::Dtm), ("KRRvK", Metric::Dtc), ("KRvKP", Metric::Dtz)];
    let narrow = [("KRvKP", Metric::Dtz50), ("KRvKP", Metric::Wdl)];
    let cases = wide.map(|case| (small(), case)).into_iter().chain(narrow.map(|case| (narrow_board(), case)));
    for (variant, (name, metric)) in cases {
        let material = Material::parse(&variant, name).unwrap();
        let [n_positions, n_decided] = check(&variant, &material, metric);
        assert!(n_positions > 50 && n_decided > 10, "{name}: {n_positions}, {n_decided}");
    }
}

/// Where captures explode no table of one man less is needed; a pass keeps the right to castle; a check that
/// counts leads to the same men and rights with a check less.
#[test]
fn rights_under_other_rules_are_solved() {
    let files = ['b', 'c', 'a'];
    let cases = [
        ("blast-on-capture = true", "KRvKR", Metric::Dtm),
        ("blast-on-capture = true", "KRRvK", Metric::Dtz),
        ("blast-on-capture = true", "KRPvK", Metric::Dtc),
        ("pass = true", "KRvKR", Metric::Dtm),
        ("pass-on-stalemate = true", "KRvKP", Metric::Dtz50),
        ("check-counting = 2", "KRvKR+2+2", Metric::Dtm),
        ("check-counting = 2", "KRRvK+1+2", Metric::Wdl),
        ("check-counting = 2", "KRvKP+2+1", Metric::Dtm),
    ];
    for (rules, name, metric) in cases {
        let variant = ruled(4, files, rules);
        let material = Material::parse(&variant, name).unwrap();
        let [n_positions, n_decided] = check(&variant, &material, metric);
        assert!(n_positions > 50 && n_decided > 10, "{rules} {name}: {n_positions}, {n_decided}");
    }
}

/// After a double step of a free pawn a pawn captures en passant, while a king and a rook stand still.
#[test]
fn en_passant_and_rights_go_together() {
    capture_en_passant(&narrow_board(), "KRPvKP", Metric::Dtz);
}

#[test]
fn double_steps_that_give_check_keep_rights() {
    let variant = ruled(3, ['b', 'c', 'a'], "check-counting = 2");
    capture_en_passant(&variant, "KRPvKP+1+2", Metric::Dtm);
}

#[track_caller]
fn capture_en_passant(variant: &Variant, name: &str, metric: Metric) {
    let material = Material::parse(variant, name).unwrap();
    let mut oracle = Oracle::new(variant).counting(metric).with_castling();
    oracle.solve(&material);
    let (book, scale) = (oracle.book(), Scale::new(metric, &variant.rules));
    let (tables, judge) = (RightsTables::new(2), Judge(&oracle));
    let mut n_captures = 0;
    for position in positions(book, &material) {
        assert_eq!(tables.value(book, &scale, &position, &judge).ok(), oracle.value(&position));
        position.for_each_successor(book, |_, next| {
            n_captures += next.legal_moves(book).iter().filter(|mv| mv.is_en_passant()).count();
        });
    }
    assert!(n_captures > 20, "{n_captures} captures en passant");
}

/// Everything without rights is drawn; some tables are kept, and it is noted which are asked for.
#[derive(Default)]
struct Draws {
    kept: Vec<Arc<RightsTable>>,
    asked: Mutex<Vec<RightsKey>>,
}

impl RightsSource for Draws {
    fn without(&self, _: &Position, _: &dyn Fn(Value) -> bool) -> Result<Value, NoValue> {
        Ok(Value::Draw)
    }

    fn stored(&self, key: &RightsKey) -> Result<Option<Arc<RightsTable>>, NoValue> {
        self.asked.lock().unwrap().push(key.clone());
        Ok(self.kept.iter().find(|table| table.key() == key).cloned())
    }
}

/// Where all that a move leads to by one step is stored, a pawn that takes a rook and becomes one leads to
/// what is not.
#[test]
fn nothing_is_made_twice() {
    let variant = on_files(6, ['c', 'e', 'b']);
    let (book, scale) = (RuleBook::new(&variant), Scale::new(Metric::Dtm, &variant.rules));
    let key = |name: &str| {
        let keys = RightsKey::all(&variant, &Material::parse(&variant, name).unwrap());
        keys.into_iter().find(|key| key.name(&variant).starts_with("Kc1Rf1 ")).unwrap()
    };
    let first = RightsTables::new(2);
    let table = |tables: &RightsTables, name: &str, source: &Draws| {
        tables.table(&book, &scale, &key(name), source).unwrap()
    };
    let solved = table(&first, "KRPvKR", &Draws::default());
    let kept: Vec<_> = ["KRPvK", "KRvKR", "KRRvKR"].map(|name| table(&first, name, &Draws::default())).into();
    let source = Draws { kept, ..Draws::default() };
    assert_eq!(table(&RightsTables::new(4), "KRPvKR", &source).codes(), solved.codes());
    let mut asked: Vec<String> =
        source.asked.into_inner().unwrap().iter().map(|key| key.name(&variant)).collect();
    asked.sort_unstable();
    let n_asked = asked.len();
    asked.dedup();
    assert_eq!((n_asked, asked.contains(&key("KRRvK").name(&variant))), (asked.len(), true), "{asked:?}");
}

/// Three men of chess: 49 + 57 positions with White's right on the king's side, 48 + 57 on the other.
#[test]
fn choices_of_rights_are_all_there_are() {
    let chess = Variant::chess();
    let book = RuleBook::new(&chess);
    let keys = |name: &str| RightsKey::all(&chess, &Material::parse(&chess, name).unwrap());
    let fields = |name: &str| keys(name).iter().map(|key| key.field(&book)).collect::<Vec<_>>();
    assert_eq!(fields("KRvK"), ["K", "Q"]);
    assert_eq!(fields("KRRvK"), ["K", "Q", "KQ"]);
    assert!(fields("KQvK").is_empty());
    assert_eq!(keys("KRvK")[0].name(&chess), "Ke1Rh1 k");
    // Of two choices that are one with the colours exchanged the first is there: K and k, Q and q, Kq and Qk.
    assert_eq!(fields("KRvKR").len(), 5);
    for name in ["KRvK", "KRvKR", "KRRvKR"] {
        for key in keys(name) {
            let swapped = key.swapped(&chess);
            assert_eq!(swapped.swapped(&chess), key);
            assert!(key.is_canonical(&chess));
            assert_eq!(swapped.is_canonical(&chess), key.is_own_image(&chess), "{}", key.name(&chess));
        }
    }
    let chess960 = Variant::load(games().join("chess960.toml")).unwrap();
    let all = RightsKey::all(&chess960, &Material::parse(&chess960, "KRvK").unwrap());
    assert_eq!(all.len(), 8 * 7);
    let count = |key: &RightsKey| {
        let n_numbers = key.n_numbers(&chess) as usize;
        let positions = (0..n_numbers).filter_map(|number| key.position(&chess, number));
        positions.filter(|position| position.is_legal(&book)).count()
    };
    assert_eq!(keys("KRvK").iter().map(count).collect::<Vec<_>>(), [49 + 57, 48 + 57]);
}

fn games() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../variants"))
}

#[test]
fn what_needs_too_much_is_not_solved() {
    let variant = Variant::chess();
    let book = RuleBook::new(&variant);
    let scale = Scale::new(Metric::Dtm, &variant.rules);
    let key = |fen: &str| RightsKey::new(&Position::from_fen_with_castling(&book, fen).unwrap()).unwrap();
    let error = RightsTables::check_size(&variant, &key("4k3/8/8/8/8/8/PPPP4/4K2R w K - 0 1")).unwrap_err();
    assert_eq!((error.n_men, error.most), (7, 6));
    assert!(error.to_string().contains("up to 6 men"), "{error}");
    // Three free men take some megabytes and seconds, four a gigabyte and minutes.
    let cases =
        [("4k3/8/8/8/8/8/PP6/4K2R w K - 0 1", true, 16), ("4k3/8/8/8/8/8/PPP5/4K2R w K - 0 1", false, 1024)];
    for (fen, is_quick, megabytes) in cases {
        let key = key(fen);
        let footprint = RightsTable::footprint_bytes(&variant, &key) >> 20;
        assert!(RightsTables::check_size(&variant, &key).is_ok());
        assert_eq!((RightsTables::is_quick(&variant, &key), footprint), (is_quick, megabytes), "{fen}");
    }
    // What is missing is passed on.
    let few = Position::from_fen_with_castling(&book, "4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
    let key = RightsKey::new(&few).unwrap();
    assert!(RightsTables::check_size(&variant, &key).is_ok());
    assert_eq!(RightsTables::new(1).value(&book, &scale, &few, &Nothing), Err(NoValue));
    let rook = Man { side: Side::White, piece: variant.piece_lettered('R').unwrap() };
    assert!(key.n_men() == 3 && key.men().any(|man| man == rook) && key.rights() == few.castling());
    assert!(RightsKey::new(&few.with_castling(Default::default())).is_none());
}

/// All choices of rights of a material of the small game, from the oracle.
fn solved(variant: &Variant, material: &Material, metric: Metric) -> Vec<Arc<RightsTable>> {
    let mut oracle = Oracle::new(variant).counting(metric).with_castling();
    oracle.solve(material);
    let (scale, tables) = (Scale::new(metric, &variant.rules), RightsTables::new(1));
    let keys = RightsKey::all(variant, material).into_iter();
    keys.map(|key| tables.table(oracle.book(), &scale, &key, &Judge(&oracle)).unwrap()).collect()
}

#[test]
fn files_are_read_as_they_were_written() {
    let (variant, folder) = (small(), tempfile::tempdir().unwrap());
    let material = Material::parse(&variant, "KRvKR").unwrap();
    let path = folder.path().join("KRvKR.tsm");
    let both = [Metric::Dtz, Metric::Dtm].map(|metric| (metric, solved(&variant, &material, metric)));
    for (metric, tables) in &both {
        let choices: Vec<_> =
            tables.iter().map(|table| (table.key().name(&variant), table.codes())).collect();
        let made = Metadata { solver_version: VERSION, ..Metadata::default() };
        write_rights(&path, &variant, &material, *metric, &choices, made).unwrap();
    }
    let open = |variant: &Variant, metric| RightsFile::open(&path, variant, &material, metric);
    for (metric, tables) in both {
        let file = open(&variant, metric).unwrap();
        assert_eq!((file.summary().column, file.is_current()), (Column::with_rights(metric), true));
        let read = file.tables().unwrap();
        assert!(read.iter().map(|own| own.codes()).eq(tables.iter().map(|own| own.codes())));
        let other = RightsKey::all(&variant, &Material::parse(&variant, "KRvK").unwrap());
        assert!(file.table(&other[0]).unwrap().is_none());
    }
    let bytes = std::fs::read(&path).unwrap();
    let is_whole = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let tables = |metric| open(&variant, metric).and_then(|file| file.tables());
        tables(Metric::Dtz).is_ok() && tables(Metric::Dtm).is_ok()
    };
    for at in (0..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(!is_whole(&changed), "byte {at}");
    }
    for end in (0..bytes.len()).step_by(17) {
        assert!(!is_whole(&bytes[..end]), "cut at {end}");
    }
    assert!(!is_whole(&[&bytes[..], b"x"].concat()));
    assert!(is_whole(&bytes));
    // The same men under another rule of castling, another metric, another name.
    let mut other = small();
    other.rules.castling.as_mut().unwrap().king_targets.swap(0, 1);
    assert!(matches!(open(&other, Metric::Dtm), Err(FormatError::OtherRules { .. })));
    assert!(open(&variant, Metric::Wdl).is_err_and(|error| error.is_not_found()));
    let renamed = path.with_file_name("KRRvK.tsm");
    std::fs::rename(&path, &renamed).unwrap();
    let named = RightsFile::open(&renamed, &variant, &material, Metric::Dtm);
    assert!(matches!(named, Err(FormatError::OtherMaterial { .. })));
}
