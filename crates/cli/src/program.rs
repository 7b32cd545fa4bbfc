//! Names the program that the commands belong to.

/// How the program is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program {
    /// What a person types before the command's name.
    pub name: &'static str,
    /// What follows the help text.
    pub more_help: &'static str,
}

/// The installed binary.
pub const TABLESMITH: Program = Program { name: "tablesmith", more_help: "" };
