//! Reads sections, and gathers what holds for a game: its own settings and those it begins with.

use super::refusal::Refusal;
use crate::file::visible;
use std::collections::BTreeSet;
use std::fmt;

/// The built-in games that a section may begin with.
const BUILT_IN: &str = include_str!("games.ini");

/// The most sections that one game may begin with, one by way of another.
const MOST_PARENTS: usize = 32;

/// A line that says nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IniFault {
    /// Its number, from 1 on.
    pub line: usize,
    /// What is wrong, and what to write.
    pub what: String,
}

/// Every line of a file that says nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct IniError {
    /// The lines, in their order.
    pub faults: Vec<IniFault>,
}

impl fmt::Display for IniError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |fault: &IniFault| format!("line {}: {}", fault.line, fault.what);
        f.write_str(&self.faults.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}

/// A section.
#[derive(Debug)]
struct Section {
    name: String,
    parent: Option<String>,
    line: usize,
    own: Layer,
}

/// What one section says, by key and in the order of its lines; of a key that stands twice the last counts.
pub(super) type Layer = Vec<(String, Setting)>;

/// A value, and where it is written: `line 12`, or the name of a built-in game.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) value: String,
    pub(super) origin: String,
}

/// What holds for a game.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    /// What it begins with, the nearest first.
    pub(super) parents: Vec<&'a str>,
    /// The line of its section.
    pub(super) line: usize,
    /// The sections from what it begins with to its own.
    pub(super) layers: Vec<&'a Layer>,
    /// Whether it begins with no built-in game.
    pub(super) is_all_own: bool,
}

impl<'a> Settings<'a> {
    /// What holds of a key: the last one of all sections.
    pub(super) fn get(&self, key: &str) -> Option<&'a Setting> {
        let mut all = self.layers.iter().rev().flat_map(|layer| layer.iter().rev());
        all.find(|(own, _)| own == key).map(|(_, setting)| setting)
    }

    /// Which section says last what holds of a key, the later the larger; none if none does.
    pub(super) fn layer_of(&self, key: &str) -> Option<usize> {
        self.layers.iter().rposition(|layer| layer.iter().any(|(own, _)| own == key))
    }

    /// The sections up to the one that says last what holds of a key.
    pub(super) fn layers_to(&self, key: &str) -> Option<&[&'a Layer]> {
        Some(&self.layers[..=self.layer_of(key)?])
    }

    /// All keys, each once, in the order of their letters.
    pub(super) fn keys(&self) -> BTreeSet<&'a str> {
        self.layers.iter().copied().flatten().map(|(key, _)| key.as_str()).collect()
    }
}

/// The games of a file: its sections, and the built-in ones that they begin with.
#[derive(Debug)]
pub struct Games {
    built_in: Vec<Section>,
    own: Vec<Section>,
}

impl Games {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// Every line that is no section, setting or comment, and every section whose name is taken.
    pub fn parse(text: &str) -> Result<Self, IniError> {
        let (built_in, own) = (sections(BUILT_IN, true)?, sections(text, false)?);
        let mut faults = Vec::new();
        for (at, section) in own.iter().enumerate() {
            let name = visible(&section.name);
            let what = match own[..at].iter().find(|other| other.name == section.name) {
                Some(other) => format!("{name} stands in line {} already; take another name", other.line),
                None if built_in.iter().any(|other| other.name == section.name) => {
                    format!("{name} is built in; take another name, as in [my-{name}:{name}]")
                }
                None => continue,
            };
            faults.push(IniFault { line: section.line, what });
        }
        if faults.is_empty() { Ok(Games { built_in, own }) } else { Err(IniError { faults }) }
    }

    /// The names of the games, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|section| section.name.as_str())
    }

    /// What holds for a game of the file.
    pub(super) fn settings(&self, name: &str) -> Result<Settings<'_>, Refusal> {
        let missing = || Refusal::of_game(None, format!("the file has no game {}", visible(name)));
        let mut section = self.own.iter().find(|own| own.name == name).ok_or_else(missing)?;
        let (line, mut parents, mut layers) = (section.line, Vec::new(), Vec::new());
        let mut is_own = true;
        loop {
            layers.push(&section.own);
            let Some(parent) = &section.parent else { break };
            parents.push(parent.as_str());
            // A game begins with one that stands before it, or with a built-in one.
            let before = self.own.iter().find(|own| own.name == *parent && own.line < section.line);
            let found = if is_own { before } else { None };
            let found = found.or_else(|| self.built_in.iter().find(|own| own.name == *parent));
            let Some(next) = found.filter(|_| parents.len() < MOST_PARENTS) else {
                let why = format!(
                    "it begins with {}, which is not known here: write that before it, or begin with a game \
                     that docs/variants.md lists",
                    visible(parent)
                );
                return Err(Refusal::of_game(Some(section.line), why));
            };
            is_own = is_own && before.is_some();
            section = next;
        }
        layers.reverse();
        Ok(Settings { parents, line, layers, is_all_own: is_own })
    }
}

/// The sections of a text; settings of built-in games are named by their games, others by their lines.
fn sections(text: &str, are_built_in: bool) -> Result<Vec<Section>, IniError> {
    let (mut all, mut faults) = (Vec::<Section>::new(), Vec::new());
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let mut fault = |what: String| faults.push(IniFault { line: number, what });
        if let Some(head) = line.strip_prefix('[') {
            let Some((head, _)) = head.split_once(']') else {
                fault(format!("{} has no end; write [name] or [name:parent]", visible(line)));
                continue;
            };
            let (name, parent) = match head.split_once(':') {
                Some((name, parent)) => (name.trim(), Some(parent.trim().to_owned())),
                None => (head.trim(), None),
            };
            if name.is_empty() || parent.as_ref().is_some_and(String::is_empty) {
                fault(format!("{} names no game; write [name] or [name:parent]", visible(line)));
            }
            all.push(Section { name: name.into(), parent, line: number, own: Vec::new() });
            continue;
        }
        match (line.split_once('='), all.last_mut()) {
            (Some((key, value)), Some(section)) if !key.trim().is_empty() => {
                let origin = if are_built_in { section.name.clone() } else { format!("line {number}") };
                section.own.push((key.trim().into(), Setting { value: value.trim().into(), origin }));
            }
            (Some(_), Some(_)) => fault("there is no key before the `=`".into()),
            (Some(_), None) => fault("a setting belongs to a game: write [name] before it".into()),
            (None, _) => fault(format!("{} is no setting; write key = value", visible(line))),
        }
    }
    if faults.is_empty() { Ok(all) } else { Err(IniError { faults }) }
}
