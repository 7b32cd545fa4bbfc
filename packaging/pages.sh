#!/usr/bin/env bash
# Has a program write what lies beside it in archives and in the .deb: pages for man, completions for bash,
# zsh and fish, and the licences of all that is compiled into it. For archive.sh and deb.sh.
#
#     packaging/pages.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/.."

out=target/packaging
rm -rf "$out/man" "$out/completions"
mkdir -p "$out/completions"
"$program" man --out "$out/man"
"$program" completions bash >"$out/completions/tablesmith.bash"
"$program" completions zsh >"$out/completions/_tablesmith"
"$program" completions fish >"$out/completions/tablesmith.fish"
packaging/licences.sh >"$out/licences.txt"
