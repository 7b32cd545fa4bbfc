#!/usr/bin/env bash
# Makes the package for Debian and Ubuntu of the static program (run static.sh before), for those who install
# it with dpkg: program, pages for man, completions, and the service. Its contents are listed in
# crates/cli/Cargo.toml. Installs cargo-deb under target/tools if there is none.
set -euo pipefail
cd "$(dirname "$0")/.."

target="$(uname -m)-unknown-linux-gnu"
out=target/packaging
version=$(packaging/manifest.sh version)
holder=$(packaging/manifest.sh holder)
repository=$(packaging/manifest.sh repository)
maintainer=${holder:-The Tablesmith developers <root@localhost>}
export PATH="$PWD/target/tools/bin:$PATH" CARGO_TARGET_DIR=$PWD/target

if ! command -v cargo-deb >/dev/null; then
    # A build without optimisation is there in half the time; xz compresses by itself.
    cargo install cargo-deb --version 3.8.0 --locked --quiet --debug --no-default-features --root target/tools
fi

packaging/pages.sh "target/$target/release/tablesmith"
# As Debian wants to be told of licences, and of what is new.
{
    cat <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tablesmith
${repository:+Source: $repository
}Comment: licences.txt beside this file has the licences of the libraries that are compiled in.

Files: *
Copyright: $(sed -n 's/^Copyright (c) //p' LICENSE-MIT)
License: Expat or Apache-2.0

License: Expat
END
    sed -n '/^Permission/,$s/^/ /p' LICENSE-MIT | sed 's/^ $/ ./'
    cat <<END

License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
END
} >"$out/copyright"
seconds=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
cat >"$out/changelog" <<END
tablesmith ($version-1) unstable; urgency=medium

  * What is new in $version stands in changelog.gz beside this file.

 -- $maintainer  $(date --utc --rfc-email --date "@$seconds")
END

rm -f "$out"/tablesmith_*.deb
deb=$(cargo deb --no-build --quiet --target "$target" --package tablesmith-cli --maintainer "$maintainer" \
    --compress-system --output "$out/")
dpkg-deb --info "$deb" | sed -n '/^ Package/,$p'
dpkg-deb --contents "$deb" | awk '{ print $1, $3, $6 }' | grep -v '/$'
echo "ok: $deb, $(wc -c <"$deb") bytes"
