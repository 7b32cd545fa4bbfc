#!/usr/bin/env bash
# Installs the wheel into a new virtual environment and has Python answer a FEN, and its command solve three
# men and answer one, each within 15 s, for those who hand the wheel on. Builds it before, as
# `pip wheel ./crates/python` does for anyone, unless one is given.
#
#     packaging/wheel.sh [WHEEL]
set -euo pipefail
given=${1:+$(realpath "$1")}
cd "$(dirname "$0")/.."

out=target/wheel
rm -rf "$out"
python3 -m venv "$out/venv"
case $(uname -s) in
MINGW* | MSYS*) bin=$out/venv/Scripts ;;
*) bin=$out/venv/bin ;;
esac
pip=("$bin/python" -m pip --quiet --disable-pip-version-check)
if [ -z "$given" ]; then
    "${pip[@]}" wheel --no-deps --wheel-dir "$out" ./crates/python
fi
wheel=${given:-$(realpath "$out"/*.whl)}
case $wheel in
*-abi3-*) ;;
*)
    echo "error: $wheel serves one version of Python only" >&2
    exit 1
    ;;
esac
"${pip[@]}" install "$wheel"

# Fails a command that takes longer, where the system can: macOS has no `timeout`.
within_15_s() {
    if command -v timeout >/dev/null 2>&1; then timeout 15 "$@"; else "$@"; fi
}

# Beside the source, Python might import that.
cd "$out"
bin=${bin#"$out"/}
within_15_s "$bin/python" - <<'END'
import tablesmith

answer = tablesmith.solve("fide", "KQvK").probe("8/8/8/8/8/4k3/8/4K2Q w - - 0 1")
print(answer.text)
assert "9 plies" in answer.text, answer.text
END
if ! [ -e "$bin/tablesmith" ] && ! [ -e "$bin/tablesmith.exe" ]; then
    echo "error: the wheel brings no command tablesmith" >&2
    exit 1
fi
"$bin/tablesmith" --version
within_15_s "$bin/tablesmith" solve --men 3 --out tables
within_15_s "$bin/tablesmith" probe --tables tables "8/8/8/8/8/4k3/8/4K2Q w - - 0 1" | tee answer
grep -q "White mates in 5 moves, 9 plies" answer
echo "ok: $(basename "$wheel"), $(wc -c <"$wheel") bytes"
