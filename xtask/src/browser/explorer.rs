//! Runs the explorer that the browser looks at, with the tables and games that its tests ask for.

use crate::program::succeed;
use crate::root;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running explorer; it ends with this value.
pub(super) struct Explorer {
    program: Child,
    pub(super) url: String,
}

impl Explorer {
    /// Starts it with the tables of three men and two of four of chess, with atomic, whose name comes before,
    /// and with a game on ten by ten squares.
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self, String> {
        let (tables, large) = (folder.join("tables"), folder.join("large.toml"));
        drop(std::fs::remove_file(&large));
        for (args, out) in [
            ("solve variants/fide.toml --men 3 --out", &tables),
            ("solve variants/fide.toml --table KRvKN --metric wdl,dtz50 --out", &tables),
            ("new-variant large --board 10x10 --out", &large),
        ] {
            let mut command = Command::new(program);
            command
                .args(args.split(' '))
                .arg(out)
                .current_dir(root())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            succeed(&mut command)?;
        }
        let mut program = Command::new(program)
            .args(["explore", "--port", "0", "--tables"])
            .arg(&tables)
            .arg("--variant")
            .arg(&large)
            .arg("--variant")
            .arg(root().join("variants/atomic.toml"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start the explorer: {error}"))?;
        let mut url = String::new();
        if let Some(out) = program.stdout.take() {
            BufReader::new(out)
                .read_line(&mut url)
                .map_err(|error| format!("the explorer says nothing: {error}"))?;
        }
        Ok(Explorer { program, url: url.trim().to_owned() })
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        drop(self.program.kill());
        drop(self.program.wait());
    }
}
