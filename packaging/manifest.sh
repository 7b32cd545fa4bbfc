#!/usr/bin/env bash
# Prints a value of Cargo.toml, for the other scripts and the release workflow: the version, or one of the
# owner's blanks, which may be empty.
#
#     packaging/manifest.sh version|repository|holder|crates-io|pypi
set -euo pipefail
cd "$(dirname "$0")/.."

sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" Cargo.toml
