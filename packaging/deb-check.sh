#!/usr/bin/env bash
# Installs the .deb with dpkg, has its service answer over HTTP, and removes and purges it again: for those
# who hand the package on, on Debian or Ubuntu. It needs root, itself or by sudo without a password.
#
# Where systemd runs it runs the service. Elsewhere, as in containers, the line ExecStart of the unit is run
# by hand under a user without rights, and `systemd-analyze`, where it is installed, checks the unit.
#
# Without root, or where the package or its tables are there already, nothing is tested, which is said.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "deb-check: $*"; }
sudo=()
if [ "$(id -u)" != 0 ]; then
    sudo=(sudo --non-interactive)
    if ! "${sudo[@]}" true 2>/dev/null; then
        say "NOT TESTED, this needs root" && exit 0
    fi
fi
if dpkg-query --show tablesmith >/dev/null 2>&1; then
    say "NOT TESTED, the package tablesmith is installed on this machine, and would be removed" && exit 0
fi
if [ -e /var/lib/tablesmith ]; then
    say "NOT TESTED, /var/lib/tablesmith is there already" && exit 0
fi
deb=$(realpath target/packaging/tablesmith_*.deb)
unit=/usr/lib/systemd/system/tablesmith.service
server=

cleanup() {
    if [ -n "$server" ]; then "${sudo[@]}" kill "$server" 2>/dev/null || true; fi
    "${sudo[@]}" rm -rf /var/lib/tablesmith/fide
    "${sudo[@]}" dpkg --purge tablesmith >/dev/null 2>&1 || true
}
trap cleanup EXIT

"${sudo[@]}" dpkg --install "$deb"
# Far from the source, whose games it might take.
cd /
tablesmith --version
test -s /usr/share/man/man1/tablesmith-solve.1.gz
test -s /usr/share/bash-completion/completions/tablesmith
bash -c '. /usr/share/bash-completion/completions/tablesmith && complete -p tablesmith' >/dev/null
# Made by root, read by everyone.
"${sudo[@]}" tablesmith solve --table KQvK --out /var/lib/tablesmith/fide

if command -v systemd-analyze >/dev/null; then
    systemd-analyze verify --man=no "$unit"
    # From 0, all is closed, to 10, all is open.
    systemd-analyze security --offline=yes --threshold=20 "$unit" | tail -n 1
else
    say "the unit was NOT CHECKED: there is no systemd-analyze"
fi
if [ -d /run/systemd/system ]; then
    say "the service runs under systemd"
    "${sudo[@]}" systemctl start tablesmith
else
    say "no systemd runs here: the line ExecStart runs by hand, as a user without rights"
    read -ra command < <(sed -n 's/^ExecStart=//p' "$unit")
    "${sudo[@]}" setpriv --reuid 61184 --regid 61184 --clear-groups --bounding-set -all --no-new-privs \
        env --ignore-environment "${command[@]}" &
    server=$!
fi

ask() {
    curl --noproxy '*' --silent --show-error --fail --retry 20 --retry-delay 1 --retry-connrefused --max-time 30 \
        "http://127.0.0.1:9000$1"
}
health=$(ask /healthz)
answer=$(ask "/standard?fen=8/8/8/8/8/4k3/8/4K2Q_w_-_-_0_1")
echo "$health"
cut -c 1-200 <<<"$answer"
if ! grep -q '"category":"win"' <<<"$answer" || ! grep -q '"dtm":9' <<<"$answer"; then
    say "the service gives another answer" >&2 && exit 1
fi

if [ -d /run/systemd/system ]; then
    "${sudo[@]}" systemctl stop tablesmith
else
    "${sudo[@]}" kill "$server"
    wait "$server"
    server=
fi
"${sudo[@]}" dpkg --remove tablesmith
if command -v /usr/bin/tablesmith; then
    say "the program is still there" >&2 && exit 1
fi
"${sudo[@]}" rm -r /var/lib/tablesmith/fide
"${sudo[@]}" dpkg --purge tablesmith
if [ -e "$unit" ] || [ -e /var/lib/tablesmith ] || [ -e /usr/share/doc/tablesmith ]; then
    say "something is left over: $(ls -d "$unit" /var/lib/tablesmith /usr/share/doc/tablesmith 2>/dev/null)" >&2
    exit 1
fi
say "ok: installed, asked, stopped, removed, purged"
