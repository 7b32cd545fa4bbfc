//! Says how a command ends: with an answer or a failure.

use std::io;
use variant::visible;

/// What a command has to say once it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// All is well.
    Yes,
    /// The truth is no: there is no such table, the table is wrong.
    No,
}

/// Why a command could not do what it should.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// A message for the person who asked.
    Message(String),
    /// The reader of the output has stopped reading, as `head` does; a message would reach nobody.
    NobodyReads,
    /// What is wrong has been printed, as JSON.
    Printed,
}

/// The end of a command.
pub(crate) type Outcome = Result<Answer, Failure>;

impl Failure {
    /// A failure with this message.
    pub(crate) fn new(message: impl std::fmt::Display) -> Self {
        Failure::Message(visible(&format!("error: {message}")))
    }

    /// A failure whose message stands beside others.
    pub(crate) fn plain(message: impl std::fmt::Display) -> Self {
        Failure::Message(visible(&message.to_string()))
    }
}

impl From<io::Error> for Failure {
    /// Every output error goes this way; other errors of the system have messages of their own.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::NobodyReads,
            _ => Failure::new(format!("cannot write the output: {error}")),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Failure::Message(message) => message,
            Failure::NobodyReads => "nobody reads the output",
            Failure::Printed => "what is wrong has been printed",
        })
    }
}
