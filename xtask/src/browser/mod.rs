//! Tests the explorer in a real browser, and keeps pictures of it.
//!
//! It needs Chromium and its driver, which Debian has as `chromium` and `chromium-driver`; without them it
//! says so. The program is built in the profile of this one.

mod driver;
mod explorer;

use crate::program::{build, find};
use crate::root;
use driver::Browser;
use explorer::Explorer;
use serde_json::json;
use std::path::PathBuf;

const PROMOTION: &str = "8/P7/8/8/8/4k3/8/4K3_w_-_-_0_1";

/// A desk's window and a phone's.
const DESK: (u32, u32) = (1280, 800);
const PHONE: (u32, u32) = (390, 844);

const MATE_IN_5: &str = "8/8/8/8/8/4k3/8/4K2Q_w_-_-_0_1";

/// The keys that have no letter, as WebDriver numbers them.
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const LEFT: &str = "\u{e012}";
const UP: &str = "\u{e013}";

/// The names under which Chromium is installed.
const CHROMIUM: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A step of the test: what it shows, and what is done.
type Step = (&'static str, fn(&Test) -> Result<(), String>);

/// Runs all tests; whether all have passed.
///
/// # Errors
/// The browser is not there, or the explorer cannot be started.
pub fn run(say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let not_here = |what: &str| {
        format!(
            "{what} is not installed, so the explorer was not tested (Debian: apt-get install chromium chromium-driver)"
        )
    };
    let driver = find(&["chromedriver"]).ok_or_else(|| not_here("chromedriver"))?;
    let chromium = find(&CHROMIUM).ok_or_else(|| not_here("Chromium"))?;
    let pictures = root().join("target/browser");
    std::fs::create_dir_all(&pictures)
        .map_err(|error| format!("cannot make {}: {error}", pictures.display()))?;
    let program = build()?;
    let server = Explorer::start(&program, &pictures)?;
    let browser = Browser::new(&driver, &chromium)?;
    let test = Test { browser, url: server.url.clone(), pictures };
    let steps: [Step; 16] = [
        ("a position shows its value, its moves and its line", Test::position),
        ("a man is dragged, and back leads back", Test::drag),
        ("a line is followed to the mate", Test::line),
        ("a slow answer is waited for", Test::slow),
        ("the keyboard plays a move", Test::keyboard),
        ("a choice of promotions is left", Test::promotion),
        ("a position is edited, and its table solved", Test::edit),
        ("castling rights stay with their men", Test::rights),
        ("a missing table names its command", Test::missing),
        ("chess is the game that no address names", Test::unnamed_game),
        ("a wrong FEN and a missing table are reported", Test::refusals),
        ("a board of ten by ten is played on", Test::large_board),
        ("tables are searched, sorted and opened", Test::tables),
        ("bare kings have no chart", Test::bare_kings),
        ("pieces are drawn", Test::pieces),
        ("a phone shows all of it", Test::phone),
    ];
    let mut n_failed = 0;
    for (name, step) in steps {
        let errors = || -> Result<(), String> {
            let errors = test.browser.script_errors()?;
            if errors.is_empty() { Ok(()) } else { Err(errors.join("\n")) }
        };
        match step(&test).and_then(|()| errors()) {
            Ok(()) => say(&format!("ok: {name}")),
            Err(error) => {
                n_failed += 1;
                drop(test.browser.picture(&test.pictures.join("failed.png")));
                say(&format!("FAILED: {name}: {error}"));
            }
        }
    }
    say(&format!("{} passed, {n_failed} failed", steps.len() - n_failed));
    say(&format!("pictures are in {}", test.pictures.display()));
    Ok(n_failed == 0)
}

/// A browser at an explorer.
struct Test {
    browser: Browser,
    url: String,
    pictures: PathBuf,
}

impl Test {
    fn open(&self, query: &str) -> Result<(), String> {
        self.browser.open(&format!("{}?{query}", self.url))
    }

    fn value(&self, text: &str) -> Result<(), String> {
        self.browser.wait(&format!("document.querySelector('#value').textContent.includes({})", json!(text)))
    }

    fn picture(&self, name: &str) -> Result<(), String> {
        self.browser.picture(&self.pictures.join(name))
    }

    /// Makes the window as large as a desk's or a phone's.
    fn resize(&self, (width, height): (u32, u32)) -> Result<(), String> {
        let (factor, is_phone) = if width < DESK.0 { (2, true) } else { (1, false) };
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": factor, "mobile": is_phone });
        self.browser.command("Emulation.setDeviceMetricsOverride", &size).map(drop)
    }

    /// Takes a picture of the page at a desk's size and at a phone's, in which nothing lies beside the
    /// window.
    fn pictures(&self, name: &str) -> Result<(), String> {
        for (size, of) in [(DESK, "desk"), (PHONE, "phone")] {
            self.resize(size)?;
            self.browser.wait(&format!("document.documentElement.scrollWidth <= {}", size.0))?;
            self.picture(&format!("{name}-{of}.png"))?;
        }
        self.browser.command("Emulation.clearDeviceMetricsOverride", &json!({})).map(drop)
    }

    /// Types into the search of the tables, and waits for what it shows.
    fn search(&self, text: &str, expected: &[&str]) -> Result<(), String> {
        self.browser.script(&format!(
            "const search = document.querySelector('#search'); search.value = {}; search.oninput()",
            json!(text)
        ))?;
        self.browser.wait(&format!(
            "JSON.stringify([...new Set([...document.querySelectorAll('#tables tbody tr')].map((row) => row.cells[0].textContent))].sort()) === JSON.stringify({})",
            json!(expected)
        ))
    }

    fn position(&self) -> Result<(), String> {
        self.open(&format!("game=fide&fen={MATE_IN_5}"))?;
        self.value("White mates in 5 moves, 9 plies")?;
        self.browser.wait("document.querySelectorAll('.move').length === 18")?;
        self.browser.wait("document.querySelectorAll('.group.win .move').length === 16")?;
        self.browser.wait("document.querySelectorAll('#line button').length === 9")?;
        self.browser.wait("document.querySelectorAll('.arrows g').length === 1")?;
        self.browser
            .wait("document.querySelectorAll('[role=grid] > [role=row] > [role=gridcell]').length === 64")?;
        self.browser.wait(
            "document.querySelector('[data-square=h1]').getAttribute('aria-label') === 'h1, white queen'",
        )?;
        self.picture("board.png")?;
        let dark = json!({ "features": [{ "name": "prefers-color-scheme", "value": "dark" }] });
        self.browser.command("Emulation.setEmulatedMedia", &dark)?;
        self.picture("dark.png")?;
        self.browser.command("Emulation.setEmulatedMedia", &json!({ "features": [] })).map(drop)
    }

    fn drag(&self) -> Result<(), String> {
        self.browser.drag("[data-square=h1]", "[data-square=d5]")?;
        self.value("Black is mated in 4 moves, 8 plies")?;
        self.browser.wait("location.search.includes('8/8/8/3Q4/8/4k3/8/4K3_b')")?;
        // A square to which no move leads changes nothing.
        self.browser.drag("[data-square=e3]", "[data-square=e8]")?;
        self.value("Black is mated in 4 moves, 8 plies")?;
        self.browser.script("history.back()")?;
        self.value("White mates in 5 moves, 9 plies")?;
        self.browser.script("history.forward()")?;
        self.value("Black is mated in 4 moves, 8 plies")
    }

    fn line(&self) -> Result<(), String> {
        self.open(&format!("game=fide&fen={MATE_IN_5}"))?;
        self.browser.wait("document.querySelectorAll('#line button').length === 9")?;
        for at in 1..=9 {
            self.browser.press(&["n"])?;
            self.browser
                .wait(&format!("document.querySelector('#line [aria-current]').dataset.at === '{at}'"))?;
        }
        self.value("Checkmate: White has won")?;
        self.browser.press(&["p"])?;
        self.value("White mates in 1 move, 1 ply")
    }

    fn slow(&self) -> Result<(), String> {
        self.open(&format!("game=fide&fen={MATE_IN_5}"))?;
        self.value("White mates in 5 moves")?;
        self.browser.script(
            "const own = window.fetch; window.fetch = async (...args) => { await new Promise((go) => { window.answer = go; }); return own(...args); }",
        )?;
        self.browser.click(".move[data-uci=h1d5]")?;
        // The board shows the position, and nothing of the one before can be taken for its value.
        self.browser.wait("document.querySelector('[data-square=d5]').dataset.man === 'Q'")?;
        self.value("…")?;
        self.browser.wait("document.querySelector('#moves').inert")?;
        self.browser.wait("document.querySelector('#status').textContent.startsWith('Looking it up')")?;
        self.browser.script("window.answer()")?;
        self.value("Black is mated in 4 moves, 8 plies")?;
        self.browser.wait("!document.querySelector('#moves').inert")?;
        // All best moves have their arrows again when the mouse has left the list.
        self.open("game=fide&fen=8/8/8/8/8/4k3/8/4K3_w_-_-_0_1")?;
        self.value("Draw")?;
        self.browser.wait("document.querySelectorAll('.arrows g').length > 1")?;
        self.browser.script("window.n = document.querySelectorAll('.arrows g').length; document.querySelector('.move').dispatchEvent(new MouseEvent('mouseenter'))")?;
        self.browser.wait("document.querySelectorAll('.arrows g').length === 1")?;
        self.browser
            .script("document.querySelector('#moves').dispatchEvent(new MouseEvent('mouseleave'))")?;
        self.browser.wait("document.querySelectorAll('.arrows g').length === window.n")
    }

    fn keyboard(&self) -> Result<(), String> {
        self.open(&format!("game=fide&fen={MATE_IN_5}"))?;
        self.value("White mates in 5 moves")?;
        self.browser.script("document.querySelector('[data-square=h1]').focus()")?;
        self.browser.click("[data-square=h1]")?;
        self.browser.wait("document.querySelector('[data-square=d5]').classList.contains('target')")?;
        self.browser.press(&[UP, UP, UP, UP, LEFT, LEFT, LEFT, LEFT, ENTER])?;
        self.value("Black is mated in 4 moves, 8 plies")?;
        self.browser.press(&["f"])?;
        self.browser.wait("document.querySelector('.board .square').dataset.square === 'h1'")
    }

    fn promotion(&self) -> Result<(), String> {
        let fen = PROMOTION.replace('_', " ");
        self.open(&format!("game=fide&fen={PROMOTION}"))?;
        self.value("White mates")?;
        let choose = || -> Result<(), String> {
            self.browser.click("[data-square=a7]")?;
            self.browser.click("[data-square=a8]")?;
            self.browser.wait("document.querySelector('#choose').open")
        };
        let left = || -> Result<(), String> {
            self.browser.wait("!document.querySelector('#choose').open")?;
            self.browser.wait(&format!("document.querySelector('#fen').value === {}", json!(fen)))?;
            self.browser.wait("document.activeElement.closest('#board') !== null")?;
            self.browser.wait("document.querySelectorAll('.target').length === 0")
        };
        choose()?;
        self.pictures("promotion")?;
        self.browser.press(&[ESCAPE])?;
        left()?;
        choose()?;
        self.browser.click("h1")?;
        left()?;
        choose()?;
        self.browser.click("#choose .leave")?;
        left()?;
        // A man that is dragged there asks too.
        self.browser.drag("[data-square=a7]", "[data-square=a8]")?;
        self.browser.wait("document.querySelector('#choose').open")?;
        self.browser.press(&[ESCAPE])?;
        left()?;
        choose()?;
        self.browser.click("#choose button[value=a7a8r]")?;
        self.browser.wait("document.querySelector('[data-square=a8]').dataset.man === 'R'")
    }

    fn rights(&self) -> Result<(), String> {
        self.open("game=fide&fen=4k2r/8/8/8/8/8/8/R3K3_w_Qk_-_0_1")?;
        self.browser.wait("document.querySelector('#moves [data-uci=e1c1]')")?;
        self.browser.press(&["e"])?;
        self.browser.click("#stm")?;
        self.browser.wait("document.querySelector('#fen').value.includes(' b Qk ')")?;
        self.browser.wait("document.querySelector('#moves [data-uci=e8g8]')")?;
        // Another man changes nothing; with the rook its right goes, and that is said.
        self.browser.click("#palette [data-man=N]")?;
        self.browser.click("[data-square=g1]")?;
        self.browser.wait("document.querySelector('#fen').value === '4k2r/8/8/8/8/8/8/R3K1N1 b Qk - 0 1'")?;
        self.browser.drag("[data-square=h8]", "[data-square=h7]")?;
        self.browser.wait("document.querySelector('#fen').value === '4k3/7r/8/8/8/8/8/R3K1N1 b Q - 0 1'")?;
        self.browser.wait(
            "document.querySelector('#status').textContent === 'The castling right k went with the men.'",
        )?;
        self.pictures("rights")?;
        self.browser.press(&["e"])
    }

    fn missing(&self) -> Result<(), String> {
        let command = |table: &str| format!(" --table {table} --metric dtm");
        let is_named = |place: &str, table: &str| {
            format!(
                "((code) => code.includes('solve ') && code.includes('fide') && code.includes(' --out ') && code.endsWith({}))(document.querySelector('{place} code').textContent)",
                json!(command(table))
            )
        };
        self.open("game=fide&fen=8/8/2nn4/8/8/4k3/8/4K2Q_w_-_-_0_1")?;
        self.value("Not known: the table KNNvKQ")?;
        self.browser.wait(&is_named("#source", "KNNvKQ"))?;
        self.pictures("missing")?;
        self.open("game=fide&table=KRBvKN")?;
        self.browser.wait(&is_named("#table-body", "KRBvKN"))
    }

    fn unnamed_game(&self) -> Result<(), String> {
        // Atomic comes first by its name, and has a draw here.
        self.open(&format!("fen={MATE_IN_5}"))?;
        self.value("White mates in 5 moves, 9 plies")?;
        self.browser.wait("document.querySelector('#game').value === 'fide'")?;
        self.browser.wait("[...document.querySelectorAll('#game option')].map(({ value }) => value).join() === 'fide,atomic,large'")
    }

    fn bare_kings(&self) -> Result<(), String> {
        self.open("game=fide&table=KvK")?;
        self.browser.wait("document.querySelector('#table-body').textContent.includes('No chart: no distances are counted here.')")?;
        self.browser.wait("document.querySelector('#examples p').textContent === 'None.'")?;
        self.pictures("bare-kings")?;
        // Nothing was asked for that is not there.
        self.browser.wait("performance.getEntriesByType('resource').length > 3")?;
        self.browser.wait(
            "performance.getEntriesByType('resource').every(({ responseStatus }) => responseStatus === 200)",
        )
    }

    fn edit(&self) -> Result<(), String> {
        self.open(&format!("game=fide&fen={MATE_IN_5}"))?;
        self.value("White mates in 5 moves")?;
        self.browser.press(&["e"])?;
        self.browser.click("#palette [data-man=r]")?;
        self.browser.click("[data-square=b6]")?;
        self.browser.wait("document.querySelector('#source').textContent.includes('solved just now')")?;
        self.browser.wait("document.querySelector('#fen').value.startsWith('8/8/1r6/8/8/4k3/8/4K2Q')")?;
        self.browser.drag("[data-square=b6]", "#fen")?;
        self.value("White mates in 5 moves")?;
        self.browser.click("#stm")?;
        self.value("Black is mated")?;
        self.picture("edit.png")?;
        self.browser.click("#edit")?;
        self.browser.wait("document.querySelector('#palette').hidden")?;
        // What was there before stays in the history.
        self.browser.script("history.back()")?;
        self.value("White mates in 5 moves")
    }

    fn refusals(&self) -> Result<(), String> {
        self.browser.script("document.querySelector('#fen').value = '8/8/8 w'; document.querySelector('#fen-form').requestSubmit()")?;
        self.browser
            .wait("document.querySelector('#status.error').textContent.startsWith('Not a position')")?;
        self.open("game=fide&fen=8/8/8/8/8/3kq3/8/4K2Q_b_-_-_0_1")?;
        self.browser.wait("document.querySelector('#status.error').textContent.startsWith('Illegal')")?;
        self.open("game=fide&fen=8/8/2nn4/8/8/4k3/8/4K2Q_w_-_-_0_1")?;
        self.value("Not known: the table KNNvKQ")?;
        self.browser.wait("document.querySelectorAll('.group.unknown .move').length > 3")?;
        self.open("game=nowhere")?;
        self.browser.wait(
            "document.querySelector('#status.error').textContent.startsWith('There is no game nowhere here; there are')",
        )?;
        self.browser.wait("document.querySelector('#view-board').hidden")?;
        self.browser.script("document.querySelector('#home').click()")?;
        self.browser.wait("document.querySelectorAll('.move').length > 3")
    }

    fn large_board(&self) -> Result<(), String> {
        self.open("game=large")?;
        self.browser.wait("document.querySelectorAll('#board [data-square]').length === 100")?;
        self.browser.wait("document.querySelectorAll('.move').length > 3")?;
        self.picture("ten-by-ten.png")?;
        self.browser.script("document.querySelector('.move').click()")?;
        self.browser.wait("new URLSearchParams(location.search).get('fen').includes('_b_')")?;
        self.browser.wait("document.querySelector('#source').textContent.includes('solved just now')")
    }

    fn tables(&self) -> Result<(), String> {
        self.open("game=fide&view=tables")?;
        self.browser.wait("document.querySelectorAll('#tables tbody tr').length > 5")?;
        self.search("5 men", &[])?;
        self.search("3 men", &["KBvK", "KNvK", "KPvK", "KQvK", "KRvK"])?;
        for typed in ["krkn", "KNvKR", "knkr", "KRvKN"] {
            self.search(typed, &["KRvKN"])?;
        }
        self.search("KR*", &["KRvK", "KRvKN"])?;
        self.pictures("search")?;
        self.search("k?vk dtz50", &["KNvK", "KRvK"])?;
        self.search("4 men wdl", &["KRvKN"])?;
        self.search("dtm", &["KBvK", "KNvK", "KPvK", "KQvK", "KRvK"])?;
        self.browser.script("document.querySelector('[data-sort=longest]').click()")?;
        self.browser.wait("document.querySelector('#tables tbody td').textContent === 'KPvK'")?;
        self.search("kq", &["KQvK"])?;
        self.browser.script("document.querySelector('#tables tbody a').click()")?;
        self.browser.wait("document.querySelector('#table-title').textContent === 'KQvK, dtm'")?;
        self.browser.wait(
            "document.querySelector('.chart').complete && document.querySelector('.chart').naturalWidth > 0",
        )?;
        self.browser.wait("document.querySelectorAll('.boards').length === 2")?;
        self.browser.script("document.querySelector('.boards a').click()")?;
        self.value("White mates in 10 moves, 19 plies")?;
        // Several longest wins and zugzwangs; another metric is solved when somebody chooses it.
        self.open("game=fide&table=KPvK")?;
        self.browser.wait("document.querySelectorAll('#examples .boards').length === 3")?;
        self.browser.wait(
            "[...document.querySelectorAll('#examples .boards')].pop().querySelectorAll('a').length === 12",
        )?;
        self.picture("table.png")?;
        self.browser.script(
            "const metric = document.querySelector('#table-metric'); metric.value = 'dtz50'; metric.dispatchEvent(new Event('change'))",
        )?;
        self.browser.wait("document.querySelector('#table-title').textContent === 'KPvK, dtz50'")?;
        self.browser.wait("document.querySelectorAll('#examples .boards').length === 3")?;
        self.browser.script("document.querySelector('a[href*=\"piece=P\"]').click()")?;
        self.browser.wait("document.querySelector('#piece-P').getBoundingClientRect().top < innerHeight")
    }

    fn pieces(&self) -> Result<(), String> {
        self.open("game=fide&view=pieces")?;
        self.browser.wait("document.querySelectorAll('.pieces article').length === 6")?;
        self.browser.wait(
            "document.querySelectorAll('.pieces .diagram')[1].querySelectorAll('.reach').length >= 20",
        )?;
        self.picture("pieces.png")
    }

    fn phone(&self) -> Result<(), String> {
        self.resize(PHONE)?;
        for query in [
            format!("game=fide&fen={MATE_IN_5}"),
            "game=fide&view=tables".into(),
            "game=fide&table=KQvK".into(),
            "game=fide&view=pieces".into(),
        ] {
            self.open(&query)?;
            self.browser.wait("!document.body.hasAttribute('aria-busy') && document.querySelector('#game').value === 'fide'")?;
            self.browser.wait("document.documentElement.scrollWidth <= 390")?;
        }
        // Counts are whole, and the chart's letters as large as those of the page.
        self.open("game=fide&table=KPvK")?;
        self.browser.wait("document.querySelector('.chart').naturalWidth > 0")?;
        self.browser.wait("((chart) => chart.getBoundingClientRect().width >= 0.95 * chart.naturalWidth)(document.querySelector('.chart'))")?;
        self.browser.wait("[...document.querySelectorAll('.counts td')].every((cell) => cell.getBoundingClientRect().right <= 390)")?;
        self.browser.wait("document.querySelectorAll('#examples .boards').length === 3")?;
        self.picture("phone-table.png")?;
        self.browser.script("document.querySelector('.chart').scrollIntoView({ block: 'center' })")?;
        self.picture("phone-chart.png")?;
        self.open(&format!("game=fide&fen={MATE_IN_5}"))?;
        self.value("White mates in 5 moves")?;
        self.browser.drag("[data-square=h1]", "[data-square=d5]")?;
        self.value("Black is mated in 4 moves, 8 plies")?;
        self.picture("phone.png")?;
        self.browser.command("Emulation.clearDeviceMetricsOverride", &json!({})).map(drop)
    }
}
