#!/usr/bin/env bash
# Packs a program into the archive of a release, for those who unpack it by hand, `cargo binstall` and
# Homebrew: tablesmith-VERSION-TARGET.tar.gz in target/packaging, with pages for man, completions and
# licences. Runs where the program runs: Linux, macOS, and Windows in the bash of Git.
#
#     packaging/archive.sh TARGET PROGRAM
set -euo pipefail
target=$1
program=$(realpath "$2")
cd "$(dirname "$0")/.."

packaging/pages.sh "$program"
name="tablesmith-$(packaging/manifest.sh version)-$target"
cd target/packaging
rm -rf "$name"
mkdir "$name"
cp "$program" ../../{README.md,CHANGELOG.md,LICENSE-MIT,LICENSE-APACHE} licences.txt "$name"
cp -r man completions "$name"
tar -czf "$name.tar.gz" "$name"

# What is inside runs from there.
rm -rf unpacked
mkdir unpacked
tar -xzf "$name.tar.gz" -C unpacked
"unpacked/$name/$(basename "$program")" --version
echo "ok: target/packaging/$name.tar.gz, $(wc -c <"$name.tar.gz") bytes"
