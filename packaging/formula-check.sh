#!/usr/bin/env bash
# Makes the Homebrew formula of made-up archives, for those who change it: each checksum stands where its
# archive does, no placeholder is left, a missing archive is refused, and Ruby, where it is installed, can
# read it.
set -euo pipefail
cd "$(dirname "$0")/.."

out=target/packaging/made-up
rm -rf "$out"
mkdir -p "$out"
version=$(packaging/manifest.sh version)
targets=({aarch64,x86_64}-{apple-darwin,unknown-linux-gnu})
for target in "${targets[@]}"; do
    echo "no archive for $target" >"$out/tablesmith-$version-$target.tar.gz"
done
packaging/sums.sh "$out"
packaging/formula.sh "$out/SHA256SUMS" >"$out/tablesmith.rb"

for target in "${targets[@]}"; do
    sum=$(sha256sum <"$out/tablesmith-$version-$target.tar.gz" | cut -d ' ' -f 1)
    if ! grep -A 1 -e "-$target.tar.gz\"" "$out/tablesmith.rb" | grep -q "sha256 \"$sum\""; then
        echo "error: the formula has another checksum for $target" >&2
        exit 1
    fi
done
if command -v ruby >/dev/null 2>&1; then
    ruby -c "$out/tablesmith.rb" >/dev/null
else
    echo "the formula was NOT READ by Ruby: it is not installed"
fi
rm "$out/tablesmith-$version-${targets[0]}.tar.gz"
packaging/sums.sh "$out"
if packaging/formula.sh "$out/SHA256SUMS" >/dev/null 2>&1; then
    echo "error: a formula was made without an archive" >&2
    exit 1
fi
echo "ok: the formula of ${#targets[@]} archives"
