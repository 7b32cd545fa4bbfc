#!/usr/bin/env bash
# Prints the Homebrew formula of a release, for the repository that is its tap: tablesmith.rb, with the
# repository's address, the version, and the checksums of the archives.
#
#     packaging/formula.sh SHA256SUMS
set -euo pipefail
sums=$(realpath "$1")
cd "$(dirname "$0")/.."

version=$(packaging/manifest.sh version)
edits=(-e "s|@repository@|$(packaging/manifest.sh repository)|" -e "s|@version@|$version|")
for target in {aarch64,x86_64}-{apple-darwin,unknown-linux-gnu}; do
    sum=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]tablesmith-$version-$target\.tar\.gz\$/\1/p" "$sums")
    if [ -z "$sum" ]; then
        echo "error: $sums has no archive for $target" >&2
        exit 1
    fi
    edits+=(-e "s|@$target@|$sum|")
done
formula=$(sed "${edits[@]}" packaging/tablesmith.rb | sed '/^#/d')
if grep -n '@' <<<"$formula" >&2; then
    echo "error: packaging/tablesmith.rb has a placeholder that nothing fills in" >&2
    exit 1
fi
printf '%s\n' "$formula"
