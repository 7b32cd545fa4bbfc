#!/usr/bin/env bash
# Runs the static program in an empty root, for those who pack it: where there is no other file, no C library,
# no /proc and no /tmp, it solves three men of chess and answers a FEN, both within 15 s. This is what an
# image of the Dockerfile does, whose last stage has nothing but the program either.
set -euo pipefail
cd "$(dirname "$0")/.."

program="target/$(uname -m)-unknown-linux-gnu/release/tablesmith"
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
cp "$program" "$empty/tablesmith"

if [ "$(id -u)" = 0 ]; then
    inside=(chroot "$empty" /tablesmith)
elif sudo --non-interactive true 2>/dev/null; then
    inside=(sudo --non-interactive chroot --userspec "$(id -u):$(id -g)" "$empty" /tablesmith)
elif unshare --map-root-user true 2>/dev/null; then
    inside=(unshare --map-root-user chroot "$empty" /tablesmith)
else
    echo "the empty root was NOT TESTED: that needs root, or a kernel that lets users have namespaces" && exit 0
fi

begin=$(date +%s%N)
env --ignore-environment PATH="$PATH" timeout 15 "${inside[@]}" solve --men 3
answer=$(env --ignore-environment PATH="$PATH" timeout 15 "${inside[@]}" probe "8/8/8/8/8/4k3/8/4K2Q w - - 0 1")
ms=$((($(date +%s%N) - begin) / 1000000))
echo "$answer"

if ! grep -q "White mates in 5 moves, 9 plies" <<<"$answer" || ! grep -q "from KQvK.tsm" <<<"$answer"; then
    echo "error: in an empty root the answer is another one" >&2
    exit 1
fi
if [ "$ms" -gt 15000 ]; then
    echo "error: that took $ms ms; 15 s are allowed" >&2
    exit 1
fi
echo "ok: three men and a FEN in an empty root, $ms ms"
