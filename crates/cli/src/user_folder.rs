//! Finds the folders in which the program keeps things if no argument says where.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder of the tables in a source tree, and wherever a person has made one.
pub(crate) const TABLES: &str = "tables";

/// Where measurements of this machine are kept; none if the environment does not tell.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    folder_of_kind(&variable, "XDG_CACHE_HOME", ".cache")
}

/// Where the tables of all games are, a folder for each: `TABLESMITH_TABLES`; else `tables` here, if this
/// folder has that or is a source tree; else the user's folder for data.
pub(crate) fn tables_folder() -> PathBuf {
    tables_folder_from(variable, |name| Path::new(name).is_dir())
}

fn tables_folder_from(
    variable: impl Fn(&str) -> Option<OsString>,
    is_folder: impl Fn(&str) -> bool,
) -> PathBuf {
    let here = || [TABLES, "variants"].into_iter().any(&is_folder).then(|| TABLES.into());
    let of_user = || folder_of_kind(&variable, "XDG_DATA_HOME", ".local/share").map(|data| data.join(TABLES));
    let named = variable("TABLESMITH_TABLES").map(PathBuf::from);
    named.or_else(here).or_else(of_user).unwrap_or_else(|| TABLES.into())
}

/// A variable of the environment that is not empty.
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Our folder among those of one kind, which this variable names or which lie here in the home folder.
fn folder_of_kind(
    variable: &impl Fn(&str) -> Option<OsString>,
    named: &str,
    in_home: &str,
) -> Option<PathBuf> {
    let own = |name: &str| variable(name).map(PathBuf::from);
    let folder =
        own(named).or_else(|| own("LOCALAPPDATA")).or_else(|| own("HOME").map(|home| home.join(in_home)))?;
    Some(folder.join("tablesmith"))
}

#[cfg(test)]
mod tests {
    use super::{folder_of_kind, tables_folder_from};
    use std::ffi::OsString;
    use std::path::PathBuf;

    fn lookup<'a>(variables: &'a [(&str, &str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        |name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
    }

    #[test]
    fn cache_is_where_it_is_usual() {
        for (variables, expected) in [
            (&[("HOME", "/home/a"), ("XDG_CACHE_HOME", "/c")][..], Some("/c/tablesmith")),
            (&[("HOME", "/home/a")], Some("/home/a/.cache/tablesmith")),
            (&[], None),
        ] {
            let found = folder_of_kind(&lookup(variables), "XDG_CACHE_HOME", ".cache");
            assert_eq!(found, expected.map(PathBuf::from));
        }
    }

    #[test]
    fn tables_are_here_in_a_source_tree_and_else_in_the_folder_of_the_user() {
        let home = [("HOME", "/home/a")];
        let told = [("HOME", "/home/a"), ("TABLESMITH_TABLES", "/big/tables")];
        let data = [("HOME", "/home/a"), ("XDG_DATA_HOME", "/data")];
        for (variables, folders, expected) in [
            (&home[..], &["tables"][..], "tables"),
            (&home, &["variants"], "tables"),
            (&home, &["src"], "/home/a/.local/share/tablesmith/tables"),
            (&data, &[], "/data/tablesmith/tables"),
            (&told, &["tables"], "/big/tables"),
            (&[], &[], "tables"),
        ] {
            let found = tables_folder_from(lookup(variables), |name| folders.contains(&name));
            assert_eq!(found, PathBuf::from(expected));
        }
    }
}
