//! Says how a command ends: with an answer or a failure.

use library::figure::{bytes, plural};
use library::{Fitting, LibraryError, MemoryLimit};
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

/// What is wrong and which arguments mend it.
fn sentence(error: &LibraryError) -> String {
    use library::Remedy::{MakeRoom, MoveAway, Rebuild, Wait};
    let advice = match (error, error.remedy()) {
        (LibraryError::NotAFolder { path }, _) => {
            return format!("{} is a file, and --out wants a folder", path.display());
        }
        (LibraryError::MemoryShort { material, needed_bytes, limit, n_threads, fitting }, _) => {
            return memory(material, *needed_bytes, *limit, *n_threads, *fitting);
        }
        (_, Some(Wait)) => "wait for it, or choose another folder with --out DIR",
        (_, Some(MakeRoom)) => "make room, or choose another folder with --out DIR",
        (LibraryError::OtherMetric { .. }, _) => {
            "move it away, name another folder with --out DIR, or give --force"
        }
        (_, Some(MoveAway(_))) => "move it away, or name another folder with --out DIR",
        (_, Some(Rebuild(_))) => "run verify, and solve it again",
        _ => return error.to_string(),
    };
    format!("{error}; {advice}")
}

fn memory(
    material: &str,
    needed_bytes: u64,
    limit: MemoryLimit,
    n_threads: usize,
    fitting: Fitting,
) -> String {
    let has = match limit.is_asked {
        true => format!("the limit of --memory is {}", bytes(limit.bytes)),
        false if limit.is_bound => format!("this process may take {} more", bytes(limit.bytes)),
        false => format!("the machine has {} to spare", bytes(limit.bytes)),
    };
    // Rounded up, so that what is typed is enough.
    let enough = needed_bytes.div_ceil(1_000_000);
    let mut ways = Vec::new();
    if limit.is_asked && limit.can_be_had(needed_bytes) {
        ways.push(format!("give it --memory {enough}M"));
    } else if limit.is_bound {
        ways.push("raise the limit of the system (`ulimit -v`, or that of the control group)".to_owned());
    } else if needed_bytes <= limit.machine_bytes {
        let spare = bytes(limit.spare_bytes);
        let left = if limit.is_asked { format!(", which leave {spare} now") } else { String::new() };
        ways.push(format!("end other programs{left}"));
    }
    ways.extend(fitting.n_threads.map(|n| format!("give it --threads {n}")));
    if fitting.is_quick {
        ways.push("leave out --small".to_owned());
    }
    ways.extend(fitting.n_men.map(|n| format!("choose tables of up to {n} men, which fit, with --men {n}")));
    if needed_bytes > limit.machine_bytes && !limit.is_bound {
        let enough = needed_bytes.div_ceil(1_000_000_000);
        ways.push(format!(
            "use a machine with {enough} GB of memory to spare (this one gives {} at most)",
            bytes(limit.machine_bytes)
        ));
    }
    if ways.is_empty() {
        ways.push("choose a smaller table with --table".to_owned());
    }
    format!(
        "{material} needs about {} of memory with {}, and {has}; {}",
        bytes(needed_bytes),
        plural(n_threads as u64, "thread"),
        ways.join(", or "),
    )
}
