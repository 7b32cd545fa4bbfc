#!/usr/bin/env bash
# Writes the list of all that the program is made of (SBOM, CycloneDX as JSON) into target/packaging, for
# those who must know what they install. Installs cargo-cyclonedx under target/tools if there is none.
set -euo pipefail
cd "$(dirname "$0")/.."

export PATH="$PWD/target/tools/bin:$PATH"
if ! command -v cargo-cyclonedx >/dev/null; then
    cargo install cargo-cyclonedx --version 0.5.9 --locked --quiet --debug --root target/tools
fi
name="tablesmith-$(packaging/manifest.sh version).cdx"
# It writes beside the manifest of each crate; that of the program has all the others in it.
cargo cyclonedx --manifest-path crates/cli/Cargo.toml --format json --spec-version 1.5 \
    --override-filename "$name" --quiet
mkdir -p target/packaging
mv "crates/cli/$name.json" target/packaging/
find crates tests xtask -name "$name.json" -delete
n=$(grep -c '"purl"' "target/packaging/$name.json")
echo "ok: target/packaging/$name.json, $n packages"
