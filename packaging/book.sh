#!/usr/bin/env bash
# Builds the book of the pages in `docs` into `target/book` and checks its links.
set -euo pipefail
cd "$(dirname "$0")/.."

# The version that the book was looked at with.
version=0.5.4
mdbook=target/tools/bin/mdbook

if [ "$("$mdbook" --version 2>/dev/null)" != "mdbook v$version" ]; then
    # Without optimisation it is there in half of the time, and the book is built in seconds all the same.
    cargo install mdbook --version "$version" --locked --quiet --debug --no-default-features \
        --features search --root target/tools
fi
"$mdbook" build
python3 packaging/book.py --check target/book
echo "the book: $PWD/target/book/index.html"
