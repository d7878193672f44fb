#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian packages and checks them and the files that they install: lintian (only its errors count), dependencies, desktop
# file, AppStream metadata, MIME type of run databases, icons, manual pages, completions.
#   packaging/check.sh
# packaging/try.sh installs them on bare machines.
# shellcheck disable=SC2317  # the functions are called by name
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
source "$root/packaging/common.sh"
case "${1:-}" in "") ;; *) usage "$0" "$1" ;; esac
cd "$root" || exit 1
packaging/package.sh --deb || exit 1
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
for package in build/packages/*.deb; do dpkg-deb -x "$package" "$unpacked" || exit 1; done

lint() { lintian --fail-on error build/packages/*.deb; }

# Checks that each package depends on the packages of all libraries that its programs are linked with. CPack leaves out, without a
# message, libraries whose package it does not find.
dependencies() {
  local package name wanted missing depends
  # heddle-studio depends on heddle, so the dependencies of heddle count for it, too.
  depends=$(for package in build/packages/*.deb; do dpkg-deb -f "$package" Depends; done | tr ',|' '\n' | awk '{print $1}' | sort -u)
  for package in build/packages/*.deb; do
    name=$(dpkg-deb -f "$package" Package)
    wanted=$(python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["packages"]:
    for at in row.get("externalRefs", []):
        if "pkg:deb" in at["referenceLocator"] and not row["name"].endswith("-dev"): print(row["name"])' \
      "$unpacked/usr/share/doc/$name/$name.spdx.json" | sort) || return 1
    missing=$(comm -23 <(echo "$wanted") <(echo "$depends"))
    [ -z "$missing" ] || { say "$name is linked with libraries of packages that it does not depend on: $missing"; return 1; }
  done
}

desktop() {
  desktop-file-validate "$unpacked/usr/share/applications/heddle-studio.desktop" || return 1
  # The ids of AppStream begin with a reversed domain name, but the project has no domain.
  appstreamcli validate --no-net --pedantic --override=cid-desktopapp-is-not-rdns=info "$unpacked/usr/share/metainfo/heddle-studio.metainfo.xml"
}

# Checks that a desktop takes a .heddle file for a run database, although it begins as every SQLite file does, and opens it with the
# studio. The two update- commands are those that the triggers of Debian packages run after an installation.
mime() {
  local share=$unpacked/usr/share program type
  xmllint --noout "$share/mime/packages/heddle.xml" || return 1
  XDG_DATA_DIRS=$share update-mime-database "$share/mime" && update-desktop-database "$share/applications" || return 1
  printf 'SQLite format 3\0' >"$unpacked/runs.heddle"
  type=$(XDG_DATA_DIRS=$share:/usr/share XDG_DATA_HOME=$unpacked/none gio info -a standard::content-type "$unpacked/runs.heddle" |
    awk '/standard::content-type/ {print $2}')
  [ "$type" = application/x-heddle ] || { say "the type of runs.heddle is ${type:-unknown} instead of application/x-heddle"; return 1; }
  program=$(sed -n 's/^application\/x-heddle=//p' "$share/applications/mimeinfo.cache")
  [ "$program" = "heddle-studio.desktop;" ] || { say "runs.heddle is opened by ${program:-no program} instead of heddle-studio.desktop;"; return 1; }
}

# Checks the icon that the desktop file names: each PNG has the size that its folder's name says, and the SVG can be drawn.
icons() {
  local size found icon theme=$unpacked/usr/share/icons/hicolor
  icon=$(sed -n 's/^Icon=//p' "$unpacked/usr/share/applications/heddle-studio.desktop")
  for size in 48 128 256; do
    found=$(file -b "$theme/${size}x$size/apps/$icon.png")
    [[ $found == "PNG image data, $size x $size,"* ]] || { say "the icon of $size pixels is not such a PNG image: $found"; return 1; }
  done
  rsvg-convert -w 16 -h 16 "$theme/scalable/apps/$icon.svg" >/dev/null
}

manuals() {
  local page said
  for page in "$unpacked"/usr/share/man/man1/*; do
    said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || { say "$(basename "$page"): $said"; return 1; }
  done
  [ -e "$unpacked/usr/share/man/man1/heddle-runs-list.1.gz" ] && [ -e "$unpacked/usr/share/man/man1/heddle-studio.1.gz" ]
}

completions() {
  local share=$unpacked/usr/share
  bash -n "$share/bash-completion/completions/heddle" && zsh -n "$share/zsh/vendor-completions/_heddle" &&
    fish -n "$share/fish/vendor_completions.d/heddle.fish"
}

status=0
for part in lint dependencies desktop mime icons manuals completions; do
  if "$part" >&2; then say "$part: passed"; else say "$part: FAILED"; status=1; fi
done
exit "$status"
