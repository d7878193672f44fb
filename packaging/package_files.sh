#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the files that packages have beside programs and resources, in build/PRESET/package/{engine,studio}: manual pages and
# completions from the programs themselves, icons from the SVG, changelog, copyright and the list of components (SPDX).
#   packaging/package_files.sh [PRESET]      PRESET: release (default); it must be built
# All of them are dated SOURCE_DATE_EPOCH, which packaging/package.sh sets.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
case "${1:-}" in -*) usage "$0" "$1" ;; esac
build=$root/build/${1:-release}
out=$build/package
heddle=$build/bin/heddle
linux=$root/packaging/linux
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:?is not set; packaging/package.sh sets it} LC_ALL=C.UTF-8
version=$("$heddle" --version | awk '{print $2}')
rm -rf "$out"
mkdir -p "$out"/{engine,studio}/share/man/man1

# $1: file, $2: its one sentence; then words for help2man, the program last.
page() {
  local file=$1 sentence=$2
  shift 2
  help2man --no-info --section=1 --source="heddle $version" --manual="Heddle" --version-string="$version" --name="$sentence" "$@" \
    | awk 'NR == 1 {next}  # says who generated it
        /^\.SH/ {if (lines) print ".fi"; lines = 0} /^\.SH EXAMPLES/ {print; print ".nf"; lines = 1; next}
        lines && /^\.IP$/ {next} {print} END {if (lines) print ".fi"}' | gzip -9n >"$file"
}

# The commands below a command, each with its sentence. $*: the command
below() { "$heddle" "$@" --help | awk '/^Subcommands:/ {on = 1; next} on && NF == 0 {on = 0} on && /^  [a-z]/'; }

# A page for each command below this one. help2man titles a page by the name of the program that it asks.
pages_below() {  # $*: the command
  local name sentence path
  while read -r name sentence; do
    path=$(tr ' ' - <<<"heddle $* $name" | tr -s -)
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$heddle" "$* $name" >"$scratch/$path"
    chmod +x "$scratch/$path"
    page "$out/engine/share/man/man1/$path.1.gz" "$sentence" "$scratch/$path" </dev/null
    # shellcheck disable=SC2068  # words
    pages_below $@ "$name"
  done < <(below "$@")
}

# The top page has what holds for every command, too (packaging/linux/heddle.man).
pages() {
  scratch=$(mktemp -d)
  page "$out/engine/share/man/man1/heddle.1.gz" "experiments on transformer variants" --include="$linux/heddle.man" "$heddle"
  pages_below
  rm -rf "$scratch"
  [ ! -e "$build/bin/heddle-studio" ] ||
    page "$out/studio/share/man/man1/heddle-studio.1.gz" "the window of Heddle" --include="$linux/heddle-studio.man" "$build/bin/heddle-studio"
}

completions() {
  local share=$out/engine/share
  mkdir -p "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
  "$heddle" completion bash >"$share/bash-completion/completions/heddle"
  "$heddle" completion zsh >"$share/zsh/vendor-completions/_heddle"
  "$heddle" completion fish >"$share/fish/vendor_completions.d/heddle.fish"
}

icons() {
  local size folder
  for size in 48 128 256; do
    folder=$out/studio/share/icons/hicolor/${size}x$size/apps
    mkdir -p "$folder"
    rsvg-convert -w "$size" -h "$size" "$linux/heddle-studio.svg" -o "$folder/heddle-studio.png"
  done
}

documents() {  # $1: component, $2: package
  local doc=$out/$1/share/doc/$2
  mkdir -p "$doc"
  cp "$linux/$2.copyright" "$doc/copyright"
  printf 'heddle (%s) bookworm; urgency=medium\n\n  * CHANGELOG.md of the source tree tells what users notice.\n\n -- %s  %s\n' "$version" \
    "$(sed -n 's/^HEDDLE_MAINTAINER:[A-Z]*=//p' "$build/CMakeCache.txt")" "$(date -uR -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
  python3 "$root/packaging/sbom.py" "$2" "$version" "$build" >"$doc/$2.spdx.json"
}

stage "making manual pages, completions, icons and documents"
pages
completions
icons
documents engine heddle
[ ! -e "$build/bin/heddle-studio" ] || documents studio heddle-studio
find "$out" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
finished
