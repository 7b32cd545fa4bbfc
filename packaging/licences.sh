#!/usr/bin/env bash
# Prints the licences of the libraries that are compiled into the program, for those who hand it on: what is
# packed has this text as licences.txt. Of several licences of a library MIT is taken where it is one.
set -euo pipefail
cd "$(dirname "$0")/.."

sources="${CARGO_HOME:-$HOME/.cargo}/registry/src"
cat <<'END'
The program tablesmith is under MIT OR Apache-2.0. Compiled into it are the libraries below, with their
licences. Programs for Linux that are linked statically have the GNU C Library too, which is under the LGPL
2.1 or later (https://www.gnu.org/licenses/old-licenses/lgpl-2.1.html); packaging/static.sh of the source
links them anew with any version of it.
END
cargo tree --locked --package tablesmith-cli --edges normal,no-proc-macro --prefix none --format '{p} {l}' |
    sed 's/ (\*)$//' | { grep -v ' (' || true; } | sort -u |
    while read -r name version licence; do
        printf '\n==== %s %s: %s\n' "$name" "${version#v}" "$licence"
        # Where two registries have it, both have the same.
        folder=$(printf "%s\n" "$sources"/*/"$name-${version#v}" | head -n 1)
        files=$(find "$folder" -maxdepth 2 -type f \( -iname '*licen[cs]e*' -o -iname 'copying*' \) | sort)
        if grep -qi mit <<<"$files"; then files=$(grep -i mit <<<"$files"); fi
        while IFS= read -r file; do
            if [ -n "$file" ]; then echo && cat "$file"; fi
        done <<<"$files"
    done
