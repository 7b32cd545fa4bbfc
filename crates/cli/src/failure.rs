//! Says how a command ends: with an answer or a failure.

use crate::remedy::sentence;
use library::LibraryError;
use std::error::Error;
use std::io;
use variant::{Metric, visible};

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
    /// A table is not built whose files of these metrics are needed: the message, which the command that
    /// builds the table completes.
    NotBuilt { message: String, material: String, metrics: Vec<Metric> },
    /// The reader of the output has stopped reading, as `head` does; a message would not be read.
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

impl<E: Error + 'static> From<E> for Failure {
    /// An error of a crate below says itself what is wrong. One of the system is one of writing the output:
    /// others have messages of their own. What the library reports gets the words of this command line.
    fn from(error: E) -> Self {
        let error: &(dyn Error + 'static) = &error;
        match (error.downcast_ref::<io::Error>(), error.downcast_ref::<LibraryError>()) {
            (Some(error), _) if error.kind() == io::ErrorKind::BrokenPipe => Failure::NobodyReads,
            (Some(error), _) => Failure::new(format!("cannot write the output: {error}")),
            (_, Some(LibraryError::NotBuilt { material, metrics, .. })) => {
                let (message, material) = (visible(&format!("error: {error}")), material.clone());
                Failure::NotBuilt { message, material, metrics: metrics.clone() }
            }
            (_, Some(error)) => Failure::new(sentence(error)),
            _ => Failure::new(error),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Failure::Message(message) | Failure::NotBuilt { message, .. } => message,
            Failure::NobodyReads => "nobody reads the output",
            Failure::Printed => "what is wrong has been printed",
        })
    }
}
