#!/usr/bin/env bash
# Writes SHA256SUMS into a folder, with the checksums of all its files: for those who publish them, and for
# the Homebrew formula.
#
#     packaging/sums.sh FOLDER
set -euo pipefail
cd "$1"

rm -f SHA256SUMS
sums=$(sha256sum -- *)
printf '%s\n' "$sums" >SHA256SUMS
