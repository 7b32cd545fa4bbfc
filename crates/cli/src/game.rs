//! Finds the rules of the game that a command is about, and plans its tables.

use crate::args::Wanted;
use crate::planning::Planning;
use crate::{Failure, fault};
use ::plan::{Plan, Request};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use variant::{LoadError, Material, Variant};

/// A game and the file that its rules come from, as a person would type it.
pub(crate) struct Game {
    pub(crate) variant: Variant,
    pub(crate) path: PathBuf,
}

impl Game {
    /// The material of this name, with the colours as tables have them.
    pub(crate) fn material(&self, name: &str) -> Result<Material, Failure> {
        let material = Material::parse(&self.variant, name).map_err(Failure::new)?;
        Ok(material.canonical(&self.variant))
    }

    /// The rules in this file; all faults if there are any.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        match Variant::load(path) {
            Ok(variant) => Ok(Game { variant, path: path.into() }),
            Err(LoadError::Faults(report)) => {
                Err(Failure::Message(fault::draw(&report, std::io::stderr().is_terminal())))
            }
            Err(error) => Err(Failure::new(error)),
        }
    }

    /// The rules in this file if one is given; otherwise those of the variant of this name: from `variants`,
    /// or built in.
    pub(crate) fn find(given: Option<&Path>, name: &str) -> Result<Self, Failure> {
        if let Some(path) = given {
            return Game::load(path);
        }
        let path = Path::new("variants").join(name).with_extension("toml");
        if path.exists() {
            return Game::load(&path);
        }
        // Chess is built in, for a binary that is installed without its source tree.
        let chess = Variant::chess();
        if chess.name == name {
            return Ok(Game { variant: chess, path });
        }
        let path = path.display();
        Err(Failure::new(format!("there is no {path}; give the rules of `{name}` with --variant FILE")))
    }

    /// Where the tables of the game are, unless something else is said.
    pub(crate) fn tables(&self, given: Option<&Path>) -> PathBuf {
        given.map_or_else(|| Path::new("tables").join(&self.variant.name), Path::to_path_buf)
    }

    /// The tables that are wanted.
    pub(crate) fn request(&self, wanted: &Wanted) -> Result<Request, Failure> {
        Ok(match &wanted.table {
            Some(name) => Request::Table(Material::parse(&self.variant, name).map_err(Failure::new)?),
            None => Request::UpTo(wanted.men.unwrap_or(self.variant.men_limit)),
        })
    }

    /// The plan of the tables that are wanted; somebody who watches sees how far it is.
    pub(crate) fn plan(&self, request: &Request, planning: &mut Planning) -> Result<Plan, Failure> {
        let plan = Plan::watched(&self.variant, request, &mut |n_done, n_known| {
            planning.step(n_done, n_known);
        });
        plan.map_err(Failure::new)
    }
}
