//! Stands in for Slurm: a queue in a file, which `squeue` prints and `scancel` edits, and whose jobs run
//! one after the other when they are submitted or, if they are held, when a test lets them. Jobs are arrays:
//! `7_0` is the first one of array 7.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Keeps an array, whose script is a file or comes from the input, and its words for the test to see.
const SBATCH: &str = r#"#!/bin/bash
here=$(dirname "$0"); number=$(($(cat "$here/number" 2>/dev/null || echo 0) + 1)); echo $number > "$here/number"
script=${*: -1}; [ -f "$script" ] || { script=$here/input-$number; cat > "$script"; }
echo "$number $*" >> "$here/submitted"
printf '%s\n' "$@" > "$here/words-$number"
cp "$script" "$here/script-$number"
last=$(sed -n "s/^#SBATCH --array=0-\([0-9]*\).*/\1/p" "$script")
for place in $(seq 0 "$last"); do echo "${number}_$place PENDING None" >> "$here/queue"; done
[ -f "$here/held" ] || "$here/run" > /dev/null
echo $number
"#;

/// Runs the queue to its end, unless that is being done already.
const RUN: &str = r#"#!/bin/bash
here=$(dirname "$0"); mkdir "$here/at-work" 2>/dev/null || exit 0
while [ -s "$here/queue" ]; do
    read -r number _ < "$here/queue"
    sed "s/^$number .*/$number RUNNING None/" "$here/queue" > "$here/draft"; mv "$here/draft" "$here/queue"
    "$here/job" "$number"
    sed "/^$number /d" "$here/queue" > "$here/draft"; mv "$here/draft" "$here/queue"
done
rmdir "$here/at-work"
"#;

/// Runs a job, unless one has failed that it is to follow, alone or in its array. Jobs of a table named in
/// `killed` die at once, and where nodes are `dead` none begins.
const JOB: &str = r#"#!/bin/bash
here=$(dirname "$0"); number=$1; array=${number%_*} place=${number#*_}; script=$here/script-$array
log=$(sed -n "s/^#SBATCH --output=//p" "$script"); log=${log//%A_%a/$number}
after=$(sed -n "s/^--dependency=afterok//p" "$here/words-$array")
failed() { touch "$here/failed-$number" "$here/failed-$array"; exit; }
for other in ${after//:/ }; do [ -f "$here/failed-$other" ] && failed; done
[ -f "$here/dead" ] && failed
name=$(sed -n "s/^#SBATCH --job-name=ts-//p" "$script")
if grep -qsx -- "$name" "$here/killed"; then
    echo "now here: job $number, start 0" >> "$log"; failed
fi
SLURM_JOB_ID=9$array SLURM_ARRAY_JOB_ID=$array SLURM_ARRAY_TASK_ID=$place bash "$script" >> "$log" 2>&1 || failed
"#;

/// Prints the queue, or those of its arrays that are asked for.
const SQUEUE: &str = r#"#!/bin/bash
here=$(dirname "$0"); jobs=
[ -f "$here/down" ] && { echo "Unable to contact slurm controller" >&2; exit 1; }
for word in "$@"; do case $word in --jobs=*) jobs=${word#--jobs=};; esac; done
[ -n "$jobs" ] || { cat "$here/queue" 2>/dev/null; exit 0; }
found=$(grep -E "^(${jobs//,/|})_" "$here/queue" 2>/dev/null)
case $jobs in
    *,*) ;;
    *) [ -n "$found" ] || { echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1; } ;;
esac
[ -z "$found" ] || echo "$found"
"#;

const SCANCEL: &str = r#"#!/bin/bash
here=$(dirname "$0")
for number in "$@"; do
    sed "/^$number /d" "$here/queue" > "$here/draft"; mv "$here/draft" "$here/queue"
    touch "$here/failed-$number" "$here/failed-${number%_*}"
done
"#;

/// The engine, in a folder of its own.
pub(super) struct Engine(PathBuf);

impl Engine {
    pub(super) fn new(folder: &Path) -> Self {
        let engine = Engine(folder.join("engine"));
        fs::create_dir(&engine.0).expect("a folder");
        let programs =
            [("sbatch", SBATCH), ("run", RUN), ("job", JOB), ("squeue", SQUEUE), ("scancel", SCANCEL)];
        for (name, text) in programs {
            engine.put(name, text);
            fs::set_permissions(engine.0.join(name), fs::Permissions::from_mode(0o755)).expect("a program");
        }
        engine
    }

    /// Leaves a file for the engine's programs.
    pub(super) fn put(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("a file");
    }

    /// Takes it away.
    pub(super) fn take(&self, name: &str) {
        fs::remove_file(self.0.join(name)).expect("the file");
    }

    /// The numbers of the jobs that wait, in one line.
    pub(super) fn queue(&self) -> String {
        let queue = fs::read_to_string(self.0.join("queue")).unwrap_or_default();
        let numbers = queue.lines().map(|line| line.split(' ').next().unwrap_or_default());
        numbers.collect::<Vec<_>>().join(" ")
    }

    /// All jobs that were ever submitted: number, options, script.
    pub(super) fn submitted(&self) -> Vec<String> {
        let submitted = fs::read_to_string(self.0.join("submitted")).unwrap_or_default();
        submitted.lines().map(str::to_owned).collect()
    }

    /// Runs the jobs that are held.
    pub(super) fn run(&self) {
        self.program("run", &[]);
    }

    pub(super) fn scancel(&self, jobs: &[&str]) {
        self.program("scancel", jobs);
    }

    fn program(&self, name: &str, args: &[&str]) {
        let status = self.seen(Command::new(self.0.join(name)).args(args)).status();
        assert!(status.is_ok_and(|status| status.success()), "{name}");
    }

    /// `tablesmith cluster`, which finds this engine.
    pub(super) fn cluster(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablesmith"));
        self.seen(command.arg("cluster").args(args)).output().expect("it runs")
    }

    /// A script of the shell, which finds this engine.
    pub(super) fn shell(&self, script: &Path) -> Output {
        self.seen(Command::new("bash").arg(script)).output().expect("it runs")
    }

    fn seen<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let path = format!("{}:{}", self.0.display(), std::env::var("PATH").unwrap_or_default());
        command.env("PATH", path).env_remove("SLURM_JOB_ID").stdin(Stdio::null())
    }
}
