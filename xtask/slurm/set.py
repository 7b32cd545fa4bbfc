"""Builds a set of tables on three nodes of a real Slurm on this machine, of which one dies in the middle.

Then a job takes more memory than it has, a file is damaged, a set is built without a shared folder, and the
jobs of seven men are planned. The files are compared with those of one machine. Arguments: the program, and
an empty folder. Called from the root of the source tree by `cargo xtask slurm`, as root; the exit code is 0
if all is well.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

TESTBED = str(Path(__file__).with_name("testbed.sh"))
RULES = "variants/fide.toml"

# All tables of three and four men, and with those that they need twenty of five.
TABLES = """K?vK K??vK K?vK? KNNvKN KNNvKB KBBvKN KBBvKB KBNvKN KBNvKB KRNvKN KRNvKB KRNvKR KRBvKN KRBvKB KRBvKR
    KRRvKR KQBvKB KQRvKQ KQQvKQ KQQvKR KBNvKP""".split()
N_TABLES = 35 + 20

# The longest time that jobs may take, how long nothing is said of the set, and how long planning the jobs of
# seven men may take, in seconds.
PATIENCE, PAUSE, SEVEN_MEN = 600, 20, 60

# A table whose job is given too little memory, and how little, in megabytes.
HUNGRY, TOO_LITTLE = "KQRvKQ", 40

# A table whose file is damaged, and one that is made from it.
DAMAGED, MADE_FROM_IT = "KRvKN", "KRNvKN"

# Tables that machines make which see no folder of each other, in two levels.
FAR_AWAY = [["KQvK", "KRvK"], ["KQvKR"]]


def words(flag, values):
    return [word for value in values for word in (flag, value)]


def run(command, check=True):
    """What a command prints."""
    ended = subprocess.run(command, text=True, capture_output=True)
    if check and ended.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} fails: {ended.stderr.strip()}")
    return ended.stdout.strip()


def note(is_well, text):
    """Says what is not as it should be."""
    if not is_well:
        print(f"WRONG: {text}", flush=True)
    return is_well


def files(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.tsm")}


def processes_of(job):
    """The processes that a job has begun, which have its number in their environment, and the one that
    watches them."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes().split(b"\0")
            title = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"SLURM_JOB_ID={job}".encode() in environment or title.startswith(f"slurmstepd: [{job}.".encode()):
            yield int(process.name)


def kill_node(folder, node):
    """Kills a node with its job as soon as it has one; the number of the job."""
    end = time.monotonic() + PATIENCE
    # Of an array's job the number that its processes have.
    queue = ["squeue", "--noheader", "--states=RUNNING", "--nodelist", node, "--format=%A"]
    while not (job := run(queue)):
        if time.monotonic() > end:
            sys.exit(f"no job has come to {node}")
        time.sleep(0.2)
    os.kill(int((folder / f"{node}.pid").read_text()), signal.SIGKILL)
    for process in processes_of(job):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass  # It has ended just now.
    return job


def wait(look=lambda: None):
    """Waits until no job waits or runs; `look` sees the time between."""
    end = time.monotonic() + PATIENCE
    while queue := run(["squeue", "--noheader"]):
        look()
        if time.monotonic() > end:
            sys.exit(f"jobs have not ended after {PATIENCE} s:\n{queue}")
        time.sleep(1)


class Set:
    """The set that the nodes build."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.tables, self.one = folder / "many", folder / "one"

    def status(self):
        status = run([self.program, "cluster", "status", "--tables", self.tables], check=False)
        print(status, flush=True)
        return status

    def says(self, *parts):
        """Whether the status has these words."""
        status = self.status()
        return all([note(part in status, f'the status does not say "{part}"') for part in parts])

    def submit(self):
        command = [self.program, "cluster", "submit", RULES, "--tables", self.tables, *words("--table", TABLES)]
        # Jobs of some seconds.
        print(run([*command, "--threads", "1", "--rate", "10000000", "--bundle", "0.1"]), flush=True)

    def build(self):
        self.submit()
        begin = printed = time.monotonic()
        job = kill_node(self.folder, "n2")
        print(f"killed node n2 with job {job} after {time.monotonic() - begin:.0f} s", flush=True)

        def look():
            nonlocal printed
            if time.monotonic() - printed > PAUSE:
                self.status()
                printed = time.monotonic()

        wait(look)
        print(f"done after {time.monotonic() - begin:.0f} s", flush=True)
        run(["slurmd", "-N", "n2"])
        return self.says(f"{N_TABLES} tables: {N_TABLES} done")

    def is_as_of_one_machine(self):
        run([self.program, "solve", RULES, "--out", self.one, *words("--table", TABLES)])
        one, many = files(self.one), files(self.tables)
        different = [name for name in one if one[name] != many.get(name)]
        print(f"{len(one)} files of one machine, {len(different)} of them different", flush=True)
        return note(len(one) == len(many) == N_TABLES and not different, f"{len(many)} files, {different}")

    def starve(self):
        """Gives a job less memory than its table takes, and more when that has been seen."""
        (self.tables / f"{HUNGRY}.tsm").unlink()
        set_nodes = ["scontrol", "update", "NodeName=n1,n2,n3", "Reason=test"]
        run([*set_nodes, "State=DRAIN"])
        self.submit()
        job = run(["squeue", "--noheader", f"--name=ts-{HUNGRY}", "--format=%A"])
        run(["scontrol", "update", f"JobId={job}", f"MinMemoryNode={TOO_LITTLE}"])
        run([*set_nodes, "State=RESUME"])
        wait()
        is_seen = self.says("1 failed", "exceeded", "--more-memory")
        print(run([self.program, "cluster", "resubmit", "--tables", self.tables, "--more-memory", "1.5"]), flush=True)
        wait()
        return self.says(f"{N_TABLES} done") and is_seen

    def damage(self):
        """Damages a file that a job reads."""
        (self.tables / f"{MADE_FROM_IT}.tsm").unlink()
        path = self.tables / f"{DAMAGED}.tsm"
        content = bytearray(path.read_bytes())
        # In what it says with either side to move: the pages stand between a head of 48 bytes and an index,
        # whose length begins the last 32 bytes.
        end = len(content) - 32
        end -= int.from_bytes(content[end : end + 8], "little")
        for at in [48 + 20, end - 20]:
            content[at] ^= 0x10
        path.write_bytes(content)
        self.submit()
        wait()
        logs = [log.read_text(errors="replace") for log in (self.tables / ".cluster/logs").iterdir()]
        seen = [line for log in logs for line in log.splitlines() if "is damaged in block" in line]
        print(*seen[:1], sep="\n", flush=True)
        return note(seen, "the job has not seen that a file is damaged") and self.says(f"{N_TABLES} done")

    def build_far_away(self):
        """Builds a set of which every job has a folder of its own, and files go by commands."""
        far, delivered = self.folder / "far", self.folder / "delivered"
        delivered.mkdir()
        is_well = True
        for level in FAR_AWAY:
            for table in level:
                job = (
                    f"{self.program} solve {Path(RULES).resolve()} --job --table {table} --threads 1 "
                    f"--out {self.folder}/work-{table} --fetch 'cp {far}/{{file}} {{path}}' "
                    f"--store 'cp {{path}} {delivered}/{{file}}'"
                )
                run(["sbatch", "--mem=200M", f"--output={self.folder}/far-%j.log", "--wrap", job])
            wait()
            accept = [self.program, "cluster", "accept", delivered, "--tables", far, "--variant", RULES]
            accepted = run([*accept, "--table", FAR_AWAY[1][0], "--sample", "1000"], check=False)
            print(accepted, flush=True)
            tables = f"{len(level)} table{'s' if len(level) > 1 else ''}"
            wanted = f"{tables} accepted, 0 in quarantine, 0 too early"
            is_well &= note(wanted in accepted, f"it does not say {wanted}")
        made, one = files(far), files(self.one)
        different = [name for name in made if made[name] != one.get(name)]
        print(f"without a shared folder: {len(made)} files, {len(different)} of them different", flush=True)
        return is_well and note(len(made) == sum(map(len, FAR_AWAY)) and not different, f"{different}")

    def plan_seven_men(self):
        begin = time.monotonic()
        command = [self.program, "cluster", "submit", RULES, "--men", "7", "--tables", f"{self.tables}-7", "--dry-run"]
        scripts = run([*command, "--rate", "10000000", "--bundle", "0", "--max-memory", "2000G"])
        n_jobs = sum(int(last) + 1 for last in re.findall(r"^#SBATCH --array=0-(\d+)", scripts, re.MULTILINE))
        seconds = time.monotonic() - begin
        print(f"seven men: {n_jobs} jobs planned in {seconds:.0f} s", flush=True)
        return note(n_jobs > 1500 and seconds < SEVEN_MEN, "too few or too slow")


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    # Where Debian has the daemons.
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    tables = Set(program, folder)
    steps = [
        tables.build,
        tables.is_as_of_one_machine,
        tables.starve,
        tables.damage,
        tables.is_as_of_one_machine,
        tables.build_far_away,
        tables.plan_seven_men,
    ]
    try:
        subprocess.run(["bash", TESTBED, "start", folder], check=True)
        return 0 if all([step() for step in steps]) else 1
    finally:
        subprocess.run(["bash", TESTBED, "stop", folder], check=False)


if __name__ == "__main__":
    sys.exit(main())
