#!/usr/bin/env bash
# Builds the static program for Linux: one file that runs on every distribution, in an empty root too. It is
# for those who pack or hand on the program; chroot.sh, archive.sh, deb.sh and the Dockerfile take what it
# builds.
#
# The target is the GNU one with the C library linked in, so that the program has the allocator it was
# measured with. No name of a host or user is ever looked up, which is what a static C library could not do
# alone: this is checked. Naming the target keeps the flag away from build scripts and macros.
set -euo pipefail
cd "$(dirname "$0")/.."

target="$(uname -m)-unknown-linux-gnu"
program="target/$target/release/tablesmith"
flags="CARGO_TARGET_$(echo "$target" | tr 'a-z-' 'A-Z_')_RUSTFLAGS"
env "$flags=-C target-feature=+crt-static" CARGO_TARGET_DIR=target \
    cargo build --locked --release --target "$target" --package tablesmith-cli

kind=$(file --brief "$program")
case $kind in
*"statically linked"* | *"static-pie linked"*) ;;
*)
    echo "error: $program is not static: $kind" >&2
    exit 1
    ;;
esac
if ! ldd "$program" 2>&1 | grep -qE 'statically linked|not a dynamic executable'; then
    echo "error: $program needs libraries:" >&2
    ldd "$program" >&2
    exit 1
fi
symbols=$(nm "$program")
if grep -wE 'getaddrinfo|gethostbyname_r|getpwnam_r|getpwuid_r' <<<"$symbols"; then
    echo "error: $program may look up names by libraries of the system: the functions above" >&2
    exit 1
fi
echo "ok: $program is static, $(stat --format %s "$program") bytes"
