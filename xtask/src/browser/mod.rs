//! Tests the explorer in a real browser, and keeps pictures of it.
//!
//! It needs Chromium and its driver, which Debian has as `chromium` and `chromium-driver`; without them it
//! says so. The program is built in the profile of this one. What is done and seen stands in
//! `explorer.steps`.

mod driver;
mod explorer;

use crate::program::{find, tablesmith};
use crate::root;
use driver::Browser;
use explorer::Explorer;
use serde_json::json;
use std::path::PathBuf;

/// The tests.
const STEPS: &str = include_str!("explorer.steps");

/// A desk's window and a phone's.
const DESK: (u32, u32) = (1280, 800);
const PHONE: (u32, u32) = (390, 844);

/// The names under which Chromium is installed.
const CHROMIUM: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Runs all tests; whether all have passed.
///
/// # Errors
/// The browser is not there, or the explorer cannot be started.
pub(crate) fn run() -> Result<bool, String> {
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
    let server = Explorer::start(&tablesmith()?, &pictures)?;
    let test = Test { browser: Browser::new(&driver, &chromium)?, url: server.url.clone(), pictures };
    let (mut n_passed, mut n_failed) = (0, 0);
    for (name, lines) in sections('=') {
        let tested =
            lines.iter().try_for_each(|line| test.act(line).map_err(|error| format!("{line}: {error}")));
        let tested = match test.browser.script_errors()? {
            errors if errors.is_empty() => tested,
            errors => tested.and(Err(errors.join("\n"))),
        };
        match tested {
            Ok(()) => {
                n_passed += 1;
                println!("ok: {name}");
            }
            Err(error) => {
                n_failed += 1;
                drop(test.browser.picture(&test.pictures.join("failed.png")));
                println!("FAILED: {name}: {error}");
            }
        }
    }
    println!("{n_passed} passed, {n_failed} failed; pictures are in {}", test.pictures.display());
    Ok(n_failed == 0 && n_passed > 0)
}

/// The parts of the tests that begin with this mark: their names and their lines.
fn sections(mark: char) -> Vec<(&'static str, Vec<&'static str>)> {
    let blocks = STEPS.split("\n\n").filter_map(|block| {
        let mut lines = block.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        Some((lines.next()?.strip_prefix(mark)?.trim(), lines.collect()))
    });
    blocks.collect()
}

/// A browser at an explorer.
struct Test {
    browser: Browser,
    url: String,
    pictures: PathBuf,
}

impl Test {
    /// Does what a line says.
    fn act(&self, line: &str) -> Result<(), String> {
        let (word, text) = line.split_once(' ').ok_or("a line is a command and its argument")?;
        let (first, second) = text.split_once(" ->").unwrap_or((text, ""));
        let second = second.trim();
        match word {
            "open" => self.browser.open(&format!("{}?{text}", self.url)),
            "value" => self
                .browser
                .wait(&format!("document.querySelector('#value').textContent.includes({})", json!(text))),
            "wait" => self.browser.wait(text),
            "script" => self.browser.script(text).map(drop),
            "click" => self.browser.drag(text, None),
            "drag" => self.browser.drag(first, Some(second)),
            "press" => self.browser.press(text),
            "search" => self.search(first, second),
            "remedy" => self.browser.wait(&format!(
                "((code) => code.includes('solve ') && code.includes('fide') && code.includes(' --out ') && \
                 code.endsWith({}))(document.querySelector('{first} code').textContent)",
                json!(format!(" --table {second} --metric dtm"))
            )),
            "window" => self.resize(text),
            "colours" => {
                let features = json!([{ "name": "prefers-color-scheme", "value": text }]);
                self.browser.command("Emulation.setEmulatedMedia", &json!({ "features": features }))
            }
            "picture" => self.browser.picture(&self.pictures.join(text)),
            "pictures" => self.take_pictures(text),
            "do" => {
                let lines = sections('~').into_iter().find(|(name, _)| *name == text);
                lines.ok_or("no such lines")?.1.iter().try_for_each(|line| self.act(line))
            }
            _ => Err("no such command".into()),
        }
    }

    /// Makes the window as large as a desk's or a phone's, or as it was.
    fn resize(&self, name: &str) -> Result<(), String> {
        let ((width, height), factor) = match name {
            "desk" => (DESK, 1),
            "phone" => (PHONE, 2),
            _ => return self.browser.command("Emulation.clearDeviceMetricsOverride", &json!({})),
        };
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": factor, "mobile": factor == 2 });
        self.browser.command("Emulation.setDeviceMetricsOverride", &size)
    }

    /// Takes a picture of the page at a desk's size and at a phone's, in which nothing lies beside the
    /// window.
    fn take_pictures(&self, name: &str) -> Result<(), String> {
        for (of, (width, _)) in [("desk", DESK), ("phone", PHONE)] {
            self.resize(of)?;
            self.browser.wait(&format!("document.documentElement.scrollWidth <= {width}"))?;
            self.browser.picture(&self.pictures.join(format!("{name}-{of}.png")))?;
        }
        self.resize("free")
    }

    /// Types into the search of the tables, and waits for what it shows.
    fn search(&self, text: &str, expected: &str) -> Result<(), String> {
        self.browser.script(&format!(
            "const search = document.querySelector('#search'); search.value = {}; search.oninput()",
            json!(text)
        ))?;
        self.browser.wait(&format!(
            "[...new Set([...document.querySelectorAll('#tables tbody tr')].map((row) => \
             row.cells[0].textContent))].sort().join(' ') === {}",
            json!(expected)
        ))
    }
}
