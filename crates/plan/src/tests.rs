//! Tests the order, the links, the parts and the estimates.

use crate::job::{links, part_bytes};
use crate::{Footprint, Job, Memory, Need, Plan, PlanError, Request, Solving, largest};
use index::Sizes;
use variant::{Material, Side, Variant};

const FIDE: &str = variant::game::CHESS;

fn fide() -> Variant {
    Variant::parse(FIDE, "fide.toml").expect("the rules of chess")
}

fn material(name: &str) -> Material {
    Material::parse(&fide(), name).expect("a material of chess").canonical(&fide())
}

fn names<'a>(jobs: impl Iterator<Item = &'a Job>) -> Vec<&'a str> {
    jobs.map(|job| job.name.as_str()).collect()
}

#[track_caller]
fn check_order(request: &Request, expected: &[&str]) {
    let plan = Plan::new(&fide(), request).expect("a plan");
    assert_eq!(names(plan.jobs()), expected);
    for (id, job) in plan.ids().zip(plan.jobs()) {
        let needed: Vec<&str> =
            plan.needed_by(id).into_iter().map(|needed| plan.job(needed).name.as_str()).collect();
        let named: Vec<&str> =
            job.needs.iter().filter(|need| !need.is_drawn).map(|need| need.name.as_str()).collect();
        assert_eq!(needed, named, "what {} needs", job.name);
        assert!(plan.needed_by(id).iter().all(|&before| before < id), "{} comes too early", job.name);
        for after in plan.in_need_of(id) {
            assert!(plan.needed_by(after).contains(&id), "{} and {}", job.name, plan.job(after).name);
        }
    }
}

#[test]
fn order_has_what_is_needed_first() {
    check_order(&Request::UpTo(2), &[]);
    check_order(&Request::UpTo(3), &["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]);
    check_order(&Request::Table(material("KvKN")), &["KNvK"]);
    check_order(&Request::Table(material("KQvKR")), &["KQvK", "KRvK", "KQvKR"]);
    check_order(
        &Request::Table(material("KPvKN")),
        &["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KQvKN", "KRvKN", "KBvKN", "KNvKN", "KNvKP"],
    );
}

#[test]
fn all_tables_of_up_to_four_men_are_35() {
    let plan = Plan::new(&fide(), &Request::UpTo(4)).expect("a plan");
    assert_eq!(plan.len(), 35);
    assert_eq!(names(plan.jobs()).last(), Some(&"KPvKP"));
}

#[test]
fn number_of_men_has_limits() {
    for got in [0, 1, 9, usize::MAX] {
        let error = Plan::new(&fide(), &Request::UpTo(got)).expect_err("no such tables");
        assert_eq!(error, PlanError::Men { got, limit: 8 });
    }
}

#[track_caller]
fn check_links(name: &str, expected: &[(&str, &str)]) {
    let variant = fide();
    let found: Vec<(String, String)> = links(&variant, &material(name))
        .into_iter()
        .map(|link| (link.reason.text(&variant), link.target.material.name(&variant)))
        .collect();
    let expected: Vec<(String, String)> =
        expected.iter().map(|&(reason, to)| (reason.into(), to.into())).collect();
    assert_eq!(found, expected, "{name}");
}

#[test]
fn links_are_captures_promotions_and_both() {
    check_links("KQvK", &[("xQ", "KvK")]);
    check_links("KQvKR", &[("xQ", "KRvK"), ("xr", "KQvK")]);
    check_links("KNNvK", &[("xN", "KNvK")]);
    check_links("KPvK", &[("xP", "KvK"), ("P=Q", "KQvK"), ("P=R", "KRvK"), ("P=B", "KBvK"), ("P=N", "KNvK")]);
    // A pawn cannot be captured where the other side promotes.
    check_links(
        "KPvKP",
        &[
            ("xP", "KPvK"),
            ("xp", "KPvK"),
            ("P=Q", "KQvKP"),
            ("P=R", "KRvKP"),
            ("P=B", "KBvKP"),
            ("P=N", "KNvKP"),
            ("p=q", "KQvKP"),
            ("p=r", "KRvKP"),
            ("p=b", "KBvKP"),
            ("p=n", "KNvKP"),
        ],
    );
    check_links(
        "KRvKP",
        &[
            ("xR", "KPvK"),
            ("xp", "KRvK"),
            ("p=q", "KQvKR"),
            ("p=r", "KRvKR"),
            ("p=b", "KRvKB"),
            ("p=n", "KRvKN"),
            ("pxR=q", "KQvK"),
            ("pxR=r", "KRvK"),
            ("pxR=b", "KBvK"),
            ("pxR=n", "KNvK"),
        ],
    );
}

#[test]
fn six_men_are_planned_without_being_laid_out() {
    let plan = Plan::new(&fide(), &Request::UpTo(6)).expect("a plan");
    assert_eq!(plan.len(), 5 + 30 + 110 + 365);
    let job = plan.jobs().last().expect("a job");
    assert_eq!(job.name, "KPPvKPP");
    assert!(job.n_slices() > 500_000 && job.memory(&Fixed).total() > job.n_values());
}

/// Planning reports each table, and the largest one is found without a plan.
#[test]
fn the_largest_table_is_found_without_a_plan() {
    let variant = fide();
    for n_men in [3, 4, 5] {
        let plan = Plan::new(&variant, &Request::UpTo(n_men)).expect("a plan");
        let largest = largest(&variant, n_men).expect("a table");
        let of_plan = plan.jobs().find(|job| job.name == largest.name).expect("it is planned");
        assert_eq!(*of_plan, largest);
        let most = plan.jobs().map(Job::n_values).max();
        assert_eq!(most, Some(largest.n_values()), "{n_men} men: {}", largest.name);
    }
    assert_eq!(largest(&variant, 2), None);
}

#[test]
fn planning_reports_every_table() {
    let mut reports = Vec::new();
    let plan = Plan::watched(&fide(), &Request::UpTo(4), &mut |n_done, n_known| {
        reports.push((n_done, n_known));
    });
    assert_eq!(plan.map(|plan| plan.len()), Ok(35));
    assert_eq!(reports.last(), Some(&(70, 70)));
    assert!(reports.is_sorted_by_key(|report| report.0), "{reports:?}");
}

#[test]
fn work_is_summed_along_the_longest_way() {
    let plan = Plan::new(&fide(), &Request::Table(material("KQvKR"))).expect("a plan");
    let n: Vec<u64> = plan.jobs().map(Job::n_values).collect();
    assert_eq!(plan.remaining_work(), [n[0] + n[2], n[1] + n[2], n[2]]);
}

#[test]
fn picture_names_tables_and_reasons() {
    let variant = fide();
    let plan = Plan::new(&variant, &Request::Table(material("KQvKR"))).expect("a plan");
    let lines: Vec<String> = plan.to_dot(&variant).lines().map(|line| line.trim().to_owned()).collect();
    assert_eq!(
        lines,
        [
            "digraph {",
            "0 [ label=\"KQvK\" shape=box]",
            "1 [ label=\"KRvK\" shape=box]",
            "2 [ label=\"KQvKR\" shape=box]",
            "2 -> 0 [ label=\"xr\"]",
            "2 -> 1 [ label=\"xQ\"]",
            "}"
        ]
    );
}

#[track_caller]
fn check_part(from: &str, reasons: &[&str], to: &str, expected: Option<(&str, &str, u64)>) {
    let variant = fide();
    let (from, to) = (material(from), material(to));
    let links = links(&variant, &from).into_iter().filter(|link| link.target.material == to);
    let links = links.collect();
    let need = Need::new(&variant, &mut Sizes::new(&variant), to, links, false);
    assert_eq!(need.reasons.iter().map(|reason| reason.text(&variant)).collect::<Vec<_>>(), reasons);
    let part = need.part.as_ref().map(|part| {
        let man = format!("{} {}", part.man.side, variant.fen_letter(part.man));
        let squares: Vec<String> = part.squares.iter().map(|s| variant.board.name(s)).collect();
        (
            man,
            format!("{}-{}", squares[0], squares[squares.len() - 1]),
            part_bytes(&variant, &mut Sizes::new(&variant), &need.material, part, 6400),
        )
    });
    let expected = expected.map(|(man, squares, share)| (man.to_owned(), squares.to_owned(), share));
    assert_eq!(part, expected);
}

#[test]
fn promotions_lead_to_parts() {
    // One rank of eight where a pawn is left, all edges where none is; one side to move of two.
    check_part("KPPvKP", &["P=Q"], "KQPvKP", Some(("White Q", "a8-h8", 400)));
    check_part("KRPvKR", &["P=Q"], "KQRvKR", Some(("White Q", "a8-h8", 1400)));
    // Black's pawn, and a table in which that side is White.
    check_part("KPPvKP", &["p=q"], "KPPvKQ", Some(("Black q", "a1-h1", 400)));
    check_part("KRRvKP", &["p=q"], "KRRvKQ", Some(("Black q", "a1-h1", 1400)));
    check_part("KRNvKP", &["p=r"], "KRNvKR", Some(("Black r", "a1-h1", 1400)));
    check_part("KPvKP", &["P=Q", "p=q"], "KQvKP", None);
    check_part("KPPvKP", &["xP"], "KPvKP", None);
    check_part("KQPvKQP", &["P=Q", "p=q"], "KQQvKQP", Some(("White Q", "a8-h8", 400)));
    check_part("KQPvKRQ", &["p=r"], "KQRvKQR", None);
}

/// The sides to move that a table asks another for.
#[track_caller]
fn check_sides(name: &str, expected: &[(&str, &str)]) {
    let plan = Plan::new(&fide(), &Request::Table(material(name))).expect("a plan");
    let job = plan.jobs().last().expect("a job");
    let sides = |need: &Need| {
        let asked =
            [(Side::White, 'w'), (Side::Black, 'b')].into_iter().filter(|(side, _)| need.asks_for(*side));
        asked.map(|(_, letter)| letter).collect::<String>()
    };
    let found: Vec<(&str, String)> = job.needs.iter().map(|need| (need.name.as_str(), sides(need))).collect();
    let expected: Vec<(&str, String)> =
        expected.iter().map(|&(name, sides)| (name, sides.to_owned())).collect();
    assert_eq!(found, expected, "{name}");
}

#[test]
fn a_move_leads_to_the_other_side_to_move() {
    check_sides("KQvKR", &[("KQvK", "b"), ("KRvK", "b")]);
    // Promotions that capture; then Black's capture of the pawn, into a symmetric table, White's of the
    // rook, and Black's of the rook, with the colours exchanged; then promotions.
    check_sides(
        "KRPvKR",
        &[
            ("KQRvK", "b"),
            ("KRRvK", "b"),
            ("KRBvK", "b"),
            ("KRNvK", "b"),
            ("KRvKR", "w"),
            ("KRPvK", "b"),
            ("KRvKP", "b"),
            ("KQRvKR", "b"),
            ("KRRvKR", "b"),
            ("KRBvKR", "b"),
            ("KRNvKR", "b"),
        ],
    );
}

/// A footprint of fixed figures: solving takes most where a table is large.
struct Fixed;

impl Footprint for Fixed {
    fn solving(&self, job: &Job) -> Solving {
        Solving { codes: job.n_values(), planes: 100, exits: 20, batches: 3 }
    }

    fn writing(&self, job: &Job) -> u64 {
        if job.needs.is_empty() { 1000 } else { 50 }
    }

    fn reading(&self, need: &Need) -> u64 {
        7 * need.bytes()
    }
}

#[test]
fn memory_is_the_sum_of_its_parts() {
    let plan = Plan::new(&fide(), &Request::Table(material("KPPvKP"))).expect("a plan");
    let job = plan.jobs().last().expect("a job");
    let memory = job.memory(&Fixed);
    let (parts, whole): (Vec<&Need>, Vec<&Need>) = job.needs.iter().partition(|need| need.part.is_some());
    let bytes = |needs: &[&Need]| needs.iter().map(|need| need.bytes()).sum::<u64>();
    assert!(!parts.is_empty() && !whole.is_empty());
    assert_eq!((memory.whole_tables, memory.table_parts), (bytes(&whole), bytes(&parts)));
    assert_eq!(memory.part_reading, job.needs.iter().map(|need| 7 * need.bytes()).max().unwrap_or(0));
    assert_eq!(memory.total(), Memory::PROCESS_BYTES + memory.working() + bytes(&whole) + bytes(&parts));
}

#[track_caller]
fn check_working(memory: Memory, expected: u64) {
    assert_eq!(memory.working(), expected, "{memory:?}");
}

#[test]
fn steps_of_a_job_come_one_after_the_other() {
    let solving = Memory { own_codes: 1000, planes: 100, exits: 20, batches: 3, ..Memory::default() };
    check_working(solving, 1123);
    check_working(Memory { file_buffers: 122, ..solving }, 1123);
    check_working(Memory { file_buffers: 200, ..solving }, 1200);
    check_working(Memory { part_reading: 1122, ..solving }, 1123);
    check_working(Memory { part_reading: 2000, ..solving }, 2000);
}

/// Checks the estimated sum of the files of all tables up to `n_men` men.
///
/// Units: millions of bytes.
#[track_caller]
fn check_disk(n_men: usize, measured: f64) {
    let plan = Plan::new(&fide(), &Request::UpTo(n_men)).expect("a plan");
    let estimate = plan.jobs().map(Job::disk_bytes).sum::<u64>() as f64 / 1e6;
    assert!((estimate / measured - 1.0).abs() < 0.15, "{n_men} men: {estimate} MB, measured {measured} MB");
}

#[test]
fn estimates_of_files_are_near_what_was_measured() {
    check_disk(4, 27.4);
    check_disk(5, 7088.7);
}

/// The sum of the files of chess up to five men, those of five of one side to move, packed by a model.
#[test]
fn estimates_of_small_files_are_near_what_was_measured() {
    let plan = Plan::new(&fide(), &Request::UpTo(5)).expect("a plan");
    let quick = |job: &Job| if job.material.n_men() == 5 { job.side_disk_bytes() } else { job.disk_bytes() };
    let estimate = plan.jobs().map(|job| job.small_bytes(quick(job))).sum::<u64>() as f64 / 1e6;
    assert!((estimate / 1802.6 - 1.0).abs() < 0.05, "{estimate} MB");
}

#[test]
fn endings_have_their_classes() {
    let variant = Variant::chess();
    let class = |name: &str| {
        let material = Material::parse(&variant, name).unwrap();
        let plan = Plan::new(&variant, &Request::Tables(vec![material.clone(), material.clone()])).unwrap();
        let place = plan.jobs().position(|job| job.material == material).expect("it is in the plan");
        // One minor piece cannot mate; what is not asked of three men is not known.
        let is_trivial = |material: &Material| {
            let letters = material.name(&variant);
            (material.n_men() == 3).then(|| letters.contains('B') || letters.contains('N'))
        };
        plan.classes(&variant, &is_trivial)[place].to_string()
    };
    for (name, expected) in [
        ("KQvK", "simple"),
        ("KRvK", "simple"),
        ("KBvK", "trivial"),
        ("KNvK", "trivial"),
        ("KQvKR", "2-simple"),
        ("KRBvK", "2-simple"),
        ("KRBvKR", "3-simple"),
        ("KRBvKN", "3-simple"),
        ("KBBvK", "?"),
        ("KNNvK", "?"),
        ("KBvKN", "?"),
        ("KBBvKN", "?"),
        ("KQvKB", "2-simple"),
        ("KPvK", "complex"),
    ] {
        assert_eq!(class(name), expected, "{name}");
    }
}
