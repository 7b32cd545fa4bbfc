//! Says how a command ends: with an answer or a failure. The faults of a file are drawn: the lines of the
//! file, marks below them, and the help texts.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use format::FormatError;
use library::figure::{bytes, plural};
use library::{Fitting, LibraryError, MemoryLimit};
use std::error::Error;
use std::io::{self, IsTerminal};
use std::path::Path;
use variant::{Fault, LoadError, Metric, Report, visible, visible_in_place};

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
    /// A table is not built whose columns of these metrics are needed: the message, which the command that
    /// builds the table completes.
    NotBuilt { message: String, material: String, metrics: Vec<Metric> },
    /// The reader of the output has stopped reading, as `head` does; a message would not be read.
    NobodyReads,
    /// What is wrong has been printed, as JSON.
    Printed,
}

/// What to do where no table is.
const NAME_TABLES: &str = "give the path of a table or of a folder of tables, as solve makes them";

/// What a command, or a step of one, comes to.
pub(crate) type Outcome<T = Answer> = Result<T, Failure>;

impl Failure {
    /// A failure with this message.
    pub(crate) fn new(message: impl std::fmt::Display) -> Self {
        Failure::Message(visible(&format!("error: {message}")))
    }

    /// Fails with all of these faults, if there are any.
    pub(crate) fn of_faults(faults: &[String]) -> Result<(), Self> {
        if faults.is_empty() { Ok(()) } else { Err(Failure::new(faults.join("\nerror: "))) }
    }

    /// Fails if there is no such folder.
    pub(crate) fn of_absent(folder: &Path) -> Result<(), Self> {
        match folder.is_dir() {
            true => Ok(()),
            false => Err(Failure::new(format!("there is no folder {}; {NAME_TABLES}", folder.display()))),
        }
    }

    /// A failure whose message stands beside others.
    pub(crate) fn plain(message: impl std::fmt::Display) -> Self {
        Failure::Message(visible(&message.to_string()))
    }

    /// A failure to load a file that a person has written: all its faults, if there are any.
    pub(crate) fn of_file(error: LoadError) -> Self {
        match error {
            LoadError::Faults(report) => Failure::Message(draw(&report, io::stderr().is_terminal())),
            error => Failure::new(error),
        }
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
            _ if error.downcast_ref().is_some_and(is_absent) => {
                Failure::new(format!("{error}; {NAME_TABLES}"))
            }
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

/// Whether a file that was to be read is not there.
fn is_absent(error: &FormatError) -> bool {
    error.is_not_found() && matches!(error, FormatError::Io { action: "open" | "read", .. })
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
        (LibraryError::Io { action: "read", error, .. }, _) if error.kind() == io::ErrorKind::NotFound => {
            NAME_TABLES
        }
        (LibraryError::Format(error), _) if is_absent(error) => NAME_TABLES,
        (_, Some(Wait)) => "wait for it, or choose another folder with --out DIR",
        (_, Some(MakeRoom)) => "make room, or choose another folder with --out DIR",
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
        let left = limit.is_asked.then(|| format!(", which leave {} now", bytes(limit.spare_bytes)));
        ways.push(format!("end other programs{}", left.unwrap_or_default()));
    }
    ways.extend(fitting.n_threads.map(|n| format!("give it --threads {n}")));
    if fitting.is_quick {
        ways.push("leave out --small".to_owned());
    }
    ways.extend(fitting.n_men.map(|n| format!("choose tables of up to {n} men, which fit, with --men {n}")));
    if needed_bytes > limit.machine_bytes && !limit.is_bound {
        let (enough, most) = (needed_bytes.div_ceil(1_000_000_000), bytes(limit.machine_bytes));
        ways.push(format!(
            "use a machine with {enough} GB of memory to spare (this one gives {most} at most)"
        ));
    }
    if ways.is_empty() {
        ways.push("choose a smaller table with --table".to_owned());
    }
    let (needed, threads, ways) =
        (bytes(needed_bytes), plural(n_threads as u64, "thread"), ways.join(", or "));
    format!("{material} needs about {needed} of memory with {threads}, and {has}; {ways}")
}

/// Draws all faults of a report; in colours for a terminal.
///
/// Without colours the text depends on the file and its name only, not on where it is printed.
pub(crate) fn draw(report: &Report, colours: bool) -> String {
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Unicode);
    // What stands in the file is written, and not obeyed.
    let (text, name) = (visible_in_place(report.text()), visible(report.source_name()));
    let mut out = String::new();
    for fault in report.faults() {
        let drawn = renderer.render(&[group(&text, &name, fault)]);
        drawn.lines().for_each(|line| out += &format!("{}\n", line.trim_end()));
        out.push('\n');
    }
    out + &visible(&report.summary()) + "\n"
}

/// A fault as the renderer reads it.
fn group<'a>(text: &'a str, name: &'a str, fault: &'a Fault) -> Group<'a> {
    let mark = AnnotationKind::Primary.span(fault.span.clone());
    let mark = if fault.key.is_empty() { mark } else { mark.label(&fault.key) };
    let lines = Snippet::source(text).path(name).annotation(mark);
    Group::with_title(Level::ERROR.primary_title(&fault.message))
        .element(lines)
        .element(Level::HELP.message(&fault.help))
}
