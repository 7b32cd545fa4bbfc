//! Reads sections, and gathers what holds for a game: its own settings and those it begins with.

use super::refusal::Refusal;
use crate::file::visible;
use std::collections::BTreeMap;
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
    /// By key: the value, and its line.
    own: BTreeMap<String, (String, usize)>,
}

/// The sections of a file, and the built-in ones.
#[derive(Debug)]
pub(super) struct Book {
    built_in: Vec<Section>,
    own: Vec<Section>,
}

/// A value, and where it is written.
#[derive(Clone, Debug)]
pub(super) struct Setting<'a> {
    pub(super) value: &'a str,
    pub(super) origin: Origin<'a>,
}

/// Where something is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin<'a> {
    /// In this line of the file.
    Line(usize),
    /// In a built-in game.
    Game(&'a str),
}

impl fmt::Display for Origin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Line(line) => write!(f, "line {line}"),
            Origin::Game(name) => f.write_str(name),
        }
    }
}

/// What holds for a game.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    /// What it begins with, the nearest first.
    pub(super) parents: Vec<&'a str>,
    /// The line of its section.
    pub(super) line: usize,
    /// From what it begins with to its own: each section's settings in the order of their lines.
    pub(super) layers: Vec<Vec<(&'a str, Setting<'a>)>>,
}

impl<'a> Settings<'a> {
    /// What holds of a key: the last one of all sections.
    pub(super) fn get(&self, key: &str) -> Option<&Setting<'a>> {
        let all = self.layers.iter().rev().flat_map(|layer| layer.iter().rev());
        all.filter(|(own, _)| *own == key).map(|(_, setting)| setting).next()
    }

    /// Which section says last what holds of a key, the later the larger; none if none does.
    pub(super) fn layer_of(&self, key: &str) -> Option<usize> {
        self.layers.iter().rposition(|layer| layer.iter().any(|(own, _)| *own == key))
    }

    /// The sections up to the one that says last what holds of a key.
    pub(super) fn layers_to(&self, key: &str) -> Option<&[Vec<(&'a str, Setting<'a>)>]> {
        Some(&self.layers[..=self.layer_of(key)?])
    }

    /// All keys, each once, in their order.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'a str> {
        let keys: std::collections::BTreeSet<&str> =
            self.layers.iter().flatten().map(|(key, _)| *key).collect();
        keys.into_iter()
    }
}

impl Book {
    pub(super) fn parse(text: &str) -> Result<Self, IniError> {
        let (built_in, own) = (sections(BUILT_IN)?, sections(text)?);
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
        if faults.is_empty() { Ok(Book { built_in, own }) } else { Err(IniError { faults }) }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|section| section.name.as_str())
    }

    /// What holds for a game of the file.
    pub(super) fn settings(&self, name: &str) -> Result<Settings<'_>, Refusal> {
        let missing = || Refusal::new(None, format!("the file has no game {}", visible(name)));
        let mut section = self.own.iter().find(|own| own.name == name).ok_or_else(missing)?;
        let (line, mut parents, mut layers) = (section.line, Vec::new(), Vec::new());
        let mut is_own = true;
        loop {
            let mut layer: Vec<(&str, Setting<'_>)> = Vec::new();
            for (key, (value, line)) in &section.own {
                let origin = if is_own { Origin::Line(*line) } else { Origin::Game(&section.name) };
                layer.push((key, Setting { value, origin }));
            }
            layer.sort_by_key(|(key, _)| section.own[*key].1);
            layers.push(layer);
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
                return Err(Refusal::new(Some((section.line, "")), why));
            };
            is_own = is_own && before.is_some();
            section = next;
        }
        layers.reverse();
        Ok(Settings { parents, line, layers })
    }
}

fn sections(text: &str) -> Result<Vec<Section>, IniError> {
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
            all.push(Section { name: name.into(), parent, line: number, own: BTreeMap::new() });
            continue;
        }
        match (line.split_once('='), all.last_mut()) {
            (Some((key, value)), Some(section)) if !key.trim().is_empty() => {
                section.own.insert(key.trim().into(), (value.trim().into(), number));
            }
            (Some(_), Some(_)) => fault("there is no key before the `=`".into()),
            (Some(_), None) => fault("a setting belongs to a game: write [name] before it".into()),
            (None, _) => fault(format!("{} is no setting; write key = value", visible(line))),
        }
    }
    if faults.is_empty() { Ok(all) } else { Err(IniError { faults }) }
}
