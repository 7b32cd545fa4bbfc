//! Runs `cargo xtask browser`: tests the explorer in a real browser, and keeps pictures of it. Opens the
//! book of `docs`, too, if `packaging/book.sh` has built it.
//!
//! It needs Chromium and its driver, which Debian has as `chromium` and `chromium-driver`, and Selenium,
//! which is installed in a virtual environment under `target/browser`; without them it says so. The program
//! is built in the profile of this one. What is done and seen stands in `xtask/browser`.

use crate::interpreter::Python;
use crate::program::{find, is_yes, tablesmith};
use crate::root;
use anyhow::{Context, Result};

/// The names under which the driver and Chromium are installed.
const DRIVER: &[&str] = &["chromedriver"];
const CHROMIUM: &[&str] = &["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Runs all tests; whether all have passed.
///
/// # Errors
/// The browser is not there, or the program cannot be built.
pub(crate) fn run() -> Result<bool> {
    let installed = |names: &[&str]| {
        find(names).with_context(|| {
            format!(
                "{} is not installed, so the explorer was not tested (Debian: apt-get install chromium \
                 chromium-driver)",
                names[0]
            )
        })
    };
    let (driver, chromium) = (installed(DRIVER)?, installed(CHROMIUM)?);
    let folder = root().join("target/browser");
    fs_err::create_dir_all(&folder)?;
    let python = Python::with_packages(&folder.join("venv"), &["selenium"])?;
    let mut test = python.command();
    test.args([&root().join("xtask/browser/explorer.py"), &driver, &chromium, &tablesmith()?, &folder]);
    is_yes(test.current_dir(root()))
}
