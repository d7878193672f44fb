#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian packages and checks them and what they install: lintian (errors count), dependencies, desktop file, AppStream
# metadata, manual pages, completions.
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

# Each package depends on the packages of all libraries that its programs are linked with: CPack leaves out, without a message, those
# that it does not find.
dependencies() {
  local package name wanted missing depends
  # Of heddle-studio, what heddle brings counts, too.
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
  # The project has no domain whose reverse could begin the id.
  appstreamcli validate --no-net --pedantic --override=cid-desktopapp-is-not-rdns=info "$unpacked/usr/share/metainfo/heddle-studio.metainfo.xml"
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
for part in lint dependencies desktop manuals completions; do
  if "$part" >&2; then say "$part: passed"; else say "$part: FAILED"; status=1; fi
done
exit "$status"
